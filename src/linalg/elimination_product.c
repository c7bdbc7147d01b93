/* The product of the matrix of elimination.h with increments du, before a factorisation. From the
 * root to the leaves
 *
 *     dt_c = A dt_p + B du_c,
 *
 * then W_c = sum_b K_cb dt_b, and from the leaves to the root
 *
 *     r_c = B^^T W_c + kp dt_p + kc dt_c + ku du_c,   W_p += A^^T W_c + Ep dt_p + Ec dt_c. */
#include <string.h>

#include "linalg/elimination_joint.h"

/* dt_c = A dt_p + B du_c */
static void form_twist(olo_elimination *el, const node *c)
{
    double *n = el->numbers, *dt = n + c->dt;
    int d = c->shape.size;
    if (c->shape.plain) {
        memcpy(dt, n + c->du, (size_t)d * sizeof *dt);
        return;
    }
    memset(dt, 0, (size_t)d * sizeof *dt);
    small_add_product(d, active_of(el, c), 1, 1.0, n + c->B, n + c->du, dt);
    if (c->shape.parent >= 0)
        add_carried(el, c, AT_END, n + el->nodes[c->shape.parent].dt, dt);
}

/* W_c += K_cc dt_c + sum_b K_cb dt_b and W_b += K_bc dt_c, over the later neighbours b */
static void multiply(olo_elimination *el, const node *c)
{
    double *n = el->numbers;
    const double *dt = n + c->dt;
    int d = c->shape.size;
    small_add_product(d, d, 1, 1.0, n + c->diagonal, dt, n + c->z);
    for (int i = 0; i < c->degree; i++) {
        const neighbour *b = &el->neighbours[c->first + i];
        if (b->upper < 0)
            continue;
        small_add_product(d, b->size, 1, 1.0, n + b->upper, n + b->dt, n + c->z);
        small_add_product(b->size, d, 1, 1.0, n + b->lower, dt, n + b->z);
    }
}

/* W_p += A^^T W_c + Ep dt_p + Ec dt_c */
static void add_to_parent(olo_elimination *el, const node *c)
{
    double *n = el->numbers;
    const node *p = &el->nodes[c->shape.parent];
    const double *W = n + c->z, *dt = n + c->dt, *parent_twist = n + p->dt;
    double *Wp = n + p->z;
    int d = c->shape.size, s = p->shape.size;
    add_carried_back(el, c, AT_MIDPOINT, W, Wp);
    if (!c->spatial) {
        small_add_product(s, s, 1, 1.0, n + c->Ep, parent_twist, Wp);
        small_add_product(s, d, 1, 1.0, n + c->Ec, dt, Wp);
        return;
    }
    double difference[3];
    vec3_subtract(parent_twist, dt, difference);
    vec3_add_cross(n + c->arms + 6, difference, Wp + 3);
}

/* r_c = B^^T W_c + kp dt_p + kc dt_c + ku du_c */
static void form_joint_product(olo_elimination *el, const node *c)
{
    double *n = el->numbers, *r = n + c->x;
    int d = c->shape.size, dof = active_of(el, c);
    if (c->shape.plain) {
        memcpy(r, n + c->z, (size_t)d * sizeof *r);
        return;
    }
    memset(r, 0, (size_t)dof * sizeof *r);
    small_add_transposed_product(d, dof, 1, 1.0, n + c->B_hat, n + c->z, r);
    if (c->shape.closure)
        return;
    small_add_product(dof, d, 1, 1.0, n + c->kc, n + c->dt, r);
    small_add_product(dof, dof, 1, 1.0, n + c->ku, n + c->du, r);
    if (c->shape.parent < 0)
        return;
    const node *p = &el->nodes[c->shape.parent];
    small_add_product(dof, p->shape.size, 1, 1.0, n + c->kp, n + p->dt, r);
    add_to_parent(el, c);
}

double *olo_elimination_unknown(olo_elimination *el, int c)
{
    return el->numbers + el->nodes[c].du;
}

void olo_elimination_multiply(olo_elimination *el)
{
    for (int i = el->count - 1; i >= 0; i--)
        form_twist(el, &el->nodes[el->order[i]]);
    for (int c = 0; c < el->count; c++)
        memset(el->numbers + el->nodes[c].z, 0,
               (size_t)el->nodes[c].shape.size * sizeof *el->numbers);
    for (int c = 0; c < el->count; c++)
        multiply(el, &el->nodes[c]);
    for (int i = 0; i < el->count; i++)
        form_joint_product(el, &el->nodes[el->order[i]]);
}

const double *olo_elimination_product(const olo_elimination *el, int c)
{
    return el->numbers + el->nodes[c].x;
}
