/* Anderson's acceleration: a linear fixed-point problem of three unknowns is solved after four
 * differences, where the plain iteration converges slowly or not at all. */
#include "test.h"

#include "linalg/anderson.h"

/* g(x) = A x + b with eigenvalues 0.9, -0.8 and 1.5 of A; the solution is x_i = b_i/(1 - a_i). */
static const double factor[3] = {0.9, -0.8, 1.5}, constant[3] = {1, 2, 3};

static void apply(const double *x, double *g)
{
    for (int i = 0; i < 3; i++)
        g[i] = factor[i] * x[i] + constant[i];
}

TEST(a_linear_problem_is_solved_after_as_many_differences_as_unknowns)
{
    olo_pool pool = {0};
    olo_anderson a = {0};
    double x[3] = {0}, g[3];
    check_true(olo_anderson_create(&a, 3, OLO_ANDERSON_DEPTH, &pool));
    for (int i = 0; i < 3; i++)
        a.weight[i] = 1 + i;
    for (int k = 0; k < 5; k++) {
        double *found = olo_anderson_found(&a);
        apply(x, g);
        for (int i = 0; i < 3; i++)
            found[i] = g[i] - x[i];
        const double *made = olo_anderson_next(&a, true);
        for (int i = 0; i < 3; i++)
            x[i] += made[i];
    }
    for (int i = 0; i < 3; i++)
        check_close(constant[i] / (1 - factor[i]), x[i], 1e-10);
    olo_pool_free(&pool);
}

TEST(without_mixing_the_iteration_is_plain)
{
    olo_pool pool = {0};
    olo_anderson a = {0};
    check_true(olo_anderson_create(&a, 3, 2, &pool));
    for (int k = 0; k < 5; k++) {
        double *found = olo_anderson_found(&a);
        for (int i = 0; i < 3; i++)
            found[i] = 1.0 / (k + i + 1);
        const double *made = olo_anderson_next(&a, false);
        for (int i = 0; i < 3; i++)
            check_close(1.0 / (k + i + 1), made[i], 0.0);
    }
    olo_pool_free(&pool);
}

/* The same update twice: its difference is zero, and is left out. */
TEST(dependent_differences_are_left_out)
{
    olo_pool pool = {0};
    olo_anderson a = {0};
    check_true(olo_anderson_create(&a, 2, 3, &pool));
    a.weight[0] = a.weight[1] = 1;
    for (int k = 0; k < 4; k++) {
        double *found = olo_anderson_found(&a);
        found[0] = 1;
        found[1] = -2;
        const double *made = olo_anderson_next(&a, true);
        check_close(1, made[0], 0.0);
        check_close(-2, made[1], 0.0);
    }
    olo_pool_free(&pool);
}

TEST_MAIN(cmocka_unit_test(a_linear_problem_is_solved_after_as_many_differences_as_unknowns),
          cmocka_unit_test(dependent_differences_are_left_out),
          cmocka_unit_test(without_mixing_the_iteration_is_plain))
