/* What a node without directors is, for messages; see the header. */
#include "elements/point_noun.h"

/* Whether the node is a vertex between two edges of a rod whose directors are at the edges. */
static bool is_inner_vertex(const olo_system *system, int node)
{
    for (int b = 0; b < system->beam_count; b++) {
        const olo_beam_line *beam = &system->beams[b];
        for (int k = 0; beam->edges && k < beam->node_count; k++)
            if (beam->nodes[k] == node)
                return true;
    }
    return false;
}

const char *olo_point_noun(const olo_system *system, int node)
{
    return is_inner_vertex(system, node) ? "an inner vertex of a rod with directors at edges"
                                         : "a point mass";
}

const char *olo_point_advice(const olo_system *system, int node)
{
    return is_inner_vertex(system, node) ? ": choose discretisation 'vertices', or let one rod end "
                                           "there and the next one begin (start_on)"
                                         : "";
}
