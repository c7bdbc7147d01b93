/* Conditions of optimality; see the header. */
#include "control/optimality.h"

#include <math.h>

#include "base/fail.h"

static olo_status no_memory(olo_error *error)
{
    return olo_fail(error, OLO_NO_MEMORY, "out of memory for the certificate of an optimum");
}

olo_status olo_optimality_open(olo_optimality *x, const olo_nlp *nlp, const olo_nlp_point *point,
                               olo_error *error)
{
    *x = (olo_optimality){.nlp = nlp, .point = point};
    const olo_array arrays[] = {{&x->c, (size_t)nlp->rows},
                                {&x->g, (size_t)nlp->variables},
                                {&x->A, (size_t)nlp->jacobian.count},
                                {&x->H, (size_t)nlp->hessian.count}};
    x->variable = olo_pool_alloc(&x->pool, (size_t)nlp->variables, sizeof *x->variable);
    x->row = olo_pool_alloc(&x->pool, (size_t)nlp->rows, sizeof *x->row);
    if (!x->variable || !x->row || !olo_pool_arrays(&x->pool, arrays, 4))
        return no_memory(error);
    nlp->evaluate(nlp->context, point->x, x->c);
    nlp->gradient(nlp->context, point->x, x->g);
    nlp->evaluate_jacobian(nlp->context, point->x, x->A);
    nlp->evaluate_hessian(nlp->context, point->x, 1.0, point->y, x->H);
    return OLO_OK;
}

void olo_optimality_close(olo_optimality *x)
{
    olo_symmetric_free(x->matrix);
    olo_pool_free(&x->pool);
}

// -- the matrix -----------------------------------------------------------------------------------

/* A bound is active if its multiplier is larger than the distance from it. */
static bool is_active(double multiplier, double distance)
{
    return isfinite(distance) && fabs(multiplier) > fabs(distance);
}

static void choose_active(olo_optimality *x)
{
    const olo_nlp *nlp = x->nlp;
    for (int i = 0; i < nlp->variables; i++) {
        const bool held = is_active(x->point->z_lower[i], x->point->x[i] - nlp->lower[i]) ||
                          is_active(x->point->z_upper[i], nlp->upper[i] - x->point->x[i]);
        x->variable[i] = held ? -1 : x->variables++;
    }
    for (int i = 0; i < nlp->rows; i++) {
        const double y = x->point->y[i];
        const bool held =
            nlp->row_lower[i] == nlp->row_upper[i] ||
            is_active(y, y > 0 ? nlp->row_upper[i] - x->c[i] : x->c[i] - nlp->row_lower[i]);
        x->row[i] = held ? x->rows++ : -1;
    }
}

/* Appends what remains of a matrix; rows are numbered by `row` and begin at `first`. */
static void gather(const olo_optimality *x, const olo_positions *from, const double *values,
                   const int *row, int first, olo_positions *to)
{
    for (int i = 0; i < from->count; i++) {
        const int r = row[from->row[i]], c = x->variable[from->column[i]];
        if (r < 0 || c < 0)
            continue;
        to->row[to->count] = first + r;
        to->column[to->count] = c;
        x->values[to->count++] = values[i];
    }
}

olo_status olo_optimality_make_matrix(olo_optimality *x, olo_error *error)
{
    const olo_nlp *nlp = x->nlp;
    const size_t count =
        (size_t)nlp->variables + (size_t)nlp->jacobian.count + (size_t)nlp->hessian.count;
    olo_positions at = {.row = olo_pool_alloc(&x->pool, count, sizeof(int)),
                        .column = olo_pool_alloc(&x->pool, count, sizeof(int))};
    x->values = olo_pool_alloc(&x->pool, count, sizeof *x->values);
    if (!at.row || !at.column || !x->values)
        return no_memory(error);
    choose_active(x);
    for (at.count = 0; at.count < x->variables; at.count++)
        at.row[at.count] = at.column[at.count] = at.count;
    gather(x, &nlp->hessian, x->H, x->variable, 0, &at);
    gather(x, &nlp->jacobian, x->A, x->row, x->variables, &at);
    return olo_symmetric_create(x->variables + x->rows, &at, &x->matrix, error);
}

olo_status olo_optimality_factor(olo_optimality *x, double sigma, int *below, int *dependent,
                                 olo_error *error)
{
    int negative;
    for (int i = 0; i < x->variables; i++)
        x->values[i] = -sigma;
    const olo_status status =
        olo_symmetric_factor(x->matrix, x->values, &negative, dependent, error);
    if (status == OLO_OK)
        *below = negative - x->rows;
    return status;
}

double olo_optimality_rounding(const olo_optimality *x)
{
    double size = 0;
    for (int i = 0; i < x->nlp->hessian.count; i++)
        size = fmax(size, fabs(x->H[i]));
    return 1e-14 * size;
}
