/* Convergence of errors with the step size. The order between two steps and the slope over all of
 * them are
 *
 *     order = log(e'/e) / log(h'/h),
 *     slope = sum (x - mean x)(y - mean y) / sum (x - mean x)^2,   x = log h,  y = log e.
 *
 * Multipliers are compared at the end of the run. Those of energy-momentum-2006 belong to the
 * middles of steps and, as the step reflects velocities normal to the constraints, oscillate about
 * their values from step to step: the mean of the last step and the next is of second order at the
 * end. Those of variational belong to the node where a step begins: the next step has them. The
 * multipliers of the last step, taken as values at the end, have order 1 (thesis, figures 4.3, 4.6,
 * 4.13). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "stepping/accelerations.h"
#include "stepping/initial_state.h"
#include "stepping/step.h"
#include "study/discrete_action.h"
#include "study/study.h"
#include "system/system.h"

/* The reference of the errors. Without a state only the vectors that the model names are known. */
typedef struct reference {
    double *q, *p, *work;
    double *tangential;   /* tangential momentum; that of an exact solution is tangential */
    double *node;         /* [m] multipliers at the end; unknown without `state` */
    double *mine;         /* [m] multipliers of a row at the end */
    const double *lambda; /* of `state`; NULL: unknown */
    olo_state *state;     /* end of the reference run; NULL: exact solution */
    bool whole;
} reference;

static olo_status out_of_memory(olo_error *error)
{
    return olo_fail(error, OLO_NO_MEMORY, "out of memory for a study of convergence");
}

/* Runs with the observers of the study and, if the study asks for the action, with one more. */
static olo_status run_with_action(const olo_study *study, const char *what, const olo_run *run,
                                  olo_state **state, olo_run_summary *sum, double *action,
                                  double *fastest, olo_error *error)
{
    const int count = study->observer_count;
    *action = *fastest = (double)NAN;
    *state = NULL;
    if (!study->action)
        return olo_study_run(study, what, run, study->observers, count, state, sum, error);
    olo_discrete_action discrete = {0};
    olo_observer *all = olo_alloc((size_t)count + 1, sizeof *all);
    olo_status status = OLO_NO_MEMORY;
    if (all && olo_discrete_action_open(&discrete, study->system)) {
        all[0] = olo_discrete_action_observer(&discrete);
        if (count > 0)
            memcpy(all + 1, study->observers, (size_t)count * sizeof *all);
        status = olo_study_run(study, what, run, all, count + 1, state, sum, error);
    } else {
        (void)out_of_memory(error);
    }
    if (status == OLO_OK) {
        *action = discrete.action;
        *fastest = discrete.fastest;
    }
    olo_discrete_action_close(&discrete);
    olo_free(all);
    return status;
}

/* Evaluates the exact solution (q, p) at time t; p only if the configuration is complete. */
static void evaluate_exact(const olo_system *system, double t, reference *ref)
{
    ref->whole = olo_system_exact_solution(system, t, ref->q, ref->work);
    olo_system_mass_times(system, ref->work, ref->p);
}

/* The error of the vectors that the exact solution names. */
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

/* The multipliers at the end of a run with consistent velocities, from the accelerations there; NaN
 * where these are not determined. */
static olo_status find_end(const olo_study *study, const olo_run *run, const olo_state *state,
                           double *lambda, olo_error *error)
{
    olo_accelerations *at = NULL;
    const olo_status status = olo_accelerations_create(study->system, run->step, &at, error);
    if (status != OLO_OK)
        return status;
    const bool found = olo_accelerations_at(at, state, NULL);
    for (int i = 0; i < study->system->m; i++)
        lambda[i] = found ? olo_accelerations_multipliers(at)[i] : (double)NAN;
    olo_accelerations_free(at);
    return OLO_OK;
}

/* The multipliers at the end of a run, from one more step; NaN where the step fails. */
static olo_status find_node(const olo_study *study, const olo_run *run, const olo_state *state,
                            double *lambda, olo_error *error)
{
    const olo_system *system = study->system;
    olo_stepper *stepper = NULL;
    olo_state *next = NULL;
    olo_error unsolved = {0};
    if (olo_scheme_of(run)->consistent)
        return find_end(study, run, state, lambda, error);
    olo_status status = olo_stepper_create(system, run, &stepper, error);
    if (status == OLO_OK)
        status = olo_state_clone(state, &next, error);
    if (status == OLO_OK) {
        const bool solved = olo_stepper_step(stepper, next, run->step, &unsolved) == OLO_OK;
        const double share = olo_scheme_find(run->scheme)->evaluation.at_start ? 0.0 : 0.5;
        for (int i = 0; i < system->m; i++)
            lambda[i] =
                solved ? share * state->lambda[i] + (1 - share) * next->lambda[i] : (double)NAN;
    }
    olo_state_free(next);
    olo_stepper_free(stepper);
    return status;
}

/* The momentum without its part normal to the constraints. */
static olo_status find_tangential(const olo_system *system, const olo_state *state,
                                  double *momentum, olo_error *error)
{
    olo_state *copy = NULL;
    olo_status status = olo_state_clone(state, &copy, error);
    if (status == OLO_OK)
        status = olo_state_make_tangent(system, copy, error);
    if (status == OLO_OK)
        olo_system_mass_times(system, copy->v, momentum);
    olo_state_free(copy);
    return status;
}

/* Errors beside those of the state: tangential momentum and multipliers. */
static olo_status measure_more(const olo_study *study, const olo_run *run, const olo_state *state,
                               reference *ref, olo_errors *errors, olo_error *error)
{
    const olo_system *system = study->system;
    if (!ref->whole)
        return OLO_OK;
    olo_status status = find_tangential(system, state, ref->work, error);
    if (status == OLO_OK)
        errors->tangential = olo_distance(system->n, ref->work, ref->tangential);
    const bool multipliers = ref->state && system->m > 0;
    if (status == OLO_OK && multipliers)
        status = find_node(study, run, state, ref->mine, error);
    if (status == OLO_OK && multipliers)
        errors->lambda = olo_distance(system->m, ref->mine, ref->node);
    return status;
}

static olo_errors measure(const olo_system *system, const olo_state *state, reference *ref)
{
    if (ref->whole)
        return olo_errors_between(system, state, ref->q, ref->p, ref->lambda, ref->work);
    olo_errors errors = olo_errors_unknown();
    errors.q = error_of_vectors(system, state, olo_state_time(state));
    return errors;
}

static olo_status open_exact(const olo_study *study, reference *ref,
                             olo_convergence_summary *summary, olo_error *error)
{
    const olo_system *system = study->system;
    if (!olo_system_has_exact_solution(system))
        return olo_fail(error, OLO_BAD_INPUT,
                        "the model gives no exact solution (section 'exact'); give the step of a "
                        "reference run instead");
    /* the initial state should be that of the exact solution: its error shows whether it is */
    evaluate_exact(system, olo_state_time(study->start), ref);
    const olo_errors start = measure(system, study->start, ref);
    summary->start_error = ref->whole ? start.z : start.q;
    evaluate_exact(system, study->run->end, ref);
    memcpy(ref->tangential, ref->p, (size_t)system->n * sizeof *ref->p);
    return OLO_OK;
}

static olo_status open_reference(const olo_study *study, reference *ref,
                                 olo_convergence_summary *summary, olo_error *error)
{
    const size_t n = (size_t)study->system->n, m = (size_t)study->system->m;
    ref->q = olo_alloc(4 * n + 2 * m, sizeof *ref->q);
    if (!ref->q)
        return out_of_memory(error);
    ref->p = ref->q + n;
    ref->work = ref->p + n;
    ref->tangential = ref->work + n;
    ref->node = ref->tangential + n;
    ref->mine = ref->node + m;
    if (summary->reference == 0)
        return open_exact(study, ref, summary, error);

    char what[64];
    (void)snprintf(what, sizeof what, "reference, h = %.6g", summary->reference);
    olo_run run = *study->run;
    run.step = summary->reference;
    run.step_count = 0;
    olo_status status = run_with_action(study, what, &run, &ref->state, NULL, &summary->action,
                                        &summary->fastest, error);
    if (status != OLO_OK)
        return olo_fail_context(error, status, "reference run");
    status = find_tangential(study->system, ref->state, ref->tangential, error);
    if (status == OLO_OK && m > 0)
        status = find_node(study, &run, ref->state, ref->node, error);
    if (status != OLO_OK)
        return status;
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

/* Steps of equal size to the end: finds the step nearest to `wanted` that divides the time span. */
static olo_status divide(const olo_study *study, double wanted, double *step, olo_error *error)
{
    const double span = study->run->end - olo_state_time(study->start);
    if (!(wanted > 0) || !isfinite(wanted))
        return olo_fail(error, OLO_BAD_INPUT, "a step must be positive, got %g", wanted);
    if (!(span > 0) || !isfinite(span))
        return olo_fail(error, OLO_BAD_INPUT, "the end time must be after the start, got %g",
                        study->run->end);
    const double count = fmax(round(span / wanted), 1.0);
    /* where it divides the span up to rounding it is unchanged, so that a run with this step gives
     * the same bits */
    *step = fabs(count * wanted - span) <= 1e-9 * span ? wanted : span / count;
    return OLO_OK;
}

static olo_status run_row(const olo_study *study, reference *ref, const double *action,
                          olo_convergence_row *row, olo_error *error)
{
    char what[64];
    (void)snprintf(what, sizeof what, "h = %.6g", row->step);
    olo_run run = *study->run;
    run.step = row->step;
    run.step_count = 0;
    olo_state *state = NULL;
    olo_run_summary summary = {0};
    olo_status status = run_with_action(study, what, &run, &state, &summary, &row->action,
                                        &row->fastest, &row->failure);
    row->steps = summary.steps;
    row->iterations = summary.iterations;
    row->cpu_seconds = summary.cpu_seconds;
    row->error = status == OLO_OK ? measure(study->system, state, ref) : olo_errors_unknown();
    if (status == OLO_OK)
        status = measure_more(study, &run, state, ref, &row->error, &row->failure);
    if (status == OLO_OK && ref->state)
        row->error.action = olo_distance(1, &row->action, action);
    olo_state_free(state);
    return olo_study_ends(status) ? olo_fail(error, status, "%s", row->failure.text) : OLO_OK;
}

/* The errors as a list. */
static double *component(olo_errors *errors, int i)
{
    double *const list[] = {&errors->q,      &errors->p,          &errors->z,
                            &errors->lambda, &errors->tangential, &errors->lambda_step,
                            &errors->action};
    return list[i];
}
enum { COMPONENTS = 7 };

/* True if an error has a logarithm. */
static bool counts(double e)
{
    return isfinite(e) && e > 0;
}

static void find_order(olo_convergence_row *rows, int i)
{
    rows[i].order = olo_errors_unknown();
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

static double fit_slope(olo_convergence_row *rows, int count, int k)
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

static olo_status converge(const olo_study *study, const double *steps, int count,
                           double reference_step, olo_convergence_row *rows,
                           olo_convergence_summary *summary, olo_error *error)
{
    *summary = (olo_convergence_summary){.time = study->run->end,
                                         .slope = olo_errors_unknown(),
                                         .action = (double)NAN,
                                         .fastest = (double)NAN};
    olo_status status = OLO_OK;
    for (int i = 0; i < count && status == OLO_OK; i++) {
        rows[i] =
            (olo_convergence_row){.error = olo_errors_unknown(), .order = olo_errors_unknown()};
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
        status = run_row(study, &ref, &summary->action, &rows[i], error);
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

olo_status olo_study_convergence(const olo_study *study, const double *steps, int count,
                                 double reference_step, olo_convergence_row *rows,
                                 olo_convergence_summary *summary, olo_error *error)
{
    if (olo_study_check(study, error) != OLO_OK)
        return OLO_BAD_INPUT;
    olo_study constant = *study;
    olo_run run = *study->run;
    run.tolerance = 0; /* the study varies the step */
    run.step_count = 0;
    constant.run = &run;
    return converge(&constant, steps, count, reference_step, rows, summary, error);
}
