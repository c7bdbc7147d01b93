/* Functions with which elements add drawables to the system under construction. Roles and
 * primitives are in system/scene.h. */
#ifndef OLO_ELEMENTS_DRAWING_H
#define OLO_ELEMENTS_DRAWING_H

#include "elements/build.h"
#include "elements/shape.h"
#include "system/scene.h"

/* Adds any drawable. The system copies the name; role and primitive are constants of the program.
 */
olo_status olo_draw(olo_builder *builder, const olo_drawable *drawable);

/* A body: its shapes, or the ellipsoid that has its mass and inertia. */
olo_status olo_draw_body(olo_builder *builder, const olo_body *body, int node,
                         const olo_moments *moments);
/* A point mass. */
olo_status olo_draw_point(olo_builder *builder, const char *name, int node);
/* An additional mass at a point on a node. */
olo_status olo_draw_mass(olo_builder *builder, const char *name, int node,
                         const olo_position *point);
/* A link between two points, each on a node (-1: space), with the name, role and primitive of
 * `style`. */
olo_status olo_draw_link(olo_builder *builder, const olo_drawable *style, const int node[2],
                         const olo_position point[2]);
/* The path of a point on a node. */
olo_status olo_draw_trace(olo_builder *builder, const char *name, int node,
                          const olo_position *point);

#endif
