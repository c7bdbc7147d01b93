/* Optimal control: closed forms, published numbers (sheet on variational integrators and DMOCC, O2
 * to O5, O7), conservation laws, certificates. */
#include "optimal_task.h"

static const char slider[] =
    "bodies: {name: a, mass: 1, inertia: [1, 1, 1]}\n"
    "joints: {name: rail, type: prismatic, between: [ground, a], axis: [1, 0, 0],\n"
    "         force: 1}\n";

/* The same as a coordinate. */
static const char scalar[] = "coordinates: {names: [s], mass: 1, forces: [1]}\n";

/* From rest to rest over a distance of 1 in time 1: min int u^2 = 12 N^2/(N^2 - 1) */
TEST(double_integrator_has_its_discrete_optimum)
{
    skip_without_solver();
    for (int i = 0; i < 12; i++) {
        const int N = 4 << i / 2 % 3 * 2;
        const bool minimal = i >= 6;
        task t;
        open_task(&t, minimal ? scalar : slider);
        control(&t, minimal ? "s" : "rail");
        reach(&t, minimal ? "s" : "rail.position", 1);
        t.problem.intervals = N;
        t.problem.transcription = i % 2 ? "redundant" : "reduced";
        optimise(&t);
        check_relative(12.0 * N * N / (N * N - 1.0), olo_optimum_cost(t.optimum), 1e-10);
        check_true(t.certificate.minimum);
        close_task(&t);
    }
}

/* The same with intervals of different lengths h_j: u_j = b (m_j - T/2) at their middles m_j, and
 * the cost is 1/sum_j h_j (m_j - T/2)^2. The motion with small steps is the same. */
TEST(double_integrator_has_its_discrete_optimum_on_any_grid)
{
    skip_without_solver();
    static const double lengths[] = {3, 1, 1, 2, 5, 1, 4};
    for (int i = 0; i < 8; i++) {
        const int N = 7;
        const bool minimal = i % 4 >= 2, graded = i >= 4;
        task t;
        olo_error error = {0};
        olo_resimulation fine;
        double sum = 0, at = 0, V = 0;
        open_task(&t, minimal ? scalar : slider);
        control(&t, minimal ? "s" : "rail");
        reach(&t, minimal ? "s" : "rail.position", 1);
        t.problem.intervals = N;
        t.problem.transcription = i % 2 ? "redundant" : "reduced";
        if (graded)
            t.problem.grading = 1.3;
        else {
            t.problem.grid = lengths;
            t.problem.grid_count = N;
        }
        optimise(&t);
        for (int k = 0; k < N; k++)
            sum += graded ? pow(1.3, k) : lengths[k];
        for (int k = 0; k < N; k++) {
            const double h = (graded ? pow(1.3, k) : lengths[k]) / sum;
            V += h * pow(at + h / 2 - 0.5, 2);
            at += h;
            check_close(at, olo_optimum_time(t.optimum, k + 1), 1e-14);
        }
        check_relative(1 / V, olo_optimum_cost(t.optimum), 1e-10);
        check_true(t.certificate.minimum);
        check_ok(olo_optimum_resimulate(t.optimum, 8, &fine, &error), &error);
        check_below(fine.position, 1e-10);
        close_task(&t);
    }
}

/* Two sliders from rest, each with the cost int u^2 + w (x^2 - 1)^2 at the end. Rest is stationary;
 * its reduced Hessian has one negative eigenvalue per slider with 2 w b > 1, where b = 1/3 - h^2/12
 * is the square of the distance that int u^2 = 1 reaches. From X^2 = 1 - 1/(2 w b), the minimum is
 * 1/b - 1/(4 w b^2) for each. */
static const char sliders[] =
    "bodies: [{name: a, mass: 1, inertia: [1, 1, 1]}, {name: b, mass: 1, inertia: [1, 1, 1]}]\n"
    "joints:\n"
    "  - {name: r, type: prismatic, between: [ground, a], axis: [1, 0, 0], force: 1}\n"
    "  - {name: s, type: prismatic, between: [ground, b], axis: [1, 0, 0], force: 1}\n";

static void open_sliders(task *t, olo_problem_cost costs[3], int N, double w, double v)
{
    open_task(t, sliders);
    control(t, "r");
    control(t, "s");
    for (int i = 0; i < 3; i++)
        costs[i] = t->costs[0];
    for (int i = 1; i < 3; i++) {
        costs[i].type = "end";
        costs[i].quantity = i == 1 ? "r.position^2" : "s.position^2";
        costs[i].target = 1;
        costs[i].square = true;
        costs[i].weight = i == 1 ? w : v;
    }
    t->problem.costs = costs;
    t->problem.cost_count = 3;
    t->problem.end_velocity = "free";
    t->problem.intervals = N;
}

static void check_saddle(const task *t, int index, double cost, int negative, bool left)
{
    const olo_saddle saddle = olo_optimum_saddle(t->optimum, index);
    check_close(cost, saddle.cost, 1e-8);
    check_equal(negative, saddle.negative);
    check_true(saddle.left == left);
}

TEST(saddle_points_are_left_along_negative_curvature)
{
    skip_without_solver();
    const int N = 10;
    const double b = 1.0 / 3 - 1.0 / (12 * N * N), w = 10, v = 4;
    const double lowest[2] = {1 / b - 1 / (4 * w * b * b), 1 / b - 1 / (4 * v * b * b)};
    for (int i = 0; i < 4; i++) {
        const int most = i < 2 ? 5 : i - 2;
        olo_error error = {0};
        olo_problem_cost costs[3];
        task t;
        open_sliders(&t, costs, N, w, v);
        t.problem.transcription = i == 1 ? "redundant" : "reduced";
        t.problem.saddles = most;
        check_ok(olo_optimize(t.s.system, &t.problem, NULL, &t.optimum, &error), &error);
        check_ok(olo_optimum_certify(t.optimum, &t.certificate, &error), &error);
        check_equal(most == 0 ? 1 : 2, olo_optimum_saddle_count(t.optimum));
        check_saddle(&t, 0, w + v, 2, most > 0);
        if (most > 0)
            check_saddle(&t, 1, lowest[0] + v, 1, most > 1);
        if (most > 1) {
            check_text("an optimum was found", olo_optimum_explanation(t.optimum));
            check_relative(lowest[0] + lowest[1], olo_optimum_cost(t.optimum), 1e-10);
            check_true(t.certificate.second_order == OLO_POINT_MINIMUM);
        } else {
            check_contains("saddle point", olo_optimum_explanation(t.optimum));
            check_true(t.certificate.second_order == OLO_POINT_SADDLE);
            check_equal(most == 0 ? 2 : 1, t.certificate.negative);
        }
        close_task(&t);
    }
}

/* With 2 w b = 1 the lowest eigenvalue of one slider is zero. */
TEST(degenerate_points_are_reported)
{
    skip_without_solver();
    const double b = 1.0 / 3 - 1.0 / 1200;
    olo_error error = {0};
    olo_problem_cost costs[3];
    task t;
    open_sliders(&t, costs, 10, 0.1, 0.5 / b);
    check_ok(olo_optimize(t.s.system, &t.problem, NULL, &t.optimum, &error), &error);
    check_ok(olo_optimum_certify(t.optimum, &t.certificate, &error), &error);
    check_true(t.certificate.second_order == OLO_POINT_DEGENERATE);
    check_equal(0, t.certificate.negative);
    check_equal(1, t.certificate.zero);
    check_equal(0, olo_optimum_saddle_count(t.optimum));
    close_task(&t);
}

/* In least time with |u| <= 1 over a distance of 1: full force and full brake for one second each,
 * also in discrete time. */
TEST(least_time_is_found_with_bounds)
{
    skip_without_solver();
    for (int i = 0; i < 2; i++) {
        task t;
        open_task(&t, slider);
        control(&t, "rail");
        t.controls[0].lower = -1;
        t.controls[0].upper = 1;
        reach(&t, "rail.position", 1);
        t.costs[0].type = "duration";
        t.problem.intervals = 20;
        t.problem.duration = 3;
        t.problem.shortest = 0.5;
        t.problem.longest = 5;
        t.problem.transcription = i ? "redundant" : "reduced";
        optimise(&t);
        check_close(2, olo_optimum_duration(t.optimum), 1e-7);
        for (int k = 0; k < 20; k++)
            check_close(k < 10 ? 1 : -1, olo_optimum_controls(t.optimum, k)[0], 1e-6);
        close_task(&t);
    }
}

/* The discrete optimum of least time, in closed form: with an even number of intervals T = 2, with
 * an odd one the middle interval has no force and T = 2/sqrt(1 - 1/N^2). So the integral of the
 * error of the control is h = T/N with an odd N: of order 1. The motion with small steps is the
 * same, since the acceleration is constant over an interval. */
TEST(least_time_has_a_control_error_of_one_half_interval)
{
    skip_without_solver();
    for (int i = 0; i < 6; i++) {
        const int N = (int[]){5, 11, 21}[i / 2];
        task t;
        olo_error error = {0};
        olo_resimulation fine;
        double off = 0;
        open_task(&t, slider);
        control(&t, "rail");
        t.controls[0].lower = -1;
        t.controls[0].upper = 1;
        reach(&t, "rail.position", 1);
        t.costs[0].type = "duration";
        t.problem.intervals = N;
        t.problem.duration = 3;
        t.problem.shortest = 0.5;
        t.problem.longest = 5;
        t.problem.transcription = i % 2 ? "redundant" : "reduced";
        optimise(&t);
        const double T = olo_optimum_duration(t.optimum), h = T / N;
        check_close(2 / sqrt(1 - 1.0 / (N * N)), T, 1e-7);
        for (int k = 0; k < N; k++)
            off += h * fabs((2 * k + 1 < N ? 1 : -1) - olo_optimum_controls(t.optimum, k)[0]);
        check_close(h, off, 1e-5 * h);
        check_ok(olo_optimum_resimulate(t.optimum, 16, &fine, &error), &error);
        check_below(fine.position, 1e-9);
        close_task(&t);
    }
}

/* The two-link pendulum, E5 */
static const char two_link[] =
    "gravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  - {name: upper, mass: 1, inertia: [0.08, 0.01, 0.08333333333333333], position: [0, -0.5, "
    "0]}\n"
    "  - {name: lower, mass: 1, inertia: [0.08, 0.01, 0.08333333333333333], position: [0, -1.5, "
    "0]}\n"
    "joints:\n"
    "  - {name: base, between: [ground, upper], at: [0, 0, 0], axis: [0, 0, 1], torque: 1}\n"
    "  - {name: elbow, between: [upper, lower], at: [0, -1, 0], axis: [0, 0, 1], torque: 1}\n";

static void open_two_link(task *t, int N)
{
    open_task(t, two_link);
    control(t, "base");
    control(t, "elbow");
    reach(t, "base.angle", pi);
    reach(t, "elbow.angle", 0);
    t->costs[0].weight = 0.5;
    t->problem.intervals = N;
}

/* O3: with L_d = sum m |dphi|^2/(2 h) + J/h (1 - cos dtheta) - h g sum m y_m, the angular momentum
 * about the base at node k is the same from the interval before, L^+, and from that after, L^-:
 *
 *     L^+ = sum m phi_k x dphi/h + J sin(dtheta)/h - h/2 (g sum m x_k - tau_1)
 *     L^- = sum m phi_k x dphi/h + J sin(dtheta)/h + h/2 (g sum m x_k - tau_1) */
static double one_sided_momentum(const task *t, int k, bool before)
{
    const double h = 1.0 / t->problem.intervals, J = 1.0 / 12, g = 9.81;
    const int interval = before ? k - 1 : k;
    const double *q0 = olo_optimum_configuration(t->optimum, interval),
                 *q1 = olo_optimum_configuration(t->optimum, interval + 1), *q = before ? q1 : q0;
    double L = 0, moment = -olo_optimum_controls(t->optimum, interval)[0];
    for (int b = 0; b < 24; b += 12) {
        const double dx = q1[b] - q0[b], dy = q1[b + 1] - q0[b + 1];
        L += (q[b] * dy - q[b + 1] * dx) / h;
        L += J * (q0[b + 3] * q1[b + 4] - q0[b + 4] * q1[b + 3]) / h;
        moment += g * q[b];
    }
    return L + (before ? -0.5 : 0.5) * h * moment;
}

static double momentum_defect(const task *t)
{
    double largest = 0;
    for (int k = 1; k < t->problem.intervals; k++)
        largest =
            larger(largest, fabs(one_sided_momentum(t, k, true) - one_sided_momentum(t, k, false)));
    return largest;
}

/* Largest differences from a finer grid: of the angles of both links at the nodes, and of torques
 * from the mean of the two fine values around the middle of an interval. */
static void compare(const task *coarse, const task *fine, double *angle, double *torque)
{
    const int N = coarse->problem.intervals, ratio = fine->problem.intervals / N;
    *angle = *torque = 0;
    for (int k = 0; k <= N; k++)
        for (int b = 0; b < 24; b += 12) {
            const double *d = olo_optimum_configuration(coarse->optimum, k) + b + 3,
                         *e = olo_optimum_configuration(fine->optimum, k * ratio) + b + 3;
            *angle =
                larger(*angle, fabs(atan2(d[0] * e[1] - d[1] * e[0], d[0] * e[0] + d[1] * e[1])));
        }
    for (int k = 0; k < N; k++)
        for (int c = 0; c < 2; c++) {
            const int middle = k * ratio + ratio / 2;
            const double mean = 0.5 * (olo_optimum_controls(fine->optimum, middle - 1)[c] +
                                       olo_optimum_controls(fine->optimum, middle)[c]);
            *torque = larger(*torque, fabs(olo_optimum_controls(coarse->optimum, k)[c] - mean));
        }
}

/* Constraint forces at the first and the last node are those of their neighbours, up to the step.
 */
static void check_multipliers_are_continuous(const task *t)
{
    const int N = t->problem.intervals, ends[2][2] = {{0, 1}, {N, N - 1}};
    for (int end = 0; end < 2; end++) {
        const double *a = olo_optimum_multipliers(t->optimum, ends[end][0]),
                     *b = olo_optimum_multipliers(t->optimum, ends[end][1]);
        double apart = 0, size = 0;
        for (int i = 0; i < t->s.system->m; i++) {
            apart += fabs(a[i] - b[i]);
            size += fabs(b[i]);
        }
        check_below(apart / size, 0.1);
    }
}

/* The motion and torques of 512 intervals, in absolute angles from the horizontal and to the digits
 * of the sheet. */
static void check_motion_of_the_sheet(const task *t)
{
    static const double angles[3][2] = {
        {-1.88060797, 0.29157971}, {-0.36481189, 2.54938386}, {0.85855410, 2.81061004}};
    static const double ends[2][2] = {{6.258978, 18.533490}, {-16.053910, 10.885059}},
                        most[2] = {16.053910, 18.926347};
    const int N = t->problem.intervals;
    for (int i = 0; i < 3; i++)
        for (int b = 0; b < 2; b++) {
            /* the first director is horizontal where a link hangs */
            const double *d = olo_optimum_configuration(t->optimum, (i + 1) * N / 4) + 12 * b + 3;
            check_close(0, remainder(atan2(d[1], d[0]) - pi / 2 - angles[i][b], 2 * pi), 5.1e-9);
        }
    for (int c = 0; c < 2; c++) {
        double largest = 0;
        for (int k = 0; k < N; k++)
            largest = larger(largest, fabs(olo_optimum_controls(t->optimum, k)[c]));
        check_close(most[c], largest, 5.1e-7);
        check_close(ends[0][c], olo_optimum_controls(t->optimum, 0)[c], 5.1e-7);
        check_close(ends[1][c], olo_optimum_controls(t->optimum, N - 1)[c], 5.1e-7);
    }
}

/* O2: the optimum of 512 intervals, found from straight lines, restricted to coarser grids, where
 * there are others; cost, errors of angles and torques, and their orders between 32 and 128
 * intervals. */
TEST(o2_and_o3_two_link_pendulum_has_the_table_of_the_sheet)
{
    static const double table[][4] = {{512, 80.3761515306, 0, 0},
                                      {256, 80.3675194997, 1.52e-4, 2.09e-3},
                                      {128, 80.3330046173, 7.57e-4, 1.09e-2},
                                      {64, 80.1951547603, 3.19e-3, 4.54e-2},
                                      {32, 79.6491828634, 1.28e-2, 2.37e-1},
                                      {16, 77.6962566639, 4.03e-2, 1.79}};
    skip_without_solver();
    task fine = {0};
    double errors[6][3];
    for (int i = 0; i < 6; i++) {
        task t;
        open_two_link(&t, (int)table[i][0]);
        t.problem.start = i > 0 ? fine.optimum : NULL;
        optimise(&t);
        check_close(table[i][1], olo_optimum_cost(t.optimum), 1e-10);
        check_true(t.certificate.minimum);
        check_below(momentum_defect(&t), 1e-12);
        if (i == 0) {
            fine = t;
            check_multipliers_are_continuous(&t);
            check_motion_of_the_sheet(&t);
            continue;
        }
        double angle, torque;
        compare(&t, &fine, &angle, &torque);
        check_digits(table[i][2], angle, 3);
        check_digits(table[i][3], torque, 3);
        errors[i][0] = fabs(olo_optimum_cost(t.optimum) - olo_optimum_cost(fine.optimum));
        errors[i][1] = angle;
        errors[i][2] = torque;
        close_task(&t);
    }
    for (int i = 2; i < 4; i++) /* rates in [1.9, 2.4] */
        for (int j = 0; j < 3; j++)
            check_close(2.15, log2(errors[i + 1][j] / errors[i][j]), 0.25);
    close_task(&fine);
}

/* E5 has two minima, the elbow bends one way or the other: their limits from two grids are the
 * Richardson limit of the sheet, and its cost of DMOC with 512 intervals up to the error of that.
 */
TEST(two_link_pendulum_has_two_minima)
{
    skip_without_solver();
    static const struct {
        double elbow, cost, tolerance;
    } minima[] = {{2, 80.3790, 2e-3}, {-2, 89.5643387641, 5e-3}};
    for (int i = 0; i < 2; i++) {
        double cost[2];
        for (int k = 0; k < 2; k++) {
            task t;
            open_two_link(&t, 64 << k);
            guess(&t, "base.angle", 0.5 * pi);
            guess(&t, "elbow.angle", minima[i].elbow);
            optimise(&t);
            check_true(t.certificate.minimum);
            cost[k] = olo_optimum_cost(t.optimum);
            close_task(&t);
        }
        check_close(minima[i].cost, (4 * cost[1] - cost[0]) / 3, minima[i].tolerance);
    }
}

/* The velocities of a node have the angular momentum of the discrete motion there, and are those of
 * the joints; those of the end are zero. */
TEST(states_of_nodes_have_the_momenta_of_the_motion)
{
    skip_without_solver();
    olo_error error = {0};
    task t;
    open_two_link(&t, 32);
    optimise(&t);
    for (int k = 1; k <= 32; k++) {
        olo_ledger ledger;
        check_ok(olo_optimum_get_state(t.optimum, k, t.s.state, &error), &error);
        olo_system_ledger(t.s.system, t.s.state, &ledger);
        check_close(one_sided_momentum(&t, k, true), ledger.angular_momentum[2], 1e-11);
        check_below(ledger.velocity_error, 1e-12);
        check_close(k / 32.0, olo_state_time(t.s.state), 1e-14);
    }
    olo_ledger end;
    olo_system_ledger(t.s.system, t.s.state, &end);
    check_below(end.kinetic, 1e-18);
    check_status(OLO_BAD_INPUT, olo_optimum_get_state(t.optimum, 33, t.s.state, &error));
    close_task(&t);
}

/* With one step per interval the run of the controls is the optimum; with many its distance from it
 * is of order 2. */
TEST(resimulation_with_small_steps_differs_by_order_2)
{
    skip_without_solver();
    olo_error error = {0};
    olo_resimulation same, far[2];
    task fine = {0};
    open_two_link(&fine, 256);
    optimise(&fine);
    for (int i = 0; i < 2; i++) {
        task t;
        open_two_link(&t, 64 << i);
        t.problem.start = fine.optimum;
        optimise(&t);
        check_ok(olo_optimum_resimulate(t.optimum, 1, &same, &error), &error);
        check_below(same.position, 1e-7);
        check_below(same.rotation, 1e-7);
        check_ok(olo_optimum_resimulate(t.optimum, 32, &far[i], &error), &error);
        check_true(far[i].position >= far[i].end_position && far[i].end_rotation > 0);
        check_status(OLO_BAD_INPUT, olo_optimum_resimulate(t.optimum, 0, &same, &error));
        close_task(&t);
    }
    check_close(2, log2(far[0].end_position / far[1].end_position), 0.15);
    check_close(2, log2(far[0].end_rotation / far[1].end_rotation), 0.15);
    close_task(&fine);
}

/* The parts of a cost add up to it; bounds of inputs that follow have the factor. */
TEST(parts_of_the_cost_and_iterations_are_recorded)
{
    skip_without_solver();
    task t;
    open_task(&t, slider);
    control(&t, "rail");
    t.controls[0].lower = -3;
    t.controls[0].upper = 9;
    t.problem.end_velocity = "free";
    olo_problem_cost costs[] = {t.costs[0], t.costs[0], t.costs[0]};
    costs[1].type = "end";
    costs[1].quantity = "rail.position";
    costs[1].target = 1;
    costs[1].weight = 5;
    costs[1].square = true;
    costs[2].type = "duration";
    costs[2].weight = 0.25;
    t.problem.costs = costs;
    t.problem.cost_count = 3;
    optimise(&t);
    double sum = 0, lower, upper, effort = 0;
    check_equal(3, olo_optimum_cost_part_count(t.optimum));
    for (int i = 0; i < 3; i++)
        sum += olo_optimum_cost_part(t.optimum, i);
    for (int k = 0; k < 50; k++)
        effort += 0.02 * pow(olo_optimum_controls(t.optimum, k)[0], 2);
    const double miss = olo_optimum_configuration(t.optimum, 50)[0] - 1;
    check_close(olo_optimum_cost(t.optimum), sum, 1e-14);
    check_text("rail", olo_optimum_cost_part_name(t.optimum, 0));
    check_close(effort, olo_optimum_cost_part(t.optimum, 0), 1e-12);
    check_text("duration", olo_optimum_cost_part_name(t.optimum, 1));
    check_close(0.25, olo_optimum_cost_part(t.optimum, 1), 1e-14);
    check_text("quantities", olo_optimum_cost_part_name(t.optimum, 2));
    check_close(5 * miss * miss, olo_optimum_cost_part(t.optimum, 2), 1e-12);
    olo_optimum_input_bounds(t.optimum, 0, &lower, &upper);
    check_true(lower == -3 && upper == 9);
    const int last = olo_optimum_progress_count(t.optimum) - 1;
    check_equal(olo_optimum_iterations(t.optimum), olo_optimum_progress(t.optimum, last).iteration);
    check_close(olo_optimum_cost(t.optimum), olo_optimum_progress(t.optimum, last).cost, 1e-8);
    close_task(&t);
}

/* Names and numbers of a problem may change after the solution. */
TEST(names_of_a_problem_are_copied)
{
    skip_without_solver();
    olo_error error = {0};
    char joint[] = "rail", quantity[] = "rail.position";
    task t;
    open_task(&t, slider);
    control(&t, joint);
    reach(&t, quantity, 1);
    t.problem.intervals = 4;
    optimise(&t);
    memset(joint, '?', sizeof joint - 1);
    memset(quantity, '?', sizeof quantity - 1);
    check_text("rail", olo_optimum_input_name(t.optimum, 0));
    check_text("rail", olo_optimum_cost_part_name(t.optimum, 0));
    close_task(&t);
    /* the message of a condition that cannot be satisfied */
    char height[] = "a.position.y";
    open_task(&t, slider);
    control(&t, "rail");
    reach(&t, height, 3);
    t.problem.intervals = 4;
    t.problem.iterations = 3;
    check_ok(olo_optimize(t.s.system, &t.problem, NULL, &t.optimum, &error), &error);
    memset(height, '?', sizeof height - 1);
    check_ok(olo_optimum_certify(t.optimum, &t.certificate, &error), &error);
    check_contains("a.position.y", t.certificate.worst);
    close_task(&t);
}

/* A motion with controls as initial guess: names are assigned, other intervals interpolate. */
TEST(a_given_motion_with_controls_is_an_initial_guess)
{
    skip_without_solver();
    static const char *const names[] = {"start", "rail"};
    static const double times[] = {0, 0.5, 1}, controls[] = {0, 4, 0.5, -4};
    olo_error error = {0};
    double q[3][12] = {{0}};
    task t;
    open_task(&t, slider);
    control(&t, "rail");
    t.controls[0].lower = -3;
    t.controls[0].upper = 9;
    reach(&t, "rail.position", 1);
    for (int k = 0; k < 3; k++) {
        memcpy(q[k], t.s.state->q, sizeof q[k]);
        q[k][0] = 0.5 * k;
    }
    t.problem.motion = q[0];
    t.problem.motion_times = times;
    t.problem.motion_count = 3;
    t.problem.motion_controls = controls;
    t.problem.motion_control_names = names;
    t.problem.motion_control_count = 2;
    t.problem.intervals = 4;
    t.problem.iterations = 0;
    check_ok(olo_optimize(t.s.system, &t.problem, NULL, &t.optimum, &error), &error);
    for (int k = 0; k < 4; k++)
        check_close(k < 2 ? 4 : -3, olo_optimum_controls(t.optimum, k)[0], 0.15);
    check_close(0.25, olo_optimum_configuration(t.optimum, 1)[0], 1e-12);
    olo_optimum_free(t.optimum);
    t.optimum = NULL;
    q[1][4] = NAN;
    check_status(OLO_BAD_INPUT, olo_optimize(t.s.system, &t.problem, NULL, &t.optimum, &error));
    check_contains("motion", error.text);
    t.problem.motion_count = 0;
    t.problem.motion_control_count = 0;
    t.problem.guess_file = "r.h5";
    check_status(OLO_BAD_INPUT, olo_optimize(t.s.system, &t.problem, NULL, &t.optimum, &error));
    check_contains("olo_result_read_guess", error.text);
    scene_close(&t.s);
}

/* Both transcriptions have the same optima. */
TEST(transcriptions_agree)
{
    skip_without_solver();
    task reduced, redundant;
    open_two_link(&reduced, 32);
    optimise(&reduced);
    open_two_link(&redundant, 32);
    redundant.problem.transcription = "redundant";
    redundant.problem.start = reduced.optimum;
    optimise(&redundant);
    check_same_optimum(&reduced, &redundant);
    close_task(&reduced);
    close_task(&redundant);
}

TEST_MAIN(cmocka_unit_test(two_link_pendulum_has_two_minima),
          cmocka_unit_test(names_of_a_problem_are_copied),
          cmocka_unit_test(a_given_motion_with_controls_is_an_initial_guess),
          cmocka_unit_test(double_integrator_has_its_discrete_optimum),
          cmocka_unit_test(double_integrator_has_its_discrete_optimum_on_any_grid),
          cmocka_unit_test(saddle_points_are_left_along_negative_curvature),
          cmocka_unit_test(degenerate_points_are_reported),
          cmocka_unit_test(least_time_is_found_with_bounds),
          cmocka_unit_test(least_time_has_a_control_error_of_one_half_interval),
          cmocka_unit_test(o2_and_o3_two_link_pendulum_has_the_table_of_the_sheet),
          cmocka_unit_test(states_of_nodes_have_the_momenta_of_the_motion),
          cmocka_unit_test(resimulation_with_small_steps_differs_by_order_2),
          cmocka_unit_test(parts_of_the_cost_and_iterations_are_recorded),
          cmocka_unit_test(transcriptions_agree))
