/* The double spherical pendulum of the thesis (4.1, 4.2) in relative coordinates: check values,
 * tables and orders of the sheet thesis-methods, 3.1 and 4 (P1 to P4). */
#include "scene.h"

#include "linalg/vec3.h"

static const char *const treatments[] = {"reduced", "multipliers"};

/* z = (q, p), p = M v */
static void phase(const scene *s, double z[12])
{
    memcpy(z, olo_state_configuration(s->state), 6 * sizeof *z);
    olo_system_mass_times(s->system, olo_state_velocity(s->state), z + 6);
}

static scene at(double h, double t, const char *constraints)
{
    scene s = scene_open("double-spherical-pendulum", constraints);
    scene_run(&s, h, lround(t / h));
    return s;
}

static void check_vector(int n, const double *expected, const double *got, double tolerance)
{
    for (int i = 0; i < n; i++)
        check_close(expected[i], got[i], tolerance);
}

TEST(p1_energy_and_vertical_angular_momentum_are_constant_and_nothing_else)
{
    for (int k = 0; k < 2; k++) {
        scene s = scene_open("double-spherical-pendulum", treatments[k]);
        double spread[2] = {0, 0};
        check_relative(82.5, scene_ledger(&s).total, 1e-15);
        check_relative(-70, scene_ledger(&s).angular_momentum[2], 1e-15);
        for (int i = 0; i < 1000; i++) {
            scene_run(&s, 0.01, 1);
            olo_ledger ledger = scene_ledger(&s);
            check_relative(82.5, ledger.total, 1e-12);
            check_relative(-70, ledger.angular_momentum[2], 1e-12);
            check_below(ledger.constraint_error, 1e-14);
            for (int j = 0; j < 2; j++)
                spread[j] = larger(spread[j], fabs(ledger.angular_momentum[j]));
        }
        check_true(spread[0] > 10 && spread[1] > 10);
        scene_close(&s);
    }
}

TEST(p2_unknowns_8_and_4)
{
    const int expected[2] = {4, 8};
    for (int k = 0; k < 2; k++) {
        scene s = scene_open("double-spherical-pendulum", treatments[k]);
        olo_counts counts;
        olo_error error = {0};
        check_equal(expected[k], olo_stepper_unknown_count(s.stepper));
        check_ok(olo_system_counts(s.system, &counts, &error), &error);
        check_equal(6, counts.coordinates);
        check_equal(2, counts.constraints);
        check_equal(2, counts.rank);
        check_equal(4, counts.degrees_of_freedom);
        check_equal(4, counts.unknowns_reduced);
        check_equal(8, counts.unknowns_multipliers);
        scene_close(&s);
    }
}

TEST(positions_multipliers_and_momentum_at_t_1_and_10)
{
    const double q1[6] = {-0.64448365, 0.53582550, -0.54546481,
                          -0.74762214, 0.65738311, -0.09438525};
    const double L1[3] = {63.0973, 24.0832, -70};
    const double q10[6] = {-0.822944, 0.040779, -0.566657, -0.919502, 0.316334, -0.233345};
    for (int k = 0; k < 2; k++) {
        scene s = at(0.01, 1, treatments[k]);
        check_vector(6, q1, olo_state_configuration(s.state), 1e-8);
        check_vector(3, L1, scene_ledger(&s).angular_momentum, 1e-4);
        if (k == 1) {
            check_close(293.952, olo_state_multipliers(s.state)[0], 1e-3);
            check_close(114.934, olo_state_multipliers(s.state)[1], 1e-3);
        }
        scene_run(&s, 0.01, 900);
        check_vector(6, q10, olo_state_configuration(s.state), 1e-6);
        if (k == 1) {
            check_close(314.707, olo_state_multipliers(s.state)[0], 1e-2);
            check_close(124.505, olo_state_multipliers(s.state)[1], 1e-2);
        }
        scene_close(&s);
    }
}

TEST(figure_4_2_snapshots)
{
    static const struct {
        double t, q[6];
    } snapshots[] = {
        {0.3, {0.73083894, -0.56084013, -0.38901516, 0.66677915, -0.74356596, -0.05015201}},
        {0.5, {0.09519588, -0.66378093, -0.74184407, 0.26328647, -0.87326072, -0.40999506}},
        {0.7, {-0.51525826, -0.38801890, -0.76416638, -0.40824798, -0.32041220, -0.85479214}},
        {0.9, {-0.71439418, 0.19769728, -0.67123524, -0.78823324, 0.47700690, -0.38878371}},
        {1.1, {-0.47438949, 0.79742185, -0.37292492, -0.63620032, 0.76708842, 0.08261057}},
        {1.3, {-0.01068586, 0.99562660, -0.09280889, -0.26580842, 0.94973388, 0.16538269}},
    };
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof snapshots / sizeof *snapshots; i++) {
            scene s = at(0.01, snapshots[i].t, treatments[k]);
            check_vector(6, snapshots[i].q, olo_state_configuration(s.state), 1e-8);
            scene_close(&s);
        }
}

TEST(p3_and_p4_errors_orders_and_equality_of_the_treatments)
{
    static const struct {
        double h, e_z, e_lambda, e_lambda_tolerance;
    } table[] = {
        {0.1, 3.71e-2, 1.75e-1, 0.01},   {0.05, 9.55e-3, 7.26e-2, 0.01},
        {0.02, 1.55e-3, 2.64e-2, 0.01},  {0.01, 3.87e-4, 1.28e-2, 0.01},
        {0.005, 9.68e-5, 6.32e-3, 0.01}, {0.002, 1.55e-5, 2.49e-3, 0.01},
        {0.001, 3.87e-6, 1.22e-3, 0.01}, {0.0001, 3.84e-8, 9.0e-5, 0.1},
    };
    enum { ROWS = sizeof table / sizeof *table };
    const double q_reference[6] = {-0.64418235, 0.53646649, -0.54519061,
                                   -0.74783557, 0.65716599, -0.09420631};
    /* the reference run of the sheet with h = 1e-5, whose multipliers have an error of 3e-5
     * (round-off of g divided by h^2), and the multipliers of the differential equations in the
     * middle of its last step, integrated independently */
    const double printed[2] = {290.669, 112.644}, continuous[2] = {290.66504355, 112.63728333};
    double reference[12], e_z[ROWS], e_lambda[ROWS], order_lambda[ROWS];
    scene s = at(1e-5, 1, "multipliers");
    phase(&s, reference);
    check_vector(6, q_reference, reference, 1e-8);
    check_below(scene_distance(2, olo_state_multipliers(s.state), continuous), 3e-5);
    scene_close(&s);
    /* the reduced treatment has no such error: the force in a rod is lambda l (lower rod: the force
     * on its mass) */
    s = at(1e-5, 1, "reduced");
    for (int k = 0; k < 2; k++) {
        double force[3], moment[3];
        scene_reaction(&s, k == 0 ? "upper" : "lower", force, moment);
        check_relative(continuous[k], vec3_norm(force), 1e-8);
    }
    scene_close(&s);
    for (int i = 0; i < ROWS; i++) {
        double z[2][12];
        for (int k = 0; k < 2; k++) {
            s = at(table[i].h, 1, treatments[k]);
            phase(&s, z[k]);
            if (k == 1) {
                e_lambda[i] = scene_distance(2, olo_state_multipliers(s.state), printed);
                order_lambda[i] = scene_distance(2, olo_state_multipliers(s.state), continuous);
            }
            scene_close(&s);
        }
        e_z[i] = scene_distance(12, z[0], reference);
        print_message("h = %-7g e_z = %.3e  e_lambda = %.3e  reduced - multipliers = %.1e\n",
                      table[i].h, e_z[i], e_lambda[i], scene_distance(12, z[0], z[1]));
        check_relative(table[i].e_z, e_z[i], 0.01);
        check_relative(table[i].e_lambda, e_lambda[i], table[i].e_lambda_tolerance);
        check_below(scene_distance(12, z[0], z[1]), 1e-10);
    }
    /* orders from h = 0.02 to 0.001 */
    for (int i = 3; i <= 6; i++) {
        double ratio = log(table[i - 1].h / table[i].h);
        check_close(2.0, log(e_z[i - 1] / e_z[i]) / ratio, 0.05);
        check_close(1.0, log(order_lambda[i - 1] / order_lambda[i]) / ratio, 0.1);
    }
}

TEST(hidden_constraint_is_of_second_order)
{
    static const double table[][2] = {
        {0.02, 6.4e-3}, {0.01, 1.6e-3}, {0.005, 4.0e-4}, {0.001, 1.6e-5}};
    for (int i = 0; i < 4; i++) {
        scene s = scene_open("double-spherical-pendulum", "reduced");
        double largest = 0;
        for (int n = 0; n < lround(1 / table[i][0]); n++) {
            scene_run(&s, table[i][0], 1);
            largest = larger(largest, scene_ledger(&s).velocity_error);
        }
        check_relative(table[i][1], largest, 0.03); /* two digits are printed */
        scene_close(&s);
    }
}

TEST_MAIN(cmocka_unit_test(p1_energy_and_vertical_angular_momentum_are_constant_and_nothing_else),
          cmocka_unit_test(p2_unknowns_8_and_4),
          cmocka_unit_test(positions_multipliers_and_momentum_at_t_1_and_10),
          cmocka_unit_test(figure_4_2_snapshots),
          cmocka_unit_test(p3_and_p4_errors_orders_and_equality_of_the_treatments),
          cmocka_unit_test(hidden_constraint_is_of_second_order))
