/* The linearised step of schemes with consistent velocities; see the header. */
#include "stepping/linear_rates.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/pool.h"
#include "linalg/small.h"
#include "stepping/multipliers_private.h"
#include "system/rate_interval.h"

struct olo_linear_rates {
    const olo_system *system;
    void *multipliers; /* the treatment */
    olo_step *step;
    olo_pool pool;
    double *z;                  /* [2 (n + m)] */
    double *balance, *velocity; /* [n] parts of the right-hand side */
    double *work;               /* [n] */
    double *K, *second;         /* local matrices */
};

olo_status olo_linear_rates_create(const olo_system *system, const olo_scheme *scheme,
                                   const olo_run *run, olo_linear_rates **rates, olo_error *error)
{
    const size_t n = (size_t)system->n, m = (size_t)system->m;
    size_t largest = OLO_FORM_SIZE_MAX;
    *rates = NULL;
    for (int i = 0; i < olo_pieces(system); i++)
        if ((size_t)olo_piece_size(system, i) > largest)
            largest = (size_t)olo_piece_size(system, i);
    olo_linear_rates *x = olo_alloc(1, sizeof *x);
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the derivatives of a step");
    x->system = system;
    const olo_array arrays[] = {{&x->z, 2 * (n + m)},       {&x->balance, n},
                                {&x->velocity, n},          {&x->work, n},
                                {&x->K, largest * largest}, {&x->second, largest * largest}};
    olo_status status = OLO_NO_MEMORY;
    if (olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays))
        status = olo_treatment_multipliers.create(system, scheme, run, &x->multipliers, error);
    else
        olo_fail(error, status, "out of memory for the derivatives of a step");
    if (status != OLO_OK) {
        olo_linear_rates_free(x);
        return status;
    }
    *rates = x;
    return OLO_OK;
}

void olo_linear_rates_free(olo_linear_rates *x)
{
    if (!x)
        return;
    olo_treatment_multipliers.free(x->multipliers);
    olo_pool_free(&x->pool);
    olo_free(x);
}

olo_status olo_linear_rates_at(olo_linear_rates *x, olo_step *step, const double *v1, double *mu,
                               const double **gamma, olo_error *error)
{
    x->step = step;
    const olo_status status = olo_multipliers_linearise(x->multipliers, step, v1, error);
    const olo_multipliers_solution at = olo_multipliers_solution_of(x->multipliers);
    for (int c = 0; c < x->system->m; c++)
        mu[c] = 2 / step->h * at.mu[c];
    *gamma = at.gamma;
    return status;
}

/* out += factor M w */
static void add_mass(olo_linear_rates *x, double factor, const double *w, double *out)
{
    olo_system_mass_times(x->system, w, x->work);
    for (int i = 0; i < x->system->n; i++)
        out[i] += factor * x->work[i];
}

/* out += (h/2) dT/dq0 w of terms and actions, or its transpose */
static void add_forces(olo_linear_rates *x, bool transposed, const double *w, double *out)
{
    const olo_system *s = x->system;
    const olo_interval over = olo_step_interval(x->step);
    const double factor = 0.5 * x->step->h * x->step->h;
    for (int i = 0; i < s->term_count + s->action_count; i++) {
        if (!olo_piece_has_tangent(s, i))
            continue;
        olo_piece_tangents(s, &x->step->evaluation, i, &over, x->K, NULL);
        small_add_indexed(olo_piece_size(s, i), olo_piece_index(s, i), x->K,
                          i < s->term_count ? factor : -factor, transposed, w, out);
    }
}

/* Equation and variable of the products with the local matrices of a row. */
typedef struct row_products {
    bool transposed;
    const double *balance_q, *balance_v, *velocity_q;    /* [n] factors ... */
    double *to_balance_q, *to_balance_v, *to_velocity_q; /* ... and sums */
} row_products;

/* The products with dR/dq0 and dR/dv0 of the rows,
 *
 *     balance      [sum mu' dd/dq0 + sum gamma' da'/dq0] dq + (h/2) sum gamma' da'/ds0 dv,
 *     velocity     sum gamma' dd/dq0 dq,
 *
 * or with their transposes. */
static void add_rows(olo_linear_rates *x, const row_products *of)
{
    const olo_system *s = x->system;
    const olo_multipliers_solution at = olo_multipliers_solution_of(x->multipliers);
    const olo_interval over = olo_step_interval(x->step);
    const olo_end_velocities v = {.v0 = at.s0, .v1 = at.s};
    const double half = 0.5 * x->step->h;
    for (int c = 0; c < s->m; c++) {
        const olo_constraint *row = &s->constraints[c];
        const int size = row->size, *index = row->index;
        const double *by_v = x->K;
        if (!row->curved)
            continue;
        olo_piece_first(s, &x->step->evaluation, olo_piece_of_constraint(s, c), &over, OLO_SLOT_Q0,
                        x->K);
        small_add_indexed(size, index, x->K, at.mu[c], of->transposed, of->balance_q,
                          of->to_balance_q);
        small_add_indexed(size, index, x->K, at.gamma[c], of->transposed, of->velocity_q,
                          of->to_velocity_q);
        if (row->type->velocity) {
            olo_rate_gradient_by_velocity(row, &over, 0, x->second);
            by_v = x->second;
        }
        small_add_indexed(size, index, by_v, half * at.gamma[c], of->transposed, of->balance_v,
                          of->to_balance_v);
        if (olo_rate_gradient_by(row, &over, &v, 0, x->second))
            small_add_indexed(size, index, x->second, at.gamma[c], of->transposed, of->balance_q,
                              of->to_balance_q);
    }
}

/* The condition of a velocity row depends on the start of the step: its derivative by[size].
 * False: it does not. */
static bool condition_by_start(const olo_linear_rates *x, int c, double *by)
{
    const olo_constraint *row = &x->system->constraints[c];
    const olo_interval over = olo_step_interval(x->step);
    if (row->type->velocity)
        olo_condition_first(row, &over, OLO_SLOT_Q0, by);
    return row->type->velocity;
}

/* Right-hand sides of rows and rates, before their sign changes. */
static void vary_rows(olo_linear_rates *x, const olo_step_variation *change, const double *dq)
{
    const olo_system *s = x->system;
    double *row = x->z + s->n, *rate = x->z + 2 * s->n + s->m, by[OLO_FORM_SIZE_MAX];
    for (int c = 0; c < s->m; c++) {
        row[c] = change->end ? -change->end[c] : 0.0;
        rate[c] = change->rate ? -0.5 * x->step->h * change->rate[c] : 0.0;
        if (condition_by_start(x, c, by))
            row[c] -= olo_constraint_along(&s->constraints[c], by, dq);
    }
}

void olo_linear_rates_forward(olo_linear_rates *x, const olo_step_variation *change, double *dq,
                              double *dv)
{
    const olo_system *s = x->system;
    const int n = s->n, m = s->m;
    const double h = x->step->h;
    for (int i = 0; i < n; i++) {
        x->balance[i] = change->T ? 0.5 * h * change->T[i] : 0.0;
        x->velocity[i] = change->velocity ? change->velocity[i] : 0.0;
    }
    add_mass(x, -1.0, dq, x->balance);
    add_mass(x, -h, dv, x->balance);
    add_forces(x, false, dq, x->balance);
    add_mass(x, 1.0, dq, x->velocity);
    add_mass(x, 0.5 * h, dv, x->velocity);
    add_rows(x, &(row_products){.balance_q = dq,
                                .balance_v = dv,
                                .velocity_q = dq,
                                .to_balance_q = x->balance,
                                .to_balance_v = x->balance,
                                .to_velocity_q = x->velocity});
    vary_rows(x, change, dq);
    for (int i = 0; i < n; i++) {
        x->z[i] = -x->balance[i];
        x->z[n + m + i] = -x->velocity[i];
    }
    olo_multipliers_solve(x->multipliers, false, x->z);
    for (int i = 0; i < n; i++) {
        dq[i] = x->z[i];
        dv[i] = 2 / h * x->z[n + m + i];
    }
}

/* Derivatives with respect to rows and rates, from the transposed solution; adds to gq. */
static void vary_rows_transposed(const olo_linear_rates *x, double *gq,
                                 const olo_step_variation *change)
{
    const olo_system *s = x->system;
    const double *row = x->z + s->n, *rate = x->z + 2 * s->n + s->m;
    double by[OLO_FORM_SIZE_MAX];
    for (int c = 0; c < s->m; c++) {
        const olo_constraint *constraint = &s->constraints[c];
        if (change->end)
            change->end[c] = -row[c];
        if (change->rate)
            change->rate[c] = -0.5 * x->step->h * rate[c];
        if (condition_by_start(x, c, by))
            for (int i = 0; i < constraint->size; i++)
                gq[constraint->index[i]] -= row[c] * by[i];
    }
}

/* Derivatives with respect to the balance and the velocity; those with respect to the momentum of
 * other schemes are zero. */
static void vary_equations_transposed(const olo_linear_rates *x, const olo_step_variation *change)
{
    const int n = x->system->n;
    for (int i = 0; i < n && change->T; i++)
        change->T[i] = 0.5 * x->step->h * x->balance[i];
    if (change->velocity)
        memcpy(change->velocity, x->velocity, (size_t)n * sizeof *x->velocity);
    if (change->p)
        memset(change->p, 0, (size_t)n * sizeof *change->p);
    if (change->v)
        memset(change->v, 0, (size_t)n * sizeof *change->v);
}

void olo_linear_rates_back(olo_linear_rates *x, double *gq, double *gv,
                           const olo_step_variation *change)
{
    const olo_system *s = x->system;
    const int n = s->n, m = s->m;
    const double h = x->step->h;
    memset(x->z, 0, 2 * (size_t)(n + m) * sizeof *x->z);
    for (int i = 0; i < n; i++) {
        x->z[i] = gq[i];
        x->z[n + m + i] = 2 / h * gv[i];
    }
    olo_multipliers_solve(x->multipliers, true, x->z);
    double *y = x->balance, *u = x->velocity;
    for (int i = 0; i < n; i++) {
        y[i] = -x->z[i];
        u[i] = -x->z[n + m + i];
        gq[i] = gv[i] = 0;
    }
    vary_equations_transposed(x, change);
    add_mass(x, -1.0, y, gq);
    add_mass(x, -h, y, gv);
    add_forces(x, true, y, gq);
    add_mass(x, 1.0, u, gq);
    add_mass(x, 0.5 * h, u, gv);
    add_rows(x, &(row_products){.transposed = true,
                                .balance_q = y,
                                .balance_v = y,
                                .velocity_q = u,
                                .to_balance_q = gq,
                                .to_balance_v = gv,
                                .to_velocity_q = gq});
    vary_rows_transposed(x, gq, change);
}
