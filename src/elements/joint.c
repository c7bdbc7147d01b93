/* Joints between two bodies, or a body and the ground: lower pairs (joint_pair.c). */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "elements/joint_drive.h"
#include "elements/joint_pair.h"
#include "linalg/vec3.h"

olo_joint olo_joint_default(void)
{
    return (olo_joint){.type = "revolute",
                       .at = {OLO_UNSET, OLO_UNSET, OLO_UNSET},
                       .axis = {OLO_UNSET, OLO_UNSET, OLO_UNSET},
                       .rest = OLO_UNSET,
                       .lower = OLO_UNSET,
                       .upper = OLO_UNSET};
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
    if (x->rotations == 1)
        vec3_add(joint->rate, x->axes + 6, omega);
    bool turning = s->v0_given[q + 3], moving = s->v0_given[q];
    /* later joints find both bodies settled */
    for (int i = 0; i < 12; i++) {
        s->v0_given[q + i] = true;
        if (x->parent >= 0)
            s->v0_given[s->nodes[x->parent].q + i] = true;
    }
    if (!turning)
        for (int I = 3; I < 12; I += 3)
            vec3_cross(omega, q0 + I, v0 + I);
    if (moving)
        return;
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

/* The child moves against the parent about n; the user counts the second against the first, about the axis given. */
static olo_joint_sense sense_of(const olo_joint *joint, const olo_pair_setup *setup, bool swapped)
{
    olo_joint_sense sense = {.turn = swapped ? -1 : 1, .slide = swapped ? -1 : 1};
    /* in a planar model n is the normal of the plane, which may point the other way */
    if (vec3_dot(joint->axis, setup->axes + 6) < 0)
        sense.turn = -sense.turn;
    return sense;
}

static olo_status build(olo_builder *builder, const void *element)
{
    const olo_joint *joint = element;
    const olo_pair_kind *kind = olo_pair_find(joint->type);
    if (!kind)
        return olo_builder_fail(builder, "type", "'%s' is not a joint", joint->type);
    olo_pair_setup setup = {.name = joint->name, .noun = "joint", .type = joint->type};
    olo_status status = find_end(builder, joint, 0, &setup.parent, setup.parent_point);
    if (status == OLO_OK)
        status = find_end(builder, joint, 1, &setup.child, setup.child_point);
    if (status != OLO_OK)
        return status;
    if (setup.parent == setup.child)
        return olo_builder_fail(builder, "between", "a joint needs two different bodies");
    bool swapped = setup.child < 0;
    if (swapped) {
        double point[3];
        vec3_copy(setup.child_point, point);
        vec3_copy(setup.parent_point, setup.child_point);
        vec3_copy(point, setup.parent_point);
        setup.child = setup.parent;
        setup.parent = -1;
    }
    status = olo_pair_axes(builder, kind, joint->axis, &setup);
    if (status != OLO_OK)
        return status;
    olo_joint oriented = *joint;
    olo_joint_sense sense = sense_of(joint, &setup, swapped);
    oriented.rate *= sense.turn;
    for (int i = 0; i < 3; i++)
        oriented.sliding[i] *= sense.slide;
    settle(olo_build_system(builder), &oriented, &setup);
    status = olo_build_pair(builder, &setup);
    return status == OLO_OK ? olo_build_joint_drives(builder, joint, sense) : status;
}

static const char *const types[] = {"spherical",     "revolute",       "cylindrical",
                                    "prismatic",     "planar",         "rigid",
                                    "point-on-line", "point-on-plane", NULL};

static const char *const coordinates[] = {"angle", "position", "position1", "position2", NULL};

static const olo_field controller_fields[] = {
    {.key = "kp",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_controller, kp),
     .help = "torque per angle or force per length of the error"},
    {.key = "kd",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_controller, kd),
     .help = "torque or force per rate of the error; default 0"},
    {.key = "target",
     .kind = OLO_FIELD_SIGNAL,
     .offset = offsetof(olo_controller, target),
     .help =
         "where to go: a number, an expression of t, or {time: [...], value: [...]}; default 0"},
};

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
    {.key = "coordinate",
     .kind = OLO_FIELD_CHOICE,
     .offset = offsetof(olo_joint, coordinate),
     .choices = coordinates,
     .help = "what spring, damper, stops and controller act on; default the only coordinate"},
    {.key = "stiffness",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_joint, stiffness),
     .help = "of a spring: torque per angle or force per length; default 0"},
    {.key = "rest",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_joint, rest),
     .help = "value of the coordinate where the spring is at rest; default that at the start"},
    {.key = "damping",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_joint, damping),
     .help = "of a damper: torque or force per rate; default 0"},
    {.key = "lower",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_joint, lower),
     .help = "value of the coordinate at the lower stop; default none"},
    {.key = "upper",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_joint, upper),
     .help = "value of the coordinate at the upper stop; default none"},
    {.key = "stop_stiffness",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_joint, stop_stiffness),
     .help = "of the springs that are the stops"},
    {.key = "controller",
     .kind = OLO_FIELD_PART,
     .offset = offsetof(olo_joint, controller),
     .part = controller_fields,
     .part_count = (int)(sizeof controller_fields / sizeof *controller_fields),
     .help = "{kp, kd, target}: torque or force kp (target - x) + kd (target' - x')"},
    {.key = "torque",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_joint, torque),
     .help = "about the axis on the second body, opposite on the first; default 0"},
    {.key = "force",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_joint, force),
     .help = "along the axis on the second body, opposite on the first; default 0"},
    {.key = "time",
     .kind = OLO_FIELD_SIGNAL,
     .offset = offsetof(olo_joint, signal),
     .help = "factor of torque and force over time: a number, an expression of t, or a table"},
};

const olo_element_type olo_element_joint = {.section = "joints",
                                            .noun = "joint",
                                            .size = sizeof(olo_joint),
                                            .fields = fields,
                                            .field_count = (int)(sizeof fields / sizeof *fields),
                                            .defaults = defaults,
                                            .build = build};
