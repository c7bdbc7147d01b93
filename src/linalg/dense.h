/* Dense linear algebra, row-major. dense.c uses LAPACKE and is the only file that includes it. Its
 * last bits depend on the number of threads of BLAS, so no step of a run depends on it. Steps use
 * our own code in one thread (row_space.c, lu.c). */
#ifndef OLO_LINALG_DENSE_H
#define OLO_LINALG_DENSE_H

#include <stdbool.h>
#include <stddef.h>

/* Ascending eigenvalues of a symmetric matrix (overwritten); false when they are not finite. */
bool olo_symmetric_eigenvalues(int n, double *A, double *values);

/* The same with unit eigenvectors, which become the columns of A. */
bool olo_symmetric_eigenvectors(int n, double *A, double *values);

/* Sets the number of threads of OpenBLAS, of the whole process, and returns the former one; 0, and
 * no change, with another library. Several threads wait for each other in every call, for ever if
 * one of them got no memory, and the bits of a result depend on their number. */
int olo_dense_set_threads(int count);
/* Has OpenBLAS take its buffer (128 MB of addresses, which later calls share) while there is room:
 * where there is none it would try for ever, in memory.c of its sources. False: no memory. */
bool olo_dense_reserve(void);

/* A x = theta B x of symmetric A and positive B: ascending theta, and x with x.B x = 1 as the
 * columns of A. Both are overwritten. False when B is not positive definite or a number is not
 * finite. */
bool olo_symmetric_pencil(int n, double *A, double *B, double *theta);

/* Eigenvalues of a square matrix (overwritten) and its right eigenvectors, the columns of V: where
 * im[j] > 0 columns j and j + 1 are real and imaginary part, and the next value is the conjugate
 * one. V may be NULL. */
bool olo_general_eigenvectors(int n, double *A, double *re, double *im, double *V);

/* Descending singular values of an m x n matrix (overwritten), min(m, n) of them. */
bool olo_singular_values(int m, int n, double *A, double *values);

/* 2-norm condition number of a square matrix, also far beyond 1e16, if its entries are exact;
 * infinity when it is singular, NaN when it is not finite or memory is exhausted. (condition.c) */
double olo_condition(int n, const double *A);

/* An orthonormal basis of R^n, one vector per row of Q [n x n]: the first `*rank` span the rows of
 * A (m x n, overwritten), the others are orthogonal to them. order[m] lists the rows of A, *rank
 * independent ones first; rows below `tolerance` times the largest count as dependent, so scale
 * them before. Allocates nothing: `work` has olo_row_space_work(m, n) numbers. False when A is not
 * finite. (row_space.c) */
size_t olo_row_space_work(int m, int n);
bool olo_row_space(int m, int n, double *A, double tolerance, int *order, double *Q, int *rank,
                   double *work);

/* LU factors of a square matrix in place; false when it is singular or not finite. Allocates
 * nothing. (lu.c) */
bool olo_lu_factor(int n, double *A, int *pivot);
/* Every row b of B [count x n] becomes A^-1 b, or A^-T b when `transposed`. */
void olo_lu_solve(int n, const double *LU, const int *pivot, bool transposed, int count, double *B);

#endif
