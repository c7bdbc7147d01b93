/* The beam with masses and the slider-crank over 100,000 steps after their loads have ended: energy
 * and angular momentum are constant to 1e-11 relative. Both exact treatments compute the same
 * motion to 25 s (beam sheet, checks 8 and 10). */
#include "scene.h"

#include "linalg/vec3.h"

/* Energy, and of a free system also the angular momentum, after the loads have ended. */
static void check_conserved(const char *model, double load_end, long steps, bool is_free)
{
    scene s = scene_open(model, "reduced");
    scene_run(&s, s.run.step, lround(load_end / s.run.step));
    olo_ledger first = scene_ledger(&s);
    double energy = 0, momentum = 0, open = 0;
    for (long i = 0; i < steps; i++) {
        scene_run(&s, s.run.step, 1);
        olo_ledger now = scene_ledger(&s);
        double change[3];
        vec3_subtract(now.angular_momentum, first.angular_momentum, change);
        check_true(isfinite(now.total));
        energy = larger(energy, fabs(now.total / first.total - 1));
        momentum = larger(momentum, vec3_norm(change) / vec3_norm(first.angular_momentum));
        open = larger(open, now.constraint_error);
    }
    print_message("%s, %ld steps: energy %.1e  angular momentum %.1e  constraints %.1e\n", model,
                  steps, energy, momentum, open);
    check_below(energy, 1e-11);
    if (is_free)
        check_below(momentum, 1e-11);
    check_below(open, 1e-12);
    scene_close(&s);
}

TEST(energy_and_angular_momentum_are_conserved_for_100000_steps)
{
    check_conserved("beam-with-masses", 0.5, 100000, true);
    check_conserved("slider-crank", 2, 100000, false);
}

/* The beam flies thousands of its lengths away. Angular momentum about the origin is compared with
 * the linear momentum times this distance. */
TEST(a_flying_beam_conserves_its_energy_far_away)
{
    scene s = scene_open("flying-beam", "reduced");
    scene_run_to(&s, 5);
    olo_ledger first = scene_ledger(&s);
    double energy = 0, linear = 0, angular = 0, reach = 0;
    for (long i = 0; i < 100000; i++) {
        double change[3];
        scene_run(&s, s.run.step, 1);
        olo_ledger now = scene_ledger(&s);
        reach = larger(reach, vec3_norm(scene_q(&s, "rod.start")));
        energy = larger(energy, fabs(now.total / first.total - 1));
        vec3_subtract(now.linear_momentum, first.linear_momentum, change);
        linear = larger(linear, vec3_norm(change) / vec3_norm(first.linear_momentum));
        vec3_subtract(now.angular_momentum, first.angular_momentum, change);
        angular = larger(angular, vec3_norm(change) / (reach * vec3_norm(first.linear_momentum)));
    }
    print_message("flying-beam at %.0f: energy %.1e, linear momentum %.1e, angular momentum %.1e\n",
                  reach, energy, linear, angular);
    check_true(reach > 20000);
    check_below(energy, 1e-12);
    check_below(linear, 1e-12);
    check_below(angular, 1e-12);
    scene_close(&s);
}

TEST(multipliers_move_as_the_null_space_to_25_s)
{
    scene a = scene_open("beam-with-masses", "reduced");
    scene b = scene_open("beam-with-masses", "multipliers");
    olo_ledger first = {0};
    double apart = 0, energy = 0, angular = 0, open = 0;
    for (int i = 0; i < 2500; i++) {
        scene_run(&a, 0.01, 1);
        scene_run(&b, 0.01, 1);
        apart = larger(apart, scene_apart(&a, &b));
        olo_ledger now = scene_ledger(&b);
        if (i == 49)
            first = now;
        if (i < 50)
            continue;
        double change[3];
        vec3_subtract(now.angular_momentum, first.angular_momentum, change);
        energy = larger(energy, fabs(now.total - first.total));
        angular = larger(angular, vec3_norm(change));
        open = larger(open, now.constraint_error);
    }
    print_message("apart %.1e; multipliers: energy %.1e angular momentum %.1e constraints %.1e\n",
                  apart, energy, angular, open);
    check_below(apart, 1e-11);
    check_below(energy, 1e-12);
    check_below(angular, 1e-11);
    check_below(open, 1e-12);
    scene_close(&a);
    scene_close(&b);
}

TEST_MAIN(cmocka_unit_test(energy_and_angular_momentum_are_conserved_for_100000_steps),
          cmocka_unit_test(a_flying_beam_conserves_its_energy_far_away),
          cmocka_unit_test(multipliers_move_as_the_null_space_to_25_s))
