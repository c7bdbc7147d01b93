/* The motion of a step on the spanning forest of a topology. Newton iterates the motion of every
 * node by itself (lifted, so that long chains converge); the gap of a joint is how far the child's
 * motion is from one that the joint allows, and in the end the motions are rebuilt from the joint
 * increments. dq, the midpoint qm and q1 come from the motions, never from subtracting states.
 */
#ifndef OLO_KINEMATICS_MOTION_H
#define OLO_KINEMATICS_MOTION_H

#include "kinematics/topology.h"

/* The numbers of a step. q0 belongs to the state; the rest is a workspace. */
typedef struct olo_motion {
    const double *q0;
    double *dq, *qm, *q1; /* [n] */
    const double *left;   /* [n] where the left pair is taken: qm if NULL, or q0 */
    double *motion;       /* [twists] */
    double *u;            /* [unknowns] */
    double *constants; /* [OLO_JOINT_CONSTANTS nodes] of the joints, from the start of the step */
} olo_motion;

/* How many numbers a motion needs, and a motion at rest from q0 over that many, which are zero. */
size_t olo_motion_numbers(const olo_topology *topology);
olo_motion olo_motion_over(const olo_topology *topology, const double *q0, double *numbers);

/* Where the left pair is taken. */
static inline const double *olo_motion_left(const olo_motion *x)
{
    return x->left ? x->left : x->qm;
}

/* Joint constants of a step that starts at x->q0. */
void olo_motion_begin(const olo_topology *topology, const olo_motion *x);
/* A given motion of all nodes as it is, with joints as open as that makes them; u is left alone. */
void olo_motion_set(const olo_topology *topology, olo_motion *x, const double *motion);
/* u closest to a given motion of all nodes times `scale`, and the motion of that u: a prediction
 * from the last step, or with x->motion itself the rebuilt end of an iteration. */
void olo_motion_predict(const olo_topology *topology, olo_motion *x, const double *motion,
                        double scale);
/* motion, dq, qm and q1 from u. */
void olo_motion_move(const olo_topology *topology, olo_motion *x);
/* Adds a twist at q1 to the motion of node c and moves the node. */
void olo_motion_update(const olo_topology *topology, int c, olo_motion *x, const double *twist);
/* Takes back what rounding has done to a configuration: directors that are not orthonormal,
 * joints that are open by an ulp. Changes of that size go to `rest`, the part of q that doubles
 * do not hold. */
void olo_motion_settle(const olo_topology *topology, const olo_motion *x, double *q,
                       double *remainder);
/* What joint c sees. */
olo_joint_view olo_motion_view(const olo_topology *topology, int c, const olo_motion *x);

#endif
