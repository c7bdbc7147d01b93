/* Solution of a transcribed problem. Where the solver ends at a saddle point, it continues from
 * beside it (saddle.h); a point that is not better is dropped again. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/progress.h"
#include "control/certificate.h"
#include "control/optimum.h"
#include "control/polish.h"
#include "control/saddle.h"
#include "linalg/dense.h"

/* A solution in progress, and who observes it: the optimum, which records it, and the caller. */
typedef struct solution {
    olo_optimum *optimum;
    const olo_nlp *nlp;
    const olo_problem *given;
    olo_optimize_observer caller;
    double end;     /* of the time, by the clock */
    int iterations; /* before the present call of the solver */
    double barrier; /* of the last iteration */
    double *saved;  /* a point */
    double *best;   /* [variables of the programme] */
} solution;

/* Charts are centred anew when a node has turned this far from its reference, in rad: they are
 * regular up to half a turn, those of rods with their null space up to a quarter turn. */
static const double LARGEST_TURN = 1.0;
/* The residual of the conditions of optimality at an optimum, and where rounding permits no better
 * one, in units of the largest entry of the gradient of the cost, or of one. */
static const double OPTIMAL = 1e-8, NEARLY_OPTIMAL = 1e-4;

static bool report_iteration(void *context, const olo_iterate *now)
{
    solution *x = context;
    olo_optimum *o = x->optimum;
    const olo_optimize_progress progress = {.iteration = x->iterations + now->iteration,
                                            .cost = now->objective,
                                            .violation = now->infeasibility,
                                            .stationarity = now->dual_infeasibility,
                                            .restoring = now->restoring};
    olo_optimize_progress *history =
        olo_grow(o->history, o->history_count, &o->history_capacity, sizeof *history);
    if (history) { /* without memory the record ends, the solution continues */
        o->history = history;
        o->history[o->history_count++] = progress;
    }
    x->barrier = now->barrier;
    o->recentre = o->reduced && !now->restoring && olo_reduced_turn(o->reduced) > LARGEST_TURN;
    const bool proceed = !x->caller.iteration || x->caller.iteration(x->caller.context, &progress);
    o->recentre = o->recentre && proceed;
    return proceed && !o->recentre;
}

static bool is_solved(olo_solved solved)
{
    return solved == OLO_SOLVED || solved == OLO_SOLVED_NEARLY;
}

/* Copies the parameters from the variables of one transcription to those of the other, and lets
 * both be those of the system there. */
static olo_status move_parameters(olo_optimum *o, bool to_solved, olo_error *error)
{
    if (!o->design)
        return OLO_OK;
    memmove(olo_optimum_parameters(o, to_solved), olo_optimum_parameters(o, !to_solved),
            (size_t)o->problem->parameter_count * sizeof *o->x);
    return olo_design_move(o->design, olo_optimum_solved(o), error);
}

/* Takes the point of the solver to the variables of the transcriptions. */
static olo_status take_point(olo_optimum *o, olo_error *error)
{
    olo_presolve_expand(o->presolve, o->point.x, olo_optimum_solved(o));
    const olo_status status = move_parameters(o, false, error);
    if (status == OLO_OK && o->reduced)
        olo_reduced_expand(o->reduced, o->solved, o->x);
    return status;
}

/* The inverse: takes variables of the redundant transcription to the solver, with the charts
 * centred there. */
static olo_status give_point(olo_optimum *o, olo_error *error)
{
    const olo_status status = move_parameters(o, true, error);
    if (status == OLO_OK && o->reduced) {
        olo_reduced_recentre(o->reduced, o->x);
        olo_reduced_shrink(o->reduced, o->x, o->solved);
    }
    olo_presolve_shrink(o->presolve, olo_optimum_solved(o), o->point.x);
    return status;
}

/* The residual of the conditions of optimality in these units. */
static olo_status residual_of(const solution *x, double *residual, olo_error *error)
{
    double gradient;
    const olo_status status =
        olo_stationarity(x->nlp, &x->optimum->point, residual, &gradient, error);
    *residual /= fmax(gradient, 1);
    return status;
}

/* Newton steps where the solver ended near an optimum only. Its own tolerance is relative to the
 * multipliers, which are large where constraints are nearly dependent. */
static olo_status improve(solution *x, olo_solved *solved, olo_error *error)
{
    olo_optimum *o = x->optimum;
    double residual;
    bool reached;
    olo_status status = residual_of(x, &residual, error);
    if (status != OLO_OK || (*solved == OLO_SOLVED && residual <= OPTIMAL))
        return status;
    status = olo_polish(x->nlp, x->given->tolerance, &o->point, &reached, error);
    if (status == OLO_OK)
        status = take_point(o, error);
    if (status == OLO_OK)
        status = residual_of(x, &residual, error);
    *solved = reached ? OLO_SOLVED : residual <= NEARLY_OPTIMAL ? OLO_SOLVED_NEARLY : OLO_FAILED;
    return status;
}

/* Solves from the point; as long as a node is far from the reference of its chart, centres the
 * charts at the present motion and continues with its multipliers. Iterations and times add up. */
static olo_status start(solution *x, olo_error *error)
{
    olo_optimum *o = x->optimum;
    olo_solver_options options = {.linear_solver = x->given->linear_solver,
                                  .tolerance = x->given->tolerance,
                                  .iterations = x->given->iterations,
                                  .progress = report_iteration,
                                  .context = x,
                                  .warm = o->warm,
                                  .best = x->best};
    olo_solve_report total = o->report;
    bool again;
    do {
        options.seconds = fmax(x->end - olo_clock_seconds(), 1e-9); /* 0: no limit */
        olo_status status = olo_solver_solve(x->nlp, &options, &o->point, &o->report, error);
        if (status == OLO_OK)
            status = take_point(o, error);
        if (status != OLO_OK)
            return status;
        options.iterations -= o->report.iterations;
        x->iterations += o->report.iterations;
        total.seconds += o->report.seconds;
        total.cpu_seconds += o->report.cpu_seconds;
        total.evaluation_seconds += o->report.evaluation_seconds;
        total.solved = o->report.solved;
        total.overdetermined = o->report.overdetermined;
        again = o->recentre && o->report.solved == OLO_STOPPED;
        if (again) {
            status = give_point(o, error);
            options.warm = true;
            options.barrier = x->barrier;
            total.solved = OLO_LIMIT;
        }
        if (status != OLO_OK)
            return status;
    } while (again && options.iterations > 0 && olo_clock_seconds() < x->end);
    olo_status status = is_solved(total.solved) ? improve(x, &total.solved, error) : OLO_OK;
    if (status == OLO_OK && o->report.better && !is_solved(total.solved)) {
        memcpy(o->point.x, x->best, (size_t)x->nlp->variables * sizeof *x->best);
        status = take_point(o, error);
    }
    if (status != OLO_OK)
        return status;
    total.iterations = x->iterations;
    total.objective = x->nlp->objective(x->nlp->context, o->point.x);
    o->report = total;
    return OLO_OK;
}

// -- saddle points --------------------------------------------------------------------------------

static size_t saved_size(const solution *x)
{
    return (size_t)olo_optimum_variables(x->optimum) + 2 * (size_t)x->nlp->variables +
           (size_t)x->nlp->rows;
}

/* Copies the point, in variables that do not depend on charts, to the saved numbers or back. */
static olo_status copy_point(const solution *x, bool back, olo_error *error)
{
    olo_optimum *o = x->optimum;
    const size_t full = (size_t)olo_optimum_variables(o), n = (size_t)x->nlp->variables,
                 m = (size_t)x->nlp->rows;
    double *const parts[] = {o->x, o->point.z_lower, o->point.z_upper, o->point.y};
    const size_t sizes[] = {full, n, n, m};
    double *saved = x->saved;
    for (int i = 0; i < 4; saved += sizes[i++])
        memcpy(back ? parts[i] : saved, back ? saved : parts[i], sizes[i] * sizeof *saved);
    return back ? give_point(o, error) : OLO_OK;
}

/* Records a saddle point; NULL without memory. */
static olo_saddle *record(olo_optimum *o, int negative)
{
    olo_saddle *saddles =
        olo_grow(o->saddles, o->saddle_count, &o->saddle_capacity, sizeof *saddles);
    if (!saddles)
        return NULL;
    o->saddles = saddles;
    saddles[o->saddle_count] = (olo_saddle){.cost = o->report.objective, .negative = negative};
    return &saddles[o->saddle_count++];
}

/* Continues from beside the saddle point. If no better one is found, the optimum is the saddle
 * point. */
static olo_status leave(solution *x, olo_saddle *saddle, olo_error *error)
{
    olo_optimum *o = x->optimum;
    const olo_solve_report before = o->report;
    double *beside = x->saved + saved_size(x);
    olo_status status = olo_saddle_leave(x->nlp, &o->point, beside, &saddle->curvature, error);
    if (status != OLO_OK || saddle->curvature == 0)
        return status;
    (void)copy_point(x, false, error);
    memcpy(o->point.x, beside, (size_t)x->nlp->variables * sizeof *beside);
    x->iterations++;
    status = start(x, error);
    saddle->left =
        status == OLO_OK && is_solved(o->report.solved) && o->report.objective < before.objective;
    if (status == OLO_OK && !saddle->left) {
        status = copy_point(x, true, error);
        o->report.objective = before.objective;
        if (o->report.solved != OLO_STOPPED)
            o->report.solved = before.solved;
    }
    return status;
}

/* Whether the point is a saddle point, with its number of negative eigenvalues. */
static olo_status look(const solution *x, int *negative, olo_error *error)
{
    olo_certificate certificate;
    int worst;
    const olo_status status = olo_certify(x->nlp, &x->optimum->point, &certificate, &worst, error);
    *negative = certificate.second_order == OLO_POINT_SADDLE ? certificate.negative : 0;
    return status;
}

static olo_status leave_saddles(solution *x, int most, olo_error *error)
{
    olo_optimum *o = x->optimum;
    olo_status status = OLO_OK;
    for (int i = 0; status == OLO_OK && is_solved(o->report.solved); i++) {
        int negative;
        status = look(x, &negative, error);
        if (status != OLO_OK || negative == 0)
            break;
        olo_saddle *saddle = record(o, negative);
        if (i == 0 && most > 0)
            x->saved = olo_pool_alloc(&o->pool, saved_size(x) + (size_t)x->nlp->variables,
                                      sizeof *x->saved);
        if (!saddle || (most > 0 && !x->saved))
            return olo_fail(error, OLO_NO_MEMORY, "out of memory to leave a saddle point");
        if (i >= most)
            break;
        status = leave(x, saddle, error);
        if (!saddle->left)
            break;
    }
    return status;
}

// -- how it ended ---------------------------------------------------------------------------------

static const char *const endings[] = {
    "an optimum was found",
    "the solution is as exact as rounding permits, but the tolerance is not reached",
    "no motion near the guess satisfies all constraints",
    "the cost has no lower bound: a control without bounds costs nothing, or a weight has the "
    "wrong "
    "sign",
    "stopped by the user",
    "the limit of iterations or time is reached",
    "the solver makes no further progress",
};

/* Constraints are satisfied where the solver ended, in the units of the model. */
static const double SATISFIED = 1e-6;
/* No cost is as low as this unless it has no lower bound. */
static const double UNBOUNDED_COST = -1e20;

/* How the solution ended: if constraints are violated, which one most; why the solver makes no
 * progress; a saddle point. */
static olo_status explain(olo_optimum *o, olo_error *error)
{
    olo_certificate certificate;
    const olo_solved solved = o->report.solved;
    const olo_saddle *last = o->saddle_count > 0 ? &o->saddles[o->saddle_count - 1] : NULL;
    char *text = o->explanation;
    const size_t size = sizeof o->explanation;
    const int length = snprintf(text, size, "%s", endings[solved]);
    if (is_solved(solved) && last && !last->left)
        (void)snprintf(text, size, "a saddle point was found: the cost decreases in %d direction%s",
                       last->negative, last->negative == 1 ? "" : "s");
    if (is_solved(solved) || solved == OLO_UNBOUNDED)
        return OLO_OK;
    const olo_status status = olo_optimum_certify(o, &certificate, error);
    if (status != OLO_OK)
        return OLO_OK;
    if (o->report.overdetermined)
        (void)snprintf(text + length, size - (size_t)length,
                       "; there are more equations than variables: conditions contradict each "
                       "other, or follow from others");
    else if (!isfinite(o->report.objective))
        (void)snprintf(text + length, size - (size_t)length,
                       "; the cost is not finite there: give another initial guess, or a cost that "
                       "is finite along it");
    else if (o->report.objective < UNBOUNDED_COST)
        (void)snprintf(text + length, size - (size_t)length,
                       "; the cost is %.3g: it seems to have no lower bound", o->report.objective);
    else if (certificate.violation < SATISFIED)
        (void)snprintf(text + length, size - (size_t)length,
                       "; the constraints are satisfied to %.3g, the conditions of optimality to "
                       "%.3g%s",
                       certificate.violation, certificate.stationarity,
                       solved == OLO_FAILED
                           ? ": a cost may not be smooth or have no lower bound, or constraints "
                             "depend on each other there"
                           : "");
    else if (certificate.worst[0])
        (void)snprintf(text + length, size - (size_t)length, "; %s is violated most, by %.3g%s",
                       certificate.worst, certificate.violation,
                       solved == OLO_FAILED ? ": another initial guess may help" : "");
    return OLO_OK;
}

/* The optimum is that of the system with the parameters found, and begins with the state found. */
static olo_status settle(olo_optimum *o, olo_error *error)
{
    const olo_state *state;
    olo_status status = OLO_OK;
    if (o->design)
        status = olo_design_settle(o->design, olo_optimum_solved(o), &o->problem, &state, error);
    if (status == OLO_OK && o->design)
        olo_state_copy(state, o->state);
    if (status == OLO_OK && o->problem->free_start)
        olo_state_set_configuration(o->problem->system, o->state, o->x);
    if (status == OLO_OK && o->problem->start_velocities)
        olo_state_set_velocity(o->state, o->x + olo_redundant_start_velocity(o->transcription));
    return status;
}

olo_status olo_optimum_solve(olo_optimum *o, const olo_problem *given,
                             const olo_optimize_observer *observer, olo_error *error)
{
    solution x = {.optimum = o,
                  .nlp = olo_presolve_nlp(o->presolve),
                  .given = given,
                  .caller = observer ? *observer : (olo_optimize_observer){0},
                  .end = olo_clock_seconds() + given->seconds};
    const int threads = olo_dense_set_threads(1);
    x.best = olo_pool_alloc(&o->pool, (size_t)x.nlp->variables + 1, sizeof *x.best);
    olo_status status =
        x.best ? start(&x, error)
               : olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
    if (status == OLO_OK)
        status = leave_saddles(&x, given->saddles, error);
    (void)olo_dense_set_threads(threads);
    if (status == OLO_OK)
        status = settle(o, error);
    int condition, node;
    if (status == OLO_OK && is_solved(o->report.solved) &&
        olo_optimum_has_opposite(o, &condition, &node))
        o->report.solved = OLO_INFEASIBLE;
    if (status == OLO_OK && o->reduced)
        status = olo_redundant_recover_multipliers(o->transcription, o->x, o->lambda, error);
    return status == OLO_OK ? explain(o, error) : status;
}
