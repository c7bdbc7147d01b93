/* Penalty, augmented Lagrange and projected scheme on the examples of the thesis: P2, P5, P6 and T4
 * to T6, T8 of the sheet thesis-methods 4, with the check values of its sections 2.5, 3.1 and 3.2.
 */
#include "scene.h"

static const char PENDULUM[] = "double-spherical-pendulum", TOP[] = "heavy-top";

/* e_z = ||z - z_ref|| / ||z_ref||, z = (q, p), q and p stacked unscaled */
static double error_of(const olo_system *system, const olo_state *a, const olo_state *b)
{
    double x[24], y[24];
    int n = system->n;
    memcpy(x, a->q, (size_t)n * sizeof *x);
    memcpy(y, b->q, (size_t)n * sizeof *y);
    olo_system_mass_times(system, a->v, x + n);
    olo_system_mass_times(system, b->v, y + n);
    return scene_distance(2 * n, x, y);
}

static int unknowns_of(const char *model, const char *treatment)
{
    scene s = scene_open(model, treatment);
    int count = olo_stepper_unknown_count(s.stepper);
    scene_close(&s);
    return count;
}

TEST(unknowns_of_tables_4_1_and_4_2)
{
    const char *const treatments[] = {"multipliers", "penalty", "augmented", "projected",
                                      "reduced"};
    const int pendulum[] = {8, 6, 6, 6, 4}, top[] = {21, 12, 12, 12, 3};
    for (int k = 0; k < 5; k++) {
        check_equal(pendulum[k], unknowns_of(PENDULUM, treatments[k]));
        check_equal(top[k], unknowns_of(TOP, treatments[k]));
    }
}

/* The results of a run with a penalty. */
typedef struct outcome {
    double error, gap, last_gap, energy, momentum;
    long halvings;
} outcome;

/* h = 0.01; H + mu |g|^2 is computed from the constraints themselves, not from the ledger. */
static outcome penalised(const char *model, double mu, long steps)
{
    scene reference = scene_open(model, "multipliers");
    scene s = scene_open_penalty(model, "penalty", mu, 1e-10, "explicit");
    olo_ledger start = scene_ledger(&s);
    outcome x = {0};
    scene_run(&reference, 0.01, steps);
    for (long i = 0; i < steps; i++) {
        scene_run(&s, 0.01, 1);
        olo_ledger ledger = scene_ledger(&s);
        double squares = 0;
        for (int c = 0; c < s.system->m; c++) {
            double g = olo_form_value(s.system->constraints[c].form, s.state->q);
            squares += g * g;
        }
        x.last_gap = ledger.constraint_error;
        x.gap = larger(x.gap, x.last_gap);
        x.energy =
            larger(x.energy, fabs(ledger.kinetic + ledger.potential + mu * squares - start.total));
        x.momentum =
            larger(x.momentum, fabs(ledger.angular_momentum[2] - start.angular_momentum[2]));
    }
    x.energy /= start.total;
    x.momentum /= fabs(start.angular_momentum[2]);
    x.error = error_of(s.system, s.state, reference.state);
    x.halvings = s.halvings;
    scene_close(&s);
    scene_close(&reference);
    return x;
}

/* Two digits are printed: half a unit of the second one. */
static const double two_digits = 0.05;

TEST(penalty_of_the_pendulum_at_t_10)
{
    static const double mu[] = {1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e12};
    static const double e_z[] = {1.9,    3.4e-1, 3.7e-2, 5.6e-3, 3.7e-4,
                                 3.4e-4, 1.2e-4, 4.1e-5, 3.8e-6};
    static const double last[] = {2.0e-1, 3.9e-3, 1.9e-3, 1.1e-4, 1.0e-5,
                                  1.2e-6, 1.9e-7, 1.5e-8, 1.4e-10};
    static const double largest[] = {2.8e-1, 2.9e-2, 2.8e-3, 2.9e-4, 2.9e-5,
                                     2.8e-6, 2.8e-7, 2.8e-8, 2.7e-10};
    for (int k = 0; k < 9; k++) {
        outcome x = penalised(PENDULUM, mu[k], 1000);
        check_relative(e_z[k], x.error, two_digits);
        check_relative(last[k], x.last_gap, two_digits);
        check_relative(largest[k], x.gap, two_digits);
        check_below(x.energy, 1e-12);
        check_below(x.momentum, 1e-12);
        check_equal(0, x.halvings);
    }
}

/* The body rotates by 1.2 rad per step: from mu = 1e10 on, Newton's method with the start q_n fails
 * (sheet, 2.15). */
TEST(penalty_of_the_top_at_t_3)
{
    static const double mu[] = {1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10};
    static const double e_z[] = {8.8e-2, 1.5e-2, 2.9e-3, 4.5e-4, 8.0e-5, 3.2e-5};
    static const double largest[] = {6.5e-4, 9.7e-5, 1.9e-5, 1.9e-6, 1.9e-7, 1.9e-8, 1.9e-9};
    for (int k = 0; k < 7; k++) {
        outcome x = penalised(TOP, mu[k], 300);
        if (k < 6)
            check_relative(e_z[k], x.error, two_digits);
        check_relative(largest[k], x.gap, two_digits);
        check_below(x.energy, 1e-12);
        check_below(x.momentum, 1e-11);
        check_equal(0, x.halvings);
    }
}

TEST(newton_needs_no_more_iterations_for_a_stiffer_penalty)
{
    scene soft = scene_open_penalty(TOP, "penalty", 1e5, 1e-10, "explicit");
    scene stiff = scene_open_penalty(TOP, "penalty", 1e14, 1e-10, "explicit");
    scene_run(&soft, 0.01, 50);
    scene_run(&stiff, 0.01, 50);
    check_below((double)stiff.iterations, (double)soft.iterations + 50);
    scene_close(&soft);
    scene_close(&stiff);
}

/* Tiny steps: the residual stagnates at h mu eps |q|, which must not stop the run. */
TEST(a_stiff_penalty_survives_tiny_steps)
{
    for (double h = 1e-4; h > 1e-9; h *= 0.1) {
        scene s = scene_open_penalty(TOP, "penalty", 1e12, 1e-10, "explicit");
        scene_run(&s, h, 20);
        check_equal(0, s.halvings);
        scene_close(&s);
    }
}

/* --- augmented Lagrange --- */

/* Solutions per step over a run; every step must reach the tolerance. */
static double solutions(const char *model, double mu, double tolerance, long steps, double *error)
{
    scene reference = scene_open(model, "multipliers");
    scene s = scene_open_penalty(model, "augmented", mu, tolerance, "explicit");
    long passes = 0;
    scene_run(&reference, 0.01, steps);
    for (long i = 0; i < steps; i++) {
        scene_run(&s, 0.01, 1);
        passes += olo_stepper_report(s.stepper)->passes;
        check_below(scene_ledger(&s).constraint_error, tolerance * (1 + 1e-5));
    }
    check_equal(0, s.halvings);
    *error = error_of(s.system, s.state, reference.state);
    scene_close(&s);
    scene_close(&reference);
    return (double)passes / (double)steps;
}

TEST(augmented_reaches_its_tolerance_in_every_step_of_the_pendulum)
{
    static const double mu[] = {1e5, 1e6, 1e7}, a_step[] = {42.9, 8.6, 3.9};
    for (int k = 0; k < 3; k++) {
        double error;
        check_relative(a_step[k], solutions(PENDULUM, mu[k], 1e-10, 1000, &error), 0.01);
        check_below(error, 1e-7);
    }
}

TEST(augmented_needs_five_solutions_a_step_of_the_top)
{
    double error;
    check_relative(4.9, solutions(TOP, 1e5, 1e-9, 300, &error), 0.011);
    check_below(error, 1e-6);
}

/* One step that starts with the multipliers of the previous one and stops after `passes`
 * solutions. */
typedef struct single {
    double gap, e_z, e_lambda;
    int passes;
} single;

static single step_to(const scene *s, const olo_state *start, const olo_state *solution,
                      double tolerance)
{
    olo_error error = {0};
    olo_state *state = NULL;
    olo_stepper *stepper = NULL;
    olo_run run = s->run;
    run.augmented_tolerance = tolerance;
    check_ok(olo_state_clone(start, &state, &error), &error);
    check_ok(olo_stepper_create(s->system, &run, &stepper, &error), &error);
    check_ok(olo_stepper_step(stepper, state, 0.01, &error), &error);
    olo_ledger ledger;
    olo_system_ledger(s->system, state, &ledger);
    single x = {.gap = ledger.constraint_error,
                .e_z = error_of(s->system, state, solution),
                .e_lambda = scene_distance(s->system->m, state->lambda, solution->lambda),
                .passes = olo_stepper_report(stepper)->passes};
    olo_stepper_free(stepper);
    olo_state_free(state);
    return x;
}

/* The last step before t: its initial state with `augmented`, and its solution with multipliers. */
static scene last_step(const char *model, double tolerance, long steps, olo_state **solution)
{
    olo_error error = {0};
    scene s = scene_open_penalty(model, "augmented", 1e5, tolerance, "explicit");
    olo_stepper *exact = NULL;
    olo_run run = s.run;
    run.constraints = "multipliers";
    scene_run(&s, 0.01, steps - 1);
    check_ok(olo_state_clone(s.state, solution, &error), &error);
    check_ok(olo_stepper_create(s.system, &run, &exact, &error), &error);
    check_ok(olo_stepper_step(exact, *solution, 0.01, &error), &error);
    olo_stepper_free(exact);
    return s;
}

TEST(the_passes_of_the_last_step_of_the_pendulum_shrink_all_errors_geometrically)
{
    olo_state *solution = NULL;
    scene s = last_step(PENDULUM, 1e-10, 1000, &solution);
    single first = step_to(&s, s.state, solution, 1), before = first;
    check_equal(1, first.passes);
    check_relative(2.8e-5, first.gap, two_digits);
    check_equal(46, step_to(&s, s.state, solution, 1e-10).passes);
    for (double tolerance = 1e-6; tolerance > 1e-10; tolerance *= 0.1) {
        single x = step_to(&s, s.state, solution, tolerance);
        if (before.passes > 1) {
            double contraction = pow(x.gap / before.gap, 1.0 / (x.passes - before.passes));
            check_relative(0.754, contraction, 0.005);
        }
        check_below(x.e_z, 0.2 * before.e_z);
        check_below(x.e_lambda, 0.2 * before.e_lambda);
        before = x;
    }
    olo_state_free(solution);
    scene_close(&s);
}

TEST(the_passes_of_the_last_step_of_the_top)
{
    static const double gap[] = {2.2e-5, 3.4e-7, 2.9e-8, 3.3e-9, 4.0e-10};
    olo_state *solution = NULL;
    scene s = last_step(TOP, 1e-9, 300, &solution);
    for (int k = 0; k < 5; k++) {
        /* a tolerance between the gaps of this pass and of the previous one stops here */
        double above = k == 0 ? 1 : sqrt(gap[k] * gap[k - 1]);
        single x = step_to(&s, s.state, solution, above);
        check_equal(k + 1, x.passes);
        check_relative(gap[k], x.gap, two_digits);
    }
    olo_state_free(solution);
    scene_close(&s);
}

/* A ~ h^2: a penalty that suffices for h = 0.01 has no effect for h = 1e-4, and halving the step
 * would be worse. */
TEST(augmented_advises_a_larger_penalty_where_steps_are_small)
{
    olo_error error = {0};
    scene s = scene_open_penalty(PENDULUM, "augmented", 1e5, 1e-10, "explicit");
    check_status(OLO_NOT_CONVERGED, olo_stepper_step(s.stepper, s.state, 1e-4, &error));
    check_contains("run.penalty", error.text);
    check_contains("1/h^2", error.text);
    check_contains("violated", error.text);
    check_true(strstr(error.text, "smaller step") == NULL);
    check_equal(0, olo_stepper_report(s.stepper)->halvings);
    check_true(olo_state_time(s.state) == 0);
    /* the recommended penalty suffices */
    const char *advice = strstr(error.text, "try ");
    check_true(advice != NULL);
    scene better =
        scene_open_penalty(PENDULUM, "augmented", strtod(advice + 4, NULL), 1e-10, "explicit");
    scene_run(&better, 1e-4, 20);
    check_below(olo_stepper_report(better.stepper)->passes, 20);
    scene_close(&better);
    scene_close(&s);
}

/* The work of the constant multipliers is recorded: the balance is exact for any tolerance, H to
 * the tolerance. */
TEST(augmented_conserves_energy_with_the_constraint_energy)
{
    double drift[2] = {0};
    for (int k = 0; k < 2; k++) {
        scene s = scene_open_penalty(PENDULUM, "augmented", 1e7, k == 0 ? 1e-6 : 1e-10, "explicit");
        for (int i = 0; i < 500; i++) {
            scene_run(&s, 0.01, 1);
            olo_ledger ledger = scene_ledger(&s);
            check_close(82.5, ledger.balance, 1e-11);
            drift[k] = larger(drift[k], fabs(ledger.kinetic + ledger.potential - 82.5));
        }
        scene_close(&s);
    }
    check_below(drift[0], 1e-2);
    check_below(drift[1], 1e-6);
    check_below(drift[1], 1e-2 * drift[0]);
}

/* --- projected --- */

/* T8: h = 0.001 to t = 1, three iterations per step. */
TEST(implicit_and_explicit_null_space_give_the_constrained_solution_of_the_top)
{
    const char *const kinds[] = {"explicit", "implicit"};
    scene reference = scene_open(TOP, "multipliers");
    scene_run(&reference, 1e-3, 1000);
    for (int k = 0; k < 2; k++) {
        scene s = scene_open_penalty(TOP, "projected", 1, 1, kinds[k]);
        scene_run(&s, 1e-3, 1000);
        check_below(error_of(s.system, s.state, reference.state), 1e-10);
        check_below(scene_ledger(&s).constraint_error, 1e-15);
        check_relative(5.669055190633, scene_ledger(&s).total, 1e-12);
        check_close(3.0, (double)s.iterations / 1000, 0.1);
        const double *phi = scene_q(&s, "top");
        check_close(-0.03529028, phi[0], 5e-9);
        check_close(0.05454053, phi[1], 5e-9);
        check_close(0.03748236, phi[2], 5e-9);
        scene_close(&s);
    }
    scene_close(&reference);
}

TEST_MAIN(
    cmocka_unit_test(unknowns_of_tables_4_1_and_4_2),
    cmocka_unit_test(penalty_of_the_pendulum_at_t_10), cmocka_unit_test(penalty_of_the_top_at_t_3),
    cmocka_unit_test(newton_needs_no_more_iterations_for_a_stiffer_penalty),
    cmocka_unit_test(a_stiff_penalty_survives_tiny_steps),
    cmocka_unit_test(augmented_reaches_its_tolerance_in_every_step_of_the_pendulum),
    cmocka_unit_test(augmented_needs_five_solutions_a_step_of_the_top),
    cmocka_unit_test(the_passes_of_the_last_step_of_the_pendulum_shrink_all_errors_geometrically),
    cmocka_unit_test(the_passes_of_the_last_step_of_the_top),
    cmocka_unit_test(augmented_advises_a_larger_penalty_where_steps_are_small),
    cmocka_unit_test(augmented_conserves_energy_with_the_constraint_energy),
    cmocka_unit_test(implicit_and_explicit_null_space_give_the_constrained_solution_of_the_top))
