/* The rates of constraint rows in the treatment `multipliers`; see the header. */
#include "stepping/multipliers_rates.h"

#include <math.h>

#include "base/extreme.h"
#include "system/rate_interval.h"

bool olo_multiplier_rates_create(olo_multiplier_rates *x, const olo_system *system, olo_pool *pool)
{
    const size_t n = (size_t)system->n, m = (size_t)system->m,
                 local = OLO_FORM_SIZE_MAX * OLO_FORM_SIZE_MAX;
    const olo_array arrays[] = {
        {&x->s, n}, {&x->s0, n}, {&x->free, n}, {&x->gamma, m}, {&x->local, local}};
    x->system = system;
    return olo_pool_arrays(pool, arrays, sizeof arrays / sizeof *arrays);
}

/* The first unknowns of s and gamma'; their equations have the same numbers. */
static int first_s(const olo_system *s)
{
    return s->n + s->m;
}
static int first_gamma(const olo_system *s)
{
    return 2 * s->n + s->m;
}

void olo_multiplier_rates_predict(olo_multiplier_rates *x, const olo_step *step)
{
    const olo_system *s = x->system;
    for (int i = 0; i < s->n; i++) {
        x->s0[i] = 0.5 * step->h * step->v0[i];
        x->s[i] = step->x.dq[i] - x->s0[i];
    }
    for (int c = 0; c < s->m; c++)
        x->gamma[c] = 0;
}

/* The rate of a row at the end, and its derivatives by q1 and s. */
static double end_rate(const olo_multiplier_rates *x, const olo_step *step,
                       const olo_constraint *row, double *by_q, double *by_s)
{
    const olo_at end = olo_step_end(step);
    double sum = 0;
    olo_constraint_gradient(row, &end, by_s);
    olo_rate_by_configuration(row, &end, x->s, by_q);
    for (int i = 0; i < row->size; i++)
        sum += by_s[i] * x->s[row->index[i]];
    return sum - 0.5 * step->h * olo_constraint_motion_rate(row, end.t);
}

/* The numbers of a row over the step. */
typedef struct row_rate {
    double a[OLO_FORM_SIZE_MAX], by_q[OLO_FORM_SIZE_MAX], by_s[OLO_FORM_SIZE_MAX];
    const double *d, *a_by_s, *d_by_q;
} row_rate;

/* Evaluates row c, and adds its forces and its rate to the right-hand side. */
static void evaluate(olo_multiplier_rates *x, olo_step *step, int c, double *right, row_rate *of)
{
    const olo_system *s = x->system;
    const olo_constraint *row = &s->constraints[c];
    const olo_interval over = olo_step_interval(step);
    const olo_end_velocities v = {.v0 = x->s0, .v1 = x->s};
    double parts = 0;
    olo_step_row(step, row, step->r, step->K);
    olo_rate_gradient(row, &over, &v, of->a);
    const double rate = end_rate(x, step, row, of->by_q, of->by_s);
    for (int i = 0; i < row->size; i++) {
        const int k = row->index[i];
        right[k] -= x->gamma[c] * of->a[i];
        right[first_s(s) + k] -= x->gamma[c] * step->r[i];
        parts += fabs(of->by_s[i] * x->s[k]);
    }
    right[first_gamma(s) + c] -= rate;
    if (parts > 0)
        olo_raise(&x->open, fabs(rate) / parts);
    of->d = step->r;
    of->a_by_s = of->d_by_q = step->K; /* equal but for velocity rows */
    if (row->type->velocity) {
        olo_rate_gradient_by_velocity(row, &over, 1, x->local);
        of->a_by_s = x->local;
    }
}

/* With x->exact: the change of a' with q1 in the balance. */
static void add_exact(const olo_multiplier_rates *x, olo_step *step, int c, olo_assembly *tangent)
{
    const olo_system *s = x->system;
    const olo_interval over = olo_step_interval(step);
    const olo_end_velocities v = {.v0 = x->s0, .v1 = x->s};
    if (x->exact && olo_rate_gradient_by(&s->constraints[c], &over, &v, 1, step->K))
        olo_assembly_add(tangent, olo_piece_of_constraint(s, c), x->gamma[c], step->K);
}

void olo_multiplier_rates_put(olo_multiplier_rates *x, olo_step *step, olo_assembly *tangent,
                              const double *regularisation, double *right)
{
    const olo_system *s = x->system;
    const int at = first_s(s);
    olo_sparse *matrix = tangent->matrix;
    row_rate of = {.d = x->local};
    /* M s - M (dq - s0) */
    olo_put_mass(s, at, 0, -1.0, matrix);
    olo_put_mass(s, at, at, 1.0, matrix);
    for (int i = 0; step && i < s->n; i++)
        x->free[i] = step->x.dq[i] - x->s0[i] - x->s[i];
    if (step)
        olo_system_mass_times(s, x->free, right + at);
    x->open = 0;
    for (int c = 0; c < s->m; c++) {
        const olo_constraint *row = &s->constraints[c];
        const olo_indices of_q = {0, row->size, row->index}, of_s = {at, row->size, row->index},
                          own = {.first = first_gamma(s) + c, .count = 1};
        if (step)
            evaluate(x, step, c, right, &of);
        for (int i = 0; i < row->size; i++) {
            olo_sparse_put(matrix, row->index[i], own.first, of.a[i]);
            olo_sparse_put(matrix, at + row->index[i], own.first, of.d[i]);
        }
        olo_sparse_put_block(matrix, own, of_q, 1.0, of.by_q);
        olo_sparse_put_block(matrix, own, of_s, 1.0, of.by_s);
        /* gamma' da'/ds acts on s in the balance, and gamma' dd/dq1 on dq in the equation of s */
        if (row->curved) {
            olo_sparse_put_block(matrix, of_q, of_s, x->gamma[c], of.a_by_s);
            olo_sparse_put_block(matrix, of_s, of_q, x->gamma[c], of.d_by_q);
        }
        if (step)
            add_exact(x, step, c, tangent);
        olo_sparse_put(matrix, own.first, own.first, -regularisation[c]);
    }
}

void olo_multiplier_rates_update(olo_multiplier_rates *x, const double *solution)
{
    const olo_system *s = x->system;
    for (int i = 0; i < s->n; i++)
        x->s[i] += solution[first_s(s) + i];
    for (int c = 0; c < s->m; c++)
        x->gamma[c] += solution[first_gamma(s) + c];
}

void olo_multiplier_rates_finish(const olo_multiplier_rates *x, olo_step *step)
{
    for (int i = 0; i < x->system->n; i++)
        step->v1[i] = 2 / step->h * x->s[i];
    for (int c = 0; c < x->system->m; c++)
        step->gamma[c] = x->gamma[c] / step->h;
}
