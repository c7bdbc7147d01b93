/* Removal of fixed variables and free rows; see the header. */
#include "control/presolve.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/pool.h"

/* A row is violated by more than rounding, relative to its value or to one. */
static const double ROUNDING = 1e-9;

/* Positions of the full programme that remain. */
typedef struct remaining {
    int *source;    /* [count of the smaller] index in the full one */
    double *values; /* [count of the full one] */
} remaining;

struct olo_presolve {
    const olo_nlp *full;
    olo_nlp small;
    olo_pool pool;
    int *variable, *row;       /* of the smaller programme in the full one ... */
    int *variable_to, *row_to; /* ... and back, -1: removed */
    double *x, *g, *c, *y;     /* of the full programme */
    remaining jacobian, hessian;
};

static void expand_x(olo_presolve *p, const double *x)
{
    for (int i = 0; i < p->small.variables; i++)
        p->x[p->variable[i]] = x[i];
}

static double objective(void *context, const double *x)
{
    olo_presolve *p = context;
    expand_x(p, x);
    return p->full->objective(p->full->context, p->x);
}

static void gradient(void *context, const double *x, double *g)
{
    olo_presolve *p = context;
    expand_x(p, x);
    p->full->gradient(p->full->context, p->x, p->g);
    for (int i = 0; i < p->small.variables; i++)
        g[i] = p->g[p->variable[i]];
}

static void evaluate(void *context, const double *x, double *c)
{
    olo_presolve *p = context;
    expand_x(p, x);
    p->full->evaluate(p->full->context, p->x, p->c);
    for (int i = 0; i < p->small.rows; i++)
        c[i] = p->c[p->row[i]];
}

static void pick(const remaining *of, int count, double *values)
{
    for (int i = 0; i < count; i++)
        values[i] = of->values[of->source[i]];
}

static void evaluate_jacobian(void *context, const double *x, double *values)
{
    olo_presolve *p = context;
    expand_x(p, x);
    p->full->evaluate_jacobian(p->full->context, p->x, p->jacobian.values);
    pick(&p->jacobian, p->small.jacobian.count, values);
}

static void evaluate_hessian(void *context, const double *x, double sigma, const double *y,
                             double *values)
{
    olo_presolve *p = context;
    expand_x(p, x);
    for (int i = 0; i < p->small.rows; i++)
        p->y[p->row[i]] = y[i];
    p->full->evaluate_hessian(p->full->context, p->x, sigma, p->y, p->hessian.values);
    pick(&p->hessian, p->small.hessian.count, values);
}

/* Numbers the remaining variables: those whose bounds differ. */
static void number_variables(olo_presolve *p)
{
    const olo_nlp *full = p->full;
    for (int i = 0; i < full->variables; i++) {
        const bool fixed = full->lower[i] == full->upper[i];
        p->x[i] = fixed ? full->lower[i] : 0.0;
        p->variable_to[i] = fixed ? -1 : p->small.variables;
        if (!fixed)
            p->variable[p->small.variables++] = i;
    }
}

/* Numbers the remaining rows: those with a bound in which a variable remains. */
static void number_rows(olo_presolve *p)
{
    const olo_nlp *full = p->full;
    for (int i = 0; i < full->rows; i++)
        p->row_to[i] = -1;
    for (int i = 0; i < full->jacobian.count; i++)
        if (p->variable_to[full->jacobian.column[i]] >= 0)
            p->row_to[full->jacobian.row[i]] = 0;
    for (int i = 0; i < full->rows; i++) {
        const bool open = full->row_lower[i] <= -OLO_NO_BOUND && full->row_upper[i] >= OLO_NO_BOUND;
        if (open || p->row_to[i] < 0) {
            p->row_to[i] = -1;
            continue;
        }
        p->row[p->small.rows] = i;
        p->row_to[i] = p->small.rows++;
    }
}

/* The remaining positions of a matrix whose rows are numbered by `to`. */
static bool select_entries(olo_presolve *p, const olo_positions *from, const int *to, remaining *of,
                           olo_positions *small)
{
    const size_t count = (size_t)from->count;
    of->source = olo_pool_alloc(&p->pool, count, sizeof *of->source);
    of->values = olo_pool_alloc(&p->pool, count, sizeof *of->values);
    small->row = olo_pool_alloc(&p->pool, count, sizeof *small->row);
    small->column = olo_pool_alloc(&p->pool, count, sizeof *small->column);
    if (!of->source || !of->values || !small->row || !small->column)
        return false;
    for (int i = 0; i < from->count; i++) {
        const int row = to[from->row[i]], column = p->variable_to[from->column[i]];
        if (row < 0 || column < 0)
            continue;
        of->source[small->count] = i;
        small->row[small->count] = row;
        small->column[small->count++] = column;
    }
    return true;
}

static bool pick_bounds(olo_presolve *p)
{
    const olo_nlp *full = p->full;
    olo_nlp *small = &p->small;
    const olo_array arrays[] = {{&small->lower, (size_t)small->variables},
                                {&small->upper, (size_t)small->variables},
                                {&small->row_lower, (size_t)small->rows},
                                {&small->row_upper, (size_t)small->rows}};
    if (!olo_pool_arrays(&p->pool, arrays, 4))
        return false;
    for (int i = 0; i < small->variables; i++) {
        small->lower[i] = full->lower[p->variable[i]];
        small->upper[i] = full->upper[p->variable[i]];
    }
    for (int i = 0; i < small->rows; i++) {
        small->row_lower[i] = full->row_lower[p->row[i]];
        small->row_upper[i] = full->row_upper[p->row[i]];
    }
    return true;
}

static bool build(olo_presolve *p)
{
    const olo_nlp *full = p->full;
    const size_t n = (size_t)full->variables, m = (size_t)full->rows;
    const olo_array arrays[] = {{&p->x, n}, {&p->g, n}, {&p->c, m}, {&p->y, m}};
    p->variable = olo_pool_alloc(&p->pool, n, sizeof *p->variable);
    p->variable_to = olo_pool_alloc(&p->pool, n, sizeof *p->variable_to);
    p->row = olo_pool_alloc(&p->pool, m, sizeof *p->row);
    p->row_to = olo_pool_alloc(&p->pool, m, sizeof *p->row_to);
    if (!olo_pool_arrays(&p->pool, arrays, 4) || !p->variable || !p->variable_to || !p->row ||
        !p->row_to)
        return false;
    number_variables(p);
    number_rows(p);
    return pick_bounds(p) &&
           select_entries(p, &full->jacobian, p->row_to, &p->jacobian, &p->small.jacobian) &&
           select_entries(p, &full->hessian, p->variable_to, &p->hessian, &p->small.hessian);
}

olo_status olo_presolve_create(const olo_nlp *full, olo_presolve **presolve, olo_error *error)
{
    olo_presolve *p = olo_alloc(1, sizeof *p);
    *presolve = NULL;
    if (p) {
        p->full = full;
        p->small = (olo_nlp){.context = p,
                             .objective = objective,
                             .gradient = gradient,
                             .evaluate = evaluate,
                             .evaluate_jacobian = evaluate_jacobian,
                             .evaluate_hessian = evaluate_hessian};
    }
    if (!p || !build(p)) {
        olo_presolve_free(p);
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
    }
    *presolve = p;
    return OLO_OK;
}

void olo_presolve_free(olo_presolve *p)
{
    if (!p)
        return;
    olo_pool_free(&p->pool);
    olo_free(p);
}

const olo_nlp *olo_presolve_nlp(const olo_presolve *p)
{
    return &p->small;
}

int olo_presolve_violated_row(olo_presolve *p, const double *full, double *by)
{
    const olo_nlp *of = p->full;
    int worst = -1;
    *by = 0;
    of->evaluate(of->context, full, p->c);
    for (int i = 0; i < of->rows; i++) {
        const double off = fmax(of->row_lower[i] - p->c[i], p->c[i] - of->row_upper[i]);
        if (p->row_to[i] >= 0 || off <= ROUNDING * (1 + fabs(p->c[i])) || off <= *by)
            continue;
        *by = off;
        worst = i;
    }
    return worst;
}

void olo_presolve_shrink(const olo_presolve *p, const double *full, double *x)
{
    for (int i = 0; i < p->small.variables; i++)
        x[i] = full[p->variable[i]];
}

void olo_presolve_expand(const olo_presolve *p, const double *x, double *full)
{
    for (int i = 0; i < p->full->variables; i++)
        full[i] = p->variable_to[i] >= 0 ? x[p->variable_to[i]] : p->full->lower[i];
}

void olo_presolve_expand_rows(const olo_presolve *p, const double *y, double *full)
{
    for (int i = 0; i < p->full->rows; i++)
        full[i] = p->row_to[i] >= 0 ? y[p->row_to[i]] : 0.0;
}

int olo_presolve_row(const olo_presolve *p, int i)
{
    return p->row[i];
}

int olo_presolve_variable(const olo_presolve *p, int i)
{
    return p->variable[i];
}
