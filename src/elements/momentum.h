/* Initial velocities from initial momenta. */
#ifndef OLO_ELEMENTS_MOMENTUM_H
#define OLO_ELEMENTS_MOMENTUM_H

#include "elements/build.h"

/* Whether a vector is given: one of its components is; the others are then zero. */
bool olo_vector_is_given(const double x[3]);

/* Replaces momentum and angular momentum of a body with these moments by velocity and angular
 * velocity. */
olo_status olo_body_set_velocities(olo_builder *builder, const olo_moments *moments,
                                   olo_body *body);

#endif
