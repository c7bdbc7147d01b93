/* The rank of a matrix by its singular values. */
#ifndef OLO_TESTS_RANK_H
#define OLO_TESTS_RANK_H

#include "linalg/dense.h"
#include "test.h"

/* The number of singular values of an m x n matrix (overwritten) above `tolerance` times the
 * largest. */
static inline int matrix_rank(int m, int n, double *A, double tolerance)
{
    const int count = m < n ? m : n;
    int rank = 0;
    double *values = test_malloc((size_t)count * sizeof *values);
    check_true(olo_singular_values(m, n, A, values));
    while (rank < count && values[rank] > tolerance * values[0])
        rank++;
    test_free(values);
    return rank;
}

#endif
