/* An orthonormal basis, computed once per step from rows J: G(q0)^T = [W U][R; 0] (thesis 3.2.38),
 * and oblique projections for the rows at later configurations. Vectors are rows, row-major;
 * pivoting finds the independent rows. */
#ifndef OLO_STEPPING_ROW_BASIS_H
#define OLO_STEPPING_ROW_BASIS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/pool.h"
#include "linalg/vector.h"
#include "stepping/step.h"

/* A row of unit length is redundant if less than this remains after elimination
 * (kinematics/redundancy.c). */
#define OLO_RANK_TOLERANCE 1e-9

/* J is count x width: W spans its rows, U the complement. */
typedef struct olo_row_basis {
    int count, width, rank;
    olo_pool pool; /* memory of the arrays below */
    int *order;    /* [count] rows, independent ones first */
    double *rows;  /* [count x width] overwritten by the factors */
    double *Q;     /* [width x width] W, then U */
    double *work;  /* of the factorisation */
    double *C;     /* [rank x rank] (rows now) W, factored */
    int *pivot;    /* [rank] */
    double *X;     /* [width - rank x rank] (C^-1 (rows now) U)^T */
    double *now;   /* [rank x width] independent rows at the iterate */
} olo_row_basis;

static inline const double *olo_row_basis_W(const olo_row_basis *x)
{
    return x->Q;
}

static inline const double *olo_row_basis_U(const olo_row_basis *x)
{
    return x->Q + olo_area(x->rank, x->width);
}

/* Returns false if memory runs out; olo_row_basis_free must be called also then. */
bool olo_row_basis_create(olo_row_basis *x, int count, int width);
void olo_row_basis_free(olo_row_basis *x);

/* Once per step, with x->rows filled: computes rank, order, W and U. Rows that are not larger than
 * `floor` are rounding errors and count as zero. Returns false if the rows are not finite. */
bool olo_row_basis_begin(olo_row_basis *x, double floor);
/* C = (rows) W for rank x width rows, factored; returns false if it is singular. */
bool olo_row_basis_square(const olo_row_basis *x, const double *rows, double *C, int *pivot);
/* N = ([I - W C^-1 rows] U)^T, one vector per row; X = (C^-1 rows U)^T. */
void olo_row_basis_oblique(const olo_row_basis *x, const double *rows, const double *C,
                           const int *pivot, double *X, double *N);

/* For a basis of all constraint rows: l = (G_m W)^-T W^T T of the independent ones, from step->T.
 * Returns false if G_m W is singular. */
bool olo_row_basis_multipliers(olo_row_basis *all, const olo_step *step, double *l);
/* Writes the multipliers of a finished step: T = G_m^T l, hence lambda = -l/a with the factor a of
 * the scheme; redundant rows have multiplier zero. */
void olo_row_basis_finish(olo_row_basis *all, const olo_step *step, double a, double *l,
                          olo_state *state);

#endif
