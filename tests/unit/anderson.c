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
    check_true(olo_anderson_create(&a, 3, &pool));
    for (int i = 0; i < 3; i++)
        a.weight[i] = 1 + i;
    for (int k = 0; k < 6; k++) {
        apply(x, g);
        olo_anderson_next(&a, true, g);
        memcpy(x, g, sizeof x);
    }
    for (int i = 0; i < 3; i++)
        check_close(constant[i] / (1 - factor[i]), x[i], 1e-10);
    olo_pool_free(&pool);
}

TEST(without_mixing_the_iteration_is_plain)
{
    olo_pool pool = {0};
    olo_anderson a = {0};
    double x[3] = {0}, g[3], plain[3] = {0};
    check_true(olo_anderson_create(&a, 3, &pool));
    for (int k = 0; k < 5; k++) {
        apply(plain, g);
        memcpy(plain, g, sizeof plain);
        apply(x, g);
        olo_anderson_next(&a, false, g);
        memcpy(x, g, sizeof x);
    }
    for (int i = 0; i < 3; i++)
        check_close(plain[i], x[i], 0.0);
    olo_pool_free(&pool);
}

TEST_MAIN(cmocka_unit_test(a_linear_problem_is_solved_after_as_many_differences_as_unknowns),
          cmocka_unit_test(without_mixing_the_iteration_is_plain))
