/* Parameters of a model as variables of optimal control, alone and with controls, in both
 * transcriptions, against closed forms. */
#include "optimal_task.h"

/* A problem in both transcriptions. */
static void solve_both(void (*solve)(const char *transcription))
{
    skip_without_solver();
    for (int i = 0; i < 2; i++)
        solve(task_transcriptions[i]);
}

/* An oscillator that starts at 1 at rest is at 0 after a quarter of its period: with the phase
 * angle phi of a step, tan(phi/2) = h sqrt(k/m)/2 and N phi = pi/2. */
static void find_stiffness(const char *transcription)
{
    static const char text[] =
        "parameters: {k: 1}\n"
        "bodies: {name: a, mass: 2, inertia: [1, 1, 1], position: [1, 0, 0]}\n"
        "joints: {name: rail, type: prismatic, between: [ground, a], axis: [1, 0, 0]}\n"
        "springs: {name: s, between: [{at: [-3, 0, 0]}, a], stiffness: k, length: 3}\n"
        "outputs: {name: x, on: a}\n";
    task t;
    const int N = 20;
    const double T = 0.7, h = T / N;
    open_task_with(&t, text, transcription);
    vary(&t, "k", 0.1, 100);
    reach(&t, "x.position", 0);
    t.problem.end_velocity = "free";
    t.problem.intervals = N;
    t.problem.duration = T;
    optimise(&t);
    check_true(t.certificate.minimum);
    check_relative(2 * pow(2 / h * tan(pi / (4 * N)), 2), olo_optimum_parameter(t.optimum, 0),
                   1e-9);
    check_text("k", olo_optimum_parameter_name(t.optimum, 0));
    close_task(&t);
}

TEST(stiffness_of_an_oscillator_for_a_given_period)
{
    solve_both(find_stiffness);
}

/* The length of a pendulum that swings from 2 rad to the lowest point in a given time: a quarter of
 * T = 4 sqrt(l/g) K(sin 1), with the complete elliptic integral K by the mean of Gauss. The initial
 * state depends on the length. The error is of order 2. */
static void find_length(const char *transcription)
{
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
        open_task_with(&t, text, transcription);
        vary(&t, "l", 0.2, 5);
        reach(&t, "x.position", 0);
        t.problem.end_velocity = "free";
        t.problem.intervals = 40 << i;
        t.problem.duration = quarter;
        t.problem.guess = "run";
        optimise(&t);
        check_true(t.certificate.minimum);
        off[i] = olo_optimum_parameter(t.optimum, 0) - exact;
        check_relative(exact, olo_optimum_parameter(t.optimum, 0), 1e-3);
        close_task(&t);
    }
    check_relative(4, off[0] / off[1], 0.02);
}

TEST(length_of_a_pendulum_for_a_given_period)
{
    solve_both(find_length);
}

/* A mass m that a force moves by 1 from rest to rest in a free time T, which costs
 *
 *     c m^2/T^3 + a T + w (m - m0)^2,   c = 12 N^2/(N^2 - 1):
 *
 * T^4 = 3 c m^2/a, so that the cost of the motion is 4/3 a T = b sqrt(m), and
 * b/(2 sqrt(m)) = 2 w (m0 - m). */
static void find_mass(const char *transcription)
{
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
    open_task_with(&t, text, transcription);
    control(&t, "rail");
    vary(&t, "m", 0.1, 10);
    reach(&t, "rail.position", 1);
    add_cost(&t, "duration")->weight = a;
    olo_problem_cost *of = add_cost(&t, "parameter");
    of->parameter = "m";
    of->target = m0;
    of->square = true;
    of->weight = w;
    t.problem.intervals = N;
    t.problem.shortest = 0.1;
    t.problem.longest = 20;
    optimise(&t);
    check_true(t.certificate.minimum);
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

TEST(mass_force_and_duration_are_optimal_together)
{
    solve_both(find_mass);
}

/* Two masses m1 + m2 = M on two rails are moved by 1 and by 2 in time 1 with forces that cost their
 * squares: c m1^2 + 4 c m2^2 is least for m1 = 4/5 M. */
static void split_mass(const char *transcription)
{
    static const char text[] =
        "parameters: {M: 5, m1: 2}\n"
        "bodies:\n"
        "  - {name: a, mass: m1, inertia: [1, 1, 1]}\n"
        "  - {name: b, mass: M - m1, inertia: [1, 1, 1]}\n"
        "joints:\n"
        "  - {name: r, type: prismatic, between: [ground, a], axis: [1, 0, 0], force: 1}\n"
        "  - {name: s, type: prismatic, between: [ground, b], axis: [1, 0, 0], force: 1}\n";
    task t;
    const int N = 10;
    open_task_with(&t, text, transcription);
    vary(&t, "m1", 0.1, 4.9);
    control(&t, "r");
    control(&t, "s");
    reach(&t, "r.position", 1);
    reach(&t, "s.position", 2);
    t.problem.intervals = N;
    optimise(&t);
    check_true(t.certificate.minimum);
    check_relative(4, olo_optimum_parameter(t.optimum, 0), 1e-8);
    check_relative(20 * 12.0 * N * N / (N * N - 1.0), olo_optimum_cost(t.optimum), 1e-9);
    close_task(&t);
}

TEST(split_of_a_mass_between_two_sliders)
{
    solve_both(split_mass);
}

/* Where an elbow is, with a condition of the tip; and a spring whose point of attachment and
 * stiffness are variables, on a loop, where charts do not close the rows. */
TEST(transcriptions_agree)
{
    skip_without_solver();
    static const char loop[] =
        FOUR_HINGES "parameters: {k: 3, s: 0.3}\n"
                    "springs: {name: s, between: [[-1, 0, 0], {on: coupler, at: [s, 0, 0]}],\n"
                    "  stiffness: k^2, length: 1}\n";
    for (int model = 0; model < 2; model++) {
        task t[2];
        for (int i = 0; i < 2; i++) {
            if (model == 0) {
                open_task(&t[i], "arm-design");
                t[i].problem = *olo_model_problem(t[i].s.model);
                t[i].problem.intervals = 20;
            } else {
                open_task(&t[i], loop);
                control(&t[i], "A");
                reach(&t[i], "A.angle", 0.6);
                vary(&t[i], "k", 0.1, 6);
                vary(&t[i], "s", -0.5, 0.5);
                t[i].problem.intervals = 12;
            }
            t[i].problem.transcription = task_transcriptions[i];
            t[i].problem.start = i ? t[0].optimum : NULL; /* there are other local optima */
            optimise(&t[i]);
            check_true(t[i].certificate.minimum);
        }
        check_same_optimum(&t[0], &t[1]);
        for (int i = 0; i < t[0].problem.parameter_count; i++)
            check_relative(olo_optimum_parameter(t[0].optimum, i),
                           olo_optimum_parameter(t[1].optimum, i), 1e-7);
        for (int i = 0; i < 2; i++)
            close_task(&t[i]);
    }
}

/* A free body of equal inertias J turns with 4 rad/s for one second, more than half a turn, which
 * costs nothing: the increments are asin(4 h) for any J, which a cost of its own decides. The
 * initial guess and with it the charts remain at the initial orientation. */
TEST(charts_are_centred_anew_at_the_parameters)
{
    enum { N = 20 };
    skip_without_solver();
    static const char body[] =
        "parameters: {J: 1}\n"
        "bodies: {name: a, mass: 1, inertia: [J, J, J], angular_velocity: [0, 0, 4]}\n"
        "loads:\n"
        "  - {name: x, on: a, moment: [1, 0, 0]}\n"
        "  - {name: y, on: a, moment: [0, 1, 0]}\n"
        "  - {name: z, on: a, moment: [0, 0, 1]}\n";
    static const char *const loads[] = {"x", "y", "z"};
    task t;
    open_task(&t, body);
    for (int i = 0; i < 3; i++)
        control(&t, loads[i]);
    t.controls[2].guess = 1;
    vary(&t, "J", 0.5, 5);
    olo_problem_cost *of = add_cost(&t, "parameter");
    of->parameter = "J";
    of->target = 2;
    of->square = true;
    t.problem.end_velocity = "free";
    t.problem.guess = "rest";
    t.problem.intervals = N;
    optimise(&t);
    const double increment = asin(4.0 / N);
    check_close(0, olo_optimum_cost(t.optimum), 1e-12);
    check_close(2, olo_optimum_parameter(t.optimum, 0), 1e-6);
    for (int k = 0; k <= N; k++) {
        const double *d = olo_optimum_configuration(t.optimum, k) + 3;
        check_close(cos(k * increment), d[0], 1e-7);
        check_close(sin(k * increment), d[1], 1e-7);
    }
    close_task(&t);
}

TEST_MAIN(cmocka_unit_test(stiffness_of_an_oscillator_for_a_given_period),
          cmocka_unit_test(length_of_a_pendulum_for_a_given_period),
          cmocka_unit_test(mass_force_and_duration_are_optimal_together),
          cmocka_unit_test(split_of_a_mass_between_two_sliders),
          cmocka_unit_test(transcriptions_agree),
          cmocka_unit_test(charts_are_centred_anew_at_the_parameters))
