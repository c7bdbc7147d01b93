/* Parameters of the model as variables of optimal control: derivatives of the programme against
 * differences of fourth order, for parameters of everything that a model has, and what is refused.
 */
#include "programme.h"
#include "scene.h"

#include "control/design.h"
#include "control/problem.h"
#include "kinematics/chart.h"
#include "kinematics/topology.h"

enum { INTERVALS = 2, MOST = 4 };

typedef struct bench {
    scene s;
    olo_problem problem;
    olo_problem_control control;
    olo_problem_parameter parameters[MOST];
    olo_problem_cost costs[MOST];
    olo_problem_condition conditions[MOST];
} bench;

static void open_bench(bench *b, const char *text)
{
    *b = (bench){.s = scene_open(text, NULL), .problem = olo_problem_default()};
    b->problem.parameters = b->parameters;
    b->problem.costs = b->costs;
    b->problem.conditions = b->conditions;
    b->problem.variants = olo_model_variants(b->s.model);
    b->problem.intervals = INTERVALS;
    b->problem.duration = 0.6;
    b->problem.grading = 0.6;
    b->problem.transcription = "redundant";
}

static void control(bench *b, const char *name)
{
    b->control = olo_problem_control_default();
    b->control.name = name;
    b->problem.controls = &b->control;
    b->problem.control_count = 1;
}

static void vary(bench *b, const char *name, double lower)
{
    olo_problem_parameter *p = &b->parameters[b->problem.parameter_count++];
    *p = olo_problem_parameter_default();
    p->name = name;
    p->lower = lower;
    p->upper = 9;
}

/* A squared cost along the path and a condition at the end. */
static void use(bench *b, const char *quantity)
{
    olo_problem_condition *condition = &b->conditions[b->problem.condition_count++];
    olo_problem_cost *cost = &b->costs[b->problem.cost_count++];
    *condition = olo_problem_condition_default();
    *cost = olo_problem_cost_default();
    condition->quantity = cost->quantity = quantity;
    condition->lower = -1;
    cost->type = "path";
    cost->target = 0.3;
    cost->square = true;
    condition->direction[2] = cost->direction[2] = -0.7;
}

/* A curved motion from the initial state. */
static void bend(const bench *b, double *q)
{
    const olo_system *s = b->s.system;
    olo_error error = {0};
    olo_chart *chart;
    unsigned seed = 5;
    double u[64] = {0};
    check_ok(olo_chart_create(s->topology, b->s.state->q, &chart, &error), &error);
    for (int k = 0; k <= INTERVALS; k++) {
        memcpy(q + k * s->n, olo_chart_at(chart, u), (size_t)s->n * sizeof *q);
        for (int i = 0; i < s->topology->unknowns; i++)
            u[i] += 0.2 * programme_number(&seed);
    }
    olo_chart_free(chart);
}

static void check_derivatives(bench *b)
{
    const olo_system *s = b->s.system;
    for (int kind = 0; kind < 4; kind++) {
        const bool open = kind % 2, reduced = kind / 2;
        olo_error error = {0};
        olo_problem_entry at;
        olo_control_problem *resolved;
        olo_redundant *full;
        olo_reduced *charts = NULL;
        olo_design *design;
        double *guess = calloc((size_t)((INTERVALS + 1) * s->n), sizeof *guess);
        unsigned seed = 11;
        b->problem.shortest = open ? 0.1 : 0;
        b->problem.longest = open ? 2 : 0;
        b->problem.transcription = reduced ? "reduced" : "redundant";
        check_ok(olo_control_problem_create(s, &b->problem, &resolved, &at, &error), &error);
        bend(b, guess);
        check_ok(olo_redundant_create(resolved, b->s.state, guess, reduced, &full, &error), &error);
        if (reduced)
            check_ok(olo_reduced_create(resolved, full, guess, &charts, &error), &error);
        check_ok(olo_design_create(resolved, full, charts, &design, &error), &error);
        const olo_nlp *nlp = olo_design_nlp(design);
        double *x = calloc((size_t)nlp->variables, sizeof *x),
               *start = calloc((size_t)olo_redundant_nlp(full)->variables, sizeof *start);
        olo_redundant_start(full, start);
        if (reduced)
            olo_reduced_shrink(charts, start, x);
        else
            memcpy(x, start, (size_t)olo_redundant_nlp(full)->variables * sizeof *x);
        for (int i = 0; i < resolved->parameter_count; i++)
            x[nlp->variables - resolved->parameter_count + i] = resolved->parameters[i].guess;
        for (int i = 0; i < nlp->variables; i++)
            x[i] += 0.05 * programme_number(&seed);
        programme_check_derivatives_of(
            nlp, x, (reduced ? olo_reduced_nlp(charts) : olo_redundant_nlp(full))->variables - 1);
        free(x);
        free(start);
        free(guess);
        olo_design_free(design);
        olo_reduced_free(charts);
        olo_redundant_free(full);
        olo_control_problem_free(resolved);
    }
}

/* Lengths that move joints, points and the initial state, masses, gravity, stiffnesses, dampings.
 */
TEST(parameters_of_a_mechanism_have_exact_derivatives)
{
    static const char text[] =
        "parameters: {l: 0.8, m: 1.3, k: 3, g: 9.81, w: 0.6}\n"
        "gravity: [0, 0, -g]\n"
        "bodies:\n"
        "  - {name: upper, mass: m, inertia: [0.4, 0.4*m, 0.5], center: [0.1, 0, -l/2]}\n"
        "  - {name: lower, mass: 1, inertia: [0.2, 0.3, 0.3*l^2], position: [0, 0.3, -l]}\n"
        "joints:\n"
        "  - {name: hip, between: [ground, upper], at: [0, 0, 0], axis: [0, 1, 0], torque: 1,\n"
        "     rate: w}\n"
        "  - {name: knee, between: [upper, lower], at: [0, 0.1, -l], axis: [0, 1, 0.2*l],\n"
        "     torque: 1, time: sin(w*t)}\n"
        "springs: {name: s, between: [upper, {on: lower, at: [0.1*l, 0, 0]}], stiffness: k^2,\n"
        "          length: 0.4*l, damping: 0.1*k}\n"
        "loads: {name: push, on: {on: lower, at: [0, 0, -l]}, force: [m, 0, k]}\n"
        "outputs:\n"
        "  - {name: tip, on: {on: lower, at: [0.1, 0, -0.5*l]}}\n"
        "  - {name: eye, on: {on: upper, at: [0, 0.2*m, 0]}}\n";
    static const char *const quantities[] = {"tip.position", "hip.angle", "distance(tip, eye)",
                                             "energy + tip.position.x^2", "upper.momentum"};
    for (int i = 0; i < 5; i++) {
        bench b;
        open_bench(&b, text);
        control(&b, "hip");
        use(&b, quantities[i]);
        b.problem.end_velocity = "free";
        vary(&b, i % 2 ? "m" : "l", 0.1);
        vary(&b, i % 2 ? "w" : "k", -3);
        if (i == 4)
            vary(&b, "g", 1);
        b.costs[b.problem.cost_count] = olo_problem_cost_default();
        b.costs[b.problem.cost_count].type = "parameter";
        b.costs[b.problem.cost_count].parameter = b.parameters[1].name;
        b.costs[b.problem.cost_count].square = true;
        b.costs[b.problem.cost_count++].target = 0.2;
        check_derivatives(&b);
        scene_close(&b.s);
    }
}

/* A loop, closed by a joint and a rod whose lengths are those of the parameters. */
TEST(parameters_of_a_loop_have_exact_derivatives)
{
    static const char text[] =
        "parameters: {a: 1, b: 2}\n"
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  - {name: crank, mass: 1, inertia: [0.1, 0.2, 0.2], position: [0, a/2, 0]}\n"
        "  - {name: coupler, mass: 2, inertia: [0.2, 0.3, 0.3], position: [b/2, a, 0]}\n"
        "  - {name: rocker, mass: 1, inertia: [0.1, 0.2, 0.2], position: [b, a/2, 0]}\n"
        "joints:\n"
        "  - {name: A, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1], torque: 1}\n"
        "  - {name: B, type: spherical, between: [crank, coupler], at: [0, a, 0]}\n"
        "  - {name: C, type: universal, between: [coupler, rocker], at: [b, a, 0],\n"
        "     axis: [0, 0, 1], axis2: [0, 1, 0]}\n"
        "  - {name: D, between: [ground, rocker], at: [b, 0, 0], axis: [0, 0, 1]}\n";
    bench b;
    open_bench(&b, text);
    control(&b, "A");
    use(&b, "coupler.position");
    vary(&b, "a", 0.1);
    vary(&b, "b", 0.1);
    check_derivatives(&b);
    scene_close(&b.s);
}

TEST(parameters_that_cannot_be_variables_are_refused_by_name)
{
    static const char text[] = "parameters: {m: 1}\n"
                               "bodies: {name: a, mass: m, inertia: [1, 1, 1]}\n"
                               "joints: {name: rail, type: prismatic, between: [ground, a],\n"
                               "         axis: [1, 0, 0], force: 1}\n";
    bench b;
    olo_error error = {0};
    open_bench(&b, text);
    control(&b, "rail");
    vary(&b, "mas", 0.1);
    check_status(OLO_BAD_INPUT, olo_problem_check(b.s.system, &b.problem, &error));
    check_contains("parameters[0]", error.text);
    check_contains("no parameter 'mas'", error.text);
    b.parameters[0].name = "m";
    b.problem.variants = NULL;
    check_status(OLO_BAD_INPUT, olo_problem_check(b.s.system, &b.problem, &error));
    check_contains("variants", error.text);
    scene_close(&b.s);
}

TEST_MAIN(cmocka_unit_test(parameters_of_a_mechanism_have_exact_derivatives),
          cmocka_unit_test(parameters_of_a_loop_have_exact_derivatives),
          cmocka_unit_test(parameters_that_cannot_be_variables_are_refused_by_name))
