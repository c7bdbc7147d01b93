/* Sets of bytes of a file as ranges of offsets. */
#ifndef OLO_RESULTS_RANGES_H
#define OLO_RESULTS_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct olo_range {
    uint64_t offset, size;
} olo_range;

/* Starts as {0}. */
typedef struct olo_ranges {
    olo_range *items;
    size_t count, capacity;
    bool failed; /* memory was out: some are missing */
} olo_ranges;

void olo_ranges_add(olo_ranges *ranges, uint64_t offset, uint64_t size);

/* Sorts by offset and joins what overlaps or touches. */
void olo_ranges_tidy(olo_ranges *ranges);

/* What is in the first set and not in the second; both must be tidy. The result is. */
void olo_ranges_subtract(olo_ranges *ranges, const olo_ranges *others);

void olo_ranges_free(olo_ranges *ranges);

#endif
