/* Springs, dampers, stops, motors and controllers along the coordinates of joints: angles of
 * rotations about an axis, and translations. A force f along such a coordinate x appears in the row
 * of its degree of freedom alone,
 *
 *     B^^T W + R = 0,    R = h f dx/nu,
 *
 * where nu is the component of the motion along the column of B^: a discrete gradient does not
 * change under common rigid motions. R nu = h f dx is the work of the force, exactly. With the
 * Cayley vectors a_p, a_c of parent and child, P = 1 + 1/4 |a_p|^2, and f_1 = df/dx_1:
 *
 * Translation along M, which the parent carries: nu = P dx,
 *
 *     R = h f/P,    dR = r du + r_p.dw_p,    r = h f_1/P,    r_p = -1/2 R a_p.
 *
 * Rotation about an axis, n0 at the start, n_m at the midpoint and n1 at the end: the angle changes
 * by
 *
 *     dtheta = 2 atan(c/2),    c = n0.(a_c - a_p - 1/2 a_p x a_c)/(1 + 1/4 a_p.a_c),
 *
 * and a_c = a_p + nu n_m with nu = c P/(1 - 1/4 c alpha), alpha = a_p.n0. Hence with phi = dtheta/c
 * and psi = (1 - 1/4 c alpha)/P
 *
 *     R = h f phi psi,    dR = r n1.(dw_c - dw_p) + r_p.dw_p,
 *     r = h (f_1 phi psi + f (phi' psi - phi alpha/(4 P)) (1 + 1/4 c^2)),
 *     r_p = -h f phi (1/4 c n_m + 1/2 psi a_p). */
#ifndef OLO_STEPPING_JOINT_FORCES_H
#define OLO_STEPPING_JOINT_FORCES_H

#include "stepping/step.h"

/* A term or an action along a joint coordinate. */
typedef struct olo_joint_force {
    const olo_term *term; /* of a term, with its law in the coordinate, else NULL */
    const olo_law *law;
    const olo_action *action;
    int piece, coordinate;
    bool affine; /* f = constant + gradient dx in this step: */
    double constant, gradient;
} olo_joint_force;

/* A joint coordinate with forces, or in a relation that is a closure: its multiplier is a force
 * along the coordinate. */
typedef struct olo_forced_coordinate {
    int node;         /* the child in the forest */
    int axis;         /* of olo_joint_coordinate */
    int coordinate;   /* among the joint coordinates ... */
    double sense;     /* ... which changes by a motion of this child as here: 1 or -1 */
    int first, count; /* of the forces; */
    int affine;       /* those that are affine come first */
    double start;     /* its value at the start of the step */
} olo_forced_coordinate;

typedef struct olo_joint_forces {
    int count, force_count;
    olo_forced_coordinate *coordinates;
    olo_joint_force *forces;
} olo_joint_forces;

/* Finds all forces that are not constant, and the coordinates of all relations among the closures.
 * `fits` is false if one of them is not along a coordinate of a joint of the forest. */
olo_status olo_joint_forces_create(const olo_topology *topology, olo_joint_forces *forces,
                                   bool *fits, olo_error *error);
void olo_joint_forces_free(olo_joint_forces *forces);
/* Which of the coordinates the one of a share is. */
int olo_joint_forces_find(const olo_joint_forces *forces, const olo_share *share);

/* Begins the step `over` with the value of coordinate i at its start. The sum of the affine forces
 * is constant + gradient dx, positive where it opposes a growing coordinate. */
void olo_joint_forces_begin(olo_joint_forces *forces, int i, const olo_interval *over, double start,
                            double *constant, double *gradient);
/* The sum of the other forces along coordinate i for its change dx, and the derivative by dx. */
double olo_joint_forces_sum(const olo_joint_forces *forces, int i, const olo_step *step, double dx,
                            double *by_dx);
/* At the solution: the energy that each dissipative term loses and the work of each action go to
 * step->exchange. Returns the sum of all forces along coordinate i. */
double olo_joint_forces_finish(const olo_joint_forces *forces, int i, double dx, olo_step *step);

#endif
