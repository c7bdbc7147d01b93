/* A pool is a list of separately allocated blocks, so that sanitizers see the end of each; arrays
 * of a workspace have fences between them. */
#include "base/pool.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#include "base/memory.h"

/* Header of a block; the caller's memory follows it. */
typedef struct olo_pool_block {
    alignas(max_align_t) struct olo_pool_block *previous;
} olo_pool_block;

/* Adds a block whose bytes are not set yet. */
static void *add(olo_pool *pool, size_t count, size_t size)
{
    const bool fits = size == 0 || count <= (PTRDIFF_MAX - sizeof(olo_pool_block)) / size;
    olo_pool_block *block = fits ? olo_alloc_plain(sizeof *block + count * size) : NULL;
    if (block == NULL) {
        pool->failed = true;
        return NULL;
    }
    block->previous = pool->last;
    pool->last = block;
    return block + 1;
}

void *olo_pool_alloc(olo_pool *pool, size_t count, size_t size)
{
    void *items = add(pool, count, size);
    return items != NULL ? memset(items, 0, count * size) : NULL;
}

void *olo_pool_copy(olo_pool *pool, const void *items, size_t count, size_t size)
{
    void *copy = add(pool, count, size);
    if (copy != NULL && items != NULL && count > 0)
        memcpy(copy, items, count * size);
    return copy;
}

char *olo_pool_text(olo_pool *pool, const char *text, size_t length)
{
    char *copy = olo_pool_alloc(pool, length + 1, 1);
    if (copy != NULL && length > 0)
        memcpy(copy, text, length);
    return copy;
}

/* Sanitizers report accesses to this number. */
static void fence(double *at)
{
#ifdef __SANITIZE_ADDRESS__
    __asan_poison_memory_region(at, sizeof *at);
#else
    (void)at;
#endif
}

/* One block: loops over several long arrays read it faster than blocks that all begin at the same
 * offset in a page. */
bool olo_pool_arrays(olo_pool *pool, const olo_array *arrays, size_t count)
{
    size_t all = 0;
    for (size_t i = 0; i < count; i++)
        all += arrays[i].size + 2;
    double *at = olo_pool_alloc(pool, all, sizeof *at);
    for (size_t i = 0; i < count; i++) {
        *arrays[i].at = at;
        if (at == NULL)
            continue;
        at += arrays[i].size + 2;
        fence(at - 1);
    }
    return !pool->failed;
}

void olo_pool_free(olo_pool *pool)
{
    while (pool->last != NULL) {
        olo_pool_block *previous = pool->last->previous;
        olo_free(pool->last);
        pool->last = previous;
    }
    pool->failed = false;
}
