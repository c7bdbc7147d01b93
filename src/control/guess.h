/* The initial guess of a motion.
 *
 *     interpolated   quantities that have given values, in guesses or in conditions at the end,
 *                    change linearly between them. Of all such configurations each node has the one
 *                    nearest to the node before, in coordinates of the chart of the tree: joints
 *                    that nothing is said about do not move.
 *     rest           the initial configuration
 *     run            the motion of the model with its own loads and controllers
 *     a motion       given configurations, linear in time between them
 *
 * Controls are given, or those that balance the motion best (inverse dynamics). */
#ifndef OLO_CONTROL_GUESS_H
#define OLO_CONTROL_GUESS_H

#include "control/problem.h"
#include "control/redundant.h"

/* Writes the configurations of all nodes, q[(intervals + 1) n]; the first one is that of the state.
 */
olo_status olo_guess_motion(const olo_control_problem *problem, const olo_state *state, double *q,
                            olo_error *error);

/* Changes the motion at random between its ends (perturbation.c). */
olo_status olo_guess_perturb(const olo_control_problem *problem, double spread,
                             unsigned long long seed, double *q, olo_error *error);

/* Replaces controls in x, the variables of a redundant transcription, by those that are given with
 * a motion: in each interval the one at its middle. */
void olo_guess_given_controls(const olo_control_problem *problem,
                              const olo_redundant *transcription, double *x);

/* Inverse dynamics: replaces the controls in x, the variables of a redundant transcription, by
 * those within their bounds that balance its motion best; see inverse_dynamics.c. */
olo_status olo_guess_controls(const olo_control_problem *problem, const olo_state *state,
                              const olo_redundant *transcription, double *x, olo_error *error);

#endif
