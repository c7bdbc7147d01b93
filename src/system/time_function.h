/* Functions of time: the factor of a load, the target of a controller, a prescribed motion. */
#ifndef OLO_SYSTEM_TIME_FUNCTION_H
#define OLO_SYSTEM_TIME_FUNCTION_H

#include <stdbool.h>

/* `value` NULL: there is no function, and the caller supplies a default. */
typedef struct olo_time_function {
    double (*value)(const void *context, double t);
    double (*rate)(const void *context, double t); /* first derivative; NULL: finite differences */
    double (*curvature)(const void *context, double t); /* second derivative; NULL: not known */
    double (*third)(const void *context, double t); /* third derivative; known if the second is */
    /* Derivatives of value and rate along a direction in the space of all model parameters; false:
     * the function does not depend on them. NULL: not known. */
    bool (*by_parameters)(const void *context, double t, const double *direction, double by[2]);
    void *context;
    void (*free)(void *context);
} olo_time_function;

/* First derivative of a function that has a value. */
double olo_time_rate(const olo_time_function *time, double t);

/* Value, first and second derivative; `absent` and zeros if there is no function, zero for
 * derivatives that are not known exactly. */
void olo_time_derivatives(const olo_time_function *time, double t, double absent, double by[3]);

#endif
