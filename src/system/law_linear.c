/* The linear law f = c0 e: gravity and every other potential that is itself a quadratic form. Its
 * discrete gradient is the constant
 *
 *     s = c0,      s (e1 - e0) = f(e1) - f(e0).
 */
#include "system/law.h"

static void at(const olo_law_input *x, olo_law_order order, bool coefficients, olo_law_at *out)
{
    const double e = x->e0[0];
    out->f = x->c[0] * e;
    out->g[0] = x->c[0];
    if (order >= OLO_LAW_FIRST)
        out->gg[0] = 0.0;
    if (order >= OLO_LAW_SECOND)
        out->ggg[0] = 0.0;
    if (coefficients) {
        out->fc[0] = e;
        out->gc[0] = 1.0;
    }
}

static void over(const olo_law_input *x, olo_law_order order, bool coefficients, olo_law_over *out)
{
    out->s[0] = x->c[0];
    if (order >= OLO_LAW_FIRST)
        out->s0[0] = out->s1[0] = 0.0;
    if (order >= OLO_LAW_SECOND)
        out->s00[0] = out->s01[0] = out->s11[0] = 0.0;
    if (coefficients)
        out->sc[0] = 1.0;
}

static void affine(const double *c, double e0, double h, double *constant, double *gradient)
{
    (void)e0;
    (void)h;
    *constant = c[0];
    *gradient = 0.0;
}

const olo_law olo_law_linear = {.name = "linear",
                                .invariants = 1,
                                .coefficients = 1,
                                .linear = true,
                                .affine = affine,
                                .at = at,
                                .over = over};
