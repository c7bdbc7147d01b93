/* Convergence of paths, velocities and actions as the step tends to zero, and stationary points of
 * the discrete action that do not converge to one of the continuous action (variational sheet,
 * 2.12: G1 to G5; F16). */
#include "base/initialised.h"
#include "linalg/vec3.h"
#include "study/discrete_action.h"
#include "trajectory.h"

static const char CIRCLE[] =
    "name: circle\n"
    "points: {name: bob, mass: 1, position: [1, 0, 0], velocity: [0, 1, 0]}\n"
    "rods: {name: rod, between: [[0, 0, 0], bob]}\n";

/* A path of given angles on the unit circle. */
static trajectory path_of(double (*angle)(int i, double h), double h, int steps)
{
    trajectory x = {.s = variational_open(CIRCLE, "reduced"), .n = 3, .steps = steps, .h = h};
    x.q = calloc((size_t)(steps + 1) * 3, sizeof *x.q);
    for (int i = 0; i <= steps; i++) {
        x.q[3 * i] = cos(angle(i, h));
        x.q[3 * i + 1] = sin(angle(i, h));
    }
    return x;
}

/* The action as the observer of studies sums it. */
static double observed_action(trajectory *x, double *fastest)
{
    olo_discrete_action path;
    olo_error error = {0};
    check_true(olo_discrete_action_open(&path, x->s.system));
    olo_observer observer = olo_discrete_action_observer(&path);
    for (int i = 0; i <= x->steps; i++) {
        memcpy(x->s.state->q, trajectory_at(x, i), 3 * sizeof *x->q);
        x->s.state->span = x->h;
        check_ok(observer.step(observer.context, x->s.system, x->s.state, i, NULL, &error), &error);
    }
    double action = path.action;
    *fastest = path.fastest;
    olo_discrete_action_close(&path);
    return action;
}

/* The largest component of D2 L_d + D1 L_d along the circle at an inner node: zero where the action
 * is stationary. */
static double largest_residual(const trajectory *x)
{
    double largest = 0;
    for (int i = 1; i < x->steps; i++) {
        double before[3], after[3], across[3];
        trajectory_legendre(x, i - 1, 2, before);
        trajectory_legendre(x, i, 1, after);
        vec3_subtract(before, after, before);
        vec3_cross(trajectory_at(x, i), before, across);
        largest = larger(largest, vec3_norm(across));
    }
    return largest;
}

/* The path is stationary to the rounding of dq/h, and both sums give the action of the sheet. */
static void check_stationary(trajectory *x, double action, double speed)
{
    double fastest;
    check_below(largest_residual(x), 1e-14 / x->h);
    check_relative(action, trajectory_action(x), 1e-12);
    check_relative(action, observed_action(x, &fastest), 1e-12);
    check_relative(speed, fastest, 1e-12);
}

/* --- G5: the three families --- */

static const double wide = 0.7;

static double fixed_angle(int i, double h)
{
    (void)h;
    return wide * i;
}

TEST(g5_a_fixed_angle_has_an_action_that_grows_with_the_square_of_the_steps)
{
    for (double h = 0.1; h > 1e-4; h /= 10) {
        const double T = 20 * h, s = sin(0.5 * wide);
        trajectory x = path_of(fixed_angle, h, 20);
        check_stationary(&x, 2 * T * s * s / (h * h), 2 * s / h);
        trajectory_free(&x);
    }
}

enum { NODES_BEFORE = 10 };

static double one_jump(int i, double h)
{
    int k = i - NODES_BEFORE;
    return k <= 0 ? k * h : (k - 2) * h + M_PI;
}

TEST(g5_one_jump_adds_an_action_that_grows_with_the_steps)
{
    for (double h = 0.1; h > 1e-4; h /= 10) {
        trajectory x = path_of(one_jump, h, 2 * NODES_BEFORE);
        const double smooth = (2 * NODES_BEFORE - 1) * (1 - cos(h)) / h;
        check_stationary(&x, smooth + (1 + cos(h)) / h, sqrt(2 + 2 * cos(h)) / h);
        trajectory_free(&x);
    }
}

/* (1, 0), then (-cos h, sin h), (-1, 0), (cos h, -sin h), (1, 0) and so on */
static double cycle(int i, double h)
{
    const double angles[] = {0, M_PI - h, M_PI, -h};
    return angles[i % 4];
}

TEST(g5_a_cycle_of_four_has_an_action_that_grows_with_the_square_of_the_steps)
{
    for (double h = 0.1; h > 1e-4; h /= 10) {
        trajectory x = path_of(cycle, h, 20);
        check_stationary(&x, 20 * h / (h * h), sqrt(2 + 2 * cos(h)) / h);
        trajectory_free(&x);
    }
}

/* sin(u) = h p has the roots u and pi - u. With the momentum of a path of large angles, a step
 * finds the root that is less than a quarter turn, with every treatment. */
TEST(g5_a_step_takes_the_root_with_the_bounded_speed)
{
    static const char *const treatments[] = {"reduced", "multipliers", "projected"};
    const double h = 0.1, angles[] = {0.05, 0.7, 1.2, 1.9, 2.5, M_PI - 0.05};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 6; i++) {
            scene s = variational_open(CIRCLE, treatments[k]);
            olo_state_set_velocity(s.state, (const double[3]){0, sin(angles[i]) / h, 0});
            scene_run(&s, h, 1);
            check_equal(0, s.halvings);
            check_close(
                smaller(angles[i], M_PI - angles[i]),
                atan2(olo_state_configuration(s.state)[1], olo_state_configuration(s.state)[0]),
                1e-12);
            scene_close(&s);
        }
}

/* --- G4: recovery --- */

static double unit_speed(int i, double h)
{
    return i * h;
}

TEST(g4_nodes_of_a_smooth_curve_have_its_action_but_for_h_squared_over_12)
{
    const double T = 2;
    for (int steps = 20; steps <= 2000; steps *= 10) {
        const double h = T / steps, chord = 2 * sin(0.5 * h) / h, action = 0.5 * T * chord * chord;
        trajectory x = path_of(unit_speed, h, steps);
        check_stationary(&x, action, chord);
        check_close(0.5 * T * (1 - h * h / 12), action, 0.01 * pow(h, 4));
        trajectory_free(&x);
    }
}

/* --- G1, G2, G3: the double spherical pendulum --- */

/* Actions of the table in 3.5 and largest velocities of table 4.1, as a study of convergence. */
TEST(g1_and_g2_action_and_largest_velocity_as_a_study)
{
    const double steps[] = {0.1, 0.02, 0.01, 0.005, 0.002};
    const double actions[] = {2158.1951101, 2345.6493104, 2345.0317415, 2344.7157563, 2344.6160262};
    scene s = variational_open(DOUBLE_PENDULUM, "reduced");
    olo_study study = {.initialised = OLO_INITIALISED_STUDY,
                       .system = s.system,
                       .start = s.state,
                       .run = &s.run,
                       .action = true};
    olo_convergence_row rows[5];
    olo_convergence_summary summary;
    olo_error error = {0};
    s.run.end = 10;
    check_ok(olo_study_convergence(&study, steps, 5, 2e-4, rows, &summary, &error), &error);
    for (int i = 0; i < 5; i++)
        check_close(actions[i], rows[i].action, 1e-6);
    /* larger steps have not reached this order: 1.87 between 0.01 and 0.005, from the table */
    check_close(2, rows[4].order.action, 0.05);
    check_close(2, rows[4].order.q, 0.05);
    check_close(2, rows[4].order.p, 0.05);
    check_close(2344.59648, summary.action, 3e-4);
    check_close(14.437579674951380, rows[0].fastest, 1e-10);
    check_close(11.992045771546840, rows[2].fastest, 1e-10);
    /* bounded: smaller steps have nearly the same largest velocity */
    for (int i = 1; i < 5; i++)
        check_close(11.9793, rows[i].fastest, 0.06);
    check_close(11.979354, summary.fastest, 1e-4);
    scene_close(&s);
}

/* The distance in L^p over 1 s between velocities dq/h, which are constant over each step, and
 * those of a run with small steps. */
static double velocity_distance(const trajectory *x, const trajectory *fine, double p)
{
    double sum = 0;
    int part = fine->steps / x->steps;
    for (int i = 0; i < fine->steps; i++) {
        double dq[TRAJECTORY_MAX], other[TRAJECTORY_MAX], qm[TRAJECTORY_MAX], square = 0;
        trajectory_interval(fine, i, dq, qm);
        trajectory_interval(x, i / part, other, qm);
        for (int j = 0; j < x->n; j++)
            square += pow(dq[j] / fine->h - other[j] / x->h, 2);
        sum += fine->h * pow(square, 0.5 * p);
    }
    return pow(sum, 1 / p);
}

/* In the middle of a step the velocity is of second order; a constant over a step differs by h/2
 * |a| at its ends. */
TEST(g3_velocities_converge_in_every_lp)
{
    trajectory fine = trajectory_of(DOUBLE_PENDULUM, "reduced", 1e-4, 10000);
    const double powers[] = {1, 2, 8, 64};
    double before[4] = {0};
    for (int k = 0; k < 4; k++) {
        int steps = 50 << k;
        trajectory x = trajectory_of(DOUBLE_PENDULUM, "reduced", 1.0 / steps, steps);
        for (int j = 0; j < 4; j++) {
            double distance = velocity_distance(&x, &fine, powers[j]);
            if (k > 1)
                check_close(1, log2(before[j] / distance), 0.1);
            before[j] = distance;
        }
        trajectory_free(&x);
    }
    trajectory_free(&fine);
}

TEST_MAIN(
    cmocka_unit_test(g5_a_fixed_angle_has_an_action_that_grows_with_the_square_of_the_steps),
    cmocka_unit_test(g5_one_jump_adds_an_action_that_grows_with_the_steps),
    cmocka_unit_test(g5_a_cycle_of_four_has_an_action_that_grows_with_the_square_of_the_steps),
    cmocka_unit_test(g5_a_step_takes_the_root_with_the_bounded_speed),
    cmocka_unit_test(g4_nodes_of_a_smooth_curve_have_its_action_but_for_h_squared_over_12),
    cmocka_unit_test(g1_and_g2_action_and_largest_velocity_as_a_study),
    cmocka_unit_test(g3_velocities_converge_in_every_lp))
