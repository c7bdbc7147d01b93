/* Sparse square systems with a fixed pattern through SuiteSparse's KLU; the only file that includes
 * it. The pattern is analysed once; later factorisations reuse pivots and are followed by one step
 * of refinement in the solve. */
#ifndef OLO_LINALG_SPARSE_H
#define OLO_LINALG_SPARSE_H

#include "oloid/status.h"

typedef struct olo_sparse olo_sparse;

/* A matrix of size n whose entries are at (row[i], column[i]), i < count; entries at equal
 * positions are summed. */
olo_status olo_sparse_create(int n, int count, const int *row, const int *column,
                             olo_sparse **matrix, olo_error *error);
void olo_sparse_free(olo_sparse *matrix);

/* Setting values: zero all, then add to entry i of the creation list. */
void olo_sparse_clear(olo_sparse *matrix);
void olo_sparse_add(olo_sparse *matrix, int i, double value);

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
