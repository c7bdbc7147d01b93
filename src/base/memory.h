/* Memory: every allocation of the library goes through here, so that tests can count allocations
 * and make the n-th one fail. */
#ifndef OLO_BASE_MEMORY_H
#define OLO_BASE_MEMORY_H

#include <stddef.h>

/* `count` zeroed items of `size` bytes, 64-byte aligned; NULL when memory is exhausted, when the
 * product overflows, or by injection. A count of zero returns a valid pointer that may be freed. */
void *olo_alloc(size_t count, size_t size);

/* The same with a copy of `items` in it, or not set yet if `items` is NULL. */
void *olo_copy(const void *items, size_t count, size_t size);

/* `size` bytes that are not set yet, aligned for any type, for many small blocks. */
void *olo_alloc_plain(size_t size);

/* Grows or shrinks a block of `old_count` items to `count`; new items are zeroed. On failure NULL
 * is returned and the old block remains valid. `old` may be NULL with `old_count` 0. */
void *olo_realloc(void *old, size_t old_count, size_t count, size_t size);

/* Ensures capacity for one more item in a list of `count` items, doubling it when the list is full.
 * Returns the list, or NULL (the old list remains valid). */
void *olo_grow(void *list, size_t count, size_t *capacity, size_t size);

/* Copy of a string; NULL when memory is exhausted. The copy of NULL is NULL. */
char *olo_strdup(const char *text);

/* Frees a block of olo_alloc; NULL is allowed. Returns NULL, so that `x = olo_free(x)` clears x. */
void *olo_free(void *block);

/* For tests. Allocations so far; make the n-th allocation from now (1 = the next) fail once, 0 =
 * never. */
size_t olo_memory_count(void);
void olo_memory_fail_at(size_t n);
/* Number of allocated blocks. */
size_t olo_memory_alive(void);

#endif
