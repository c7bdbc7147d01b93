/* Long variational runs: the last rows of table 4.1 (variational sheet, 3.5, F5), rounding of the momentum at small steps,
 * the fine row of the linkage (3.3), and energy without drift over a million steps. */
#include "trajectory.h"

TEST(f5_table_4_1_at_small_steps)
{
    double drift;
    check_close(11.9793552, double_fastest("reduced", 1e-4, &drift), 1e-7);
    print_message("h 1e-4: L_3 drifts by %.1e\n", drift);
    check_close(11.979354, double_fastest("reduced", 1e-5, &drift), 1e-6);
    print_message("h 1e-5: L_3 drifts by %.1e\n", drift);
    check_below(drift, 1e-9);
}

TEST(f9_the_linkage_at_a_small_step)
{
    double interval[2] = {HUGE_VAL, -HUGE_VAL}, nodal[2] = {HUGE_VAL, -HUGE_VAL};
    trajectory x = trajectory_of("six-body-linkage-reverse", "reduced", 1e-4, 10001);
    for (int i = 0; i <= 10000; i++) {
        double energy = trajectory_interval_energy(&x, i);
        interval[0] = fmin(interval[0], energy);
        interval[1] = fmax(interval[1], energy);
        energy = i > 0 ? trajectory_nodal_energy(&x, i) : x.start.total;
        nodal[0] = fmin(nodal[0], energy);
        nodal[1] = fmax(nodal[1], energy);
    }
    check_close(0.67992485, interval[0], 1e-7);
    check_close(0.67992785, interval[1], 1e-7);
    check_close(0.67992309, nodal[0], 1e-7);
    check_close(0.67992459, nodal[1], 1e-7);
    trajectory_free(&x);
}

/* Means of the energy over blocks of 10,000 steps: their slope is no larger than the scatter of the means says. */
TEST(no_drift_of_the_energy_over_a_million_steps)
{
    enum { BLOCKS = 100, BLOCK = 10000 };
    const double h = 0.01;
    double mean[BLOCKS] = {0}, band = 0, middle = 0, slope = 0, rest = 0, width = 0;
    scene s = variational_open(DOUBLE_PENDULUM, "reduced");
    for (int k = 0; k < BLOCKS; k++) {
        for (int i = 0; i < BLOCK; i++) {
            scene_run(&s, h, 1);
            double energy = scene_ledger(&s).total - 10;
            band = fmax(band, fabs(energy));
            mean[k] += energy / BLOCK;
        }
        middle += mean[k] / BLOCKS;
    }
    for (int k = 0; k < BLOCKS; k++) {
        double x = k - 0.5 * (BLOCKS - 1);
        slope += x * (mean[k] - middle);
        width += x * x;
    }
    slope /= width;
    for (int k = 0; k < BLOCKS; k++)
        rest += pow(mean[k] - middle - slope * (k - 0.5 * (BLOCKS - 1)), 2);
    double error = sqrt(rest / (BLOCKS - 2) / width);
    print_message("band %.2e, slope %.1e +- %.1e a block\n", band, slope, error);
    check_below(fabs(slope), 3 * error);
    check_below(fabs(slope) * BLOCKS, 0.02 * band);
    check_equal(0, s.halvings);
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(f5_table_4_1_at_small_steps),
          cmocka_unit_test(f9_the_linkage_at_a_small_step),
          cmocka_unit_test(no_drift_of_the_energy_over_a_million_steps))
