/* Extreme models: sizes from 1e-6 to 1e6, masses from 1e-9 to 1e12, steps from 1e-9 to very large
 * ones, very stiff springs, coinciding points, singular positions, NaN. A step either conserves its
 * quantities or is refused. */
#include "scene.h"

#include "linalg/vec3.h"

static const char *const treatments[] = {"reduced", "multipliers"};

/* The largest |g| relative to the terms of its row, which does not depend on the size of the
 * model. */
static double open_by(const scene *s, double size)
{
    const double units[3] = {1, size, size * size};
    double largest = 0;
    for (int c = 0; c < s->system->m; c++) {
        const olo_form *form = s->system->constraints[c].form;
        bool position = false;
        for (int i = 0; i < form->size; i++)
            position = position || s->system->coordinates[form->index[i]].slot == 0;
        double g = fabs(olo_form_value(form, olo_state_configuration(s->state)));
        check_true(isfinite(g));
        largest = larger(largest, g / units[position + (position && form->products)]);
    }
    return largest;
}

TEST(size_and_mass_of_a_model_do_not_matter)
{
    static const char *const models[] = {
        "bodies: {name: b, mass: m, center: [0, 0, 0.1*s], inertia: [m*s^2*0.01, m*s^2*0.012, "
        "m*s^2*0.015], rotation: {axis: [1, 0, 0], angle: 1}, angular_velocity: [1, 2, 30]}\n"
        "supports: {on: b}\n",
        "points: [{name: a, mass: m, position: [s, 0, 0]}, {name: b, mass: 2*m, position: [2*s, 0, "
        "0], velocity: [0, s, 0]}]\n"
        "rods: [{between: [ground, a]}, {between: [a, b]}]\n",
        "points: [{name: a, mass: m, position: [0, 0, 0]}, {name: b, mass: 2*m, position: [s, 0, "
        "0], velocity: [0, s, 0]}, {name: c, mass: m, position: [0, s, 0], velocity: [0, 0, s]}]\n"
        "rods: [{between: [c, a]}, {between: [a, b]}, {between: [b, c]}]\n",
        "bodies: {name: b, mass: m, center: [0.5*s, 0.3*s, 0], inertia: [m*s^2*0.1, m*s^2*0.12, "
        "m*s^2*0.15], angular_velocity: [1, 0, 0], points: {p: [s, 0, 0]}}\n"
        "supports: [{on: b}, {on: b.p}]\n",
        "bodies: {name: b, mass: m, inertia: [m*s^2*0.1, m*s^2*0.12, m*s^2*0.15], velocity: [0, s, "
        "0], points: {l: [-s, 0, 0], r: [s, 0, 0]}}\n"
        "rods: [{between: [[-s, 0, 2*s], b.l]}, {between: [[s, 0, 2*s], b.r]}]\n"
        "springs: {between: [b, [0, 0, 2*s]], stiffness: 10*m, length: 0.5*s, damping: m}\n",
        /* inconsistent on purpose: positions and velocities must be projected for every size */
        "points: [{name: a, mass: m, position: [1.1*s, 0, 0], velocity: [s, s, 0]}, {name: b, "
        "mass: "
        "2*m, position: [2*s, 0.1*s, 0], velocity: [0, s, 0]}]\n"
        "rods: [{between: [ground, a], length: s}, {between: [a, b], length: s}, {between: [b, "
        "[3*s, "
        "0, s]], length: 1.5*s}]\n",
    };
    static const char *const sizes[] = {"1e-6", "1", "1e6"}, *const masses[] = {"1e-9", "1e12"};
    static const double size[] = {1e-6, 1, 1e6};
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        double reference[36] = {0};
        for (int i = 0; i < 12; i++) {
            char text[2048];
            olo_setting settings[2] = {{"s", sizes[i / 2 % 3]}, {"m", masses[i % 2]}};
            snprintf(text, sizeof text, "parameters: {s: 1, m: 1}\ngravity: [0, 0, -9.81*s]\n%s",
                     models[k]);
            scene s = scene_open_set(text, treatments[i / 6], settings, 2);
            check_below(open_by(&s, size[i / 2 % 3]), 2e-15);
            check_below(scene_drift(&s, 0.01, 50), 1e-12);
            check_below(open_by(&s, size[i / 2 % 3]), 1e-13);
            check_equal(0, s.halvings);
            check_below((double)s.iterations, 50 * 5);
            /* the same motion in scaled units */
            int n = olo_system_coordinate_count(s.system);
            for (int j = 0; j < n; j++) {
                double unit = s.system->coordinates[j].slot == 0 ? size[i / 2 % 3] : 1;
                double x = olo_state_configuration(s.state)[j] / unit;
                if (i == 0)
                    reference[j] = x;
                check_close(reference[j], x, 1e-10);
            }
            scene_close(&s);
        }
    }
}

TEST(masses_may_differ_by_many_orders)
{
    static const double ratios[][2] = {{1e-9, 1}, {1, 1e-9}, {1e-15, 1}, {1, 1e-15}, {1e-12, 1e12}};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 5; i++) {
            char text[512];
            snprintf(text, sizeof text,
                     "gravity: [0, 0, -9.81]\n"
                     "points: [{name: a, mass: %g, position: [1, 0, 0]}, {name: b, mass: %g, "
                     "position: [2, 0, 0], velocity: [0, 1, 0]}]\n"
                     "rods: [{between: [ground, a]}, {between: [a, b]}]\n",
                     ratios[i][0], ratios[i][1]);
            scene s = scene_open(text, treatments[k]);
            check_below(scene_drift(&s, 0.01, 200), 1e-12);
            check_below(scene_ledger(&s).constraint_error, 1e-14);
            scene_close(&s);
        }
}

/* For any step size: an accepted step conserves its quantities; a failed step does not change the
 * state and reports the reason. */
static void check_any_step(const char *model, const char *constraints, double h, int steps)
{
    scene s = scene_open(model, constraints);
    olo_ledger start = scene_ledger(&s);
    olo_error error = {0};
    for (int i = 0; i < steps; i++) {
        double t = olo_state_time(s.state), q0 = olo_state_configuration(s.state)[0];
        olo_status status = olo_stepper_step(s.stepper, s.state, h, &error);
        olo_ledger now = scene_ledger(&s);
        if (status != OLO_OK) {
            check_true(strlen(error.text) > 20);
            check_close(t, olo_state_time(s.state), 0);
            check_close(q0, olo_state_configuration(s.state)[0], 0);
            break;
        }
        double size = larger(fabs(start.total), larger(now.kinetic, now.strain));
        if (!(fabs(now.balance - start.balance) <= 1e-9 * size))
            print_message("%s, %s, h = %g, step %d\n", model, constraints, h, i);
        check_close(start.balance, now.balance, 1e-9 * size);
        check_below(now.constraint_error, 1e-11);
    }
    scene_close(&s);
}

TEST(steps_of_any_size_conserve_or_are_refused)
{
    static const double steps[] = {1e-9, 1e-6, 1e-3, 0.1, 0.3, 1, 3, 10, 100, 1e4};
    static const char *const models[] = {"double-spherical-pendulum",
                                         "heavy-top",
                                         "free-body",
                                         "sliding-top",
                                         "spring-chain",
                                         "planar-pendulum"};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 10; i++)
            for (int m = 0; m < 6; m++)
                check_any_step(models[m], treatments[k], steps[i], 30);
}

TEST(very_stiff_springs_conserve)
{
    /* a length of one has an error of 1e-16, and so has the extension sqrt(2 E/k) of an energy E =
     * 2.6: the relative error of the energy of a stiff spring is 4e-16 sqrt(k/2E) */
    static const char *const stiffness[] = {"1e6", "1e9", "1e12", "1e15"};
    static const double value[] = {1e6, 1e9, 1e12, 1e15};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 4; i++) {
            olo_setting setting = {.name = "k", .value = stiffness[i]};
            scene s = scene_open_set("spring-chain", treatments[k], &setting, 1);
            check_below(scene_drift(&s, 0.01, 100), 1e-12 + 4e-16 * sqrt(value[i] / 5.2));
            scene_close(&s);
        }
}

TEST(points_that_meet_pass_through_each_other)
{
    for (int k = 0; k < 2; k++) {
        scene s =
            scene_open("points: [{name: a, mass: 1, position: [-1, 0, 0], velocity: [1, 0, "
                       "0]}, {name: b, mass: 1, position: [1, 0, 0], velocity: [-1, 0, 0]}]\n"
                       "springs: {between: [a, b], type: linear, stiffness: 1, damping: 0.1}\n"
                       "dampers: {between: [a, b], damping: 0.1}\n",
                       treatments[k]);
        check_below(scene_drift(&s, 0.01, 500), 1e-12);
        scene_close(&s);
    }
}

TEST(resting_and_weightless_systems_stay_at_the_bit)
{
    for (int k = 0; k < 2; k++) {
        scene s = scene_open("points: {name: a, mass: 1, position: [1, 2, 3]}\n"
                             "bodies: {name: b, mass: 1, inertia: [1, 1, 1], position: [4, 5, 6]}\n"
                             "springs: {between: [a, b], stiffness: 10}\n",
                             treatments[k]);
        scene_run(&s, 0.01, 100);
        const double q[6] = {1, 2, 3, 4, 5, 6};
        for (int i = 0; i < 3; i++) {
            check_close(q[i], scene_q(&s, "a")[i], 0);
            check_close(q[3 + i], scene_q(&s, "b")[i], 0);
        }
        check_close(0, scene_ledger(&s).total, 0);
        scene_close(&s);
    }
}

TEST(parallelogram_passes_its_singular_position)
{
    /* the N four-bar mechanism of the benchmark list with one window: all bars are in line twice
     * per turn */
    for (int k = 0; k < 2; k++) {
        scene s = scene_open("plane: xy\ngravity: [0, -9.81]\n"
                             "points: [{name: a, mass: 1, position: [0, 1], velocity: [1, 0]}, "
                             "{name: b, mass: 1, position: [1, 1], velocity: [1, 0]}]\n"
                             "rods: [{between: [ground, a]}, {between: [a, b]}, {between: [b, [1, "
                             "0, 0]]}]\n",
                             treatments[k]);
        check_below(scene_drift(&s, 0.01, 500), 1e-12);
        check_below(scene_ledger(&s).constraint_error, 1e-13);
        scene_close(&s);
    }
}

/* A stretched four-bar linkage cannot move: it is refused or stays at rest, and its rods remain
 * closed. */
TEST(locked_linkage_does_not_break)
{
    for (int k = 0; k < 2; k++) {
        scene s = scene_open("plane: xy\ngravity: [0, -9.81]\n"
                             "points: [{name: a, mass: 1, position: [1, 0]}, {name: b, mass: 1, "
                             "position: [2, 0]}]\n"
                             "rods: [{between: [ground, a]}, {between: [a, b]}, {between: [b, [3, "
                             "0, 0]]}]\n",
                             treatments[k]);
        olo_error error = {0};
        for (int i = 0; i < 5; i++) {
            olo_status status = olo_stepper_step(s.stepper, s.state, 0.01, &error);
            check_below(scene_ledger(&s).constraint_error, 1e-10);
            if (status == OLO_OK)
                continue;
            check_contains("failed", error.text);
            break;
        }
        scene_close(&s);
    }
}

/* Runs until a step fails, which must happen. The state is finite and that before the failed
 * step. */
static void check_caught(const char *text)
{
    for (int k = 0; k < 2; k++) {
        scene s = scene_open(text, treatments[k]);
        olo_error error = {0};
        olo_status status = OLO_OK;
        for (int i = 0; i < 1000 && status == OLO_OK; i++) {
            status = olo_stepper_step(s.stepper, s.state, 0.01, &error);
            olo_ledger ledger = scene_ledger(&s);
            check_true(isfinite(ledger.balance));
            for (int j = 0; j < olo_system_coordinate_count(s.system); j++)
                check_true(isfinite(olo_state_configuration(s.state)[j]) &&
                           isfinite(olo_state_velocity(s.state)[j]));
        }
        check_true(status == OLO_NOT_FINITE || status == OLO_SINGULAR ||
                   status == OLO_NOT_CONVERGED);
        check_contains("failed", error.text);
        scene_close(&s);
    }
}

TEST(numbers_that_are_none_are_caught)
{
    /* a function of time that is NaN, one that overflows, an energy outside of its domain, a table
     * of huge values */
    check_caught("points: {name: a, mass: 1, position: [0, 0, 0]}\n"
                 "loads: {on: a, force: [1, 0, 0], time: log(0.5 - t)}\n");
    check_caught("points: {name: a, mass: 1e-30, position: [0, 0, 0]}\n"
                 "loads: {on: a, force: [1e30, 0, 0], time: exp(700*t)}\n");
    check_caught("points: [{name: a, mass: 1, position: [0, 0, 0], velocity: [1, 0, 0]}, {name: b, "
                 "mass: 2, position: [2, 0, 0]}]\n"
                 "springs: {between: [a, b], energy: \"sqrt(l - 1)\"}\n");
    check_caught("bodies: {name: b, mass: 1, inertia: [1, 1, 1]}\n"
                 "loads: {on: b, moment: [1, 0, 0], frame: body, time: 1/(0.305 - t)^2/"
                 "step(0.305 - t)}\n");
}

TEST(steps_that_are_no_steps_are_refused)
{
    scene s = scene_open("heavy-top", "reduced");
    olo_error error = {0};
    check_status(OLO_BAD_INPUT, olo_stepper_step(s.stepper, s.state, 0.0, &error));
    check_status(OLO_BAD_INPUT, olo_stepper_step(s.stepper, s.state, NAN, &error));
    check_status(OLO_BAD_INPUT, olo_stepper_step(s.stepper, s.state, INFINITY, &error));
    /* a state that was overwritten with NaN */
    s.state->q[4] = NAN;
    olo_state_reset_history(s.state);
    check_true(olo_stepper_step(s.stepper, s.state, 0.01, &error) != OLO_OK);
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(size_and_mass_of_a_model_do_not_matter),
          cmocka_unit_test(masses_may_differ_by_many_orders),
          cmocka_unit_test(steps_of_any_size_conserve_or_are_refused),
          cmocka_unit_test(very_stiff_springs_conserve),
          cmocka_unit_test(points_that_meet_pass_through_each_other),
          cmocka_unit_test(resting_and_weightless_systems_stay_at_the_bit),
          cmocka_unit_test(parallelogram_passes_its_singular_position),
          cmocka_unit_test(locked_linkage_does_not_break),
          cmocka_unit_test(numbers_that_are_none_are_caught),
          cmocka_unit_test(steps_that_are_no_steps_are_refused))
