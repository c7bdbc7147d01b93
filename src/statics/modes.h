/* Declarations shared by the solvers of modes. A mode is lambda and a vector x + i y of joint
 * increments with (lambda^2 M + lambda D + K)(x + i y) = 0, of a conjugate pair the one with
 * im(lambda) > 0. */
#ifndef OLO_STATICS_MODES_H
#define OLO_STATICS_MODES_H

#include "base/pool.h"
#include "oloid/statics.h"
#include "statics/static_balance.h"

/* The dense solver is used up to this number of joint increments; for general lambda up to a third,
 * since it then has twice as many unknowns and ten times the work. */
enum { OLO_MODES_DENSE = 600 };
/* Where ARPACK fails, for example with very many equal frequencies, the dense solver is used up to
 * this number. */
enum { OLO_MODES_DENSE_FALLBACK = 3000 };

struct olo_modes {
    const olo_system *system;
    olo_state *state;
    olo_static_balance *balance;
    olo_vibration_options options;
    bool general; /* lambda may be any number; else lambda^2 is real */
    int capacity; /* capacity in modes */
    int count;
    olo_pool pool;          /* memory of the modes */
    double *growth, *omega; /* [room] real and imaginary part of lambda */
    double *square;         /* [room] -re(lambda^2) */
    double *re, *im;        /* [room x unknowns] x, y; im is NULL where lambda^2 is real */
    double rounding;
};

/* Allocates memory for `count` modes. */
olo_status olo_modes_reserve(olo_modes *modes, int count, olo_error *error);
/* Adds a mode, scaled; y may be NULL. */
void olo_modes_add_square(olo_modes *modes, double square, const double *x);
void olo_modes_add(olo_modes *modes, double growth, double omega, const double *x, const double *y);

/* The solvers: all modes by LAPACK, the lowest by ARPACK. */
olo_status olo_modes_solve_dense(olo_modes *modes, olo_error *error);
olo_status olo_modes_solve_sparse(olo_modes *modes, olo_error *error);

#endif
