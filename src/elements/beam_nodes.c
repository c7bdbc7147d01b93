/* Nodes of beams and rods under construction (see the header). */
#include "elements/beam_assembly.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "linalg/rotation.h"
#include "linalg/vec3.h"

olo_status olo_beam_allocate(olo_beam_assembly *x)
{
    olo_pool *pool = &olo_build_system(x->builder)->pool;
    size_t nodes = (size_t)x->line.nodes, ends = (size_t)(x->line.elements * x->line.element_nodes);
    x->node = olo_pool_alloc(pool, nodes, sizeof *x->node);
    x->lengths = olo_pool_alloc(pool, nodes, sizeof *x->lengths);
    if (strcmp(x->beam->discretisation, "edges") == 0) {
        x->edge = olo_pool_alloc(pool, (size_t)x->line.elements, sizeof *x->edge);
        if (!x->edge)
            return olo_build_out_of_memory(x->builder);
    }
    x->stations = olo_pool_alloc(pool, (size_t)(x->line.elements * x->points), sizeof *x->stations);
    x->turn = olo_alloc(ends, sizeof *x->turn);
    x->band = olo_alloc(9 * nodes, sizeof *x->band);
    x->share = olo_alloc(2 * nodes, sizeof *x->share);
    return x->node && x->lengths && x->stations && x->turn && x->band && x->share
               ? OLO_OK
               : olo_build_out_of_memory(x->builder);
}

/* Velocities of a rigid motion about the first point of the beam. */
static void set_rigid_velocity(const olo_beam_assembly *x, const double *q, double v[12])
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

static olo_status add_own_node(olo_beam_assembly *x, int k)
{
    char name[200];
    double q[12], v[12];
    int step = x->line.element_nodes - 1,
        e = k < x->line.nodes - 1 ? k / step : x->line.elements - 1;
    bool moves = !isnan(x->beam->velocity[0]) || !isnan(x->beam->angular_velocity[0]);
    if (k % step == 0 && e > 0 && k < x->line.nodes - 1)
        e--; /* at a corner the node has the directors of the previous element */
    vec3_copy(x->line.x[k], q);
    memcpy(q + 3, olo_beam_directors(x, e, k - olo_beam_first_node(x, e)), 9 * sizeof *q);
    set_rigid_velocity(x, q, v);
    snprintf(name, sizeof name, "%s.%d", x->beam->name, k + 1);
    const bool inner = k > 0 && k < x->line.nodes - 1;
    const olo_node_type *type = x->edge && inner ? &olo_node_point : &olo_node_frame;
    olo_status status = olo_build_node(x->builder, name, type, -1, q, v, moves, &x->node[k]);
    olo_system *s = olo_build_system(x->builder);
    if (status == OLO_OK) {
        s->nodes[x->node[k]].placed = true;
        s->nodes[x->node[k]].section = type == &olo_node_frame;
    }
    return status == OLO_OK ? olo_build_plane(x->builder, name, x->node[k]) : status;
}

/* Rotates the directors `from` half way to the directors `to`: by half of the angle about the axis
 * of the rotation between them. */
static void rotate_half_way(const double *from, const double *to, double d[9])
{
    double sine[3] = {0, 0, 0}, R[9];
    for (int I = 0; I < 9; I += 3)
        vec3_add_cross(from + I, to + I, sine);
    const double size = vec3_norm(sine), trace = vec3_dot(from, to) + vec3_dot(from + 3, to + 3) +
                                                 vec3_dot(from + 6, to + 6);
    const double angle = atan2(size, trace - 1); /* size = 2 sin, trace - 1 = 2 cos */
    for (int i = 0; i < 3 && size > 0; i++)
        sine[i] *= 0.5 * angle / size;
    rotation_exponential(sine, R);
    for (int I = 0; I < 9; I += 3)
        mat3_times(R, from + I, d + I);
}

/* The directors of an edge, half way between those of its vertices. */
static olo_status add_edge_node(olo_beam_assembly *x, int e)
{
    char name[200];
    double q[12], v[12];
    bool moves = !isnan(x->beam->velocity[0]) || !isnan(x->beam->angular_velocity[0]);
    vec3_copy(x->line.x[e], q);
    rotate_half_way(olo_beam_directors(x, e, 0), olo_beam_directors(x, e, 1), q + 3);
    set_rigid_velocity(x, q, v);
    snprintf(name, sizeof name, "%s.edge%d", x->beam->name, e + 1);
    olo_status status =
        olo_build_node(x->builder, name, &olo_node_triad, -1, q + 3, v + 3, moves, &x->edge[e]);
    olo_system *s = olo_build_system(x->builder);
    if (status == OLO_OK)
        s->nodes[x->edge[e]].placed = s->nodes[x->edge[e]].section = true;
    return status;
}

/* Uses the frame of a body or of another beam as the node at an end. */
static olo_status use_other_node(olo_beam_assembly *x, int k, const char *key, const char *name)
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

olo_status olo_beam_add_nodes(olo_beam_assembly *x)
{
    olo_status status = OLO_OK;
    int last = x->line.nodes - 1;
    for (int k = 0; status == OLO_OK && k <= last; k++) {
        if (k > 0 && x->edge)
            status = add_edge_node(x, k - 1);
        if (status != OLO_OK)
            break;
        if (k == 0 && x->beam->start_on)
            status = use_other_node(x, k, "start_on", x->beam->start_on);
        else if (k == last && x->beam->end_on)
            status = use_other_node(x, k, "end_on", x->beam->end_on);
        else
            status = add_own_node(x, k);
    }
    return status;
}

/* Finds the rotation from the directors of a node to those of an element at this node; NULL if they
 * are equal. */
olo_status olo_beam_find_turn(olo_beam_assembly *x, int e, int a)
{
    const double same = 1e-13;
    olo_system *s = olo_build_system(x->builder);
    const double *seen = olo_beam_directors(x, e, a);
    const double *own = s->q0 + s->nodes[x->node[olo_beam_first_node(x, e) + a]].q + 3;
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
