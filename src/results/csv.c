/* A result file as CSV: the table of its columns, read and written in blocks of rows. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "results/result_private.h"

/* Rows in memory: as many as fit here, at least one. */
static const size_t BLOCK_BYTES = (size_t)4 << 20;

/* Memory for the blocks of all sources of the table; NULL when it is out. */
static double *allocate_blocks(olo_result *result, size_t *block_rows)
{
    size_t width = 0;
    for (size_t i = 0; i < result->csv_sources; i++) {
        width += result->sources[i].width;
    }
    const size_t rows = width > 0 ? BLOCK_BYTES / (width * sizeof(double)) : 1;
    *block_rows = rows > 0 ? rows : 1;
    double *blocks = olo_alloc(*block_rows * width, sizeof *blocks);
    double *at = blocks;
    for (size_t i = 0; blocks != NULL && i < result->csv_sources; i++) {
        result->sources[i].block = at;
        at += *block_rows * result->sources[i].width;
    }
    return blocks;
}

static olo_status read_block(olo_result *result, size_t row, size_t rows, olo_error *error)
{
    olo_status status = OLO_OK;
    for (size_t i = 0; status == OLO_OK && i < result->csv_sources; i++) {
        const olo_result_source *source = &result->sources[i];
        const size_t first[2] = {row, 0}, count[2] = {rows, source->width};
        status = olo_hdf5_read(result->file, source->path, first, count, source->block, error);
    }
    return status;
}

static double value_at(const olo_result *result, const olo_result_column_source *column, size_t row)
{
    const olo_result_source *source = &result->sources[column->source];
    const size_t at = row * source->width + column->column;
    if (column->omega != 0) {
        const double *q = result->sources[result->q].block, *v = result->sources[result->v].block;
        return olo_result_omega(q + at, v + at, column->omega - 1);
    }
    return source->block[at];
}

static void write_row(const olo_result *result, size_t row, FILE *out)
{
    for (size_t i = 0; i < result->csv_columns; i++) {
        const double value = value_at(result, &result->columns[i], row);
        if (isnan(value)) {
            fprintf(out, i > 0 ? ",nan" : "nan"); // without the sign that printf may show
        } else {
            fprintf(out, i > 0 ? ",%.17g" : "%.17g", value);
        }
    }
    fputc('\n', out);
}

static olo_status write_table(olo_result *result, FILE *out, olo_error *error)
{
    size_t block_rows = 0;
    double *blocks = allocate_blocks(result, &block_rows);
    if (blocks == NULL) {
        return olo_fail(error, OLO_NO_MEMORY, "cannot read '%s': out of memory", result->path);
    }
    for (size_t i = 0; i < result->csv_columns; i++) {
        fprintf(out, i > 0 ? ",%s" : "%s", result->columns[i].name);
    }
    fputc('\n', out);
    olo_status status = OLO_OK;
    for (size_t row = 0; status == OLO_OK && row < result->rows && !ferror(out);
         row += block_rows) {
        const size_t left = result->rows - row, rows = left < block_rows ? left : block_rows;
        status = read_block(result, row, rows, error);
        for (size_t i = 0; status == OLO_OK && i < rows; i++) {
            write_row(result, i, out);
        }
    }
    olo_free(blocks);
    return status;
}

olo_status olo_result_write_csv(const char *path, FILE *out, olo_error *error)
{
    olo_result *result = NULL;
    olo_status status = olo_result_open(path, &result, error);
    if (status != OLO_OK) {
        return status;
    }
    errno = 0;
    status = write_table(result, out, error);
    if (status == OLO_OK && (fflush(out) != 0 || ferror(out))) {
        status = olo_fail(error, OLO_IO, "cannot write the table of '%s': %s", path,
                          strerror(errno != 0 ? errno : EIO));
    }
    olo_result_free(result);
    return status;
}
