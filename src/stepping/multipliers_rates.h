/* The rates of constraint rows in the treatment `multipliers`, for schemes with consistent
 * velocities (energy_momentum.c). To the unknowns dq and mu' = h^2/2 mu come s = (h/2) v1 and
 * gamma' = h gamma, to its equations
 *
 *     (h/2) T + sum mu' d + sum gamma' a' = 0,   a' = dd/dq0 (h/2) v0 + dd/dq1 s,
 *     M s - M (dq - (h/2) v0) + sum gamma' d = 0,
 *     g(q1) = 0,   G(q1) s + (h/2) dg/dt = 0.
 *
 * In this scaling no block of the matrix depends on h. Newton's method is exact for quadratic rows;
 * for others the small change of a' with q1 is omitted. */
#ifndef OLO_STEPPING_MULTIPLIERS_RATES_H
#define OLO_STEPPING_MULTIPLIERS_RATES_H

#include "base/pool.h"
#include "stepping/assembly.h"

typedef struct olo_multiplier_rates {
    const olo_system *system;
    double *s;     /* [n] (h/2) v1 */
    double *s0;    /* [n] (h/2) v0 */
    double *gamma; /* [m] gamma' */
    double *free;  /* [n] dq - s0, then workspace */
    double *local; /* matrix of a velocity row */
    double open;   /* largest residual of a rate, relative to its parts */
    bool exact;    /* the matrix includes the change of a' with q1 */
} olo_multiplier_rates;

/* Arrays from a pool; false: no memory. */
bool olo_multiplier_rates_create(olo_multiplier_rates *x, const olo_system *system, olo_pool *pool);
/* The predictor: the velocity of the published scheme, gamma = 0. */
void olo_multiplier_rates_predict(olo_multiplier_rates *x, const olo_step *step);
/* Puts the entries of the matrix of size 2 (n + m), with its unknowns dq, mu', s, gamma', and adds
 * to the right-hand side; `regularisation` of each row. Without a step entries are listed only. */
void olo_multiplier_rates_put(olo_multiplier_rates *x, olo_step *step, olo_assembly *tangent,
                              const double *regularisation, double *right);
/* Adds the solution to s and gamma'. */
void olo_multiplier_rates_update(olo_multiplier_rates *x, const double *solution);
/* Writes v1 and gamma. */
void olo_multiplier_rates_finish(const olo_multiplier_rates *x, olo_step *step);

#endif
