/* Discrete Cosserat rods with positions r_i at the vertices and directors R_i at the edges (thesis,
 * 7.6.3). With the lengths h_e of edges and h_v of dual edges, without stress,
 *
 *     v_e = R_e^T (r_(e+1) - r_e)/h_e                              at edges,
 *     u_v = 2/h_v cay^-1(R_(v-1)^T R_v)                            at vertices,
 *     V   = sum_e h_e W(v_e) + sum_v h_v W(u_v).
 *
 * The first and the last vertex are frames with own directors, half an edge away from those of the
 * edges: supports, joints and other rods act on them. If they may rotate freely, the end has no
 * moment, and its term no energy.
 *
 * Masses are at the vertices, the inertia of the directors at the edges; the frames at the ends
 * have that of a quarter of an edge. */
#include <math.h>
#include <string.h>

#include "elements/beam_assembly.h"
#include "elements/beam_energy.h"
#include "elements/beam_rows.h"
#include "elements/drawing.h"
#include "linalg/vec3.h"

static double edge_length(const olo_beam_assembly *x, int e)
{
    double chord[3];
    vec3_subtract(x->line.x[e + 1], x->line.x[e], chord);
    return olo_line_rest_length(&x->line, x->beam, vec3_norm(chord));
}

/* Half of the edges on both sides of a vertex. */
static double dual_length(const olo_beam_assembly *x, int v)
{
    return 0.5 *
           ((v > 0 ? edge_length(x, v - 1) : 0) + (v < x->line.elements ? edge_length(x, v) : 0));
}

/* Uses the position or the directors of a node, with shape functions. */
static void use(const olo_node *node, bool position, double N, double dN, olo_strain *strain)
{
    const int a = strain->nodes++;
    strain->position[a] = position ? node->q + node->type->position : -1;
    strain->directors[a] = position ? -1 : node->q + node->type->directors;
    strain->twist[a] = node->twist;
    strain->N[a] = N;
    strain->dN[a] = dN;
}

static olo_strain stretch_at(const olo_beam_assembly *x, int e)
{
    const olo_node *nodes = olo_build_system(x->builder)->nodes;
    const double h = edge_length(x, e);
    olo_strain strain = {.weight = h};
    use(&nodes[x->node[e]], true, 0, -1 / h, &strain);
    use(&nodes[x->node[e + 1]], true, 0, 1 / h, &strain);
    use(&nodes[x->edge[e]], false, 1, 0, &strain);
    return strain;
}

/* Arc length of a vertex; `stations` are those of the middles of edges. */
static double vertex_station(const olo_beam_assembly *x, int v)
{
    return v == 0 ? 0.0 : x->stations[v - 1] + 0.5 * edge_length(x, v - 1);
}

/* The rotation from directors `own` to directors `seen`, in the pool; NULL: none. */
static olo_status copy_turn(const olo_beam_assembly *x, const double *own, const double *seen,
                            const double **turn)
{
    const double same = 1e-13;
    double R[9], off = 0;
    for (int i = 0; i < 9; i++) {
        R[i] = vec3_dot(own + 3 * (i / 3), seen + 3 * (i % 3));
        off = fmax(off, fabs(R[i] - (i % 4 == 0)));
    }
    *turn = NULL;
    if (off <= same)
        return OLO_OK;
    *turn = olo_pool_copy(&olo_build_system(x->builder)->pool, R, 9, sizeof *R);
    return *turn ? OLO_OK : olo_build_out_of_memory(x->builder);
}

/* The directors before and after a vertex. At a corner those after it are rotated back, so that the
 * angle of the corner is no curvature. */
static olo_status bending_at(const olo_beam_assembly *x, int v, olo_strain *strain)
{
    const olo_system *s = olo_build_system(x->builder);
    const int last = x->line.elements;
    const double h = dual_length(x, v);
    const olo_node *before = &s->nodes[v == 0 ? x->node[0] : x->edge[v - 1]];
    const olo_node *after = &s->nodes[v == last ? x->node[last] : x->edge[v]];
    *strain = (olo_strain){.weight = h};
    use(before, false, 0.5, -1 / h, strain);
    use(after, false, 0.5, 1 / h, strain);
    if (v == 0)
        return copy_turn(x, s->q0 + before->q + before->type->directors,
                         olo_beam_directors(x, 0, 0), &strain->turn[0]);
    if (v == last)
        return copy_turn(x, s->q0 + after->q + after->type->directors,
                         olo_beam_directors(x, v - 1, 1), &strain->turn[1]);
    return copy_turn(x, olo_beam_directors(x, v, 0), olo_beam_directors(x, v - 1, 1),
                     &strain->turn[1]);
}

typedef olo_status (*add_function)(const olo_beam_material *, olo_beam_strains, olo_strain *);

static olo_status add_stretch(const olo_beam_assembly *x, add_function add)
{
    olo_beam_material material = x->material;
    material.tangent = false; /* it has no curvature */
    olo_status status = OLO_OK;
    for (int e = 0; status == OLO_OK && e < x->line.elements; e++) {
        olo_strain strain = stretch_at(x, e);
        material.station = x->stations[e];
        status = add(&material, OLO_BEAM_STRETCH, &strain);
    }
    return status;
}

static olo_status add_bending(const olo_beam_assembly *x, add_function add)
{
    olo_beam_material material = x->material;
    olo_status status = OLO_OK;
    for (int v = 0; status == OLO_OK && v <= x->line.elements; v++) {
        olo_strain strain;
        material.station = vertex_station(x, v);
        status = bending_at(x, v, &strain);
        if (status == OLO_OK)
            status = add(&material, OLO_BEAM_BENDING, &strain);
    }
    return status;
}

/* --- mass and weight --- */

/* Inertia of the rates of d1 and d2 over some length at a station, in the directors that start at
 * q[d]. */
static olo_status add_rotary_inertia(const olo_beam_assembly *x, int d, const double *turn,
                                     double length, double station)
{
    const double *E = x->material.section.inertia;
    const double size = olo_beam_taper(&x->material, station), moment = size * size * size * size;
    olo_status status = OLO_OK;
    for (int I = 1; I < 4; I++)
        for (int J = I; status == OLO_OK && J < 4; J++) {
            double mass = 0;
            for (int a = 1; a < 3; a++)
                for (int b = 1; b < 3; b++)
                    mass += length * moment * E[3 * a + b] *
                            olo_beam_coefficient_in_node(turn, a, I) *
                            olo_beam_coefficient_in_node(turn, b, J);
            status = olo_build_mass(x->builder, d + 3 * (I - 1), d + 3 * (J - 1), mass);
        }
    return status;
}

static olo_status add_end_inertia(olo_beam_assembly *x, int e, int a)
{
    const olo_node *node = &olo_build_system(x->builder)->nodes[x->node[e + a]];
    olo_status status = olo_beam_find_turn(x, e, a);
    return status == OLO_OK
               ? add_rotary_inertia(x, node->q + node->type->directors, x->turn[2 * e + a],
                                    0.25 * edge_length(x, e), vertex_station(x, e + a))
               : status;
}

static olo_status add_mass(olo_beam_assembly *x)
{
    const olo_system *s = olo_build_system(x->builder);
    const double density = x->material.section.inertia[0];
    const int last = x->line.elements;
    olo_status status = OLO_OK;
    for (int v = 0; status == OLO_OK && v <= last; v++) {
        const int q = s->nodes[x->node[v]].q;
        olo_position at = olo_position_slot(q);
        const double size = olo_beam_taper(&x->material, vertex_station(x, v));
        x->lengths[v] = dual_length(x, v);
        const double mass = density * x->lengths[v] * size * size;
        status = olo_build_mass(x->builder, q, q, mass);
        if (status == OLO_OK)
            status = olo_build_gravity(x->builder, x->beam->name, mass, &at);
    }
    for (int e = 0; status == OLO_OK && e < last; e++) {
        const double share = 1 - 0.25 * (e == 0) - 0.25 * (e == last - 1);
        status = add_rotary_inertia(x, s->nodes[x->edge[e]].q, NULL, share * edge_length(x, e),
                                    x->stations[e]);
    }
    if (status == OLO_OK)
        status = add_end_inertia(x, 0, 0);
    return status == OLO_OK ? add_end_inertia(x, last - 1, 1) : status;
}

/* --- the rod --- */

/* Each edge is a bar between its vertices. */
static olo_status draw(const olo_beam_assembly *x)
{
    olo_status status = OLO_OK;
    double h[2];
    olo_beam_half_widths(x, h);
    for (int e = 0; status == OLO_OK && e < x->line.elements; e++) {
        const olo_drawable d = {
            .name = x->beam->name,
            .role = "beam",
            .primitive = "rod",
            .node = {x->node[e], x->node[e + 1]},
            .size = {olo_beam_taper(&x->material, x->stations[e]) * sqrt(h[0] * h[1])}};
        status = olo_draw(x->builder, &d);
    }
    return status;
}

static olo_status check(const olo_beam_assembly *x)
{
    const olo_section_numbers *section = &x->material.section;
    bool coupled = false;
    for (int i = 0; i < 36; i++)
        coupled = coupled || (i / 18 != i % 6 / 3 && section->stiffness[i] != 0);
    if (olo_build_system(x->builder)->planar)
        return olo_builder_fail(x->builder, "discretisation",
                                "directors at edges need a model without a plane: choose "
                                "'vertices', or leave 'plane' out");
    const olo_curve *energy = x->material.energy;
    if (energy ? !olo_beam_energy_is_separable(energy, 0.0) : coupled)
        return olo_builder_fail(x->builder, energy ? "energy" : "stiffness",
                                "shear and elongation are at the edges, curvature and torsion at "
                                "the vertices: they cannot be coupled; choose 'vertices'");
    if (section->inertia[1] != 0 || section->inertia[2] != 0)
        return olo_builder_fail(x->builder, "inertia",
                                "the centre of mass of a section must be on the line of a rod with "
                                "directors at edges; choose 'vertices'");
    return OLO_OK;
}

olo_status olo_beam_add_edges(olo_beam_assembly *x, olo_beam_line *line)
{
    const olo_system *s = olo_build_system(x->builder);
    const bool damped = x->beam->damping > 0 || x->beam->dissipation > 0;
    double length = 0;
    olo_status status = check(x);
    for (int e = 0; e < x->line.elements; e++) {
        x->stations[e] = length + 0.5 * edge_length(x, e);
        length += edge_length(x, e);
    }
    line->first_term = s->term_count;
    if (status == OLO_OK)
        status = add_stretch(x, olo_beam_add_elastic);
    line->first_bending = s->term_count;
    if (status == OLO_OK)
        status = add_bending(x, olo_beam_add_elastic);
    if (status == OLO_OK && damped)
        status = add_stretch(x, olo_beam_add_damping);
    if (status == OLO_OK && damped)
        status = add_bending(x, olo_beam_add_damping);
    if (status == OLO_OK && olo_beam_has_rows(x->beam))
        status = olo_beam_begin_rows(&x->material, line);
    if (status == OLO_OK && olo_beam_has_rows(x->beam))
        status = add_stretch(x, olo_beam_add_rows);
    if (status == OLO_OK)
        status = add_mass(x);
    return status == OLO_OK ? draw(x) : status;
}
