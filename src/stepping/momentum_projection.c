/* Projection of the momentum at the end of a step, dense; see the header. */
#include "stepping/momentum_projection.h"

#include <string.h>

#include "base/fail.h"
#include "linalg/dense.h"
#include "stepping/dense_tangent.h"

bool olo_momentum_projection_create(olo_momentum_projection *x, const olo_system *system)
{
    const int n = system->n, m = system->m;
    const olo_array arrays[] = {{&x->K, olo_area(n, n)},
                                {&x->nu, (size_t)n},
                                {&x->rate, (size_t)n},
                                {&x->l, (size_t)n},
                                {&x->row, (size_t)n}};
    x->system = system;
    bool ok = olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays);
    x->K_pivot = olo_pool_alloc(&x->pool, (size_t)n + 1, sizeof *x->K_pivot);
    return olo_row_basis_create(&x->split, m, n) && ok && x->K_pivot;
}

void olo_momentum_projection_free(olo_momentum_projection *x)
{
    olo_row_basis_free(&x->split);
    olo_pool_free(&x->pool);
}

/* Factors the rows at q1, forms G W, and sets v1 = W (G W)^-1 rate. */
static bool set_rate(olo_momentum_projection *x, olo_step *step)
{
    const olo_system *s = x->system;
    olo_row_basis *e = &x->split;
    double t = step->t + step->h;
    for (int c = 0; c < s->m; c++)
        olo_tangent_row(s, c, step->q_end, e->rows + olo_area(c, s->n));
    if (!olo_row_basis_begin(e, 0))
        return false;
    for (int i = 0; i < e->rank; i++) {
        const olo_constraint *row = &s->constraints[e->order[i]];
        olo_tangent_row(s, e->order[i], step->q_end, e->now + olo_area(i, s->n));
        x->rate[i] = olo_constraint_motion_rate(row, t);
    }
    if (!olo_row_basis_square(e, e->now, e->C, e->pivot))
        return false;
    olo_lu_solve(e->rank, e->C, e->pivot, false, 1, x->rate);
    memset(step->v1, 0, (size_t)s->n * sizeof *step->v1);
    for (int i = 0; i < e->rank; i++)
        olo_dense_add(s->n, x->rate[i], olo_row_basis_W(e) + olo_area(i, s->n), step->v1);
    return true;
}

/* row = p - M v1 */
static void residual(const olo_momentum_projection *x, const olo_step *step)
{
    olo_system_mass_times(x->system, step->v1, x->row);
    for (int i = 0; i < x->system->n; i++)
        x->row[i] = step->momentum[i] - x->row[i];
}

/* v1 += U nu, in two passes: the second one corrects rounding of the momentum along U. */
static bool add_free_motion(olo_momentum_projection *x, olo_step *step)
{
    const olo_system *s = x->system;
    const double *U = olo_row_basis_U(&x->split);
    int n = s->n, k = n - x->split.rank;
    for (int j = 0; j < k; j++) {
        olo_system_mass_times(s, U + olo_area(j, n), x->row);
        for (int i = 0; i < k; i++)
            x->K[olo_area(i, k) + (size_t)j] = olo_dense_dot(n, U + olo_area(i, n), x->row);
    }
    if (!olo_lu_factor(k, x->K, x->K_pivot))
        return false;
    for (int pass = 0; pass < 2; pass++) {
        residual(x, step);
        for (int j = 0; j < k; j++)
            x->nu[j] = olo_dense_dot(n, U + olo_area(j, n), x->row);
        olo_lu_solve(k, x->K, x->K_pivot, false, 1, x->nu);
        for (int j = 0; j < k; j++)
            olo_dense_add(n, x->nu[j], U + olo_area(j, n), step->v1);
    }
    return true;
}

olo_status olo_momentum_projection_apply(olo_momentum_projection *x, olo_step *step,
                                         olo_error *error)
{
    const olo_system *s = x->system;
    olo_row_basis *e = &x->split;
    int n = s->n;
    if (!set_rate(x, step) || !add_free_motion(x, step))
        return olo_fail(error, OLO_SINGULAR, "the momentum at the end cannot be projected");
    residual(x, step);
    for (int i = 0; i < e->rank; i++)
        x->l[i] = olo_dense_dot(n, olo_row_basis_W(e) + olo_area(i, n), x->row);
    olo_lu_solve(e->rank, e->C, e->pivot, true, 1, x->l);
    memset(step->lambda_end, 0, (size_t)s->m * sizeof *step->lambda_end);
    for (int i = 0; i < e->rank; i++)
        step->lambda_end[e->order[i]] = 2 / step->h * x->l[i];
    return OLO_OK;
}
