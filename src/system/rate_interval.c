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
    if (row->type->rate_gradient_by) {
        row->type->rate_gradient_by(row, x, v->v0, v->v1, slot, matrix);
        return true;
    }
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

void olo_rate_gradient_by_velocity(const olo_constraint *row, const olo_interval *x, int slot,
                                   double *matrix)
{
    double d[SIZE];
    if (row->type->rate_gradient_by_velocity)
        row->type->rate_gradient_by_velocity(row, x, slot, matrix);
    else if (slot == 0)
        row->type->start_tangent(row, x, matrix);
    else
        row->type->discrete(row, x, d, matrix);
}

/* The derivative with respect to the entry of A that is coefficient p: that of A (v0 + v1)/2. */
static void of_form_by_coefficient(const olo_constraint *row, const olo_end_velocities *v, int p,
                                   double *da)
{
    const double *const ends[2] = {v->v0, v->v1};
    small_zero(row->size, da);
    if (p <= row->form->size) /* the constant, or an entry of the linear part */
        return;
    for (int end = 0; end < 2; end++) {
        const olo_form_entries y = olo_form_entries_by_coefficient(row->form, ends[end], p);
        for (int k = 0; k < y.count; k++)
            da[y.index[k]] += 0.5 * y.value[k];
    }
}

/* a is affine in every coefficient: differences are derivatives. */
void olo_rate_gradient_by_coefficient(const olo_constraint *row, const olo_interval *x,
                                      const olo_end_velocities *v, int p, double *da)
{
    if (row->form) {
        of_form_by_coefficient(row, v, p, da);
    } else if (row->type->affine > 0) {
        double memory[2][OLO_CONSTRAINT_NUMBERS], zero[SIZE];
        const olo_constraint at_zero = olo_constraint_with(row, p, 0.0, memory[0]),
                             at_one = olo_constraint_with(row, p, 1.0, memory[1]);
        olo_rate_gradient(&at_zero, x, v, zero);
        olo_rate_gradient(&at_one, x, v, da);
        for (int i = 0; i < row->size; i++)
            da[i] -= zero[i];
    } else if (p > 0) { /* the factor of a joint coordinate */
        olo_share share = row->shares[p - 1];
        olo_constraint one = *row;
        share.factor = 1;
        one.shares = &share;
        one.share_count = 1;
        olo_rate_gradient(&one, x, v, da);
    } else {
        small_zero(row->size, da);
    }
}

double olo_rate_advance(const olo_constraint *row, const olo_interval *x)
{
    return olo_constraint_motion_rate(row, x->t + x->h) - olo_constraint_motion_rate(row, x->t);
}
