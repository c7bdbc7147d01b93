/* Eigenvalues and singular values of dense matrices through LAPACKE. */
#include "linalg/dense.h"

#include <lapacke.h>

#include "base/memory.h"
#include "linalg/vector.h"

bool olo_symmetric_eigenvalues(int n, double *A, double *values)
{
    return olo_all_finite(olo_area(n, n), A) &&
           LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', n, A, n, values) == 0;
}

bool olo_symmetric_eigenvectors(int n, double *A, double *values)
{
    return olo_all_finite(olo_area(n, n), A) &&
           LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'V', 'U', n, A, n, values) == 0;
}

/* Of OpenBLAS; other libraries do not have them. */
void openblas_set_num_threads(int count) __attribute__((weak));
int openblas_get_num_threads(void) __attribute__((weak));

int olo_dense_set_threads(int count)
{
    const int before = openblas_get_num_threads ? openblas_get_num_threads() : 0;
    if (before > 0 && count > 0)
        openblas_set_num_threads(count);
    return before;
}

bool olo_dense_reserve(void)
{
    enum { BUFFER = (128 << 20) + (1 << 16) };
    void *room = olo_alloc_plain(BUFFER);
    if (!room)
        return false;
    olo_free(room);
    double A[9] = {2, 1, 1, 1, 2, 1, 1, 1, 2}, values[3];
    return olo_symmetric_eigenvectors(3, A, values);
}

bool olo_symmetric_pencil(int n, double *A, double *B, double *theta)
{
    return olo_all_finite(olo_area(n, n), A) && olo_all_finite(olo_area(n, n), B) &&
           LAPACKE_dsygv(LAPACK_ROW_MAJOR, 1, 'V', 'U', n, A, n, B, n, theta) == 0;
}

bool olo_general_eigenvectors(int n, double *A, double *re, double *im, double *V)
{
    double unused;
    return n == 0 || (olo_all_finite(olo_area(n, n), A) &&
                      LAPACKE_dgeev(LAPACK_ROW_MAJOR, 'N', V ? 'V' : 'N', n, A, n, re, im, &unused,
                                    n, V ? V : &unused, n) == 0);
}

bool olo_singular_values(int m, int n, double *A, double *values)
{
    double unused;
    if (m == 0 || n == 0)
        return true;
    /* a row-major m x n matrix is a column-major n x m one with the same singular values */
    return olo_all_finite(olo_area(m, n), A) &&
           LAPACKE_dgesdd(LAPACK_COL_MAJOR, 'N', n, m, A, n, values, &unused, 1, &unused, 1) == 0;
}
