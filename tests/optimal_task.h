/* Problems of optimal control as tests solve them: a scene with controls, conditions and guesses,
 * solved with the conditions of optimality satisfied. */
#ifndef OLO_TESTS_OPTIMAL_TASK_H
#define OLO_TESTS_OPTIMAL_TASK_H

#include "scene.h"

#include "oloid/optimize.h"

/* A four-bar linkage of four hinges has three redundant constraints in space; with a spherical and
 * a universal joint it has none, and the same motion. */
#define FOUR_BAR(B, C)                                                                             \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  - {name: crank, mass: 1, inertia: [0.01, 0.02, 0.02], position: [0, 0.5, 0]}\n"             \
    "  - {name: coupler, mass: 2, inertia: [0.02, 0.3, 0.3], position: [1, 1, 0]}\n"               \
    "  - {name: rocker, mass: 1, inertia: [0.01, 0.02, 0.02], position: [2, 0.5, 0]}\n"            \
    "joints:\n"                                                                                    \
    "  - {name: A, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1], torque: 1}\n"         \
    "  - {name: B, type: " B ", between: [crank, coupler], at: [0, 1, 0]}\n"                       \
    "  - {name: C, type: " C ", between: [coupler, rocker], at: [2, 1, 0]}\n"                      \
    "  - {name: D, between: [ground, rocker], at: [2, 0, 0], axis: [0, 0, 1]}\n"
#define FOUR_HINGES FOUR_BAR("revolute, axis: [0, 0, 1]", "revolute, axis: [0, 0, 1]")

static const double pi = 3.14159265358979323846;

typedef struct task {
    scene s;
    olo_problem problem;
    olo_problem_control controls[4];
    olo_problem_parameter parameters[2];
    olo_problem_cost costs[3]; /* the first one is the effort */
    olo_problem_condition conditions[4];
    olo_problem_guess guesses[4];
    olo_optimum *optimum;
    olo_certificate certificate;
} task;

/* Transcriptions with their discrete mechanics. */
typedef struct task_method {
    const char *transcription, *scheme;
} task_method;
static const task_method task_methods[] = {{"reduced", "variational"},
                                           {"redundant", "variational"},
                                           {"redundant", "energy-momentum-2006"}};
enum { TASK_METHODS = sizeof task_methods / sizeof *task_methods };

static const char *const task_transcriptions[] = {"redundant", "reduced"};

/* Ipopt is optional when the library is built. */
static inline void skip_without_solver(void)
{
    if (!olo_optimize_available())
        skip();
}

/* An optimum whose constraints and conditions of optimality are satisfied. */
static inline olo_optimum *optimum_of(const olo_system *system, const olo_problem *problem)
{
    olo_error error = {0};
    olo_optimum *optimum;
    olo_certificate certificate;
    check_ok(olo_optimize(system, problem, NULL, &optimum, &error), &error);
    check_text("an optimum was found", olo_optimum_explanation(optimum));
    check_ok(olo_optimum_certify(optimum, &certificate, &error), &error);
    check_below(certificate.violation, 1e-8);
    check_below(certificate.stationarity, 1e-8);
    return optimum;
}

static inline void open_task(task *t, const char *text)
{
    *t = (task){.s = scene_open(text, NULL), .problem = olo_problem_default()};
    t->costs[0] = olo_problem_cost_default();
    t->problem.costs = t->costs;
    t->problem.cost_count = 1;
    t->problem.parameters = t->parameters;
    t->problem.variants = olo_model_variants(t->s.model);
    t->problem.controls = t->controls;
    t->problem.conditions = t->conditions;
    t->problem.guesses = t->guesses;
}

static inline void open_task_with(task *t, const char *text, const char *transcription)
{
    open_task(t, text);
    t->problem.transcription = transcription;
}

static inline void control(task *t, const char *name)
{
    olo_problem_control *c = &t->controls[t->problem.control_count++];
    *c = olo_problem_control_default();
    c->name = name;
}

static inline void vary(task *t, const char *name, double lower, double upper)
{
    olo_problem_parameter *p = &t->parameters[t->problem.parameter_count++];
    *p = olo_problem_parameter_default();
    p->name = name;
    p->lower = lower;
    p->upper = upper;
}

static inline olo_problem_cost *add_cost(task *t, const char *type)
{
    olo_problem_cost *c = &t->costs[t->problem.cost_count++];
    *c = olo_problem_cost_default();
    c->type = type;
    return c;
}

static inline void reach_at(task *t, const char *at, const char *quantity, double value)
{
    olo_problem_condition *c = &t->conditions[t->problem.condition_count++];
    *c = olo_problem_condition_default();
    c->at = at;
    c->quantity = quantity;
    c->value = value;
}

static inline void reach(task *t, const char *quantity, double value)
{
    reach_at(t, "end", quantity, value);
}

/* A value in the middle of the initial guess. */
static inline void guess(task *t, const char *coordinate, double value)
{
    olo_problem_guess *g = &t->guesses[t->problem.guess_count++];
    *g = olo_problem_guess_default();
    g->coordinate = coordinate;
    g->value = value;
    g->at = 0.5;
}

static inline void optimise(task *t)
{
    olo_error error = {0};
    check_ok(olo_optimize(t->s.system, &t->problem, NULL, &t->optimum, &error), &error);
    check_text("an optimum was found", olo_optimum_explanation(t->optimum));
    check_ok(olo_optimum_certify(t->optimum, &t->certificate, &error), &error);
    check_below(t->certificate.violation, 1e-8);
    check_below(t->certificate.stationarity, 1e-8);
    check_below(t->certificate.complementarity, 1e-8);
    if (t->certificate.second_order != OLO_POINT_UNKNOWN)
        check_true(t->certificate.negative >= 0 && t->certificate.zero >= 0);
}

static inline void close_task(task *t)
{
    olo_optimum_free(t->optimum);
    scene_close(&t->s);
}

/* Two optima of the same problem: configurations, multipliers and controls. */
static inline void check_same_optimum(const task *a, const task *b)
{
    const int N = a->problem.intervals;
    check_relative(olo_optimum_cost(a->optimum), olo_optimum_cost(b->optimum), 1e-10);
    for (int k = 0; k <= N; k++) {
        for (int i = 0; i < a->s.system->n; i++)
            check_close(olo_optimum_configuration(a->optimum, k)[i],
                        olo_optimum_configuration(b->optimum, k)[i], 1e-7);
        for (int i = 0; i < a->s.system->m; i++)
            check_close(olo_optimum_multipliers(a->optimum, k)[i],
                        olo_optimum_multipliers(b->optimum, k)[i], 1e-6);
        for (int i = 0; k < N && i < a->problem.control_count; i++)
            check_close(olo_optimum_controls(a->optimum, k)[i],
                        olo_optimum_controls(b->optimum, k)[i], 1e-7);
    }
}

#endif
