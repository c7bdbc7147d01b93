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

/* a_i = sum_j dd_i/dq0_j v0_j + dd_i/dq1_j v1_j: its derivatives are second derivatives of d_i,
 * which the kind of row gives for a unit vector. */
bool olo_rate_gradient_by(const olo_constraint *row, const olo_interval *x,
                          const olo_end_velocities *v, int slot, double *matrix)
{
    const int size = row->size;
    double unit[SIZE], K[SIZE * SIZE];
    const double *const ends[2] = {v->v0, v->v1};
    if (row->form || !row->type->second)
        return false;
    for (int i = 0; i < size; i++) {
        small_zero(size, unit);
        small_zero(size, matrix + i * size);
        unit[i] = 1;
        for (int end = 0; end < 2; end++) {
            row->type->second(row, x, unit, slot, end, K);
            for (int k = 0; k < size; k++)
                for (int j = 0; j < size; j++)
                    matrix[i * size + k] += K[k * size + j] * ends[end][row->index[j]];
        }
    }
    return true;
}

double olo_rate_advance(const olo_constraint *row, const olo_interval *x)
{
    return olo_constraint_motion_rate(row, x->t + x->h) - olo_constraint_motion_rate(row, x->t);
}
