/* Derivatives of runs from within: what steps (derivatives.c) and whole runs (course.c) share. */
#ifndef OLO_STEPPING_DERIVATIVES_PRIVATE_H
#define OLO_STEPPING_DERIVATIVES_PRIVATE_H

#include "stepping/derivatives.h"
#include "stepping/linear_step.h"
#include "stepping/parameters.h"
#include "stepping/time_grid.h"

/* A step that was made, parts and halves of one each by itself. */
typedef struct olo_stored_step {
    olo_step_record record;
    double *block; /* its numbers */
    long step;     /* of the run */
} olo_stored_step;

struct olo_derivatives {
    const olo_system *system;
    olo_run run;
    olo_pool pool;
    olo_stepper *stepper;
    olo_linear_step *linear;
    olo_state *state; /* of the run */
    olo_state *node;  /* where the functional is evaluated on the way back */
    double *gq, *gv;  /* [n] */
    double *gp;       /* [n] the same by the momentum, of steps that start with one */
    size_t memory;
    size_t record_size;
    olo_stored_step *steps; /* kept ones */
    size_t count, capacity;
    int control_count;
    int *control;         /* [actions] which control an action follows, -1: none */
    const double *values; /* [control_steps x control_count] */
    long control_steps;
    olo_parameter_set parameters;
    olo_time_grid table;
    olo_observer observer;
    double *inputs;            /* [actions] of the step that is being made */
    olo_step_variation change; /* derivatives by what a step is made of, or variations of these */
    long step;                 /* that is being made */
    bool keeping;              /* steps are kept */
    bool full;                 /* there was no memory for one */
    bool linearised;           /* the linear step is that of the last one kept */
};

/* What varies beside the state: controls of the step, or NULL, and parameters as they were aimed
 * at. */
typedef struct olo_variation {
    const double *controls;
    bool parameters;
} olo_variation;

/* A step, kept if that is wanted; `lazy` where nobody looks at the velocities at its end. */
olo_status olo_derivatives_make_step(olo_derivatives *x, olo_state *state, double h, bool keep,
                                     bool lazy, olo_error *error);

/* The kept steps end where the next ones start, the last one where the state is. */
void olo_derivatives_join_steps(olo_derivatives *x);

/* Through a kept step, after they were joined: `count` variations one after the other. */
olo_status olo_derivatives_forward_part(olo_derivatives *x, size_t part, int count, double *dq,
                                        double *dv, const olo_variation *of, olo_error *error);

/* Back through a step; what it gives for the controls is added to `gu`, unless that is NULL. */
olo_status olo_derivatives_backward_part(olo_derivatives *x, const olo_stored_step *step,
                                         double *gq, double *gv, double *gu, olo_error *error);

#endif
