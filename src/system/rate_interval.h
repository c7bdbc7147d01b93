/* The rate of a constraint row over an interval: with f(q, v) = grad g(q).v - f'(t), or d(q, q).v
 * of a velocity row, and the gradient d of the row over the interval,
 *
 *     f(q1, v1) - f(q0, v0) = a.(q1 - q0) + d.(v1 - v0) - (f'(t1) - f'(t0))   exactly.
 *
 * For a row with a discrete gradient d(q0, q1) the vector a is the derivative of d along the
 * velocities,
 *
 *     a = dd/dq0 v0 + dd/dq1 v1,
 *
 * since d.(q1 - q0) = g(q1) - g(q0) holds for all q0, q1; it inherits the symmetries of d. For a
 * quadratic form with the Hessian A it is A (v0 + v1)/2. Velocity rows provide their own a. */
#ifndef OLO_SYSTEM_RATE_INTERVAL_H
#define OLO_SYSTEM_RATE_INTERVAL_H

#include "system/constraint.h"

/* The velocities at both ends of an interval, of all n coordinates; or both times a factor: a is
 * linear in them. */
typedef struct olo_end_velocities {
    const double *v0, *v1;
} olo_end_velocities;

/* a[size]. */
void olo_rate_gradient(const olo_constraint *row, const olo_interval *x,
                       const olo_end_velocities *v, double *a);
/* da/dq0 (slot 0) or da/dq1 (slot 1), row-major. False, with nothing written, if a does not depend
 * on them. */
bool olo_rate_gradient_by(const olo_constraint *row, const olo_interval *x,
                          const olo_end_velocities *v, int slot, double *matrix);
/* The same with respect to v0 or v1: dd/dq0 or dd/dq1, except for velocity rows. */
void olo_rate_gradient_by_velocity(const olo_constraint *row, const olo_interval *x, int slot,
                                   double *matrix);
/* da/dp[size] with respect to coefficient p of the row (coefficients.h). */
void olo_rate_gradient_by_coefficient(const olo_constraint *row, const olo_interval *x,
                                      const olo_end_velocities *v, int p, double *da);
/* f'(t + h) - f'(t) of the prescribed motion; 0 without one. */
double olo_rate_advance(const olo_constraint *row, const olo_interval *x);

#endif
