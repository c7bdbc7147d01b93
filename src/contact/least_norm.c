/* Square systems that may be singular: the solution of least norm of the independent rows.
 *
 * Rows are normalised, so that their units do not matter. With an orthonormal basis Q of the row
 * space and the independent rows A_i, x = Q^T y and A_i Q^T y = b_i. */
#include <math.h>
#include <string.h>

#include "contact/inclusion.h"
#include "linalg/dense.h"
#include "linalg/vector.h"

/* Rows below this fraction of the longest one count as dependent. Contact points of a body are
 * redundant to round-off or not at all. */
static const double dependent = 1e-9;

int olo_least_norm_work(int n)
{
    return 3 * n * n + n + (int)olo_row_space_work(n, n);
}

bool olo_least_norm(int n, double *A, double *b, double *work, int *integers)
{
    double *copy = work, *Q = copy + olo_area(n, n), *S = Q + olo_area(n, n);
    double *y = S + olo_area(n, n), *rest = y + n;
    int *order = integers, *pivot = integers + n, rank = 0;
    if (n == 0)
        return true;
    for (int i = 0; i < n; i++) {
        double *row = A + olo_area(i, n);
        const double length = sqrt(olo_dense_dot(n, row, row));
        for (int j = 0; j < n && length > 0; j++)
            row[j] /= length;
        b[i] = length > 0 ? b[i] / length : 0;
    }
    memcpy(copy, A, olo_area(n, n) * sizeof *A);
    if (!olo_row_space(n, n, copy, dependent, order, Q, &rank, rest))
        return false;
    for (int i = 0; i < rank; i++) {
        y[i] = b[order[i]];
        for (int j = 0; j < rank; j++)
            S[olo_area(i, rank) + (size_t)j] =
                olo_dense_dot(n, A + olo_area(order[i], n), Q + olo_area(j, n));
    }
    if (rank > 0 && !olo_lu_factor(rank, S, pivot))
        return false;
    if (rank > 0)
        olo_lu_solve(rank, S, pivot, false, 1, y);
    memset(b, 0, (size_t)n * sizeof *b);
    for (int i = 0; i < rank; i++)
        olo_dense_add(n, y[i], Q + olo_area(i, n), b);
    return true;
}
