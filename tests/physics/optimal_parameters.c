/* Parameters of a model as variables of optimal control, alone and with controls, against closed
 * forms. */
#include "scene.h"

#include "oloid/optimize.h"

static const double pi = 3.14159265358979323846;

typedef struct task {
    scene s;
    olo_problem problem;
    olo_problem_control control;
    olo_problem_parameter parameters[2];
    olo_problem_cost costs[3];
    olo_problem_condition condition;
    olo_optimum *optimum;
    olo_certificate certificate;
} task;

/* Ipopt is optional when the library is built. */
static void skip_without_solver(void)
{
    if (!olo_optimize_available())
        skip();
}

static void open_task(task *t, const char *text)
{
    *t = (task){.s = scene_open(text, NULL), .problem = olo_problem_default()};
    t->problem.parameters = t->parameters;
    t->problem.costs = t->costs;
    t->problem.variants = olo_model_variants(t->s.model);
    t->problem.transcription = "redundant";
}

static olo_problem_cost *cost(task *t, const char *type)
{
    olo_problem_cost *c = &t->costs[t->problem.cost_count++];
    *c = olo_problem_cost_default();
    c->type = type;
    return c;
}

static void vary(task *t, const char *name, double lower, double upper)
{
    olo_problem_parameter *p = &t->parameters[t->problem.parameter_count++];
    *p = olo_problem_parameter_default();
    p->name = name;
    p->lower = lower;
    p->upper = upper;
}

static void reach(task *t, const char *quantity, double value)
{
    t->condition = olo_problem_condition_default();
    t->condition.quantity = quantity;
    t->condition.value = value;
    t->problem.conditions = &t->condition;
    t->problem.condition_count = 1;
}

static void control(task *t, const char *name)
{
    t->control = olo_problem_control_default();
    t->control.name = name;
    t->problem.controls = &t->control;
    t->problem.control_count = 1;
}

static void optimise(task *t)
{
    olo_error error = {0};
    check_ok(olo_optimize(t->s.system, &t->problem, NULL, &t->optimum, &error), &error);
    check_text("an optimum was found", olo_optimum_explanation(t->optimum));
    check_ok(olo_optimum_certify(t->optimum, &t->certificate, &error), &error);
    check_below(t->certificate.violation, 1e-8);
    check_below(t->certificate.stationarity, 1e-8);
    check_below(t->certificate.complementarity, 1e-8);
    check_true(t->certificate.minimum);
}

static void close_task(task *t)
{
    olo_optimum_free(t->optimum);
    scene_close(&t->s);
}

/* An oscillator that starts at 1 at rest is at 0 after a quarter of its period: with the phase
 * angle phi of a step, tan(phi/2) = h sqrt(k/m)/2 and N phi = pi/2. */
TEST(stiffness_of_an_oscillator_for_a_given_period)
{
    skip_without_solver();
    static const char text[] =
        "parameters: {k: 1}\n"
        "bodies: {name: a, mass: 2, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
        "joints: {name: rail, type: prismatic, between: [ground, a], axis: [1, 0, 0]}\n"
        "springs: {name: s, between: [{at: [-3, 0, 0]}, a], stiffness: k, length: 3}\n"
        "outputs: {name: x, on: a}\n";
    task t;
    const int N = 20;
    const double T = 0.7, h = T / N;
    open_task(&t, text);
    vary(&t, "k", 0.1, 100);
    reach(&t, "x.position", 0);
    t.problem.end_velocity = "free";
    t.problem.intervals = N;
    t.problem.duration = T;
    optimise(&t);
    check_relative(2 * pow(2 / h * tan(pi / (4 * N)), 2), olo_optimum_parameter(t.optimum, 0),
                   1e-9);
    check_text("k", olo_optimum_parameter_name(t.optimum, 0));
    close_task(&t);
}

/* The length of a pendulum that swings from 2 rad to the lowest point in a given time: a quarter of
 * T = 4 sqrt(l/g) K(sin 1), with the complete elliptic integral K by the mean of Gauss. The initial
 * state depends on the length. The error is of order 2. */
TEST(length_of_a_pendulum_for_a_given_period)
{
    skip_without_solver();
    static const char text[] =
        "parameters: {l: 1}\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies: {name: bob, mass: 1, inertia: [0, 0, 0], position: [l*sin(2), 0, -l*cos(2)]}\n"
        "joints: {name: pivot, between: [ground, bob], at: [0, 0, 0], axis: [0, -1, 0]}\n"
        "outputs: {name: x, on: bob}\n";
    double a = 1, b = cos(1.0), off[2];
    for (int i = 0; i < 6; i++) {
        const double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    const double quarter = 0.6, exact = 9.81 * pow(quarter / (pi / (2 * a)), 2);
    for (int i = 0; i < 2; i++) {
        task t;
        open_task(&t, text);
        vary(&t, "l", 0.2, 5);
        reach(&t, "x.position", 0);
        t.problem.end_velocity = "free";
        t.problem.intervals = 40 << i;
        t.problem.duration = quarter;
        t.problem.guess = "run";
        optimise(&t);
        off[i] = olo_optimum_parameter(t.optimum, 0) - exact;
        check_relative(exact, olo_optimum_parameter(t.optimum, 0), 1e-3);
        close_task(&t);
    }
    check_relative(4, off[0] / off[1], 0.02);
}

/* A mass m that a force moves by 1 from rest to rest in a free time T, which costs
 *
 *     c m^2/T^3 + a T + w (m - m0)^2,   c = 12 N^2/(N^2 - 1):
 *
 * T^4 = 3 c m^2/a, so that the cost of the motion is 4/3 a T = b sqrt(m), and
 * b/(2 sqrt(m)) = 2 w (m0 - m). */
TEST(mass_force_and_duration_are_optimal_together)
{
    skip_without_solver();
    static const char text[] =
        "parameters: {m: 1}\n"
        "bodies: {name: a, mass: m, inertia: [1, 1, 1]}\n"
        "joints: {name: rail, type: prismatic, between: [ground, a], axis: [1, 0, 0], force: 1}\n";
    task t;
    const int N = 16;
    const double a = 5, w = 4, m0 = 3, c = 12.0 * N * N / (N * N - 1.0),
                 b = 4.0 / 3 * a * pow(3 * c / a, 0.25);
    double m = m0;
    olo_resimulation fine;
    olo_error error = {0};
    for (int i = 0; i < 60; i++)
        m = m0 - b / (4 * w * sqrt(m));
    open_task(&t, text);
    control(&t, "rail");
    vary(&t, "m", 0.1, 10);
    reach(&t, "rail.position", 1);
    cost(&t, "effort");
    cost(&t, "duration")->weight = a;
    olo_problem_cost *of = cost(&t, "parameter");
    of->parameter = "m";
    of->target = m0;
    of->square = true;
    of->weight = w;
    t.problem.intervals = N;
    t.problem.shortest = 0.1;
    t.problem.longest = 20;
    optimise(&t);
    const double T = pow(3 * c * m * m / a, 0.25);
    check_relative(m, olo_optimum_parameter(t.optimum, 0), 1e-8);
    check_relative(T, olo_optimum_duration(t.optimum), 1e-8);
    check_relative(b * sqrt(m) + w * (m - m0) * (m - m0), olo_optimum_cost(t.optimum), 1e-9);
    check_equal(3, olo_optimum_cost_part_count(t.optimum));
    check_relative(w * (m - m0) * (m - m0), olo_optimum_cost_part(t.optimum, 2), 1e-7);
    /* the optimum is that of the system with this mass */
    check_true(olo_optimum_system(t.optimum) != t.s.system);
    check_ok(olo_optimum_resimulate(t.optimum, 8, &fine, &error), &error);
    check_below(fine.position, 1e-9);
    close_task(&t);
}

/* Two masses m1 + m2 = M on two rails are moved by 1 and by 2 in time 1 with forces that cost their
 * squares: c m1^2 + 4 c m2^2 is least for m1 = 4/5 M. */
TEST(split_of_a_mass_between_two_sliders)
{
    skip_without_solver();
    static const char text[] =
        "parameters: {M: 5, m1: 2}\n"
        "bodies:\n"
        "  - {name: a, mass: m1, inertia: [1, 1, 1]}\n"
        "  - {name: b, mass: M - m1, inertia: [1, 1, 1]}\n"
        "joints:\n"
        "  - {name: r, type: prismatic, between: [ground, a], axis: [1, 0, 0], force: 1}\n"
        "  - {name: s, type: prismatic, between: [ground, b], axis: [1, 0, 0], force: 1}\n";
    task t;
    olo_problem_control controls[2];
    olo_problem_condition conditions[2];
    const int N = 10;
    open_task(&t, text);
    vary(&t, "m1", 0.1, 4.9);
    for (int i = 0; i < 2; i++) {
        controls[i] = olo_problem_control_default();
        controls[i].name = i ? "s" : "r";
        conditions[i] = olo_problem_condition_default();
        conditions[i].quantity = i ? "s.position" : "r.position";
        conditions[i].value = i ? 2 : 1;
    }
    t.problem.controls = controls;
    t.problem.control_count = 2;
    t.problem.conditions = conditions;
    t.problem.condition_count = 2;
    cost(&t, "effort");
    t.problem.intervals = N;
    optimise(&t);
    check_relative(4, olo_optimum_parameter(t.optimum, 0), 1e-8);
    check_relative(20 * 12.0 * N * N / (N * N - 1.0), olo_optimum_cost(t.optimum), 1e-9);
    close_task(&t);
}

TEST_MAIN(cmocka_unit_test(stiffness_of_an_oscillator_for_a_given_period),
          cmocka_unit_test(length_of_a_pendulum_for_a_given_period),
          cmocka_unit_test(mass_force_and_duration_are_optimal_together),
          cmocka_unit_test(split_of_a_mass_between_two_sliders))
