/* Reading a result file: columns, attributes, verdicts. */
#include "oloid/results.h"

#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/suggest.h"
#include "results/journal.h"
#include "results/layout.h"
#include "results/result_lookup.h"

/* ---- opening --------------------------------------------------------------------------------- */

/* Checks that the file is a result of a known version. */
static olo_status check_format(olo_result *result, olo_error *error)
{
    char **format = NULL;
    size_t count = 0;
    double version = 0.0;
    olo_error inner = {0};
    const olo_status status =
        olo_hdf5_get_texts(result->file, "/", "format", &format, &count, &inner);
    if (status == OLO_NO_MEMORY)
        return olo_fail(error, status, "%s", inner.text);
    const bool ours =
        status == OLO_OK && count == 1 && strcmp(format[0], OLO_RESULT_FORMAT) == 0 &&
        olo_hdf5_get_number(result->file, "/", "format_version", &version, NULL) == OLO_OK;
    olo_hdf5_texts_free(format);
    if (!ours)
        return olo_fail(error, OLO_BAD_INPUT, "'%s' is not a result of oloid", result->path);
    if (version > OLO_RESULT_FORMAT_VERSION) {
        return olo_fail(error, OLO_UNSUPPORTED,
                        "'%s' has format version %g, this program reads up to %d", result->path,
                        version, OLO_RESULT_FORMAT_VERSION);
    }
    return OLO_OK;
}

/* In an unfinished journal the last checkpoint determines how many rows are valid. */
static olo_status check_rows(olo_result *result, olo_error *error)
{
    olo_checkpoint *checkpoint = NULL;
    const olo_status status = olo_journal_last(result->file, result->path, &checkpoint, error);
    if (status == OLO_OK && checkpoint->rows < result->rows)
        result->rows = (size_t)checkpoint->rows;
    olo_free(checkpoint);
    return status;
}

olo_status olo_result_open(const char *path, olo_result **opened, olo_error *error)
{
    *opened = NULL;
    olo_result *result = olo_alloc(1, sizeof *result);
    if (result == NULL || (result->path = olo_strdup(path)) == NULL) {
        olo_free(result);
        return olo_fail(error, OLO_NO_MEMORY, "cannot read '%s': out of memory", path);
    }
    olo_status status = olo_hdf5_open(path, &result->file, error);
    if (status == OLO_OK)
        status = check_format(result, error);
    if (status == OLO_OK)
        status = olo_result_find_columns(result, error);
    if (status == OLO_OK && olo_hdf5_is_journal(result->file))
        status = check_rows(result, error);
    if (status != OLO_OK) {
        olo_result_free(result);
        return status;
    }
    *opened = result;
    return OLO_OK;
}

void olo_result_free(olo_result *result)
{
    if (result == NULL)
        return;
    olo_hdf5_close(result->file, NULL);
    olo_result_lookup_free(result);
    olo_free(result->columns);
    olo_free(result->sources);
    olo_free(result->nodes);
    olo_pool_free(&result->pool);
    olo_free(result->path);
    olo_free(result);
}

/* ---- columns --------------------------------------------------------------------------------- */

long olo_result_row_count(const olo_result *result)
{
    return (long)result->rows;
}

int olo_result_column_count(const olo_result *result)
{
    return (int)result->column_count;
}

const char *olo_result_column_name(const olo_result *result, int index)
{
    return index >= 0 && (size_t)index < result->column_count ? result->columns[index].name : NULL;
}

const char *olo_result_column_units(const olo_result *result, int index)
{
    return index >= 0 && (size_t)index < result->column_count ? result->columns[index].units : NULL;
}

double olo_result_omega(const double *directors, const double *rates, int component)
{
    const int y = (component + 1) % 3, z = (component + 2) % 3;
    double sum = 0.0;
    for (int i = 0; i < 9; i += 3)
        sum += directors[i + y] * rates[i + z] - directors[i + z] * rates[i + y];
    return 0.5 * sum;
}

/* The angular velocity is not in the file: it is computed row by row from the directors and their
 * rates. */
static olo_status read_omega(olo_result *result, const olo_result_column_source *column,
                             double *values, olo_error *error)
{
    const size_t rows = result->rows;
    double *directors = olo_alloc(18 * rows, sizeof *directors), *rates = directors + 9 * rows;
    if (directors == NULL)
        return olo_fail(error, OLO_NO_MEMORY, "cannot read '%s': out of memory", result->path);
    olo_status status =
        olo_result_read_columns(result, result->q, column->column, 9, directors, error);
    if (status == OLO_OK)
        status = olo_result_read_columns(result, result->v, column->column, 9, rates, error);
    for (size_t i = 0; status == OLO_OK && i < rows; i++)
        values[i] = olo_result_omega(directors + 9 * i, rates + 9 * i, column->omega - 1);
    olo_free(directors);
    return status;
}

static olo_status unknown_column(const olo_result *result, const char *name, olo_error *error)
{
    const char *near = NULL;
    const char **names = olo_alloc(result->column_count, sizeof *names);
    if (names != NULL) {
        for (size_t i = 0; i < result->column_count; i++)
            names[i] = result->columns[i].name;
        near = olo_suggest(name, names, result->column_count);
        olo_free(names);
    }
    return olo_fail(error, OLO_NOT_FOUND, "'%s' has no column '%s'%s%s%s", result->path, name,
                    near != NULL ? ", did you mean '" : "", near != NULL ? near : "",
                    near != NULL ? "'?" : "");
}

olo_status olo_result_read_column(olo_result *result, const char *name, double *values,
                                  olo_error *error)
{
    const int found = olo_result_find(result, name);
    if (found < 0) {
        return found == -1 ? unknown_column(result, name, error)
                           : olo_fail(error, OLO_NO_MEMORY, "cannot read '%s': out of memory",
                                      result->path);
    }
    const olo_result_column_source *column = &result->columns[found];
    return column->omega != 0
               ? read_omega(result, column, values, error)
               : olo_result_read_columns(result, column->source, column->column, 1, values, error);
}

/* ---- texts and numbers ----------------------------------------------------------------------- */

/* Stores the first text of a list for the lifetime of the result, and frees the list. */
static olo_status store_text(olo_result *result, char **texts, size_t count, const char **text,
                             olo_error *error)
{
    *text = count > 0 ? olo_pool_text(&result->pool, texts[0], strlen(texts[0])) : "";
    olo_hdf5_texts_free(texts);
    return *text != NULL
               ? OLO_OK
               : olo_fail(error, OLO_NO_MEMORY, "cannot read '%s': out of memory", result->path);
}

olo_status olo_result_attribute_text(olo_result *result, const char *object, const char *name,
                                     const char **text, olo_error *error)
{
    char **texts = NULL;
    size_t count = 0;
    *text = NULL;
    const olo_status status = olo_hdf5_get_texts(result->file, object, name, &texts, &count, error);
    return status != OLO_OK ? status : store_text(result, texts, count, text, error);
}

olo_status olo_result_attribute_number(olo_result *result, const char *object, const char *name,
                                       double *value, olo_error *error)
{
    return olo_hdf5_get_number(result->file, object, name, value, error);
}

olo_status olo_result_model_text(olo_result *result, const char **text, olo_error *error)
{
    char **texts = NULL;
    size_t count = 0;
    *text = NULL;
    const olo_status status =
        olo_hdf5_read_texts(result->file, "/model/text", &texts, &count, error);
    return status != OLO_OK ? status : store_text(result, texts, count, text, error);
}

/* ---- verdicts -------------------------------------------------------------------------------- */

/* Reads one column of numbers of the verdict, with `count` rows. */
static olo_status read_verdict_numbers(olo_result *result, const char *path, size_t count,
                                       double *values, olo_error *error)
{
    const size_t first[2] = {0, 0}, size[2] = {count, 1};
    return olo_hdf5_read(result->file, path, first, size, values, error);
}

static olo_status read_verdict_texts(olo_result *result, const char *path, size_t count,
                                     char ***texts, olo_error *error)
{
    size_t found = 0;
    const olo_status status = olo_hdf5_read_texts(result->file, path, texts, &found, error);
    if (status == OLO_OK && found != count) {
        return olo_fail(error, OLO_BAD_INPUT,
                        "cannot read '%s': the datasets in /verdict differ in "
                        "length",
                        result->path);
    }
    return status;
}

/* An unknown level counts as the worst, an unknown kind as the last. */
static olo_verdict_level level_from(double number)
{
    return number == OLO_VERDICT_OK     ? OLO_VERDICT_OK
           : number == OLO_VERDICT_WARN ? OLO_VERDICT_WARN
                                        : OLO_VERDICT_BROKEN;
}

static olo_verdict_kind kind_from(double number)
{
    return number >= OLO_VERDICT_ENERGY && number < OLO_VERDICT_CONTACTS
               ? (olo_verdict_kind)(int)number
               : OLO_VERDICT_CONTACTS;
}

olo_status olo_result_verdicts(olo_result *result, olo_verdict verdicts[OLO_VERDICTS_MAX],
                               int *verdict_count, olo_error *error)
{
    static const char *const NUMBERS[] = {"/verdict/start",          "/verdict/drift",
                                          "/verdict/relative_drift", "/verdict/tolerance",
                                          "/verdict/level",          "/verdict/kind"};
    enum { NUMBER_COUNT = sizeof NUMBERS / sizeof NUMBERS[0] };
    double numbers[NUMBER_COUNT][OLO_VERDICTS_MAX];
    char **quantity = NULL, **text = NULL, **why = NULL;
    size_t count = 0, columns = 0;
    *verdict_count = 0;
    if (!olo_hdf5_has(result->file, "/verdict/level"))
        return OLO_OK; // a run that did not reach its end
    olo_status status = olo_hdf5_shape(result->file, "/verdict/level", &count, &columns, error);
    if (status == OLO_OK && count > OLO_VERDICTS_MAX) {
        status =
            olo_fail(error, OLO_BAD_INPUT, "cannot read '%s': too many verdicts", result->path);
    }
    for (int k = 0; status == OLO_OK && k < NUMBER_COUNT; k++)
        status = read_verdict_numbers(result, NUMBERS[k], count, numbers[k], error);
    if (status == OLO_OK)
        status = read_verdict_texts(result, "/verdict/quantity", count, &quantity, error);
    if (status == OLO_OK)
        status = read_verdict_texts(result, "/verdict/text", count, &text, error);
    if (status == OLO_OK)
        status = read_verdict_texts(result, "/verdict/why", count, &why, error);
    for (size_t i = 0; status == OLO_OK && i < count; i++) {
        olo_verdict *verdict = &verdicts[i];
        *verdict = (olo_verdict){.start = numbers[0][i],
                                 .drift = numbers[1][i],
                                 .relative_drift = numbers[2][i],
                                 .tolerance = numbers[3][i],
                                 .level = level_from(numbers[4][i]),
                                 .kind = kind_from(numbers[5][i])};
        snprintf(verdict->quantity, sizeof verdict->quantity, "%s", quantity[i]);
        snprintf(verdict->text, sizeof verdict->text, "%s", text[i]);
        snprintf(verdict->why, sizeof verdict->why, "%s", why[i]);
        *verdict_count = (int)i + 1;
    }
    olo_hdf5_texts_free(quantity);
    olo_hdf5_texts_free(text);
    olo_hdf5_texts_free(why);
    return status;
}
