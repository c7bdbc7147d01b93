/* A pool: blocks of memory that are freed together, for trees and texts whose parts have one
 * owner. */
#ifndef OLO_BASE_POOL_H
#define OLO_BASE_POOL_H

#include <stdbool.h>
#include <stddef.h>

/* Initialise with `{0}`. */
typedef struct olo_pool {
    struct olo_pool_block *last;
    bool failed; /* memory was exhausted in one of the functions below */
} olo_pool;

/* `count` zeroed items of `size` bytes, aligned for any type; NULL when memory is exhausted. */
void *olo_pool_alloc(olo_pool *pool, size_t count, size_t size);

/* A copy of `count` items, or items that are not set yet if `items` is NULL; NULL when memory is
 * exhausted. */
void *olo_pool_copy(olo_pool *pool, const void *items, size_t count, size_t size);

/* A copy of the first `length` bytes of a text, ended by a zero byte; NULL when memory is
 * exhausted. */
char *olo_pool_text(olo_pool *pool, const char *text, size_t length);

/* An array of a workspace: the pointer to set and the number of entries. */
typedef struct olo_array {
    double **at;
    size_t size;
} olo_array;

/* All arrays of a workspace, zeroed, each of at least one number; false if the pool has
 * failed. */
bool olo_pool_arrays(olo_pool *pool, const olo_array *arrays, size_t count);

/* Frees all blocks; the pool is then empty and may be used again. */
void olo_pool_free(olo_pool *pool);

#endif
