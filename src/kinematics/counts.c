/* Counting coordinates, constraints, rank and unknowns. Rows that the tree carries are independent by
 * construction; the rank of the others is that of G P (repeated.c). */
#include <string.h>

#include "kinematics/null_space.h"

olo_status olo_system_counts(const olo_system *s, olo_counts *counts, olo_error *error)
{
    memset(counts, 0, sizeof *counts);
    olo_tree *tree = NULL;
    int rank = 0;
    olo_status status = olo_tree_create(s, &tree, error);
    if (status == OLO_OK)
        status = olo_tree_repeated_rows(tree, NULL, &rank, error);
    if (status != OLO_OK) {
        olo_tree_free(tree);
        return status;
    }
    for (int k = 0; k < s->node_count; k++) {
        counts->points += s->nodes[k].kind == OLO_NODE_POINT;
        counts->bodies += s->nodes[k].kind == OLO_NODE_FRAME && !s->nodes[k].section;
        counts->sections += s->nodes[k].section;
    }
    for (int i = 0; i < s->group_count; i++)
        if (s->groups[i].internal)
            counts->internal += s->groups[i].count;
    for (int c = 0; c < s->m; c++)
        counts->velocity_rows += s->constraints[c].type->velocity;
    counts->beams = s->beam_count;
    counts->coordinates = s->n;
    counts->constraints = s->m;
    counts->closures = tree->closure_count;
    counts->rank = s->m - tree->closure_count + rank;
    counts->degrees_of_freedom = s->n - counts->rank;
    counts->unknowns_reduced = tree->unknowns + tree->closure_count;
    counts->unknowns_multipliers = s->n + s->m;
    olo_tree_free(tree);
    return OLO_OK;
}
