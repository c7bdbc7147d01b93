/* The stored energy per length of a beam as an expression of its six strains and its arc length. */
#ifndef OLO_ELEMENTS_BEAM_ENERGY_H
#define OLO_ELEMENTS_BEAM_ENERGY_H

#include "elements/build.h"

/* Compiles the expression of g1, g2, g3, k1, k2, k3, s and the parameters; owned by the system. */
olo_status olo_beam_energy_create(olo_builder *builder, const char *text, olo_curve **energy);

/* Fails if stress or stiffness at the arc length `station` is not finite, or the stiffness of a
 * strain not positive, without strain. */
olo_status olo_beam_energy_check(olo_builder *builder, const olo_curve *energy, double station);

/* True if it is the sum of an energy of shear and elongation and one of curvatures and torsion. */
bool olo_beam_energy_is_separable(const olo_curve *energy, double station);

/* The second derivatives without strain, 6x6. */
void olo_beam_energy_stiffness(const olo_curve *energy, double station, double stiffness[36]);

/* Context of olo_law_general for a quadrature point, in the system's pool; NULL: no memory. The
 * strains before `first` and after `last` are zero; an energy of shear and elongation alone is
 * counted from its value without strain. */
const olo_general_law *olo_beam_energy_law(olo_builder *builder, const olo_curve *energy,
                                           double station, int first, int last, double weight);

#endif
