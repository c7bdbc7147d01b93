/* Derivatives of a run: of a functional with random weights along a random direction, by the
 * adjoint equations, by the forward equations, and by extrapolated differences of whole runs. */
#ifndef OLO_TESTS_PROBE_H
#define OLO_TESTS_PROBE_H

#include "scene.h"

#include "base/initialised.h"
#include "oloid/derivatives.h"
#include "system/parameter_derivative.h"

static const char *const schemes[] = {"energy-momentum-2006", "variational", "energy-momentum"};

enum { NUMBERS_MAX = 4000 };

/* J = sum a_i q_i + b_i v_i + (q.q + v.v)/2 at the end,
 * plus the integral of sum b_i q_i + a_i v_i + (q.q)/2, with random a, b. */
typedef struct weights {
    int n;
    double a[NUMBERS_MAX], b[NUMBERS_MAX];
} weights;

static inline void weights_fill(weights *w, int n)
{
    unsigned long long seed = 11;
    check_true(n <= NUMBERS_MAX);
    w->n = n;
    for (int i = 0; i < n; i++) {
        w->a[i] = scene_random(&seed);
        w->b[i] = scene_random(&seed);
    }
}

static inline double at_end(void *context, const olo_system *system, const olo_state *state,
                            double *gq, double *gv)
{
    const weights *w = context;
    const double *q = state->q, *v = state->v;
    double sum = 0;
    (void)system;
    for (int i = 0; i < w->n; i++) {
        sum += w->a[i] * q[i] + w->b[i] * v[i] + 0.5 * (q[i] * q[i] + v[i] * v[i]);
        if (gq) {
            gq[i] += w->a[i] + q[i];
            gv[i] += w->b[i] + v[i];
        }
    }
    return sum;
}

static inline double on_the_way(void *context, const olo_system *system, const olo_state *state,
                                double *gq, double *gv)
{
    const weights *w = context;
    const double *q = state->q, *v = state->v;
    double sum = 0;
    (void)system;
    for (int i = 0; i < w->n; i++) {
        sum += w->b[i] * q[i] + w->a[i] * v[i] + 0.5 * q[i] * q[i];
        if (gq) {
            gq[i] += w->b[i] + q[i];
            gv[i] += w->a[i];
        }
    }
    return sum;
}

/* A scene with its derivatives and an admissible variation of its initial velocities. */
typedef struct probe {
    scene *s;
    olo_derivatives *d;
    weights w;
    olo_functional J;
    double dq[NUMBERS_MAX], dv[NUMBERS_MAX], gq[NUMBERS_MAX], gv[NUMBERS_MAX];
} probe;

static probe p; /* too large for the stack of a test */

static inline void random_variation(int n, double size, double *dq, double *dv)
{
    unsigned long long seed = 5;
    for (int i = 0; i < n; i++) {
        dq[i] = size * scene_random(&seed);
        dv[i] = scene_random(&seed);
    }
}

/* Opens the derivatives of the run of the scene. */
static inline void probe_open_run(scene *s)
{
    olo_error error = {0};
    p.s = s;
    check_ok(olo_derivatives_create(s->system, &s->run, &p.d, &error), &error);
    weights_fill(&p.w, s->system->n);
    p.J = (olo_functional){.initialised = OLO_INITIALISED_FUNCTIONAL,
                           .context = &p.w,
                           .end = at_end,
                           .running = on_the_way};
    random_variation(s->system->n, 0.0, p.dq, p.dv);
    check_ok(olo_derivatives_project(p.d, s->state, p.dq, p.dv, &error), &error);
}

/* The same for a number of equal steps. */
static inline void probe_open(scene *s, const char *scheme, double h, long steps)
{
    s->run.scheme = scheme;
    s->run.step = h;
    s->run.end = olo_state_time(s->state) + h * (double)steps;
    probe_open_run(s);
}

static inline void probe_close(void)
{
    olo_derivatives_free(p.d);
    p.d = NULL;
}

/* J of the run that starts with v + s dv. */
static inline double value_at(double s)
{
    olo_error error = {0};
    olo_state *start;
    double value, dq[NUMBERS_MAX] = {0}, dv[NUMBERS_MAX] = {0};
    olo_direction none = {.initialised = OLO_INITIALISED_DIRECTION, .q = dq, .v = dv};
    check_ok(olo_state_clone(p.s->state, &start, &error), &error);
    for (int i = 0; i < p.w.n; i++)
        start->v[i] += s * p.dv[i];
    check_ok(olo_derivatives_compute_forward(p.d, start, &p.J, &none, &value, NULL, &error),
             &error);
    olo_state_free(start);
    return value;
}

/* Central differences, extrapolated twice: error of the order s^6. */
static inline double difference_of(double (*value)(double s), double s)
{
    double D[3];
    for (int i = 0; i < 3; i++, s *= 0.5)
        D[i] = (value(s) - value(-s)) / (2 * s);
    double E0 = (4 * D[1] - D[0]) / 3, E1 = (4 * D[2] - D[1]) / 3;
    return (16 * E1 - E0) / 15;
}

static inline double difference(double s)
{
    return difference_of(value_at, s);
}

static inline double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* dJ along the variation by differences, by the forward and by the adjoint equations. */
static inline void check_gradient(double s)
{
    olo_error error = {0};
    int n = p.w.n;
    olo_gradient g = {.initialised = OLO_INITIALISED_GRADIENT, .q = p.gq, .v = p.gv};
    double dq[NUMBERS_MAX], dv[NUMBERS_MAX], value, forward;
    memcpy(dq, p.dq, sizeof dq);
    memcpy(dv, p.dv, sizeof dv);
    check_ok(olo_derivatives_compute_gradient(p.d, p.s->state, &p.J, &g, &error), &error);
    olo_direction along = {.initialised = OLO_INITIALISED_DIRECTION, .q = dq, .v = dv};
    check_ok(
        olo_derivatives_compute_forward(p.d, p.s->state, &p.J, &along, &value, &forward, &error),
        &error);
    double adjoint = dot(n, p.gq, p.dq) + dot(n, p.gv, p.dv), parts = 0;
    for (int i = 0; i < n; i++)
        parts += fabs(p.gq[i] * p.dq[i]) + fabs(p.gv[i] * p.dv[i]);
    check_relative(g.value, value, 1e-14);
    check_close(forward, adjoint, 1e-12 * parts);
    check_close(difference(s), adjoint, 1e-8 * smaller(fabs(adjoint), parts));
}

enum { PARAMETERS_MAX = 16 };

static const char *parameter_text, *parameter_name, *parameter_scheme;
static double parameter_value;
/* Steps of given sizes, as a tolerance has chosen them. */
static const double *parameter_sizes;
static long parameter_steps;
static double parameter_tolerance;

static inline scene open_with(const char *text, const char *scheme, const char *name, double value)
{
    char number[40];
    snprintf(number, sizeof number, "%.17g", value);
    olo_setting settings[2] = {{"run.scheme", scheme}, {name, number}};
    scene x = scene_open_set(text, "reduced", settings, name ? 2 : 1);
    olo_error error = {0};
    x.run.tolerance = parameter_tolerance;
    check_ok(olo_prepare_initial_state(x.system, &x.run, x.state, &error), &error);
    return x;
}

/* J of the model with another value of its parameter. */
static inline double value_with_parameter(double s)
{
    olo_error error = {0};
    double value, dq[NUMBERS_MAX] = {0}, dv[NUMBERS_MAX] = {0};
    olo_derivatives *d;
    scene x =
        open_with(parameter_text, parameter_scheme, parameter_name, parameter_value * (1 + s));
    check_ok(olo_derivatives_create(x.system, &x.run, &d, &error), &error);
    check_ok(olo_derivatives_set_step_sizes(d, parameter_sizes, parameter_steps, &error), &error);
    check_ok(olo_derivatives_compute_forward(
                 d, x.state, &p.J,
                 &(olo_direction){.initialised = OLO_INITIALISED_DIRECTION, .q = dq, .v = dv},
                 &value, NULL, &error),
             &error);
    olo_derivatives_free(d);
    scene_close(&x);
    return value;
}

/* Derivatives with respect to all parameters at once by the adjoint equations, to each of them by
 * the forward equations and by differences. */
static inline void check_parameters(const char *text, const char *scheme, const char *const *names,
                                    const double *values, int count, const olo_goal *goal)
{
    olo_error error = {0};
    olo_parameter_derivative *changes[PARAMETERS_MAX];
    double gradient[PARAMETERS_MAX], largest = 0;
    scene x = open_with(text, scheme, NULL, 0);
    x.run.scheme = scheme;
    probe_open_run(&x);
    if (goal)
        p.J = (olo_functional){
            .initialised = OLO_INITIALISED_FUNCTIONAL, .goals = goal, .goal_count = 1};
    for (int k = 0; k < count; k++)
        check_ok(olo_parameter_derivative_create(x.model, names[k], &changes[k], &error), &error);
    check_ok(olo_differentiate_equilibrium(x.system, &x.run, x.state, changes, count, &error),
             &error);
    check_ok(olo_derivatives_set_parameters(p.d, (const olo_parameter_derivative *const *)changes,
                                            count, &error),
             &error);
    olo_gradient g = {.initialised = OLO_INITIALISED_GRADIENT, .parameters = gradient, .q = p.gq};
    check_ok(olo_derivatives_compute_gradient(p.d, x.state, &p.J, &g, &error), &error);
    for (int k = 0; k < count; k++) {
        double parts = 0; /* the sum of terms that cancel in stiff directions if the parameter moves
                             the initial state */
        for (int i = 0; i < p.w.n; i++)
            parts += fabs(p.gq[i] * changes[k]->dq[i] * values[k]);
        largest = larger(largest, larger(parts, fabs(gradient[k] * values[k])));
    }
    for (int k = 0; k < count; k++) {
        double unit[PARAMETERS_MAX] = {0}, dq[NUMBERS_MAX] = {0}, dv[NUMBERS_MAX] = {0}, forward;
        unit[k] = values[k];
        olo_direction along = {
            .initialised = OLO_INITIALISED_DIRECTION, .q = dq, .v = dv, .parameters = unit};
        check_ok(
            olo_derivatives_compute_forward(p.d, x.state, &p.J, &along, NULL, &forward, &error),
            &error);
        check_close(forward, gradient[k] * values[k], 1e-12 * largest);
        parameter_text = text;
        parameter_name = names[k];
        parameter_scheme = scheme;
        parameter_value = values[k];
        print_message("%s by %s: %.6g\n", scheme, names[k], gradient[k]);
        check_relative(difference_of(value_with_parameter, 1e-2), gradient[k] * values[k], 1e-8);
    }
    for (int k = 0; k < count; k++)
        olo_parameter_derivative_free(changes[k]);
    probe_close();
    scene_close(&x);
}

#endif
