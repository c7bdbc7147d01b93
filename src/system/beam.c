/* Beams of a system: names, nodes, and strains and stress resultants at the quadrature points,
 *
 *     n = dW/dGamma,  m = dW/dK          along the directors of the section;
 *
 * and the discrete momentum maps of the energy W_e(q_a, q_b) of an element, along the line,
 *
 *     n_e = dW_e/dr_b,   m_e + r_b x n_e,   m_e . d3_b,    m_e = sum_I d_I,b x dW_e/dd_I,b,
 *
 * which belong to translations, rotations, and rotations of isotropic sections about d3. In
 * equilibrium without loads they are constant along the line.
 */
#include "linalg/vec3.h"
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

/* The multipliers of the rows at a point are the stress resultants of strains that vanish. */
static void add_multipliers(const olo_beam_line *line, const olo_state *state, int point,
                            double stress[6])
{
    for (int i = 0; i < line->row_count; i++)
        stress[line->row_strain[i]] += state->lambda[line->first_row + point * line->row_count + i];
}

/* Adds a share of the strains and stresses of one term. */
static void add_stress(const olo_term *term, const olo_state *state, double share, double strain[6],
                       double stress[6])
{
    const olo_law *law = term->law->strain ? term->law->strain : term->law;
    const olo_strain *at = term->data;
    double e[OLO_ROD_INVARIANTS], x[OLO_STRAINS];
    olo_law_at out;
    olo_strain_values(at, state->q, state->q_remainder, e);
    olo_law_strains(term->law, e, term->coefficient, x);
    const olo_law_input input = {
        .law = law, .k = OLO_STRAINS, .e0 = x, .c = term->coefficient, .context = term->context};
    law->at(&input, OLO_LAW_VALUE, false, &out);
    for (int k = 0; k < OLO_STRAINS; k++) {
        strain[k] += share * x[k];
        stress[k] += share * out.g[k] / at->weight;
    }
}

/* With directors at edges, shear and elongation are those of the edge, curvatures and torsion the
 * mean of those at its two vertices. */
void olo_system_beam_stress(const olo_system *system, const olo_state *state, int beam, int point,
                            double strain[6], double stress[6])
{
    const olo_beam_line *line = &system->beams[beam];
    double e[OLO_STRAINS] = {0}, s[OLO_STRAINS] = {0};
    add_stress(&system->terms[line->first_term + point], state, 1.0, e, s);
    for (int a = 0; a < 2 && line->first_bending >= 0; a++)
        add_stress(&system->terms[line->first_bending + point + a], state, 0.5, e, s);
    add_multipliers(line, state, point, s);
    for (int k = 0; k < OLO_STRAINS; k++) {
        if (strain)
            strain[k] = e[k];
        if (stress)
            stress[k] = s[k];
    }
}

/* ---- momentum maps --------------------------------------------------------------------------- */

/* Adds the force and the moment about the origin that a term, with its gradient, exerts through
 * node a, less the forces on the nodes before: P^T grad W of a rigid motion. */
static void add_wrench(const olo_term *term, const double *q, const double *gradient, int a,
                       double force[3], double moment[3], double about[3])
{
    const olo_strain *at = term->data;
    const double *g = gradient;
    for (int b = 0; b < at->nodes; b++) {
        if (at->position[b] >= 0) {
            if (b == a) {
                vec3_add(1.0, g, force);
                vec3_add_cross(q + at->position[b], g, moment);
            }
            g += 3;
        }
        for (int I = 0; I < 9 && at->directors[b] >= 0; I += 3, g += 3)
            if (b == a) {
                vec3_add_cross(q + at->directors[b] + I, g, moment);
                vec3_add_cross(q + at->directors[b] + I, g, about);
            }
    }
}

/* The gradient of the energy of a term, and of the rows at point p of the line (-1: without). */
static void gradient_of(const olo_beam_line *line, const olo_term *term, const olo_state *state,
                        int point, double gradient[OLO_FORM_SIZE_MAX])
{
    const olo_strain *at = term->data;
    double n[OLO_ROD_INVARIANTS] = {0}, rows[OLO_FORM_SIZE_MAX];
    olo_term_gradient(term, state->q, state->angles, gradient);
    if (point < 0 || line->row_count == 0)
        return;
    add_multipliers(line, state, point, n);
    for (int k = 0; k < 3; k++)
        n[k] *= at->weight; /* lambda grad g, with g = w Gamma */
    term->invariants->combine(term, n, state->q, rows);
    for (int i = 0; i < term->size; i++)
        gradient[i] += rows[i];
}

void olo_system_beam_momentum(const olo_system *system, const olo_state *state, int beam,
                              int element, double force[3], double moment[3], double *torsion)
{
    const olo_beam_line *line = &system->beams[beam];
    const int first = element * line->points;
    const olo_term *terms = &system->terms[line->first_term + first];
    double about[3] = {0, 0, 0}, gradient[OLO_FORM_SIZE_MAX];
    vec3_set(0, 0, 0, force);
    vec3_set(0, 0, 0, moment);
    /* through the last node of the element; with directors at edges through the vertex at its end,
     * where the directors of the next edge begin */
    const bool edges = line->first_bending >= 0;
    for (int p = 0; p < line->points; p++) {
        gradient_of(line, &terms[p], state, first + p, gradient);
        add_wrench(&terms[p], state->q, gradient, edges ? 1 : line->element_nodes - 1, force,
                   moment, about);
    }
    const olo_term *last = &terms[line->points - 1];
    if (edges) {
        last = &system->terms[line->first_bending + element + 1];
        gradient_of(line, last, state, -1, gradient);
        add_wrench(last, state->q, gradient, 1, force, moment, about);
    }
    const olo_strain *at = last->data;
    double d3[3] = {0, 0, 0};
    const int a = at->nodes - 1;
    for (int J = 0; J < 3; J++)
        vec3_add(at->turn[a] ? at->turn[a][3 * J + 2] : J == 2, state->q + at->directors[a] + 3 * J,
                 d3);
    *torsion = vec3_dot(about, d3);
}
