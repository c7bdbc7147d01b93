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

LANES_INLINE lane updates_dot(const lane3 a[2], const lane3 b[2], lane weight)
{
    return weight * lane3_dot(a[0], b[0]) + lane3_dot(a[1], b[1]);
}

/* Enters the update that four bodies should make; `columns` are known with the new one. */
LANES_INLINE void enter_update(updates *u, int newest, int columns, lane weight, lane3 shift,
                               lane3 spin, mixing_sums *to)
{
    const lane3 f[2] = {shift, spin};
    for (int k = 0; k < 2 && columns > 0; k++) {
        u->F[newest][k] = lane3_subtract(f[k], u->found[k]);
        u->S[newest][k] = lane3_add(u->made[k], u->F[newest][k]);
    }
    for (int i = 0; i < columns; i++) {
        to->right[i] += updates_dot(u->F[i], f, weight);
        for (int j = 0; j <= i; j++)
            to->square[i][j] += updates_dot(u->F[i], u->F[j], weight);
    }
    memcpy(u->found, f, sizeof f);
}

static double sum_of_lanes(lane x)
{
    return (x[0] + x[1]) + (x[2] + x[3]);
}

/* The theta of the columns, the newest first; one that depends on newer ones gets zero. */
static void solve_mixing(const mixing_sums *from, int newest, int columns, double theta[MIXED])
{
    const double dependent = 1e-10;
    double A[MIXED][MIXED], b[MIXED];
    bool used[MIXED];
    int row[MIXED];
    for (int i = 0; i < columns; i++)
        row[i] = (newest + columns - i) % columns;
    for (int i = 0; i < columns; i++) {
        b[i] = sum_of_lanes(from->right[row[i]]);
        for (int j = 0; j < columns; j++)
            A[i][j] = sum_of_lanes(row[i] >= row[j] ? from->square[row[i]][row[j]]
                                                    : from->square[row[j]][row[i]]);
    }
    for (int i = 0; i < columns; i++) {
        const double own = sum_of_lanes(from->square[row[i]][row[i]]);
        used[i] = A[i][i] > dependent * own;
        for (int k = i + 1; used[i] && k < columns; k++) {
            const double factor = A[k][i] / A[i][i];
            b[k] -= factor * b[i];
            for (int j = i; j < columns; j++)
                A[k][j] -= factor * A[i][j];
        }
    }
    for (int i = columns - 1; i >= 0; i--) {
        double sum = b[i];
        for (int j = i + 1; j < columns; j++)
            sum -= A[i][j] * theta[row[j]];
        theta[row[i]] = used[i] ? sum / A[i][i] : 0;
    }
}

/* The update that four bodies make. */
LANES_INLINE void mix_update(updates *u, int columns, const double *theta)
{
    memcpy(u->made, u->found, sizeof u->made);
    for (int j = 0; j < columns; j++)
        for (int k = 0; k < 2; k++)
            u->made[k] = lane3_subtract(u->made[k], lane3_times(lane_all(theta[j]), u->S[j][k]));
}

#endif
