/* The spring along a coordinate with rest length c1, f = 1/2 c0 (e - c1)^2. As for every quadratic
 * energy the discrete gradient is the average of the end values (thesis, 3.1.4, scalar case),
 *
 *     s = c0 ((e0 + e1)/2 - c1),      s (e1 - e0) = f(e1) - f(e0).
 */
#include "system/law.h"

static void at(const olo_law_input *x, olo_law_order order, bool coefficients, olo_law_at *out)
{
    const double c0 = x->c[0], stretch = x->e0[0] - x->c[1];
    out->f = 0.5 * c0 * stretch * stretch;
    out->g[0] = c0 * stretch;
    if (order >= OLO_LAW_FIRST)
        out->gg[0] = c0;
    if (order >= OLO_LAW_SECOND)
        out->ggg[0] = 0.0;
    if (coefficients) {
        out->fc[0] = 0.5 * stretch * stretch;
        out->fc[1] = -c0 * stretch;
        out->gc[0] = stretch;
        out->gc[1] = -c0;
    }
}

static void over(const olo_law_input *x, olo_law_order order, bool coefficients, olo_law_over *out)
{
    const double c0 = x->c[0], stretch = x->e0[0] - x->c[1] + 0.5 * x->de[0];
    out->s[0] = c0 * stretch;
    if (order >= OLO_LAW_FIRST)
        out->s0[0] = out->s1[0] = 0.5 * c0;
    if (order >= OLO_LAW_SECOND)
        out->s00[0] = out->s01[0] = out->s11[0] = 0.0;
    if (coefficients) {
        out->sc[0] = stretch;
        out->sc[1] = -c0;
    }
}

static void affine(const double *c, double e0, double h, double *constant, double *gradient)
{
    (void)h;
    *constant = c[0] * (e0 - c[1]);
    *gradient = 0.5 * c[0];
}

const olo_law olo_law_spring = {
    .name = "spring", .invariants = 1, .coefficients = 2, .affine = affine, .at = at, .over = over};
