/* What the schemes share: the balance over a step
 *
 *     T(q1) = (2/h) M (q1 - q0) - 2 M v0 + h dV(q0, q1) - h f(t_m, q_m),
 *
 * in which the scheme's evaluation says what dV is, and what a step has done to configuration, work
 * and dissipation. */
#ifndef OLO_STEPPING_BALANCE_H
#define OLO_STEPPING_BALANCE_H

#include "stepping/step.h"

/* Before the iteration: M v0 and its size. */
void olo_balance_begin(olo_step *step);
/* T and, unless the sink is NULL, its tangent. */
void olo_balance(olo_step *step, const olo_sink *sink);
/* h: T gets h lambda times the gradient of a row. */
double olo_balance_multiplier_factor(const olo_step *step);
/* T = h dV - h f alone, and the energy V that goes with it. */
double olo_balance_forces(olo_step *step);
/* At the end: work of loads and dissipation of the step, q, v = v1 unless it is pending, time. The
 * work of prescribed motions is for the scheme to add, which knows when their multipliers act. */
void olo_balance_finish(const olo_step *step, olo_state *state);
/* Adds the work of a drive in a step to the sums of the state. */
void olo_balance_add_drive_work(const olo_step *step, olo_state *state, int drive, double work);

#endif
