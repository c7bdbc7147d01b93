/* The certificate of an optimum; see the header. */
#include "control/certificate.h"

#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "base/memory.h"
#include "base/pool.h"
#include "control/inertia.h"

/* A bound is active if its multiplier is larger than the distance from it, in units of the largest
 * multiplier and of one. */
typedef struct judge {
    const olo_nlp *nlp;
    const olo_nlp_point *point;
    olo_pool pool;
    double *c, *g, *A, *H;
    int *variable, *row; /* new numbers of those in the matrix of the inertia, or -1 */
    int variables, rows;
} judge;

static double beyond(double value, double lower, double upper)
{
    return fmax(fmax(lower - value, value - upper), 0.0);
}

static void check_bounds(const judge *x, olo_certificate *out, int *worst)
{
    const olo_nlp *nlp = x->nlp;
    for (int i = 0; i < nlp->variables; i++)
        olo_raise(&out->violation, beyond(x->point->x[i], nlp->lower[i], nlp->upper[i]));
    double largest = -1;
    for (int i = 0; i < nlp->rows; i++) {
        const double v = beyond(x->c[i], nlp->row_lower[i], nlp->row_upper[i]);
        olo_raise(&out->violation, v);
        if (!(v <= largest)) {
            largest = v;
            *worst = i;
        }
    }
}

static void check_stationarity(judge *x, olo_certificate *out)
{
    const olo_nlp *nlp = x->nlp;
    const olo_positions *at = &nlp->jacobian;
    for (int i = 0; i < at->count; i++)
        x->g[at->column[i]] += x->A[i] * x->point->y[at->row[i]];
    for (int i = 0; i < nlp->variables; i++)
        olo_raise(&out->stationarity, fabs(x->g[i] + x->point->z_upper[i] - x->point->z_lower[i]));
}

/* The product of a multiplier with the distance from its bound; without a bound it must vanish. */
static double product(double multiplier, double distance)
{
    return isfinite(distance) ? fabs(multiplier * distance) : fabs(multiplier);
}

static void check_complementarity(const judge *x, olo_certificate *out)
{
    const olo_nlp *nlp = x->nlp;
    for (int i = 0; i < nlp->variables; i++) {
        const double z_l = x->point->z_lower[i], z_u = x->point->z_upper[i];
        olo_raise(&out->complementarity, product(z_l, x->point->x[i] - nlp->lower[i]));
        olo_raise(&out->complementarity, product(z_u, nlp->upper[i] - x->point->x[i]));
        olo_raise(&out->sign, fmax(fmax(-z_l, -z_u), 0.0));
    }
    for (int i = 0; i < nlp->rows; i++) {
        const double y = x->point->y[i];
        if (nlp->row_lower[i] == nlp->row_upper[i])
            continue;
        olo_raise(&out->complementarity, y > 0 ? product(y, nlp->row_upper[i] - x->c[i])
                                               : product(y, x->c[i] - nlp->row_lower[i]));
    }
}

static bool is_active(double multiplier, double distance)
{
    return isfinite(distance) && fabs(multiplier) > fabs(distance);
}

static void choose_active(judge *x)
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
static void gather(const judge *x, const olo_positions *from, const double *values, const int *row,
                   int first, olo_positions *to, double *a)
{
    for (int i = 0; i < from->count; i++) {
        const int r = row[from->row[i]], c = x->variable[from->column[i]];
        if (r < 0 || c < 0)
            continue;
        to->row[to->count] = first + r;
        to->column[to->count] = c;
        a[to->count++] = values[i];
    }
}

static olo_status find_inertia(judge *x, olo_certificate *out, olo_error *error)
{
    const olo_nlp *nlp = x->nlp;
    const size_t count = (size_t)nlp->jacobian.count + (size_t)nlp->hessian.count;
    olo_positions at = {.row = olo_pool_alloc(&x->pool, count, sizeof(int)),
                        .column = olo_pool_alloc(&x->pool, count, sizeof(int))};
    double *a = olo_pool_alloc(&x->pool, count, sizeof *a);
    if (!at.row || !at.column || !a)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the certificate of an optimum");
    choose_active(x);
    gather(x, &nlp->hessian, x->H, x->variable, 0, &at, a);
    gather(x, &nlp->jacobian, x->A, x->row, x->variables, &at, a);
    out->active = x->rows;
    olo_error reason = {0};
    const olo_status status =
        olo_inertia(x->variables + x->rows, &at, a, &out->negative, &out->zero, &reason);
    if (status == OLO_UNSUPPORTED) /* the rest of the certificate does not need it */
        return OLO_OK;
    out->minimum = status == OLO_OK && out->zero == 0 && out->negative == out->active;
    return status == OLO_OK ? OLO_OK : olo_fail(error, status, "%s", reason.text);
}

static bool allocate(judge *x)
{
    const olo_nlp *nlp = x->nlp;
    const olo_array arrays[] = {{&x->c, (size_t)nlp->rows},
                                {&x->g, (size_t)nlp->variables},
                                {&x->A, (size_t)nlp->jacobian.count},
                                {&x->H, (size_t)nlp->hessian.count}};
    x->variable = olo_pool_alloc(&x->pool, (size_t)nlp->variables, sizeof *x->variable);
    x->row = olo_pool_alloc(&x->pool, (size_t)nlp->rows, sizeof *x->row);
    return x->variable && x->row && olo_pool_arrays(&x->pool, arrays, 4);
}

olo_status olo_certify(const olo_nlp *nlp, const olo_nlp_point *point, olo_certificate *certificate,
                       int *worst, olo_error *error)
{
    judge x = {.nlp = nlp, .point = point};
    olo_status status = OLO_OK;
    *certificate = (olo_certificate){
        .variables = nlp->variables, .constraints = nlp->rows, .negative = -1, .zero = -1};
    *worst = -1;
    if (!allocate(&x))
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for the certificate of an optimum");
    if (status == OLO_OK) {
        nlp->evaluate(nlp->context, point->x, x.c);
        nlp->gradient(nlp->context, point->x, x.g);
        nlp->evaluate_jacobian(nlp->context, point->x, x.A);
        nlp->evaluate_hessian(nlp->context, point->x, 1.0, point->y, x.H);
        check_bounds(&x, certificate, worst);
        check_stationarity(&x, certificate);
        check_complementarity(&x, certificate);
        status = find_inertia(&x, certificate, error);
    }
    olo_pool_free(&x.pool);
    return status;
}
