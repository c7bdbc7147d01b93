/* The elimination of a symmetric K with equal joint matrices, A^ = A and B^ = B, that do not vary:
 * a mass matrix on a tree with the closure rows at one configuration. Half of elimination_sweep.c
 * is then the transpose of the other half (a is eliminated before b, or a = b):
 *
 *   y = B^T K_cc,  D = y B = L d L^T,  Y_b = B^T K_cb (+ y A for b = p),  X_b = D^-1 Y_b
 *   K_pp += A^T (K_cc A + K_cp) + K_cp^T A,  K_pb += A^T K_cb,  K_ab -= Y_a^T X_b
 *   x = D^-1 B^T z_c,  z_p += A^T z_c,  z_b -= Y_b^T x
 *   du = -x - sum_b X_b dt_b,  dt_c = A dt_p + B du
 *
 * All D are definite, those of closures negative, and need no row exchanges. Only the blocks of K
 * above the diagonal, in the order of elimination, are read. Y is stored in the memory of X, and X
 * in that of L B.
 *
 * Redundant rows do not depend on masses: the range of J W J^T is that of J for any definite W.
 * They are found with a metric of the motion in the joints instead,
 *
 *   D = B^T S B,   S = diag(1/l^2, 1/l^2, 1/l^2, 1, 1, 1),   K = 0 but for closure rows,
 *
 * so that a block which no eliminated closure has loaded yet only takes the closure rows to its
 * parent, K_pb += A^T K_cb, and adds Y_a^T D^-1 Y_b to the closures.
 *
 * As elimination_sweep.c this file is compiled twice, to the same bits. */
#include <string.h>

#include "base/inline.h"
#include "linalg/elimination_joint.h"

#ifndef OLO_SYMMETRIC_KERNELS
#define OLO_SYMMETRIC_KERNELS olo_symmetric_kernels_plain
#endif

#define INLINE OLO_INLINE

/* D <- L d L^T in place, with 1/d on the diagonal; false if that is not finite */
INLINE bool factor_definite(const int r, double *D)
{
    for (int k = 0; k < r; k++) {
        double share[OLO_BLOCK_MAX], inverse = 1 / D[k * r + k];
        if (!isfinite(inverse))
            return false;
        for (int i = k + 1; i < r; i++) {
            share[i] = inverse * D[i * r + k];
            for (int j = k + 1; j <= i; j++)
                D[i * r + j] -= share[i] * D[j * r + k];
        }
        for (int i = k + 1; i < r; i++)
            D[i * r + k] = share[i];
        D[k * r + k] = inverse;
    }
    return true;
}

/* B (r x columns) <- D^-1 B */
INLINE void solve_definite(const int r, const double *D, const int columns, double *B)
{
    for (int k = 0; k < r; k++)
        for (int i = k + 1; i < r; i++)
            small_add_row(columns, -D[i * r + k], B + k * columns, B + i * columns);
    for (int k = r - 1; k >= 0; k--) {
        for (int j = 0; j < columns; j++)
            B[k * columns + j] *= D[k * r + k];
        for (int i = k + 1; i < r; i++)
            small_add_row(columns, -D[i * r + k], B + i * columns, B + k * columns);
    }
}

/* C += row [I a^; 0 I] */
INLINE void add_shifted_row(row6 row, const double a[3], double *C)
{
    row6_store(row6_add(row6_load(C), row6_shift(row, row6_arm_make(a))), C);
}

/* K_pp += A^T (K A + K_cp) + K_cp^T A */
INLINE void add_own_block(olo_elimination *el, const node *c, const int d, const neighbour *up)
{
    double *n = el->numbers;
    const node *p = &el->nodes[c->shape.parent];
    const double *K = n + c->diagonal, *Kcp = up->joint_only ? NULL : n + up->upper;
    double *Kpp = n + p->diagonal;
    int s = p->shape.size;
    if (c->spatial) {
        double U[36];
        for (int i = 0; i < 6; i++) {
            const row6 row = row6_shift(row6_load(K + 6 * i), row6_arm_make(n + c->arms));
            row6_store(Kcp ? row6_add(row, row6_load(Kcp + 6 * i)) : row, U + 6 * i);
        }
        small_add_shifted(n + c->arms, 6, U, Kpp);
        if (!Kcp)
            return;
        for (int i = 0; i < 6; i++)
            add_shifted_row(column_of(6, Kcp, i), n + c->arms, Kpp + 6 * i);
        return;
    }
    double U[OLO_BLOCK_MAX * OLO_BLOCK_MAX] = {0};
    const double *A = n + c->A;
    if (Kcp)
        memcpy(U, Kcp, (size_t)(d * s) * sizeof *U);
    small_add_product(d, d, s, 1.0, K, A, U);
    small_add_transposed_product(d, s, s, 1.0, A, U, Kpp);
    if (Kcp)
        small_add_transposed_product(d, s, s, 1.0, Kcp, A, Kpp);
}

/* K_pb += A^T K_cb, above the diagonal: K_bp += K_cb^T A where b is eliminated before p */
INLINE void add_coupling_block(olo_elimination *el, const node *c, const int d, int slot)
{
    double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    const int p = c->parent_slot, b = nb[slot].block, s = el->nodes[b].shape.size;
    const int width = el->nodes[c->shape.parent].shape.size;
    const double *Kcb = n + nb[slot].upper, *a = n + c->arms;
    if (el->rank[c->shape.parent] > el->rank[b]) {
        double *Kbp = n + el->targets[c->target + slot * c->degree + p];
        if (!c->spatial)
            small_add_transposed_product(d, s, width, 1.0, Kcb, n + c->A, Kbp);
        for (int i = 0; c->spatial && i < s; i++)
            add_shifted_row(column_of(s, Kcb, i), a, Kbp + 6 * i);
        return;
    }
    double *Kpb = n + el->targets[c->target + p * c->degree + slot];
    if (!c->spatial)
        small_add_transposed_product(d, width, s, 1.0, n + c->A, Kcb, Kpb);
    else
        FOR_EACH_WIDTH(s, small_add_shifted(a, WIDTH, Kcb, Kpb));
}

/* Y_b of a neighbour, in the memory of X_b; y is B^T K_cc */
INLINE void form_joint_column(olo_elimination *el, const node *c, const int d, const int r,
                              const double *y, int slot)
{
    double *n = el->numbers, *Y;
    const neighbour *nb = el->neighbours + c->first + slot;
    const int s = nb->size;
    Y = n + nb->X;
    if (slot == c->parent_slot && c->spatial) {
        for (int i = 0; i < r; i++)
            row6_store(row6_shift(row6_load(y + 6 * i), row6_arm_make(n + c->arms)), Y + 6 * i);
    } else {
        memset(Y, 0, (size_t)(r * s) * sizeof *Y);
        if (slot == c->parent_slot)
            small_add_product(r, d, s, 1.0, y, n + c->A, Y);
    }
    if (!nb->joint_only)
        FOR_EACH_WIDTH(s,
                       small_add_transposed_product(d, r, WIDTH, 1.0, n + c->B, n + nb->upper, Y));
}

/* The lower half of D += B^T S B; of a plain block D += S. `unit` is 1/l^2. */
INLINE void add_metric(olo_elimination *el, const node *c, const int d, const int r, double unit)
{
    double *D = el->numbers + c->D;
    const double *B = el->numbers + c->B;
    for (int l = 0; l < d; l++) {
        const double weight = l < 3 ? unit : 1.0;
        for (int i = 0; !c->shape.plain && i < r; i++)
            for (int k = 0; k <= i; k++)
                D[i * r + k] += weight * B[l * r + i] * B[l * r + k];
        if (c->shape.plain)
            D[l * r + l] += weight;
    }
}

/* y = B^T K_cc (r x d), and the lower half of D = y B */
INLINE void form_joint_row(olo_elimination *el, const node *c, const int d, const int r, double *y)
{
    double *n = el->numbers, *D = n + c->D;
    const double *B = n + c->B, *K = n + c->diagonal;
    for (int i = 0; i < r; i++) {
        double *row = y + i * d;
        memset(row, 0, (size_t)d * sizeof *row);
        small_add_rows(1, d, d, 1.0, B + i, 0, r, K, row);
        for (int k = 0; k <= i; k++) {
            double sum = 0;
            for (int l = 0; l < d; l++)
                sum += row[l] * B[l * r + k];
            D[i * r + k] = sum;
        }
    }
}

/* B (r x columns) <- D^-1 B, compiled for each number of columns */
INLINE void solve_block(const int r, const double *D, int columns, double *B)
{
    FOR_EACH_WIDTH(columns, solve_definite(r, D, WIDTH, B));
}

/* The joint row y, D and Y. An empty block has no K but that of closure rows. */
INLINE void form_joint(olo_elimination *el, const node *c, const int d, const int r, bool empty)
{
    double y[OLO_BLOCK_MAX * OLO_BLOCK_MAX];
    if (empty)
        memset(el->numbers + c->D, 0, (size_t)(r * r) * sizeof *y);
    else
        form_joint_row(el, c, d, r, y);
    for (int j = 0; j < c->degree; j++)
        if (!empty || el->neighbours[c->first + j].closure)
            form_joint_column(el, c, d, r, y, j);
}

/* Eliminates block c; false when D is singular. With unit > 0 the metric of joints is used. */
INLINE bool factor(const int d, const int r, olo_elimination *el, const node *c, double unit)
{
    double *n = el->numbers, *D = n + c->D;
    const neighbour *nb = el->neighbours + c->first;
    const bool empty = unit > 0 && !c->loaded && !c->shape.closure;
    if (!c->shape.plain)
        form_joint(el, c, d, r, empty);
    if (unit > 0 && !c->shape.closure)
        add_metric(el, c, d, r, unit);
    /* D = L d L^T */
    if (!factor_definite(r, D))
        return false;
    /* X_b = D^-1 Y_b; add the block to its parent */
    for (int j = 0; j < c->degree; j++) {
        double *X = n + nb[j].LB;
        if (empty && !nb[j].closure)
            continue;
        memcpy(X, n + nb[j].X, (size_t)(r * nb[j].size) * sizeof *X);
        solve_block(r, D, nb[j].size, X);
        if (j == c->parent_slot)
            add_own_block(el, c, d, &nb[j]);
        else if (c->parent_slot >= 0)
            add_coupling_block(el, c, d, j);
    }
    /* K_ab -= Y_a^T X_b above the diagonal */
    for (int i = 0; i < c->degree; i++)
        for (int j = 0; j < c->degree; j++) {
            if (el->rank[nb[i].block] > el->rank[nb[j].block] ||
                (empty && !(nb[i].closure && nb[j].closure)))
                continue;
            FOR_EACH_WIDTH(nb[j].size, small_add_transposed_product(
                                           r, nb[i].size, WIDTH, -1.0, n + nb[i].X, n + nb[j].LB,
                                           n + el->targets[c->target + i * c->degree + j]));
        }
    return true;
}

/* Eliminates the right-hand side of block c. */
INLINE void forward(const int d, const int r, olo_elimination *el, const node *c)
{
    double *n = el->numbers, *z = n + c->z, *x = n + c->x;
    const neighbour *nb = el->neighbours + c->first;
    /* x = D^-1 B^T z_c */
    memcpy(x, z, (size_t)r * sizeof *x);
    if (!c->shape.plain) {
        memset(x, 0, (size_t)r * sizeof *x);
        small_add_transposed_product(d, r, 1, 1.0, n + c->B, z, x);
    }
    solve_definite(r, n + c->D, 1, x);
    /* z_p += A^T z_c, z_b -= Y_b^T x */
    for (int j = 0; j < c->degree; j++) {
        double *zb = n + nb[j].z;
        if (j == c->parent_slot)
            add_carried_back(el, c, AT_END, z, zb);
        small_add_transposed_times(r, nb[j].size, -1.0, n + nb[j].X, x, zb);
    }
}

/* Back substitution of block c. */
INLINE void backward(const int d, const int r, olo_elimination *el, const node *c)
{
    double *n = el->numbers, *du = n + c->du, *dt = n + c->dt;
    const neighbour *nb = el->neighbours + c->first;
    /* du = -x - sum_b X_b dt_b */
    for (int i = 0; i < r; i++)
        du[i] = -n[c->x + i];
    for (int j = 0; j < c->degree; j++)
        small_add_times(r, nb[j].size, -1.0, n + nb[j].LB, n + nb[j].dt, du);
    if (c->shape.plain) /* dt and du share their memory */
        return;
    /* dt_c = A dt_p + B du */
    memset(dt, 0, (size_t)d * sizeof *dt);
    small_add_times(d, r, 1.0, n + c->B, du, dt);
    if (c->parent_slot >= 0)
        add_carried(el, c, AT_END, n + el->nodes[c->shape.parent].dt, dt);
}

/* f(d, r, ...), compiled for the common sizes: bodies on revolute and spherical joints, free
 * bodies, points on rods */
#define FOR_EACH_SIZE(f, c, ...)                                                                   \
    switch (10 * (c)->shape.size + active_of(el, c)) {                                             \
    case 61:                                                                                       \
        return f(6, 1, __VA_ARGS__);                                                               \
    case 63:                                                                                       \
        return f(6, 3, __VA_ARGS__);                                                               \
    case 66:                                                                                       \
        return f(6, 6, __VA_ARGS__);                                                               \
    case 32:                                                                                       \
        return f(3, 2, __VA_ARGS__);                                                               \
    default:                                                                                       \
        return f((c)->shape.size, active_of(el, c), __VA_ARGS__);                                  \
    }

static bool factor_block(olo_elimination *el, const node *c, double unit)
{
    FOR_EACH_SIZE(factor, c, el, c, unit)
}

static void forward_block(olo_elimination *el, const node *c)
{
    FOR_EACH_SIZE(forward, c, el, c)
}

static void backward_block(olo_elimination *el, const node *c)
{
    FOR_EACH_SIZE(backward, c, el, c)
}

const olo_symmetric_kernels OLO_SYMMETRIC_KERNELS = {
    .factor = factor_block, .forward = forward_block, .backward = backward_block};
