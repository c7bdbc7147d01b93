/* The linearised step of schemes with consistent velocities (energy_momentum.c), with the sparse
 * matrix J of `multipliers` at the solution (multipliers_rates.h). With z1 = (q1, mu', s1, gamma')
 * and the equations R(q0, v0, z1) = 0
 *
 *     J dz1 = -(dR/dq0 dq0 + dR/dv0 dv0),   dv1 = (2/h) ds1,
 *
 *     balance          dR/dq0 = (h/2) dT/dq0 + sum mu' dd/dq0 + sum gamma' da'/dq0
 *                      dR/dv0 = -h M + (h/2) sum gamma' dd/dq0
 *     velocity         dR/dq0 = M + sum gamma' dd/dq0,    dR/dv0 = (h/2) M
 *     rows             dR/dq0 = 0, or that of d.dq of a velocity row
 *     rates            0
 *
 * and the transpose. For a velocity row dR/dv0 has da'/ds0 instead of dd/dq0. */
#ifndef OLO_STEPPING_LINEAR_RATES_H
#define OLO_STEPPING_LINEAR_RATES_H

#include "stepping/linear_step.h"

typedef struct olo_linear_rates olo_linear_rates;

olo_status olo_linear_rates_create(const olo_system *system, const olo_scheme *scheme,
                                   const olo_run *run, olo_linear_rates **rates, olo_error *error);
void olo_linear_rates_free(olo_linear_rates *rates);

/* Linearises at a step, whose q0, v0 and motion are set; v1 is its end velocity. Writes the
 * multipliers [m] there, scaled so that T + sum mu d + sum gamma a(v0, v1) = 0 is the balance and
 * gamma those of the equation of the velocity: mu = (2/h) mu', gamma = gamma'. */
olo_status olo_linear_rates_at(olo_linear_rates *rates, olo_step *step, const double *v1,
                               double *mu, const double **gamma, olo_error *error);
/* dq, dv at the start become those at the end, with a variation of the equations. */
void olo_linear_rates_forward(olo_linear_rates *rates, const olo_step_variation *change, double *dq,
                              double *dv);
/* The transpose; `change` receives the derivatives with respect to the equations. */
void olo_linear_rates_back(olo_linear_rates *rates, double *gq, double *gv,
                           const olo_step_variation *change);

#endif
