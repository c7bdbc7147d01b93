/* Constraints that give way: penalty (thesis 3.2.20) and augmented Lagrange (3.2.29).
 *
 *     R(q1) = T + h sum_b s_b grad g_b(q_m) = 0,      s_b = lambda_b + mu (g_b(q0) + g_b(q1))
 *     DR    = DT + h sum_b [mu grad g_b(q_m) (x) grad g_b(q1) + 1/2 s_b Hess g_b]
 *
 * All constraints, those that keep bodies rigid too, are springs of energy mu g^2 through the
 * invariant g, so that momentum maps and the energy are exact. `penalty` has lambda = 0; the error
 * |g| is about |lambda|/(2 mu). `augmented` freezes lambda, solves, and sets lambda += mu g(q1)
 * until all |g| are below its tolerance, in every step from the lambda of the last. (With a factor
 * of two, as printed in 3.2.23, it does not converge for large h^2 mu: the solution already carries
 * mu g(q1), so one of it is what lambda lacks.)
 *
 * Newton. With large mu, s is a large multiple of a small gap, and an iterate that is a little off
 * the constraints has a wildly wrong s. Therefore s is an unknown of its own beside q1, of s -
 * lambda - mu (g0 + g1) = 0, and eliminated again: the n x n matrix above, with the iterate s in
 * front of the Hessians instead of the function of q1. The solution is the same; the number of
 * iterations no longer depends on mu.
 *
 * Energy. A step does s_b dg_b of work on the constraints, exactly; the sum of it is booked as
 * constraint energy. With `penalty` it is mu |g|^2, with `augmented` what frozen multipliers took
 * out of the system over the remaining gaps, of the order of the tolerance: H + constraint energy
 * is constant for both.
 */
#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "base/memory.h"
#include "stepping/assembly.h"
#include "stepping/coordinates.h"
#include "stepping/tangent.h"

/* Share of a gap's parts in what cancels: its rounding is some units in the last place of them, a
 * hundredth of what counts as round-off elsewhere, and times mu this is much. */
static const double rounding_share = 0.01;

/* Multiplier updates of a step. Each shrinks the error by 1/(1 + mu A), A about h^2/2 G M^-1 G^T:
 * where this many are not enough, h^2 mu is far too small. */
enum { MOST_PASSES = 1000 };

typedef struct penalty {
    const olo_system *system;
    const olo_scheme *scheme;
    olo_assembly tangent;
    double mu;
    double tolerance;    /* of |g|, augmented */
    double error_before; /* largest |g| one pass ago */
    double *lambda;      /* [m] frozen; zero for the plain penalty */
    double *g0;          /* [m] constraints at the start of the step */
    double *s;           /* [m] multipliers in force, an unknown of their own for Newton */
    double *right;       /* [n] */
} penalty;

static void destroy(void *data)
{
    penalty *x = data;
    if (!x)
        return;
    olo_assembly_free(&x->tangent);
    olo_free(x->lambda);
    olo_free(x->g0);
    olo_free(x->s);
    olo_free(x->right);
    olo_free(x);
}

static olo_status check(const olo_system *system, const olo_run *run, olo_error *error)
{
    if (!(run->penalty > 0) || !isfinite(run->penalty))
        return olo_fail(error, OLO_BAD_INPUT, "run.penalty must be positive, got %g", run->penalty);
    if (!(run->augmented_tolerance > 0))
        return olo_fail(error, OLO_BAD_INPUT, "run.augmented_tolerance must be positive, got %g",
                        run->augmented_tolerance);
    for (int i = 0; i < system->group_count; i++)
        for (int k = 0; k < system->groups[i].count; k++)
            if (system->constraints[system->groups[i].first + k].type->velocity)
                return olo_fail(error, OLO_UNSUPPORTED,
                                "'%.64s' rolls: a constraint of velocities has no potential that a "
                                "penalty could be; use run.constraints reduced, multipliers or "
                                "projected",
                                system->groups[i].name);
    return OLO_OK;
}

static olo_status create(const olo_system *system, const olo_scheme *scheme, const olo_run *run,
                         void **data, olo_error *error)
{
    *data = NULL;
    penalty *x = olo_alloc(1, sizeof *x);
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the penalty");
    x->system = system;
    x->scheme = scheme;
    x->mu = run->penalty;
    x->tolerance = run->augmented_tolerance;
    x->lambda = olo_alloc((size_t)system->m, sizeof *x->lambda);
    x->g0 = olo_alloc((size_t)system->m, sizeof *x->g0);
    x->s = olo_alloc((size_t)system->m, sizeof *x->s);
    x->right = olo_alloc((size_t)system->n, sizeof *x->right);
    olo_status status = OLO_NO_MEMORY;
    if (x->lambda && x->g0 && x->s && x->right)
        status = olo_assembly_create(&x->tangent, system, 0, true, NULL, error);
    else
        olo_fail(error, status, "out of memory for the penalty");
    if (status != OLO_OK) {
        destroy(x);
        return status;
    }
    *data = x;
    return OLO_OK;
}

static void predict(void *data, olo_step *step, double scale)
{
    penalty *x = data;
    olo_at start = olo_step_start(step);
    olo_sparse_restart(x->tangent.matrix);
    olo_coordinates_predict(step, scale);
    for (int c = 0; c < x->system->m; c++)
        x->g0[c] = olo_constraint_value(&x->system->constraints[c], &start);
    memcpy(x->s, step->state->lambda, (size_t)x->system->m * sizeof *x->s);
}

static void predict_augmented(void *data, olo_step *step, double scale)
{
    penalty *x = data;
    predict(data, step, scale);
    memcpy(x->lambda, step->state->lambda, (size_t)x->system->m * sizeof *x->lambda);
    x->error_before = HUGE_VAL;
}

/* g(q1) - g(q0), free of cancellation, and the multiplier in force, s. Overwrites step->r by the
 * discrete gradient. */
static double stress(const penalty *x, const olo_step *step, int c, double *dg)
{
    const olo_constraint *row = &x->system->constraints[c];
    olo_interval interval = olo_step_interval(step);
    olo_constraint_discrete(row, &interval, step->r, NULL);
    *dg = olo_constraint_difference(row, &interval, step->r);
    return x->lambda[c] + x->mu * (2 * x->g0[c] + *dg);
}

/* --- one iteration --- */

static void add_constraint(penalty *x, olo_step *step, int c)
{
    const olo_constraint *row = &x->system->constraints[c];
    double *d = step->r, *g1 = step->r + row->size, *K = step->K;
    double a = x->scheme->multiplier_factor(step), parts = 0;
    olo_interval interval = olo_step_interval(step);
    olo_at end = olo_step_end(step);
    olo_constraint_discrete(row, &interval, d, K);
    olo_constraint_gradient(row, &end, g1);
    double s = x->lambda[c] + x->mu * (2 * x->g0[c] + olo_constraint_difference(row, &interval, d));
    for (int i = 0; i < row->size; i++) {
        for (int j = 0; j < row->size; j++)
            K[i * row->size + j] = x->mu * d[i] * g1[j] + x->s[c] * K[i * row->size + j];
        parts += fabs(d[i] * step->x.dq[row->index[i]]);
    }
    olo_assembly_add(&x->tangent, olo_piece_of_constraint(x->system, c), a, K);
    for (int i = 0; i < row->size; i++) {
        x->right[row->index[i]] -= a * s * d[i];
        olo_raise(&step->scale, fabs(a * d[i]) * fmax(fabs(s), rounding_share * x->mu * parts));
    }
}

/* s by the linearised s = lambda + mu (g0 + g1), before q1 moves. */
static void update_stress(penalty *x, olo_step *step)
{
    olo_at end = olo_step_end(step);
    for (int c = 0; c < x->system->m; c++) {
        const olo_constraint *row = &x->system->constraints[c];
        double dg, s = stress(x, step, c, &dg);
        olo_constraint_gradient(row, &end, step->r);
        for (int i = 0; i < row->size; i++)
            s += x->mu * step->r[i] * x->right[row->index[i]];
        x->s[c] = s;
    }
}

/* Newton leaves the square of its update: for a stiff penalty mu 1/2 change.A change is much even
 * when the update is small. An update that would leave more than its own square of the balance
 * counts as larger. */
static void weigh_remainder(const penalty *x, olo_step *step, olo_newton *newton)
{
    double a = x->scheme->multiplier_factor(step), remainder = 0;
    olo_interval interval = olo_step_interval(step);
    for (int c = 0; c < x->system->m; c++) {
        const olo_constraint *row = &x->system->constraints[c];
        double curved = 0;
        olo_constraint_discrete(row, &interval, step->r, step->K);
        for (int i = 0; i < row->size; i++)
            for (int j = 0; j < row->size; j++)
                curved +=
                    step->K[i * row->size + j] * x->right[row->index[i]] * x->right[row->index[j]];
        for (int i = 0; i < row->size; i++)
            olo_raise(&remainder, fabs(a * x->mu * curved * step->r[i]));
    }
    if (step->scale > 0)
        olo_raise(&newton->increment, fmin(newton->size, 1.0) * sqrt(remainder / step->scale));
}

static olo_status iterate(void *data, olo_step *step, olo_newton *newton, olo_error *error)
{
    penalty *x = data;
    const olo_system *s = x->system;
    olo_sink sink = olo_assembly_sink(&x->tangent, 1.0);
    olo_sparse_clear(x->tangent.matrix);
    x->scheme->balance(step, &sink);
    for (int i = 0; i < s->n; i++)
        x->right[i] = -step->T[i];
    for (int c = 0; c < s->m; c++)
        add_constraint(x, step, c);
    double largest = 0;
    for (int i = 0; i < s->n; i++)
        olo_raise(&largest, fabs(x->right[i]));
    newton->residual = step->scale > 0 ? largest / step->scale : largest;
    olo_status status = olo_sparse_factor(x->tangent.matrix, error);
    if (status != OLO_OK)
        return status;
    olo_sparse_solve(x->tangent.matrix, x->right);
    update_stress(x, step);
    olo_coordinates_add(step, x->right);
    olo_coordinates_measure(step, x->right, newton);
    weigh_remainder(x, step, newton);
    return OLO_OK;
}

/* --- multipliers --- */

static const char *group_of(const olo_system *s, int row)
{
    for (int i = 0; i < s->group_count; i++)
        if (row < s->groups[i].first + s->groups[i].count)
            return s->groups[i].name;
    return "";
}

/* The error shrinks by rho = 1/(1 + mu A) a pass: with 9/A instead of mu it would by ten. */
static olo_pass give_up(const penalty *x, const olo_step *step, int worst, double largest,
                        olo_error *error)
{
    double rho = largest / x->error_before, better = 9 * x->mu * rho / (1 - rho);
    if (!(rho < 1) || !isfinite(better))
        better = 1000 * x->mu;
    olo_fail(error, OLO_NOT_CONVERGED,
             "augmented: after %d passes '%.64s' is still violated by %.2g, not %.2g; run.penalty "
             "= %.2g is "
             "too small for h = %.2g: it must grow like 1/h^2, try %.0e",
             MOST_PASSES, group_of(x->system, worst), largest, x->tolerance, x->mu, step->h,
             better);
    return OLO_PASS_FUTILE;
}

static olo_pass pass(void *data, olo_step *step, int count, olo_error *error)
{
    penalty *x = data;
    const olo_system *s = x->system;
    double largest = 0, dg;
    int worst = 0;
    for (int c = 0; c < s->m; c++) {
        stress(x, step, c, &dg);
        if (!(fabs(x->g0[c] + dg) <= largest)) {
            largest = fabs(x->g0[c] + dg);
            worst = c;
        }
    }
    if (largest < x->tolerance)
        return OLO_PASS_DONE;
    if (count == MOST_PASSES)
        return give_up(x, step, worst, largest, error);
    x->error_before = largest;
    for (int c = 0; c < s->m; c++) {
        stress(x, step, c, &dg);
        x->lambda[c] += x->mu * (x->g0[c] + dg);
    }
    return OLO_PASS_AGAIN;
}

static void finish(void *data, olo_step *step, olo_state *state)
{
    penalty *x = data;
    olo_coordinates_finish(step, state);
    for (int c = 0; c < x->system->m; c++) {
        double dg;
        state->lambda[c] = stress(x, step, c, &dg);
        olo_sum_add(&state->constraint, state->lambda[c] * dg);
        olo_state_add_received_energy(x->system, state, x->system->constraints[c].index[0],
                                      -state->lambda[c] * dg);
    }
}

static double any_error(const olo_run *run)
{
    (void)run;
    return INFINITY;
}

static double bounded_error(const olo_run *run)
{
    return run->augmented_tolerance;
}

static olo_status matrix(void *data, olo_step *step, olo_matrix_kind kind, olo_square *K,
                         olo_error *error)
{
    penalty *x = data;
    const olo_system *s = x->system;
    size_t n = (size_t)s->n;
    (void)kind;
    olo_status status = olo_square_create(s->n, K, error);
    double *gm = olo_alloc(2 * n, sizeof *gm);
    if (status == OLO_OK && !gm)
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for a dense matrix");
    if (status == OLO_OK) {
        double a = x->scheme->multiplier_factor(step), dg, *g1 = gm + n;
        olo_tangent_balance(x->scheme, step, K->entry);
        for (int c = 0; c < s->m; c++) {
            olo_tangent_discrete_row(step, c, gm);
            olo_tangent_row(s, c, step->x.q1, g1);
            for (size_t i = 0; i < n; i++)
                for (size_t j = 0; gm[i] != 0 && j < n; j++)
                    K->entry[i * n + j] += a * x->mu * gm[i] * g1[j];
            olo_tangent_add_curvature(step, c, a * stress(x, step, c, &dg), s->n, K->entry);
        }
    }
    olo_free(gm);
    return status;
}

const olo_treatment olo_treatment_penalty = {.name = "penalty",
                                             .penalty = true,
                                             .scaled = true,
                                             .create = create,
                                             .free = destroy,
                                             .check = check,
                                             .predict = predict,
                                             .iterate = iterate,
                                             .finish = finish,
                                             .constraint_error = any_error,
                                             .matrix = matrix};

const olo_treatment olo_treatment_augmented = {.name = "augmented",
                                               .penalty = true,
                                               .scaled = true,
                                               .create = create,
                                               .free = destroy,
                                               .check = check,
                                               .predict = predict_augmented,
                                               .iterate = iterate,
                                               .pass = pass,
                                               .finish = finish,
                                               .constraint_error = bounded_error,
                                               .matrix = matrix};
