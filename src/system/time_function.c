/* Derivatives of functions of time: exact if the function gives them, else central differences. */
#include "system/time_function.h"

#include <float.h>
#include <math.h>

double olo_time_rate(const olo_time_function *time, double t)
{
    if (time->rate)
        return time->rate(time->context, t);
    double step = cbrt(DBL_EPSILON) * fmax(fabs(t), 1.0), up = t + step, down = t - step;
    return (time->value(time->context, up) - time->value(time->context, down)) / (up - down);
}

void olo_time_derivatives(const olo_time_function *time, double t, double absent, double by[3])
{
    by[0] = time->value ? time->value(time->context, t) : absent;
    by[1] = time->value && time->rate ? time->rate(time->context, t) : 0.0;
    by[2] = time->value && time->curvature ? time->curvature(time->context, t) : 0.0;
}
