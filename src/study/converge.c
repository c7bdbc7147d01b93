/* How errors fall with the step. The order between two steps and the slope over all of them are
 *
 *     order = log(e'/e) / log(h'/h),
 *     slope = sum (x - mean x)(y - mean y) / sum (x - mean x)^2,   x = log h,  y = log e.
 *
 * The energy-momentum scheme has order 2 in q and p and order 1 in the multipliers, which belong to the middle of a
 * step (thesis, figures 4.3, 4.6, 4.13); those of the variational scheme belong to the node where the last step began, and
 * look first order here for the same reason, although they are second order there.
 */
#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/memory.h"
#include "study/study.h"
#include "system/system.h"

/* What errors are measured against. Without a state only the vectors that the model names are known. */
typedef struct reference {
    double *q, *p, *work;
    const double *lambda; /* of `state`; NULL: not known */
    olo_state *state;     /* end of the reference run; NULL: exact solution */
    bool whole;
} reference;

static olo_status out_of_memory(olo_error *error)
{
    return olo_fail(error, OLO_NO_MEMORY, "out of memory for a study of convergence");
}

/* The exact solution as (q, p) at time t; p only if the configuration is whole. */
static void take_exact(const olo_system *system, double t, reference *ref)
{
    ref->whole = olo_system_exact(system, t, ref->q, ref->work);
    olo_system_mass_times(system, ref->work, ref->p);
}

/* Of the vectors that the exact solution names. */
static double error_of_vectors(const olo_system *system, const olo_state *state, double t)
{
    double difference = 0, size = 0;
    for (int i = 0; i < system->exact_count; i++) {
        double x[3], exact[3], rate[3];
        olo_position_value(&system->exacts[i].position, state->q, x);
        olo_exact_vector_at(&system->exacts[i], t, exact, rate);
        for (int k = 0; k < 3; k++) {
            difference += (x[k] - exact[k]) * (x[k] - exact[k]);
            size += exact[k] * exact[k];
        }
    }
    return olo_relative(difference, size);
}

static olo_errors measure(const olo_system *system, const olo_state *state, reference *ref)
{
    if (ref->whole)
        return olo_errors_between(system, state, ref->q, ref->p, ref->lambda, ref->work);
    olo_errors errors = olo_errors_none();
    errors.q = error_of_vectors(system, state, olo_state_time(state));
    return errors;
}

static olo_status open_exact(const olo_study *study, reference *ref, olo_converge_summary *summary,
                             olo_error *error)
{
    const olo_system *system = study->system;
    if (!olo_system_has_exact(system))
        return olo_fail(error, OLO_BAD_INPUT,
                        "the model gives no exact solution (section 'exact'); give the step of a "
                        "reference run instead");
    /* the start is a state of the exact solution, too, or the solution belongs to another start */
    take_exact(system, olo_state_time(study->start), ref);
    const olo_errors start = measure(system, study->start, ref);
    summary->start_error = ref->whole ? start.z : start.q;
    take_exact(system, study->run.end, ref);
    return OLO_OK;
}

static olo_status open_reference(const olo_study *study, reference *ref,
                                 olo_converge_summary *summary, olo_error *error)
{
    const size_t n = (size_t)study->system->n;
    ref->q = olo_alloc(3 * n, sizeof *ref->q);
    if (!ref->q)
        return out_of_memory(error);
    ref->p = ref->q + n;
    ref->work = ref->p + n;
    if (summary->reference == 0)
        return open_exact(study, ref, summary, error);

    char what[64];
    (void)snprintf(what, sizeof what, "reference, h = %.6g", summary->reference);
    olo_run run = study->run;
    run.step = summary->reference;
    const olo_status status = olo_study_run(study, what, &run, study->observers,
                                            study->observer_count, &ref->state, NULL, error);
    if (status != OLO_OK)
        return olo_fail_context(error, status, "reference run");
    for (size_t i = 0; i < n; i++)
        ref->q[i] = ref->state->q[i];
    olo_system_mass_times(study->system, ref->state->v, ref->p);
    ref->lambda = ref->state->lambda;
    ref->whole = true;
    return OLO_OK;
}

static void close_reference(reference *ref)
{
    olo_free(ref->q);
    olo_state_free(ref->state);
}

/* Steps of equal size to the end: the step nearest to `wanted` that divides the time. */
static olo_status divide(const olo_study *study, double wanted, double *step, olo_error *error)
{
    const double span = study->run.end - olo_state_time(study->start);
    if (!(wanted > 0) || !isfinite(wanted))
        return olo_fail(error, OLO_BAD_INPUT, "a step must be positive, got %g", wanted);
    if (!(span > 0) || !isfinite(span))
        return olo_fail(error, OLO_BAD_INPUT, "the time must lie after the start, got %g",
                        study->run.end);
    const double count = fmax(round(span / wanted), 1.0);
    /* where it divides but for rounding it stays as it is, so that a run with this step gives the same bits */
    *step = fabs(count * wanted - span) <= 1e-9 * span ? wanted : span / count;
    return OLO_OK;
}

static olo_status run_row(const olo_study *study, reference *ref, olo_converge_row *row,
                          olo_error *error)
{
    char what[64];
    (void)snprintf(what, sizeof what, "h = %.6g", row->step);
    olo_run run = study->run;
    run.step = row->step;
    olo_state *state = NULL;
    olo_run_summary summary = {0};
    const olo_status status = olo_study_run(study, what, &run, study->observers,
                                            study->observer_count, &state, &summary, &row->failure);
    row->steps = summary.steps;
    row->iterations = summary.iterations;
    row->cpu_seconds = summary.cpu_seconds;
    row->error = status == OLO_OK ? measure(study->system, state, ref) : olo_errors_none();
    olo_state_free(state);
    return olo_study_ends(status) ? olo_fail(error, status, "%s", row->failure.text) : OLO_OK;
}

/* The four errors as a list. */
static double *component(olo_errors *errors, int i)
{
    double *const list[] = {&errors->q, &errors->p, &errors->z, &errors->lambda};
    return list[i];
}
enum { COMPONENTS = 4 };

/* Whether an error has a logarithm. */
static bool counts(double e)
{
    return isfinite(e) && e > 0;
}

static void find_order(olo_converge_row *rows, int i)
{
    rows[i].order = olo_errors_none();
    int before = i - 1;
    while (before >= 0 && rows[before].failure.status != OLO_OK)
        before--;
    if (before < 0 || rows[before].step == rows[i].step)
        return;
    const double ratio = log(rows[before].step / rows[i].step);
    for (int k = 0; k < COMPONENTS; k++) {
        const double e0 = *component(&rows[before].error, k), e1 = *component(&rows[i].error, k);
        if (counts(e0) && counts(e1))
            *component(&rows[i].order, k) = log(e0 / e1) / ratio;
    }
}

static double fit_slope(olo_converge_row *rows, int count, int k)
{
    double x0 = 0, y0 = 0, xx = 0, xy = 0;
    int n = 0;
    for (int i = 0; i < count; i++) {
        const double e = *component(&rows[i].error, k);
        if (counts(e)) {
            x0 += log(rows[i].step);
            y0 += log(e);
            n++;
        }
    }
    for (int i = 0; i < count; i++) {
        const double e = *component(&rows[i].error, k);
        if (counts(e)) {
            const double x = log(rows[i].step) - x0 / n;
            xx += x * x;
            xy += x * (log(e) - y0 / n);
        }
    }
    return xx > 0 ? xy / xx : (double)NAN;
}

olo_status olo_converge(const olo_study *study, const double *steps, int count,
                        double reference_step, olo_converge_row *rows,
                        olo_converge_summary *summary, olo_error *error)
{
    *summary = (olo_converge_summary){.time = study->run.end, .slope = olo_errors_none()};
    olo_status status = OLO_OK;
    for (int i = 0; i < count && status == OLO_OK; i++) {
        rows[i] = (olo_converge_row){.error = olo_errors_none(), .order = olo_errors_none()};
        status = divide(study, steps[i], &rows[i].step, error);
    }
    if (status == OLO_OK && reference_step != 0)
        status = divide(study, reference_step, &summary->reference, error);
    if (status != OLO_OK)
        return status;

    reference ref = {0};
    status = open_reference(study, &ref, summary, error);
    summary->whole = ref.whole;
    for (int i = 0; i < count && status == OLO_OK; i++) {
        status = run_row(study, &ref, &rows[i], error);
        if (status == OLO_OK) {
            find_order(rows, i);
            summary->rows = i + 1;
        }
    }
    for (int k = 0; k < COMPONENTS; k++)
        *component(&summary->slope, k) = fit_slope(rows, summary->rows, k);
    close_reference(&ref);
    return status;
}
