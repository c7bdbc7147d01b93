/* Entries of a sparse block; see the header. */
#include "control/entries.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void olo_entries_record(olo_entries *x, int row, int column)
{
    long long *keys = olo_grow(x->keys, x->visits, &x->capacity, sizeof *keys);
    if (!keys) {
        x->failed = true;
        return;
    }
    x->keys = keys;
    x->keys[x->visits++] = (long long)row << 32 | (long long)column;
}

static int by_key(const void *a, const void *b)
{
    const long long x = *(const long long *)a, y = *(const long long *)b;
    return (x > y) - (x < y);
}

bool olo_entries_complete(olo_entries *x, olo_pool *pool)
{
    long long *sorted = olo_copy(x->keys, x->visits, sizeof *sorted);
    size_t count = 0;
    if (sorted && !x->failed) {
        qsort(sorted, x->visits, sizeof *sorted, by_key);
        for (size_t i = 0; i < x->visits; i++)
            if (i == 0 || sorted[i] != sorted[i - 1])
                sorted[count++] = sorted[i];
        x->positions.count = (int)count;
        x->positions.row = olo_pool_alloc(pool, count, sizeof(int));
        x->positions.column = olo_pool_alloc(pool, count, sizeof(int));
        x->slot = olo_pool_alloc(pool, x->visits, sizeof(int));
        x->recorded = x->positions.row && x->positions.column && x->slot;
    }
    for (size_t i = 0; x->recorded && i < count; i++) {
        x->positions.row[i] = (int)(sorted[i] >> 32);
        x->positions.column[i] = (int)(sorted[i] & 0xffffffffLL);
    }
    for (size_t i = 0; x->recorded && i < x->visits; i++) {
        const long long *found = bsearch(&x->keys[i], sorted, count, sizeof *sorted, by_key);
        x->slot[i] = (int)(found - sorted);
    }
    olo_free(sorted);
    x->keys = olo_free(x->keys);
    return x->recorded;
}

void olo_entries_begin(olo_entries *x, double *values)
{
    x->values = values;
    x->next = 0;
    memset(values, 0, (size_t)x->positions.count * sizeof *values);
}
