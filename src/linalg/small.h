/* Small dense blocks, row-major, with sizes that are known only at run time. */
#ifndef OLO_LINALG_SMALL_H
#define OLO_LINALG_SMALL_H

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/inline.h"
#include "linalg/row6.h"

/* Inlined always, since most callers know the sizes when they are compiled. */
#define SMALL_INLINE OLO_INLINE

/* A call that uses WIDTH, compiled for each width n of a block. */
#define WITH_WIDTH(width, call)                                                                    \
    {                                                                                              \
        enum { WIDTH = width };                                                                    \
        call;                                                                                      \
        break;                                                                                     \
    }
#define FOR_EACH_WIDTH(n, call)                                                                    \
    do {                                                                                           \
        switch (n) {                                                                               \
        case 1:                                                                                    \
            WITH_WIDTH(1, call)                                                                    \
        case 2:                                                                                    \
            WITH_WIDTH(2, call)                                                                    \
        case 3:                                                                                    \
            WITH_WIDTH(3, call)                                                                    \
        case 4:                                                                                    \
            WITH_WIDTH(4, call)                                                                    \
        case 5:                                                                                    \
            WITH_WIDTH(5, call)                                                                    \
        default:                                                                                   \
            WITH_WIDTH(6, call)                                                                    \
        }                                                                                          \
    } while (0)

static inline void small_zero(int n, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] = 0;
}

static inline void small_scale(int n, double a, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] *= a;
}

static inline double small_dot(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* y (n) += a x (n) */
SMALL_INLINE void small_add_row(int n, double a, const double *restrict x, double *restrict y)
{
    for (int j = 0; j < n; j++)
        y[j] += a * x[j];
}

/* A row of n <= 6 numbers in registers of four, two and one; n is known when it is compiled. */
typedef struct small_row {
    row6_four four;
    row6_pair two;
    double one;
} small_row;

SMALL_INLINE small_row small_row_load(const int n, const double *x)
{
    small_row row = {{0}, {0}, 0};
    if (n >= 4)
        memcpy(&row.four, x, sizeof row.four);
    if (n % 4 >= 2)
        memcpy(&row.two, x + n / 4 * 4, sizeof row.two);
    if (n % 2 == 1)
        row.one = x[n - 1];
    return row;
}

SMALL_INLINE void small_row_store(const int n, small_row row, double *x)
{
    if (n >= 4)
        memcpy(x, &row.four, sizeof row.four);
    if (n % 4 >= 2)
        memcpy(x + n / 4 * 4, &row.two, sizeof row.two);
    if (n % 2 == 1)
        x[n - 1] = row.one;
}

/* x + s y */
SMALL_INLINE small_row small_row_add(const int n, small_row x, double s, small_row y)
{
    if (n >= 4)
        x.four = x.four + s * y.four;
    if (n % 4 >= 2)
        x.two = x.two + s * y.two;
    if (n % 2 == 1)
        x.one = x.one + s * y.one;
    return x;
}

SMALL_INLINE small_row small_row_times(const int n, double s, small_row x)
{
    if (n >= 4)
        x.four = s * x.four;
    if (n % 4 >= 2)
        x.two = s * x.two;
    if (n % 2 == 1)
        x.one = s * x.one;
    return x;
}

/* Exchanges rows k and l of A, of n columns. */
SMALL_INLINE void small_swap_rows(const int n, int k, int l, double *A)
{
    const small_row row = small_row_load(n, A + k * n);
    small_row_store(n, small_row_load(n, A + l * n), A + k * n);
    small_row_store(n, row, A + l * n);
}

/* C_i (n) += s sum_l A[i row + l column] B_l, i < m, l < k, in registers */
SMALL_INLINE void small_add_rows_of(int m, int k, const int n, double s, const double *A, int row,
                                    int column, const double *B, double *C)
{
    for (int i = 0; i < m; i++, A += row, C += n) {
        small_row sum = small_row_load(n, C);
        for (int l = 0; l < k; l++)
            sum = small_row_add(n, sum, s * A[l * column], small_row_load(n, B + l * n));
        small_row_store(n, sum, C);
    }
}

/* The same for any n. Most of the time of a step is spent here, nearly all of it in rows of 6 or 3
 * numbers. */
SMALL_INLINE void small_add_rows(int m, int k, int n, double s, const double *A, int row,
                                 int column, const double *B, double *C)
{
    if (__builtin_constant_p(n))
        small_add_rows_of(m, k, n, s, A, row, column, B, C);
    else if (n == 6)
        small_add_rows_of(m, k, 6, s, A, row, column, B, C);
    else if (n == 3)
        small_add_rows_of(m, k, 3, s, A, row, column, B, C);
    else
        for (int i = 0; i < m; i++)
            for (int l = 0; l < k; l++)
                small_add_row(n, s * A[i * row + l * column], B + l * n, C + i * n);
}

/* to (n) += row */
SMALL_INLINE void small_row_add_to(const int n, small_row row, double *to)
{
    small_row_store(n, small_row_add(n, row, 1.0, small_row_load(n, to)), to);
}

/* C (6 x n) += [I a^; 0 I]^T U: U_l - a x U_u is added to the lower rows */
SMALL_INLINE void small_add_shifted(const double a[3], const int n, const double *U, double *C)
{
    small_row rows[6];
    for (int i = 0; i < 6; i++)
        rows[i] = small_row_load(n, U + i * n);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const small_row lower = small_row_add(n, rows[3 + i], -a[j], rows[k]);
        small_row_add_to(n, rows[i], C + i * n);
        small_row_add_to(n, small_row_add(n, lower, a[k], rows[j]), C + (3 + i) * n);
    }
}

/* C (m x n) += s A (m x k) B (k x n); C is none of the factors */
SMALL_INLINE void small_add_product(int m, int k, int n, double s, const double *A, const double *B,
                                    double *C)
{
    small_add_rows(m, k, n, s, A, k, 1, B, C);
}

/* C (k x n) += s A^T B, A (m x k), B (m x n); C is none of the factors */
SMALL_INLINE void small_add_transposed_product(int m, int k, int n, double s, const double *A,
                                               const double *B, double *C)
{
    small_add_rows(k, m, n, s, A, 1, k, B, C);
}

/* y (m) += s A x, A (m x k); y is none of the factors */
static inline void small_add_times(int m, int k, double s, const double *restrict A,
                                   const double *restrict x, double *restrict y)
{
    for (int i = 0; i < m; i++) {
        double sum = 0;
        for (int l = 0; l < k; l++)
            sum += A[i * k + l] * x[l];
        y[i] += s * sum;
    }
}

/* y (k) += s A^T x, A (m x k); y is none of the factors */
static inline void small_add_transposed_times(int m, int k, double s, const double *A,
                                              const double *x, double *y)
{
    small_add_rows(1, m, k, s, x, 0, 1, A, y);
}

/* Row k of A (n x n) with zeros up to its diagonal. */
SMALL_INLINE small_row small_row_after(const int n, const int k, const double *A)
{
    double row[6];
    for (int j = 0; j < n; j++)
        row[j] = j > k ? A[k * n + j] : 0.0;
    return small_row_load(n, row);
}

/* LU factors of A (n x n) in place with row exchanges; false if a pivot is zero or not finite. The
 * row of the pivot, with zeros up to its diagonal, is subtracted from whole rows, so that the
 * factors before it remain. */
SMALL_INLINE bool small_lu(const int n, double *A, int *pivot)
{
#pragma GCC unroll 6
    for (int k = 0; k < n; k++) {
        int best = k;
        double largest = fabs(A[k * n + k]);
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > largest) {
                largest = fabs(A[i * n + k]);
                best = i;
            }
        pivot[k] = best;
        if (!(largest > 0) || !isfinite(largest))
            return false;
        if (best != k)
            small_swap_rows(n, k, best, A);
        const double inverse = 1.0 / A[k * n + k];
        const small_row row = small_row_after(n, k, A);
        for (int i = k + 1; i < n; i++) {
            const double factor = A[i * n + k] * inverse;
            small_row_store(n, small_row_add(n, small_row_load(n, A + i * n), -factor, row),
                            A + i * n);
            A[i * n + k] = factor;
        }
    }
    return true;
}

/* B (n x columns) <- A^-1 B with the factors of small_lu, the rows of B in registers. */
SMALL_INLINE void small_lu_solve(const int n, const double *LU, const int *pivot, const int columns,
                                 double *B)
{
    small_row row[6];
    /* all exchanges first, since they also moved the rows of L */
    for (int k = 0; k < n; k++)
        if (pivot[k] != k)
            small_swap_rows(columns, k, pivot[k], B);
    for (int k = 0; k < n; k++)
        row[k] = small_row_load(columns, B + k * columns);
#pragma GCC unroll 6
    for (int k = 0; k < n; k++)
#pragma GCC unroll 6
        for (int i = 1; i < n; i++)
            if (i > k)
                row[i] = small_row_add(columns, row[i], -LU[i * n + k], row[k]);
#pragma GCC unroll 6
    for (int k = n - 1; k >= 0; k--) {
#pragma GCC unroll 6
        for (int i = 1; i < n; i++)
            if (i > k)
                row[k] = small_row_add(columns, row[k], -LU[k * n + i], row[i]);
        row[k] = small_row_times(columns, 1.0 / LU[k * n + k], row[k]);
        small_row_store(columns, row[k], B + k * columns);
    }
}

/* b (n) <- A^-T b with the factors of small_lu */
static inline void small_lu_solve_transposed(int n, const double *LU, const int *pivot, double *b)
{
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < k; i++)
            b[k] -= LU[i * n + k] * b[i];
        b[k] /= LU[k * n + k];
    }
    for (int k = n - 1; k >= 0; k--)
        for (int i = k + 1; i < n; i++)
            b[k] -= LU[i * n + k] * b[i];
    for (int k = n - 1; k >= 0; k--) {
        double swap = b[k];
        b[k] = b[pivot[k]];
        b[pivot[k]] = swap;
    }
}

/* Removes from v (n) its components along the first `count` rows of Q, which are orthonormal;
 * twice, against rounding */
SMALL_INLINE void small_orthogonalise(int n, int count, const double *Q, double *v)
{
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < count; k++) {
            double along = 0;
            for (int i = 0; i < n; i++)
                along += Q[k * n + i] * v[i];
            small_add_row(n, -along, Q + k * n, v);
        }
}

/* Divides v (n) by its length and returns the length. */
SMALL_INLINE double small_normalise(int n, double *v)
{
    double square = 0;
    for (int i = 0; i < n; i++)
        square += v[i] * v[i];
    const double length = sqrt(square), inverse = length > 0 ? 1 / length : 0;
    for (int i = 0; i < n; i++)
        v[i] *= inverse;
    return length;
}

/* An orthonormal basis of the range of A (n x n, n at most 6), one vector per row of `range`;
 * returns its rank. The longest column is taken first, until the residuals of all columns have at
 * most the length `floor`. */
SMALL_INLINE int small_range(int n, const double *A, double floor, double *range)
{
    double residual[36];
    int rank = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            residual[j * n + i] = A[i * n + j];
    for (; rank < n; rank++) {
        int longest = -1;
        double largest = floor * floor;
        for (int j = 0; j < n; j++) {
            double square = 0;
            for (int i = 0; i < n; i++)
                square += residual[j * n + i] * residual[j * n + i];
            if (square > largest) {
                largest = square;
                longest = j;
            }
        }
        if (longest < 0)
            break;
        double *v = range + rank * n;
        memcpy(v, residual + longest * n, (size_t)n * sizeof *v);
        small_orthogonalise(n, rank, range, v);
        if (!(small_normalise(n, v) > floor))
            break;
        for (int j = 0; j < n; j++) {
            double along = 0;
            for (int i = 0; i < n; i++)
                along += v[i] * residual[j * n + i];
            small_add_row(n, -along, v, residual + j * n);
        }
    }
    return rank;
}

/* With that basis of r vectors, the same for the range of A^T: products of A^T with the basis, so
 * that the rank is exactly r. */
static inline void small_row_range(int n, int r, const double *A, const double *range, double *rows)
{
    for (int k = 0; k < r; k++) {
        double *v = rows + k * n;
        memset(v, 0, (size_t)n * sizeof *v);
        small_add_rows(1, n, n, 1.0, range + k * n, 0, 1, A, v);
        small_orthogonalise(n, k, rows, v);
        (void)small_normalise(n, v);
    }
}

/* (x, y) <- (c x - s y, s x + c y) */
static inline void small_rotate(double c, double s, double *x, double *y)
{
    const double was = *x;
    *x = c * was - s * *y;
    *y = s * was + c * *y;
}

/* Eigenvalues of a small symmetric matrix, on the diagonal of A, by Jacobi rotations in place. */
static inline void small_symmetric_eigenvalues(int n, double *A)
{
    for (int sweep = 0; sweep < 30; sweep++) {
        double off = 0, diagonal = 0;
        for (int p = 0; p < n; p++)
            for (int q = 0; q < n; q++)
                *(p == q ? &diagonal : &off) += A[p * n + q] * A[p * n + q];
        if (!(off > 1e-32 * diagonal))
            return;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                if (A[p * n + q] == 0)
                    continue;
                double tau = (A[q * n + q] - A[p * n + p]) / (2 * A[p * n + q]);
                double t = (tau >= 0 ? 1 : -1) / (fabs(tau) + sqrt(1 + tau * tau));
                double c = 1 / sqrt(1 + t * t), s = t * c;
                for (int k = 0; k < n; k++)
                    small_rotate(c, s, &A[k * n + p], &A[k * n + q]);
                for (int k = 0; k < n; k++)
                    small_rotate(c, s, &A[p * n + k], &A[q * n + k]);
            }
    }
}

/* out += factor K w of the numbers that K (size x size) couples, at `index`; or K^T w */
static inline void small_add_indexed(int size, const int *index, const double *K, double factor,
                                     bool transposed, const double *w, double *out)
{
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) {
            const int to = transposed ? j : i, from = transposed ? i : j;
            out[index[to]] += factor * K[i * size + j] * w[index[from]];
        }
}

#endif
