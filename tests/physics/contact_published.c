/* The published schemes with contacts (Moeller 2011): two steps, one step, Moreau's midpoint rule,
 * against the tables that were computed from the published equations. */
#include "scene.h"

#include "stepping/step.h"

static scene open_with(const char *text, const char *scheme)
{
    const olo_setting settings[] = {{"run.scheme", scheme}};
    return scene_open_set(text, NULL, settings, 1);
}

/* --- unilateral double pendulum; y points down --- */

static const char *const pendulum =
    "gravity: [0, 9.81, 0]\n"
    "points:\n"
    "  - {name: p1, mass: 0.2, position: [0, 0.5, 0], velocity: [2.5, 0, 0]}\n"
    "  - {name: p2, mass: 0.2, position: [0, 1, 0], velocity: [5, 0, 0]}\n"
    "rods:\n"
    "  - {between: [ground, p1]}\n"
    "  - {between: [p1, p2]}\n"
    "contacts:\n"
    "  - {point: p1, normal: [1, 0, 0], restitution: 1}\n"
    "  - {point: p2, normal: [1, 0, 0], restitution: 1}\n"
    "run: {step: 0.01}\n";

static void angles(const scene *s, double alpha[2])
{
    const double *p1 = scene_q(s, "p1"), *p2 = scene_q(s, "p2");
    alpha[0] = atan2(p1[0], p1[1]);
    alpha[1] = atan2(p2[0] - p1[0], p2[1] - p1[1]);
}

TEST(the_two_step_pendulum_has_the_published_angles_and_energy)
{
    static const double row[][3] = {{0.25, 1.05440459, 1.20037537}, {0.5, 1.38175237, 2.02474235},
                                    {0.75, 0.80124011, 2.32474561}, {1, 0.36023519, 0.82628298},
                                    {1.5, 1.19285923, 1.16730142},  {2, 1.16326195, 2.19485663},
                                    {2.5, 0.15928612, 0.42796765},  {3, 0.86571986, 2.28056893},
                                    {10, 1.53036650, 1.65620307}};
    scene s = open_with(pendulum, "contact-two-step");
    const double start = scene_ledger(&s).total;
    for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
        while (olo_state_time(s.state) < row[i][0] - 0.005) {
            scene_run(&s, 0.01, 1);
            const olo_ledger ledger = scene_ledger(&s);
            check_close(start, ledger.total, 1e-12 * 3.125);
            check_below(ledger.constraint_error, 1e-12);
            check_below(ledger.velocity_error, 1e-12);
        }
        double alpha[2];
        angles(&s, alpha);
        check_close(row[i][1], alpha[0], row[i][0] > 3 ? 1e-4 : 1e-7);
        check_close(row[i][2], alpha[1], row[i][0] > 3 ? 1e-4 : 1e-7);
    }
    scene_close(&s);
}

TEST(the_one_step_pendulum_is_close_and_conserves_energy)
{
    scene s = open_with(pendulum, "contact-one-step");
    const double start = scene_ledger(&s).total;
    scene_run(&s, 1e-4, 30000);
    double alpha[2];
    angles(&s, alpha);
    check_close(0.849068, alpha[0], 1e-5);
    check_close(2.402646, alpha[1], 1e-5);
    check_close(start, scene_ledger(&s).total, 1e-12);
    scene_close(&s);
}

TEST(one_step_refuses_losses)
{
    olo_model *model;
    olo_system *system;
    olo_stepper *stepper;
    olo_error error = {0};
    const olo_setting settings[] = {{"run.scheme", "contact-one-step"}};
    static const char *const text = "points: {name: a, mass: 1, position: [0, 0, 1]}\n"
                                    "contacts: {name: floor, point: a, restitution: 0.5}\n";
    check_ok(olo_model_read_text(text, strlen(text), "test", settings, 1, &model, &error), &error);
    check_ok(olo_model_compile(model, &system, &error), &error);
    check_status(OLO_UNSUPPORTED,
                 olo_stepper_create(system, olo_model_run(model), &stepper, &error));
    check_contains("elastic contacts without friction", error.text);
    olo_system_free(system);
    olo_model_free(model);
}

/* --- oscillator: 10 kg above 1 g on a stiff spring, drawn one metre higher --- */

static const char *const oscillator =
    "gravity: [0, 0, -9.81]\n"
    "points:\n"
    "  - {name: m1, mass: 10, position: [0, 0, 1.11]}\n"
    "  - {name: m2, mass: 0.001, position: [0, 0, 0.1]}\n"
    "springs: {between: [[0, 0, 0.1], m2], type: linear, stiffness: 4e5, offset: [0, 0, 0]}\n"
    "contacts: {type: distance, between: [m2, m1], length: 1}\n"
    "run: {step: 0.001}\n";
static const double offset = 98.1; /* energy of m1 one metre higher */

TEST(the_two_step_oscillator_is_stable_and_loses_energy_in_steps)
{
    static const double h[] = {1e-3, 1e-2, 2e-2}, end[] = {0.5, 0.5, 1},
                        expected[] = {10.790626, 10.790487, 10.780646};
    for (int k = 0; k < 3; k++) {
        scene s = open_with(oscillator, "contact-two-step");
        double energy = scene_ledger(&s).total;
        for (long i = 0; i < lround(end[k] / h[k]); i++) {
            scene_run(&s, h[k], 1);
            const double now = scene_ledger(&s).total;
            check_true(now - energy < 1e-12);
            energy = now;
        }
        check_close(expected[k], energy - offset, 2e-6);
        scene_close(&s);
    }
}

/* The first impact is seen at 0.04515 s and takes 9.81e-5 J. */
TEST(the_first_impact_of_the_oscillator_has_the_published_time_and_loss)
{
    scene s = open_with(oscillator, "contact-two-step");
    const double start = scene_ledger(&s).total;
    while (scene_ledger(&s).impact == 0 && olo_state_time(s.state) < 0.1)
        scene_run(&s, 1e-5, 1);
    check_close(0.04515, olo_state_time(s.state), 3e-5);
    check_relative(9.81e-5, start - scene_ledger(&s).total, 0.02);
    scene_close(&s);
}

/* Spring and small mass alone: limit 2/omega = 1e-4 s. */
TEST(moreau_diverges_above_its_limit)
{
    static const double h[] = {1e-3, 1.01e-4, 0.99e-4}, end[] = {0.05, 0.06, 0.06};
    for (int k = 0; k < 3; k++) {
        scene s = open_with(oscillator, "moreau");
        double *v = calloc(6, sizeof *v), largest = 0;
        v[5] = 1e-6; /* at rest the divergence has nothing to grow from */
        olo_state_set_velocity(s.state, v);
        for (long i = 0; i < lround(end[k] / h[k]) && largest < 1e3; i++) {
            scene_run(&s, h[k], 1);
            largest = larger(largest, fabs(scene_v(&s, "m2")[2]));
        }
        check_true(k < 2 ? largest >= 1e3 : largest < 10);
        free(v);
        scene_close(&s);
    }
}

/* An exact property of the rule for constant forces. */
TEST(a_bouncing_point_conserves_its_energy_with_moreau)
{
    scene s = open_with("gravity: [0, 0, -9.81]\n"
                        "points: {name: ball, mass: 1, position: [0, 0, 1]}\n"
                        "contacts: {point: ball, restitution: 1}\n",
                        "moreau");
    double drift = 0;
    for (int i = 0; i < 100000; i++) {
        scene_run(&s, 0.01, 1);
        drift = larger(drift, fabs(scene_ledger(&s).total - 9.81));
    }
    check_below(drift, 5e-12);
    scene_close(&s);
}

/* --- overbalanced wheel: 24 contacts with planes of the wheel --- */

/* Published with steps of 1e-4 and the angle as a coordinate; here the wheel is a body. */
TEST(the_overbalanced_wheel_has_the_published_angles_and_energies)
{
    static const double row[][3] = {
        {0.25, -0.477580, -0.082943}, {0.5, -0.906018, -0.109539}, {1, -1.490489, -0.666146}};
    scene s = scene_open("overbalanced-wheel", NULL);
    check_close(-0.0811013713, scene_ledger(&s).total, 1e-10);
    for (int i = 0; i < 3; i++) {
        scene_run(&s, 0.0025, lround((row[i][0] - olo_state_time(s.state)) / 0.0025));
        check_close(row[i][1], olo_system_joint_coordinate_value(s.system, s.state, 0), 1e-3);
        check_close(row[i][2], scene_ledger(&s).total, 1e-3);
        check_below(scene_ledger(&s).penetration, 1e-10);
    }
    scene_close(&s);
}

static scene open_wheel(const char *restitution)
{
    const olo_setting settings[] = {{"run.scheme", "contact-two-step"}, {"r", restitution}};
    return scene_open_set("overbalanced-wheel", NULL, settings, 2);
}

/* W2 and W4: energy falls in steps, constraints and their rates hold, gaps are not below -1 mm; W3
 * at a fourth of a second. */
TEST(the_two_step_wheel_loses_energy_in_steps)
{
    scene s = open_wheel("0");
    double energy = scene_ledger(&s).total;
    for (int i = 0; i < 1000; i++) {
        scene_run(&s, 2.5e-4, 1);
        const olo_ledger now = scene_ledger(&s);
        check_true(now.total - energy < 1e-12);
        check_below(now.constraint_error, 1e-12);
        check_below(now.velocity_error, 1e-12);
        check_below(now.penetration, 1e-3);
        energy = now.total;
    }
    check_close(-0.477580, olo_system_joint_coordinate_value(s.system, s.state, 0), 1e-5);
    check_close(-0.082943, energy, 1e-5);
    scene_close(&s);
}

/* W1: elastic stops. */
TEST(the_elastic_wheel_conserves_its_energy)
{
    scene s = open_wheel("1");
    const double start = scene_ledger(&s).total;
    for (int i = 0; i < 500; i++) {
        scene_run(&s, 1e-3, 1);
        check_close(start, scene_ledger(&s).total, 1e-11);
    }
    scene_close(&s);
}

/* --- C3: velocities at the ends of steps, with and without their own multipliers --- */

/* A point on a rod that is released horizontally, 5 s. */
TEST(only_consistent_schemes_satisfy_the_rates_of_a_pendulum)
{
    static const char *const text = "gravity: [0, -9.81, 0]\n"
                                    "points: {name: p, mass: 1, position: [1, 0, 0]}\n"
                                    "rods: {between: [ground, p]}\n";
    static const double h[] = {0.02, 0.01}, expected[] = {2.70e-3, 6.74e-4};
    for (int k = 0; k < 4; k++) {
        scene s = open_with(text, k < 2 ? "energy-momentum-2006" : "contact-two-step");
        double largest = 0;
        for (long i = 0; i < lround(5 / h[k % 2]); i++) {
            scene_run(&s, h[k % 2], 1);
            largest = larger(largest, scene_ledger(&s).velocity_error);
            check_close(0, scene_ledger(&s).total, 1e-12);
        }
        if (k < 2)
            check_relative(expected[k], largest, 2e-3);
        else
            check_below(largest, 2e-14);
        scene_close(&s);
    }
}

/* Largest of |d(d_I.d_J - delta_IJ)/dt| of a body. */
static double rate_of_directors(const scene *s)
{
    const double *d = scene_q(s, "b") + 3, *v = scene_v(s, "b") + 3;
    double largest = 0;
    for (int I = 0; I < 3; I++)
        for (int J = I; J < 3; J++) {
            double rate = 0;
            for (int i = 0; i < 3; i++)
                rate += d[3 * I + i] * v[3 * J + i] + d[3 * J + i] * v[3 * I + i];
            largest = larger(largest, fabs(rate));
        }
    return largest;
}

/* A free body with the moments of inertia 2, 3, 4: error of its rotation after 5 s, the same for
 * both schemes, against the exact quaternion. */
TEST(only_consistent_schemes_satisfy_the_rates_of_a_free_body)
{
    static const double A[4] = {0.45616574, -0.15466281, -0.11263410, -0.86908331};
    static const double h[] = {0.1, 0.05}, rotation[] = {5.53e-2, 1.39e-2},
                        rate[] = {9.15e-3, 2.29e-3};
    for (int k = 0; k < 4; k++) {
        scene s = open_with("bodies: {name: b, mass: 1, inertia: [2, 3, 4], angular_velocity: "
                            "[0.5, 0.5, 2]}\n",
                            k < 2 ? "energy-momentum-2006" : "contact-two-step");
        double largest = 0, square = 0;
        for (long i = 0; i < lround(5 / h[k % 2]); i++) {
            scene_run(&s, h[k % 2], 1);
            largest = larger(largest, rate_of_directors(&s));
            check_close(8.625, scene_ledger(&s).total, 1e-12);
        }
        /* R = a a^T + 2 a0 a~ + a0^2 I + a~ a~, directors are its columns */
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                const double *a = A + 1, dot = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
                const double skew = i == j                 ? 0
                                    : (j - i + 3) % 3 == 1 ? -a[3 - i - j]
                                                           : a[3 - i - j];
                const double R =
                    2 * a[i] * a[j] + 2 * A[0] * skew + (i == j ? A[0] * A[0] - dot : 0);
                const double error = scene_q(&s, "b")[3 + 3 * j + i] - R;
                square += error * error;
            }
        check_relative(rotation[k % 2], sqrt(square), 5e-3);
        if (k < 2)
            check_relative(rate[k], largest, 5e-3);
        else
            check_below(largest, 2e-14);
        scene_close(&s);
    }
}

TEST_MAIN(cmocka_unit_test(the_two_step_pendulum_has_the_published_angles_and_energy),
          cmocka_unit_test(the_one_step_pendulum_is_close_and_conserves_energy),
          cmocka_unit_test(one_step_refuses_losses),
          cmocka_unit_test(the_two_step_oscillator_is_stable_and_loses_energy_in_steps),
          cmocka_unit_test(the_first_impact_of_the_oscillator_has_the_published_time_and_loss),
          cmocka_unit_test(moreau_diverges_above_its_limit),
          cmocka_unit_test(a_bouncing_point_conserves_its_energy_with_moreau),
          cmocka_unit_test(the_overbalanced_wheel_has_the_published_angles_and_energies),
          cmocka_unit_test(the_two_step_wheel_loses_energy_in_steps),
          cmocka_unit_test(the_elastic_wheel_conserves_its_energy),
          cmocka_unit_test(only_consistent_schemes_satisfy_the_rates_of_a_pendulum),
          cmocka_unit_test(only_consistent_schemes_satisfy_the_rates_of_a_free_body))
