/* Solves with a symmetric matrix, and redundant closure rows. The elimination of one block is in
 * elimination_symmetric_sweep.c. */
#include "base/fail.h"
#include "linalg/elimination_private.h"

/* Factors, in the metric of joints if unit > 0, and eliminates the right-hand side otherwise;
 * returns the singular block, or -1. */
static int sweep(olo_elimination *el, double size, double unit)
{
    if (size > 0)
        olo_elimination_activate_all(el, size);
    for (int i = 0; i < el->count; i++) {
        const node *c = &el->nodes[el->order[i]];
        if (size > 0 && c->shape.closure)
            olo_elimination_find_closure_rank(el, c, true);
        if (unit > 0 && i == el->structure->last_closure)
            return -1; /* the directions of all closures are known */
        if (!el->symmetric->factor(el, c, unit))
            return el->order[i];
        if (!(unit > 0))
            el->symmetric->forward(el, c);
    }
    return -1;
}

static void substitute(olo_elimination *el)
{
    for (int i = el->count - 1; i >= 0; i--)
        el->symmetric->backward(el, &el->nodes[el->order[i]]);
}

olo_status olo_elimination_find_redundant(olo_elimination *el, double length, double size,
                                          olo_error *error)
{
    int singular = sweep(el, size, 1 / (length * length));
    if (singular < 0)
        return OLO_OK;
    return olo_fail(error, OLO_SINGULAR, "singular block %d of %d", singular, el->count);
}

olo_status olo_elimination_solve_symmetric(olo_elimination *el, double size, int *block)
{
    int singular = sweep(el, size, 0);
    if (singular >= 0) {
        *block = singular;
        return OLO_SINGULAR;
    }
    substitute(el);
    return OLO_OK;
}

void olo_elimination_solve_symmetric_again(olo_elimination *el)
{
    for (int i = 0; i < el->count; i++)
        el->symmetric->forward(el, &el->nodes[el->order[i]]);
    substitute(el);
}
