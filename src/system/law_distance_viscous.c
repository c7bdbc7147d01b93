/* The damper along the line between two points, with coefficient c0, e = 1/2 |x_b - x_a|^2 and
 * l = sqrt(2 e):
 *
 *     dl = 2 (e1 - e0)/m,   m = l0 + l1,      s = c0 (dl/h) (2/m),
 *
 * so that the energy lost in the step is s (e1 - e0) = c0 dl^2/h >= 0. As a function of the lengths
 * s = (2 c0/h) (l1 - l0)/m, whose derivatives contain no differences; dl/de = 1/l.
 *
 * Coincident ends. Where l = 0 the line has no direction. If the ends coincide at both times
 * (m = 0), the length has not changed: s = 0. If they coincide at one time only, s is regular, and
 * its derivative with respect to that slot is omitted, as in the distance spring.
 *
 * The law has no potential: at a configuration everything is zero.
 */
#include "system/law_distance.h"

static void over(const olo_law_input *x, olo_law_order order, bool coefficients, olo_law_over *out)
{
    const double l0 = distance_length(x->e0[0]), l1 = distance_length(x->e1[0]);
    const double i = distance_inverse(l0 + l1);
    const double dl = 2.0 * x->de[0] * i;
    const double rate = 2.0 * i * (dl / x->h);
    out->s[0] = x->c[0] * rate;
    if (order >= OLO_LAW_FIRST) {
        const double i0 = distance_inverse(l0), i1 = distance_inverse(l1);
        const double a = 4.0 * x->c[0] / x->h * i * i;
        out->s0[0] = -a * l1 * i0;
        out->s1[0] = a * l0 * i1;
        if (order >= OLO_LAW_SECOND) {
            out->s00[0] = a * l1 * (2.0 * i + i0) * i0 * i0;
            out->s01[0] = a * dl * i * i0 * i1;
            out->s11[0] = -a * l0 * (2.0 * i + i1) * i1 * i1;
        }
    }
    if (coefficients)
        out->sc[0] = rate;
}

const olo_law olo_law_distance_viscous = {.name = "distance_viscous",
                                          .invariants = 1,
                                          .coefficients = 1,
                                          .dissipative = true,
                                          .at = olo_law_no_potential,
                                          .over = over};
