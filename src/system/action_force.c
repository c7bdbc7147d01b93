/* Forces F at a point x(q) = x0 + sum_k w_k q_k. The virtual work F . delta x gives the generalised
 * force w_k F on slot k.
 *
 *     dead          F fixed in space
 *     body-fixed    F = sum_I F_I d_I, where the interval says; linear: dF/dd_I,a = F_I share_a I
 *     callback      F(t, x, v) at the midpoint, v = dx/h
 *     function      the same with F_x and F_v:
 *                   dF/dq1 = (F_x/2 + F_v/h) dx/dq,   dF/dq0 = (F_x/2 - F_v/h) dx/dq
 *
 * Callback and function also exist along the directors: F = sum_I F_I(t, x, v) d_I with x and v in
 * space. Their tangent is the sum of both tangents. What differs for a force along the directors
 * are its coordinates, which are those of the body, and the rotation of its components to space.
 */
#include <string.h>

#include "linalg/small.h"
#include "linalg/vec3.h"
#include "system/action.h"
#include "system/slot.h"

/* The first local coordinate of slot k of the point: the coordinates are the twelve of the body, or
 * the slots alone. */
static int row_of(const olo_action *action, int k)
{
    return action->type->body ? action->position.slot[k] - action->frame : 3 * k;
}

/* F = the force in space: its components are along the directors, or in space */
static void in_space(const olo_action *action, const olo_interval *x, const double components[3],
                     double F[3])
{
    if (!action->type->body) {
        vec3_copy(components, F);
        return;
    }
    vec3_set(0, 0, 0, F);
    for (int I = 0; I < 3; I++)
        vec3_add(components[I], olo_acting_configuration(x) + action->frame + 3 * (I + 1), F);
}

/* f = w_k F on each slot, and df/dq_a unless NULL for constant components. */
static void put(const olo_action *action, const olo_interval *x, const double components[3],
                double *f, int a, double *tangent)
{
    const int size = action->size;
    const double share = olo_acting_share(x, a);
    double F[3];
    in_space(action, x, components, F);
    small_zero(size, f);
    if (tangent)
        small_zero(size * size, tangent);
    for (int k = 0; k < action->position.count; k++) {
        const int row = row_of(action, k);
        const double w = action->position.weight[k];
        vec3_add(w, F, f + row);
        for (int I = 0; tangent && action->type->body && I < 3; I++)
            for (int i = 0; i < 3; i++)
                tangent[(row + i) * size + 3 * (I + 1) + i] += share * w * components[I];
    }
}

static void load(const olo_action *action, const olo_interval *x, double *f, double *tangent)
{
    double s = olo_action_factor(action, x), components[3];
    for (int i = 0; i < 3; i++)
        components[i] = s * action->vector[i];
    put(action, x, components, f, 1, tangent);
}

/* --- user functions --- */

/* Position and velocity of the point at the midpoint. */
static void move_point(const olo_action *action, const olo_interval *x, double position[3],
                       double velocity[3])
{
    olo_position_value(&action->position, x->qm, position);
    olo_position_linear(&action->position, x->dq, velocity);
    for (int i = 0; i < 3; i++)
        velocity[i] /= x->h;
}

/* s times the user function */
static void call(const olo_action *action, const olo_interval *x, double s, double components[3])
{
    double position[3], velocity[3];
    vec3_set(0, 0, 0, components);
    move_point(action, x, position, velocity);
    action->function(action->context, olo_interval_middle(x), position, velocity, components);
    for (int i = 0; i < 3; i++)
        components[i] *= s;
}

/* Its derivatives with respect to position and velocity. */
static void differentiate(const olo_action *action, const olo_interval *x, double by_position[9],
                          double by_velocity[9])
{
    double position[3], velocity[3];
    small_zero(9, by_position);
    small_zero(9, by_velocity);
    move_point(action, x, position, velocity);
    action->derivatives(action->context, olo_interval_middle(x), position, velocity, by_position,
                        by_velocity);
}

/* f and df/dq_a for constant components */
static void call_and_put(const olo_action *action, const olo_interval *x, double *f, int a,
                         double *tangent)
{
    double components[3];
    call(action, x, olo_action_factor(action, x), components);
    put(action, x, components, f, a, tangent);
}

static void callback(const olo_action *action, const olo_interval *x, double *f, double *tangent)
{
    call_and_put(action, x, f, 1, tangent);
}

/* Adds the derivative of the components with respect to one end of the step: `rate` = dv/dx is 1/h
 * at q1, -1/h at q0. */
static void add_tangent(const olo_action *action, const olo_interval *x, double rate,
                        double *tangent)
{
    double by[9], by_velocity[9];
    const double s = olo_action_factor(action, x), *weight = action->position.weight;
    differentiate(action, x, by, by_velocity);
    for (int i = 0; i < 9; i++)
        by[i] = 0.5 * by[i] + rate * by_velocity[i];
    if (action->type->body) { /* rows of `by` along the axes of space */
        double components[9];
        memcpy(components, by, sizeof by);
        for (int j = 0; j < 3; j++) {
            const double column[3] = {components[j], components[3 + j], components[6 + j]};
            double F[3];
            in_space(action, x, column, F);
            for (int i = 0; i < 3; i++)
                by[3 * i + j] = F[i];
        }
    }
    for (int k = 0; k < action->position.count; k++)
        for (int l = 0; l < action->position.count; l++)
            for (int i = 0; i < 9; i++)
                tangent[(row_of(action, k) + i / 3) * action->size + row_of(action, l) + i % 3] +=
                    s * weight[k] * weight[l] * by[i];
}

static void function(const olo_action *action, const olo_interval *x, double *f, double *tangent)
{
    callback(action, x, f, tangent);
    if (tangent)
        add_tangent(action, x, 1 / x->h, tangent);
}

/* With respect to the input it is zero without one. A function without derivatives has no other. */
static void first(const olo_action *action, const olo_interval *x, olo_slot a, double *matrix)
{
    double components[3], f[OLO_ACTION_SIZE_MAX];
    if (a == OLO_SLOT_INPUT) {
        call(action, x, olo_action_has_input(action, x) ? 1.0 : 0.0, components);
        put(action, x, components, matrix, 0, NULL);
    } else if (olo_slot_is_configuration(a) && action->derivatives) {
        call_and_put(action, x, f, (int)a, matrix);
        add_tangent(action, x, (a == OLO_SLOT_Q0 ? -1 : 1) / x->h, matrix);
    }
}

/* The weight of a slot distributes the force, and moves the point by position and velocity of the
 * slot. */
static void by_weight(const olo_action *action, const olo_interval *x, int slot, double *df)
{
    double components[3], F[3], change[3], by_position[9], by_velocity[9];
    const double s = olo_action_factor(action, x);
    const double *at = x->qm + action->position.slot[slot],
                 *move = x->dq + action->position.slot[slot];
    differentiate(action, x, by_position, by_velocity);
    for (int i = 0; i < 3; i++)
        change[i] =
            s * (vec3_dot(by_position + 3 * i, at) + vec3_dot(by_velocity + 3 * i, move) / x->h);
    put(action, x, change, df, 0, NULL);
    call(action, x, s, components);
    in_space(action, x, components, F);
    vec3_add(1.0, F, df + row_of(action, slot));
}

/* --- unit loads --- */

static void unit_value(const olo_action *action, const olo_interval *x, double *p)
{
    put(action, x, action->vector, p, 0, NULL);
}

static void body_first(const olo_action *action, const olo_interval *x, int a, double *matrix)
{
    double p[OLO_ACTION_SIZE_MAX];
    put(action, x, action->vector, p, a, matrix);
}

const olo_action_pattern olo_pattern_dead_force = {.value = unit_value};
const olo_action_pattern olo_pattern_body_force = {.value = unit_value, .first = body_first};

const char *olo_action_factor_input(const olo_action *action, const olo_interval *x, int index,
                                    double *f)
{
    olo_action one = *action;
    if (index > 0)
        return NULL;
    one.time = (olo_time_function){0};
    one.type->force(&one, x, f, NULL);
    return "";
}

const olo_action_type olo_action_dead_force = {.name = "dead force",
                                               .force = load,
                                               .scalar = olo_action_factor_scalar,
                                               .pattern = &olo_pattern_dead_force,
                                               .input = olo_action_factor_input,
                                               .with_law = &olo_action_law_force,
                                               .dead = true};
const olo_action_type olo_action_body_force = {.name = "body force",
                                               .body = true,
                                               .force = load,
                                               .scalar = olo_action_factor_scalar,
                                               .pattern = &olo_pattern_body_force,
                                               .input = olo_action_factor_input,
                                               .with_law = &olo_action_law_body_force,
                                               .has_tangent = true};
const olo_action_type olo_action_callback = {.name = "callback",
                                             .force = callback,
                                             .first = first,
                                             .rates = true,
                                             .motion_tangent = true,
                                             .user = true};
const olo_action_type olo_action_function = {.name = "function",
                                             .force = function,
                                             .first = first,
                                             .by_weight = by_weight,
                                             .has_tangent = true,
                                             .rates = true,
                                             .user = true};
const olo_action_type olo_action_body_callback = {.name = "body callback",
                                                  .body = true,
                                                  .force = callback,
                                                  .first = first,
                                                  .rates = true,
                                                  .motion_tangent = true,
                                                  .user = true};
const olo_action_type olo_action_body_function = {.name = "body function",
                                                  .body = true,
                                                  .force = function,
                                                  .first = first,
                                                  .by_weight = by_weight,
                                                  .has_tangent = true,
                                                  .rates = true,
                                                  .user = true};
