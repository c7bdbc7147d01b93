/* What the solvers of modes share: a mode is lambda and a vector x + i y of joint increments with
 * (lambda^2 M + lambda D + K)(x + i y) = 0, of conjugate ones that with im(lambda) > 0. */
#ifndef OLO_STATICS_MODES_H
#define OLO_STATICS_MODES_H

#include "oloid/statics.h"
#include "statics/static_balance.h"

/* Dense matrices up to so many joint increments; for any lambda a third: it has twice as many
 * unknowns and ten times the work. */
enum { OLO_MODES_DENSE = 600 };
/* Where ARPACK fails, as with very many equal frequencies, dense ones up to so many. */
enum { OLO_MODES_DENSE_MOST = 3000 };

struct olo_modes {
    const olo_system *system;
    olo_state *state;
    olo_static_balance *rest;
    olo_vibration_options options;
    bool general; /* lambda may be any number; else lambda^2 is real */
    int room;     /* for so many modes */
    int count;
    double *growth, *omega; /* [room] real and imaginary part of lambda */
    double *square;         /* [room] -re(lambda^2) */
    double *re, *im;        /* [room x unknowns] x, y; im is NULL where lambda^2 is real */
    double rounding;
};

/* Room for `count` modes. */
olo_status olo_modes_reserve(olo_modes *modes, int count, olo_error *error);
/* Adds a mode, scaled; y may be NULL. */
void olo_modes_add_square(olo_modes *modes, double square, const double *x);
void olo_modes_add(olo_modes *modes, double growth, double omega, const double *x, const double *y);

/* The solvers: LAPACK of all modes, ARPACK of the lowest. */
olo_status olo_modes_solve_dense(olo_modes *modes, olo_error *error);
olo_status olo_modes_solve_sparse(olo_modes *modes, olo_error *error);

#endif
