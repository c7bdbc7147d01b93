/* A pool: blocks that live and die together, for trees and texts whose parts have one owner. */
#ifndef OLO_BASE_POOL_H
#define OLO_BASE_POOL_H

#include <stddef.h>

/* Starts as `{0}`. */
typedef struct olo_pool {
    struct olo_pool_block *last;
} olo_pool;

/* `count` zeroed items of `size` bytes, aligned for any type; NULL when memory is out. */
void *olo_pool_alloc(olo_pool *pool, size_t count, size_t size);

/* A copy of `count` items; NULL when memory is out. */
void *olo_pool_copy(olo_pool *pool, const void *items, size_t count, size_t size);

/* A copy of the first `length` bytes of a text, ended by a zero byte; NULL when memory is out. */
char *olo_pool_text(olo_pool *pool, const char *text, size_t length);

/* Frees all blocks; the pool is then empty and may be used again. */
void olo_pool_free(olo_pool *pool);

#endif
