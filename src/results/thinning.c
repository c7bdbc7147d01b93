/* Thinning with minima and maxima: a bucket of steps becomes one row. */
#include "results/thinning.h"

#include <limits.h>
#include <math.h>

/* A last step shorter than this fraction of a step is due to rounding of end - t0, and is no
 * step. */
static const double STEP_ROUNDING = 1e-9;

long olo_thinning_steps(double t0, double end, double h)
{
    const double steps = ceil((end - t0) / h - STEP_ROUNDING);
    if (!(steps > 0.0) || !(h > 0.0))
        return 0;
    return steps < (double)(LONG_MAX / 2) ? (long)steps : LONG_MAX / 2;
}

long olo_thinning_stride(long steps, long rows)
{
    if (steps <= 0 || rows <= 0)
        return 1;
    return (steps - 1) / rows + 1;
}

/* The minimum and the maximum of two numbers; NaN when one of them is NaN, so that it is never
 * lost. */
static double smaller(double a, double b)
{
    return isnan(a) || a < b ? a : b;
}

static double larger(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

void olo_thinning_add(olo_thinning *thin, const double *values)
{
    const bool first = thin->count == 0;
    for (int i = 0; i < thin->columns; i++) {
        const double x = values[i];
        thin->value[i] = thin->summed[i] && !first ? thin->value[i] + x : x;
        thin->minimum[i] = first ? x : smaller(thin->minimum[i], x);
        thin->maximum[i] = first ? x : larger(thin->maximum[i], x);
    }
    thin->count++;
}

void olo_thinning_clear(olo_thinning *thin)
{
    thin->count = 0;
}

void olo_thinning_pass(olo_thinning *thin, olo_bytes *bytes)
{
    const size_t row = (size_t)thin->columns * sizeof(double);
    olo_bytes_pass(bytes, &thin->count, sizeof thin->count);
    olo_bytes_pass(bytes, thin->value, row);
    olo_bytes_pass(bytes, thin->minimum, row);
    olo_bytes_pass(bytes, thin->maximum, row);
}
