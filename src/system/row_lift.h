/* The rate of a row over an interval. With f(q, v) = grad g(q).v (or W(q).v of a velocity row) and
 * the discrete gradient d of the row,
 *
 *     f(q1, v1) - f(q0, v0) = a.(q1 - q0) + d.(v1 - v0)   exactly
 *
 * if g is at most quadratic or d is the lift of a discrete gradient: a is the derivative of
 * d(q0, q1) along the velocities at both ends. A velocity row has an a of its own, as rolling has
 * (rate_interval.h), or it is linear in q and a = dW/dq^T v_m. So velocity
 * constraints need no discrete gradient of their own. */
#ifndef OLO_SYSTEM_ROW_LIFT_H
#define OLO_SYSTEM_ROW_LIFT_H

#include "system/constraint.h"

/* a[size], and unless NULL its derivatives with respect to q1 and v1 [size x size]. v0 and v1 have
 * all n velocities. The derivative with respect to q1 of a sliding velocity whose W is not linear
 * in q is left out: it serves as the matrix of an iteration only. */
void olo_row_lift(const olo_constraint *row, const olo_interval *x, const double *v0,
                  const double *v1, double *a, double *by_q1, double *by_v1);

#endif
