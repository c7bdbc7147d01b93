/* The exact solution of a model, if it is known: vectors in space
 *
 *     x_k(q) = x0 + sum weight q[slot]     with a given motion x_k(t).
 *
 * Studies of convergence use it; steps do not read it.
 */
#ifndef OLO_SYSTEM_EXACT_H
#define OLO_SYSTEM_EXACT_H

#include "system/position.h"

struct olo_system;

typedef struct olo_exact_vector {
    olo_position position; /* the vector: a point, or a director */
    const void *curve[3];
    /* Value and derivatives up to `order` of a component at time t. */
    void (*derivatives)(const void *curve, double t, int order, double *derivatives);
} olo_exact_vector;

/* The vector and its velocity at time t. */
void olo_exact_vector_at(const olo_exact_vector *vector, double t, double x[3], double v[3]);

#endif
