/* A result file as JSON (RFC 8259): names and units of the columns, then the rows of the table, one
 * at a time. */
#include "base/json.h"

#include "base/fail.h"
#include "base/memory.h"
#include "results/rows.h"
#include "results/stream.h"

static void write_columns(const olo_result *result, olo_json *json)
{
    olo_json_open(json, "columns", '[');
    for (size_t i = 0; i < result->csv_columns; i++) {
        olo_json_open(json, NULL, '{');
        olo_json_text(json, "name", result->columns[i].name);
        olo_json_text(json, "units", result->columns[i].units);
        olo_json_close(json);
    }
    olo_json_close(json);
}

/* The attributes of the run; null where the file has none. */
static olo_status write_head(olo_result *result, olo_json *json, olo_error *error)
{
    static const char *const KEYS[] = {"model",   "description", "units",  "oloid_version",
                                       "created", "command",     "status", "error"};
    for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++) {
        const char *text = NULL;
        const olo_status status = olo_result_attribute_text(result, "/", KEYS[i], &text, error);
        if (status == OLO_NO_MEMORY)
            return status;
        olo_json_text(json, KEYS[i], text);
    }
    return OLO_OK;
}

static olo_status write_rows(olo_result *result, olo_json *json, FILE *out, olo_error *error)
{
    olo_rows rows;
    olo_status status = olo_rows_begin(&rows, result, error);
    double *values = olo_alloc(result->csv_columns, sizeof *values);
    if (values == NULL && status == OLO_OK)
        status = olo_fail(error, OLO_NO_MEMORY, "cannot read '%s': out of memory", result->path);
    olo_json_open(json, "rows", '[');
    for (size_t row = 0; status == OLO_OK && row < result->rows && !ferror(out); row++) {
        status = olo_rows_seek(&rows, row, error);
        for (size_t i = 0; status == OLO_OK && i < result->csv_columns; i++)
            values[i] = olo_rows_value(&rows, row, i);
        if (status == OLO_OK)
            olo_json_numbers(json, NULL, values, result->csv_columns);
    }
    olo_json_close(json);
    olo_free(values);
    olo_rows_free(&rows);
    return status;
}

static olo_status write_result(olo_result *result, FILE *out, olo_error *error)
{
    olo_json json = {.out = out};
    olo_json_open(&json, NULL, '{');
    olo_json_text(&json, "format", "oloid-table");
    olo_status status = write_head(result, &json, error);
    if (status == OLO_OK) {
        write_columns(result, &json);
        status = write_rows(result, &json, out, error);
    }
    olo_json_close(&json);
    return status;
}

olo_status olo_result_write_json(const char *path, FILE *out, olo_error *error)
{
    return olo_result_stream(path, out, write_result, error);
}
