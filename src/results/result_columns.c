/* The columns of a result, their order and their datasets. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "results/layout.h"
#include "results/result_private.h"
#include "system/node.h"

/* The search stores its first failure and then ignores all later calls. */
typedef struct search {
    olo_result *result;
    olo_status status;
    olo_error *error;
    char **names, **kinds; /* of the nodes */
    size_t nodes;
    double *offsets;
    char **outputs;
    size_t output_count;
    char **model_units;
    const char *unit_texts[OLO_DIMENSION_COUNT];
    const char *units; /* of the columns that are added; NULL: those of their dataset */
} search;

static void fail(search *s, olo_status status, const char *text)
{
    if (s->status == OLO_OK)
        s->status = olo_fail(s->error, status, "cannot read '%s': %s", s->result->path, text);
}

/* ---- sources and columns --------------------------------------------------------------------- */

/* The units of a dataset, "" if it has none; NULL when memory is exhausted. */
static const char *units_of(search *s, const char *path)
{
    char **texts = NULL;
    size_t count = 0;
    const olo_status status =
        olo_hdf5_get_texts(s->result->file, path, "units", &texts, &count, NULL);
    const char *units = status == OLO_NO_MEMORY ? NULL
                        : count > 0 ? olo_pool_text(&s->result->pool, texts[0], strlen(texts[0]))
                                    : "";
    olo_hdf5_texts_free(texts);
    return units;
}

/* The columns that follow have this dimension. */
static void measure_in(search *s, olo_dimension dimension)
{
    const char **known = &s->unit_texts[dimension];
    if (*known == NULL) {
        char text[OLO_UNITS_SIZE];
        olo_layout_units(dimension, s->model_units != NULL ? s->model_units[0] : NULL, text);
        *known = olo_pool_text(&s->result->pool, text, strlen(text));
    }
    s->units = *known;
    if (s->units == NULL)
        fail(s, OLO_NO_MEMORY, "out of memory");
}

/* Adds a dataset; the table has as many rows as the shortest dataset. Returns its number. */
static int add_source(search *s, const char *path)
{
    olo_result *result = s->result;
    olo_result_source source = {0};
    size_t rows = 0;
    if (s->status == OLO_OK)
        s->status = olo_hdf5_shape(result->file, path, &rows, &source.width, s->error);
    if (s->status != OLO_OK)
        return 0;
    olo_result_source *list =
        olo_grow(result->sources, result->source_count, &result->source_capacity, sizeof *list);
    if (list == NULL) {
        fail(s, OLO_NO_MEMORY, "out of memory");
        return 0;
    }
    result->sources = list;
    source.path = olo_pool_text(&result->pool, path, strlen(path));
    source.units = units_of(s, path);
    if (source.path == NULL || source.units == NULL) {
        fail(s, OLO_NO_MEMORY, "out of memory");
        return 0;
    }
    result->rows = result->source_count == 0 || rows < result->rows ? rows : result->rows;
    list[result->source_count] = source;
    return (int)result->source_count++;
}

static void add_column(search *s, const char *name, int source, size_t column, int omega)
{
    olo_result *result = s->result;
    if (s->status != OLO_OK)
        return;
    // the file may be inconsistent: a column must be inside its dataset
    const size_t end = column + (omega != 0 ? 9 : 1);
    if (end > result->sources[source].width) {
        fail(s, OLO_BAD_INPUT, "a dataset has too few columns");
        return;
    }
    olo_result_column_source *list =
        olo_grow(result->columns, result->column_count, &result->column_capacity, sizeof *list);
    if (list == NULL || name == NULL || result->column_count >= INT_MAX) {
        result->columns = list != NULL ? list : result->columns;
        fail(s, OLO_NO_MEMORY, "out of memory");
        return;
    }
    result->columns = list;
    list[result->column_count++] = (olo_result_column_source){
        .name = name,
        .units = s->units != NULL ? s->units : result->sources[source].units,
        .source = source,
        .column = column,
        .omega = omega};
}

/* The three columns `first.second.x|y|z`. */
static void add_vector(search *s, const char *first, const char *second, int source, size_t column)
{
    for (size_t axis = 0; axis < 3; axis++) {
        add_column(s, olo_layout_name(&s->result->pool, first, second, olo_layout_axes[axis]),
                   source, column + axis, 0);
    }
}

/* ---- the groups of columns ------------------------------------------------------------------- */

static void add_node(search *s, size_t node, int position, int velocity)
{
    const olo_node_type *type = olo_node_type_find(s->kinds[node]);
    const bool body = type->directors >= 0;
    const char *name = olo_pool_text(&s->result->pool, s->names[node], strlen(s->names[node]));
    const size_t directors = (size_t)s->offsets[node] + (body ? (size_t)type->directors : 0);
    if (name == NULL) {
        fail(s, OLO_NO_MEMORY, "out of memory");
        return;
    }
    s->result->nodes[node] = (olo_result_node){name, body, s->result->column_count,
                                               type->width == 1 ? 0
                                               : body           ? 18
                                                                : 6};
    if (type->width == 1)
        return;
    add_vector(s, name, "position", position, 3 * node);
    add_vector(s, name, "velocity", velocity, 3 * node);
    if (body) {
        measure_in(s, OLO_DIMENSION_NONE);
        add_vector(s, name, "d1", s->result->q, directors);
        add_vector(s, name, "d2", s->result->q, directors + 3);
        add_vector(s, name, "d3", s->result->q, directors + 6);
        measure_in(s, OLO_DIMENSION_ANGULAR_VELOCITY);
        for (int axis = 0; axis < 3; axis++) {
            add_column(
                s,
                olo_layout_name(&s->result->pool, name, "angular_velocity", olo_layout_axes[axis]),
                s->result->v, directors, axis + 1);
        }
        s->units = NULL;
    }
}

/* Whether an output has the name of a node: then it records the position of this node, and its
 * first columns are those of the node. */
static bool is_node(const search *s, const char *output)
{
    for (size_t i = 0; i < s->nodes; i++)
        if (strcmp(s->names[i], output) == 0)
            return true;
    return false;
}

static void add_outputs(search *s)
{
    static const char *const VECTORS[3] = {"position", "velocity", "acceleration"};
    for (size_t i = 0; i < s->output_count; i++) {
        for (int k = is_node(s, s->outputs[i]) ? 2 : 0; k < 3; k++) {
            char path[512];
            snprintf(path, sizeof path, "/outputs/%s/%s", s->outputs[i], VECTORS[k]);
            add_vector(s, s->outputs[i], VECTORS[k], add_source(s, path), 0);
        }
    }
}

/* The ledger; `suffix` is NULL for the values themselves. */
static void add_ledger(search *s, const char *group, const char *suffix)
{
    // the first column is time, which the frames have
    for (int i = 1; i < OLO_LEDGER_COLUMNS; i++) {
        const olo_ledger_column *column = &olo_ledger_columns[i];
        char path[64], name[64];
        snprintf(path, sizeof path, "%s/%s", group, column->dataset);
        snprintf(name, sizeof name, "%s%s%s", column->name, suffix != NULL ? "." : "",
                 suffix != NULL ? suffix : "");
        add_column(s, olo_pool_text(&s->result->pool, name, strlen(name)), add_source(s, path), 0,
                   0);
    }
}

/* The configuration as it is in q and v: `top.q.1` and so on. */
static void add_raw(search *s)
{
    for (size_t i = 0; i < s->nodes; i++) {
        const olo_node_type *type = olo_node_type_find(s->kinds[i]);
        const size_t size = (size_t)type->size;
        for (size_t k = 0; k < 2 * size; k++) {
            static const olo_dimension DIMENSIONS[3][2] = {
                {OLO_DIMENSION_JOINT, OLO_DIMENSION_JOINT_RATE},
                {OLO_DIMENSION_LENGTH, OLO_DIMENSION_VELOCITY},
                {OLO_DIMENSION_NONE, OLO_DIMENSION_RATE}};
            char number[16];
            const int slot = olo_node_coordinate(type, 0, (int)(k % size)).slot;
            measure_in(s, DIMENSIONS[slot > 0 ? 2 : slot - OLO_SLOT_SCALAR][k >= size]);
            snprintf(number, sizeof number, "%d", (int)(k % size) + 1);
            add_column(s,
                       olo_layout_name(&s->result->pool, s->names[i], k < size ? "q" : "v", number),
                       k < size ? s->result->q : s->result->v, (size_t)s->offsets[i] + k % size, 0);
        }
    }
    s->units = NULL;
}

/* Columns of two physical dimensions: the names of those of the first contain this text. */
typedef struct mixture {
    const char *first;
    olo_dimension dimensions[2];
} mixture;

/* Adds a dataset whose columns have names; an absent dataset has no columns. */
static void add_named(search *s, const char *path, const mixture *mixed)
{
    char **names = NULL;
    size_t count = 0;
    if (s->status != OLO_OK || !olo_hdf5_has(s->result->file, path))
        return;
    const int source = add_source(s, path);
    if (s->status == OLO_OK)
        s->status = olo_hdf5_get_texts(s->result->file, path, "columns", &names, &count, s->error);
    for (size_t i = 0; i < count; i++) {
        if (mixed != NULL)
            measure_in(s, mixed->dimensions[strstr(names[i], mixed->first) == NULL]);
        add_column(s, olo_pool_text(&s->result->pool, names[i], strlen(names[i])), source, i, 0);
    }
    s->units = NULL;
    olo_hdf5_texts_free(names);
}

/* ---- the search ------------------------------------------------------------------------------ */

/* Names, kinds and offsets of the nodes, names of the outputs. */
static void read_structure(search *s)
{
    olo_hdf5 *file = s->result->file;
    size_t kinds = 0, offsets = 0, columns = 0;
    s->status = olo_hdf5_read_texts(file, "/nodes/name", &s->names, &s->nodes, s->error);
    if (s->status == OLO_OK)
        s->status = olo_hdf5_read_texts(file, "/nodes/kind", &s->kinds, &kinds, s->error);
    if (s->status == OLO_OK)
        s->status = olo_hdf5_shape(file, "/nodes/offset", &offsets, &columns, s->error);
    if (s->status == OLO_OK && (kinds != s->nodes || offsets != s->nodes || columns != 1))
        fail(s, OLO_BAD_INPUT, "the datasets in /nodes differ in length");
    for (size_t i = 0; s->status == OLO_OK && i < s->nodes; i++) {
        if (olo_node_type_find(s->kinds[i]) == NULL) {
            fail(s, OLO_BAD_INPUT,
                 "/nodes/kind has a kind of node that this version does not know");
        }
    }
    if (s->status != OLO_OK)
        return;
    s->offsets = olo_alloc(s->nodes, sizeof(double));
    if (s->offsets == NULL) {
        fail(s, OLO_NO_MEMORY, "out of memory");
        return;
    }
    const size_t first[2] = {0, 0}, count[2] = {s->nodes, 1};
    s->status = olo_hdf5_read(file, "/nodes/offset", first, count, s->offsets, s->error);
    for (size_t i = 0; s->status == OLO_OK && i < s->nodes; i++)
        if (!(s->offsets[i] >= 0.0 && s->offsets[i] <= INT_MAX))
            fail(s, OLO_BAD_INPUT, "an offset in /nodes is out of range");
    if (s->status == OLO_OK &&
        olo_hdf5_get_texts(file, "/", "units", &s->model_units, &columns, NULL) == OLO_NO_MEMORY)
        fail(s, OLO_NO_MEMORY, "out of memory"); // the default units are SI
    if (s->status == OLO_OK) {
        const olo_status status =
            olo_hdf5_get_texts(file, "/outputs", "names", &s->outputs, &s->output_count, NULL);
        if (status == OLO_NO_MEMORY)
            fail(s, OLO_NO_MEMORY, "out of memory"); // otherwise there are no outputs
    }
}

olo_status olo_result_find_columns(olo_result *result, olo_error *error)
{
    search s = {.result = result, .error = error};
    read_structure(&s);
    const int time = add_source(&s, "/frames/time");
    add_column(&s, "time", time, 0, 0);
    if (s.nodes > 0) {
        const int position = add_source(&s, "/frames/position");
        const int velocity = add_source(&s, "/frames/velocity");
        result->q = add_source(&s, "/frames/q");
        result->v = add_source(&s, "/frames/v");
        if (s.status == OLO_OK &&
            result->sources[result->q].width != result->sources[result->v].width)
            fail(&s, OLO_BAD_INPUT, "/frames/q and /frames/v differ in width");
        result->node_count = s.nodes;
        result->nodes = olo_alloc(s.nodes, sizeof *result->nodes);
        if (result->nodes == NULL)
            fail(&s, OLO_NO_MEMORY, "out of memory");
        for (size_t i = 0; s.status == OLO_OK && i < s.nodes; i++)
            add_node(&s, i, position, velocity);
    }
    add_named(&s, "/frames/joint",
              &(const mixture){".angle", {OLO_DIMENSION_ANGLE, OLO_DIMENSION_LENGTH}});
    add_named(&s, "/frames/joint_rate",
              &(const mixture){".angle", {OLO_DIMENSION_ANGULAR_VELOCITY, OLO_DIMENSION_VELOCITY}});
    add_named(&s, "/frames/drive",
              &(const mixture){".angle", {OLO_DIMENSION_MOMENT, OLO_DIMENSION_FORCE}});
    add_named(&s, "/frames/reaction",
              &(const mixture){".moment.", {OLO_DIMENSION_MOMENT, OLO_DIMENSION_FORCE}});
    add_named(&s, "/frames/contact_gap", NULL);
    add_named(&s, "/frames/contact_force", NULL);
    add_named(&s, "/frames/contact_load",
              &(const mixture){".torque", {OLO_DIMENSION_MOMENT, OLO_DIMENSION_FORCE}});
    add_named(&s, "/frames/contact_status", NULL);
    add_named(&s, "/frames/contact_point", NULL);
    add_named(&s, "/frames/strain",
              &(const mixture){".gamma", {OLO_DIMENSION_NONE, OLO_DIMENSION_CURVATURE}});
    add_named(&s, "/frames/stress",
              &(const mixture){".n", {OLO_DIMENSION_FORCE, OLO_DIMENSION_MOMENT}});
    add_outputs(&s);
    add_ledger(&s, "/ledger", NULL);
    result->csv_columns = result->column_count;
    result->csv_sources = result->source_count;
    add_ledger(&s, "/ledger_min", "min");
    add_ledger(&s, "/ledger_max", "max");
    if (s.status == OLO_OK)
        add_raw(&s);
    add_named(&s, "/frames/multipliers", NULL);
    olo_hdf5_texts_free(s.model_units);
    olo_hdf5_texts_free(s.outputs);
    olo_hdf5_texts_free(s.kinds);
    olo_hdf5_texts_free(s.names);
    olo_free(s.offsets);
    return s.status;
}
