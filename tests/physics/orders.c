/* Steps of higher order: orders 2, 4 and 6 of the variational scheme and of energy-momentum with
 * consistent velocities in q and p, orders 2 and 4 of energy-momentum in q and the tangential
 * momentum, on a pendulum, a top, a loop and a beam. Every
 * composed step is symmetric, conserves the same quantities as its parts, and is halved as a whole
 * if it fails. */
#include "scene.h"

#include "base/initialised.h"
#include "stepping/initial_state.h"
#include "stepping/predictor.h"

enum { COORDINATES = 160 };

/* Configuration, momentum and tangential momentum at the end of a run. */
typedef struct end_state {
    int n;
    double q[COORDINATES], p[COORDINATES], tangential[COORDINATES];
    double energy_drift;
    long halvings;
} end_state;

typedef struct method {
    const char *scheme, *order, *constraints;
} method;

static scene open_method(const char *model, const method *m)
{
    const olo_setting settings[] = {{"run.scheme", m->scheme}, {"run.order", m->order}};
    return scene_open_set(model, m->constraints, settings, 2);
}

static end_state run_to(const char *model, const method *m, double time, long steps)
{
    scene s = open_method(model, m);
    olo_error error = {0};
    end_state end = {.n = s.system->n};
    check_true(end.n <= COORDINATES);
    const double start = scene_ledger(&s).balance;
    for (long i = 1; i <= steps; i++) {
        scene_run(&s, time / (double)steps, 1);
        olo_state_set_time(s.state, (double)i * time / (double)steps);
        const olo_ledger ledger = scene_ledger(&s);
        end.energy_drift =
            larger(end.energy_drift, fabs(ledger.balance - start) / (fabs(start) + ledger.kinetic));
    }
    end.halvings = s.halvings;
    memcpy(end.q, olo_state_configuration(s.state), (size_t)end.n * sizeof *end.q);
    olo_system_mass_times(s.system, olo_state_velocity(s.state), end.p);
    check_ok(olo_state_make_tangent(s.system, s.state, &error), &error);
    olo_system_mass_times(s.system, olo_state_velocity(s.state), end.tangential);
    scene_close(&s);
    return end;
}

typedef struct errors {
    double q, p, tangential;
} errors;

static errors errors_of(const end_state *a, const end_state *b)
{
    return (errors){scene_distance(a->n, a->q, b->q), scene_distance(a->n, a->p, b->p),
                    scene_distance(a->n, a->tangential, b->tangential)};
}

/* Orders between two step sizes, from errors relative to a reference. */
static errors orders_of(const char *model, const method *m, double time, long steps,
                        const end_state *reference)
{
    const end_state coarse = run_to(model, m, time, steps),
                    fine = run_to(model, m, time, 2 * steps);
    const errors a = errors_of(&coarse, reference), b = errors_of(&fine, reference);
    const errors order = {log2(a.q / b.q), log2(a.p / b.p), log2(a.tangential / b.tangential)};
    print_message("%.32s, %s %s, %ld steps: q %.1e order %.2f, p %.1e order %.2f, tangential %.1e "
                  "order %.2f\n",
                  model, m->scheme, m->order, 2 * steps, b.q, order.q, b.p, order.p, b.tangential,
                  order.tangential);
    check_equal(0, coarse.halvings + fine.halvings);
    if (strstr(m->scheme, "energy-momentum"))
        check_below(larger(coarse.energy_drift, fine.energy_drift), 1e-12);
    return order;
}

/* All orders are met within 0.1. The steps of each order are such that errors are asymptotic and
 * above round-off. */
static void check_orders(const char *model, double time, const long steps[3])
{
    const method best = {"variational", "6", "reduced"};
    const end_state reference = run_to(model, &best, time, 12 * steps[2]);
    static const char *const names[] = {"2", "4", "6"};
    for (int k = 0; k < 3; k++) {
        const method variational = {"variational", names[k], "reduced"};
        const errors order = orders_of(model, &variational, time, steps[k], &reference);
        check_close(2.0 * (k + 1), order.q, 0.1);
        check_close(2.0 * (k + 1), order.p, 0.1);
    }
    for (int k = 0; k < 2; k++) {
        const method energy = {"energy-momentum-2006", names[k], "reduced"};
        const errors order = orders_of(model, &energy, time, steps[k], &reference);
        check_close(2.0 * (k + 1), order.q, 0.1);
        check_close(2.0 * (k + 1), order.tangential, 0.1);
    }
    for (int k = 0; k < 3; k++) {
        const method consistent = {"energy-momentum", names[k], "reduced"};
        const errors order = orders_of(model, &consistent, time, steps[k], &reference);
        check_close(2.0 * (k + 1), order.q, 0.1);
        check_close(2.0 * (k + 1), order.p, 0.1);
    }
}

TEST(orders_2_4_6_of_the_double_spherical_pendulum)
{
    check_orders("double-spherical-pendulum", 1.0, (const long[]){80, 40, 40});
}

TEST(orders_2_4_6_of_the_heavy_top)
{
    check_orders("heavy-top", 0.05, (const long[]){200, 50, 50});
}

TEST(orders_2_4_6_of_the_six_body_linkage)
{
    check_orders("six-body-linkage", 0.1, (const long[]){40, 40, 40});
}

/* A beam of four elements that falls and bends on a pivot. */
static const char BEAM[] =
    "name: beam\n"
    "gravity: [0, 0, -9.81]\n"
    "beams:\n"
    "  - {name: arm, to: [1, 0, 0], d1: [0, 1, 0], elements: 4,\n"
    "     section: {type: circle, radius: 0.1, young: 1e6, poisson: 0.3, density: 1000}}\n"
    "supports: [{name: pivot, on: arm.start, type: point}]\n"
    "run: {step: 0.01, end: 1}\n";

TEST(orders_2_4_6_of_a_beam)
{
    check_orders(BEAM, 0.1, (const long[]){200, 80, 80});
}

/* A prescribed motion of a hinge, a spring, and a load over time. Motion and load are evaluated at
 * the times of the parts of a step. */
static const char DRIVEN[] =
    "name: driven\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: arm, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
    "  - {name: bob, mass: 1, inertia: [0.1, 0.2, 0.3], position: [1.5, 0, 0]}\n"
    "joints:\n"
    "  - {name: shoulder, type: revolute, between: [ground, arm], at: [0, 0, 0], axis: [0, 1, 0],\n"
    "     motion: sin(3*t)^2}\n"
    "  - {name: elbow, type: spherical, between: [arm, bob], at: [1, 0, 0]}\n"
    "loads:\n"
    "  - {name: wind, on: bob, force: [0, 3, 0], time: cos(4*t)}\n"
    "run: {step: 0.01, end: 1}\n";

TEST(orders_2_4_6_with_motions_and_loads_over_time)
{
    check_orders(DRIVEN, 0.5, (const long[]){100, 40, 20});
}

static const method METHODS[] = {{"energy-momentum", "6", "reduced"},
                                 {"energy-momentum", "6", "multipliers"},
                                 {"energy-momentum", "6", "projected"},
                                 {"energy-momentum", "6", "minimal"},
                                 {"energy-momentum-2006", "4", "reduced"},
                                 {"energy-momentum-2006", "4", "multipliers"},
                                 {"energy-momentum-2006", "4", "projected"},
                                 {"energy-momentum-2006", "4", "minimal"},
                                 {"variational", "4", "reduced"},
                                 {"variational", "6", "reduced"},
                                 {"variational", "6", "multipliers"},
                                 {"variational", "6", "projected"}};
enum { METHOD_COUNT = sizeof METHODS / sizeof METHODS[0] };

TEST(treatments_agree_at_every_order)
{
    for (int k = 0; k < METHOD_COUNT; k++) {
        const method reduced = {METHODS[k].scheme, METHODS[k].order, "reduced"};
        const end_state a = run_to("double-spherical-pendulum", &METHODS[k], 0.5, 20);
        const end_state b = run_to("double-spherical-pendulum", &reduced, 0.5, 20);
        check_below(scene_distance(a.n, a.q, b.q), 1e-12);
        check_below(scene_distance(a.n, a.p, b.p), 1e-11);
    }
}

static double largest_change(int n, const double *a, const double *b)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = larger(largest, fabs(a[i] - b[i]));
    return largest;
}

/* A step of -h is the inverse of a step of h, and a reversed motion returns to its initial
 * state. */
static void check_symmetry(const char *model, const method *m, double h, long steps)
{
    scene s = open_method(model, m);
    const int n = s.system->n;
    double q[COORDINATES], v[COORDINATES];
    memcpy(q, olo_state_configuration(s.state), (size_t)n * sizeof *q);
    memcpy(v, olo_state_velocity(s.state), (size_t)n * sizeof *v);
    scene_run(&s, h, steps);
    check_true(scene_distance(n, olo_state_configuration(s.state), q) > 1e-3);
    scene_run(&s, -h, steps);
    const double there = scene_distance(n, olo_state_configuration(s.state), q);
    check_below(there, 1e-12);
    check_below(largest_change(n, olo_state_velocity(s.state), v), 1e-10);
    scene_run(&s, h, steps);
    olo_state_reverse(s.state);
    scene_run(&s, h, steps);
    olo_state_reverse(s.state);
    check_below(scene_distance(n, olo_state_configuration(s.state), q), 1e-12);
    check_below(largest_change(n, olo_state_velocity(s.state), v), 1e-10);
    scene_close(&s);
}

TEST(composed_steps_are_symmetric)
{
    for (int k = 0; k < METHOD_COUNT; k++)
        check_symmetry("double-spherical-pendulum", &METHODS[k], 0.02, 10);
    for (int k = 0; k < METHOD_COUNT; k += 4) {
        const method *m = &METHODS[k];
        check_symmetry("six-body-linkage", m, 0.002, 10);
        check_symmetry("heavy-top", m, 0.001, 10);
        check_symmetry(BEAM, m, 0.005, 10);
    }
}

/* Energy, momenta and constraints are satisfied as with order 2, also with the largest possible
 * step. */
TEST(composed_steps_conserve_what_their_parts_conserve)
{
    static const char *const models[] = {"double-spherical-pendulum", "free-body", "chain"};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < METHOD_COUNT; k += 4) {
            scene s = open_method(models[i], &METHODS[k]);
            const double drift = scene_drift_of(&s, 0.02, 200, k < 8);
            check_below(drift, 2e-12);
            check_below(scene_ledger(&s).constraint_error, 1e-12);
            if (METHODS[k].scheme[0] != 'e')
                check_below(scene_ledger(&s).velocity_error, 1e-10);
            scene_close(&s);
        }
}

/* A step that fails is halved as a whole: its halves are composed steps, to the last bit. */
TEST(a_step_that_is_halved_has_the_same_order)
{
    const olo_setting settings[] = {{"run.order", "4"}, {"run.iterations", "3"}};
    scene one = scene_open_set("double-spherical-pendulum", NULL, settings, 2);
    scene two = scene_open_set("double-spherical-pendulum", NULL, settings, 2);
    scene_run(&one, 0.1, 1);
    check_true(one.halvings > 0);
    check_equal(1, one.halvings);
    scene_run(&two, 0.05, 2);
    check_equal(0, two.halvings);
    check_true(memcmp(olo_state_configuration(one.state), olo_state_configuration(two.state),
                      (size_t)one.system->n * sizeof(double)) == 0);
    scene_close(&one);
    scene_close(&two);
}

/* A step that fails finally does not change the state, even if some of its parts had success. */
TEST(a_composed_step_that_fails_changes_nothing)
{
    const olo_setting settings[] = {
        {"run.order", "4"}, {"run.iterations", "2"}, {"run.halvings", "1"}};
    scene s = scene_open_set("double-spherical-pendulum", NULL, settings, 3);
    double q[COORDINATES];
    olo_error error = {0};
    scene_run(&s, 1e-5, 5);
    memcpy(q, olo_state_configuration(s.state), (size_t)s.system->n * sizeof *q);
    const double t = olo_state_time(s.state);
    check_status(OLO_NOT_CONVERGED, olo_stepper_step(s.stepper, s.state, 1.0, &error));
    check_true(memcmp(q, olo_state_configuration(s.state), (size_t)s.system->n * sizeof *q) == 0);
    check_true(t == olo_state_time(s.state));
    scene_close(&s);
}

static void check_refused(const char *scheme, const char *order, const char *tolerance,
                          const char *part)
{
    const olo_setting settings[] = {
        {"run.scheme", scheme}, {"run.order", order}, {"run.tolerance", tolerance}};
    olo_model *model = NULL;
    olo_system *system = NULL;
    olo_stepper *stepper = NULL;
    olo_error error = {0};
    check_ok(olo_model_read("heavy-top", settings, 3, &model, &error), &error);
    check_ok(olo_model_compile(model, &system, &error), &error);
    check_true(olo_stepper_create(system, olo_model_run(model), &stepper, &error) != OLO_OK);
    check_contains(part, error.text);
    olo_system_free(system);
    olo_model_free(model);
}

TEST(what_a_scheme_does_not_have_is_refused)
{
    check_refused("energy-momentum-2006", "6", "0",
                  "take order 4, or the scheme energy-momentum or variational");
    check_refused("variational", "2", "1e-4", "needs constant steps");
    check_refused("energy-momentum-2006", "2", "1e-13", "take run.order: 4");
}

/* With strong damping the backward part of a composed step makes it gain energy: for v' = -(d/m) v
 *
 *     R(z) = prod (1 + c_i z/2)/(1 - c_i z/2)
 *
 * has a pole at z = -h d/m = 2/c_3 = -3.0397. A run warns about this, but not with smaller steps.
 */
static const char DAMPED[] = "points:\n"
                             "  - {name: a, mass: 1, position: [1, 0, 0], velocity: [1, 0, 0]}\n"
                             "dampers: [{name: d, between: [ground, a], damping: 30.4}]\n"
                             "run: {step: 0.1, end: 0.5, order: 4}\n";

static void take_warning(void *context, const char *text)
{
    snprintf(context, 256, "%s", text);
}

TEST(damping_that_backward_parts_cannot_follow_is_reported)
{
    static const char *const steps[] = {"0.1", "0.01"};
    for (int k = 0; k < 2; k++) {
        const olo_setting step = {"run.step", steps[k]};
        scene s = scene_open_set(DAMPED, NULL, &step, 1);
        char text[256] = "";
        const olo_observer observer = {
            .initialised = OLO_INITIALISED_OBSERVER, .context = text, .warn = take_warning};
        olo_error error = {0};
        check_ok(olo_simulate(s.system, &s.run, s.state, &observer, 1, NULL, &error), &error);
        if (k == 0)
            check_contains("dampers returned energy", text);
        else
            check_text("", text);
        scene_close(&s);
    }
}

/* Steps of a scene, of chosen sizes if it has a tolerance. */
static void make_steps(scene *s, int steps)
{
    olo_error error = {0};
    for (int i = 0; i < steps && s->run.tolerance > 0; i++)
        check_ok(olo_stepper_step_adaptive(s->stepper, s->state, 1.0, &error), &error);
    if (!(s->run.tolerance > 0))
        scene_run(s, s->run.step, steps);
}

static void check_same_state(const olo_state *a, const olo_state *b)
{
    const size_t size = olo_state_saved_size(a);
    unsigned char *block = malloc(2 * size);
    olo_state_save(a, block);
    olo_state_save(b, block + size);
    check_true(memcmp(block, block + size, size) == 0);
    free(block);
}

/* In the middle of a run the state is saved, and copied. Both continue to the same bits, with the
 * same number of iterations, since the motions of all parts are in the state. */
TEST(a_state_continues_composed_steps_to_the_same_bits)
{
    static const char *const models[] = {"double-spherical-pendulum", "six-body-linkage"};
    for (int k = 0; k < 24; k++) {
        const char *scheme = k % 3 == 0   ? "variational"
                             : k % 3 == 1 ? "energy-momentum"
                                          : "energy-momentum-2006";
        const bool chosen = k / 3 % 2, sixth = k / 6 % 2;
        if ((chosen && k % 3 == 0) || (sixth && k % 3 == 2))
            continue; /* there are none */
        const olo_setting settings[] = {{"run.scheme", scheme},
                                        {"run.order", sixth ? "6" : "4"},
                                        {"run.step", "0.004"},
                                        {"run.tolerance", "1e-7"}};
        scene x[3];
        olo_error error = {0};
        for (int i = 0; i < 3; i++)
            x[i] = scene_open_set(models[k / 12], "reduced", settings, chosen ? 4 : 3);
        const size_t size = olo_state_saved_size(x[0].state);
        void *block = malloc(size);
        make_steps(&x[0], 7);
        olo_state_save(x[0].state, block);
        make_steps(&x[2], 1); /* what is stored in a state before does not matter */
        check_ok(olo_state_load(x[1].state, block, size, &error), &error);
        olo_state_copy(x[0].state, x[2].state);
        for (int i = 0; i < 3; i++) {
            x[i].iterations = 0;
            make_steps(&x[i], 6);
            check_same_state(x[0].state, x[i].state);
            check_equal(x[0].iterations, x[i].iterations);
        }
        free(block);
        for (int i = 0; i < 3; i++)
            scene_close(&x[i]);
    }
}

/* Where motions are smooth every part takes one iteration: it is predicted from the same part of
 * the steps before. */
TEST(parts_of_composed_steps_take_one_iteration)
{
    static const char *const models[] = {"heavy-top", "robot-6r"};
    const method variational = {"variational", "4", "reduced"};
    for (int k = 0; k < 2; k++) {
        scene s = open_method(models[k], &variational);
        scene_run(&s, 0.001, 15);
        s.iterations = 0;
        scene_run(&s, 0.001, 10);
        check_equal(10 * 5, s.iterations);
        scene_close(&s);
    }
}

/* A state that is stepped with one order, then with another one, and back. What is stored of the
 * motions only changes the first iterate of a step. */
TEST(a_state_may_change_between_orders_and_schemes)
{
    static const method methods[] = {
        {"energy-momentum", "2", "reduced"},      {"energy-momentum", "4", "reduced"},
        {"energy-momentum-2006", "2", "reduced"}, {"variational", "6", "reduced"},
        {"energy-momentum", "4", "reduced"},      {"variational", "2", "reduced"}};
    for (int side = 0; side < 2; side++) {
        static double q[2][COORDINATES];
        scene s = scene_open("double-spherical-pendulum", "reduced");
        check_true(s.system->n <= COORDINATES);
        for (int pass = 0; pass < 2; pass++)
            for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
                olo_error error = {0};
                olo_stepper_free(s.stepper);
                s.run.scheme = methods[i].scheme;
                s.run.order = (int)strtol(methods[i].order, NULL, 10);
                check_ok(olo_stepper_create(s.system, &s.run, &s.stepper, &error), &error);
                for (int k = 0; k < 3; k++) {
                    scene_run(&s, 0.01, 1);
                    if (side == 1)
                        olo_predictor_restart(s.state);
                }
            }
        memcpy(q[side], olo_state_configuration(s.state), (size_t)s.system->n * sizeof **q);
        if (side == 1)
            check_below(scene_distance(s.system->n, q[0], q[1]), 1e-12);
        scene_close(&s);
    }
}

TEST_MAIN(cmocka_unit_test(orders_2_4_6_of_the_double_spherical_pendulum),
          cmocka_unit_test(orders_2_4_6_of_the_heavy_top),
          cmocka_unit_test(orders_2_4_6_of_the_six_body_linkage),
          cmocka_unit_test(orders_2_4_6_of_a_beam),
          cmocka_unit_test(orders_2_4_6_with_motions_and_loads_over_time),
          cmocka_unit_test(treatments_agree_at_every_order),
          cmocka_unit_test(composed_steps_are_symmetric),
          cmocka_unit_test(composed_steps_conserve_what_their_parts_conserve),
          cmocka_unit_test(a_step_that_is_halved_has_the_same_order),
          cmocka_unit_test(a_composed_step_that_fails_changes_nothing),
          cmocka_unit_test(a_state_continues_composed_steps_to_the_same_bits),
          cmocka_unit_test(parts_of_composed_steps_take_one_iteration),
          cmocka_unit_test(a_state_may_change_between_orders_and_schemes),
          cmocka_unit_test(what_a_scheme_does_not_have_is_refused),
          cmocka_unit_test(damping_that_backward_parts_cannot_follow_is_reported))
