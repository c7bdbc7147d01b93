/* The articulated sweep: a frame c that hangs on a frame p by a spatial joint and by nothing else. With
 *
 *     A = [I a^; 0 I], a = phi_p - phi_c at q1,   A^ the same at the midpoint,   E = [0 0; (f/2)^ 0]
 *
 * the general elimination (elimination_sweep.c) becomes, leaf to root,
 *
 *     y = B^^T K + kc,  D = y B + ku,  X = D^-1 (y A + kp),  M = K A - (K B) X
 *     K_p += A^^T M + E (I - A + B X)
 *     s = z + K e,  x = D^-1 (B^^T s + kc e),  z_p += A^^T (s - (K B) x) + E (B x - e)
 *     du = -x - X dt_p,  dt_c = A dt_p + B du + e,
 *
 * where products with A and E are cross products. This is the hot loop of chains and trees: the functions are
 * compiled once for each usual number r of degrees of freedom, and sums stay in local arrays.
 */
#include <string.h>

#include "linalg/elimination_private.h"
#include "linalg/row6.h"
#include "linalg/small.h"
#include "linalg/vec3.h"

#define INLINE static inline __attribute__((always_inline))

/* y (6) + K x */
INLINE void add_times6(const double *K, const double *x, double *y)
{
    const row6 column = row6_load(x);
    for (int i = 0; i < 6; i++)
        y[i] += row6_dot(row6_load(K + 6 * i), column);
}

/* columns of a 6 x r matrix */
INLINE void read_columns(int r, const double *B, row6 *columns)
{
    for (int k = 0; k < r; k++) {
        double column[6];
        for (int l = 0; l < 6; l++)
            column[l] = B[l * r + k];
        columns[k] = row6_load(column);
    }
}

/* y (r x 6) = B^^T K + kc and D (r x r) = y B + ku, factored */
INLINE bool joint_row(olo_elimination *el, const node *c, const int r, const row6 *columns, row6 *y)
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

/* Rows of K_p: the upper three are those of M, the lower three M_l - am x M_u + f/2 x (I - A + B X)_u. */
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

INLINE bool factor(olo_elimination *el, const node *c, const int r)
{
    double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    const double *K = n + c->diagonal, *B = n + c->B, *a = n + c->spatial;
    double *X = n + nb->X, *KB = n + nb->LB;
    row6 columns[6], y[6], M[6], N[3];
    read_columns(r, B, columns);
    if (!joint_row(el, c, r, columns, y))
        return false;
    for (int i = 0; i < r; i++)
        row6_store(row6_add(row6_shift(y[i], a), row6_load(n + c->kp + 6 * i)), X + 6 * i);
    small_lu_solve(r, n + c->D, el->pivots + c->pivot, 6, X);
    for (int k = 0; k < r; k++)
        y[k] = row6_load(X + 6 * k);
    for (int i = 0; i < 6; i++) {
        const row6 row = row6_load(K + 6 * i);
        M[i] = row6_shift(row, a);
        for (int k = 0; k < r; k++) {
            const double kb = row6_dot(row, columns[k]);
            KB[i * r + k] = kb;
            M[i] = row6_add_times(M[i], -kb, y[k]);
        }
    }
    /* upper rows of I - A + B X */
    const double shift[3][6] = {
        {0, 0, 0, 0, a[2], -a[1]}, {0, 0, 0, -a[2], 0, a[0]}, {0, 0, 0, a[1], -a[0], 0}};
    for (int i = 0; i < 3; i++) {
        N[i] = row6_load(shift[i]);
        for (int k = 0; k < r; k++)
            N[i] = row6_add_times(N[i], B[i * r + k], y[k]);
    }
    add_to_parent(M, N, a + 3, a + 6, n + el->targets[c->target]);
    return true;
}

INLINE void forward(olo_elimination *el, const node *c, const int r)
{
    double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    const double *B = n + c->B, *B_hat = n + c->B_hat, *KB = n + nb->LB, *a = n + c->spatial;
    double s[6], x[6], moved[3] = {0, 0, 0}, *zp = n + el->nodes[nb->block].z;
    memcpy(s, n + c->z, sizeof s);
    if (el->has_gap)
        add_times6(n + c->diagonal, n + c->e, s);
    for (int k = 0; k < r; k++) {
        x[k] = 0;
        for (int l = 0; l < 6; l++)
            x[k] += B_hat[l * r + k] * s[l];
        if (el->has_gap)
            x[k] += row6_dot(row6_load(n + c->kc + 6 * k), row6_load(n + c->e));
    }
    small_lu_solve(r, n + c->D, el->pivots + c->pivot, 1, x);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < r; k++)
            s[i] -= KB[i * r + k] * x[k];
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < r; k++)
            moved[i] += B[i * r + k] * x[k];
        if (el->has_gap)
            moved[i] -= n[c->e + i];
    }
    vec3_add_cross(s, a + 3, s + 3);
    vec3_add_cross(a + 6, moved, s + 3);
    for (int i = 0; i < 6; i++)
        zp[i] += s[i];
    memcpy(n + c->x, x, (size_t)r * sizeof *x);
}

INLINE void backward(olo_elimination *el, const node *c, const int r)
{
    double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    const double *X = n + nb->X, *tp = n + el->nodes[nb->block].dt;
    const row6 parent = row6_load(tp);
    double carried[6] = {0};
    row6 columns[6];
    read_columns(r, n + c->B, columns);
    vec3_add_cross(n + c->spatial, tp + 3, carried);
    row6 dt = row6_add(parent, row6_load(carried));
    if (el->has_gap)
        dt = row6_add(dt, row6_load(n + c->e));
    for (int k = 0; k < r; k++) {
        const double du = -n[c->x + k] - row6_dot(row6_load(X + 6 * k), parent);
        n[c->du + k] = du;
        dt = row6_add_times(dt, du, columns[k]);
    }
    row6_store(dt, n + c->dt);
}

/* y = B^^T K + kc, D = y B + ku, factored: all there is to a frame on the ground that nothing is left to couple */
INLINE bool factor_root(olo_elimination *el, const node *c, const int r)
{
    row6 columns[6], y[6];
    read_columns(r, el->numbers + c->B, columns);
    bool regular = joint_row(el, c, r, columns, y);
    for (int k = 0; k < r; k++)
        row6_store(y[k], el->numbers + c->y + 6 * k);
    return regular;
}

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

/* f(el, c, r) with r known to the compiler where it is a usual one */
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

bool olo_elimination_root_factor(olo_elimination *el, const node *c)
{
    FOR_EACH_DOF(factor_root, el, c)
}

void olo_elimination_root_solve(olo_elimination *el, const node *c)
{
    FOR_EACH_DOF(solve_root, el, c)
}

bool olo_elimination_light_factor(olo_elimination *el, const node *c)
{
    FOR_EACH_DOF(factor, el, c)
}

void olo_elimination_light_forward(olo_elimination *el, const node *c)
{
    FOR_EACH_DOF(forward, el, c)
}

void olo_elimination_light_backward(olo_elimination *el, const node *c)
{
    FOR_EACH_DOF(backward, el, c)
}

/* mu = -(z + K dt) of a frame that K couples to nothing */
void olo_elimination_frame_wrench(const olo_elimination *el, const node *c, double *mu)
{
    double sum[6];
    memcpy(sum, el->numbers + c->z, sizeof sum);
    add_times6(el->numbers + c->diagonal, el->numbers + c->dt, sum);
    for (int i = 0; i < 6; i++)
        mu[i] = -sum[i];
}
