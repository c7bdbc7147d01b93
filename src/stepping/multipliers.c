/* The treatment `multipliers`: Lagrange multipliers in addition to all redundant coordinates
 * (thesis 3.2.7).
 *
 *     (h/2) T(q1) + G(q_m)^T lambda' = 0,   g(q1) = 0,   lambda' = h^2/2 lambda
 *
 * (G(q_m) stands for the discrete gradients of the rows; for quadratic rows these are the gradients
 * at the midpoint.) The unknowns are the increment dq and lambda'. In this scaling no block of the
 * matrix depends on h.
 *
 * With a scheme that evaluates the gradients of the multipliers at q0 (variational) there are no
 * Hessians of rows, and the momentum at the end is projected by M v + G(q1)^T lambda' = p, G(q1) v
 * = 0.
 *
 * Schemes with consistent velocities have more unknowns and equations: multipliers_rates.h.
 *
 * All rows are part of the matrix. If closures are redundant, their redundant multipliers N lambda'
 * are set to zero: the rows become g = sigma N lambda', with N the projector to the redundant
 * directions at q0. */
#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/pool.h"
#include "kinematics/redundancy.h"
#include "stepping/assembly.h"
#include "stepping/coordinates.h"
#include "stepping/dense_tangent.h"
#include "stepping/multipliers_private.h"
#include "stepping/multipliers_rates.h"

/* Dual regularisation relative to the masses. It enters the matrix only, which is then never
 * singular; the Newton iteration still solves g = 0. */
static const double row_regularisation = 1e-13;

typedef struct multipliers {
    const olo_system *system;
    const olo_scheme *scheme;
    olo_assembly tangent;
    olo_pool pool;              /* memory of the arrays below */
    double *lambda;             /* [m] scaled */
    double *right;              /* [size] right-hand side, then solution */
    double *regularisation;     /* [m] of each row */
    double open;                /* largest residual of a row */
    olo_multiplier_rates rates; /* of schemes with consistent velocities */
    void *reduced; /* the treatment `reduced`, which finds redundant rows; NULL without such rows */
    double *redundant;     /* [OLO_BLOCK_MAX^2 per closure block] sigma N */
    int redundant_entries; /* of all groups in the matrix; 0 while they are listed */
} multipliers;

/* Whether a group may be a closure. */
static bool closes_loop(const olo_group *group)
{
    return !group->internal && !group->carried && group->count <= OLO_BLOCK_MAX;
}

/* --- entries of the matrix after those of the tangent --- */

/* sigma N of a group, or NULL. */
static const double *redundant_of(const multipliers *x, const olo_group *group)
{
    const olo_topology *topology = x->system->topology;
    for (int k = 0; x->reduced && k < topology->closure_block_count; k++)
        if (topology->closure_blocks[k].first == group->first)
            return x->redundant + (size_t)k * OLO_BLOCK_MAX * OLO_BLOCK_MAX;
    return NULL;
}

/* Sets the redundant multipliers of all closures to zero: adds the terms sigma N lambda' to the
 * equations of the multipliers, the first of which has the number `first`. */
static void suppress_redundant(multipliers *x, int first, const double *lambda)
{
    const olo_system *s = x->system;
    olo_sparse *matrix = x->tangent.matrix;
    if (x->redundant_entries > 0 && !x->reduced) { /* all are zero */
        olo_sparse_continue(matrix, olo_sparse_next(matrix) + x->redundant_entries);
        return;
    }
    for (int i = 0; i < s->group_count; i++) {
        const olo_group *group = &s->groups[i];
        if (!closes_loop(group))
            continue;
        const double *N = redundant_of(x, group);
        for (int a = group->first; a < group->first + group->count; a++)
            for (int b = group->first; b < group->first + group->count; b++) {
                const double sigma = N ? *N++ : 0.0;
                olo_sparse_put(matrix, first + a, first + b, -sigma);
                x->right[first + a] += sigma * lambda[b];
            }
    }
}

/* The gradients of a row as column and row. */
static void put_row(multipliers *x, int c, const double *column, const double *row)
{
    const olo_constraint *of = &x->system->constraints[c];
    const olo_indices all = {0, of->size, of->index}, own = {.first = x->system->n + c, .count = 1};
    olo_sparse_put_block(x->tangent.matrix, all, own, 1.0, column);
    olo_sparse_put_block(x->tangent.matrix, own, all, 1.0, row);
}

/* The diagonal of the rows. */
static void put_regularisation(multipliers *x)
{
    const olo_system *s = x->system;
    for (int c = 0; c < s->m; c++)
        olo_sparse_put(x->tangent.matrix, s->n + c, s->n + c, -x->regularisation[c]);
    suppress_redundant(x, s->n, x->lambda);
}

/* Forces, row, column and Hessian of one row. */
static void add_row(multipliers *x, olo_step *step, int c)
{
    const olo_system *s = x->system;
    const olo_constraint *row = &s->constraints[c];
    const olo_interval interval = olo_step_interval(step);
    double *d = step->r, *g1 = step->r + row->size;
    const bool varied = olo_step_row(step, row, d, step->K);
    olo_condition_by_end(row, &interval, g1);
    for (int i = 0; i < row->size; i++)
        x->right[row->index[i]] -= x->lambda[c] * d[i];
    put_row(x, c, d, g1);
    if (varied)
        olo_assembly_add(&x->tangent, olo_piece_of_constraint(s, c), x->lambda[c], step->K);
    const double g = olo_row_end_value(step, c, d);
    x->right[s->n + c] = -g;
    olo_raise(&x->open, olo_row_residual(s, c, g1, g, step->x.q1));
}

/* Without a step the entries are listed only. */
static void add_constraints(multipliers *x, olo_step *step)
{
    const olo_system *s = x->system;
    const int of_rates = 2 * s->n + s->m;
    x->open = 0;
    for (int c = 0; c < s->m; c++)
        if (step)
            add_row(x, step, c);
        else
            put_row(x, c, NULL, NULL);
    put_regularisation(x);
    if (!x->scheme->consistent)
        return;
    /* rates of all rows */
    memset(x->right + of_rates, 0, (size_t)s->m * sizeof *x->right);
    suppress_redundant(x, of_rates, x->rates.gamma);
    olo_multiplier_rates_put(&x->rates, step, &x->tangent, x->regularisation, x->right);
}

static void list_constraints(void *context)
{
    add_constraints(context, NULL);
}

/* --- creation --- */

static void destroy(void *data)
{
    multipliers *x = data;
    if (!x)
        return;
    olo_assembly_free(&x->tangent);
    olo_treatment_reduced.free(x->reduced);
    olo_pool_free(&x->pool);
    olo_free(x);
}

/* Creates the treatment that finds redundant rows, if the system has any. */
static olo_status create_reduced(multipliers *x, const olo_run *run, olo_error *error)
{
    if (!olo_system_is_redundant(x->system))
        return OLO_OK;
    const olo_status status =
        olo_treatment_reduced.create(x->system, x->scheme, run, &x->reduced, error);
    if (status != OLO_OK)
        return status;
    const size_t blocks = (size_t)x->system->topology->closure_block_count;
    x->redundant =
        olo_pool_alloc(&x->pool, blocks * OLO_BLOCK_MAX * OLO_BLOCK_MAX, sizeof *x->redundant);
    return x->redundant ? OLO_OK
                        : olo_fail(error, OLO_NO_MEMORY, "out of memory for the multipliers");
}

/* Computes sigma N of every closure block; sigma has the magnitude of G M^-1 G^T. */
static void find_redundant(multipliers *x, olo_step *step)
{
    const olo_topology *topology = x->system->topology;
    olo_reduced_find_redundant(x->reduced, step);
    for (int k = 0; k < topology->closure_block_count; k++) {
        const olo_closure *block = &topology->closure_blocks[k];
        double *N = x->redundant + (size_t)k * OLO_BLOCK_MAX * OLO_BLOCK_MAX;
        olo_reduced_redundant_projector(x->reduced, k, N);
        for (int a = 0; a < block->count; a++)
            for (int b = 0; b < block->count; b++)
                N[a * block->count + b] *= sqrt(x->regularisation[block->first + a] *
                                                x->regularisation[block->first + b]) /
                                           row_regularisation;
    }
}

static olo_status create(const olo_system *system, const olo_scheme *scheme, const olo_run *run,
                         void **data, olo_error *error)
{
    multipliers *x = olo_alloc(1, sizeof *x);
    *data = NULL;
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the multipliers");
    x->system = system;
    x->scheme = scheme;
    const size_t m = (size_t)system->m;
    const int size = (scheme->consistent ? 2 : 1) * (system->n + system->m);
    const olo_array arrays[] = {
        {&x->lambda, m}, {&x->regularisation, m}, {&x->right, (size_t)size}};
    olo_status status = OLO_NO_MEMORY;
    if (olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays) &&
        (!scheme->consistent || olo_multiplier_rates_create(&x->rates, system, &x->pool)))
        status = olo_assembly_create(&x->tangent, system, size - system->n, false, list_constraints,
                                     x, error);
    else
        olo_fail(error, status, "out of memory for the multipliers");
    if (status == OLO_OK)
        status = create_reduced(x, run, error);
    if (status != OLO_OK) {
        destroy(x);
        return status;
    }
    for (int i = 0; i < system->group_count; i++)
        if (closes_loop(&system->groups[i]))
            x->redundant_entries += system->groups[i].count * system->groups[i].count;
    const double mass = olo_largest_mass(system);
    for (int c = 0; c < system->m; c++)
        x->regularisation[c] = row_regularisation * olo_row_weight(system, c) / mass;
    *data = x;
    return OLO_OK;
}

static void predict(void *data, olo_step *step, double scale)
{
    multipliers *x = data;
    olo_sparse_restart(x->tangent.matrix);
    if (x->reduced)
        find_redundant(x, step);
    olo_coordinates_predict(step, scale);
    for (int c = 0; c < x->system->m; c++)
        x->lambda[c] =
            scale != 0 ? 0.5 * step->h * step->h * olo_step_predicted_multiplier(step, c) : 0.0;
    if (x->scheme->consistent)
        olo_multiplier_rates_predict(&x->rates, step);
}

/* --- one iteration --- */

static void assemble(multipliers *x, olo_step *step)
{
    double scaling = 0.5 * step->h;
    olo_sink sink = olo_assembly_sink(&x->tangent, scaling);
    olo_sparse_clear(x->tangent.matrix);
    x->scheme->balance(step, &sink);
    for (int i = 0; i < x->system->n; i++)
        x->right[i] = -scaling * step->T[i];
    olo_sparse_continue(x->tangent.matrix, x->tangent.count);
    add_constraints(x, step);
}

static olo_status iterate(void *data, olo_step *step, olo_newton *newton, olo_error *error)
{
    multipliers *x = data;
    const olo_system *s = x->system;
    /* matrix and residual */
    assemble(x, step);
    double largest = 0;
    for (int i = 0; i < s->n; i++)
        olo_raise(&largest, fabs(x->right[i]));
    for (int i = s->n + s->m; x->scheme->consistent && i < 2 * s->n + s->m; i++)
        olo_raise(&largest, fabs(x->right[i]));
    newton->residual = step->scale > 0 ? largest / (0.5 * fabs(step->h) * step->scale) : largest;
    olo_raise(&newton->residual, x->open); /* violated constraints: not a solution */
    olo_raise(&newton->residual, x->rates.open);
    olo_status status = olo_sparse_factor(x->tangent.matrix, error);
    if (status != OLO_OK)
        return status;
    /* update of dq and lambda' */
    olo_sparse_solve(x->tangent.matrix, x->right);
    olo_coordinates_add(step, x->right);
    for (int c = 0; c < s->m; c++)
        x->lambda[c] += x->right[s->n + c];
    olo_coordinates_measure(step, x->right, newton);
    if (x->scheme->consistent) {
        const double moved = newton->increment;
        const int worst = newton->worst;
        olo_coordinates_measure(step, x->right + s->n + s->m, newton);
        if (newton->increment < moved) {
            newton->increment = moved;
            newton->worst = worst;
        }
        olo_multiplier_rates_update(&x->rates, x->right);
    }
    return OLO_OK;
}

static olo_pass pass(void *data, olo_step *step, int count, olo_error *error)
{
    multipliers *x = data;
    (void)count;
    /* in a singular configuration an independent row may look redundant; the solution then violates
     * it */
    return x->reduced ? olo_pass_closed(step, x->system->m, NULL, error) : OLO_PASS_DONE;
}

static void finish(void *data, olo_step *step, olo_state *state)
{
    multipliers *x = data;
    olo_coordinates_finish(step, state);
    for (int c = 0; c < x->system->m; c++)
        state->lambda[c] = 2 * x->lambda[c] / (step->weight * step->h * step->h);
    if (!x->scheme->consistent)
        return;
    /* lambda = mu + 2 gamma/h */
    olo_multiplier_rates_finish(&x->rates, step);
    for (int c = 0; c < x->system->m; c++)
        state->lambda[c] += 2 * step->gamma[c] / step->h;
}

/* --- the momentum at the end --- */

/* Assembles the matrix of M v + G^T lambda' = p, G v = rate at the end; the right-hand side is the
 * residual of v1 and lambda'. */
static void assemble_end(multipliers *x, olo_step *step)
{
    const olo_system *s = x->system;
    olo_at end = olo_step_solved_end(step);
    olo_sink sink = olo_assembly_sink(&x->tangent, 1.0);
    /* mass matrix and p - M v1 - G^T lambda' */
    olo_sparse_clear(x->tangent.matrix);
    sink.mass(sink.context, 1.0);
    olo_system_mass_times(s, step->v1, x->right);
    for (int i = 0; i < s->n; i++)
        x->right[i] = step->momentum[i] - x->right[i];
    olo_sparse_continue(x->tangent.matrix, x->tangent.count);
    for (int c = 0; c < s->m; c++) {
        const olo_constraint *row = &s->constraints[c];
        olo_constraint_gradient(row, &end, step->r);
        for (int i = 0; i < row->size; i++)
            x->right[row->index[i]] -= x->lambda[c] * step->r[i];
        put_row(x, c, step->r, step->r);
        x->right[s->n + c] = -olo_rate_value(row, &end, step->r, step->v1);
    }
    put_regularisation(x);
}

/* Solves for v1 and lambda'. A second pass corrects the error of the regularisation, 1e-13. */
static olo_status solve_end(multipliers *x, olo_step *step, olo_error *error)
{
    const int passes = 2;
    const olo_system *s = x->system;
    memset(x->lambda, 0, (size_t)s->m * sizeof *x->lambda);
    memset(step->v1, 0, (size_t)s->n * sizeof *step->v1);
    for (int count = 0; count < passes; count++) {
        assemble_end(x, step);
        olo_status status = count == 0 ? olo_sparse_factor(x->tangent.matrix, error) : OLO_OK;
        if (status != OLO_OK)
            return status;
        olo_sparse_solve(x->tangent.matrix, x->right);
        for (int i = 0; i < s->n; i++)
            step->v1[i] += x->right[i];
        for (int c = 0; c < s->m; c++)
            x->lambda[c] += x->right[s->n + c];
    }
    return OLO_OK;
}

/* Projects the momentum. The multipliers of the step are needed later: they are saved in lambda_end
 * meanwhile. */
static olo_status project(void *data, olo_step *step, olo_error *error)
{
    multipliers *x = data;
    int m = x->system->m;
    memcpy(step->lambda_end, x->lambda, (size_t)m * sizeof *x->lambda);
    olo_status status = solve_end(x, step, error);
    for (int c = 0; c < m; c++) {
        double end = 2 / step->h * x->lambda[c];
        x->lambda[c] = step->lambda_end[c];
        step->lambda_end[c] = end;
    }
    return status;
}

/* --- for derivatives --- */

olo_status olo_multipliers_linearise(void *data, olo_step *step, const double *v1, olo_error *error)
{
    multipliers *x = data;
    const olo_system *s = x->system;
    const olo_topology *topology = s->topology;
    if (x->reduced)
        find_redundant(x, step);
    olo_motion_begin(topology, &step->x);
    olo_motion_predict(topology, &step->x, olo_last_motion(step->state), 1.0);
    olo_sparse_restart(x->tangent.matrix);
    memset(x->lambda, 0, (size_t)s->m * sizeof *x->lambda);
    olo_multiplier_rates_predict(&x->rates, step);
    for (int i = 0; i < s->n; i++)
        x->rates.s[i] = 0.5 * step->h * v1[i];
    /* the equations are linear in the multipliers */
    olo_status status = OLO_OK;
    for (int pass = 0; pass < 2 && status == OLO_OK; pass++) {
        x->rates.exact = pass > 0;
        assemble(x, step);
        status = olo_sparse_factor(x->tangent.matrix, error);
        if (status != OLO_OK || pass > 0)
            continue;
        olo_sparse_solve(x->tangent.matrix, x->right);
        for (int c = 0; c < s->m; c++) {
            x->lambda[c] += x->right[s->n + c];
            x->rates.gamma[c] += x->right[2 * s->n + s->m + c];
        }
    }
    return status;
}

olo_multipliers_solution olo_multipliers_solution_of(const void *data)
{
    const multipliers *x = data;
    return (olo_multipliers_solution){
        .mu = x->lambda, .gamma = x->rates.gamma, .s = x->rates.s, .s0 = x->rates.s0};
}

void olo_multipliers_solve(void *data, bool transposed, double *right)
{
    multipliers *x = data;
    (transposed ? olo_sparse_solve_transposed : olo_sparse_solve)(x->tangent.matrix, right);
}

/* The matrix in the scaling of the sources, from the scaled one, without regularisation: with a =
 * h, or the factor of another scheme,
 *
 *     [N  a G(q_m)^T; G(q1)  0],   N = DT + a/2 sum lambda_b Hess g_b;
 *
 * with consistent velocities equations of T, g, v1 and G v1, unknowns dq, mu, v1 and gamma. */
static void unscale(const multipliers *x, const olo_step *step, olo_square *K)
{
    const int n = x->system->n, m = x->system->m;
    const double h = step->h, unit = x->scheme->unit, a = x->scheme->multiplier_factor(step),
                 of_row[4] = {2 / (h * unit), 1, 1, 2 / h},
                 of_column[4] = {1, 0.5 * h * unit * a, 0.5 * h, h};
    const int end[4] = {n, n + m, 2 * n + m, 2 * (n + m)};
    for (int i = 0, k = 0; i < K->size; i++) {
        while (i == end[k])
            k++;
        for (int j = 0, l = 0; j < K->size; j++) {
            while (j == end[l])
                l++;
            const bool regularised = k == l && k % 2 == 1;
            K->entry[(size_t)i * (size_t)K->size + (size_t)j] *=
                regularised ? 0.0 : of_row[k] * of_column[l];
        }
    }
}

static olo_status matrix(void *data, olo_step *step, olo_matrix_kind kind, olo_square *K,
                         olo_error *error)
{
    multipliers *x = data;
    const int size = x->system->n + x->system->m;
    const olo_status status = olo_square_create(x->scheme->consistent ? 2 * size : size, K, error);
    if (status != OLO_OK)
        return status;
    assemble(x, step);
    olo_sparse_dense(x->tangent.matrix, K->entry);
    if (kind == OLO_MATRIX_REPORTED)
        unscale(x, step, K);
    return OLO_OK;
}

const olo_treatment olo_treatment_multipliers = {.name = "multipliers",
                                                 .scaled = true,
                                                 .contacts = true,
                                                 .consistent = true,
                                                 .doubled = true,
                                                 .create = create,
                                                 .free = destroy,
                                                 .predict = predict,
                                                 .iterate = iterate,
                                                 .pass = pass,
                                                 .project = project,
                                                 .finish = finish,
                                                 .matrix = matrix};
