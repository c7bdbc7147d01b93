/* Factorisation and solution, block by block in the order of elimination, and the active directions
 * of closures with redundant rows. The elimination of one block is in elimination_sweep.c. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "linalg/elimination_private.h"
#include "linalg/small.h"

/* ---- redundant closure rows ------------------------------------------------------------------ */

/* Activates all rows of a closure: B = B^ = I. */
static void activate_rows(olo_elimination *el, const node *c)
{
    int d = c->shape.size;
    el->active[c->block] = d;
    for (int i = 0; i < d * d; i++)
        el->numbers[c->B + i] = el->numbers[c->B_hat + i] = i % (d + 1) == 0;
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
    int r = 0;
    FOR_EACH_WIDTH(d, r = small_range(WIDTH, C, redundant * el->closure_scale, range));
    if (r == d) {
        activate_rows(el, c);
        return;
    }
    if (!symmetric)
        small_row_range(d, r, C, range, own);
    el->active[c->block] = r;
    for (int i = 0; i < d; i++)
        for (int j = 0; j < r; j++) {
            n[c->B + i * r + j] = rows[j * d + i];
            n[c->B_hat + i * r + j] = range[j * d + i];
        }
}

void olo_elimination_activate_closures(olo_elimination *el)
{
    for (int k = 0; k < el->count; k++)
        if (el->nodes[k].shape.closure)
            activate_rows(el, &el->nodes[k]);
}

void olo_elimination_activate_all(olo_elimination *el, double size)
{
    el->closure_scale = size;
    olo_elimination_activate_closures(el);
}

void olo_elimination_copy_directions(const olo_elimination *from, int c, olo_elimination *to, int d)
{
    const node *a = &from->nodes[c], *b = &to->nodes[d];
    const size_t size = (size_t)(a->shape.size * from->active[c]) * sizeof *from->numbers;
    to->active[d] = from->active[c];
    memcpy(to->numbers + b->B, from->numbers + a->B, size);
    memcpy(to->numbers + b->B_hat, from->numbers + a->B_hat, size);
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
        if (!el->kernels->factor(el, &el->nodes[c])) {
            if (block)
                *block = c;
            return olo_fail(error, OLO_SINGULAR, "singular block %d of %d", c, el->count);
        }
    }
    return OLO_OK;
}

bool olo_elimination_eliminate(olo_elimination *el, int c)
{
    bool regular = el->kernels->factor(el, &el->nodes[c]);
    if (regular)
        el->kernels->forward(el, &el->nodes[c]);
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
    el->kernels->forward(el, &el->nodes[c]);
}

void olo_elimination_substitute(olo_elimination *el, int c)
{
    el->kernels->backward(el, &el->nodes[c]);
}

void olo_elimination_solve(olo_elimination *el)
{
    for (int i = 0; i < el->count; i++)
        el->kernels->forward(el, &el->nodes[el->order[i]]);
    for (int i = el->count - 1; i >= 0; i--)
        el->kernels->backward(el, &el->nodes[el->order[i]]);
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
    el->kernels->wrench(el, &el->nodes[c], mu);
}
