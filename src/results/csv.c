/* A result file as CSV: the table of its columns, row by row. */
#include <math.h>
#include <stdio.h>

#include "results/rows.h"
#include "results/stream.h"

static void write_row(const olo_rows *rows, size_t row, FILE *out)
{
    for (size_t i = 0; i < rows->result->csv_columns; i++) {
        const double value = olo_rows_value(rows, row, i);
        if (isnan(value))
            fprintf(out, i > 0 ? ",nan" : "nan"); // printf may print NaN with a sign
        else
            fprintf(out, i > 0 ? ",%.17g" : "%.17g", value);
    }
    fputc('\n', out);
}

static olo_status write_table(olo_result *result, FILE *out, olo_error *error)
{
    olo_rows rows;
    olo_status status = olo_rows_begin(&rows, result, error);
    for (size_t i = 0; status == OLO_OK && i < result->csv_columns; i++)
        fprintf(out, i > 0 ? ",%s" : "%s", result->columns[i].name);
    if (status == OLO_OK)
        fputc('\n', out);
    for (size_t row = 0; status == OLO_OK && row < result->rows && !ferror(out); row++) {
        status = olo_rows_seek(&rows, row, error);
        if (status == OLO_OK)
            write_row(&rows, row, out);
    }
    olo_rows_free(&rows);
    return status;
}

olo_status olo_result_write_csv(const char *path, FILE *out, olo_error *error)
{
    return olo_result_stream(path, out, write_table, error);
}
