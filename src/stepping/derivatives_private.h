/* Derivatives of runs: data that single steps (derivatives.c) and whole runs (adjoint.c) share. */
#ifndef OLO_STEPPING_DERIVATIVES_PRIVATE_H
#define OLO_STEPPING_DERIVATIVES_PRIVATE_H

#include "stepping/derivatives.h"
#include "stepping/linear_step.h"
#include "stepping/parameter_set.h"
#include "stepping/time_grid.h"

/* A recorded step; parts and halves of a step are recorded one by one. */
typedef struct olo_stored_step {
    olo_step_record record;
    double *block; /* memory of the record */
    long step;     /* number of the step in the run */
} olo_stored_step;

struct olo_derivatives {
    const olo_system *system;
    olo_run run;
    olo_pool pool;
    olo_stepper *stepper;
    olo_linear_step *linear;
    olo_state *state; /* of the run */
    olo_state *node;  /* at which the functional is evaluated in the backward sweep */
    double *gq, *gv;  /* [n] derivatives of J with respect to q and v */
    double *gp;       /* [n] the same with respect to the momentum, for steps that start from it */
    size_t memory;
    size_t record_size;
    olo_stored_step *steps; /* [count] recorded steps */
    size_t count, capacity;
    int control_count;
    int *control;         /* [actions] which control an action follows, -1: none */
    const double *values; /* [control_steps x control_count] */
    long control_steps;
    olo_parameter_set parameters;
    olo_time_grid table;
    olo_observer observer;
    double *inputs;            /* [actions] controls of the current step */
    olo_step_variation change; /* derivatives with respect to the parts of the equations of a step,
                                  or variations of these */
    long step;                 /* number of the current step */
    bool recording;            /* steps are recorded */
    bool full;                 /* memory ran out while recording */
    bool linearised;           /* `linear` belongs to the last recorded step */
};

/* Variations in addition to that of the state: controls of the step or inputs of all actions, or
 * NULL, and parameters along the direction of olo_parameter_set_aim. */
typedef struct olo_variation {
    const double *controls, *inputs;
    bool parameters;
} olo_variation;

/* Makes a step and records it if wanted; `lazy` if the velocities at its end are not read. */
olo_status olo_derivatives_make_step(olo_derivatives *x, olo_state *state, double h, bool record,
                                     bool lazy, olo_error *error);

/* Sets the ends of the recorded steps: the start of the next one, for the last one the state. */
void olo_derivatives_join_steps(olo_derivatives *x);

/* Propagates `count` variations forward through a recorded step, after olo_derivatives_join_steps.
 */
olo_status olo_derivatives_forward_part(olo_derivatives *x, size_t part, int count, double *dq,
                                        double *dv, const olo_variation *of, olo_error *error);

/* Propagates derivatives backward through a recorded step; adds those with respect to its controls
 * to `gu` unless that is NULL. */
olo_status olo_derivatives_backward_part(olo_derivatives *x, const olo_stored_step *step,
                                         double *gq, double *gv, double *gu, olo_error *error);

#endif
