/* The exact solution of a model, where it is known: vectors of space x_k(q) = x0 + sum weight
 * q[slot] with their motion x_k(t). It serves studies of convergence; nothing that steps reads it.
 */
#ifndef OLO_SYSTEM_EXACT_H
#define OLO_SYSTEM_EXACT_H

#include <stdbool.h>

#include "system/position.h"

struct olo_system;

typedef struct olo_exact_vector {
    olo_position position; /* which vector: a place, or a director */
    const void *curve[3];
    /* Value and derivatives up to `order` of a component at time t. */
    void (*derivatives)(const void *curve, double t, int order, double *derivatives);
} olo_exact_vector;

/* The vector and its velocity at time t. */
void olo_exact_vector_at(const olo_exact_vector *vector, double t, double x[3], double v[3]);

#endif
