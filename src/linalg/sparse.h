/* Sparse square systems with a fixed pattern through SuiteSparse's KLU; the only file that includes
 * it. The pattern is analysed once; later factorisations reuse pivots and are followed by one step
 * of refinement in the solve. */
#ifndef OLO_LINALG_SPARSE_H
#define OLO_LINALG_SPARSE_H

#include "oloid/status.h"

typedef struct olo_sparse olo_sparse;

/* The rows or columns first + index[i], i < count, or `first` alone if there are no indices. */
typedef struct olo_indices {
    int first, count;
    const int *index;
} olo_indices;

/* A matrix of size n. `put` puts all of its entries (olo_sparse_put, with any values); it is called
 * twice, to count them and to list their positions, when *matrix is already set. */
olo_status olo_sparse_create(int n, void (*put)(void *context), void *context, olo_sparse **matrix,
                             olo_error *error);
void olo_sparse_free(olo_sparse *matrix);

/* Setting values: zero all, then put the same entries in the same order again; values at equal
 * positions are summed. */
void olo_sparse_clear(olo_sparse *matrix);
void olo_sparse_put(olo_sparse *matrix, int row, int column, double value);
/* The same for factor A, row-major; A may be NULL while positions are listed, and for zeros. */
void olo_sparse_put_block(olo_sparse *matrix, olo_indices rows, olo_indices columns, double factor,
                          const double *A);
/* In another order: the number of the next entry, which may be set, and += factor A[i] at `count`
 * entries from number `first` on. */
int olo_sparse_next(const olo_sparse *matrix);
void olo_sparse_continue(olo_sparse *matrix, int i);
void olo_sparse_add(olo_sparse *matrix, int first, int count, double factor, const double *A);

/* The matrix as a dense one, row-major, zeroed before: for tests and condition numbers. */
void olo_sparse_dense(const olo_sparse *matrix, double *A);

/* Discards the pivots: the next factorisation then has the same bits whatever was factored
 * before. */
void olo_sparse_restart(olo_sparse *matrix);
/* Factors; SINGULAR when a pivot is zero. */
olo_status olo_sparse_factor(olo_sparse *matrix, olo_error *error);
/* x <- A^-1 x, and x <- A^-T x */
void olo_sparse_solve(olo_sparse *matrix, double *x);
void olo_sparse_solve_transposed(olo_sparse *matrix, double *x);

#endif
