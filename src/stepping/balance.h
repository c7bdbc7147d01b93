/* The balance over a step, which the schemes share:
 *
 *     T(q1) = (2/h) M (q1 - q0) - 2 M v0 + h dV(q0, q1) - h f(t_m),
 * where the evaluation of the scheme defines dV and where f acts; and the update of configuration,
 * work and dissipation after a step. */
#ifndef OLO_STEPPING_BALANCE_H
#define OLO_STEPPING_BALANCE_H

#include "stepping/step.h"

/* Before the iteration: computes M v0 and its magnitude. */
void olo_balance_begin(olo_step *step);
/* T = M ((2/h) dq - 2 v0) + h f of given arrays, v0 = start. */
void olo_balance_inertia(const olo_step *step, const olo_frame_inertia *inertia);
/* Computes T and, unless the sink is NULL, its tangent. */
void olo_balance(olo_step *step, const olo_sink *sink);
/* Adds a term to T, and its tangent to the sink unless that is NULL; returns its energy, zero if it
 * is dissipative or if the sink has received its stress. */
double olo_balance_add_term(olo_step *step, const olo_interval *x, int term, const olo_sink *sink);
/* Adds factor times step->r to T, and factor times step->K to the sink unless that is NULL. */
void olo_balance_add_piece(olo_step *step, int piece, double factor, const olo_sink *sink);
/* Returns h: a row contributes h lambda times its gradient to T. */
double olo_balance_multiplier_factor(const olo_step *step);
/* Computes T = h dV - h f without inertia, f as it acts in the balance or in the momentum at the
 * `end`; returns the energy V. */
double olo_balance_forces(olo_step *step, bool end);
/* Adds h times the forces of a pack of terms to T and passes its tangent to the sink; returns
 * their energy. The sink may be NULL. */
double olo_balance_add_pack(olo_step *step, const olo_term_pack *pack, const olo_interval *x,
                            const olo_sink *sink);
/* At the end: updates work of loads, dissipation, v = v1 unless it is pending, and time. The
 * scheme adds the work of prescribed motions, because it depends on when their multipliers act. */
void olo_balance_finish(const olo_step *step, olo_state *state);
/* The same without velocities, for schemes that write them to the state themselves. */
void olo_balance_finish_work(const olo_step *step, olo_state *state);
/* Adds the work of prescribed motions x = f(t) over the step, whose rows do the work -lambda (f1 -
 * f0) - gamma (f1' - f0'). */
void olo_balance_add_row_work(const olo_step *step, olo_state *state);
/* Adds the work of a drive in a step to the sums of the state. */
void olo_balance_add_drive_work(const olo_step *step, olo_state *state, int drive, double work);

#endif
