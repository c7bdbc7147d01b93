/* How a system and its start change with one parameter of the model they come from. */
#ifndef OLO_SYSTEM_PARAMETER_DERIVATIVE_H
#define OLO_SYSTEM_PARAMETER_DERIVATIVE_H

#include "oloid/derivatives.h"
#include "system/coefficients.h"

/* A function of time that changes: of an action, or of a constraint row. */
typedef struct olo_function_derivative {
    bool row;
    int index;
} olo_function_derivative;

struct olo_parameter_derivative {
    olo_pool pool;
    const char *name;
    int n;
    double *dq, *dv; /* [n] of the start ... */
    bool rest;       /* ... which is the equilibrium, not the one that is given */
    int count;
    olo_coefficient *coefficient; /* [count] that change, in the order of the system */
    double *derivative;           /* [count] */
    double *direction; /* [parameters] how all parameters of the model change with this one */
    int function_count;
    olo_function_derivative *functions;
};

#endif
