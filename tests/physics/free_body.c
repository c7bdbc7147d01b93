/* The tennis-racket flip: a free asymmetric body rotates about its middle axis. Energy and angular
 * momentum are constant to round-off over 1e4 steps, with a radian per step and with steps of 1e-5,
 * where an update by subtraction would lose digits; 1e6 steps are in `make study`. The motion is
 * reversible. */
#include "scene.h"

#include "linalg/vec3.h"

typedef struct drift {
    double energy, momentum, linear, constraints;
    int flips;
} drift;

static drift flip(const char *constraints, double h, long steps)
{
    scene s = scene_open("free-body", constraints);
    olo_ledger start = scene_ledger(&s), now;
    drift d = {0};
    double side = 1;
    for (long i = 0; i < steps; i++) {
        scene_run(&s, h, 1);
        now = scene_ledger(&s);
        double dL[3], dP[3];
        vec3_subtract(now.angular_momentum, start.angular_momentum, dL);
        vec3_subtract(now.linear_momentum, start.linear_momentum, dP);
        check_true(isfinite(now.total));
        d.energy = larger(d.energy, fabs(now.total - start.total) / start.total);
        d.momentum = larger(d.momentum, vec3_norm(dL) / vec3_norm(start.angular_momentum));
        d.linear = larger(d.linear, vec3_norm(dP) / vec3_norm(start.linear_momentum));
        d.constraints = larger(d.constraints, now.constraint_error);
        /* the middle director times the angular momentum, to which it is parallel at the start */
        double along = vec3_dot(scene_q(&s, "racket") + 6, start.angular_momentum);
        if (along * side < -0.5) {
            side = -side;
            d.flips++;
        }
    }
    check_equal(0, s.halvings);
    scene_close(&s);
    print_message("%s, h = %g: energy %.1e, L %.1e, P %.1e, constraints %.1e, %d flips\n",
                  constraints, h, d.energy, d.momentum, d.linear, d.constraints, d.flips);
    return d;
}

static void check_flip(const char *constraints, double h, long steps, int flips)
{
    drift d = flip(constraints, h, steps);
    check_below(d.energy, 1e-11);
    check_below(d.momentum, 1e-11);
    check_below(d.linear, 1e-11);
    check_below(d.constraints, 1e-12);
    check_true(d.flips >= flips);
}

TEST(energy_and_angular_momentum_are_constant_with_a_radian_a_step)
{
    check_flip("reduced", 1.0, 10000, 100);
    check_flip("multipliers", 1.0, 10000, 100);
}

TEST(energy_and_angular_momentum_are_constant_with_steps_of_1e_5)
{
    check_flip("reduced", 1e-5, 10000, 0);
    check_flip("multipliers", 1e-5, 10000, 0);
}

TEST(energy_and_angular_momentum_are_constant_with_steps_of_1e_2)
{
    check_flip("reduced", 1e-2, 10000, 4);
    check_flip("multipliers", 1e-2, 10000, 4);
}

/* With two equal moments of inertia the motion has a closed form. L rotates about the axis of the
 * body with the rate w3 (J1-J3)/J1, and the body rotates about L in space with the rate |L|/J1:
 *
 *     R(t) = exp(t L/J1) R(0) exp(t w3 (J1-J3)/J1 e3) */
TEST(symmetric_body_flies_as_the_closed_form_says)
{
    double error[3];
    for (int k = 0; k < 3; k++) {
        scene s = scene_open("bodies: {name: b, mass: 1, inertia: [2, 2, 3], angular_velocity: "
                             "[0.3, 0, 1]}\n",
                             k == 1 ? "multipliers" : "reduced");
        double h = 0.04 / (1 << k), t = 4;
        scene_run(&s, h, lround(t / h));
        /* L = (0.6, 0, 3), d3(t) = exp(t L/2) e3: about the unit vector n of L by |L| t/2 */
        double L = sqrt(0.36 + 9), n[3] = {0.6 / L, 0, 3 / L}, angle = L * t / 2, e[3] = {0, 0, 1};
        double across[3], d3[3], difference[3];
        vec3_cross(n, e, across);
        for (int i = 0; i < 3; i++)
            d3[i] = cos(angle) * e[i] + sin(angle) * across[i] + (1 - cos(angle)) * n[2] * n[i];
        vec3_subtract(scene_q(&s, "b") + 9, d3, difference);
        error[k] = vec3_norm(difference);
        scene_close(&s);
    }
    check_below(error[0], 2e-3);
    check_close(2.0, log2(error[0] / error[1]), 0.02);
    check_close(2.0, log2(error[1] / error[2]), 0.02);
}

/* The error after n steps forward, reversal of the velocities, and n steps back. */
static double there_and_back(const char *model, const char *constraints, double h, long steps)
{
    scene s = scene_open(model, constraints);
    int n = olo_system_coordinate_count(s.system);
    olo_state *start = NULL;
    olo_error error = {0};
    check_ok(olo_state_clone(s.state, &start, &error), &error);
    scene_run(&s, h, steps);
    double away =
        scene_distance(n, olo_state_configuration(s.state), olo_state_configuration(start));
    check_true(away > 0.05);
    olo_state_reverse(s.state);
    scene_run(&s, h, steps);
    olo_state_reverse(s.state);
    double back =
        larger(scene_distance(n, olo_state_configuration(s.state), olo_state_configuration(start)),
               scene_distance(n, olo_state_velocity(s.state), olo_state_velocity(start)));
    print_message("%s, %s: away by %.2g, back to %.1e\n", model, constraints, away, back);
    olo_state_free(start);
    scene_close(&s);
    return back;
}

TEST(time_reversal_returns_to_the_start)
{
    static const char *const treatments[] = {"reduced", "multipliers"};
    for (int k = 0; k < 2; k++) {
        check_below(there_and_back("free-body", treatments[k], 0.05, 200), 1e-11);
        check_below(there_and_back("heavy-top", treatments[k], 0.01, 300), 1e-10);
        check_below(there_and_back("sliding-top", treatments[k], 0.001, 500), 1e-10);
        check_below(there_and_back("double-spherical-pendulum", treatments[k], 0.01, 100), 1e-10);
        check_below(there_and_back("spring-chain", treatments[k], 0.01, 100), 1e-10);
    }
}

TEST(negative_steps_are_time_reversal)
{
    scene s = scene_open("heavy-top", "reduced");
    double q[12], v[12];
    memcpy(q, olo_state_configuration(s.state), sizeof q);
    memcpy(v, olo_state_velocity(s.state), sizeof v);
    scene_run(&s, 0.002, 100);
    scene_run(&s, -0.002, 100);
    check_below(scene_distance(12, olo_state_configuration(s.state), q), 1e-11);
    check_below(scene_distance(12, olo_state_velocity(s.state), v), 1e-11);
    check_close(0, olo_state_time(s.state), 1e-15);
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(energy_and_angular_momentum_are_constant_with_a_radian_a_step),
          cmocka_unit_test(energy_and_angular_momentum_are_constant_with_steps_of_1e_5),
          cmocka_unit_test(energy_and_angular_momentum_are_constant_with_steps_of_1e_2),
          cmocka_unit_test(symmetric_body_flies_as_the_closed_form_says),
          cmocka_unit_test(time_reversal_returns_to_the_start),
          cmocka_unit_test(negative_steps_are_time_reversal))
