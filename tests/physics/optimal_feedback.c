/* Feedback along an optimum: gains against an independent recursion and a closed form, and a
 * disturbed motion with them and without. */
#include "optimal_task.h"

#include "oloid/feedback.h"

static const char slider[] =
    "bodies: {name: a, mass: 2, inertia: [1, 1, 1]}\n"
    "joints: {name: rail, type: prismatic, between: [ground, a], axis: [1, 0, 0], force: 1}\n"
    "optimize:\n"
    "  controls: {name: rail}\n"
    "  costs: {type: effort}\n"
    "  conditions: {quantity: rail.position, value: 1}\n";

static olo_optimum *solve(const scene *s, int intervals)
{
    olo_problem problem = *olo_model_problem(s->model);
    if (intervals > 0)
        problem.intervals = intervals;
    return optimum_of(s->system, &problem);
}

static olo_feedback *gains_of(const olo_optimum *optimum, const olo_problem_feedback *weights)
{
    olo_feedback *feedback;
    olo_error error = {0};
    check_ok(olo_feedback_create(optimum, weights, &feedback, &error), &error);
    return feedback;
}

/* x' = A x + B u of a mass on a rail, with the force constant over a step: A = [1 h; 0 1],
 * B = [h^2/2m; h/m]. The recursion P = h Q + A^T P A - (A^T P B)(h r + B^T P B)^-1 (B^T P A), and
 * K = (h r + B^T P B)^-1 B^T P A, written out. */
TEST(gains_of_a_mass_are_those_of_the_riccati_recursion)
{
    skip_without_solver();
    enum { N = 20 };
    const double m = 2, h = 1.0 / N;
    olo_problem_feedback w = olo_problem_feedback_default();
    w.position = 3;
    w.velocity = 0.5;
    w.end_position = 40;
    w.end_velocity = 7;
    w.control = 0.2;
    scene s = scene_open(slider, NULL);
    olo_optimum *optimum = solve(&s, N);
    olo_feedback *feedback = gains_of(optimum, &w);
    double P[3] = {w.end_position * m, 0, w.end_velocity * m}; /* 11, 12, 22 */
    const double b0 = h * h / (2 * m), b1 = h / m;
    check_equal(N, olo_feedback_intervals(feedback));
    check_equal(1, olo_feedback_input_count(feedback));
    for (int k = N - 1; k >= 0; k--) {
        const double Pb0 = P[0] * b0 + P[1] * b1, Pb1 = P[1] * b0 + P[2] * b1;
        const double G = h * w.control + b0 * Pb0 + b1 * Pb1, c0 = Pb0, c1 = h * Pb0 + Pb1;
        const double *K = olo_feedback_gains(feedback, k, 0);
        check_relative(c0 / G, K[0], 1e-10);
        check_relative(c1 / G, K[12], 1e-10);
        const double p11 = P[0], p12 = P[1], p22 = P[2];
        P[0] = h * w.position * m + p11 - c0 * c0 / G;
        P[1] = h * p11 + p12 - c0 * c1 / G;
        P[2] = h * w.velocity * m + h * h * p11 + 2 * h * p12 + p22 - c1 * c1 / G;
    }
    olo_feedback_free(feedback);
    olo_optimum_free(optimum);
    scene_close(&s);
}

/* In continuous time, with no weight along the path and the end fixed, the gains of the mass m are
 * 6 m/tau^2 and 4 m/tau for the time tau to the end (Bryson and Ho 1975, 5.3). */
TEST(gains_converge_to_the_closed_form_of_a_fixed_end)
{
    skip_without_solver();
    double position[3], velocity[3];
    olo_problem_feedback w = olo_problem_feedback_default();
    w.position = w.velocity = 0;
    w.end_position = w.end_velocity = 1e9;
    for (int i = 0; i < 3; i++) {
        scene s = scene_open(slider, NULL);
        olo_optimum *optimum = solve(&s, 20 << i);
        olo_feedback *feedback = gains_of(optimum, &w);
        const double *K = olo_feedback_gains(feedback, 0, 0);
        position[i] = fabs(K[0] - 12);
        velocity[i] = fabs(K[12] - 8);
        olo_feedback_free(feedback);
        olo_optimum_free(optimum);
        scene_close(&s);
    }
    for (int i = 0; i < 2; i++) { /* a force that is constant over a step: of order 1 */
        check_close(2, position[i] / position[i + 1], 0.1);
        check_close(2, velocity[i] / velocity[i + 1], 0.1);
    }
    check_below(position[2], 0.2);
}

static const char swing[] =
    "parameters: {pole: 0.3}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: cart, mass: 1, inertia: [1, 1, 1]}\n"
    "  - {name: pole, mass: pole, inertia: [0, 0, 0], position: [0, 0, -0.5]}\n"
    "joints:\n"
    "  - {name: hinge, between: [cart, pole], at: [0, 0, 0], axis: [0, -1, 0]}\n"
    "  - {name: rail, type: prismatic, between: [ground, cart], axis: [1, 0, 0], force: 1}\n"
    "plane: [0, 1, 0]\n"
    "run: {scheme: variational, step: 0.02, end: 2}\n"
    "optimize:\n"
    "  intervals: 100\n"
    "  duration: 2\n"
    "  controls: {name: rail, lower: -40, upper: 40}\n"
    "  costs: {type: effort}\n"
    "  conditions: [{quantity: rail.position, value: 1}, {quantity: hinge.angle, value: pi}]\n";

/* The distance of the pole from its position at the end of the plan; no feedback: NULL. */
static double run_to_end(const olo_optimum *optimum, const olo_feedback *feedback, const char *pole,
                         double step)
{
    const olo_setting settings[] = {{"pole", pole}};
    scene s = scene_open_set(swing, NULL, settings, 1);
    olo_error error = {0};
    olo_run run = s.run;
    const double wanted[3] = {1, 0, 0.5};
    double square = 0;
    run.step = step;
    if (feedback) {
        check_ok(olo_feedback_simulate(feedback, s.system, &run, s.state, NULL, 0, NULL, &error),
                 &error);
    } else {
        for (int k = 0; k < 100; k++) {
            check_ok(olo_stepper_set_control(s.stepper, "rail", olo_optimum_input(optimum, 0, k),
                                             &error),
                     &error);
            check_ok(olo_stepper_step(s.stepper, s.state, 0.02, &error), &error);
        }
    }
    for (int i = 0; i < s.system->node_count; i++)
        for (int j = 0; strcmp(s.system->nodes[i].name, "pole") == 0 && j < 3; j++)
            square += pow(s.state->q[s.system->nodes[i].q + j] - wanted[j], 2);
    scene_close(&s);
    return sqrt(square);
}

/* The pole is heavier than the plan knows: without feedback it does not stand at the end. */
TEST(a_disturbed_motion_with_gains_ends_where_the_plan_does)
{
    skip_without_solver();
    scene s = scene_open(swing, NULL);
    olo_problem_feedback w = olo_problem_feedback_default();
    w.position = w.velocity = w.end_position = w.end_velocity = 100;
    w.control = 0.1;
    olo_optimum *optimum = solve(&s, 0);
    olo_feedback *feedback = gains_of(optimum, &w);
    /* without a disturbance nothing changes */
    check_below(run_to_end(optimum, feedback, "0.3", 0.02), 1e-6);
    const double open = run_to_end(optimum, NULL, "0.33", 0.02),
                 closed = run_to_end(optimum, feedback, "0.33", 0.02),
                 fine = run_to_end(optimum, feedback, "0.33", 0.005);
    print_message("a tenth more mass: %.3g m without feedback, %.3g m with it, %.3g m in four "
                  "steps per interval\n",
                  open, closed, fine);
    check_true(open > 0.1);
    check_below(closed, 0.05 * open);
    check_below(fine, 0.05 * open);
    olo_feedback_free(feedback);
    olo_optimum_free(optimum);
    scene_close(&s);
}

/* Inputs far from the plan are at the bounds of the problem; after its end they are as there. */
TEST(inputs_remain_within_their_bounds)
{
    skip_without_solver();
    enum { N = 20 };
    scene s = scene_open(slider, NULL);
    olo_problem problem = *olo_model_problem(s.model);
    olo_problem_control force = problem.controls[0];
    force.lower = -20;
    force.upper = 30;
    problem.controls = &force;
    problem.intervals = N;
    olo_optimum *optimum = optimum_of(s.system, &problem);
    olo_feedback *feedback = gains_of(optimum, NULL);
    const double position[] = {-1e6, 1e6}, bound[] = {30, -20};
    for (int i = 0; i < 2; i++) {
        double q[12];
        memcpy(q, s.state->q, sizeof q);
        q[0] = position[i];
        olo_state_set_configuration(s.system, s.state, q);
        check_close(bound[i], olo_feedback_input(feedback, 0, s.state), 0);
    }
    olo_error error = {0};
    olo_state_set_time(s.state, 9);
    olo_state_set_configuration(s.system, s.state, olo_optimum_configuration(optimum, N));
    check_close(olo_optimum_input(optimum, 0, N - 1), olo_feedback_input(feedback, 0, s.state),
                1e-9);
    check_ok(olo_feedback_apply(feedback, s.stepper, s.state, &error), &error);
    olo_feedback_free(feedback);
    olo_optimum_free(optimum);
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(inputs_remain_within_their_bounds),
          cmocka_unit_test(gains_of_a_mass_are_those_of_the_riccati_recursion),
          cmocka_unit_test(gains_converge_to_the_closed_form_of_a_fixed_end),
          cmocka_unit_test(a_disturbed_motion_with_gains_ends_where_the_plan_does))
