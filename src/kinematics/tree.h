/* The spanning forest of a system: every node hangs on one joint (or is free), parents first; constraint
 * groups that no joint of the forest carries are closures.
 *
 * And the motion of a step on it. Newton iterates the motion of every node by itself (lifted, so that long
 * chains converge); the gap of a joint is how far the child's motion is from one that the joint allows, and in
 * the end the motions are rebuilt from the joint increments. dq, the midpoint qm and q1 come from the motions,
 * never from subtracting states.
 */
#ifndef OLO_KINEMATICS_TREE_H
#define OLO_KINEMATICS_TREE_H

#include "system/system.h"

typedef struct olo_tree_node {
    const olo_joint_type *type; /* NULL: free in space, u is the node's motion itself */
    olo_articulation joint;     /* oriented: child is this node */
    int parent;                 /* node, or -1 for ground */
    int dof;
    int u; /* first entry among all joint increments */
    double constants[OLO_JOINT_CONSTANTS];
} olo_tree_node;

/* Constraint rows first .. first + count. */
typedef struct olo_closure {
    int first, count;
    int u; /* first entry among all closure multipliers */
} olo_closure;

typedef struct olo_tree {
    const olo_system *system;
    olo_tree_node *nodes;    /* one a node of the system */
    int *order;              /* parents before children */
    int unknowns;            /* sum of all dof */
    int closure_count;       /* how many constraint rows the tree does not carry */
    int *closures;           /* [closure_count] these rows */
    int closure_block_count; /* they come in blocks of up to OLO_BLOCK_MAX rows of one group */
    olo_closure *closure_blocks;
} olo_tree;

olo_status olo_tree_create(const olo_system *system, olo_tree **tree, olo_error *error);
void olo_tree_free(olo_tree *tree);

/* No common rigid motion of its nodes changes the rows of a closure. */
bool olo_closure_is_relative(const olo_system *system, const olo_closure *closure);

/* By how much joint `joint` of the system is open at q: a length, turns times the model's length. `size` is that of the
 * numbers that cancel where it is closed. */
double olo_joint_opening(const olo_system *system, int joint, const double *q, double *size);

/* The numbers of a step. q0 belongs to the state; the rest is a workspace. */
typedef struct olo_motion {
    const double *q0;
    double *dq, *qm, *q1; /* [n] */
    const double *left;   /* [n] where the left pair is taken: qm if NULL, or q0 */
    double *motion;       /* [twists] */
    double *u;            /* [unknowns] */
} olo_motion;

/* Where the left pair is taken. */
static inline const double *olo_motion_left(const olo_motion *x)
{
    return x->left ? x->left : x->qm;
}

/* Joint constants of a step that starts at x->q0. */
void olo_tree_begin(olo_tree *tree, const olo_motion *x);
/* A given motion of all nodes as it is, with joints as open as that makes them; u is left alone. */
void olo_tree_place(const olo_tree *tree, olo_motion *x, const double *motion);
/* u closest to a given motion of all nodes times `scale`, and the motion of that u: a prediction from the last
 * step, or with x->motion itself the rebuilt end of an iteration. */
void olo_tree_predict(olo_tree *tree, olo_motion *x, const double *motion, double scale);
/* motion, dq, qm and q1 from u. */
void olo_tree_move(olo_tree *tree, olo_motion *x);
/* Adds a twist at q1 to the motion of node c and moves the node. */
void olo_tree_update(const olo_tree *tree, int c, olo_motion *x, const double *twist);
/* Takes back what rounding has done to a configuration: directors that are not orthonormal, joints that are open by
 * an ulp. Changes of that size go to `rest`, the part of q that doubles do not hold. */
void olo_tree_settle(olo_tree *tree, const olo_motion *x, double *q, double *rest);
/* What joint c sees. */
olo_joint_view olo_tree_view(olo_tree *tree, int c, const olo_motion *x);

/* dq, qm, q1 of one node from its motion. */
void olo_node_move(const olo_node *node, const double *motion, const double *q0, double *dq,
                   double *qm, double *q1);
/* Cayley vector of a frame from its increment. */
void olo_node_cayley(const double *qm, const double *dq, double a[3]);

#endif
