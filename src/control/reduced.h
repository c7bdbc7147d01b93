/* The reduced transcription of a problem of optimal control (Leyendecker 2011, 5.12 and 5.15): the
 * redundant one on charts. With chart coordinates w_k of node k around a reference configuration,
 * q_k = Q_k(w_k), the null space matrix P of the tree, and the balance b_k of the redundant
 * transcription without multipliers, the rows are
 *
 *     c_k = P(q_k)^T b_k(q_k-1, q_k, q_k+1, u_k-1, u_k, T) = 0
 *
 * and conditions. Variables of a node are w[dof] and u[controls], then follows the duration. With
 * J = dQ/dw, z_k = P(q_k) y_k and A_kj = db_k/dq_j the derivatives are
 *
 *     dc_k/dw_j        = P_k^T A_kj J_j + delta_kj d(P^T b_k)/dq J_k
 *     d2(y.c)/dw_k dw_j = J_k^T (H_kj + D_k^T A_kj + A_jk^T D_j) J_j
 *                         + delta_kj (J_k^T S_k J_k + d2(g_k.Q_k)/dw^2)
 *
 * where H is the Hessian of sigma f + z.b at fixed z, D_k = dz_k/dq_k, S_k = d2(b_k.P y_k)/dq^2 at
 * fixed b_k, and g_k the gradient of the Lagrangian with respect to q_k. A and H are the values of
 * the redundant programme; the others come from kinematics/chart.h and null_space_form.h. Blocks
 * are dense within a node and its neighbours. */
#ifndef OLO_CONTROL_REDUCED_H
#define OLO_CONTROL_REDUCED_H

#include "control/conserved.h"
#include "control/redundant.h"

typedef struct olo_reduced_problem olo_reduced;

/* `full` must outlive the result; `reference` are the configurations of all nodes, around which the
 * charts are centred. Fails if a joint has no chart, or if the tree has closures. */
olo_status olo_reduced_create(const olo_control_problem *problem, olo_redundant *full,
                              const double *reference, olo_reduced **reduced, olo_error *error);
void olo_reduced_free(olo_reduced *reduced);

const olo_nlp *olo_reduced_nlp(const olo_reduced *reduced);
/* Takes the variables of the redundant programme at the references to those of this one, and those
 * of this one back; multipliers of constraints are those that balance the nodes best. */
void olo_reduced_shrink(const olo_reduced *reduced, const double *full, double *x);
void olo_reduced_expand(olo_reduced *reduced, const double *x, double *full);
/* The first control of an interval among the variables; and whether a row is one of a balance. */
int olo_reduced_controls(const olo_reduced *reduced, int interval);
bool olo_reduced_is_balance(const olo_reduced *reduced, int row);
/* Removes the bounds of the rows of the last balance that conservation laws imply. */
olo_status olo_reduced_drop_implied(olo_reduced *reduced, const olo_conserved *conserved,
                                    olo_error *error);
void olo_reduced_describe(const olo_reduced *reduced, int row, double duration, char *text,
                          size_t size);

#endif
