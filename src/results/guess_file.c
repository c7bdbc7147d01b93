/* A result as the initial guess of a problem of optimal control: the motion and, of the result of
 * an optimum, the controls. Nodes and controls are those of the same names. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "model/optimize_section.h"
#include "results/result_private.h"
#include "system/system.h"

struct olo_guess {
    olo_pool pool;
};

/* What is read. */
typedef struct source {
    const char *path;
    olo_result *result;
    const olo_system *system;
    olo_guess *guess;
    size_t rows, columns; /* of q */
    char **names;         /* of nodes */
    size_t nodes;
    double *offsets, *times, *table, *q;
    olo_error *error;
} source;

static olo_status no_memory(const source *x)
{
    return olo_fail(x->error, OLO_NO_MEMORY, "out of memory for the guess '%s'", x->path);
}

static double *take(const source *x, size_t count)
{
    return olo_pool_alloc(&x->guess->pool, count, sizeof(double));
}

// -- motion ---------------------------------------------------------------------------------------

static olo_status read_structure(source *x)
{
    olo_hdf5 *file = x->result->file;
    const size_t first[2] = {0, 0};
    x->rows = x->result->rows;
    if (x->rows < 2)
        return olo_fail(x->error, OLO_BAD_INPUT, "'%s' has no motion: %zu state%s", x->path,
                        x->rows, x->rows == 1 ? "" : "s");
    size_t rows;
    olo_status status = olo_hdf5_shape(file, "/frames/q", &rows, &x->columns, x->error);
    if (status == OLO_OK)
        status = olo_hdf5_read_texts(file, "/nodes/name", &x->names, &x->nodes, x->error);
    if (status != OLO_OK)
        return status;
    x->offsets = take(x, x->nodes + 1);
    x->times = take(x, x->rows);
    x->table = take(x, x->rows * x->columns);
    x->q = take(x, x->rows * (size_t)x->system->n);
    if (!x->offsets || !x->times || !x->table || !x->q)
        return no_memory(x);
    x->offsets[x->nodes] = (double)x->columns;
    status =
        olo_hdf5_read(file, "/nodes/offset", first, (size_t[2]){x->nodes, 1}, x->offsets, x->error);
    return status == OLO_OK ? olo_hdf5_read(file, "/frames/time", first, (size_t[2]){x->rows, 1},
                                            x->times, x->error)
                            : status;
}

/* The first column of a node of the system. */
static olo_status find_node(const source *x, const olo_node *node, size_t *column)
{
    for (size_t i = 0; i < x->nodes; i++)
        if (strcmp(x->names[i], node->name) == 0) {
            *column = (size_t)x->offsets[i];
            if (x->offsets[i + 1] - x->offsets[i] == node->type->size)
                return OLO_OK;
            return olo_fail(x->error, OLO_BAD_INPUT,
                            "'%s' is of another kind in '%s': it has %g coordinates instead of %d",
                            node->name, x->path, x->offsets[i + 1] - x->offsets[i],
                            node->type->size);
        }
    return olo_fail(x->error, OLO_NOT_FOUND, "'%s' has no motion of '%s': a guess needs all bodies",
                    x->path, node->name);
}

static olo_status read_motion(source *x)
{
    const olo_system *s = x->system;
    size_t *columns = olo_pool_alloc(&x->guess->pool, (size_t)s->node_count, sizeof *columns);
    olo_status status = columns ? OLO_OK : no_memory(x);
    for (int i = 0; status == OLO_OK && i < s->node_count; i++)
        status = find_node(x, &s->nodes[i], &columns[i]);
    if (status == OLO_OK)
        status = olo_hdf5_read(x->result->file, "/frames/q", (size_t[2]){0, 0},
                               (size_t[2]){x->rows, x->columns}, x->table, x->error);
    for (size_t k = 0; status == OLO_OK && k < x->rows; k++)
        for (int i = 0; i < s->node_count; i++)
            memcpy(x->q + k * (size_t)s->n + s->nodes[i].q, x->table + k * x->columns + columns[i],
                   (size_t)s->nodes[i].type->size * sizeof *x->q);
    return status;
}

// -- controls -------------------------------------------------------------------------------------

/* Names of the columns, in the memory of the guess. */
static olo_status read_names(const source *x, const char *path, size_t count, const char **list)
{
    char **names = NULL;
    size_t found = 0;
    olo_status status =
        olo_hdf5_get_texts(x->result->file, path, "columns", &names, &found, x->error);
    if (status == OLO_OK && found != count)
        status = olo_fail(x->error, OLO_BAD_INPUT, "'%s': %s has %zu names for %zu columns",
                          x->path, path, found, count);
    for (size_t i = 0; status == OLO_OK && i < count; i++) {
        list[i] = olo_pool_text(&x->guess->pool, names[i], strlen(names[i]));
        status = list[i] ? OLO_OK : no_memory(x);
    }
    olo_hdf5_texts_free(names);
    return status;
}

/* Controls of the intervals between the states, if the result has them. */
static olo_status read_controls(const source *x, olo_problem *problem)
{
    static const char path[] = "/optimum/controls";
    size_t rows = 0, columns = 0;
    if (!olo_hdf5_has(x->result->file, path))
        return OLO_OK;
    olo_status status = olo_hdf5_shape(x->result->file, path, &rows, &columns, x->error);
    if (status != OLO_OK || rows + 1 != x->rows) /* not all nodes were recorded */
        return status;
    double *values = take(x, rows * columns);
    const char **names = olo_pool_alloc(&x->guess->pool, columns, sizeof *names);
    if (!values || !names)
        return no_memory(x);
    status = read_names(x, path, columns, names);
    if (status == OLO_OK)
        status = olo_hdf5_read(x->result->file, path, (size_t[2]){0, 0}, (size_t[2]){rows, columns},
                               values, x->error);
    if (status != OLO_OK)
        return status;
    problem->motion_control_count = (int)columns;
    problem->motion_control_names = names;
    problem->motion_controls = values;
    return OLO_OK;
}

// -- all of it ------------------------------------------------------------------------------------

static olo_status read_all(source *x, olo_problem *problem)
{
    olo_status status = olo_result_open(x->path, &x->result, x->error);
    if (status == OLO_OK)
        status = read_structure(x);
    if (status == OLO_OK)
        status = read_motion(x);
    if (status != OLO_OK)
        return status;
    problem->motion_count = (int)x->rows;
    problem->motion = x->q;
    problem->motion_times = x->times;
    return read_controls(x, problem);
}

olo_status olo_result_read_guess(const char *path, const olo_system *system, olo_problem *problem,
                                 olo_guess **guess, olo_error *error)
{
    source x = {.path = path, .system = system, .error = error};
    x.guess = *guess = olo_alloc(1, sizeof **guess);
    if (!x.guess)
        return no_memory(&x);
    const olo_status status = read_all(&x, problem);
    olo_hdf5_texts_free(x.names);
    olo_result_free(x.result);
    if (status != OLO_OK) {
        olo_guess_free(*guess);
        *guess = NULL;
    }
    return status;
}

olo_status olo_model_read_guess(const olo_model *model, const olo_system *system,
                                olo_problem *problem, olo_guess **guess, olo_error *error)
{
    const olo_problem_section *own = model->problem;
    *guess = NULL;
    if (!own || !own->problem.guess_file)
        return OLO_OK;
    const olo_mark mark = olo_problem_section_find(own, "guess_file:");
    return olo_fail_context(
        error, olo_result_read_guess(own->problem.guess_file, system, problem, guess, error),
        "%s:%d:%d: optimize.guess_file", model->file ? model->file : "the model", mark.line,
        mark.column);
}

void olo_guess_free(olo_guess *guess)
{
    if (guess)
        olo_pool_free(&guess->pool);
    olo_free(guess);
}
