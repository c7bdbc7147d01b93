/* The steadily precessing cone top (thesis 4.3.6): exact solution, check values and tables of the
 * sheets thesis-methods 3.2 and 4 (T1 to T4) and multibody-null-space 10.1. */
#include "scene.h"

#include "linalg/rotation.h"
#include "linalg/vec3.h"

static const char *const treatments[] = {"reduced", "multipliers"};

/* data of the sheet, section 10.1 */
static const double length = 0.075, theta = M_PI / 3, precession = 10, spin = 135.6;
static const double mass = 0.706858347058, euler = 2.65071880147e-4, gravity = 9.81;

/* R = exp(precession t e3^) exp(theta e1^) exp(spin t e3^); its columns are the directors. */
static void exact(double t, double q[12], double v[12], double a[12])
{
    double turn[3][3] = {{0, 0, precession * t}, {theta, 0, 0}, {0, 0, spin * t}};
    double A[9], B[9], C[9], AB[9], R[9], omega[3] = {0, 0, precession}, alpha[3];
    rotation_exponential(turn[0], A);
    rotation_exponential(turn[1], B);
    rotation_exponential(turn[2], C);
    mat3_product(A, B, AB);
    mat3_product(AB, C, R);
    for (int i = 0; i < 9; i++)
        q[3 + i] = R[3 * (i % 3) + i / 3];
    /* omega = precession e3 + spin d3, and d3 turns with the precession */
    double vertical[3] = {0, 0, precession * spin};
    vec3_add(spin, q + 9, omega);
    vec3_cross(vertical, q + 9, alpha);
    for (int i = 0; i < 3; i++)
        q[i] = length * q[9 + i];
    for (int I = 0; I < 12; I += 3) {
        vec3_cross(omega, q + I, v + I);
        vec3_cross(alpha, q + I, a + I);
        vec3_add_cross(omega, v + I, a + I);
    }
}

/* M q'' + grad V + G^T lambda = 0, solved row by row with the orthonormal directors:
 * the support takes m (phi'' + g e3) = -lambda_s, and -E d_I'' . d_J are the internal ones. */
static void exact_multipliers(double t, double lambda[9])
{
    double q[12], v[12], a[12], *d = q + 3, *dd = a + 3;
    exact(t, q, v, a);
    for (int i = 0; i < 3; i++)
        lambda[6 + i] = -mass * (a[i] + (i == 2 ? gravity : 0));
    lambda[0] = -euler * vec3_dot(dd, d);
    lambda[1] = -euler * vec3_dot(dd + 3, d + 3);
    lambda[2] = -euler * vec3_dot(dd + 6, d + 6) + length * vec3_dot(lambda + 6, d + 6);
    lambda[3] = -euler * vec3_dot(dd, d + 3);
    lambda[4] = -euler * vec3_dot(dd, d + 6);
    lambda[5] = -euler * vec3_dot(dd + 3, d + 6);
}

static scene at(double h, double t, const char *constraints)
{
    scene s = scene_open("heavy-top", constraints);
    scene_run(&s, h, lround(t / h));
    return s;
}

static double phase_error(const scene *s, double t)
{
    double z[24], reference[24], a[12], v[12];
    memcpy(z, olo_state_configuration(s->state), 12 * sizeof *z);
    olo_system_mass_times(s->system, olo_state_velocity(s->state), z + 12);
    exact(t, reference, v, a);
    for (int i = 0; i < 12; i++)
        reference[12 + i] = (i < 3 ? mass : euler) * v[i];
    return scene_distance(24, z, reference);
}

TEST(t1_initial_data_energy_and_vertical_angular_momentum)
{
    scene s = scene_open("heavy-top", "reduced");
    const double phi[3] = {0, -0.06495191, 0.0375};
    check_relative(135.6, olo_model_parameter(s.model, "spin"), 1e-14);
    for (int i = 0; i < 3; i++)
        check_close(phi[i], scene_q(&s, "top")[i], 5e-9);
    check_relative(5.4090196762, scene_ledger(&s).kinetic, 1e-10);
    check_relative(0.2600355144, scene_ledger(&s).potential, 1e-9);
    check_close(-0.0450394722754, scene_ledger(&s).angular_momentum[1], 1e-13);
    scene_close(&s);
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 2; j++) {
            s = scene_open("heavy-top", treatments[k]);
            for (int i = 0; i < 1000; i++) {
                scene_run(&s, j ? 0.01 : 0.001, 1);
                olo_ledger ledger = scene_ledger(&s);
                check_relative(5.66905519063, ledger.total, 1e-11);
                check_relative(0.0710657710673, ledger.angular_momentum[2], 1e-11);
                check_below(ledger.constraint_error, 1e-13);
            }
            scene_close(&s);
        }
}

TEST(t2_steady_precession_is_a_straight_line)
{
    scene s = scene_open("heavy-top", "multipliers");
    olo_ledger start = scene_ledger(&s);
    double low = 1, high = 0;
    for (int i = 0; i < 1000; i++) {
        scene_run(&s, 0.001, 1);
        double x3 = scene_q(&s, "top")[2];
        check_close(0.0375, x3, 3.2e-5);
        check_relative(start.potential, scene_ledger(&s).potential, 9e-4);
        check_relative(start.kinetic, scene_ledger(&s).kinetic, 5e-5);
        low = smaller(low, x3);
        high = larger(high, x3);
    }
    check_close(0.0374691, low, 5e-8);
    check_close(0.0375000, high, 5e-8);
    scene_close(&s);
}

TEST(trajectories_of_section_10_1)
{
    static const struct {
        double h, early[3], late[3], low, high;
    } table[] = {
        {0.05,
         {0.05579416, -0.04609809, 0.01967175},
         {-0.00124843, 0.07317373, 0.01640263},
         -0.0029,
         0.0323},
        {0.01,
         {0.05421327, -0.03659921, 0.03669358},
         {-0.03091206, 0.05816374, 0.03586676},
         0.03454,
         0.03749},
        {0.001,
         {0.05465018, -0.03511018, 0.03749176},
         {-0.03529028, 0.05454053, 0.03748236},
         0.037469,
         0.037500},
    };
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++) {
            scene s = scene_open("heavy-top", treatments[k]);
            double low = 1, high = -1, h = table[i].h;
            for (int n = 1; n <= lround(1 / h); n++) {
                scene_run(&s, h, 1);
                const double *phi = scene_q(&s, "top");
                for (int j = 0; n == lround(0.1 / h) && j < 3; j++)
                    check_close(table[i].early[j], phi[j], 1e-8);
                low = smaller(low, phi[2]);
                high = larger(high, phi[2]);
            }
            for (int j = 0; j < 3; j++)
                check_close(table[i].late[j], scene_q(&s, "top")[j], i == 0 ? 2e-8 : 1e-8);
            check_close(table[i].low, low, 6e-5 * (h < 0.002 ? 0.01 : 1));
            check_close(table[i].high, high, 6e-5 * (h < 0.002 ? 0.01 : 1));
            check_equal(0, s.halvings);
            scene_close(&s);
        }
}

TEST(check_values_at_t_3_and_10_with_1_4_rad_a_step)
{
    const double at_3[3] = {-0.06461089, 0.01098531, 0.03646583};
    const double at_10[3] = {-0.06622066, -0.00001438, 0.03521114};
    for (int k = 0; k < 2; k++) {
        scene s = at(0.01, 3, treatments[k]);
        for (int i = 0; i < 3; i++)
            check_close(at_3[i], scene_q(&s, "top")[i], 1e-8);
        scene_run(&s, 0.01, 700);
        for (int i = 0; i < 3; i++)
            check_close(at_10[i], scene_q(&s, "top")[i], 1e-8);
        scene_close(&s);
    }
}

TEST(t3_second_order_against_the_exact_precession)
{
    static const double table[][2] = {{0.01, 1.24},      {0.005, 4.22e-1}, {0.002, 7.25e-2},
                                      {0.001, 1.829e-2}, {5e-4, 4.58e-3},  {1e-4, 1.834e-4},
                                      {1e-5, 1.834e-6}};
    enum { ROWS = sizeof table / sizeof *table };
    double error[ROWS];
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < ROWS; i++) {
            scene s = at(table[i][0], 0.1, treatments[k]);
            error[i] = phase_error(&s, 0.1);
            print_message("h = %-6g e_z = %.4e (%s)\n", table[i][0], error[i], treatments[k]);
            check_relative(table[i][1], error[i], i == 0 ? 0.01 : 0.005);
            scene_close(&s);
        }
        for (int i = 4; i < ROWS; i++)
            check_close(2.0, log(error[i - 1] / error[i]) / log(table[i - 1][0] / table[i][0]),
                        0.01);
        check_close(2.0, log(error[2] / error[3]) / log(2), 0.05);
    }
}

TEST(multipliers_are_of_first_order_against_the_exact_ones)
{
    static const double table[][2] = {{0.01, 1.8e-1},  {0.005, 1.1e-1}, {0.002, 4.4e-2},
                                      {0.001, 2.2e-2}, {5e-4, 1.1e-2},  {1e-4, 2.2e-3}};
    double error[6], lambda[9];
    exact_multipliers(0.1, lambda);
    for (int i = 0; i < 6; i++) {
        scene s = at(table[i][0], 0.1, "multipliers");
        error[i] = scene_distance(9, olo_state_multipliers(s.state), lambda);
        print_message("h = %-6g e_lambda = %.3e\n", table[i][0], error[i]);
        check_relative(table[i][1], error[i], 0.05);
        scene_close(&s);
    }
    for (int i = 4; i < 6; i++)
        check_close(1.0, log(error[i - 1] / error[i]) / log(table[i - 1][0] / table[i][0]), 0.1);
}

TEST(t4_unknowns_21_and_3_and_the_same_motion)
{
    scene a = scene_open("heavy-top", "reduced"), b = scene_open("heavy-top", "multipliers");
    check_equal(3, olo_stepper_unknown_count(a.stepper));
    check_equal(21, olo_stepper_unknown_count(b.stepper));
    for (int i = 0; i < 100; i++) {
        scene_run(&a, 0.01, 1);
        scene_run(&b, 0.01, 1);
        check_below(
            scene_distance(12, olo_state_configuration(a.state), olo_state_configuration(b.state)),
            1e-11);
        check_below(scene_distance(12, olo_state_velocity(a.state), olo_state_velocity(b.state)),
                    1e-11);
    }
    scene_close(&a);
    scene_close(&b);
}

TEST(hidden_constraint_values)
{
    static const double table[][2] = {{0.001, 8.2e-2}, {0.01, 7.4}};
    for (int i = 0; i < 2; i++) {
        scene s = scene_open("heavy-top", "reduced");
        double largest = 0;
        for (int n = 0; n < lround(1 / table[i][0]); n++) {
            scene_run(&s, table[i][0], 1);
            largest = larger(largest, scene_ledger(&s).velocity_error);
        }
        check_relative(table[i][1], largest, 0.02);
        scene_close(&s);
    }
}

TEST_MAIN(cmocka_unit_test(t1_initial_data_energy_and_vertical_angular_momentum),
          cmocka_unit_test(t2_steady_precession_is_a_straight_line),
          cmocka_unit_test(trajectories_of_section_10_1),
          cmocka_unit_test(check_values_at_t_3_and_10_with_1_4_rad_a_step),
          cmocka_unit_test(t3_second_order_against_the_exact_precession),
          cmocka_unit_test(multipliers_are_of_first_order_against_the_exact_ones),
          cmocka_unit_test(t4_unknowns_21_and_3_and_the_same_motion),
          cmocka_unit_test(hidden_constraint_values))
