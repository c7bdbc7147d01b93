/* Problems that begin at a later state, as a receding horizon does: the remainder of an optimum is
 * the optimum of the remaining problem (Bellman's principle of optimality, exact in discrete time,
 * too), whose forces, prescribed motions and targets over time continue, and whose joint angles
 * continue with their turns. */
#include "optimal_task.h"

enum { N = 20, PAST = 12 };

/* A pole on a cart with a prescribed motion, in a wind, shall lean as its cost says. */
static const char cart[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: cart, mass: 1, inertia: [1, 1, 1]}\n"
    "  - {name: pole, mass: 0.5, inertia: [0.01, 0.01, 0.01], position: [0, 0, -0.5]}\n"
    "joints:\n"
    "  - {name: rail, type: prismatic, between: [ground, cart], axis: [1, 0, 0],\n"
    "     motion: 3*t^2 - 2*t^3}\n"
    "  - {name: hinge, between: [cart, pole], at: [0, 0, 0], axis: [0, 1, 0], torque: 1}\n"
    "loads: {name: wind, on: pole, force: [1, 0, 0], time: sin(4*t)}\n";

static void open_cart(task *t, const task_method *by)
{
    open_task(t, cart);
    control(t, "hinge");
    reach(t, "hinge.angle", 0.5);
    olo_problem_cost *lean = add_cost(t, "path");
    lean->quantity = "hinge.angle";
    lean->target_over_time = "t^2 - 0.3*t";
    lean->square = true;
    lean->weight = 20;
    t->problem.transcription = by->transcription;
    t->problem.scheme = by->scheme;
    t->problem.intervals = N;
}

/* More than half a turn about a hinge, also before node PAST. */
static void open_hinge(task *t, const task_method *by)
{
    open_task(t, "bodies: {name: a, mass: 1, inertia: [0.5, 0.6, 0.7], position: [0.3, 0, 0]}\n"
                 "gravity: [0, -2, 0]\n"
                 "joints: {name: axle, between: [ground, a], at: [0, 0, 0], axis: [0, 0, 1],\n"
                 "         torque: 1}\n");
    control(t, "axle");
    reach(t, "axle.angle", 7);
    t->problem.transcription = by->transcription;
    t->problem.scheme = by->scheme;
    t->problem.intervals = N;
}

/* Solves the problem of what remains at node PAST from the motion and the multipliers, shifted. */
static void check_remainder(const task *whole, task *rest)
{
    const double h = olo_optimum_duration(whole->optimum) / N;
    olo_error error = {0};
    olo_resimulation fine;
    olo_state *later;
    check_ok(olo_state_clone(rest->s.state, &later, &error), &error);
    check_ok(olo_optimum_get_state(whole->optimum, PAST, later, &error), &error);
    check_close(PAST * h, later->t, 1e-14);
    rest->problem.intervals = N - PAST;
    rest->problem.duration = (N - PAST) * h;
    rest->problem.initial = later;
    rest->problem.start = whole->optimum;
    rest->problem.warm = true;
    rest->problem.shift = PAST * h;
    optimise(rest);
    check_true(olo_optimum_iterations(rest->optimum) <= 5);
    for (int k = PAST; k <= N; k++) {
        for (int i = 0; i < whole->s.system->n; i++)
            check_close(olo_optimum_configuration(whole->optimum, k)[i],
                        olo_optimum_configuration(rest->optimum, k - PAST)[i], 1e-7);
        if (k < N)
            check_close(olo_optimum_controls(whole->optimum, k)[0],
                        olo_optimum_controls(rest->optimum, k - PAST)[0], 1e-6);
    }
    check_below(rest->certificate.linear_balance, 1e-9);
    check_below(rest->certificate.angular_balance, 1e-9);
    /* a run from there with the same steps and controls */
    check_ok(olo_optimum_resimulate(rest->optimum, 1, &fine, &error), &error);
    check_below(fine.position, 1e-8);
    check_below(fine.rotation, 1e-8);
    check_ok(olo_optimum_get_state(rest->optimum, N - PAST, later, &error), &error);
    check_close(1, later->t, 1e-12);
    olo_state_free(later);
}

static void check_principle(void (*open)(task *, const task_method *))
{
    skip_without_solver();
    for (int i = 0; i < TASK_METHODS; i++) {
        task whole, rest;
        open(&whole, &task_methods[i]);
        open(&rest, &task_methods[i]);
        optimise(&whole);
        check_remainder(&whole, &rest);
        close_task(&rest);
        close_task(&whole);
    }
}

TEST(the_remainder_of_an_optimum_is_optimal)
{
    check_principle(open_cart);
}

TEST(joint_angles_continue_with_their_turns)
{
    check_principle(open_hinge);
}

TEST(parameters_and_another_start_exclude_each_other)
{
    skip_without_solver();
    task t;
    olo_error error = {0};
    open_task(&t, "parameters: {m: 1}\n"
                  "bodies: {name: a, mass: m, inertia: [1, 1, 1]}\n"
                  "joints: {name: r, type: prismatic, between: [ground, a], axis: [1, 0, 0],\n"
                  "         force: 1}\n");
    control(&t, "r");
    reach(&t, "r.position", 1);
    vary(&t, "m", 0.1, 2);
    t.problem.initial = t.s.state;
    check_status(OLO_UNSUPPORTED, olo_optimize(t.s.system, &t.problem, NULL, &t.optimum, &error));
    check_contains("with parameters as variables", error.text);
    close_task(&t);
}

TEST_MAIN(cmocka_unit_test(the_remainder_of_an_optimum_is_optimal),
          cmocka_unit_test(joint_angles_continue_with_their_turns),
          cmocka_unit_test(parameters_and_another_start_exclude_each_other))
