/* The treatments `penalty` (thesis 3.2.20) and `augmented`, the augmented Lagrange method (3.2.29).
 *
 *     R(q1) = T + h sum_b s_b grad g_b(q_m) = 0,      s_b = lambda_b + mu (g_b(q0) + g_b(q1))
 *     DR    = DT + h sum_b [mu grad g_b(q_m) (x) grad g_b(q1) + 1/2 s_b Hess g_b]
 *
 * All constraints, including those of rigidity, are springs of energy mu g^2 in the invariant g, so
 * that momentum maps and the energy are exact. `penalty` has lambda = 0; the error |g| is about
 * |lambda|/(2 mu). `augmented` solves with constant lambda and then sets lambda += mu g(q1), until
 * all |g| are below its tolerance. Every step starts with the lambda of the last one. (With a
 * factor of two, as printed in 3.2.23, it does not converge for large h^2 mu: the solution already
 * contains mu g(q1), so that the same amount is missing in lambda.)
 *
 * Newton iteration. With large mu, s is a large multiple of a small g, and an iterate that violates
 * the constraints slightly has a large error in s. Therefore s is an unknown in addition to q1,
 * with the equation s - lambda - mu (g0 + g1) = 0, and is eliminated again. The result is the n x n
 * matrix above, with the iterate s as factor of the Hessians instead of the function of q1. The
 * solution is the same; the number of iterations no longer depends on mu.
 *
 * Energy. A step does exactly the work s_b dg_b on the constraints; the ledger records its sum as
 * constraint energy. With `penalty` it is mu |g|^2. With `augmented` it is the work of constant
 * multipliers over the remaining errors, of the order of the tolerance. H + constraint energy is
 * constant for both. */
#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/pool.h"
#include "stepping/assembly.h"
#include "stepping/coordinates.h"
#include "stepping/dense_tangent.h"

/* The fraction of the terms of g that enters the scale of round-off. The rounding error of g is
 * some units in the last place of its terms, a hundredth of the usual bound, but it is multiplied
 * by mu. */
static const double rounding_fraction = 0.01;

/* Largest number of multiplier updates per step. Each reduces the error by 1/(1 + mu A), A about
 * h^2/2 G M^-1 G^T: if this number is not sufficient, h^2 mu is far too small. */
enum { PASSES_MAX = 1000 };

typedef struct penalty {
    const olo_system *system;
    const olo_scheme *scheme;
    olo_assembly tangent;
    olo_pool pool; /* memory of the arrays below */
    double mu;
    double tolerance;    /* of |g|, augmented */
    double error_before; /* largest |g| in the previous pass */
    double *lambda;      /* [m] constant during the iteration; zero for `penalty` */
    double *g0;          /* [m] constraints at the start of the step */
    double *s;           /* [m] total multipliers, an unknown of the Newton iteration */
    double *right;       /* [n] right-hand side, then solution */
} penalty;

static void destroy(void *data)
{
    penalty *x = data;
    if (!x)
        return;
    olo_assembly_free(&x->tangent);
    olo_pool_free(&x->pool);
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
                                "'%.64s' rolls: a constraint on velocities has no penalty "
                                "potential; use run.constraints reduced, multipliers or projected",
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
    const size_t m = (size_t)system->m;
    const olo_array arrays[] = {
        {&x->lambda, m}, {&x->g0, m}, {&x->s, m}, {&x->right, (size_t)system->n}};
    olo_status status = OLO_NO_MEMORY;
    if (olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays))
        status = olo_assembly_create(&x->tangent, system, 0, true, NULL, NULL, error);
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

/* Computes g(q1) - g(q0) without cancellation; returns the total multiplier s. Writes the discrete
 * gradient to step->r. */
static double total_multiplier(const penalty *x, const olo_step *step, int c, double *dg)
{
    const olo_constraint *row = &x->system->constraints[c];
    olo_interval interval = olo_step_interval(step);
    olo_step_row(step, row, step->r, NULL);
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
    const bool curved = olo_step_row(step, row, d, K);
    olo_constraint_gradient(row, &end, g1);
    double s = x->lambda[c] + x->mu * (2 * x->g0[c] + olo_constraint_difference(row, &interval, d));
    for (int i = 0; i < row->size; i++) {
        for (int j = 0; j < row->size; j++)
            K[i * row->size + j] =
                x->mu * d[i] * g1[j] + (curved ? x->s[c] * K[i * row->size + j] : 0.0);
        parts += fabs(d[i] * step->x.dq[row->index[i]]);
    }
    olo_assembly_add(&x->tangent, olo_piece_of_constraint(x->system, c), a, K);
    for (int i = 0; i < row->size; i++) {
        x->right[row->index[i]] -= a * s * d[i];
        olo_raise(&step->scale, fabs(a * d[i]) * fmax(fabs(s), rounding_fraction * x->mu * parts));
    }
}

/* Updates s by the linearised equation s = lambda + mu (g0 + g1), before q1 is updated. */
static void update_multipliers(penalty *x, olo_step *step)
{
    olo_at end = olo_step_end(step);
    for (int c = 0; c < x->system->m; c++) {
        const olo_constraint *row = &x->system->constraints[c];
        double dg, s = total_multiplier(x, step, c, &dg);
        olo_constraint_gradient(row, &end, step->r);
        for (int i = 0; i < row->size; i++)
            s += x->mu * step->r[i] * x->right[row->index[i]];
        x->s[c] = s;
    }
}

/* The residual after an update is quadratic in it, mu 1/2 change.A change: for a stiff penalty it
 * is large even if the update is small. The size of an update is increased accordingly. */
static void add_quadratic_error(const penalty *x, olo_step *step, olo_newton *newton)
{
    double a = x->scheme->multiplier_factor(step), error = 0;
    for (int c = 0; c < x->system->m; c++) {
        const olo_constraint *row = &x->system->constraints[c];
        double curved = 0;
        if (!olo_step_row(step, row, step->r, step->K))
            continue;
        for (int i = 0; i < row->size; i++)
            for (int j = 0; j < row->size; j++)
                curved +=
                    step->K[i * row->size + j] * x->right[row->index[i]] * x->right[row->index[j]];
        for (int i = 0; i < row->size; i++)
            olo_raise(&error, fabs(a * x->mu * curved * step->r[i]));
    }
    if (step->scale > 0)
        olo_raise(&newton->increment, fmin(newton->size, 1.0) * sqrt(error / step->scale));
}

/* The matrix and the right-hand side -R at the iterate. */
static void assemble(penalty *x, olo_step *step)
{
    const olo_system *s = x->system;
    olo_sink sink = olo_assembly_sink(&x->tangent, 1.0);
    olo_sparse_clear(x->tangent.matrix);
    x->scheme->balance(step, &sink);
    for (int i = 0; i < s->n; i++)
        x->right[i] = -step->T[i];
    for (int c = 0; c < s->m; c++)
        add_constraint(x, step, c);
}

static olo_status iterate(void *data, olo_step *step, olo_newton *newton, olo_error *error)
{
    penalty *x = data;
    const olo_system *s = x->system;
    assemble(x, step);
    /* residual relative to the terms that cancel */
    double largest = 0;
    for (int i = 0; i < s->n; i++)
        olo_raise(&largest, fabs(x->right[i]));
    newton->residual = step->scale > 0 ? largest / step->scale : largest;
    olo_status status = olo_sparse_factor(x->tangent.matrix, error);
    if (status != OLO_OK)
        return status;
    /* update of s and dq */
    olo_sparse_solve(x->tangent.matrix, x->right);
    update_multipliers(x, step);
    olo_coordinates_add(step, x->right);
    olo_coordinates_measure(step, x->right, newton);
    add_quadratic_error(x, step, newton);
    return OLO_OK;
}

/* --- multipliers --- */

/* Fails with a recommended penalty. The error is reduced by rho = 1/(1 + mu A) per pass; with mu =
 * 9/A the factor would be ten. */
static olo_pass fail_slow(const penalty *x, const olo_step *step, int worst, double largest,
                          olo_error *error)
{
    const olo_group *group = &x->system->groups[olo_system_group_of(x->system, worst)];
    double rho = largest / x->error_before, better = 9 * x->mu * rho / (1 - rho);
    if (!(rho < 1) || !isfinite(better))
        better = 1000 * x->mu;
    olo_fail(error, OLO_NOT_CONVERGED,
             "augmented: after %d passes '%.64s' is still violated by %.2g, not %.2g; run.penalty "
             "= %.2g is "
             "too small for h = %.2g: it must grow like 1/h^2, try %.0e",
             PASSES_MAX, group->name, largest, x->tolerance, x->mu, step->h, better);
    return OLO_PASS_NO_SOLUTION;
}

static olo_pass pass(void *data, olo_step *step, int count, olo_error *error)
{
    penalty *x = data;
    const olo_system *s = x->system;
    double largest = 0, dg;
    int worst = 0;
    for (int c = 0; c < s->m; c++) {
        total_multiplier(x, step, c, &dg);
        if (!(fabs(x->g0[c] + dg) <= largest)) {
            largest = fabs(x->g0[c] + dg);
            worst = c;
        }
    }
    if (largest < x->tolerance)
        return OLO_PASS_DONE;
    if (count == PASSES_MAX)
        return fail_slow(x, step, worst, largest, error);
    x->error_before = largest;
    for (int c = 0; c < s->m; c++) {
        total_multiplier(x, step, c, &dg);
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
        state->lambda[c] = total_multiplier(x, step, c, &dg);
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
    double dg;
    (void)kind;
    const olo_status status = olo_square_create(x->system->n, K, error);
    if (status != OLO_OK)
        return status;
    for (int c = 0; c < x->system->m; c++)
        x->s[c] = total_multiplier(x, step, c, &dg);
    assemble(x, step);
    olo_sparse_dense(x->tangent.matrix, K->entry);
    return OLO_OK;
}

const olo_treatment olo_treatment_penalty = {.name = "penalty",
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
