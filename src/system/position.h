/* Positions: vectors in space that are affine in q,
 *
 *     x(q) = x0 + sum_k weight_k q[slot_k .. slot_k + 2].
 *
 * A point mass, a point on a body (phi + X_i d_i), a director and the difference of two points are
 * positions. The scalar product of two positions is a quadratic form.
 */
#ifndef OLO_SYSTEM_POSITION_H
#define OLO_SYSTEM_POSITION_H

#include <stdbool.h>

enum { OLO_POSITION_SLOTS_MAX = 16 };

typedef struct olo_position {
    double x0[3];
    int count;
    int slot[OLO_POSITION_SLOTS_MAX];      /* [count] first coordinate of each 3-vector */
    double weight[OLO_POSITION_SLOTS_MAX]; /* [count] */
} olo_position;

/* A fixed vector. */
olo_position olo_position_fixed(const double x[3]);
/* The 3-vector at q[slot]. */
olo_position olo_position_slot(int slot);
/* The point `at` of a frame that starts at q[frame]. */
olo_position olo_position_on_frame(int frame, const double at[3]);
/* The vector X_i d_i of a frame that starts at q[frame]. */
olo_position olo_position_along_frame(int frame, const double X[3]);
/* a += s b. Equal slots are merged, zero weights are removed. False if there are too many slots. */
bool olo_position_add(olo_position *a, double s, const olo_position *b);

/* x at a configuration, and the same without x0 for velocities and increments. */
void olo_position_value(const olo_position *p, const double *q, double x[3]);
void olo_position_linear(const olo_position *p, const double *v, double x[3]);

#endif
