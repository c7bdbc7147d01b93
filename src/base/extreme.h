/* Extremes. The largest of many numbers, where a NaN is larger than everything: fmax would hide it.
 */
#ifndef OLO_BASE_EXTREME_H
#define OLO_BASE_EXTREME_H

#include <math.h>

static inline void olo_raise(double *largest, double value)
{
    if (!isnan(*largest) && !(value <= *largest))
        *largest = value;
}

/* The smaller and the larger of two numbers; `b` if one of them is NaN. One instruction each, where
 * fmin and fmax are calls. */
static inline double olo_smaller(double a, double b)
{
    return a < b ? a : b;
}

static inline double olo_larger(double a, double b)
{
    return a > b ? a : b;
}

#endif
