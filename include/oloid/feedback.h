/** @file
 *  Feedback along an optimum: gains that lead a disturbed motion back to it.
 *
 *      olo_feedback *feedback;
 *      olo_feedback_create(optimum, NULL, &feedback, &error);
 *      olo_feedback_simulate(feedback, system, &run, state, NULL, 0, NULL, &error);
 *
 *  In an interval k with the nodes k and k + 1 the inputs are
 *
 *      u = u_k - K_q,k (q - q_k) - K_v,k (v - v_k),
 *
 *  within their bounds. The gains K_q and K_v minimise, for the steps of the optimum linearised at
 *  its nodes, x_k+1 = A_k x_k + B_k du_k, the sum
 *
 *      x_N.S x_N + sum_k h (x_k.Q x_k + r du_k.du_k),
 *
 *  by the Riccati recursion backward from the end. Q and S weight squares of displacements and
 *  velocities by the mass: dq.M dq and dv.M dv.
 */
#ifndef OLOID_FEEDBACK_H
#define OLOID_FEEDBACK_H

#include "oloid/optimize.h"
#include "oloid/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Computes the gains. `weights`: NULL: the defaults. Fails with OLO_UNSUPPORTED with rolling
 * joints. Free with olo_feedback_free. */
OLO_API olo_status olo_feedback_create(const olo_optimum *optimum,
                                       const olo_problem_feedback *weights, olo_feedback **feedback,
                                       olo_error *error);
/** Reads gains from the result of an optimum that has them; they belong to a system with the same
 * bodies. */
OLO_API olo_status olo_feedback_read(const char *path, const olo_system *system,
                                     olo_feedback **feedback, olo_error *error);
/** Frees gains; NULL is allowed. */
OLO_API void olo_feedback_free(olo_feedback *feedback);

OLO_API int olo_feedback_intervals(const olo_feedback *feedback);
OLO_API int olo_feedback_input_count(const olo_feedback *feedback);
OLO_API const char *olo_feedback_input_name(const olo_feedback *feedback, int input);
/** The gains of an input in an interval: n numbers of K_q, then n of K_v. */
OLO_API const double *olo_feedback_gains(const olo_feedback *feedback, int interval, int input);
/** Writes the gains as CSV: start and end of the interval, the input, then a column per coordinate
 * and per velocity of each body: `arm.q1` ... */
OLO_API olo_status olo_feedback_write_csv(const olo_feedback *feedback, const olo_system *system,
                                          const char *path, olo_error *error);

/** The value of an input at a state. Between nodes gains are those of the interval, states are
 * linear in time, and inputs are those of the interval; after the last node everything is as at its
 * end. */
OLO_API double olo_feedback_input(const olo_feedback *feedback, int input, const olo_state *state);
/** Sets the inputs of the next step of a stepper, which starts at `state`. */
OLO_API olo_status olo_feedback_apply(const olo_feedback *feedback, olo_stepper *stepper,
                                      const olo_state *state, olo_error *error);
/** olo_simulate with these inputs in every step. */
OLO_API olo_status olo_feedback_simulate(const olo_feedback *feedback, const olo_system *system,
                                         const olo_run *run, olo_state *state,
                                         const olo_observer *observers, int observer_count,
                                         olo_run_summary *summary, olo_error *error);

#ifdef __cplusplus
}
#endif

#endif
