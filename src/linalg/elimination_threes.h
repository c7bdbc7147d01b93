/* Plain blocks of three with at most two later neighbours, which have three as well: points and
 * triads of directors along a line. Equations and order of operations are those of the other plain
 * blocks; the rows of X_b stay in registers of four numbers, the last of which is not used. A part
 * of elimination_sweep.c. */
#ifndef OLO_LINALG_ELIMINATION_THREES_H
#define OLO_LINALG_ELIMINATION_THREES_H

#include "base/inline.h"
#include "linalg/elimination_private.h"
#include "linalg/small.h"

#define THREES_INLINE OLO_INLINE

/* Three numbers and the one behind them: there is one behind the last block. */
THREES_INLINE row6_four load_three(const double *x)
{
    row6_four row;
    memcpy(&row, x, sizeof row);
    return row;
}

THREES_INLINE void store_three(row6_four row, double *x)
{
    const row6_pair low = {row[0], row[1]};
    memcpy(x, &low, sizeof low);
    x[2] = row[2];
}

/* X = D^-1 K with the factors of D, whose row exchanges are `row`; to memory, too */
THREES_INLINE void solve_threes(const double *D, const double inverse[3], const int row[3],
                                double *K, row6_four X[3])
{
    for (int i = 0; i < 3; i++)
        X[i] = load_three(K + 3 * row[i]);
    X[1] -= D[3] * X[0];
    X[2] -= D[6] * X[0];
    X[2] -= D[7] * X[1];
    X[2] = X[2] * inverse[2];
    X[1] = (X[1] - D[5] * X[2]) * inverse[1];
    X[0] = ((X[0] - D[1] * X[1]) - D[2] * X[2]) * inverse[0];
    for (int i = 0; i < 3; i++)
        store_three(X[i], K + 3 * i);
}

/* The rows of a system in the order in which the factorisation took them. */
THREES_INLINE void find_rows(const int *pivot, int row[3])
{
    for (int k = 0; k < 3; k++)
        row[k] = k;
    for (int k = 0; k < 2; k++) {
        const int other = row[pivot[k]];
        row[pivot[k]] = row[k];
        row[k] = other;
    }
}

/* K_ab -= L_a X_b */
THREES_INLINE void subtract_threes(const double *L, const row6_four X[3], double *K)
{
    for (int i = 0; i < 3; i++) {
        row6_four sum = load_three(K + 3 * i);
        for (int l = 0; l < 3; l++)
            sum -= L[3 * i + l] * X[l];
        store_three(sum, K + 3 * i);
    }
}

THREES_INLINE bool factor_threes(olo_elimination *el, const node *c)
{
    double *n = el->numbers, *D = n + c->D;
    const neighbour *nb = el->neighbours + c->first;
    const int *target = el->targets + c->target;
    int *pivot = el->pivots + c->pivot, row[3];
    if (!small_lu(3, D, pivot))
        return false;
    const double inverse[3] = {1.0 / D[0], 1.0 / D[4], 1.0 / D[8]};
    row6_four X[3], Y[3];
    find_rows(pivot, row);
    if (c->degree > 0) {
        solve_threes(D, inverse, row, n + nb[0].X, X);
        subtract_threes(n + nb[0].LB, X, n + target[0]);
    }
    if (c->degree > 1) {
        solve_threes(D, inverse, row, n + nb[1].X, Y);
        subtract_threes(n + nb[0].LB, Y, n + target[1]);
        subtract_threes(n + nb[1].LB, X, n + target[2]);
        subtract_threes(n + nb[1].LB, Y, n + target[3]);
    }
    return true;
}

/* y -= A x */
THREES_INLINE void subtract_times_three(const double *A, const double *x, double *restrict y)
{
    for (int i = 0; i < 3; i++)
        y[i] -= (A[3 * i] * x[0] + A[3 * i + 1] * x[1]) + A[3 * i + 2] * x[2];
}

THREES_INLINE void forward_threes(olo_elimination *el, const node *c)
{
    double *n = el->numbers, *x = n + c->x, y[3];
    const neighbour *nb = el->neighbours + c->first;
    const double *D = n + c->D;
    int row[3];
    find_rows(el->pivots + c->pivot, row);
    for (int i = 0; i < 3; i++)
        y[i] = n[c->z + row[i]];
    y[1] -= D[3] * y[0];
    y[2] -= D[6] * y[0];
    y[2] -= D[7] * y[1];
    y[2] = y[2] * (1.0 / D[8]);
    y[1] = (y[1] - D[5] * y[2]) * (1.0 / D[4]);
    y[0] = ((y[0] - D[1] * y[1]) - D[2] * y[2]) * (1.0 / D[0]);
    for (int i = 0; i < 3; i++)
        x[i] = y[i];
    for (int j = 0; j < c->degree; j++)
        subtract_times_three(n + nb[j].LB, y, n + nb[j].z);
}

THREES_INLINE void backward_threes(olo_elimination *el, const node *c)
{
    double *n = el->numbers, du[3];
    const neighbour *nb = el->neighbours + c->first;
    for (int i = 0; i < 3; i++)
        du[i] = -n[c->x + i];
    for (int j = 0; j < c->degree; j++)
        subtract_times_three(n + nb[j].X, n + nb[j].dt, du);
    for (int i = 0; i < 3; i++)
        n[c->du + i] = du[i];
}

#endif
