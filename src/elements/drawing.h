/* How elements add their pictures to the system under construction. Roles and primitives are in
 * system/scene.h. */
#ifndef OLO_ELEMENTS_DRAWING_H
#define OLO_ELEMENTS_DRAWING_H

#include "elements/build.h"
#include "elements/shape.h"
#include "system/scene.h"

/* Anything. The system keeps the name; role and primitive are constants of the program. */
olo_status olo_draw(olo_builder *builder, const olo_drawable *drawable);

/* A body: its shapes, or the ellipsoid that has its mass and inertia. */
olo_status olo_draw_body(olo_builder *builder, const olo_body *body, int node,
                         const olo_moments *moments);
/* A point mass. */
olo_status olo_draw_point(olo_builder *builder, const char *name, int node);
/* A mass that is added at a place of a node. */
olo_status olo_draw_mass(olo_builder *builder, const char *name, int node,
                         const olo_position *place);
/* What is spanned between two places, each of a node (-1: space): name, role and primitive are
 * given. */
olo_status olo_draw_link(olo_builder *builder, const olo_drawable *look, const int node[2],
                         const olo_position place[2]);
/* The way of a place of a node. */
olo_status olo_draw_trace(olo_builder *builder, const char *name, int node,
                          const olo_position *place);

/* When all elements are there: joints and supports, struts from a body to joints that are not on
 * it, a trace if nobody asked for one; and the sizes of symbols. */
olo_status olo_draw_rest(olo_builder *builder);

#endif
