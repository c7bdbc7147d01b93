/* Long series with few points. */
#include "results/decimate.h"

#include <math.h>
#include <stdbool.h>

/* The rows of the extremes from `first` to before `last`, in their order; returns 1 or 2. */
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

size_t olo_decimate(const double *values, size_t count, size_t most, size_t *rows)
{
    if (count <= most) {
        for (size_t i = 0; i < count; i++) {
            rows[i] = i;
        }
        return count;
    }
    // the first and the last row, and two of every stretch between
    const size_t stretches = (most - 2) / 2, inner = count - 2;
    size_t chosen = 0;
    rows[chosen++] = 0;
    for (size_t k = 0; k < stretches; k++) {
        const size_t first = 1 + k * inner / stretches, last = 1 + (k + 1) * inner / stretches;
        chosen += extremes(values, first, last, rows + chosen);
    }
    rows[chosen++] = count - 1;
    return chosen;
}
