/* Sets of bytes of a file. */
#include "results/ranges.h"

#include <stdlib.h>

#include "base/memory.h"

void olo_ranges_add(olo_ranges *ranges, uint64_t offset, uint64_t size)
{
    olo_range *items = olo_grow(ranges->items, ranges->count, &ranges->capacity, sizeof *items);
    if (items == NULL) {
        ranges->failed = true;
        return;
    }
    ranges->items = items;
    items[ranges->count++] = (olo_range){offset, size};
}

static int compare(const void *a, const void *b)
{
    const uint64_t first = ((const olo_range *)a)->offset, second = ((const olo_range *)b)->offset;
    return first < second ? -1 : first > second;
}

void olo_ranges_normalize(olo_ranges *ranges)
{
    olo_range *items = ranges->items;
    size_t count = 0;
    if (ranges->count > 0)
        qsort(items, ranges->count, sizeof *items, compare);
    for (size_t i = 0; i < ranges->count; i++) {
        olo_range *last = count > 0 ? &items[count - 1] : NULL;
        const uint64_t end = items[i].offset + items[i].size;
        if (last == NULL || items[i].offset > last->offset + last->size)
            items[count++] = items[i];
        else if (end > last->offset + last->size)
            last->size = end - last->offset;
    }
    ranges->count = count;
}

void olo_ranges_subtract(olo_ranges *ranges, const olo_ranges *others)
{
    olo_ranges difference = {.failed = ranges->failed || others->failed};
    size_t k = 0;
    for (size_t i = 0; i < ranges->count; i++) {
        uint64_t at = ranges->items[i].offset;
        const uint64_t end = at + ranges->items[i].size;
        while (k < others->count && others->items[k].offset + others->items[k].size <= at)
            k++;
        for (size_t j = k; j < others->count && others->items[j].offset < end; j++) {
            if (others->items[j].offset > at)
                olo_ranges_add(&difference, at, others->items[j].offset - at);
            const uint64_t after = others->items[j].offset + others->items[j].size;
            at = after > at ? after : at;
        }
        if (at < end)
            olo_ranges_add(&difference, at, end - at);
    }
    olo_ranges_free(ranges);
    *ranges = difference;
}

void olo_ranges_free(olo_ranges *ranges)
{
    olo_free(ranges->items);
    *ranges = (olo_ranges){0};
}
