/* Newton's method at an approximate optimum; see the header. */
#include "control/polish.h"

#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "control/optimality.h"

enum { ITERATIONS = 8 };

/* All numbers of a point, in one array. */
static size_t point_size(const olo_nlp *nlp)
{
    return 3 * (size_t)nlp->variables + (size_t)nlp->rows;
}

static void copy_point(const olo_nlp *nlp, const olo_nlp_point *point, double *numbers, bool back)
{
    const size_t n = (size_t)nlp->variables, m = (size_t)nlp->rows;
    double *const parts[] = {point->x, point->z_lower, point->z_upper, point->y};
    const size_t sizes[] = {n, n, n, m};
    for (int i = 0; i < 4; numbers += sizes[i++])
        memcpy(back ? parts[i] : numbers, back ? numbers : parts[i], sizes[i] * sizeof *numbers);
}

/* grad f + A^T y to x->g. */
static void add_rows(olo_optimality *x)
{
    const olo_positions *at = &x->nlp->jacobian;
    for (int e = 0; e < at->count; e++)
        x->g[at->column[e]] += x->A[e] * x->point->y[at->row[e]];
}

/* The bound of an active row. */
static double bound_of(const olo_optimality *x, int row)
{
    return x->point->y[row] > 0 ? x->nlp->row_upper[row] : x->nlp->row_lower[row];
}

/* Gives variables away from bounds and rows that are not active no multiplier, and variables at
 * bounds the one that balances them; sets the right hand side. Returns the largest residual, which
 * is infinite if the point leaves other bounds or a multiplier has the wrong sign. */
static double set_residuals(olo_optimality *x, olo_nlp_point *point, double tolerance,
                            double *residual)
{
    const olo_nlp *nlp = x->nlp;
    double largest = 0;
    for (int i = 0; i < nlp->rows; i++)
        if (x->row[i] < 0)
            point->y[i] = 0;
    add_rows(x);
    for (int i = 0; i < nlp->variables; i++) {
        const double g = x->g[i], at = point->x[i];
        const bool upper = point->z_upper[i] > point->z_lower[i], held = x->variable[i] < 0;
        point->z_lower[i] = held && !upper ? g : 0;
        point->z_upper[i] = held && upper ? -g : 0;
        if (at < nlp->lower[i] - tolerance || at > nlp->upper[i] + tolerance ||
            point->z_lower[i] < -tolerance || point->z_upper[i] < -tolerance)
            return INFINITY;
        if (held)
            continue;
        residual[x->variable[i]] = -g;
        olo_raise(&largest, fabs(g));
    }
    for (int i = 0; i < nlp->rows; i++) {
        if (x->row[i] >= 0) {
            residual[x->variables + x->row[i]] = bound_of(x, i) - x->c[i];
            olo_raise(&largest, fabs(residual[x->variables + x->row[i]]));
        } else if (x->c[i] < nlp->row_lower[i] - tolerance ||
                   x->c[i] > nlp->row_upper[i] + tolerance) {
            return INFINITY;
        }
    }
    return largest;
}

static olo_status step(olo_optimality *x, olo_nlp_point *point, double *residual, olo_error *error)
{
    int below, dependent;
    olo_status status = olo_optimality_factor(x, 0.0, &below, &dependent, error);
    if (status == OLO_OK && dependent > 0)
        status = OLO_SINGULAR;
    if (status == OLO_OK)
        status = olo_symmetric_solve(x->matrix, residual, error);
    if (status != OLO_OK)
        return status;
    for (int i = 0; i < x->nlp->variables; i++)
        if (x->variable[i] >= 0)
            point->x[i] += residual[x->variable[i]];
    for (int i = 0; i < x->nlp->rows; i++)
        if (x->row[i] >= 0)
            point->y[i] += residual[x->variables + x->row[i]];
    return OLO_OK;
}

/* One iteration from `point`: its residuals and, unless these are small enough or have not been
 * halved, a step. */
static olo_status iterate(const olo_nlp *nlp, double tolerance, olo_nlp_point *point, double *best,
                          double *saved, bool *again, olo_error *error)
{
    olo_optimality x;
    *again = false;
    olo_status status = olo_optimality_open(&x, nlp, point, error);
    if (status == OLO_OK)
        status = olo_optimality_make_matrix(&x, error);
    double *residual =
        status == OLO_OK
            ? olo_pool_alloc(&x.pool, (size_t)(x.variables + x.rows) + 1, sizeof *residual)
            : NULL;
    if (status == OLO_OK && !residual)
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory to improve an optimum");
    if (status == OLO_OK) {
        const double size = set_residuals(&x, point, tolerance, residual);
        if (size <= 0.5 * *best) {
            *best = size;
            copy_point(nlp, point, saved, false);
            *again = size > tolerance;
        }
    }
    if (status == OLO_OK && *again)
        status = step(&x, point, residual, error);
    olo_optimality_close(&x);
    return status;
}

olo_status olo_stationarity(const olo_nlp *nlp, const olo_nlp_point *point, double *residual,
                            double *gradient, olo_error *error)
{
    olo_optimality x;
    const olo_status status = olo_optimality_open(&x, nlp, point, error);
    *residual = *gradient = 0;
    for (int i = 0; status == OLO_OK && i < nlp->variables; i++)
        olo_raise(gradient, fabs(x.g[i]));
    if (status == OLO_OK)
        add_rows(&x);
    for (int i = 0; status == OLO_OK && i < nlp->variables; i++)
        olo_raise(residual, fabs(x.g[i] + point->z_upper[i] - point->z_lower[i]));
    olo_optimality_close(&x);
    return status;
}

olo_status olo_polish(const olo_nlp *nlp, double tolerance, olo_nlp_point *point, bool *reached,
                      olo_error *error)
{
    olo_pool pool = {0};
    double *given = olo_pool_alloc(&pool, point_size(nlp), sizeof *given),
           *saved = olo_pool_alloc(&pool, point_size(nlp), sizeof *saved), before = 0, gradient,
           best = INFINITY;
    bool again = true;
    olo_status status = given && saved
                            ? olo_stationarity(nlp, point, &before, &gradient, error)
                            : olo_fail(error, OLO_NO_MEMORY, "out of memory to improve an optimum");
    if (status == OLO_OK)
        copy_point(nlp, point, given, false);
    for (int i = 0; status == OLO_OK && again && i < ITERATIONS; i++)
        status = iterate(nlp, tolerance, point, &best, saved, &again, error);
    *reached = best <= tolerance;
    if (given && saved)
        copy_point(nlp, point, best < before ? saved : given, true);
    olo_pool_free(&pool);
    /* without MUMPS, or where the matrix is singular, the point remains as it is */
    return status == OLO_UNSUPPORTED || status == OLO_SINGULAR ? OLO_OK : status;
}
