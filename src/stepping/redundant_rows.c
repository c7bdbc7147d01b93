/* Redundant closure rows at one configuration q: the directions of the rows G P(q) of all closures
 * that are combinations of others. The elimination finds them from the joint matrices and the rows
 * alone (linalg/elimination_symmetric.c). */
#include "stepping/tree_assembly.h"

void olo_find_redundant_rows(const olo_topology *topology, olo_projector *projector,
                             olo_elimination *elimination, const olo_motion *motion,
                             const olo_at *at, double smallest)
{
    static const double none[OLO_NODE_TWIST_MAX] = {0};
    const olo_system *s = topology->system;
    olo_motion here = *motion;
    double gradient[OLO_FORM_SIZE_MAX];
    here.q0 = at->q;
    here.qm = here.q1 = (double *)at->q; /* only read */
    olo_elimination_clear(elimination);
    /* joints */
    for (int k = 0; k < s->node_count; k++) {
        const olo_joint_type *type = topology->nodes[k].type;
        if (!type)
            continue;
        olo_joint_view view = olo_motion_view(topology, k, &here);
        olo_joint_blocks blocks = olo_elimination_joint(elimination, k);
        type->blocks(&view, none, &blocks, NULL);
    }
    /* closure rows */
    for (int i = 0; i < topology->closure_count; i++) {
        const int row = topology->closures[i], piece = olo_piece_of_constraint(s, row);
        olo_constraint_gradient(&s->constraints[row], at, gradient);
        olo_projector_add_column(projector, piece, 1.0, gradient, at->q);
        olo_projector_add_row(projector, piece, 1.0, gradient, at->q);
    }
    /* a singular matrix is reported, with its node, by the iteration */
    (void)olo_elimination_find_redundant(elimination, s->length_scale, smallest * smallest, NULL);
}
