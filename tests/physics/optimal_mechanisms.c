/* Optimal control of loops, of bodies that turn far, and of bodies with rotors: both
 * transcriptions, closed forms and balances of momentum (sheet on variational integrators and
 * DMOCC, O4 and O6). */
#include "optimal_task.h"

#include "linalg/rotation.h"

/* With either transcription, from an optimum of the other one or from a guess. */
TEST(transcriptions_agree_on_loops_and_leave_redundant_closures_out)
{
    skip_without_solver();
    static const char *const models[] = {
        FOUR_HINGES, FOUR_BAR("spherical", "universal, axis: [0, 0, 1], axis2: [0, 1, 0]")};
    task t[4];
    for (int i = 0; i < 4; i++) {
        open_task(&t[i], models[i / 2]);
        control(&t[i], "A");
        reach(&t[i], "A.angle", 0.8);
        t[i].problem.intervals = 20;
        t[i].problem.transcription = i % 2 ? "redundant" : "reduced";
        t[i].problem.inverse_dynamics = i == 2;
        t[i].problem.start = i == 1 ? t[0].optimum : NULL;
        optimise(&t[i]);
        check_true(t[i].certificate.minimum);
    }
    check_same_optimum(&t[0], &t[1]);
    check_same_optimum(&t[2], &t[3]);
    check_equal(t[1].certificate.variables, t[3].certificate.variables);
    check_equal(t[1].certificate.constraints, t[3].certificate.constraints);
    check_relative(olo_optimum_cost(t[2].optimum), olo_optimum_cost(t[0].optimum), 1e-10);
    for (int k = 0; k < 20; k++)
        check_close(olo_optimum_controls(t[2].optimum, k)[0],
                    olo_optimum_controls(t[0].optimum, k)[0], 1e-7);
    for (int i = 0; i < 4; i++)
        close_task(&t[i]);
}

/* A discrete rod with directors at its edges: a hub turns one end, a force acts on the other.
 * Beside it the same rod with both ends on hinges, which closes a loop. */
TEST(transcriptions_agree_on_rods_with_directors_at_edges)
{
    skip_without_solver();
    static const char rod[] =
        "beams: {name: arm, discretisation: edges, elements: 3, to: [1, 0, 0],\n"
        "  stiffness: [60, 50, 70, 0.5, 0.4, 0.3], inertia: [1, 0.1, 0.2]}\n"
        "loads: {name: push, on: arm.end, force: [0.2, 1, 0.5]}\n"
        "joints:\n"
        "  - {name: hub, between: [ground, arm.start], axis: [0, 0, 1], torque: 1}\n";
    static const char *const ends[] = {
        "", "  - {name: pin, type: cylindrical, between: [ground, arm.end], axis: [1, 0, 0]}\n"};
    for (int closed = 0; closed < 2; closed++) {
        char text[1000];
        task t[2];
        (void)snprintf(text, sizeof text, "%s%s", rod, ends[closed]);
        for (int i = 0; i < 2; i++) {
            open_task(&t[i], text);
            control(&t[i], "hub");
            control(&t[i], "push");
            reach(&t[i], "hub.angle", closed ? 0.1 : 0.4);
            t[i].problem.end_velocity = "free";
            t[i].problem.duration = 0.5;
            t[i].problem.intervals = 10;
            t[i].problem.transcription = i ? "redundant" : "reduced";
            optimise(&t[i]);
            check_true(t[i].certificate.minimum);
        }
        check_same_optimum(&t[0], &t[1]);
        for (int i = 0; i < 2; i++)
            close_task(&t[i]);
    }
}

/* A free body of equal inertias turns with 4 rad/s for one second, more than half a turn, beyond
 * which a chart does not reach. The initial guess and with it the charts remain at the initial
 * orientation. The least effort is none; then the increments are asin(4 h), since the momentum is
 * J sin(increment)/h. */
TEST(charts_are_centred_anew_on_long_turns)
{
    enum { N = 20 };
    skip_without_solver();
    static const char body[] =
        "bodies: {name: a, mass: 1, inertia: [1, 1, 1], angular_velocity: [0, 0, 4]}\n"
        "loads:\n"
        "  - {name: x, on: a, moment: [1, 0, 0]}\n"
        "  - {name: y, on: a, moment: [0, 1, 0]}\n"
        "  - {name: z, on: a, moment: [0, 0, 1]}\n";
    task t;
    open_task(&t, body);
    control(&t, "x");
    control(&t, "y");
    control(&t, "z");
    t.controls[2].guess = 1;
    const double increment = asin(4.0 / N);
    t.problem.end_velocity = "free";
    t.problem.guess = "rest";
    t.problem.intervals = N;
    optimise(&t);
    check_close(0, olo_optimum_cost(t.optimum), 1e-12);
    for (int k = 0; k <= N; k++) {
        const double *d = olo_optimum_configuration(t.optimum, k) + 3;
        check_close(cos(k * increment), d[0], 1e-8);
        check_close(sin(k * increment), d[1], 1e-8);
    }
    /* iterations are counted on over all solutions */
    for (int i = 0; i < olo_optimum_progress_count(t.optimum); i++)
        check_true(i == 0 || olo_optimum_progress(t.optimum, i).iteration >=
                                 olo_optimum_progress(t.optimum, i - 1).iteration);
    close_task(&t);
}

/* Velocities at the end of a linkage: the crank has the angle and the rate of the conditions, all
 * velocities satisfy the constraints, with redundant closures and without, in both
 * transcriptions. */
TEST(velocities_at_the_end_of_loops)
{
    skip_without_solver();
    static const char *const models[] = {
        FOUR_HINGES, FOUR_BAR("spherical", "universal, axis: [0, 0, 1], axis2: [0, 1, 0]")};
    double cost = 0;
    for (int i = 0; i < 4; i++) {
        olo_error error = {0};
        task t;
        open_task(&t, models[i % 2]);
        control(&t, "A");
        reach(&t, "A.angle", 0.8);
        reach(&t, "A.angle.rate", 1.5);
        t.problem.end_velocity = "free";
        t.problem.intervals = 12;
        t.problem.transcription = i < 2 ? "redundant" : "reduced";
        optimise(&t);
        cost = i == 0 ? olo_optimum_cost(t.optimum) : cost;
        check_relative(cost, olo_optimum_cost(t.optimum), 1e-8);
        olo_ledger ledger;
        check_ok(olo_optimum_get_state(t.optimum, 12, t.s.state, &error), &error);
        olo_system_ledger(t.s.system, t.s.state, &ledger);
        check_below(ledger.velocity_error, 1e-9);
        const double *q = t.s.state->q, *v = t.s.state->v; /* of the crank, the first body */
        check_close(0.8, atan2(q[4], q[3]), 1e-9);
        check_close(1.5, q[3] * v[4] - q[4] * v[3], 1e-8);
        close_task(&t);
    }
}

/* O4 and O5: no angular momentum at any node, rest at the end, and the hull has the orientation
 * that was asked for. */
static void check_turned_without_momentum(task *t, const double rotation[9])
{
    const int N = olo_optimum_intervals(t->optimum);
    olo_error error = {0};
    olo_ledger ledger;
    for (int k = 0; k <= N; k++) {
        check_ok(olo_optimum_get_state(t->optimum, k, t->s.state, &error), &error);
        olo_system_ledger(t->s.system, t->s.state, &ledger);
        for (int i = 0; i < 3; i++)
            check_below(fabs(ledger.angular_momentum[i]), 1e-9);
    }
    check_below(ledger.kinetic, 1e-16);
    check_equal(6, t->certificate.conserved);
    check_below(t->certificate.momentum, 1e-9);
    const double *d = olo_optimum_configuration(t->optimum, N) + 3;
    for (int i = 0; i < 9; i++)
        check_close(rotation[3 * (i % 3) + i / 3], d[i], 1e-9);
}

static const char turned[] = "bodies: {name: a, mass: 1, inertia: [2, 2, 2],\n"
                             "         rotation: {axis: [1, 2, 2], angle: 0.8}}\n"
                             "loads:\n"
                             "  - {name: x, on: a, moment: [1, 0, 0], frame: body}\n"
                             "  - {name: y, on: a, moment: [0, 1, 0], frame: body}\n"
                             "  - {name: z, on: a, moment: [0, 0, 1], frame: body}\n";

/* The initial orientation after a rotation about an axis of space. */
static void turn_from_start(double angle, int axis, double rotation[9])
{
    const double start[3] = {0.8 / 3, 1.6 / 3, 1.6 / 3};
    double vector[3] = {0}, E[9], R[9];
    vector[axis] = angle;
    rotation_exponential(vector, E);
    rotation_exponential(start, R);
    mat3_product(E, R, rotation);
}

static void open_turned(task *t, const task_method *by, double angle, int axis)
{
    open_task(t, turned);
    control(t, "x");
    control(t, "y");
    control(t, "z");
    olo_problem_condition *turn = &t->conditions[t->problem.condition_count++];
    *turn = olo_problem_condition_default();
    turn->body = "a";
    turn_from_start(angle, axis, turn->rotation);
    t->problem.intervals = 40;
    t->problem.transcription = by->transcription;
    t->problem.scheme = by->scheme;
}

/* The equations of an orientation are satisfied half a turn away, too: that is no solution. The
 * least effort is 12 J^2 a^2 with the rotation a <= pi of an isotropic body. */
TEST(orientations_of_any_angle_are_reached)
{
    skip_without_solver();
    const double angles[] = {1, 1.7, 2.5, pi, 3.5, 5}, J = 2;
    for (int i = 0; i < TASK_METHODS; i++)
        for (int k = 0; k < 6; k++) {
            task t;
            const double a = fmin(angles[k], 2 * pi - angles[k]);
            open_turned(&t, &task_methods[i], angles[k], k % 3);
            optimise(&t);
            const double *rotation = t.conditions[0].rotation,
                         *d = olo_optimum_configuration(t.optimum, 40) + 3;
            for (int j = 0; j < 9; j++)
                check_close(rotation[3 * (j % 3) + j / 3], d[j], 1e-7);
            check_relative(12 * J * J * a * a, olo_optimum_cost(t.optimum), 0.01);
            close_task(&t);
        }
}

/* From rest as the initial guess the solver ends half a turn from an angle of 2.5. */
TEST(an_orientation_half_a_turn_away_is_no_optimum)
{
    skip_without_solver();
    for (int i = 0; i < TASK_METHODS; i++) {
        task t;
        olo_error error = {0};
        open_turned(&t, &task_methods[i], 2.5, 0);
        t.problem.guess = "rest";
        check_ok(olo_optimize(t.s.system, &t.problem, NULL, &t.optimum, &error), &error);
        check_ok(olo_optimum_certify(t.optimum, &t.certificate, &error), &error);
        const double *d = olo_optimum_configuration(t.optimum, 40) + 3;
        double back[9];
        turn_from_start(2.5 - pi, 0, back);
        for (int j = 0; j < 9; j++)
            check_close(back[3 * (j % 3) + j / 3], d[j], 1e-7);
        assert_int_equal(OLO_OPTIMUM_INFEASIBLE, olo_optimum_ended(t.optimum));
        check_contains("the orientation of 'a' at t = 1, half a turn",
                       olo_optimum_explanation(t.optimum));
        check_close(pi, t.certificate.violation, 1e-12);
        close_task(&t);
    }
}

/* A free body with three rotors about orthogonal axes through its centre, E6. The locked inertia is
 * isotropic: I_L = 10 + J_a + 2 J_t. */
static const char rotors[] = "bodies:\n"
                             "  - {name: hull, mass: 100, inertia: [10, 10, 10]}\n"
                             "  - {name: x, mass: 1, inertia: [1.5, 0.8, 0.8]}\n"
                             "  - {name: y, mass: 1, inertia: [0.8, 1.5, 0.8]}\n"
                             "  - {name: z, mass: 1, inertia: [0.8, 0.8, 1.5]}\n"
                             "joints:\n"
                             "  - {name: rx, between: [hull, x], axis: [1, 0, 0], torque: 1}\n"
                             "  - {name: ry, between: [hull, y], axis: [0, 1, 0], torque: 1}\n"
                             "  - {name: rz, between: [hull, z], axis: [0, 0, 1], torque: 1}\n";

TEST(o4_three_rotors_turn_a_body_without_angular_momentum)
{
    skip_without_solver();
    const double theta = pi / sqrt(14), T = 5, N = 50, I_L = 10 + 1.5 + 1.6, J_a = 1.5;
    task t;
    open_task(&t, rotors);
    control(&t, "rx");
    control(&t, "ry");
    control(&t, "rz");
    olo_problem_condition *turn = &t.conditions[t.problem.condition_count++];
    *turn = olo_problem_condition_default();
    turn->body = "hull";
    const double vector[3] = {pi / 14, 2 * pi / 14, 3 * pi / 14};
    rotation_exponential(vector, turn->rotation);
    t.costs[0].weight = 0.5;
    t.problem.duration = T;
    optimise(&t);
    const double a = (I_L - J_a) * theta;
    check_relative(6 * a * a / (T * T * T) * N * N / (N * N - 1), olo_optimum_cost(t.optimum),
                   0.01);
    check_true(t.certificate.minimum);
    check_turned_without_momentum(&t, turn->rotation);
    /* both transcriptions */
    task redundant = {.s = scene_open(rotors, NULL), .problem = t.problem};
    redundant.problem.transcription = "redundant";
    redundant.problem.start = t.optimum;
    optimise(&redundant);
    check_same_optimum(&t, &redundant);
    close_task(&redundant);
    close_task(&t);
}

/* O5: without the third rotor, from the solution with all three. */
TEST(o5_two_rotors_turn_a_body_from_the_solution_with_three)
{
    skip_without_solver();
    task three = {.s = scene_open("three-rotors", NULL)};
    task two = {.s = scene_open("two-rotors", NULL)};
    three.problem = *olo_model_problem(three.s.model);
    optimise(&three);
    two.problem = *olo_model_problem(two.s.model);
    const int N = two.problem.intervals, n = two.s.system->n;
    check_equal(N, three.problem.intervals);
    double *motion = calloc((size_t)((N + 1) * n), sizeof *motion),
           *times = calloc((size_t)(N + 1), sizeof *times);
    for (int k = 0; k <= N; k++) { /* the hull and the first two rotors come first */
        memcpy(motion + k * n, olo_optimum_configuration(three.optimum, k),
               (size_t)n * sizeof *motion);
        times[k] = olo_optimum_time(three.optimum, k);
    }
    two.problem.motion = motion;
    two.problem.motion_times = times;
    two.problem.motion_count = N + 1;
    optimise(&two);
    check_true(olo_optimum_cost(two.optimum) > olo_optimum_cost(three.optimum));
    check_turned_without_momentum(&two, two.problem.conditions[0].rotation);
    free(motion);
    free(times);
    close_task(&three);
    close_task(&two);
}

/* Rest to rest about an axis: 12 J^2 theta^2/T^3, and order 2 */
TEST(single_axis_rotation_converges_to_its_closed_form)
{
    skip_without_solver();
    const double J = 0.7, theta = 1.3, T = 2, exact = 12 * J * J * theta * theta / (T * T * T);
    double error[3];
    for (int i = 0; i < 3; i++) {
        task t;
        open_task(&t, "bodies: {name: a, mass: 1, inertia: [0.5, 0.6, 0.7]}\n"
                      "joints: {name: axle, between: [ground, a], axis: [0, 0, 1], torque: 1}\n");
        control(&t, "axle");
        reach(&t, "axle.angle", theta);
        t.problem.intervals = 20 << i;
        t.problem.duration = T;
        optimise(&t);
        error[i] = fabs(olo_optimum_cost(t.optimum) - exact);
        close_task(&t);
    }
    check_close(2, log2(error[1] / error[2]), 0.05);
    check_below(error[2] / exact, 2e-3);
}

/* sum (q_k x M dq)_3/h: the angular momentum about the vertical over interval k */
static double vertical_momentum(const task *t, int k)
{
    const olo_system *s = t->s.system;
    const double h = olo_optimum_duration(t->optimum) / olo_optimum_intervals(t->optimum);
    const double *q0 = olo_optimum_configuration(t->optimum, k),
                 *q1 = olo_optimum_configuration(t->optimum, k + 1);
    double dq[64], Mdq[64], sum = 0;
    check_true(s->n <= 64);
    for (int i = 0; i < s->n; i++)
        dq[i] = (q1[i] - q0[i]) / h;
    olo_system_mass_times(s, dq, Mdq);
    for (int i = 0; i < s->n; i += 3)
        sum += q0[i] * Mdq[i + 1] - q0[i + 1] * Mdq[i];
    return sum;
}

/* The bounds of the throw by the configuration of a node: collarbone, upper arm and forearm have
 * 12 coordinates each. Returns the angle of the elbow. */
static double check_throw_bounds(const double *q, bool end)
{
    const double *torso = q, *upper = q + 12, *forearm = q + 24, tight = 1e-9;
    double base[3], elbow[3], hand[3], apart[3];
    for (int i = 0; i < 3; i++) {
        base[i] = torso[i] - 0.1 * torso[3 + i];
        elbow[i] = upper[i] + 0.15 * upper[3 + i];
        hand[i] = forearm[i] + 0.175 * forearm[3 + i];
        apart[i] = elbow[i] - base[i];
    }
    const double bend = remainder(
        atan2(vec3_dot(forearm + 3, upper + 6), vec3_dot(forearm + 3, upper + 3)) + 0.25 * pi,
        2 * pi);
    check_true(fabs(atan2(torso[4], torso[3])) < 0.6 + tight);
    check_true(bend > 0.25 * pi - 2.5 - tight && bend < 0.25 * pi + tight);
    check_true(sqrt(vec3_dot(apart, apart)) > 0.4 - tight);
    check_true(fabs(elbow[2]) < 0.15 + tight);
    check_true(0.1 * upper[11] > 0.05 - tight);
    check_true(!end || (hand[1] > -tight && hand[2] > -tight));
    return bend;
}

/* O6: all bounds are satisfied, the duration is free, and nothing but the torque of the torso
 * changes the angular momentum about the vertical. */
TEST(o6_pitcher_satisfies_its_bounds_and_the_momentum_balance)
{
    skip_without_solver();
    task t = {.s = scene_open("pitcher", NULL)};
    t.problem = *olo_model_problem(t.s.model);
    optimise(&t);
    check_true(t.certificate.minimum);
    const double T = olo_optimum_duration(t.optimum);
    const int N = olo_optimum_intervals(t.optimum);
    check_true(T > 0.2 && T < 0.6);
    double before = 0, bend = 0;
    for (int k = 1; k <= N; k++) {
        const double next = check_throw_bounds(olo_optimum_configuration(t.optimum, k), k == N);
        check_below(fabs(next - bend) * N / T, 30 * 1.05); /* the rate at the midpoint, up to h^2 */
        bend = next;
    }
    for (int k = 0; k < N; k++) {
        const double *u = olo_optimum_controls(t.optimum, k), now = vertical_momentum(&t, k);
        const double last = k > 0 ? olo_optimum_controls(t.optimum, k - 1)[0] : 0;
        for (int i = 0; i < 5; i++)
            check_below(fabs(u[i]), (i == 4 ? 60 : 100) * (1 + 1e-12));
        check_close(0.5 * T / N * (last + u[0]), now - before, 1e-10);
        before = now;
    }
    close_task(&t);
}

TEST_MAIN(cmocka_unit_test(orientations_of_any_angle_are_reached),
          cmocka_unit_test(an_orientation_half_a_turn_away_is_no_optimum),
          cmocka_unit_test(velocities_at_the_end_of_loops),
          cmocka_unit_test(single_axis_rotation_converges_to_its_closed_form),
          cmocka_unit_test(transcriptions_agree_on_loops_and_leave_redundant_closures_out),
          cmocka_unit_test(transcriptions_agree_on_rods_with_directors_at_edges),
          cmocka_unit_test(charts_are_centred_anew_on_long_turns),
          cmocka_unit_test(o5_two_rotors_turn_a_body_from_the_solution_with_three),
          cmocka_unit_test(o4_three_rotors_turn_a_body_without_angular_momentum),
          cmocka_unit_test(o6_pitcher_satisfies_its_bounds_and_the_momentum_balance))
