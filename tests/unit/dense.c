/* Dense kernels: condition numbers beyond double precision, row spaces, LU. */
#include "test.h"

#include "linalg/dense.h"
#include "linalg/vector.h"
#include "rank.h"

/* Reproducible numbers between -1 and 1. */
static double next_number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 23) - 1;
}

/* det = 1, so cond = s^2 with s^2 + 1/s^2 = |A|_F^2 = 4 x^2 + 2; entries are exact. */
TEST(condition_of_a_nearly_singular_integer_matrix)
{
    const double x[] = {3, 1e4, 1e8, 1e12};
    for (int i = 0; i < 4; i++) {
        const double A[] = {x[i], x[i] + 1, x[i] - 1, x[i]};
        double squares = 4 * x[i] * x[i] + 2;
        double expected = 0.5 * (squares + sqrt(squares * squares - 4));
        check_relative(expected, olo_condition(2, A), 1e-7);
    }
}

TEST(condition_of_a_badly_scaled_matrix)
{
    const double A[] = {1e-20, 0, 0, 0, 1e10, 0, 0, 0, -3};
    check_relative(1e30, olo_condition(3, A), 1e-12);
    const double shear[] = {1, 1e12, 0, 1}; /* s^2 + 1/s^2 = 2 + 1e24 */
    check_relative(1e24, olo_condition(2, shear), 1e-12);
}

TEST(condition_of_singular_and_of_broken_matrices)
{
    const double singular[] = {1, 2, 2, 4}, zero[] = {0, 0, 0, 0}, broken[] = {1, NAN, 0, 1};
    check_true(isinf(olo_condition(2, singular)));
    check_true(isinf(olo_condition(2, zero)));
    check_true(isnan(olo_condition(2, broken)));
    check_true(olo_condition(0, zero) == 1);
}

TEST(row_space_finds_independent_rows_and_what_is_orthogonal_to_them)
{
    /* the third row is the sum of the others, the last is zero */
    double A[] = {1, 0, 1, 0, 0, 2, 0, 1, 1, 2, 1, 1, 0, 0, 0, 0};
    const double rows[4][4] = {{1, 0, 1, 0}, {0, 2, 0, 1}, {1, 2, 1, 1}, {0, 0, 0, 0}};
    double Q[16], *work = test_malloc(olo_row_space_work(4, 4) * sizeof *work);
    int order[4], rank;
    check_true(olo_row_space(4, 4, A, 1e-9, order, Q, &rank, work));
    check_equal(2, rank);
    check_true(order[0] != order[1] && order[0] < 3 && order[1] < 3);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            double product = 0, along = 0;
            for (int k = 0; k < 4; k++) {
                product += Q[4 * i + k] * Q[4 * j + k];
                along += rows[i][k] * Q[4 * j + k];
            }
            check_close(i == j, product, 1e-15);
            if (j >= rank)
                check_close(0, along, 1e-15);
        }
    test_free(work);
}

TEST(row_space_of_nothing_is_everything_else)
{
    double A[1] = {0}, Q[9], work[512];
    int order[1], rank;
    check_true(olo_row_space_work(0, 3) <= 512 * 8);
    check_true(olo_row_space(0, 3, A, 1e-9, order, Q, &rank, work));
    check_equal(0, rank);
    for (int i = 0; i < 9; i++)
        check_true(Q[i] == (i % 4 == 0));
    double bad[3] = {1, NAN, 0};
    double *room = test_malloc(olo_row_space_work(1, 3) * sizeof *room);
    check_true(!olo_row_space(1, 3, bad, 1e-9, order, Q, &rank, room));
    test_free(room);
}

TEST(lu_solves_with_the_matrix_and_with_its_transpose)
{
    const double A[] = {0, 1, 2, 3, 0, 1, 1, 4, 1}, x[] = {1, -2, 3};
    double LU[9], B[6] = {0};
    int pivot[3];
    memcpy(LU, A, sizeof LU);
    check_true(olo_lu_factor(3, LU, pivot));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            B[i] += A[3 * i + j] * x[j];
            B[3 + i] += A[3 * j + i] * x[j];
        }
    olo_lu_solve(3, LU, pivot, false, 1, B);
    olo_lu_solve(3, LU, pivot, true, 1, B + 3);
    for (int i = 0; i < 6; i++)
        check_close(x[i % 3], B[i], 1e-14);
    double singular[] = {1, 2, 2, 4}, broken[] = {1, NAN, 0, 1};
    check_true(!olo_lu_factor(2, singular, pivot));
    check_true(!olo_lu_factor(2, broken, pivot));
}

/* Sizes near those of the blocks of columns and groups of right-hand sides: A X = B and A^T X = B
 * with known X. */
TEST(lu_of_any_size_solves_for_many_sides)
{
    const int sizes[] = {1, 7, 31, 32, 33, 64, 65, 130}, sides = 19;
    unsigned seed = 1;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int n = sizes[s];
        const size_t area = olo_area(n, n), wide = olo_area(sides, n);
        double *A = test_malloc(area * sizeof *A), *LU = test_malloc(area * sizeof *LU);
        double *X = test_malloc(wide * sizeof *X), *B = test_malloc(wide * sizeof *B);
        int *pivot = test_malloc((size_t)n * sizeof *pivot);
        for (size_t i = 0; i < area; i++)
            A[i] = next_number(&seed);
        for (size_t i = 0; i < wide; i++)
            X[i] = next_number(&seed);
        memcpy(LU, A, area * sizeof *A);
        check_true(olo_lu_factor(n, LU, pivot));
        for (int transposed = 0; transposed < 2; transposed++) {
            for (int r = 0; r < sides; r++)
                for (int i = 0; i < n; i++) {
                    double sum = 0;
                    for (int j = 0; j < n; j++)
                        sum += A[transposed ? j * n + i : i * n + j] * X[r * n + j];
                    B[r * n + i] = sum;
                }
            olo_lu_solve(n, LU, pivot, transposed, sides, B);
            for (size_t i = 0; i < wide; i++)
                check_close(X[i], B[i], 1e-10);
        }
        test_free(A);
        test_free(LU);
        test_free(X);
        test_free(B);
        test_free(pivot);
    }
}

/* Rows with few entries, as those of constraints, a third of them sums of others: the rank is that
 * of the singular values, the basis is orthonormal, and its first rows span all given ones. */
TEST(row_space_of_sparse_rows_has_the_rank_of_the_singular_values)
{
    enum { ROWS = 90, COLUMNS = 120 };
    unsigned seed = 5;
    double *given = test_calloc((size_t)ROWS * COLUMNS, sizeof *given),
           *A = test_malloc(sizeof(double) * ROWS * COLUMNS),
           *Q = test_malloc(sizeof(double) * COLUMNS * COLUMNS),
           *work = test_malloc(olo_row_space_work(ROWS, COLUMNS) * sizeof *work);
    int order[ROWS], rank;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            if (i % 3 == 2)
                given[i * COLUMNS + j] =
                    given[(i - 1) * COLUMNS + j] - 2 * given[(i - 2) * COLUMNS + j];
            else if (j >= i && j < i + 12)
                given[i * COLUMNS + j] = next_number(&seed);
    memcpy(A, given, sizeof(double) * ROWS * COLUMNS);
    check_equal(60, matrix_rank(ROWS, COLUMNS, A, 1e-9));
    memcpy(A, given, sizeof(double) * ROWS * COLUMNS);
    check_true(olo_row_space(ROWS, COLUMNS, A, 1e-9, order, Q, &rank, work));
    check_equal(60, rank);
    bool seen[ROWS] = {false};
    for (int i = 0; i < ROWS; i++) {
        check_true(!seen[order[i]]);
        seen[order[i]] = true;
        for (int j = rank; j < COLUMNS; j++)
            check_close(0, olo_dense_dot(COLUMNS, given + i * COLUMNS, Q + j * COLUMNS), 1e-13);
    }
    double *gram = test_malloc(sizeof(double) * COLUMNS * COLUMNS);
    olo_dense_products(COLUMNS, COLUMNS, COLUMNS, Q, Q, gram);
    for (int i = 0; i < COLUMNS * COLUMNS; i++)
        check_close(i % (COLUMNS + 1) == 0, gram[i], 1e-13);
    /* the independent rows alone have full rank */
    for (int i = 0; i < rank; i++)
        memcpy(A + i * COLUMNS, given + order[i] * COLUMNS, COLUMNS * sizeof *A);
    check_equal(rank, matrix_rank(rank, COLUMNS, A, 1e-9));
    test_free(given);
    test_free(A);
    test_free(Q);
    test_free(work);
    test_free(gram);
}

/* Of rows whose lengths are equal up to rounding the first one is taken first. */
TEST(row_space_takes_equal_rows_in_their_order)
{
    const double c = cos(1.0), s = sin(1.0);
    double A[] = {c, s, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, Q[16], work[16];
    int order[3], rank;
    A[7] = 1e-12;
    check_true(olo_row_space_work(3, 4) <= 16);
    check_true(olo_row_space(3, 4, A, 1e-9, order, Q, &rank, work));
    check_equal(3, rank);
    for (int i = 0; i < 3; i++)
        check_equal(i, order[i]);
}

/* [0 1; -5 -2] has the eigenvalues -1 +- 2i, [3] has 3: A v = lambda v. */
TEST(eigenvectors_of_any_matrix)
{
    const double given[9] = {0, 1, 0, -5, -2, 0, 0, 0, 3};
    double A[9], re[3], im[3], V[9];
    memcpy(A, given, sizeof A);
    check_true(olo_general_eigenvectors(3, A, re, im, V));
    for (int j = 0; j < 3; j++) {
        check_close(im[j] == 0 ? 3 : -1, re[j], 1e-14);
        check_close(im[j] == 0 ? 0 : 2, fabs(im[j]), 1e-14);
        if (im[j] < 0)
            continue;
        for (int i = 0; i < 3; i++) {
            double real = 0, imaginary = 0;
            for (int k = 0; k < 3; k++) {
                real += given[3 * i + k] * V[3 * k + j];
                imaginary += im[j] > 0 ? given[3 * i + k] * V[3 * k + j + 1] : 0;
            }
            double y = im[j] > 0 ? V[3 * i + j + 1] : 0;
            check_close(re[j] * V[3 * i + j] - im[j] * y, real, 1e-14);
            check_close(im[j] * V[3 * i + j] + re[j] * y, imaginary, 1e-14);
        }
    }
    A[4] = NAN;
    check_true(!olo_general_eigenvectors(3, A, re, im, V));
}

/* Of OpenBLAS; another library has none. */
TEST(threads_are_set_and_restored)
{
    const int before = olo_dense_set_threads(1);
    if (before == 0)
        skip();
    check_equal(1, olo_dense_set_threads(before));
    check_equal(before, olo_dense_set_threads(0)); /* no change */
    check_equal(before, olo_dense_set_threads(before));
}

TEST_MAIN(cmocka_unit_test(eigenvectors_of_any_matrix),
          cmocka_unit_test(threads_are_set_and_restored),
          cmocka_unit_test(lu_of_any_size_solves_for_many_sides),
          cmocka_unit_test(row_space_of_sparse_rows_has_the_rank_of_the_singular_values),
          cmocka_unit_test(row_space_takes_equal_rows_in_their_order),
          cmocka_unit_test(condition_of_a_nearly_singular_integer_matrix),
          cmocka_unit_test(condition_of_a_badly_scaled_matrix),
          cmocka_unit_test(condition_of_singular_and_of_broken_matrices),
          cmocka_unit_test(row_space_finds_independent_rows_and_what_is_orthogonal_to_them),
          cmocka_unit_test(row_space_of_nothing_is_everything_else),
          cmocka_unit_test(lu_solves_with_the_matrix_and_with_its_transpose))
