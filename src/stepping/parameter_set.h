/* The parameters of derivatives: the coefficients that depend on them, each of them once, and the
 * sums over a run for these. The cost of a backward step grows with the number of such
 * coefficients, not with the number of parameters. */
#ifndef OLO_STEPPING_PARAMETER_SET_H
#define OLO_STEPPING_PARAMETER_SET_H

#include "stepping/coefficient_derivatives.h"
#include "stepping/objective.h"

/* A coefficient or function, and its entry in the sums. */
typedef struct olo_parameter_cause {
    olo_step_cause of;
    double *sum;
} olo_parameter_cause;

typedef struct olo_parameter_set {
    const olo_parameter_derivative *const *changes;
    int count;
    int active;                   /* number of coefficients that depend on parameters */
    olo_coefficient *coefficient; /* [active] sorted */
    double *sum;     /* [active] derivative of J with respect to each, or a variation of it */
    double *own;     /* [count] the same for the functions of time that depend on each parameter */
    int cause_count; /* coefficients and functions that the equations of a step depend on: */
    olo_parameter_cause *causes;
    bool *rows;  /* [m] the constraint rows that depend on parameters ... */
    bool varied; /* ... of which there are some */
} olo_parameter_set;

/* Assigns the parameters; the set must be `{0}` at first. Frees previous contents. */
olo_status olo_parameter_set_assign(olo_parameter_set *set, const olo_system *system,
                                    const olo_parameter_derivative *const *changes, int count,
                                    olo_error *error);
void olo_parameter_set_free(olo_parameter_set *set);

/* Backward sweep: set all sums to zero; add those of a step; add those of a node, with its weight
 * in the integral or, with `end`, that of the end term; finally compute dJ/dp of all parameters,
 * with the derivative of J with respect to the initial state. */
void olo_parameter_set_begin(olo_parameter_set *set);
void olo_parameter_set_step(olo_parameter_set *set, const olo_step_view *view,
                            const olo_step_variation *by);
void olo_parameter_set_node(olo_parameter_set *set, olo_objective *objective,
                            const olo_state *state, double weight, bool end);
void olo_parameter_set_end(const olo_parameter_set *set, const double *gq, const double *gv,
                           double *gradient);

/* Forward mode: compute the variation of the coefficients along a direction, and add that of the
 * initial state; add the variation of a step; return that of J at a node. */
void olo_parameter_set_aim(olo_parameter_set *set, const double *direction, double *dq, double *dv);
void olo_parameter_set_add(const olo_parameter_set *set, const olo_step_view *view,
                           const olo_step_variation *change);
double olo_parameter_set_value(const olo_parameter_set *set, olo_objective *objective,
                               const olo_state *state, double weight, bool end);

#endif
