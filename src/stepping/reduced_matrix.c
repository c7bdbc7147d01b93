/* The iteration matrix P(q0,q1)^T S DF (thesis B.3, B.8), assembled from its definition:
 *
 *     S = DT - 1/2 sum l_b Hess g_b,   G_m^T l = T,
 *
 * with P the discrete null space of the tree and DF the right pair at q1. (The elimination of a
 * step solves with the same matrix without assembling it.) */
#include "stepping/reduced_matrix.h"

#include <math.h>

#include "base/fail.h"
#include "base/memory.h"
#include "kinematics/null_space.h"
#include "linalg/dense.h"
#include "stepping/dense_tangent.h"

/* A row of unit length is redundant if less than this remains after elimination
 * (kinematics/redundancy.c). */
static const double rank_tolerance = 1e-9;

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

typedef struct estimate {
    double *G, *Q, *work, *C, *l;
    int *order, *pivot;
} estimate;

static bool estimate_create(estimate *e, size_t m, size_t n)
{
    size_t most = m < n ? m : n;
    e->G = olo_alloc(2 * m * n, sizeof *e->G);
    e->Q = olo_alloc(n * n, sizeof *e->Q);
    e->work = olo_alloc(olo_row_space_work((int)m, (int)n), sizeof *e->work);
    e->C = olo_alloc(most * most, sizeof *e->C);
    e->l = olo_alloc(m, sizeof *e->l);
    e->order = olo_alloc(m, sizeof *e->order);
    e->pivot = olo_alloc(m, sizeof *e->pivot);
    return e->G && e->Q && e->work && e->C && e->l && e->order && e->pivot;
}

static void estimate_free(estimate *e)
{
    olo_free(e->G);
    olo_free(e->Q);
    olo_free(e->work);
    olo_free(e->C);
    olo_free(e->l);
    olo_free(e->order);
    olo_free(e->pivot);
}

/* S -= 1/2 sum l_b Hess g_b with G_m^T l = T over independent rows. */
static olo_status subtract_hessians(olo_step *step, double *S, olo_error *error)
{
    const olo_system *s = step->system;
    size_t n = (size_t)s->n, m = (size_t)s->m;
    estimate e = {0};
    int rank = 0;
    if (!estimate_create(&e, m, n)) {
        estimate_free(&e);
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for a dense matrix");
    }
    double *unit = e.G + m * n;
    for (size_t c = 0; c < m; c++) {
        double *row = e.G + c * n;
        olo_tangent_discrete_row(step, (int)c, row);
        double size = sqrt(dot(n, row, row));
        for (size_t i = 0; i < n; i++)
            unit[c * n + i] = size > 0 ? row[i] / size : 0;
    }
    bool ok = olo_row_space(s->m, s->n, unit, rank_tolerance, e.order, e.Q, &rank, e.work);
    size_t r = (size_t)rank;
    for (size_t i = 0; ok && i < r; i++) {
        for (size_t j = 0; j < r; j++)
            e.C[i * r + j] = dot(n, e.G + (size_t)e.order[i] * n, e.Q + j * n);
        e.l[i] = dot(n, e.Q + i * n, step->T);
    }
    ok = ok && olo_lu_factor(rank, e.C, e.pivot);
    if (ok) {
        olo_lu_solve(rank, e.C, e.pivot, true, 1, e.l);
        for (int i = 0; i < rank; i++)
            olo_tangent_add_curvature(step, e.order[i], -e.l[i], s->n, S);
    }
    estimate_free(&e);
    return ok ? OLO_OK : olo_fail(error, OLO_SINGULAR, "the constraints of the step are singular");
}

/* K from S and the two null space matrices, both transposed. */
static void project(const olo_scheme *scheme, const olo_topology *topology, olo_step *step,
                    const double *S, const double *left, const double *right, double *row,
                    olo_square *K)
{
    const olo_system *s = step->system;
    size_t n = (size_t)s->n, k = (size_t)topology->unknowns, size = (size_t)K->size;
    double a = scheme->multiplier_factor(step);
    for (size_t j = 0; j < k; j++) {
        for (size_t i = 0; i < n; i++)
            row[i] = dot(n, S + i * n, right + j * n);
        for (size_t i = 0; i < k; i++)
            K->entry[i * size + j] = dot(n, left + i * n, row);
    }
    for (size_t c = 0; c < (size_t)topology->closure_count; c++) {
        olo_tangent_discrete_row(step, topology->closures[c], row);
        for (size_t i = 0; i < k; i++)
            K->entry[i * size + k + c] = a * dot(n, left + i * n, row);
        olo_tangent_end_row(step, topology->closures[c], row);
        for (size_t j = 0; j < k; j++)
            K->entry[(k + c) * size + j] = dot(n, right + j * n, row);
    }
}

olo_status olo_reduced_matrix(const olo_scheme *scheme, const olo_topology *topology,
                              olo_step *step, olo_square *K, olo_error *error)
{
    size_t n = (size_t)step->system->n, k = (size_t)topology->unknowns;
    olo_null_space *space = NULL;
    double *numbers = olo_alloc(n * n + 2 * k * n + n, sizeof *numbers);
    olo_status status = olo_square_create(topology->unknowns + topology->closure_count, K, error);
    if (status == OLO_OK && !numbers)
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for a dense matrix");
    if (status == OLO_OK)
        status = olo_null_space_create(topology, &space, error);
    if (status == OLO_OK) {
        double *S = numbers, *left = S + n * n, *right = left + k * n;
        olo_tangent_balance(scheme, step, S);
        for (size_t i = 0; i < n * n; i++)
            S[i] /= scheme->unit;
        if (!scheme->evaluation.at_start)
            status = subtract_hessians(step, S, error);
        olo_null_space_at(space, &step->x, true);
        olo_null_space_matrix(space, left);
        olo_null_space_at(space, &step->x, false);
        olo_null_space_matrix(space, right);
        project(scheme, topology, step, S, left, right, right + k * n, K);
    }
    olo_null_space_free(space);
    olo_free(numbers);
    return status;
}
