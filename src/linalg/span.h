/* The space that sparse rows span, grown one row after the other: how many of them are independent, and which repeat
 * those before. */
#ifndef OLO_LINALG_SPAN_H
#define OLO_LINALG_SPAN_H

#include <stdbool.h>

#include "oloid/status.h"

typedef struct olo_span olo_span;

/* NULL when memory is out. */
olo_span *olo_span_create(int columns);
void olo_span_free(olo_span *span);

/* Adds the row that has value[i] in column[i], i < count (any order, each column once). *repeats when nothing above
 * `least` is left of it outside of the space. */
olo_status olo_span_add(olo_span *span, int count, const int *column, const double *value,
                        double least, bool *repeats, olo_error *error);

#endif
