/* The rate of a row over an interval; see the header. */
#include "system/row_lift.h"

#include <string.h>

#include "system/rate_interval.h"

enum { SIZE = OLO_FORM_SIZE_MAX };

/* a += factor K v over the coordinates of the row */
static void add_product(const olo_constraint *row, double factor, const double *K, const double *v,
                        double *a)
{
    for (int i = 0; i < row->size; i++)
        for (int j = 0; j < row->size; j++)
            a[i] += factor * K[i * row->size + j] * v[row->index[j]];
}

/* a = 1/2 H (v0 + v1) */
static void velocity_lift(const olo_constraint *row, const olo_interval *x, const double *v0,
                          const double *v1, double *a, double *by_v1)
{
    double H[SIZE * SIZE];
    const olo_at middle = {.q = x->qm, .angles = x->angles, .t = x->t + 0.5 * x->h};
    row->type->hessian(row, &middle, H);
    memset(a, 0, (size_t)row->size * sizeof *a);
    add_product(row, 0.5, H, v0, a);
    add_product(row, 0.5, H, v1, a);
    for (int k = 0; by_v1 && k < row->size * row->size; k++)
        by_v1[k] = 0.5 * H[k];
}

void olo_row_lift(const olo_constraint *row, const olo_interval *x, const double *v0,
                  const double *v1, double *a, double *by_q1, double *by_v1)
{
    const olo_end_velocities v = {v0, v1};
    const size_t square = (size_t)(row->size * row->size);
    const bool own = !row->type->velocity || row->type->rate_gradient;
    if (own)
        olo_rate_gradient(row, x, &v, a);
    else
        velocity_lift(row, x, v0, v1, a, by_v1);
    if (own && by_v1)
        olo_rate_gradient_by_velocity(row, x, 1, by_v1);
    if (by_q1 && !(own && olo_rate_gradient_by(row, x, &v, 1, by_q1)))
        memset(by_q1, 0, square * sizeof *by_q1);
}
