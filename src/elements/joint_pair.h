/* Lower kinematic pairs: constraint rows and joint of a child against a parent or the ground. */
#ifndef OLO_ELEMENTS_JOINT_PAIR_H
#define OLO_ELEMENTS_JOINT_PAIR_H

#include "elements/build.h"
#include "system/joint.h"

extern const olo_joint_type olo_joint_pair, olo_joint_rod;

/* A kind of pair by name: which axes of {m1, m2, n} are free (bits 0, 1, 2), and how many rotations. */
typedef struct olo_pair_kind {
    const char *name;
    unsigned translations;
    int rotations; /* 0, 1 (about n), 3 */
} olo_pair_kind;

const olo_pair_kind *olo_pair_find(const char *name);

/* Adds a group called `name` with the rows of a pair and its articulation. The axes m1, m2, n are in space at the
 * start; in a planar model only what is within the plane is constrained and free. `where` is the ground's place. */
typedef struct olo_pair_setup {
    const char *name;
    const char *noun, *type; /* for messages */
    int parent, child;       /* nodes; parent -1 for ground */
    double parent_point[3], child_point[3];
    double axes[9];
    unsigned translations;
    int rotations;
} olo_pair_setup;

/* X_i d_i of a frame, and the place `at` of a node, as positions; of the ground (-1) both are fixed in space. */
olo_position olo_pair_vector(const olo_system *system, int node, const double X[3]);
olo_position olo_pair_place(const olo_system *system, int node, const double at[3]);

/* Fills axes, translations and rotations of a pair from its kind and the axis that the user gave. */
olo_status olo_pair_axes(olo_builder *builder, const olo_pair_kind *kind, const double given[3],
                         olo_pair_setup *setup);

olo_status olo_build_pair(olo_builder *builder, const olo_pair_setup *setup);

#endif
