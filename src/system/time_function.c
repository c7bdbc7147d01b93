/* Derivatives of functions of time: their own, or central differences where a C function gives
 * values alone. */
#include <float.h>
#include <math.h>

#include "system/action.h"

double olo_time_rate(const olo_time_function *time, double t)
{
    if (time->rate)
        return time->rate(time->context, t);
    double step = cbrt(DBL_EPSILON) * fmax(fabs(t), 1.0), up = t + step, down = t - step;
    return (time->value(time->context, up) - time->value(time->context, down)) / (up - down);
}
