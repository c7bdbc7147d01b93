/* Velocities that satisfy the constraints, in dense treatments: with the rows G(q1) of rates in the
 * basis [W U] of the constraint rows at q0,
 *
 *     N = [I - W (G W)^-1 G] U,   w = W (G W)^-1 (-dg/dt),
 *     P^T M N nu = P^T (p - M w),   v1 = N nu + w.
 *
 * With momenta (variational) p is that at the end, P = N, and (h/2) G^T lambda_end = p - M v1.
 *
 * Consistent velocities (energy_momentum.c) have, with the rows d over the step,
 *
 *     P = [I - W (D W)^-1 D] U,   p = M ((2/h) dq - v0),   h sum gamma d = (h/2) (p - M v1).
 *
 * At every iterate this gives v1 and gamma, whose force h sum gamma a is added to the balance T.
 * Its tangent is omitted: Newton's method would converge linearly then. Where that is slow, the
 * force is extrapolated from those of the last iterations. */
#ifndef OLO_STEPPING_DENSE_RATES_H
#define OLO_STEPPING_DENSE_RATES_H

#include "linalg/anderson.h"
#include "stepping/row_basis.h"

typedef struct olo_dense_rates {
    olo_pool pool;           /* memory of the arrays below */
    double *G, *C, *X;       /* [rank x n] at q1, [rank x rank], [n - rank x rank] */
    double *P, *N, *MN, *K;  /* [n - rank x n] transposed; [n - rank x n - rank] */
    int *C_pivot, *K_pivot;  /* [rank], [n - rank] */
    double *momentum, *work; /* [n] */
    double *nu, *gamma;      /* [n] */
    double *force;           /* [n] h sum gamma a ... */
    bool known;              /* ... if this step has one already */
    olo_anderson mixing;     /* of changes of the force, ... */
    bool slow;               /* ... if the iteration converges slowly, by ... */
    double update;           /* ... the last update */
} olo_dense_rates;

/* False: no memory; olo_dense_rates_free must be called also then. */
bool olo_dense_rates_create(olo_dense_rates *x, const olo_system *system);
void olo_dense_rates_free(olo_dense_rates *x);

/* Computes step->v1 and step->lambda_end from step->momentum at step->q_end. */
olo_status olo_dense_rates_project(olo_dense_rates *x, const olo_row_basis *all, olo_step *step,
                                   olo_error *error);

/* For consistent velocities: begins an iteration. */
void olo_dense_rates_begin(olo_dense_rates *x);
/* After an update: measures how fast the iteration converges. */
void olo_dense_rates_measure(olo_dense_rates *x, const olo_newton *newton);
/* After olo_row_basis_multipliers: computes step->v1 and step->gamma and adds their force to
 * step->T. False: the velocities are not determined. */
bool olo_dense_rates_apply(olo_dense_rates *x, olo_row_basis *all, olo_step *step);
/* The end of a step: step->v1, step->gamma, and the multipliers lambda of the state. */
void olo_dense_rates_finish(olo_dense_rates *x, olo_row_basis *all, olo_step *step, double factor,
                            double *l, olo_state *state);

#endif
