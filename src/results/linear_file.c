/* A linearised system as a file: HDF5, JSON, or one table [A B; C D] as CSV. */
#include "results/linear_file.h"

#include <string.h>

#include "base/fail.h"
#include "base/text_file.h"
#include "results/hdf5_file.h"
#include "statics/linear.h"

/* The contents to write: matrices with their sizes, and lists of names. */
typedef struct matrix {
    const char *key;
    const double *entry;
    int rows, columns;
    const char *description;
} matrix;

typedef struct list {
    const char *key;
    const char **names;
    int count;
    const char *description;
} list;

enum { MATRICES = 4, LISTS = 3 };

static void matrices_of(const olo_linear *x, matrix out[MATRICES])
{
    const matrix all[MATRICES] = {{"A", x->A, x->states, x->states, "x' = A x + B u, row-major"},
                                  {"B", x->B, x->states, x->inputs, "x' = A x + B u, row-major"},
                                  {"C", x->C, x->outputs, x->states, "y = C x + D u, row-major"},
                                  {"D", x->D, x->outputs, x->inputs, "y = C x + D u, row-major"}};
    memcpy(out, all, sizeof all);
}

static void lists_of(const olo_linear *x, list out[LISTS])
{
    const list all[LISTS] = {{"states", x->state_names, x->states, "names of x"},
                             {"inputs", x->input_names, x->inputs, "names of u"},
                             {"outputs", x->output_names, x->outputs, "names of y"}};
    memcpy(out, all, sizeof all);
}

/* ---- HDF5 ------------------------------------------------------------------------------------ */

static olo_status add_matrix(olo_hdf5 *file, const matrix *m, olo_error *error)
{
    char path[8] = "/";
    int handle = 0;
    strcat(path, m->key);
    const olo_hdf5_table table = {.path = path,
                                  .width = (size_t)(m->columns > 0 ? m->columns : 1),
                                  .rows = (size_t)m->rows,
                                  .description = m->description};
    olo_status status = olo_hdf5_add_table(file, &table, &handle, error);
    if (status == OLO_OK && m->columns > 0 && m->rows > 0)
        status = olo_hdf5_append(file, handle, (size_t)m->rows, m->entry, error);
    return status;
}

static olo_status write_hdf5(const olo_linear *x, const char *path, olo_error *error)
{
    matrix matrices[MATRICES];
    list lists[LISTS];
    olo_hdf5 *file = NULL;
    matrices_of(x, matrices);
    lists_of(x, lists);
    olo_status status = olo_hdf5_create(path, &file, error);
    if (status != OLO_OK)
        return status;
    status = olo_hdf5_set_text(file, "/", "format", "oloid linear system", error);
    for (int i = 0; status == OLO_OK && i < MATRICES; i++)
        status = add_matrix(file, &matrices[i], error);
    for (int i = 0; status == OLO_OK && i < LISTS; i++) {
        char key[16] = "/";
        strcat(key, lists[i].key);
        status = olo_hdf5_write_texts(file, key, lists[i].description, lists[i].names,
                                      (size_t)lists[i].count, error);
    }
    if (status == OLO_OK)
        return olo_hdf5_finish(file, error);
    olo_hdf5_close(file, NULL);
    return status;
}

/* ---- texts ----------------------------------------------------------------------------------- */

void olo_linear_put(const olo_linear *x, olo_json *json)
{
    matrix matrices[MATRICES];
    list lists[LISTS];
    matrices_of(x, matrices);
    lists_of(x, lists);
    for (int k = 0; k < LISTS; k++) {
        olo_json_open(json, lists[k].key, '[');
        for (int i = 0; i < lists[k].count; i++)
            olo_json_text(json, NULL, lists[k].names[i]);
        olo_json_close(json);
    }
    for (int k = 0; k < MATRICES; k++) {
        size_t columns = (size_t)matrices[k].columns;
        olo_json_open(json, matrices[k].key, '[');
        for (int i = 0; i < matrices[k].rows; i++)
            olo_json_numbers(json, NULL, matrices[k].entry + (size_t)i * columns, columns);
        olo_json_close(json);
    }
}

static void put_json(const olo_linear *x, olo_text *text)
{
    olo_json json = {.page = text};
    olo_json_open(&json, NULL, '{');
    olo_linear_put(x, &json);
    olo_json_close(&json);
    olo_text_put(text, "\n");
}

static void put_row(olo_text *text, const char *name, const char *prime, int first,
                    const double *one, int second, const double *two)
{
    olo_text_format(text, "%s%s", name, prime);
    for (int i = 0; i < first + second; i++)
        olo_text_format(text, ",%.17g", i < first ? one[i] : two[i - first]);
    olo_text_put(text, "\n");
}

/* Derivatives of the states, with a prime, and outputs over states and inputs. */
static void put_csv(const olo_linear *x, olo_text *text)
{
    size_t n = (size_t)x->states, m = (size_t)x->inputs;
    for (int i = 0; i < x->states; i++)
        olo_text_format(text, ",%s", x->state_names[i]);
    for (int i = 0; i < x->inputs; i++)
        olo_text_format(text, ",%s", x->input_names[i]);
    olo_text_put(text, "\n");
    for (size_t i = 0; i < n; i++)
        put_row(text, x->state_names[i], "'", x->states, x->A + i * n, x->inputs, x->B + i * m);
    for (size_t i = 0; i < (size_t)x->outputs; i++)
        put_row(text, x->output_names[i], "", x->states, x->C + i * n, x->inputs, x->D + i * m);
}

static bool ends_with(const char *path, const char *end)
{
    size_t length = strlen(path), tail = strlen(end);
    return length >= tail && strcmp(path + length - tail, end) == 0;
}

olo_status olo_linear_write(const olo_linear *linear, const char *path, olo_error *error)
{
    if (ends_with(path, ".h5") || ends_with(path, ".hdf5"))
        return write_hdf5(linear, path, error);
    olo_text text = {0};
    olo_status status = OLO_OK;
    if (ends_with(path, ".json"))
        put_json(linear, &text);
    else if (ends_with(path, ".csv"))
        put_csv(linear, &text);
    else
        status = olo_fail(error, OLO_BAD_INPUT,
                          "'%s': a linear system is written as .h5, .json or .csv", path);
    if (status == OLO_OK && text.failed)
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory");
    if (status == OLO_OK)
        status = olo_text_save(&text, path, error);
    olo_text_free(&text);
    return status;
}
