/* Optimal control with the mechanics of energy-momentum-2006: the same optimum as with variational
 * to second order, energy and momentum of it, and steps of a run that reproduce it. */
#include "optimal_task.h"

#include "oloid/feedback.h"

static void use_energy_momentum(task *t)
{
    t->problem.scheme = "energy-momentum-2006";
    t->problem.transcription = "redundant";
}

/* Rest to rest about an axis: 12 J^2 theta^2/T^3 */
TEST(a_turn_about_an_axis_converges_to_its_closed_form)
{
    skip_without_solver();
    const double J = 0.7, theta = 1.3, T = 2, exact = 12 * J * J * theta * theta / (T * T * T);
    double error[3];
    for (int i = 0; i < 3; i++) {
        task t;
        open_task(&t, "bodies: {name: a, mass: 1, inertia: [0.5, 0.6, 0.7]}\n"
                      "joints: {name: axle, between: [ground, a], axis: [0, 0, 1], torque: 1}\n");
        use_energy_momentum(&t);
        control(&t, "axle");
        reach(&t, "axle.angle", theta);
        t.problem.intervals = 20 << i;
        t.problem.duration = T;
        optimise(&t);
        check_true(t.certificate.minimum);
        error[i] = fabs(olo_optimum_cost(t.optimum) - exact);
        close_task(&t);
    }
    check_close(2, log2(error[1] / error[2]), 0.05);
    check_below(error[2] / exact, 2e-3);
}

static const char arm[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: upper, mass: 2, inertia: [0.03, 0.2, 0.2], position: [0.1, 0, -0.5]}\n"
    "  - {name: lower, mass: 1, inertia: [0.02, 0.1, 0.1], position: [0.2, 0.1, -1.4]}\n"
    "joints:\n"
    "  - {name: hip, between: [ground, upper], at: [0, 0, 0], axis: [0.3, 1, 0], torque: 1}\n"
    "  - {name: knee, between: [upper, lower], at: [0.1, 0, -1], axis: [0, 1, 0.2], torque: 1}\n"
    "springs: {name: s, between: [[0.6, 0.2, 0], lower], energy: 3*l^2 + cos(l)}\n";

static void solve_arm(task *t, bool energy_momentum, int intervals)
{
    open_task(t, arm);
    if (energy_momentum)
        use_energy_momentum(t);
    control(t, "knee");
    control(t, "hip");
    reach(t, "knee.angle", 0.9);
    reach(t, "lower.position", 0.5);
    t->problem.end_velocity = "free";
    t->problem.intervals = intervals;
    guess(t, "hip.angle", 0.16); /* the optimum that swings back first, of several */
    guess(t, "knee.angle", -1.2);
    optimise(t);
}

/* Costs of both schemes differ by order 2, and have the same limit. */
TEST(optima_of_both_schemes_have_the_same_limit)
{
    skip_without_solver();
    double cost[2][3];
    for (int scheme = 0; scheme < 2; scheme++)
        for (int i = 0; i < 3; i++) {
            task t;
            solve_arm(&t, scheme == 1, 24 << i);
            cost[scheme][i] = olo_optimum_cost(t.optimum);
            close_task(&t);
        }
    double limit[2];
    for (int scheme = 0; scheme < 2; scheme++) {
        const double *c = cost[scheme];
        check_close(2, log2((c[0] - c[1]) / (c[1] - c[2])), 0.1);
        limit[scheme] = (4 * c[2] - c[1]) / 3;
    }
    const double first = cost[1][0] - cost[0][0], last = cost[1][2] - cost[0][2];
    check_close(4, log2(first / last), 0.2);
    check_relative(limit[0], limit[1], 1e-5);
}

/* Without dampers the energy changes by the work of the controls alone, over each interval each
 * torque times the change of its angle. The velocities at the end are those of the scheme. A run
 * with the same steps and controls has the same motion. */
TEST(the_energy_changes_by_the_work_of_the_controls)
{
    enum { N = 16 };
    skip_without_solver();
    task t;
    olo_error error = {0};
    olo_resimulation again;
    double before = 0, angles[2] = {0};
    solve_arm(&t, true, N);
    for (int k = 0; k <= N; k++) {
        olo_ledger ledger;
        check_ok(olo_optimum_get_state(t.optimum, k, t.s.state, &error), &error);
        olo_system_ledger(t.s.system, t.s.state, &ledger);
        const double *now = t.s.state->angles; /* of the hip, then of the knee */
        if (k > 0) {
            const double *u = olo_optimum_controls(t.optimum, k - 1),
                         work = u[1] * (now[0] - angles[0]) + u[0] * (now[1] - angles[1]);
            check_close(work, ledger.total - before, 1e-10);
            check_true(fabs(work) > 1e-4);
        }
        before = ledger.total;
        memcpy(angles, now, sizeof angles);
    }
    check_ok(olo_optimum_resimulate(t.optimum, 1, &again, &error), &error);
    check_below(again.position, 1e-9);
    check_below(again.rotation, 1e-9);
    close_task(&t);
}

/* A body with three rotors turns without angular momentum at any node. */
TEST(momenta_that_no_control_changes_are_conserved)
{
    skip_without_solver();
    task t = {.s = scene_open("three-rotors", NULL)};
    t.problem = *olo_model_problem(t.s.model);
    t.problem.intervals = 20;
    use_energy_momentum(&t);
    optimise(&t);
    check_true(t.certificate.minimum);
    check_equal(6, t.certificate.conserved);
    check_below(t.certificate.momentum, 1e-9);
    close_task(&t);
}

/* A four-bar linkage of four hinges, whose rows are dependent: a torque turns the crank, which has
 * a rate at the end. */
TEST(loops_with_redundant_closures_have_the_same_limit)
{
    skip_without_solver();
    double limit[2], cost[2];
    for (int scheme = 0; scheme < 2; scheme++) {
        for (int i = 0; i < 2; i++) {
            task t;
            open_task(&t, FOUR_HINGES);
            if (scheme == 1)
                use_energy_momentum(&t);
            control(&t, "A");
            reach(&t, "A.angle", 0.8);
            reach(&t, "A.angle.rate", 1.5);
            t.problem.end_velocity = "free";
            t.problem.intervals = 20 << i;
            optimise(&t);
            cost[i] = olo_optimum_cost(t.optimum);
            close_task(&t);
        }
        limit[scheme] = (4 * cost[1] - cost[0]) / 3;
    }
    check_relative(limit[0], limit[1], 1e-4);
}

/* Springs and dampers on a joint beside a prescribed motion, a beam with damping, rods with frames
 * at vertices and with directors at edges: a run with the same steps and controls has the motion of
 * the optimum, whose cost approaches that of variational with more intervals. */
TEST(mechanisms_of_every_kind_move_as_a_run_does)
{
    skip_without_solver();
    static const char cart[] =
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: cart, mass: 1, inertia: [1, 1, 1]}\n"
        "  - {name: pole, mass: 0.5, inertia: [0.01, 0.01, 0.01], position: [0, 0, -0.5]}\n"
        "joints:\n"
        "  - {name: rail, type: prismatic, between: [ground, cart], axis: [1, 0, 0],\n"
        "     motion: 3*t^2 - 2*t^3}\n"
        "  - {name: hub, between: [cart, pole], at: [0, 0, 0], axis: [0, 1, 0], torque: 1,\n"
        "     stiffness: 3, damping: 0.4}\n";
    static const char beam[] =
        "beams: {name: arm, elements: 2, to: [1, 0, 0], stiffness: [60, 50, 70, 5, 4, 3],\n"
        "  inertia: [1, 0.1, 0.2]%s}\n"
        "joints:\n"
        "  - {name: hub, between: [ground, arm.start], axis: [0, 0, 1], torque: 1}\n";
    static const char *const keys[] = {", damping: 0.01", ", discretisation: vertices",
                                       ", discretisation: edges"};
    for (int i = 0; i < 4; i++) {
        char text[1000];
        double cost[2][2];
        if (i > 0)
            (void)snprintf(text, sizeof text, beam, keys[i - 1]);
        for (int k = 0; k < 4; k++) {
            const bool energy_momentum = k % 2;
            task t;
            olo_error error = {0};
            olo_resimulation again;
            open_task(&t, i > 0 ? text : cart);
            if (energy_momentum)
                use_energy_momentum(&t);
            control(&t, "hub");
            reach(&t, "hub.angle", 0.4);
            t.problem.end_velocity = "free";
            t.problem.intervals = 12 << k / 2;
            optimise(&t);
            check_true(t.certificate.minimum);
            check_ok(olo_optimum_resimulate(t.optimum, 1, &again, &error), &error);
            check_below(again.position, 1e-8);
            check_below(again.rotation, 1e-8);
            cost[k / 2][k % 2] = olo_optimum_cost(t.optimum);
            close_task(&t);
        }
        const double off = fabs(cost[0][1] - cost[0][0]), fine = fabs(cost[1][1] - cost[1][0]);
        print_message("%d: costs %.9g, schemes differ by %.2e and %.2e\n", i, cost[1][0], off,
                      fine);
        check_below(fine, 0.5 * off + 1e-9 * cost[1][0]);
    }
}

/* Gains along optima of both schemes differ by order 2. */
TEST(feedback_gains_are_those_of_the_scheme)
{
    skip_without_solver();
    double off[2];
    for (int i = 0; i < 2; i++) {
        const int N = 32 << i, middle = N / 2;
        olo_feedback *feedback[2];
        double difference = 0, size = 0;
        task t[2];
        for (int scheme = 0; scheme < 2; scheme++) {
            olo_error error = {0};
            solve_arm(&t[scheme], scheme == 1, N);
            check_ok(olo_feedback_create(t[scheme].optimum, NULL, &feedback[scheme], &error),
                     &error);
        }
        const double *a = olo_feedback_gains(feedback[0], middle, 0),
                     *b = olo_feedback_gains(feedback[1], middle, 0);
        for (int j = 0; j < 2 * t[0].s.system->n; j++) {
            difference = larger(difference, fabs(a[j] - b[j]));
            size = larger(size, fabs(a[j]));
        }
        off[i] = difference / size;
        for (int scheme = 0; scheme < 2; scheme++) {
            olo_feedback_free(feedback[scheme]);
            close_task(&t[scheme]);
        }
    }
    check_below(off[1], 5e-3);
    check_true(off[0] / off[1] > 3);
}

TEST(charts_and_other_schemes_are_refused)
{
    task t;
    olo_error error = {0};
    open_task(&t, arm);
    t.problem.scheme = "energy-momentum-2006";
    check_status(OLO_UNSUPPORTED, olo_problem_check(t.s.system, &t.problem, &error));
    check_contains("set transcription to redundant", error.text);
    t.problem.scheme = "energy-momentum";
    check_status(OLO_BAD_INPUT, olo_problem_check(t.s.system, &t.problem, &error));
    check_contains("take variational or energy-momentum-2006", error.text);
    close_task(&t);
}

TEST_MAIN(cmocka_unit_test(a_turn_about_an_axis_converges_to_its_closed_form),
          cmocka_unit_test(optima_of_both_schemes_have_the_same_limit),
          cmocka_unit_test(the_energy_changes_by_the_work_of_the_controls),
          cmocka_unit_test(momenta_that_no_control_changes_are_conserved),
          cmocka_unit_test(loops_with_redundant_closures_have_the_same_limit),
          cmocka_unit_test(mechanisms_of_every_kind_move_as_a_run_does),
          cmocka_unit_test(feedback_gains_are_those_of_the_scheme),
          cmocka_unit_test(charts_and_other_schemes_are_refused))
