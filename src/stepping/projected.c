/* The treatment `projected`: the d'Alembert-type scheme. The discrete null space removes the
 * multipliers, and q1 remains the unknown (thesis 3.2.33), in n unknowns,
 *
 *     P(q0, q1)^T T(q1) = 0,   g(q1) = 0.
 *
 * The null space matrix is `implicit`, P = [I - W (G_m W)^-1 G_m] U with G(q0)^T = [W U][R; 0]
 * factored once per step (3.2.38), or `explicit`, that of the joint tree; with closed loops it is
 * the explicit one of the tree times the implicit one of the closures. Redundant rows are omitted:
 * pivoting finds a largest independent set in every step.
 *
 * The Newton iteration (B.2, B.3, B.5) uses
 *
 *     l = (G_m W)^-T W^T T,   S = DT - 1/2 sum l_b Hess g_b,
 *
 * which is exact for the implicit matrix, and exact at the solution for the explicit one. The
 * equations are solved in two parts dq = U du + W dw (C.21), since the undivided matrix [P^T S; G]
 * has a condition number of O(1/h):
 *
 *     P^T S [I - W (G W)^-1 G] U du = -P^T [T - S W (G W)^-1 g],   G W dw = -(g + G U du).
 *
 * With a scheme that evaluates P at q0 (variational) there are no Hessians, and the momentum at the
 * end is projected (momentum_projection.h).
 *
 * Dense: for systems of up to some hundred coordinates. All matrices are row-major; tall ones are
 * stored transposed, with a vector of R^n per row. */
#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/pool.h"
#include "kinematics/null_space.h"
#include "linalg/dense.h"
#include "stepping/coordinates.h"
#include "stepping/dense_rates.h"
#include "stepping/dense_tangent.h"
#include "stepping/momentum_projection.h"
#include "stepping/row_basis.h"

typedef struct projected {
    const olo_system *system;
    const olo_scheme *scheme;
    olo_pool pool; /* memory of all arrays below */
    bool is_explicit;
    const olo_topology *topology; /* explicit */
    olo_null_space *space;
    olo_row_basis all;           /* of G, width n */
    olo_momentum_projection end; /* projection of the momentum at the end */
    olo_dense_rates rates;       /* of schemes with consistent velocities */
    olo_row_basis closures;      /* of G P of the closures, width tree unknowns */
    double *Pt;                  /* [k x n] P^T */
    double *tree_Pt;             /* [tree unknowns x n] */
    double *S;                   /* [n x n] */
    double *G;                   /* [rank x n] at q1 */
    double *GW;                  /* [rank x rank] at q1, factored */
    int *GW_pivot;
    double *N;  /* [k x n] ([I - W (G W)^-1 G] U)^T */
    double *Y;  /* [k x rank] ((G W)^-1 G U)^T */
    double *SN; /* [k x n] (S N)^T */
    double *K;  /* [k x k] K_u */
    int *K_pivot;
    double *l;                 /* [rank] */
    double *g;                 /* [rank] constraints at q1, then (G W)^-1 g */
    double *du, *change, *row; /* [n] */
    olo_status status;         /* of the factorisation at the start of the step */
} projected;

/* --- creation --- */

static void destroy(void *data)
{
    projected *x = data;
    if (!x)
        return;
    olo_null_space_free(x->space);
    olo_row_basis_free(&x->all);
    olo_row_basis_free(&x->closures);
    olo_momentum_projection_free(&x->end);
    olo_dense_rates_free(&x->rates);
    olo_pool_free(&x->pool);
    olo_free(x);
}

/* The rank is not known before a step: allocates for the largest one. */
static bool allocate(projected *x)
{
    int n = x->system->n, m = x->system->m;
    int rows = m < n ? m : n;
    const size_t square = olo_area(n, n), wide = olo_area(n, rows), length = (size_t)n;
    const olo_array arrays[] = {
        {&x->Pt, square}, {&x->S, square}, {&x->N, square},  {&x->Y, wide},
        {&x->SN, square}, {&x->K, square}, {&x->G, wide},    {&x->GW, olo_area(rows, rows)},
        {&x->l, length},  {&x->g, length}, {&x->du, length}, {&x->change, length},
        {&x->row, length}};
    bool ok = olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays);
    x->GW_pivot = olo_pool_alloc(&x->pool, (size_t)rows + 1, sizeof *x->GW_pivot);
    x->K_pivot = olo_pool_alloc(&x->pool, (size_t)n + 1, sizeof *x->K_pivot);
    if (x->scheme->momentum)
        ok = olo_momentum_projection_create(&x->end, x->system) && ok;
    if (x->scheme->consistent)
        ok = olo_dense_rates_create(&x->rates, x->system) && ok;
    return olo_row_basis_create(&x->all, m, n) && ok && x->GW_pivot && x->K_pivot;
}

static olo_status create_tree(projected *x, olo_error *error)
{
    x->topology = x->system->topology;
    const olo_status status = olo_null_space_create(x->topology, &x->space, error);
    if (status != OLO_OK)
        return status;
    x->tree_Pt =
        olo_pool_alloc(&x->pool, olo_area(x->topology->unknowns, x->system->n), sizeof *x->tree_Pt);
    if (!olo_row_basis_create(&x->closures, x->topology->closure_count, x->topology->unknowns) ||
        !x->tree_Pt)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the projected treatment");
    return OLO_OK;
}

static olo_status check(const olo_system *system, const olo_run *run, olo_error *error)
{
    const char *kind = run->null_space ? run->null_space : "";
    (void)system;
    if (strcmp(kind, "explicit") == 0 || strcmp(kind, "implicit") == 0)
        return OLO_OK;
    return olo_fail(error, OLO_BAD_INPUT,
                    "run.null_space must be explicit or implicit, got '%.64s'", kind);
}

static olo_status create(const olo_system *system, const olo_scheme *scheme, const olo_run *run,
                         void **data, olo_error *error)
{
    *data = NULL;
    projected *x = olo_alloc(1, sizeof *x);
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the projected treatment");
    x->system = system;
    x->scheme = scheme;
    x->is_explicit = strcmp(run->null_space, "explicit") == 0;
    olo_status status = OLO_OK;
    if (!allocate(x))
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for the projected treatment");
    if (status == OLO_OK && x->is_explicit)
        status = create_tree(x, error);
    if (status != OLO_OK) {
        destroy(x);
        return status;
    }
    *data = x;
    return OLO_OK;
}

/* --- the start of a step --- */

/* Writes the closure rows G P of the tree over the step, divided by the norm of G, in a given
 * order. */
static void closure_rows(projected *x, const olo_step *step, const int *order, int count,
                         double *rows)
{
    int n = x->system->n;
    for (int i = 0; i < count; i++) {
        int c = x->topology->closures[order ? order[i] : i];
        olo_tangent_discrete_row(step, c, x->row);
        double size = sqrt(olo_dense_dot(n, x->row, x->row));
        for (int j = 0; j < x->topology->unknowns; j++)
            rows[olo_area(i, x->topology->unknowns) + (size_t)j] =
                size > 0 ? olo_dense_dot(n, x->row, x->tree_Pt + olo_area(j, n)) / size : 0;
    }
}

/* Factors the closure rows in the null space of the tree at q0. */
static bool begin_tree(projected *x, olo_step *step)
{
    olo_motion_begin(x->topology, &step->x);
    olo_coordinates_predict(step, 0.0);
    olo_null_space_at(x->space, &step->x, true);
    olo_null_space_matrix(x->space, x->tree_Pt);
    closure_rows(x, step, NULL, x->closures.count, x->closures.rows);
    return olo_row_basis_begin(&x->closures,
                               OLO_RANK_TOLERANCE * fmin(x->system->length_scale, 1.0));
}

static void predict(void *data, olo_step *step, double scale)
{
    projected *x = data;
    const olo_system *s = x->system;
    for (int c = 0; c < s->m; c++)
        olo_tangent_row(s, c, step->x.q0, x->all.rows + olo_area(c, s->n));
    bool ok = olo_row_basis_begin(&x->all, 0);
    if (ok && x->is_explicit)
        ok = begin_tree(x, step) && x->topology->unknowns - x->closures.rank == s->n - x->all.rank;
    olo_dense_rates_begin(&x->rates);
    x->status = ok ? OLO_OK : OLO_SINGULAR;
    olo_coordinates_predict(step, scale);
}

/* --- one iteration --- */

static int free_count(const projected *x)
{
    return x->system->n - x->all.rank;
}

/* P^T of the tree, times the implicit one of the closures. */
static bool explicit_null_space(projected *x, olo_step *step)
{
    int n = x->system->n, k = free_count(x);
    olo_row_basis *c = &x->closures;
    olo_null_space_at(x->space, &step->x, true);
    olo_null_space_matrix(x->space, x->tree_Pt);
    if (c->rank == 0) {
        memcpy(x->Pt, x->tree_Pt, olo_area(k, n) * sizeof *x->Pt);
        return true;
    }
    closure_rows(x, step, c->order, c->rank, c->now);
    if (!olo_row_basis_square(c, c->now, c->C, c->pivot))
        return false;
    olo_row_basis_oblique(c, c->now, c->C, c->pivot, c->X, x->N);
    memset(x->Pt, 0, olo_area(k, n) * sizeof *x->Pt);
    for (int j = 0; j < k; j++)
        for (int i = 0; i < c->width; i++)
            olo_dense_add(n, x->N[olo_area(j, c->width) + (size_t)i], x->tree_Pt + olo_area(i, n),
                          x->Pt + olo_area(j, n));
    return true;
}

/* Computes T, P^T and S; G, g and (G W) at q1; N; K_u. */
static bool linearise(projected *x, olo_step *step)
{
    const olo_system *s = x->system;
    olo_row_basis *a = &x->all;
    int n = s->n, k = free_count(x);
    olo_interval over = olo_step_interval(step);
    /* T, DT and the multipliers l */
    olo_tangent_balance(x->scheme, step, x->S);
    if (!olo_row_basis_multipliers(&x->all, step, x->l))
        return false;
    if (x->scheme->consistent && (!olo_dense_rates_apply(&x->rates, &x->all, step) ||
                                  !olo_row_basis_multipliers(&x->all, step, x->l)))
        return false;
    /* the null space matrix P^T */
    if (x->is_explicit) {
        if (!explicit_null_space(x, step))
            return false;
    } else {
        olo_row_basis_oblique(a, a->now, a->C, a->pivot, a->X, x->Pt);
    }
    /* S = DT - 1/2 sum l_b Hess g_b; rows G and values g at q1 */
    for (int i = 0; i < a->rank; i++) {
        olo_tangent_add_curvature(step, a->order[i], -x->l[i], n, x->S);
        olo_tangent_end_row(step, a->order[i], x->G + olo_area(i, n));
        x->g[i] = olo_condition_value(&s->constraints[a->order[i]], &over);
    }
    /* N = [I - W (G W)^-1 G] U and K_u = P^T S N */
    if (!olo_row_basis_square(a, x->G, x->GW, x->GW_pivot))
        return false;
    olo_row_basis_oblique(a, x->G, x->GW, x->GW_pivot, x->Y, x->N);
    olo_dense_products(k, n, n, x->N, x->S, x->SN);
    olo_dense_products(k, k, n, x->Pt, x->SN, x->K);
    return true;
}

/* K_u du = -P^T [T - S W (G W)^-1 g],  dw = -(G W)^-1 (g + G U du);  change = U du + W dw. Returns
 * the largest entry of P^T T. */
static double solve(projected *x, olo_step *step)
{
    olo_row_basis *a = &x->all;
    int n = x->system->n, k = free_count(x);
    double largest = 0;
    olo_lu_solve(a->rank, x->GW, x->GW_pivot, false, 1, x->g); /* (G W)^-1 g */
    memset(x->change, 0, (size_t)n * sizeof *x->change);
    for (int i = 0; i < a->rank; i++)
        olo_dense_add(n, x->g[i], olo_row_basis_W(a) + olo_area(i, n), x->change);
    for (int i = 0; i < n; i++)
        x->row[i] = step->T[i] - olo_dense_dot(n, x->S + olo_area(i, n), x->change);
    for (int j = 0; j < k; j++) {
        olo_raise(&largest, fabs(olo_dense_dot(n, x->Pt + olo_area(j, n), step->T)));
        x->du[j] = -olo_dense_dot(n, x->Pt + olo_area(j, n), x->row);
    }
    olo_lu_solve(k, x->K, x->K_pivot, false, 1, x->du);
    /* U du + W dw = N du - W (G W)^-1 g */
    for (int i = 0; i < n; i++)
        x->change[i] = -x->change[i];
    for (int j = 0; j < k; j++)
        olo_dense_add(n, x->du[j], x->N + olo_area(j, n), x->change);
    return largest;
}

static olo_status iterate(void *data, olo_step *step, olo_newton *newton, olo_error *error)
{
    projected *x = data;
    newton->worst = 0;
    if (x->status != OLO_OK)
        return olo_fail(
            error, x->status,
            "the number of columns of the null space matrix is not that of degrees of freedom");
    if (!linearise(x, step) || !olo_lu_factor(free_count(x), x->K, x->K_pivot))
        return olo_fail(error, OLO_SINGULAR, "the projected equations are singular");
    double largest = solve(x, step);
    newton->residual = step->scale > 0 ? largest / step->scale : largest;
    /* violated constraints: not a solution */
    olo_raise(&newton->residual, olo_rows_largest_residual(step, x->all.rank, x->all.order));
    olo_coordinates_add(step, x->change);
    olo_coordinates_measure(step, x->change, newton);
    olo_dense_rates_measure(&x->rates, newton);
    return OLO_OK;
}

static olo_status project(void *data, olo_step *step, olo_error *error)
{
    return olo_momentum_projection_apply(&((projected *)data)->end, step, error);
}

/* At the solution T = G_m^T l, hence lambda = -l/h; redundant rows have multiplier zero. */
static void finish(void *data, olo_step *step, olo_state *state)
{
    projected *x = data;
    double a = x->scheme->multiplier_factor(step);
    olo_coordinates_finish(step, state);
    x->scheme->balance(step, NULL);
    if (x->scheme->consistent)
        olo_dense_rates_finish(&x->rates, &x->all, step, a, x->l, state);
    else
        olo_row_basis_finish(&x->all, step, a, x->l, state);
}

static olo_status matrix(void *data, olo_step *step, olo_matrix_kind kind, olo_square *K,
                         olo_error *error)
{
    projected *x = data;
    size_t n = (size_t)x->system->n, k = (size_t)free_count(x);
    olo_status status = olo_square_create(kind == OLO_MATRIX_REPORTED ? (int)k : (int)n, K, error);
    olo_dense_rates_begin(&x->rates);
    if (status == OLO_OK && !linearise(x, step))
        status = olo_fail(error, OLO_SINGULAR, "the projected equations are singular");
    if (status != OLO_OK)
        return status;
    if (kind == OLO_MATRIX_REPORTED) {
        memcpy(K->entry, x->K, k * k * sizeof *x->K);
        return OLO_OK;
    }
    for (size_t j = 0; j < k; j++) /* P^T S */
        for (size_t i = 0; i < n; i++)
            olo_dense_add((int)n, x->Pt[j * n + i], x->S + i * n, K->entry + j * n);
    memcpy(K->entry + k * n, x->G, (n - k) * n * sizeof *x->G);
    return OLO_OK;
}

const olo_treatment olo_treatment_projected = {.name = "projected",
                                               .scaled = true,
                                               .consistent = true,
                                               .create = create,
                                               .free = destroy,
                                               .check = check,
                                               .predict = predict,
                                               .iterate = iterate,
                                               .project = project,
                                               .finish = finish,
                                               .matrix = matrix};
