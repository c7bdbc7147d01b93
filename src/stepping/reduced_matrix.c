/* The iteration matrix P(q0,q1)^T S DF (thesis B.3, B.8), assembled from its definition:
 *
 *     S = DT - 1/2 sum l_b Hess g_b,   G_m^T l = T,
 *
 * with P the discrete null space of the tree and DF the right pair at q1. (The elimination of a
 * step solves with the same matrix without assembling it.) */
#include "stepping/reduced_matrix.h"

#include "base/fail.h"
#include "base/memory.h"
#include "kinematics/null_space.h"
#include "stepping/dense_tangent.h"
#include "stepping/row_basis.h"

/* S -= 1/2 sum l_b Hess g_b with G_m^T l = T over independent rows. */
static olo_status subtract_hessians(olo_step *step, double *S, olo_error *error)
{
    const olo_system *s = step->system;
    olo_row_basis all = {0};
    double *l = olo_alloc((size_t)s->m, sizeof *l);
    olo_status status = OLO_OK;
    if (!olo_row_basis_create(&all, s->m, s->n) || !l)
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for a dense matrix");
    for (int c = 0; status == OLO_OK && c < s->m; c++)
        olo_tangent_discrete_row(step, c, all.rows + olo_area(c, s->n));
    if (status == OLO_OK &&
        !(olo_row_basis_begin(&all, 0) && olo_row_basis_multipliers(&all, step, l)))
        status = olo_fail(error, OLO_SINGULAR, "the constraints of the step are singular");
    for (int i = 0; status == OLO_OK && i < all.rank; i++)
        olo_tangent_add_curvature(step, all.order[i], -l[i], s->n, S);
    olo_row_basis_free(&all);
    olo_free(l);
    return status;
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
            row[i] = olo_dense_dot(s->n, S + i * n, right + j * n);
        for (size_t i = 0; i < k; i++)
            K->entry[i * size + j] = olo_dense_dot(s->n, left + i * n, row);
    }
    for (size_t c = 0; c < (size_t)topology->closure_count; c++) {
        olo_tangent_discrete_row(step, topology->closures[c], row);
        for (size_t i = 0; i < k; i++)
            K->entry[i * size + k + c] = a * olo_dense_dot(s->n, left + i * n, row);
        olo_tangent_end_row(step, topology->closures[c], row);
        for (size_t j = 0; j < k; j++)
            K->entry[(k + c) * size + j] = olo_dense_dot(s->n, right + j * n, row);
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
