/* Quantities of a configuration, for conditions and costs: scalars m(q) with gradient and Hessian
 * over a few coordinates.
 *
 *     linear        c + sum w_i q_i: the position of an output along a direction, a component of
 * the rotation from a given orientation coordinate    a joint coordinate
 *
 * Names are those of the goals of derivatives (stepping/objective.c). */
#ifndef OLO_CONTROL_QUANTITY_H
#define OLO_CONTROL_QUANTITY_H

#include "base/pool.h"
#include "oloid/status.h"
#include "system/system.h"

typedef struct olo_quantity {
    const char *name;
    int size;
    const int *index;     /* [size] coordinates */
    double constant;      /* linear: constant and ... */
    const double *weight; /* ... [size] weights, else NULL */
    const olo_term *term; /* joint coordinate, else NULL */
} olo_quantity;

/* The quantity with this name: "tip.position" along a direction, or a joint coordinate. Memory is
 * taken from the pool. Fails with the names that exist. */
olo_status olo_quantity_find(const olo_system *system, const char *name, const double direction[3],
                             olo_pool *pool, olo_quantity *quantity, olo_error *error);
/* Component k of 1/2 vee(R_t^T R - R^T R_t), the axis of the rotation of a body from the
 * orientation R_t times the sine of its angle: all three vanish at R = R_t. `target` is R_t,
 * row-major. */
olo_status olo_quantity_orientation(const olo_system *system, const char *body,
                                    const double target[9], int k, olo_pool *pool,
                                    olo_quantity *quantity, olo_error *error);

/* The value and, unless NULL, gradient[size]. `angles` as in an interval. */
double olo_quantity_value(const olo_quantity *quantity, const double *q, const double *angles,
                          double *gradient);
/* Whether there is a Hessian; hessian[size*size]. */
static inline bool olo_quantity_is_curved(const olo_quantity *quantity)
{
    return quantity->term != NULL;
}
void olo_quantity_hessian(const olo_quantity *quantity, const double *q, const double *angles,
                          double *hessian);

#endif
