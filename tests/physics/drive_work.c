/* The work of prescribed motions is the change of energy, to the order of the steps with
 * `variational` and to round-off with `energy-momentum`, also with composed steps. */
#include "scene.h"

static const char *const treatments[] = {"reduced", "multipliers", "projected", "minimal"};

static scene open_run(const char *text, const char *scheme, const char *order,
                      const char *constraints)
{
    const olo_setting settings[] = {{"run.scheme", scheme}, {"run.order", order}};
    return scene_open_set(text, constraints, settings, 2);
}

/* Runs to `end`; times are products, without errors of summation. */
static void run(scene *s, double end, int steps)
{
    for (int i = 1; i <= steps; i++) {
        scene_run(s, end / steps, 1);
        olo_state_set_time(s->state, i * end / steps);
    }
}

static double work_at(const char *text, const char *scheme, const char *order, double end,
                      int steps)
{
    scene s = open_run(text, scheme, order, NULL);
    run(&s, end, steps);
    double work = scene_ledger(&s).work;
    check_close(work, olo_system_drive_work(s.system, s.state, 0), 1e-12 * (1 + fabs(work)));
    scene_close(&s);
    return work;
}

static double defect_at(const char *text, const char *order, const char *constraints, int steps)
{
    scene s = open_run(text, "variational", order, constraints);
    double start = scene_ledger(&s).balance;
    run(&s, 1, steps);
    double defect = fabs(scene_ledger(&s).balance - start);
    scene_close(&s);
    return defect;
}

/* A disc on a hinge that swings by 0.1 sin(10 t): W = 1/2 cos^2(10 t) - 1/2 with I = 1. */
#define DISC                                                                                       \
    "bodies: [{name: disc, mass: 1, inertia: [1, 1, 1]}]\n"                                        \
    "joints: [{name: hinge, between: [ground, disc], axis: [0, 0, 1], motion: 0.1*sin(10*t)}]\n"

TEST(the_work_on_a_disc_is_its_kinetic_energy_after_twelve_thousand_steps)
{
    const double exact = 0.5 * pow(cos(120), 2) - 0.5;
    check_close(exact, work_at(DISC, "variational", "2", 12, 12000), 2e-8);
    check_close(exact, work_at(DISC, "variational", "4", 12, 12000), 1e-11);
    check_close(exact, work_at(DISC, "variational", "6", 12, 12000), 1e-11);
    check_close(exact, work_at(DISC, "energy-momentum-2006", "2", 12, 12000), 2e-6);
    check_close(exact, work_at(DISC, "energy-momentum-2006", "4", 12, 12000), 1e-6);
}

/* A body of mass 2 whose centre is 0.5 from the hinge, in gravity: with x = 0.5 sin(3 t) + 0.4 t,
 * W = 1/2 (0.3 + 2 0.5^2) (x'^2 - x'(0)^2) - 2 9.81 0.5 sin x. */
#define SWING "motion: 0.5*sin(3*t) + 0.4*t"
#define CRANK                                                                                      \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  - {name: crank, mass: 2, inertia: [0.1, 0.3, 0.2], center: [0.5, 0, 0]}\n"
#define HINGE "  - {name: hinge, between: [ground, crank], axis: [0, 1, 0], " SWING "}\n"

static double work_on_crank(double t)
{
    double x = 0.5 * sin(3 * t) + 0.4 * t, rate = 1.5 * cos(3 * t) + 0.4;
    return 0.4 * (rate * rate - 1.9 * 1.9) - 9.81 * sin(x);
}

TEST(the_work_converges_with_the_order_of_the_steps)
{
    static const struct {
        const char *scheme, *order;
        int reached, steps;
    } cases[] = {{"variational", "2", 2, 50},
                 {"variational", "4", 4, 25},
                 {"variational", "6", 6, 10},
                 /* velocities of driven coordinates are of second order, also with composed
                  * steps */
                 {"energy-momentum-2006", "2", 2, 100},
                 {"energy-momentum-2006", "4", 2, 100}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double error[2];
        for (int k = 0; k < 2; k++)
            error[k] = fabs(work_at(CRANK "joints:\n" HINGE, cases[i].scheme, cases[i].order, 1,
                                    cases[i].steps << k) -
                            work_on_crank(1));
        check_close(cases[i].reached, log2(error[0] / error[1]), 0.15);
    }
}

/* A free arm with a damper and a load, too: the error of the balance of energy, work and
 * dissipation vanishes with the order. */
#define ARM                                                                                        \
    CRANK "  - {name: arm, mass: 1, inertia: [0.1, 0.2, 0.3], position: [1, 0, 0], center: [0.4, " \
          "0, 0]}\n"                                                                               \
          "joints:\n" HINGE                                                                        \
          "  - {name: pin, between: [crank, arm], at: [1, 0, 0], axis: [0, 1, 0], damping: 0.3}\n" \
          "loads: [{on: arm, force: [0.3, 0, 1], time: sin(2*t)}]\n"

TEST(energy_work_and_dissipation_agree_to_the_order_of_the_steps)
{
    static const char *const orders[] = {"2", "4", "6"};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++) {
            double coarse = defect_at(ARM, orders[i], treatments[k], 25);
            double fine = defect_at(ARM, orders[i], treatments[k], 50);
            check_close(2 * (i + 1), log2(coarse / fine), 0.1);
        }
}

/* Two drives: each has its own work, and the ledger their sum. */
TEST(the_work_of_several_drives_is_separate)
{
    scene s = open_run(CRANK "  - {name: disc, mass: 1, inertia: [1, 1, 1], position: [0, 0, 2]}\n"
                             "joints:\n" HINGE
                             "  - {name: other, between: [ground, disc], at: [0, 0, 2], axis: "
                             "[0, 0, 1], motion: 0.1*sin(10*t)}\n",
                       "variational", "6", NULL);
    run(&s, 1, 100);
    double own[2] = {work_on_crank(1), 0.5 * pow(cos(10), 2) - 0.5};
    for (int i = 0; i < 2; i++)
        check_close(own[i], olo_system_drive_work(s.system, s.state, i), 1e-11);
    check_close(own[0] + own[1], scene_ledger(&s).work, 1e-11);
    scene_close(&s);
}

TEST_MAIN(long_unit_test(the_work_on_a_disc_is_its_kinetic_energy_after_twelve_thousand_steps),
          cmocka_unit_test(the_work_converges_with_the_order_of_the_steps),
          cmocka_unit_test(energy_work_and_dissipation_agree_to_the_order_of_the_steps),
          cmocka_unit_test(the_work_of_several_drives_is_separate))
