/* Writes and reads feedback gains; see the header. */
#include "results/record_feedback.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "control/feedback.h"
#include "results/result_private.h"
#include "system/system.h"

static const char gains_path[] = "/feedback/gains", inputs_path[] = "/feedback/inputs",
                  states_path[] = "/feedback/states", bounds_path[] = "/feedback/bounds";

void olo_writer_feedback(olo_writer *w, const olo_feedback *x)
{
    const size_t N = (size_t)x->intervals, r = (size_t)x->inputs, width = 2 * (size_t)x->n;
    olo_writer_group(w, "/feedback");
    olo_writer_table(w,
                     &(olo_hdf5_table){.path = states_path,
                                       .width = width + 1,
                                       .rows = N + 1,
                                       .description = "time, q and v of the nodes"},
                     x->states);
    olo_writer_table(
        w,
        &(olo_hdf5_table){
            .path = inputs_path, .width = r, .rows = N, .description = "inputs in the intervals"},
        x->values);
    olo_writer_texts(w, inputs_path, "columns", x->names, r);
    olo_writer_table(w,
                     &(olo_hdf5_table){.path = bounds_path,
                                       .width = r,
                                       .rows = 2,
                                       .description = "lower and upper bounds of inputs"},
                     x->bounds);
    olo_writer_table(w,
                     &(olo_hdf5_table){.path = gains_path,
                                       .width = width,
                                       .rows = N * r,
                                       .description = "gains of each input in each interval"},
                     x->gains);
}

// -- reading --------------------------------------------------------------------------------------

static olo_status read_table(olo_hdf5 *file, const char *path, size_t rows, size_t columns,
                             double *values, olo_error *error)
{
    size_t found[2];
    olo_status status = olo_hdf5_shape(file, path, &found[0], &found[1], error);
    if (status == OLO_OK && (found[0] != rows || found[1] != columns))
        status = olo_fail(error, OLO_BAD_INPUT, "%s has %zu rows and %zu columns, not %zu and %zu",
                          path, found[0], found[1], rows, columns);
    return status == OLO_OK ? olo_hdf5_read(file, path, (size_t[2]){0, 0},
                                            (size_t[2]){rows, columns}, values, error)
                            : status;
}

static olo_status read_names(olo_hdf5 *file, olo_feedback *x, olo_error *error)
{
    char **names = NULL;
    size_t count = 0;
    olo_status status = olo_hdf5_get_texts(file, inputs_path, "columns", &names, &count, error);
    if (status == OLO_OK && count != (size_t)x->inputs)
        status = olo_fail(error, OLO_BAD_INPUT, "%s has %zu names", inputs_path, count);
    for (size_t i = 0; status == OLO_OK && i < count; i++) {
        x->names[i] = olo_pool_text(&x->pool, names[i], strlen(names[i]));
        if (!x->names[i])
            status = olo_fail(error, OLO_NO_MEMORY, "out of memory for feedback gains");
    }
    olo_hdf5_texts_free(names);
    return status;
}

/* The gains belong to the same bodies in the same order. */
static olo_status check_bodies(olo_hdf5 *file, const olo_system *s, olo_error *error)
{
    char **names = NULL;
    size_t count = 0;
    olo_status status = olo_hdf5_read_texts(file, "/nodes/name", &names, &count, error);
    bool same = status == OLO_OK && count == (size_t)s->node_count;
    for (int i = 0; same && i < s->node_count; i++)
        same = strcmp(names[i], s->nodes[i].name) == 0;
    olo_hdf5_texts_free(names);
    return status == OLO_OK && !same
               ? olo_fail(error, OLO_BAD_INPUT, "the gains belong to a model with other bodies")
               : status;
}

static olo_status read_all(olo_hdf5 *file, const olo_system *s, olo_feedback **feedback,
                           olo_error *error)
{
    size_t N, r;
    if (!olo_hdf5_has(file, gains_path))
        return olo_fail(error, OLO_NOT_FOUND,
                        "there are no feedback gains: write them with `oloid optimize --gains` or "
                        "the key `feedback` of the problem");
    olo_status status = check_bodies(file, s, error);
    if (status == OLO_OK)
        status = olo_hdf5_shape(file, inputs_path, &N, &r, error);
    if (status == OLO_OK)
        status = olo_feedback_allocate(s->n, (int)N, (int)r, feedback, error);
    if (status != OLO_OK)
        return status;
    olo_feedback *x = *feedback;
    const size_t width = 2 * (size_t)s->n;
    status = read_names(file, x, error);
    if (status == OLO_OK)
        status = read_table(file, states_path, N + 1, width + 1, x->states, error);
    if (status == OLO_OK)
        status = read_table(file, inputs_path, N, r, x->values, error);
    if (status == OLO_OK)
        status = read_table(file, bounds_path, 2, r, x->bounds, error);
    return status == OLO_OK ? read_table(file, gains_path, N * r, width, x->gains, error) : status;
}

olo_status olo_feedback_read(const char *path, const olo_system *system, olo_feedback **feedback,
                             olo_error *error)
{
    olo_result *result = NULL;
    *feedback = NULL;
    olo_status status = olo_result_open(path, &result, error);
    if (status == OLO_OK)
        status =
            olo_fail_context(error, read_all(result->file, system, feedback, error), "%s", path);
    olo_result_free(result);
    if (status != OLO_OK) {
        olo_feedback_free(*feedback);
        *feedback = NULL;
    }
    return status;
}
