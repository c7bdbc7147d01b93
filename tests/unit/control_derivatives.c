/* Derivatives of the programmes of optimal control, against differences of fourth order: gradient
 * of the objective, Jacobian and Hessian, of both transcriptions, for every measure as a condition
 * and as a cost at every location, for every action as a control, for rates, targets, a free
 * duration, and for every joint type; and the measures themselves. */
#include "programme.h"
#include "scene.h"

#include "control/constant_inputs.h"
#include "control/problem.h"
#include "control/reduced.h"
#include "control/redundant.h"
#include "kinematics/chart.h"
#include "kinematics/null_space_form.h"
#include "kinematics/topology.h"
#include "system/quantity.h"

enum { ENTRIES = 24, INTERVALS = 2 };

typedef struct bench {
    scene s;
    olo_problem problem;
    olo_problem_control controls[ENTRIES];
    olo_problem_cost costs[ENTRIES];
    olo_problem_condition conditions[ENTRIES];
    olo_control_problem *resolved;
    olo_redundant *redundant;
    olo_reduced *reduced;
    const olo_nlp *nlp;
    double *x; /* the point */
} bench;

static void open_bench(bench *b, const char *text)
{
    *b = (bench){.s = scene_open(text, NULL), .problem = olo_problem_default()};
    b->problem.controls = b->controls;
    b->problem.costs = b->costs;
    b->problem.conditions = b->conditions;
    b->problem.intervals = INTERVALS;
    b->problem.duration = 0.6;
    b->problem.grading = 1.7;
}

static olo_problem_control *control(bench *b, const char *name)
{
    olo_problem_control *c = &b->controls[b->problem.control_count++];
    *c = olo_problem_control_default();
    c->name = name;
    return c;
}

/* A quantity as a condition and as two costs, linear and squared, at a location. */
static void use(bench *b, const char *quantity, const char *at)
{
    olo_problem_condition *condition = &b->conditions[b->problem.condition_count++];
    *condition = olo_problem_condition_default();
    condition->quantity = quantity;
    condition->at = at;
    condition->lower = -1;
    condition->direction[1] = 0.5;
    condition->direction[2] = -0.7;
    for (int square = 0; square < 2; square++) {
        olo_problem_cost *cost = &b->costs[b->problem.cost_count++];
        *cost = olo_problem_cost_default();
        cost->type = at;
        cost->quantity = quantity;
        cost->weight = 0.3 + square;
        cost->target = 0.4;
        cost->square = square == 1;
        memcpy(cost->direction, condition->direction, sizeof cost->direction);
    }
}

/* A curved motion from the initial state as the guess. */
static void bend(const bench *b, double *q)
{
    const olo_system *s = b->s.system;
    const size_t n = (size_t)s->n;
    olo_error error = {0};
    olo_chart *chart;
    unsigned seed = 5;
    double u[64] = {0};
    check_ok(olo_chart_create(b->resolved->topology, b->s.state->q, &chart, &error), &error);
    for (int k = 0; k <= INTERVALS; k++) {
        memcpy(q + (size_t)k * n, olo_chart_at(chart, u), n * sizeof *q);
        for (int i = 0; i < b->resolved->topology->unknowns; i++)
            u[i] += 0.2 * programme_number(&seed);
    }
    olo_chart_free(chart);
}

static void transcribe(bench *b, bool reduced)
{
    const olo_system *s = b->s.system;
    olo_error error = {0};
    olo_problem_entry at;
    double *guess = calloc((size_t)((INTERVALS + 1) * s->n), sizeof *guess);
    b->problem.transcription = reduced ? "reduced" : "redundant";
    check_ok(olo_control_problem_create(s, &b->problem, &b->resolved, &at, &error), &error);
    bend(b, guess);
    check_ok(olo_redundant_create(b->resolved, b->s.state, guess, reduced, &b->redundant, &error),
             &error);
    b->nlp = olo_redundant_nlp(b->redundant);
    double *start = calloc((size_t)b->nlp->variables, sizeof *start);
    olo_redundant_start(b->redundant, start);
    if (reduced) {
        check_ok(olo_reduced_create(b->resolved, b->redundant, guess, &b->reduced, &error), &error);
        b->nlp = olo_reduced_nlp(b->reduced);
        b->x = calloc((size_t)b->nlp->variables, sizeof *b->x);
        olo_reduced_shrink(b->reduced, start, b->x);
    } else {
        b->x = calloc((size_t)b->nlp->variables, sizeof *b->x);
        memcpy(b->x, start, (size_t)b->nlp->variables * sizeof *b->x);
    }
    unsigned seed = 11;
    for (int i = 0; i < b->nlp->variables; i++)
        b->x[i] += 0.05 * programme_number(&seed);
    free(start);
    free(guess);
}

static void close_transcription(bench *b)
{
    free(b->x);
    olo_reduced_free(b->reduced);
    olo_redundant_free(b->redundant);
    olo_control_problem_free(b->resolved);
    b->reduced = NULL;
    b->redundant = NULL;
}

/* Both transcriptions, with a given and a free duration: from 1 without the first of these four,
 * from 2 with a free duration only; and energy-momentum, with a given and a free duration. */
static void check_from(bench *b, int first)
{
    for (int i = first; i < 6; i++) {
        const bool energy_momentum = i >= 4, free_duration = energy_momentum ? i == 5 : i >= 2;
        b->problem.scheme = energy_momentum ? "energy-momentum-2006" : "variational";
        b->problem.shortest = free_duration ? 0.1 : 0;
        b->problem.longest = free_duration ? 2 : 0;
        transcribe(b, !energy_momentum && i % 2);
        programme_check_derivatives(b->nlp, b->x);
        close_transcription(b);
    }
}

static void check_all(bench *b)
{
    check_from(b, 0);
}

static const char arm[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: upper, mass: 2, inertia: [0.3, 0.4, 0.2], center: [0.1, 0, 0.05]}\n"
    "  - {name: lower, mass: 1, inertia: [0.2, 0.1, 0.3], position: [0, 0.3, -1]}\n"
    "joints:\n"
    "  - {name: hip, between: [ground, upper], at: [0, 0, 0.2], axis: [0, 1, 0], torque: 1,\n"
    "     rate: 0.6}\n"
    "  - {name: knee, between: [upper, lower], at: [0, 0.1, -0.5], axis: [0, 1, 0.2], torque: 1}\n"
    "springs: {name: s, between: [upper, lower], stiffness: 3, damping: 0.2}\n"
    "outputs:\n"
    "  - {name: tip, on: {on: lower, at: [0.1, 0, -0.5]}}\n"
    "  - {name: eye, on: {on: upper, at: [0, 0.2, 0]}}\n";

static const char *const measures[] = {
    "hip.angle",
    "knee.angle.rate",
    "tip.position",
    "tip.velocity",
    "lower.momentum",
    "momentum",
    "upper.angular_momentum",
    "angular_momentum",
    "lower.angular_velocity",
    "distance(tip, eye)",
    "kinetic",
    "potential",
    "energy",
    "sin(hip.angle)*knee.angle.rate + tip.velocity.x^2/(2 + energy)",
};
enum { MEASURES = sizeof measures / sizeof *measures };

/* --- measures --- */

typedef struct matrix {
    const olo_quantity *m;
    double *values; /* [2 n x 2 n] */
    int n;
} matrix;

static void collect(void *context, olo_quantity_slot a, int i, olo_quantity_slot b, int j,
                    double value)
{
    const matrix *to = context;
    const int row = (int)a * to->n + to->m->index[i], column = (int)b * to->n + to->m->index[j];
    to->values[row * 2 * to->n + column] += value;
    if (a != b || i != j)
        to->values[column * 2 * to->n + row] += value;
}

/* Value and gradient over all coordinates and velocities. */
static double gradient_of(const olo_quantity *m, const double *x, double *g)
{
    const int n = m->system->n;
    double *gq = calloc((size_t)m->size * 2, sizeof *gq);
    const olo_quantity_at at = {.q = x, .v = x + n};
    const double value = olo_quantity_value(m, &at, gq, gq + m->size);
    memset(g, 0, 2 * (size_t)n * sizeof *g);
    for (int i = 0; i < m->size; i++) {
        g[m->index[i]] += gq[i];
        g[n + m->index[i]] += gq[m->size + i];
        check_true((m->uses_q || gq[i] == 0) && (m->uses_v || gq[m->size + i] == 0));
    }
    free(gq);
    return value;
}

TEST(measures_have_exact_first_and_second_derivatives)
{
    scene s = scene_open(arm, NULL);
    const int n = s.system->n;
    enum { MOST = 48 };
    double x[MOST], g[MOST], change[MOST], second[MOST * MOST];
    const double direction[3] = {1, 0.5, -0.7};
    check_true(2 * n <= MOST);
    for (int k = 0; k < MEASURES; k++) {
        olo_error error = {0};
        olo_pool pool = {0};
        olo_quantity m;
        unsigned seed = 9;
        memset(second, 0, sizeof second);
        check_ok(olo_quantity_find(s.system, measures[k], direction, &pool, &m, &error), &error);
        for (int i = 0; i < n; i++) {
            x[i] = s.state->q[i] + 0.1 * programme_number(&seed);
            x[n + i] = programme_number(&seed);
        }
        matrix to = {.m = &m, .values = second, .n = n};
        const olo_quantity_sink sink = {collect, &to};
        const olo_quantity_at at = {.q = x, .v = x + n};
        olo_quantity_second(&m, &at, 1.0, &sink);
        for (int i = 0; i < 2 * n; i++) {
            const double h = 1e-3, steps[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1},
                         old = x[i];
            double by = 0, row[MOST] = {0};
            for (int p = 0; p < 4; p++) {
                x[i] = old + h * steps[p];
                by += weight[p] * gradient_of(&m, x, change) / (12 * h);
                for (int j = 0; j < 2 * n; j++)
                    row[j] += weight[p] * change[j] / (12 * h);
            }
            x[i] = old;
            gradient_of(&m, x, g);
            programme_compare(measures[k], i, 1, &by, &g[i]);
            programme_compare(measures[k], i, 2 * n, row, second + (size_t)i * 2 * (size_t)n);
        }
        olo_quantity_free(&m);
        olo_pool_free(&pool);
    }
    scene_close(&s);
}

/* --- conditions and costs --- */

static void check_measure(const char *quantity, const char *at)
{
    bench b;
    open_bench(&b, arm);
    b.problem.end_velocity = "free";
    control(&b, "hip");
    use(&b, quantity, at);
    check_from(&b, 2);
    scene_close(&b.s);
}

TEST(conditions_and_costs_along_the_path_have_exact_derivatives)
{
    for (int k = 0; k < MEASURES; k++)
        check_measure(measures[k], "path");
}

TEST(conditions_and_costs_at_the_end_have_exact_derivatives)
{
    for (int k = 0; k < MEASURES; k++)
        check_measure(measures[k], "end");
}

TEST(conditions_and_costs_at_a_free_start_have_exact_derivatives)
{
    for (int k = 0; k < MEASURES; k++) {
        bench b;
        open_bench(&b, arm);
        b.problem.start_velocity = "free";
        b.problem.start_configuration = "free";
        b.problem.end_velocity = k % 2 ? "free" : "rest";
        control(&b, "hip");
        use(&b, measures[k], "start");
        if (k % 2)
            use(&b, "tip.velocity", "end");
        check_from(&b, k % 2 ? 0 : 2);
        scene_close(&b.s);
    }
}

TEST(rates_targets_and_orientations_have_exact_derivatives)
{
    bench b;
    open_bench(&b, arm);
    control(&b, "hip")->rate = 3;
    control(&b, "knee");
    use(&b, "knee.angle", "path");
    b.costs[1].target_over_time = "sin(3*t) + t^2";
    use(&b, "tip.velocity", "path");
    b.costs[3].target_over_time = "exp(t)";
    use(&b, "hip.angle", "end");
    b.costs[5].target_over_time = "cos(2*t)";
    olo_problem_condition *turned = &b.conditions[b.problem.condition_count++];
    *turned = olo_problem_condition_default();
    turned->body = "lower";
    check_all(&b);
    scene_close(&b.s);
}

/* --- actions --- */

TEST(every_action_has_exact_derivatives_as_a_control)
{
    static const char text[] =
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: a, mass: 2, inertia: [0.3, 0.4, 0.2]}\n"
        "  - {name: b, mass: 1, inertia: [0.2, 0.1, 0.3], position: [0, 0.3, -1]}\n"
        "joints:\n"
        "  - {name: slide, type: cylindrical, between: [a, b], at: [0, 0.3, -1], axis: [0, 0, 1],\n"
        "     torque: 1, force: 2, time: sin(t)}\n"
        "  - {name: servo, between: [ground, a], at: [0, 0, 1], axis: [1, 0, 0],\n"
        "     controller: {kp: 3, kd: 0.4}}\n"
        "loads:\n"
        "  - {name: push, on: {on: a, at: [0.1, 0.2, 0]}, force: [1, 2, 3]}\n"
        "  - {name: thrust, on: {on: b, at: [0.1, 0, 0.2]}, force: [1, 0, 3], frame: body}\n"
        "  - {name: twist, on: b, moment: [1, 2, 3]}\n"
        "  - {name: spin, on: a, moment: [3, 1, 2], frame: body}\n";
    static const char *const names[] = {"slide", "servo", "push", "thrust", "twist", "spin"};
    bench b;
    open_bench(&b, text);
    for (int i = 0; i < 6; i++)
        control(&b, names[i]);
    b.costs[0] = olo_problem_cost_default();
    b.problem.cost_count = 1;
    check_all(&b);
    scene_close(&b.s);
}

/* A torque within a joint of the tree is the reduced force along its coordinate; a force in space
 * on a slider is its component along the rail. Other loads depend on the configuration, and so does
 * a controller. */
TEST(constant_reduced_forces_are_found)
{
    static const char text[] =
        "bodies:\n"
        "  - {name: a, mass: 2, inertia: [0.3, 0.4, 0.2]}\n"
        "  - {name: b, mass: 1, inertia: [0.2, 0.1, 0.3], position: [1, 0, 0]}\n"
        "  - {name: c, mass: 1, inertia: [0.2, 0.1, 0.3], position: [0, 3, 0]}\n"
        "  - {name: d, mass: 1, inertia: [0.2, 0.1, 0.3], position: [2, 0, 0]}\n"
        "joints:\n"
        "  - {name: base, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], torque: 3}\n"
        "  - {name: arm, between: [a, b], at: [0.5, 0, 0], axis: [0, 1, 0], torque: 1}\n"
        "  - {name: servo, between: [b, d], at: [1.5, 0, 0], axis: [0, 0, 1],\n"
        "     controller: {kp: 3, kd: 0.4}}\n"
        "  - {name: rail, type: prismatic, between: [ground, c], axis: [0, 1, 0]}\n"
        "loads:\n"
        "  - {name: push, on: c, force: [2, 5, 3]}\n"
        "  - {name: pull, on: b, force: [1, 0, 0]}\n"
        "  - {name: twist, on: b, moment: [1, 0, 0]}\n";
    static const char *const names[] = {"base", "arm", "twist", "push", "pull", "servo"};
    static const double along[] = {3, 1, 0, 5, 0, 0}; /* 0: not constant */
    bench b;
    olo_error error = {0};
    olo_problem_entry at;
    bool constant[ENTRIES] = {false};
    double C[ENTRIES * 6] = {0};
    open_bench(&b, text);
    for (int i = 0; i < 6; i++)
        control(&b, names[i]);
    b.costs[0] = olo_problem_cost_default();
    b.problem.cost_count = 1;
    check_ok(olo_control_problem_create(b.s.system, &b.problem, &b.resolved, &at, &error), &error);
    check_ok(olo_constant_inputs_find(b.resolved, b.s.state->q, constant, C, &error), &error);
    for (int i = 0; i < b.s.system->action_count; i++)
        check_equal(along[b.resolved->control_of[i]] != 0, constant[i]);
    for (int c = 0; c < 6; c++) {
        double largest = 0, sum = 0;
        for (int i = 0; i < b.s.system->topology->unknowns; i++) {
            largest = larger(largest, fabs(C[i * 6 + c]));
            sum += fabs(C[i * 6 + c]);
        }
        check_close(along[c], largest, 1e-14);
        check_close(along[c], sum, 1e-14);
    }
    olo_control_problem_free(b.resolved);
    scene_close(&b.s);
}

/* --- joints --- */

TEST(every_joint_type_has_exact_derivatives)
{
    static const char *const types[] = {"spherical",
                                        "revolute",
                                        "cylindrical",
                                        "prismatic",
                                        "planar",
                                        "rigid",
                                        "point-on-line",
                                        "point-on-plane",
                                        "screw, pitch: 0.3",
                                        "universal, axis2: [1, 0, 0]",
                                        "distance"};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        char text[1000];
        bench b;
        (void)snprintf(text, sizeof text,
                       "gravity: [0, 0, -9.81]\n"
                       "bodies:\n"
                       "  - {name: a, mass: 2, inertia: [0.3, 0.4, 0.2]}\n"
                       "  - {name: b, mass: 1, inertia: [0.2, 0.1, 0.3], position: [0, 0, -1]}\n"
                       "joints:\n"
                       "  - {name: base, between: [ground, a], at: [0, 0, 1], axis: [0, 1, 0],\n"
                       "     torque: 1}\n"
                       "  - {name: j, type: %s, between: [{on: a, at: [0, 0, -0.4]}, {on: b, at: "
                       "[0, 0, %s]}],\n     axis: [0, 0, 1]}\n"
                       "loads: {name: push, on: {on: b, at: [0.1, 0.2, 0]}, force: [1, 2, 3]}\n",
                       types[i], strcmp(types[i], "distance") == 0 ? "0.2" : "0.6");
        open_bench(&b, text);
        control(&b, "base");
        control(&b, "push");
        b.costs[0] = olo_problem_cost_default();
        b.problem.cost_count = 1;
        b.problem.end_velocity = "free";
        use(&b, "b.velocity", "end");
        check_all(&b);
        scene_close(&b.s);
    }
}

/* --- terms --- */

/* Springs and dampers of every kind, forces as expressions. */
TEST(springs_and_dampers_have_exact_derivatives)
{
    static const char chain[] =
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: a, mass: 2, inertia: [0.3, 0.4, 0.2]}\n"
        "  - {name: b, mass: 1, inertia: [0.2, 0.1, 0.3], position: [0, 0, -1]}\n"
        "joints:\n"
        "  - {name: base, between: [ground, a], at: [0, 0, 1], axis: [0, 1, 0], torque: 1}\n";
    static const char *const terms[] = {
        "  - {name: j, between: [a, b], at: [0, 0, -0.4], axis: [0, 1, 0.3], stiffness: 3,\n"
        "     damping: 0.4}\n"
        "springs:\n"
        "  - {name: s1, between: [[0.3, 0, 0], {on: b, at: [0.1, 0, 0]}], stiffness: 3, length: "
        "0.4,\n"
        "     damping: 0.2}\n"
        "  - {name: s2, type: linear, between: [a, b], stiffness: 2, offset: [0.1, 0.2, 0],\n"
        "     damping: 0.3}\n"
        "  - {name: s3, between: [[0.3, 0.5, 0], b], energy: l^4/4 - cos(l)}\n"
        "  - {name: s4, along: j.angle, stiffness: 5, length: 0.3}\n",
        "  - {name: j, between: [a, b], at: [0, 0, -0.4], axis: [0, 1, 0.3]}\n"
        "springs: {name: s5, between: [[0.3, 0.5, 0], b], force: 2*l^3 + v*sqrt(1 + v^2) + "
        "sin(3*t)}\n"
        "dampers:\n"
        "  - {name: d1, between: [[0.3, 0, 0], b], damping: 0.7}\n"
        "  - {name: d2, type: linear, between: [a, b], damping: 0.3}\n"
        "  - {name: d3, along: j.angle, damping: 0.4}\n"
        "  - {name: d4, along: base.angle, force: 0.3*v^3 + l}\n"};
    for (int i = 0; i < 2; i++) {
        char text[2000];
        bench b;
        (void)snprintf(text, sizeof text, "%s%s", chain, terms[i]);
        open_bench(&b, text);
        control(&b, "base");
        b.problem.end_velocity = "free";
        use(&b, "b.velocity", "end");
        check_all(&b);
        scene_close(&b.s);
    }
}

TEST(minimal_coordinates_have_exact_derivatives)
{
    bench b;
    open_bench(&b, "coordinates: {names: [x, y], values: [0.3, 0.2], mass: [2, 3],\n"
                   "              energy: sin(x*y) + x^4, forces: [1, 0]}\n");
    control(&b, "x");
    b.costs[0] = olo_problem_cost_default();
    b.problem.cost_count = 1;
    b.problem.end_velocity = "free";
    use(&b, "x", "end");
    check_all(&b);
    scene_close(&b.s);
}

/* Loops: rows of joints, of a rod, and of a relation between coordinates have multipliers in the
 * reduced transcription; those of the tree have not. */
TEST(closures_of_loops_have_exact_derivatives)
{
    static const char text[] =
        "gravity: [0, -9.81, 0]\n"
        "bodies:\n"
        "  - {name: crank, mass: 1, inertia: [0.1, 0.2, 0.2], position: [0, 0.5, 0]}\n"
        "  - {name: coupler, mass: 2, inertia: [0.2, 0.3, 0.3], position: [1, 1, 0]}\n"
        "  - {name: rocker, mass: 1, inertia: [0.1, 0.2, 0.2], position: [2, 0.5, 0]}\n"
        "joints:\n"
        "  - {name: A, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1], torque: 1}\n"
        "  - {name: B, type: spherical, between: [crank, coupler], at: [0, 1, 0]}\n"
        "  - {name: C, type: universal, between: [coupler, rocker], at: [2, 1, 0],\n"
        "     axis: [0, 0, 1], axis2: [0, 1, 0]}\n"
        "  - {name: D, between: [ground, rocker], at: [2, 0, 0], axis: [0, 0, 1], torque: 1}\n"
        "rods: {name: strut, between: [crank, rocker]}\n";
    bench b;
    open_bench(&b, text);
    control(&b, "A");
    control(&b, "D");
    b.problem.end_velocity = "free";
    use(&b, "coupler.velocity", "end");
    check_from(&b, 1);
    b.problem.start_velocity = b.problem.start_configuration = "free";
    use(&b, "coupler.velocity", "start");
    check_from(&b, 2);
    scene_close(&b.s);
}

/* Mechanisms beyond bodies and joints, and rows that depend on time: beams of both
 * discretisations, points and rods, springs, dampers and stops on joints, prescribed motions with a
 * given and a free duration, gears with several turns. */
static void check_mechanism(const char *text, const char *driven, const char *quantity)
{
    bench b;
    open_bench(&b, text);
    control(&b, driven);
    b.problem.end_velocity = "free";
    use(&b, quantity, "end");
    b.problem.cost_count = 1;
    check_all(&b);
    scene_close(&b.s);
}

#define BEAM(PLANE, DISCRETISATION)                                                                \
    PLANE                                                                                          \
    "beams: {name: arm, discretisation: " DISCRETISATION ", elements: 2, to: [1, 0, 0],\n"         \
    "  stiffness: [6, 5, 7, 0.5, 0.4, 0.3], inertia: [1, 0.1, 0.2]}\n"                             \
    "joints: {name: hub, between: [ground, arm.start], axis: [0, 0, 1], torque: 1}\n"              \
    "outputs: {name: tip, on: arm.end}\n"

TEST(beams_have_exact_derivatives)
{
    check_mechanism(BEAM("plane: xy\n", "elements"), "hub", "tip.velocity");
}

TEST(rods_with_frames_at_vertices_have_exact_derivatives)
{
    check_mechanism(BEAM("plane: xy\n", "vertices"), "hub", "tip.velocity");
}

TEST(rods_with_triads_at_edges_have_exact_derivatives)
{
    check_mechanism(BEAM("", "edges"), "hub", "tip.velocity");
}

TEST(points_and_massless_rods_have_exact_derivatives)
{
    check_mechanism("points:\n"
                    "  - {name: p, mass: 1, position: [0, 0, 0]}\n"
                    "  - {name: r, mass: 2, position: [1, 0, 0.2]}\n"
                    "  - {name: s, mass: 2, position: [2, 1, 0]}\n"
                    "rods: {name: strut, between: [p, r]}\n"
                    "springs: {name: pull, between: [p, s], stiffness: 4, length: 0.5}\n"
                    "loads: {name: f, on: p, force: [1, 2, 0]}\n",
                    "f", "s.velocity");
}

TEST(forces_along_joints_have_exact_derivatives)
{
    check_mechanism("gravity: [0, -9.81, 0]\n"
                    "bodies:\n"
                    "  - {name: a, mass: 1, inertia: [0.1, 0.2, 0.2], position: [0.5, 0, 0]}\n"
                    "joints: {name: j, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1],\n"
                    "  torque: 1, upper: -0.3, stop_stiffness: 10, stiffness: 2, damping: 0.3}\n"
                    "springs: {name: s, along: j, stiffness: 5}\n"
                    "dampers: {name: d, along: j, force: 0.3*v^3}\n",
                    "j", "a.velocity");
}

/* A prescribed motion at the base, another that closes a loop, a gear. */
TEST(rows_that_depend_on_time_have_exact_derivatives)
{
    check_mechanism("gravity: [0, -9.81, 0]\n"
                    "bodies:\n"
                    "  - {name: a, mass: 1, inertia: [0.1, 0.2, 0.2], position: [0.5, 0, 0]}\n"
                    "  - {name: b, mass: 2, inertia: [0.1, 0.3, 0.2], position: [1.5, 0, 0]}\n"
                    "  - {name: c, mass: 2, inertia: [0.1, 0.3, 0.2], position: [0, 2, 0]}\n"
                    "joints:\n"
                    "  - {name: k, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1],\n"
                    "     motion: 0.3*sin(2*t) + t^3}\n"
                    "  - {name: j, between: [a, b], at: [1, 0, 0], axis: [0, 0, 1], torque: 1}\n"
                    "  - {name: g, between: [ground, c], at: [0, 2, 0], axis: [0, 0, 1]}\n"
                    "relations: {name: gear, coordinate: g, follows: j, ratio: -3}\n",
                    "j", "b.velocity");
}

/* Discs and balls that roll, with the momenta at both ends, and beside a hinge. */
TEST(rolling_has_exact_derivatives)
{
    static const char *const joints[] = {"rolling-disc, axis: [0.1, 1, 0.3], radius: 0.4",
                                         "rolling-ball, normal: [0, 0, 1], radius: 0.4"};
    for (int i = 0; i < 2; i++) {
        char text[1000];
        bench b;
        (void)snprintf(
            text, sizeof text,
            "gravity: [0, 0, -9.81]\n"
            "bodies:\n"
            "  - {name: wheel, mass: 2, inertia: [0.3, 0.4, 0.2], center: [0.1, 0, 0],\n"
            "     position: [0, 0, 0.4]}\n"
            "  - {name: rider, mass: 1, inertia: [0.1, 0.2, 0.3], position: [0, 0, 1]}\n"
            "joints:\n"
            "  - {name: contact, between: [ground, wheel], type: %s}\n"
            "  - {name: hub, between: [wheel, rider], at: [0, 0, 0.4], axis: [0, 1, 0],\n"
            "     torque: 1}\n"
            "loads: {name: push, on: wheel, force: [1, 0.4, 0]}\n",
            joints[i]);
        open_bench(&b, text);
        control(&b, "hub");
        control(&b, "push");
        b.costs[0] = olo_problem_cost_default();
        b.problem.cost_count = 1;
        check_from(&b, 4);
        b.problem.start_velocity = b.problem.start_configuration = "free";
        b.problem.end_velocity = "free";
        use(&b, "rider.velocity", "start");
        use(&b, "rider.velocity", "end");
        check_from(&b, 4);
        scene_close(&b.s);
    }
}

TEST_MAIN(cmocka_unit_test(measures_have_exact_first_and_second_derivatives),
          cmocka_unit_test(conditions_and_costs_along_the_path_have_exact_derivatives),
          cmocka_unit_test(conditions_and_costs_at_the_end_have_exact_derivatives),
          cmocka_unit_test(conditions_and_costs_at_a_free_start_have_exact_derivatives),
          cmocka_unit_test(rates_targets_and_orientations_have_exact_derivatives),
          cmocka_unit_test(every_action_has_exact_derivatives_as_a_control),
          cmocka_unit_test(springs_and_dampers_have_exact_derivatives),
          cmocka_unit_test(minimal_coordinates_have_exact_derivatives),
          cmocka_unit_test(constant_reduced_forces_are_found),
          cmocka_unit_test(every_joint_type_has_exact_derivatives),
          cmocka_unit_test(closures_of_loops_have_exact_derivatives),
          cmocka_unit_test(beams_have_exact_derivatives),
          cmocka_unit_test(rods_with_frames_at_vertices_have_exact_derivatives),
          cmocka_unit_test(rods_with_triads_at_edges_have_exact_derivatives),
          cmocka_unit_test(points_and_massless_rods_have_exact_derivatives),
          cmocka_unit_test(forces_along_joints_have_exact_derivatives),
          cmocka_unit_test(rows_that_depend_on_time_have_exact_derivatives),
          cmocka_unit_test(rolling_has_exact_derivatives))
