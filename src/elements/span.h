/* What springs and dampers share: two places and the quadratic form of their distance. */
#ifndef OLO_ELEMENTS_SPAN_H
#define OLO_ELEMENTS_SPAN_H

#include "elements/drawing.h"

/* x2 - x1 as a position, and its initial length. `look` says how it is drawn: name, role,
 * primitive. */
olo_status olo_build_span(olo_builder *builder, const olo_drawable *look,
                          const olo_point_on_body between[2], olo_position *span, double *length);

/* A viscous damper along the line ("distance") or isotropic ("linear"). */
olo_status olo_build_damper(olo_builder *builder, const char *name, const char *type,
                            const olo_position *span, double damping);

#endif
