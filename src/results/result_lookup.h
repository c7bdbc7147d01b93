/* Columns of a result by name, and their numbers, for many columns one after the other: a result of
 * many bodies has millions of columns, and its file keeps them row by row. */
#ifndef OLO_RESULTS_RESULT_LOOKUP_H
#define OLO_RESULTS_RESULT_LOOKUP_H

#include "results/result_private.h"

/* Number of the first column of that name, -1 if there is none; -2 when memory is out. */
int olo_result_find(olo_result *result, const char *name);

/* All rows of `count` columns of a source, one row after the other. Reads their neighbours in the
 * file as well, up to some megabytes, and keeps them for the next call. */
olo_status olo_result_read_columns(olo_result *result, int source, size_t first, size_t count,
                                   double *values, olo_error *error);

/* Frees what these keep. */
void olo_result_lookup_free(olo_result *result);

#endif
