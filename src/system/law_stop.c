/* Stops: a spring that acts only beyond two bounds, c1 below and c2 above (either may be infinite),
 *
 *     f = 1/2 c0 (max(0, e - c2)^2 + max(0, c1 - e)^2).
 *
 * Upper stop, with p = max(0, e - c2) at both ends of a step:
 *
 *     s = 1/2 c0 (p0 + p1)                   both ends beyond the bound
 *     s = 1/2 c0 p^2/d,  d = |e1 - e0|       one end beyond, p its value; with x = p/d, 0 < x <= 1,
 *                                            ds/d(end beyond) = 1/2 c0 x (2 - x),
 *                                            ds/d(other end) = 1/2 c0 x^2
 *
 * so that s (e1 - e0) = f(e1) - f(e0) wherever in the step the bound is reached, and s has
 * continuous first derivatives. The lower stop is the upper stop for -e.
 */
#include "system/law.h"

#include <math.h>

static double beyond(double e, double bound)
{
    return e > bound ? e - bound : 0.0;
}

static void at(const olo_law_input *x, olo_law_order order, bool coefficients, olo_law_at *out)
{
    const double k = x->c[0], below = beyond(-x->e0[0], -x->c[1]),
                 above = beyond(x->e0[0], x->c[2]);
    out->f = 0.5 * k * (above * above + below * below);
    out->g[0] = k * (above - below);
    if (order >= OLO_LAW_FIRST)
        out->gg[0] = (above > 0.0 ? k : 0.0) + (below > 0.0 ? k : 0.0);
    if (order >= OLO_LAW_SECOND)
        out->ggg[0] = 0.0;
    if (coefficients) {
        out->fc[0] = 0.5 * (above * above + below * below);
        out->fc[1] = k * below;
        out->fc[2] = -k * above;
        out->gc[0] = above - below;
        out->gc[1] = below > 0.0 ? -k : 0.0;
        out->gc[2] = above > 0.0 ? -k : 0.0;
    }
}

/* The upper stop with unit stiffness: s, its derivatives, and ds/d(bound). */
typedef struct push {
    double s, s0, s1, s00, s01, s11, bound;
} push;

static push push_beyond(double e0, double e1, double de, double bound)
{
    const double p0 = beyond(e0, bound), p1 = beyond(e1, bound);
    if (p0 > 0.0 && p1 > 0.0)
        return (push){.s = 0.5 * (p0 + p1), .s0 = 0.5, .s1 = 0.5, .bound = -1.0};
    const double p = p0 + p1, d = fabs(de);
    if (p == 0.0 || d == 0.0)
        return (push){0};
    const double x = fmin(p / d, 1.0);
    const double in = 0.5 * x * (2.0 - x), out = 0.5 * x * x;
    const double in_in = (1.0 - x) * (1.0 - x) / d, out_out = x * x / d;
    return (push){.s = 0.5 * p * (p / d),
                  .s0 = p0 > 0.0 ? in : out,
                  .s1 = p0 > 0.0 ? out : in,
                  .s00 = p0 > 0.0 ? in_in : out_out,
                  .s01 = x * (1.0 - x) / d,
                  .s11 = p0 > 0.0 ? out_out : in_in,
                  .bound = -x};
}

static void over(const olo_law_input *x, olo_law_order order, bool coefficients, olo_law_over *out)
{
    const double k = x->c[0];
    const push above = push_beyond(x->e0[0], x->e1[0], x->de[0], x->c[2]);
    const push below = push_beyond(-x->e0[0], -x->e1[0], -x->de[0], -x->c[1]);
    out->s[0] = k * (above.s - below.s);
    if (order >= OLO_LAW_FIRST) {
        out->s0[0] = k * (above.s0 + below.s0);
        out->s1[0] = k * (above.s1 + below.s1);
    }
    if (order >= OLO_LAW_SECOND) {
        out->s00[0] = k * (above.s00 - below.s00);
        out->s01[0] = k * (above.s01 - below.s01);
        out->s11[0] = k * (above.s11 - below.s11);
    }
    if (coefficients) {
        out->sc[0] = above.s - below.s;
        out->sc[1] = k * below.bound;
        out->sc[2] = k * above.bound;
    }
}

const olo_law olo_law_stop = {
    .name = "stop", .invariants = 1, .coefficients = 3, .at = at, .over = over};
