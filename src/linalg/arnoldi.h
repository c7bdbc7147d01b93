/* A few eigenvalues of large matrices that are given by their products with vectors, through
 * ARPACK; arnoldi.c is the only file that includes it. ARPACK has global state: one problem is
 * solved at a time, whatever the number of threads. */
#ifndef OLO_LINALG_ARNOLDI_H
#define OLO_LINALG_ARNOLDI_H

#include "oloid/status.h"

/* y = A x; x is not y */
typedef void olo_linear_map(void *context, const double *x, double *y);

/* The smallest values of K x = value M x, K and M symmetric, K positive, M perhaps singular,
 * with the vectors x (x.M x = 1) as rows; in any order. `solve` applies K^-1, `mass` M;
 * `initial` [n] is any vector in the range of K^-1 M. The basis has `basis_size` vectors, count
 * < basis_size <= n. */
olo_status olo_arnoldi_symmetric(int n, int count, int basis_size, const double *initial,
                                 olo_linear_map *solve, olo_linear_map *mass, void *context,
                                 double *values, double *vectors, olo_error *error);

/* The theta of largest magnitude of S x = theta x, at least `count` of them, at most count + 1:
 * conjugate pairs are complete, the one with im > 0 first and the rows of real and imaginary part
 * of its vector. Arrays have count + 1 numbers or rows; `found` is their number. */
olo_status olo_arnoldi_general(int n, int count, int basis_size, const double *initial,
                               olo_linear_map *product, void *context, double *re, double *im,
                               double *vectors, int *found, olo_error *error);

#endif
