/* Momenta that nothing in a problem can change. A rigid motion xi(q) = (a + b x phi, b x d_I) under
 * which all potentials, constraints and forces are invariant, controls included, has a momentum
 *
 *     J = xi(q_k).p_k   that is the same at all nodes, whatever the controls are (Noether).
 *
 * Then the balances of all nodes satisfy sum_k xi(q_k).c_k = J_0 - J_N identically. If the
 * velocities at both ends are given, one row of the last balance per such motion follows from the
 * others, and the Jacobian would lose rank: it is dropped. */
#ifndef OLO_CONTROL_CONSERVED_H
#define OLO_CONTROL_CONSERVED_H

#include "control/problem.h"

typedef struct olo_conserved {
    int count;
    double motion[6][6]; /* [count] translation a and rotation b about the origin */
} olo_conserved;

/* Finds all of them: the null space of the powers of all pieces under rigid motions, over samples
 * of configurations near q[n] on the chart of the tree. */
olo_status olo_conserved_find(const olo_control_problem *problem, const double *q,
                              olo_conserved *found, olo_error *error);

/* xi(q)[n] of a motion. */
void olo_rigid_motion(const olo_system *system, const double motion[6], const double *q,
                      double *xi);

/* The coordinates of `count` rows of the balance at q that follow from the others. */
olo_status olo_conserved_rows(const olo_system *system, const olo_conserved *conserved,
                              const double *q, int rows[6], olo_error *error);

#endif
