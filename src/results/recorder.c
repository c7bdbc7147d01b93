/* The recorder: watches a run, follows what it should conserve over every step, and records every
 * stride-th state, the first and the last, with the ledger thinned to these rows. */
#include "oloid/results.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "results/layout.h"
#include "results/record_file.h"
#include "results/thin.h"
#include "results/verdict.h"
#include "system/system.h"

/* When the run does not say how many frames. */
static const long FRAMES_DEFAULT = 10000;

struct olo_recorder {
    const olo_system *system;
    double step, end;
    long frames;
    char error_text[OLO_ERROR_TEXT_SIZE];
    char warnings[OLO_ERROR_TEXT_SIZE];

    olo_verdict_book book;
    double *momentum; /* [n] M v, for the scales of the momenta */
    olo_thin ledger;  /* of the steps since the last row */
    long stride;      /* steps a row; 0 before the first state */
    long last_step;
    olo_state
        *last; /* the last state, when it is not in a row; NULL with stride 1 or without a file */
    olo_record_file *file;
};

/* ---- creating --------------------------------------------------------------------------------- */

static olo_recorder *recorder_new(const olo_system *system, const olo_run *run)
{
    olo_recorder *recorder = olo_alloc(1, sizeof *recorder);
    if (recorder == NULL) {
        return NULL;
    }
    recorder->momentum = olo_alloc((size_t)system->n, sizeof(double));
    if (recorder->momentum == NULL) {
        return olo_free(recorder);
    }
    recorder->system = system;
    recorder->step = run->step;
    recorder->end = run->end;
    recorder->frames = run->frames > 0 ? run->frames : FRAMES_DEFAULT;
    recorder->book.constraints = system->m > 0;
    recorder->book.invariants = olo_system_invariants(system);
    for (int i = 0; i < recorder->book.invariants; i++) {
        recorder->book.invariant[i] = olo_system_invariant(system, i);
    }
    recorder->ledger.columns = OLO_LEDGER_COLUMNS;
    for (int i = 0; i < OLO_LEDGER_COLUMNS; i++) {
        recorder->ledger.summed[i] = olo_ledger_columns[i].integer;
    }
    return recorder;
}

olo_status olo_recorder_create(const char *path, const olo_model *model, const olo_system *system,
                               const olo_run *run, const char *command, olo_recorder **result,
                               olo_error *error)
{
    *result = NULL;
    olo_recorder *recorder = recorder_new(system, run);
    if (recorder == NULL) {
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for a recorder");
    }
    if (path != NULL) {
        const long steps = olo_thin_steps(0.0, run->end, run->step);
        const long stride = olo_thin_stride(steps, recorder->frames);
        const olo_record_subject subject = {.model = model,
                                            .system = system,
                                            .run = run,
                                            .command = command,
                                            .rows = (steps + stride - 1) / stride + 1};
        const olo_status status = olo_record_file_create(path, &subject, &recorder->file, error);
        if (status != OLO_OK) {
            olo_recorder_free(recorder);
            return status;
        }
    }
    *result = recorder;
    return OLO_OK;
}

/* ---- watching --------------------------------------------------------------------------------- */

/* The sums of the magnitudes of all momenta: what a total momentum of zero is small against. */
static void scale_momenta(olo_recorder *recorder, const olo_state *state)
{
    const olo_system *system = recorder->system;
    const double *p = recorder->momentum, *q = state->q;
    double linear = 0.0, angular = 0.0;
    olo_system_mass_times(system, state->v, recorder->momentum);
    for (int i = 0; i < system->n; i += 3) {
        const double size = hypot(hypot(p[i], p[i + 1]), p[i + 2]);
        angular += hypot(hypot(q[i], q[i + 1]), q[i + 2]) * size;
        linear += system->coordinates[i].slot == 0 ? size : 0.0;
    }
    olo_verdict_scale(&recorder->book, linear, angular);
}

/* Writes a row: `state` and the ledger since the last row. */
static olo_status record(olo_recorder *recorder, const olo_state *state, long step,
                         olo_error *error)
{
    olo_status status = OLO_OK;
    scale_momenta(recorder, state);
    if (recorder->file != NULL) {
        status = olo_record_file_row(recorder->file, state, step, &recorder->ledger, error);
    }
    olo_thin_clear(&recorder->ledger);
    return status;
}

/* The first state tells how many steps there will be, and so how many make a row. */
static olo_status begin(olo_recorder *recorder, const olo_state *state, olo_error *error)
{
    const long steps = olo_thin_steps(state->t, recorder->end, recorder->step);
    recorder->stride = olo_thin_stride(steps, recorder->frames);
    if (recorder->stride > 1 && recorder->file != NULL) {
        return olo_state_clone(state, &recorder->last, error);
    }
    return OLO_OK;
}

static olo_status watch_step(void *context, const olo_system *system, const olo_state *state,
                             long step, const olo_step_report *report, olo_error *error)
{
    olo_recorder *recorder = context;
    olo_ledger ledger;
    olo_system_ledger(system, state, &ledger);
    double invariants[OLO_INVARIANTS_MAX], row[OLO_LEDGER_COLUMNS];
    for (int i = 0; i < recorder->book.invariants; i++) {
        invariants[i] = olo_invariant_value(recorder->book.invariant[i], &ledger);
    }
    olo_verdict_add(&recorder->book, &ledger, invariants);
    olo_layout_ledger(&ledger, state->t, report != NULL ? report->iterations : 0, row);
    olo_thin_add(&recorder->ledger, row);

    recorder->last_step = step;
    if (recorder->stride == 0) {
        const olo_status status = begin(recorder, state, error);
        return status != OLO_OK ? status : record(recorder, state, step, error);
    }
    if (recorder->ledger.count >= recorder->stride) {
        return record(recorder, state, step, error);
    }
    if (recorder->last != NULL) {
        olo_state_copy(state, recorder->last); // a run may end at any step
    }
    return OLO_OK;
}

static void watch_warning(void *context, const char *text)
{
    olo_recorder *recorder = context;
    const size_t used = strlen(recorder->warnings);
    snprintf(recorder->warnings + used, sizeof recorder->warnings - used, "%s%s",
             used > 0 ? "\n" : "", text);
}

olo_observer olo_recorder_observer(olo_recorder *recorder)
{
    return (olo_observer){.context = recorder, .step = watch_step, .warn = watch_warning};
}

/* ---- the end ---------------------------------------------------------------------------------- */

/* Writes what is left and the end of the file. */
static olo_status finish_file(olo_recorder *recorder, const olo_record_end *end, olo_error *error)
{
    if (recorder->ledger.count > 0 && recorder->last != NULL) {
        record(recorder, recorder->last, recorder->last_step, NULL); // the file remembers a failure
    }
    return olo_record_file_finish(recorder->file, end, error);
}

olo_status olo_recorder_finish(olo_recorder *recorder, const olo_run_summary *summary,
                               olo_status status, olo_error *error)
{
    if (recorder->file == NULL) {
        return OLO_OK;
    }
    if (status != OLO_OK) {
        const bool told = error != NULL && error->status == status && error->text[0] != '\0';
        snprintf(recorder->error_text, sizeof recorder->error_text, "%s",
                 told ? error->text : olo_status_text(status));
    }
    olo_verdict verdicts[OLO_VERDICTS_MAX];
    const olo_record_end end = {.summary = summary,
                                .status = status,
                                .error = recorder->error_text,
                                .warnings = recorder->warnings,
                                .stride = recorder->stride,
                                .verdicts = verdicts,
                                .verdict_count = olo_verdict_list(&recorder->book, verdicts)};
    olo_error failure = {0};
    const olo_status finished = finish_file(recorder, &end, &failure);
    olo_record_file_free(recorder->file);
    recorder->file = NULL;
    if (finished != OLO_OK) {
        // why the run failed comes first, unless that was this file
        const bool both = status != OLO_OK && strstr(recorder->error_text, failure.text) == NULL;
        olo_fail(error, finished, "%s%s%s", both ? recorder->error_text : "", both ? "; " : "",
                 failure.text);
    }
    return finished;
}

int olo_recorder_verdicts(const olo_recorder *recorder, olo_verdict verdicts[OLO_VERDICTS_MAX])
{
    return olo_verdict_list(&recorder->book, verdicts);
}

void olo_recorder_free(olo_recorder *recorder)
{
    if (recorder == NULL) {
        return;
    }
    olo_record_file_free(recorder->file);
    olo_state_free(recorder->last);
    olo_free(recorder->momentum);
    olo_free(recorder);
}
