/* Anderson's acceleration (linalg/anderson.h) of the updates of packed bodies with consistent
 * velocities: Newton's method without the variation of the load of reduced_rates.h converges
 * linearly, mostly along one or two directions. With the updates f_k that it finds and those s_k
 * that were made, the columns of the last iterations
 *
 *     F_j = f_j+1 - f_j,   S_j = s_j + F_j,   s_k = f_k - sum theta_j S_j,
 *     theta = argmin |f_k - sum theta_j F_j|,
 *
 * with lengths over the model's length beside angles.
 *
 * All is inline: packs_sweep.c, which alone includes this, is compiled for several processors. */
#ifndef OLO_STEPPING_PACKS_MIXING_H
#define OLO_STEPPING_PACKS_MIXING_H

#include "stepping/packs_local.h"

/* F^T F and F^T f, summed over bodies */
typedef struct mixing_sums {
    lane square[MIXED][MIXED], right[MIXED];
} mixing_sums;

/* The row of the update k iterations back. */
static inline int back(int now, int k)
{
    return (now + UPDATES - k) % UPDATES;
}

LANES_INLINE lane updates_dot(const lane3 a[2], const lane3 b[2], lane weight)
{
    return weight * lane3_dot(a[0], b[0]) + lane3_dot(a[1], b[1]);
}

/* F_j of four bodies, from the updates that are j and j + 1 iterations back. */
LANES_INLINE void mixing_column(const updates *u, int now, int j, lane3 F[2])
{
    for (int k = 0; k < 2; k++)
        F[k] = lane3_subtract(u->found[back(now, j)][k], u->found[back(now, j + 1)][k]);
}

LANES_INLINE void sum_columns(const updates *u, int now, int columns, lane weight, mixing_sums *to)
{
    lane3 F[MIXED][2];
    for (int i = 0; i < columns; i++) {
        mixing_column(u, now, i, F[i]);
        to->right[i] += updates_dot(F[i], u->found[now], weight);
        for (int j = 0; j <= i; j++)
            to->square[i][j] += updates_dot(F[i], F[j], weight);
    }
}

static double sum_of_lanes(lane x)
{
    return (x[0] + x[1]) + (x[2] + x[3]);
}

/* The theta of the columns, the newest first; one that depends on newer ones gets zero. */
static void solve_mixing(const mixing_sums *from, int columns, double theta[MIXED])
{
    const double dependent = 1e-10;
    double A[MIXED][MIXED], own[MIXED];
    for (int i = 0; i < columns; i++) {
        theta[i] = sum_of_lanes(from->right[i]);
        for (int j = 0; j <= i; j++)
            A[i][j] = A[j][i] = sum_of_lanes(from->square[i][j]);
        own[i] = A[i][i];
    }
    for (int i = 0; i < columns; i++)
        for (int k = i + 1; A[i][i] > dependent * own[i] && k < columns; k++) {
            const double factor = A[k][i] / A[i][i];
            theta[k] -= factor * theta[i];
            for (int j = i; j < columns; j++)
                A[k][j] -= factor * A[i][j];
        }
    for (int i = columns - 1; i >= 0; i--) {
        for (int j = i + 1; j < columns; j++)
            theta[i] -= A[i][j] * theta[j];
        theta[i] = A[i][i] > dependent * own[i] ? theta[i] / A[i][i] : 0;
    }
}

/* The update that four bodies make. */
LANES_INLINE void mix_update(updates *u, int now, int columns, const double *theta)
{
    for (int k = 0; k < 2; k++)
        u->made[now][k] = u->found[now][k];
    for (int j = 0; j < columns; j++) {
        lane3 F[2];
        mixing_column(u, now, j, F);
        for (int k = 0; k < 2; k++) {
            const lane3 S = lane3_add(u->made[back(now, j + 1)][k], F[k]);
            u->made[now][k] = lane3_subtract(u->made[now][k], lane3_times(lane_all(theta[j]), S));
        }
    }
}

#endif
