/* Springs, dampers, stops, motors and controllers along the angles of hinges. A force f along the
 * angle theta of a hinge appears in the row of that hinge alone. With the Cayley vectors a_p, a_c
 * of its bodies and the axis n0 at the start, the angle changes by
 *
 *     dtheta = 2 atan(c/2),    c = n0.(a_c - a_p - 1/2 a_p x a_c)/(1 + 1/4 a_p.a_c),
 *
 * and a_c = a_p + nu n_m with nu = c P/(1 - 1/4 c alpha), P = 1 + 1/4 |a_p|^2, alpha = a_p.n0. The
 * discrete gradient of theta does not change under common rigid motions, so that its component in
 * the row is dtheta/nu, and the row is
 *
 *     B^^T W + R = 0,    R = h f phi psi,    phi = dtheta/c,    psi = (1 - 1/4 c alpha)/P.
 *
 * R nu = h f dtheta is the work of the force, exactly. Variations: with the axes n1 at the end and
 * n_m at the midpoint,
 *
 *     dR = r n1.(dw_c - dw_p) + r_p.dw_p,
 *     r = h (f_1 phi psi + f (phi' psi - phi alpha/(4 P)) (1 + 1/4 c^2)),
 *     r_p = -h f phi (1/4 c n_m + 1/2 psi a_p),        f_1 = df/dtheta_1. */
#ifndef OLO_STEPPING_JOINT_FORCES_H
#define OLO_STEPPING_JOINT_FORCES_H

#include "stepping/step.h"

/* A term or an action along the angle of a hinge. */
typedef struct olo_joint_force {
    const olo_term *term; /* of a term, else NULL */
    const olo_action *action;
    int piece, hinge;
    double steady; /* the force of a steady action in this step */
} olo_joint_force;

/* The forces of one hinge. Its angle is atan2(sign C1.M2, C1.M1), with C1 fixed in the child and
 * M1, M2 in the parent of the joint; in the forest these may be exchanged. */
typedef struct olo_forced_joint {
    int node;       /* the child in the forest */
    int coordinate; /* the angle, among the joint coordinates ... */
    double turn;    /* ... which changes by a rotation of this child as here: 1 or -1 */
    const olo_articulation *joint; /* with C1, M1 and M2 */
    double sign;                   /* of the angle in the joint itself */
    int first, count;              /* of the forces */
    double e0[2], start;           /* C1.M1, sign C1.M2 and the angle at the start of the step */
} olo_forced_joint;

typedef struct olo_joint_forces {
    int hinge_count, force_count;
    olo_forced_joint *hinges;
    olo_joint_force *forces;
    int *of_node; /* [nodes] hinge of the child, or -1 */
} olo_joint_forces;

/* Finds all forces that are not constant. `fits` is false if one of them does not act along the
 * angle of a joint of the forest. */
olo_status olo_joint_forces_create(const olo_topology *topology, olo_joint_forces *forces,
                                   bool *fits, olo_error *error);
void olo_joint_forces_free(olo_joint_forces *forces);

/* The angles at the start of the step. */
void olo_joint_forces_begin(olo_joint_forces *forces, const olo_step *step);
/* f of hinge i, positive where it opposes a growing angle of the rotation of the child, which
 * changes by dtheta, and f_1. */
double olo_joint_forces_sum(const olo_joint_forces *forces, int i, const olo_step *step,
                            double dtheta, double *f_1);
/* At the solution: the energy that each dissipative term loses and the work of each action go to
 * step->exchange; the moment h f d of the forces of a hinge on its child is added to the joint
 * wrenches. */
void olo_joint_forces_finish(const olo_joint_forces *forces, olo_step *step, double *wrench);

#endif
