/* Hyperelastic beams: W(g1, g2, g3, k1, k2, k3; s), any smooth stored energy per length of the six
 * strains, which may vary with the arc length s. The stress
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

enum { K = OLO_STRAINS, VARIABLES = K + 1 };

static const char *const names[VARIABLES] = {"g1", "g2", "g3", "k1", "k2", "k3", "s"};

/* W at the arc length `station`, of the strains `first` to `last`; the others are zero. */
typedef struct energy_at {
    const olo_curve *energy;
    double station;
    int first, last;
} energy_at;

/* The same with the weight of a quadrature point. */
typedef struct weighted {
    olo_general_law law;
    energy_at at;
    double weight, base; /* subtracted from W */
} weighted;

static void set_variables(const energy_at *at, const double *e, double x[VARIABLES])
{
    for (int k = 0; k < K; k++)
        x[k] = k >= at->first && k <= at->last ? e[k] : 0.0;
    x[K] = at->station;
}

static double value(void *context, const double *e)
{
    const weighted *w = context;
    double x[VARIABLES];
    set_variables(&w->at, e, x);
    return w->weight * (olo_curve_value(w->at.energy, x) - w->base);
}

/* The derivative of the given order along the sum of unit vectors a, b and c; b and c may be -1 for
 * none. */
static double along(const energy_at *at, const double *e, int order, int a, int b, int c)
{
    const int unit[3] = {a, b, c};
    double x[VARIABLES], direction[VARIABLES] = {0}, derivatives[4];
    set_variables(at, e, x);
    for (int i = 0; i < 3; i++)
        if (unit[i] >= 0 && unit[i] >= at->first && unit[i] <= at->last)
            direction[unit[i]] += 1;
    olo_curve_along(at->energy, x, direction, order, derivatives);
    return derivatives[order];
}

static void gradient(void *context, const double *e, double *g)
{
    const weighted *x = context;
    for (int k = 0; k < K; k++)
        g[k] = x->weight * along(&x->at, e, 1, k, -1, -1);
}

static void second(const energy_at *at, double weight, const double *e, double *gg)
{
    double pure[K];
    for (int k = 0; k < K; k++)
        pure[k] = gg[7 * k] = weight * along(at, e, 2, k, -1, -1);
    for (int k = 0; k < K; k++)
        for (int l = 0; l < k; l++)
            gg[K * k + l] = gg[K * l + k] =
                0.5 * (weight * along(at, e, 2, k, l, -1) - pure[k] - pure[l]);
}

static void hessian(void *context, const double *e, double *gg)
{
    const weighted *x = context;
    second(&x->at, x->weight, e, gg);
}

static void third(void *context, const double *e, double *ggg)
{
    const weighted *x = context;
    double one[K], two[K][K];
    for (int k = 0; k < K; k++) {
        one[k] = along(&x->at, e, 3, k, -1, -1);
        for (int l = 0; l < K; l++)
            two[k][l] = along(&x->at, e, 3, k, l, -1);
    }
    for (int k = 0; k < K; k++)
        for (int l = 0; l < K; l++)
            for (int m = 0; m < K; m++)
                ggg[(k * K + l) * K + m] = x->weight / 6 *
                                           (along(&x->at, e, 3, k, l, m) - two[k][l] - two[k][m] -
                                            two[l][m] + one[k] + one[l] + one[m]);
}

olo_status olo_beam_energy_create(olo_builder *builder, const char *text, olo_curve **energy)
{
    olo_status status = olo_build_function(builder, "energy", VARIABLES, names, text, energy);
    return status == OLO_OK ? olo_build_own(builder, *energy, olo_curve_free) : status;
}

olo_status olo_beam_energy_check(olo_builder *builder, const olo_curve *energy, double station)
{
    static const double none[K] = {0};
    const energy_at at = {energy, station, 0, K - 1};
    for (int k = 0; k < K; k++) {
        const double stress = along(&at, none, 1, k, -1, -1),
                     stiffness = along(&at, none, 2, k, -1, -1);
        if (!isfinite(stress) || !isfinite(stiffness))
            return olo_builder_fail(
                builder, "energy",
                "the stress or its derivative along %s is not finite without strain at s = %g",
                names[k], station);
        if (!(stiffness > 0))
            return olo_builder_fail(builder, "energy",
                                    "has no stiffness along %s without strain at s = %g", names[k],
                                    station);
    }
    return OLO_OK;
}

/* The mixed derivatives must vanish for some strains that are large, as far as W is finite there.
 */
bool olo_beam_energy_is_separable(const olo_curve *energy, double station)
{
    const double rounding = 1e-9;
    const energy_at at = {energy, station, 0, K - 1};
    for (int trial = 0; trial < 4; trial++) {
        double e[K], H[K * K];
        for (int k = 0; k < K; k++)
            e[k] = 0.3 * sin(1.0 + 1.7 * k + 2.9 * trial);
        second(&at, 1.0, e, H);
        for (int i = 0; i < 3; i++)
            for (int j = 3; j < K; j++)
                if (fabs(H[K * i + j]) > rounding * (fabs(H[7 * i]) + fabs(H[7 * j])))
                    return false;
    }
    return true;
}

void olo_beam_energy_stiffness(const olo_curve *energy, double station, double stiffness[36])
{
    static const double none[K] = {0};
    second(&(energy_at){energy, station, 0, K - 1}, 1.0, none, stiffness);
}

const olo_general_law *olo_beam_energy_law(olo_builder *builder, const olo_curve *energy,
                                           double station, int first, int last, double weight)
{
    weighted *x = olo_pool_alloc(&olo_build_system(builder)->pool, 1, sizeof *x);
    if (!x)
        return NULL;
    *x = (weighted){.law = {.context = x,
                            .value = value,
                            .gradient = gradient,
                            .hessian = hessian,
                            .third = third},
                    .at = {energy, station, first, last},
                    .weight = weight};
    /* of two terms that share one energy, one has its value without strain */
    const double none[VARIABLES] = {[K] = station};
    x->base = last < K - 1 ? olo_curve_value(energy, none) : 0.0;
    return &x->law;
}
