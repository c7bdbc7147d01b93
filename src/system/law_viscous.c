/* The linear damper of an invariant, with coefficient c0:
 *
 *     s = c0 (e1 - e0)/h,      energy lost in the step  s (e1 - e0) = c0 (e1 - e0)^2/h >= 0.
 *
 * The law has no potential: at a configuration everything is zero.
 */
#include "system/law.h"

void olo_law_no_potential(const olo_law_input *x, olo_law_order order, bool coefficients,
                          olo_law_at *out)
{
    (void)x;
    out->f = out->g[0] = 0.0;
    if (order >= OLO_LAW_FIRST)
        out->gg[0] = 0.0;
    if (order >= OLO_LAW_SECOND)
        out->ggg[0] = 0.0;
    if (coefficients)
        out->fc[0] = out->gc[0] = 0.0;
}

static void over(const olo_law_input *x, olo_law_order order, bool coefficients, olo_law_over *out)
{
    const double rate = x->de[0] / x->h;
    out->s[0] = x->c[0] * rate;
    if (order >= OLO_LAW_FIRST) {
        out->s1[0] = x->c[0] / x->h;
        out->s0[0] = -out->s1[0];
    }
    if (order >= OLO_LAW_SECOND)
        out->s00[0] = out->s01[0] = out->s11[0] = 0.0;
    if (coefficients)
        out->sc[0] = rate;
}

static void affine(const double *c, double e0, double h, double *constant, double *gradient)
{
    (void)e0;
    *constant = 0.0;
    *gradient = c[0] / h;
}

const olo_law olo_law_viscous = {.name = "viscous",
                                 .invariants = 1,
                                 .coefficients = 1,
                                 .dissipative = true,
                                 .affine = affine,
                                 .at = olo_law_no_potential,
                                 .over = over};
