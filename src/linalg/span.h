/* The space that sparse rows span, grown one row after the other: how many of them are independent,
 * and which repeat those before. */
#ifndef OLO_LINALG_SPAN_H
#define OLO_LINALG_SPAN_H

#include <stdbool.h>

#include "oloid/status.h"

typedef struct olo_span olo_span;

/* NULL when memory is out. */
olo_span *olo_span_create(int columns);
void olo_span_free(olo_span *span);

/* Adds the row that has value[i] in column[i], i < count (any order, each column once). *repeats
 * when nothing above `least` is left of it outside of the space. */
olo_status olo_span_add(olo_span *span, int count, const int *column, const double *value,
                        double least, bool *repeats, olo_error *error);

/* Of the last row added, if it repeats others: the largest entry outside of the space. The rows of
 * the span are turned by what is left of such a row; for the null space of some rows, add only
 * these. */
double olo_span_left(const olo_span *span);

/* Whether no row begins at a column: such columns are free in the null space of the rows. */
bool olo_span_is_free(const olo_span *span, int column);

/* Completes x[columns], given in the free columns, to a vector of the null space. */
void olo_span_null(const olo_span *span, double *x);

/* The free column whose vector of the null space (1 there, 0 in the others) has the largest product
 * with a row; -1: none. */
int olo_span_outside(const olo_span *span, int count, const int *column, const double *value);

/* Takes b[columns] to the x that has rows^T rows x = b, zero in free columns. */
void olo_span_solve(const olo_span *span, double *b);

#endif
