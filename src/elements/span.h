/* For springs, dampers and rods: the vector between two points, and its initial length. */
#ifndef OLO_ELEMENTS_SPAN_H
#define OLO_ELEMENTS_SPAN_H

#include "elements/drawing.h"

/* Finds x2 - x1 as a position, and its initial length. `style` has the name, role and primitive
 * with which it is drawn. */
olo_status olo_build_span(olo_builder *builder, const olo_drawable *style,
                          const olo_point_on_body between[2], olo_position *span, double *length);

/* Adds a viscous damper along the line ("distance") or isotropic ("linear"). */
olo_status olo_build_damper(olo_builder *builder, const char *name, const char *type,
                            const olo_position *span, double damping);

#endif
