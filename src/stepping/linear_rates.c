/* The linearised step of schemes with consistent velocities; see the header. */
#include "stepping/linear_rates.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/pool.h"
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
    for (int c = 0; c < system->m; c++)
        if (system->constraints[c].type->velocity)
            return olo_fail(error, OLO_UNSUPPORTED,
                            "the scheme %s has no derivatives of runs with rolling; take "
                            "energy-momentum",
                            scheme->name);
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

olo_status olo_linear_rates_at(olo_linear_rates *x, olo_step *step, const double *v1,
                               olo_error *error)
{
    x->step = step;
    return olo_multipliers_linearise(x->multipliers, step, v1, error);
}

/* out += factor K w of a local matrix, or its transpose */
static void add_local(int size, const int *index, const double *K, double factor, bool transposed,
                      const double *w, double *out)
{
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) {
            const int to = transposed ? j : i, from = transposed ? i : j;
            out[index[to]] += factor * K[i * size + j] * w[index[from]];
        }
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
        add_local(olo_piece_size(s, i), olo_piece_index(s, i), x->K,
                  i < s->term_count ? factor : -factor, transposed, w, out);
    }
}

/* Forwards: balance += [sum mu' dd/dq0 + sum gamma' da'/dq0] dq + sum gamma' dd/dq0 dv', velocity
 * += sum gamma' dd/dq0 dq, with dv' = (h/2) dv. */
static void add_rows(olo_linear_rates *x, const double *dq, const double *dv)
{
    const olo_system *s = x->system;
    const olo_multipliers_solution at = olo_multipliers_solution_of(x->multipliers);
    const olo_interval over = olo_step_interval(x->step);
    const olo_end_velocities v = {.v0 = at.s0, .v1 = at.s};
    const double half = 0.5 * x->step->h;
    for (int c = 0; c < s->m; c++) {
        const olo_constraint *row = &s->constraints[c];
        if (!row->curved)
            continue;
        olo_piece_first(s, &x->step->evaluation, olo_piece_of_constraint(s, c), &over, OLO_SLOT_Q0,
                        x->K);
        add_local(row->size, row->index, x->K, at.mu[c], false, dq, x->balance);
        add_local(row->size, row->index, x->K, half * at.gamma[c], false, dv, x->balance);
        add_local(row->size, row->index, x->K, at.gamma[c], false, dq, x->velocity);
        if (olo_rate_gradient_by(row, &over, &v, 0, x->second))
            add_local(row->size, row->index, x->second, at.gamma[c], false, dq, x->balance);
    }
}

void olo_linear_rates_forward(olo_linear_rates *x, const double *dT, double *dq, double *dv)
{
    const olo_system *s = x->system;
    const int n = s->n, m = s->m;
    const double h = x->step->h;
    for (int i = 0; i < n; i++) {
        x->balance[i] = dT ? 0.5 * h * dT[i] : 0.0;
        x->velocity[i] = 0;
    }
    add_mass(x, -1.0, dq, x->balance);
    add_mass(x, -h, dv, x->balance);
    add_forces(x, false, dq, x->balance);
    add_mass(x, 1.0, dq, x->velocity);
    add_mass(x, 0.5 * h, dv, x->velocity);
    add_rows(x, dq, dv);
    memset(x->z, 0, 2 * (size_t)(n + m) * sizeof *x->z);
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

/* Transposed: from y of the balance and u of the velocity to gq, gv. */
static void add_rows_transposed(olo_linear_rates *x, const double *y, const double *u, double *gq,
                                double *gv)
{
    const olo_system *s = x->system;
    const olo_multipliers_solution at = olo_multipliers_solution_of(x->multipliers);
    const olo_interval over = olo_step_interval(x->step);
    const olo_end_velocities v = {.v0 = at.s0, .v1 = at.s};
    const double half = 0.5 * x->step->h;
    for (int c = 0; c < s->m; c++) {
        const olo_constraint *row = &s->constraints[c];
        if (!row->curved)
            continue;
        olo_piece_first(s, &x->step->evaluation, olo_piece_of_constraint(s, c), &over, OLO_SLOT_Q0,
                        x->K);
        add_local(row->size, row->index, x->K, at.mu[c], true, y, gq);
        add_local(row->size, row->index, x->K, half * at.gamma[c], true, y, gv);
        add_local(row->size, row->index, x->K, at.gamma[c], true, u, gq);
        if (olo_rate_gradient_by(row, &over, &v, 0, x->second))
            add_local(row->size, row->index, x->second, at.gamma[c], true, y, gq);
    }
}

void olo_linear_rates_back(olo_linear_rates *x, double *gq, double *gv, double *gT)
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
        if (gT)
            gT[i] = 0.5 * h * y[i];
    }
    add_mass(x, -1.0, y, gq);
    add_mass(x, -h, y, gv);
    add_forces(x, true, y, gq);
    add_mass(x, 1.0, u, gq);
    add_mass(x, 0.5 * h, u, gv);
    add_rows_transposed(x, y, u, gq, gv);
}
