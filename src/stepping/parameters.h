/* The parameters of derivatives: which coefficients they change, each of them once, and the sums
 * over a run that belong to these. The cost of a step backwards grows with the coefficients that
 * change, not with the parameters. */
#ifndef OLO_STEPPING_PARAMETERS_H
#define OLO_STEPPING_PARAMETERS_H

#include "stepping/by_coefficient.h"
#include "stepping/goal.h"

typedef struct olo_parameter_set {
    const olo_parameter_derivative *const *changes;
    int count;
    int active;                   /* coefficients that change */
    olo_coefficient *coefficient; /* [active] sorted */
    double *sum;                  /* [active] dJ with respect to each, or a variation of it */
    double *own;    /* [count] the same of the functions of time that each parameter changes */
    bool functions; /* there are any */
    bool rows;      /* constraint rows are among all that */
} olo_parameter_set;

/* Starts as `{0}`; what was there is freed. */
olo_status olo_parameter_set_take(olo_parameter_set *set, const olo_system *system,
                                  const olo_parameter_derivative *const *changes, int count,
                                  olo_error *error);
void olo_parameter_set_free(olo_parameter_set *set);

/* Backwards: all sums zero; what a step adds; at the end dJ/dp of all, with dJ by the start. */
void olo_parameter_set_begin(olo_parameter_set *set);
void olo_parameter_set_step(olo_parameter_set *set, const olo_linear_step *linear,
                            const olo_step_variation *by);
/* What a node adds, with its weight under the integral, or with `end` the end of the run. */
void olo_parameter_set_node(olo_parameter_set *set, olo_objective *objective,
                            const olo_state *state, double weight, bool end);
void olo_parameter_set_end(const olo_parameter_set *set, const double *gq, const double *gv,
                           double *gradient);

/* Forwards: how the coefficients change along a direction, and what that does to the start and to a
 * step. */
void olo_parameter_set_aim(olo_parameter_set *set, const double *direction, double *dq, double *dv);
void olo_parameter_set_add(const olo_parameter_set *set, const olo_linear_step *linear,
                           const olo_step_variation *change);
/* ... and what it does to J at a node. */
double olo_parameter_set_value(const olo_parameter_set *set, olo_objective *objective,
                               const olo_state *state, double weight, bool end);

#endif
