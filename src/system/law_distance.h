/* The length l = sqrt(2 e) of laws of a distance, e = 1/2 |x_b - x_a|^2, and its inverse. */
#ifndef OLO_SYSTEM_LAW_DISTANCE_H
#define OLO_SYSTEM_LAW_DISTANCE_H

#include <math.h>

#include "system/law.h"

static inline double distance_length(double e)
{
    return e > 0.0 ? sqrt(2.0 * e) : 0.0; /* rounding can make e of coincident ends negative */
}

/* 1/l, or 0 for lengths so small that 1/l^5 times usual coefficients would overflow. */
static inline double distance_inverse(double l)
{
    const double shortest = 0x1p-190;
    return l > shortest ? 1.0 / l : 0.0;
}

#endif
