/* Thinning a long record: steps fall into buckets of equal size, and a bucket keeps of every column
 * its value at the end, or the sum, and the minimum and maximum over its steps. So a plot of a few
 * thousand rows shows every spike of millions of steps. */
#ifndef OLO_RESULTS_THIN_H
#define OLO_RESULTS_THIN_H

#include <stdbool.h>

#include "base/bytes.h"

enum { OLO_THIN_COLUMNS_MAX = 32 };

/* The bucket that is being filled. It holds `count` steps; the rows are valid when that is not 0.
 */
typedef struct olo_thin {
    int columns;
    bool summed[OLO_THIN_COLUMNS_MAX]; /* the value is the sum over the bucket, not that at its end
                                        */
    long count;
    double value[OLO_THIN_COLUMNS_MAX];
    double minimum[OLO_THIN_COLUMNS_MAX]; /* not a number as soon as one value is none */
    double maximum[OLO_THIN_COLUMNS_MAX];
} olo_thin;

/* Number of steps of size h from t0 to `end`, the last one perhaps shorter; 0 when there are none
 * or the numbers make no sense. */
long olo_thin_steps(double t0, double end, double h);

/* Steps a bucket, so that `steps` steps need at most `rows` rows; at least 1. */
long olo_thin_stride(long steps, long rows);

/* Adds the values of one step, columns[] of them. */
void olo_thin_add(olo_thin *thin, const double *values);

/* Starts the next bucket. */
void olo_thin_clear(olo_thin *thin);

/* Saves or loads what has been added. */
void olo_thin_pass(olo_thin *thin, olo_bytes *bytes);

/* The smaller and the larger of two numbers; not a number when one of them is none, so that a bad
 * value is never lost. */
double olo_thin_smaller(double a, double b);
double olo_thin_larger(double a, double b);

#endif
