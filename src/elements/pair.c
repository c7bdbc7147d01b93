/* Constraint rows of lower pairs, and of the plane in planar models.
 *
 *     no translation    phi_c + rho_c - phi_p - rho_p = 0                          (linear)
 *     some              M_k . (x_c - x_p) = 0 for every axis that is not free
 *                       (quadratic; linear if the axes are fixed in the ground)
 *     rotation about n  n . d_k - eta = 0 for the two directors of the child least aligned with n
 *     no rotation       M1.C2 = M2.C3 = M3.C1 = 0, C the axes in the child
 *                       (regular, because they are initially aligned)
 *
 * In a planar model all nodes move in the plane already, and only motions within the plane are
 * constrained here. */
#include <math.h>
#include <string.h>

#include "elements/joint_pair.h"
#include "linalg/vec3.h"

enum { M1 = 1, M2 = 2, N = 4 };

static const olo_pair_kind kinds[] = {
    {"spherical", 0, 3}, {"revolute", 0, 1},      {"cylindrical", N, 1},
    {"prismatic", N, 0}, {"planar", M1 | M2, 1},  {"rigid", 0, 0},
    {"screw", N, 1},     {"point-on-line", N, 3}, {"point-on-plane", M1 | M2, 3}};

const olo_pair_kind *olo_pair_find(const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

void olo_pair_into_body(const olo_system *s, int node, const double v[3], double X[3])
{
    if (node < 0 || !s->nodes[node].type->spatial) {
        vec3_copy(v, X);
        return;
    }
    const double *q = s->q0 + s->nodes[node].q;
    for (int I = 0; I < 3; I++)
        X[I] = vec3_dot(q + 3 * (I + 1), v);
}

olo_position olo_pair_vector(const olo_system *s, int node, const double X[3])
{
    return node < 0 ? olo_position_fixed(X) : olo_position_along_frame(s->nodes[node].q, X);
}

olo_position olo_pair_point(const olo_system *s, int node, const double at[3])
{
    if (node < 0)
        return olo_position_fixed(at);
    if (!s->nodes[node].type->spatial)
        return olo_position_slot(s->nodes[node].q);
    return olo_position_on_frame(s->nodes[node].q, at);
}

/* a . b = value; NAN: its initial value */
static olo_status add_row(olo_builder *builder, const olo_position *a, const olo_position *b,
                          double value)
{
    olo_form_builder row;
    olo_form_begin(&row);
    double x[3], y[3];
    const double *q0 = olo_build_system(builder)->q0;
    olo_form_add_dot(&row, 1.0, a, b);
    if (isnan(value)) {
        olo_position_value(a, q0, x);
        olo_position_value(b, q0, y);
        value = vec3_dot(x, y);
    }
    olo_form_add_constant(&row, -value);
    return olo_build_constraint(builder, &row);
}

static bool has_same_directors(const olo_system *s, const olo_system *pattern, int node)
{
    const int q = node < 0 ? 0 : s->nodes[node].q + s->nodes[node].type->directors;
    return node < 0 || memcmp(s->q0 + q, pattern->q0 + q, 9 * sizeof *s->q0) == 0;
}

bool olo_pair_has_same_axes(olo_builder *builder, const olo_articulation *joint, int number)
{
    const olo_system *pattern = olo_build_pattern(builder), *s = olo_build_system(builder);
    if (!pattern || number >= pattern->joint_count || s->planar)
        return false;
    const olo_articulation *same = &pattern->joints[number];
    return same->parent == joint->parent && same->child == joint->child &&
           same->rotations == joint->rotations &&
           memcmp(same->parent_axes, joint->parent_axes, sizeof joint->parent_axes) == 0 &&
           memcmp(same->child_axes, joint->child_axes, sizeof joint->child_axes) == 0 &&
           has_same_directors(s, pattern, joint->parent) &&
           has_same_directors(s, pattern, joint->child);
}

/* Adds the rows n . d_k = initial value, for the two directors of a frame least aligned with n. */
static olo_status add_axis_rows(olo_builder *builder, int node, const olo_position *n, int rows[2])
{
    const olo_system *s = olo_build_system(builder);
    double axis[3];
    olo_position_value(n, s->q0, axis);
    int q = s->nodes[node].q, most = 0;
    for (int I = 1; I < 3; I++)
        if (fabs(vec3_dot(axis, s->q0 + q + 3 * (I + 1))) >
            fabs(vec3_dot(axis, s->q0 + q + 3 * (most + 1))))
            most = I;
    rows[0] = most == 0 ? 1 : 0;
    rows[1] = most == 2 ? 1 : 2;
    olo_status status = OLO_OK;
    for (int k = 0; status == OLO_OK && k < 2; k++) {
        olo_position d = olo_position_slot(q + 3 * (rows[k] + 1));
        status = add_row(builder, n, &d, NAN);
    }
    return status;
}

olo_position olo_pair_free_axis(const olo_system *s, const olo_articulation *joint, int k)
{
    return joint->reversed ? olo_pair_vector(s, joint->child, joint->child_axes + 3 * k)
                           : olo_pair_vector(s, joint->parent, joint->parent_axes + 3 * k);
}

static olo_status add_translation_rows(olo_builder *builder, const olo_articulation *joint,
                                       const olo_pair_setup *setup)
{
    const olo_system *s = olo_build_system(builder);
    olo_position span = olo_pair_point(s, joint->child, joint->child_point);
    olo_position from = olo_pair_point(s, joint->parent, joint->parent_point);
    olo_position_add(&span, -1.0, &from);
    olo_status status = OLO_OK;
    for (int k = 0; status == OLO_OK && k < (s->planar ? 2 : 3); k++) {
        if (joint->translations >> k & 1)
            continue;
        double unit[3] = {k == 0, k == 1, k == 2};
        olo_position axis;
        if (joint->translations)
            axis = olo_pair_free_axis(s, joint, k);
        else /* no translation: directions of space */
            axis = olo_position_fixed(s->planar ? setup->axes + 3 * k : unit);
        status = add_row(builder, &axis, &span, 0.0);
    }
    return status;
}

static olo_status add_rotation_rows(olo_builder *builder, const olo_articulation *joint)
{
    olo_system *s = olo_build_system(builder);
    if (!s->nodes[joint->child].type->spatial)
        return OLO_OK;
    if (joint->rotations == 3 || (joint->rotations == 1 && s->planar))
        return OLO_OK;
    if (olo_pair_has_same_axes(builder, joint, s->joint_count))
        return olo_build_same_rows(builder, joint->rotations == 1 ? 2 : 3);
    if (joint->rotations == 1) {
        olo_position n = olo_pair_vector(s, joint->parent, joint->parent_axes + 6);
        int rows[2];
        olo_status status = add_axis_rows(builder, joint->child, &n, rows);
        if (!joint->translations)
            memcpy(s->groups[s->group_count - 1].hinge, rows, sizeof rows);
        return status;
    }
    olo_status status = OLO_OK;
    for (int k = 0; status == OLO_OK && k < (s->planar ? 1 : 3); k++) {
        olo_position M = olo_pair_vector(s, joint->parent, joint->parent_axes + 3 * k);
        olo_position C = olo_pair_vector(s, joint->child, joint->child_axes + 3 * ((k + 1) % 3));
        status = add_row(builder, &M, &C, 0.0);
    }
    return status;
}

/* In a planar model hinges rotate about the normal, and slides lie in the plane. */
static olo_status check_plane(olo_builder *builder, const olo_pair_kind *kind, const double axis[3])
{
    const olo_system *s = olo_build_system(builder);
    double across = fabs(vec3_dot(axis, s->plane));
    if (kind->rotations == 1 && !kind->translations && across < 1 - 1e-9)
        return olo_builder_fail(builder, "axis",
                                "in a planar model a hinge turns about the normal of the plane");
    if (kind->translations && across > 1e-9)
        return olo_builder_fail(builder, "axis", "does not lie in the plane of the model");
    return OLO_OK;
}

/* Sets the axes of the pair. n is along the given axis; in a planar model n is the normal and m1
 * the free direction. */
static void set_axes(const olo_system *s, const double axis[3], olo_pair_setup *setup)
{
    double *m1 = setup->axes, *m2 = m1 + 3, *n = m1 + 6;
    if (!s->planar) {
        vec3_copy(axis, n);
        vec3_transversals(n, m1, m2);
        return;
    }
    vec3_copy(s->plane, n);
    vec3_transversals(n, m1, m2);
    if (!setup->translations)
        return;
    bool line = setup->translations == 4; /* free along the axis; otherwise perpendicular to it */
    vec3_copy(axis, line ? m1 : m2);
    if (line)
        vec3_cross(n, m1, m2);
    else
        vec3_cross(m2, n, m1);
    setup->translations = 1;
}

olo_status olo_pair_axes(olo_builder *builder, const olo_pair_kind *kind, const double given[3],
                         olo_pair_setup *setup)
{
    const olo_system *s = olo_build_system(builder);
    double axis[3] = {0, 0, 1};
    setup->translations = kind->translations;
    setup->rotations = kind->rotations;
    bool needs_axis = kind->translations || kind->rotations == 1;
    /* in a planar model the only axis of rotation is the normal */
    bool implied = s->planar && !kind->translations && !(vec3_norm(given) > 0);
    if (implied)
        vec3_copy(s->plane, axis);
    if (needs_axis && !implied) {
        vec3_copy(given, axis);
        if (!(vec3_normalise(axis) > 0))
            return olo_builder_fail(builder, "axis",
                                    "%s '%s' of type %s needs an axis of non-zero length",
                                    setup->noun, setup->name, setup->type);
        olo_status status = s->planar ? check_plane(builder, kind, axis) : OLO_OK;
        if (status != OLO_OK)
            return status;
    }
    set_axes(s, axis, setup);
    return OLO_OK;
}

/* In a planar model the two joint points may have different heights: that of the parent is moved to
 * the height of the child. */
static void match_height(const olo_system *s, olo_articulation *joint)
{
    olo_position span = olo_pair_point(s, joint->child, joint->child_point);
    olo_position from = olo_pair_point(s, joint->parent, joint->parent_point);
    double x[3], lift[3] = {0, 0, 0}, in_body[3];
    olo_position_add(&span, -1.0, &from);
    olo_position_value(&span, s->q0, x);
    vec3_add(vec3_dot(x, s->plane), s->plane, lift);
    olo_pair_into_body(s, joint->parent, lift, in_body);
    vec3_add(1.0, in_body, joint->parent_point);
}

olo_status olo_build_pair(olo_builder *builder, const olo_pair_setup *setup)
{
    const olo_system *s = olo_build_system(builder);
    olo_articulation joint = {.type = &olo_joint_pair,
                              .parent = setup->parent,
                              .child = setup->child,
                              .translations = setup->translations,
                              .rotations = setup->rotations,
                              .reversed = setup->in_child};
    bool child_frame = s->nodes[setup->child].type->spatial;
    joint.reversible = setup->parent >= 0 && child_frame;
    if (s->planar && joint.rotations == 3)
        joint.rotations = 1;
    vec3_copy(setup->parent_point, joint.parent_point);
    vec3_copy(setup->child_point, joint.child_point);
    for (int k = 0; k < 3; k++) {
        olo_pair_into_body(s, setup->parent, setup->axes + 3 * k, joint.parent_axes + 3 * k);
        olo_pair_into_body(s, setup->child, setup->axes + 3 * k, joint.child_axes + 3 * k);
    }
    if (s->planar)
        match_height(s, &joint);
    olo_status status = olo_build_group(builder, setup->name, false, false);
    if (status == OLO_OK)
        status = add_translation_rows(builder, &joint, setup);
    if (status == OLO_OK)
        status = add_rotation_rows(builder, &joint);
    return status == OLO_OK ? olo_build_joint(builder, &joint) : status;
}

olo_status olo_build_plane(olo_builder *builder, const char *name, int node)
{
    const olo_system *s = olo_build_system(builder);
    if (!s->planar)
        return OLO_OK;
    olo_position x = olo_position_slot(s->nodes[node].q), n = olo_position_fixed(s->plane);
    bool frame = s->nodes[node].type->spatial;
    int rows[2];
    olo_status status = olo_build_group(builder, name, false, true);
    if (status == OLO_OK)
        status = add_row(builder, &n, &x, NAN);
    return status == OLO_OK && frame ? add_axis_rows(builder, node, &n, rows) : status;
}
