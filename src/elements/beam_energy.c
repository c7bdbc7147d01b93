/* Hyperelastic beams: W(g1, g2, g3, k1, k2, k3), any smooth stored energy per length. The stress
 * over a step is the general discrete gradient with respect to the six strains, so that energy and
 * momenta are conserved as with a quadratic energy.
 */
#include "elements/beam_energy.h"

#include <math.h>

#include "elements/curve_law.h"
#include "system/strain.h"

enum { K = OLO_STRAINS };

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
        double stress = olo_curve_slope(*energy, none, k);
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
    olo_curve_hessian(energy, K, none, stiffness);
}

const olo_general_law *olo_beam_energy_law(olo_builder *builder, const olo_curve *energy,
                                           double weight)
{
    return olo_build_curve_law(builder, energy, K, weight);
}
