/* The transposed solve: a solve is dt = S z (without gaps), this is S^T with the same factors. It
 * runs the two sweeps of elimination_sweep.c backwards. With f_c given, leaf to root
 *
 *     g = B^T f_c,   f_p += A^T f_c,   f_b -= X_b^T g       (b: later neighbours, p: the parent
 *                    among them)
 *
 * and root to leaf, with w the result,
 *
 *     s = -D^-T (g + sum_b (L_b B)^T w_b),   w_c = B^ s + A^ w_p.
 */
#include <string.h>

#include "linalg/elimination_private.h"
#include "linalg/small.h"
#include "linalg/vec3.h"

/* f_p += A^T f_c; of a light block A = [I a^; 0 I] */
static void add_to_parent(const olo_elimination *el, const node *c, const double *f, double *fp)
{
    const double *n = el->numbers;
    if (!c->light) {
        small_add_transposed_product(c->shape.size, el->nodes[c->shape.parent].shape.size, 1, 1.0,
                                     n + c->A, f, fp);
        return;
    }
    for (int i = 0; i < 6; i++)
        fp[i] += f[i];
    vec3_add_cross(f, n + c->spatial, fp + 3);
}

/* w = A^ w_p, and g += what w_p adds to it: sum_b (L_b B)^T w_b. A light block has K B in the place
 * of L B, where L = A^^T K - E: g += (K B)^T w - (E B)^T w_p. */
static void take_from_later(const olo_elimination *el, const node *c, double *g, double *w)
{
    const double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    int d = c->shape.size, r = active_of(el, c);
    memset(w, 0, (size_t)d * sizeof *w);
    if (c->light) {
        const double *wp = n + el->nodes[nb->block].dt, *a = n + c->spatial;
        double pull[6] = {0};
        memcpy(w, wp, 6 * sizeof *w);
        vec3_add_cross(a + 3, wp + 3, w);
        vec3_add_cross(a + 6, wp + 3, pull);
        small_add_transposed_product(6, r, 1, 1.0, n + nb->LB, w, g);
        small_add_transposed_product(6, r, 1, 1.0, n + c->B, pull, g);
        return;
    }
    for (int j = 0; j < c->degree; j++) {
        const node *b = &el->nodes[nb[j].block];
        small_add_transposed_product(b->shape.size, r, 1, 1.0, n + nb[j].LB, n + b->dt, g);
        if (j == c->parent_slot)
            small_add_product(d, b->shape.size, 1, 1.0, n + c->A_hat, n + b->dt, w);
    }
}

static void spread(olo_elimination *el, const node *c)
{
    double *n = el->numbers, *g = n + c->x;
    const neighbour *nb = el->neighbours + c->first;
    const double *f = n + c->z;
    int d = c->shape.size, r = active_of(el, c);
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
            add_to_parent(el, c, f, n + b->z);
        small_add_transposed_product(r, s, 1, -1.0, n + nb[j].X, g, n + b->z);
    }
}

static void gather(olo_elimination *el, const node *c)
{
    double *n = el->numbers, *s = n + c->du, *w = n + c->dt;
    int r = active_of(el, c);
    take_from_later(el, c, n + c->x, w);
    for (int i = 0; i < r; i++)
        s[i] = -n[c->x + i];
    small_lu_solve_transposed(r, n + c->D, el->pivots + c->pivot, s);
    if (!c->shape.plain) /* else w is s */
        small_add_product(c->shape.size, r, 1, 1.0, n + c->B_hat, s, w);
}

void olo_elimination_solve_transposed(olo_elimination *el)
{
    for (int i = 0; i < el->count; i++)
        spread(el, &el->nodes[el->order[i]]);
    for (int i = el->count - 1; i >= 0; i--)
        gather(el, &el->nodes[el->order[i]]);
}
