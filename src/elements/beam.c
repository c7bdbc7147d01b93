/* Geometrically exact beams (Simo and Reissner) with directors.
 *
 *     V = sum over elements and quadrature points of  w W(Gamma, K),    w = weight |dphi/dxi|
 *     M_ab = int A_rho N_a N_b ds between phi^a and phi^b, with M1, M2 between d1, d2; none on d3
 *
 * A node is a frame with six internal constraints, like a rigid body. Positions and directors are
 * interpolated with the same shape functions. Reduced quadrature has k - 1 points per element of k
 * nodes; full quadrature has k points and leads to locking. The mass is integrated exactly on
 * straight beams. The initial strains are the reference, so that the initial state is free of
 * stress. The strains are in system/strain.h, the sections in beam_section.c, the centre lines in
 * beam_line.c. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "elements/beam_energy.h"
#include "elements/beam_line.h"
#include "elements/beam_section.h"
#include "elements/build.h"
#include "elements/drawing.h"
#include "linalg/vec3.h"

enum { NODES = OLO_STRAIN_NODES_MAX, ELEMENTS_MAX = 100000 };

olo_beam olo_beam_default(void)
{
    return (olo_beam){.initialised = OLO_INITIALISED_BEAM,
                      .interpolation = "linear",
                      .quadrature = "reduced",
                      .curve = "polyline",
                      .to = {OLO_UNSET, OLO_UNSET, OLO_UNSET},
                      .velocity = {OLO_UNSET, OLO_UNSET, OLO_UNSET},
                      .angular_velocity = {OLO_UNSET, OLO_UNSET, OLO_UNSET}};
}

olo_arc olo_arc_default(void)
{
    return (olo_arc){.initialised = OLO_INITIALISED_ARC};
}

olo_section olo_section_default(void)
{
    return (olo_section){.initialised = OLO_INITIALISED_SECTION, .shear_factor = OLO_UNSET};
}

static void defaults(void *element)
{
    *(olo_beam *)element = olo_beam_default();
}

static void arc_defaults(void *part)
{
    *(olo_arc *)part = olo_arc_default();
}

static void section_defaults(void *part)
{
    *(olo_section *)part = olo_section_default();
}

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

/* --- the beam under construction --- */

typedef struct assembly {
    olo_builder *builder;
    const olo_beam *beam;
    olo_line line;
    olo_section_numbers section;
    olo_curve *energy;   /* NULL: quadratic */
    int points;          /* quadrature points per element */
    int *node;           /* [nodes] indices in the system; stored in its pool, like the next two */
    double *lengths;     /* [nodes] integrals of N_a */
    double *stations;    /* [elements points] arc lengths of the quadrature points */
    const double **turn; /* [elements element_nodes] rotations at corners, or NULL */
    double *band; /* [3 nodes] int N_a N_b with b = a, a + 1, a + 2, of elements without corners */
} assembly;

static olo_status allocate(assembly *x)
{
    olo_pool *pool = &olo_build_system(x->builder)->pool;
    size_t nodes = (size_t)x->line.nodes, ends = (size_t)(x->line.elements * x->line.element_nodes);
    x->node = olo_pool_alloc(pool, nodes, sizeof *x->node);
    x->lengths = olo_pool_alloc(pool, nodes, sizeof *x->lengths);
    x->stations = olo_pool_alloc(pool, (size_t)(x->line.elements * x->points), sizeof *x->stations);
    x->turn = olo_alloc(ends, sizeof *x->turn);
    x->band = olo_alloc(3 * nodes, sizeof *x->band);
    return x->node && x->lengths && x->stations && x->turn && x->band
               ? OLO_OK
               : olo_build_out_of_memory(x->builder);
}

static int first_node(const assembly *x, int e)
{
    return e * (x->line.element_nodes - 1);
}

static const double *directors(const assembly *x, int e, int a)
{
    return x->line.directors[e * x->line.element_nodes + a];
}

/* --- nodes --- */

/* Velocities of a rigid motion about the first point of the beam. */
static void set_rigid_velocity(const assembly *x, const double *q, double v[12])
{
    double omega[3], arm[3];
    for (int i = 0; i < 3; i++) {
        omega[i] = isnan(x->beam->angular_velocity[i]) ? 0 : x->beam->angular_velocity[i];
        v[i] = isnan(x->beam->velocity[i]) ? 0 : x->beam->velocity[i];
    }
    vec3_subtract(q, x->line.x[0], arm);
    vec3_add_cross(omega, arm, v);
    for (int I = 3; I < 12; I += 3)
        vec3_cross(omega, q + I, v + I);
}

static olo_status add_own_node(assembly *x, int k)
{
    char name[200];
    double q[12], v[12];
    int step = x->line.element_nodes - 1,
        e = k < x->line.nodes - 1 ? k / step : x->line.elements - 1;
    bool moves = !isnan(x->beam->velocity[0]) || !isnan(x->beam->angular_velocity[0]);
    if (k % step == 0 && e > 0 && k < x->line.nodes - 1)
        e--; /* at a corner the node has the directors of the previous element */
    vec3_copy(x->line.x[k], q);
    memcpy(q + 3, directors(x, e, k - first_node(x, e)), 9 * sizeof *q);
    set_rigid_velocity(x, q, v);
    snprintf(name, sizeof name, "%s.%d", x->beam->name, k + 1);
    olo_status status =
        olo_build_node(x->builder, name, &olo_node_frame, -1, q, v, moves, &x->node[k]);
    olo_system *s = olo_build_system(x->builder);
    if (status == OLO_OK)
        s->nodes[x->node[k]].placed = s->nodes[x->node[k]].section = true;
    return status == OLO_OK ? olo_build_plane(x->builder, name, x->node[k]) : status;
}

/* Uses the frame of a body or of another beam as the node at an end. */
static olo_status use_other_node(assembly *x, int k, const char *key, const char *name)
{
    const double tolerance = 1e-9;
    olo_point_on_body point = {.on = name};
    olo_position position;
    double at[3], gap[3];
    olo_status status = olo_build_resolve_point(x->builder, key, &point, &position, &x->node[k]);
    if (status != OLO_OK)
        return status;
    const olo_system *s = olo_build_system(x->builder);
    if (x->node[k] < 0 || !s->nodes[x->node[k]].type->spatial || position.count != 1)
        return olo_builder_fail(x->builder, key, "must name a body or a node of another beam");
    olo_position_value(&position, s->q0, at);
    vec3_subtract(at, x->line.x[k], gap);
    double length[3];
    vec3_subtract(x->line.x[x->line.nodes - 1], x->line.x[0], length);
    if (vec3_norm(gap) > tolerance * (vec3_norm(length) + vec3_norm(at)))
        return olo_builder_fail(
            x->builder, key, "'%s' is at (%g, %g, %g), but the beam is at (%g, %g, %g)", name,
            at[0], at[1], at[2], x->line.x[k][0], x->line.x[k][1], x->line.x[k][2]);
    return OLO_OK;
}

static olo_status add_nodes(assembly *x)
{
    olo_status status = OLO_OK;
    int last = x->line.nodes - 1;
    for (int k = 0; status == OLO_OK && k <= last; k++)
        if (k == 0 && x->beam->start_on)
            status = use_other_node(x, k, "start_on", x->beam->start_on);
        else if (k == last && x->beam->end_on)
            status = use_other_node(x, k, "end_on", x->beam->end_on);
        else
            status = add_own_node(x, k);
    return status;
}

/* Finds the rotation from the directors of a node to those of an element at this node; NULL if they
 * are equal. */
static olo_status find_turn(assembly *x, int e, int a)
{
    const double same = 1e-13;
    olo_system *s = olo_build_system(x->builder);
    const double *seen = directors(x, e, a);
    const double *own = s->q0 + s->nodes[x->node[first_node(x, e) + a]].q + 3;
    double R[9], off = 0;
    for (int J = 0; J < 3; J++)
        for (int i = 0; i < 3; i++) {
            R[3 * J + i] = vec3_dot(own + 3 * J, seen + 3 * i);
            off = fmax(off, fabs(R[3 * J + i] - (i == J)));
        }
    const double **turn = &x->turn[e * x->line.element_nodes + a];
    *turn = NULL;
    if (off <= same)
        return OLO_OK;
    *turn = olo_pool_copy(&s->pool, R, 9, sizeof *R);
    return *turn ? OLO_OK : olo_build_out_of_memory(x->builder);
}

/* --- elements --- */

/* Sets the data of a quadrature point: nodes, shape functions, their derivatives by arc length, and
 * weight. */
static void strain_at(const assembly *x, int e, int points, int p, olo_strain *strain)
{
    const olo_system *s = olo_build_system(x->builder);
    double xi, weight, tangent[3] = {0, 0, 0};
    int nodes = x->line.element_nodes;
    *strain = (olo_strain){.nodes = nodes};
    gauss(points, p, &xi, &weight);
    shape(nodes, xi, strain->N, strain->dN);
    for (int a = 0; a < nodes; a++) {
        strain->q[a] = s->nodes[x->node[first_node(x, e) + a]].q;
        strain->turn[a] = x->turn[e * nodes + a];
        vec3_add(strain->dN[a], s->q0 + strain->q[a], tangent);
    }
    double length = vec3_norm(tangent);
    for (int a = 0; a < nodes; a++)
        strain->dN[a] /= length;
    strain->dN[0] =
        -(strain->dN[1] +
          strain->dN[2]); /* the sum is exactly zero, so that a translation causes no strain */
    strain->weight = weight * length;
}

/* The upper triangle of a 6x6 matrix times a factor. */
static void triangle(double factor, const double *C, double *out)
{
    for (int i = 0, k = 0; i < 6; i++)
        for (int j = i; j < 6; j++)
            out[k++] = factor * C[6 * i + j];
}

static olo_status add_elastic(assembly *x, const olo_strain *strain)
{
    double c[21];
    if (x->energy) {
        const olo_general_law *law = olo_beam_energy_law(x->builder, x->energy, strain->weight);
        return law ? olo_build_strain_term(x->builder, x->beam->name, OLO_ROLE_STRAIN,
                                           &olo_law_general, law, NULL, strain)
                   : olo_build_out_of_memory(x->builder);
    }
    if (x->section.coupled)
        triangle(strain->weight, x->section.stiffness, c);
    else
        for (int k = 0; k < 6; k++)
            c[k] = strain->weight * x->section.stiffness[7 * k];
    return olo_build_strain_term(x->builder, x->beam->name, OLO_ROLE_STRAIN,
                                 x->section.coupled ? &olo_law_elastic_coupled : &olo_law_elastic,
                                 NULL, c, strain);
}

static olo_status add_damping(assembly *x, const olo_strain *strain)
{
    double c[23] = {x->beam->damping, x->beam->dissipation};
    triangle(strain->weight, x->section.stiffness, c + 2);
    return olo_build_strain_term(x->builder, x->beam->name, OLO_ROLE_DISSIPATION,
                                 &olo_law_strain_rate, NULL, c, strain);
}

/* Adds one kind of term at all quadrature points of all elements. */
static olo_status add_terms(assembly *x, olo_status (*add)(assembly *, const olo_strain *))
{
    const olo_system *s = olo_build_system(x->builder);
    olo_status status = OLO_OK;
    double length_before = 0;
    for (int e = 0; status == OLO_OK && e < x->line.elements; e++) {
        double length = 0;
        for (int p = 0; p < x->points; p++) {
            olo_strain strain;
            double initial[OLO_STRAINS], before = length;
            strain_at(x, e, x->points, p, &strain);
            length += strain.weight;
            x->stations[e * x->points + p] = length_before + 0.5 * (before + length);
            olo_strain_values(&strain, s->q0, NULL, initial);
            memcpy(strain.reference, initial, sizeof initial);
            status = status == OLO_OK ? add(x, &strain) : status;
        }
        length_before += length;
    }
    return status;
}

/* --- mass --- */

/* Integrates N_a N_b over an element, and adds the integrals of N_a to the lengths of its nodes. */
static void integrate(assembly *x, int e, double m[NODES][NODES])
{
    int nodes = x->line.element_nodes;
    memset(m, 0, sizeof(double[NODES][NODES]));
    for (int p = 0; p < nodes; p++) {
        olo_strain at;
        strain_at(x, e, nodes, p, &at);
        for (int a = 0; a < nodes; a++) {
            x->lengths[first_node(x, e) + a] += at.weight * at.N[a];
            for (int b = 0; b < nodes; b++)
                m[a][b] += at.weight * at.N[a] * at.N[b];
        }
    }
}

/* Coefficient of the 3-vector I of a node in phi, d1 or d2 (s = 0, 1, 2) of the section. */
static double coefficient_in_node(const double *turn, int s, int I)
{
    if (s == 0 || I == 0)
        return s == 0 && I == 0;
    return turn ? turn[3 * (I - 1) + s - 1] : I == s;
}

/* Adds m times the inertia of the section between two nodes to the mass matrix. */
static olo_status add_pair(assembly *x, int k, const double *turn_k, int l, const double *turn_l,
                           double m)
{
    const olo_system *s = olo_build_system(x->builder);
    int qk = s->nodes[x->node[k]].q, ql = s->nodes[x->node[l]].q;
    olo_status status = OLO_OK;
    for (int I = 0; I < 4; I++)
        for (int J = k == l ? I : 0; status == OLO_OK && J < 4; J++) {
            double mass = 0;
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    mass += m * x->section.inertia[3 * a + b] * coefficient_in_node(turn_k, a, I) *
                            coefficient_in_node(turn_l, b, J);
            status = olo_build_mass(x->builder, qk + 3 * I, ql + 3 * J, mass);
        }
    return status;
}

/* Adds the mass matrix. Elements without corners are first summed in a band matrix, so that each
 * pair of 3-vectors has one entry.
 */
static olo_status add_mass(assembly *x)
{
    olo_status status = OLO_OK;
    int nodes = x->line.element_nodes;
    for (int e = 0; status == OLO_OK && e < x->line.elements; e++) {
        double m[NODES][NODES];
        integrate(x, e, m);
        for (int a = 0; a < nodes; a++)
            for (int b = a; status == OLO_OK && b < nodes; b++) {
                const double *ta = x->turn[e * nodes + a], *tb = x->turn[e * nodes + b];
                int k = first_node(x, e) + a;
                if (ta || tb)
                    status = add_pair(x, k, ta, k + b - a, tb, m[a][b]);
                else
                    x->band[3 * k + b - a] += m[a][b];
            }
    }
    for (int k = 0; status == OLO_OK && k < x->line.nodes; k++)
        for (int d = 0; status == OLO_OK && d < 3; d++)
            if (x->band[3 * k + d] != 0)
                status = add_pair(x, k, NULL, k + d, NULL, x->band[3 * k + d]);
    return status;
}

/* Adds the weight of each node, at the centre of mass of the section. */
static olo_status add_weight(assembly *x)
{
    const olo_system *s = olo_build_system(x->builder);
    const double *E = x->section.inertia;
    olo_status status = OLO_OK;
    for (int k = 0; status == OLO_OK && k < x->line.nodes; k++) {
        double center[3] = {E[1] / E[0], E[2] / E[0], 0};
        olo_position at = olo_position_on_frame(s->nodes[x->node[k]].q, center);
        status = olo_build_gravity(x->builder, x->beam->name, E[0] * x->lengths[k], &at);
    }
    return status;
}

/* --- drawing --- */

/* Half-widths along d1 and d2. Without a section they are those of the rectangle with the same
 * ratio of bending and axial stiffness, I/A = h^2/12, within the bounds for the shape of a beam,
 * because given stiffnesses need not belong to a real section. */
static void half_widths(const assembly *x, double h[2])
{
    const double thinnest = 1. / 400, thickest = 1. / 16;
    const olo_section *section = x->beam->section;
    const double *D = x->section.stiffness;
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
static void axes(const assembly *x, int e, int a, double rotation[9])
{
    static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double *turn = x->turn[e * x->line.element_nodes + a];
    memcpy(rotation, turn ? turn : identity, sizeof identity);
}

/* Draws the section swept from node to node. `first` is the number of the first quadrature point,
 * after those of the previous beams. The piece between nodes a and a + 1 of an element has
 * quadrature point a; with full quadrature it lies between points a and a + 1. */
static olo_status draw(const assembly *x)
{
    const olo_system *s = olo_build_system(x->builder);
    const char *shape = x->beam->section ? x->beam->section->type : NULL;
    int pieces = x->line.element_nodes - 1, first = 1;
    double h[2];
    olo_status status = OLO_OK;
    half_widths(x, h);
    for (int i = 0; i < s->beam_count - 1; i++)
        first += s->beams[i].elements * s->beams[i].points;
    for (int k = 0; status == OLO_OK && k < x->line.nodes - 1; k++) {
        int e = k / pieces, a = k % pieces, point = first + e * x->points + a;
        olo_drawable d = {.name = x->beam->name,
                          .role = "beam",
                          .primitive = "sweep",
                          .node = {x->node[k], x->node[k + 1]},
                          .point = {point, point + (x->points > pieces)},
                          .size = {h[0], h[1], shape && strcmp(shape, "rectangle") != 0}};
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
    if (!(beam->damping >= 0))
        return olo_builder_fail(builder, "damping", "must not be negative, got %g", beam->damping);
    if (!(beam->dissipation >= 0 && beam->dissipation <= 1))
        return olo_builder_fail(builder, "dissipation", "must be between 0 and 1, got %g",
                                beam->dissipation);
    return OLO_OK;
}

static olo_status add_all(assembly *x)
{
    olo_system *s = olo_build_system(x->builder);
    olo_beam_line beam = {.node_count = x->line.nodes,
                          .nodes = x->node,
                          .elements = x->line.elements,
                          .element_nodes = x->line.element_nodes,
                          .points = x->points,
                          .first_term = s->term_count,
                          .lengths = x->lengths,
                          .stations = x->stations,
                          .section = x->beam->section ? *x->beam->section : (olo_section){0}};
    olo_status status = add_nodes(x);
    for (int e = 0; status == OLO_OK && e < x->line.elements; e++)
        for (int a = 0; status == OLO_OK && a < x->line.element_nodes; a++)
            status = find_turn(x, e, a);
    if (status == OLO_OK)
        status = add_terms(x, add_elastic);
    if (status == OLO_OK && (x->beam->damping > 0 || x->beam->dissipation > 0))
        status = add_terms(x, add_damping);
    if (status == OLO_OK)
        status = add_mass(x);
    if (status == OLO_OK)
        status = add_weight(x);
    beam.name = olo_pool_text(&s->pool, x->beam->name, strlen(x->beam->name));
    if (status == OLO_OK && !beam.name)
        status = olo_build_out_of_memory(x->builder);
    if (status == OLO_OK)
        status = olo_build_beam(x->builder, &beam);
    return status == OLO_OK ? draw(x) : status;
}

static olo_status build(olo_builder *builder, const void *element)
{
    assembly x = {.builder = builder, .beam = element};
    olo_status status = check(builder, x.beam);
    if (status == OLO_OK)
        status = olo_section_measure(builder, x.beam, &x.section);
    if (status == OLO_OK && x.beam->energy)
        status = olo_beam_energy_create(builder, x.beam->energy, &x.energy);
    if (status == OLO_OK && x.energy)
        olo_beam_energy_stiffness(x.energy, x.section.stiffness);
    if (status == OLO_OK)
        status = olo_line_create(builder, x.beam, &x.line);
    if (status != OLO_OK)
        return status;
    x.points = x.line.element_nodes - (strcmp(x.beam->quadrature, "full") != 0);
    status = allocate(&x);
    if (status == OLO_OK)
        status = add_all(&x);
    olo_free(x.turn);
    olo_free(x.band);
    olo_line_free(&x.line);
    return status;
}

/* --- fields --- */

static const olo_field arc_fields[] = {
    {.key = "center",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_arc, center),
     .help = "a point of the axis; default the origin"},
    {.key = "axis",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_arc, axis),
     .required = true,
     .help = "direction of the axis"},
    {.key = "angle",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_arc, angle),
     .required = true,
     .help = "from start to end about the axis"},
    {.key = "rise",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_arc, rise),
     .help = "of a helix: along the axis from start to end; default 0"},
};

static const char *const shapes[] = {"rectangle", "circle", "tube", NULL};

static const olo_field section_fields[] = {
    {.key = "type",
     .kind = OLO_FIELD_CHOICE,
     .offset = offsetof(olo_section, type),
     .choices = shapes,
     .required = true,
     .help = "rectangle, circle or tube"},
    {.key = "width",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_section, size[0]),
     .help = "of a rectangle along d1"},
    {.key = "height",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_section, size[1]),
     .help = "of a rectangle along d2"},
    {.key = "radius",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_section, radius),
     .help = "of a circle or tube"},
    {.key = "inner_radius",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_section, inner_radius),
     .help = "of a tube"},
    {.key = "young",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_section, young),
     .required = true,
     .help = "modulus of elasticity"},
    {.key = "poisson",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_section, poisson),
     .help = "ratio of lateral contraction; default 0"},
    {.key = "density",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_section, density),
     .required = true,
     .help = "mass per volume"},
    {.key = "shear_factor",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_section, shear_factor),
     .help = "of the area in shear; default 5/6 (rectangle), 9/10 (circle), 1/2 (tube)"},
};

static const olo_part_type arc_type = {.initialised = OLO_INITIALISED_ARC,
                                       .size = sizeof(olo_arc),
                                       .fields = arc_fields,
                                       .field_count = (int)(sizeof arc_fields / sizeof *arc_fields),
                                       .defaults = arc_defaults};
static const olo_part_type section_type = {
    .initialised = OLO_INITIALISED_SECTION,
    .size = sizeof(olo_section),
    .fields = section_fields,
    .field_count = (int)(sizeof section_fields / sizeof *section_fields),
    .defaults = section_defaults};

static const char *const interpolations[] = {"linear", "quadratic", NULL};
static const char *const quadratures[] = {"reduced", "full", NULL};
static const char *const curves[] = {"polyline", "spline", NULL};

static const olo_field fields[] = {
    {.key = "name",
     .kind = OLO_FIELD_NAME,
     .offset = offsetof(olo_beam, name),
     .required = true,
     .help =
         "name of the beam; its nodes are name.1, name.2, ..., name.start, name.middle, name.end"},
    {.key = "elements",
     .kind = OLO_FIELD_COUNT,
     .offset = offsetof(olo_beam, elements),
     .required = true,
     .help = "number of finite elements"},
    {.key = "interpolation",
     .kind = OLO_FIELD_CHOICE,
     .offset = offsetof(olo_beam, interpolation),
     .choices = interpolations,
     .help = "linear (default, two nodes per element) or quadratic (three)"},
    {.key = "quadrature",
     .kind = OLO_FIELD_CHOICE,
     .offset = offsetof(olo_beam, quadrature),
     .choices = quadratures,
     .help = "reduced (default) or full, which locks"},
    {.key = "from",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_beam, from),
     .help = "where it starts; default the origin"},
    {.key = "to",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_beam, to),
     .help = "where a straight beam ends"},
    {.key = "arc",
     .kind = OLO_FIELD_PART,
     .offset = offsetof(olo_beam, arc),
     .part = &arc_type,
     .help = "instead of `to`: {center, axis, angle, rise} of a circle or helix"},
    {.key = "points",
     .kind = OLO_FIELD_VECTORS,
     .offset = offsetof(olo_beam, points),
     .count_offset = offsetof(olo_beam, point_count),
     .help = "instead of `from` and `to`: points on the centre line"},
    {.key = "curve",
     .kind = OLO_FIELD_CHOICE,
     .offset = offsetof(olo_beam, curve),
     .choices = curves,
     .help = "through `points`: polyline (default, with rigid corners) or spline"},
    {.key = "d1",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_beam, d1),
     .help =
         "direction of d1 at the first point; default the axis of space after that of the beam"},
    {.key = "twist",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_beam, twist),
     .help = "angle by which the section rotates about the beam from start to end; default 0"},
    {.key = "start_on",
     .kind = OLO_FIELD_REFERENCE,
     .offset = offsetof(olo_beam, start_on),
     .help = "body or node of another beam that its first node is"},
    {.key = "end_on",
     .kind = OLO_FIELD_REFERENCE,
     .offset = offsetof(olo_beam, end_on),
     .help = "body or node of another beam that its last node is"},
    {.key = "stiffness",
     .kind = OLO_FIELD_NUMBERS,
     .offset = offsetof(olo_beam, stiffness),
     .count_offset = offsetof(olo_beam, stiffness_count),
     .help = "[GA1, GA2, EA, EI1, EI2, GJ] or 6x6 numbers"},
    {.key = "energy",
     .kind = OLO_FIELD_TEXT,
     .offset = offsetof(olo_beam, energy),
     .help =
         "stored energy per length as an expression of the strains g1, g2, g3, k1, k2, k3, instead "
         "of stiffness"},
    {.key = "inertia",
     .kind = OLO_FIELD_NUMBERS,
     .offset = offsetof(olo_beam, inertia),
     .count_offset = offsetof(olo_beam, inertia_count),
     .help = "[A, M1, M2]: mass per length and its second moments along d1 and d2, or [A, S1, S2, "
             "M11, M22, M12]"},
    {.key = "section",
     .kind = OLO_FIELD_PART,
     .offset = offsetof(olo_beam, section),
     .part = &section_type,
     .help = "shape and material, instead of stiffness and inertia"},
    {.key = "damping",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_beam, damping),
     .help = "relaxation time of the material; default 0"},
    {.key = "dissipation",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_beam, dissipation),
     .help =
         "fraction of algorithmic dissipation of motions faster than the step, 0 to 1; default 0"},
    {.key = "velocity",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_beam, velocity),
     .help = "of its start; default 0"},
    {.key = "angular_velocity",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_beam, angular_velocity),
     .help = "about its start, in space axes; default 0"},
};

const olo_element_type olo_element_beam = {.initialised = OLO_INITIALISED_BEAM,
                                           .section = "beams",
                                           .noun = "beam",
                                           .size = sizeof(olo_beam),
                                           .fields = fields,
                                           .field_count = (int)(sizeof fields / sizeof *fields),
                                           .defaults = defaults,
                                           .build = build};
