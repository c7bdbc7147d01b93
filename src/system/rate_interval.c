/* The rate of a constraint row over an interval; see the header. */
#include "system/rate_interval.h"

#include "linalg/small.h"

enum { SIZE = OLO_FORM_SIZE_MAX };

/* a += K v of a local matrix and a velocity of all coordinates */
static void add_product(const olo_constraint *row, const double *K, const double *v, double *a)
{
    for (int i = 0; i < row->size; i++)
        for (int j = 0; j < row->size; j++)
            a[i] += K[i * row->size + j] * v[row->index[j]];
}

/* A (v0 + v1)/2 */
static void of_form(const olo_constraint *row, const olo_end_velocities *v, double *a)
{
    double mean[SIZE];
    for (int i = 0; i < row->size; i++)
        mean[i] = 0.5 * (v->v0[row->index[i]] + v->v1[row->index[i]]);
    olo_form_hessian_times(row->form, mean, a);
}

void olo_rate_gradient(const olo_constraint *row, const olo_interval *x,
                       const olo_end_velocities *v, double *a)
{
    double d[SIZE], K[SIZE * SIZE];
    if (row->form) {
        of_form(row, v, a);
        return;
    }
    if (row->type->rate_gradient) {
        row->type->rate_gradient(row, x, v->v0, v->v1, a);
        return;
    }
    small_zero(row->size, a);
    row->type->start_tangent(row, x, K);
    add_product(row, K, v->v0, a);
    row->type->discrete(row, x, d, K);
    add_product(row, K, v->v1, a);
}

double olo_rate_advance(const olo_constraint *row, const olo_interval *x)
{
    return olo_constraint_motion_rate(row, x->t + x->h) - olo_constraint_motion_rate(row, x->t);
}
