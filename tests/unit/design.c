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
TEST(derivatives_by_parameters_of_a_mechanism)
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
TEST(derivatives_by_parameters_of_a_loop)
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

/* A point of mass m(a) = a^3 on a spring of stiffness k(a) = a^2 sin(a) from the origin, with
 * gravity g(a) = 1/a: over an interval of length h the balances at its ends are
 *
 *     -+ m dq/h - h/2 (k q_m + m g e_z),   and at the start + m v0,
 *
 * of which one term each depends on a. Errors are relative to the sum of the terms. */
enum { FIRST, MIXED, SECOND };
static void check_closed_form(bool reduced, double worst[3])
{
    static const char text[] =
        "parameters: {a: 1.3}\n"
        "gravity: [0, 0, -1/a]\n"
        "points: {name: p, mass: a^3, position: [0.3, 0, 0], velocity: [1, 2, 0]}\n"
        "springs: {name: s, between: [[0, 0, 0], p], stiffness: a^2*sin(a), length: 0}\n";
    const double a = 1.37, s = sin(a), c = cos(a), h[2] = {0.375, 0.225};
    /* of m, k and m g, their first and second derivatives */
    const double m[3] = {a * a * a, 3 * a * a, 6 * a}, w[3] = {a * a, 2 * a, 2},
                 k[3] = {a * a * s, 2 * a * s + a * a * c, (2 - a * a) * s + 4 * a * c};
    olo_error error = {0};
    olo_problem_entry at;
    olo_control_problem *resolved;
    olo_redundant *full;
    olo_reduced *charts = NULL;
    olo_design *design;
    bench b;
    open_bench(&b, text);
    vary(&b, "a", 0.1);
    b.problem.transcription = reduced ? "reduced" : "redundant";
    b.problem.start_configuration = b.problem.start_velocity = "free";
    check_ok(olo_control_problem_create(b.s.system, &b.problem, &resolved, &at, &error), &error);
    double guess[3 * (INTERVALS + 1)] = {0};
    check_ok(olo_redundant_create(resolved, b.s.state, guess, reduced, &full, &error), &error);
    if (reduced)
        check_ok(olo_reduced_create(resolved, full, guess, &charts, &error), &error);
    check_ok(olo_design_create(resolved, full, charts, &design, &error), &error);
    const olo_nlp *nlp = olo_design_nlp(design);
    const int n = nlp->variables, last = n - 1;
    double *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)nlp->rows, sizeof *y),
           *A = calloc((size_t)nlp->jacobian.count, sizeof *A),
           *H = calloc((size_t)nlp->hessian.count, sizeof *H);
    unsigned seed = 3;
    for (int i = 0; i < n; i++)
        x[i] = programme_number(&seed);
    for (int i = 0; i < nlp->rows; i++)
        y[i] = programme_number(&seed);
    x[last] = a;
    x[last - 1] = 0.6; /* the duration; the velocity at the start is before it */
    const double *v0 = x + last - 4;
    nlp->evaluate_jacobian(nlp->context, x, A);
    nlp->evaluate_hessian(nlp->context, x, 1, y, H);
    /* differences from the closed form: of rows, of (y.c)_aq, of (y.c)_aa */
    enum { ROWS = 3 * (INTERVALS + 1) };
    double first[ROWS] = {0}, mixed[ROWS] = {0}, size[ROWS] = {0}, twice = 0, total = 0;
    for (int j = 0; j < 3 * INTERVALS; j++)
        for (int side = 0; side < 2; side++) {
            const double length = h[j / 3], sign = side ? 1 : -1, q0 = x[j], q1 = x[j + 3];
            const double terms[3] = {sign * (q1 - q0) / length, -length / 4 * (q0 + q1),
                                     j % 3 == 2 ? -length / 2 : 0};
            const int r = j + 3 * side;
            first[r] += m[1] * terms[0] + k[1] * terms[1] + w[1] * terms[2];
            twice += y[r] * (m[2] * terms[0] + k[2] * terms[1] + w[2] * terms[2]);
            mixed[j] -= y[r] * (sign * m[1] / length + k[1] * length / 4);
            mixed[j + 3] += y[r] * (sign * m[1] / length - k[1] * length / 4);
            size[r] += fabs(m[0] * terms[0]) + fabs(k[0] * terms[1]) + w[0];
        }
    for (int i = 0; i < 3; i++) {
        first[i] += m[1] * v0[i];
        twice += y[i] * m[2] * v0[i];
    }
    for (int e = 0; e < nlp->jacobian.count; e++)
        if (nlp->jacobian.column[e] == last && nlp->jacobian.row[e] < ROWS)
            first[nlp->jacobian.row[e]] -= A[e];
    for (int e = 0; e < nlp->hessian.count; e++) {
        const int column = nlp->hessian.column[e];
        if (nlp->hessian.row[e] == last && column < ROWS)
            mixed[column] -= H[e];
        if (nlp->hessian.row[e] == last && column == last)
            twice -= H[e];
    }
    for (int i = 0; i < ROWS; i++) {
        worst[FIRST] = larger(worst[FIRST], fabs(first[i]) / size[i]);
        worst[MIXED] = larger(worst[MIXED], fabs(mixed[i]) * h[1] / m[0]);
        total += size[i];
    }
    worst[SECOND] = larger(worst[SECOND], fabs(twice) / total);
    double *const all[] = {x, y, A, H};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    olo_design_free(design);
    olo_reduced_free(charts);
    olo_redundant_free(full);
    olo_control_problem_free(resolved);
    scene_close(&b.s);
}

TEST(derivatives_by_parameters_are_exact_to_rounding)
{
    for (int reduced = 0; reduced < 2; reduced++) {
        double worst[3] = {0};
        check_closed_form(reduced, worst);
        check_below(worst[FIRST], 1e-13);
        check_below(worst[MIXED], 1e-13);
        check_below(worst[SECOND], 1e-11);
    }
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

TEST_MAIN(cmocka_unit_test(derivatives_by_parameters_of_a_mechanism),
          cmocka_unit_test(derivatives_by_parameters_of_a_loop),
          cmocka_unit_test(derivatives_by_parameters_are_exact_to_rounding),
          cmocka_unit_test(parameters_that_cannot_be_variables_are_refused_by_name))
