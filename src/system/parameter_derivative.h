/* The derivative of a system and of its initial state with respect to one parameter of the model.
 */
#ifndef OLO_SYSTEM_PARAMETER_DERIVATIVE_H
#define OLO_SYSTEM_PARAMETER_DERIVATIVE_H

#include "oloid/derivatives.h"
#include "system/coefficients.h"

/* A function of time that depends on the parameter: of an action, or of a constraint row. */
typedef struct olo_function_derivative {
    bool row;
    int index;
} olo_function_derivative;

struct olo_parameter_derivative {
    olo_pool pool;
    const char *name;
    int n;
    double *dq, *dv; /* [n] of the initial state */
    bool rest;       /* the initial state is the equilibrium, not the given one */
    int count;
    olo_coefficient *coefficient; /* [count] those that depend on it, in the order of the system */
    double *derivative;           /* [count] */
    double *direction;            /* [parameters] derivatives of all parameters of the model */
    int function_count;
    olo_function_derivative *functions;
};

#endif
