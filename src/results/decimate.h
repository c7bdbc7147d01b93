/* Long series with few points: every stretch of rows keeps its smallest and its largest value,
 * where they are. So a spike stays to be seen, and every point that is left is one of the series.
 */
#ifndef OLO_RESULTS_DECIMATE_H
#define OLO_RESULTS_DECIMATE_H

#include <stddef.h>

/* Chooses at most `most` (at least 4) of `count` rows: the first, the last, and the extremes of
 * equal stretches between. `rows` has room for `most`. Returns how many; all of them when they fit.
 * A value that is not a number counts as an extreme. */
size_t olo_decimate(const double *values, size_t count, size_t most, size_t *rows);

#endif
