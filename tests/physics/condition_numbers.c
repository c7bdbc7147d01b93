/* Condition numbers of the iteration matrices: tables 4.1 and 4.2 of the thesis, table II of the
 * second article, and the check values of the sheets (thesis-methods 3.1, 3.2 and P7, P8, T7;
 * multibody-null-space 10.1, 11.4). */
#include "scene.h"

#include "base/memory.h"
#include "linalg/dense.h"
#include "stepping/step.h"

static const char PENDULUM[] = "double-spherical-pendulum", TOP[] = "heavy-top";

/* The state after some steps. The tolerance of `augmented` is large, because only its inner matrix
 * is examined (sheet, 2.5). */
static scene after(const char *model, const char *treatment, const char *penalty,
                   const char *null_space, double h, int steps)
{
    const olo_setting settings[] = {{"run.penalty", penalty},
                                    {"run.augmented_tolerance", h < 5e-3 ? "1e-3" : "1e-9"},
                                    {"run.null_space", null_space}};
    scene s = scene_open_set(model, treatment, settings, 3);
    scene_run(&s, h, steps);
    return s;
}

static double condition(const char *model, const char *treatment, const char *penalty, double h,
                        int steps)
{
    olo_error error = {0};
    double value = NAN;
    scene s = after(model, treatment, penalty, "explicit", h, steps);
    check_ok(olo_stepper_compute_condition(s.stepper, &value, &error), &error);
    scene_close(&s);
    return value;
}

static double other_condition(const char *model, const char *treatment, const char *null_space,
                              double h, int steps)
{
    olo_error error = {0};
    olo_square K;
    scene s = after(model, treatment, "1e5", null_space, h, steps);
    check_ok(olo_stepper_matrix(s.stepper, OLO_MATRIX_OTHER, &K, &error), &error);
    double value = olo_condition(K.size, K.entry);
    olo_free(K.entry);
    scene_close(&s);
    return value;
}

/* A row of a table: the order of magnitude that the source prints, and the digits of the sheet for
 * the same number. */
typedef struct row {
    const char *treatment, *penalty;
    double printed[3], digits[3];
    double relative; /* of the digits: half a unit of the last one */
} row;

static const double STEPS[3] = {1e-2, 1e-3, 1e-4};

static void check_table(const char *model, const row *rows, int count)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            double value = condition(model, rows[i].treatment, rows[i].penalty, STEPS[k], 3);
            check_relative(rows[i].digits[k], value, rows[i].relative);
            /* the decade of the source, or a neighbouring one */
            check_below(fabs(log10(value / rows[i].printed[k])), 1.5);
        }
}

TEST(table_4_1_condition_numbers)
{
    static const row rows[] = {
        {"multipliers", "1e5", {1e8, 1e11, 1e14}, {1.17e9, 1.17e12, 1.17e15}, 0.01},
        {"penalty", "1e5", {1, 1, 1}, {7.5, 5.8, 5.8}, 0.01},
        {"penalty", "1e10", {1e5, 1e3, 10}, {1.7e5, 1.7e3, 23}, 0.01},
        {"augmented", "1e5", {1, 1, 1}, {7.5, 5.85, 5.8}, 0.01},
        {"reduced", "1e5", {1, 1, 1}, {5.83, 5.83, 5.83}, 0.01}};
    check_table(PENDULUM, rows, 5);
}

TEST(table_4_2_condition_numbers)
{
    static const row rows[] = {
        {"multipliers", "1e5", {1e6, 1e9, 1e12}, {2.01e6, 2.01e9, 2.01e12}, 0.01},
        {"penalty", "1e5", {1e4, 1e3, 1e3}, {2.8e4, 2.85e3, 2.7e3}, 0.02},
        {"penalty", "1e10", {1e9, 1e7, 1e5}, {2.8e9, 3.8e7, 3.8e5}, 0.01},
        {"augmented", "1e5", {1e4, 1e3, 1e3}, {2.8e4, 2.85e3, 2.7e3}, 0.02},
        {"reduced", "1e5", {1, 1, 1}, {8.5, 8.5, 8.5}, 0.01}};
    check_table(TOP, rows, 5);
}

TEST(table_II_condition_numbers_of_the_top)
{
    static const double h[3] = {5e-2, 5e-3, 5e-4};
    static const double published[3] = {1.6e4, 1.6e7, 1.6e10};
    static const double constrained[3] = {1.647e4, 1.608e7, 1.608e10};
    static const double reduced[3] = {8.61, 8.50, 8.50};
    for (int k = 0; k < 3; k++) {
        double value = condition(TOP, "multipliers", "1e5", h[k], 1);
        check_relative(constrained[k], value, 0.001);
        check_relative(published[k], value, 0.03);
        value = condition(TOP, "reduced", "1e5", h[k], 1);
        check_relative(reduced[k], value, 0.001);
        check_relative(8, value, 0.15);
    }
}

TEST(the_first_step_of_the_top)
{
    static const double constrained[3] = {2.011e6, 2.010e9, 2.010e12};
    for (int k = 0; k < 3; k++) {
        check_relative(constrained[k], condition(TOP, "multipliers", "1e5", STEPS[k], 1), 0.001);
        check_relative(8.5, condition(TOP, "reduced", "1e5", STEPS[k], 1), 0.001);
    }
}

/* An SVD in double precision finds at most 1e16. */
TEST(multipliers_grow_by_a_thousand_a_decade_far_beyond_double_precision)
{
    const char *const models[] = {PENDULUM, TOP};
    for (int m = 0; m < 2; m++) {
        double before = condition(models[m], "multipliers", "1e5", 1e-2, 1);
        for (int k = 3; k <= 6; k++) {
            double value = condition(models[m], "multipliers", "1e5", pow(10, -k), 1);
            check_relative(1000, value / before, 0.05);
            before = value;
        }
        check_true(before > (m == 0 ? 1e21 : 1e18));
    }
}

/* With lambda' = h^2/2 lambda and the balance times h/2 no block depends on h. */
TEST(the_scaled_matrix_of_the_multipliers_does_not_depend_on_h)
{
    const char *const models[] = {PENDULUM, TOP};
    for (int m = 0; m < 2; m++) {
        double limit = other_condition(models[m], "multipliers", "explicit", 1e-6, 1);
        check_below(limit, 1e4);
        for (int k = 2; k <= 5; k++)
            check_relative(limit,
                           other_condition(models[m], "multipliers", "explicit", pow(10, -k), 1),
                           k == 2 ? 0.3 : 0.01);
    }
}

/* O(h^2 mu) while h^2 mu is large, then the condition number of the mass. */
TEST(a_stiff_penalty_falls_by_a_hundred_a_decade_until_it_meets_the_mass)
{
    double before = condition(PENDULUM, "penalty", "1e10", 1e-1, 1);
    for (int k = 2; k <= 3; k++) {
        double value = condition(PENDULUM, "penalty", "1e10", pow(10, -k), 1);
        check_relative(100, before / value, 0.06);
        before = value;
    }
    /* M = [[15, 5], [5, 5]]: eigenvalues 10 +- sqrt(50) */
    double mass = (10 + sqrt(50)) / (10 - sqrt(50));
    check_relative(mass, condition(PENDULUM, "penalty", "1e10", 1e-6, 1), 0.001);
}

/* [P^T S; G] grows like 1/h, the split K_u does not (sheet, 2.5 d; its numbers are those of the
 * third step). */
TEST(the_split_of_projected_takes_the_step_out_of_the_condition)
{
    static const double undivided[4] = {3.9e2, 3.4e3, 3.4e4, 3.4e5};
    static const double split[4] = {5.58, 5.83, 5.83, 5.83};
    for (int k = 0; k < 4; k++) {
        double h = pow(10, -1 - k), value = NAN;
        olo_error error = {0};
        scene s = after(PENDULUM, "projected", "1e5", "implicit", h, 3);
        check_ok(olo_stepper_compute_condition(s.stepper, &value, &error), &error);
        check_relative(split[k], value, 0.002);
        scene_close(&s);
        check_relative(undivided[k], other_condition(PENDULUM, "projected", "implicit", h, 3),
                       0.015);
        /* the columns of the explicit matrix have other lengths, which do not depend on h */
        check_relative(5.8, condition(PENDULUM, "projected", "1e5", h, 3), 0.05);
    }
}

TEST(there_is_no_condition_before_a_step)
{
    olo_error error = {0};
    double value;
    scene s = scene_open(TOP, "reduced");
    check_status(OLO_UNSUPPORTED, olo_stepper_compute_condition(s.stepper, &value, &error));
    scene_close(&s);
}

/* Two equal rods: the unreduced matrix is singular, the others are regular. */
TEST(redundant_constraints_make_the_constrained_matrix_singular)
{
    static const char TWICE[] = "name: twice\n"
                                "gravity: [0, 0, -9.81]\n"
                                "points: {name: bob, mass: 1, position: [1, 0, 0]}\n"
                                "rods:\n"
                                "  - {name: one, between: [[0, 0, 0], bob]}\n"
                                "  - {name: two, between: [[0, 0, 0], bob]}\n";
    check_true(condition(TWICE, "multipliers", "1e5", 1e-3, 2) > 1e25);
    check_below(condition(TWICE, "projected", "1e5", 1e-3, 2), 1.1);
    check_below(condition(TWICE, "penalty", "1e3", 1e-3, 2), 1.1);
}

TEST_MAIN(cmocka_unit_test(table_4_1_condition_numbers),
          cmocka_unit_test(table_4_2_condition_numbers),
          cmocka_unit_test(table_II_condition_numbers_of_the_top),
          cmocka_unit_test(the_first_step_of_the_top),
          cmocka_unit_test(multipliers_grow_by_a_thousand_a_decade_far_beyond_double_precision),
          cmocka_unit_test(the_scaled_matrix_of_the_multipliers_does_not_depend_on_h),
          cmocka_unit_test(a_stiff_penalty_falls_by_a_hundred_a_decade_until_it_meets_the_mass),
          cmocka_unit_test(the_split_of_projected_takes_the_step_out_of_the_condition),
          cmocka_unit_test(there_is_no_condition_before_a_step),
          cmocka_unit_test(redundant_constraints_make_the_constrained_matrix_singular))
