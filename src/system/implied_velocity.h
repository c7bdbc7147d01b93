/* The initial velocity that a joint implies for a body that the user gave none. */
#ifndef OLO_SYSTEM_IMPLIED_VELOCITY_H
#define OLO_SYSTEM_IMPLIED_VELOCITY_H

#include <stdbool.h>

typedef struct olo_system olo_system;

/* The body's point moves against the base with `sliding`, and the body turns with `omega` against
 * it. Either of the two may be the one that is settled: the child; the other is its parent. */
typedef struct olo_implied_velocity {
    int base, body;              /* nodes; the base may be the ground, -1 */
    int child;                   /* the base or the body */
    double point[3];             /* in the body's frame */
    double omega[3], sliding[3]; /* in the frame of the base, in space for the ground */
    bool angular, linear;        /* which velocity of the child is implied */
} olo_implied_velocity;

/* Writes it into the velocities v[n] at the configuration q[n], from those of the parent. */
void olo_imply_velocity(const olo_system *system, const olo_implied_velocity *x, const double *q,
                        double *v);

#endif
