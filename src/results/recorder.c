/* The recorder observes a run. It follows the invariants over every step, and records every
 * stride-th state, the first and the last, with the ledger thinned to these rows. */
#include "oloid/results.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "base/initialised.h"
#include "base/memory.h"
#include "base/progress.h"
#include "results/layout.h"
#include "results/record_file.h"
#include "results/record_optimum.h"
#include "results/thinning.h"
#include "results/verdict.h"
#include "stepping/accelerations.h"
#include "stepping/normal_motion.h"
#include "stepping/registry.h"
#include "stepping/step.h"
#include "system/system.h"

/* Number of frames when the run does not specify it. */
static const long FRAMES_DEFAULT = 10000;

struct olo_recorder {
    const olo_system *system;
    olo_run run;
    long frames;
    char error_text[OLO_ERROR_TEXT_SIZE];
    char warnings[OLO_ERROR_TEXT_SIZE];
    char findings[OLO_ERROR_TEXT_SIZE]; /* lines: level, space, sentence */
    char axis[64];                      /* what the time is, if it is no time */
    char shows[256];                    /* meaning of the states when they are no motion in time */

    olo_pool pool; /* memory of the arrays below */
    olo_verdict_record verdict;
    olo_sizes *part_sizes;            /* [verdict.parts] */
    olo_ledger *part_ledgers;         /* [verdict.parts] */
    double *work;                     /* [n] */
    olo_normal_motion *normal_motion; /* NULL: velocities are not judged */
    olo_accelerations *accelerations; /* with consistent velocities, if rows have what they give */
    double *inputs;                   /* [actions] controls of the last step ... */
    bool controlled;                  /* ... if it had some */
    bool other_mode;                  /* these two belong to another mode of the system */
    double *normal;                   /* [n] */
    olo_thinning ledger;              /* of the steps since the last row */
    long stride;                      /* steps per row; 0 before the first state */
    long rows;                        /* complete rows so far */
    olo_run_summary summary; /* of the observed steps, without the seconds of this process */
    double began;            /* clock */
    double began_cpu;
    olo_state *last; /* the last state; NULL before the first and without a file */
    olo_record_file *file;
    olo_record_contents saved;    /* memory of a checkpoint; NULL without a file */
    const olo_feedback *feedback; /* NULL: none */
    olo_record_optimum optimum;   /* its optimum is NULL: none */
};

/* Number of samples per run of the sizes that drifts are compared with, and the least number of
 * steps between two samples. A sample costs as much as several steps. */
static const double SAMPLES = 64.0;
enum { STEPS_BETWEEN_SAMPLES = 16 };

/* ---- creating -------------------------------------------------------------------------------- */

/* Masses of the system and its parts; there are no more parts than coordinates. */
static void set_masses(olo_recorder *recorder)
{
    olo_verdict_record *verdict = &recorder->verdict;
    olo_system_part_masses(recorder->system, recorder->work);
    for (int p = 0; p < recorder->system->part_count; p++) {
        verdict->whole.mass += recorder->work[p];
        if (verdict->parts > 0)
            verdict->part[p].mass = recorder->work[p];
    }
}

/* Prepares the quantities that the verdict follows; false when memory is exhausted. */
static bool prepare_verdict(olo_recorder *recorder)
{
    const olo_system *system = recorder->system;
    olo_verdict_record *verdict = &recorder->verdict;
    verdict->constraints = system->m > 0;
    verdict->contacts = system->contact_count > 0;
    verdict->constraint_bound = olo_treatment_constraint_error(&recorder->run);
    verdict->velocities = !isinf(verdict->constraint_bound);
    verdict->energy_bounded = isinf(olo_scheme_energy_error(&recorder->run));
    verdict->invariants = olo_system_invariant_count(system);
    for (int i = 0; i < verdict->invariants; i++)
        verdict->invariant[i] = olo_system_invariant(system, i);
    const olo_composition *composition =
        olo_composition_find(recorder->run.order, recorder->run.tolerance > 0.0);
    verdict->stages = composition != NULL ? composition->parts : 1;
    verdict->parts = system->part_count > 1 ? system->part_count : 0;
    const size_t parts = (size_t)verdict->parts;
    recorder->work = olo_pool_alloc(&recorder->pool, (size_t)system->n, sizeof(double));
    verdict->part = olo_pool_alloc(&recorder->pool, parts, sizeof *verdict->part);
    recorder->part_sizes = olo_pool_alloc(&recorder->pool, parts, sizeof *recorder->part_sizes);
    recorder->part_ledgers = olo_pool_alloc(&recorder->pool, parts, sizeof *recorder->part_ledgers);
    recorder->normal = olo_pool_alloc(&recorder->pool, (size_t)system->n, sizeof(double));
    if (!recorder->pool.failed)
        set_masses(recorder);
    return !recorder->pool.failed &&
           (!verdict->constraints || !verdict->velocities ||
            olo_normal_motion_create(system, &recorder->run, &recorder->normal_motion, NULL) ==
                OLO_OK);
}

static olo_recorder *recorder_new(const olo_system *system, const olo_run *run)
{
    olo_recorder *recorder = olo_alloc(1, sizeof *recorder);
    if (recorder == NULL)
        return NULL;
    recorder->system = system;
    recorder->other_mode = system->event_count > 0;
    recorder->run = *run;
    recorder->frames = run->frames > 0 ? run->frames : FRAMES_DEFAULT;
    recorder->began = olo_clock_seconds();
    recorder->began_cpu = olo_cpu_seconds();
    if (!prepare_verdict(recorder)) {
        olo_recorder_free(recorder);
        return NULL;
    }
    recorder->ledger.columns = OLO_LEDGER_COLUMNS;
    for (int i = 0; i < OLO_LEDGER_COLUMNS; i++)
        recorder->ledger.summed[i] = olo_ledger_columns[i].integer;
    return recorder;
}

/* The expected number of steps. Where a tolerance chooses the steps it is the number of grid
 * points, or without a grid the number of frames. */
static long expected_steps(const olo_recorder *recorder, double start)
{
    const olo_run *run = &recorder->run;
    if (run->tolerance > 0.0)
        return run->grid > 0.0 ? olo_thinning_steps(start, run->end, run->grid) : recorder->frames;
    return run->step_count > 0 ? run->step_count : olo_thinning_steps(start, run->end, run->step);
}

/* Describes the files of this run. */
static olo_record_subject subject_of(const olo_recorder *recorder, const olo_model *model,
                                     const char *command, const char *created)
{
    const long steps = expected_steps(recorder, 0.0);
    const long stride = olo_thinning_stride(steps, recorder->frames);
    return (olo_record_subject){.model = model,
                                .system = recorder->system,
                                .run = &recorder->run,
                                .command = command,
                                .created = created,
                                .rows = (steps + stride - 1) / stride + 1};
}

/* Passes the contents of a checkpoint except the state, which follows them. */
static void pass_fields(olo_recorder *recorder, olo_bytes *bytes)
{
    olo_bytes_pass(bytes, &recorder->summary, sizeof recorder->summary);
    olo_bytes_pass(bytes, &recorder->stride, sizeof recorder->stride);
    olo_bytes_pass(bytes, &recorder->rows, sizeof recorder->rows);
    olo_bytes_pass(bytes, recorder->warnings, sizeof recorder->warnings);
    olo_bytes_pass(bytes, recorder->findings, sizeof recorder->findings);
    olo_thinning_pass(&recorder->ledger, bytes);
    olo_verdict_pass(&recorder->verdict, bytes);
}

/* Rows have the accelerations of outputs, reactions and forces of prescribed motions at their
 * states, which are of the order of the steps. */
static olo_status create_accelerations(olo_recorder *recorder, const olo_system *system,
                                       olo_error *error)
{
    const olo_run *run = &recorder->run;
    const int read = olo_system_output_count(system) + system->reaction_count + system->drive_count;
    if (!olo_scheme_of(run)->consistent || read == 0)
        return OLO_OK;
    return olo_accelerations_create(system, run->step > 0 ? run->step : 1.0,
                                    &recorder->accelerations, error);
}

/* Allocates the last state and the memory of checkpoints. */
static olo_status allocate_state(olo_recorder *recorder, olo_error *error)
{
    olo_status status = olo_state_create(recorder->system, &recorder->last, error);
    if (status == OLO_OK)
        status = create_accelerations(recorder, recorder->system, error);
    if (status != OLO_OK)
        return status;
    olo_bytes bytes = {.mode = OLO_BYTES_MEASURE};
    pass_fields(recorder, &bytes);
    recorder->saved.size = bytes.at + olo_state_saved_size(recorder->last);
    recorder->saved.bytes = olo_pool_alloc(&recorder->pool, recorder->saved.size, 1);
    recorder->inputs = olo_pool_alloc(&recorder->pool, (size_t)recorder->system->action_count,
                                      sizeof *recorder->inputs);
    return recorder->saved.bytes != NULL && recorder->inputs != NULL
               ? OLO_OK
               : olo_fail(error, OLO_NO_MEMORY, "out of memory for a recorder");
}

static void write_date(char text[32])
{
    const time_t seconds = time(NULL);
    struct tm utc;
    text[0] = '\0';
    if (gmtime_r(&seconds, &utc) != NULL)
        strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

olo_status olo_recorder_create(const char *path, const olo_model *model, const olo_system *system,
                               const olo_run *run, const char *command, olo_recorder **result,
                               olo_error *error)
{
    *result = NULL;
    if (olo_check_initialised(run->initialised, OLO_INITIALISED_RUN, error) != OLO_OK)
        return OLO_BAD_INPUT;
    olo_recorder *recorder = recorder_new(system, run);
    if (recorder == NULL)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for a recorder");
    if (path != NULL) {
        char created[32];
        write_date(created);
        const olo_record_subject subject = subject_of(recorder, model, command, created);
        olo_status status = allocate_state(recorder, error);
        if (status == OLO_OK) {
            status = olo_record_file_create(path, &subject, recorder->saved.size, &recorder->file,
                                            error);
        }
        if (status != OLO_OK) {
            olo_recorder_free(recorder);
            return status;
        }
    }
    *result = recorder;
    return OLO_OK;
}

/* Sets recorder and state to the contents of a checkpoint. */
static olo_status load(olo_recorder *recorder, const char *path, olo_state *state, olo_error *error)
{
    olo_bytes bytes = {
        .mode = OLO_BYTES_LOAD, .block = recorder->saved.bytes, .size = recorder->saved.size};
    pass_fields(recorder, &bytes);
    recorder->warnings[sizeof recorder->warnings - 1] = '\0';
    recorder->findings[sizeof recorder->findings - 1] = '\0';
    if (recorder->stride < 1 || recorder->rows < 1 || recorder->ledger.count < 0 ||
        recorder->summary.steps < 0) {
        return olo_fail(error, OLO_BAD_INPUT,
                        "'%s.partial': the last checkpoint has impossible numbers", path);
    }
    olo_status status = olo_state_load(state, bytes.block + bytes.at, bytes.size - bytes.at, error);
    if (status == OLO_OK)
        olo_state_copy(state, recorder->last);
    return olo_fail_context(error, status, "'%s.partial'", path);
}

olo_status olo_recorder_resume(const char *path, const olo_model *model, const olo_system *system,
                               const olo_run *run, olo_recorder **result, olo_state *state,
                               olo_run_summary *summary, olo_error *error)
{
    *result = NULL;
    if (olo_check_initialised(run->initialised, OLO_INITIALISED_RUN, error) != OLO_OK)
        return OLO_BAD_INPUT;
    olo_recorder *recorder = recorder_new(system, run);
    if (recorder == NULL)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for a recorder");
    const olo_record_subject subject = subject_of(recorder, model, "", "");
    olo_status status = allocate_state(recorder, error);
    if (status == OLO_OK)
        status = olo_record_file_resume(path, &subject, recorder->saved, &recorder->file, error);
    if (status == OLO_OK)
        status = load(recorder, path, state, error);
    if (status != OLO_OK) {
        recorder->stride = 0; // nothing was read that could be written: the journal stays as it is
        olo_recorder_free(recorder);
        return status;
    }
    *summary = recorder->summary;
    *result = recorder;
    return OLO_OK;
}

void olo_recorder_set_checkpoint(olo_recorder *recorder, double seconds)
{
    if (recorder->file != NULL)
        olo_record_file_set_interval(recorder->file, seconds);
}

void olo_recorder_set_independent_states(olo_recorder *recorder, const char *what, bool constraints)
{
    snprintf(recorder->shows, sizeof recorder->shows, "%s", what);
    recorder->verdict.invariants = 0;
    recorder->verdict.constraints = recorder->verdict.constraints && constraints;
    recorder->verdict.velocities = false;
}

void olo_recorder_set_axis(olo_recorder *recorder, const char *name)
{
    snprintf(recorder->axis, sizeof recorder->axis, "%s", name);
}

void olo_recorder_add_finding(olo_recorder *recorder, olo_verdict_level level, const char *text)
{
    const size_t used = strlen(recorder->findings), longest = sizeof recorder->findings;
    if (used + strlen(text) + 16 < longest)
        snprintf(recorder->findings + used, longest - used, "%s%s %s", used > 0 ? "\n" : "",
                 olo_verdict_level_name(level), text);
}

void olo_recorder_set_optimum(olo_recorder *recorder, const olo_record_optimum *optimum)
{
    recorder->optimum = *optimum;
}

void olo_recorder_set_feedback(olo_recorder *recorder, const olo_feedback *feedback)
{
    recorder->feedback = feedback;
}

/* ---- watching -------------------------------------------------------------------------------- */

/* True if a sample is due: at the start, at the end, and at intervals between them. */
static bool is_sample_due(const olo_recorder *recorder, const olo_state *state)
{
    const double span = recorder->run.end - recorder->summary.start;
    const long since = recorder->verdict.states - recorder->verdict.sampled;
    return recorder->verdict.states <= 1 || state->t >= recorder->run.end ||
           (since >= STEPS_BETWEEN_SAMPLES &&
            state->t - recorder->verdict.sample_time >= span / SAMPLES);
}

/* Measures the sizes that drifts are compared with. */
static void sample_sizes(olo_recorder *recorder, const olo_state *state)
{
    const olo_system *system = recorder->system;
    olo_verdict_record *verdict = &recorder->verdict;
    olo_sizes sizes;
    const bool judged = recorder->normal_motion != NULL && verdict->velocities;
    if (judged)
        (void)olo_normal_motion_at(recorder->normal_motion, state, recorder->normal);
    olo_sizes_measure(system, state, judged ? recorder->normal : NULL, recorder->work, &sizes,
                      verdict->parts > 0 ? recorder->part_sizes : NULL);
    olo_verdict_raise(&verdict->whole, &sizes, 0.0);
    for (int p = 0; p < verdict->parts; p++)
        olo_verdict_raise(&verdict->part[p], &recorder->part_sizes[p], verdict->whole.kinetic);
    olo_raise(&verdict->reach, olo_system_reach(system, state));
    if (!(verdict->reach <= 2.0 * verdict->measured_reach)) { // sizes of rows change with distances
        const olo_row_growth rows = olo_system_row_growth(system, state, recorder->work);
        olo_raise(&verdict->row_growth, rows.growth);
        olo_raise(&verdict->remote, rows.remote);
        verdict->measured_reach = verdict->reach;
    }
    verdict->sampled = verdict->states;
    verdict->sample_time = state->t;
}

/* Adds a state to the verdict: the whole system at every step, its connected parts with every
 * row. */
static void follow(olo_recorder *recorder, const olo_state *state, const olo_ledger *ledger)
{
    olo_verdict_add(&recorder->verdict, ledger, recorder->summary.halvings);
    olo_verdict_add_contacts(&recorder->verdict, recorder->system, state);
    if (is_sample_due(recorder, state))
        sample_sizes(recorder, state);
}

/* Finds the accelerations at the last state, and writes the forces of constraints to it. NULL: they
 * are not known; accelerations of outputs are the change of velocity over the step. */
static const double *find_accelerations(const olo_recorder *recorder)
{
    const bool motion = recorder->accelerations && recorder->axis[0] == '\0';
    if (!motion || !olo_accelerations_at(recorder->accelerations, recorder->last,
                                         recorder->controlled ? recorder->inputs : NULL))
        return NULL;
    if (recorder->last->h != 0) // an initial state has no forces
        olo_record_forces(recorder->accelerations, recorder->last);
    return olo_accelerations_values(recorder->accelerations);
}

/* Writes a row: the last state and the ledger of the steps since the last row. */
static olo_status record(olo_recorder *recorder, olo_error *error)
{
    return recorder->file == NULL
               ? OLO_OK
               : olo_record_file_row(recorder->file, recorder->last, find_accelerations(recorder),
                                     recorder->summary.steps, &recorder->ledger, error);
}

static olo_status record_full_row(olo_recorder *recorder, const olo_state *state, olo_error *error)
{
    if (recorder->verdict.parts > 0) {
        olo_system_part_ledgers(recorder->system, state, recorder->part_ledgers);
        olo_verdict_add_parts(&recorder->verdict, recorder->part_ledgers);
    }
    const olo_status status = record(recorder, error);
    recorder->rows++;
    olo_thinning_clear(&recorder->ledger);
    return status;
}

static olo_status make_checkpoint(olo_recorder *recorder, bool sync, olo_error *error)
{
    const olo_run_summary before = recorder->summary;
    olo_bytes bytes = {
        .mode = OLO_BYTES_SAVE, .block = recorder->saved.bytes, .size = recorder->saved.size};
    recorder->summary.wall_seconds += olo_clock_seconds() - recorder->began;
    recorder->summary.cpu_seconds += olo_cpu_seconds() - recorder->began_cpu;
    pass_fields(recorder, &bytes);
    olo_state_save(recorder->last, bytes.block + bytes.at);
    recorder->summary = before;
    return olo_record_file_checkpoint(recorder->file, recorder->saved, sync, error);
}

/* The time of the first state determines the number of steps, and so the steps per row. */
static void begin(olo_recorder *recorder, const olo_state *state)
{
    const long steps = expected_steps(recorder, state->t);
    recorder->stride = olo_thinning_stride(steps, recorder->frames);
    recorder->summary.start = state->t;
}

/* True if a row is complete: after `stride` steps or, where a tolerance chooses the steps, when a
 * grid point is passed. */
static bool is_full(const olo_recorder *recorder, const olo_state *state,
                    const olo_step_report *report)
{
    const olo_run *run = &recorder->run;
    if (!(run->tolerance > 0.0) || report == NULL)
        return recorder->ledger.count >= recorder->stride;
    const double start = recorder->summary.start, rounding = 1e-9;
    const double line = run->grid > 0.0 ? run->grid * (double)recorder->stride
                                        : (run->end - start) / (double)recorder->frames;
    const double now = (state->t - start) / line, before = now - report->size / line;
    return floor(now + rounding) > floor(before + rounding);
}

/* The part of the velocities that is no motion depends on the mode of the system. */
static olo_status follow_mode(olo_recorder *recorder, const olo_system *mode, olo_error *error)
{
    olo_status status = OLO_OK;
    if (!recorder->other_mode)
        return OLO_OK;
    recorder->other_mode = false;
    if (recorder->accelerations) {
        olo_accelerations_free(recorder->accelerations);
        recorder->accelerations = NULL;
        status = create_accelerations(recorder, mode, error);
    }
    if (status != OLO_OK || !recorder->normal_motion)
        return status;
    olo_normal_motion_free(recorder->normal_motion);
    recorder->normal_motion = NULL;
    return olo_normal_motion_create(mode, &recorder->run, &recorder->normal_motion, error);
}

static olo_status record_step(void *context, const olo_system *system, const olo_state *state,
                              long step, const olo_step_report *report, olo_error *error)
{
    olo_recorder *recorder = context;
    olo_ledger ledger;
    double row[OLO_LEDGER_COLUMNS];
    olo_status status = follow_mode(recorder, system, error);
    if (status != OLO_OK)
        return status;
    olo_system_ledger(system, state, &ledger);
    olo_layout_ledger(&ledger, state->t, report != NULL ? report->iterations : 0, row);
    olo_thinning_add(&recorder->ledger, row);

    const bool first = recorder->stride == 0;
    if (first)
        begin(recorder, state);
    if (step > 0 && report != NULL)
        olo_summary_add(&recorder->summary, report, true);
    recorder->summary.steps = step;
    follow(recorder, state, &ledger);
    if (recorder->file != NULL) {
        olo_state_copy(state, recorder->last); // a run may end at any step
        recorder->controlled = report != NULL && report->inputs != NULL;
        for (int i = 0; recorder->controlled && i < system->action_count; i++)
            recorder->inputs[i] = report->inputs[i];
    }
    if (first || is_full(recorder, state, report))
        status = record_full_row(recorder, state, error);
    if (status == OLO_OK && recorder->file != NULL &&
        (first || olo_record_file_is_due(recorder->file)))
        status = make_checkpoint(recorder, !first, error);
    return status;
}

static void record_warning(void *context, const char *text)
{
    olo_recorder *recorder = context;
    const size_t used = strlen(recorder->warnings);
    snprintf(recorder->warnings + used, sizeof recorder->warnings - used, "%s%s",
             used > 0 ? "\n" : "", text);
}

static void record_event(void *context, const char *name, const olo_state *state)
{
    olo_recorder *recorder = context;
    char text[160];
    snprintf(text, sizeof text, "Event '%s' at t = %.9g.", name, state->t);
    olo_recorder_add_finding(recorder, OLO_VERDICT_OK, text);
    recorder->other_mode = true;
}

olo_observer olo_recorder_observer(olo_recorder *recorder)
{
    olo_observer observer = olo_observer_default();
    observer.context = recorder;
    observer.ignores_forces = true; // it finds those of its rows
    observer.step = record_step;
    observer.warn = record_warning;
    observer.event = record_event;
    return observer;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Writes a checkpoint, the incomplete last row and the end of the file. The incomplete row is for
 * readers; a continued run writes it again when it is complete. */
static olo_status finish_file(olo_recorder *recorder, const olo_record_end *end, olo_error *error)
{
    olo_status status = OLO_OK;
    if (recorder->stride > 0)
        status = make_checkpoint(recorder, false, error); // the writes that follow are synced
    if (status == OLO_OK && recorder->ledger.count > 0)
        status = record(recorder, error);
    return status != OLO_OK ? status : olo_record_file_finish(recorder->file, end, error);
}

static long steps_per_row(const olo_recorder *recorder)
{
    return recorder->run.tolerance > 0.0 && recorder->rows > 0
               ? (recorder->summary.steps + recorder->rows - 1) / recorder->rows
               : recorder->stride;
}

olo_status olo_recorder_finish(olo_recorder *recorder, const olo_run_summary *summary,
                               olo_status status, olo_error *error)
{
    if (recorder->file == NULL)
        return OLO_OK;
    if (status != OLO_OK) {
        const bool described = error != NULL && error->status == status && error->text[0] != '\0';
        snprintf(recorder->error_text, sizeof recorder->error_text, "%s",
                 described ? error->text : olo_status_text(status));
    }
    if (summary != NULL && summary->halvings > 0) {
        char text[160];
        snprintf(text, sizeof text,
                 "Steps were halved %ld times, because Newton's method did not converge: try a "
                 "smaller step.",
                 summary->halvings);
        olo_recorder_add_finding(recorder, OLO_VERDICT_WARN, text);
    }
    olo_verdict verdicts[OLO_VERDICTS_MAX];
    const olo_record_end end = {.summary = summary,
                                .status = status,
                                .error = recorder->error_text,
                                .warnings = recorder->warnings,
                                .findings = recorder->findings,
                                .axis = recorder->axis,
                                .shows = recorder->shows,
                                .stride = steps_per_row(recorder),
                                .level = olo_recorder_verdict_level(recorder),
                                .verdicts = verdicts,
                                .verdict_count = olo_recorder_verdicts(recorder, verdicts),
                                .optimum = recorder->optimum.optimum ? &recorder->optimum : NULL,
                                .feedback = recorder->feedback};
    olo_error failure = {0};
    const olo_status finished = finish_file(recorder, &end, &failure);
    olo_record_file_free(recorder->file);
    recorder->file = NULL;
    if (finished != OLO_OK) {
        // the failure of the run comes first, unless this file caused it
        const bool both = status != OLO_OK && strstr(recorder->error_text, failure.text) == NULL;
        olo_fail(error, finished, "%s%s%s", both ? recorder->error_text : "", both ? "; " : "",
                 failure.text);
    }
    return finished;
}

int olo_recorder_verdicts(const olo_recorder *recorder, olo_verdict verdicts[OLO_VERDICTS_MAX])
{
    return olo_verdict_list(&recorder->verdict, recorder->system, verdicts);
}

olo_verdict_level olo_recorder_verdict_level(const olo_recorder *recorder)
{
    olo_verdict verdicts[OLO_VERDICTS_MAX];
    const int count = olo_recorder_verdicts(recorder, verdicts);
    olo_verdict_level worst = recorder->warnings[0] != '\0' ? OLO_VERDICT_WARN : OLO_VERDICT_OK;
    for (int i = 0; i < count; i++)
        worst = verdicts[i].level > worst ? verdicts[i].level : worst;
    return worst;
}

void olo_recorder_free(olo_recorder *recorder)
{
    if (recorder == NULL)
        return;
    if (recorder->file != NULL && recorder->stride > 0)
        (void)make_checkpoint(recorder, true, NULL); // not finished: the run can continue from here
    olo_record_file_free(recorder->file);
    olo_state_free(recorder->last);
    olo_normal_motion_free(recorder->normal_motion);
    olo_accelerations_free(recorder->accelerations);
    olo_pool_free(&recorder->pool);
    olo_free(recorder);
}
