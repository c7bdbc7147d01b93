/* Joints as motions: how a child node moves over a step when its parent and its joint do.
 *
 * A step is described by increments: displacement and Cayley vector of every node, and the joint's own
 * increment u. A joint type is a constant table in a file of its own, registered by name in joint.c; it gives
 *
 *     move       the nodal update: child's motion from the parent's motion and u    (thesis, F_q(u))
 *     blocks     the right pair A, B at q1:          dt_c = A dt_p + B du
 *                the left pair A^, B^ between q0 and q1: the discrete null space     (thesis, P(q0,q1))
 *                and the variations of the left pair against the wrench W that hangs on the joint,
 *                d(A^T) W = Ep dt_p + Ec dt_c,   d(B^T) W = kp dt_p + kc dt_c + ku du.
 */
#ifndef OLO_KINEMATICS_JOINT_H
#define OLO_KINEMATICS_JOINT_H

#include "linalg/elimination.h"
#include "system/system.h"

/* What a joint sees of a step: the coordinates of child and parent at q0, the midpoint and q1, and the
 * parent's motion. Parent pointers are NULL for ground. */
typedef struct olo_joint_view {
    const olo_joint *joint;
    const olo_node *child_node, *parent_node;
    const double *child0, *child_m, *child1;
    const double *parent0, *parent_m, *parent1;
    const double *parent_motion;
    double *constants; /* OLO_JOINT_CONSTANTS numbers that stay during a step */
} olo_joint_view;

enum { OLO_JOINT_CONSTANTS = 12 };

typedef struct olo_joint_type {
    const char *name;
    int (*dof)(const olo_joint *joint, const olo_system *system);
    /* At the start of a step, from q0: constants. */
    void (*begin)(const olo_joint_view *x, const olo_system *system);
    /* motion of the child [twist]: displacement, and Cayley vector of a frame. */
    void (*move)(const olo_joint_view *x, const double *u, double *motion);
    /* u += du, where du is what B multiplies. */
    void (*update)(const olo_joint_view *x, double *u, const double *du);
    /* u that comes closest to a given motion of the child (predictor). */
    void (*predict)(const olo_joint_view *x, const double *motion, double *u);
    /* Size of the joint's own Cayley vector, which grows without bound towards a half turn, where the left pair loses its
     * rank; NULL: the motion of the child tells. */
    double (*turn)(const olo_joint_view *x, const double *u);
    /* u whose left pair belongs to the midpoint in the view, also where it violates the constraints; NULL: the
     * left pair does not depend on u. */
    void (*read)(const olo_joint_view *x, double *u);
    void (*blocks)(const olo_joint_view *x, const double *u, const double *W, olo_joint_blocks *b);
} olo_joint_type;

extern const olo_joint_type olo_joint_grounded, olo_joint_rod;

/* By name, NULL if there is none. */
const olo_joint_type *olo_joint_type_find(const char *name);

#endif
