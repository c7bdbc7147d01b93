/* Comparison of the treatments of constraints on the same run: size, cost, drifts of conserved
 * quantities, and the condition numbers of their iteration matrices for a list of steps. These are
 * the tables 4.1 and 4.2 of the thesis and table II of Betsch and Leyendecker, part II.
 *
 * Processor time is that of the run without observers, made so often that it can be measured. The
 * minimum of several batches counts, since every disturbance makes a measurement longer. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/initialised.h"
#include "base/memory.h"
#include "oloid/results.h"
#include "stepping/registry.h"
#include "study/study.h"
#include "system/system.h"

/* Runs are made during ALL_SECONDS, in batches of at least BATCH_SECONDS: with short batches
 * one of them is undisturbed. */
static const double ALL_SECONDS = 0.2;
static const double BATCH_SECONDS = 0.01;

/* The iteration matrix of `augmented` is that of its inner problem: one solution of it is enough,
 * while the outer loop would not converge at small steps. This is the largest tolerance that is
 * allowed. */
static const double INNER_TOLERANCE = 1.0;

/* Sums over the steps of a run. */
typedef struct tally {
    long passes;
} tally;

static olo_status count_passes(void *context, const olo_system *system, const olo_state *state,
                               long step, const olo_step_report *report, olo_error *error)
{
    (void)system, (void)state, (void)step, (void)error;
    ((tally *)context)->passes += report->passes;
    return OLO_OK;
}

static olo_run run_of(const olo_study *study, const olo_treatment_choice *choice)
{
    olo_run run = *study->run;
    run.constraints = choice->constraints;
    if (choice->penalty > 0)
        run.penalty = choice->penalty;
    return run;
}

static void name_of(const olo_treatment_choice *choice, const char *what, double number, char *text,
                    size_t size)
{
    char penalty[32] = "", more[48] = "";
    if (choice->penalty > 0)
        (void)snprintf(penalty, sizeof penalty, " %.3g", choice->penalty);
    if (what)
        (void)snprintf(more, sizeof more, ", %s%.3g", what, number);
    (void)snprintf(text, size, "%s%s%s", choice->constraints, penalty, more);
}

/* ---- conserved quantities -------------------------------------------------------------------- */

static void copy_verdicts(const olo_recorder *recorder, olo_comparison_row *row)
{
    olo_verdict verdicts[OLO_VERDICTS_MAX];
    const int count = olo_recorder_verdicts(recorder, verdicts);
    row->momentum_drift = row->constraint_max = 0;
    for (int i = 0; i < count; i++)
        if (verdicts[i].kind == OLO_VERDICT_CONSTRAINTS)
            row->constraint_max = verdicts[i].drift;
        else if (verdicts[i].kind == OLO_VERDICT_ENERGY)
            row->energy_drift = verdicts[i].relative_drift;
        else if (verdicts[i].kind == OLO_VERDICT_MOMENTUM)
            row->momentum_drift = fmax(row->momentum_drift, verdicts[i].relative_drift);
}

/* Runs with observers, which measure everything except processor time. */
static olo_status observe(const olo_study *study, const olo_run *run, olo_observer *observers,
                          olo_comparison_row *row, olo_state **end, olo_error *error)
{
    char what[64];
    tally sums = {0};
    olo_recorder *recorder = NULL;
    olo_run_summary summary = {0};
    olo_status status = olo_recorder_create(NULL, NULL, study->system, run, "", &recorder, error);
    if (status != OLO_OK)
        return status;
    const int count = study->observer_count;
    observers[count] = olo_recorder_observer(recorder);
    observers[count + 1] = olo_observer_default();
    observers[count + 1].context = &sums;
    observers[count + 1].step = count_passes;
    name_of(&row->treatment, NULL, 0, what, sizeof what);
    status = olo_study_run(study, what, run, observers, count + 2, end, &summary, error);
    row->steps = summary.steps;
    row->iterations = summary.iterations;
    row->halvings = summary.halvings;
    row->passes = sums.passes;
    copy_verdicts(recorder, row);
    if (*end) {
        olo_ledger ledger;
        olo_system_ledger(study->system, *end, &ledger);
        row->constraint_end = ledger.constraint_error;
    }
    olo_recorder_free(recorder);
    return status;
}

/* ---- processor time -------------------------------------------------------------------------- */

/* Mean seconds per run over `count` runs. */
static olo_status time_batch(const olo_study *study, const char *what, const olo_run *run,
                             long count, double *seconds, olo_error *error)
{
    olo_status status = OLO_OK;
    double sum = 0;
    for (long i = 0; i < count && status == OLO_OK; i++) {
        olo_state *state = NULL;
        olo_run_summary summary = {0};
        status = olo_study_run(study, what, run, study->observers, study->observer_count, &state,
                               &summary, error);
        sum += summary.cpu_seconds;
        olo_state_free(state);
    }
    *seconds = sum / (double)count;
    return status;
}

static olo_status measure_time(const olo_study *study, const olo_run *run, olo_comparison_row *row,
                               olo_error *error)
{
    char what[64];
    double seconds = 0;
    name_of(&row->treatment, NULL, 0, what, sizeof what);
    (void)strncat(what, ", timing", sizeof what - strlen(what) - 1);
    olo_status status = time_batch(study, what, run, 1, &seconds, error);
    row->cpu_seconds = seconds;
    const long count = (long)fmin(ceil(BATCH_SECONDS / fmax(seconds, 1e-9)), 1e6);
    for (double spent = seconds; spent < ALL_SECONDS && status == OLO_OK;) {
        status = time_batch(study, what, run, count, &seconds, error);
        spent += fmax(seconds * (double)count, 1e-3 * ALL_SECONDS);
        if (status == OLO_OK)
            row->cpu_seconds = fmin(row->cpu_seconds, seconds);
    }
    return status;
}

/* ---- condition numbers ----------------------------------------------------------------------- */

static bool is_stopped(const olo_study *study)
{
    for (int i = 0; i < study->observer_count; i++)
        if (study->observers[i].stop && study->observers[i].stop(study->observers[i].context))
            return true;
    return false;
}

/* Makes steps of `h` to the time `at`, at least one; the matrix is that of the last step. */
static olo_status step_and_measure(const olo_study *study, const olo_run *run, double at,
                                   olo_stepper *stepper, olo_state *state, double *condition,
                                   olo_error *error)
{
    const double span = at - olo_state_time(state);
    const long steps = span > 1.5 * run->step ? lround(span / run->step) : 1;
    olo_status status = OLO_OK;
    for (long i = 0; i < steps && status == OLO_OK; i++) {
        status = olo_stepper_step(stepper, state, run->step, error);
        if (status == OLO_OK && is_stopped(study))
            status = olo_fail(error, OLO_INTERRUPTED, "interrupted");
    }
    return status == OLO_OK ? olo_stepper_compute_condition(stepper, condition, error) : status;
}

static olo_status measure_condition(const olo_study *study, const olo_treatment_choice *choice,
                                    double h, double at, double *condition, olo_error *error)
{
    olo_run run = run_of(study, choice);
    run.step = h;
    run.halvings = 0; /* the matrix must belong to h */
    run.order = 2;
    run.augmented_tolerance = INNER_TOLERANCE;
    olo_stepper *stepper = NULL;
    olo_state *state = NULL;
    double value = (double)NAN;
    olo_status status = olo_stepper_create(study->system, &run, &stepper, error);
    if (status == OLO_OK)
        status = olo_state_clone(study->start, &state, error);
    if (status == OLO_OK)
        status = step_and_measure(study, &run, at, stepper, state, &value, error);
    olo_state_free(state);
    olo_stepper_free(stepper);
    *condition = status == OLO_OK ? value : (double)NAN;
    return status;
}

static olo_status measure_conditions(const olo_study *study, const olo_comparison *setup,
                                     olo_comparison_row *row, double *conditions)
{
    for (int k = 0; k < setup->step_count; k++) {
        char what[64];
        olo_error failure = {0};
        name_of(&row->treatment, "condition at h = ", setup->steps[k], what, sizeof what);
        const olo_status status = measure_condition(study, &row->treatment, setup->steps[k],
                                                    setup->at, &conditions[k], &failure);
        if (status == OLO_OK)
            continue;
        if (row->condition_failure.status == OLO_OK) {
            row->condition_failure = failure;
            (void)olo_fail_context(&row->condition_failure, status, "%s", what);
        }
        if (olo_study_ends(status))
            return status;
    }
    return OLO_OK;
}

/* ---- the table ------------------------------------------------------------------------------- */

static olo_status fill_row(const olo_study *study, const olo_comparison *setup,
                           olo_observer *observers, olo_comparison_row *row, double *conditions,
                           olo_state **end)
{
    const olo_run run = run_of(study, &row->treatment);
    olo_error *failure = &row->failure;
    olo_status status = olo_run_unknowns(study->system, &run, &row->unknowns, failure);
    if (status == OLO_OK)
        status = observe(study, &run, observers, row, end, failure);
    if (status == OLO_OK && setup->cpu)
        status = measure_time(study, &run, row, failure);
    /* a failed run may have condition numbers, an unavailable treatment has none */
    if (olo_study_ends(status) || row->unknowns == 0)
        return olo_study_ends(status) ? status : OLO_OK;
    return measure_conditions(study, setup, row, conditions);
}

static olo_comparison_row empty_row(const olo_treatment_choice *choice)
{
    const double unknown = (double)NAN;
    return (olo_comparison_row){.treatment = *choice,
                                .constraint_end = unknown,
                                .constraint_max = unknown,
                                .energy_drift = unknown,
                                .momentum_drift = unknown,
                                .difference = olo_errors_unknown(),
                                .largest_difference = unknown,
                                .cpu_seconds = unknown,
                                .cpu_ratio = unknown};
}

/* The row that others are compared with: that of the default treatment, or the first one. */
static int find_base(const olo_comparison_row *rows, olo_state *const *ends, int count)
{
    int first = -1;
    for (int i = 0; i < count; i++) {
        if (rows[i].failure.status != OLO_OK || !ends[i])
            continue;
        if (strcmp(rows[i].treatment.constraints, olo_treatment_names[0]) == 0)
            return i;
        if (first < 0)
            first = i;
    }
    return first;
}

static void compare_with(const olo_study *study, int base, olo_comparison_row *rows,
                         olo_state *const *ends, int count, double *work)
{
    const int n = study->system->n;
    const double *q = ends[base]->q;
    double *p = work;
    olo_system_mass_times(study->system, ends[base]->v, p);
    for (int i = 0; i < count; i++) {
        if (rows[i].failure.status != OLO_OK || !ends[i])
            continue;
        rows[i].difference = olo_errors_between(study->system, ends[i], q, p, NULL, work + n);
        rows[i].cpu_ratio = rows[i].cpu_seconds / rows[base].cpu_seconds;
        rows[i].largest_difference = 0;
        for (int k = 0; k < n; k++)
            rows[i].largest_difference =
                fmax(rows[i].largest_difference, fabs(ends[i]->q[k] - q[k]));
    }
}

/* Computes the rows until a failure ends the study. */
static olo_status fill_rows(const olo_study *study, const olo_comparison *setup,
                            olo_observer *observers, olo_comparison_row *rows, double *conditions,
                            olo_state **ends, olo_error *error)
{
    olo_status status = OLO_OK;
    for (int i = 0; i < study->observer_count; i++)
        observers[i] = study->observers[i];
    for (int i = 0; i < setup->treatment_count && status == OLO_OK; i++) {
        double *own = setup->step_count > 0 ? conditions + i * setup->step_count : NULL;
        status = fill_row(study, setup, observers, &rows[i], own, &ends[i]);
        if (status != OLO_OK)
            (void)olo_fail(error, status, "%s", olo_status_text(status));
    }
    return status;
}

olo_comparison olo_comparison_default(void)
{
    return (olo_comparison){.initialised = OLO_INITIALISED_COMPARISON};
}

olo_status olo_compare_treatments(const olo_study *study, const olo_comparison *setup,
                                  olo_comparison_row *rows, double *conditions, int *base,
                                  olo_error *error)
{
    *base = -1;
    if (olo_study_check(study, error) != OLO_OK ||
        olo_check_initialised(setup->initialised, OLO_INITIALISED_COMPARISON, error) != OLO_OK)
        return OLO_BAD_INPUT;
    const int count = setup->treatment_count;
    for (int i = 0; i < count; i++)
        rows[i] = empty_row(&setup->treatments[i]);
    for (int i = 0; i < count * setup->step_count; i++)
        conditions[i] = (double)NAN;

    olo_state **ends = olo_alloc((size_t)count, sizeof(olo_state *));
    olo_observer *observers = olo_alloc((size_t)study->observer_count + 2, sizeof *observers);
    double *work = olo_alloc(2 * (size_t)study->system->n, sizeof *work);
    olo_status status = OLO_OK;
    if (!ends || !observers || !work) {
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for a comparison");
    } else {
        status = fill_rows(study, setup, observers, rows, conditions, ends, error);
        *base = find_base(rows, ends, count);
        if (*base >= 0)
            compare_with(study, *base, rows, ends, count, work);
    }
    for (int i = 0; ends && i < count; i++)
        olo_state_free(ends[i]);
    olo_free(ends);
    olo_free(observers);
    olo_free(work);
    return status;
}
