/* Constraint forces are equal in both treatments, and those of statics, of the pendulum and of
 * steady precession. */
#include "scene.h"

#include "linalg/vec3.h"

static const char *const treatments[] = {"reduced", "multipliers"};

/* Forces are increments over h^2: their error is some 1e-16 in the constraints times 2 m/h^2, with
 * a few kilograms and h = 0.01. */
static const double round_off = 1e-9;

static void check_force(const double expected[3], const double got[3], double tolerance)
{
    for (int i = 0; i < 3; i++)
        check_close(expected[i], got[i], tolerance);
}

TEST(hanging_weights_pull_at_their_rods)
{
    for (int k = 0; k < 2; k++) {
        scene s = scene_open("gravity: [0, 0, -9.81]\n"
                             "points: [{name: a, mass: 2, position: [0, 0, -1]}, {name: b, mass: "
                             "3, position: [0, 0, -2]}]\n"
                             "rods: [{name: upper, between: [ground, a]}, {name: lower, between: "
                             "[a, b]}]\n",
                             treatments[k]);
        scene_run(&s, 0.01, 3);
        double force[3], moment[3];
        const double upper[3] = {0, 0, 5 * 9.81}, lower[3] = {0, 0, 3 * 9.81}, none[3] = {0, 0, 0};
        scene_reaction(&s, "upper", force, moment);
        check_force(upper, force, round_off);
        check_force(none, moment, 0);
        scene_reaction(&s, "lower", force, moment);
        check_force(lower, force, round_off);
        scene_close(&s);
    }
}

TEST(supports_at_rest_carry_weight_and_moment)
{
    static const struct {
        const char *type;
        double moment[3]; /* about the point; the centre lies at (0.5, 0.2, 0) from it, weight 2 g
                             down */
    } cases[] = {
        {"fixed", {0.2 * 2 * 9.81, -0.5 * 2 * 9.81, 0}},
        {"hinge, axis: [0, 0, 1]", {0.2 * 2 * 9.81, -0.5 * 2 * 9.81, 0}},
    };
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            char text[512];
            snprintf(text, sizeof text,
                     "gravity: [0, 0, -9.81]\n"
                     "bodies: {name: b, mass: 2, center: [0.6, 0.5, 0], inertia: [1, 1, 1], "
                     "points: {p: [0.1, 0.3, 0]}, position: [1, 2, 3]}\n"
                     "supports: {name: s, on: b.p, type: %s}\n",
                     cases[i].type);
            scene s = scene_open(text, treatments[k]);
            double force[3], moment[3], expected[3] = {0, 0, 2 * 9.81};
            scene_run(&s, 0.01, 2);
            scene_reaction(&s, "s", force, moment);
            check_force(expected, force, round_off);
            check_force(cases[i].moment, moment, round_off);
            scene_close(&s);
        }
}

TEST(plane_and_slide_carry_the_weight_of_a_body_at_rest)
{
    for (int k = 0; k < 4; k++) {
        scene s = scene_open(k / 2 ? "gravity: [0, 0, -9.81]\n"
                                     "bodies: {name: b, mass: 2, center: [0, 0, -0.3], inertia: "
                                     "[1, 1, 1]}\nsupports: {name: s, on: b, type: slide, axis: "
                                     "[1, 1, 0]}\n"
                                   : "gravity: [0, 0, -9.81]\n"
                                     "bodies: {name: b, mass: 2, center: [0, 0, -0.3], inertia: "
                                     "[1, 1, 1]}\nsupports: {name: s, on: b, type: plane, axis: "
                                     "[0, 0, 1]}\n",
                             treatments[k % 2]);
        double force[3], moment[3];
        const double expected[3] = {0, 0, 2 * 9.81}, none[3] = {0, 0, 0};
        scene_run(&s, 0.01, 5);
        scene_reaction(&s, "s", force, moment);
        check_force(expected, force, round_off);
        check_force(none, moment, round_off);
        scene_close(&s);
    }
}

/* m g cos + m v^2/l along the rod; from the horizontal 3 m g cos(angle from the vertical) */
TEST(pendulum_rod_tension_is_three_times_the_weight_along_the_rod)
{
    for (int k = 0; k < 2; k++) {
        double error[2];
        for (int i = 0; i < 2; i++) {
            scene s = scene_open("planar-pendulum", treatments[k]);
            double h = 0.002 / (1 + i), force[3], moment[3], before[3];
            long steps = lround(0.8 / h);
            scene_run(&s, h, steps - 1);
            vec3_copy(scene_q(&s, "bob"), before);
            scene_run(&s, h, 1);
            scene_reaction(&s, "rod", force, moment);
            /* at the middle of the last step */
            double middle[3];
            for (int j = 0; j < 3; j++)
                middle[j] = 0.5 * (before[j] + scene_q(&s, "bob")[j]);
            double tension = 3 * 9.81 * -middle[1];
            error[i] = fabs(vec3_norm(force) - tension);
            check_relative(tension, vec3_norm(force), 2e-5);
            /* along the rod, towards the ground */
            check_close(0, force[0] * middle[1] - force[1] * middle[0], 1e-10);
            check_true(vec3_dot(force, middle) < 0);
            scene_close(&s);
        }
        check_close(2.0, log2(error[0] / error[1]), 0.1);
    }
}

/* The support of the steadily precessing top carries m g upwards and m L sin(theta) w_p^2 towards
 * the axis. The force of a step is of first order, as the multipliers are, because velocities
 * oscillate about the hidden constraint by O(h^2). The mean of two steps is of second order. */
TEST(steady_precession_support_force)
{
    const double m = 0.706858347058, r = 0.075 * sin(M_PI / 3), w = 10;
    for (int k = 0; k < 2; k++) {
        double single[3], mean[3];
        for (int i = 0; i < 3; i++) {
            scene s = scene_open("heavy-top", treatments[k]);
            double h = 2.5e-4 / (1 << i), force[3], moment[3], sum[3] = {0, 0, 0};
            long steps = lround(0.05 / h);
            scene_run(&s, h, steps - 1);
            for (long n = steps - 1; n <= steps; n++) {
                double t = ((double)n + 0.5) * h, difference[3];
                scene_run(&s, h, 1);
                scene_reaction(&s, "tip", force, moment);
                /* phi = r (sin wt, -cos wt): acceleration -w^2 phi; force = m (a + g) */
                const double expected[3] = {-m * r * w * w * sin(w * t), m * r * w * w * cos(w * t),
                                            m * 9.81};
                vec3_subtract(force, expected, difference);
                vec3_add(0.5, difference, sum);
                single[i] = vec3_norm(difference);
                for (int j = 0; j < 3; j++)
                    check_close(0, moment[j], 1e-9); /* a point support carries none */
            }
            mean[i] = vec3_norm(sum);
            scene_close(&s);
        }
        check_below(mean[2], 1e-5 * m * (9.81 + r * w * w) * 2);
        for (int i = 0; i < 2; i++) {
            check_close(1.0, log2(single[i] / single[i + 1]), 0.05);
            check_close(2.0, log2(mean[i] / mean[i + 1]), 0.05);
        }
    }
}

TEST(reactions_of_both_treatments_agree)
{
    static const char *const models[] = {
        "double-spherical-pendulum",
        "heavy-top",
        "sliding-top",
        "bruels-top",
        "gravity: [1, 0, -9.81]\n"
        "bodies: {name: b, mass: 2, center: [0.1, 0, 0], inertia: [0.3, 0.4, 0.5], "
        "angular_velocity: [1, 2, 3], points: {p: [0.3, 0.2, -0.4]}}\n"
        "points: [{name: a, mass: 1, position: [1, 1, -1]}, {name: c, mass: 2, position: [2, 1, "
        "-1]}]\n"
        "rods: [{name: r1, between: [b.p, a]}, {name: r2, between: [c, a]}, {name: r3, between: "
        "[c, {on: b, at: [0, 1, 0]}]}]\n"
        "supports: {name: s, on: {on: b, at: [0, 0, 0.3]}, type: slide, axis: [0, 1, 0]}\n",
        "gravity: [0, 0, -9.81]\n"
        "bodies: {name: b, mass: 2, center: [0.1, 0, 0.4], inertia: [0.3, 0.4, 0.5], "
        "angular_velocity: [2, -2, 1]}\n"
        "supports: {name: s, on: {on: b, at: [0.5, 0, 0.3]}, type: hinge, axis: [2, -2, 1]}\n",
        "plane: xz\ngravity: [0, 0, -9.81]\n"
        "bodies: {name: b, mass: 2, center: [0.1, 0, 0.4], inertia: [0.3, 0.4, 0.5], "
        "angular_velocity: [0, -2, 0]}\npoints: {name: a, mass: 1, position: [1, 0, 1]}\n"
        "rods: {name: r, between: [{on: b, at: [0.5, 0, 0.5]}, a]}\n"
        "supports: {name: s, on: {on: b, at: [0.5, 0, 0.3]}, type: point}\n",
        /* a motor at a hinge that another joint locks: its angle changes by rounding errors */
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  - {name: a, mass: 1, inertia: [0.1, 0.1, 0.1], position: [0.3, 0, 0],\n"
        "     rotation: {axis: [0.3, 1, 0.2], angle: 0.7}, angular_velocity: [0, 2, 0]}\n"
        "  - {name: b, mass: 2, inertia: [0.1, 0.2, 0.1], position: [0.9, 0.1, 0.1],\n"
        "     rotation: {axis: [1, 1, 0.2], angle: 0.4}}\n"
        "joints:\n"
        "  - {name: swing, between: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]}\n"
        "  - {name: motor, between: [a, b], at: [0.6, 0, 0], axis: [0, 0.6, 0.8], torque: 1.3}\n"
        "  - {name: lock, type: point-on-plane, between: [a, b], at: [0.9, 0.2, -0.1], axis: [0.3, "
        "0.2, 0.9]}\n",
    };
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        scene a = scene_open(models[k], "reduced"), b = scene_open(models[k], "multipliers");
        double h = a.run.step;
        olo_error error = {0};
        for (int n = 0; n < 20; n++) {
            scene_run(&a, h, 1);
            scene_run(&b, h, 1);
            for (int g = 0; g < olo_system_group_count(a.system); g++) {
                if (olo_system_group_internal(a.system, g) || a.system->groups[g].carried)
                    continue;
                double f[2][3], m[2][3];
                check_ok(olo_stepper_compute_reaction(a.stepper, a.state, g, f[0], m[0], &error),
                         &error);
                check_ok(olo_stepper_compute_reaction(b.stepper, b.state, g, f[1], m[1], &error),
                         &error);
                double size = larger(vec3_norm(f[1]), vec3_norm(m[1]));
                for (int i = 0; i < 3; i++) {
                    if (!(fabs(f[0][i] - f[1][i]) <= 1e-8 * size))
                        print_message("model %zu step %d group %s\n", k, n,
                                      olo_system_group_name(a.system, g));
                    check_close(f[1][i], f[0][i], 1e-8 * size);
                    check_close(m[1][i], m[0][i], 1e-8 * size);
                }
            }
        }
        scene_close(&a);
        scene_close(&b);
    }
}

/* Newton's second law for the whole system: the sum of reactions and weights over a step is the
 * change of momentum / h, also for a composed step, whose reaction is the mean over its parts. */
TEST(reactions_and_loads_make_the_change_of_momentum)
{
    static const olo_setting orders[] = {{"run.order", "2"}, {"run.order", "4"}};
    for (int k = 0; k < 4; k++) {
        scene s =
            scene_open_set("gravity: [1, 0, -9.81]\n"
                           "bodies: {name: b, mass: 2, center: [0.1, 0, 0.4], inertia: [0.3, "
                           "0.4, 0.5], angular_velocity: [2, -2, 1]}\n"
                           "supports: {name: s, on: {on: b, at: [0.5, 0, 0.3]}, type: point}\n"
                           "loads: {on: b, force: [3, 2, 1]}\n",
                           treatments[k % 2], &orders[k / 2], 1);
        const double h = 0.02;
        for (int n = 0; n < 50; n++) {
            olo_ledger before = scene_ledger(&s), after;
            scene_run(&s, h, 1);
            after = scene_ledger(&s);
            double force[3], moment[3];
            const double rest[3] = {2 * 1 + 3, 2, -2 * 9.81 + 1};
            scene_reaction(&s, "s", force, moment);
            for (int i = 0; i < 3; i++)
                check_close((after.linear_momentum[i] - before.linear_momentum[i]) / h,
                            force[i] + rest[i], 1e-9);
        }
        scene_close(&s);
    }
}

/* The reaction of a composed step is the same from the stepper and in the record: with
 * energy-momentum the mean, with variational that of the node where the step began. For a rod that
 * was released horizontally it is three times the weight along the rod. */
TEST(reactions_of_composed_steps)
{
    static const olo_setting methods[][2] = {
        {{"run.scheme", "energy-momentum-2006"}, {"run.order", "4"}},
        {{"run.scheme", "variational"}, {"run.order", "4"}},
        {{"run.scheme", "variational"}, {"run.order", "6"}},
    };
    for (int k = 0; k < 6; k++) {
        scene s = scene_open_set("gravity: [0, 0, -9.81]\n"
                                 "points: {name: bob, mass: 1, position: [1, 0, 0]}\n"
                                 "rods: {name: rod, between: [ground, bob]}\n"
                                 "outputs: {name: pull, reaction: rod}\n",
                                 treatments[k % 2], methods[k / 2], 2);
        double before[3], force[3], moment[3], recorded[3], turning[3];
        scene_run(&s, 0.005, 100);
        vec3_copy(scene_q(&s, "bob"), before);
        scene_run(&s, 0.005, 1);
        scene_reaction(&s, "rod", force, moment);
        olo_system_reaction(s.system, s.state, 0, recorded, turning);
        check_force(recorded, force, 1e-11);
        for (int i = 0; i < 3 && k / 2 > 0; i++)
            check_close(-3 * 9.81 * -before[2] * before[i], force[i], 2e-3);
        scene_close(&s);
    }
}

TEST(reactions_before_the_first_step_and_of_unknown_groups_are_errors)
{
    scene s = scene_open("heavy-top", "reduced");
    double force[3], moment[3];
    olo_error error = {0};
    check_status(OLO_UNSUPPORTED,
                 olo_stepper_compute_reaction(s.stepper, s.state, scene_group(&s, "tip", false),
                                              force, moment, &error));
    check_contains("tip", error.text);
    check_status(OLO_NOT_FOUND,
                 olo_stepper_compute_reaction(s.stepper, s.state, 99, force, moment, &error));
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(hanging_weights_pull_at_their_rods),
          cmocka_unit_test(supports_at_rest_carry_weight_and_moment),
          cmocka_unit_test(plane_and_slide_carry_the_weight_of_a_body_at_rest),
          cmocka_unit_test(pendulum_rod_tension_is_three_times_the_weight_along_the_rod),
          cmocka_unit_test(steady_precession_support_force),
          cmocka_unit_test(reactions_of_both_treatments_agree),
          cmocka_unit_test(reactions_and_loads_make_the_change_of_momentum),
          cmocka_unit_test(reactions_of_composed_steps),
          cmocka_unit_test(reactions_before_the_first_step_and_of_unknown_groups_are_errors))
