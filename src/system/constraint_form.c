/* Constraint rows that are quadratic forms. The discrete gradient is the gradient at the midpoint,
 *
 *     d = b + A q_m,     dd/dq0 = dd/dq1 = 1/2 A.
 *
 * The file also has the registry of kinds of rows, and the functions that all kinds share. */
#include <string.h>

#include "system/constraint.h"

static double value(const olo_constraint *row, const olo_at *at)
{
    return olo_form_value(row->form, at->q);
}

static double magnitude(const olo_constraint *row, const olo_at *at)
{
    return olo_form_magnitude(row->form, at->q);
}

static void gradient(const olo_constraint *row, const olo_at *at, double *g)
{
    olo_form_gradient(row->form, at->q, g);
}

static void put_hessian(const olo_constraint *row, double factor, double *matrix)
{
    memset(matrix, 0, (size_t)(row->size * row->size) * sizeof *matrix);
    olo_form_add_hessian(row->form, factor, matrix);
}

static void discrete(const olo_constraint *row, const olo_interval *x, double *d, double *tangent)
{
    olo_form_gradient(row->form, x->qm, d);
    if (tangent)
        put_hessian(row, 0.5, tangent);
}

static void start_tangent(const olo_constraint *row, const olo_interval *x, double *tangent)
{
    (void)x;
    put_hessian(row, 0.5, tangent);
}

static void hessian(const olo_constraint *row, const olo_at *at, double *matrix)
{
    (void)at;
    put_hessian(row, 1.0, matrix);
}

const olo_constraint_type olo_constraint_form = {.name = "form",
                                                 .value = value,
                                                 .magnitude = magnitude,
                                                 .gradient = gradient,
                                                 .discrete = discrete,
                                                 .start_tangent = start_tangent,
                                                 .hessian = hessian};

static const olo_constraint_type *const types[] = {
    &olo_constraint_form,
    &olo_constraint_relation,
    &olo_constraint_height,
    &olo_constraint_rolling,
};

const olo_constraint_type *olo_constraint_type_number(int number)
{
    return number >= 0 && (size_t)number < sizeof types / sizeof types[0] ? types[number] : NULL;
}

double olo_constraint_advance(const olo_constraint *row, const olo_interval *x)
{
    if (!olo_constraint_moves(row))
        return 0.0;
    return row->type->motion(row, x->t + x->h, NULL) - row->type->motion(row, x->t, NULL);
}

/* d.v of a local d and a velocity or increment v of all coordinates */
static double along(const olo_constraint *row, const double *d, const double *v)
{
    double sum = 0;
    for (int i = 0; i < row->size; i++)
        sum += d[i] * v[row->index[i]];
    return sum;
}

double olo_constraint_difference(const olo_constraint *row, const olo_interval *x, const double *d)
{
    return along(row, d, x->dq) - olo_constraint_advance(row, x);
}

static olo_at end_of(const olo_interval *x)
{
    return (olo_at){.q = x->q1, .angles = x->angles, .t = x->t + x->h};
}

double olo_constraint_condition(const olo_constraint *row, const olo_interval *x)
{
    double d[OLO_FORM_SIZE_MAX];
    olo_at end = end_of(x);
    if (!row->type->velocity)
        return row->type->value(row, &end);
    row->type->discrete(row, x, d, NULL);
    return along(row, d, x->dq);
}

/* derivative += K^T dq with K = dd/dq */
static void add_transposed(const olo_constraint *row, const olo_interval *x, const double *K,
                           double *derivative)
{
    for (int i = 0; i < row->size; i++)
        for (int j = 0; j < row->size; j++)
            derivative[j] += x->dq[row->index[i]] * K[i * row->size + j];
}

/* d(d.dq)/dq1 = d + (dd/dq1)^T dq */
static void velocity_end(const olo_constraint *row, const olo_interval *x, double *derivative)
{
    double K[OLO_FORM_SIZE_MAX * OLO_FORM_SIZE_MAX];
    row->type->discrete(row, x, derivative, K);
    add_transposed(row, x, K, derivative);
}

/* d(d.dq)/dq0 = -d + (dd/dq0)^T dq */
void olo_constraint_start(const olo_constraint *row, const olo_interval *x, double *derivative)
{
    double K[OLO_FORM_SIZE_MAX * OLO_FORM_SIZE_MAX];
    row->type->discrete(row, x, derivative, NULL);
    for (int i = 0; i < row->size; i++)
        derivative[i] = -derivative[i];
    row->type->start_tangent(row, x, K);
    add_transposed(row, x, K, derivative);
}

/* For rows with a g this is the gradient of g at q1. */
void olo_constraint_end(const olo_constraint *row, const olo_interval *x, double *derivative)
{
    olo_at end = end_of(x);
    if (row->type->velocity)
        velocity_end(row, x, derivative);
    else
        row->type->gradient(row, &end, derivative);
}

double olo_constraint_rate(const olo_constraint *row, const olo_at *at, const double *g,
                           const double *v)
{
    double rate = 0;
    if (olo_constraint_moves(row))
        row->type->motion(row, at->t, &rate);
    return along(row, g, v) - rate;
}
