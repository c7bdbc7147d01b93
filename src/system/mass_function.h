/* Entries of the mass matrix that depend on scalars, M_ij = M_ji = f(q). With T = 1/2 v.M(q) v the
 * equations of motion gain
 *
 *     G(q, v) v + dT/dq,     G_kl = sum_p (dM_kp/dq_l - dM_lp/dq_k) v_p = -G_lk
 *
 * (Moeller 2011, 3.36 to 3.39; half of the term has been moved into G). */
#ifndef OLO_SYSTEM_MASS_FUNCTION_H
#define OLO_SYSTEM_MASS_FUNCTION_H

#include "system/system.h"

/* f(q) - reference: what is added to the entries M_ij and M_ji. */
double olo_mass_function_value(const olo_mass_function *x, const double *q);

/* The share of T(q, v) beside that of the entry: (f - reference) v_i v_j, or half of it for i = j.
 */
double olo_mass_function_energy(const olo_mass_function *x, const double *q, const double *v);

/* force += factor (G(q, v) v + dT/dq) */
void olo_mass_function_add_inertia(const olo_mass_function *x, double factor, const double *q,
                                   const double *v, double *force);

/* Fails if the mass depends on coordinates; `what` needs a constant one: "modes need". */
olo_status olo_system_need_constant_mass(const olo_system *system, const char *what,
                                         olo_error *error);

#endif
