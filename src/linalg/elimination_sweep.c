/* The general block elimination; the system is in elimination.h. Eliminating block c with parent p:
 *
 *   rows of the parent    K_pb += A^^T K_cb,  K_pp += Ep,  z_p += A^^T z_c,
 *                         L_p = K_pc + A^^T K_cc + Ec
 *   joint row             y = B^^T K_cc + kc,  Y_b = B^^T K_cb (+ kp + y A for b = p),
 *                         D = y B + ku,        rho = B^^T z_c + y e
 *   other rows a          K_ap += L_a A,  z_a += L_a e,  then with X = D^-1 Y, x = D^-1 rho
 *                         K_ab -= (L_a B) X_b,  z_a -= (L_a B) x
 *   back substitution     du = -x - sum_b X_b dt_b,  dt_c = A dt_p + B du + e
 *
 * with L_a = K_ac for a != p. */

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "linalg/elimination_private.h"
#include "linalg/small.h"

/* ---- factorisation --------------------------------------------------------------------------- */

static void add(int size, const double *from, double *to)
{
    for (int i = 0; i < size; i++)
        to[i] += from[i];
}

/* Rows of the parent: K_pb += A^^T K_cb, K_pp += Ep, and L_p in the memory of K_pc. */
static void add_parent_rows(olo_elimination *el, const node *c)
{
    double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    const int *target = el->targets + c->target + c->parent_slot * c->degree;
    int d = c->shape.size, p = el->nodes[c->shape.parent].shape.size;
    const double *A_hat = n + c->A_hat;
    /* K_pb += A^^T K_cb for all neighbours b */
    for (int j = 0; j < c->degree; j++)
        small_add_transposed_product(d, p, el->nodes[nb[j].block].shape.size, 1.0, A_hat,
                                     n + nb[j].upper, n + target[j]);
    /* L_p = K_pc + A^^T K_cc + Ec */
    double *L = n + nb[c->parent_slot].lower;
    small_add_transposed_product(d, p, d, 1.0, A_hat, n + c->diagonal, L);
    add(p * d, n + c->Ec, L);
    add(p * p, n + c->Ep, n + target[c->parent_slot]);
}

/* Finds the active directions of a closure block C: of multipliers the range of C^T, of rows the
 * range of C, which agree up to rounding where C is symmetric. A direction is redundant when the
 * residual of a column is below a fraction of the largest diagonal entry. */
void olo_elimination_find_closure_rank(olo_elimination *el, const node *c, bool symmetric)
{
    const double redundant = 1e-11; /* of squares of singular values */
    double *n = el->numbers, C[OLO_BLOCK_MAX * OLO_BLOCK_MAX];
    double range[OLO_BLOCK_MAX * OLO_BLOCK_MAX], own[OLO_BLOCK_MAX * OLO_BLOCK_MAX];
    const double *rows = symmetric ? range : own;
    int d = c->shape.size;
    /* copy the diagonal block and update its scale */
    for (int i = 0; i < d; i++) {
        el->closure_scale = fmax(el->closure_scale, fabs(n[c->diagonal + i * d + i]));
        for (int j = 0; j < d; j++) {
            double ij = n[c->diagonal + i * d + j], ji = n[c->diagonal + j * d + i];
            C[i * d + j] = symmetric ? 0.5 * (ij + ji) : ij;
        }
    }
    /* the active directions of rows and multipliers */
    int r = small_range(d, C, redundant * el->closure_scale, range);
    if (!symmetric)
        small_row_range(d, r, C, range, own);
    el->active[c->block] = r;
    for (int i = 0; i < d; i++)
        for (int j = 0; j < r; j++) {
            n[c->B + i * r + j] = rows[j * d + i];
            n[c->B_hat + i * r + j] = range[j * d + i];
        }
}

/* Forms the joint row y, Y (in the memory of X) and D, and factors D. */
static bool form_joint_row(olo_elimination *el, const node *c)
{
    double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    int d = c->shape.size, r = active_of(el, c);
    double *y = n + c->y, *D = n + c->D;
    if (c->shape.plain) /* D is K_cc and Y_b is K_cb */
        return small_lu(r, D, el->pivots + c->pivot);
    /* y = B^^T K_cc + kc */
    memcpy(y, n + c->kc, (size_t)(r * d) * sizeof *y);
    small_add_transposed_product(d, r, d, 1.0, n + c->B_hat, n + c->diagonal, y);
    /* D = y B + ku */
    memcpy(D, n + c->ku, (size_t)(r * r) * sizeof *D);
    small_add_product(r, d, r, 1.0, y, n + c->B, D);
    for (int j = 0; j < c->degree; j++) {
        int s = el->nodes[nb[j].block].shape.size;
        double *Y = n + nb[j].X;
        if (j == c->parent_slot) {
            memcpy(Y, n + c->kp, (size_t)(r * s) * sizeof *Y);
            small_add_product(r, d, s, 1.0, y, n + c->A, Y);
        } else {
            memset(Y, 0, (size_t)(r * s) * sizeof *Y);
        }
        small_add_transposed_product(d, r, s, 1.0, n + c->B_hat, n + nb[j].upper, Y);
    }
    return r == 0 || small_lu(r, D, el->pivots + c->pivot);
}

/* Eliminates block c; false when D is singular. */
static bool eliminate(olo_elimination *el, const node *c)
{
    double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    int d = c->shape.size, r = active_of(el, c);
    if (c->articulated)
        return olo_elimination_factor_articulated(el, c);
    if (c->root)
        return olo_elimination_factor_root(el, c);
    /* add the rows of the block to those of its parent, and form the joint row */
    if (c->parent_slot >= 0)
        add_parent_rows(el, c);
    if (!form_joint_row(el, c))
        return false;
    /* X = D^-1 Y */
    for (int j = 0; j < c->degree; j++)
        small_lu_solve(r, n + c->D, el->pivots + c->pivot, el->nodes[nb[j].block].shape.size,
                       n + nb[j].X);
    /* K_ap += L_a A, K_ab -= (L_a B) X_b in the rows of all neighbours a */
    for (int i = 0; i < c->degree; i++) {
        int a = el->nodes[nb[i].block].shape.size;
        const int *target = el->targets + c->target + i * c->degree;
        const double *L = n + nb[i].lower;
        double *LB = n + nb[i].LB;
        if (c->parent_slot >= 0)
            small_add_product(a, d, el->nodes[c->shape.parent].shape.size, 1.0, L, n + c->A,
                              n + target[c->parent_slot]);
        if (!c->shape.plain) {
            memset(LB, 0, (size_t)(a * r) * sizeof *LB);
            small_add_product(a, d, r, 1.0, L, n + c->B, LB);
        }
        for (int j = 0; j < c->degree; j++)
            small_add_product(a, r, el->nodes[nb[j].block].shape.size, -1.0, LB, n + nb[j].X,
                              n + target[j]);
    }
    return true;
}

/* Activates all rows of all closures. */
void olo_elimination_activate_closures(olo_elimination *el)
{
    for (int k = 0; k < el->count; k++) {
        const node *c = &el->nodes[k];
        int d = c->shape.size;
        if (!c->shape.closure)
            continue;
        el->active[k] = d;
        for (int i = 0; i < d * d; i++)
            el->numbers[c->B + i] = el->numbers[c->B_hat + i] = i % (d + 1) == 0;
    }
}

/* ---- redundant closure rows ------------------------------------------------------------------ */

void olo_elimination_activate_all(olo_elimination *el, double size)
{
    el->closure_scale = size;
    olo_elimination_activate_closures(el);
}

void olo_elimination_project_multipliers(const olo_elimination *el, int c, double *x)
{
    const node *k = &el->nodes[c];
    double part[OLO_BLOCK_MAX] = {0}, all[OLO_BLOCK_MAX] = {0};
    int d = k->shape.size, r = active_of(el, k);
    small_add_transposed_product(d, r, 1, 1.0, el->numbers + k->B, x, part);
    small_add_product(d, r, 1, 1.0, el->numbers + k->B, part, all);
    memcpy(x, all, (size_t)d * sizeof *x);
}

void olo_elimination_update_multipliers(olo_elimination *el, int c, double *x)
{
    double *dt = el->numbers + el->nodes[c].dt, before[OLO_BLOCK_MAX];
    for (int i = 0; i < el->nodes[c].shape.size; i++) {
        before[i] = x[i];
        x[i] += dt[i];
    }
    olo_elimination_project_multipliers(el, c, x);
    for (int i = 0; i < el->nodes[c].shape.size; i++)
        dt[i] = x[i] - before[i];
}

/* ---- factorisation and solution -------------------------------------------------------------- */

olo_status olo_elimination_factor(olo_elimination *el, int *block, olo_error *error)
{
    for (int i = 0; i < el->count; i++) {
        int c = el->order[i];
        if (!eliminate(el, &el->nodes[c])) {
            if (block)
                *block = c;
            return olo_fail(error, OLO_SINGULAR, "singular block %d of %d", c, el->count);
        }
    }
    return OLO_OK;
}

/* Eliminates the right-hand side of block c. */
static void forward(olo_elimination *el, const node *c)
{
    double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    int d = c->shape.size, r = active_of(el, c);
    double *z = n + c->z, *x = n + c->x;
    const double *e = el->has_gap && !c->shape.plain ? n + c->e : NULL;
    /* x = D^-1 (B^^T z_c + y e) */
    if (c->shape.plain) {
        memcpy(x, z, (size_t)r * sizeof *x);
    } else {
        memset(x, 0, (size_t)r * sizeof *x);
        small_add_transposed_product(d, r, 1, 1.0, n + c->B_hat, z, x);
        if (e)
            small_add_product(r, d, 1, 1.0, n + c->y, e, x);
    }
    small_lu_solve(r, n + c->D, el->pivots + c->pivot, 1, x);
    /* z_p += A^^T z_c, z_a += L_a e - (L_a B) x */
    for (int i = 0; i < c->degree; i++) {
        int a = el->nodes[nb[i].block].shape.size;
        double *za = n + el->nodes[nb[i].block].z;
        if (i == c->parent_slot)
            small_add_transposed_product(d, a, 1, 1.0, n + c->A_hat, z, za);
        if (e)
            small_add_product(a, d, 1, 1.0, n + nb[i].lower, e, za);
        small_add_product(a, r, 1, -1.0, n + nb[i].LB, x, za);
    }
}

/* Back substitution of block c. */
static void backward(olo_elimination *el, const node *c)
{
    double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    int d = c->shape.size, r = active_of(el, c);
    double *du = n + c->du, *dt = n + c->dt;
    /* du = -x - sum_b X_b dt_b */
    for (int i = 0; i < r; i++)
        du[i] = -n[c->x + i];
    for (int j = 0; j < c->degree; j++) {
        const node *b = &el->nodes[nb[j].block];
        small_add_product(r, b->shape.size, 1, -1.0, n + nb[j].X, n + b->dt, du);
    }
    if (c->shape.plain) /* dt and du share their memory */
        return;
    /* dt_c = A dt_p + B du + e */
    memset(dt, 0, (size_t)d * sizeof *dt);
    if (el->has_gap)
        memcpy(dt, n + c->e, (size_t)d * sizeof *dt);
    small_add_product(d, r, 1, 1.0, n + c->B, du, dt);
    if (c->parent_slot >= 0) {
        const node *p = &el->nodes[c->shape.parent];
        small_add_product(d, p->shape.size, 1, 1.0, n + c->A, n + p->dt, dt);
    }
}

static void forward_block(olo_elimination *el, const node *c)
{
    if (c->articulated)
        olo_elimination_forward_articulated(el, c);
    else if (!c->root)
        forward(el, c);
}

bool olo_elimination_eliminate(olo_elimination *el, int c)
{
    bool regular = eliminate(el, &el->nodes[c]);
    if (regular)
        forward_block(el, &el->nodes[c]);
    return regular;
}

bool olo_elimination_eliminate_with_rank(olo_elimination *el, int c)
{
    if (el->nodes[c].shape.closure)
        olo_elimination_find_closure_rank(el, &el->nodes[c], false);
    return olo_elimination_eliminate(el, c);
}

void olo_elimination_forward(olo_elimination *el, int c)
{
    forward_block(el, &el->nodes[c]);
}

void olo_elimination_substitute(olo_elimination *el, int k)
{
    const node *c = &el->nodes[k];
    if (c->articulated)
        olo_elimination_backward_articulated(el, c);
    else if (c->root)
        olo_elimination_solve_root(el, c);
    else
        backward(el, c);
}

void olo_elimination_solve(olo_elimination *el)
{
    for (int i = 0; i < el->count; i++)
        forward_block(el, &el->nodes[el->order[i]]);
    for (int i = el->count - 1; i >= 0; i--)
        olo_elimination_substitute(el, el->order[i]);
}

const double *olo_elimination_twist(const olo_elimination *el, int c)
{
    return el->numbers + el->nodes[c].dt;
}

const double *olo_elimination_increment(const olo_elimination *el, int c)
{
    return el->numbers + el->nodes[c].du;
}

void olo_elimination_wrench(const olo_elimination *el, int c, double *mu)
{
    const double *n = el->numbers;
    const node *x = &el->nodes[c];
    int d = x->shape.size;
    if (x->articulated || x->root) {
        olo_elimination_compute_wrench(el, x, mu);
        return;
    }
    for (int i = 0; i < d; i++)
        mu[i] = -n[x->z + i];
    small_add_product(d, d, 1, -1.0, n + x->diagonal, n + x->dt, mu);
    for (int j = 0; j < x->degree; j++) {
        const neighbour *b = &el->neighbours[x->first + j];
        const node *other = &el->nodes[b->block];
        small_add_product(d, other->shape.size, 1, -1.0, n + b->upper, n + other->dt, mu);
    }
}
