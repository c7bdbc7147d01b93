/* The coefficients of composed steps. A symmetric composition of a symmetric method of order 2 has
 * order 4 if
 *
 *     sum c_i = 1,   sum c_i^3 = 0,
 *
 * and order 6 if in addition
 *
 *     sum c_i^5 = 0,   sum c_i^3 (c_1 + ... + c_{i-1} + c_i/2)^2 = 0
 *
 * (Hairer, Lubich, Wanner, Geometric Numerical Integration, V.3.2). Order 4 is that of
 * Suzuki, four times 1/(4 - 4^(1/3)); order 6 that of Kahan and Li (1997) with nine parts, which at
 * equal cost is several times as accurate as that of Yoshida with seven parts. The coefficients
 * satisfy the conditions to 20 digits.
 *
 * The weights of an estimate annihilate polynomials below h^estimate, and the error of the parts up
 * to a node, which grows with c_1^3 + ... + c_i^3:
 *
 *   order 2, three equal parts   a quarter of the third difference, (h/3)^3 q'''/4, which is the
 *                                error of the step;
 *   order 4                      the even functional over the six nodes of order h^4 q'''';
 *   order 6                      an odd functional over the ten nodes, of order h^5 q^(5): of those
 *                                that annihilate t, t^3 and c_1^3 + ... + c_i^3 about the middle,
 *                                the one that is largest for t^5 with weights of a given length,
 *                                which makes errors like those of order 4 at equal tolerance.
 *
 * As with embedded formulas the step is one order better than its estimate, and the error of a run
 * is proportional to the tolerance.
 */
#include "stepping/composition.h"

#include <stddef.h>

static const olo_composition compositions[] = {
    {.order = 2, .parts = 1, .part = {1}},
    {.order = 2,
     .parts = 3,
     .part = {1.0 / 3, 1.0 / 3, 1.0 / 3},
     .estimate = 3,
     .weight = {-0.25, 0.75, -0.75, 0.25}},
    {.order = 4,
     .parts = 5,
     .part = {0.414490771794375737142, 0.414490771794375737142, -0.657963087177502948569,
              0.414490771794375737142, 0.414490771794375737142},
     .estimate = 4,
     .weight = {1, 1.40482876783863053619, -2.40482876783863053619, -2.40482876783863053619,
                1.40482876783863053619, 1}},
    {.order = 6,
     .parts = 9,
     .part = {0.392161444007314139279, 0.332599136789359438600, -0.706246172557639359810,
              0.082213596293550800231, 0.798543990934829963399, 0.082213596293550800231,
              -0.706246172557639359810, 0.332599136789359438600, 0.392161444007314139279},
     .estimate = 5,
     .weight = {2.49961168857297495925, -0.844197896590982206488, 6.04532529497039227854,
                -7.87715760828154928424, 10, -10, 7.87715760828154928424, -6.04532529497039227854,
                0.844197896590982206488, -2.49961168857297495925}},
};

const olo_composition *olo_composition_find(int order, bool estimated)
{
    for (size_t i = 0; i < sizeof compositions / sizeof compositions[0]; i++)
        if (compositions[i].order == order && (compositions[i].estimate > 0 || !estimated))
            return &compositions[i];
    return NULL;
}

double olo_composition_middle(const olo_composition *c, int part)
{
    double node = 0;
    for (int i = 0; i < part; i++)
        node += c->part[i];
    return node + 0.5 * c->part[part];
}
