/* Coordinates of joints, and the springs, dampers and drives along them. The coordinates of pairs
 * are
 *
 *     position   u_k = M_k . (x_c - x_p) for every free axis
 *     angle      theta = atan2(C1.M2, C1.M1) if the child rotates about n
 *
 * (system/coordinate.h). A spring, a damper and stops are terms; rigid stops and dry friction are
 * contacts; a torque or force over time, a controller and a C function are actions; a prescribed
 * motion is a constraint. */
#include "elements/joint_drive.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "elements/joint_pair.h"
#include "elements/relation_row.h"

/* The coordinates of the joint under construction. */
typedef struct drives {
    olo_builder *builder;
    const olo_joint *joint;
    int first, count; /* among the joint coordinates of the system */
} drives;

/* --- coordinates --- */

static olo_status add_coordinate(drives *x, const char *what, int axis, double sense, int forms,
                                 const olo_form_builder *form)
{
    char name[160] = "";
    if (!olo_build_pattern(x->builder))
        snprintf(name, sizeof name, "%s.%s", x->joint->name, what);
    x->count++;
    return olo_build_joint_coordinate(x->builder, name, axis, sense, forms, form);
}

static olo_status add_positions(drives *x, const olo_articulation *joint, double sign)
{
    const olo_system *s = olo_build_system(x->builder);
    if (!joint->translations)
        return OLO_OK;
    olo_position span = olo_pair_point(s, joint->child, joint->child_point);
    olo_position from = olo_pair_point(s, joint->parent, joint->parent_point);
    olo_position_add(&span, -1.0, &from);
    bool several = (joint->translations & (joint->translations - 1)) != 0;
    olo_status status = OLO_OK;
    for (int k = 0, number = 1; status == OLO_OK && k < 3; k++) {
        if (!(joint->translations >> k & 1))
            continue;
        char what[32] = "position";
        if (several)
            snprintf(what, sizeof what, "position%d", number++);
        olo_position M = olo_pair_free_axis(s, joint, k);
        olo_form_builder form;
        olo_form_begin(&form);
        olo_form_add_dot(&form, sign, &M, &span);
        status = add_coordinate(x, what, k, sign, 1, &form);
    }
    return status;
}

static olo_status add_angle(drives *x, const olo_articulation *joint, double sign)
{
    const olo_system *s = olo_build_system(x->builder);
    if (joint->rotations != 1)
        return OLO_OK;
    if (olo_pair_has_same_axes(x->builder, joint, s->joint_count - 1))
        return add_coordinate(x, "angle", OLO_COORDINATE_ANGLE, sign, 2, NULL);
    olo_position C1 = olo_pair_vector(s, joint->child, joint->child_axes);
    olo_position M1 = olo_pair_vector(s, joint->parent, joint->parent_axes);
    olo_position M2 = olo_pair_vector(s, joint->parent, joint->parent_axes + 3);
    olo_form_builder form[2];
    olo_form_begin(&form[0]);
    olo_form_begin(&form[1]);
    olo_form_add_dot(&form[0], 1.0, &C1, &M1);
    olo_form_add_dot(&form[1], sign, &C1, &M2);
    return add_coordinate(x, "angle", OLO_COORDINATE_ANGLE, sign, 2, form);
}

/* --- choice of a coordinate --- */

static const char *kind_of(const drives *x, int i)
{
    return olo_build_system(x->builder)->joint_coordinates[x->first + i].name +
           strlen(x->joint->name) + 1;
}

static bool is_angle(const char *kind)
{
    return strncmp(kind, "angle", 5) == 0;
}

/* The coordinates on which a key can act. */
typedef enum scope { ANY, ANGLE, POSITION } scope;

/* Whether a key can act on coordinate i. The key `coordinate` chooses; a torque does not need it, a
 * force only if there are several positions. */
static bool fits(const drives *x, int i, scope what)
{
    const char *kind = kind_of(x, i), *wanted = x->joint->coordinate;
    bool angle = is_angle(kind);
    /* if `coordinate` names the other kind, it does not restrict the choice */
    if (what != ANY && (angle != (what == ANGLE) || (wanted && is_angle(wanted) != angle)))
        return angle == (what == ANGLE);
    return !wanted || strcmp(kind, wanted) == 0;
}

/* Finds the only coordinate on which `key` can act. */
static olo_status choose(const drives *x, const char *key, scope what, int *coordinate)
{
    static const char *const nouns[] = {"coordinate", "angle", "position"};
    char list[64] = "";
    int fitting = 0;
    for (int i = 0; i < x->count; i++) {
        if (!fits(x, i, what))
            continue;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", fitting ? ", " : "", kind_of(x, i));
        *coordinate = x->first + i;
        fitting++;
    }
    if (fitting == 1)
        return OLO_OK;
    if (fitting > 1)
        return olo_builder_fail(x->builder, key,
                                "'%s' has several coordinates (%s): choose one by the key "
                                "'coordinate'",
                                x->joint->name, list);
    bool named = x->joint->coordinate && what == ANY;
    return olo_builder_fail(x->builder, named ? "coordinate" : key,
                            "'%s' is %s and has no %s to act on", x->joint->name, x->joint->type,
                            named ? x->joint->coordinate : nouns[what]);
}

static const olo_term *term_of(const drives *x, int coordinate)
{
    return olo_build_system(x->builder)->joint_coordinates[coordinate].term;
}

/* --- terms --- */

static olo_status add_spring(const drives *x)
{
    int i;
    if (x->joint->stiffness == 0)
        return isnan(x->joint->rest) ? OLO_OK
                                     : olo_builder_fail(x->builder, "rest", "needs a stiffness");
    if (x->joint->stiffness < 0)
        return olo_builder_fail(
            x->builder, "stiffness",
            "must not be negative, got %g; for a force away from the rest position "
            "use a function of the joint in C or Python, or separate springs",
            x->joint->stiffness);
    olo_status status = choose(x, "stiffness", ANY, &i);
    if (status != OLO_OK)
        return status;
    return olo_build_spring_along(x->builder, x->joint->name, i, x->joint->stiffness,
                                  x->joint->rest);
}

static olo_status add_damper(const drives *x)
{
    int i;
    double damping = x->joint->damping;
    if (damping == 0)
        return OLO_OK;
    olo_status status = choose(x, "damping", ANY, &i);
    return status == OLO_OK ? olo_build_damper_along(x->builder, x->joint->name, i, damping)
                            : status;
}

static olo_status add_friction(const drives *x)
{
    int i;
    if (x->joint->friction == 0)
        return OLO_OK;
    if (!(x->joint->friction > 0))
        return olo_builder_fail(x->builder, "friction", "must not be negative, got %g",
                                x->joint->friction);
    const olo_status status = choose(x, "friction", ANY, &i);
    return status == OLO_OK
               ? olo_build_friction_along(x->builder, x->joint->name, i, x->joint->friction)
               : status;
}

/* Stops are springs or rigid. */
static olo_status check_stops(const drives *x, const char *key)
{
    const olo_joint *joint = x->joint;
    const bool rigid = !isnan(joint->stop_restitution);
    if (rigid && joint->stop_stiffness != 0)
        return olo_builder_fail(x->builder, "stop_restitution",
                                "a stop is rigid or a spring: leave out stop_stiffness");
    if (rigid && !(joint->stop_restitution >= 0 && joint->stop_restitution <= 1))
        return olo_builder_fail(x->builder, "stop_restitution", "must be between 0 and 1, got %g",
                                joint->stop_restitution);
    if (!rigid && !(joint->stop_stiffness > 0))
        return olo_builder_fail(x->builder, key,
                                "a stop needs a positive stop_stiffness, got %g, or a "
                                "stop_restitution if it is rigid",
                                joint->stop_stiffness);
    if (joint->lower > joint->upper)
        return olo_builder_fail(x->builder, key, "lower = %g lies above upper = %g", joint->lower,
                                joint->upper);
    return OLO_OK;
}

static olo_status add_rigid_stops(const drives *x, int coordinate)
{
    const olo_joint *joint = x->joint;
    olo_status status = OLO_OK;
    if (!isnan(joint->lower))
        status = olo_build_stop_along(x->builder, joint->name, coordinate, -1, joint->lower,
                                      joint->stop_restitution);
    if (status == OLO_OK && !isnan(joint->upper))
        status = olo_build_stop_along(x->builder, joint->name, coordinate, 1, joint->upper,
                                      joint->stop_restitution);
    return status;
}

static olo_status add_stops(const drives *x)
{
    const olo_joint *joint = x->joint;
    const bool below = !isnan(joint->lower), above = !isnan(joint->upper);
    const bool rigid = !isnan(joint->stop_restitution);
    const char *key = below ? "lower" : "upper";
    int i;
    if (!below && !above)
        return joint->stop_stiffness == 0 && !rigid
                   ? OLO_OK
                   : olo_builder_fail(x->builder, rigid ? "stop_restitution" : "stop_stiffness",
                                      "needs lower or upper");
    olo_status status = check_stops(x, key);
    if (status == OLO_OK)
        status = choose(x, key, ANY, &i);
    if (status != OLO_OK || rigid)
        return status == OLO_OK ? add_rigid_stops(x, i) : status;
    double c[3] = {joint->stop_stiffness, below ? joint->lower : -HUGE_VAL,
                   above ? joint->upper : HUGE_VAL};
    const olo_law *law = term_of(x, i)->law->angle ? &olo_law_angle_stop : &olo_law_stop;
    return olo_build_coordinate_term(x->builder, joint->name, OLO_ROLE_STRAIN, law, c, i);
}

/* --- actions --- */

static olo_status add_action(const drives *x, int coordinate, const char *key,
                             const olo_signal *signal, olo_action *action)
{
    olo_status status = OLO_OK;
    action->owner = x->joint->name;
    action->coordinate = term_of(x, coordinate);
    action->size = action->coordinate->size;
    if (signal)
        status = olo_build_signal(x->builder, key, signal, &action->time);
    if (status != OLO_OK)
        return status;
    status = olo_build_action(x->builder, action, action->coordinate->index);
    if (status != OLO_OK && action->time.free)
        action->time.free(action->time.context);
    return status;
}

static olo_status add_drive(const drives *x, const char *key, double value)
{
    int i = 0;
    if (value == 0)
        return OLO_OK;
    olo_status status = choose(x, key, strcmp(key, "torque") == 0 ? ANGLE : POSITION, &i);
    olo_action action = {.type = &olo_action_drive, .vector = {value, 0, 0}};
    return status == OLO_OK ? add_action(x, i, "time", x->joint->signal, &action) : status;
}

static olo_status add_controller(const drives *x)
{
    const olo_controller *c = x->joint->controller;
    int i;
    if (!c)
        return OLO_OK;
    if (c->kp == 0 && c->kd == 0)
        return olo_signal_is_given(c->target)
                   ? olo_builder_fail(x->builder, "controller", "needs kp or kd")
                   : OLO_OK;
    olo_status status = choose(x, "controller", ANY, &i);
    olo_action action = {.type = &olo_action_controller, .kp = c->kp, .kd = c->kd};
    return status == OLO_OK ? add_action(x, i, "controller", c->target, &action) : status;
}

/* A function replaces the constant torque or force along its coordinate: giving both is an error.
 */
static olo_status check_constant(const drives *x, const char *key, double value, int coordinate)
{
    int i = -1;
    if (value == 0)
        return OLO_OK;
    olo_status status = choose(x, key, strcmp(key, "torque") == 0 ? ANGLE : POSITION, &i);
    if (status != OLO_OK || i != coordinate)
        return status;
    return olo_builder_fail(x->builder, key,
                            "the function of '%s' replaces a constant %s: leave one of them out, "
                            "or add the constant in the function",
                            x->joint->name, key);
}

static olo_status add_function(const drives *x)
{
    int i = -1;
    if (!x->joint->function)
        return !x->joint->derivatives
                   ? OLO_OK
                   : olo_builder_fail(x->builder, NULL,
                                      "'%s' has derivatives but no function to which they belong",
                                      x->joint->name);
    olo_status status = choose(x, NULL, ANY, &i);
    if (status == OLO_OK)
        status = check_constant(x, "torque", x->joint->torque, i);
    if (status == OLO_OK)
        status = check_constant(x, "force", x->joint->force, i);
    olo_action action = {.type = x->joint->derivatives ? &olo_action_drive_function
                                                       : &olo_action_drive_callback,
                         .drive = x->joint->function,
                         .drive_derivatives = x->joint->derivatives,
                         .context = x->joint->context};
    return status == OLO_OK ? add_action(x, i, "time", x->joint->signal, &action) : status;
}

static olo_status add_motion(const drives *x)
{
    int i;
    char name[160];
    if (!olo_signal_is_given(x->joint->motion))
        return OLO_OK;
    olo_status status = choose(x, "motion", ANY, &i);
    snprintf(name, sizeof name, "%s.motion", x->joint->name);
    return status == OLO_OK ? olo_build_motion(x->builder, name, i, "motion", x->joint->motion)
                            : status;
}

/* Adds everything that acts along the coordinates. */
static olo_status add_all(const drives *x)
{
    const olo_joint *joint = x->joint;
    olo_status status = OLO_OK;
    if (joint->torque == 0 && joint->force == 0 && !joint->function &&
        olo_signal_is_given(joint->signal))
        status = olo_builder_fail(x->builder, "time",
                                  "is a factor of torque and force, which are missing");
    if (status == OLO_OK)
        status = add_spring(x);
    if (status == OLO_OK)
        status = add_damper(x);
    if (status == OLO_OK)
        status = add_friction(x);
    if (status == OLO_OK)
        status = add_stops(x);
    if (status == OLO_OK)
        status = add_drive(x, "torque", joint->torque);
    if (status == OLO_OK)
        status = add_drive(x, "force", joint->force);
    if (status == OLO_OK)
        status = add_controller(x);
    if (status == OLO_OK)
        status = add_function(x);
    return status == OLO_OK ? add_motion(x) : status;
}

olo_status olo_build_joint_drives(olo_builder *builder, const olo_joint *joint,
                                  olo_joint_sense sense)
{
    const olo_system *s = olo_build_system(builder);
    const olo_articulation *articulation = &s->joints[s->joint_count - 1];
    drives x = {.builder = builder, .joint = joint, .first = s->joint_coordinate_count};
    olo_status status = add_positions(&x, articulation, sense.slide);
    if (status == OLO_OK)
        status = add_angle(&x, articulation, sense.turn);
    return status == OLO_OK ? add_all(&x) : status;
}

olo_status olo_build_angle_drives(olo_builder *builder, const olo_joint *joint, int count,
                                  const olo_form_builder (*form)[2])
{
    drives x = {.builder = builder,
                .joint = joint,
                .first = olo_build_system(builder)->joint_coordinate_count};
    olo_status status = OLO_OK;
    for (int k = 0; status == OLO_OK && k < count; k++) {
        char what[32];
        snprintf(what, sizeof what, "angle%d", k + 1);
        status = add_coordinate(&x, what, OLO_COORDINATE_ANGLE, 0, 2, form[k]);
    }
    return status == OLO_OK ? add_all(&x) : status;
}
