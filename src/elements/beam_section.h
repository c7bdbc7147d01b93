/* Stiffness and inertia of a beam's cross-section. */
#ifndef OLO_ELEMENTS_BEAM_SECTION_H
#define OLO_ELEMENTS_BEAM_SECTION_H

#include "elements/builder.h"

typedef struct olo_section_numbers {
    double stiffness[36]; /* row-major, of Gamma1, Gamma2, Gamma3, K1, K2, K3 */
    bool coupled;         /* not diagonal */
    double inertia[9]; /* of the rates of phi, d1, d2: mass per length, first and second moments */
} olo_section_numbers;

/* From numbers or from shape and material; fails with the key that is wrong. */
olo_status olo_section_measure(olo_builder *builder, const olo_beam *beam,
                               olo_section_numbers *section);

#endif
