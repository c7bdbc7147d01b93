/* The reduced transcription of a problem of optimal control (Leyendecker 2011, 5.12 and 5.15): the
 * redundant one on charts. With chart coordinates w_k of node k around a reference configuration,
 * q_k = Q_k(w_k), the null space matrix P of the tree, and the balance b_k of the redundant
 * transcription with the multipliers lambda of the closures of loops alone, the rows are
 *
 *     c_k = P(q_k)^T b_k(q_k-1, q_k, q_k+1, lambda_k, u_k-1, u_k, T) + C (h_k-1 u_k-1 + h_k u_k)/2
 * = 0
 *
 * with the constant reduced forces C of controls (constant_inputs.h), the closures g(q_k) = 0, and
 * conditions. A tree has no multipliers. Variables of a node are w[dof], lambda[closures] and
 * u[controls], then follow velocities at both ends and the duration as in the redundant
 * transcription.
 *
 * Jacobian and Hessian follow by the chain rule from those of the redundant programme, with
 * J = dQ/dw (reduced_jacobian.c, reduced_hessian.c); what else they need comes from
 * kinematics/chart.h and null_space_form.h. Blocks are dense within a node and its neighbours. */
#ifndef OLO_CONTROL_REDUCED_H
#define OLO_CONTROL_REDUCED_H

#include "control/conserved.h"
#include "control/redundant.h"

typedef struct olo_reduced_problem olo_reduced;

/* `full` was created with `closures` and must outlive the result; `reference` are the
 * configurations of all nodes, around which the charts are centred. Fails if a joint has no chart.
 */
olo_status olo_reduced_create(const olo_control_problem *problem, olo_redundant *full,
                              const double *reference, olo_reduced **reduced, olo_error *error);
void olo_reduced_free(olo_reduced *reduced);

const olo_nlp *olo_reduced_nlp(const olo_reduced *reduced);
/* Takes the variables of the redundant programme at the references to those of this one, and those
 * of this one back. */
void olo_reduced_shrink(const olo_reduced *reduced, const double *full, double *x);
void olo_reduced_expand(olo_reduced *reduced, const double *x, double *full);
/* The largest angle of a node from its reference at the point where the Jacobian was evaluated
 * last; charts end at half a turn (kinematics/chart.h). */
double olo_reduced_turn(const olo_reduced *reduced);
/* Centres the charts at the configurations of the redundant programme, whose angles follow, too;
 * multipliers of rows remain those of the same rows. */
void olo_reduced_recentre(olo_reduced *reduced, const double *full);
/* Evaluates from now on in another system of the same structure (olo_redundant_use). References
 * remain, but that of a first node that is given is `state`. */
void olo_reduced_use(olo_reduced *reduced, const olo_control_problem *problem,
                     const olo_state *state);
/* The first multiplier of a node and the first control of an interval among the variables, the
 * controls follow the multipliers; and whether a row is one of a balance. */
int olo_reduced_closures(const olo_reduced *reduced, int node);
int olo_reduced_controls(const olo_reduced *reduced, int interval);
bool olo_reduced_is_balance(const olo_reduced *reduced, int row);
/* Removes the bounds of the rows of the last balance that conservation laws imply. */
olo_status olo_reduced_drop_implied(olo_reduced *reduced, const olo_conserved *conserved,
                                    olo_error *error);
void olo_reduced_describe(const olo_reduced *reduced, int row, double duration, char *text,
                          size_t size);

#endif
