/* The largest of many numbers, where a NaN is larger than everything: fmax would hide it. */
#ifndef OLO_BASE_EXTREME_H
#define OLO_BASE_EXTREME_H

#include <math.h>

static inline void olo_raise(double *largest, double value)
{
    if (!isnan(*largest) && !(value <= *largest))
        *largest = value;
}

#endif
