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

/* The entries of one mass in the equation of s: -M dq and M s. */
static void put_mass(const olo_system *s, const olo_mass_entry *entry, olo_pattern *p)
{
    const int at = first_s(s);
    for (int i = 0; i < entry->width; i++) {
        olo_pattern_put(p, at + entry->i + i, entry->j + i);
        olo_pattern_put(p, at + entry->i + i, at + entry->j + i);
        if (entry->i == entry->j)
            continue;
        olo_pattern_put(p, at + entry->j + i, entry->i + i);
        olo_pattern_put(p, at + entry->j + i, at + entry->i + i);
    }
}

void olo_multiplier_rates_pattern(const olo_system *s, olo_pattern *p)
{
    const int at = first_s(s);
    for (int e = 0; e < s->mass_count; e++)
        put_mass(s, &s->mass[e], p);
    for (int c = 0; c < s->m; c++) {
        const olo_constraint *row = &s->constraints[c];
        const int own = first_gamma(s) + c;
        for (int i = 0; i < row->size; i++) {
            olo_pattern_put(p, row->index[i], own);      /* a' */
            olo_pattern_put(p, at + row->index[i], own); /* d */
            olo_pattern_put(p, own, row->index[i]);      /* by q1 */
            olo_pattern_put(p, own, at + row->index[i]); /* by s */
        }
        for (int i = 0; row->curved && i < row->size; i++)
            for (int j = 0; j < row->size; j++) {
                olo_pattern_put(p, row->index[i], at + row->index[j]);
                olo_pattern_put(p, at + row->index[i], row->index[j]);
            }
        olo_pattern_put(p, own, own);
    }
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

/* M s - M (dq - s0) with its matrix; returns the next entry. */
static int add_mass(olo_multiplier_rates *x, const olo_step *step, olo_sparse *matrix,
                    double *right)
{
    const olo_system *s = x->system;
    int entry = x->entry;
    for (int i = 0; i < s->n; i++)
        x->free[i] = step->x.dq[i] - x->s0[i] - x->s[i];
    olo_system_mass_times(s, x->free, right + first_s(s));
    for (int e = 0; e < s->mass_count; e++)
        for (int i = 0; i < s->mass[e].width * olo_mass_blocks(&s->mass[e]); i++) {
            olo_sparse_add(matrix, entry++, -s->mass[e].m);
            olo_sparse_add(matrix, entry++, s->mass[e].m);
        }
    return entry;
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

/* gamma' da'/ds acts on s in the balance, and gamma' dd/dq1 on dq in the equation of s; the change
 * of a' with dq in the balance is omitted. Both matrices are equal but for velocity rows. */
static int add_curvature(const olo_constraint *row, double gamma, const double *by_s,
                         const double *by_q, olo_sparse *matrix, int entry)
{
    for (int i = 0; i < row->size * row->size; i++) {
        olo_sparse_add(matrix, entry++, gamma * by_s[i]);
        olo_sparse_add(matrix, entry++, gamma * by_q[i]);
    }
    return entry;
}

void olo_multiplier_rates_add(olo_multiplier_rates *x, olo_step *step, olo_assembly *tangent,
                              const double *regularisation, double *right)
{
    const olo_system *s = x->system;
    olo_sparse *matrix = tangent->matrix;
    const olo_interval over = olo_step_interval(step);
    const olo_end_velocities v = {.v0 = x->s0, .v1 = x->s};
    int entry = add_mass(x, step, matrix, right);
    x->open = 0;
    for (int c = 0; c < s->m; c++) {
        const olo_constraint *row = &s->constraints[c];
        double a[OLO_FORM_SIZE_MAX], by_q[OLO_FORM_SIZE_MAX], by_s[OLO_FORM_SIZE_MAX], *d = step->r;
        olo_step_row(step, row, d, step->K);
        olo_rate_gradient(row, &over, &v, a);
        const double rate = end_rate(x, step, row, by_q, by_s), gamma = x->gamma[c];
        double parts = 0;
        for (int i = 0; i < row->size; i++) {
            const int k = row->index[i];
            right[k] -= gamma * a[i];
            right[first_s(s) + k] -= gamma * d[i];
            olo_sparse_add(matrix, entry++, a[i]);
            olo_sparse_add(matrix, entry++, d[i]);
            olo_sparse_add(matrix, entry++, by_q[i]);
            olo_sparse_add(matrix, entry++, by_s[i]);
            parts += fabs(by_s[i] * x->s[k]);
        }
        const double *K = step->K;
        if (row->type->velocity) {
            olo_rate_gradient_by_velocity(row, &over, 1, x->local);
            K = x->local;
        }
        if (row->curved)
            entry = add_curvature(row, gamma, K, step->K, matrix, entry);
        if (x->exact && olo_rate_gradient_by(row, &over, &v, 1, step->K))
            olo_assembly_add(tangent, olo_piece_of_constraint(s, c), gamma, step->K);
        olo_sparse_add(matrix, entry++, -regularisation[c]);
        right[first_gamma(s) + c] -= rate;
        if (parts > 0)
            olo_raise(&x->open, fabs(rate) / parts);
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
