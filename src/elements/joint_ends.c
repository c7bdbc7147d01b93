/* The ends of a joint, and the initial relative velocity of the bodies that it connects. */
#include "elements/joint_ends.h"

#include <math.h>
#include <string.h>

#include "elements/joint_pair.h"
#include "elements/point_noun.h"
#include "linalg/vec3.h"

/* Finds the end of a joint on a node: a point in its frame; for the ground a point in space. */
static olo_status find_end(olo_builder *builder, const olo_joint *joint, int end, int *node,
                           double at[3])
{
    olo_position position;
    olo_status status =
        olo_build_resolve_point(builder, "between", &joint->between[end], &position, node);
    if (status != OLO_OK)
        return status;
    const olo_system *s = olo_build_system(builder);
    if (*node >= 0 && !s->nodes[*node].type->spatial)
        return olo_builder_fail(builder, "between", "'%s' is %s; joints need bodies%s",
                                s->nodes[*node].name, olo_point_noun(s, *node),
                                olo_point_advice(s, *node));
    vec3_copy(position.x0, at);
    for (int k = 0; k < position.count; k++) {
        int slot = s->coordinates[position.slot[k]].slot;
        if (slot > 0)
            at[slot - 1] = position.weight[k];
    }
    if (isnan(joint->at[0]))
        return OLO_OK;
    /* `at` is given in space: transform it to the frame of the body */
    vec3_copy(joint->at, at);
    if (*node >= 0) {
        const double *q = s->q0 + s->nodes[*node].q;
        double arm[3];
        vec3_subtract(joint->at, q, arm);
        for (int I = 0; I < 3; I++)
            at[I] = vec3_dot(q + 3 * (I + 1), arm);
    }
    return OLO_OK;
}

/* Whether the user gave a point, or only the name of a body or `ground`. */
static bool is_given(const olo_joint *joint, int end)
{
    const olo_point_on_body *point = &joint->between[end];
    return !isnan(joint->at[0]) || point->given || vec3_norm(point->at) > 0 ||
           (point->on && strchr(point->on, '.'));
}

olo_status olo_joint_find_ends(olo_builder *builder, const olo_joint *joint, olo_joint_ends *ends)
{
    ends->given[0] = is_given(joint, 0);
    ends->given[1] = is_given(joint, 1);
    olo_status status = find_end(builder, joint, 0, &ends->node[0], ends->at[0]);
    if (status == OLO_OK)
        status = find_end(builder, joint, 1, &ends->node[1], ends->at[1]);
    if (status == OLO_OK && ends->node[0] == ends->node[1])
        return olo_builder_fail(builder, "between", "a joint needs two different bodies");
    return status;
}

/* The initial position in space of an end. */
static void find_position(const olo_system *s, const olo_joint_ends *ends, int end, double x[3])
{
    const olo_position point = olo_pair_point(s, ends->node[end], ends->at[end]);
    olo_position_value(&point, s->q0, x);
}

/* The vector from one end to the other, as far as the joint does not allow it: without the free
 * translations and, in a planar model, without the normal of the plane. */
static void find_gap(const olo_system *s, const olo_joint_ends *ends, int from,
                     unsigned translations, const double axes[9], double gap[3])
{
    double x[3], y[3];
    find_position(s, ends, from, x);
    find_position(s, ends, 1 - from, y);
    vec3_subtract(y, x, gap);
    for (int k = 0; k < 3; k++)
        if (translations >> k & 1)
            vec3_add(-vec3_dot(gap, axes + 3 * k), axes + 3 * k, gap);
    if (s->planar)
        vec3_add(-vec3_dot(gap, s->plane), s->plane, gap);
    /* points that meet except for rounding are left alone */
    const double rounding = 64 * 2.2e-16;
    if (vec3_norm(gap) <= rounding * (vec3_norm(x) + vec3_norm(y)))
        vec3_set(0, 0, 0, gap);
}

void olo_joint_join_in_place(olo_builder *builder, unsigned translations, const double axes[9],
                             olo_joint_ends *ends)
{
    olo_system *s = olo_build_system(builder);
    const bool none = !ends->given[0] && !ends->given[1];
    const int end = none ? 1 - olo_joint_child_end(ends) : ends->given[0] ? 1 : 0;
    const int node = ends->node[end];
    double gap[3], shift[3];
    find_gap(s, ends, end, translations, axes, gap);
    if (!ends->given[end] && (none || node < 0 || s->nodes[node].placed)) {
        olo_pair_into_body(s, node, gap, shift);
        vec3_add(1.0, shift, ends->at[end]);
    } else if (!ends->given[end]) {
        vec3_add(1.0, gap, s->q0 + s->nodes[node].q);
    }
    /* a body whose joint has been built is not moved any more */
    for (int k = 0; k < 2; k++)
        if (ends->node[k] >= 0)
            s->nodes[ends->node[k]].placed = true;
}

olo_status olo_joint_set_initial_motion(olo_builder *builder, const olo_joint_ends *ends,
                                        const olo_joint_initial_motion *motion)
{
    const olo_system *s = olo_build_system(builder);
    int end = olo_joint_child_end(ends), base = ends->node[1 - end];
    olo_relative_velocity x = {.velocity = {.base = base, .body = ends->node[end]},
                               .rotation = motion->rotation,
                               .translation = motion->translation};
    vec3_copy(ends->at[end], x.velocity.point);
    olo_pair_into_body(s, base, motion->omega, x.velocity.omega);
    olo_pair_into_body(s, base, motion->sliding, x.velocity.sliding);
    return olo_build_relative_velocity(builder, &x);
}
