/* Homogeneous solids: mass, centre and Euler tensor. */
#ifndef OLO_ELEMENTS_SHAPE_H
#define OLO_ELEMENTS_SHAPE_H

#include "oloid/elements.h"

/* Moments of a mass distribution about the origin of the body's frame. */
typedef struct olo_moments {
    double mass;
    double first[3];  /* integral of x dm */
    double second[9]; /* integral of x x^T dm, the Euler tensor */
} olo_moments;

/* Adds the moments of a shape. Returns NULL, or on failure the name of the wrong field, with the
 * reason in `why`. */
const char *olo_shape_add_moments(const olo_shape *shape, olo_moments *moments, const char **why);

/* Adds a mass with its centre and its Euler tensor about the centre, along the same axes. */
void olo_moments_add(olo_moments *moments, double mass, const double center[3],
                     const double euler[9]);

#endif
