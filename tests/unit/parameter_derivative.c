/* Derivatives of compiled coefficients with respect to parameters of the model, compared with
 * closed forms: c ~ p^e has c' = e c/p. */
#include "scene.h"

#include "oloid/derivatives.h"
#include "system/parameter_derivative.h"

/* Every number is an expression of its own parameter. */
static const char text[] =
    "name: all\n"
    "parameters: {m: 0.3, J: 7, k: 3, rest: 0.7, F: 1.3, M: 1.1, c: 0.9, g: 9.81, kp: 11, kd: 13, "
    "tau: 0.6,\n"
    "             E: 2.1e11, rho: 7850, r: 0.013, damp: 0.001, x: 0.37, ratio: 0.83, a: 0.7}\n"
    "gravity: [0, 0, -g^3/(g^2 + 1)]\n"
    "points: {name: point, mass: 1/m, position: [exp(x), 0, 5]}\n"
    "bodies:\n"
    "  - {name: one, mass: 1, inertia: [J^2, J^2, J^2], position: [1, 0, 0]}\n"
    "  - {name: two, mass: 1, inertia: [1, 1, 1], position: [2, 0, 0]}\n"
    "  - {name: free, mass: 1, inertia: [1, 1, 1], position: [9, 0, 0],\n"
    "     rotation: {axis: [0, 0, 3], angle: a}, velocity: [sin(a), x/3, 0]}\n"
    "joints:\n"
    "  - {name: A, between: [ground, {on: one, at: [-1, 0, 0]}], axis: [0, 1, 0], torque: "
    "log(1 + tau)}\n"
    "  - {name: B, between: [one, two], at: [1.5, 0, 0], axis: [0, 1, 0], controller: {target: 0, "
    "kp: kp^2, kd: sqrt(kd)}}\n"
    "relations: {name: gear, coordinate: B, follows: A, ratio: 1/ratio^2}\n"
    "springs: {name: spring, between: [[0, 0, 5], point], stiffness: sqrt(k), length: rest^3}\n"
    "dampers: {name: oil, type: linear, between: [[0, 0, 7], point], damping: c^4}\n"
    "loads:\n"
    "  - {name: push, on: free, force: [F^-2, 0, 0]}\n"
    "  - {name: twist, on: free, moment: [0, M^5, 0]}\n"
    "beams:\n"
    "  - {name: rod, elements: 3, from: [0, 5, 0], to: [1, 5, 0], damping: damp^2,\n"
    "     section: {type: circle, radius: r, young: E, poisson: 0.3, density: sqrt(rho)}}\n"
    "outputs: {name: spot, on: {on: free, at: [x^2, 0, 0]}}\n"
    "run: {step: 0.01, end: 1}\n";

static olo_parameter_derivative *change_of(const scene *s, const char *name)
{
    olo_error error = {0};
    olo_parameter_derivative *change;
    check_ok(olo_parameter_derivative_create(s->model, name, &change, &error), &error);
    return change;
}

/* All coefficients that depend on the parameter are powers of it with one of these exponents, and
 * some are of this kind. */
static void check_powers(const scene *s, const char *name, double p, olo_coefficient_kind kind,
                         double exponent, double other, double tolerance)
{
    olo_parameter_derivative *change = change_of(s, name);
    double worst = 0;
    bool found = false;
    for (int i = 0; i < change->count; i++) {
        const olo_coefficient *c = &change->coefficient[i];
        double e = change->derivative[i] * p / c->value;
        double off = smaller(fabs(e - exponent) / fabs(exponent), fabs(e - other) / fabs(other));
        found = found || c->kind == kind;
        worst = larger(worst, off);
        if (!(off <= tolerance))
            print_message("%s: kind %d, p %d, value %g: exponent %.17g\n", name, (int)c->kind, c->p,
                          c->value, e);
    }
    print_message("%s: %d coefficients, off by %.1e\n", name, change->count, worst);
    check_true(found);
    check_below(worst, tolerance);
    olo_parameter_derivative_free(change);
}

TEST(numbers_that_go_straight_into_coefficients)
{
    static const struct {
        const char *name;
        double p;
        olo_coefficient_kind kind;
        double exponent, other;
    } all[] = {
        {"m", 0.3, OLO_COEFFICIENT_MASS, -1, -1},     {"J", 7, OLO_COEFFICIENT_MASS, 2, 2},
        {"k", 3, OLO_COEFFICIENT_TERM, 0.5, 0.5},     {"rest", 0.7, OLO_COEFFICIENT_TERM, 3, 3},
        {"F", 1.3, OLO_COEFFICIENT_ACTION, -2, -2},   {"M", 1.1, OLO_COEFFICIENT_ACTION, 5, 5},
        {"c", 0.9, OLO_COEFFICIENT_TERM, 4, 4},       {"kp", 11, OLO_COEFFICIENT_ACTION, 2, 2},
        {"kd", 13, OLO_COEFFICIENT_ACTION, 0.5, 0.5}, {"ratio", 0.83, OLO_COEFFICIENT_ROW, -2, -2},
        {"E", 2.1e11, OLO_COEFFICIENT_TERM, 1, 1},    {"rho", 7850, OLO_COEFFICIENT_MASS, 0.5, 0.5},
        {"damp", 0.001, OLO_COEFFICIENT_TERM, 2, 2}};
    scene s = scene_open(text, "reduced");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        check_powers(&s, all[i].name, all[i].p, all[i].kind, all[i].exponent, all[i].other,
                     4 * 2.3e-16);
    const double g = 9.81, tau = 0.6;
    double by_g = (3 * g * g * (g * g + 1) - 2 * g * g * g * g) / ((g * g + 1) * (g * g + 1));
    check_powers(&s, "g", g, OLO_COEFFICIENT_TERM, by_g * (g * g + 1) / (g * g),
                 by_g * (g * g + 1) / (g * g), 1e-15);
    double e = tau / (1 + tau) / log(1 + tau);
    check_powers(&s, "tau", tau, OLO_COEFFICIENT_ACTION, e, e, 1e-15);
    scene_close(&s);
}

/* A and I of a circle. */
TEST(sections_are_polynomials)
{
    scene s = scene_open(text, "reduced");
    check_powers(&s, "r", 0.013, OLO_COEFFICIENT_TERM, 2, 4, 1e-14);
    scene_close(&s);
}

/* The origin of the top is at its centre of mass, up to rounding beside the value of H: no other
 * structure. Its mass and the arm of its support are linear in H, E_33 = 3/80 M H^2 is cubic. */
TEST(rounding_does_not_change_the_structure)
{
    scene s = scene_open("heavy-top", "reduced");
    check_powers(&s, "H", 0.1, OLO_COEFFICIENT_MASS, 1, 3, 1e-14);
    scene_close(&s);
}

TEST(the_start_and_what_turns)
{
    scene s = scene_open(text, "reduced");
    olo_parameter_derivative *x = change_of(&s, "x"), *a = change_of(&s, "a");
    int point = olo_system_node_offset(s.system, olo_system_find_node(s.system, "point")),
        body = olo_system_node_offset(s.system, olo_system_find_node(s.system, "free"));
    check_relative(exp(0.37), x->dq[point], 4e-15);
    check_relative(1.0 / 3, x->dv[body + 1], 1e-15);
    check_relative(cos(0.7), a->dv[body], 1e-15);
    const double turned[6] = {-sin(0.7), cos(0.7), 0, -cos(0.7), -sin(0.7), 0};
    for (int i = 0; i < 6; i++)
        check_close(turned[i], a->dq[body + 3 + i], 1e-14);
    bool found = false;
    for (int i = 0; i < x->count; i++)
        if (x->coefficient[i].kind == OLO_COEFFICIENT_OUTPUT) {
            check_relative(2 * 0.37, x->derivative[i], 1e-15);
            found = true;
        }
    check_true(found);
    olo_parameter_derivative_free(x);
    olo_parameter_derivative_free(a);
    scene_close(&s);
}

/* A box with an edge L, which turns in a hinge at its end about the axis (n, 1, 0); and a body that
 * is rotated by a about (1, 2, 2)/3. */
static const char elements[] =
    "parameters: {L: 0.37, n: 0.6, a: 0.7}\n"
    "bodies:\n"
    "  - {name: box, shapes: {type: box, size: [L, 0.2, 0.1], mass: 3}}\n"
    "  - {name: turned, mass: 1, inertia: [1, 1, 1], position: [3, 0, 0],\n"
    "     rotation: {axis: [1, 2, 2], angle: a}}\n"
    "joints: {name: hinge, between: [ground, box], at: [L/2, 0, 0], axis: [n, 1, 0]}\n"
    "run: {step: 0.01, end: 1}\n";

/* E_11 = m L^2/12; the joint point is linear in L. */
TEST(inertia_of_a_box_and_joint_points)
{
    scene s = scene_open(elements, "reduced");
    olo_parameter_derivative *change = change_of(&s, "L");
    int masses = 0, points = 0;
    for (int i = 0; i < change->count; i++) {
        const olo_coefficient *c = &change->coefficient[i];
        const bool mass = c->kind == OLO_COEFFICIENT_MASS;
        check_true(mass || c->kind == OLO_COEFFICIENT_ROW);
        check_relative(mass           ? 3 * 0.37 / 6
                       : c->value > 0 ? 0.5
                                      : -0.5,
                       change->derivative[i], 1e-15);
        masses += mass;
        points += !mass;
    }
    check_equal(1, masses);
    check_equal(4, points); /* X_1 in three rows, and the constant of the first */
    olo_parameter_derivative_free(change);
    scene_close(&s);
}

/* E = 1/2 tr(J) I - J of a plate in its plane: its third moment vanishes, and no body has a smaller
 * one. */
TEST(moments_of_a_plate_have_derivatives)
{
    scene s = scene_open("parameters: {J: 1}\n"
                         "bodies: {name: plate, mass: 1, inertia: [J, 2, 3]}\n"
                         "run: {step: 0.01, end: 1}\n",
                         "reduced");
    static const double values[3] = {2, 1, 0}, expected[3] = {-0.5, 0.5, 0.5};
    olo_parameter_derivative *change = change_of(&s, "J");
    check_equal(3, change->count);
    for (int i = 0; i < 3; i++) {
        check_close(values[i], change->coefficient[i].value, 1e-15);
        check_close(expected[i], change->derivative[i], 1e-15);
    }
    olo_parameter_derivative_free(change);
    scene_close(&s);
}

/* d/dn (n, 1)/sqrt(1 + n^2) = (1, -n)/(1 + n^2)^(3/2), in rows and in the angle. */
TEST(normalised_axes_are_differentiated_to_rounding_errors)
{
    const double n = 0.6, root = sqrt(1 + n * n), by = 1 / (root * root * root);
    scene s = scene_open(elements, "reduced");
    olo_parameter_derivative *change = change_of(&s, "n");
    for (int i = 0; i < change->count; i++) {
        const double value = change->coefficient[i].value, size = fabs(value),
                     expected = fabs(size - n / root) < 1e-6 ? by : -n * by;
        check_true(fabs(size - n / root) < 1e-6 || fabs(size - 1 / root) < 1e-6);
        check_relative(value > 0 ? expected : -expected, change->derivative[i], 1e-14);
    }
    check_true(change->count >= 5);
    olo_parameter_derivative_free(change);
    scene_close(&s);
}

/* dR/da = -sin a (I - u u^T) + cos a [u]x */
TEST(rotations_are_differentiated_to_rounding_errors)
{
    const double a = 0.7, u[3] = {1.0 / 3, 2.0 / 3, 2.0 / 3};
    const double cross[9] = {0, -u[2], u[1], u[2], 0, -u[0], -u[1], u[0], 0};
    scene s = scene_open(elements, "reduced");
    olo_parameter_derivative *change = change_of(&s, "a");
    int body = olo_system_node_offset(s.system, olo_system_find_node(s.system, "turned"));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            check_close(cos(a) * cross[3 * i + j] - sin(a) * ((i == j) - u[i] * u[j]),
                        change->dq[body + 3 * (j + 1) + i], 1e-14);
    olo_parameter_derivative_free(change);
    scene_close(&s);
}

/* The initial configuration q[i] of a model with another value of a parameter. */
static double initial_coordinate(const scene *s, const char *name, double value, int i)
{
    olo_error error = {0};
    olo_system *other = NULL;
    olo_state *state = NULL;
    check_ok(olo_system_with_parameters(s->model, s->system, 1, &name, &value, &other, &error),
             &error);
    check_ok(olo_system_create_initial_state(other, &state, NULL, &error), &error);
    const double q = olo_state_configuration(state)[i];
    olo_state_free(state);
    olo_system_free(other);
    return q;
}

static double difference(const scene *s, const char *name, double p, double h, int i)
{
    return (initial_coordinate(s, name, p + h, i) - initial_coordinate(s, name, p - h, i)) /
           (2 * h);
}

/* Loops that are nearly stretched close only in a small range of a length, and are curved there:
 * extrapolated differences of initial states show how much. */
TEST(initial_states_of_loops_near_their_limits)
{
    scene s = scene_open("andrews-squeezer", "reduced");
    const double p = olo_model_parameter(s.model, "d"), h = 1e-4 * p;
    olo_parameter_derivative *change = change_of(&s, "d");
    for (int i = 0; i < change->n; i++) {
        const double expected =
            (4 * difference(&s, "d", p, h / 2, i) - difference(&s, "d", p, h, i)) / 3;
        check_close(expected, change->dq[i], 1e-8 * larger(1.0, fabs(expected)));
    }
    olo_parameter_derivative_free(change);
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(numbers_that_go_straight_into_coefficients),
          cmocka_unit_test(sections_are_polynomials),
          cmocka_unit_test(rounding_does_not_change_the_structure),
          cmocka_unit_test(the_start_and_what_turns),
          cmocka_unit_test(inertia_of_a_box_and_joint_points),
          cmocka_unit_test(moments_of_a_plate_have_derivatives),
          cmocka_unit_test(normalised_axes_are_differentiated_to_rounding_errors),
          cmocka_unit_test(initial_states_of_loops_near_their_limits),
          cmocka_unit_test(rotations_are_differentiated_to_rounding_errors))
