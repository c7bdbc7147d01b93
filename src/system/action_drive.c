/* Forces and torques along a joint coordinate x. Over a step they are a scalar F times the discrete
 * gradient d of the coordinate,
 *
 *     f = F d,     work f . dq = F (x1 - x0)   exactly,
 *
 * or times its gradient at a node, where the interval says. d is formed from scalar products of
 * vectors of the two bodies. So F acts equal and opposite on both, and momentum is conserved.
 *
 *     drive        F = F0 factor(t_m)
 *     controller   F = kp (target(t_m) - x_m) + kd (target(t1) - target(t0) - (x1 - x0))/h
 *     callback     F = factor(t_m) f(t_m, x_m, (x1 - x0)/h) of a C function
 *     function     the same with F_x and F_v
 *
 * with x_m = (x0 + x1)/2. The tangent is
 *
 *     df/dq1 = F dd/dq1 + d (x) (F_x/2 + F_v/h) grad x(q1).
 *
 * All other derivatives follow from those of F and d (action.c).
 */
#include <float.h>
#include <math.h>

#include "linalg/small.h"
#include "system/action.h"

typedef olo_coordinate_motion motion;

/* The motion of the coordinate, from its difference over the step. */
static motion motion_of(const olo_action *action, const olo_interval *x, double change)
{
    double start = olo_term_energy(action->coordinate, x->q0, x->angles);
    return olo_coordinate_moves(start, change, x->h);
}

/* p: the discrete gradient over the step, or the gradient at a node. Returns the difference of the
 * coordinate over the step. */
static double gradient(const olo_action *action, const olo_interval *x, double *p)
{
    const double change = olo_term_discrete(action->coordinate, x, p, NULL);
    if (x->acting != OLO_ACT_BETWEEN)
        olo_term_gradient(action->coordinate, olo_acting_configuration(x), x->angles, p);
    return change;
}

/* Spreads a matrix over the coordinates of the coordinate, which are the first ones of the action,
 * to all of the action. */
static void spread(const olo_action *action, double *matrix)
{
    const int n = action->coordinate->size, size = action->size;
    for (int i = n - 1; n < size && i >= 0; i--)
        for (int j = size - 1; j >= 0; j--)
            matrix[i * size + j] = j < n ? matrix[i * n + j] : 0.0;
    small_zero((size - n) * size, matrix + n * size);
}

/* dp/dq_a */
static void curvature(const olo_action *action, const olo_interval *x, int a, double *matrix)
{
    const int n = action->coordinate->size;
    if (x->acting == OLO_ACT_BETWEEN)
        olo_term_discrete_tangent(action->coordinate, x, a, matrix);
    else if (olo_acting_share(x, a) != 0)
        olo_term_hessian(action->coordinate, olo_acting_configuration(x), x->angles, matrix);
    else
        small_zero(n * n, matrix);
    spread(action, matrix);
}

/* f = F d, and unless NULL df/dq1. */
static void put_force(const olo_action *action, const olo_interval *x, olo_force_law *law,
                      double *f, double *tangent)
{
    int size = action->size;
    double at_end[OLO_FORM_SIZE_MAX], F_1 = 0;
    const bool between = x->acting == OLO_ACT_BETWEEN;
    const double change =
        between ? olo_term_discrete(action->coordinate, x, f, tangent) : gradient(action, x, f);
    if (tangent && !between)
        curvature(action, x, 1, tangent);
    const double F = law(action, x, motion_of(action, x, change), tangent ? &F_1 : NULL);
    if (F_1 != 0)
        olo_term_gradient(action->coordinate, x->q1, x->angles, at_end);
    for (int i = 0; tangent && i < size * size; i++)
        tangent[i] = F * tangent[i] + (F_1 != 0 ? F_1 * f[i / size] * at_end[i % size] : 0);
    for (int i = 0; i < size; i++)
        f[i] *= F;
}

/* The same between both configurations as stress of the coordinate, s its discrete gradient in the
 * invariants e:
 *
 *     F s,    d(F s)/de1 = F ds/de1 + F_1 s (x) dx/de1. */
static void put_stress(const olo_action *action, const olo_interval *x, olo_force_law *law,
                       double *f, olo_law_over *over)
{
    const olo_term *coordinate = action->coordinate;
    const int forms = coordinate->forms;
    double by[OLO_LAW_INVARIANTS_MAX] = {0}, F_1 = 0;
    const double change = olo_term_stress(coordinate, x, f, over);
    const double F = law(action, x, motion_of(action, x, change), &F_1);
    if (F_1 != 0)
        olo_term_derivatives(coordinate, x->q1, x->angles, by);
    for (int k = 0; k < forms; k++) {
        for (int l = 0; l < forms; l++)
            over->s1[k * forms + l] = F * over->s1[k * forms + l] + F_1 * over->s[k] * by[l];
        over->s[k] *= F;
    }
    for (int i = 0; i < action->size; i++)
        f[i] *= F;
}

static double drive_law(const olo_action *action, const olo_interval *x, motion m, double *F_1)
{
    (void)m;
    (void)F_1;
    return olo_action_factor(action, x) * action->vector[0];
}

static double target(const olo_action *action, const olo_interval *x, double t)
{
    if (olo_action_has_input(action, x))
        return x->inputs[action->number];
    return action->time.value ? action->time.value(action->time.context, t) : 0.0;
}

static double controller_law(const olo_action *action, const olo_interval *x, motion m, double *F_1)
{
    const double t = olo_interval_middle(x);
    double rate = (target(action, x, t + 0.5 * x->h) - target(action, x, t - 0.5 * x->h)) / x->h;
    if (F_1)
        *F_1 = -0.5 * action->kp - action->kd / x->h;
    return action->kp * (target(action, x, t) - m.x) + action->kd * (rate - m.rate);
}

/* Derivative of the user function by central differences, with a step relative to `scale`. */
static double difference_quotient(const olo_action *action, double t, motion m, bool by_rate,
                                  double scale)
{
    double step = cbrt(DBL_EPSILON) * scale, before = by_rate ? m.rate : m.x;
    if (step == 0)
        return 0.0;
    double up = before + step, down = before - step;
    double high = by_rate ? action->drive(action->context, t, m.x, up)
                          : action->drive(action->context, t, up, m.rate);
    double low = by_rate ? action->drive(action->context, t, m.x, down)
                         : action->drive(action->context, t, down, m.rate);
    return (high - low) / (up - down);
}

static double callback_law(const olo_action *action, const olo_interval *x, motion m, double *F_1)
{
    const double t = olo_interval_middle(x), factor = olo_action_factor(action, x);
    if (F_1) {
        /* the scale of an angle is one, of a position the lengths whose difference it is */
        const olo_term *c = action->coordinate;
        double unit = c->law->angle ? 1.0 : olo_form_magnitude(&c->form[0], x->qm);
        double size = fmax(unit, fabs(m.change));
        *F_1 = factor * (0.5 * difference_quotient(action, t, m, false, size) +
                         difference_quotient(action, t, m, true, size / fabs(x->h)) / x->h);
        if (!isfinite(*F_1))
            *F_1 = 0; /* it affects only the convergence of Newton's method */
    }
    return factor * action->drive(action->context, t, m.x, m.rate);
}

static double function_law(const olo_action *action, const olo_interval *x, motion m, double *F_1)
{
    const double t = olo_interval_middle(x), factor = olo_action_factor(action, x);
    double by[2] = {0, 0};
    if (F_1) {
        action->drive_derivatives(action->context, t, m.x, m.rate, by);
        *F_1 = factor * (0.5 * by[0] + by[1] / x->h);
    }
    return factor * action->drive(action->context, t, m.x, m.rate);
}

/* Force and stress of a kind of drive. */
#define DRIVE(name)                                                                                \
    static void name(const olo_action *action, const olo_interval *x, double *f, double *tangent)  \
    {                                                                                              \
        put_force(action, x, name##_law, f, tangent);                                              \
    }                                                                                              \
    static void name##_stress(const olo_action *action, const olo_interval *x, double *f,          \
                              olo_law_over *over)                                                  \
    {                                                                                              \
        put_stress(action, x, name##_law, f, over);                                                \
    }

DRIVE(drive)
DRIVE(controller)
DRIVE(callback)
DRIVE(function)

/* --- F with its derivatives --- */

static void pattern_value(const olo_action *action, const olo_interval *x, double *p)
{
    const int n = action->coordinate->size;
    (void)gradient(action, x, p);
    small_zero(action->size - n, p + n);
}

static void pattern_second(const olo_action *action, const olo_interval *x, const double *y, int a,
                           int b, double *matrix)
{
    const double *q = olo_acting_configuration(x);
    const int n = action->coordinate->size;
    if (x->acting == OLO_ACT_BETWEEN)
        olo_term_discrete_second(action->coordinate, x, y, a, b, matrix);
    else if (olo_acting_share(x, a) * olo_acting_share(x, b) != 0)
        olo_term_third(action->coordinate, q, x->angles, y, matrix);
    else
        small_zero(n * n, matrix);
    spread(action, matrix);
}

const olo_action_pattern olo_pattern_along = {
    .value = pattern_value, .first = curvature, .second = pattern_second};

static motion motion_over(const olo_action *action, const olo_interval *x)
{
    double d[OLO_FORM_SIZE_MAX];
    return motion_of(action, x, olo_term_discrete(action->coordinate, x, d, NULL));
}

static void scale(double factor, olo_action_scalar *F)
{
    F->value *= factor;
    for (int a = 0; a < OLO_SLOTS; a++) {
        F->first[a] *= factor;
        for (int b = 0; b < OLO_SLOTS; b++)
            F->second[a][b] *= factor;
    }
}

static void drive_scalar(const olo_action *action, const olo_interval *x, olo_action_scalar *F)
{
    olo_action_factor_scalar(action, x, F);
    scale(action->vector[0], F);
}

static void put_pair(olo_action_scalar *F, olo_slot a, olo_slot b, double value)
{
    F->second[a][b] = F->second[b][a] = value;
}

/* F += the contribution of the target, kp target(t + h/2) + kd (target(t + h) - target(t))/h */
static void add_target(const olo_action *action, const olo_interval *x, olo_action_scalar *F)
{
    const double h = x->h, kp = action->kp, kd = action->kd;
    double at0[3], at_m[3], at1[3], change[3];
    if (olo_action_has_input(action, x)) {
        F->value += kp * x->inputs[action->number];
        F->first[OLO_SLOT_INPUT] = kp;
        return;
    }
    olo_time_derivatives(&action->time, x->t, 0.0, at0);
    olo_time_derivatives(&action->time, x->t + 0.5 * h, 0.0, at_m);
    olo_time_derivatives(&action->time, x->t + h, 0.0, at1);
    for (int k = 0; k < 3; k++)
        change[k] = (at1[k] - at0[k]) / h;
    F->value += kp * at_m[0] + kd * change[0];
    F->first[OLO_SLOT_T] = kp * at_m[1] + kd * change[1];
    F->first[OLO_SLOT_H] += 0.5 * kp * at_m[1] + kd * (at1[1] - change[0]) / h;
    put_pair(F, OLO_SLOT_T, OLO_SLOT_T, kp * at_m[2] + kd * change[2]);
    put_pair(F, OLO_SLOT_T, OLO_SLOT_H, 0.5 * kp * at_m[2] + kd * (at1[2] - change[1]) / h);
    F->second[OLO_SLOT_H][OLO_SLOT_H] +=
        0.25 * kp * at_m[2] + kd * (at1[2] - 2 * (at1[1] - change[0]) / h) / h;
}

static void controller_scalar(const olo_action *action, const olo_interval *x, olo_action_scalar *F)
{
    const motion m = motion_over(action, x);
    const double kp = action->kp, damping = action->kd / x->h;
    *F = (olo_action_scalar){.value = -kp * m.x - action->kd * m.rate};
    F->first[OLO_SLOT_Q0] = -0.5 * kp + damping;
    F->first[OLO_SLOT_Q1] = -0.5 * kp - damping;
    F->first[OLO_SLOT_H] = damping * m.rate;
    put_pair(F, OLO_SLOT_Q0, OLO_SLOT_H, -damping / x->h);
    put_pair(F, OLO_SLOT_Q1, OLO_SLOT_H, damping / x->h);
    put_pair(F, OLO_SLOT_H, OLO_SLOT_H, -2 * damping * m.rate / x->h);
    add_target(action, x, F);
}

/* Time derivatives and second derivatives of a user function are not known. */
static void callback_scalar(const olo_action *action, const olo_interval *x, olo_action_scalar *F)
{
    const motion m = motion_over(action, x);
    olo_action_factor_scalar(action, x, F);
    scale(action->drive(action->context, olo_interval_middle(x), m.x, m.rate), F);
}

static void function_scalar(const olo_action *action, const olo_interval *x, olo_action_scalar *F)
{
    const double t = olo_interval_middle(x), factor = olo_action_factor(action, x);
    double by[2] = {0, 0};
    const motion m = motion_over(action, x);
    callback_scalar(action, x, F);
    action->drive_derivatives(action->context, t, m.x, m.rate, by);
    F->first[OLO_SLOT_Q0] = factor * (0.5 * by[0] - by[1] / x->h);
    F->first[OLO_SLOT_Q1] = factor * (0.5 * by[0] + by[1] / x->h);
}

/* --- inputs at rest --- */

/* f = F times the gradient of the coordinate. */
static void along(const olo_action *action, const olo_interval *x, double F, double *f)
{
    olo_term_discrete(action->coordinate, x, f, NULL);
    for (int i = 0; i < action->size; i++)
        f[i] *= F;
}

static const char *kind_of(const olo_action *action)
{
    return action->coordinate->law->angle ? "torque" : "force";
}

/* input: the factor over time */
static const char *drive_input(const olo_action *action, const olo_interval *x, int index,
                               double *f)
{
    if (index > 0)
        return NULL;
    along(action, x, action->vector[0], f);
    return kind_of(action);
}

/* inputs: the target, and its rate */
static const char *controller_input(const olo_action *action, const olo_interval *x, int index,
                                    double *f)
{
    bool rate = index == (action->kp != 0 ? 1 : 0);
    if (index > 1 || (rate && action->kd == 0))
        return NULL;
    along(action, x, rate ? action->kd : action->kp, f);
    return rate ? "target.rate" : "target";
}

/* input: the value of the function */
static const char *callback_input(const olo_action *action, const olo_interval *x, int index,
                                  double *f)
{
    if (index > 0)
        return NULL;
    along(action, x, 1.0, f);
    return kind_of(action);
}

const olo_action_type olo_action_drive = {.name = "drive",
                                          .affine = true,
                                          .force = drive,
                                          .stress = drive_stress,
                                          .along = drive_law,
                                          .scalar = drive_scalar,
                                          .pattern = &olo_pattern_along,
                                          .input = drive_input,
                                          .has_tangent = true};
const olo_action_type olo_action_controller = {.name = "controller",
                                               .force = controller,
                                               .stress = controller_stress,
                                               .along = controller_law,
                                               .scalar = controller_scalar,
                                               .pattern = &olo_pattern_along,
                                               .input = controller_input,
                                               .has_tangent = true,
                                               .rates = true,
                                               .affine = true};
const olo_action_type olo_action_drive_callback = {.name = "drive callback",
                                                   .force = callback,
                                                   .stress = callback_stress,
                                                   .along = callback_law,
                                                   .scalar = callback_scalar,
                                                   .pattern = &olo_pattern_along,
                                                   .input = callback_input,
                                                   .has_tangent = true,
                                                   .rates = true,
                                                   .motion_tangent = true,
                                                   .user = true};
const olo_action_type olo_action_drive_function = {.name = "drive function",
                                                   .force = function,
                                                   .stress = function_stress,
                                                   .along = function_law,
                                                   .scalar = function_scalar,
                                                   .pattern = &olo_pattern_along,
                                                   .input = callback_input,
                                                   .has_tangent = true,
                                                   .rates = true,
                                                   .user = true};
