/* Surfaces of the primitives of a scene (docs/result-format.md) as meshes of polygons. */
#ifndef OLO_RESULTS_SURFACE_H
#define OLO_RESULTS_SURFACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Initialise with `{0}`. The corners of face i are corner[offset[i-1]] to corner[offset[i] - 1],
 * counter-clockwise seen from outside. */
typedef struct olo_surface {
    double *point; /* three numbers each */
    size_t points, point_capacity;
    int32_t *corner;
    size_t corners, corner_capacity;
    int32_t *offset;
    size_t faces, face_capacity;
    bool failed; /* memory was exhausted */
} olo_surface;

/* Adds a primitive of this size at position and rotation (row-major); false, and nothing is added,
 * when it has no surface. */
bool olo_surface_add(olo_surface *surface, const char *primitive, const double *size,
                     const double position[3], const double rotation[9]);
void olo_surface_free(olo_surface *surface);

#endif
