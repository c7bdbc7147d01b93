/* Householder reflections of rows with pivoting (Businger, Golub 1965; norms of residual rows as in
 * Drmac, Bujanovic 2008, LAPACK's dgeqp3): the longest row is reflected onto the next axis, and the
 * others with it, H = I - t v v^T. Rows of constraints have few entries: v extends from the axis to
 * its last entry, and rows orthogonal to it are unchanged. */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/vector.h"

/* Rows whose lengths differ by less than this, relative, count as equally long; the first of them
 * is chosen. So the order does not depend on rounding errors. */
static const double equally_long = 1e-8;
/* Rows below this length are zero, since their squares underflow. */
static const double shortest = 1e-150;

/* Per row: its length without the finished axes, and that length when it was last computed
 * directly. */
size_t olo_row_space_work(int m, int n)
{
    return 2 * (size_t)m + 2 * (size_t)(m < n ? m : n) + 1;
}

typedef struct reflections {
    int m, n;
    double *A; /* [m x n] rows; a finished row contains v from its axis on */
    int *order;
    double *length, *known; /* [m] */
    double *t, *corner; /* [min(m, n)] factors t of H; entry of the finished row along its axis */
} reflections;

static double length_of(int n, const double *x)
{
    return sqrt(olo_dense_dot(n, x, x));
}

/* The end of the non-zero entries. */
static int end_of(int n, const double *x)
{
    while (n > 0 && x[n - 1] == 0)
        n--;
    return n;
}

static void exchange_rows(reflections *x, int i, int j)
{
    double *a = x->A + olo_area(i, x->n), *b = x->A + olo_area(j, x->n);
    for (int k = 0; k < x->n; k++)
        olo_swap(a + k, b + k);
    const int row = x->order[i];
    x->order[i] = x->order[j];
    x->order[j] = row;
    x->length[j] = x->length[i];
    x->known[j] = x->known[i];
}

static int longest_row(const reflections *x, int k)
{
    int best = k;
    for (int i = k + 1; i < x->m; i++)
        if (x->length[i] > x->length[best] * (1 + equally_long))
            best = i;
    return best;
}

/* v, t and the diagonal entry of row k from its entries after the finished axes: v = row + sign
 * |row| e_k */
static void make_reflection(reflections *x, int k)
{
    double *v = x->A + olo_area(k, x->n);
    const double size = length_of(x->n - k, v + k);
    x->t[k] = 0;
    if (size < shortest) {
        x->corner[k] = 0;
        return;
    }
    x->corner[k] = v[k] > 0 ? -size : size;
    v[k] -= x->corner[k];
    x->t[k] = 1 / (size * fabs(v[k])); /* 2 / v.v */
}

/* row <- H_k row; v ends at `end` */
static void reflect(const reflections *x, int k, int end, double *row)
{
    const double *v = x->A + olo_area(k, x->n);
    const double along = x->t[k] * olo_dense_dot(end - k, v + k, row + k);
    if (along != 0)
        olo_dense_add(end - k, -along, v + k, row + k);
}

/* Updates the length without axis k, by Pythagoras while that is accurate. */
static void shorten(reflections *x, int i, int k)
{
    const double *row = x->A + olo_area(i, x->n);
    if (x->length[i] == 0)
        return;
    const double share = fabs(row[k]) / x->length[i], residual = fmax(0, (1 + share) * (1 - share));
    const double ratio = x->length[i] / x->known[i];
    if (residual * ratio * ratio > sqrt(DBL_EPSILON)) {
        x->length[i] *= sqrt(residual);
        return;
    }
    x->length[i] = length_of(x->n - k - 1, row + k + 1);
    x->known[i] = x->length[i];
}

/* False when a row is not finite. */
static bool begin(reflections *x)
{
    for (int i = 0; i < x->m; i++) {
        x->order[i] = i;
        x->length[i] = x->known[i] = length_of(x->n, x->A + olo_area(i, x->n));
        if (!isfinite(x->length[i]))
            return false;
    }
    return true;
}

/* Computes the rank: reflects until all residual rows are short. */
static int reduce(reflections *x, double tolerance)
{
    const int count = x->m < x->n ? x->m : x->n;
    for (int k = 0; k < count; k++) {
        const int best = longest_row(x, k);
        if (best != k)
            exchange_rows(x, k, best);
        make_reflection(x, k);
        if (!(fabs(x->corner[k]) > tolerance * fabs(x->corner[0])))
            return k;
        const int end = end_of(x->n, x->A + olo_area(k, x->n));
        for (int i = k + 1; i < x->m; i++) {
            reflect(x, k, end, x->A + olo_area(i, x->n));
            shorten(x, i, k);
        }
    }
    return count;
}

bool olo_row_space(int m, int n, double *A, double tolerance, int *order, double *Q, int *rank,
                   double *work)
{
    const int count = m < n ? m : n;
    reflections x = {.m = m,
                     .n = n,
                     .A = A,
                     .order = order,
                     .length = work,
                     .known = work + m,
                     .t = work + 2 * (size_t)m,
                     .corner = work + 2 * (size_t)m + count};
    *rank = 0;
    if (!begin(&x))
        return false;
    *rank = reduce(&x, tolerance);

    /* Q = H_0 H_1 ... applied to the axes; the k-th reflection does not change axes before the
     * k-th */
    memset(Q, 0, olo_area(n, n) * sizeof *Q);
    for (int j = 0; j < n; j++)
        Q[olo_area(j, n) + (size_t)j] = 1;
    for (int k = *rank - 1; k >= 0; k--) {
        const int end = end_of(n, A + olo_area(k, n));
        for (int j = k; j < n; j++)
            reflect(&x, k, end, Q + olo_area(j, n));
    }
    return true;
}
