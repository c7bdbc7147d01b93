/* Dense linear algebra through LAPACKE; the only file that includes it. Row-major. */
#ifndef OLO_LINALG_DENSE_H
#define OLO_LINALG_DENSE_H

#include <stdbool.h>

/* Ascending eigenvalues of a symmetric matrix (overwritten); false when they are not finite. */
bool olo_symmetric_eigenvalues(int n, double *A, double *values);

/* Descending singular values of an m x n matrix (overwritten), min(m, n) of them. */
bool olo_singular_values(int m, int n, double *A, double *values);

/* 2-norm condition number of a square matrix (overwritten); infinity when it is singular. */
double olo_condition(int n, double *A);

/* Rank of an m x n matrix (overwritten): singular values above `tolerance` times the largest; -1 on
 * failure. */
int olo_rank(int m, int n, double *A, double tolerance);

#endif
