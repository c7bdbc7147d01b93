/* Articulations: the kinematic description of a constraint group. A child node moves relative to a
 * parent node, or to the ground, as its joint type allows.
 *
 * A step is described by increments: displacement and Cayley vector of every node (its motion), and
 * the joint increment u. A joint type is a constant table of functions in its own file
 * (elements/joint_*.c):
 *
 *     predict    the u that is closest to given motions of parent and child
 *     move       the nodal update: the motion of the child from the motion of the parent and u
 *                (thesis, F_q(u))
 *     blocks     the right pair A, B at q1:               dt_c = A dt_p + B du
 *                the left pair A^, B^ between q0 and q1:  the discrete null space
 *                (thesis, P(q0, q1)), or at q0 if the scheme evaluates it there
 *                the variation of the left pair contracted with the joint wrench W:
 *                    d(A^T) W = Ep dt_p + Ec dt_c,   d(B^T) W = kp dt_p + kc dt_c + ku du
 *                the gap: the twist that takes the child to the nearest position that the joint
 *                allows
 *     right      the right pair of velocities at q1 alone
 *     left_rate  the rate of the left pair along velocities, contracted with a wrench
 */
#ifndef OLO_SYSTEM_JOINT_H
#define OLO_SYSTEM_JOINT_H

#include <stdbool.h>

#include "linalg/elimination.h"

typedef struct olo_system olo_system;
typedef struct olo_node olo_node;
typedef struct olo_joint_type olo_joint_type;
typedef struct olo_rolling olo_rolling;
typedef struct olo_joint_chart olo_joint_chart; /* system/joint_chart.h */
typedef struct olo_chart_view olo_chart_view;
typedef struct olo_screw olo_screw;
typedef struct olo_end_velocities olo_end_velocities; /* system/rate_interval.h */

/* The geometry of a joint is plain data. Axes are rows of a right-handed orthonormal triad m1, m2,
 * n that is fixed in the parent (in space for the ground) and, if the joint constrains rotations,
 * in the child. */
typedef struct olo_articulation {
    const olo_joint_type *type;
    int group; /* its constraint group, or -1 */
    int parent, child;
    bool reversible;        /* parent and child may be exchanged */
    bool reversed;          /* they are exchanged: the translation axes are fixed in the child */
    double parent_point[3]; /* in the parent's frame, in space for the ground */
    double child_point[3];  /* in the child's frame */
    double parent_axes[9], child_axes[9];
    unsigned translations;      /* bit k: the joint point moves along axis k */
    int rotations;              /* 0 none, 1 about n, 3 all */
    double length;              /* of a rod; radius of a rolling disc or ball */
    const olo_rolling *rolling; /* of a rolling joint, else NULL */
} olo_articulation;

enum { OLO_JOINT_CONSTANTS = 12 };

/* How the child of a joint rotates relative to its parent. */
typedef enum olo_joint_rotation {
    OLO_ROTATION_NONE,
    OLO_ROTATION_AXIS,  /* about an axis that is fixed in both */
    OLO_ROTATION_CROSS, /* about an axis fixed in the parent and a perpendicular one in the child */
    OLO_ROTATION_ALL
} olo_joint_rotation;

/* The relative motions of a joint: a rotation about a point of the child, and translations of this
 * point along axes that are fixed in the parent. Without translations the point is fixed in the
 * parent, too. If parent and child are exchanged, the child rotates about the point of the parent
 * and translates along its own axes. Axes that do not exist are zero. */
typedef struct olo_joint_motions {
    olo_joint_rotation rotation;
    unsigned translations;                  /* bit k: along axis k */
    double parent_point[3], parent_axis[3]; /* in the parent's frame, in space for the ground */
    double child_point[3], axis[3];         /* in the child's frame */
    double parent_axes[9], child_axes[9];   /* triads of a pair, as these: translations are along
                                               axes of the parent, of the child if ... */
    bool reversed;                          /* ... parent and child are exchanged */
} olo_joint_motions;

/* The data of a step that a joint reads: coordinates of child and parent at q0, the midpoint and
 * q1, and their motions. The parent of a grounded joint is a fixed frame, with parent_node NULL. */
typedef struct olo_joint_view {
    const olo_articulation *joint;
    const olo_node *child_node, *parent_node;
    const double *child0, *child_m, *child1;
    const double *parent0, *parent_m, *parent1;
    const double *child_left, *parent_left; /* coordinates for the left pair: midpoint, or q0 */
    const double *child_motion, *parent_motion;
    double *constants; /* numbers that do not change during a step */
} olo_joint_view;

/* Velocities of the coordinates of child and parent; those of the ground are zero. */
typedef struct olo_joint_rates {
    const double *child, *parent;
} olo_joint_rates;

struct olo_joint_type {
    const char *name;
    bool spatial; /* A = [I (phi_p - phi_c)^; 0 I] and its variation, see
                     linalg/elimination_sweep.c */
    int (*dof)(const olo_articulation *joint, const olo_system *system);
    /* Computes the constants of a step from q0. May be NULL. */
    void (*begin)(const olo_joint_view *x, const olo_system *system);
    void (*predict)(const olo_joint_view *x, const double *motion, double *u);
    void (*move)(const olo_joint_view *x, const double *u, double *motion);
    /* Norm of the Cayley vector of the joint rotation. It is infinite at half a turn, where the
     * left pair loses its rank. NULL: the motion of the child is sufficient. */
    double (*turn)(const olo_joint_view *x);
    /* gap[twist of the child] unless NULL */
    void (*blocks)(const olo_joint_view *x, const double *W, olo_joint_blocks *b, double *gap);
    /* The pair of velocities at q1, dt_c = A dt_p + B nu: A and B. It is the right pair of a step,
     * except for joints that constrain velocities. */
    void (*right)(const olo_joint_view *x, const olo_joint_blocks *b);
    /* The rate of the left pair at the midpoint when its nodes move with given velocities of their
     * coordinates, contracted with a wrench W of the child: dA^T W, added to parent[twist of the
     * parent] if there is a parent node, and own[dof] = dB^T W. NULL: the joint constrains
     * velocities, and its left pair is not that of constraints of positions. */
    void (*left_rate)(const olo_joint_view *x, const olo_joint_rates *v, const double *W,
                      double *parent, double *own);
    /* In place of it, for a joint with the ground that constrains velocities, with the impulses
     * h gamma of its rows whose wrench P_int^T h sum gamma d is W: adds P_int^T h sum gamma a +
     * (dP_int[v_m])^T h sum gamma d to load[twist of the child] (rate_interval.h), with velocities
     * of the child's coordinates at both ends. */
    void (*impulse_load)(const olo_joint_view *x, const olo_end_velocities *v, const double *W,
                         double *load);
    /* The gap alone. */
    void (*gap)(const olo_joint_view *x, double *gap);
    /* Shift and small rotation of the child that close the joint at given coordinates of parent and
     * child, where rounding has opened it. May be NULL. */
    void (*close)(const olo_joint_view *x, const double *parent, const double *child,
                  double shift[3], double turn[3]);
    /* The relative motions of a joint between two frames. False: it has others. NULL: always. */
    bool (*motions)(const olo_articulation *joint, olo_joint_motions *motions);
    /* Exchanges parent and child. May be NULL if no articulation of the type is reversible. */
    void (*reverse)(olo_articulation *joint);
    /* The joint at a configuration, without a step: see system/joint_chart.h. */
    const olo_joint_chart *chart; /* NULL: the joint constrains velocities and has no chart */
    void (*screws)(const olo_chart_view *x, olo_screw *screws); /* one per degree of freedom */
    bool screws_at_reference; /* they depend on the reference of the view */
};

#endif
