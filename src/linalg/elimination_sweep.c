/* The elimination of a block; the system is in elimination.h. Block c with parent p and joint
 * A, A^, B, B^ leaves, in the rows a and columns b of its later neighbours,
 *
 *     y = B^^T K_cc + kc,  D = y B + ku,  Y_b = B^^T K_cb,  Y_p += y A + kp,  X_b = D^-1 Y_b
 *     L_a = K_ac,  L_p += A^^T K_cc + Ec,  K_pb += A^^T K_cb,  K_pp += Ep
 *     K_ap += L_a A,  K_ab -= (L_a B) X_b
 *
 * and of the right-hand side, with s = z_c + K_cc e and the gap e of the joint,
 *
 *     x = D^-1 (B^^T s + kc e + z^_c),  z_p += A^^T s + Ec e,  z_a += K_ac e - (L_a B) x.
 *
 * Columns of a fixed frame, on the ground without degrees of freedom, are left out: its dt is zero.
 * Its rows remain, for its wrench.
 *
 * Back substitution: du = -x - sum_b X_b dt_b, dt_c = A dt_p + B du + e.
 *
 * A block is of one of three kinds.
 * - A frame, on the ground or on another frame. Its joint is spatial,
 *
 *       A = [I a^; 0 I],  a = phi_p - phi_c at q1,  A^ the same at the midpoint,
 *       Ep = -Ec = E = [0 0; (f/2)^ 0],
 *
 *   so that products with A and E are cross products and E - E A is zero but for
 *   (a.f/2) I - a (x) f/2 in its last block. Frames are compiled for each number r of degrees of
 *   freedom. This is the hot loop: a frame that only its joint couples to its parent is one body of
 *   the articulated-body algorithm.
 * - A plain block, without a joint: D = K_cc, X_b and L_a are K_cb and K_ac, in the same memory.
 *   A closure all of whose rows are active is eliminated in the same way. Points and triads of
 *   directors among others have kernels for three numbers (elimination_threes.h).
 * - Any other: points on rods, with dense A, and closures with redundant rows, with B and B^ of
 *   their active directions.
 *
 * This file is compiled a second time for processors with registers of four numbers
 * (elimination_wide.c), to the same bits. */
#include <string.h>

#include "base/inline.h"
#include "linalg/elimination_joint.h"
#include "linalg/elimination_threes.h"

#ifndef OLO_ELIMINATION_KERNELS
#define OLO_ELIMINATION_KERNELS olo_elimination_kernels_plain
#endif

#define INLINE OLO_INLINE

/* C (m x n) -= A (m x k) B (k x n) */
INLINE void subtract_product(int m, const int k, int n, const double *A, const double *B, double *C)
{
    FOR_EACH_WIDTH(n, small_add_product(m, k, WIDTH, -1.0, A, B, C));
}

/* C (k x n) += A^T (m x k) B (m x n) */
INLINE void add_transposed(const int m, const int k, int n, const double *A, const double *B,
                           double *C)
{
    FOR_EACH_WIDTH(n, small_add_transposed_product(m, k, WIDTH, 1.0, A, B, C));
}

/* C (m x n) += A (m x k) B (k x n) */
INLINE void add_product(int m, const int k, int n, const double *A, const double *B, double *C)
{
    FOR_EACH_WIDTH(n, small_add_product(m, k, WIDTH, 1.0, A, B, C));
}

/* a . x of n numbers */
INLINE double dot(const int n, const double *a, const double *x)
{
    if (n == 6)
        return row6_dot(row6_load(a), row6_load(x));
    if (n >= 4) {
        const small_row u = small_row_load(n, a), v = small_row_load(n, x);
        const row6_four product = u.four * v.four;
        const double sum = (product[0] + product[2]) + (product[1] + product[3]);
        return n == 5 ? sum + u.one * v.one : sum;
    }
    double sum = n > 0 ? a[0] * x[0] : 0;
    for (int k = 1; k < n; k++)
        sum += a[k] * x[k];
    return sum;
}

/* y (m) -= A (m x n) x */
INLINE void subtract_times(int m, const int n, const double *A, const double *x, double *restrict y)
{
    for (int i = 0; i < m; i++)
        y[i] -= dot(n, A + i * n, x);
}

/* y (m) += A (m x n) x */
INLINE void add_times(int m, const int n, const double *A, const double *x, double *restrict y)
{
    for (int i = 0; i < m; i++)
        y[i] += dot(n, A + i * n, x);
}

/* D (r x r) <- its factors; false: singular */
INLINE bool factor_pivot(const olo_elimination *el, const node *c, int r)
{
    double *D = el->numbers + c->D;
    int *pivot = el->pivots + c->pivot;
    bool regular = true;
    FOR_EACH_WIDTH(r, regular = small_lu(WIDTH, D, pivot));
    return regular;
}

/* X (r x n) <- D^-1 X */
INLINE void solve(const olo_elimination *el, const node *c, const int r, int n, double *X)
{
    const double *D = el->numbers + c->D;
    const int *pivot = el->pivots + c->pivot;
    FOR_EACH_WIDTH(n, small_lu_solve(r, D, pivot, WIDTH, X));
}

/* x (r) <- D^-1 x */
INLINE void solve_one(const olo_elimination *el, const node *c, const int r, double *x)
{
    small_lu_solve(r, el->numbers + c->D, el->pivots + c->pivot, 1, x);
}

/* ---- frames ---------------------------------------------------------------------------------- */

INLINE void load_rows(const double *K, row6 rows[6])
{
    for (int i = 0; i < 6; i++)
        rows[i] = row6_load(K + 6 * i);
}

/* The columns of a 6 x r matrix. */
INLINE void load_columns(const int r, const double *B, row6 *columns)
{
    for (int k = 0; k < r; k++)
        columns[k] = column_of(r, B, k);
}

/* y (r x 6) = B^^T K + kc and D (r x r) = y B + ku, factored */
INLINE bool form_joint_row(olo_elimination *el, const node *c, const int r, const row6 K[6],
                           const row6 *columns, row6 *y)
{
    double *n = el->numbers, *D = n + c->D;
    const double *B_hat = n + c->B_hat;
    for (int i = 0; i < r; i++) {
        row6 row = row6_load(n + c->kc + 6 * i);
        for (int l = 0; l < 6; l++)
            row = row6_add_times(row, B_hat[l * r + i], K[l]);
        for (int k = 0; k < r; k++)
            D[i * r + k] = n[c->ku + i * r + k] + row6_dot(row, columns[k]);
        y[i] = row;
    }
    return r == 0 || small_lu(r, D, el->pivots + c->pivot);
}

/* X_b = D^-1 Y_b of all later neighbours b */
INLINE void form_couplings(olo_elimination *el, const node *c, const int r, const row6 *y)
{
    double *n = el->numbers;
    for (int j = 0; j < c->degree; j++) {
        const neighbour *b = el->neighbours + c->first + j;
        double *X = n + b->X;
        if (b->fixed)
            continue;
        if (j == c->parent_slot)
            for (int i = 0; i < r; i++)
                row6_store(row6_add(row6_shift(y[i], row6_arm_make(n + c->arms)),
                                    row6_load(n + c->kp + 6 * i)),
                           X + 6 * i);
        else
            memset(X, 0, (size_t)(r * b->size) * sizeof *X);
        if (b->upper >= 0)
            add_transposed(6, r, b->size, n + c->B_hat, n + b->upper, X);
        solve(el, c, r, b->size, X);
    }
}

/* rows i of U - a x U: the cross product of a with three rows */
INLINE row6 subtract_cross(row6 row, const double a[3], const row6 U[3], int j, int k)
{
    return row6_add_times(row6_add_times(row, -a[j], U[k]), a[k], U[j]);
}

/* L_p B = A^^T (K B) - E B, without the part of K_pc */
INLINE void form_parent_columns(const int r, const row6 K[6], const row6 *columns,
                                const double *arm, double *LB)
{
    const double *a = arm + 3, *f = arm + 6;
    for (int k = 0; k < r; k++) {
        double u[6];
        const row6 b = columns[k];
        for (int i = 0; i < 6; i++)
            u[i] = row6_dot(K[i], b);
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3, l = (i + 2) % 3;
            LB[i * r + k] = u[i];
            LB[(3 + i) * r + k] =
                u[3 + i] - (a[j] * u[l] - a[l] * u[j]) - (f[j] * b.a[l] - f[l] * b.a[j]);
        }
    }
}

/* K_pp += A^^T K A + E - E A - (L_p B) X_p, and with K_cp, K_pc the rest */
INLINE void add_to_parent_block(olo_elimination *el, const node *c, const int r, const row6 K[6],
                                const neighbour *up, const double *LB, double *Kpp)
{
    double *n = el->numbers;
    const double *arm = n + c->arms, *a = arm, *am = arm + 3, *f = arm + 6;
    row6 U[6];
    const row6_arm shift = row6_arm_make(a);
    for (int i = 0; i < 6; i++)
        U[i] = row6_shift(K[i], shift);
    if (up->upper >= 0) {
        const double *Kcp = n + up->upper, *Kpc = n + up->lower;
        for (int i = 0; i < 6; i++) {
            U[i] = row6_add(U[i], row6_load(Kcp + 6 * i));
            row6_store(row6_add(row6_load(Kpp + 6 * i), row6_shift(row6_load(Kpc + 6 * i), shift)),
                       Kpp + 6 * i);
        }
    }
    const double af = a[0] * f[0] + a[1] * f[1] + a[2] * f[2];
    row6 X[6];
    for (int k = 0; k < r; k++)
        X[k] = row6_load(n + up->X + 6 * k);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, l = (i + 2) % 3;
        row6 upper = U[i], lower = subtract_cross(U[3 + i], am, U, j, l);
        lower = row6_add(lower, row6_make(0, 0, 0, (i == 0 ? af : 0) - a[i] * f[0],
                                          (i == 1 ? af : 0) - a[i] * f[1],
                                          (i == 2 ? af : 0) - a[i] * f[2]));
        for (int k = 0; k < r; k++) {
            upper = row6_add_times(upper, -LB[i * r + k], X[k]);
            lower = row6_add_times(lower, -LB[(3 + i) * r + k], X[k]);
        }
        row6_store(row6_add(row6_load(Kpp + 6 * i), upper), Kpp + 6 * i);
        row6_store(row6_add(row6_load(Kpp + 18 + 6 * i), lower), Kpp + 18 + 6 * i);
    }
}

/* Rows of the parent: K_pp, and K_pb += A^^T K_cb - (L_p B) X_b */
INLINE void add_to_parent(olo_elimination *el, const node *c, const int r, const row6 K[6],
                          const row6 *columns)
{
    double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first, *up = nb + c->parent_slot;
    const int *target = el->targets + c->target + c->parent_slot * c->degree;
    double *LB = n + up->LB;
    form_parent_columns(r, K, columns, n + c->arms, LB);
    for (int i = 0; up->upper >= 0 && i < 6; i++)
        for (int k = 0; k < r; k++)
            LB[i * r + k] += row6_dot(row6_load(n + up->lower + 6 * i), columns[k]);
    if (!up->fixed)
        add_to_parent_block(el, c, r, K, up, LB, n + target[c->parent_slot]);
    for (int j = 0; j < c->degree; j++) {
        const int s = nb[j].size;
        if (j == c->parent_slot || nb[j].fixed)
            continue;
        FOR_EACH_WIDTH(s,
                       small_add_shifted(n + c->arms + 3, WIDTH, n + nb[j].upper, n + target[j]));
        subtract_product(6, r, s, LB, n + nb[j].X, n + target[j]);
    }
}

/* Rows of another neighbour a: K_ap += K_ac A, K_ab -= (K_ac B) X_b */
INLINE void add_to_neighbour(olo_elimination *el, const node *c, const int r, const row6 *columns,
                             int slot)
{
    double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    const int *target = el->targets + c->target + slot * c->degree;
    const int size = nb[slot].size, degree = c->degree;
    const double *L = n + nb[slot].lower;
    double *LB = n + nb[slot].LB;
    for (int i = 0; i < size; i++)
        for (int k = 0; k < r; k++)
            LB[i * r + k] = row6_dot(row6_load(L + 6 * i), columns[k]);
    if (c->parent_slot >= 0 && !nb[c->parent_slot].fixed) {
        const row6_arm shift = row6_arm_make(n + c->arms);
        double *to = n + target[c->parent_slot];
        for (int i = 0; i < 6 * size; i += 6)
            row6_store(row6_add(row6_load(to + i), row6_shift(row6_load(L + i), shift)), to + i);
    }
    for (int j = 0; j < degree; j++)
        if (!nb[j].fixed)
            subtract_product(size, r, nb[j].size, LB, n + nb[j].X, n + target[j]);
}

INLINE bool factor_frame(olo_elimination *el, const node *c, const int r)
{
    row6 K[6], columns[6], y[6];
    load_rows(el->numbers + c->diagonal, K);
    load_columns(r, el->numbers + c->B, columns);
    if (!form_joint_row(el, c, r, K, columns, y))
        return false;
    form_couplings(el, c, r, y);
    for (int i = 0; i < c->degree; i++)
        if (i == c->parent_slot)
            add_to_parent(el, c, r, K, columns);
        else
            add_to_neighbour(el, c, r, columns, i);
    return true;
}

/* y + K x of a 6 x 6 block */
INLINE row6 add_times6(row6 y, const double *K, const double *x)
{
    const row6 column = row6_load(x);
    double sum[6];
    for (int i = 0; i < 6; i++)
        sum[i] = row6_dot(row6_load(K + 6 * i), column);
    return row6_add(y, row6_make(sum[0], sum[1], sum[2], sum[3], sum[4], sum[5]));
}

/* z_b += K_bc e - (L_b B) x */
INLINE void add_right(olo_elimination *el, const int d, const int r, const neighbour *b,
                      const double *e, const double *x)
{
    double *n = el->numbers, *restrict z = n + b->z;
    const double *LB = n + b->LB, *lower = n + b->lower;
    FOR_EACH_WIDTH(b->size, subtract_times(WIDTH, r, LB, x, z));
    if (e && b->lower >= 0)
        FOR_EACH_WIDTH(b->size, add_times(WIDTH, d, lower, e, z));
}

INLINE void forward_frame(olo_elimination *el, const node *c, const int r)
{
    double *n = el->numbers, x[6];
    const double *e = el->has_gap && !c->fixed ? n + c->e : NULL;
    row6 s = row6_load(n + c->z), columns[6];
    if (e)
        s = add_times6(s, n + c->diagonal, e);
    load_columns(r, n + c->B_hat, columns);
    for (int k = 0; k < r; k++) {
        x[k] = row6_dot(columns[k], s);
        if (e)
            x[k] += row6_dot(row6_load(n + c->kc + 6 * k), row6_load(e));
        if (el->has_rows)
            x[k] += n[c->x + k];
    }
    solve_one(el, c, r, x);
    memcpy(n + c->x, x, (size_t)r * sizeof *x);
    for (int j = 0; j < c->degree; j++) {
        const neighbour *b = el->neighbours + c->first + j;
        if (j == c->parent_slot) {
            /* A^^T s - E e */
            const double *am = n + c->arms + 3, *f = n + c->arms + 6;
            double *zp = n + b->z;
            double force[3] = {s.a[0], s.a[1], s.a[2]}, moment[3] = {s.a[3], s.b[0], s.b[1]};
            vec3_add_cross(force, am, moment);
            if (e)
                vec3_add_cross(e, f, moment);
            for (int i = 0; i < 3; i++) {
                zp[i] += force[i];
                zp[3 + i] += moment[i];
            }
        }
        add_right(el, 6, r, b, e, x);
    }
}

/* du = -x - sum_b X_b dt_b */
INLINE void form_increment(olo_elimination *el, const node *c, const int r)
{
    double *n = el->numbers, du[OLO_BLOCK_MAX];
    const neighbour *nb = el->neighbours + c->first;
    for (int k = 0; k < r; k++)
        du[k] = -n[c->x + k];
    for (int j = 0; j < c->degree; j++)
        if (!nb[j].fixed)
            FOR_EACH_WIDTH(nb[j].size, subtract_times(r, WIDTH, n + nb[j].X, n + nb[j].dt, du));
    memcpy(n + c->du, du, (size_t)r * sizeof *du);
}

INLINE void backward_frame(olo_elimination *el, const node *c, const int r)
{
    double *n = el->numbers;
    row6 columns[6], dt = el->has_gap && !c->fixed ? row6_load(n + c->e) : row6_zero();
    load_columns(r, n + c->B, columns);
    form_increment(el, c, r);
    if (c->parent_slot >= 0) {
        const double *parent = n + el->nodes[c->shape.parent].dt;
        double carried[3];
        vec3_cross(n + c->arms, parent + 3, carried);
        dt = row6_add(dt, row6_add(row6_load(parent),
                                   row6_make(carried[0], carried[1], carried[2], 0, 0, 0)));
    }
    for (int k = 0; k < r; k++)
        dt = row6_add_times(dt, n[c->du + k], columns[k]);
    row6_store(dt, n + c->dt);
}

/* ---- plain blocks and closures ----------------------------------------------------------------
 */

/* Whether all rows of a closure are active: then B = B^ = I. */
INLINE bool is_full(const olo_elimination *el, const node *c)
{
    return c->shape.closure && active_of(el, c) == c->shape.size;
}

/* The blocks K of a closure to the memory of its factors, where a plain block has them already. */
INLINE void copy_blocks(olo_elimination *el, const node *c, const int d)
{
    double *n = el->numbers;
    memcpy(n + c->D, n + c->diagonal, (size_t)(d * d) * sizeof *n);
    for (int j = 0; j < c->degree; j++) {
        const neighbour *b = el->neighbours + c->first + j;
        memcpy(n + b->X, n + b->upper, (size_t)(d * b->size) * sizeof *n);
        memcpy(n + b->LB, n + b->lower, (size_t)(d * b->size) * sizeof *n);
    }
}

INLINE bool factor_plain(olo_elimination *el, const node *c, const int d)
{
    double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    if (!c->shape.plain)
        copy_blocks(el, c, d);
    if (!factor_pivot(el, c, d))
        return false;
    for (int j = 0; j < c->degree; j++)
        if (!nb[j].fixed)
            solve(el, c, d, nb[j].size, n + nb[j].X);
    for (int i = 0; i < c->degree; i++)
        for (int j = 0; j < c->degree; j++)
            if (!nb[j].fixed)
                subtract_product(nb[i].size, d, nb[j].size, n + nb[i].LB, n + nb[j].X,
                                 n + el->targets[c->target + i * c->degree + j]);
    return true;
}

INLINE void forward_plain(olo_elimination *el, const node *c, const int d)
{
    double *n = el->numbers, *x = n + c->x;
    memcpy(x, n + c->z, (size_t)d * sizeof *x);
    solve_one(el, c, d, x);
    for (int j = 0; j < c->degree; j++)
        add_right(el, d, d, el->neighbours + c->first + j, NULL, x);
}

/* dt and du of a plain block share their memory */
INLINE void backward_plain(olo_elimination *el, const node *c, const int d)
{
    double *n = el->numbers;
    form_increment(el, c, d);
    if (!c->shape.plain)
        memcpy(n + c->dt, n + c->du, (size_t)d * sizeof *n);
}

/* ---- points on rods and redundant closures -------------------------------------------------- */

/* Y_b and D, factored; y = B^^T K_cc + kc */
static bool form_general_row(olo_elimination *el, const node *c)
{
    double *n = el->numbers, *D = n + c->D, y[OLO_BLOCK_MAX * OLO_BLOCK_MAX];
    const int d = c->shape.size, r = active_of(el, c);
    memcpy(y, n + c->kc, (size_t)(r * d) * sizeof *y);
    add_transposed(d, r, d, n + c->B_hat, n + c->diagonal, y);
    memcpy(D, n + c->ku, (size_t)(r * r) * sizeof *D);
    add_product(r, d, r, y, n + c->B, D);
    for (int j = 0; j < c->degree; j++) {
        const neighbour *b = el->neighbours + c->first + j;
        const int s = b->size;
        double *Y = n + b->X;
        if (b->fixed)
            continue;
        memset(Y, 0, (size_t)(r * s) * sizeof *Y);
        if (j == c->parent_slot) {
            memcpy(Y, n + c->kp, (size_t)(r * s) * sizeof *Y);
            add_product(r, d, s, y, n + c->A, Y);
        }
        add_transposed(d, r, s, n + c->B_hat, n + b->upper, Y);
    }
    return r == 0 || factor_pivot(el, c, r);
}

/* L_p = K_pc + A^^T K_cc + Ec to L, K_pb += A^^T K_cb, K_pp += Ep */
static void add_general_parent(olo_elimination *el, const node *c, double *L)
{
    double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    const int *target = el->targets + c->target + c->parent_slot * c->degree;
    const int d = c->shape.size, p = el->nodes[c->shape.parent].shape.size;
    for (int j = 0; j < c->degree; j++)
        add_transposed(d, p, nb[j].size, n + c->A_hat, n + nb[j].upper, n + target[j]);
    for (int i = 0; i < p * d; i++)
        L[i] = n[nb[c->parent_slot].lower + i] + n[c->Ec + i];
    add_transposed(d, p, d, n + c->A_hat, n + c->diagonal, L);
    for (int i = 0; i < p * p; i++)
        n[target[c->parent_slot] + i] += n[c->Ep + i];
}

static bool factor_general(olo_elimination *el, const node *c)
{
    double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    const int d = c->shape.size, r = active_of(el, c);
    if (!form_general_row(el, c))
        return false;
    for (int j = 0; j < c->degree; j++)
        if (!nb[j].fixed)
            solve(el, c, r, nb[j].size, n + nb[j].X);
    for (int i = 0; i < c->degree; i++) {
        const int a = nb[i].size;
        const int *target = el->targets + c->target + i * c->degree;
        double own[OLO_BLOCK_MAX * OLO_BLOCK_MAX], *LB = n + nb[i].LB;
        const double *L = n + nb[i].lower;
        if (i == c->parent_slot) {
            add_general_parent(el, c, own);
            L = own;
        }
        if (c->parent_slot >= 0)
            add_product(a, d, el->nodes[c->shape.parent].shape.size, L, n + c->A,
                        n + target[c->parent_slot]);
        memset(LB, 0, (size_t)(a * r) * sizeof *LB);
        if (r > 0)
            add_product(a, d, r, L, n + c->B, LB);
        for (int j = 0; j < c->degree; j++)
            if (!nb[j].fixed)
                subtract_product(a, r, nb[j].size, LB, n + nb[j].X, n + target[j]);
    }
    return true;
}

static void forward_general(olo_elimination *el, const node *c)
{
    double *n = el->numbers, *x = n + c->x, s[OLO_BLOCK_MAX];
    const int d = c->shape.size, r = active_of(el, c);
    const double *e = el->has_gap ? n + c->e : NULL;
    memcpy(s, n + c->z, (size_t)d * sizeof *s);
    if (e)
        small_add_product(d, d, 1, 1.0, n + c->diagonal, e, s);
    for (int k = 0; k < r; k++)
        x[k] = el->has_rows ? x[k] : 0.0;
    small_add_transposed_product(d, r, 1, 1.0, n + c->B_hat, s, x);
    if (e)
        small_add_product(r, d, 1, 1.0, n + c->kc, e, x);
    small_lu_solve(r, n + c->D, el->pivots + c->pivot, 1, x);
    for (int j = 0; j < c->degree; j++) {
        const neighbour *b = el->neighbours + c->first + j;
        double *z = n + b->z;
        if (j == c->parent_slot) {
            small_add_transposed_product(d, b->size, 1, 1.0, n + c->A_hat, s, z);
            if (e)
                small_add_product(b->size, d, 1, 1.0, n + c->Ec, e, z);
        }
        add_right(el, d, r, b, e, x);
    }
}

static void backward_general(olo_elimination *el, const node *c)
{
    double *n = el->numbers, *dt = n + c->dt;
    const int d = c->shape.size, r = active_of(el, c);
    form_increment(el, c, r);
    memset(dt, 0, (size_t)d * sizeof *dt);
    if (el->has_gap)
        memcpy(dt, n + c->e, (size_t)d * sizeof *dt);
    small_add_product(d, r, 1, 1.0, n + c->B, n + c->du, dt);
    if (c->parent_slot >= 0) {
        const node *p = &el->nodes[c->shape.parent];
        small_add_product(d, p->shape.size, 1, 1.0, n + c->A, n + p->dt, dt);
    }
}

/* ---- by kind and degrees of freedom ---------------------------------------------------------- */

/* frame(el, c, r), plain(el, c, d), compiled for each size, threes(el, c) or general(el, c) */
#define FOR_EACH_KIND(frame_case, threes_case, plain_case, general_case)                           \
    if (c->threes)                                                                                 \
        return threes_case(el, c);                                                                 \
    if (c->frame && c->shape.dof == 0)                                                             \
        return frame_case(el, c, 0);                                                               \
    if (c->frame)                                                                                  \
        FOR_EACH_WIDTH(c->shape.dof, return frame_case(el, c, WIDTH));                             \
    if (c->shape.plain || is_full(el, c))                                                          \
        FOR_EACH_WIDTH(c->shape.size, return plain_case(el, c, WIDTH));                            \
    return general_case(el, c)

static bool factor(olo_elimination *el, const node *c)
{
    FOR_EACH_KIND(factor_frame, factor_threes, factor_plain, factor_general);
}

static void forward(olo_elimination *el, const node *c)
{
    FOR_EACH_KIND(forward_frame, forward_threes, forward_plain, forward_general);
}

static void backward(olo_elimination *el, const node *c)
{
    FOR_EACH_KIND(backward_frame, backward_threes, backward_plain, backward_general);
}

/* mu = -(z + K_cc dt + sum_b K_cb dt_b) */
INLINE void wrench_of(const olo_elimination *el, const node *c, const int d, double *restrict mu)
{
    const double *n = el->numbers;
    for (int i = 0; i < d; i++)
        mu[i] = -n[c->z + i];
    subtract_times(d, d, n + c->diagonal, n + c->dt, mu);
    for (int j = 0; j < c->degree; j++) {
        const neighbour *b = &el->neighbours[c->first + j];
        if (b->upper >= 0 && !b->fixed)
            FOR_EACH_WIDTH(b->size, subtract_times(d, WIDTH, n + b->upper, n + b->dt, mu));
    }
}

static void wrench(const olo_elimination *el, const node *c, double *mu)
{
    FOR_EACH_WIDTH(c->shape.size, wrench_of(el, c, WIDTH, mu));
}

const olo_elimination_kernels OLO_ELIMINATION_KERNELS = {
    .factor = factor, .forward = forward, .backward = backward, .wrench = wrench};
