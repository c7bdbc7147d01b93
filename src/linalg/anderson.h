/* Anderson's acceleration of an iteration that finds updates f_k and makes updates s_k (Anderson
 * 1965; Walker and Ni 2011). With the differences of the last iterations as columns,
 *
 *     F_j = f_j+1 - f_j,   S_j = s_j + F_j,   s_k = f_k - sum theta_j S_j,
 *     theta = argmin |f_k - sum theta_j F_j|.
 *
 * For a linear problem this is nearly GMRES. All is inline: sweeps over packs are compiled for
 * several processors. */
#ifndef OLO_LINALG_ANDERSON_H
#define OLO_LINALG_ANDERSON_H

#include <stdbool.h>
#include <string.h>

#include "base/pool.h"
#include "linalg/lanes.h"

enum { OLO_ANDERSON_DEPTH = 4 }; /* most columns */

typedef struct olo_anderson {
    int size;      /* of an update, rounded up to whole lanes */
    int depth;     /* columns */
    int count;     /* updates since the start; that of iteration k is in row k % (depth + 1) */
    double *found; /* [depth + 1][size] */
    double *mixed; /* [depth + 1][size] */
    const double *made[OLO_ANDERSON_DEPTH + 1]; /* rows of one of the two */
    double *weight;                             /* [size] of the norm, set by the caller */
} olo_anderson;

/* Arrays from a pool, zeroed. False: no memory. */
bool olo_anderson_create(olo_anderson *a, int size, int depth, olo_pool *pool);
/* Earlier updates are no longer mixed. */
LANES_INLINE void olo_anderson_restart(olo_anderson *a)
{
    a->count = 0;
}

/* The row of the update `back` iterations ago. */
LANES_INLINE int olo_anderson_row(const olo_anderson *a, int back)
{
    const int count = a->depth + 1;
    return (a->count + count - back) % count;
}

/* [size] where the caller writes the update that this iteration finds. */
LANES_INLINE double *olo_anderson_found(const olo_anderson *a)
{
    return a->found + (size_t)olo_anderson_row(a, 0) * (size_t)a->size;
}

/* The updates of the last iterations, the newest first. */
typedef struct olo_anderson_updates {
    const double *found[OLO_ANDERSON_DEPTH + 1], *made[OLO_ANDERSON_DEPTH + 1];
} olo_anderson_updates;

LANES_INLINE double olo_anderson_sum(lane x)
{
    return (x[0] + x[1]) + (x[2] + x[3]);
}

/* The normal equations, F^T F and F^T f. */
typedef struct olo_anderson_sums {
    double square[OLO_ANDERSON_DEPTH][OLO_ANDERSON_DEPTH], right[OLO_ANDERSON_DEPTH];
} olo_anderson_sums;

LANES_INLINE void olo_anderson_form(const olo_anderson *a, const olo_anderson_updates *u,
                                    const int columns, olo_anderson_sums *to)
{
    lane square[OLO_ANDERSON_DEPTH][OLO_ANDERSON_DEPTH], right[OLO_ANDERSON_DEPTH];
    memset(square, 0, sizeof square);
    memset(right, 0, sizeof right);
    for (int k = 0; k < a->size; k += LANES) {
        const lane weight = lane_load(a->weight + k);
        lane F[OLO_ANDERSON_DEPTH], newer = lane_load(u->found[0] + k);
        const lane f = weight * newer;
        for (int i = 0; i < columns; i++) {
            const lane older = lane_load(u->found[i + 1] + k);
            F[i] = newer - older;
            newer = older;
            right[i] += F[i] * f;
            const lane weighted = weight * F[i];
            for (int j = 0; j <= i; j++)
                square[i][j] += weighted * F[j];
        }
    }
    for (int i = 0; i < columns; i++) {
        to->right[i] = olo_anderson_sum(right[i]);
        for (int j = 0; j <= i; j++)
            to->square[i][j] = to->square[j][i] = olo_anderson_sum(square[i][j]);
    }
}

/* theta; a column of which only this share of its square is independent of newer ones gets zero */
LANES_INLINE void olo_anderson_solve(olo_anderson_sums *x, int columns,
                                     double theta[OLO_ANDERSON_DEPTH])
{
    const double dependent = 1e-10;
    double least[OLO_ANDERSON_DEPTH];
    for (int i = 0; i < columns; i++)
        least[i] = dependent * x->square[i][i];
    for (int i = 0; i < columns; i++)
        for (int k = i + 1; x->square[i][i] > least[i] && k < columns; k++) {
            const double factor = x->square[k][i] / x->square[i][i];
            x->right[k] -= factor * x->right[i];
            for (int j = i; j < columns; j++)
                x->square[k][j] -= factor * x->square[i][j];
        }
    for (int i = columns - 1; i >= 0; i--) {
        theta[i] = x->right[i];
        for (int j = i + 1; j < columns; j++)
            theta[i] -= x->square[i][j] * theta[j];
        theta[i] = x->square[i][i] > least[i] ? theta[i] / x->square[i][i] : 0;
    }
}

LANES_INLINE void olo_anderson_subtract(const olo_anderson *a, const olo_anderson_updates *u,
                                        const int columns, const double *theta, double *made)
{
    for (int k = 0; k < a->size; k += LANES) {
        lane newer = lane_load(u->found[0] + k), sum = newer;
        for (int i = 0; i < columns; i++) {
            const lane older = lane_load(u->found[i + 1] + k);
            sum -= lane_all(theta[i]) * (lane_load(u->made[i + 1] + k) + (newer - older));
            newer = older;
        }
        lane_store(sum, made + k);
    }
}

LANES_INLINE void olo_anderson_mix(const olo_anderson *a, const olo_anderson_updates *u,
                                   const int columns, double *made)
{
    double theta[OLO_ANDERSON_DEPTH];
    olo_anderson_sums equations;
    olo_anderson_form(a, u, columns, &equations);
    olo_anderson_solve(&equations, columns, theta);
    olo_anderson_subtract(a, u, columns, theta, made);
}

/* The update to be made, after that: if not `mixed`, the one that was found. Valid until the next
 * call. */
LANES_INLINE const double *olo_anderson_next(olo_anderson *a, bool mixed)
{
    const int columns = !mixed                ? 0
                        : a->count < a->depth ? a->count
                                              : a->depth,
              now = olo_anderson_row(a, 0);
    double *made = a->mixed + (size_t)now * (size_t)a->size;
    olo_anderson_updates u;
    for (int j = 0; j <= columns; j++) {
        u.found[j] = a->found + (size_t)olo_anderson_row(a, j) * (size_t)a->size;
        u.made[j] = a->made[olo_anderson_row(a, j)];
    }
    if (columns == 1)
        olo_anderson_mix(a, &u, 1, made);
    else if (columns == 2)
        olo_anderson_mix(a, &u, 2, made);
    else if (columns > 2)
        olo_anderson_mix(a, &u, columns, made);
    a->made[now] = columns > 0 ? made : u.found[0];
    a->count++;
    return a->made[now];
}

#endif
