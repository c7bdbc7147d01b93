/* Block elimination on a graph: the linear algebra of trees with springs and loop closures.
 *
 * Blocks c = 0..N-1 carry twists dt_c (6 for a frame, 3 for a point) or scaled closure multipliers.
 * The saddle form of the design page reads, with mu_c the joint wrench variation,
 *
 *     sum_b K_cb dt_b + mu_c + sum_k (Ep_k dt_c + Ec_k dt_k - A^_k^T mu_k) = -z_c   (k: children of
 *         c)
 *     B^_c^T mu_c = kp dt_p + kc dt_c + ku du_c                                      (p: parent of
 *         c)
 *     dt_c = A_c dt_p + B_c du_c + e_c
 *
 * and is eliminated child before parent; for a tree without springs this is the articulated sweep,
 * linear in the number of bodies. A block without a joint (free body) is `plain`: dt = du. A
 * closure block has no parent and B = B^ spans its active directions. The structure (order, fill,
 * layout) is computed once and shared; a factorisation changes numbers only.
 */
#ifndef OLO_LINALG_ELIMINATION_H
#define OLO_LINALG_ELIMINATION_H

#include <stdbool.h>

#include "oloid/status.h"

enum { OLO_BLOCK_MAX = 6 }; /* largest block size */

/* What follows from the graph: the order, the fill and the layout of the numbers. Immutable, shared
 * between threads. */
typedef struct olo_elimination_structure olo_elimination_structure;
/* The numbers over a structure, of one thread. */
typedef struct olo_elimination olo_elimination;

typedef struct olo_block {
    bool spatial; /* the joint has A = [I a^; 0 I] and Ep = -Ec = [0 0; f^/2 0], as between two
                     frames */
    int size;     /* of dt */
    int dof;      /* of du; equal to size for a plain block */
    int parent;   /* block, or -1 */
    bool plain;   /* B = B^ = I, no parent, no variation */
    bool last; /* closure multipliers, whose own block is zero: after all that moves them; not plain
                */
    bool relative; /* of those: no common motion of its neighbours moves it */
} olo_block;

/* The matrices of a joint, row-major with the sizes d = size, p = parent's size, r = dof. */
typedef struct olo_joint_blocks {
    double *A, *A_hat;    /* d x p */
    double *B, *B_hat;    /* d x r */
    double *Ep, *Ec;      /* p x p, p x d */
    double *kp, *kc, *ku; /* r x p, r x d, r x r */
    /* unless NULL: a at q1, a at the midpoint and f/2 of a spatial joint, three numbers each, are
     * to be written here; A, A_hat, Ep, Ec are then NULL */
    double *spatial;
} olo_joint_blocks;

/* Analyses the graph: blocks, and pairs (edges[2i], edges[2i+1]) that are coupled by forces. */
olo_status olo_elimination_structure_create(int count, const olo_block *blocks, int edge_count,
                                            const int *edges, olo_elimination_structure **structure,
                                            olo_error *error);
void olo_elimination_structure_free(olo_elimination_structure *structure);

/* Numbers over a structure, which must live as long. */
olo_status olo_elimination_create(const olo_elimination_structure *structure,
                                  olo_elimination **elimination, olo_error *error);
void olo_elimination_free(olo_elimination *elimination);

/* Zeroes all K, z and e. Joint matrices stay. */
void olo_elimination_clear(olo_elimination *elimination);

/* Storage to fill. K_ab is size_a x size_b; a and b must be equal, coupled, or joint neighbours. */
double *olo_elimination_matrix(olo_elimination *elimination, int a, int b);
double *olo_elimination_rhs(olo_elimination *elimination, int c); /* z_c */
double *olo_elimination_gap(olo_elimination *elimination, int c); /* e_c */
olo_joint_blocks olo_elimination_joint(olo_elimination *elimination, int c);

/* Before a factorisation: the product of the whole with increments that are written to these
 * places, each of `dof` numbers. After it dof numbers a block are the left-hand side of its joint
 * row; of a closure the rows themselves are where z_c is. Overwrites z; gaps do not count. */
double *olo_elimination_unknown(olo_elimination *elimination, int c);
void olo_elimination_multiply(olo_elimination *elimination);
const double *olo_elimination_product(const olo_elimination *elimination, int c);

/* Eliminates K of a mass matrix and constraint rows at one configuration, symmetric as for
 * olo_elimination_solve_symmetric, and finds the rows of the closure blocks that repeat others:
 * from now on their multipliers stay in the space of the others. `size` is what a row that repeats
 * nothing gives at least, should all of them repeat others. K is to be filled again. */
olo_status olo_elimination_reveal(olo_elimination *elimination, double size, olo_error *error);
/* Projects the multipliers of a closure block to that space. */
void olo_elimination_restrict(const olo_elimination *elimination, int c, double *x);
/* The same on the way through a factorisation block by block, with a K whose closure columns repeat
 * each other as those of the mass matrix do: all rows are active again, and every block is
 * eliminated by `reveal_block`. When it is solved, multipliers x of a block advance by dt_c and
 * into that space, and dt_c becomes what they did. */
void olo_elimination_unrestrict(olo_elimination *elimination, double size);
bool olo_elimination_reveal_block(olo_elimination *elimination, int c); /* false: singular */
void olo_elimination_advance(olo_elimination *elimination, int c, double *x);

/* The same block by block, so that what belongs to a block is filled and used while it is at hand:
 * for i from 0 to count - 1 block order[i] is filled and eliminated, then from count - 1 to 0
 * solved. */
int olo_elimination_count(const olo_elimination *elimination);
const int *olo_elimination_sequence(const olo_elimination *elimination);
bool olo_elimination_eliminate(olo_elimination *elimination, int c); /* false: singular */
void olo_elimination_substitute(olo_elimination *elimination, int c);
/* Instead of eliminating, with the factors that are there: for i from 0 to count - 1 the right side
 * of block order[i] is filled, then forwarded. `olo_elimination_clear_right` zeroes all z and e
 * before. */
void olo_elimination_clear_right(olo_elimination *elimination);
void olo_elimination_forward(olo_elimination *elimination, int c);
/* Brings the numbers of a block to the cache. */
void olo_elimination_fetch(const olo_elimination *elimination, int c);
/* Instead of clearing all before, where every block is a frame on its joint and nothing is filled
 * in but when its turn comes: zeroes what filling and eliminating block c adds to for the first
 * time. */
bool olo_elimination_is_tree(const olo_elimination *elimination);
void olo_elimination_begin(olo_elimination *elimination);
void olo_elimination_open(olo_elimination *elimination, int c);

/* Factors K in place. On a singular pivot the status is SINGULAR and `block` (may be NULL) tells
 * where. */
olo_status olo_elimination_factor(olo_elimination *elimination, int *block, olo_error *error);

/* After a factorisation of a symmetric K: how many negative eigenvalues it has in the joint
 * increments, on the null space of the closure rows (Sylvester's law of inertia; every closure row
 * brings a negative one of its own, which does not count). Less than that many are told as less
 * than zero: rows that are not independent. */
int olo_elimination_negative(const olo_elimination *elimination);

/* Factors and solves where K is symmetric and A^ = A, B^ = B at every joint, without variations and
 * gaps: K_ab is read only for a that is eliminated before b, or the same. With a size > 0 rows of
 * closures that repeat others are revealed on the way as by olo_elimination_reveal. On a singular
 * pivot `block` tells where. Wrenches and other solves do not follow. */
olo_status olo_elimination_solve_symmetric(olo_elimination *elimination, double size, int *block);

/* Solves with z and e as filled; z is overwritten. */
void olo_elimination_solve(olo_elimination *elimination);
const double *olo_elimination_twist(const olo_elimination *elimination, int c);     /* dt_c */
const double *olo_elimination_increment(const olo_elimination *elimination, int c); /* du_c */
/* The transpose of the map from z to dt (without gaps), for adjoints: with f_c in the place of z_c,
 * which is overwritten, the result for block c is where dt_c is after a solve. */
void olo_elimination_solve_transposed(olo_elimination *elimination);
/* mu_c = -(z_c + sum_b K_cb dt_b), after a solve */
void olo_elimination_wrench(const olo_elimination *elimination, int c, double *mu);

#endif
