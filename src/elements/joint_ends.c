/* The ends of a joint, and the initial relative velocity of the bodies that it connects. */
#include "elements/joint_ends.h"

#include <math.h>

#include "elements/joint_pair.h"
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
        return olo_builder_fail(builder, "between", "'%s' is a point mass; joints need bodies",
                                s->nodes[*node].name);
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

olo_status olo_joint_find_ends(olo_builder *builder, const olo_joint *joint, olo_joint_ends *ends)
{
    olo_status status = find_end(builder, joint, 0, &ends->node[0], ends->at[0]);
    if (status == OLO_OK)
        status = find_end(builder, joint, 1, &ends->node[1], ends->at[1]);
    if (status == OLO_OK && ends->node[0] == ends->node[1])
        return olo_builder_fail(builder, "between", "a joint needs two different bodies");
    return status;
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
