/* A linearised step by the coefficients of its system: what each does to the balance and to the
 * momentum at the end. */
#ifndef OLO_STEPPING_BY_COEFFICIENT_H
#define OLO_STEPPING_BY_COEFFICIENT_H

#include "stepping/linear_step.h"
#include "system/parameter_derivative.h"

/* What they read of a step, or of a system at rest: a step of length 1 without motion. */
typedef struct olo_step_view {
    const olo_step *step;
    const double *v1;          /* [n] velocity at its end */
    const double *mu, *mu_end; /* [m] multipliers over it and at its end */
    bool still; /* at rest: loads are those at time 0, targets have no rates, motions are those of
                   the step's time */
} olo_step_view;

olo_step_view olo_linear_step_view(const olo_linear_step *linear);

/* Of masses, terms, actions and rows (for which olo_linear_step_need_rows must have been asked):
 * all += factor times the derivatives ... */
void olo_step_view_add_coefficient(const olo_step_view *view, const olo_coefficient *c,
                                   double factor, const olo_step_variation *change);
/* ... and their products with what olo_linear_step_adjoint gave. */
double olo_step_view_times_coefficient(const olo_step_view *view, const olo_coefficient *c,
                                       const olo_step_variation *by);

/* The same of a function of time that a parameter changes. */
void olo_step_view_add_function(const olo_step_view *view,
                                const olo_parameter_derivative *parameter,
                                const olo_function_derivative *function, double factor,
                                const olo_step_variation *change);
double olo_step_view_times_function(const olo_step_view *view,
                                    const olo_parameter_derivative *parameter,
                                    const olo_function_derivative *function,
                                    const olo_step_variation *by);

#endif
