/* The null space matrix P of the forest applied to rows: P^T row, without forming P.
 *
 * With `discrete` P consists of the left pairs between q0 and q1 (P(q0, q1), thesis 2.6), else of
 * the right pairs at q1.
 */
#ifndef OLO_KINEMATICS_NULL_SPACE_H
#define OLO_KINEMATICS_NULL_SPACE_H

#include "kinematics/motion.h"

typedef struct olo_null_space olo_null_space;

olo_status olo_null_space_create(const olo_topology *topology, olo_null_space **space,
                                 olo_error *error);
void olo_null_space_free(olo_null_space *space);

/* Evaluates the joint matrices for a motion of the tree. The left pair is evaluated at the midpoint
 * (or at q0, if the motion says so). G(q_m) P = 0 holds although the midpoint does not satisfy the
 * constraints. */
void olo_null_space_at(olo_null_space *space, const olo_motion *x, bool discrete);
/* reduced[unknowns] = P^T row[n] */
void olo_null_space_apply(olo_null_space *space, const double *row, double *reduced);
/* P^T itself, unknowns x n. */
void olo_null_space_matrix(olo_null_space *space, double *transposed);
/* P^T of a sparse row with gradient[i] at the coordinate index[i], i < size: only its entries in
 * the columns of the joints between its nodes and the ground. `column` and `value` have a capacity
 * of all unknowns; returns the number of entries. */
int olo_null_space_apply_sparse(olo_null_space *space, int size, const int *index,
                                const double *gradient, int *column, double *value);

/* For the same entries, in the same order: the sums of the magnitudes of forces and of lever arms
 * times forces of which they consist. */
void olo_null_space_parts(olo_null_space *space, int size, const int *index, const double *gradient,
                          double *parts);

/* Two joints that are incompatible because of a small misalignment (misalignment.c). */
typedef struct olo_misalignment {
    int group,
        other;     /* constraint groups of the closure and of the joint that moves most; -1: none */
    double amount; /* by which the closure opens when that joint moves by one */
    double share;  /* the same relative to the magnitudes in the closure */
} olo_misalignment;

/* Searches for a misalignment at a configuration with closed joints of the tree; group is -1 if
 * there is none. */
olo_status olo_find_misalignment(const olo_topology *topology, const olo_at *at,
                                 olo_misalignment *found, olo_error *error);

#endif
