/* Velocities that satisfy the constraints, in dense treatments; see the header. */
#include "stepping/dense_rates.h"

#include <string.h>

#include "base/fail.h"
#include "linalg/dense.h"
#include "stepping/dense_tangent.h"
#include "system/rate_interval.h"

/* Forces on directors, which have no dimension, are divided by the length of the model. */
static void set_weights(const olo_system *s, double *weight)
{
    for (int k = 0; k < s->node_count; k++) {
        const olo_node *node = &s->nodes[k];
        for (int i = 0; i < node->size; i++) {
            const int at = i - node->type->directors;
            const bool director = node->type->directors >= 0 && at >= 0 && at < 9;
            weight[node->q + i] = director ? 1 / (s->length_scale * s->length_scale) : 1.0;
        }
    }
}

bool olo_dense_rates_create(olo_dense_rates *x, const olo_system *s)
{
    const int n = s->n, rows = s->m < s->n ? s->m : s->n;
    const size_t square = olo_area(n, n), wide = olo_area(n, rows), length = (size_t)n;
    const olo_array arrays[] = {{&x->G, wide},       {&x->C, olo_area(rows, rows)},
                                {&x->X, wide},       {&x->P, square},
                                {&x->N, square},     {&x->MN, square},
                                {&x->K, square},     {&x->momentum, length},
                                {&x->work, length},  {&x->nu, length},
                                {&x->gamma, length}, {&x->force, length}};
    bool ok = olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays) &&
              olo_anderson_create(&x->mixing, n, OLO_ANDERSON_DEPTH, &x->pool);
    if (ok)
        set_weights(s, x->mixing.weight);
    x->C_pivot = olo_pool_alloc(&x->pool, (size_t)rows + 1, sizeof *x->C_pivot);
    x->K_pivot = olo_pool_alloc(&x->pool, (size_t)n + 1, sizeof *x->K_pivot);
    return ok && x->C_pivot && x->K_pivot;
}

void olo_dense_rates_free(olo_dense_rates *x)
{
    olo_pool_free(&x->pool);
}

/* G, (G W) and N of the rows of rates at a configuration, and v1 = w. */
static bool find_rows(olo_dense_rates *x, const olo_row_basis *all, const olo_step *step,
                      const olo_at *at)
{
    const olo_system *s = step->system;
    for (int i = 0; i < all->rank; i++) {
        olo_tangent_row_at(s, all->order[i], at, x->G + olo_area(i, s->n));
        x->gamma[i] = olo_constraint_motion_rate(&s->constraints[all->order[i]], at->t);
    }
    if (!olo_row_basis_square(all, x->G, x->C, x->C_pivot))
        return false;
    olo_row_basis_oblique(all, x->G, x->C, x->C_pivot, x->X, x->N);
    olo_lu_solve(all->rank, x->C, x->C_pivot, false, 1, x->gamma);
    memset(step->v1, 0, (size_t)s->n * sizeof *step->v1);
    for (int i = 0; i < all->rank; i++)
        olo_dense_add(s->n, x->gamma[i], olo_row_basis_W(all) + olo_area(i, s->n), step->v1);
    return true;
}

/* work = p - M v1 */
static void find_residual(olo_dense_rates *x, const olo_step *step, const double *p)
{
    olo_system_mass_times(step->system, step->v1, x->work);
    for (int i = 0; i < step->system->n; i++)
        x->work[i] = p[i] - x->work[i];
}

/* v1 = w + N nu with P^T M N nu = P^T (p - M w); further passes correct rounding of p along P. */
static bool find_velocity(olo_dense_rates *x, const olo_row_basis *all, const olo_step *step,
                          const double *P, const double *p, int passes)
{
    const int n = step->system->n, k = n - all->rank;
    for (int j = 0; j < k; j++)
        olo_system_mass_times(step->system, x->N + olo_area(j, n), x->MN + olo_area(j, n));
    olo_dense_products(k, k, n, P, x->MN, x->K);
    if (!olo_lu_factor(k, x->K, x->K_pivot))
        return false;
    for (int pass = 0; pass < passes; pass++) {
        find_residual(x, step, p);
        for (int j = 0; j < k; j++)
            x->nu[j] = olo_dense_dot(n, P + olo_area(j, n), x->work);
        olo_lu_solve(k, x->K, x->K_pivot, false, 1, x->nu);
        for (int j = 0; j < k; j++)
            olo_dense_add(n, x->nu[j], x->N + olo_area(j, n), step->v1);
    }
    return true;
}

/* gamma = (rows W)^-T W^T work, with the factors of rows W */
static void find_multipliers(olo_dense_rates *x, const olo_row_basis *all, const double *C,
                             const int *pivot)
{
    const int n = all->width;
    for (int i = 0; i < all->rank; i++)
        x->gamma[i] = olo_dense_dot(n, olo_row_basis_W(all) + olo_area(i, n), x->work);
    olo_lu_solve(all->rank, C, pivot, true, 1, x->gamma);
}

olo_status olo_dense_rates_project(olo_dense_rates *x, const olo_row_basis *all, olo_step *step,
                                   olo_error *error)
{
    const olo_at end = olo_step_solved_end(step);
    if (!find_rows(x, all, step, &end) || !find_velocity(x, all, step, x->N, step->momentum, 2))
        return olo_fail(error, OLO_SINGULAR, "the momentum at the end cannot be projected");
    find_residual(x, step, step->momentum);
    find_multipliers(x, all, x->C, x->C_pivot);
    memset(step->lambda_end, 0, (size_t)all->count * sizeof *step->lambda_end);
    for (int i = 0; i < all->rank; i++)
        step->lambda_end[all->order[i]] = 2 / step->h * x->gamma[i];
    return OLO_OK;
}

void olo_dense_rates_begin(olo_dense_rates *x)
{
    x->slow = x->known = false;
    x->update = 0;
    olo_anderson_restart(&x->mixing);
}

void olo_dense_rates_measure(olo_dense_rates *x, const olo_newton *newton)
{
    const double largest_ratio = 0.05;
    x->slow = x->update > 0 && newton->increment > largest_ratio * x->update;
    x->update = newton->increment;
}

/* gamma = (D W)^-T W^T r/h, and T += h sum gamma a, or that of earlier iterations and a mix of its
 * changes */
static void add_force(olo_dense_rates *x, olo_row_basis *all, olo_step *step)
{
    const olo_system *s = step->system;
    const olo_interval over = olo_step_interval(step);
    const olo_end_velocities v = {.v0 = step->v0, .v1 = step->v1};
    double a[OLO_FORM_SIZE_MAX];
    find_residual(x, step, x->momentum);
    for (int i = 0; i < s->n; i++)
        x->work[i] *= 0.5;
    find_multipliers(x, all, all->C, all->pivot);
    memset(step->gamma, 0, (size_t)s->m * sizeof *step->gamma);
    double *change = olo_anderson_found(&x->mixing);
    memset(change, 0, (size_t)s->n * sizeof *change);
    for (int i = 0; i < all->rank; i++) {
        const olo_constraint *row = &s->constraints[all->order[i]];
        step->gamma[all->order[i]] = x->gamma[i];
        olo_rate_gradient(row, &over, &v, a);
        for (int j = 0; j < row->size; j++)
            change[row->index[j]] += step->h * x->gamma[i] * a[j];
    }
    if (x->known) {
        olo_dense_add(s->n, -1, x->force, change);
        olo_dense_add(s->n, 1, olo_anderson_next(&x->mixing, x->slow), x->force);
    } else {
        memcpy(x->force, change, (size_t)s->n * sizeof *x->force);
    }
    x->known = true;
    olo_dense_add(s->n, 1, x->force, step->T);
}

bool olo_dense_rates_apply(olo_dense_rates *x, olo_row_basis *all, olo_step *step)
{
    const olo_at end = olo_step_end(step);
    for (int i = 0; i < step->system->n; i++)
        x->work[i] = 2 / step->h * step->x.dq[i] - step->v0[i];
    olo_system_mass_times(step->system, x->work, x->momentum);
    olo_row_basis_oblique(all, all->now, all->C, all->pivot, all->X, x->P);
    if (!find_rows(x, all, step, &end) || !find_velocity(x, all, step, x->P, x->momentum, 1))
        return false;
    add_force(x, all, step);
    return true;
}

void olo_dense_rates_finish(olo_dense_rates *x, olo_row_basis *all, olo_step *step, double factor,
                            double *l, olo_state *state)
{
    olo_dense_rates_begin(x);
    if (!olo_row_basis_multipliers(all, step, l) || !olo_dense_rates_apply(x, all, step))
        return;
    olo_row_basis_finish(all, step, factor, l, state);
    for (int c = 0; c < all->count; c++) /* lambda = mu + 2 gamma/h */
        state->lambda[c] += 2 / step->h * step->gamma[c];
}
