/* Minimal models: scalars with a mass matrix, energies, constraints and gaps as expressions. They
 * are compared with models of points that have the same equations. */
#include "scene.h"

#include "oloid/derivatives.h"

static scene open_with(const char *text, const char *scheme, const char *constraints)
{
    const olo_setting settings[] = {{"run.scheme", scheme}};
    return scene_open_set(text, constraints, settings, 1);
}

static double coordinate(const scene *s, const char *name)
{
    return scene_q(s, name)[0];
}

/* --- one pendulum, twice --- */

static const char *const of_points =
    "gravity: [0, 0, -9.81]\n"
    "points: {name: bob, mass: 2, position: [1, 0, 0], velocity: [0, 1, 0]}\n"
    "rods: {between: [ground, bob]}\n"
    "run: {step: 0.01}\n";
static const char *const of_coordinates = "coordinates:\n"
                                          "  - names: [a, b, c]\n"
                                          "    values: [1, 0, 0]\n"
                                          "    rates: [0, 1, 0]\n"
                                          "    mass: [2, 2, 2]\n"
                                          "    energy: 2*9.81*c\n"
                                          "    constraints: (a^2 + b^2 + c^2 - 1)/2\n"
                                          "run: {step: 0.01}\n";

TEST(a_pendulum_in_coordinates_moves_as_a_point_on_a_rod)
{
    static const char *const how[][2] = {
        {"energy-momentum-2006", "reduced"},   {"energy-momentum-2006", "multipliers"},
        {"energy-momentum-2006", "projected"}, {"energy-momentum-2006", "minimal"},
        {"energy-momentum", "reduced"},        {"energy-momentum", "multipliers"},
        {"energy-momentum", "projected"},      {"variational", "reduced"},
        {"variational", "multipliers"},        {"contact", "reduced"},
        {"contact-two-step", "reduced"},       {"moreau", "reduced"}};
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        scene p = open_with(of_points, how[i][0], how[i][1]),
              c = open_with(of_coordinates, how[i][0], how[i][1]);
        scene_run(&p, 0.01, 50);
        scene_run(&c, 0.01, 50);
        const double *x = scene_q(&p, "bob"), *v = scene_v(&p, "bob");
        static const char *const names[] = {"a", "b", "c"};
        for (int k = 0; k < 3; k++) {
            check_close(x[k], scene_q(&c, names[k])[0], 1e-11);
            check_close(v[k], scene_v(&c, names[k])[0], 1e-10);
        }
        check_close(scene_ledger(&p).total, scene_ledger(&c).total, 1e-10);
        check_close(scene_ledger(&p).kinetic, scene_ledger(&c).kinetic, 1e-10);
        scene_close(&p);
        scene_close(&c);
    }
}

/* A model without positions has no momentum in space; with them scalars change none. */
TEST(only_energy_is_an_invariant_of_scalars)
{
    scene c = open_with(of_coordinates, "energy-momentum-2006", NULL);
    check_equal(1, olo_system_invariant_count(c.system));
    check_close(0, norm3(scene_ledger(&c).linear_momentum), 0);
    scene_run(&c, 0.01, 200);
    check_close(1, scene_ledger(&c).kinetic + scene_ledger(&c).potential, 1e-12);
    check_below(scene_ledger(&c).constraint_error, 1e-13);
    scene_close(&c);
}

/* --- the mass matrix --- */

/* x1 = u, x2 = u + w: the same motion with a diagonal and with a full matrix. */
TEST(a_full_mass_matrix_is_that_of_other_coordinates)
{
    static const char *const schemes[] = {"energy-momentum-2006", "energy-momentum", "variational",
                                          "contact", "moreau"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        scene diagonal = open_with("coordinates: {names: [x1, x2], values: [1, 3], rates: [0, 1], "
                                   "mass: [2, 3], energy: 20*x1^2 + 7*(x2 - x1 - 1)^2}\n",
                                   schemes[i], NULL),
              full = open_with("coordinates: {names: [u, w], values: [1, 2], rates: [0, 1], "
                               "mass: [[2 + 3, 3], [3, 3]], energy: [20*u^2, 7*(w - 1)^2]}\n",
                               schemes[i], NULL);
        scene_run(&diagonal, 0.02, 100);
        scene_run(&full, 0.02, 100);
        check_close(coordinate(&diagonal, "x1"), coordinate(&full, "u"), 1e-11);
        check_close(coordinate(&diagonal, "x2"), coordinate(&full, "u") + coordinate(&full, "w"),
                    1e-11);
        check_close(scene_ledger(&diagonal).total, scene_ledger(&full).total, 1e-10);
        scene_close(&diagonal);
        scene_close(&full);
    }
}

/* --- what acts along coordinates --- */

TEST(springs_dampers_forces_and_relations_act_along_coordinates)
{
    scene own = open_with("coordinates: {names: [s, t], mass: [1, 2], values: [1, 0],"
                          " energy: [3*s^2, 0.7*t], constraints: t - 2*s + 2}\n",
                          "energy-momentum-2006", NULL),
          other = open_with("coordinates: {names: [s, t], mass: [1, 2], values: [1, 0],"
                            " forces: [0, -0.7]}\n"
                            "springs: {along: s, stiffness: 6, length: 0}\n"
                            "relations: {coordinate: t, follows: s, ratio: 2}\n",
                            "energy-momentum-2006", NULL),
          damped = open_with("coordinates: {names: [s], mass: [1], rates: [1]}\n"
                             "dampers: {along: s, damping: 2}\n",
                             "energy-momentum-2006", NULL);
    scene_run(&own, 0.01, 100);
    scene_run(&other, 0.01, 100);
    check_close(coordinate(&own, "s"), coordinate(&other, "s"), 1e-11);
    check_close(coordinate(&own, "t"), coordinate(&other, "t"), 1e-11);
    /* v1 (1 + c h/2) = v0 (1 - c h/2) */
    scene_run(&damped, 0.01, 10);
    check_close(pow(0.99 / 1.01, 10), scene_v(&damped, "s")[0], 1e-13);
    scene_close(&own);
    scene_close(&other);
    scene_close(&damped);
}

TEST(an_equilibrium_of_coordinates_is_found)
{
    scene s = open_with("coordinates: {names: [s, t], values: [1, 1], mass: [1, 2],"
                        " energy: [cosh(s - 2), (t - s)^4 + t - s]}\n",
                        "energy-momentum-2006", NULL);
    olo_error error = {0};
    olo_equilibrium_options options = olo_equilibrium_options_default();
    check_ok(olo_find_equilibrium(s.system, &options, s.state, NULL, 0, NULL, &error), &error);
    /* sinh(s - 2) = 0, 4 (t - s)^3 = -1 */
    check_close(2, coordinate(&s, "s"), 1e-8);
    check_close(2 - cbrt(0.25), coordinate(&s, "t"), 1e-8);
    scene_close(&s);
}

/* --- gaps as functions --- */

/* A sliding and bouncing point, with a plane and with functions of its position. */
TEST(gaps_of_functions_are_those_of_a_plane)
{
    static const char *const head =
        "gravity: [0, 0, -9.81]\n"
        "points: {name: p, mass: 1, position: [0, 0, 0.3], velocity: [1, 0.4, 0]}\n";
    static const char *const contacts[] = {
        "contacts: {point: p, friction: 0.3, restitution: 0.5}\n",
        "contacts: {type: function, point: p, gap: z, slide: [x, y], friction: 0.3, restitution: "
        "0.5}\n"};
    static const char *const schemes[] = {"contact", "contact-captured", "contact-two-step",
                                          "moreau"};
    for (int i = 0; i < 4; i++) {
        scene s[2];
        for (int k = 0; k < 2; k++) {
            char text[512];
            snprintf(text, sizeof text, "%s%s", head, contacts[k]);
            s[k] = open_with(text, schemes[i], NULL);
            scene_run(&s[k], 0.01, 120);
        }
        for (int k = 0; k < 3; k++) {
            check_close(scene_q(&s[0], "p")[k], scene_q(&s[1], "p")[k], 1e-11);
            check_close(scene_v(&s[0], "p")[k], scene_v(&s[1], "p")[k], 1e-10);
        }
        check_close(scene_ledger(&s[0]).impact, scene_ledger(&s[1]).impact, 1e-11);
        check_close(scene_ledger(&s[0]).friction, scene_ledger(&s[1]).friction, 1e-11);
        scene_close(&s[0]);
        scene_close(&s[1]);
    }
}

/* A curved wall: a bead on a bowl conserves its energy and stays on the bowl; after the first
 * contact it slides on z = x^2. */
TEST(a_bead_slides_in_a_bowl)
{
    scene s = open_with("gravity: [0, 0, -9.81]\n"
                        "points: {name: p, mass: 1, position: [1, 0, 1]}\n"
                        "contacts: {name: bowl, type: function, point: p, gap: z - x^2}\n",
                        "contact", NULL);
    for (int i = 0; i < 300; i++) {
        scene_run(&s, 0.005, 1);
        check_close(9.81, scene_ledger(&s).total, 1e-11);
        check_close(0, scene_q(&s, "p")[2] - scene_q(&s, "p")[0] * scene_q(&s, "p")[0], 1e-9);
    }
    scene_close(&s);
}

/* A bowl as a C function of the position, and as an expression of the same arguments: the discrete
 * gradient is one in all of them. */
static void bowl(void *context, const double *x, double *gap, double *gradient, double *hessian)
{
    const double k = *(const double *)context;
    memset(hessian, 0, 9 * sizeof *hessian);
    *gap = x[2] - k * x[0] * x[0] * x[0] * x[0];
    gradient[0] = -4 * k * x[0] * x[0] * x[0];
    gradient[1] = 0;
    gradient[2] = 1;
    hessian[0] = -12 * k * x[0] * x[0];
}

TEST(gaps_can_be_c_functions)
{
    static double k = 0.7;
    static const char *const head =
        "gravity: [0, 0, -9.81]\n"
        "points: {name: p, mass: 1, position: [1, 0, 0.9], velocity: [0, 0.3, 0]}\n"
        "run: {scheme: contact}\n";
    olo_contact contact = olo_contact_default();
    olo_error error = {0};
    scene own = {0}, expression;
    char text[512];
    contact.name = "bowl";
    contact.type = "function";
    contact.point.on = "p";
    contact.function = bowl;
    contact.context = &k;
    check_ok(olo_model_read_text(head, strlen(head), "test", NULL, 0, &own.model, &error), &error);
    check_ok(olo_model_add_contact(own.model, &contact, &error), &error);
    check_ok(olo_model_compile(own.model, &own.system, &error), &error);
    check_ok(olo_system_create_initial_state(own.system, &own.state, NULL, &error), &error);
    own.run = *olo_model_run(own.model);
    check_ok(olo_stepper_create(own.system, &own.run, &own.stepper, &error), &error);
    snprintf(text, sizeof text,
             "%scontacts: {name: bowl, type: function, point: p, gap: z - 0.7*x^4 + 0*y}\n", head);
    expression = scene_open(text, NULL);
    for (int i = 0; i < 100; i++) {
        scene_run(&own, 0.01, 1);
        scene_run(&expression, 0.01, 1);
        const double *x = scene_q(&own, "p"), *y = scene_q(&expression, "p");
        for (int j = 0; j < 3; j++)
            check_close(y[j], x[j], 1e-9);
    }
    check_true(scene_ledger(&own).impact > 0);
    scene_close(&own);
    scene_close(&expression);
}

/* d(a, b) of a row from a = x - t u to b = x + t u, in the order of its coordinates; returns the
 * largest deviation from the gradient at the middle. */
static double discrete_gradient(const olo_constraint *row, const double *x, const double *u,
                                double t, double d[3])
{
    double q0[3], q1[3], dq[3], gradient[3], largest = 0;
    for (int i = 0; i < 3; i++) {
        q0[i] = x[i] - t * u[i];
        q1[i] = x[i] + t * u[i];
        dq[i] = q1[i] - q0[i];
    }
    const olo_interval over = {.q0 = q0, .q1 = q1, .qm = x, .dq = dq, .h = 0.1};
    row->type->discrete(row, &over, d, NULL);
    olo_constraint_gradient(row, &(olo_at){.q = x}, gradient);
    for (int i = 0; i < 3; i++)
        largest = larger(largest, fabs(d[i] - gradient[i]));
    return largest;
}

/* The discrete gradient of a function gives its change exactly, is symmetric in both ends, deviates
 * from the gradient at the middle by the square of the distance, and not at all for a quadratic
 * function. */
TEST(discrete_gradients_of_functions_are_exact_symmetric_and_of_order_2)
{
    static const char *const gaps[] = {"exp(0.5*x)*sin(y) + 1/(2 + z)",
                                       "2*x^2 - 3*x*y + y*z - 0.5*z^2 + x - 4"};
    static const double x[3] = {0.3, 0.8, -0.4}, u[3] = {0.7, -0.5, 0.9};
    for (int k = 0; k < 2; k++) {
        char text[300];
        snprintf(text, sizeof text,
                 "points: {name: p, mass: 1, position: [0, 0, 9]}\n"
                 "contacts: {type: function, point: p, gap: '%s'}\n",
                 gaps[k]);
        scene s = scene_open(text, NULL);
        const olo_constraint *gap = &s.system->contacts[0].gap;
        double deviation[3], d[3], back[3];
        for (int i = 0; i < 3; i++) {
            const double t = 0.2 / (1 << i), minus[3] = {-u[0], -u[1], -u[2]};
            double q0[3], q1[3], change = 0;
            deviation[i] = discrete_gradient(gap, x, u, t, d);
            (void)discrete_gradient(gap, x, minus, t, back);
            for (int j = 0; j < 3; j++) {
                q0[j] = x[j] - t * u[j];
                q1[j] = x[j] + t * u[j];
                change += d[j] * (q1[j] - q0[j]);
                check_close(d[j], back[j], 1e-15);
            }
            check_close(olo_constraint_value(gap, &(olo_at){.q = q1}) -
                            olo_constraint_value(gap, &(olo_at){.q = q0}),
                        change, 2e-15);
        }
        for (int i = 0; i < 2 && k == 0; i++)
            check_close(4, deviation[i] / deviation[i + 1], 0.1);
        if (k == 1)
            check_below(deviation[0], 1e-14);
        scene_close(&s);
    }
}

/* The force along the gap, then that of friction. */
TEST(forces_of_functions_are_reported)
{
    scene s =
        open_with("coordinates: {names: [s, t], mass: [1, 1], rates: [0, 1],"
                  " energy: 9.81*s}\n"
                  "contacts: {name: floor, type: function, gap: s, slide: t, friction: 0.2}\n",
                  "contact", NULL);
    olo_contact_state contact;
    scene_run(&s, 0.01, 10);
    olo_system_contact(s.system, s.state, 0, &contact);
    check_close(9.81, contact.force[0], 1e-10);
    check_close(-0.2 * 9.81, contact.force[1], 1e-10);
    check_close(1 - 0.2 * 9.81 * 0.1, scene_v(&s, "t")[0], 1e-12);
    scene_close(&s);
}

/* --- parameters --- */

static const char *const with_parameters =
    "parameters: {m: 2, k: 3, d: 0.5, f: 1, unused: 1}\n"
    "coordinates: {names: [s, t], mass: [m, 1], values: [d, 2], energy: k*s^4,"
    " constraints: s^2 + t - 2 - d^2, forces: [f, 0]}\n";

TEST(coordinates_follow_parameters)
{
    olo_error error = {0};
    static const char *const names[] = {"m", "k", "d"};
    const double values[] = {3, 5, 0.7};
    const olo_setting settings[] = {{"m", "3"}, {"k", "5"}, {"d", "0.7"}};
    scene s = scene_open(with_parameters, NULL),
          fresh = scene_open_set(with_parameters, NULL, settings, 3);
    olo_system *other;
    olo_state *start;
    check_ok(olo_system_with_parameters(s.model, s.system, 3, names, values, &other, &error),
             &error);
    check_ok(olo_system_create_initial_state(other, &start, NULL, &error), &error);
    olo_ledger a, b = scene_ledger(&fresh);
    olo_system_ledger(other, start, &a);
    check_close(b.potential, a.potential, 0);
    check_close(fresh.system->mass[0].m, other->mass[0].m, 0);
    check_below(a.constraint_error, 1e-14);
    olo_state_free(start);
    olo_system_free(other);
    scene_close(&s);
    scene_close(&fresh);
}

static double end_of(const char *name, double value)
{
    char number[32];
    snprintf(number, sizeof number, "%.17g", value);
    const olo_setting settings[] = {{name, number}};
    scene s = scene_open_set(with_parameters, NULL, settings, 1);
    scene_run(&s, 0.02, 20);
    const double end = coordinate(&s, "s");
    scene_close(&s);
    return end;
}

/* The derivative of the end by a parameter. */
static olo_status derive(const char *parameter, double *by, olo_error *error)
{
    scene s = scene_open(with_parameters, NULL);
    olo_goal goal = olo_goal_default();
    olo_functional functional = olo_functional_default();
    olo_derivatives *derivatives = NULL;
    olo_parameter_derivative *change = NULL;
    olo_gradient g = {.initialised = OLO_INITIALISED_GRADIENT, .parameters = by};
    goal.quantity = "s";
    goal.end = 1;
    functional.goals = &goal;
    functional.goal_count = 1;
    s.run.step = 0.02;
    s.run.end = 0.4;
    olo_status status = olo_parameter_derivative_create(s.model, parameter, &change, error);
    if (status == OLO_OK)
        status = olo_derivatives_create(s.system, &s.run, &derivatives, error);
    if (status == OLO_OK)
        status = olo_derivatives_set_parameters(
            derivatives, (const olo_parameter_derivative *const *)&change, 1, error);
    if (status == OLO_OK)
        status = olo_derivatives_compute_gradient(derivatives, s.state, &functional, &g, error);
    olo_parameter_derivative_free(change);
    olo_derivatives_free(derivatives);
    scene_close(&s);
    return status;
}

TEST(runs_have_derivatives_by_mass_and_force)
{
    static const char *const names[] = {"m", "f"};
    const double values[] = {2, 1}, step = 1e-4;
    for (int i = 0; i < 2; i++) {
        double by;
        olo_error error = {0};
        check_ok(derive(names[i], &by, &error), &error);
        const double difference =
            (end_of(names[i], values[i] + step) - end_of(names[i], values[i] - step)) / (2 * step);
        check_relative(difference, by, 1e-6);
    }
}

TEST(parameters_in_expressions_have_no_derivatives)
{
    static const char *const names[] = {"k", "d"};
    for (int i = 0; i < 2; i++) {
        double by;
        olo_error error = {0};
        check_status(OLO_UNSUPPORTED, derive(names[i], &by, &error));
        check_contains(names[i], error.text);
        check_contains("no derivatives", error.text);
    }
}

/* --- what is refused --- */

static void check_refused(const char *text, const char *key, const char *words)
{
    olo_model *model = NULL;
    olo_system *system = NULL;
    olo_error error = {0};
    olo_status status = olo_model_read_text(text, strlen(text), "test", NULL, 0, &model, &error);
    if (status == OLO_OK)
        status = olo_model_compile(model, &system, &error);
    check_status(OLO_BAD_INPUT, status);
    check_contains(key, error.text);
    check_contains(words, error.text);
    olo_system_free(system);
    olo_model_free(model);
}

TEST(wrong_coordinates_are_refused_by_name)
{
    static const char *const wrong[][3] = {
        {"coordinates: {names: [s], mass: [1, 2, 3]}\n", "coordinates.mass", "3 entries for 1"},
        {"coordinates: {names: [s], mass: 0}\n", "coordinates.mass", "positive definite"},
        {"coordinates: {names: [s, t], mass: [[1, 2], [2, 1]]}\n", "coordinates.mass",
         "(row of 't')"},
        {"coordinates: {names: [s, t], mass: [[1, 0.5], [0, 1]]}\n", "coordinates.mass",
         "not symmetric"},
        {"coordinates: {names: [s], mass: log(-1)}\n", "coordinates.mass", "not finite"},
        {"coordinates: {names: [s], mass: 1, values: [1, 2]}\n", "coordinates.values",
         "2 values for 1"},
        {"coordinates: {names: [s], mass: 1, rates: [1, 2]}\n", "coordinates.rates",
         "2 rates for 1"},
        {"coordinates: {names: [s], mass: 1, forces: [1, 2]}\n", "coordinates.forces",
         "2 forces for 1"},
        {"coordinates: {names: [sin], mass: 1}\n", "coordinates.names", "'sin'"},
        {"coordinates: {names: [s, s], mass: [1, 1]}\n", "coordinates.names", "called 's'"},
        {"parameters: {s: 1}\ncoordinates: {names: [s], mass: 1}\n", "coordinates.names",
         "is a parameter"},
        {"coordinates: {names: [s], mass: 1, energy: 2*r}\n", "coordinates.energy", "'r'"},
        {"coordinates: {names: [s], mass: 1, energy: 2 + 3}\n", "coordinates.energy",
         "no coordinate"},
        {"coordinates: {names: [s], mass: 1, energy: log(s)}\n", "coordinates.energy",
         "not finite at the initial state"},
        {"coordinates: {names: [a, b, c, d, f, g, h], mass: [1, 1, 1, 1, 1, 1, 1],"
         " energy: a*b*c*d*f*g*h}\n",
         "coordinates.energy", "7 coordinates"},
        {"coordinates: {names: [s], mass: 1}\ncontacts: {type: function}\n", "contacts.gap",
         "needs a gap"},
        {"coordinates: {names: [s], mass: 1}\ncontacts: {type: function, gap: s, friction: 1}\n",
         "contacts.slide", "sliding velocity"},
        {"coordinates: {names: [s], mass: 1}\ncontacts: {gap: s}\n", "contacts.gap",
         "type function"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check_refused(wrong[i][0], wrong[i][1], wrong[i][2]);
}

TEST_MAIN(cmocka_unit_test(a_pendulum_in_coordinates_moves_as_a_point_on_a_rod),
          cmocka_unit_test(only_energy_is_an_invariant_of_scalars),
          cmocka_unit_test(a_full_mass_matrix_is_that_of_other_coordinates),
          cmocka_unit_test(springs_dampers_forces_and_relations_act_along_coordinates),
          cmocka_unit_test(an_equilibrium_of_coordinates_is_found),
          cmocka_unit_test(gaps_of_functions_are_those_of_a_plane),
          cmocka_unit_test(a_bead_slides_in_a_bowl), cmocka_unit_test(gaps_can_be_c_functions),
          cmocka_unit_test(discrete_gradients_of_functions_are_exact_symmetric_and_of_order_2),
          cmocka_unit_test(forces_of_functions_are_reported),
          cmocka_unit_test(coordinates_follow_parameters),
          cmocka_unit_test(runs_have_derivatives_by_mass_and_force),
          cmocka_unit_test(parameters_in_expressions_have_no_derivatives),
          cmocka_unit_test(wrong_coordinates_are_refused_by_name))
