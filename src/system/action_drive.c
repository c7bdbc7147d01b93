/* Forces and torques along a joint coordinate x. Over a step they are F times its discrete
 * gradient d,
 *
 *     f = F d,     work f . dq = F (x1 - x0)   exactly;
 *
 * d is made of scalar products of the two bodies, so F acts equal and opposite on both: momentum
 * stays.
 *
 *     drive        F = F0 factor(t_m)
 *     controller   F = kp (target(t_m) - x_m) + kd (target(t1) - target(t0) - (x1 - x0))/h
 *     callback     F = factor(t_m) f(t_m, x_m, (x1 - x0)/h) of a C function
 *     function     the same with F_x and F_v
 *
 * with x_m = (x0 + x1)/2. Tangent: F dd/dq1 + d (x) (F_x/2 + F_v/h) grad x(q1).
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "system/action.h"

/* The midpoint value and rate of the coordinate, with d in `f` and dd/dq1 in `tangent`. */
typedef struct motion {
    double x, rate, change;
} motion;

static motion motion_of(const olo_action *action, const olo_interval *x, double *d, double *tangent)
{
    double change = olo_term_discrete(action->coordinate, x, d, tangent);
    double start = olo_term_energy(action->coordinate, x->q0, x->angles);
    return (motion){.x = start + 0.5 * change, .rate = change / x->h, .change = change};
}

/* From dd/dq to df/dq at one end q of the step, with d and slope = dF/dx there. */
static void put_tangent(const olo_action *action, const olo_interval *x, const double *q, double F,
                        double slope, const double *d, double *tangent)
{
    int size = action->size;
    double gradient[OLO_FORM_SIZE_MAX];
    if (slope != 0)
        olo_term_gradient(action->coordinate, q, x->angles, gradient);
    for (int i = 0; i < size * size; i++)
        tangent[i] = F * tangent[i] + (slope != 0 ? slope * d[i / size] * gradient[i % size] : 0);
}

/* From d and dd/dq1 to f and df/dq1, with slope = dF/dx1. */
static void put(const olo_action *action, const olo_interval *x, double F, double slope, double *f,
                double *tangent)
{
    int size = action->size;
    if (tangent)
        put_tangent(action, x, x->q1, F, slope, f, tangent);
    for (int i = 0; i < size; i++)
        f[i] *= F;
}

static void drive(const olo_action *action, const olo_interval *x, double t, double *f,
                  double *tangent)
{
    olo_term_discrete(action->coordinate, x, f, tangent);
    put(action, x, olo_action_factor(action, x, t) * action->vector[0], 0.0, f, tangent);
}

static double target(const olo_action *action, const olo_interval *x, double t)
{
    if (olo_action_has_input(action, x))
        return x->inputs[action->number];
    return action->time.value ? action->time.value(action->time.context, t) : 0.0;
}

static void drive_start(const olo_action *action, const olo_interval *x, double t, double *tangent)
{
    olo_term_discrete_tangent(action->coordinate, x, 0, tangent);
    put_tangent(action, x, x->q0, olo_action_factor(action, x, t) * action->vector[0], 0.0, NULL,
                tangent);
}

static double control(const olo_action *action, const olo_interval *x, double t, motion m)
{
    double rate = (target(action, x, t + 0.5 * x->h) - target(action, x, t - 0.5 * x->h)) / x->h;
    return action->kp * (target(action, x, t) - m.x) + action->kd * (rate - m.rate);
}

static void controller(const olo_action *action, const olo_interval *x, double t, double *f,
                       double *tangent)
{
    motion m = motion_of(action, x, f, tangent);
    double F = control(action, x, t, m);
    put(action, x, F, -0.5 * action->kp - action->kd / x->h, f, tangent);
}

static void controller_start(const olo_action *action, const olo_interval *x, double t,
                             double *tangent)
{
    double d[OLO_FORM_SIZE_MAX];
    motion m = motion_of(action, x, d, NULL);
    olo_term_discrete_tangent(action->coordinate, x, 0, tangent);
    put_tangent(action, x, x->q0, control(action, x, t, m), -0.5 * action->kp + action->kd / x->h,
                d, tangent);
}

/* Derivative of the user's function by differences, over steps that are small against what the
 * argument is. */
static double slope_of(const olo_action *action, double t, motion m, bool by_rate, double scale)
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

static void callback(const olo_action *action, const olo_interval *x, double t, double *f,
                     double *tangent)
{
    motion m = motion_of(action, x, f, tangent);
    const double factor = olo_action_factor(action, x, t);
    double F = factor * action->drive(action->context, t, m.x, m.rate), slope = 0;
    if (tangent) {
        /* an angle has a scale of its own, a position that of the lengths it is the difference of
         * */
        const olo_term *c = action->coordinate;
        double unit = c->law->angle ? 1.0 : olo_form_magnitude(&c->form[0], x->qm);
        double size = fmax(unit, fabs(m.change));
        slope = factor * (0.5 * slope_of(action, t, m, false, size) +
                          slope_of(action, t, m, true, size / fabs(x->h)) / x->h);
        if (!isfinite(slope))
            slope = 0; /* a guess that helps Newton, no more */
    }
    put(action, x, F, slope, f, tangent);
}

static void function(const olo_action *action, const olo_interval *x, double t, double *f,
                     double *tangent)
{
    motion m = motion_of(action, x, f, tangent);
    const double factor = olo_action_factor(action, x, t);
    double by[2] = {0, 0};
    if (tangent)
        action->drive_derivatives(action->context, t, m.x, m.rate, by);
    put(action, x, factor * action->drive(action->context, t, m.x, m.rate),
        factor * (0.5 * by[0] + by[1] / x->h), f, tangent);
}

static void function_start(const olo_action *action, const olo_interval *x, double t,
                           double *tangent)
{
    double d[OLO_FORM_SIZE_MAX], by[2] = {0, 0};
    const double factor = olo_action_factor(action, x, t);
    motion m = motion_of(action, x, d, NULL);
    olo_term_discrete_tangent(action->coordinate, x, 0, tangent);
    action->drive_derivatives(action->context, t, m.x, m.rate, by);
    put_tangent(action, x, x->q0, factor * action->drive(action->context, t, m.x, m.rate),
                factor * (0.5 * by[0] - by[1] / x->h), d, tangent);
}

/* F times the gradient of the coordinate. */
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

/* the factor over time */
static const char *drive_input(const olo_action *action, const olo_interval *x, int index,
                               double *f)
{
    if (index > 0)
        return NULL;
    along(action, x, action->vector[0], f);
    return kind_of(action);
}

/* the target, and its rate */
static const char *controller_input(const olo_action *action, const olo_interval *x, int index,
                                    double *f)
{
    bool rate = index == (action->kp != 0 ? 1 : 0);
    if (index > 1 || (rate && action->kd == 0))
        return NULL;
    along(action, x, rate ? action->kd : action->kp, f);
    return rate ? "target.rate" : "target";
}

/* what the function gives */
static const char *callback_input(const olo_action *action, const olo_interval *x, int index,
                                  double *f)
{
    if (index > 0)
        return NULL;
    along(action, x, 1.0, f);
    return kind_of(action);
}

const olo_action_type olo_action_drive = {.name = "drive",
                                          .force = drive,
                                          .input = drive_input,
                                          .start_tangent = drive_start,
                                          .has_tangent = true};
const olo_action_type olo_action_controller = {.name = "controller",
                                               .force = controller,
                                               .input = controller_input,
                                               .start_tangent = controller_start,
                                               .has_tangent = true,
                                               .rates = true};
const olo_action_type olo_action_drive_callback = {.name = "drive callback",
                                                   .force = callback,
                                                   .input = callback_input,
                                                   .has_tangent = true,
                                                   .rates = true,
                                                   .motion_tangent = true,
                                                   .user = true};
const olo_action_type olo_action_drive_function = {.name = "drive function",
                                                   .force = function,
                                                   .input = callback_input,
                                                   .start_tangent = function_start,
                                                   .has_tangent = true,
                                                   .rates = true,
                                                   .user = true};
