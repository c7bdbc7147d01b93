/* Long vectors: products and sums in a fixed order, so that the bits depend neither on threads nor
 * on the registers of the processor. Dense factorisations that affect the result of a run use these
 * instead of BLAS: BLAS splits its sums over threads, whose number depends on the process. */
#ifndef OLO_LINALG_VECTOR_H
#define OLO_LINALG_VECTOR_H

#include <stdbool.h>
#include <stddef.h>

/* a.b */
double olo_dense_dot(int n, const double *a, const double *b);

/* b += s a */
static inline void olo_dense_add(int n, double s, const double *a, double *b)
{
    for (int i = 0; i < n; i++)
        b[i] += s * a[i];
}

/* The index of the first number that is not finite, or -1. */
ptrdiff_t olo_first_not_finite(size_t count, const double *x);
static inline bool olo_all_finite(size_t count, const double *x)
{
    return olo_first_not_finite(count, x) < 0;
}

static inline void olo_swap(double *a, double *b)
{
    const double was = *a;
    *a = *b;
    *b = was;
}

static inline size_t olo_area(int a, int b)
{
    return (size_t)a * (size_t)b;
}

/* A <- A^T, square */
void olo_dense_transpose(int n, double *A);

/* C[i][j] = a_i.b_j of the rows of A [rows x n] and B [columns x n]. Zeros at the ends of a row of
 * A are skipped. */
void olo_dense_products(int rows, int columns, int n, const double *A, const double *B, double *C);

#endif
