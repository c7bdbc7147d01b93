/* Sets of bytes of a file as ranges of offsets. */
#ifndef OLO_RESULTS_RANGES_H
#define OLO_RESULTS_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct olo_range {
    uint64_t offset, size;
} olo_range;

/* Initialise with {0}. */
typedef struct olo_ranges {
    olo_range *items;
    size_t count, capacity;
    bool failed; /* memory was exhausted: some ranges are missing */
} olo_ranges;

void olo_ranges_add(olo_ranges *ranges, uint64_t offset, uint64_t size);

/* Sorts the ranges by offset and merges those that overlap or touch. */
void olo_ranges_normalize(olo_ranges *ranges);

/* Removes the second set from the first; both must be normalized, and the result is. */
void olo_ranges_subtract(olo_ranges *ranges, const olo_ranges *others);

void olo_ranges_free(olo_ranges *ranges);

#endif
