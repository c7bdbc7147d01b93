/* Products with the matrix A of a joint, at the end of a step, and A^ at its midpoint; those of
 * spatial joints, [I a^; 0 I], are cross products. */
#ifndef OLO_LINALG_ELIMINATION_JOINT_H
#define OLO_LINALG_ELIMINATION_JOINT_H

#include "base/inline.h"
#include "linalg/elimination_private.h"
#include "linalg/small.h"
#include "linalg/vec3.h"

typedef enum joint_matrix { AT_END, AT_MIDPOINT } joint_matrix;

static inline int size_of_parent(const olo_elimination *el, const node *c)
{
    return el->nodes[c->shape.parent].shape.size;
}

/* x += A x_p */
OLO_INLINE void add_carried(const olo_elimination *el, const node *c, joint_matrix at,
                            const double *parent, double *x)
{
    const double *n = el->numbers;
    if (!c->spatial) {
        small_add_times(c->shape.size, size_of_parent(el, c), 1.0,
                        n + (at == AT_END ? c->A : c->A_hat), parent, x);
        return;
    }
    for (int i = 0; i < 6; i++)
        x[i] += parent[i];
    vec3_add_cross(n + c->arms + (at == AT_END ? 0 : 3), parent + 3, x);
}

/* x_p += A^T x */
OLO_INLINE void add_carried_back(const olo_elimination *el, const node *c, joint_matrix at,
                                 const double *x, double *parent)
{
    const double *n = el->numbers;
    if (!c->spatial) {
        small_add_transposed_times(c->shape.size, size_of_parent(el, c), 1.0,
                                   n + (at == AT_END ? c->A : c->A_hat), x, parent);
        return;
    }
    for (int i = 0; i < 6; i++)
        parent[i] += x[i];
    vec3_add_cross(x, n + c->arms + (at == AT_END ? 0 : 3), parent + 3);
}

/* Column k of B, six rows of r numbers. */
OLO_INLINE row6 column_of(const int r, const double *B, int k)
{
    const double *b = B + k;
    return row6_make(b[0], b[r], b[2 * r], b[3 * r], b[4 * r], b[5 * r]);
}

#endif
