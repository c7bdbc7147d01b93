/* The transposed solve. A solve is dt = S z (without gaps); this computes S^T f with the same
 * factors. It is the transpose of the two sweeps of elimination_sweep.c. With f_c given, the sweep
 * from the leaves to the root (b: later neighbours, p: the parent among them) is
 *
 *     g = B^T f_c,   f_p += A^T f_c,   f_b -= X_b^T g
 *
 * and the sweep from the root to the leaves, with w the result,
 *
 *     s = -D^-T (g + sum_b (L_b B)^T w_b),   w_c = B^ s + A^ w_p. */
#include <string.h>

#include "linalg/elimination_joint.h"

/* w = A^ w_p and g += sum_b (L_b B)^T w_b over the later neighbours b */
static void add_later_neighbours(const olo_elimination *el, const node *c, double *g, double *w)
{
    const double *n = el->numbers;
    const neighbour *nb = el->neighbours + c->first;
    int d = c->shape.size, r = active_of(el, c);
    memset(w, 0, (size_t)d * sizeof *w);
    for (int j = 0; j < c->degree; j++) {
        const double *wb = n + nb[j].dt;
        small_add_transposed_times(nb[j].size, r, 1.0, n + nb[j].LB, wb, g);
        if (j == c->parent_slot)
            add_carried(el, c, AT_MIDPOINT, wb, w);
    }
}

/* The sweep from the leaves to the root at block c. */
static void forward_transposed(olo_elimination *el, const node *c)
{
    double *n = el->numbers, *g = n + c->x;
    const neighbour *nb = el->neighbours + c->first;
    const double *f = n + c->z;
    int d = c->shape.size, r = active_of(el, c);
    /* g = B^T f_c */
    if (c->shape.plain) {
        memcpy(g, f, (size_t)d * sizeof *g);
    } else {
        memset(g, 0, (size_t)r * sizeof *g);
        small_add_transposed_times(d, r, 1.0, n + c->B, f, g);
    }
    /* f_p += A^T f_c, f_b -= X_b^T g */
    for (int j = 0; j < c->degree; j++) {
        if (j == c->parent_slot)
            add_carried_back(el, c, AT_END, f, n + nb[j].z);
        small_add_transposed_times(r, nb[j].size, -1.0, n + nb[j].X, g, n + nb[j].z);
    }
}

/* The sweep from the root to the leaves at block c. */
static void backward_transposed(olo_elimination *el, const node *c)
{
    double *n = el->numbers, *s = n + c->du, *w = n + c->dt;
    int r = active_of(el, c);
    add_later_neighbours(el, c, n + c->x, w);
    /* s = -D^-T (g + sum_b (L_b B)^T w_b), w = B^ s + A^ w_p */
    for (int i = 0; i < r; i++)
        s[i] = -n[c->x + i];
    small_lu_solve_transposed(r, n + c->D, el->pivots + c->pivot, s);
    if (!c->shape.plain) /* w and s share their memory otherwise */
        small_add_product(c->shape.size, r, 1, 1.0, n + c->B_hat, s, w);
}

void olo_elimination_solve_transposed(olo_elimination *el)
{
    for (int i = 0; i < el->count; i++)
        forward_transposed(el, &el->nodes[el->order[i]]);
    for (int i = el->count - 1; i >= 0; i--)
        backward_transposed(el, &el->nodes[el->order[i]]);
}
