/* Constraint rows that are quadratic forms. The discrete gradient is the gradient at the midpoint,
 *
 *     d = b + A q_m,     dd/dq0 = dd/dq1 = 1/2 A.
 *
 * The file also has the registry of kinds of rows. */
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
