/* The initial velocity that a joint implies for a body that the user gave none. */
#ifndef OLO_SYSTEM_IMPLIED_VELOCITY_H
#define OLO_SYSTEM_IMPLIED_VELOCITY_H

#include <stdbool.h>

typedef struct olo_system olo_system;

/* The child's point moves against the parent with `sliding`, and the child turns with `omega` against it. */
typedef struct olo_implied_velocity {
    int parent, child;           /* nodes; -1: ground */
    double child_point[3];       /* in the child's frame */
    double omega[3], sliding[3]; /* in the parent's frame, in space for ground */
    bool angular, linear;        /* which velocity of the child is implied */
} olo_implied_velocity;

/* Writes it into the velocities v[n] at the configuration q[n], from those of the parent. */
void olo_imply_velocity(const olo_system *system, const olo_implied_velocity *x, const double *q,
                        double *v);

#endif
