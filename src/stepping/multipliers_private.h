/* The treatment `multipliers` at the solution of a step with consistent velocities, for
 * derivatives. */
#ifndef OLO_STEPPING_MULTIPLIERS_PRIVATE_H
#define OLO_STEPPING_MULTIPLIERS_PRIVATE_H

#include "stepping/step.h"

/* mu' = h^2/2 mu, gamma' = h gamma, s = (h/2) v1, s0 = (h/2) v0 */
typedef struct olo_multipliers_solution {
    const double *mu, *gamma, *s, *s0;
} olo_multipliers_solution;

/* Computes the multipliers of a solved step, whose q0, v0, joint motion and end velocity v1 are
 * given, and factors the exact matrix there. */
olo_status olo_multipliers_linearise(void *data, olo_step *step, const double *v1,
                                     olo_error *error);
olo_multipliers_solution olo_multipliers_solution_of(const void *data);
/* Solves with the matrix or its transpose; right[2 (n + m)] in the order dq, mu', s, gamma'. */
void olo_multipliers_solve(void *data, bool transposed, double *right);

#endif
