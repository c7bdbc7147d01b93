/* Redundant rows: their number is that of the singular values; failed allocations. */
#include <stdlib.h>

#include "test.h"

#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/span.h"
#include "rank.h"
#include "reference.h"

enum { ROWS = 40, COLUMNS = 30 };

/* The number of rows of a matrix that are redundant. */
static int count_redundant(int rows, int columns, const double *A, double least)
{
    olo_error error = {0};
    olo_span *span = olo_span_create(columns);
    int *column = calloc((size_t)columns, sizeof *column), redundant_rows = 0;
    double *value = calloc((size_t)columns, sizeof *value);
    for (int i = 0; i < rows; i++) {
        int count = 0;
        for (int j = columns - 1; j >= 0; j--) { // in any order
            if (A[i * columns + j] != 0) {
                column[count] = j;
                value[count++] = A[i * columns + j];
            }
        }
        bool redundant;
        check_ok(olo_span_add(span, count, column, value, least, &redundant, &error), &error);
        redundant_rows += redundant;
    }
    free(column);
    free(value);
    olo_span_free(span);
    return redundant_rows;
}

TEST(the_rank_of_random_sparse_rows_is_that_of_their_singular_values)
{
    uint64_t seed = 3;
    for (int trial = 0; trial < 300; trial++) {
        double A[ROWS * COLUMNS] = {0};
        const int width = 1 + trial % 12, rows = 5 + trial % (ROWS - 5);
        for (int i = 0; i < rows; i++) {
            const int kind = i < 2 ? 0 : (int)(3 * (0.5 + 0.5 * random_number(&seed)));
            if (kind == 2) { // a combination of two previous rows
                const int a = (i * 7) % i, b = (i * 5 + 1) % i;
                const double x = random_number(&seed), y = random_number(&seed);
                for (int j = 0; j < COLUMNS; j++)
                    A[i * COLUMNS + j] = x * A[a * COLUMNS + j] + y * A[b * COLUMNS + j];
                continue;
            }
            const int from = (int)((0.5 + 0.5 * random_number(&seed)) * (COLUMNS - width));
            for (int j = from; j < from + width; j++)
                A[i * COLUMNS + j] = random_number(&seed);
        }
        const int redundant_rows = count_redundant(rows, COLUMNS, A, 1e-9);
        check_equal(rows - redundant_rows, matrix_rank(rows, COLUMNS, A, 1e-10));
    }
}

TEST(rows_of_zeros_and_of_round_off_are_redundant)
{
    const double A[] = {0, 0, 0, 1, 2, 3, 1, 2, 3 + 1e-12, 1e-13, 0, 0, 0, 0, 1e-6};
    check_equal(3, count_redundant(5, 3, A, 1e-9));
}

TEST(memory_that_runs_out_is_reported)
{
    const int column[] = {0, 2, 3};
    const double value[] = {1, 2, 3};
    bool redundant;
    for (size_t n = 1; n <= 6; n++) {
        olo_memory_fail_at(n);
        check_true(olo_span_create(4) == NULL);
    }
    olo_memory_fail_at(0);
    olo_span *span = olo_span_create(4);
    olo_error error = {0};
    olo_memory_fail_at(1);
    check_status(OLO_NO_MEMORY, olo_span_add(span, 3, column, value, 1e-9, &redundant, &error));
    olo_memory_fail_at(0);
    check_ok(olo_span_add(span, 3, column, value, 1e-9, &redundant, &error), &error);
    check_true(!redundant);
    check_ok(olo_span_add(span, 3, column, value, 1e-9, &redundant, &error), &error);
    check_true(redundant);
    olo_span_free(span);
}

/* The null space of the rows (1, 0, 2, 0), (0, 1, 1, 0) has the vector (-2, -1, 1, 0) and the
 * column that no row has. The product of this vector with (1, 1, 3 + 1e-7, 0) is 1e-7. The solution
 * of rows^T rows x = rows^T (5, 3) satisfies both rows. */
TEST(null_vectors_and_solutions_complete_the_free_columns)
{
    const int column[] = {2, 0, 1};
    const double rows[3][3] = {{2, 1, 0}, {1, 0, 1}, {3 + 1e-7, 1, 1}};
    olo_span *span = olo_span_create(4);
    olo_error error = {0};
    bool redundant;
    for (int i = 0; i < 2; i++)
        check_ok(olo_span_add(span, 3, column, rows[i], 1e-5, &redundant, &error), &error);
    const int left = olo_span_find_free_column(span, 3, column, rows[2]);
    check_true(left >= 0 && left < 3 && olo_span_is_free(span, left));
    check_true(olo_span_is_free(span, 3));
    double x[4] = {0, 0, 0, 7}, product = 0;
    x[left] = 1;
    olo_span_complete_null_vector(span, x);
    check_close(0, x[0] + 2 * x[2], 1e-15);
    check_close(0, x[1] + x[2], 1e-15);
    check_close(1, x[left], 0);
    check_close(7, x[3], 0);
    for (int k = 0; k < 3; k++)
        product += rows[2][k] * x[column[k]];
    check_close(1e-7 * x[2], product, 1e-15);
    double b[4] = {5, 3, 13, 0};
    olo_span_solve(span, b);
    check_close(5, b[0] + 2 * b[2], 1e-14);
    check_close(3, b[1] + b[2], 1e-14);
    check_close(0, b[left], 0);
    check_ok(olo_span_add(span, 3, column, rows[2], 1e-5, &redundant, &error), &error);
    check_true(redundant && olo_span_residual(span) > 1e-9 && olo_span_residual(span) <= 1e-7);
    olo_span_free(span);
}

TEST_MAIN(cmocka_unit_test(the_rank_of_random_sparse_rows_is_that_of_their_singular_values),
          cmocka_unit_test(null_vectors_and_solutions_complete_the_free_columns),
          cmocka_unit_test(rows_of_zeros_and_of_round_off_are_redundant),
          cmocka_unit_test(memory_that_runs_out_is_reported))
