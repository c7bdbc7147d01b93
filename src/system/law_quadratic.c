/* The quadratic law f = 1/2 c0 e^2: strain energies, springs of a quadratic strain, penalties. Its
 * discrete gradient is the average of the end values, not the value at the midpoint,
 *
 *     s = c0 (e0 + e1)/2,      s (e1 - e0) = f(e1) - f(e0)       (thesis, 3.1.4, scalar case).
 */
#include "system/law.h"

static void at(const olo_law_input *x, olo_law_order order, bool coefficients, olo_law_at *out)
{
    const double c0 = x->c[0], e = x->e0[0];
    out->f = 0.5 * c0 * e * e;
    out->g[0] = c0 * e;
    if (order >= OLO_LAW_FIRST) {
        out->gg[0] = c0;
    }
    if (order >= OLO_LAW_SECOND) {
        out->ggg[0] = 0.0;
    }
    if (coefficients) {
        out->fc[0] = 0.5 * e * e;
        out->gc[0] = e;
    }
}

static void over(const olo_law_input *x, olo_law_order order, bool coefficients, olo_law_over *out)
{
    const double mean = 0.5 * (x->e0[0] + x->e1[0]);
    out->s[0] = x->c[0] * mean;
    if (order >= OLO_LAW_FIRST) {
        out->s0[0] = out->s1[0] = 0.5 * x->c[0];
    }
    if (order >= OLO_LAW_SECOND) {
        out->s00[0] = out->s01[0] = out->s11[0] = 0.0;
    }
    if (coefficients) {
        out->sc[0] = mean;
    }
}

const olo_law olo_law_quadratic = {
    .name = "quadratic", .invariants = 1, .coefficients = 1, .at = at, .over = over};
