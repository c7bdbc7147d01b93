/* Writes the texts and single numbers of a result file. */
#include "results/record_text.h"

#include <stdio.h>

#include "base/fail.h"
#include "base/memory.h"
#include "oloid/version.h"
#include "results/layout.h"
#include "results/record_feedback.h"
#include "results/record_optimum.h"
#include "results/record_scene.h"
#include "results/settings.h"
#include "stepping/registry.h"
#include "system/system.h"

/* ---- the writer ------------------------------------------------------------------------------ */

void olo_writer_fail(olo_writer *w, olo_status status, const char *text)
{
    if (w->status == OLO_OK)
        w->status = olo_fail(w->error, status, "%s", text);
}

void olo_writer_group(olo_writer *w, const char *path)
{
    if (w->status == OLO_OK)
        w->status = olo_hdf5_add_group(w->file, path, w->error);
}

void olo_writer_text(olo_writer *w, const char *object, const char *name, const char *text)
{
    if (w->status == OLO_OK)
        w->status = olo_hdf5_set_text(w->file, object, name, text, w->error);
}

void olo_writer_texts(olo_writer *w, const char *object, const char *name, const char *const *texts,
                      size_t count)
{
    if (w->status == OLO_OK && count > 0)
        w->status = olo_hdf5_set_texts(w->file, object, name, texts, count, w->error);
}

void olo_writer_number(olo_writer *w, const char *object, const char *name, double value)
{
    if (w->status == OLO_OK)
        w->status = olo_hdf5_set_number(w->file, object, name, value, w->error);
}

void olo_writer_integer(olo_writer *w, const char *object, const char *name, long long value)
{
    if (w->status == OLO_OK)
        w->status = olo_hdf5_set_integer(w->file, object, name, value, w->error);
}

void olo_writer_table(olo_writer *w, const olo_hdf5_table *layout, const double *values)
{
    int table = 0;
    if (w->status == OLO_OK)
        w->status = olo_hdf5_add_table(w->file, layout, &table, w->error);
    if (w->status == OLO_OK)
        w->status = olo_hdf5_append(w->file, table, layout->rows, values, w->error);
}

void olo_writer_list(olo_writer *w, const char *path, const char *description,
                     const char *const *texts, size_t count)
{
    if (w->status == OLO_OK)
        w->status = olo_hdf5_write_texts(w->file, path, description, texts, count, w->error);
}

/* Writes a dataset with one number per row. */
static void write_numbers(olo_writer *w, const char *path, bool integer, const char *description,
                          const double *values, size_t count)
{
    const olo_hdf5_table layout = {
        .path = path, .rows = count, .integer = integer, .description = description};
    olo_writer_table(w, &layout, values);
}

/* ---- the start ------------------------------------------------------------------------------- */

static void write_file(olo_writer *w, const olo_record_subject *subject)
{
    olo_writer_text(w, "/", "format", OLO_RESULT_FORMAT);
    olo_writer_integer(w, "/", "format_version", OLO_RESULT_FORMAT_VERSION);
    olo_writer_text(w, "/", "oloid_version", olo_version());
    olo_writer_text(w, "/", "created", subject->created);
    olo_writer_text(w, "/", "command", subject->command);
    olo_writer_text(w, "/", "status", "running");
    olo_writer_text(w, "/", "model", olo_model_name(subject->model));
    olo_writer_text(w, "/", "description", olo_model_description(subject->model));
    olo_writer_text(w, "/", "units", olo_model_units(subject->model));
}

/* Writes an attribute with a list of settings, and frees the list. */
static void write_settings(olo_writer *w, const char *object, const char *name, char **settings,
                           size_t count)
{
    if (settings == NULL)
        olo_writer_fail(w, OLO_NO_MEMORY, "out of memory for the settings of a run");
    olo_writer_texts(w, object, name, (const char *const *)settings, count);
    olo_hdf5_texts_free(settings);
}

static void write_model(olo_writer *w, const olo_record_subject *subject, const olo_counts *counts)
{
    olo_writer_group(w, "/model");
    if (w->status == OLO_OK) {
        w->status = olo_hdf5_write_text(w->file, "/model/text", "the model file",
                                        olo_model_text(subject->model), w->error);
    }
    size_t count = 0;
    char **parameters = olo_settings_of_model(subject->model, &count);
    write_settings(w, "/model", "parameters", parameters, count);
    olo_writer_integer(w, "/model", "points", counts->points);
    olo_writer_integer(w, "/model", "bodies", counts->bodies);
    olo_writer_integer(w, "/model", "beams", counts->beams);
    olo_writer_integer(w, "/model", "coordinates", counts->coordinates);
    olo_writer_integer(w, "/model", "constraints", counts->constraints);
    olo_writer_integer(w, "/model", "rank", counts->rank);
    olo_writer_integer(w, "/model", "degrees_of_freedom", counts->degrees_of_freedom);
}

static void write_run(olo_writer *w, const olo_run *run, const olo_counts *counts)
{
    size_t count = 0;
    char **settings = olo_settings_of_run(run, &count);
    olo_writer_group(w, "/run");
    write_settings(w, "/run", "settings", settings, count);
    olo_writer_number(w, "/run", "step", run->step);
    olo_writer_number(w, "/run", "end", run->end);
    olo_writer_text(w, "/run", "scheme", run->scheme);
    olo_writer_text(w, "/run", "constraints", run->constraints);
    olo_writer_integer(w, "/run", "order", run->order);
    olo_writer_number(w, "/run", "tolerance", run->tolerance);
    olo_writer_number(w, "/run", "newton_tolerance", run->newton_tolerance);
    olo_writer_integer(w, "/run", "frames", run->frames);
    olo_writer_integer(w, "/run", "unknowns", olo_treatment_unknowns(run->constraints, counts));
}

static void write_nodes(olo_writer *w, const olo_system *system)
{
    const int nodes = olo_system_node_count(system);
    const size_t count = (size_t)nodes;
    const char **names = olo_alloc(count, sizeof *names);
    const char **kinds = olo_alloc(count, sizeof *kinds);
    double *offsets = olo_alloc(count, sizeof *offsets);
    if (names == NULL || kinds == NULL || offsets == NULL)
        olo_writer_fail(w, OLO_NO_MEMORY, "out of memory for the names of nodes");
    for (int i = 0; w->status == OLO_OK && i < nodes; i++) {
        names[i] = olo_system_node_name(system, i);
        kinds[i] = system->nodes[i].type->name;
        offsets[i] = (double)olo_system_node_offset(system, i);
    }
    olo_writer_group(w, "/nodes");
    olo_writer_list(w, "/nodes/name", "points and bodies in the order of q", names, count);
    olo_writer_list(w, "/nodes/kind", "point (3 coordinates) or body (12 coordinates)", kinds,
                    count);
    write_numbers(w, "/nodes/offset", true, "first column in q and v", offsets, count);
    olo_free(offsets);
    olo_free(kinds);
    olo_free(names);
}

/* Writes the groups of the outputs, with their names in the order of the model. */
static void write_outputs(olo_writer *w, const olo_system *system)
{
    const int outputs = olo_system_output_count(system);
    const char **names = olo_alloc((size_t)outputs, sizeof *names);
    if (names == NULL)
        olo_writer_fail(w, OLO_NO_MEMORY, "out of memory for the names of outputs");
    for (int i = 0; names != NULL && i < outputs; i++)
        names[i] = olo_system_output_name(system, i);
    olo_writer_group(w, "/outputs");
    olo_writer_texts(w, "/outputs", "names", names, (size_t)outputs);
    for (int i = 0; names != NULL && i < outputs; i++) {
        char path[512];
        snprintf(path, sizeof path, "/outputs/%s", names[i]);
        olo_writer_group(w, path);
    }
    olo_free(names);
}

void olo_writer_head(olo_writer *w, const olo_record_subject *subject)
{
    olo_counts counts = {0};
    if (w->status == OLO_OK)
        w->status = olo_system_counts(subject->system, &counts, w->error);
    write_file(w, subject);
    write_model(w, subject, &counts);
    write_run(w, subject->run, &counts);
    write_nodes(w, subject->system);
    write_outputs(w, subject->system);
    olo_writer_scene(w, subject->system);
    olo_writer_group(w, "/frames");
    olo_writer_group(w, "/ledger");
    olo_writer_group(w, "/ledger_min");
    olo_writer_group(w, "/ledger_max");
}

/* ---- the end --------------------------------------------------------------------------------- */

static void write_summary(olo_writer *w, const olo_run_summary *summary)
{
    olo_writer_integer(w, "/run", "steps", summary->steps);
    olo_writer_integer(w, "/run", "newton_iterations", summary->iterations);
    olo_writer_integer(w, "/run", "halvings", summary->halvings);
    olo_writer_integer(w, "/run", "rejections", summary->rejections);
    olo_writer_number(w, "/run", "smallest_step", summary->smallest_step);
    olo_writer_number(w, "/run", "largest_step", summary->largest_step);
    olo_writer_number(w, "/run", "wall_seconds", summary->wall_seconds);
    olo_writer_number(w, "/run", "cpu_seconds", summary->cpu_seconds);
    olo_writer_number(w, "/run", "largest_rotation", summary->largest_rotation);
}

static void write_verdict(olo_writer *w, const olo_verdict *verdicts, int verdict_count)
{
    const size_t count = (size_t)verdict_count;
    const char *quantity[OLO_VERDICTS_MAX], *text[OLO_VERDICTS_MAX], *why[OLO_VERDICTS_MAX];
    double start[OLO_VERDICTS_MAX], drift[OLO_VERDICTS_MAX], relative[OLO_VERDICTS_MAX];
    double tolerance[OLO_VERDICTS_MAX], level[OLO_VERDICTS_MAX], kind[OLO_VERDICTS_MAX];
    for (size_t i = 0; i < count; i++) {
        quantity[i] = verdicts[i].quantity;
        text[i] = verdicts[i].text;
        why[i] = verdicts[i].why;
        start[i] = verdicts[i].start;
        drift[i] = verdicts[i].drift;
        relative[i] = verdicts[i].relative_drift;
        tolerance[i] = verdicts[i].tolerance;
        level[i] = verdicts[i].level;
        kind[i] = verdicts[i].kind;
    }
    olo_writer_group(w, "/verdict");
    olo_writer_list(w, "/verdict/quantity", "what the run should conserve", quantity, count);
    olo_writer_list(w, "/verdict/text", "what was found", text, count);
    olo_writer_list(w, "/verdict/why", "why it is conserved", why, count);
    write_numbers(w, "/verdict/start", false, "value at the start", start, count);
    write_numbers(w, "/verdict/drift", false, "largest change over all steps", drift, count);
    write_numbers(w, "/verdict/relative_drift", false, "drift over the scale of the quantity",
                  relative, count);
    write_numbers(w, "/verdict/tolerance", false, "bound of the relative drift", tolerance, count);
    write_numbers(w, "/verdict/level", true, "0 ok, 1 warn, 2 broken", level, count);
    write_numbers(w, "/verdict/kind", true, "0 energy, 1 momentum, 2 constraints, 3 velocities",
                  kind, count);
}

void olo_writer_tail(olo_writer *w, const olo_record_end *end)
{
    if (end->summary != NULL)
        write_summary(w, end->summary);
    if (end->optimum != NULL)
        olo_writer_optimum(w, end->optimum);
    if (end->feedback != NULL)
        olo_writer_feedback(w, end->feedback);
    olo_writer_integer(w, "/run", "stride", end->stride);
    write_verdict(w, end->verdicts, end->verdict_count);
    olo_writer_text(w, "/verdict", "level", olo_verdict_level_name(end->level));
    olo_writer_text(w, "/", "warnings", end->warnings);
    if (end->shows != NULL && end->shows[0] != '\0')
        olo_writer_text(w, "/", "shows", end->shows);
    if (end->axis != NULL && end->axis[0] != '\0')
        olo_writer_text(w, "/", "axis", end->axis);
    if (end->findings != NULL && end->findings[0] != '\0')
        olo_writer_text(w, "/", "findings", end->findings);
    olo_writer_text(w, "/", "error", end->error);
    olo_writer_text(w, "/", "status", olo_status_name(end->status));
}
