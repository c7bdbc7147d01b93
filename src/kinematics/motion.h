/* The motion of a step along the spanning forest of a topology. Newton's method iterates the
 * motions of all nodes as independent unknowns (a lifted iteration, so that long chains converge).
 * The gap of a joint is the difference between the motion of the child and the nearest one that the
 * joint allows. After the iteration the motions are computed from the joint increments. dq, the
 * midpoint qm and q1 are computed from the motions, never by subtracting states.
 */
#ifndef OLO_KINEMATICS_MOTION_H
#define OLO_KINEMATICS_MOTION_H

#include "kinematics/topology.h"

/* The numbers of a step. q0 belongs to the state; all others are a workspace. */
typedef struct olo_motion {
    const double *q0;
    double *dq, *qm, *q1; /* [n] */
    const double *left;   /* [n] configuration of the left pair: q0, or qm if NULL */
    double *motion;       /* [twists] */
    double *u;            /* [unknowns] */
    double *constants;    /* [OLO_JOINT_CONSTANTS nodes] of the joints, computed from q0 */
} olo_motion;

/* The number of doubles of a motion; and a zero motion from q0 in this workspace, which must be
 * zero. */
size_t olo_motion_numbers(const olo_topology *topology);
olo_motion olo_motion_over(const olo_topology *topology, const double *q0, double *numbers);

/* The configuration at which the left pair is evaluated. */
static inline const double *olo_motion_left(const olo_motion *x)
{
    return x->left ? x->left : x->qm;
}

/* Computes the joint constants of a step that starts at x->q0. */
void olo_motion_begin(const olo_topology *topology, const olo_motion *x);
/* Sets the motion of all nodes without closing the joints; u does not change. */
void olo_motion_set(const olo_topology *topology, olo_motion *x, const double *motion);
/* The u that is closest to a given motion of all nodes times `scale`, and the motion of this u. It
 * serves as a predictor from the last step, or with x->motion itself to close all joints at the end
 * of an iteration. */
void olo_motion_predict(const olo_topology *topology, olo_motion *x, const double *motion,
                        double scale);
/* Computes motion, dq, qm and q1 from u. */
void olo_motion_move(const olo_topology *topology, olo_motion *x);
/* Adds a twist at q1 to the motion of node c and moves the node. */
void olo_motion_update(const olo_topology *topology, int c, olo_motion *x, const double *twist);
/* Corrects the effects of rounding on a configuration: directors that are not orthonormal, joints
 * that are open by rounding errors. The corrections are added to `remainder`, the part of q that is
 * below double precision. */
void olo_motion_settle(const olo_topology *topology, const olo_motion *x, double *q,
                       double *remainder);
/* The data of the step that the joint of node c reads. */
olo_joint_view olo_motion_view(const olo_topology *topology, int c, const olo_motion *x);

#endif
