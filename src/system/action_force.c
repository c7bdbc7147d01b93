/* Forces F at a point x(q) = x0 + sum_k w_k q_k. The virtual work F . delta x gives the generalised
 * force w_k F on slot k.
 *
 *     dead          F fixed in space
 *     body-fixed    F = sum_I F_I d_I at the midpoint; linear in q1: dF/dd_I,1 = 1/2 F_I I
 *     callback      F(t, x, v) at the midpoint, v = dx/h
 *     function      the same with F_x and F_v:
 *                   dF/dq1 = (F_x/2 + F_v/h) dx/dq,   dF/dq0 = (F_x/2 - F_v/h) dx/dq
 *
 * Callback and function also exist along the directors: F = sum_I F_I(t, x, v) d_I with x and v in
 * space. Their tangent is the sum of both tangents.
 */
#include <string.h>

#include "linalg/vec3.h"
#include "system/action.h"

/* f = the generalised force of F at the point */
static void spread(const olo_action *action, const double F[3], double *f)
{
    for (int k = 0; k < action->position.count; k++)
        for (int i = 0; i < 3; i++)
            f[3 * k + i] = action->position.weight[k] * F[i];
}

static void dead_force(const olo_action *action, const olo_interval *x, double *f, double *tangent)
{
    double s = olo_action_factor(action, x), F[3];
    for (int i = 0; i < 3; i++)
        F[i] = s * action->vector[i];
    spread(action, F, f);
    if (tangent)
        memset(tangent, 0, sizeof *tangent * (size_t)(action->size * action->size));
}

/* A force with given components along the directors. The coordinates are the twelve of the body;
 * the point is fixed in the same body. */
static void put_along_directors(const olo_action *action, const olo_interval *x,
                                const double components[3], double *f, double *tangent)
{
    double F[3] = {0, 0, 0};
    /* the force in space */
    for (int I = 0; I < 3; I++)
        vec3_add(components[I], x->qm + action->frame + 3 * (I + 1), F);
    memset(f, 0, 12 * sizeof *f);
    if (tangent)
        memset(tangent, 0, 144 * sizeof *tangent);
    /* w_k F on each slot; the directors at the midpoint depend on q1 by one half */
    for (int k = 0; k < action->position.count; k++) {
        int row = action->position.slot[k] - action->frame;
        double w = action->position.weight[k];
        vec3_add(w, F, f + row);
        for (int I = 0; tangent && I < 3; I++)
            for (int i = 0; i < 3; i++)
                tangent[(row + i) * 12 + 3 * (I + 1) + i] += 0.5 * w * components[I];
    }
}

static void body_force(const olo_action *action, const olo_interval *x, double *f, double *tangent)
{
    double s = olo_action_factor(action, x), components[3];
    for (int I = 0; I < 3; I++)
        components[I] = s * action->vector[I];
    put_along_directors(action, x, components, f, tangent);
}

/* Position and velocity of the point at the midpoint. */
static void move_point(const olo_action *action, const olo_interval *x, double position[3],
                       double velocity[3])
{
    olo_position_value(&action->position, x->qm, position);
    olo_position_linear(&action->position, x->dq, velocity);
    for (int i = 0; i < 3; i++)
        velocity[i] /= x->h;
}

/* F = s times the user function */
static void call(const olo_action *action, const olo_interval *x, double s, double F[3])
{
    double position[3], velocity[3];
    vec3_set(0, 0, 0, F);
    move_point(action, x, position, velocity);
    action->function(action->context, olo_interval_middle(x), position, velocity, F);
    for (int i = 0; i < 3; i++)
        F[i] *= s;
}

static void callback(const olo_action *action, const olo_interval *x, double *f, double *tangent)
{
    double F[3];
    call(action, x, olo_action_factor(action, x), F);
    spread(action, F, f);
    if (tangent)
        memset(tangent, 0, sizeof *tangent * (size_t)(action->size * action->size));
}

/* The tangent with respect to one end of the step: `rate` = dv/dx is 1/h at q1, -1/h at q0. */
static void function_tangent(const olo_action *action, const olo_interval *x, double rate,
                             double *tangent)
{
    double position[3], velocity[3], by_position[9] = {0}, by_velocity[9] = {0};
    const double s = olo_action_factor(action, x), *weight = action->position.weight;
    const int count = action->position.count, size = action->size;
    move_point(action, x, position, velocity);
    action->derivatives(action->context, olo_interval_middle(x), position, velocity, by_position,
                        by_velocity);
    for (int k = 0; k < count; k++)
        for (int l = 0; l < count; l++)
            for (int i = 0; i < 9; i++)
                tangent[(3 * k + i / 3) * size + 3 * l + i % 3] =
                    s * weight[k] * weight[l] * (0.5 * by_position[i] + rate * by_velocity[i]);
}

static void function(const olo_action *action, const olo_interval *x, double *f, double *tangent)
{
    callback(action, x, f, NULL);
    if (tangent)
        function_tangent(action, x, 1 / x->h, tangent);
}

/* df/d(input), zero without an input. */
static void function_by_factor(const olo_action *action, const olo_interval *x, bool in_body,
                               double *by)
{
    double F[3];
    call(action, x, olo_action_has_input(action, x) ? 1.0 : 0.0, F);
    if (in_body)
        put_along_directors(action, x, F, by, NULL);
    else
        spread(action, F, by);
}

static void function_first(const olo_action *action, const olo_interval *x, olo_slot a,
                           double *matrix)
{
    if (a == OLO_SLOT_INPUT)
        function_by_factor(action, x, false, matrix);
    else if (a == OLO_SLOT_Q0 || a == OLO_SLOT_Q1)
        function_tangent(action, x, (a == OLO_SLOT_Q0 ? -1 : 1) / x->h, matrix);
}

static void callback_first(const olo_action *action, const olo_interval *x, olo_slot a,
                           double *matrix)
{
    if (a == OLO_SLOT_INPUT)
        function_by_factor(action, x, false, matrix);
}

static void body_callback(const olo_action *action, const olo_interval *x, double *f,
                          double *tangent)
{
    double components[3];
    call(action, x, olo_action_factor(action, x), components);
    put_along_directors(action, x, components, f, tangent);
}

/* Adds the derivative of the components with respect to one end of the step. */
static void add_body_tangent(const olo_action *action, const olo_interval *x, double rate,
                             double *tangent)
{
    double position[3], velocity[3], by_position[9] = {0}, by_velocity[9] = {0}, by[9] = {0};
    const double s = olo_action_factor(action, x), *d = x->qm + action->frame + 3;
    const olo_position *point = &action->position;
    move_point(action, x, position, velocity);
    action->derivatives(action->context, olo_interval_middle(x), position, velocity, by_position,
                        by_velocity);
    /* the derivative of the force in space: rows of `by` along the axes of space */
    for (int I = 0; I < 3; I++)
        for (int i = 0; i < 9; i++)
            by[i] += s * d[3 * I + i / 3] *
                     (0.5 * by_position[3 * I + i % 3] + rate * by_velocity[3 * I + i % 3]);
    /* distribute to the slots of the point */
    for (int k = 0; k < point->count; k++)
        for (int l = 0; l < point->count; l++)
            for (int i = 0; i < 9; i++)
                tangent[(point->slot[k] - action->frame + i / 3) * 12 + point->slot[l] -
                        action->frame + i % 3] += point->weight[k] * point->weight[l] * by[i];
}

static void body_function(const olo_action *action, const olo_interval *x, double *f,
                          double *tangent)
{
    body_callback(action, x, f, tangent);
    if (tangent)
        add_body_tangent(action, x, 1 / x->h, tangent);
}

static void body_function_first(const olo_action *action, const olo_interval *x, olo_slot a,
                                double *matrix)
{
    double f[12];
    if (a == OLO_SLOT_INPUT)
        function_by_factor(action, x, true, matrix);
    if (a != OLO_SLOT_Q0 && a != OLO_SLOT_Q1)
        return;
    body_callback(action, x, f, matrix);
    add_body_tangent(action, x, (a == OLO_SLOT_Q0 ? -1 : 1) / x->h, matrix);
}

static void body_callback_first(const olo_action *action, const olo_interval *x, olo_slot a,
                                double *matrix)
{
    if (a == OLO_SLOT_INPUT)
        function_by_factor(action, x, true, matrix);
}

/* --- derivatives with respect to weights of the position --- */

/* dF of the user function with respect to the weight of one slot: position and velocity of the
 * point change by those of the slot. */
static void call_by_weight(const olo_action *action, const olo_interval *x, int slot, double dF[3])
{
    double position[3], velocity[3], by_position[9] = {0}, by_velocity[9] = {0};
    const double s = olo_action_factor(action, x);
    const double *at = x->qm + action->position.slot[slot],
                 *move = x->dq + action->position.slot[slot];
    move_point(action, x, position, velocity);
    action->derivatives(action->context, olo_interval_middle(x), position, velocity, by_position,
                        by_velocity);
    for (int i = 0; i < 3; i++)
        dF[i] =
            s * (vec3_dot(by_position + 3 * i, at) + vec3_dot(by_velocity + 3 * i, move) / x->h);
}

static void function_by_weight(const olo_action *action, const olo_interval *x, int slot,
                               double *df)
{
    double F[3], dF[3];
    call(action, x, olo_action_factor(action, x), F);
    call_by_weight(action, x, slot, dF);
    spread(action, dF, df);
    vec3_add(1.0, F, df + 3 * slot);
}

static void body_function_by_weight(const olo_action *action, const olo_interval *x, int slot,
                                    double *df)
{
    double components[3], change[3];
    const double *d = x->qm + action->frame + 3;
    call(action, x, olo_action_factor(action, x), components);
    call_by_weight(action, x, slot, change);
    put_along_directors(action, x, change, df, NULL);
    for (int I = 0; I < 3; I++)
        vec3_add(components[I], d + 3 * I, df + action->position.slot[slot] - action->frame);
}

/* --- unit loads --- */

static void dead_value(const olo_action *action, const olo_interval *x, double *p)
{
    (void)x;
    spread(action, action->vector, p);
}

static void body_value(const olo_action *action, const olo_interval *x, double *p)
{
    put_along_directors(action, x, action->vector, p, NULL);
}

static void body_first(const olo_action *action, const olo_interval *x, int a, double *matrix)
{
    double p[12];
    (void)a; /* a function of the midpoint */
    put_along_directors(action, x, action->vector, p, matrix);
}

static const olo_action_pattern dead_pattern = {.value = dead_value};
static const olo_action_pattern body_pattern = {.value = body_value, .first = body_first};

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
                                               .force = dead_force,
                                               .scalar = olo_action_factor_scalar,
                                               .pattern = &dead_pattern,
                                               .input = olo_action_factor_input,
                                               .dead = true};
const olo_action_type olo_action_body_force = {.name = "body force",
                                               .force = body_force,
                                               .scalar = olo_action_factor_scalar,
                                               .pattern = &body_pattern,
                                               .input = olo_action_factor_input,
                                               .has_tangent = true};
const olo_action_type olo_action_callback = {.name = "callback",
                                             .force = callback,
                                             .first = callback_first,
                                             .rates = true,
                                             .motion_tangent = true,
                                             .user = true};
const olo_action_type olo_action_function = {.name = "function",
                                             .force = function,
                                             .first = function_first,
                                             .by_weight = function_by_weight,
                                             .has_tangent = true,
                                             .rates = true,
                                             .user = true};
const olo_action_type olo_action_body_callback = {.name = "body callback",
                                                  .force = body_callback,
                                                  .first = body_callback_first,
                                                  .rates = true,
                                                  .motion_tangent = true,
                                                  .user = true};
const olo_action_type olo_action_body_function = {.name = "body function",
                                                  .force = body_function,
                                                  .first = body_function_first,
                                                  .by_weight = body_function_by_weight,
                                                  .has_tangent = true,
                                                  .rates = true,
                                                  .user = true};
