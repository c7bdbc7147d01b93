/* Leaving saddle points. At a stationary point whose reduced Hessian has negative eigenvalues let d
 * be the eigenvector of the lowest one: A d = 0, d.H d < 0. Along d the rows remain satisfied to
 * first order, and the Lagrangian L = f + y.c decreases. The step s d is the longest of a sequence
 * of halves with
 *
 *     L(x + s d) - L(x) <= s^2/4 d.H d,
 *
 * half of what the quadratic model predicts, within the bounds of the variables; s may have either
 * sign. The solver continues from x + s d. */
#ifndef OLO_CONTROL_SADDLE_H
#define OLO_CONTROL_SADDLE_H

#include "control/solver.h"

/* The lowest eigenvalue of the reduced Hessian is written to `curvature`. If it is negative, `x`
 * becomes the point x + s d; otherwise, and if no step is short enough, `x` remains point->x and
 * `curvature` is 0. Fails with OLO_UNSUPPORTED without MUMPS. */
olo_status olo_saddle_leave(const olo_nlp *nlp, const olo_nlp_point *point, double *x,
                            double *curvature, olo_error *error);

#endif
