/* Small vibrations beyond K x = omega^2 M x: large systems by ARPACK, rotating frames, damping, and
 * follower loads, compared with closed forms and independent numbers. */
#include "scene.h"

#include <time.h>

#include "base/memory.h"
#include "linalg/vec3.h"

static const double pi = 3.14159265358979323846;

static olo_modes *modes_of(scene *s, const olo_vibration_options *options)
{
    olo_equilibrium_options statics = olo_equilibrium_options_default();
    olo_modes *modes = NULL;
    olo_error error = {0};
    statics.spin = options->spin;
    check_ok(olo_find_equilibrium(s->system, &statics, s->state, NULL, 0, NULL, &error), &error);
    check_ok(olo_modes_create(s->system, s->state, options, &modes, &error), &error);
    return modes;
}

/* --- dense and sparse --- */

#define BEAM                                                                                       \
    "parameters: {n: 12, P: 0, k: 1e6}\n"                                                          \
    "beams:\n"                                                                                     \
    "  - {name: b, elements: n, interpolation: quadratic, to: [1, 0, 0],\n"                        \
    "     stiffness: [k, k, k, 1, 2, 1], inertia: [1, 1e-6, 1e-6], damping: 1e-4}\n"               \
    "supports: {on: b.start, type: fixed}\n"                                                       \
    "loads: {on: b.end, force: [0, 0.1, -P], frame: body}\n"

static void check_same(const char *text, const olo_vibration_options *given, double tolerance)
{
    olo_vibration_options options = *given;
    scene s = scene_open(text, NULL);
    options.count = 14;
    options.solver = "dense";
    olo_modes *dense = modes_of(&s, &options);
    options.solver = "sparse";
    olo_modes *sparse = modes_of(&s, &options);
    check_equal(olo_modes_count(dense), olo_modes_count(sparse));
    double largest = fabs(olo_modes_omega_squared(dense, 13));
    for (int i = 0; i < 14; i++) {
        double size = larger(olo_modes_omega(dense, i), fabs(olo_modes_growth(dense, i)));
        /* modes without stiffness are rounding errors in both */
        if (size * size <= 1e-9 * largest)
            size = 1e-4 * sqrt(largest) / tolerance;
        check_close(olo_modes_omega(dense, i), olo_modes_omega(sparse, i), tolerance * size);
        check_close(olo_modes_growth(dense, i), olo_modes_growth(sparse, i), tolerance * size);
    }
    olo_modes_free(dense);
    olo_modes_free(sparse);
    scene_close(&s);
}

TEST(arpack_and_lapack_find_the_same_modes)
{
    olo_vibration_options options = olo_vibration_options_default();
    check_same("bend-45", &options, 1e-8);
    check_same("cantilever", &options, 1e-8);
    /* closures, and free directions */
    check_same("beams:\n"
               "  - {name: b, elements: 8, to: [1, 0, 0], stiffness: [1e4, 1e4, 1e4, 1, 1, 1],\n"
               "     inertia: [1, 1e-3, 1e-3]}\n"
               "joints:\n"
               "  - {name: left, type: revolute, between: [ground, b.start], axis: [0, 1, 1]}\n"
               "  - {name: right, type: point-on-line, between: [ground, b.end], at: [1, 0, 0], "
               "axis: [1, 0, 0]}\n",
               &options, 1e-8);
    /* without supports */
    check_same("beams:\n"
               "  - {name: b, elements: 8, to: [1, 0, 0], stiffness: [1e4, 1e4, 1e4, 1, 1, 1],\n"
               "     inertia: [1, 1e-3, 1e-3]}\n",
               &options, 1e-7);
    /* a load without a potential; damping; a rotating frame */
    check_same(BEAM, &options, 1e-6);
    options.damped = true;
    check_same(BEAM, &options, 1e-6);
    options.spin.rate[2] = 3;
    check_same(BEAM, &options, 1e-6);
}

/* The Krylov space of equal frequencies has one dimension: the dense solver is used instead. */
TEST(equal_pendulums_are_found_in_any_way)
{
    scene s =
        scene_open("gravity: [0, 0, -9.81]\n"
                   "points:\n"
                   "  - {name: \"p{i}\", repeat: {i: [1, 50]}, mass: 1, position: [i, 0, -2]}\n"
                   "rods:\n"
                   "  - {between: [[i, 0, 0], \"p{i}\"], repeat: {i: [1, 50]}}\n",
                   NULL);
    olo_vibration_options options = olo_vibration_options_default();
    options.solver = "sparse";
    olo_modes *modes = modes_of(&s, &options);
    check_equal(10, olo_modes_count(modes));
    for (int i = 0; i < 10; i++)
        check_relative(9.81 / 2, olo_modes_omega_squared(modes, i), 1e-10);
    olo_modes_free(modes);
    scene_close(&s);
}

/* Euler-Bernoulli: omega = s^2, cos s cosh s = -1. */
TEST(two_thousand_elements_take_seconds)
{
    const double roots[] = {1.87510406871196, 4.69409113297418, 7.85475743823761};
    olo_setting settings[] = {{"n", "2000"}};
    olo_vibration_options options = olo_vibration_options_default();
    scene s = scene_open_set("parameters: {n: 2000}\n"
                             "beams:\n"
                             "  - {name: b, elements: n, to: [1, 0, 0],\n"
                             "     stiffness: [1e6, 1e6, 1e6, 1, 9, 9], inertia: [1, 1e-6, 1e-6]}\n"
                             "supports: {on: b.start, type: fixed}\n",
                             NULL, settings, 1);
    double start = (double)clock() / CLOCKS_PER_SEC;
    olo_modes *modes = modes_of(&s, &options);
    check_below((double)clock() / CLOCKS_PER_SEC - start,
                30); /* half a second on an idle machine */
    check_equal(10, olo_modes_count(modes));
    /* numbers of the modes of bending about one axis and about the other, with three times the
     * frequency */
    const int number[2][2] = {{0, 2}, {1, 4}};
    for (int axis = 0; axis < 2; axis++)
        for (int i = 0; i < 2; i++)
            check_relative((axis ? 3 : 1) * roots[i] * roots[i],
                           olo_modes_omega(modes, number[axis][i]), 1e-3);
    olo_modes_free(modes);
    scene_close(&s);
}

/* --- a frame that turns --- */

/* A mass on springs k in all directions, in a frame that rotates with w: sqrt(k/m) -+ w normal to
 * the axis, sqrt(k/m) along it. */
TEST(springs_split_in_a_turning_frame)
{
    scene s = scene_open("points: {name: a, mass: 2, position: [0, 0, 0]}\n"
                         "springs: {type: linear, between: [[0, 0, 0], a], stiffness: 50}\n",
                         NULL);
    olo_vibration_options options = olo_vibration_options_default();
    options.spin.rate[0] = 0.6;
    options.spin.rate[2] = 0.8;
    olo_modes *modes = modes_of(&s, &options);
    const double expected[] = {4, 5, 6};
    check_equal(3, olo_modes_count(modes));
    for (int i = 0; i < 3; i++) {
        check_relative(expected[i], olo_modes_omega(modes, i), 1e-10);
        check_close(0, olo_modes_growth(modes, i), 0);
    }
    olo_modes_free(modes);
    scene_close(&s);
}

/* A mass at the end of a spring on an axis through (1, 0, 0): r = k l/(k - m w^2), and the force of
 * the rod is m w^2 r. */
TEST(centrifugal_forces_stretch_a_spring)
{
    const double k = 50, m = 2, w = 3, l = 1.5, r = k * l / (k - m * w * w);
    scene s = scene_open("points:\n"
                         "  - {name: a, mass: 2, position: [2.5, 0, 0]}\n"
                         "  - {name: c, mass: 4, position: [1, 2, 0]}\n"
                         "springs: {between: [[1, 0, 0], a], length: 1.5, stiffness: 50}\n"
                         "rods: {name: rod, between: [[1, 0, 0], c]}\n"
                         "outputs: {name: pull, reaction: rod}\n",
                         NULL);
    olo_equilibrium_options options = olo_equilibrium_options_default();
    olo_error error = {0};
    options.spin = (olo_rotating_frame){.rate = {0, 0, 3}, .point = {1, 0, 0}};
    check_ok(olo_find_equilibrium(s.system, &options, s.state, NULL, 0, NULL, &error), &error);
    check_relative(1 + r, scene_q(&s, "a")[0], 1e-10);
    double force[3], moment[3];
    const double *c = scene_q(&s, "c");
    olo_system_reaction(s.system, s.state, 0, force, moment);
    check_close(2, hypot(c[0] - 1, c[1]), 1e-12);
    check_close(0, c[2], 1e-9);
    check_close(-4 * w * w * (c[0] - 1), force[0], 1e-9);
    check_close(-4 * w * w * c[1], force[1], 1e-9);
    scene_close(&s);
}

/* tests/physics/rotating_beam_reference.py: radius of the hub, rate, flapping frequencies. */
static const double rotating[][5] = {
    {0, 2, 4.1373195730, 22.6149219565, 62.2731841057},
    {0, 4, 5.5850014209, 24.2733493944, 63.9667604931},
    {0, 6, 7.3603730193, 26.8090816785, 66.6839143815},
    {0, 8, 9.2568376005, 29.9953818916, 70.2929621856},
    {0, 10, 11.2023277622, 33.6403658542, 74.6492945970},
    {1, 2, 4.8336888715, 23.3660420457, 63.0675481233},
    {1, 4, 7.4750477921, 26.9572616716, 66.9867723006},
    {1, 10, 16.6063628422, 44.3682239229, 89.1563288304},
};

/* Flapping frequencies as in the table; in the plane of rotation the squares are smaller by the
 * square of the rate. */
TEST(rotation_stiffens_a_cantilever_as_in_the_tables)
{
    for (size_t i = 0; i < sizeof rotating / sizeof *rotating; i++) {
        const double *row = rotating[i];
        char radius[16];
        snprintf(radius, sizeof radius, "%g", row[0]);
        olo_setting setting = {"r", radius};
        scene s =
            scene_open_set("parameters: {r: 0}\n"
                           "beams:\n"
                           "  - {name: b, elements: 16, interpolation: quadratic, from: [r, 0, 0], "
                           "to: [r + 1, 0, 0],\n"
                           "     stiffness: [1e8, 1e8, 1e8, 1, 1, 1e3], inertia: [1, 1e-7, 1e-7]}\n"
                           "supports: {on: b.start, type: fixed}\n",
                           NULL, &setting, 1);
        olo_vibration_options options = olo_vibration_options_default();
        options.count = 6;
        options.solver = "sparse";
        options.spin.rate[2] = row[1];
        olo_modes *modes = modes_of(&s, &options);
        check_equal(6, olo_modes_count(modes));
        for (int k = 0; k < 3; k++) {
            double flap = row[2 + k], lag = sqrt(flap * flap - row[1] * row[1]);
            check_relative(lag, olo_modes_omega(modes, 2 * k), 2e-4);
            check_relative(flap, olo_modes_omega(modes, 2 * k + 1), 2e-4);
        }
        olo_modes_free(modes);
        scene_close(&s);
    }
}

/* With the rotation as a prescribed motion of a joint, the beam has the same frequencies as on the
 * ground of the rotating frame. */
TEST(driven_hub_is_held_in_the_frame_that_turns_with_it)
{
    scene s = scene_open("bodies: {name: hub, mass: 3, inertia: [1, 1, 1]}\n"
                         "beams:\n"
                         "  - {name: b, elements: 16, interpolation: quadratic, to: [1, 0, 0],\n"
                         "     stiffness: [1e8, 1e8, 1e8, 1, 1, 1e3], inertia: [1, 1e-7, 1e-7]}\n"
                         "joints:\n"
                         "  - {name: drive, type: revolute, between: [ground, hub], axis: [0, 0, "
                         "1], motion: \"6*t\"}\n"
                         "  - {name: clamp, type: rigid, between: [hub, b.start]}\n",
                         NULL);
    olo_vibration_options options = olo_vibration_options_default();
    options.count = 2;
    options.spin.rate[2] = 6;
    olo_modes *modes = modes_of(&s, &options);
    check_relative(sqrt(7.3603730193 * 7.3603730193 - 36), olo_modes_omega(modes, 0), 2e-4);
    check_relative(7.3603730193, olo_modes_omega(modes, 1), 2e-4);
    olo_modes_free(modes);
    scene_close(&s);
}

TEST(gravity_across_the_axis_of_a_frame_is_refused)
{
    olo_error error = {0};
    olo_equilibrium_options options = olo_equilibrium_options_default();
    options.spin.rate[0] = 1;
    scene s = scene_open("planar-pendulum", NULL);
    check_status(OLO_UNSUPPORTED,
                 olo_find_equilibrium(s.system, &options, s.state, NULL, 0, NULL, &error));
    check_contains("gravity rotates", error.text);
    scene_close(&s);
}

/* --- damping --- */

/* m x'' + c x' + k x = 0, below and above the critical damping. */
TEST(damped_spring_dies_away)
{
    const double damping[] = {2, 30};
    for (int i = 0; i < 2; i++) {
        char c[16];
        snprintf(c, sizeof c, "%g", damping[i]);
        olo_setting setting = {"c", c};
        scene s =
            scene_open_set("parameters: {c: 1}\n"
                           "bodies: {name: a, mass: 2, inertia: [1, 1, 1], position: [0, 0, 1]}\n"
                           "joints: {name: j, type: prismatic, between: [ground, a], axis: [0, 0, "
                           "1], stiffness: 50, damping: c}\n",
                           NULL, &setting, 1);
        olo_vibration_options options = olo_vibration_options_default();
        options.damped = true;
        olo_modes *modes = modes_of(&s, &options);
        double half = damping[i] / 4, rest = 25 - half * half;
        check_equal(rest > 0 ? 1 : 2, olo_modes_count(modes));
        if (rest > 0) {
            check_relative(-half, olo_modes_growth(modes, 0), 1e-12);
            check_relative(sqrt(rest), olo_modes_omega(modes, 0), 1e-12);
        } else {
            check_relative(-half + sqrt(-rest), olo_modes_growth(modes, 0), 1e-12);
            check_relative(-half - sqrt(-rest), olo_modes_growth(modes, 1), 1e-12);
        }
        olo_modes_free(modes);
        scene_close(&s);
    }
}

/* A controller is a spring and a damper: I lambda^2 + kd lambda + kp = 0. */
TEST(controller_has_its_poles)
{
    scene s =
        scene_open("bodies: {name: a, mass: 2, inertia: [3, 3, 4]}\n"
                   "joints: {name: j, type: revolute, between: [ground, a], axis: [0, 0, 1],\n"
                   "         controller: {kp: 100, kd: 8, target: \"0.3 + 5*t\"}}\n",
                   NULL);
    olo_vibration_options options = olo_vibration_options_default();
    options.damped = true;
    olo_modes *modes = modes_of(&s, &options);
    check_equal(1, olo_modes_count(modes));
    check_relative(-1, olo_modes_growth(modes, 0), 1e-10);
    check_relative(sqrt(24), olo_modes_omega(modes, 0), 1e-10);
    /* the parts of a mode have no phase differences here */
    olo_error error = {0};
    check_ok(olo_modes_displace(modes, 0, 0.1, pi / 2, s.state, &error), &error);
    check_close(0.3, olo_system_joint_coordinate_value(s.system, s.state, 0), 1e-9);
    olo_modes_free(modes);
    scene_close(&s);
}

/* --- a load that follows: the column of Beck --- */

/* w'''' + p w'' = omega^2 w, w(0) = w'(0) = w''(1) = w'''(1) = 0. */
static double beck(double p, double omega)
{
    double root = sqrt(p * p / 4 + omega * omega), a = sqrt(root - p / 2), b = sqrt(root + p / 2);
    /* w = A (cosh ax - cos bx) + B (sinh ax/a - sin bx/b) */
    double m[2][2] = {{a * a * cosh(a) + b * b * cos(b), a * sinh(a) + b * sin(b)},
                      {a * a * a * sinh(a) - b * b * b * sin(b), a * a * cosh(a) + b * b * cos(b)}};
    return m[0][0] * m[1][1] - m[0][1] * m[1][0];
}

/* Whether the two lowest frequencies are still separate. */
static bool beck_swings(double p)
{
    double first = beck(p, 0.01);
    for (double omega = 0.01; omega < 20; omega += 1e-3)
        if (first * beck(p, omega) < 0)
            return true;
    return false;
}

static double largest_growth(double p, double *omega)
{
    char load[32];
    snprintf(load, sizeof load, "%.17g", p);
    olo_setting setting = {"P", load};
    scene s =
        scene_open_set("parameters: {P: 1}\n"
                       "beams:\n"
                       "  - {name: b, elements: 16, interpolation: quadratic, to: [1, 0, 0],\n"
                       "     stiffness: [1e7, 1e7, 1e7, 1, 100, 1], inertia: [1, 1e-7, 1e-7]}\n"
                       "supports: {on: b.start, type: fixed}\n"
                       "loads: {on: b.end, force: [0, 0, -P], frame: body}\n",
                       NULL, &setting, 1);
    olo_vibration_options options = olo_vibration_options_default();
    options.count = 2;
    options.solver = "sparse";
    olo_modes *modes = modes_of(&s, &options);
    double growth = larger(olo_modes_growth(modes, 0), olo_modes_growth(modes, 1));
    *omega = olo_modes_omega(modes, 0);
    olo_modes_free(modes);
    scene_close(&s);
    return growth;
}

TEST(column_of_beck_flutters_at_its_critical_load)
{
    double low = 15, high = 25, omega = 0;
    for (int i = 0; i < 24; i++)
        *(beck_swings(0.5 * (low + high)) ? &low : &high) = 0.5 * (low + high);
    double critical = low;
    check_close(20.05, critical, 0.005); /* Beck 1952 */
    for (low = 15, high = 25; high - low > 1e-4;)
        *(largest_growth(0.5 * (low + high), &omega) > 1e-3 ? &high : &low) = 0.5 * (low + high);
    check_relative(critical, low, 2e-4);
    check_relative(11.016, omega, 2e-3);
    check_close(0, largest_growth(10, &omega), 1e-9);
}

/* --- what cannot be done --- */

static void push(void *context, double t, const double x[3], const double v[3], double force[3])
{
    (void)context, (void)t, (void)x, (void)v;
    vec3_set(0, 0, 0, force);
}

TEST(wrong_questions_are_answered)
{
    olo_error error = {0};
    olo_modes *modes = NULL;
    olo_vibration_options options = olo_vibration_options_default();
    scene s = scene_open("planar-pendulum", NULL);
    check_status(OLO_UNSUPPORTED, olo_modes_create(s.system, s.state, &options, &modes, &error));
    check_contains("no equilibrium", error.text);
    check_true(modes == NULL);
    options.count = 0;
    check_status(OLO_BAD_INPUT, olo_modes_create(s.system, s.state, &options, &modes, &error));
    options = olo_vibration_options_default();
    options.solver = "lanczos";
    check_status(OLO_BAD_INPUT, olo_modes_create(s.system, s.state, &options, &modes, &error));
    check_contains("'lanczos'", error.text);
    scene_close(&s);
    const char *text = "points: {name: a, mass: 1, position: [0, 0, 0]}\n"
                       "loads: {name: wind, on: a}\n";
    olo_model *model = NULL;
    check_ok(olo_model_read_text(text, strlen(text), "test", NULL, 0, &model, &error), &error);
    check_ok(olo_model_set_load_function(model, "wind", push, NULL, &error), &error);
    olo_system *system = NULL;
    olo_state *start = NULL;
    check_ok(olo_model_compile(model, &system, &error), &error);
    check_ok(olo_system_create_initial_state(system, &start, NULL, &error), &error);
    check_status(OLO_UNSUPPORTED, olo_modes_create(system, start, NULL, &modes, &error));
    check_contains("'wind'", error.text);
    olo_state_free(start);
    olo_system_free(system);
    olo_model_free(model);
}

/* Every allocation of the general solvers fails in turn: the status reports it, and no memory
 * leaks. */
TEST(without_memory_nothing_is_lost)
{
    const char *const solvers[] = {"dense", "sparse"};
    for (int k = 0; k < 4; k++) {
        scene s = scene_open(
            "beams:\n"
            "  - {name: b, elements: 3, to: [1, 0, 0], stiffness: [9, 9, 9, 1, 1, 1],\n"
            "     inertia: [1, 1e-1, 1e-1]}\n"
            "supports: {on: b.start, type: fixed}\n"
            "joints: {name: right, type: point-on-line, between: [ground, b.end], at: [1, 0, 0], "
            "axis: [1, 0, 0]}\n",
            NULL);
        olo_vibration_options options = olo_vibration_options_default();
        options.count = 2;
        options.solver = solvers[k % 2];
        options.damped = k / 2 == 1;
        size_t before = olo_memory_alive();
        olo_status status = OLO_NO_MEMORY;
        for (size_t n = 1; status != OLO_OK; n++) {
            olo_error error = {0};
            olo_modes *modes = NULL;
            olo_memory_fail_at(n);
            status = olo_modes_create(s.system, s.state, &options, &modes, &error);
            olo_memory_fail_at(0);
            if (status != OLO_OK)
                check_status(OLO_NO_MEMORY, status);
            olo_modes_free(modes);
            check_equal(before, olo_memory_alive());
            check_true(n < 1000);
        }
        scene_close(&s);
    }
}

TEST_MAIN(cmocka_unit_test(arpack_and_lapack_find_the_same_modes),
          cmocka_unit_test(equal_pendulums_are_found_in_any_way),
          cmocka_unit_test(two_thousand_elements_take_seconds),
          cmocka_unit_test(springs_split_in_a_turning_frame),
          cmocka_unit_test(centrifugal_forces_stretch_a_spring),
          cmocka_unit_test(rotation_stiffens_a_cantilever_as_in_the_tables),
          cmocka_unit_test(driven_hub_is_held_in_the_frame_that_turns_with_it),
          cmocka_unit_test(gravity_across_the_axis_of_a_frame_is_refused),
          cmocka_unit_test(damped_spring_dies_away), cmocka_unit_test(controller_has_its_poles),
          cmocka_unit_test(column_of_beck_flutters_at_its_critical_load),
          cmocka_unit_test(wrong_questions_are_answered),
          cmocka_unit_test(without_memory_nothing_is_lost))
