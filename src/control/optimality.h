/* The conditions of optimality of a programme at a point, from its functions: values and
 * derivatives, the active bounds and rows, and the matrix
 *
 *     [ H  A^T ]
 *     [ A   0  ]
 *
 * over the variables that are not at a bound and the active rows. If these rows are independent, it
 * has as many negative eigenvalues as rows, and those of the reduced Hessian Z^T H Z, A Z = 0. */
#ifndef OLO_CONTROL_OPTIMALITY_H
#define OLO_CONTROL_OPTIMALITY_H

#include "base/pool.h"
#include "control/solver.h"
#include "control/symmetric.h"

typedef struct olo_optimality {
    const olo_nlp *nlp;
    const olo_nlp_point *point;
    olo_pool pool;
    double *c, *g, *A, *H; /* rows, gradient of f, values of the derivatives */
    int *variable, *row;   /* new numbers of those in the matrix, or -1 */
    int variables, rows;   /* in the matrix */
    olo_symmetric *matrix; /* NULL until it is made */
    double *values;        /* of the matrix; those of the diagonal of H - sigma I come first */
} olo_optimality;

/* Evaluates the functions. Always followed by olo_optimality_close. */
olo_status olo_optimality_open(olo_optimality *x, const olo_nlp *nlp, const olo_nlp_point *point,
                               olo_error *error);
void olo_optimality_close(olo_optimality *x);

/* Makes the matrix; fails with OLO_UNSUPPORTED without MUMPS. */
olo_status olo_optimality_make_matrix(olo_optimality *x, olo_error *error);
/* Factors the matrix with H - sigma I instead of H: the number of eigenvalues of the reduced
 * Hessian below sigma, less the number of rows that depend on others, and the latter. */
olo_status olo_optimality_factor(olo_optimality *x, double sigma, int *below, int *dependent,
                                 olo_error *error);
/* Eigenvalues of this size are zero up to rounding: 1e-14 times the largest entry of H. */
double olo_optimality_rounding(const olo_optimality *x);

#endif
