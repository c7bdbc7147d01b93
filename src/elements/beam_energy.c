/* Hyperelastic beams: W(g1, g2, g3, k1, k2, k3), any smooth stored energy per length. The stress
 * over a step is the general discrete gradient with respect to the six strains, so that energy and
 * momenta are conserved as with a quadratic energy.
 *
 * Second and third derivatives follow from directional derivatives by polarisation,
 *
 *     2 H[u, v]      = D2(u + v) - D2(u) - D2(v)
 *     6 T[u, v, w]   = D3(u + v + w) - D3(u + v) - D3(u + w) - D3(v + w) + D3(u) + D3(v) + D3(w).
 */
#include "elements/beam_energy.h"

#include <math.h>

#include "system/strain.h"

enum { K = OLO_STRAINS };

/* W at a quadrature point, with its weight. */
typedef struct weighted {
    olo_general_law law;
    const olo_curve *energy;
    double weight;
} weighted;

static double value(void *context, const double *e)
{
    const weighted *x = context;
    return x->weight * olo_curve_value(x->energy, e);
}

/* The derivative of the given order along the sum of unit vectors a, b and c; b and c may be -1 for
 * none. */
static double along(const olo_curve *energy, const double *e, int order, int a, int b, int c)
{
    double direction[K] = {0}, derivatives[4];
    direction[a] += 1;
    if (b >= 0)
        direction[b] += 1;
    if (c >= 0)
        direction[c] += 1;
    olo_curve_along(energy, e, direction, order, derivatives);
    return derivatives[order];
}

static void gradient(void *context, const double *e, double *g)
{
    const weighted *x = context;
    for (int k = 0; k < K; k++)
        g[k] = x->weight * along(x->energy, e, 1, k, -1, -1);
}

static void second(const olo_curve *energy, double weight, const double *e, double *gg)
{
    double pure[K];
    for (int k = 0; k < K; k++)
        pure[k] = gg[7 * k] = weight * along(energy, e, 2, k, -1, -1);
    for (int k = 0; k < K; k++)
        for (int l = 0; l < k; l++)
            gg[K * k + l] = gg[K * l + k] =
                0.5 * (weight * along(energy, e, 2, k, l, -1) - pure[k] - pure[l]);
}

static void hessian(void *context, const double *e, double *gg)
{
    const weighted *x = context;
    second(x->energy, x->weight, e, gg);
}

static void third(void *context, const double *e, double *ggg)
{
    const weighted *x = context;
    double one[K], two[K][K];
    for (int k = 0; k < K; k++) {
        one[k] = along(x->energy, e, 3, k, -1, -1);
        for (int l = 0; l < K; l++)
            two[k][l] = along(x->energy, e, 3, k, l, -1);
    }
    for (int k = 0; k < K; k++)
        for (int l = 0; l < K; l++)
            for (int m = 0; m < K; m++)
                ggg[(k * K + l) * K + m] = x->weight / 6 *
                                           (along(x->energy, e, 3, k, l, m) - two[k][l] -
                                            two[k][m] - two[l][m] + one[k] + one[l] + one[m]);
}

olo_status olo_beam_energy_create(olo_builder *builder, const char *text, olo_curve **energy)
{
    static const char *const names[K] = {"g1", "g2", "g3", "k1", "k2", "k3"};
    static const double none[K] = {0};
    olo_status status = olo_build_function(builder, "energy", K, names, text, energy);
    if (status == OLO_OK)
        status = olo_build_own(builder, *energy, olo_curve_free);
    if (status != OLO_OK)
        return status;
    double C[K * K];
    olo_beam_energy_stiffness(*energy, C);
    for (int k = 0; k < K; k++) {
        double stress = along(*energy, none, 1, k, -1, -1);
        if (!isfinite(stress) || !isfinite(C[7 * k]))
            return olo_builder_fail(
                builder, "energy",
                "the stress or its derivative along %s is not finite without strain", names[k]);
        if (!(C[7 * k] > 0))
            return olo_builder_fail(builder, "energy", "has no stiffness along %s without strain",
                                    names[k]);
    }
    return OLO_OK;
}

void olo_beam_energy_stiffness(const olo_curve *energy, double stiffness[36])
{
    static const double none[K] = {0};
    second(energy, 1.0, none, stiffness);
}

const olo_general_law *olo_beam_energy_law(olo_builder *builder, const olo_curve *energy,
                                           double weight)
{
    weighted *x = olo_pool_alloc(&olo_build_system(builder)->pool, 1, sizeof *x);
    if (!x)
        return NULL;
    *x = (weighted){.law = {.context = x,
                            .value = value,
                            .gradient = gradient,
                            .hessian = hessian,
                            .third = third},
                    .energy = energy,
                    .weight = weight};
    return &x->law;
}
