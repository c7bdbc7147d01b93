/* Counts of coordinates, constraints, rank and unknowns. Rows that joints of the forest satisfy are
 * independent by construction; the rank of the others is that of G P (redundancy.c). */
#include <string.h>

#include "kinematics/redundancy.h"

olo_status olo_system_counts(const olo_system *s, olo_counts *counts, olo_error *error)
{
    const olo_topology *topology = s->topology;
    (void)error;
    memset(counts, 0, sizeof *counts);
    for (int k = 0; k < s->node_count; k++) {
        counts->points += !olo_node_turns(&s->nodes[k]);
        counts->bodies += olo_node_turns(&s->nodes[k]) && !s->nodes[k].section;
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
    counts->closures = topology->closure_count;
    counts->rank = s->m - topology->closure_count + s->redundancy->rank;
    counts->degrees_of_freedom = s->n - counts->rank;
    counts->unknowns_reduced = topology->unknowns + topology->closure_count;
    counts->unknowns_multipliers = s->n + s->m;
    return OLO_OK;
}

olo_status olo_system_redundant_rows(const olo_system *s, int *redundant, olo_error *error)
{
    (void)error;
    memcpy(redundant, s->redundancy->rows, (size_t)s->group_count * sizeof *redundant);
    return OLO_OK;
}
