/* Linear systems x' = A x + B u, y = C x + D u: matrices in closed form, loops, rotating frames,
 * and a comparison with runs. */
#include "scene.h"

#include "base/memory.h"

static olo_linear *linear_of(scene *s, bool equilibrium, const olo_vibration_options *options)
{
    olo_linear *linear = NULL;
    olo_error error = {0};
    if (equilibrium)
        check_ok(olo_find_equilibrium(s->system, NULL, s->state, NULL, 0, NULL, &error), &error);
    check_ok(olo_linear_create(s->system, s->state, options, &linear, &error), &error);
    return linear;
}

static void check_matrix(const olo_linear *x, char key, int rows, int columns,
                         const double *expected, double tolerance)
{
    const double *got = olo_linear_matrix(x, key);
    check_equal(rows, key < 'C' ? olo_linear_state_count(x) : olo_linear_output_count(x));
    check_equal(columns,
                key == 'A' || key == 'C' ? olo_linear_state_count(x) : olo_linear_input_count(x));
    for (int i = 0; i < rows * columns; i++)
        check_close(expected[i], got[i], tolerance);
}

/* J = 0.2 + 2 0.7^2 about the hinge: theta'' = (-m g l theta + 3 u)/J; the tip moves along x or z.
 */
TEST(pendulum_with_a_torque)
{
    scene s = scene_open(
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: b, mass: 2, center: [0, 0, -0.7], inertia: [0.1, 0.2, 0.3]}\n"
        "joints: {name: j, type: revolute, between: [ground, b], axis: [0, 1, 0], torque: 3, time: "
        "\"0\"}\n"
        "outputs: {name: tip, on: {on: b, at: [0, 0, -1.4]}}\n",
        NULL);
    olo_linear *x = linear_of(&s, true, NULL);
    const double J = 0.2 + 2 * 0.49;
    check_matrix(x, 'A', 2, 2, (double[]){0, 1, -2 * 9.81 * 0.7 / J, 0}, 1e-9);
    check_matrix(x, 'B', 2, 1, (double[]){0, 3 / J}, 1e-12);
    check_matrix(x, 'C', 4, 2, (double[]){1, 0, -1.4, 0, 0, 0, 0, 0}, 1e-9);
    check_matrix(x, 'D', 4, 1, (double[]){0, 0, 0, 0}, 0);
    check_text("j.angle", olo_linear_state_name(x, 0));
    check_text("j.angle.rate", olo_linear_state_name(x, 1));
    check_text("j.torque", olo_linear_input_name(x, 0));
    check_text("tip.position.x", olo_linear_output_name(x, 1));
    check_true(olo_linear_state_name(x, 2) == NULL && olo_linear_input_name(x, -1) == NULL);
    check_true(olo_linear_matrix(x, 'E') == NULL);
    olo_linear_free(x);
    scene_close(&s);
}

/* m z'' = -k (z - w) - c (z' - w'): a mass on the ground's guide above a moving road. */
TEST(a_road_is_an_input_with_its_rate)
{
    scene s = scene_open(
        "bodies:\n"
        "  - {name: road, mass: 3, inertia: [1, 1, 1]}\n"
        "  - {name: car, mass: 2, inertia: [1, 1, 1], position: [0, 0, 1]}\n"
        "joints:\n"
        "  - {name: road-motion, type: prismatic, between: [ground, road], axis: [0, 0, 1], "
        "motion: 0.1*t^2}\n"
        "  - {name: guide, type: prismatic, between: [ground, car], axis: [0, 0, 1]}\n"
        "springs: {name: s, between: [road, car], stiffness: 50, damping: 3}\n"
        "outputs: {name: seat, on: car}\n",
        NULL);
    olo_linear *x = linear_of(&s, true, NULL);
    check_equal(3, olo_linear_input_count(x));
    check_text("road-motion.motion", olo_linear_input_name(x, 0));
    check_text("road-motion.motion.rate", olo_linear_input_name(x, 1));
    check_text("road-motion.motion.acceleration", olo_linear_input_name(x, 2));
    check_matrix(x, 'A', 2, 2, (double[]){0, 1, -25, -1.5}, 1e-9);
    check_matrix(x, 'B', 2, 3, (double[]){0, 0, 0, 25, 1.5, 0}, 1e-9);
    /* outputs: both joint coordinates, then the seat */
    check_matrix(x, 'C', 5, 2, (double[]){0, 0, 1, 0, 0, 0, 0, 0, 1, 0}, 1e-12);
    check_matrix(x, 'D', 5, 3, (double[]){1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 1e-12);
    olo_linear_free(x);
    scene_close(&s);
}

/* The same with the car guided by the road: the state is the deflection r = z - w, with m (r'' +
 * w'') = -k r - c r', and the seat moves by r + w. */
TEST(a_road_is_an_input_with_its_acceleration)
{
    scene s = scene_open(
        "bodies:\n"
        "  - {name: road, mass: 3, inertia: [1, 1, 1]}\n"
        "  - {name: car, mass: 2, inertia: [1, 1, 1], position: [0, 0, 1]}\n"
        "joints:\n"
        "  - {name: base, type: prismatic, between: [ground, road], axis: [0, 0, 1], motion: "
        "sin(t)}\n"
        "  - {name: strut, type: prismatic, between: [road, car], axis: [0, 0, 1], stiffness: 50, "
        "damping: 3}\n"
        "outputs: {name: seat, on: car}\n",
        NULL);
    olo_linear *x = linear_of(&s, true, NULL);
    check_matrix(x, 'A', 2, 2, (double[]){0, 1, -25, -1.5}, 1e-9);
    check_matrix(x, 'B', 2, 3, (double[]){0, 0, 0, 0, 0, -1}, 1e-9);
    check_matrix(x, 'D', 5, 3, (double[]){1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}, 1e-12);
    check_text("strut.position", olo_linear_state_name(x, 0));
    olo_linear_free(x);
    scene_close(&s);
}

/* A shaft with a motion w drives a wheel by gears, theta = -2 w, and the wheel a disc on a spring:
 * J (r'' + theta'') = -k r. */
TEST(a_motion_goes_through_gears)
{
    scene s =
        scene_open("bodies:\n"
                   "  - {name: shaft, mass: 1, inertia: [1, 1, 1]}\n"
                   "  - {name: wheel, mass: 1, inertia: [2, 2, 3], position: [1, 0, 0]}\n"
                   "  - {name: disc, mass: 1, inertia: [1, 1, 2], position: [1, 0, 0]}\n"
                   "joints:\n"
                   "  - {name: one, between: [ground, shaft], axis: [0, 0, 1], motion: sin(t)}\n"
                   "  - {name: two, between: [ground, wheel], axis: [0, 0, 1]}\n"
                   "  - {name: coil, between: [wheel, disc], axis: [0, 0, 1], stiffness: 8}\n"
                   "relations: {name: gears, coordinate: two, follows: one, ratio: -2}\n",
                   NULL);
    olo_linear *x = linear_of(&s, true, NULL);
    check_text("coil.angle", olo_linear_state_name(x, 0));
    check_matrix(x, 'A', 2, 2, (double[]){0, 1, -4, 0}, 1e-9);
    check_matrix(x, 'B', 2, 3, (double[]){0, 0, 0, 0, 0, 2}, 1e-9);
    check_matrix(x, 'D', 3, 3, (double[]){1, 0, 0, -2, 0, 0, 0, 0, 0}, 1e-12);
    olo_linear_free(x);
    scene_close(&s);
}

#define CART                                                                                       \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "parameters: {kp: 0, kd: 0, angle: 0}\n"                                                       \
    "bodies:\n"                                                                                    \
    "  - {name: cart, mass: 2, inertia: [1, 1, 1]}\n"                                              \
    "  - {name: pole, mass: 0.5, inertia: [0.01, 0.01, 0.01], center: [0, 0, 0.8],\n"              \
    "     rotation: {axis: [0, 1, 0], angle: angle}}\n"                                            \
    "joints:\n"                                                                                    \
    "  - {name: rail, type: prismatic, between: [ground, cart], axis: [1, 0, 0], force: 1,\n"      \
    "     time: \"0\", damping: 0.3}\n"                                                            \
    "  - {name: hinge, type: revolute, between: [cart, pole], at: [0, 0, 0], axis: [0, 1, 0],\n"   \
    "     damping: 0.02, controller: {kp: kp, kd: kd}}\n"                                          \
    "loads:\n"                                                                                     \
    "  - {name: push, on: {on: pole, at: [0, 0, 0.8]}, force: [2, 0, 0], time: \"0\"}\n"           \
    "  - {name: idle, on: cart, force: [0, 4, 1], time: \"0\"}\n"

/* The equations of motion are
 *
 *     (M + m) x'' + m l th'' + c x' = u + 2 w,
 *     m l x'' + (J + m l^2) th'' + d th' - m g l th = kp (target - th) + kd (...)' + 2 l w. */
TEST(cart_and_pole_upright)
{
    const double M = 2, m = 0.5, l = 0.8, J = 0.01 + m * l * l, g = 9.81, c = 0.3, d = 0.02;
    const double kp = 40, kd = 3, det = (M + m) * J - m * l * m * l;
    /* the inverse of the mass matrix */
    const double a = J / det, b = -m * l / det, e = (M + m) / det;
    olo_setting settings[] = {{"kp", "40"}, {"kd", "3"}};
    scene s = scene_open_set(CART, NULL, settings, 2);
    olo_linear *x = linear_of(&s, false, NULL);
    const double K = m * g * l - kp, D = -(d + kd);
    check_matrix(
        x, 'A', 4, 4,
        (double[]){0, 0, 1, 0, 0, 0, 0, 1, 0, b * K, -a * c, b * D, 0, e * K, -b * c, e * D},
        1e-11);
    check_matrix(x, 'B', 4, 4,
                 (double[]){0, 0, 0, 0, 0, 0, 0, 0, a, b * kp, b * kd, 2 * (a + b * l), b, e * kp,
                            e * kd, 2 * (b + e * l)},
                 1e-11);
    const char *const inputs[] = {"rail.force", "hinge.target", "hinge.target.rate", "push"};
    for (int i = 0; i < 4; i++)
        check_text(inputs[i], olo_linear_input_name(x, i));
    olo_linear_free(x);
    scene_close(&s);
}

/* At an angle that is held by a torque only the derivative of the weight remains, with the mass
 * matrix at that angle. */
TEST(cart_and_pole_held_at_an_angle)
{
    const double m = 0.5, l = 0.8, J = 0.01 + m * l * l, q = 0.6, ml = m * l * cos(0.6);
    const double det = 2.5 * J - ml * ml;
    olo_setting settings[] = {{"angle", "0.6"}};
    scene s = scene_open_set(CART, NULL, settings, 1);
    olo_vibration_options options = olo_vibration_options_default();
    olo_linear *x = NULL;
    olo_error error = {0};
    check_status(OLO_UNSUPPORTED, olo_linear_create(s.system, s.state, NULL, &x, &error));
    check_contains("no equilibrium", error.text);
    options.hold = true;
    x = linear_of(&s, false, &options);
    const double K = m * 9.81 * l * cos(q), *A = olo_linear_matrix(x, 'A');
    check_close(-ml / det * K, A[2 * 4 + 1], 1e-11);
    check_close(2.5 / det * K, A[3 * 4 + 1], 1e-11);
    check_close(-J / det * 0.3, A[2 * 4 + 2], 1e-11);
    olo_linear_free(x);
    scene_close(&s);
    s = scene_open("four-bar", NULL);
    check_status(OLO_UNSUPPORTED, olo_linear_create(s.system, s.state, &options, &x, &error));
    check_contains("without loops", error.text);
    scene_close(&s);
}

/* A free body with an eccentric force, and a line load on a beam that is one input. */
TEST(free_body_is_a_double_integrator)
{
    scene s = scene_open("bodies: {name: b, mass: 2, inertia: [1, 1.5, 1.2]}\n"
                         "loads: {name: jet, on: {on: b, at: [0, 0.5, 0]}, force: [3, 0, 0], time: "
                         "\"0\"}\n",
                         NULL);
    olo_linear *x = linear_of(&s, false, NULL);
    const char *const names[] = {"b.x", "b.y", "b.z", "b.rx", "b.ry", "b.rz"};
    double A[144] = {0}, B[12] = {0};
    for (int i = 0; i < 6; i++) {
        A[i * 12 + 6 + i] = 1;
        check_text(names[i], olo_linear_state_name(x, i));
    }
    B[6] = 1.5;
    B[11] = -0.5 * 3 / 1.2;
    check_matrix(x, 'A', 12, 12, A, 1e-14);
    check_matrix(x, 'B', 12, 1, B, 1e-14);
    olo_linear_free(x);
    scene_close(&s);
    s = scene_open(
        "beams:\n"
        "  - {name: b, elements: 4, to: [1, 0, 0], stiffness: [9, 9, 9, 1, 1, 1],\n"
        "     inertia: [1, 1e-1, 1e-1]}\n"
        "supports: {on: b.start, type: fixed}\n"
        "loads: {name: snow, along: b, force: [0, 0, -1], moment: [0.1, 0, 0], time: \"0\"}\n",
        NULL);
    x = linear_of(&s, false, NULL);
    check_equal(48, olo_linear_state_count(x));
    check_equal(1, olo_linear_input_count(x));
    check_text("snow", olo_linear_input_name(x, 0));
    olo_linear_free(x);
    scene_close(&s);
}

/* A board of mass 3 on two parallel links of mass 0.6 and length 0.5: one degree of freedom out of
 * three joint angles. */
TEST(swing_on_two_links_has_one_coordinate)
{
    const double l = 0.5, M = 3, m = 0.6;
    scene s = scene_open(
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: left, mass: 0.6, center: [0, 0, -0.25], inertia: [0.0125, 0.0125, 0.0125]}\n"
        "  - {name: right, mass: 0.6, center: [0, 0, -0.25], inertia: [0.0125, 0.0125, 0.0125], "
        "position: [1, 0, 0]}\n"
        "  - {name: board, mass: 3, inertia: [1, 1, 1], position: [0.5, 0, -0.5]}\n"
        "joints:\n"
        "  - {name: a, type: revolute, between: [ground, left], axis: [0, 1, 0], torque: 1, time: "
        "\"0\"}\n"
        "  - {name: b, type: revolute, between: [ground, right], at: [1, 0, 0], axis: [0, 1, 0]}\n"
        "  - {name: c, type: revolute, between: [left, board], at: [0, 0, -0.5], axis: [0, 1, 0]}\n"
        "  - {name: d, type: revolute, between: [right, board], at: [1, 0, -0.5], axis: [0, 1, "
        "0]}\n"
        "outputs: {name: seat, on: board}\n",
        NULL);
    olo_linear *x = linear_of(&s, false, NULL);
    check_equal(2, olo_linear_state_count(x));
    double inertia = (M + 2 * m / 3) * l * l, sign = 1;
    /* angles of the board relative to the links have the opposite sign */
    for (int i = 0; i < 4; i++) {
        double row = olo_linear_matrix(x, 'C')[2 * i];
        check_close(1, fabs(row), 1e-12);
        if (i == 0)
            sign = row;
        check_close(i < 2 ? sign : -sign, row, 1e-12);
    }
    check_matrix(x, 'A', 2, 2, (double[]){0, 1, -(M + m) * 9.81 * l / inertia, 0}, 1e-9);
    check_matrix(x, 'B', 2, 1, (double[]){0, sign / inertia}, 1e-10);
    check_close(-sign * l, olo_linear_matrix(x, 'C')[2 * 4], 1e-12);
    olo_linear_free(x);
    scene_close(&s);
}

/* A mass on springs in a frame that rotates with w about z:
 * x'' = -(k/m - w^2) x + 2 w y',  y'' = -(k/m - w^2) y - 2 w x'. */
TEST(turning_frame_has_coriolis_forces)
{
    const double w = 1.5, k = 25;
    scene s = scene_open("points: {name: a, mass: 2, position: [0, 0, 0]}\n"
                         "springs: {type: linear, between: [[0, 0, 0], a], stiffness: 50}\n",
                         NULL);
    olo_vibration_options options = olo_vibration_options_default();
    options.spin.rate[2] = w;
    olo_linear *x = linear_of(&s, false, &options);
    double A[36] = {0};
    for (int i = 0; i < 3; i++) {
        A[6 * i + 3 + i] = 1;
        A[6 * (3 + i) + i] = i < 2 ? w * w - k : -k;
    }
    A[6 * 3 + 4] = 2 * w;
    A[6 * 4 + 3] = -2 * w;
    check_matrix(x, 'A', 6, 6, A, 1e-12);
    olo_linear_free(x);
    scene_close(&s);
}

/* --- against the motion --- */

#define ARM                                                                                        \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "parameters: {a: 0, b: 0, wa: 0, wb: 0}\n"                                                     \
    "bodies:\n"                                                                                    \
    "  - {name: upper, mass: 2, center: [0, 0, -0.3], inertia: [0.1, 0.12, 0.05],\n"               \
    "     rotation: {axis: [0, 1, 0], angle: a}, angular_velocity: [0, wa, 0]}\n"                  \
    "  - {name: lower, mass: 1, center: [0.1, 0, -0.2], inertia: [0.03, 0.04, 0.02],\n"            \
    "     position: [-0.6*sin(a), 0, -0.6*cos(a)], rotation: {axis: [0, 1, 0], angle: a + b},\n"   \
    "     velocity: [-0.6*cos(a)*wa, 0, 0.6*sin(a)*wa], angular_velocity: [0, wa + wb, 0]}\n"      \
    "joints:\n"                                                                                    \
    "  - {name: shoulder, type: revolute, between: [ground, upper], axis: [0, 1, 0],\n"            \
    "     damping: 0.4}\n"                                                                         \
    "  - {name: elbow, type: revolute, between: [upper, lower], at: [-0.6*sin(a), 0, "             \
    "-0.6*cos(a)],\n"                                                                              \
    "     axis: [0, 1, 0], stiffness: 3, rest: 0.2, controller: {kp: 5, kd: 0.3, target: "         \
    "\"0.4\"}}\n"                                                                                  \
    "springs: {between: [[0.7, 0, 0], {on: lower, at: [0, 0, -0.4]}], stiffness: 8, length: "      \
    "0.5,\n"                                                                                       \
    "          damping: 0.5}\n"

static void set(olo_setting *setting, char *text, const char *name, double value)
{
    snprintf(text, 40, "%.17g", value);
    *setting = (olo_setting){name, text};
}

/* Angles and rates at time T of a run with given initial ones. Angles count from the initial state
 * of a model; therefore the model is the same with other positions. */
static void run_in(int steps, const double start[4], double T, double end[4])
{
    static const char *const names[] = {"a", "b", "wa", "wb"};
    olo_setting settings[4];
    char text[4][40];
    for (int i = 0; i < 4; i++)
        set(&settings[i], text[i], names[i], start[i]);
    scene s = scene_open(ARM, NULL), posed = scene_open_set(ARM, NULL, settings, 4);
    olo_state_set_configuration(s.system, s.state, olo_state_configuration(posed.state));
    olo_state_set_velocity(s.state, olo_state_velocity(posed.state));
    scene_run(&s, T / steps, steps);
    for (int i = 0; i < 2; i++) {
        end[i] = olo_system_joint_coordinate_value(s.system, s.state, i);
        end[2 + i] = olo_system_joint_coordinate_rate(s.system, s.state, i);
    }
    scene_close(&s);
    scene_close(&posed);
}

/* The same without the error of second order in the step, by extrapolation. */
static void run(const double start[4], double T, double end[4])
{
    double coarse[4];
    run_in(150, start, T, coarse);
    run_in(300, start, T, end);
    for (int i = 0; i < 4; i++)
        end[i] += (end[i] - coarse[i]) / 3;
}

/* exp(A T) by its series */
static void exponential(const double *A, double T, double E[16])
{
    double term[16];
    for (int i = 0; i < 16; i++)
        E[i] = term[i] = i % 5 == 0;
    for (int k = 1; k < 60; k++) {
        double next[16] = {0};
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                for (int l = 0; l < 4; l++)
                    next[4 * i + j] += term[4 * i + l] * A[4 * l + j] * T / k;
        for (int i = 0; i < 16; i++)
            E[i] += term[i] = next[i];
    }
}

/* Runs from states near the equilibrium end at exp(A T) times the initial deviation. */
TEST(differences_of_runs_are_the_exponential_of_the_matrix)
{
    const double T = 0.3, apart = 1e-4;
    scene s = scene_open(ARM, NULL);
    olo_linear *x = linear_of(&s, true, NULL);
    double base[4] = {0}, E[16];
    for (int i = 0; i < 2; i++)
        base[i] = olo_system_joint_coordinate_value(s.system, s.state, i);
    exponential(olo_linear_matrix(x, 'A'), T, E);
    for (int j = 0; j < 4; j++) {
        double up[4], down[4], high[4], low[4];
        for (int i = 0; i < 4; i++) {
            up[i] = base[i] + (i == j ? apart : 0);
            down[i] = base[i] - (i == j ? apart : 0);
        }
        run(up, T, high);
        run(down, T, low);
        for (int i = 0; i < 4; i++)
            check_close(E[4 * i + j], (high[i] - low[i]) / (2 * apart), 1e-6);
    }
    olo_linear_free(x);
    scene_close(&s);
}

TEST(large_systems_are_refused)
{
    olo_error error = {0};
    olo_linear *x = NULL;
    scene s =
        scene_open("beams:\n"
                   "  - {name: b, elements: 600, to: [1, 0, 0], stiffness: [9, 9, 9, 1, 1, 1],\n"
                   "     inertia: [1, 1e-1, 1e-1]}\n"
                   "supports: {on: b.start, type: fixed}\n",
                   NULL);
    check_status(OLO_UNSUPPORTED, olo_linear_create(s.system, s.state, NULL, &x, &error));
    check_contains("too large", error.text);
    scene_close(&s);
}

/* Every allocation fails in turn: the status reports it, and no memory leaks. */
TEST(without_memory_nothing_is_lost)
{
    scene s = scene_open(CART, NULL);
    size_t before = olo_memory_alive();
    olo_status status = OLO_NO_MEMORY;
    for (size_t n = 1; status != OLO_OK; n++) {
        olo_error error = {0};
        olo_linear *x = NULL;
        olo_memory_fail_at(n);
        status = olo_linear_create(s.system, s.state, NULL, &x, &error);
        olo_memory_fail_at(0);
        if (status != OLO_OK)
            check_status(OLO_NO_MEMORY, status);
        olo_linear_free(x);
        check_equal(before, olo_memory_alive());
        check_true(n < 1000);
    }
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(a_road_is_an_input_with_its_rate),
          cmocka_unit_test(a_road_is_an_input_with_its_acceleration),
          cmocka_unit_test(a_motion_goes_through_gears), cmocka_unit_test(pendulum_with_a_torque),
          cmocka_unit_test(cart_and_pole_upright), cmocka_unit_test(cart_and_pole_held_at_an_angle),
          cmocka_unit_test(free_body_is_a_double_integrator),
          cmocka_unit_test(swing_on_two_links_has_one_coordinate),
          cmocka_unit_test(turning_frame_has_coriolis_forces),
          cmocka_unit_test(differences_of_runs_are_the_exponential_of_the_matrix),
          cmocka_unit_test(large_systems_are_refused),
          cmocka_unit_test(without_memory_nothing_is_lost))
