/* The initial velocity that a joint implies for a body without a given velocity. */
#ifndef OLO_SYSTEM_IMPLIED_VELOCITY_H
#define OLO_SYSTEM_IMPLIED_VELOCITY_H

#include <stdbool.h>

typedef struct olo_system olo_system;

/* The point of the body moves relative to the base with velocity `sliding`, and the body rotates
 * relative to it with `omega`. The child is the node whose velocity is computed, either the base or
 * the body; the other one is its parent. */
typedef struct olo_implied_velocity {
    int base, body;              /* nodes; the base may be the ground, -1 */
    int child;                   /* the base or the body */
    double point[3];             /* in the body's frame */
    double omega[3], sliding[3]; /* in the frame of the base, in space for the ground */
    bool angular, linear;        /* which velocities of the child are implied */
} olo_implied_velocity;

/* Writes the velocity of the child into v[n] at the configuration q[n], from that of the parent. */
void olo_imply_velocity(const olo_system *system, const olo_implied_velocity *x, const double *q,
                        double *v);

#endif
