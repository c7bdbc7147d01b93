/* Energy-momentum with velocities that satisfy their constraints has order 2, 4 and 6 in positions
 * and in velocities: fits of the errors over four steps, by least squares, on a pendulum, a top,
 * a linkage, a beam, a driven chain and a rolling disc. References are runs of the variational
 * scheme, or, where it has no equations (rolling), runs with far smaller steps. */
#include <unistd.h>

#include "scene.h"

enum { COORDINATES = 160, STEPS = 4 };

typedef struct end_state {
    int n;
    double q[COORDINATES], v[COORDINATES];
} end_state;

static end_state run_to(const char *model, const char *scheme, const char *order, double time,
                        long steps)
{
    const olo_setting settings[] = {{"run.scheme", scheme}, {"run.order", order}};
    scene s = scene_open_set(model, "reduced", settings, 2);
    end_state end = {.n = s.system->n};
    check_true(end.n <= COORDINATES);
    for (long i = 1; i <= steps; i++) {
        scene_run(&s, time / (double)steps, 1);
        olo_state_set_time(s.state, (double)i * time / (double)steps);
    }
    check_equal(0, s.halvings);
    memcpy(end.q, olo_state_configuration(s.state), (size_t)end.n * sizeof *end.q);
    memcpy(end.v, olo_state_velocity(s.state), (size_t)end.n * sizeof *end.v);
    scene_close(&s);
    return end;
}

/* The exponent of h in the error, by least squares. */
static double fitted_order(const long *steps, const double *error)
{
    double x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < STEPS; i++) {
        const double a = -log((double)steps[i]), b = log(error[i]);
        x += a;
        y += b;
        xx += a * a;
        xy += a * b;
    }
    return (STEPS * xy - x * y) / (STEPS * xx - x * x);
}

/* A model over `time`; steps[k] are the numbers of steps of order 2 (k + 1). */
typedef struct example {
    const char *name; /* of a model of this file; NULL: that of the catalogue */
    const char *model;
    double time;
    long steps[3][STEPS];
    long reference;
    bool rolls;
} example;

static void check_orders(const example *x)
{
    static const char *const orders[] = {"2", "4", "6"};
    const end_state exact =
        run_to(x->model, x->rolls ? "energy-momentum" : "variational", "6", x->time, x->reference);
    for (int k = 0; k < 3; k++) {
        double q[STEPS], v[STEPS];
        for (int i = 0; i < STEPS; i++) {
            const end_state end =
                run_to(x->model, "energy-momentum", orders[k], x->time, x->steps[k][i]);
            q[i] = scene_distance(end.n, end.q, exact.q);
            v[i] = scene_distance(end.n, end.v, exact.v);
        }
        const double of_q = fitted_order(x->steps[k], q), of_v = fitted_order(x->steps[k], v);
        print_message("%s, order %s, %ld to %ld steps: q %.3f (%.1e to %.1e), v %.3f (%.1e to "
                      "%.1e)\n",
                      x->name ? x->name : x->model, orders[k], x->steps[k][0],
                      x->steps[k][STEPS - 1], of_q, q[0], q[STEPS - 1], of_v, v[0], v[STEPS - 1]);
        check_close(2 * (k + 1), of_q, k < 2 ? 0.1 : 0.2);
        check_close(2 * (k + 1), of_v, k < 2 ? 0.1 : 0.2);
    }
}

TEST(a_pendulum_of_two_rods)
{
    check_orders(&(example){.model = "double-spherical-pendulum",
                            .time = 1.0,
                            .steps = {{80, 113, 160, 226}, {40, 57, 80, 113}, {40, 48, 57, 68}},
                            .reference = 400});
}

TEST(a_heavy_top)
{
    check_orders(&(example){.model = "heavy-top",
                            .time = 0.05,
                            .steps = {{200, 283, 400, 566}, {50, 71, 100, 141}, {50, 59, 71, 84}},
                            .reference = 500});
}

TEST(a_linkage_of_six_bodies)
{
    check_orders(&(example){.model = "six-body-linkage",
                            .time = 0.1,
                            .steps = {{20, 28, 40, 57}, {10, 14, 20, 28}, {8, 10, 12, 14}},
                            .reference = 120});
}

/* A beam of four elements that falls and bends on a pivot. */
static const char BEAM[] =
    "gravity: [0, 0, -9.81]\n"
    "beams:\n"
    "  - {name: arm, to: [1, 0, 0], d1: [0, 1, 0], elements: 4,\n"
    "     section: {type: circle, radius: 0.1, young: 1e6, poisson: 0.3, density: 1000}}\n"
    "supports: [{name: pivot, on: arm.start, type: point}]\n"
    "run: {step: 0.01, end: 1}\n";

TEST(a_beam)
{
    check_orders(
        &(example){.name = "a beam",
                   .model = BEAM,
                   .time = 0.1,
                   .steps = {{200, 283, 400, 566}, {80, 113, 160, 226}, {80, 95, 113, 134}},
                   .reference = 700});
}

/* A chain with a prescribed motion, a load over time and a spring. */
static const char DRIVEN[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: arm, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
    "  - {name: bob, mass: 1, inertia: [0.1, 0.2, 0.3], position: [1.5, 0, 0]}\n"
    "  - {name: tail, mass: 0.5, inertia: [0.02, 0.05, 0.04], position: [2.2, 0, 0]}\n"
    "joints:\n"
    "  - {name: shoulder, type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0],\n"
    "     motion: sin(3*t)^2}\n"
    "  - {name: elbow, type: spherical, between: [arm, bob], at: [1, 0, 0]}\n"
    "  - {name: wrist, type: revolute, between: [bob, tail], at: [2, 0, 0], axis: [0, 1, 0]}\n"
    "springs: {name: coil, between: [[0, 1, 0], tail], stiffness: 20, length: 1}\n"
    "loads: {name: wind, on: bob, force: [0, 3, 0], time: cos(4*t)}\n"
    "run: {step: 0.01, end: 1}\n";

TEST(a_driven_chain)
{
    check_orders(&(example){.name = "a driven chain",
                            .model = DRIVEN,
                            .time = 0.5,
                            .steps = {{80, 113, 160, 226}, {40, 57, 80, 113}, {30, 36, 42, 50}},
                            .reference = 250});
}

TEST(a_rolling_disc)
{
    check_orders(&(example){.model = "rolling-disc",
                            .time = 0.5,
                            .steps = {{80, 113, 160, 226}, {40, 57, 80, 113}, {30, 36, 42, 50}},
                            .reference = 250,
                            .rolls = true});
}

/* Small steps are solved to rounding, although the first updates of parts of a step say little
 * about the convergence: a quarter of the step has 1/256 of the error. */
TEST(order_four_of_a_robot_at_small_steps)
{
    const end_state exact = run_to("robot-6r", "variational", "6", 0.5, 400);
    double q[2], v[2];
    for (int i = 0; i < 2; i++) {
        const end_state end = run_to("robot-6r", "energy-momentum", "4", 0.5, i ? 1600 : 400);
        q[i] = scene_distance(end.n, end.q, exact.q);
        v[i] = scene_distance(end.n, end.v, exact.v);
    }
    print_message("robot, order 4, 400 and 1600 steps: q %.1e, %.1e, v %.1e, %.1e\n", q[0], q[1],
                  v[0], v[1]);
    check_below(q[1], q[0] / 150);
    check_below(v[1], v[0] / 150);
}

/* The parts of 800 steps of order 6 do not add up errors of single steps: velocities belong to the
 * last update of each. */
TEST(order_six_of_a_top_at_small_steps)
{
    const end_state exact = run_to("heavy-top", "variational", "6", 0.2, 3200),
                    end = run_to("heavy-top", "energy-momentum", "6", 0.2, 800);
    const double q = scene_distance(end.n, end.q, exact.q);
    print_message("heavy top, order 6, 800 steps: q %.1e\n", q);
    check_below(q, 2e-11);
}

/* The acceleration of the top's centre in the last row of a result, and in the first one. */
static void record_acceleration(const char *order, double time, long steps, double first[3],
                                double last[3])
{
    static const char *const file = "physics-consistent-orders.h5";
    const olo_setting settings[] = {{"run.scheme", "energy-momentum"}, {"run.order", order}};
    scene s = scene_open_set("heavy-top", "reduced", settings, 2);
    olo_error error = {0};
    olo_recorder *recorder = NULL;
    olo_result *result = NULL;
    olo_run_summary summary = {0};
    s.run.step = time / (double)steps;
    s.run.end = time;
    check_ok(olo_recorder_create(file, s.model, s.system, &s.run, "", &recorder, &error), &error);
    const olo_observer observer = olo_recorder_observer(recorder);
    check_ok(olo_simulate(s.system, &s.run, s.state, &observer, 1, &summary, &error), &error);
    check_ok(olo_recorder_finish(recorder, &summary, OLO_OK, &error), &error);
    olo_recorder_free(recorder);
    check_ok(olo_result_open(file, &result, &error), &error);
    const long rows = olo_result_row_count(result);
    double *values = malloc((size_t)rows * sizeof *values);
    for (int i = 0; i < 3; i++) {
        static const char *const columns[] = {"center.acceleration.x", "center.acceleration.y",
                                              "center.acceleration.z"};
        check_ok(olo_result_read_column(result, columns[i], values, &error), &error);
        first[i] = values[0];
        last[i] = values[rows - 1];
    }
    free(values);
    olo_result_free(result);
    unlink(file);
    scene_close(&s);
}

/* Steady precession about the vertical with the rate 10: the centre, at the distance L = 0.075 from
 * the apex and theta = pi/3, begins at -y and is accelerated towards the vertical. */
TEST(recorded_accelerations_of_a_heavy_top)
{
    static const char *const orders[] = {"2", "4", "6"};
    static const long steps[3][STEPS] = {
        {200, 283, 400, 566}, {50, 71, 100, 141}, {50, 59, 71, 84}};
    const double rate = 10, time = 0.05, most = rate * rate * 0.075 * sin(acos(-1.0) / 3);
    const double begin[3] = {0, most, 0},
                 end[3] = {-most * sin(rate * time), most * cos(rate * time), 0};
    for (int k = 0; k < 3; k++) {
        double error[STEPS];
        for (int i = 0; i < STEPS; i++) {
            double first[3], last[3];
            record_acceleration(orders[k], time, steps[k][i], first, last);
            check_below(scene_distance(3, first, begin), 1e-12 * most);
            error[i] = scene_distance(3, last, end);
        }
        const double order = fitted_order(steps[k], error);
        print_message("acceleration, order %s: %.3f (%.1e to %.1e)\n", orders[k], order, error[0],
                      error[STEPS - 1]);
        check_close(2 * (k + 1), order, k < 2 ? 0.1 : 0.2);
    }
}

TEST_MAIN(cmocka_unit_test(order_four_of_a_robot_at_small_steps),
          cmocka_unit_test(order_six_of_a_top_at_small_steps),
          cmocka_unit_test(recorded_accelerations_of_a_heavy_top),
          cmocka_unit_test(a_pendulum_of_two_rods), cmocka_unit_test(a_heavy_top),
          cmocka_unit_test(a_linkage_of_six_bodies), cmocka_unit_test(a_beam),
          cmocka_unit_test(a_driven_chain), cmocka_unit_test(a_rolling_disc))
