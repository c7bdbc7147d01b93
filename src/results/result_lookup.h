/* Finding columns of a result by name, and reading many columns one after the other: a result of
 * many bodies has millions of columns, and its file stores them row by row. */
#ifndef OLO_RESULTS_RESULT_LOOKUP_H
#define OLO_RESULTS_RESULT_LOOKUP_H

#include "results/result_private.h"

/* Number of the first column of that name, -1 if there is none; -2 when memory is exhausted. */
int olo_result_find(olo_result *result, const char *name);

/* Reads all rows of `count` columns of a source, row by row. Reads also their neighbours in the
 * file, up to some megabytes, and stores them for the next call. */
olo_status olo_result_read_columns(olo_result *result, int source, size_t first, size_t count,
                                   double *values, olo_error *error);

/* Frees the memory of these functions. */
void olo_result_lookup_free(olo_result *result);

#endif
