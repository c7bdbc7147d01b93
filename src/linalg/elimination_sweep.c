/* Block elimination on a graph; the equations are in the header. Eliminating block c with parent p:
 *
 *     rows of the parent     K_pb += A^^T K_cb,  K_pp += Ep,  L_p = K_pc + A^^T K_cc + Ec,  z_p +=
 *                            A^^T z_c
 *     joint row              y = B^^T K_cc + kc,  Y_b = B^^T K_cb (+ kp + y A for b = p),
 *                            D = y B + ku,        rho = B^^T z_c + y e
 *     other rows a           K_ap += L_a A,  z_a += L_a e,  then with X = D^-1 Y, x = D^-1 rho
 *                            K_ab -= (L_a B) X_b,  z_a -= (L_a B) x
 *     on the way back        du = -x - sum_b X_b dt_b,  dt_c = A dt_p + B du + e
 *
 * with L_a = K_ac for a != p.
 */

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "linalg/elimination_private.h"
#include "linalg/small.h"

/* ---- numbers --------------------------------------------------------------------------------- */

static void add(int size, const double *from, double *to)
{
    for (int i = 0; i < size; i++)
        to[i] += from[i];
}

/* rows of the parent: K_pb += A^^T K_cb and L_p in the place of K_pc */
static void pass_to_parent(olo_elimination *el, const node *c)
{
    double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    const int *target = el->targets + c->target + c->parent_slot * c->degree;
    int d = c->shape.size, p = el->nodes[c->shape.parent].shape.size;
    const double *A_hat = n + c->A_hat;
    for (int j = 0; j < c->degree; j++)
        small_add_transposed_product(d, p, el->nodes[nb[j].block].shape.size, 1.0, A_hat,
                                     n + nb[j].upper, n + target[j]);
    double *L = n + nb[c->parent_slot].lower;
    small_add_transposed_product(d, p, d, 1.0, A_hat, n + c->diagonal, L);
    add(p * d, n + c->Ec, L);
    add(p * p, n + c->Ep, n + target[c->parent_slot]);
}

/* Keeps the directions of a closure block C that are not repeated by others: of multipliers the
 * range of C^T, of rows that of C, which are the same where C is symmetric but for rounding. What
 * is left of a column must be above a share of what the rows by themselves would give. */
void olo_elimination_reveal_closure(olo_elimination *el, const node *c, bool symmetric)
{
    const double redundant = 1e-11; /* squares of singular values enter */
    double *n = el->numbers, C[OLO_BLOCK_MAX * OLO_BLOCK_MAX];
    double range[OLO_BLOCK_MAX * OLO_BLOCK_MAX], own[OLO_BLOCK_MAX * OLO_BLOCK_MAX];
    const double *rows = symmetric ? range : own;
    int d = c->shape.size;
    for (int i = 0; i < d; i++) {
        el->closure_scale = fmax(el->closure_scale, fabs(n[c->diagonal + i * d + i]));
        for (int j = 0; j < d; j++) {
            double ij = n[c->diagonal + i * d + j], ji = n[c->diagonal + j * d + i];
            C[i * d + j] = symmetric ? 0.5 * (ij + ji) : ij;
        }
    }
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

/* the joint row: y, Y (in the place of X), D; factors D */
static bool joint_row(olo_elimination *el, const node *c)
{
    double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    int d = c->shape.size, r = active_of(el, c);
    double *y = n + c->y, *D = n + c->D;
    if (c->shape.plain) /* D and Y are in their places */
        return small_lu(r, D, el->pivots + c->pivot);
    memcpy(y, n + c->kc, (size_t)(r * d) * sizeof *y);
    small_add_transposed_product(d, r, d, 1.0, n + c->B_hat, n + c->diagonal, y);
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

static bool eliminate(olo_elimination *el, const node *c)
{
    double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    int d = c->shape.size, r = active_of(el, c);
    if (c->light)
        return olo_elimination_light_factor(el, c);
    if (c->root)
        return olo_elimination_root_factor(el, c);
    if (c->parent_slot >= 0)
        pass_to_parent(el, c);
    if (!joint_row(el, c))
        return false;
    for (int j = 0; j < c->degree; j++)
        small_lu_solve(r, n + c->D, el->pivots + c->pivot, el->nodes[nb[j].block].shape.size,
                       n + nb[j].X);
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

/* All rows of the closures active again. */
void olo_elimination_open_closures(olo_elimination *el)
{
    for (int k = 0; k < el->count; k++) {
        const node *c = &el->nodes[k];
        int d = c->shape.size;
        if (!c->shape.last)
            continue;
        el->active[k] = d;
        for (int i = 0; i < d * d; i++)
            el->numbers[c->B + i] = el->numbers[c->B_hat + i] = i % (d + 1) == 0;
    }
}

void olo_elimination_unrestrict(olo_elimination *el, double size)
{
    el->closure_scale = size;
    olo_elimination_open_closures(el);
}

void olo_elimination_restrict(const olo_elimination *el, int c, double *x)
{
    const node *k = &el->nodes[c];
    double part[OLO_BLOCK_MAX] = {0}, all[OLO_BLOCK_MAX] = {0};
    int d = k->shape.size, r = active_of(el, k);
    small_add_transposed_product(d, r, 1, 1.0, el->numbers + k->B, x, part);
    small_add_product(d, r, 1, 1.0, el->numbers + k->B, part, all);
    memcpy(x, all, (size_t)d * sizeof *x);
}

void olo_elimination_advance(olo_elimination *el, int c, double *x)
{
    double *dt = el->numbers + el->nodes[c].dt, before[OLO_BLOCK_MAX];
    for (int i = 0; i < el->nodes[c].shape.size; i++) {
        before[i] = x[i];
        x[i] += dt[i];
    }
    olo_elimination_restrict(el, c, x);
    for (int i = 0; i < el->nodes[c].shape.size; i++)
        dt[i] = x[i] - before[i];
}

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

static void forward(olo_elimination *el, const node *c)
{
    double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    int d = c->shape.size, r = active_of(el, c);
    double *z = n + c->z, *x = n + c->x;
    const double *e = el->has_gap && !c->shape.plain ? n + c->e : NULL;
    if (c->shape.plain) {
        memcpy(x, z, (size_t)r * sizeof *x);
    } else {
        memset(x, 0, (size_t)r * sizeof *x);
        small_add_transposed_product(d, r, 1, 1.0, n + c->B_hat, z, x);
        if (e)
            small_add_product(r, d, 1, 1.0, n + c->y, e, x);
    }
    small_lu_solve(r, n + c->D, el->pivots + c->pivot, 1, x);
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

static void backward(olo_elimination *el, const node *c)
{
    double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    int d = c->shape.size, r = active_of(el, c);
    double *du = n + c->du, *dt = n + c->dt;
    for (int i = 0; i < r; i++)
        du[i] = -n[c->x + i];
    for (int j = 0; j < c->degree; j++) {
        const node *b = &el->nodes[nb[j].block];
        small_add_product(r, b->shape.size, 1, -1.0, n + nb[j].X, n + b->dt, du);
    }
    if (c->shape.plain) /* dt is du */
        return;
    memset(dt, 0, (size_t)d * sizeof *dt);
    if (el->has_gap)
        memcpy(dt, n + c->e, (size_t)d * sizeof *dt);
    small_add_product(d, r, 1, 1.0, n + c->B, du, dt);
    if (c->parent_slot >= 0) {
        const node *p = &el->nodes[c->shape.parent];
        small_add_product(d, p->shape.size, 1, 1.0, n + c->A, n + p->dt, dt);
    }
}

static void carry(olo_elimination *el, const node *c)
{
    if (c->light)
        olo_elimination_light_forward(el, c);
    else if (!c->root)
        forward(el, c);
}

bool olo_elimination_eliminate(olo_elimination *el, int c)
{
    bool regular = eliminate(el, &el->nodes[c]);
    if (regular)
        carry(el, &el->nodes[c]);
    return regular;
}

bool olo_elimination_reveal_block(olo_elimination *el, int c)
{
    if (el->nodes[c].shape.last)
        olo_elimination_reveal_closure(el, &el->nodes[c], false);
    return olo_elimination_eliminate(el, c);
}

void olo_elimination_forward(olo_elimination *el, int c)
{
    carry(el, &el->nodes[c]);
}

void olo_elimination_substitute(olo_elimination *el, int k)
{
    const node *c = &el->nodes[k];
    if (c->light)
        olo_elimination_light_backward(el, c);
    else if (c->root)
        olo_elimination_root_solve(el, c);
    else
        backward(el, c);
}

void olo_elimination_solve(olo_elimination *el)
{
    for (int i = 0; i < el->count; i++)
        carry(el, &el->nodes[el->order[i]]);
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
    if (x->light || x->root) {
        olo_elimination_frame_wrench(el, x, mu);
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
