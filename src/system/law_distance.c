/* The distance spring f = 1/2 c0 (l - c1)^2 with stiffness c0, rest length c1, l = sqrt(2 e) and
 * e = 1/2 |x_b - x_a|^2. Since e1 - e0 = 1/2 (l1 - l0)(l1 + l0), the difference quotient is
 *
 *     s = c0 (1 - 2 c1/m),     m = l0 + l1,       s (e1 - e0) = f(e1) - f(e0),
 *
 * which neither divides by the increment nor cancels. Derivatives follow from dl/de = 1/l.
 *
 * Coincident ends. Where l = 0 the force c0 (l - c1) has no direction. It is replaced by its mean
 * over all directions, which is that of a spring without rest length: s = c0, and terms with a
 * power of 1/l are omitted. If the ends coincide at both times (m = 0), this is exact, since then
 * e1 = e0 and grad e = 0; it is also the limit for c1 = 0. If the ends coincide at one time only, s
 * is regular, and its derivative with respect to that slot is omitted for the same reason.
 */
#include "system/law_distance.h"

static void at(const olo_law_input *x, olo_law_order order, bool coefficients, olo_law_at *out)
{
    const double c0 = x->c[0], c1 = x->c[1];
    const double l = distance_length(x->e0[0]), i = distance_inverse(l);
    const double stretch = l - c1;
    out->f = 0.5 * c0 * stretch * stretch;
    out->g[0] = c0 * (1.0 - c1 * i);
    if (order >= OLO_LAW_FIRST)
        out->gg[0] = c0 * c1 * i * i * i;
    if (order >= OLO_LAW_SECOND)
        out->ggg[0] = -3.0 * c0 * c1 * i * i * i * i * i;
    if (coefficients) {
        out->fc[0] = 0.5 * stretch * stretch;
        out->fc[1] = -c0 * stretch;
        out->gc[0] = 1.0 - c1 * i;
        out->gc[1] = -c0 * i;
    }
}

static void over(const olo_law_input *x, olo_law_order order, bool coefficients, olo_law_over *out)
{
    const double c0 = x->c[0], c1 = x->c[1];
    const double l0 = distance_length(x->e0[0]), l1 = distance_length(x->e1[0]);
    const double i = distance_inverse(l0 + l1);
    const double share = 1.0 - 2.0 * c1 * i;
    out->s[0] = c0 * share;
    if (order >= OLO_LAW_FIRST) {
        const double i0 = distance_inverse(l0), i1 = distance_inverse(l1);
        const double a = 2.0 * c0 * c1 * i * i;
        out->s0[0] = a * i0;
        out->s1[0] = a * i1;
        if (order >= OLO_LAW_SECOND) {
            out->s00[0] = -a * (2.0 * i + i0) * i0 * i0;
            out->s01[0] = -2.0 * a * i * i0 * i1;
            out->s11[0] = -a * (2.0 * i + i1) * i1 * i1;
        }
    }
    if (coefficients) {
        out->sc[0] = share;
        out->sc[1] = -2.0 * c0 * i;
    }
}

const olo_law olo_law_distance = {
    .name = "distance", .invariants = 1, .coefficients = 2, .at = at, .over = over};
