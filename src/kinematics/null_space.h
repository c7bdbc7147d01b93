/* The null space matrix of the forest, applied: P^T row without forming P.
 *
 * `discrete` takes the left pair between q0 and q1 (P(q0, q1), thesis 2.6), else the right pair at
 * q1.
 */
#ifndef OLO_KINEMATICS_NULL_SPACE_H
#define OLO_KINEMATICS_NULL_SPACE_H

#include "kinematics/motion.h"

typedef struct olo_null_space olo_null_space;

olo_status olo_null_space_create(const olo_topology *topology, olo_null_space **space,
                                 olo_error *error);
void olo_null_space_free(olo_null_space *space);

/* Reads the joint matrices at a motion of the tree. The left pair belongs to the midpoint (or to
 * q0, as the motion says), also where that does not satisfy the constraints: G(q_m) P = 0 all
 * the same. */
void olo_null_space_at(olo_null_space *space, const olo_motion *x, bool discrete);
/* reduced[unknowns] = P^T row[n] */
void olo_null_space_apply(olo_null_space *space, const double *row, double *reduced);
/* P^T itself, unknowns x n. */
void olo_null_space_matrix(olo_null_space *space, double *transposed);
/* P^T of a row that has gradient[i] at the coordinate index[i], i < size: its entries alone, in
 * the columns of the joints between its nodes and the ground. `column` and `value` have room for
 * all unknowns; returns how many there are. */
int olo_null_space_apply_sparse(olo_null_space *space, int size, const int *index,
                                const double *gradient, int *column, double *value);

/* Of the same entries, in the same order: the sums of the sizes of the forces times levers that
 * they are made of, whatever their directions. */
void olo_null_space_parts(olo_null_space *space, int size, const int *index, const double *gradient,
                          double *parts);

/* Two joints that a small misalignment sets against each other (misalignment.c). */
typedef struct olo_misalignment {
    int group,
        other;     /* constraint groups of the closure and of the joint that moves most; -1: none */
    double amount; /* by which the closure opens when that joint moves by one */
    double share;  /* of the sizes in the closure */
} olo_misalignment;

/* Looks for one where the joints of the tree are closed: group is -1 when there is none. */
olo_status olo_find_misalignment(const olo_topology *topology, const olo_at *at,
                                 olo_misalignment *found, olo_error *error);

#endif
