/* Rows that repeat others: the count against singular values, and memory that runs out. */
#include <stdlib.h>

#include "test.h"

#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/span.h"
#include "reference.h"

enum { ROWS = 40, COLUMNS = 30 };

/* How many rows of a matrix the span takes for repetitions. */
static int repetitions(int rows, int columns, const double *A, double least)
{
    olo_error error = {0};
    olo_span *span = olo_span_create(columns);
    int *column = calloc((size_t)columns, sizeof *column), again = 0;
    double *value = calloc((size_t)columns, sizeof *value);
    for (int i = 0; i < rows; i++) {
        int count = 0;
        for (int j = columns - 1; j >= 0; j--) { // any order will do
            if (A[i * columns + j] != 0) {
                column[count] = j;
                value[count++] = A[i * columns + j];
            }
        }
        bool repeats;
        check_ok(olo_span_add(span, count, column, value, least, &repeats, &error), &error);
        again += repeats;
    }
    free(column);
    free(value);
    olo_span_free(span);
    return again;
}

TEST(the_rank_of_random_sparse_rows_is_that_of_their_singular_values)
{
    uint64_t seed = 3;
    for (int trial = 0; trial < 300; trial++) {
        double A[ROWS * COLUMNS] = {0};
        const int width = 1 + trial % 12, rows = 5 + trial % (ROWS - 5);
        for (int i = 0; i < rows; i++) {
            const int kind = i < 2 ? 0 : (int)(3 * (0.5 + 0.5 * random_number(&seed)));
            if (kind == 2) { // a combination of two before it
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
        const int again = repetitions(rows, COLUMNS, A, 1e-9);
        check_equal(rows - again, olo_rank(rows, COLUMNS, A, 1e-10));
    }
}

TEST(rows_of_nothing_and_of_round_off_repeat)
{
    const double A[] = {0, 0, 0, 1, 2, 3, 1, 2, 3 + 1e-12, 1e-13, 0, 0, 0, 0, 1e-6};
    check_equal(3, repetitions(5, 3, A, 1e-9));
}

TEST(memory_that_runs_out_is_told)
{
    const int column[] = {0, 2, 3};
    const double value[] = {1, 2, 3};
    bool repeats;
    for (size_t n = 1; n <= 4; n++) {
        olo_memory_fail_at(n);
        check_true(olo_span_create(4) == NULL);
    }
    olo_memory_fail_at(0);
    olo_span *span = olo_span_create(4);
    olo_error error = {0};
    olo_memory_fail_at(1);
    check_status(OLO_NO_MEMORY, olo_span_add(span, 3, column, value, 1e-9, &repeats, &error));
    olo_memory_fail_at(0);
    check_ok(olo_span_add(span, 3, column, value, 1e-9, &repeats, &error), &error);
    check_true(!repeats);
    check_ok(olo_span_add(span, 3, column, value, 1e-9, &repeats, &error), &error);
    check_true(repeats);
    olo_span_free(span);
}

TEST_MAIN(cmocka_unit_test(the_rank_of_random_sparse_rows_is_that_of_their_singular_values),
          cmocka_unit_test(rows_of_nothing_and_of_round_off_repeat),
          cmocka_unit_test(memory_that_runs_out_is_told))
