/* Small motions about a state as dense matrices, for small systems:
 *
 *     M y'' + D y' + K y = 0,   u = N^T y,
 *
 * with the rows of N spanning the joint increments that the closures allow. */
#ifndef OLO_STATICS_PENCIL_H
#define OLO_STATICS_PENCIL_H

#include "statics/static_balance.h"

typedef struct olo_pencil {
    int size;          /* degrees of freedom */
    int unknowns;      /* joint increments */
    double *basis;     /* [size x unknowns] N; NULL: all joint increments */
    double *M, *D, *K; /* [size x size] */
    int closure_count; /* closure rows */
    double *closures;  /* [closure_count x unknowns] scaled to length one */
    double stiff;      /* largest ratio of diagonal entries of K and M */
} olo_pencil;

/* At the state of `balance`, which must be an equilibrium with its multipliers (olo_static_verify).
 * Must be freed also on failure. */
olo_status olo_pencil_create(olo_static_balance *balance, double load, olo_pencil *pencil,
                             olo_error *error);
void olo_pencil_free(olo_pencil *pencil);

/* product[unknowns] = A u in all joint increments, for the matrix A that olo_static_fill has
 * filled.
 */
void olo_pencil_multiply(olo_static_balance *balance, const double *u, double *product);

/* u = N^T y */
void olo_pencil_spread(const olo_pencil *pencil, const double *y, double *u);

#endif
