/* Recognises squares of vectors among forms; see the header.
 *
 * The position of one node has the coefficient 1: the sign of r is free, and ends of springs are
 * points x + X_I d_I. The Hessian of e is c_v c_w I between the vectors v and w, so that the column
 * of that position has all coefficients, and the linear part there is r_0. */
#include "system/vector_square.h"

#include <float.h>
#include <math.h>

enum { SIZE = 12 * OLO_SQUARE_NODES };

/* Whether two numbers are equal up to the rounding of a few products. */
static bool agree(double a, double b, double size)
{
    return fabs(a - b) <= 8 * DBL_EPSILON * size;
}

/* Lists the nodes of a term; false if there are others than one or two points and frames. */
static bool find_nodes(const olo_system *s, const olo_term *term, olo_vector_square *x)
{
    int last = -1;
    x->nodes = 0;
    for (int i = 0; i < term->size; i++) {
        const int k = s->coordinates[term->index[i]].node;
        const olo_node *node = &s->nodes[k];
        const bool point = node->size == 3 && node->twist == 3 && node->type->translation == 0;
        if (k == last)
            continue;
        if (x->nodes == OLO_SQUARE_NODES || !(node->type->spatial || point))
            return false;
        last = k;
        x->q[x->nodes] = node->q;
        x->turns[x->nodes++] = node->type->spatial;
    }
    return true;
}

/* The coefficient of the 3-vector of local coordinate i. */
static double *coefficient_of(const olo_system *s, const olo_term *term, int i,
                              olo_vector_square *x)
{
    const int q = term->index[i], a = x->nodes > 1 && q >= x->q[1];
    return &x->c[a][s->coordinates[q].slot];
}

bool olo_vector_square_of(const olo_system *s, const olo_term *term, olo_vector_square *x)
{
    double A[SIZE * SIZE] = {0}, square = 0;
    const int n = term->size;
    *x = (olo_vector_square){0};
    if (term->invariants || term->forms != 1 || n > SIZE || !find_nodes(s, term, x))
        return false;
    const olo_form *form = &term->form[0];
    olo_form_add_hessian(form, 1.0, A);
    /* the first position with the coefficient 1 */
    int unit = 0;
    while (unit < n && !(A[unit * n + unit] == 1 && s->coordinates[term->index[unit]].slot == 0 &&
                         s->coordinates[term->index[unit]].axis == 0))
        unit++;
    if (unit + 2 >= n || term->index[unit + 2] != term->index[unit] + 2)
        return false;
    /* coefficients, and the constant part */
    for (int i = 0; i < n; i++)
        if (s->coordinates[term->index[i]].axis == 0)
            *coefficient_of(s, term, i, x) = A[unit * n + i];
    for (int k = 0; k < 3; k++) {
        x->constant[k] = form->b[unit + k];
        square += 0.5 * x->constant[k] * x->constant[k];
    }
    /* the form of these must be the given one */
    bool equal = agree(form->c, square, square);
    for (int i = 0; equal && i < n; i++) {
        const int axis = s->coordinates[term->index[i]].axis;
        const double ci = *coefficient_of(s, term, i, x), b = ci * x->constant[axis];
        equal = agree(form->b[i], b, fabs(b));
        for (int j = 0; equal && j < n; j++) {
            const bool along = s->coordinates[term->index[j]].axis == axis;
            const double a = along ? ci * *coefficient_of(s, term, j, x) : 0.0;
            equal = agree(A[i * n + j], a, fabs(a));
        }
    }
    return equal;
}
