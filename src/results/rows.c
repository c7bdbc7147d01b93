/* The rows of a result's table, read in blocks. */
#include "results/rows.h"

#include "base/fail.h"
#include "base/memory.h"

/* Size of the rows in memory; there is at least one row. */
static const size_t BLOCK_BYTES = (size_t)4 << 20;

olo_status olo_rows_begin(olo_rows *rows, olo_result *result, olo_error *error)
{
    *rows = (olo_rows){.result = result};
    size_t width = 0;
    for (size_t i = 0; i < result->csv_sources; i++)
        width += result->sources[i].width;
    const size_t fitting = width > 0 ? BLOCK_BYTES / (width * sizeof(double)) : 1;
    rows->capacity = fitting > 0 ? fitting : 1;
    rows->blocks = olo_alloc(rows->capacity * width, sizeof *rows->blocks);
    if (rows->blocks == NULL)
        return olo_fail(error, OLO_NO_MEMORY, "cannot read '%s': out of memory", result->path);
    double *at = rows->blocks;
    for (size_t i = 0; i < result->csv_sources; i++) {
        result->sources[i].block = at;
        at += rows->capacity * result->sources[i].width;
    }
    return OLO_OK;
}

olo_status olo_rows_seek(olo_rows *rows, size_t row, olo_error *error)
{
    if (row >= rows->first && row < rows->first + rows->count)
        return OLO_OK;
    olo_result *result = rows->result;
    const size_t remaining = result->rows - row;
    rows->first = row;
    rows->count = remaining < rows->capacity ? remaining : rows->capacity;
    olo_status status = OLO_OK;
    for (size_t i = 0; status == OLO_OK && i < result->csv_sources; i++) {
        const olo_result_source *source = &result->sources[i];
        const size_t first[2] = {row, 0}, count[2] = {rows->count, source->width};
        status = olo_hdf5_read(result->file, source->path, first, count, source->block, error);
    }
    return status;
}

double olo_rows_value(const olo_rows *rows, size_t row, size_t index)
{
    const olo_result *result = rows->result;
    const olo_result_column_source *column = &result->columns[index];
    const olo_result_source *source = &result->sources[column->source];
    const size_t at = (row - rows->first) * source->width + column->column;
    if (column->omega != 0) {
        const double *q = result->sources[result->q].block, *v = result->sources[result->v].block;
        return olo_result_omega(q + at, v + at, column->omega - 1);
    }
    return source->block[at];
}

void olo_rows_free(olo_rows *rows)
{
    rows->blocks = olo_free(rows->blocks);
}
