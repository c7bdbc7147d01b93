/* Integrals over a run and their derivatives have the order of the steps: a disc on a torsion
 * spring, I = 1, k = w^2,
 *
 *     angle = (r/w) sin(w t),   rate = r cos(w t).
 */
#include "scene.h"

#include "base/initialised.h"
#include "oloid/derivatives.h"
#include "stepping/step.h"

static const char disc[] =
    "parameters: {k: 9}\n"
    "bodies: [{name: disc, mass: 1, inertia: [1, 1, 1]}]\n"
    "joints: [{name: hinge, between: [ground, disc], axis: [0, 0, 1], stiffness: k, rate: 2}]\n";

static const double r = 2, w = 3, T = 1.3;

/* Integrals of 1/2 angle^2 and of the kinetic energy 1/2 rate^2, and their derivatives by k, dw/dk
 * = 1/(2 w). */
typedef struct integral {
    olo_goal goal;
    double value, by_k;
} integral;

static void fill(integral x[2])
{
    const double s = sin(2 * w * T), c = cos(2 * w * T);
    x[0] = (integral){{.initialised = OLO_INITIALISED_GOAL,
                       .quantity = "hinge.angle",
                       .squared = true,
                       .running = 1},
                      r * r / (4 * w * w) * (T - s / (2 * w)),
                      r * r / (4 * w * w * w) * (-2 * T - T * c + 1.5 * s / w) / (2 * w)};
    x[1] = (integral){{.initialised = OLO_INITIALISED_GOAL, .quantity = "kinetic", .running = 1},
                      r * r / 4 * (T + s / (2 * w)),
                      r * r / 4 * (T * c / w - s / (2 * w * w)) / (2 * w)};
}

/* The method of a run: `steps` of an order, or a tolerance. */
typedef struct method {
    const char *scheme;
    int order, steps;
    double tolerance;
} method;

typedef struct errors {
    double value, by_k;
} errors;

/* The errors of J and dJ/dk; forward and adjoint derivatives agree. */
static errors errors_of(const method *m, const integral *x)
{
    olo_error error = {0};
    olo_parameter_derivative *change;
    olo_derivatives *d;
    scene s = scene_open(disc, NULL);
    s.run.scheme = m->scheme;
    s.run.order = m->order;
    s.run.end = T;
    s.run.step = m->tolerance > 0 ? 0.01 : T / m->steps;
    s.run.tolerance = m->tolerance;
    check_ok(olo_derivatives_create(s.system, &s.run, &d, &error), &error);
    check_ok(olo_parameter_derivative_create(s.model, "k", &change, &error), &error);
    check_ok(olo_derivatives_set_parameters(d, (const olo_parameter_derivative *const *)&change, 1,
                                            &error),
             &error);
    const olo_functional J = {
        .initialised = OLO_INITIALISED_FUNCTIONAL, .goals = &x->goal, .goal_count = 1};
    double by_k, q[12] = {0}, v[12] = {0}, one = 1, value, forward;
    olo_gradient g = {.initialised = OLO_INITIALISED_GRADIENT, .parameters = &by_k};
    check_ok(olo_derivatives_compute_gradient(d, s.state, &J, &g, &error), &error);
    olo_direction along = {
        .initialised = OLO_INITIALISED_DIRECTION, .q = q, .v = v, .parameters = &one};
    check_ok(olo_derivatives_compute_forward(d, s.state, &J, &along, &value, &forward, &error),
             &error);
    check_relative(g.value, value, 1e-13);
    check_close(by_k, forward, 1e-12);
    olo_parameter_derivative_free(change);
    olo_derivatives_free(d);
    scene_close(&s);
    return (errors){fabs(value - x->value), fabs(by_k - x->by_k)};
}

TEST(integrals_and_their_derivatives_have_the_order_of_the_steps)
{
    static const method methods[] = {{"variational", 2, 20, 0},
                                     {"variational", 4, 20, 0},
                                     {"variational", 6, 16, 0},
                                     {"energy-momentum-2006", 2, 20, 0},
                                     {"energy-momentum-2006", 4, 20, 0}};
    integral integrals[2];
    fill(integrals);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        for (int k = 0; k < 2; k++) {
            method fine = methods[i];
            fine.steps *= 2;
            errors a = errors_of(&methods[i], &integrals[k]), b = errors_of(&fine, &integrals[k]);
            print_message("%s %d, %s: %.2e %.2e\n", fine.scheme, fine.order,
                          integrals[k].goal.quantity, b.value, b.by_k);
            check_close(fine.order, log2(a.value / b.value), 0.2);
            check_close(fine.order, log2(a.by_k / b.by_k), 0.2);
        }
}

/* The error of the integral is that of the motion. With the trapezoidal rule over whole steps of
 * order 4 it would be 1e-5. */
TEST(a_tolerance_holds_for_integrals)
{
    integral integrals[2];
    fill(integrals);
    for (int order = 2; order <= 4; order += 2)
        for (int k = 0; k < 2; k++) {
            const method m = {"energy-momentum-2006", order, 0, order == 2 ? 1e-4 : 1e-9};
            errors e = errors_of(&m, &integrals[k]);
            print_message("order %d: %.2e %.2e\n", order, e.value, e.by_k);
            check_below(e.value, 2 * m.tolerance);
            check_below(e.by_k, 2 * m.tolerance);
        }
}

/* The parts of composed steps are nodes of the integral also where steps are made again from
 * checkpoints. */
TEST(checkpoints_change_no_bit_of_an_integral_over_composed_steps)
{
    static const char *const goals[] = {"potential", "energy"};
    for (int i = 0; i < 4; i++) {
        olo_error error = {0};
        olo_derivatives *d;
        scene s = scene_open("six-body-linkage", "reduced");
        double gq[2][200], gv[2][200];
        check_true(s.system->n <= 200);
        s.run.scheme = i / 2 ? "variational" : "energy-momentum-2006";
        s.run.order = 4;
        s.run.step = 0.01;
        s.run.end = 0.3;
        const olo_goal goal = {.initialised = OLO_INITIALISED_GOAL,
                               .quantity = goals[i % 2],
                               .squared = true,
                               .running = 1};
        const olo_functional J = {
            .initialised = OLO_INITIALISED_FUNCTIONAL, .goals = &goal, .goal_count = 1};
        olo_gradient all = {.initialised = OLO_INITIALISED_GRADIENT, .q = gq[0], .v = gv[0]},
                     some = {.initialised = OLO_INITIALISED_GRADIENT, .q = gq[1], .v = gv[1]};
        check_ok(olo_derivatives_create(s.system, &s.run, &d, &error), &error);
        check_ok(olo_derivatives_compute_gradient(d, s.state, &J, &all, &error), &error);
        olo_derivatives_set_memory(d, 0);
        check_ok(olo_derivatives_compute_gradient(d, s.state, &J, &some, &error), &error);
        check_true(all.again == 0 && some.again > 0);
        check_true(all.value == some.value);
        check_equal(0, memcmp(gq[0], gq[1], (size_t)s.system->n * sizeof **gq));
        check_equal(0, memcmp(gv[0], gv[1], (size_t)s.system->n * sizeof **gv));
        olo_derivatives_free(d);
        scene_close(&s);
    }
}

TEST_MAIN(cmocka_unit_test(integrals_and_their_derivatives_have_the_order_of_the_steps),
          cmocka_unit_test(a_tolerance_holds_for_integrals),
          cmocka_unit_test(checkpoints_change_no_bit_of_an_integral_over_composed_steps))
