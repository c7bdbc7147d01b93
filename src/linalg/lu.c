/* LU factors with row exchanges, P A = L U (Golub, Van Loan, Matrix Computations, 3.2.11 and
 * 3.4.1): columns are eliminated in blocks, so that rows below the block are updated by all of its
 * columns while they are in the cache. Sums have the order of the plain elimination; zero entries
 * of L are skipped. */
#include <math.h>
#include <stdbool.h>

#include "linalg/dense.h"
#include "linalg/vector.h"

enum { BLOCK = 32 };

/* The row at or below k with the largest entry in column k; false when all are zero or not
 * finite. */
static bool find_pivot(int n, const double *A, int k, int *pivot)
{
    double largest = 0;
    *pivot = k;
    for (int i = k; i < n; i++) {
        const double size = fabs(A[olo_area(i, n) + (size_t)k]);
        if (size > largest) {
            largest = size;
            *pivot = i;
        }
    }
    return largest > 0 && isfinite(largest);
}

/* Eliminates the columns from `first` to `last` in all rows below; whole rows are exchanged. */
static bool factor_columns(int n, double *A, int first, int last, int *pivot)
{
    for (int k = first; k < last; k++) {
        if (!find_pivot(n, A, k, &pivot[k]))
            return false;
        double *row = A + olo_area(k, n);
        for (int j = 0; pivot[k] != k && j < n; j++)
            olo_swap(row + j, A + olo_area(pivot[k], n) + j);
        for (int i = k + 1; i < n; i++) {
            double *other = A + olo_area(i, n);
            if (other[k] == 0)
                continue;
            other[k] /= row[k];
            olo_dense_add(last - k - 1, -other[k], row + k + 1, other + k + 1);
        }
    }
    return true;
}

/* Updates the columns after the block, row by row. */
static void update_rows(int n, double *A, int first, int last)
{
    for (int i = first + 1; i < n; i++) {
        double *row = A + olo_area(i, n);
        const int end = i < last ? i : last;
        for (int k = first; k < end; k++)
            if (row[k] != 0)
                olo_dense_add(n - last, -row[k], A + olo_area(k, n) + last, row + last);
    }
}

bool olo_lu_factor(int n, double *A, int *pivot)
{
    if (!olo_all_finite(olo_area(n, n), A))
        return false;
    for (int first = 0; first < n; first += BLOCK) {
        const int last = first + BLOCK < n ? first + BLOCK : n;
        if (!factor_columns(n, A, first, last, pivot))
            return false;
        update_rows(n, A, first, last);
    }
    return true;
}

/* b <- A^-1 b of the rows of B: L and U row by row, each for all right-hand sides of a group */
static void solve_plain(int n, const double *LU, const int *pivot, int count, double *B)
{
    for (int r = 0; r < count; r++)
        for (int i = 0; i < n; i++)
            olo_swap(B + olo_area(r, n) + i, B + olo_area(r, n) + pivot[i]);
    for (int i = 1; i < n; i++)
        for (int r = 0; r < count; r++) {
            double *b = B + olo_area(r, n);
            b[i] -= olo_dense_dot(i, LU + olo_area(i, n), b);
        }
    for (int i = n - 1; i >= 0; i--) {
        const double *row = LU + olo_area(i, n);
        for (int r = 0; r < count; r++) {
            double *b = B + olo_area(r, n);
            b[i] = (b[i] - olo_dense_dot(n - i - 1, row + i + 1, b + i + 1)) / row[i];
        }
    }
}

/* b <- A^-T b: U^T forwards, L^T backwards, by columns of these, which are rows of the factors */
static void solve_transposed(int n, const double *LU, const int *pivot, int count, double *B)
{
    for (int i = 0; i < n; i++) {
        const double *row = LU + olo_area(i, n);
        for (int r = 0; r < count; r++) {
            double *b = B + olo_area(r, n);
            b[i] /= row[i];
            if (b[i] != 0)
                olo_dense_add(n - i - 1, -b[i], row + i + 1, b + i + 1);
        }
    }
    for (int i = n - 1; i > 0; i--)
        for (int r = 0; r < count; r++) {
            double *b = B + olo_area(r, n);
            if (b[i] != 0)
                olo_dense_add(i, -b[i], LU + olo_area(i, n), b);
        }
    for (int r = 0; r < count; r++)
        for (int i = n - 1; i >= 0; i--)
            olo_swap(B + olo_area(r, n) + i, B + olo_area(r, n) + pivot[i]);
}

void olo_lu_solve(int n, const double *LU, const int *pivot, bool transposed, int count, double *B)
{
    const int group = 16; /* right-hand sides that stay in the cache */
    for (int from = 0; from < count; from += group) {
        const int some = from + group < count ? group : count - from;
        if (transposed)
            solve_transposed(n, LU, pivot, some, B + olo_area(from, n));
        else
            solve_plain(n, LU, pivot, some, B + olo_area(from, n));
    }
}
