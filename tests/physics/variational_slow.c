/* Long variational runs: the last rows of table 4.1 (variational sheet, 3.5, F5), rounding of the
 * momentum at small steps, the fine row of the linkage (3.3), and energy without drift over a
 * million steps. */
#include "linkage.h"

TEST(f5_table_4_1_at_small_steps)
{
    double drift;
    check_close(11.9793552, double_fastest("reduced", 1e-4, &drift), 1e-7);
    print_message("h 1e-4: L_3 drifts by %.1e\n", drift);
    check_close(11.979354, double_fastest("reduced", 1e-5, &drift), 1e-6);
    print_message("h 1e-5: L_3 drifts by %.1e\n", drift);
    check_below(drift, 1e-9);
}

/* Results of ten seconds with one step size: max |q - q_ref| at t = 0, 0.1 ... 10, the action and
 * the ranges of both energies. */
typedef struct ten_seconds {
    double q[101][6], action, interval[2], nodal[2];
} ten_seconds;

/* The run is divided into pieces of 0.1 s. The last interval of each is the first of the next,
 * since the momentum of a node needs the intervals on both sides. */
static void run_ten_seconds(double h, ten_seconds *out)
{
    const int part = (int)lround(0.1 / h), n = 6;
    trajectory x = {
        .s = variational_open(DOUBLE_PENDULUM, "reduced"), .n = n, .steps = part, .h = h};
    double carry = 0; /* the remainder of the sum of the action */
    *out = (ten_seconds){.interval = {HUGE_VAL, -HUGE_VAL}, .nodal = {10, 10}};
    x.q = calloc((size_t)(part + 2) * (size_t)n, sizeof *x.q);
    double *last = x.q + n * (part + 1), *before = x.q;
    memcpy(last, olo_state_configuration(x.s.state), 6 * sizeof *last);
    for (int k = 0; k <= 100; k++) {
        memcpy(out->q[k], last, sizeof out->q[k]);
        if (k == 100)
            break;
        if (k > 0)
            memcpy(before, last - n, 6 * sizeof *last);
        memcpy(before + n, last, 6 * sizeof *last);
        for (int i = 2; i <= part + 1; i++) {
            scene_run(&x.s, h, 1);
            memcpy(x.q + n * i, olo_state_configuration(x.s.state), 6 * sizeof *last);
        }
        for (int i = 1; i <= part; i++) {
            double kinetic, potential;
            trajectory_energies(&x, i, &kinetic, &potential);
            range_add(out->interval, kinetic + potential);
            double term = h * (kinetic - potential) - carry, sum = out->action + term;
            carry = (sum - out->action) - term;
            out->action = sum;
            if (k > 0 || i > 1)
                range_add(out->nodal, trajectory_nodal_energy(&x, i));
        }
    }
    trajectory_free(&x);
}

TEST(f6_and_f7_ten_seconds_of_the_double_pendulum)
{
    static const struct {
        double h, error, action;
    } table[] = {{0.1, 3.0721, 2158.1951101},      {0.05, 7.4670e-1, 2322.0473054},
                 {0.02, 1.4903e-1, 2345.6493104},  {0.01, 4.3364e-2, 2345.0317415},
                 {0.005, 1.1227e-2, 2344.7157563}, {0.002, 1.8133e-3, 2344.6160262},
                 {0.001, 4.5388e-4, 2344.6013806}, {0.0005, 1.1344e-4, 2344.5977037},
                 {0.0001, 4.4494e-6, 2344.5965257}};
    static const double end[6] = {-0.475831252, -0.651953866, -0.590373421,
                                  1.352752270,  0.570285764,  -0.307953641};
    static ten_seconds reference, x;
    const double rounding = 6e-8; /* of the printed run with 1e-5, whose L_3 drifts by 4e-8 */
    double before = 0;
    run_ten_seconds(1e-5, &reference);
    for (int j = 0; j < 6; j++)
        check_close(end[j], reference.q[100][j], rounding);
    for (int k = 0; k < 9; k++) {
        double largest = 0;
        run_ten_seconds(table[k].h, &x);
        for (int i = 0; i <= 100; i++) {
            double sum = 0;
            for (int j = 0; j < 6; j++)
                sum += pow(x.q[i][j] - reference.q[i][j], 2);
            largest = larger(largest, sqrt(sum));
        }
        check_close(table[k].error, largest, 1e-4 * table[k].error + rounding);
        check_close(table[k].action, x.action, 1e-7);
        if (table[k].h < 5e-3)
            check_close(2, log(before / largest) / log(table[k - 1].h / table[k].h), 0.05);
        before = largest;
    }
    /* at 1e-5 the printed energies and the action have that rounding error, too; a hundredth of the
     * errors of 1e-4 remains */
    const double limit = 2344.5965257 - (2344.5977037 - 2344.5965257) / 24;
    static const double E[2] = {9.99999823, 10.00005209}, H[2] = {9.99997306, 10};
    check_close(limit + (2344.5965257 - limit) / 100, reference.action, 1e-7);
    for (int i = 0; i < 2; i++) {
        check_close(E[i], x.interval[i], 1e-8);
        check_close(H[i], x.nodal[i], 1e-8);
        check_close(10 + (E[i] - 10) / 100, reference.interval[i], 2e-9);
        check_close(10 + (H[i] - 10) / 100, reference.nodal[i], 2e-9);
    }
}

TEST(f9_the_linkage_at_a_small_step)
{
    const turning row = {1e-4,
                         {0.67992485, 0.67992785},
                         {0.67992309, 0.67992459},
                         0.390227,
                         {-3.006004, 3.260954},
                         1e-6,
                         1e-6,
                         {{0.05, 0.495308, 2.008184},
                          {0.10, -0.294696, 3.368614},
                          {0.15, -1.721725, 3.661894},
                          {0.25, -3.628684, 2.065936}}};
    check_turning(&row, 1);
}

/* The line that is fitted to the means of the energy over blocks of 10,000 steps has no larger
 * slope than its standard error explains. */
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
            band = larger(band, fabs(energy));
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
    print_message("band %.2e, slope %.1e +- %.1e per block\n", band, slope, error);
    check_below(fabs(slope), 3 * error);
    check_below(fabs(slope) * BLOCKS, 0.02 * band);
    check_equal(0, s.halvings);
    scene_close(&s);
}

TEST_MAIN(cmocka_unit_test(f5_table_4_1_at_small_steps),
          cmocka_unit_test(f6_and_f7_ten_seconds_of_the_double_pendulum),
          cmocka_unit_test(f9_the_linkage_at_a_small_step),
          cmocka_unit_test(no_drift_of_the_energy_over_a_million_steps))
