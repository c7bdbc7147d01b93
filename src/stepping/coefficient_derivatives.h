/* Derivatives of a linearised step with respect to the coefficients of its system: of the balance,
 * the momentum at the end and the constraint rows. */
#ifndef OLO_STEPPING_COEFFICIENT_DERIVATIVES_H
#define OLO_STEPPING_COEFFICIENT_DERIVATIVES_H

#include "stepping/linear_step.h"
#include "system/parameter_derivative.h"

/* The data of a step that these derivatives read; in statics, a step of length 1 without motion. */
typedef struct olo_step_view {
    const olo_step *step;
    const double *v1;          /* [n] velocity at its end */
    const double *mu, *mu_end; /* [m] multipliers over it and at its end */
    const double *gamma;       /* [m] multipliers of the rates of rows; NULL: there are none */
    bool still; /* statics: loads at time 0, targets without rates, prescribed motions at the time
                   of the step */
} olo_step_view;

olo_step_view olo_linear_step_view(const olo_linear_step *linear);

/* What the equations depend on, one of these: a coefficient of masses, terms, actions and rows
 * (which need olo_linear_step_need_rows); the input of an action; or a function of time or the law
 * of a force, along a parameter. */
typedef struct olo_step_cause {
    const olo_coefficient *coefficient;
    const olo_action *input;
    const olo_parameter_derivative *parameter;
    const olo_function_derivative *function;
} olo_step_cause;

/* Adds factor times the derivatives to `change` ... */
void olo_step_view_add(const olo_step_view *view, const olo_step_cause *of, double factor,
                       const olo_step_variation *change);
/* ... and returns their product with the adjoint variables `by` of olo_linear_step_back. */
double olo_step_view_times(const olo_step_view *view, const olo_step_cause *of,
                           const olo_step_variation *by);

#endif
