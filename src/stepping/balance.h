/* What the schemes share: the balance over a step
 *
 *     T(q1) = (2/h) M (q1 - q0) - 2 M v0 + h dV(q0, q1) - h f(t_m, q_m),
 *
 * in which a scheme chooses dV, and what a step has done to configuration, work and dissipation. */
#ifndef OLO_STEPPING_BALANCE_H
#define OLO_STEPPING_BALANCE_H

#include "stepping/step.h"

/* How a scheme sees a term: r and, unless NULL, its tangent dr/dq1. */
typedef double (*olo_term_kernel)(const olo_term *term, const olo_interval *x, double *r,
                                  double *tangent);

/* Before the iteration: M v0 and its size. */
void olo_balance_begin(olo_step *step);
/* T and, unless the sink is NULL, its tangent. `stresses`: the sink may form tangents from the stresses of discrete
 * gradients. */
void olo_balance(olo_step *step, olo_term_kernel kernel, bool stresses, const olo_sink *sink);
/* h: T gets h lambda times the gradient of a row. */
double olo_balance_multiplier_factor(const olo_step *step);
/* At the end: work and dissipation of the step, q, v = v1, time. Multipliers of the step are in the state; `lambda_end`
 * are those at its end, unless NULL. */
void olo_balance_finish(const olo_step *step, const double *v1, const double *lambda_end,
                        olo_state *state);

#endif
