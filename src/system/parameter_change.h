/* How a system and its start change with one parameter of the model they come from. */
#ifndef OLO_SYSTEM_PARAMETER_CHANGE_H
#define OLO_SYSTEM_PARAMETER_CHANGE_H

#include "oloid/derivatives.h"
#include "system/coefficients.h"

struct olo_parameter_change {
    olo_pool pool;
    const char *name;
    int n;
    double *dq, *dv; /* [n] of the start ... */
    bool rest;       /* ... which is the equilibrium, not the one that is given */
    int count;
    olo_coefficient *coefficient; /* [count] that change, in the order of the system */
    double *derivative;           /* [count] */
};

#endif
