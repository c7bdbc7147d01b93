/* Long runs of linkages: no conserved quantity drifts in a hundred thousand steps, and forty
 * windows in space pass their singular positions for ten seconds. */
#include "joint_models.h"

TEST(six_body_linkage_turns_inside_out_for_a_hundred_thousand_steps)
{
    static const double hinges[6][3] = {{0, 0, 0},        {0, 0, -0.1},  {0.1, 0, -0.1},
                                        {0.1, 0.1, -0.1}, {0.1, 0.1, 0}, {0, 0.1, 0}};
    const char *const names[6] = {"one", "two", "three", "four", "five", "zero"};
    runner r = open_model("six-body-linkage", 0.01);
    double energy = 0.0, constraints = 0.0, diagonals = 0.0;
    while (r.step < 100000) {
        one_step(&r);
        energy = larger(energy, energy_change(&r));
        constraints = larger(constraints, constraint_error(&r));
        for (int k = 0; k < 3; k++) {
            double a[3], b[3];
            point_of(body(&r, names[k]), hinges[k], a);
            point_of(body(&r, names[k + 3]), hinges[k + 3], b);
            diagonals = larger(diagonals, fabs(distance(a, b) - 0.1 * sqrt(3.0)));
        }
    }
    check_below(energy, 1e-11 * fabs(r.start.total));
    check_below(constraints, 1e-12);
    check_below(diagonals, 1e-11);
    check_equal(0, r.halvings);
    close_runner(&r);
}

/* Frames along principal axes: in them hinge axes are unit vectors only up to rounding, with the
 * same error in every step. */
TEST(turned_frames_conserve_the_energy_for_a_hundred_thousand_steps)
{
    runner r = open_model("six-body-linkage-principal", 0.01);
    double energy = 0.0;
    while (r.step < 100000) {
        one_step(&r);
        energy = larger(energy, energy_change(&r));
    }
    check_below(energy, 1e-11 * fabs(r.start.total));
    close_runner(&r);
}

TEST(forty_windows_pass_their_singular_positions_for_ten_seconds)
{
    const char *const models[] = {"four-bar", "four-bar-spatial"};
    for (int m = 0; m < 2; m++) {
        runner r = open_set(models[m], 1e-2, "n", "40");
        double energy = 0.0, spread = 0.0;
        while (r.step < 1000) {
            one_step(&r);
            const double *first = body(&r, "crank0");
            for (int i = 1; i <= 40; i++) {
                char name[16];
                (void)snprintf(name, sizeof name, "crank%d", i);
                spread = larger(spread, distance(first + 6, body(&r, name) + 6));
            }
            energy = larger(energy, energy_change(&r));
        }
        check_below(energy, 1e-10 * fabs(r.start.total));
        check_below(spread, 1e-9);
        check_equal(0, r.halvings);
        close_runner(&r);
    }
}

TEST_MAIN(cmocka_unit_test(six_body_linkage_turns_inside_out_for_a_hundred_thousand_steps),
          cmocka_unit_test(turned_frames_conserve_the_energy_for_a_hundred_thousand_steps),
          cmocka_unit_test(forty_windows_pass_their_singular_positions_for_ten_seconds))
