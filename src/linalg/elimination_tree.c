/* The articulated-body elimination: a frame c that is coupled to a frame p by a spatial joint only.
 * With
 *
 *     A = [I a^; 0 I], a = phi_p - phi_c at q1,   A^ the same at the midpoint,
 *     E = [0 0; (f/2)^ 0]
 *
 * the general elimination (elimination_sweep.c) becomes, from the leaves to the root,
 *
 *     y = B^^T K + kc,  D = y B + ku,  X = D^-1 (y A + kp),  M = K A - (K B) X
 *     K_p += A^^T M + E (I - A + B X)
 *     s = z + K e,  x = D^-1 (B^^T s + kc e),  z_p += A^^T (s - (K B) x) + E (B x - e)
 *     du = -x - X dt_p,  dt_c = A dt_p + B du + e,
 *
 * where products with A and E are cross products. This is the hot loop of chains and trees: the
 * functions are compiled once for each common number r of degrees of freedom, and sums stay in
 * local arrays. */
#include <string.h>

#include "linalg/elimination_private.h"
#include "linalg/row6.h"
#include "linalg/small.h"
#include "linalg/vec3.h"

#define INLINE static inline __attribute__((always_inline))

/* y + K x */
INLINE row6 times6(const double *K, const double *x, row6 y)
{
    const row6 column = row6_load(x);
    double sum[6];
    for (int i = 0; i < 6; i++)
        sum[i] = row6_dot(row6_load(K + 6 * i), column);
    return row6_add(y, row6_make(sum[0], sum[1], sum[2], sum[3], sum[4], sum[5]));
}

/* Reads the columns of a 6 x r matrix. */
INLINE void read_columns(int r, const double *B, row6 *columns)
{
    for (int k = 0; k < r; k++) {
        const double *b = B + k;
        columns[k] = row6_make(b[0], b[r], b[2 * r], b[3 * r], b[4 * r], b[5 * r]);
    }
}

/* y (r x 6) = B^^T K + kc and D (r x r) = y B + ku, factored */
INLINE bool form_joint_row(olo_elimination *el, const node *c, const int r, const row6 *columns,
                           row6 *y)
{
    const double *n = el->numbers, *K = n + c->diagonal, *B_hat = n + c->B_hat;
    double *D = el->numbers + c->D;
    for (int i = 0; i < r; i++) {
        row6 row = row6_load(n + c->kc + 6 * i);
        for (int l = 0; l < 6; l++)
            row = row6_add_times(row, B_hat[l * r + i], row6_load(K + 6 * l));
        for (int k = 0; k < r; k++)
            D[i * r + k] = n[c->ku + i * r + k] + row6_dot(row, columns[k]);
        y[i] = row;
    }
    return r == 0 || small_lu(r, D, el->pivots + c->pivot);
}

/* y + s x v (component i) of rows: s_j v_k - s_k v_j */
INLINE row6 add_cross_row(row6 y, const double s[3], const row6 v[3], int j, int k)
{
    return row6_add_times(row6_add_times(y, s[j], v[k]), -s[k], v[j]);
}

/* Rows of K_p: the upper three are those of M, the lower three M_l - am x M_u + f/2 x (I - A + B
 * X)_u. */
INLINE void add_to_parent(const row6 M[6], const row6 N[3], const double am[3], const double f[3],
                          double *Kp)
{
    const double back[3] = {-am[0], -am[1], -am[2]};
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const row6 lower = add_cross_row(add_cross_row(M[3 + i], back, M, j, k), f, N, j, k);
        row6_store(row6_add(row6_load(Kp + 6 * i), M[i]), Kp + 6 * i);
        row6_store(row6_add(row6_load(Kp + 18 + 6 * i), lower), Kp + 18 + 6 * i);
    }
}

/* The same for f = 0. */
INLINE void add_fixed_to_parent(const row6 M[6], const double am[3], double *Kp)
{
    const double back[3] = {-am[0], -am[1], -am[2]};
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const row6 lower = add_cross_row(M[3 + i], back, M, j, k);
        row6_store(row6_add(row6_load(Kp + 6 * i), M[i]), Kp + 6 * i);
        row6_store(row6_add(row6_load(Kp + 18 + 6 * i), lower), Kp + 18 + 6 * i);
    }
}

/* Eliminates frame c; false when D is singular. */
INLINE bool factor(olo_elimination *el, const node *c, const int r)
{
    double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    const double *K = n + c->diagonal, *B = n + c->B, *a = n + c->spatial;
    double *X = n + nb->X, *KB = n + nb->LB;
    row6 columns[6], y[6], M[6], N[3];
    read_columns(r, B, columns);
    if (!form_joint_row(el, c, r, columns, y))
        return false;
    /* X = D^-1 (y A + kp) */
    for (int i = 0; i < r; i++)
        row6_store(row6_add(row6_shift(y[i], a), row6_load(n + c->kp + 6 * i)), X + 6 * i);
    small_lu_solve(r, n + c->D, el->pivots + c->pivot, 6, X);
    for (int k = 0; k < r; k++)
        y[k] = row6_load(X + 6 * k);
    /* K B and M = K A - (K B) X, row by row */
    for (int i = 0; i < 6; i++) {
        const row6 row = row6_load(K + 6 * i);
        M[i] = row6_shift(row, a);
        for (int k = 0; k < r; k++) {
            const double kb = row6_dot(row, columns[k]);
            KB[i * r + k] = kb;
            M[i] = row6_add_times(M[i], -kb, y[k]);
        }
    }
    /* K_p += A^^T M + E (I - A + B X) */
    if (a[6] == 0 && a[7] == 0 && a[8] == 0) { /* A^, B^ are constant */
        add_fixed_to_parent(M, a + 3, n + el->targets[c->target]);
        return true;
    }
    /* upper rows of I - A + B X */
    N[0] = row6_make(0, 0, 0, 0, a[2], -a[1]);
    N[1] = row6_make(0, 0, 0, -a[2], 0, a[0]);
    N[2] = row6_make(0, 0, 0, a[1], -a[0], 0);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < r; k++)
            N[i] = row6_add_times(N[i], B[i * r + k], y[k]);
    }
    add_to_parent(M, N, a + 3, a + 6, n + el->targets[c->target]);
    return true;
}

/* Eliminates the right-hand side of frame c. */
INLINE void forward(olo_elimination *el, const node *c, const int r)
{
    double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    const double *B = n + c->B, *B_hat = n + c->B_hat, *KB = n + nb->LB, *a = n + c->spatial;
    double x[6], u[3] = {0, 0, 0}, *zp = n + el->nodes[nb->block].z;
    /* s = z + K e, x = D^-1 (B^^T s + kc e) */
    row6 s = row6_load(n + c->z), columns[6];
    if (el->has_gap)
        s = times6(n + c->diagonal, n + c->e, s);
    read_columns(r, B_hat, columns);
    for (int k = 0; k < r; k++) {
        x[k] = row6_dot(columns[k], s);
        if (el->has_gap)
            x[k] += row6_dot(row6_load(n + c->kc + 6 * k), row6_load(n + c->e));
    }
    small_lu_solve(r, n + c->D, el->pivots + c->pivot, 1, x);
    /* force s - (K B) x, and u = B x - e */
    read_columns(r, KB, columns);
    for (int k = 0; k < r; k++)
        s = row6_add_times(s, -x[k], columns[k]);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < r; k++)
            u[i] += B[i * r + k] * x[k];
        if (el->has_gap)
            u[i] -= n[c->e + i];
    }
    /* force x am + f/2 x (B x - e) */
    const double f0 = s.a[0], f1 = s.a[1], f2 = s.b[0], *m = a + 3, *f = a + 6;
    const row6 moment = row6_make(0, 0, 0, (f1 * m[2] - f2 * m[1]) + (f[1] * u[2] - f[2] * u[1]),
                                  (f2 * m[0] - f0 * m[2]) + (f[2] * u[0] - f[0] * u[2]),
                                  (f0 * m[1] - f1 * m[0]) + (f[0] * u[1] - f[1] * u[0]));
    row6_store(row6_add(row6_load(zp), row6_add(s, moment)), zp);
    memcpy(n + c->x, x, (size_t)r * sizeof *x);
}

/* Back substitution of frame c. */
INLINE void backward(olo_elimination *el, const node *c, const int r)
{
    double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    const double *X = n + nb->X, *tp = n + el->nodes[nb->block].dt;
    const row6 parent = row6_load(tp);
    double carried[3];
    row6 columns[6];
    read_columns(r, n + c->B, columns);
    /* dt = A dt_p + e */
    vec3_cross(n + c->spatial, tp + 3, carried);
    row6 dt = row6_add(parent, row6_make(carried[0], carried[1], carried[2], 0, 0, 0));
    if (el->has_gap)
        dt = row6_add(dt, row6_load(n + c->e));
    /* du = -x - X dt_p, dt += B du */
    for (int k = 0; k < r; k++) {
        const double du = -n[c->x + k] - row6_dot(row6_load(X + 6 * k), parent);
        n[c->du + k] = du;
        dt = row6_add_times(dt, du, columns[k]);
    }
    row6_store(dt, n + c->dt);
}

/* A frame on the ground without later neighbours needs only y = B^^T K + kc and the factors of D =
 * y B + ku. */
INLINE bool factor_root(olo_elimination *el, const node *c, const int r)
{
    row6 columns[6], y[6];
    read_columns(r, el->numbers + c->B, columns);
    bool regular = form_joint_row(el, c, r, columns, y);
    for (int k = 0; k < r; k++)
        row6_store(y[k], el->numbers + c->y + 6 * k);
    return regular;
}

/* du = -D^-1 (B^^T z + y e), dt = B du + e */
INLINE void solve_root(olo_elimination *el, const node *c, const int r)
{
    double *n = el->numbers, x[6];
    const double *z = n + c->z, *B_hat = n + c->B_hat;
    row6 columns[6], dt = row6_zero();
    read_columns(r, n + c->B, columns);
    for (int k = 0; k < r; k++) {
        x[k] = 0;
        for (int l = 0; l < 6; l++)
            x[k] += B_hat[l * r + k] * z[l];
        if (el->has_gap)
            x[k] += row6_dot(row6_load(n + c->y + 6 * k), row6_load(n + c->e));
    }
    small_lu_solve(r, n + c->D, el->pivots + c->pivot, 1, x);
    if (el->has_gap)
        dt = row6_load(n + c->e);
    for (int k = 0; k < r; k++) {
        n[c->du + k] = -x[k];
        dt = row6_add_times(dt, -x[k], columns[k]);
    }
    row6_store(dt, n + c->dt);
}

/* f(el, c, r), compiled for the common values of r */
#define FOR_EACH_DOF(f, el, c)                                                                     \
    switch ((c)->shape.dof) {                                                                      \
    case 0:                                                                                        \
        return f(el, c, 0);                                                                        \
    case 1:                                                                                        \
        return f(el, c, 1);                                                                        \
    case 3:                                                                                        \
        return f(el, c, 3);                                                                        \
    default:                                                                                       \
        return f(el, c, (c)->shape.dof);                                                           \
    }

bool olo_elimination_factor_root(olo_elimination *el, const node *c)
{
    FOR_EACH_DOF(factor_root, el, c)
}

void olo_elimination_solve_root(olo_elimination *el, const node *c)
{
    FOR_EACH_DOF(solve_root, el, c)
}

bool olo_elimination_factor_articulated(olo_elimination *el, const node *c)
{
    FOR_EACH_DOF(factor, el, c)
}

void olo_elimination_forward_articulated(olo_elimination *el, const node *c)
{
    FOR_EACH_DOF(forward, el, c)
}

void olo_elimination_backward_articulated(olo_elimination *el, const node *c)
{
    FOR_EACH_DOF(backward, el, c)
}

/* mu = -(z + K dt) of a frame without coupling blocks in K */
void olo_elimination_compute_wrench(const olo_elimination *el, const node *c, double *mu)
{
    const double *n = el->numbers;
    const row6 sum = times6(n + c->diagonal, n + c->dt, row6_load(n + c->z));
    row6_store(row6_add_times(row6_zero(), -1.0, sum), mu);
}
