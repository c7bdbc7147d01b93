/* Lower kinematic pairs: constraint rows and joint of a child against a parent or the ground. */
#ifndef OLO_ELEMENTS_JOINT_PAIR_H
#define OLO_ELEMENTS_JOINT_PAIR_H

#include "elements/build.h"
#include "system/joint.h"

extern const olo_joint_type olo_joint_pair, olo_joint_rod, olo_joint_universal, olo_joint_rolling;

/* X_i d_i of a frame's coordinates */
static inline void olo_body_vector(const double X[3], const double *q, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = X[0] * q[3 + i] + X[1] * q[6 + i] + X[2] * q[9 + i];
}

/* What spatial joints share: A, A^ and the variation of A^ against the force f; and the twist that
 * takes the child's motion to an allowed one. */
void olo_joint_parent_blocks(const olo_joint_view *x, const double *f, olo_joint_blocks *b);
void olo_joint_gap(const olo_joint_view *x, const double *allowed, double *gap);
/* A column of B and B^ for a rotation about n at the place rho from the child's origin (1: at q1,
 * m: midpoint), and d(B^T) W = by_axis . (spin that turns n) + by_arm . (spin that turns rho). */
typedef struct olo_joint_axis {
    double n1[3], n_m[3], rho1[3], rho_m[3];
} olo_joint_axis;
void olo_joint_axis_column(const olo_joint_axis *a, const double *W, int r, int column,
                           olo_joint_blocks *b, double by_axis[3], double by_arm[3]);
/* x = sum u_k M_k + rest for unit vectors M_k that are orthonormal but for rounding: u_k = M_k.x
 * would be too long by what M_k is too long, in every step the same, and energy would drift. What
 * is left of x the first time is divided again. u += , rest = what is left */
void olo_joint_divide(int count, const double *M, double rest[3], double *u);
/* A node that is free in its own plane of a planar model, as a joint with the ground. */
olo_articulation olo_joint_in_plane(const olo_system *system, int node);
/* Exchanges parent and child, their places and axes. */
void olo_joint_reverse(olo_articulation *joint);
/* A vector given in space at the start, as one fixed in a node. */
void olo_pair_into_body(const olo_system *system, int node, const double v[3], double X[3]);

/* A kind of pair by name: which axes of {m1, m2, n} are free (bits 0, 1, 2), and how many
 * rotations. */
typedef struct olo_pair_kind {
    const char *name;
    unsigned translations;
    int rotations; /* 0, 1 (about n), 3 */
} olo_pair_kind;

const olo_pair_kind *olo_pair_find(const char *name);

/* Adds a group called `name` with the rows of a pair and its articulation. The axes m1, m2, n are
 * in space at the start; in a planar model only what is within the plane is constrained and free.
 * `where` is the ground's place. */
typedef struct olo_pair_setup {
    const char *name;
    const char *noun, *type; /* for messages */
    int parent, child;       /* nodes; parent -1 for ground */
    double parent_point[3], child_point[3];
    double axes[9];
    unsigned translations;
    int rotations;
    bool in_child; /* the free directions turn with the child, not with the parent */
} olo_pair_setup;

/* X_i d_i of a frame, and the place `at` of a node, as positions; of the ground (-1) both are fixed
 * in space. */
olo_position olo_pair_vector(const olo_system *system, int node, const double X[3]);
olo_position olo_pair_place(const olo_system *system, int node, const double at[3]);

/* The k-th axis of a pair, fixed in the body that its free directions belong to. */
olo_position olo_pair_free_axis(const olo_system *system, const olo_articulation *joint, int k);

/* Fills axes, translations and rotations of a pair from its kind and the axis that the user gave.
 */
olo_status olo_pair_axes(olo_builder *builder, const olo_pair_kind *kind, const double given[3],
                         olo_pair_setup *setup);

olo_status olo_build_pair(olo_builder *builder, const olo_pair_setup *setup);

#endif
