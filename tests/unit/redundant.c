/* The transcriptions of problems of optimal control, redundant and reduced: the Jacobian of all
 * rows and the Hessian of the Lagrangian against differences of values and of gradients, for every
 * kind of action, joint, condition and cost, with given and free duration; positions are unique per
 * block and the Hessian is in the lower triangle. */
#include "programme.h"
#include "scene.h"

#include "control/guess.h"
#include "control/reduced.h"

/* All kinds of joints, loads and drives in a tree. */
static const char machine[] =
    "name: machine\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: a, mass: 1, inertia: [0.2, 0.3, 0.4], center: [0.1, 0.2, 0], position: [0.2, 0, "
    "0]}\n"
    "  - {name: b, mass: 2, inertia: [0.1, 0.3, 0.2], position: [1, 0, 0]}\n"
    "  - {name: c, mass: 1, inertia: [0.1, 0.1, 0.1], position: [2, 0, 0]}\n"
    "  - {name: d, mass: 1, inertia: [0.1, 0.1, 0.1], position: [2, 1, 0]}\n"
    "points:\n"
    "  - {name: p, mass: 1, position: [3, 0, 0]}\n"
    "joints:\n"
    "  - {name: A, type: revolute, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0], torque: "
    "1}\n"
    "  - {name: B, type: spherical, between: [a, b], at: [0.5, 0, 0]}\n"
    "  - {name: C, type: prismatic, between: [b, c], at: [1.5, 0, 0], axis: [0, 1, 0], force: 2,\n"
    "     stiffness: 3, damping: 0.2}\n"
    "  - {name: D, type: universal, between: [b, d], at: [1.5, 0.5, 0], axis: [0, 1, 0],\n"
    "     axis2: [1, 0, 0]}\n"
    "rods: {name: stick, between: [{on: c, at: [0.2, 0, 0]}, p]}\n"
    "springs: {name: coil, between: [[1, 0, 0.5], {on: b, at: [0.1, 0, 0.1]}], stiffness: 3, "
    "length: 0.2}\n"
    "outputs: {name: tip, on: {on: d, at: [0.1, 0.2, 0.3]}}\n"
    "loads:\n"
    "  - {name: one, on: {on: b, at: [0.3, -0.2, 0.5]}, force: [3, -2, 5]}\n"
    "  - {name: two, on: {on: b, at: [0.3, -0.2, 0.5]}, force: [3, -2, 5], frame: body}\n"
    "  - {name: three, on: b, moment: [3, -2, 5]}\n"
    "  - {name: four, on: d, moment: [3, -2, 5], frame: body}\n"
    "  - {name: five, on: d, moment: [3, -2, 5], time: sin(3*t)}\n"
    "run: {scheme: variational}\n";

static const char robot[] =
    "name: robot\n"
    "bodies:\n"
    "  - {name: a, mass: 1, inertia: [0.2, 0.3, 0.4]}\n"
    "  - {name: b, mass: 2, inertia: [0.1, 0.3, 0.2], position: [1, 0, 0]}\n"
    "  - {name: c, mass: 1, inertia: [0.1, 0.1, 0.1], position: [2, 0, 0]}\n"
    "joints:\n"
    "  - {name: A, type: cylindrical, between: [a, b], at: [0.5, 0, 0], axis: [1, 0, 0]}\n"
    "  - {name: B, type: revolute, between: [b, c], at: [1.5, 0, 0], axis: [0, 1, 0],\n"
    "     controller: {target: 0, kp: 5, kd: 0.3}}\n"
    "loads: {name: push, on: a, force: [1, 2, 3], frame: body}\n"
    "run: {scheme: variational}\n";

typedef struct trial {
    scene s;
    olo_control_problem *problem;
    olo_redundant *transcription;
    const olo_nlp *nlp;
    double *x;
} trial;

enum { COSTS = 4, CONDITIONS = 3 };

static trial open_trial(const char *text, const char *const *controls, int count, bool open,
                        const char *coordinate, const char *body)
{
    trial t = {.s = scene_open(text, NULL)};
    olo_error error = {0};
    olo_problem problem = olo_problem_default();
    olo_problem_control control[8];
    olo_problem_cost cost[COSTS];
    olo_problem_condition condition[CONDITIONS];
    for (int i = 0; i < count; i++) {
        control[i] = olo_problem_control_default();
        control[i].name = controls[i];
        control[i].guess = 0.3 + 0.1 * i;
    }
    for (int i = 0; i < COSTS; i++) {
        cost[i] = olo_problem_cost_default();
        cost[i].weight = 0.7 + i;
        cost[i].target = 0.2;
        cost[i].quantity = coordinate;
    }
    cost[1].type = "duration";
    cost[2].type = "path";
    cost[2].square = true;
    cost[3].type = "end";
    for (int i = 0; i < CONDITIONS; i++) {
        condition[i] = olo_problem_condition_default();
        condition[i].quantity = coordinate;
        condition[i].value = 0.4;
    }
    condition[0].at = "path";
    condition[0].value = NAN;
    condition[0].lower = 0.1;
    condition[0].upper = 2;
    condition[2].quantity = NULL;
    condition[2].body = body;
    memcpy(condition[2].rotation, (double[]){0, -1, 0, 1, 0, 0, 0, 0, 1}, 9 * sizeof(double));
    problem.controls = control;
    problem.control_count = count;
    problem.costs = cost;
    problem.cost_count = COSTS;
    problem.conditions = condition;
    problem.condition_count = CONDITIONS;
    problem.intervals = 3;
    problem.duration = 0.6;
    problem.shortest = open ? 0.1 : 0;
    problem.longest = open ? 2 : 0;
    olo_problem_entry at;
    check_ok(olo_control_problem_create(t.s.system, &problem, &t.problem, &at, &error), &error);
    double *guess = calloc((size_t)(4 * t.s.system->n), sizeof *guess);
    check_ok(olo_guess_motion(t.problem, t.s.state, guess, &error), &error);
    check_ok(olo_redundant_create(t.problem, t.s.state, guess, false, &t.transcription, &error),
             &error);
    t.nlp = olo_redundant_nlp(t.transcription);
    t.x = calloc((size_t)t.nlp->variables, sizeof *t.x);
    olo_redundant_start(t.transcription, t.x);
    free(guess);
    return t;
}

static void close_trial(trial *t)
{
    free(t->x);
    olo_redundant_free(t->transcription);
    olo_control_problem_free(t->problem);
    scene_close(&t->s);
}

/* A point near the guess, with multipliers. */
static void disturb(trial *t, unsigned long long *seed)
{
    for (int i = 0; i < t->nlp->variables; i++)
        t->x[i] += 0.05 * scene_random(seed);
}

/* The same for the reduced transcription, around another reference. */
static void check_reduced(trial *t, unsigned long long *seed)
{
    olo_error error = {0};
    const int n = t->s.system->n;
    olo_redundant *under = NULL;
    olo_reduced *reduced = NULL;
    double *full = t->x, *reference = calloc((size_t)(4 * n), sizeof *reference);
    check_ok(olo_guess_motion(t->problem, t->s.state, reference, &error), &error);
    check_ok(olo_redundant_create(t->problem, t->s.state, reference, true, &under, &error), &error);
    check_ok(olo_reduced_create(t->problem, under, reference, &reduced, &error), &error);
    double *start = calloc((size_t)olo_redundant_nlp(under)->variables, sizeof *start);
    olo_redundant_start(under, start);
    t->nlp = olo_reduced_nlp(reduced);
    t->x = calloc((size_t)t->nlp->variables, sizeof *t->x);
    olo_reduced_shrink(reduced, start, t->x);
    free(start);
    disturb(t, seed);
    programme_check_derivatives(t->nlp, t->x);
    free(t->x);
    free(reference);
    t->x = full;
    olo_reduced_free(reduced);
    olo_redundant_free(under);
}

static void check_all(const char *text, const char *const *controls, int count,
                      const char *coordinate, const char *body)
{
    unsigned long long seed = 3;
    for (int k = 0; k < 2; k++) {
        trial t = open_trial(text, controls, count, k == 1, coordinate, body);
        disturb(&t, &seed);
        programme_check_derivatives(t.nlp, t.x);
        check_reduced(&t, &seed);
        close_trial(&t);
    }
}

TEST(all_rows_and_costs_have_exact_derivatives)
{
    static const char *const machine_controls[] = {"A", "C", "one", "two", "three", "four"};
    static const char *const robot_controls[] = {"B", "push"};
    check_all(machine, machine_controls, 6, "A.angle", "b");
    check_all(robot, robot_controls, 2, "B.angle", "a");
}

TEST_MAIN(cmocka_unit_test(all_rows_and_costs_have_exact_derivatives))
