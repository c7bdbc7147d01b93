/* Five treatments of constraints compute the same motion: `reduced`, `multipliers` and `projected`
 * (with both null space matrices) solve the same equations, `augmented` to its tolerance, `penalty`
 * up to an error of 1/mu. The models have springs, dampers, loads, supports, a plane, loops and
 * redundant constraints. */
#include "scene.h"

#include "base/memory.h"

static const char *const TREATMENTS[] = {"reduced", "multipliers", "projected", "penalty",
                                         "augmented"};
enum { TREATMENT_COUNT = 5 };

static const char SPINNING[] = /* support, spring, damper, load that changes */
    "name: spinning\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: top, mass: 2, inertia: [0.02, 0.03, 0.04], center: [0, 0, 0.2],\n"
    "     rotation: {axis: [1, 0.2, 0], angle: 0.7}, angular_velocity: [0.3, 1, 12],\n"
    "     points: {rim: [0.1, 0, 0.2]}}\n"
    "supports:\n"
    "  - {name: tip, on: top, at: [0, 0, 0]}\n"
    "springs:\n"
    "  - {name: cord, between: [[0.5, 0, 0.5], top.rim], stiffness: 40, length: 0.2, damping: "
    "0.3}\n"
    "loads:\n"
    "  - {name: push, on: top.rim, force: [1, 2, 0], time: sin(5*t)}\n";

static const char HINGED[] = /* a hinge, a rail, and a rod between two bodies: a loop in space */
    "name: hinged\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  - {name: crank, mass: 1, inertia: [0.1, 0.02, 0.1], position: [0, 0.3, 0],\n"
    "     angular_velocity: [4, 0, 0], velocity: [0, 0, 1.2], points: {pin: [0, 0.3, 0]}}\n"
    "  - {name: block, mass: 2, inertia: [0.2, 0.2, 0.1], position: [0.2, 1.5, 0.4],\n"
    "     points: {pin: [0, -0.1, 0]}}\n"
    "supports:\n"
    "  - {name: bearing, on: {on: crank, at: [0, -0.3, 0]}, type: hinge, axis: [1, 0, 0]}\n"
    "  - {name: rail, on: block, type: slide, axis: [0, 1, 0]}\n"
    "rods:\n"
    "  - {name: link, between: [crank.pin, block.pin]}\n";

static const char FOUR_BAR[] = /* a loop of rods in the plane, one of them twice */
    "name: four-bar\n"
    "gravity: [0, -9.81]\n"
    "plane: xy\n"
    "points:\n"
    "  - {name: a, mass: 1, position: [0, 1], velocity: [1, 0]}\n"
    "  - {name: b, mass: 2, position: [1.5, 1.2], velocity: [1, 0]}\n"
    "rods:\n"
    "  - {name: left, between: [[0, 0, 0], a]}\n"
    "  - {name: coupler, between: [a, b]}\n"
    "  - {name: right, between: [[2, 0, 0], b]}\n"
    "  - {name: again, between: [b, a]}\n"
    "springs:\n"
    "  - {name: diagonal, between: [[0, 0, 0], b], stiffness: 20, length: 1}\n";

static const char PLATE[] = /* a body in the plane with a mass on a rod, and one that is fixed */
    "name: plate\n"
    "gravity: [0, -9.81]\n"
    "plane: xy\n"
    "bodies:\n"
    "  - {name: plate, mass: 3, inertia: [0.1, 0.2, 0.3], position: [0.2, 0],\n"
    "     angular_velocity: [0, 0, 2], points: {corner: [0.3, 0.1, 0]}}\n"
    "  - {name: wall, mass: 3, inertia: [0.1, 0.2, 0.3], position: [3, 0]}\n"
    "points:\n"
    "  - {name: bob, mass: 1, position: [0.5, -0.7]}\n"
    "supports:\n"
    "  - {name: pivot, on: {on: plate, at: [-0.2, 0, 0]}, type: point}\n"
    "  - {name: clamp, on: wall, type: fixed}\n"
    "rods:\n"
    "  - {name: string, between: [plate.corner, bob]}\n"
    "springs:\n"
    "  - {name: tie, between: [wall, bob], stiffness: 5, length: 1}\n";

static const char *const MODELS[] = {SPINNING, HINGED,        FOUR_BAR,
                                     PLATE,    "sliding-top", "double-spherical-pendulum"};
enum { MODEL_COUNT = 6 };

/* ||z - z_ref|| / ||z_ref|| of z = (q, v) */
static double distance(const scene *a, const scene *b)
{
    int n = olo_system_coordinate_count(a->system);
    double q =
        scene_distance(n, olo_state_configuration(a->state), olo_state_configuration(b->state));
    double v = scene_distance(n, olo_state_velocity(a->state), olo_state_velocity(b->state));
    return larger(q, v);
}

static void compare(int model, const char *treatment, const char *null_space, double tolerance)
{
    scene a = scene_open(MODELS[model], "multipliers");
    scene b = scene_open_penalty(MODELS[model], treatment, 1e9, 1e-13, null_space);
    scene_run(&a, 0.005, 100);
    scene_run(&b, 0.005, 100);
    check_equal(0, a.halvings + b.halvings);
    check_below(distance(&b, &a), tolerance);
    scene_close(&a);
    scene_close(&b);
}

TEST(reduced_and_projected_give_the_motion_of_the_multipliers)
{
    for (int model = 0; model < MODEL_COUNT; model++) {
        compare(model, "reduced", "explicit", 1e-10);
        compare(model, "projected", "explicit", 1e-10);
        compare(model, "projected", "implicit", 1e-10);
    }
}

TEST(augmented_gives_the_motion_of_the_multipliers_to_its_tolerance)
{
    for (int model = 0; model < MODEL_COUNT; model++) {
        double before = 1;
        for (int k = 0; k < 2; k++) {
            scene a = scene_open(MODELS[model], "multipliers");
            scene b = scene_open_penalty(MODELS[model], "augmented", 1e8, k == 0 ? 1e-8 : 1e-12,
                                         "explicit");
            scene_run(&a, 0.005, 100);
            for (int i = 0; i < 100; i++) {
                scene_run(&b, 0.005, 1);
                check_below(scene_ledger(&b).constraint_error, k == 0 ? 1.001e-8 : 1.001e-12);
            }
            double error = distance(&b, &a);
            if (k == 1)
                check_below(error, larger(0.1 * before, 1e-9));
            before = error;
            scene_close(&a);
            scene_close(&b);
        }
        check_below(before, 1e-6);
    }
}

/* Small steps resolve the deformation of the constraints, which then follows the motion: |g| and
 * the error of the motion are proportional to 1/mu. */
TEST(the_error_of_a_penalty_is_inverse_to_mu)
{
    for (int model = 0; model < MODEL_COUNT; model++) {
        scene a = scene_open(MODELS[model], "multipliers");
        scene_run(&a, 1e-3, 100);
        double gap[2] = {0}, error[2];
        for (int k = 0; k < 2; k++) {
            scene b =
                scene_open_penalty(MODELS[model], "penalty", k == 0 ? 1e6 : 1e8, 1e-10, "explicit");
            for (int i = 0; i < 100; i++) {
                scene_run(&b, 1e-3, 1);
                gap[k] = larger(gap[k], scene_ledger(&b).constraint_error);
            }
            int n = olo_system_coordinate_count(a.system);
            error[k] = scene_distance(n, olo_state_configuration(b.state),
                                      olo_state_configuration(a.state));
            scene_close(&b);
        }
        check_relative(100, gap[0] / gap[1], 0.25);
        check_true(error[0] / error[1] > 30 && error[0] / error[1] < 300);
        scene_close(&a);
    }
}

TEST(every_treatment_conserves_what_the_model_conserves)
{
    for (int model = 0; model < MODEL_COUNT; model++)
        for (int k = 0; k < TREATMENT_COUNT; k++) {
            scene s = scene_open_penalty(MODELS[model], TREATMENTS[k], 1e6, 1e-6, "implicit");
            check_below(scene_drift(&s, 0.005, 200), 1e-11);
            scene_close(&s);
        }
}

/* H + mu |g|^2 is the conserved energy of the penalty, which is in the ledger. */
TEST(the_constraint_energy_of_a_penalty_is_mu_g_squared)
{
    for (int model = 0; model < MODEL_COUNT; model++) {
        scene s = scene_open_penalty(MODELS[model], "penalty", 1e5, 1e-10, "explicit");
        for (int i = 0; i < 100; i++) {
            scene_run(&s, 0.005, 1);
            double squares = 0;
            for (int c = 0; c < s.system->m; c++) {
                double g = olo_form_value(s.system->constraints[c].form, s.state->q);
                squares += g * g;
            }
            olo_ledger ledger = scene_ledger(&s);
            check_close(1e5 * squares, ledger.constraint, 1e-12 * (1 + ledger.kinetic));
            check_close(ledger.kinetic + ledger.potential + ledger.strain + ledger.constraint,
                        ledger.total, 1e-13 * (1 + fabs(ledger.total)));
        }
        check_true(scene_ledger(&s).constraint > 0);
        scene_close(&s);
    }
}

TEST(exact_treatments_have_no_constraint_energy)
{
    const char *const exact[] = {"reduced", "multipliers", "projected"};
    for (int k = 0; k < 3; k++) {
        scene s = scene_open(SPINNING, exact[k]);
        scene_run(&s, 0.005, 10);
        check_true(scene_ledger(&s).constraint == 0);
        check_below(scene_ledger(&s).constraint_error, 1e-14);
        scene_close(&s);
    }
}

TEST(the_multipliers_of_all_treatments_agree)
{
    const char *const with_multipliers[] = {"projected", "projected", "augmented"};
    for (int k = 0; k < 3; k++) {
        scene a = scene_open(SPINNING, "multipliers");
        scene b = scene_open_penalty(SPINNING, with_multipliers[k], 1e8, 1e-12,
                                     k == 1 ? "implicit" : "explicit");
        scene_run(&a, 0.005, 20);
        scene_run(&b, 0.005, 20);
        check_below(scene_distance(a.system->m, olo_state_multipliers(b.state),
                                   olo_state_multipliers(a.state)),
                    k == 2 ? 1e-5 : 1e-10);
        scene_close(&a);
        scene_close(&b);
    }
}

/* mu (g0 + g1) includes oscillations that the steps do not resolve; they decrease with increasing
 * mu. */
TEST(the_multipliers_of_a_penalty_tend_to_the_multipliers)
{
    scene a = scene_open(SPINNING, "multipliers");
    scene_run(&a, 0.005, 20);
    double before = INFINITY;
    for (double mu = 1e5; mu < 1e12; mu *= 100) {
        scene b = scene_open_penalty(SPINNING, "penalty", mu, 1e-10, "explicit");
        scene_run(&b, 0.005, 20);
        double error = scene_distance(a.system->m, olo_state_multipliers(b.state),
                                      olo_state_multipliers(a.state));
        check_below(error, 0.3 * before);
        before = error;
        scene_close(&b);
    }
    scene_close(&a);
}

/* Reactions are computed after the step from the new state: a spring, a damper and a load over time
 * are in the balance. */
TEST(reactions_agree_between_treatments)
{
    double expected[2][3] = {{0}};
    const char *const order[] = {"multipliers", "reduced", "projected", "augmented"};
    for (int k = 0; k < 4; k++) {
        scene s = scene_open_penalty(SPINNING, order[k], 1e8, 1e-13, "explicit");
        double force[3], moment[3];
        scene_run(&s, 0.005, 20);
        scene_reaction(&s, "tip", force, moment);
        double size = 0;
        for (int i = 0; i < 3; i++) {
            if (k == 0)
                expected[0][i] = force[i];
            size = larger(size, fabs(expected[0][i]));
        }
        for (int i = 0; i < 3; i++) {
            check_close(expected[0][i], force[i], 1e-8 * size);
            check_close(0, moment[i], 1e-8 * size); /* rotations about the point are free */
        }
        scene_close(&s);
    }
}

TEST(a_step_allocates_nothing)
{
    for (int k = 0; k < TREATMENT_COUNT; k++)
        for (int model = 0; model < MODEL_COUNT; model++)
            for (int implicit = 0; implicit < 2; implicit++) {
                scene s = scene_open_penalty(MODELS[model], TREATMENTS[k], 1e7, 1e-9,
                                             implicit ? "implicit" : "explicit");
                size_t before = olo_memory_count();
                scene_run(&s, 0.005, 3);
                check_equal(before, olo_memory_count());
                scene_close(&s);
            }
}

/* The state has everything that a step reads: another stepper continues with the same bits. */
TEST(a_new_stepper_continues_to_the_same_bits)
{
    for (int k = 0; k < TREATMENT_COUNT; k++)
        for (int model = 0; model < MODEL_COUNT; model++) {
            olo_error error = {0};
            olo_stepper *other = NULL;
            olo_state *copy = NULL;
            scene s = scene_open_penalty(MODELS[model], TREATMENTS[k], 1e7, 1e-9, "explicit");
            scene_run(&s, 0.01, 15);
            check_ok(olo_state_clone(s.state, &copy, &error), &error);
            check_ok(olo_stepper_create(s.system, &s.run, &other, &error), &error);
            scene_run(&s, 0.01, 15);
            for (int i = 0; i < 15; i++)
                check_ok(olo_stepper_step(other, copy, 0.01, &error), &error);
            size_t bytes = (size_t)s.system->n * sizeof(double);
            check_equal(
                0, memcmp(olo_state_configuration(s.state), olo_state_configuration(copy), bytes));
            check_equal(0, memcmp(olo_state_velocity(s.state), olo_state_velocity(copy), bytes));
            olo_stepper_free(other);
            olo_state_free(copy);
            scene_close(&s);
        }
}

/* Every allocation of a stepper and of its matrix fails in turn: the status reports it, and no
 * memory leaks. */
TEST(treatments_without_memory_fail_cleanly)
{
    for (int k = 0; k < TREATMENT_COUNT; k++)
        for (int model = 0; model < MODEL_COUNT; model++) {
            scene s = scene_open_penalty(MODELS[model], TREATMENTS[k], 1e7, 1e-9, "explicit");
            olo_status status = OLO_NO_MEMORY;
            size_t alive = olo_memory_alive();
            for (size_t n = 1; status != OLO_OK; n++) {
                olo_error error = {0};
                olo_stepper *stepper = NULL;
                olo_memory_fail_at(n);
                status = olo_stepper_create(s.system, &s.run, &stepper, &error);
                olo_memory_fail_at(0);
                check_true(status == OLO_OK || (status == OLO_NO_MEMORY && stepper == NULL));
                olo_stepper_free(stepper);
                check_equal(alive, olo_memory_alive());
                check_true(n < 1000);
            }
            double condition;
            scene_run(&s, 0.005, 1);
            alive = olo_memory_alive();
            status = OLO_NO_MEMORY;
            for (size_t n = 1; status != OLO_OK; n++) {
                olo_error error = {0};
                olo_memory_fail_at(n);
                status = olo_stepper_compute_condition(s.stepper, &condition, &error);
                olo_memory_fail_at(0);
                check_true(status == OLO_OK || error.text[0] != '\0');
                check_equal(alive, olo_memory_alive());
                check_true(n < 1000);
            }
            scene_close(&s);
        }
}

static void check_refused(void (*spoil)(olo_run *run), const char *part)
{
    scene s = scene_open("heavy-top", NULL);
    olo_error error = {0};
    olo_stepper *stepper = NULL;
    spoil(&s.run);
    check_true(olo_stepper_create(s.system, &s.run, &stepper, &error) != OLO_OK);
    check_contains(part, error.text);
    check_true(stepper == NULL);
    scene_close(&s);
}

static void no_treatment(olo_run *run)
{
    run->constraints = "magic";
}

static void no_penalty(olo_run *run)
{
    run->constraints = "penalty";
    run->penalty = 0;
}

static void no_tolerance(olo_run *run)
{
    run->constraints = "augmented";
    run->augmented_tolerance = -1;
}

static void no_null_space(olo_run *run)
{
    run->constraints = "projected";
    run->null_space = "some";
}

TEST(options_that_make_no_sense_are_refused)
{
    check_refused(no_treatment,
                  "there are reduced multipliers projected minimal penalty augmented");
    check_refused(no_penalty, "run.penalty");
    check_refused(no_tolerance, "run.augmented_tolerance");
    check_refused(no_null_space, "run.null_space");
}

TEST_MAIN(cmocka_unit_test(reduced_and_projected_give_the_motion_of_the_multipliers),
          cmocka_unit_test(augmented_gives_the_motion_of_the_multipliers_to_its_tolerance),
          cmocka_unit_test(the_error_of_a_penalty_is_inverse_to_mu),
          cmocka_unit_test(every_treatment_conserves_what_the_model_conserves),
          cmocka_unit_test(the_constraint_energy_of_a_penalty_is_mu_g_squared),
          cmocka_unit_test(exact_treatments_have_no_constraint_energy),
          cmocka_unit_test(the_multipliers_of_all_treatments_agree),
          cmocka_unit_test(the_multipliers_of_a_penalty_tend_to_the_multipliers),
          cmocka_unit_test(reactions_agree_between_treatments),
          cmocka_unit_test(a_step_allocates_nothing),
          cmocka_unit_test(a_new_stepper_continues_to_the_same_bits),
          cmocka_unit_test(treatments_without_memory_fail_cleanly),
          cmocka_unit_test(options_that_make_no_sense_are_refused))
