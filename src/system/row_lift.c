/* The rate of a row over an interval; see the header. */
#include "system/row_lift.h"

#include <string.h>

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
    add_product(row, 0.5, H, v0, a);
    add_product(row, 0.5, H, v1, a);
    for (int k = 0; by_v1 && k < row->size * row->size; k++)
        by_v1[k] = 0.5 * H[k];
}

/* Row i of da/dq1, from the second derivatives of component i of d. */
static void curvature(const olo_constraint *row, const olo_interval *x, const double *v0,
                      const double *v1, double *by_q1)
{
    double y[SIZE], second[SIZE * SIZE];
    const int size = row->size;
    for (int i = 0; i < size; i++)
        for (int end = 0; end < 2; end++) {
            const double *v = end ? v1 : v0;
            memset(y, 0, (size_t)size * sizeof *y);
            y[i] = 1;
            row->type->second(row, x, y, end, 1, second);
            for (int j = 0; j < size; j++)
                for (int k = 0; k < size; k++)
                    by_q1[i * size + k] += v[row->index[j]] * second[j * size + k];
        }
}

void olo_row_lift(const olo_constraint *row, const olo_interval *x, const double *v0,
                  const double *v1, double *a, double *by_q1, double *by_v1)
{
    double K[SIZE * SIZE], d[SIZE];
    memset(a, 0, (size_t)row->size * sizeof *a);
    if (by_q1)
        memset(by_q1, 0, (size_t)(row->size * row->size) * sizeof *by_q1);
    if (row->type->velocity) {
        velocity_lift(row, x, v0, v1, a, by_v1);
        return;
    }
    row->type->start_tangent(row, x, K);
    add_product(row, 1, K, v0, a);
    row->type->discrete(row, x, d, K);
    add_product(row, 1, K, v1, a);
    if (by_v1)
        memcpy(by_v1, K, (size_t)(row->size * row->size) * sizeof *K);
    if (by_q1 && row->type->second)
        curvature(row, x, v0, v1, by_q1);
}
