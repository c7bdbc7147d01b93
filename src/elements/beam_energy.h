/* The stored energy per length of a beam as an expression of its six strains. */
#ifndef OLO_ELEMENTS_BEAM_ENERGY_H
#define OLO_ELEMENTS_BEAM_ENERGY_H

#include "elements/build.h"

/* Compiles the expression of g1, g2, g3, k1, k2, k3 and the parameters; owned by the system. */
olo_status olo_beam_energy_create(olo_builder *builder, const char *text, olo_curve **energy);

/* The second derivatives at zero strain, 6x6. */
void olo_beam_energy_stiffness(const olo_curve *energy, double stiffness[36]);

/* Context of olo_law_general for a quadrature point, in the system's pool; NULL: no memory. */
const olo_general_law *olo_beam_energy_law(olo_builder *builder, const olo_curve *energy,
                                           double weight);

#endif
