/* Conditions of constraint rows with first and second derivatives: the condition of a row over an
 * interval, and its rate at a configuration. They are the equations of a transcription. */
#ifndef OLO_SYSTEM_CONDITION_H
#define OLO_SYSTEM_CONDITION_H

#include "system/constraint.h"
#include "system/slot.h"

/* The condition of a row over an interval: g(q1, t + h) = 0, or d.dq = 0 of a velocity row. Its
 * value; first and second derivatives, by[width], matrix[width x width]; the first one with respect
 * to q1 alone, by[size]; and the derivative with respect to coefficient p (coefficients.h). */
double olo_condition_value(const olo_constraint *row, const olo_interval *x);
void olo_condition_by_end(const olo_constraint *row, const olo_interval *x, double *by);
void olo_condition_first(const olo_constraint *row, const olo_interval *x, olo_slot a, double *by);
void olo_condition_second(const olo_constraint *row, const olo_interval *x, olo_slot a, olo_slot b,
                          double *matrix);
olo_structure olo_condition_structure(const olo_constraint *row);
double olo_condition_by_coefficient(const olo_constraint *row, const olo_interval *x, int p);

/* d.v of a local d and a velocity or increment v of all coordinates */
double olo_constraint_along(const olo_constraint *row, const double *d, const double *v);
/* f(t + h) - f(t) of the prescribed motion. */
double olo_constraint_advance(const olo_constraint *row, const olo_interval *x);
/* g(q1, t + h) - g(q0, t) = d.dq - (f(t + h) - f(t)) from a given discrete gradient d, without
 * cancellation in q. */
double olo_constraint_difference(const olo_constraint *row, const olo_interval *x, const double *d);

/* The rate of a row at a configuration, r(q, v, t) = grad g.v - f'(t), or d(q, q).v of a velocity
 * row: its value, from a given gradient; by[size] = dr/dq, which is Hess g v; dr/dt, if the
 * prescribed motion has a second derivative; and the second derivatives with respect to q and q, or
 * to q (rows) and v (columns). The derivative dr/dv is olo_constraint_gradient. `v` has all n
 * velocities. */
double olo_rate_value(const olo_constraint *row, const olo_at *at, const double *gradient,
                      const double *v);
void olo_rate_by_configuration(const olo_constraint *row, const olo_at *at, const double *v,
                               double *by);
double olo_rate_by_time(const olo_constraint *row, const olo_at *at);
void olo_rate_second(const olo_constraint *row, const olo_at *at, const double *v, bool by_velocity,
                     double *matrix);

#endif
