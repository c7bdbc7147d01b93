/* Beams of a system: names, nodes, and strains and stress resultants at the quadrature points,
 *
 *     n = dW/dGamma,  m = dW/dK          along the directors of the section.
 */
#include "system/system.h"

int olo_system_beam_count(const olo_system *system)
{
    return system->beam_count;
}

const char *olo_system_beam_name(const olo_system *system, int beam)
{
    return system->beams[beam].name;
}

int olo_system_beam_node_count(const olo_system *system, int beam)
{
    return system->beams[beam].node_count;
}

int olo_system_beam_node(const olo_system *system, int beam, int index)
{
    return system->beams[beam].nodes[index];
}

int olo_system_beam_point_count(const olo_system *system, int beam)
{
    return system->beams[beam].elements * system->beams[beam].points;
}

double olo_system_beam_station(const olo_system *system, int beam, int point)
{
    return system->beams[beam].stations[point];
}

void olo_system_beam_stress(const olo_system *system, const olo_state *state, int beam, int point,
                            double strain[6], double stress[6])
{
    const olo_term *term = &system->terms[system->beams[beam].first_term + point];
    const olo_strain *at = term->data;
    double e[OLO_STRAINS];
    olo_law_at law;
    olo_strain_values(at, state->q, state->q_remainder, e);
    const olo_law_input x = {.law = term->law,
                             .k = OLO_STRAINS,
                             .e0 = e,
                             .c = term->coefficient,
                             .context = term->context};
    term->law->at(&x, OLO_LAW_VALUE, false, &law);
    for (int k = 0; k < OLO_STRAINS; k++) {
        if (strain)
            strain[k] = e[k];
        if (stress)
            stress[k] = law.g[k] / at->weight;
    }
}
