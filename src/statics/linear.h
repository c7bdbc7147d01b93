/* The linearised system, for the code that writes it. */
#ifndef OLO_STATICS_LINEAR_H
#define OLO_STATICS_LINEAR_H

#include "base/pool.h"
#include "oloid/statics.h"

struct olo_linear {
    olo_pool pool;
    int states, inputs, outputs;
    double *A, *B, *C, *D; /* row-major */
    const char **state_names, **input_names, **output_names;
};

#endif
