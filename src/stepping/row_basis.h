/* A basis made once a step from rows J: G(q0)^T = [W U][R; 0] (thesis 3.2.38), and what follows
 * from it for rows that have moved on. Vectors are rows, row-major; which rows are independent is
 * found by pivoting. */
#ifndef OLO_STEPPING_ROW_BASIS_H
#define OLO_STEPPING_ROW_BASIS_H

#include <stdbool.h>
#include <stddef.h>

#include "linalg/vector.h"
#include "stepping/step.h"

/* Rows of unit length below this after elimination repeat others (kinematics/redundancy.c). */
#define OLO_RANK_TOLERANCE 1e-9

/* J is count x width: W spans its rows, U the rest. */
typedef struct olo_row_basis {
    int count, width, rank;
    int *order;   /* [count] rows, independent ones first */
    double *rows; /* [count x width] overwritten by the factors */
    double *Q;    /* [width x width] W, then U */
    double *work; /* of the factorisation */
    double *C;    /* [rank x rank] (rows now) W, factored */
    int *pivot;   /* [rank] */
    double *X;    /* [width - rank x rank] (C^-1 (rows now) U)^T */
    double *now;  /* [rank x width] independent rows at the iterate */
} olo_row_basis;

static inline const double *olo_row_basis_W(const olo_row_basis *x)
{
    return x->Q;
}

static inline const double *olo_row_basis_U(const olo_row_basis *x)
{
    return x->Q + olo_area(x->rank, x->width);
}

/* False when memory is out; olo_row_basis_free takes back what there is. */
bool olo_row_basis_create(olo_row_basis *x, int count, int width);
void olo_row_basis_free(olo_row_basis *x);

/* Once a step, with x->rows filled: rank, order, W and U. Rows that are not larger than `floor` are
 * nothing but rounding, and zero. False when the rows are not finite. */
bool olo_row_basis_begin(olo_row_basis *x, double floor);
/* C = (rows) W for rank x width rows, factored; false when it is singular. */
bool olo_row_basis_square(const olo_row_basis *x, const double *rows, double *C, int *pivot);
/* N = ([I - W C^-1 rows] U)^T, one vector a row; X keeps (C^-1 rows U)^T. */
void olo_row_basis_oblique(const olo_row_basis *x, const double *rows, const double *C,
                           const int *pivot, double *X, double *N);

/* Of a split of all constraint rows: l = (G_m W)^-T W^T T of the independent ones; T must be there.
 * False when G_m W is singular. */
bool olo_row_basis_multipliers(olo_row_basis *all, const olo_step *step, double *l);
/* The multipliers of a finished step: there T = G_m^T l, so lambda = -l/a with the scheme's factor
 * a; rows that were left out carry nothing. */
void olo_row_basis_finish(olo_row_basis *all, const olo_step *step, double a, double *l,
                          olo_state *state);

#endif
