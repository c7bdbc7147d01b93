/* The ends of a joint, and what it implies for a body that has no velocities of its own (system/implied_velocity.c). */
#include "elements/joint_ends.h"

#include <math.h>

#include "elements/joint_pair.h"
#include "linalg/vec3.h"

/* The end of a joint on a node: a place in its frame; for the ground a place in space. */
static olo_status find_end(olo_builder *builder, const olo_joint *joint, int end, int *node,
                           double at[3])
{
    olo_position position;
    olo_status status = olo_build_place(builder, "between", &joint->between[end], &position, node);
    if (status != OLO_OK)
        return status;
    const olo_system *s = olo_build_system(builder);
    if (*node >= 0 && s->nodes[*node].kind != OLO_NODE_FRAME)
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
    /* given in space: into the body's frame */
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

olo_status olo_joint_settle(olo_builder *builder, const olo_joint_ends *ends, const double omega[3],
                            const double sliding[3])
{
    olo_system *s = olo_build_system(builder);
    int end = olo_joint_child_end(ends), child = ends->node[end], parent = ends->node[1 - end];
    int q = s->nodes[child].q;
    olo_implied_velocity x = {
        .parent = parent, .child = child, .angular = !s->v0_given[q + 3], .linear = !s->v0_given[q]};
    vec3_copy(ends->at[end], x.child_point);
    olo_pair_into_body(s, parent, omega, x.omega);
    olo_pair_into_body(s, parent, sliding, x.sliding);
    /* later joints find both bodies settled */
    for (int i = 0; i < 12; i++) {
        s->v0_given[q + i] = true;
        if (parent >= 0)
            s->v0_given[s->nodes[parent].q + i] = true;
    }
    return x.angular || x.linear ? olo_build_implied_velocity(builder, &x) : OLO_OK;
}
