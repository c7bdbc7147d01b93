/* The space spanned by sparse rows, which are added one by one: counts independent rows and finds
 * redundant ones. */
#ifndef OLO_LINALG_SPAN_H
#define OLO_LINALG_SPAN_H

#include <stdbool.h>

#include "oloid/status.h"

typedef struct olo_span olo_span;

/* NULL when memory is exhausted. */
olo_span *olo_span_create(int columns);
void olo_span_free(olo_span *span);

/* Adds the row that has value[i] in column[i], i < count (any order, each column once).
 * `*redundant` is true when its residual outside of the space is at most `tolerance`. */
olo_status olo_span_add(olo_span *span, int count, const int *column, const double *value,
                        double tolerance, bool *redundant, olo_error *error);

/* Of the last row, if it was redundant: the largest entry of its residual outside of the space.
 * Adding a redundant row rotates the rows of R by its residual; for the null space of some rows,
 * add only independent ones. */
double olo_span_residual(const olo_span *span);

/* True if no row of R begins at a column: such columns are free in the null space of the rows. */
bool olo_span_is_free(const olo_span *span, int column);

/* Completes x[columns], given in the free columns, to a vector in the null space. */
void olo_span_complete_null_vector(const olo_span *span, double *x);

/* The free column whose vector of the null space (1 there, 0 in the others) has the largest product
 * with a row; -1: none. */
int olo_span_find_free_column(const olo_span *span, int count, const int *column,
                              const double *value);

/* Replaces b[columns] by the solution x of rows^T rows x = b, zero in free columns. */
void olo_span_solve(const olo_span *span, double *b);

#endif
