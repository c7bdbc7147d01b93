/* Problems of optimal control: guess and transcription; optimum_solve.c has the solution. */
#include "oloid/optimize.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "control/feedback.h"
#include "control/guess.h"
#include "control/optimum.h"
#include "control/refinement.h"
#include "linalg/dense.h"
#include "stepping/contact_scheme.h"
#include "stepping/events.h"

bool olo_optimize_available(void)
{
    return olo_solver_available();
}

// -- momenta --------------------------------------------------------------------------------------

/* Drops the rows of the last balance that conservation laws imply; rest at the end is impossible
 * with a momentum that nothing can change. */
static olo_status drop_implied_rows(olo_optimum *o, const double *q_end, olo_error *error)
{
    const olo_system *s = o->problem->system;
    int rows[6];
    olo_status status = olo_conserved_find(o->problem, o->state->q, &o->conserved, error);
    if (status != OLO_OK || !o->problem->rest || o->problem->start_velocities ||
        o->conserved.count == 0)
        return status;
    double *work = olo_alloc(2 * (size_t)s->n, sizeof *work);
    if (!work)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
    for (int k = 0; status == OLO_OK && k < o->conserved.count; k++) {
        const double J = olo_optimum_initial_momentum(o, k, work, work + s->n);
        double size = 0;
        for (int i = 0; i < s->n; i++)
            size += fabs(work[i] * work[s->n + i]);
        if (fabs(J) > 1e-10 * size)
            status =
                olo_fail(error, OLO_INCONSISTENT,
                         "rest at the end cannot be reached: the system starts with a momentum "
                         "(%g) that no control changes",
                         J);
    }
    olo_free(work);
    if (status == OLO_OK && o->reduced)
        return olo_reduced_drop_implied(o->reduced, &o->conserved, error);
    if (status == OLO_OK)
        status = olo_conserved_rows(s, &o->conserved, q_end, rows, error);
    for (int k = 0; status == OLO_OK && k < o->conserved.count; k++)
        olo_redundant_drop_end_row(o->transcription, rows[k]);
    return status;
}

// -- solution -------------------------------------------------------------------------------------

/* `count` numbers of another optimum at the fraction `at` of its motion, between two nodes. */
static void interpolate(const olo_optimum *from, double at, int count,
                        const double *(*numbers)(const olo_optimum *, int), double *to)
{
    const olo_control_problem *p = from->problem;
    const int k = olo_control_interval_at(p, at);
    const double *a = numbers(from, k), *b = numbers(from, k + 1),
                 part = (at - p->at[k]) / p->part[k];
    for (int i = 0; i < count; i++)
        to[i] = (1 - part) * a[i] + part * b[i];
}

double olo_optimum_part(const olo_optimum *o, const olo_optimum *from, double part)
{
    const double T = olo_optimum_duration(from);
    return o->shift > 0 ? fmin((part * o->problem->duration + o->shift) / T, 1) : part;
}

static void copy_motion(const olo_optimum *o, const olo_optimum *from, double *q)
{
    const int n = o->problem->system->n, N = o->problem->intervals;
    for (int k = 0; k <= N; k++)
        interpolate(from, olo_optimum_part(o, from, o->problem->at[k]), n,
                    olo_optimum_configuration, q + (size_t)k * (size_t)n);
    if (!olo_control_has_variable_start(o->problem))
        memcpy(q, o->state->q, (size_t)n * sizeof *q);
}

/* Velocities at the end and at the start, where they are variables of both. Those at the start are
 * not those of a motion that begins later. */
static void copy_velocities(olo_optimum *o, const olo_optimum *from)
{
    const size_t n = (size_t)o->problem->system->n;
    if (o->problem->end_velocities && from->problem->end_velocities)
        memcpy(o->x + olo_redundant_end_velocity(o->transcription),
               from->x + olo_redundant_end_velocity(from->transcription), n * sizeof *o->x);
    if (o->problem->start_velocities && from->problem->start_velocities && o->shift == 0)
        memcpy(o->x + olo_redundant_start_velocity(o->transcription),
               from->x + olo_redundant_start_velocity(from->transcription), n * sizeof *o->x);
}

/* Multipliers, controls, duration and parameters of another optimum; `lambda` is memory for the
 * multipliers of all rows. */
static void copy_rest(olo_optimum *o, const olo_optimum *from, double *lambda)
{
    const int N = o->problem->intervals;
    const double *at = o->problem->at, *part = o->problem->part;
    const olo_redundant_layout layout = olo_redundant_numbers(o->transcription);
    for (int k = 0; k <= N; k++) {
        interpolate(from, olo_optimum_part(o, from, at[k]), o->problem->system->m,
                    olo_optimum_multipliers, lambda);
        for (int i = 0; i < layout.multipliers; i++)
            o->x[olo_redundant_multipliers(o->transcription, k) + i] = lambda[layout.rows[i]];
    }
    for (int k = 0; k < N; k++)
        memcpy(o->x + olo_redundant_controls(o->transcription, k),
               olo_optimum_controls(
                   from, olo_control_interval_at(from->problem,
                                                 olo_optimum_part(o, from, at[k] + 0.5 * part[k]))),
               (size_t)o->problem->controls * sizeof *o->x);
    copy_velocities(o, from);
    o->x[olo_redundant_duration(o->transcription)] =
        o->shift > 0 ? o->problem->duration : olo_optimum_duration(from);
    for (int i = 0; i < o->problem->parameter_count; i++)
        for (int j = 0; j < from->problem->parameter_count; j++)
            if (strcmp(o->problem->parameters[i].name, from->problem->parameters[j].name) == 0)
                olo_optimum_parameters(o, false)[i] = olo_optimum_parameters(from, false)[j];
}

static olo_status check_start(const olo_optimum *o, const olo_optimum *from, olo_error *error)
{
    const olo_control_problem *p = o->problem;
    bool same = from->problem->system->n == p->system->n &&
                from->problem->system->m == p->system->m && from->problem->controls == p->controls;
    for (int k = 0; same && k < p->controls; k++)
        same = strcmp(p->control_name[k], from->problem->control_name[k]) == 0;
    return same ? OLO_OK
                : olo_fail(error, OLO_BAD_INPUT,
                           "start: the optimum belongs to another model or has other controls");
}

/* The programme of the chosen transcription. */
static const olo_nlp *solved_nlp(const olo_optimum *o)
{
    if (o->design)
        return olo_design_nlp(o->design);
    return o->reduced ? olo_reduced_nlp(o->reduced) : olo_redundant_nlp(o->transcription);
}

static olo_status transcribe(olo_optimum *o, const olo_problem *given, olo_error *error)
{
    const olo_optimum *from = given->start;
    const olo_control_problem *p = o->problem;
    const size_t n = (size_t)p->system->n, nodes = (size_t)p->intervals + 1;
    olo_status status = from ? check_start(o, from, error) : OLO_OK;
    double *guess = olo_alloc(nodes * n, sizeof *guess);
    if (status == OLO_OK && !guess)
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
    if (status == OLO_OK && from)
        copy_motion(o, from, guess);
    else if (status == OLO_OK)
        status = olo_guess_motion(p, o->state, guess, error);
    if (status == OLO_OK && given->spread > 0)
        status = olo_guess_perturb(p, given->spread, given->seed, guess, error);
    if (status == OLO_OK)
        status = olo_redundant_create(p, o->state, guess, p->reduced, &o->transcription, error);
    if (status == OLO_OK && p->reduced)
        status = olo_reduced_create(p, o->transcription, guess, &o->reduced, error);
    if (status == OLO_OK)
        status = drop_implied_rows(o, guess + (nodes - 1) * n, error);
    if (status == OLO_OK && p->parameter_count > 0)
        status = olo_design_create(p, o->transcription, o->reduced, &o->design, error);
    if (status == OLO_OK)
        status = olo_presolve_create(solved_nlp(o), &o->presolve, error);
    olo_free(guess);
    return status;
}

static olo_status allocate(olo_optimum *o, const olo_optimum *from, olo_error *error)
{
    const olo_system *s = o->problem->system;
    const size_t nodes = (size_t)o->problem->intervals + 1;
    const olo_nlp *small = olo_presolve_nlp(o->presolve);
    const size_t variables = (size_t)small->variables;
    const olo_array arrays[] = {{&o->x, (size_t)olo_optimum_variables(o)},
                                {&o->solved, (size_t)solved_nlp(o)->variables},
                                {&o->lambda, nodes * (size_t)s->m},
                                {&o->point.x, variables},
                                {&o->point.z_lower, variables},
                                {&o->point.z_upper, variables},
                                {&o->point.y, (size_t)small->rows}};
    if (!olo_pool_arrays(&o->pool, arrays, sizeof arrays / sizeof *arrays))
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
    olo_redundant_start(o->transcription, o->x);
    for (int i = 0; i < o->problem->parameter_count; i++)
        olo_optimum_parameters(o, false)[i] = o->problem->parameters[i].guess;
    olo_guess_given_controls(o->problem, o->transcription, o->x);
    olo_status status = OLO_OK;
    if (from)
        copy_rest(o, from, o->lambda);
    else if (o->problem->inverse_dynamics)
        status = olo_guess_controls(o->problem, o->state, o->transcription, o->x, error);
    if (o->reduced)
        olo_reduced_shrink(o->reduced, o->x, o->solved);
    memmove(olo_optimum_parameters(o, true), olo_optimum_parameters(o, false),
            (size_t)o->problem->parameter_count * sizeof *o->x);
    olo_presolve_shrink(o->presolve, olo_optimum_solved(o), o->point.x);
    return status;
}

/* Conditions on what no variable changes are satisfied by the given motion, or not at all. */
static olo_status check_constant_rows(const olo_optimum *o, olo_error *error)
{
    double by;
    char text[160];
    const int row = olo_presolve_violated_row(o->presolve, olo_optimum_solved(o), &by);
    if (row < 0)
        return OLO_OK;
    olo_optimum_describe(o, row, text, sizeof text);
    return olo_fail(error, OLO_INCONSISTENT,
                    "%s cannot be satisfied: nothing in the problem changes it, and it is off by "
                    "%.6g",
                    text, by);
}

/* Given velocities belong to the given configuration. */
static olo_status check_start_velocity(const olo_optimum *o, olo_error *error)
{
    bool rest = true;
    for (int i = 0; i < o->state->n; i++)
        rest = rest && o->state->v[i] == 0;
    return rest || !o->problem->free_start || o->problem->start_velocities
               ? OLO_OK
               : olo_fail(error, OLO_BAD_INPUT,
                          "start_configuration: with the given velocities the configuration cannot "
                          "be free: set start_velocity to free");
}

static olo_status resolve(const olo_system *system, const olo_problem *problem,
                          olo_control_problem **resolved, olo_error *error)
{
    olo_problem_entry at = {0};
    olo_status status = olo_events_refuse(system, "optimal control", error);
    if (status == OLO_OK)
        status = olo_contacts_refuse(system, "optimal control", error);
    if (status == OLO_OK)
        status = olo_control_problem_create(system, problem, resolved, &at, error);
    if (status == OLO_OK && problem->refinement_count > 0)
        status = olo_refinement_check(problem->refine, error);
    if (status == OLO_OK && problem->feedback_count > 0)
        status = olo_feedback_check(problem->feedback, error);
    return status != OLO_OK && at.list
               ? olo_fail_context(error, status, "%s[%d]", at.list, at.index)
               : status;
}

olo_status olo_problem_check(const olo_system *system, const olo_problem *problem, olo_error *error)
{
    olo_control_problem *resolved = NULL;
    const olo_status status = resolve(system, problem, &resolved, error);
    olo_control_problem_free(resolved);
    return status;
}

/* The state at which the motion begins. */
static olo_status create_state(olo_optimum *o, const olo_problem *problem, olo_error *error)
{
    const olo_system *s = o->problem->system;
    if (!problem->initial)
        return olo_system_create_initial_state(s, &o->state, NULL, error);
    if (problem->initial->n != s->n)
        return olo_fail(error, OLO_BAD_INPUT, "initial: the state belongs to another model");
    if (problem->parameter_count > 0)
        return olo_fail(error, OLO_UNSUPPORTED,
                        "initial: with parameters as variables the motion begins at the initial "
                        "state of the model, which depends on them");
    return olo_state_clone(problem->initial, &o->state, error);
}

static olo_status prepare(const olo_system *system, const olo_problem *problem,
                          olo_optimum **optimum, olo_error *error)
{
    *optimum = NULL;
    olo_optimum *o = olo_alloc(1, sizeof *o);
    if (!o)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
    o->shift = problem->shift;
    o->later = problem->initial != NULL;
    olo_status status = olo_dense_reserve()
                            ? resolve(system, problem, &o->given, error)
                            : olo_fail(error, OLO_NO_MEMORY,
                                       "out of memory for the linear algebra of an optimisation, "
                                       "which needs 128 MB of its own: raise the limit of memory");
    o->problem = o->given;
    if (status == OLO_OK && problem->guess_file && problem->motion_count == 0)
        status = olo_fail(error, OLO_BAD_INPUT,
                          "guess_file: '%s' has not been read: call olo_result_read_guess before",
                          problem->guess_file);
    if (status == OLO_OK)
        status = create_state(o, problem, error);
    if (status == OLO_OK)
        status = check_start_velocity(o, error);
    if (status == OLO_OK)
        status = transcribe(o, problem, error);
    if (status == OLO_OK)
        status = allocate(o, problem->start, error);
    if (status == OLO_OK)
        status = check_constant_rows(o, error);
    if (status == OLO_OK && problem->start && problem->warm)
        status = olo_optimum_copy_multipliers(o, problem->start, error);
    if (status != OLO_OK) {
        olo_optimum_free(o);
        return status;
    }
    *optimum = o;
    return OLO_OK;
}

olo_status olo_optimum_prepare(const olo_system *system, const olo_problem *problem,
                               olo_optimum **optimum, olo_error *error)
{
    const int threads = olo_dense_set_threads(1);
    const olo_status status = prepare(system, problem, optimum, error);
    (void)olo_dense_set_threads(threads);
    return status;
}

olo_status olo_optimize(const olo_system *system, const olo_problem *problem,
                        const olo_optimize_observer *observer, olo_optimum **optimum,
                        olo_error *error)
{
    olo_status status = olo_optimum_prepare(system, problem, optimum, error);
    if (status == OLO_OK)
        status = olo_optimum_solve(*optimum, problem, observer, error);
    if (status == OLO_OK && problem->refinement_count > 0)
        status = olo_optimum_refine(optimum, system, problem, observer, error);
    if (status != OLO_OK) {
        olo_optimum_free(*optimum);
        *optimum = NULL;
    }
    return status;
}

void olo_optimum_free(olo_optimum *o)
{
    if (!o)
        return;
    olo_presolve_free(o->presolve);
    olo_design_free(o->design);
    olo_reduced_free(o->reduced);
    olo_redundant_free(o->transcription);
    olo_state_free(o->state);
    olo_control_problem_free(o->given);
    olo_pool_free(&o->pool);
    olo_free(o->history);
    olo_free(o->saddles);
    olo_free(o->levels);
    olo_free(o);
}
