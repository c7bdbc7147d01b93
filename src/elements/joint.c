/* Joints between two bodies, or between a body and the ground. Each type of joint is an entry of
 * the tables here, with the function that builds it in another file. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "elements/joint_ends.h"

olo_joint olo_joint_default(void)
{
    return (olo_joint){.initialised = OLO_INITIALISED_JOINT,
                       .type = "revolute",
                       .at = {OLO_UNSET, OLO_UNSET, OLO_UNSET},
                       .axis = {OLO_UNSET, OLO_UNSET, OLO_UNSET},
                       .axis2 = {OLO_UNSET, OLO_UNSET, OLO_UNSET},
                       .pitch = OLO_UNSET,
                       .length = OLO_UNSET,
                       .normal = {OLO_UNSET, OLO_UNSET, OLO_UNSET},
                       .rest = OLO_UNSET,
                       .lower = OLO_UNSET,
                       .upper = OLO_UNSET,
                       .stop_restitution = OLO_UNSET};
}

olo_controller olo_controller_default(void)
{
    return (olo_controller){.initialised = OLO_INITIALISED_CONTROLLER};
}

static void defaults(void *element)
{
    *(olo_joint *)element = olo_joint_default();
}

static void controller_defaults(void *part)
{
    *(olo_controller *)part = olo_controller_default();
}

/* The types of joints, and the functions that build them. */
enum { KINDS = 13 };
static const char *const types[KINDS + 1] = {
    "spherical", "revolute",      "cylindrical",    "prismatic", "planar",
    "rigid",     "point-on-line", "point-on-plane", "screw",     "universal",
    "distance",  "rolling-disc",  "rolling-ball",   NULL};
/* Words of other programs, and of supports. */
static const char *const synonyms[] = {"ball",   "spherical", "weld",     "rigid",     "fixed",
                                       "rigid",  "hinge",     "revolute", "pin",       "revolute",
                                       "slider", "prismatic", "cardan",   "universal", NULL};
static olo_joint_build *const builders[KINDS] = {
    olo_build_pair_joint, olo_build_pair_joint, olo_build_pair_joint,     olo_build_pair_joint,
    olo_build_pair_joint, olo_build_pair_joint, olo_build_pair_joint,     olo_build_pair_joint,
    olo_build_screw,      olo_build_universal,  olo_build_distance_joint, olo_build_rolling,
    olo_build_rolling};

/* Refuses a radius or the normal of a plane for joints that do not roll. */
static olo_status refuse_rolling(olo_builder *builder, const olo_joint *joint)
{
    if (joint->radius == 0 && isnan(joint->normal[0]))
        return OLO_OK;
    return olo_builder_fail(builder, joint->radius != 0 ? "radius" : "normal",
                            "belongs to joints that roll, not to %s", joint->type);
}

/* Refuses keys that belong to another type only. */
static olo_status refuse_foreign(olo_builder *builder, const olo_joint *joint)
{
    const struct {
        const char *key, *type;
        bool given;
    } keys[] = {{"axis2", "universal", !isnan(joint->axis2[0])},
                {"rate2", "universal", joint->rate2 != 0},
                {"pitch", "screw", !isnan(joint->pitch)},
                {"length", "distance", !isnan(joint->length)}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].given && strcmp(keys[i].type, joint->type) != 0)
            return olo_builder_fail(builder, keys[i].key, "belongs to joints of type %s, not to %s",
                                    keys[i].type, joint->type);
    return OLO_OK;
}

static olo_status build(olo_builder *builder, const void *element)
{
    const olo_joint *joint = element;
    for (int i = 0; i < KINDS; i++) {
        if (strcmp(types[i], joint->type) != 0)
            continue;
        olo_status status =
            builders[i] == olo_build_rolling ? OLO_OK : refuse_rolling(builder, joint);
        if (status == OLO_OK)
            status = refuse_foreign(builder, joint);
        return status == OLO_OK ? builders[i](builder, joint) : status;
    }
    return olo_builder_fail(builder, "type", "'%s' is not a joint", joint->type);
}

static bool impacts(const void *element)
{
    const olo_joint *joint = element;
    return !isnan(joint->stop_restitution) || joint->friction > 0;
}

static const char *const coordinates[] = {"angle",     "angle1",    "angle2", "position",
                                          "position1", "position2", NULL};

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
         "target value: a number, an expression of t, or {time: [...], value: [...]}; default 0"},
};

static const olo_part_type controller_type = {
    .initialised = OLO_INITIALISED_CONTROLLER,
    .size = sizeof(olo_controller),
    .fields = controller_fields,
    .field_count = (int)(sizeof controller_fields / sizeof *controller_fields),
    .defaults = controller_defaults};

static const olo_field fields[] = {
    {.key = "name",
     .kind = OLO_FIELD_NAME,
     .offset = offsetof(olo_joint, name),
     .help = "name of the joint"},
    {.key = "type",
     .kind = OLO_FIELD_CHOICE,
     .offset = offsetof(olo_joint, type),
     .choices = types,
     .synonyms = synonyms,
     .help =
         "spherical, revolute (default), cylindrical, prismatic, planar, rigid, universal, screw, "
         "..."},
    {.key = "between",
     .kind = OLO_FIELD_POINTS_ON_BODIES,
     .offset = offsetof(olo_joint, between),
     .required = true,
     .help = "a point on each body, or the ground; axes belong to the first"},
    {.key = "at",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_joint, at),
     .help = "initial position in space, instead of points on the bodies"},
    {.key = "axis",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_joint, axis),
     .help = "initial direction in space: of rotation, of translation, normal of a plane"},
    {.key = "axis2",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_joint, axis2),
     .help = "of a universal joint: fixed in the second body, initially perpendicular to axis"},
    {.key = "pitch",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_joint, pitch),
     .help = "of a screw: distance along the axis per turn; negative: left-handed"},
    {.key = "length",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_joint, length),
     .help = "of a distance joint; default the initial distance"},
    {.key = "rate",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_joint, rate),
     .help = "initial relative angular velocity about the axis; default 0"},
    {.key = "rate2",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_joint, rate2),
     .help = "of a universal joint: the same about axis2; default 0"},
    {.key = "sliding",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_joint, sliding),
     .help = "initial relative velocity of the points, in space; default 0"},
    {.key = "radius",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_joint, radius),
     .help = "of a disc or ball that rolls"},
    {.key = "normal",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_joint, normal),
     .help = "of the plane on which it rolls, in space; default against gravity"},
    {.key = "coordinate",
     .kind = OLO_FIELD_CHOICE,
     .offset = offsetof(olo_joint, coordinate),
     .choices = coordinates,
     .help = "coordinate for spring, damper, friction, stops and controller; default the only one"},
    {.key = "stiffness",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_joint, stiffness),
     .help = "of a spring: torque per angle or force per length; default 0"},
    {.key = "rest",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_joint, rest),
     .help = "value of the coordinate at which the spring has no force; default the initial value"},
    {.key = "damping",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_joint, damping),
     .help = "of a damper: torque or force per rate; default 0"},
    {.key = "friction",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_joint, friction),
     .help = "largest torque or force of dry friction; default 0"},
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
    {.key = "stop_restitution",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_joint, stop_restitution),
     .help = "of impacts on rigid stops, 0 to 1, instead of stop_stiffness"},
    {.key = "controller",
     .kind = OLO_FIELD_PART,
     .offset = offsetof(olo_joint, controller),
     .part = &controller_type,
     .help = "{kp, kd, target}: torque or force kp (target - x) + kd (target' - x')"},
    {.key = "motion",
     .kind = OLO_FIELD_SIGNAL,
     .offset = offsetof(olo_joint, motion),
     .help = "the coordinate over time: an expression of t, or {time: [...], value: [...]}"},
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

const olo_element_type olo_element_joint = {.initialised = OLO_INITIALISED_JOINT,
                                            .section = "joints",
                                            .noun = "joint",
                                            .size = sizeof(olo_joint),
                                            .fields = fields,
                                            .field_count = (int)(sizeof fields / sizeof *fields),
                                            .defaults = defaults,
                                            .impacts = impacts,
                                            .build = build};
