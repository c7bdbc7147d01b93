/* The spanning forest of a system: every node hangs on one joint (or is free), parents first; constraint
 * groups that no joint of the forest carries are closures.
 *
 * And the motion of a step on it: from the joint increments u follow the motions of all nodes, and from these
 * dq, the midpoint qm and q1, never by subtracting states.
 */
#ifndef OLO_KINEMATICS_TREE_H
#define OLO_KINEMATICS_TREE_H

#include "kinematics/joint.h"
#include "system/system.h"

typedef struct olo_tree_node {
    const olo_joint_type *type; /* NULL: free in space, u is the node's motion itself */
    olo_joint joint;            /* oriented: child is this node */
    int parent;                 /* node, or -1 for ground */
    int dof;
    int u; /* first entry among all joint increments */
    double constants[OLO_JOINT_CONSTANTS];
} olo_tree_node;

typedef struct olo_tree {
    const olo_system *system;
    olo_tree_node *nodes; /* one a node of the system */
    int *order;           /* parents before children */
    int unknowns;         /* sum of all dof */
    int closure_count;    /* closure rows */
    int *closures;        /* [closure_count] constraint rows */
} olo_tree;

olo_status olo_tree_create(const olo_system *system, olo_tree **tree, olo_error *error);
void olo_tree_free(olo_tree *tree);

/* The numbers of a step. q0 belongs to the state; the rest is a workspace. */
typedef struct olo_motion {
    const double *q0;
    double *dq, *qm, *q1; /* [n] */
    double *motion;       /* [twists] */
    double *u;            /* [unknowns] */
} olo_motion;

/* Joint constants of a step that starts at x->q0. */
void olo_tree_begin(olo_tree *tree, const olo_motion *x);
/* u closest to a given motion of all nodes (the last step's, scaled), then the motion of that u. */
void olo_tree_predict(olo_tree *tree, olo_motion *x, const double *motion, double scale);
/* motion, dq, qm and q1 from u. */
void olo_tree_move(olo_tree *tree, olo_motion *x);
/* What joint c sees. */
olo_joint_view olo_tree_view(olo_tree *tree, int c, const olo_motion *x);

/* dq, qm, q1 of one node from its motion. */
void olo_node_move(const olo_node *node, const double *motion, const double *q0, double *dq,
                   double *qm, double *q1);
/* Cayley vector of a frame from its increment. */
void olo_node_cayley(const double *qm, const double *dq, double a[3]);

#endif
