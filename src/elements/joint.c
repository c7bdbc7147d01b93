/* Joints between two bodies, or a body and the ground: lower pairs (joint_pair.c). */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "elements/joint_pair.h"
#include "linalg/vec3.h"

olo_joint olo_joint_default(void)
{
    return (olo_joint){.type = "revolute",
                       .at = {OLO_UNSET, OLO_UNSET, OLO_UNSET},
                       .axis = {OLO_UNSET, OLO_UNSET, OLO_UNSET},
                       .axis2 = {OLO_UNSET, OLO_UNSET, OLO_UNSET}};
}

static void defaults(void *element)
{
    *(olo_joint *)element = olo_joint_default();
}

/* The end of a joint on a node: a place in its frame; for the ground a place in space. */
static olo_status find_end(olo_builder *builder, const olo_joint *joint, int end, int *node,
                           double at[3])
{
    olo_position position;
    olo_status status = olo_build_place(builder, "between", &joint->between[end], &position, node);
    if (status != OLO_OK) return status;
    const olo_system *s = olo_build_system(builder);
    if (*node >= 0 && s->nodes[*node].kind != OLO_NODE_FRAME)
        return olo_builder_fail(builder, "between", "'%s' is a point mass; joints need bodies",
                                s->nodes[*node].name);
    vec3_copy(position.x0, at);
    for (int k = 0; k < position.count; k++) {
        int slot = s->coordinates[position.slot[k]].slot;
        if (slot > 0) at[slot - 1] = position.weight[k];
    }
    if (isnan(joint->at[0])) return OLO_OK;
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

/* The velocities that the joint implies for a child that has none of its own. */
static void settle(olo_system *s, const olo_joint *joint, const olo_pair_setup *x)
{
    int q = s->nodes[x->child].q;
    double omega_p[3], omega[3], arm_p[3], arm_c[3], span[3], v[3];
    double *v0 = s->v0 + q;
    const double *q0 = s->q0 + q;
    spin_of(s, x->parent, omega_p);
    vec3_copy(omega_p, omega);
    if (x->rotations == 1) vec3_add(joint->rate, x->axes + 6, omega);
    bool turning = s->v0_given[q + 3], moving = s->v0_given[q];
    /* later joints find both bodies settled */
    for (int i = 0; i < 12; i++) {
        s->v0_given[q + i] = true;
        if (x->parent >= 0) s->v0_given[s->nodes[x->parent].q + i] = true;
    }
    if (!turning)
        for (int I = 3; I < 12; I += 3)
            vec3_cross(omega, q0 + I, v0 + I);
    if (moving) return;
    spin_of(s, x->child, omega);
    arm_of(s, x->parent, x->parent_point, arm_p);
    arm_of(s, x->child, x->child_point, arm_c);
    vec3_copy(joint->sliding, v);
    if (x->parent >= 0) {
        vec3_add(1.0, s->v0 + s->nodes[x->parent].q, v);
        for (int i = 0; i < 3; i++)
            span[i] = q0[i] + arm_c[i] - s->q0[s->nodes[x->parent].q + i];
        vec3_add_cross(omega_p, span, v);
    }
    vec3_add_cross(arm_c, omega, v);
    vec3_copy(v, v0);
}

static olo_status build(olo_builder *builder, const void *element)
{
    const olo_joint *joint = element;
    const olo_pair_kind *kind = olo_pair_find(joint->type);
    if (!kind) return olo_builder_fail(builder, "type", "'%s' is not a joint", joint->type);
    olo_pair_setup setup = {.name = joint->name, .noun = "joint", .type = joint->type};
    olo_status status = find_end(builder, joint, 0, &setup.parent, setup.parent_point);
    if (status == OLO_OK) status = find_end(builder, joint, 1, &setup.child, setup.child_point);
    if (status != OLO_OK) return status;
    if (setup.parent == setup.child)
        return olo_builder_fail(builder, "between", "a joint needs two different bodies");
    if (setup.child < 0) {
        double point[3];
        vec3_copy(setup.child_point, point);
        vec3_copy(setup.parent_point, setup.child_point);
        vec3_copy(point, setup.parent_point);
        setup.child = setup.parent;
        setup.parent = -1;
    }
    status = olo_pair_axes(builder, kind, joint->axis, &setup);
    if (status != OLO_OK) return status;
    settle(olo_build_system(builder), joint, &setup);
    return olo_build_pair(builder, &setup);
}

static const char *const types[] = {"spherical",     "revolute",       "cylindrical", "prismatic",
                                    "planar",        "rigid",          "point-on-line",
                                    "point-on-plane", NULL};

static const olo_field fields[] = {
    {.key = "name",
     .kind = OLO_FIELD_NAME,
     .offset = offsetof(olo_joint, name),
     .help = "name of the joint"},
    {.key = "type",
     .kind = OLO_FIELD_CHOICE,
     .offset = offsetof(olo_joint, type),
     .choices = types,
     .help = "spherical, revolute (default), cylindrical, prismatic, planar, rigid, ..."},
    {.key = "between",
     .kind = OLO_FIELD_PLACES,
     .offset = offsetof(olo_joint, between),
     .required = true,
     .help = "a place of each body, or the ground; axes belong to the first"},
    {.key = "at",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_joint, at),
     .help = "where in space at the start, instead of places on the bodies"},
    {.key = "axis",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_joint, axis),
     .help = "at the start, in space: of rotation, of translation, normal of a plane"},
    {.key = "rate",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_joint, rate),
     .help = "initial relative angular velocity about the axis; default 0"},
    {.key = "sliding",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_joint, sliding),
     .help = "initial relative velocity of the places, in space; default 0"},
};

const olo_element_type olo_element_joint = {.section = "joints",
                                            .noun = "joint",
                                            .size = sizeof(olo_joint),
                                            .fields = fields,
                                            .field_count = (int)(sizeof fields / sizeof *fields),
                                            .defaults = defaults,
                                            .build = build};
