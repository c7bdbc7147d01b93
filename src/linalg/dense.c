/* Dense linear algebra through LAPACKE. */
#include "linalg/dense.h"

#include <math.h>
#include <string.h>

#include <lapacke.h>

#include "base/memory.h"

static bool all_finite(int count, const double *A)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(A[i]))
            return false;
    return true;
}

bool olo_symmetric_eigenvalues(int n, double *A, double *values)
{
    return all_finite(n * n, A) && LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', n, A, n, values) == 0;
}

bool olo_symmetric_eigenvectors(int n, double *A, double *values)
{
    return all_finite(n * n, A) && LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'V', 'U', n, A, n, values) == 0;
}

bool olo_symmetric_pencil(int n, double *A, double *B, double *theta)
{
    return all_finite(n * n, A) && all_finite(n * n, B) &&
           LAPACKE_dsygv(LAPACK_ROW_MAJOR, 1, 'V', 'U', n, A, n, B, n, theta) == 0;
}

bool olo_general_eigenvectors(int n, double *A, double *re, double *im, double *V)
{
    double unused;
    return n == 0 ||
           (all_finite(n * n, A) && LAPACKE_dgeev(LAPACK_ROW_MAJOR, 'N', V ? 'V' : 'N', n, A, n, re,
                                                  im, &unused, n, V ? V : &unused, n) == 0);
}

bool olo_singular_values(int m, int n, double *A, double *values)
{
    double unused;
    if (m == 0 || n == 0)
        return true;
    /* a row-major m x n matrix is a column-major n x m one with the same singular values */
    return all_finite(m * n, A) &&
           LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'N', n, m, A, n, values, &unused, 1, &unused, 1) == 0;
}

int olo_rank(int m, int n, double *A, double tolerance)
{
    int count = m < n ? m : n, rank = 0;
    double *values = olo_alloc((size_t)count, sizeof *values);
    if (!values || !olo_singular_values(m, n, A, values)) {
        olo_free(values);
        return -1;
    }
    while (rank < count && values[rank] > tolerance * values[0])
        rank++;
    olo_free(values);
    return rank;
}

/* dgeqp3 wants 3 m + 1, dorgqr n, more for blocks; then the scalars of the reflections. */
size_t olo_row_space_work(int m, int n)
{
    const size_t block = 32;
    return (block + 3) * (size_t)(m > n ? m : n) + block * block + (size_t)n + 1;
}

bool olo_row_space(int m, int n, double *A, double tolerance, int *order, double *Q, int *rank,
                   double *work)
{
    /* the rows of A are the columns of a column-major n x m matrix; Q comes column by column */
    int count = m < n ? m : n;
    double *tau = work, *rest = work + n;
    int room = (int)olo_row_space_work(m, n) - n;
    size_t size = (size_t)n;
    *rank = 0;
    memset(Q, 0, size * size * sizeof *Q);
    if (count == 0) {
        for (size_t i = 0; i < size; i++)
            Q[i * size + i] = 1;
        return true;
    }
    memset(order, 0, (size_t)m * sizeof *order);
    if (!all_finite(m * n, A) ||
        LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, n, m, A, n, order, tau, rest, room) != 0)
        return false;
    for (int i = 0; i < m; i++)
        order[i]--;
    double largest = fabs(A[0]);
    while (*rank < count && fabs(A[(size_t)*rank * size + (size_t)*rank]) > tolerance * largest)
        (*rank)++;
    memcpy(Q, A, (size_t)count * size * sizeof *Q);
    return LAPACKE_dorgqr_work(LAPACK_COL_MAJOR, n, n, count, Q, n, tau, rest, room) == 0;
}

bool olo_lu_factor(int n, double *A, int *pivot)
{
    return n == 0 ||
           (all_finite(n * n, A) && LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, A, n, pivot) == 0);
}

void olo_lu_solve(int n, const double *LU, const int *pivot, bool transposed, int count, double *B)
{
    /* LAPACK saw the transposed matrix */
    if (n > 0 && count > 0)
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, transposed ? 'N' : 'T', n, count, LU, n, pivot, B, n);
}
