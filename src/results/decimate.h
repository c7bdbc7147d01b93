/* Decimation of a series to few points. The series is divided into sections, and the minimum and
 * maximum of each section are selected. So spikes remain visible, and every selected point is a
 * point of the series. */
#ifndef OLO_RESULTS_DECIMATE_H
#define OLO_RESULTS_DECIMATE_H

#include <stddef.h>

/* Selects at most `limit` (at least 4) of `count` rows: the first, the last, and the extremes of
 * sections of equal length between them. `rows` has `limit` entries. Returns the number of selected
 * rows; all rows are selected when count <= limit. NaN counts as an extreme. */
size_t olo_decimate(const double *values, size_t count, size_t limit, size_t *rows);

#endif
