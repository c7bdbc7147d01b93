/* Right-hand sides and solutions of the elimination on a tree, in coordinates. */
#include "stepping/tree_assembly.h"

void olo_tree_set_right(const olo_topology *t, olo_elimination *el, const double *q, double factor,
                        const double *row)
{
    const olo_system *s = t->system;
    for (int k = 0; k < s->node_count; k++) {
        double *right = olo_elimination_rhs(el, k), wrench[OLO_NODE_TWIST_MAX];
        olo_node_wrench(&s->nodes[k], q, row, wrench);
        for (int i = 0; i < s->nodes[k].twist; i++)
            right[i] = factor * wrench[i];
    }
    for (int u = 0; u < t->closure_count; u++)
        *olo_closure_right(t, el, u) = 0;
}

void olo_tree_get_motion(const olo_topology *t, const olo_elimination *el, const double *q,
                         double factor, double *out)
{
    const olo_system *s = t->system;
    for (int k = 0; k < s->node_count; k++) {
        const olo_node *node = &s->nodes[k];
        const double *solved = olo_elimination_twist(el, k);
        double twist[OLO_NODE_TWIST_MAX];
        for (int i = 0; i < node->twist; i++)
            twist[i] = factor * solved[i];
        node->type->velocity(q + node->q, twist, out + node->q);
    }
}
