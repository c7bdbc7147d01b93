/* Thinning of a long record: steps are grouped into buckets of equal size. For every column a
 * bucket stores the value at the end, or the sum, and the minimum and maximum over its steps. So a
 * plot of a few thousand rows shows every spike of millions of steps. */
#ifndef OLO_RESULTS_THINNING_H
#define OLO_RESULTS_THINNING_H

#include <stdbool.h>

#include "base/bytes.h"

enum { OLO_THINNING_COLUMNS_MAX = 32 };

/* The current bucket. It holds `count` steps; its rows are valid when that is not 0. */
typedef struct olo_thinning {
    int columns;
    bool summed[OLO_THINNING_COLUMNS_MAX]; /* the sum over the bucket, not the value at its end */
    long count;
    double value[OLO_THINNING_COLUMNS_MAX];
    double minimum[OLO_THINNING_COLUMNS_MAX]; /* NaN as soon as one value is NaN */
    double maximum[OLO_THINNING_COLUMNS_MAX];
} olo_thinning;

/* Number of steps of size h from t0 to `end`, the last one perhaps shorter; 0 when there are none
 * or the numbers are invalid. */
long olo_thinning_steps(double t0, double end, double h);

/* Steps per bucket, such that `steps` steps need at most `rows` rows; at least 1. */
long olo_thinning_stride(long steps, long rows);

/* Adds the values of one step, columns[] of them. */
void olo_thinning_add(olo_thinning *thin, const double *values);

/* Starts the next bucket. */
void olo_thinning_clear(olo_thinning *thin);

/* Saves or loads the current bucket. */
void olo_thinning_pass(olo_thinning *thin, olo_bytes *bytes);

#endif
