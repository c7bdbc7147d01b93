/* Memory: aligned, zeroed, counted blocks. The counters are the only global mutable state: they are
 * atomic, and no result of the library depends on them unless a test requests a failure. */
#include "base/memory.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A cache line, and the widest vector register of today's processors. */
enum { ALIGNMENT = 64 };

/* Initial capacity of a list. */
enum { FIRST_CAPACITY = 8 };

static atomic_size_t allocations;
static atomic_size_t alive;
static atomic_size_t countdown; // allocations until the one that fails; 0 = never

static int failure_is_due(void)
{
    size_t remaining = atomic_load(&countdown);
    while (remaining > 0 && !atomic_compare_exchange_weak(&countdown, &remaining, remaining - 1)) {
    }
    return remaining == 1;
}

/* A block whose bytes are not set yet; `wide`: aligned for vector registers. */
static void *allocate(size_t count, size_t size, bool wide)
{
    if (size != 0 && count > PTRDIFF_MAX / size)
        return NULL;
    if (failure_is_due())
        return NULL;
    // the exact size, not rounded up, so that sanitizers see the true end of the block
    const size_t bytes = count * size;
    void *block = NULL;
    if (!wide)
        block = malloc(bytes > 0 ? bytes : 1);
    else if (posix_memalign(&block, ALIGNMENT, bytes > 0 ? bytes : 1) != 0)
        return NULL;
    if (block == NULL)
        return NULL;
    atomic_fetch_add(&allocations, 1);
    atomic_fetch_add(&alive, 1);
    return block;
}

void *olo_alloc(size_t count, size_t size)
{
    void *block = allocate(count, size, true);
    return block != NULL ? memset(block, 0, count * size) : NULL;
}

void *olo_copy(const void *items, size_t count, size_t size)
{
    void *block = allocate(count, size, true);
    if (block != NULL && items != NULL && count > 0)
        memcpy(block, items, count * size);
    return block;
}

void *olo_alloc_plain(size_t size)
{
    return allocate(1, size, false);
}

void *olo_realloc(void *old, size_t old_count, size_t count, size_t size)
{
    void *block = olo_alloc(count, size);
    if (block == NULL)
        return NULL;
    const size_t copied = old_count < count ? old_count : count;
    if (old != NULL && copied > 0)
        memcpy(block, old, copied * size);
    olo_free(old);
    return block;
}

void *olo_grow(void *list, size_t count, size_t *capacity, size_t size)
{
    if (list != NULL && count < *capacity)
        return list;
    if (count > SIZE_MAX / 2)
        return NULL;
    const size_t wanted = count < FIRST_CAPACITY ? FIRST_CAPACITY : 2 * count;
    void *grown = olo_realloc(list, count, wanted, size);
    if (grown != NULL)
        *capacity = wanted;
    return grown;
}

char *olo_strdup(const char *text)
{
    if (text == NULL)
        return NULL;
    const size_t bytes = strlen(text) + 1;
    char *copy = olo_alloc(bytes, 1);
    if (copy != NULL)
        memcpy(copy, text, bytes);
    return copy;
}

void *olo_free(void *block)
{
    if (block != NULL) {
        atomic_fetch_sub(&alive, 1);
        free(block);
    }
    return NULL;
}

size_t olo_memory_count(void)
{
    return atomic_load(&allocations);
}

void olo_memory_fail_at(size_t n)
{
    atomic_store(&countdown, n);
}

size_t olo_memory_alive(void)
{
    return atomic_load(&alive);
}
