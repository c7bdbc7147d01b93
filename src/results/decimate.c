/* Decimation of a series to few points. */
#include "results/decimate.h"

#include <math.h>

/* Finds the rows of the minimum and the maximum in [first, last), in ascending order; returns 1 or
 * 2. */
static size_t extremes(const double *values, size_t first, size_t last, size_t *rows)
{
    size_t low = first, high = first;
    for (size_t i = first; i < last; i++) {
        if (isnan(values[i])) {
            rows[0] = i;
            return 1;
        }
        low = values[i] < values[low] ? i : low;
        high = values[i] > values[high] ? i : high;
    }
    rows[0] = low < high ? low : high;
    rows[1] = low < high ? high : low;
    return rows[0] == rows[1] ? 1 : 2;
}

size_t olo_decimate(const double *values, size_t count, size_t limit, size_t *rows)
{
    if (count <= limit) {
        for (size_t i = 0; i < count; i++)
            rows[i] = i;
        return count;
    }
    // the first row, the last row, and two rows per section between them
    const size_t sections = (limit - 2) / 2, inner = count - 2;
    size_t chosen = 0;
    rows[chosen++] = 0;
    for (size_t k = 0; k < sections; k++) {
        const size_t first = 1 + k * inner / sections, last = 1 + (k + 1) * inner / sections;
        chosen += extremes(values, first, last, rows + chosen);
    }
    rows[chosen++] = count - 1;
    return chosen;
}
