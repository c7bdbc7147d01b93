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

/* For all spatial joints: A, A^ and the variation of A^T f for the force f. */
void olo_joint_parent_blocks(const olo_joint_view *x, const double *f, olo_joint_blocks *b);
/* The right pair alone: A of all spatial joints, and the column of a rotation about n through the
 * point rho, both at q1. */
void olo_joint_parent_right(const olo_joint_view *x, const olo_joint_blocks *b);
void olo_joint_axis_right(const double n[3], const double rho[3], int r, int column,
                          const olo_joint_blocks *b);
/* For all joints: the twist that takes the motion of the child to the one that the joint allows. It
 * is computed from motions, because the rounding of states, divided by h, would enter the momenta.
 */
void olo_joint_find_gap(const olo_joint_view *x, double *gap);
/* A column of B and B^ for a rotation about n through the point rho from the origin of the child
 * (1: at q1, m: midpoint), and d(B^T) W = by_axis . (spin of n) + by_arm . (spin of rho). */
typedef struct olo_joint_axis {
    double n1[3], n_m[3], rho1[3], rho_m[3];
} olo_joint_axis;
void olo_joint_axis_column(const olo_joint_axis *a, const double *W, int r, int column,
                           olo_joint_blocks *b, double by_axis[3], double by_arm[3]);
/* Splits x = sum u_k M_k + remainder, for vectors M_k that are orthonormal up to rounding. u_k =
 * M_k.x alone would have the relative error of |M_k|, the same in every step, and energy would
 * drift; therefore the remainder of the first pass is projected again. `remainder` is x on entry;
 * the components are added to u. */
void olo_joint_components(int count, const double *M, double remainder[3], double *u);
/* The free motion of a node in the plane of a planar model, as a joint with the ground. */
olo_articulation olo_joint_in_plane(const olo_system *system, int node);
/* Exchanges parent and child, their joint points and axes. */
void olo_joint_reverse(olo_articulation *joint);
/* The components of a vector of space in the initial frame of a node. */
void olo_pair_into_body(const olo_system *system, int node, const double v[3], double X[3]);

/* A kind of pair: its name, the axes of {m1, m2, n} with free translation (bits 0, 1, 2), and the
 * number of free rotations. */
typedef struct olo_pair_kind {
    const char *name;
    unsigned translations;
    int rotations; /* 0, 1 (about n), 3 */
} olo_pair_kind;

const olo_pair_kind *olo_pair_find(const char *name);

/* Data of olo_build_pair, which adds a group called `name` with the rows of a pair and its
 * articulation. The axes m1, m2, n are given in space in the initial state. In a planar model only
 * motions within the plane are constrained or free. The point on the ground is given in space. */
typedef struct olo_pair_setup {
    const char *name;
    const char *noun, *type; /* for messages */
    int parent, child;       /* nodes; parent -1 for ground */
    double parent_point[3], child_point[3];
    double axes[9];
    unsigned translations;
    int rotations;
    bool in_child; /* the free directions are fixed in the child instead of the parent */
} olo_pair_setup;

/* The vector X_i d_i of a frame, and the point `at` on a node, as positions. For the ground (-1)
 * both are fixed in space. */
olo_position olo_pair_vector(const olo_system *system, int node, const double X[3]);
olo_position olo_pair_point(const olo_system *system, int node, const double at[3]);

/* The k-th axis of a pair, fixed in the parent, or in the child of a reversed pair. */
olo_position olo_pair_free_axis(const olo_system *system, const olo_articulation *joint, int k);

/* Whether a pair has the axes of joint `number` of the pattern, between bodies with the same
 * initial directors. Its angle and its rows of rotations depend on nothing else; in a planar model
 * also on the sign of the given axis, so that the answer is no. */
bool olo_pair_has_same_axes(olo_builder *builder, const olo_articulation *joint, int number);

/* Sets axes, translations and rotations of a pair from its kind and the axis given by the user.
 */
olo_status olo_pair_axes(olo_builder *builder, const olo_pair_kind *kind, const double given[3],
                         olo_pair_setup *setup);

olo_status olo_build_pair(olo_builder *builder, const olo_pair_setup *setup);

/* Parts of left_rate: [0; f x arm'] added to the wrench of the parent, arm = phi_p - phi_c; and the
 * rate of the column [rho x n; n] times a wrench, where a->rho1 and a->n1 are the rates of a->rho_m
 * and a->n_m. */
void olo_joint_parent_rate(const olo_joint_rates *v, const double *f, double *parent);
double olo_joint_axis_rate(const olo_joint_axis *a, const double *W);

#endif
