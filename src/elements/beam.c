/* Geometrically exact beams (Simo and Reissner) with directors.
 *
 *     V = sum over elements and quadrature points of  w W(Gamma, K),    w = weight |dphi/dxi|
 *     M_ab = int A_rho N_a N_b ds between phi^a and phi^b, with M1, M2 between d1, d2; none on d3
 *
 * A discrete rod has its mass at the vertices, M_aa = int A_rho N_a ds: no mass couples two frames.
 *
 * A node is a frame with six internal constraints, like a rigid body. Positions and directors are
 * interpolated with the same shape functions. Reduced quadrature has k - 1 points per element of k
 * nodes; full quadrature has k points and leads to locking. The mass is integrated exactly on
 * straight beams. The initial strains are the reference, so that the initial state is free of
 * stress. The strains are in system/strain.h, the sections in beam_section.c, the centre lines in
 * beam_line.c. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "elements/beam_assembly.h"
#include "elements/beam_rows.h"
#include "elements/build.h"
#include "elements/drawing.h"
#include "linalg/vec3.h"

enum { NODES = OLO_STRAIN_NODES_MAX, ELEMENTS_MAX = 100000 };

/* --- shape functions and Gauss points on [-1, 1] --- */

static void shape(int nodes, double xi, double N[NODES], double dN[NODES])
{
    if (nodes == 2) {
        N[0] = 0.5 * (1 - xi), N[1] = 0.5 * (1 + xi);
        dN[0] = -0.5, dN[1] = 0.5;
        return;
    }
    N[0] = 0.5 * xi * (xi - 1), N[1] = (1 - xi) * (1 + xi), N[2] = 0.5 * xi * (xi + 1);
    dN[0] = xi - 0.5, dN[1] = -2 * xi, dN[2] = xi + 0.5;
}

static void gauss(int points, int p, double *xi, double *weight)
{
    static const double at[3][3] = {{0},
                                    {-0.57735026918962576, 0.57735026918962576},
                                    {-0.77459666924148338, 0, 0.77459666924148338}};
    static const double weights[3][3] = {{2}, {1, 1}, {5. / 9, 8. / 9, 5. / 9}};
    *xi = at[points - 1][p];
    *weight = weights[points - 1][p];
}

/* --- elements --- */

/* Sets the data of a quadrature point: nodes, shape functions, their derivatives by arc length, and
 * weight. */
static void strain_at(const olo_beam_assembly *x, int e, int points, int p, olo_strain *strain)
{
    const olo_system *s = olo_build_system(x->builder);
    double xi, weight, tangent[3] = {0, 0, 0};
    int nodes = x->line.element_nodes;
    *strain = (olo_strain){.count = OLO_STRAINS};
    gauss(points, p, &xi, &weight);
    shape(nodes, xi, strain->N, strain->dN);
    for (int a = 0; a < nodes; a++) {
        olo_strain_use_frame(strain, s->nodes[x->node[olo_beam_first_node(x, e) + a]].q);
        strain->turn[a] = x->turn[e * nodes + a];
        vec3_add(strain->dN[a], s->q0 + strain->position[a], tangent);
    }
    /* by the coordinate from -1 to 1 of the element */
    double length = 0.5 * olo_line_rest_length(&x->line, x->beam, 2 * vec3_norm(tangent));
    for (int a = 0; a < nodes; a++)
        strain->dN[a] /= length;
    strain->dN[0] =
        -(strain->dN[1] +
          strain->dN[2]); /* the sum is exactly zero, so that a translation causes no strain */
    strain->weight = weight * length;
}

/* Adds one kind of term at all quadrature points of all elements. */
static olo_status add_terms(olo_beam_assembly *x, olo_status (*add)(const olo_beam_material *,
                                                                    olo_beam_strains, olo_strain *))
{
    olo_status status = OLO_OK;
    double length_before = 0;
    for (int e = 0; status == OLO_OK && e < x->line.elements; e++) {
        double length = 0;
        for (int p = 0; p < x->points; p++) {
            olo_strain strain;
            double before = length;
            strain_at(x, e, x->points, p, &strain);
            length += strain.weight;
            x->stations[e * x->points + p] = length_before + 0.5 * (before + length);
            x->material.station = x->stations[e * x->points + p];
            status = status == OLO_OK ? add(&x->material, OLO_BEAM_ALL, &strain) : status;
        }
        length_before += length;
    }
    return status;
}

/* --- mass --- */

/* Integrates a^p N_a N_b over an element that begins at an arc length, with the size a of the
 * section and p = 2, 3, 4; adds the integrals of N_a, a^2 N_a and a^3 N_a to its nodes. Returns its
 * length. */
static double integrate(olo_beam_assembly *x, int e, double start, double m[NODES][NODES][3])
{
    const int nodes = x->line.element_nodes;
    olo_strain at[NODES];
    double length = 0;
    memset(m, 0, sizeof(double[NODES][NODES][3]));
    for (int p = 0; p < nodes; p++) {
        strain_at(x, e, nodes, p, &at[p]);
        length += at[p].weight;
    }
    for (int p = 0; p < nodes; p++) {
        double xi, weight;
        gauss(nodes, p, &xi, &weight);
        const double size = olo_beam_taper(&x->material, start + 0.5 * (1 + xi) * length);
        const double power[3] = {size * size, size * size * size, size * size * size * size};
        for (int a = 0; a < nodes; a++) {
            const int k = olo_beam_first_node(x, e) + a;
            const double share = at[p].weight * at[p].N[a];
            x->lengths[k] += share;
            x->share[2 * k] += power[0] * share;
            x->share[2 * k + 1] += power[1] * share;
            for (int b = 0; b < nodes; b++)
                for (int i = 0; i < 3; i++)
                    m[a][b][i] += power[i] * share * at[p].N[b];
        }
    }
    return length;
}

/* Coefficient of the 3-vector I of a node in phi, d1 or d2 (s = 0, 1, 2) of the section. */
double olo_beam_coefficient_in_node(const double *turn, int s, int I)
{
    if (s == 0 || I == 0)
        return s == 0 && I == 0;
    return turn ? turn[3 * (I - 1) + s - 1] : I == s;
}

/* Adds m times the inertia of the section between two nodes to the mass matrix: m[0] of the mass,
 * m[1] of first and m[2] of second moments. */
static olo_status add_pair(olo_beam_assembly *x, int k, const double *turn_k, int l,
                           const double *turn_l, const double m[3])
{
    const olo_system *s = olo_build_system(x->builder);
    int qk = s->nodes[x->node[k]].q, ql = s->nodes[x->node[l]].q;
    olo_status status = OLO_OK;
    for (int I = 0; I < 4; I++)
        for (int J = k == l ? I : 0; status == OLO_OK && J < 4; J++) {
            double mass = 0;
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    mass += m[(a > 0) + (b > 0)] * x->material.section.inertia[3 * a + b] *
                            olo_beam_coefficient_in_node(turn_k, a, I) *
                            olo_beam_coefficient_in_node(turn_l, b, J);
            status = olo_build_mass(x->builder, qk + 3 * I, ql + 3 * J, mass);
        }
    return status;
}

/* Moves the integrals of N_a N_b to those of N_a on the diagonal: sum_b N_b = 1. */
static void lump(int nodes, double m[NODES][NODES][3])
{
    for (int a = 0; a < nodes; a++)
        for (int b = 0; b < nodes; b++)
            for (int i = 0; b != a && i < 3; i++) {
                m[a][a][i] += m[a][b][i];
                m[a][b][i] = 0;
            }
}

/* Adds the mass matrix. Elements without corners are first summed in a band matrix, so that each
 * pair of 3-vectors has one entry.
 */
static olo_status add_mass(olo_beam_assembly *x)
{
    const bool discrete = strcmp(x->beam->discretisation, "elements") != 0;
    olo_status status = OLO_OK;
    int nodes = x->line.element_nodes;
    double start = 0;
    for (int e = 0; status == OLO_OK && e < x->line.elements; e++) {
        double m[NODES][NODES][3];
        start += integrate(x, e, start, m);
        if (discrete)
            lump(nodes, m);
        for (int a = 0; a < nodes; a++)
            for (int b = a; status == OLO_OK && b < nodes; b++) {
                const double *ta = x->turn[e * nodes + a], *tb = x->turn[e * nodes + b];
                int k = olo_beam_first_node(x, e) + a;
                if (ta || tb)
                    status = add_pair(x, k, ta, k + b - a, tb, m[a][b]);
                for (int i = 0; i < 3 && !ta && !tb; i++)
                    x->band[3 * (3 * k + b - a) + i] += m[a][b][i];
            }
    }
    for (int k = 0; status == OLO_OK && k < x->line.nodes; k++)
        for (int d = 0; status == OLO_OK && d < 3; d++)
            if (x->band[3 * (3 * k + d)] != 0)
                status = add_pair(x, k, NULL, k + d, NULL, x->band + 3 * (3 * k + d));
    return status;
}

/* Adds the weight of each node, at the centre of mass of the section. */
static olo_status add_weight(olo_beam_assembly *x)
{
    const olo_system *s = olo_build_system(x->builder);
    const double *E = x->material.section.inertia;
    olo_status status = OLO_OK;
    for (int k = 0; status == OLO_OK && k < x->line.nodes; k++) {
        const double *share = x->share + 2 * k, scale = share[1] / (share[0] * E[0]);
        const double center[3] = {scale * E[1], scale * E[2], 0};
        olo_position at = olo_position_on_frame(s->nodes[x->node[k]].q, center);
        status = olo_build_gravity(x->builder, x->beam->name, E[0] * share[0], &at);
    }
    return status;
}

/* --- drawing --- */

/* Half-widths along d1 and d2. Without a section they are those of the rectangle with the same
 * ratio of bending and axial stiffness, I/A = h^2/12, within the bounds for the shape of a beam,
 * because given stiffnesses need not belong to a real section. */
void olo_beam_half_widths(const olo_beam_assembly *x, double h[2])
{
    const double thinnest = 1. / 400, thickest = 1. / 16;
    const olo_section *section = x->beam->section;
    const double *D = x->material.section.stiffness;
    double length = 0;
    for (int k = 0; k < x->line.nodes; k++)
        length += x->lengths[k];
    for (int i = 0; i < 2; i++) {
        double I = D[7 * (4 - i)]; /* d1 is bent about d2 */
        if (!section)
            h[i] = fmin(fmax(D[14] > 0 ? sqrt(3 * fmax(I, 0) / D[14]) : 0, thinnest * length),
                        thickest * length);
        else
            h[i] =
                strcmp(section->type, "rectangle") == 0 ? 0.5 * section->size[i] : section->radius;
    }
}

/* Axes of the section at node a of element e, in the frame of the node. */
static void axes(const olo_beam_assembly *x, int e, int a, double rotation[9])
{
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double *turn = x->turn[e * x->line.element_nodes + a];
    memcpy(rotation, turn ? turn : identity, sizeof identity);
}

/* Draws the section swept from node to node. `first` is the number of the first quadrature point,
 * after those of the previous beams. The piece between nodes a and a + 1 of an element has
 * quadrature point a; with full quadrature it lies between points a and a + 1. */
static olo_status draw(const olo_beam_assembly *x)
{
    const olo_system *s = olo_build_system(x->builder);
    const char *shape = x->beam->section ? x->beam->section->type : NULL;
    int pieces = x->line.element_nodes - 1, first = 1;
    double h[2];
    olo_status status = OLO_OK;
    olo_beam_half_widths(x, h);
    for (int i = 0; i < s->beam_count - 1; i++)
        first += s->beams[i].elements * s->beams[i].points;
    for (int k = 0; status == OLO_OK && k < x->line.nodes - 1; k++) {
        int e = k / pieces, a = k % pieces, point = first + e * x->points + a;
        const double size = olo_beam_taper(&x->material, x->stations[e * x->points + a]);
        olo_drawable d = {
            .name = x->beam->name,
            .role = "beam",
            .primitive = "sweep",
            .node = {x->node[k], x->node[k + 1]},
            .point = {point, point + (x->points > pieces)},
            .size = {size * h[0], size * h[1], shape && strcmp(shape, "rectangle") != 0}};
        axes(x, e, a, d.rotation);
        axes(x, e, a + 1, d.size + 3);
        status = olo_draw(x->builder, &d);
    }
    return status;
}

/* --- the element --- */

static olo_status check(olo_builder *builder, const olo_beam *beam)
{
    if (beam->elements < 1 || beam->elements > ELEMENTS_MAX)
        return olo_builder_fail(builder, "elements", "must be a whole number from 1 to %d, got %d",
                                ELEMENTS_MAX, beam->elements);
    if (!(beam->rest_length >= 0))
        return olo_builder_fail(builder, "rest_length", "must be positive, got %g",
                                beam->rest_length);
    if (strcmp(beam->discretisation, "elements") != 0 &&
        (strcmp(beam->interpolation, "quadratic") == 0 || strcmp(beam->quadrature, "full") == 0))
        return olo_builder_fail(builder, "discretisation",
                                "interpolation and quadrature belong to finite elements: leave "
                                "them out for a discrete rod");
    if (!(beam->damping >= 0))
        return olo_builder_fail(builder, "damping", "must not be negative, got %g", beam->damping);
    if (!(beam->dissipation >= 0 && beam->dissipation <= 1))
        return olo_builder_fail(builder, "dissipation", "must be between 0 and 1, got %g",
                                beam->dissipation);
    return OLO_OK;
}

/* Terms, mass, weight and drawing of finite elements and of rods with frames at vertices. */
static olo_status add_elements(olo_beam_assembly *x, olo_beam_line *line)
{
    olo_status status = OLO_OK;
    for (int e = 0; status == OLO_OK && e < x->line.elements; e++)
        for (int a = 0; status == OLO_OK && a < x->line.element_nodes; a++)
            status = olo_beam_find_turn(x, e, a);
    if (status == OLO_OK)
        status = add_terms(x, olo_beam_add_elastic);
    if (status == OLO_OK && (x->beam->damping > 0 || x->beam->dissipation > 0))
        status = add_terms(x, olo_beam_add_damping);
    if (status == OLO_OK && olo_beam_has_rows(x->beam))
        status = olo_beam_begin_rows(&x->material, line);
    if (status == OLO_OK && olo_beam_has_rows(x->beam))
        status = add_terms(x, olo_beam_add_rows);
    if (status == OLO_OK)
        status = add_mass(x);
    return status == OLO_OK ? add_weight(x) : status;
}

static olo_status add_all(olo_beam_assembly *x)
{
    olo_system *s = olo_build_system(x->builder);
    olo_beam_line beam = {.node_count = x->line.nodes,
                          .nodes = x->node,
                          .edges = x->edge,
                          .discrete = strcmp(x->beam->discretisation, "elements") != 0,
                          .elements = x->line.elements,
                          .element_nodes = x->line.element_nodes,
                          .points = x->points,
                          .first_term = s->term_count,
                          .first_bending = -1,
                          .first_row = -1,
                          .lengths = x->lengths,
                          .stations = x->stations,
                          .section = x->beam->section ? *x->beam->section : (olo_section){0}};
    olo_status status = olo_beam_add_nodes(x);
    if (status == OLO_OK)
        status = x->edge ? olo_beam_add_edges(x, &beam) : add_elements(x, &beam);
    beam.name = olo_pool_text(&s->pool, x->beam->name, strlen(x->beam->name));
    if (status == OLO_OK && !beam.name)
        status = olo_build_out_of_memory(x->builder);
    if (status == OLO_OK)
        status = olo_build_beam(x->builder, &beam);
    return status == OLO_OK && !x->edge ? draw(x) : status;
}

olo_status olo_beam_build(olo_builder *builder, const void *element)
{
    olo_beam_assembly x = {.builder = builder, .beam = element};
    olo_status status = check(builder, x.beam);
    if (status == OLO_OK)
        status = olo_beam_material_create(builder, x.beam, &x.material);
    if (status == OLO_OK)
        status = olo_line_create(builder, x.beam, &x.line);
    if (status != OLO_OK)
        return status;
    x.points = x.line.element_nodes - (strcmp(x.beam->quadrature, "full") != 0);
    status = olo_beam_allocate(&x);
    if (status == OLO_OK)
        status = add_all(&x);
    olo_free(x.turn);
    olo_free(x.band);
    olo_free(x.share);
    olo_line_free(&x.line);
    return status;
}
