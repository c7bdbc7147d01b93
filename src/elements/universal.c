/* The universal joint between two bodies, or between a body and the ground: its constraint rows
 *
 *     x_2 - x_1 = 0,   m . n = 0,     m fixed in the first body, n in the second,
 *
 * and its coordinates. angle1 is the rotation of the cross about m relative to the first body,
 * angle2 the rotation of the second body about n relative to the cross:
 *
 *     angle1 = atan2(n.M2, n.M1),      initially M1 = n, M2 = m x n, fixed in the first body
 *     angle2 = atan2(-m.C2, m.C1),     initially C1 = m, C2 = n x m, fixed in the second body */
#include <math.h>

#include "elements/joint_drive.h"
#include "elements/joint_ends.h"
#include "elements/joint_initial_rates.h"
#include "elements/joint_pair.h"
#include "linalg/vec3.h"

/* The initial directions of m, n and m x n in space. */
typedef struct cross {
    double m[3], n[3], mn[3];
} cross;

static olo_status find_axes(olo_builder *builder, const olo_joint *joint, cross *x)
{
    vec3_copy(joint->axis, x->m);
    vec3_copy(joint->axis2, x->n);
    if (!(vec3_normalise(x->m) > 0))
        return olo_builder_fail(builder, "axis",
                                "joint '%s' of type universal needs an axis of non-zero length, "
                                "fixed in the first body",
                                joint->name);
    if (!(vec3_normalise(x->n) > 0))
        return olo_builder_fail(builder, "axis2",
                                "joint '%s' of type universal needs an axis2 of non-zero length, "
                                "fixed in the second body",
                                joint->name);
    double along = vec3_dot(x->m, x->n);
    if (!(fabs(along) < 1e-6))
        return olo_builder_fail(builder, "axis2",
                                "must be perpendicular to axis at the start; they make an angle of "
                                "%.4g degrees",
                                acos(fmin(fmax(along, -1), 1)) * 57.29577951308232);
    vec3_add(-along, x->m, x->n);
    vec3_normalise(x->n);
    vec3_cross(x->m, x->n, x->mn);
    return OLO_OK;
}

static olo_position vector_of(const olo_system *s, int node, const double v[3])
{
    double X[3];
    olo_pair_into_body(s, node, v, X);
    return olo_pair_vector(s, node, X);
}

static olo_status add_rows(olo_builder *builder, const olo_joint_ends *ends, const cross *x)
{
    const olo_system *s = olo_build_system(builder);
    olo_position span = olo_pair_point(s, ends->node[1], ends->at[1]);
    olo_position from = olo_pair_point(s, ends->node[0], ends->at[0]);
    olo_position m = vector_of(s, ends->node[0], x->m), n = vector_of(s, ends->node[1], x->n);
    olo_position_add(&span, -1.0, &from);
    olo_status status = OLO_OK;
    for (int k = 0; status == OLO_OK && k < 3; k++) {
        const double unit[3] = {k == 0, k == 1, k == 2};
        olo_form_builder row;
        olo_form_begin(&row);
        olo_form_add_component(&row, unit, &span);
        status = olo_build_constraint(builder, &row);
    }
    olo_form_builder row;
    olo_form_begin(&row);
    olo_form_add_dot(&row, 1.0, &m, &n);
    return status == OLO_OK ? olo_build_constraint(builder, &row) : status;
}

/* angle1 and angle2 as pairs of forms: cosine, sine */
static void write_angles(const olo_system *s, const olo_joint_ends *ends, const cross *x,
                         olo_form_builder form[2][2])
{
    int first = ends->node[0], second = ends->node[1];
    double minus_mn[3] = {-x->mn[0], -x->mn[1], -x->mn[2]}; /* n x m */
    olo_position m = vector_of(s, first, x->m), n = vector_of(s, second, x->n);
    olo_position M1 = vector_of(s, first, x->n), M2 = vector_of(s, first, x->mn);
    olo_position C1 = vector_of(s, second, x->m), C2 = vector_of(s, second, minus_mn);
    olo_form_add_dot(&form[0][0], 1.0, &n, &M1);
    olo_form_add_dot(&form[0][1], 1.0, &n, &M2);
    olo_form_add_dot(&form[1][0], 1.0, &m, &C1);
    olo_form_add_dot(&form[1][1], -1.0, &m, &C2);
}

static olo_articulation articulation_of(const olo_system *s, const olo_joint_ends *ends,
                                        const cross *x)
{
    int child = olo_joint_child_end(ends), parent = 1 - child;
    olo_articulation joint = {.type = &olo_joint_universal,
                              .parent = ends->node[parent],
                              .child = ends->node[child],
                              .reversible = ends->node[parent] >= 0,
                              .rotations = 2};
    vec3_copy(ends->at[parent], joint.parent_point);
    vec3_copy(ends->at[child], joint.child_point);
    /* right-handed triads whose last axis is fixed in the body: n, m x n, m in the first body and
     * m, n x m, n in the second */
    const double nm[3] = {-x->mn[0], -x->mn[1], -x->mn[2]};
    const double *triads[2][3] = {{x->n, x->mn, x->m}, {x->m, nm, x->n}};
    for (int k = 0; k < 3; k++) {
        olo_pair_into_body(s, joint.parent, triads[parent][k], joint.parent_axes + 3 * k);
        olo_pair_into_body(s, joint.child, triads[child][k], joint.child_axes + 3 * k);
    }
    return joint;
}

olo_status olo_build_universal(olo_builder *builder, const olo_joint *joint)
{
    olo_system *s = olo_build_system(builder);
    olo_joint_ends ends;
    cross x;
    if (s->planar)
        return olo_builder_fail(
            builder, "type", "a universal joint is not possible in a planar model; use revolute");
    olo_status status = olo_joint_find_ends(builder, joint, &ends);
    if (status == OLO_OK)
        status = find_axes(builder, joint, &x);
    if (status != OLO_OK)
        return status;
    olo_joint_join_in_place(builder, 0, NULL, &ends);
    const olo_given_rate coordinate[2] = {{"angle1", "rate", joint->rate},
                                          {"angle2", "rate2", joint->rate2}};
    double sign = olo_joint_child_end(&ends) == 1 ? 1 : -1;
    olo_initial_rate initial[2];
    status = olo_joint_find_initial_rates(builder, joint, 2, coordinate, initial);
    if (status != OLO_OK)
        return status;
    olo_joint_initial_motion motion = {
        .rotation = olo_determination_of(2, 3, initial[0].known || initial[1].known),
        .translation = OLO_DETERMINED_FULLY};
    for (int i = 0; i < 3; i++)
        motion.omega[i] = sign * (initial[0].rate * x.m[i] + initial[1].rate * x.n[i]);
    status = olo_joint_set_initial_motion(builder, &ends, &motion);
    if (status == OLO_OK)
        status = olo_build_group(builder, joint->name, false, false);
    if (status == OLO_OK)
        status = add_rows(builder, &ends, &x);
    olo_articulation articulation = articulation_of(s, &ends, &x);
    if (status == OLO_OK)
        status = olo_build_joint(builder, &articulation);
    olo_form_builder form[2][2];
    for (int k = 0; k < 4; k++)
        olo_form_begin(&form[k / 2][k % 2]);
    write_angles(s, &ends, &x, form);
    return status == OLO_OK ? olo_build_angle_drives(builder, joint, 2, form) : status;
}
