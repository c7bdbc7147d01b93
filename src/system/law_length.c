/* The length of a span as a coordinate, f = c0 l with l = sqrt(2 e) and e = 1/2 |x_b - x_a|^2. With
 * m = l0 + l1 the discrete gradient is
 *
 *     s = 2 c0/m,      s (e1 - e0) = c0 (l1 - l0),
 *
 * without cancellation. Derivatives follow from dl/de = 1/l. Where the ends coincide the length has
 * no direction: powers of 1/l are omitted (law_distance.h).
 */
#include "system/law_distance.h"

static void at(const olo_law_input *x, olo_law_order order, bool coefficients, olo_law_at *out)
{
    const double c0 = x->c[0], l = distance_length(x->e0[0]), i = distance_inverse(l);
    out->f = c0 * l;
    out->g[0] = c0 * i;
    if (order >= OLO_LAW_FIRST)
        out->gg[0] = -c0 * i * i * i;
    if (order >= OLO_LAW_SECOND)
        out->ggg[0] = 3.0 * c0 * i * i * i * i * i;
    if (coefficients) {
        out->fc[0] = l;
        out->gc[0] = i;
    }
}

static void over(const olo_law_input *x, olo_law_order order, bool coefficients, olo_law_over *out)
{
    const double c0 = x->c[0];
    const double l0 = distance_length(x->e0[0]), l1 = distance_length(x->e1[0]);
    const double i = distance_inverse(l0 + l1);
    out->s[0] = 2.0 * c0 * i;
    if (order >= OLO_LAW_FIRST) {
        const double i0 = distance_inverse(l0), i1 = distance_inverse(l1);
        const double a = -2.0 * c0 * i * i;
        out->s0[0] = a * i0;
        out->s1[0] = a * i1;
        if (order >= OLO_LAW_SECOND) {
            out->s00[0] = -a * (2.0 * i + i0) * i0 * i0;
            out->s01[0] = -2.0 * a * i * i0 * i1;
            out->s11[0] = -a * (2.0 * i + i1) * i1 * i1;
        }
    }
    if (coefficients)
        out->sc[0] = 2.0 * i;
}

const olo_law olo_law_length = {
    .name = "length", .invariants = 1, .coefficients = 1, .at = at, .over = over};
