/* The articulated sweep: a frame c that hangs on a frame p by a spatial joint and by nothing else. With
 *
 *     A = [I a^; 0 I], a = phi_p - phi_c at q1,   A^ the same at the midpoint,   E = [0 0; (f/2)^ 0]
 *
 * the general elimination (elimination_sweep.c) becomes, leaf to root,
 *
 *     G = A^^T K - E,  y = B^^T K + kc,  D = y B + ku,  X = D^-1 (y A + kp)
 *     K_p += G A - (G B) X + E,     z_p += A^^T (z + K e) - E e - (G B) x,   x = D^-1 (B^^T (z + K e) + kc e)
 *     du = -x - X dt_p,  dt_c = A dt_p + B du + e,
 *
 * where products with A are cross products. This is the hot loop of chains and trees.
 */
#include <string.h>

#include "linalg/elimination_private.h"
#include "linalg/small.h"
#include "linalg/vec3.h"

/* a of [I a^; 0 I], d x 6 row-major */
static inline void read_shift(const double *A, double a[3])
{
    a[0] = -A[1 * 6 + 5];
    a[1] = A[0 * 6 + 5];
    a[2] = -A[0 * 6 + 4];
}

/* f/2 of E */
static inline void read_force(const double *E, double f[3])
{
    f[0] = -E[4 * 6 + 2];
    f[1] = E[3 * 6 + 2];
    f[2] = -E[3 * 6 + 1];
}

/* lower left of C += s f^ */
static inline void add_force(double s, const double f[3], double *C)
{
    C[3 * 6 + 1] -= s * f[2];
    C[3 * 6 + 2] += s * f[1];
    C[4 * 6 + 0] += s * f[2];
    C[4 * 6 + 2] -= s * f[0];
    C[5 * 6 + 0] -= s * f[1];
    C[5 * 6 + 1] += s * f[0];
}

/* row A = [row_l, row_r + row_l x a] */
static inline void row_times_shift(const double *row, const double a[3], double *out)
{
    out[0] = row[0];
    out[1] = row[1];
    out[2] = row[2];
    out[3] = row[3] + row[1] * a[2] - row[2] * a[1];
    out[4] = row[4] + row[2] * a[0] - row[0] * a[2];
    out[5] = row[5] + row[0] * a[1] - row[1] * a[0];
}

static inline __attribute__((always_inline)) bool factor(olo_elimination *el, const node *c,
                                                         const int r)
{
    double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    const double *K = n + c->diagonal, *B = n + c->B, *B_hat = n + c->B_hat;
    double *Kp = n + el->targets[c->target], *X = n + nb->X, *GB = n + nb->LB;
    double *D = n + c->D, y[6 * 6], G[36], a1[3], am[3], f[3];
    int *pivot = el->pivots + c->pivot;
    read_shift(n + c->A, a1);
    read_shift(n + c->A_hat, am);
    read_force(n + c->Ep, f);
    /* G = A^^T K - E: lower rows minus am x upper rows */
    memcpy(G, K, 18 * sizeof *G);
    for (int j = 0; j < 6; j++) {
        G[18 + j] = K[18 + j] - am[1] * K[12 + j] + am[2] * K[6 + j];
        G[24 + j] = K[24 + j] - am[2] * K[j] + am[0] * K[12 + j];
        G[30 + j] = K[30 + j] - am[0] * K[6 + j] + am[1] * K[j];
    }
    add_force(-1.0, f, G);
    for (int i = 0; i < r; i++) {
        double *row = y + 6 * i;
        memcpy(row, n + c->kc + 6 * i, 6 * sizeof *row);
        for (int l = 0; l < 6; l++)
            for (int j = 0; j < 6; j++)
                row[j] += B_hat[l * r + i] * K[6 * l + j];
        row_times_shift(row, a1, X + 6 * i);
        for (int j = 0; j < 6; j++)
            X[6 * i + j] += n[c->kp + 6 * i + j];
        for (int k = 0; k < r; k++) {
            double sum = n[c->ku + i * r + k];
            for (int l = 0; l < 6; l++)
                sum += row[l] * B[l * r + k];
            D[i * r + k] = sum;
        }
    }
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < r; k++) {
            double sum = 0;
            for (int l = 0; l < 6; l++)
                sum += G[6 * i + l] * B[l * r + k];
            GB[i * r + k] = sum;
        }
    if (r > 0) {
        if (!small_lu(r, D, pivot))
            return false;
        small_lu_solve(r, D, pivot, 6, X);
    }
    for (int i = 0; i < 6; i++) {
        double row[6];
        row_times_shift(G + 6 * i, a1, row);
        for (int k = 0; k < r; k++)
            for (int j = 0; j < 6; j++)
                row[j] -= GB[i * r + k] * X[6 * k + j];
        for (int j = 0; j < 6; j++)
            Kp[6 * i + j] += row[j];
    }
    add_force(1.0, f, Kp);
    return true;
}

/* y = B^^T K + kc, D = y B + ku, factored: all there is to a frame on the ground that nothing is left to couple */
static inline __attribute__((always_inline)) bool factor_root(olo_elimination *el, const node *c,
                                                              const int r)
{
    double *n = el->numbers, *y = n + c->y, *D = n + c->D;
    const double *K = n + c->diagonal, *B = n + c->B, *B_hat = n + c->B_hat;
    for (int i = 0; i < r; i++) {
        double *row = y + 6 * i;
        for (int j = 0; j < 6; j++)
            row[j] = n[c->kc + 6 * i + j];
        for (int l = 0; l < 6; l++)
            for (int j = 0; j < 6; j++)
                row[j] += B_hat[l * r + i] * K[6 * l + j];
        for (int k = 0; k < r; k++) {
            double sum = n[c->ku + i * r + k];
            for (int l = 0; l < 6; l++)
                sum += row[l] * B[l * r + k];
            D[i * r + k] = sum;
        }
    }
    return r == 0 || small_lu(r, D, el->pivots + c->pivot);
}

static inline __attribute__((always_inline)) void solve_root(olo_elimination *el, const node *c,
                                                             const int r)
{
    double *n = el->numbers, *x = n + c->x, *du = n + c->du, *dt = n + c->dt;
    const double *z = n + c->z, *e = n + c->e, *y = n + c->y;
    const double *B = n + c->B, *B_hat = n + c->B_hat;
    for (int k = 0; k < r; k++) {
        x[k] = 0;
        for (int l = 0; l < 6; l++)
            x[k] += B_hat[l * r + k] * z[l];
        for (int l = 0; el->has_gap && l < 6; l++)
            x[k] += y[6 * k + l] * e[l];
    }
    small_lu_solve(r, n + c->D, el->pivots + c->pivot, 1, x);
    memcpy(dt, e, 6 * sizeof *dt);
    for (int k = 0; k < r; k++) {
        du[k] = -x[k];
        for (int i = 0; i < 6; i++)
            dt[i] += B[i * r + k] * du[k];
    }
}

bool olo_elimination_root_factor(olo_elimination *el, const node *c)
{
    switch (c->shape.dof) {
    case 1:
        return factor_root(el, c, 1);
    case 3:
        return factor_root(el, c, 3);
    default:
        return factor_root(el, c, c->shape.dof);
    }
}

void olo_elimination_root_solve(olo_elimination *el, const node *c)
{
    switch (c->shape.dof) {
    case 1:
        solve_root(el, c, 1);
        break;
    case 3:
        solve_root(el, c, 3);
        break;
    default:
        solve_root(el, c, c->shape.dof);
    }
}

bool olo_elimination_light_factor(olo_elimination *el, const node *c)
{
    switch (c->shape.dof) {
    case 0:
        return factor(el, c, 0);
    case 1:
        return factor(el, c, 1);
    case 3:
        return factor(el, c, 3);
    default:
        return factor(el, c, c->shape.dof);
    }
}

void olo_elimination_light_forward(olo_elimination *el, const node *c)
{
    double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    int r = c->shape.dof;
    const double *e = n + c->e, *K = n + c->diagonal, *B_hat = n + c->B_hat, *GB = n + nb->LB;
    double z[6], *x = n + c->x, *zp = n + el->nodes[nb->block].z, am[3], f[3],
                 moment[3] = {0, 0, 0};
    memcpy(z, n + c->z, sizeof z);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            z[i] += K[6 * i + j] * e[j];
    for (int k = 0; k < r; k++) {
        x[k] = 0;
        for (int l = 0; l < 6; l++)
            x[k] += B_hat[l * r + k] * z[l] + n[c->kc + 6 * k + l] * e[l];
    }
    small_lu_solve(r, n + c->D, el->pivots + c->pivot, 1, x);
    read_shift(n + c->A_hat, am);
    read_force(n + c->Ep, f);
    /* A^^T z - E e */
    vec3_add_cross(z, am, moment);
    vec3_add_cross(e, f, moment);
    for (int i = 0; i < 3; i++) {
        zp[i] += z[i];
        zp[3 + i] += z[3 + i] + moment[i];
    }
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < r; k++)
            zp[i] -= GB[i * r + k] * x[k];
}

void olo_elimination_light_backward(olo_elimination *el, const node *c)
{
    double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    int r = c->shape.dof;
    const double *tp = n + el->nodes[nb->block].dt, *X = n + nb->X, *B = n + c->B;
    double *du = n + c->du, *dt = n + c->dt, a1[3];
    read_shift(n + c->A, a1);
    memcpy(dt, n + c->e, 6 * sizeof *dt);
    for (int i = 0; i < 6; i++)
        dt[i] += tp[i];
    vec3_add_cross(a1, tp + 3, dt);
    for (int k = 0; k < r; k++) {
        du[k] = -n[c->x + k];
        for (int j = 0; j < 6; j++)
            du[k] -= X[6 * k + j] * tp[j];
        for (int i = 0; i < 6; i++)
            dt[i] += B[i * r + k] * du[k];
    }
}
