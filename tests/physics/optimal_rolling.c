/* Optimal control of what rolls, with the steps of energy-momentum-2006: discs and balls in closed
 * form, wheels of one axle whose constraints depend on each other, and a ball that must turn
 * without rolling anywhere else, which no motion of its constraints of positions does. */
#include "optimal_task.h"

static void open_rolling(task *t, const char *text, int intervals)
{
    open_task(t, text);
    t->problem.scheme = "energy-momentum-2006";
    t->problem.transcription = "redundant";
    t->problem.intervals = intervals;
}

static void reach_point(task *t, const char *quantity, double x, double y)
{
    reach(t, quantity, x);
    reach(t, quantity, y);
    memcpy(t->conditions[t->problem.condition_count - 1].direction, (double[]){0, 1, 0},
           3 * sizeof(double));
}

/* A run with the same steps and controls ends in the same configuration. */
static void check_run(const task *t)
{
    olo_error error = {0};
    olo_resimulation again;
    check_ok(olo_optimum_resimulate(t->optimum, 1, &again, &error), &error);
    check_below(again.position, 1e-9);
    check_below(again.rotation, 1e-8);
}

/* A force rolls a disc over a distance d within a time T: 12 (m + C/r^2)^2 d^2/T^3. */
TEST(a_disc_rolls_as_a_mass_with_its_inertia)
{
    skip_without_solver();
    const double m = 2, C = 0.09, r = 0.3, d = 0.5, T = 1.5, M = m + C / (r * r),
                 exact = 12 * M * M * d * d / (T * T * T);
    double error[3];
    for (int i = 0; i < 3; i++) {
        task t;
        open_rolling(
            &t,
            "gravity: [0, 0, -9.81]\n"
            "bodies: {name: disc, mass: 2, inertia: [0.045, 0.09, 0.045], position: [0, 0, 0.3]}\n"
            "joints: {name: contact, type: rolling-disc, between: [ground, disc],\n"
            "         axis: [0, 1, 0], radius: 0.3}\n"
            "loads: {name: push, on: disc, force: [1, 0, 0]}\n"
            "outputs: {name: center, on: disc}\n",
            10 << i);
        control(&t, "push");
        reach(&t, "center.position", d);
        t.problem.duration = T;
        optimise(&t);
        check_run(&t);
        error[i] = fabs(olo_optimum_cost(t.optimum) - exact);
        close_task(&t);
    }
    check_close(2, log2(error[1] / error[2]), 0.05);
    check_below(error[2] / exact, 1e-3);
}

static const char ball[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies: {name: ball, mass: 2, inertia: [0.032, 0.032, 0.032], position: [0, 0, 0.2]}\n"
    "joints: {name: contact, type: rolling-ball, between: [ground, ball], normal: [0, 0, 1],\n"
    "         radius: 0.2}\n"
    "loads:\n"
    "  - {name: mx, on: ball, moment: [1, 0, 0]}\n"
    "  - {name: my, on: ball, moment: [0, 1, 0]}\n"
    "  - {name: mz, on: ball, moment: [0, 0, 1]}\n"
    "outputs: {name: center, on: ball}\n";

static void open_ball(task *t, double x, double y, int intervals)
{
    open_rolling(t, ball, intervals);
    control(t, "mx");
    control(t, "my");
    control(t, "mz");
    reach_point(t, "center.position", x, y);
}

/* Moments roll a ball straight: 12 (J + m r^2)^2 d^2/(r^2 T^3); with a free duration and the cost
 * w T the least sum is at T^4 = 36 (J + m r^2)^2 d^2/(r^2 w). */
TEST(a_ball_rolls_straight)
{
    skip_without_solver();
    const double r = 0.2, a = 0.032 + 2 * r * r, x = 0.1, y = 0.05,
                 factor = 12 * a * a * (x * x + y * y) / (r * r);
    double error[2][3];
    for (int i = 0; i < 3; i++) {
        task t;
        open_ball(&t, x, y, 10 << i);
        optimise(&t);
        check_true(t.certificate.minimum);
        check_run(&t);
        error[0][i] = fabs(olo_optimum_cost(t.optimum) - factor);
        close_task(&t);
        open_ball(&t, x, y, 10 << i);
        add_cost(&t, "duration")->weight = 0.2;
        t.problem.shortest = 0.3;
        t.problem.longest = 3;
        optimise(&t);
        check_true(t.certificate.minimum);
        error[1][i] = fabs(olo_optimum_duration(t.optimum) - pow(3 * factor / 0.2, 0.25));
        close_task(&t);
    }
    for (int k = 0; k < 2; k++) {
        check_close(2, log2(error[k][1] / error[k][2]), 0.05);
        check_below(error[k][2], 1e-3);
    }
}

/* The ball ends turned about the vertical alone: it rolls around a loop to get there. The cost is
 * of order 2, and the same in every direction of the plane; the energy changes by the work of the
 * moments alone, since friction at rest does none. */
static double turn_ball(double x, double y, int intervals)
{
    task t;
    olo_error error = {0};
    double farthest = 0, kinetic = 0, cost;
    open_ball(&t, x, y, intervals);
    olo_problem_condition *c = &t.conditions[t.problem.condition_count++];
    *c = olo_problem_condition_default();
    c->body = "ball";
    memcpy(c->rotation, (double[]){cos(0.3), -sin(0.3), 0, sin(0.3), cos(0.3), 0, 0, 0, 1},
           sizeof c->rotation);
    optimise(&t);
    check_true(t.certificate.minimum);
    check_run(&t);
    for (int k = 1; k <= intervals; k++) {
        olo_ledger ledger;
        const double *q = olo_optimum_configuration(t.optimum, k);
        check_ok(olo_optimum_get_state(t.optimum, k, t.s.state, &error), &error);
        olo_system_ledger(t.s.system, t.s.state, &ledger);
        kinetic = larger(kinetic, ledger.kinetic);
        farthest = larger(farthest, fabs(q[0] * y - q[1] * x) / hypot(x, y));
        check_close(0.2, q[2], 1e-9);
    }
    check_true(farthest > 0.02); /* from the straight way */
    check_true(kinetic > 0.01);
    cost = olo_optimum_cost(t.optimum);
    close_task(&t);
    return cost;
}

TEST(a_ball_turns_by_rolling_around)
{
    skip_without_solver();
    double cost[3];
    for (int i = 0; i < 3; i++)
        cost[i] = turn_ball(0.1, 0.05, 20 << i);
    check_close(4, (cost[0] - cost[1]) / (cost[1] - cost[2]), 0.3);
    check_relative(cost[0], turn_ball(-0.05, 0.1, 20), 1e-8);
}

/* Two wheels of one axle cannot slide along it: one of these constraints follows from the others.
 * Equal torques drive the car straight ahead, with the inertia of wheels and castor:
 * M = 5 + 2 + 0.5 + 2 0.02/0.2^2 + 0.0005/0.05^2 = 8.7, and 12 M^2 d^2/T^3 r^2/2. */
TEST(wheels_of_one_axle_have_a_redundant_constraint)
{
    skip_without_solver();
    const double exact = 12 * 8.7 * 8.7 * 0.15 * 0.15 / 8 * 0.04 / 2;
    double error[2];
    for (int i = 0; i < 2; i++) {
        task t;
        open_rolling(
            &t,
            "gravity: [0, 0, -9.81]\n"
            "bodies:\n"
            "  - {name: car, mass: 5, inertia: [0.2, 0.4, 0.5], position: [0, 0, 0.2],\n"
            "     center: [0.05, 0, 0.02]}\n"
            "  - {name: left, mass: 1, inertia: [0.01, 0.02, 0.01], position: [0, 0.3, 0.2]}\n"
            "  - {name: right, mass: 1, inertia: [0.01, 0.02, 0.01], position: [0, -0.3, 0.2]}\n"
            "  - {name: castor, mass: 0.5, inertia: [0.0005, 0.0005, 0.0005],\n"
            "     position: [0.4, 0, 0.05]}\n"
            "joints:\n"
            "  - {name: L, between: [car, left], at: [0, 0.3, 0.2], axis: [0, 1, 0], torque: 1}\n"
            "  - {name: R, between: [car, right], at: [0, -0.3, 0.2], axis: [0, 1, 0], torque: 1}\n"
            "  - {name: B, type: spherical, between: [car, castor], at: [0.4, 0, 0.05]}\n"
            "  - {name: l, type: rolling-disc, between: [ground, left], axis: [0, 1, 0],\n"
            "     radius: 0.2}\n"
            "  - {name: r, type: rolling-disc, between: [ground, right], axis: [0, 1, 0],\n"
            "     radius: 0.2}\n"
            "  - {name: b, type: rolling-ball, between: [ground, castor], normal: [0, 0, 1],\n"
            "     radius: 0.05}\n"
            "outputs: {name: center, on: car}\n",
            15 << i);
        control(&t, "L");
        control(&t, "R");
        reach(&t, "center.position", 0.15);
        t.problem.duration = 2;
        optimise(&t);
        check_run(&t);
        error[i] = fabs(olo_optimum_cost(t.optimum) - exact);
        for (int k = 0; k < t.problem.intervals; k++) {
            const double *u = olo_optimum_controls(t.optimum, k);
            check_close(u[0], u[1], 1e-8);
        }
        close_task(&t);
    }
    check_close(2, log2(error[0] / error[1]), 0.1);
    check_below(error[1] / exact, 3e-3);
}

TEST(rolling_with_variational_is_refused_by_name)
{
    task t;
    olo_error error = {0};
    open_task(&t, ball);
    control(&t, "mx");
    check_status(OLO_UNSUPPORTED, olo_problem_check(t.s.system, &t.problem, &error));
    check_contains("'contact' constrains velocities (rolling)", error.text);
    check_contains("energy-momentum-2006", error.text);
    close_task(&t);
}

TEST_MAIN(cmocka_unit_test(a_disc_rolls_as_a_mass_with_its_inertia),
          cmocka_unit_test(a_ball_rolls_straight), cmocka_unit_test(a_ball_turns_by_rolling_around),
          cmocka_unit_test(wheels_of_one_axle_have_a_redundant_constraint),
          cmocka_unit_test(rolling_with_variational_is_refused_by_name))
