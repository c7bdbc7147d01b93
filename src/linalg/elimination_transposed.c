/* The transposed solve: a solve is dt = S z (without gaps), this is S^T with the same factors. It runs the two sweeps of
 * elimination_sweep.c backwards. With f_c given, leaf to root
 *
 *     g = B^T f_c,   f_p += A^T f_c,   f_b -= X_b^T g       (b: later neighbours, p: the parent among them)
 *
 * and root to leaf, with w the result,
 *
 *     s = -D^-T (g + sum_b (L_b B)^T w_b),   w_c = B^ s + A^ w_p.
 */
#include <string.h>

#include "linalg/elimination_private.h"
#include "linalg/small.h"

static void spread(olo_elimination *el, const node *c)
{
    double *n = el->numbers, *g = n + c->x;
    const neighbour *nb = el->neighbours + c->first;
    const double *f = n + c->z;
    int d = c->shape.size, r = c->shape.dof;
    if (c->shape.plain) {
        memcpy(g, f, (size_t)d * sizeof *g);
    } else {
        memset(g, 0, (size_t)r * sizeof *g);
        small_add_transposed_product(d, r, 1, 1.0, n + c->B, f, g);
    }
    for (int j = 0; j < c->degree; j++) {
        const node *b = &el->nodes[nb[j].block];
        int s = b->shape.size;
        if (j == c->parent_slot)
            small_add_transposed_product(d, s, 1, 1.0, n + c->A, f, n + b->z);
        small_add_transposed_product(r, s, 1, -1.0, n + nb[j].X, g, n + b->z);
    }
}

static void gather(olo_elimination *el, const node *c)
{
    double *n = el->numbers, *g = n + c->x, *s = n + c->du, *w = n + c->dt;
    const neighbour *nb = el->neighbours + c->first;
    int d = c->shape.size, r = c->shape.dof;
    for (int j = 0; j < c->degree; j++) {
        const node *b = &el->nodes[nb[j].block];
        small_add_transposed_product(b->shape.size, r, 1, 1.0, n + nb[j].LB, n + b->dt, g);
    }
    for (int i = 0; i < r; i++)
        s[i] = -g[i];
    small_lu_solve_transposed(r, n + c->D, el->pivots + c->pivot, s);
    if (c->shape.plain) {
        memcpy(w, s, (size_t)d * sizeof *w);
        return;
    }
    memset(w, 0, (size_t)d * sizeof *w);
    small_add_product(d, r, 1, 1.0, n + c->B_hat, s, w);
    if (c->parent_slot >= 0) {
        const node *p = &el->nodes[c->shape.parent];
        small_add_product(d, p->shape.size, 1, 1.0, n + c->A_hat, n + p->dt, w);
    }
}

void olo_elimination_solve_transposed(olo_elimination *el)
{
    for (int i = 0; i < el->count; i++)
        spread(el, &el->nodes[el->order[i]]);
    for (int i = el->count - 1; i >= 0; i--)
        gather(el, &el->nodes[el->order[i]]);
}
