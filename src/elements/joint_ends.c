/* The ends of a joint and the velocities that it implies for a body that has none of its own:
 *
 *     omega_c = omega_p + omega,   v_c = v_p + omega_p x (x_c - phi_p) - omega_c x rho_c + sliding
 */
#include "elements/joint_ends.h"

#include <math.h>

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

static void arm_of(const olo_system *s, int node, const double at[3], double arm[3])
{
    vec3_set(0, 0, 0, arm);
    for (int I = 0; node >= 0 && I < 3; I++)
        vec3_add(at[I], s->q0 + s->nodes[node].q + 3 * (I + 1), arm);
}

/* omega = 1/2 sum d_I x d_I' of a node's initial data */
static void spin_of(const olo_system *s, int node, double omega[3])
{
    vec3_set(0, 0, 0, omega);
    for (int I = 3; node >= 0 && I < 12; I += 3)
        vec3_add_cross(s->q0 + s->nodes[node].q + I, s->v0 + s->nodes[node].q + I, omega);
    for (int i = 0; i < 3; i++)
        omega[i] *= 0.5;
}

void olo_joint_settle(olo_system *s, const olo_joint_ends *ends, const double relative[3],
                      const double sliding[3])
{
    int end = olo_joint_child_end(ends), child = ends->node[end], parent = ends->node[1 - end];
    int q = s->nodes[child].q;
    double omega_p[3], omega[3], arm_c[3], span[3], v[3];
    double *v0 = s->v0 + q;
    const double *q0 = s->q0 + q;
    spin_of(s, parent, omega_p);
    for (int i = 0; i < 3; i++)
        omega[i] = omega_p[i] + relative[i];
    bool turning = s->v0_given[q + 3], moving = s->v0_given[q];
    /* later joints find both bodies settled */
    for (int i = 0; i < 12; i++) {
        s->v0_given[q + i] = true;
        if (parent >= 0)
            s->v0_given[s->nodes[parent].q + i] = true;
    }
    if (!turning)
        for (int I = 3; I < 12; I += 3)
            vec3_cross(omega, q0 + I, v0 + I);
    if (moving)
        return;
    spin_of(s, child, omega);
    arm_of(s, child, ends->at[end], arm_c);
    vec3_copy(sliding, v);
    if (parent >= 0) {
        vec3_add(1.0, s->v0 + s->nodes[parent].q, v);
        for (int i = 0; i < 3; i++)
            span[i] = q0[i] + arm_c[i] - s->q0[s->nodes[parent].q + i];
        vec3_add_cross(omega_p, span, v);
    }
    vec3_add_cross(arm_c, omega, v);
    vec3_copy(v, v0);
}
