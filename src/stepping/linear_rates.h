/* The linearised step of schemes with consistent velocities (consistent.c), with the sparse matrix
 * J of `multipliers` at the solution (multipliers_rates.h). With z1 = (q1, mu', s1, gamma') and the
 * equations R(q0, v0, z1) = 0
 *
 *     J dz1 = -(dR/dq0 dq0 + dR/dv0 dv0),   dv1 = (2/h) ds1,
 *
 *     balance          dR/dq0 = (h/2) dT/dq0 + sum mu' dd/dq0 + sum gamma' da'/dq0
 *                      dR/dv0 = -h M + (h/2) sum gamma' dd/dq0
 *     velocity         dR/dq0 = M + sum gamma' dd/dq0,    dR/dv0 = (h/2) M
 *     rows, rates      0
 *
 * and the transpose. Velocity rows have no derivatives here. */
#ifndef OLO_STEPPING_LINEAR_RATES_H
#define OLO_STEPPING_LINEAR_RATES_H

#include "stepping/linear_step.h"

typedef struct olo_linear_rates olo_linear_rates;

olo_status olo_linear_rates_create(const olo_system *system, const olo_scheme *scheme,
                                   const olo_run *run, olo_linear_rates **rates, olo_error *error);
void olo_linear_rates_free(olo_linear_rates *rates);

/* Linearises at a step, whose q0, v0 and motion are set; v1 is its end velocity. */
olo_status olo_linear_rates_at(olo_linear_rates *rates, olo_step *step, const double *v1,
                               olo_error *error);
/* dq, dv at the start become those at the end; dT[n] is a variation of the balance T, or NULL. */
void olo_linear_rates_forward(olo_linear_rates *rates, const double *dT, double *dq, double *dv);
/* The transpose; gT[n] receives the derivative with respect to T unless it is NULL. */
void olo_linear_rates_back(olo_linear_rates *rates, double *gq, double *gv, double *gT);

#endif
