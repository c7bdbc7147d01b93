/* Compensated summation (Neumaier 1974): `remainder` collects the rounding errors of `value`,
 *
 *   t = value + x;  remainder += |value| >= |x| ? (value - t) + x : (x - t) + value;  value = t,
 *
 * so that the error of value + remainder is independent of the number of terms to first order. It
 * needs arithmetic that is neither reassociated nor contracted: no -ffast-math. */
#ifndef OLO_BASE_SUM_H
#define OLO_BASE_SUM_H

#include <math.h>

/* A running sum; initialise with `{0}`. Its value is value + remainder. */
typedef struct olo_sum {
    double value, remainder;
} olo_sum;

static inline void olo_sum_add(olo_sum *sum, double x)
{
    const double t = sum->value + x;
    if (fabs(sum->value) >= fabs(x))
        sum->remainder += (sum->value - t) + x;
    else
        sum->remainder += (x - t) + sum->value;
    sum->value = t;
}

static inline double olo_sum_value(const olo_sum *sum)
{
    return sum->value + sum->remainder;
}

#endif
