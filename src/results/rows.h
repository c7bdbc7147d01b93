/* The rows of a result's table, read in blocks, for callers that visit all of them. */
#ifndef OLO_RESULTS_ROWS_H
#define OLO_RESULTS_ROWS_H

#include "results/result_private.h"

typedef struct olo_rows {
    olo_result *result;
    double *blocks;  /* of all sources of the CSV table */
    size_t capacity; /* rows that the blocks hold */
    size_t first, count;
} olo_rows;

/* Free with olo_rows_free, also after a failure. */
olo_status olo_rows_begin(olo_rows *rows, olo_result *result, olo_error *error);
/* Makes a row readable; fast when rows are visited in order. */
olo_status olo_rows_seek(olo_rows *rows, size_t row, olo_error *error);
/* A number of the current row; `column` is one of the CSV table. */
double olo_rows_value(const olo_rows *rows, size_t row, size_t column);
void olo_rows_free(olo_rows *rows);

#endif
