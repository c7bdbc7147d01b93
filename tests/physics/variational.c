/* The variational scheme on points: published values of the variational sheet, sections 3.1, 3.2,
 * 3.5 and 4 (F1 to F8). */
#include "scene.h"

#include "linalg/vec3.h"
#include "trajectory.h"

static const char *const treatments[] = {"reduced", "multipliers", "projected", "minimal"};
enum { TREATMENTS = 4 };

static const char CIRCLE[] =
    "name: circle\n"
    "points: {name: bob, mass: 1, position: [1, 0, 0], velocity: [0, 1, 0]}\n"
    "rods: {name: rod, between: [[0, 0, 0], bob]}\n";
static const char PENDULUM[] = "name: pendulum\n"
                               "gravity: [0, -9.81, 0]\n"
                               "points: {name: bob, mass: 1, position: [1, 0, 0]}\n"
                               "rods: {name: rod, between: [[0, 0, 0], bob]}\n";

/* lambda of the node q where the last step began, from the force -G^T lambda = -lambda q of the
 * rod; where the treatment has multipliers, it is the same. */
static double multiplier(scene *s, const double q[3])
{
    double force[3], moment[3];
    scene_reaction(s, "rod", force, moment);
    double lambda = -vec3_dot(force, q) / vec3_dot(q, q);
    if (strcmp(s->run.constraints, "reduced") != 0)
        check_close(lambda, olo_state_multipliers(s->state)[0], 1e-12 * (1 + fabs(lambda)));
    return lambda;
}

TEST(f1_a_point_on_a_circle)
{
    const double h = 0.1, lambda = 2 * (1 - sqrt(1 - h * h)) / (h * h);
    for (int k = 0; k < TREATMENTS; k++) {
        trajectory x = trajectory_of(CIRCLE, treatments[k], h, 100);
        for (int i = 0; i < 100; i++) {
            const double *a = trajectory_at(&x, i), *b = trajectory_at(&x, i + 1);
            check_close(asin(h), atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]),
                        1e-14);
            check_close((1 - sqrt(1 - h * h)) / (h * h), trajectory_interval_energy(&x, i), 1e-13);
            check_close(0.501256289338, trajectory_interval_energy(&x, i), 1e-12);
            if (i > 0)
                check_close(0.5, trajectory_nodal_energy(&x, i), 1e-14);
        }
        trajectory_free(&x);
    }
    for (int k = 0; k < TREATMENTS; k++) {
        scene s = variational_open(CIRCLE, treatments[k]);
        double before[3];
        for (int i = 0; i < 100; i++) {
            vec3_copy(olo_state_configuration(s.state), before);
            scene_run(&s, h, 1);
            double got = multiplier(&s, before);
            check_close(lambda, got, 1e-12);
            check_close(1.00251257867, got, 1e-11);
            check_close(0.5, scene_ledger(&s).total, 1e-14);
        }
        scene_close(&s);
    }
}

/* Residuals of velocities at midpoints, G(q_m) dq/h, and of the mean momenta at nodes, G(q) M^-1 p,
 * of the one rod. */
static void hidden_constraints(const trajectory *x, double *velocity, double *momentum)
{
    double dq[TRAJECTORY_MAX], qm[TRAJECTORY_MAX], p[TRAJECTORY_MAX], v[TRAJECTORY_MAX];
    *velocity = *momentum = 0;
    for (int i = 0; i < x->steps; i++) {
        trajectory_interval(x, i, dq, qm);
        *velocity = larger(*velocity, fabs(vec3_dot(qm, dq)) / x->h);
        if (i == 0)
            continue;
        trajectory_momentum(x, i, p, v);
        *momentum = larger(*momentum, fabs(vec3_dot(trajectory_at(x, i), v)));
    }
}

TEST(f2_hidden_constraints)
{
    double velocity, momentum;
    for (int k = 0; k < TREATMENTS; k++) {
        trajectory x = trajectory_of(CIRCLE, treatments[k], 0.1, 100);
        hidden_constraints(&x, &velocity, &momentum);
        check_below(velocity, 1e-14);
        check_below(momentum, 1e-14);
        trajectory_free(&x);
        x = trajectory_of(PENDULUM, treatments[k], 0.1, 100);
        hidden_constraints(&x, &velocity, &momentum);
        check_below(velocity, 1e-13);
        check_close(0.1416, momentum, 1e-4);
        trajectory_free(&x);
    }
}

/* A row of the table in 3.2; digits as printed there. */
typedef struct excursion {
    double h, interval[2], nodal[2], momentum, lambda[2];
    double interval_digit, nodal_digit, momentum_digit, lambda_digit[2];
} excursion;

static void check_excursion(const excursion *row, const char *treatment)
{
    int steps = (int)lround(10 / row->h);
    double interval[2] = {HUGE_VAL, -HUGE_VAL}, nodal[2] = {0, 0};
    double lambda[2] = {HUGE_VAL, -HUGE_VAL}, velocity, momentum;
    trajectory x = trajectory_of(PENDULUM, treatment, row->h, steps + 1);
    for (int i = 0; i <= steps; i++) {
        if (i < steps)
            range_add(interval, trajectory_interval_energy(&x, i));
        if (i > 0)
            range_add(nodal, trajectory_nodal_energy(&x, i));
    }
    hidden_constraints(&x, &velocity, &momentum);
    trajectory_free(&x);
    scene s = variational_open(PENDULUM, treatment);
    for (int i = 0; i <= steps; i++) {
        double before[3];
        vec3_copy(olo_state_configuration(s.state), before);
        scene_run(&s, row->h, 1);
        range_add(lambda, multiplier(&s, before));
    }
    for (int k = 0; k < 2; k++) {
        check_close(row->interval[k], interval[k], row->interval_digit);
        check_close(row->nodal[k], nodal[k], row->nodal_digit);
        check_close(row->lambda[k], lambda[k], row->lambda_digit[k]);
    }
    check_close(row->momentum, momentum, row->momentum_digit);
    scene_close(&s);
}

TEST(f3_a_pendulum_from_rest)
{
    static const excursion rows[] = {{1e-1,
                                      {-0.12026599, 0.65495011},
                                      {-0.36519776, 0.00059046},
                                      1.41625e-1,
                                      {0.24073513, 29.60115006},
                                      1e-8,
                                      1e-8,
                                      1e-6,
                                      {1e-8, 1e-8}},
                                     {1e-2,
                                      {-0.00120295, 0.00601943},
                                      {-0.00360942, 0.0},
                                      1.34853e-3,
                                      {0.00240590, 29.43229877},
                                      1e-8,
                                      1e-8,
                                      1e-8,
                                      {1e-8, 1e-8}},
                                     {1e-3,
                                      {-1.203e-5, 6.015e-5},
                                      {-3.609e-5, 0.0},
                                      1.34792e-5,
                                      {2.4059e-5, 29.43002359},
                                      1e-8,
                                      1e-8,
                                      1e-10,
                                      {1e-9, 1e-8}}};
    for (int k = 0; k < TREATMENTS; k++)
        for (int i = 0; i < 3; i++)
            check_excursion(&rows[i], treatments[k]);
}

TEST(f3_the_first_step_of_the_pendulum)
{
    for (int k = 0; k < TREATMENTS; k++) {
        scene s = variational_open(PENDULUM, treatments[k]);
        scene_run(&s, 0.1, 1);
        check_close(0.9987963243324437, scene_q(&s, "bob")[0], 1e-14);
        check_close(-0.04905, scene_q(&s, "bob")[1], 1e-14);
        check_close(-0.04906968957744, atan2(scene_q(&s, "bob")[1], scene_q(&s, "bob")[0]), 1e-14);
        check_close(0.2407351335, multiplier(&s, (const double[]){1, 0, 0}), 1e-10);
        scene_close(&s);
    }
}

/* The energy of the projected momentum, which is in the ledger, and that of the mean one above. */
TEST(f3_the_energy_of_the_projected_momentum)
{
    for (int k = 0; k < TREATMENTS; k++) {
        scene s = variational_open(PENDULUM, treatments[k]);
        double range[2] = {0, 0};
        for (int i = 0; i < 100; i++) {
            scene_run(&s, 0.1, 1);
            range_add(range, scene_ledger(&s).total);
        }
        check_close(-0.36535256, range[0], 1e-8);
        check_close(0.00002166, range[1], 1e-8);
        scene_close(&s);
    }
}

/* --- double spherical pendulum --- */

TEST(f5_table_4_1_largest_velocities)
{
    double drift;
    for (int k = 0; k < TREATMENTS; k++) {
        check_close(14.437579674951380, double_fastest(treatments[k], 1e-1, &drift), 2e-12);
        check_close(11.992045771546840, double_fastest(treatments[k], 1e-2, &drift), 2e-12);
    }
    check_close(11.979460050281514, double_fastest("reduced", 1e-3, &drift), 2e-12);
}

TEST(f4_the_treatments_agree)
{
    const char *const models[] = {CIRCLE, PENDULUM, DOUBLE_PENDULUM, "six-body-linkage"};
    for (int m = 0; m < 4; m++) {
        trajectory x[TREATMENTS];
        for (int k = 0; k < TREATMENTS; k++)
            x[k] = trajectory_of(models[m], treatments[k], 0.01, 100);
        for (int i = 1; i <= 100; i++)
            for (int k = 1; k < TREATMENTS; k++)
                check_below(
                    scene_distance(x[0].n, trajectory_at(&x[k], i), trajectory_at(&x[0], i)),
                    1e-10);
        for (int k = 0; k < TREATMENTS; k++)
            trajectory_free(&x[k]);
    }
}

/* Configurations at t = 0, 0.1 ... 1, eleven times six numbers. */
static void sample(double h, double q[66])
{
    scene s = variational_open(DOUBLE_PENDULUM, "reduced");
    for (int i = 0; i <= 10; i++) {
        if (i > 0)
            scene_run(&s, h, lround(0.1 / h));
        memcpy(q + 6 * (size_t)i, olo_state_configuration(s.state), 6 * sizeof *q);
    }
    scene_close(&s);
}

TEST(f6_second_order_with_the_published_errors)
{
    static const double table[][2] = {{0.1, 2.2444e-1},   {0.05, 5.2663e-2},   {0.02, 8.1982e-3},
                                      {0.01, 2.0417e-3},  {0.005, 5.0993e-4},  {0.002, 8.1565e-5},
                                      {0.001, 2.0388e-5}, {0.0005, 5.0951e-6}, {0.0001, 2.0124e-7}};
    double reference[66], q[66], before = 0;
    sample(1e-5, reference);
    for (int k = 0; k < 9; k++) {
        double largest = 0;
        sample(table[k][0], q);
        for (int i = 0; i <= 10; i++) {
            double sum = 0;
            for (int j = 6 * i; j < 6 * i + 6; j++)
                sum += (q[j] - reference[j]) * (q[j] - reference[j]);
            largest = larger(largest, sqrt(sum));
        }
        /* L_3 of the reference of the sheet drifts by 4e-8 over ten seconds by rounding */
        check_close(table[k][1], largest, 1e-4 * table[k][1] + 1e-9);
        if (table[k][0] < 5e-3)
            check_close(2, log(before / largest) / log(table[k - 1][0] / table[k][0]), 0.05);
        before = largest;
    }
}

/* Ranges of E_d and H_d over 10 s, digits as printed. */
static void check_ranges(double h, const double interval[2], const double nodal[2], double digit)
{
    const int steps = (int)lround(10 / h);
    double E[2] = {HUGE_VAL, -HUGE_VAL}, H[2] = {10, 10};
    trajectory x = trajectory_of(DOUBLE_PENDULUM, "reduced", h, steps + 1);
    for (int i = 0; i <= steps; i++) {
        if (i < steps)
            range_add(E, trajectory_interval_energy(&x, i));
        if (i > 0)
            range_add(H, trajectory_nodal_energy(&x, i));
    }
    for (int k = 0; k < 2; k++) {
        check_close(interval[k], E[k], digit);
        check_close(nodal[k], H[k], digit);
    }
    trajectory_free(&x);
}

TEST(f5_energies_of_the_double_pendulum)
{
    check_ranges(1e-1, (const double[]){4.98, 202.39}, (const double[]){-13.90, 82.12}, 0.006);
    check_ranges(1e-2, (const double[]){9.982255, 10.527746}, (const double[]){9.728809, 10}, 6e-7);
    check_ranges(1e-3, (const double[]){9.999823, 10.005210}, (const double[]){9.997306, 10}, 6e-7);
}

TEST(f6_the_end_of_the_double_pendulum)
{
    static const double end[6] = {-0.478328615, -0.644160206, -0.596874664,
                                  1.356704809,  0.580151891,  -0.269769987};
    scene s = variational_open(DOUBLE_PENDULUM, "reduced");
    for (int i = 0; i < 1000; i++) {
        scene_run(&s, 0.01, 1);
        check_close(22.5, scene_ledger(&s).angular_momentum[2], 1e-12);
    }
    for (int j = 0; j < 6; j++)
        check_close(end[j], olo_state_configuration(s.state)[j], 6e-10);
    scene_close(&s);
}

TEST(f7_and_g1_the_action_converges_with_second_order)
{
    static const double table[][2] = {{0.1, 2158.1951101},   {0.05, 2322.0473054},
                                      {0.02, 2345.6493104},  {0.01, 2345.0317415},
                                      {0.005, 2344.7157563}, {0.002, 2344.6160262},
                                      {0.001, 2344.6013806}, {0.0005, 2344.5977037}};
    double action[8];
    for (int k = 0; k < 8; k++) {
        trajectory x =
            trajectory_of(DOUBLE_PENDULUM, "reduced", table[k][0], (int)lround(10 / table[k][0]));
        action[k] = trajectory_action(&x);
        check_close(table[k][1], action[k], 1e-7);
        trajectory_free(&x);
    }
    const double limit = action[7] + (action[7] - action[6]) / 3;
    check_close(2344.59648, limit, 1e-5);
    for (int k = 5; k < 8; k++)
        check_close(2,
                    log((action[k - 1] - limit) / (action[k] - limit)) /
                        log(table[k - 1][0] / table[k][0]),
                    0.05);
}

/* L and the energies at the start; velocities satisfy their constraints, and both energies are in
 * the ledger. */
TEST(the_ledger_of_the_double_pendulum)
{
    for (int k = 0; k < TREATMENTS; k++) {
        scene s = variational_open(DOUBLE_PENDULUM, treatments[k]);
        check_relative(10, scene_ledger(&s).total, 1e-15);
        check_relative(10, scene_ledger(&s).interval, 1e-15);
        double before[6], drift = 0;
        for (int i = 0; i < 1000; i++) {
            memcpy(before, olo_state_configuration(s.state), sizeof before);
            scene_run(&s, 0.01, 1);
            olo_ledger now = scene_ledger(&s);
            drift = larger(drift, fabs(now.angular_momentum[2] / 22.5 - 1));
            check_below(now.velocity_error, 1e-13);
            check_below(now.constraint_error, 1e-14);
            check_below(fabs(now.total - 10), 1);
            check_below(fabs(now.interval - 10), 1);
        }
        /* E_d of the last interval, from the two configurations */
        double v[6], p[6], energy = 0;
        for (int j = 0; j < 6; j++) {
            v[j] = (olo_state_configuration(s.state)[j] - before[j]) / 0.01;
            before[j] = 0.5 * (olo_state_configuration(s.state)[j] + before[j]);
        }
        olo_system_mass_times(s.system, v, p);
        for (int j = 0; j < 6; j++)
            energy += 0.5 * v[j] * p[j];
        energy += 9.81 * (15 * before[2] + 5 * before[5]);
        check_close(energy, scene_ledger(&s).interval, 1e-10);
        check_below(drift, 1e-13);
        scene_close(&s);
    }
}

TEST_MAIN(cmocka_unit_test(f1_a_point_on_a_circle), cmocka_unit_test(f2_hidden_constraints),
          cmocka_unit_test(f3_a_pendulum_from_rest),
          cmocka_unit_test(f3_the_first_step_of_the_pendulum),
          cmocka_unit_test(f3_the_energy_of_the_projected_momentum),
          cmocka_unit_test(f4_the_treatments_agree),
          cmocka_unit_test(f5_table_4_1_largest_velocities),
          cmocka_unit_test(f6_second_order_with_the_published_errors),
          cmocka_unit_test(f5_energies_of_the_double_pendulum),
          cmocka_unit_test(f6_the_end_of_the_double_pendulum),
          cmocka_unit_test(f7_and_g1_the_action_converges_with_second_order),
          cmocka_unit_test(the_ledger_of_the_double_pendulum))
