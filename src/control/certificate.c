/* The certificate of an optimum; see the header. */
#include "control/certificate.h"

#include <math.h>
#include <stdlib.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "control/optimality.h"

static double beyond(double value, double lower, double upper)
{
    return fmax(fmax(lower - value, value - upper), 0.0);
}

static void check_bounds(const olo_optimality *x, olo_certificate *out, int *worst)
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

static void check_stationarity(olo_optimality *x, olo_certificate *out)
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

static void check_complementarity(const olo_optimality *x, olo_certificate *out)
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

/* The inertia of the reduced Hessian: eigenvalues below and above a neighbourhood of zero. It
 * remains unknown without MUMPS and where the matrix cannot be factored, far from an optimum. */
static olo_status judge_inertia(olo_optimality *x, olo_certificate *out, olo_error *error)
{
    const double zero = olo_optimality_rounding(x);
    olo_error reason = {0};
    int below, not_above, dependent;
    olo_status status = olo_optimality_make_matrix(x, &reason);
    out->active = x->rows;
    if (status == OLO_OK)
        status = olo_optimality_factor(x, zero, &not_above, &dependent, &reason);
    if (status == OLO_OK)
        status = olo_optimality_factor(x, -zero, &below, &dependent, &reason);
    if (status == OLO_UNSUPPORTED || status == OLO_SINGULAR)
        return OLO_OK;
    if (status != OLO_OK)
        return olo_fail(error, status, "%s", reason.text);
    out->negative = below > 0 ? below : 0;
    /* of a row that depends on others up to rounding the sign of its pivot is arbitrary, so that
     * both numbers may be too small by one */
    out->zero = abs(not_above - below) + dependent;
    if (out->zero < -below)
        out->zero = -below;
    out->second_order = below > 0                     ? OLO_POINT_SADDLE
                        : below < 0 || out->zero != 0 ? OLO_POINT_DEGENERATE
                                                      : OLO_POINT_MINIMUM;
    out->minimum = out->second_order == OLO_POINT_MINIMUM;
    return OLO_OK;
}

olo_status olo_certify(const olo_nlp *nlp, const olo_nlp_point *point, olo_certificate *certificate,
                       int *worst, olo_error *error)
{
    olo_optimality x;
    *certificate = (olo_certificate){
        .variables = nlp->variables, .constraints = nlp->rows, .negative = -1, .zero = -1};
    *worst = -1;
    olo_status status = olo_optimality_open(&x, nlp, point, error);
    if (status == OLO_OK) {
        check_bounds(&x, certificate, worst);
        check_stationarity(&x, certificate);
        check_complementarity(&x, certificate);
        status = judge_inertia(&x, certificate, error);
    }
    olo_optimality_close(&x);
    return status;
}
