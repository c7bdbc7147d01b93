/* Conditions of constraint rows with first and second derivatives: the condition of a row over an
 * interval, and its rate at a configuration. They are the equations of a transcription. */
#ifndef OLO_SYSTEM_CONDITION_H
#define OLO_SYSTEM_CONDITION_H

#include "system/constraint.h"
#include "system/slot.h"

/* The condition of a row over an interval: g(q1, t + h) = 0, or d.dq = 0 of a velocity row. Its
 * value is olo_constraint_condition. Derivatives: by[width], matrix[width x width]. */
void olo_condition_first(const olo_constraint *row, const olo_interval *x, olo_slot a, double *by);
void olo_condition_second(const olo_constraint *row, const olo_interval *x, olo_slot a, olo_slot b,
                          double *matrix);
olo_structure olo_condition_structure(const olo_constraint *row);

/* The rate of a row at a configuration, r(q, v, t) = grad g.v - f'(t), or d(q, q).v of a velocity
 * row: its value; by[size] = dr/dq; dr/dt, if the prescribed motion has a second derivative; and
 * the second derivatives with respect to q and q, or to q (rows) and v (columns). The derivative
 * dr/dv is olo_constraint_gradient. `v` has all n velocities. */
double olo_rate_value(const olo_constraint *row, const olo_at *at, const double *v);
void olo_rate_by_configuration(const olo_constraint *row, const olo_at *at, const double *v,
                               double *by);
double olo_rate_by_time(const olo_constraint *row, const olo_at *at);
void olo_rate_second(const olo_constraint *row, const olo_at *at, const double *v, bool by_velocity,
                     double *matrix);

#endif
