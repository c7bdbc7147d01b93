/* Small dense blocks, row-major, sizes known only at run time but never large. */
#ifndef OLO_LINALG_SMALL_H
#define OLO_LINALG_SMALL_H

#include <math.h>
#include <stdbool.h>

/* C (m x n) += s A (m x k) B (k x n) */
static inline void small_add_product(int m, int k, int n, double s, const double *A,
                                     const double *B, double *C)
{
    for (int i = 0; i < m; i++)
        for (int l = 0; l < k; l++) {
            double a = s * A[i * k + l];
            for (int j = 0; j < n; j++)
                C[i * n + j] += a * B[l * n + j];
        }
}

/* C (k x n) += s A^T B, A (m x k), B (m x n) */
static inline void small_add_transposed_product(int m, int k, int n, double s, const double *A,
                                                const double *B, double *C)
{
    for (int l = 0; l < m; l++)
        for (int i = 0; i < k; i++) {
            double a = s * A[l * k + i];
            for (int j = 0; j < n; j++)
                C[i * n + j] += a * B[l * n + j];
        }
}

/* LU factors of A (n x n) in place with row exchanges; false if a pivot is zero or not finite. */
static inline bool small_lu(int n, double *A, int *pivot)
{
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[best * n + k]))
                best = i;
        pivot[k] = best;
        double value = A[best * n + k];
        if (!(fabs(value) > 0) || !isfinite(value))
            return false;
        if (best != k)
            for (int j = 0; j < n; j++) {
                double swap = A[k * n + j];
                A[k * n + j] = A[best * n + j];
                A[best * n + j] = swap;
            }
        double inverse = 1.0 / value;
        for (int i = k + 1; i < n; i++) {
            double factor = A[i * n + k] *= inverse;
            for (int j = k + 1; j < n; j++)
                A[i * n + j] -= factor * A[k * n + j];
        }
    }
    return true;
}

/* B (n x columns) <- A^-1 B with the factors of small_lu */
static inline void small_lu_solve(int n, const double *LU, const int *pivot, int columns, double *B)
{
    /* all exchanges first: they moved the rows of L too */
    for (int k = 0; k < n; k++)
        if (pivot[k] != k)
            for (int j = 0; j < columns; j++) {
                double swap = B[k * columns + j];
                B[k * columns + j] = B[pivot[k] * columns + j];
                B[pivot[k] * columns + j] = swap;
            }
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++)
            for (int j = 0; j < columns; j++)
                B[i * columns + j] -= LU[i * n + k] * B[k * columns + j];
    for (int k = n - 1; k >= 0; k--) {
        double inverse = 1.0 / LU[k * n + k];
        for (int j = 0; j < columns; j++) {
            double sum = B[k * columns + j];
            for (int i = k + 1; i < n; i++)
                sum -= LU[k * n + i] * B[i * columns + j];
            B[k * columns + j] = sum * inverse;
        }
    }
}

#endif
