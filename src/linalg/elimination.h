/* Block elimination on a graph: the linear solver for trees of joints with springs and closures.
 *
 * Blocks c = 0..N-1 have twists dt_c (6 for a frame, 3 for a point) or scaled closure multipliers.
 * With mu_c the variation of the joint wrench, k the children of c and p its parent, the system is
 *
 *     sum_b K_cb dt_b + mu_c + sum_k (Ep_k dt_c + Ec_k dt_k - A^_k^T mu_k) = -z_c
 *     B^_c^T mu_c = kp dt_p + kc dt_c + ku du_c + z^_c
 *     dt_c = A_c dt_p + B_c du_c + e_c
 *
 * (docs/theory.md). Children are eliminated before their parents. For a tree without springs this
 * is the articulated-body algorithm, linear in the number of bodies. A block without a joint (a
 * free body) is `plain`: dt = du. A closure block has no parent, and B = B^ spans its active
 * directions. The structure (order, fill, layout) is computed once and shared; a factorisation
 * changes only numbers. */
#ifndef OLO_LINALG_ELIMINATION_H
#define OLO_LINALG_ELIMINATION_H

#include <stdbool.h>

#include "oloid/status.h"

enum { OLO_BLOCK_MAX = 6 }; /* largest block size */

/* The structure of the elimination: order, fill and layout of the numbers. Immutable, shared
 * between threads. */
typedef struct olo_elimination_structure olo_elimination_structure;
/* The numbers of an elimination, owned by one thread. */
typedef struct olo_elimination olo_elimination;

typedef struct olo_block {
    bool spatial;  /* the joint has A = [I a^; 0 I] and Ep = -Ec = [0 0; f^/2 0], as between two
                      frames */
    int size;      /* size of dt */
    int dof;       /* size of du; equal to `size` for a plain block */
    int parent;    /* block, or -1 */
    bool plain;    /* B = B^ = I, no parent, no variation */
    bool closure;  /* closure multipliers, whose diagonal block is zero: eliminated after all blocks
                      that affect them; not plain */
    bool relative; /* of a closure: a common rigid motion of its neighbours does not violate it */
} olo_block;

/* The matrices of a joint, row-major with the sizes d = size, p = parent's size, r = dof. */
typedef struct olo_joint_blocks {
    double *A, *A_hat;    /* d x p */
    double *B, *B_hat;    /* d x r */
    double *Ep, *Ec;      /* p x p, p x d */
    double *kp, *kc, *ku; /* r x p, r x d, r x r */
    /* unless NULL: a at q1, a at the midpoint and f/2 of a spatial joint, three numbers each, must
     * be written here; A, A_hat, Ep, Ec are then NULL */
    double *spatial;
} olo_joint_blocks;

/* Analyses the graph: blocks, and pairs (edges[2i], edges[2i+1]) that are coupled by forces. */
olo_status olo_elimination_structure_create(int count, const olo_block *blocks, int edge_count,
                                            const int *edges, olo_elimination_structure **structure,
                                            olo_error *error);
void olo_elimination_structure_free(olo_elimination_structure *structure);

/* Numbers for a structure, which must outlive them. */
olo_status olo_elimination_create(const olo_elimination_structure *structure,
                                  olo_elimination **elimination, olo_error *error);
void olo_elimination_free(olo_elimination *elimination);

/* Zeroes all K, z, z^ and e. Joint matrices are unchanged. */
void olo_elimination_clear(olo_elimination *elimination);

/* Memory for the caller to fill. K_ab is size_a x size_b; a and b must be equal, coupled, or joint
 * neighbours. */
double *olo_elimination_matrix(olo_elimination *elimination, int a, int b);
double *olo_elimination_rhs(olo_elimination *elimination, int c); /* z_c */
/* e_c; that of a frame on the ground without degrees of freedom is ignored: it does not move */
double *olo_elimination_gap(olo_elimination *elimination, int c);
/* z^_c, of `dof` numbers, not for plain blocks; to be filled before the first block is eliminated
 */
double *olo_elimination_row(olo_elimination *elimination, int c);
olo_joint_blocks olo_elimination_joint(olo_elimination *elimination, int c);

/* Before a factorisation: the product of the matrix with increments. The caller writes `dof`
 * numbers per block to olo_elimination_unknown. Afterwards olo_elimination_product has the
 * left-hand side of the joint row, `dof` numbers per block; the rows of a closure are in its z_c.
 * Overwrites z; gaps are ignored. */
double *olo_elimination_unknown(olo_elimination *elimination, int c);
void olo_elimination_multiply(olo_elimination *elimination);
const double *olo_elimination_product(const olo_elimination *elimination, int c);

/* Finds redundant rows of the closure blocks at one configuration: from then on multipliers are
 * restricted to the active directions. K has the closure rows, as for
 * olo_elimination_solve_symmetric, and is zero otherwise: the motion in the joints is measured with
 * `length`, the length to which a rotation by one is equivalent. `size` is the smallest square of
 * an independent row in that metric, a scale in case all rows are redundant. K must be filled
 * again. */
olo_status olo_elimination_find_redundant(olo_elimination *elimination, double length, double size,
                                          olo_error *error);
/* Projects the multipliers of a closure block to its active directions. */
void olo_elimination_project_multipliers(const olo_elimination *elimination, int c, double *x);
/* The active directions of closure block c of an elimination become those of block d of another. */
void olo_elimination_copy_directions(const olo_elimination *from, int c, olo_elimination *to,
                                     int d);
/* The same during a factorisation block by block, with a K whose closure columns have the same
 * redundancy as the rows. First olo_elimination_activate_all activates all rows, then
 * every block is eliminated by olo_elimination_eliminate_with_rank. After the solve
 * olo_elimination_update_multipliers adds dt_c to the multipliers x of a block and projects them to
 * the active directions; dt_c becomes their change. */
void olo_elimination_activate_all(olo_elimination *elimination, double size);
bool olo_elimination_eliminate_with_rank(olo_elimination *elimination, int c); /* false: singular */
void olo_elimination_update_multipliers(olo_elimination *elimination, int c, double *x);

/* Factorisation and solve block by block, so that the numbers of a block are filled and used while
 * they are in the cache: for i from 0 to count - 1 block order[i] is filled and eliminated, then
 * for i from count - 1 to 0 it is substituted. */
int olo_elimination_count(const olo_elimination *elimination);
const int *olo_elimination_sequence(const olo_elimination *elimination);
bool olo_elimination_eliminate(olo_elimination *elimination, int c); /* false: singular */
void olo_elimination_substitute(olo_elimination *elimination, int c);
/* Another solve with existing factors: olo_elimination_clear_right zeroes all z, z^ and e; for i
 * from 0 to count - 1 the right-hand side of block order[i] is filled, then eliminated by
 * olo_elimination_forward. */
void olo_elimination_clear_right(olo_elimination *elimination);
void olo_elimination_forward(olo_elimination *elimination, int c);
/* Loads the numbers of a block into the cache. */
void olo_elimination_prefetch(const olo_elimination *elimination, int c);
/* Whether every block is a frame that is coupled by its joint only. */
bool olo_elimination_is_tree(const olo_elimination *elimination);

/* Factors K in place. On a singular pivot the status is SINGULAR and `block` (may be NULL) is the
 * singular block. */
olo_status olo_elimination_factor(olo_elimination *elimination, int *block, olo_error *error);

/* After a factorisation of a symmetric K: the number of its negative eigenvalues in the joint
 * increments, on the null space of the closure rows (Sylvester's law of inertia; every closure row
 * adds a negative eigenvalue, which is subtracted). A negative result means that the closure rows
 * are not independent. */
int olo_elimination_count_negative(const olo_elimination *elimination);

/* Factors and solves where K is symmetric and A^ = A, B^ = B at every joint, without variations and
 * gaps: K_ab is read only for a that is eliminated before b, or the same. With size > 0 redundant
 * closure rows are found during the factorisation as by olo_elimination_find_redundant. On a
 * singular pivot `block` is the singular block. No wrenches are available afterwards, and no other
 * solves but those with the same factors: z is filled for all blocks again. */
olo_status olo_elimination_solve_symmetric(olo_elimination *elimination, double size, int *block);
void olo_elimination_solve_symmetric_again(olo_elimination *elimination);

/* Solves with z and e as filled; z is overwritten. */
void olo_elimination_solve(olo_elimination *elimination);
const double *olo_elimination_twist(const olo_elimination *elimination, int c);     /* dt_c */
const double *olo_elimination_increment(const olo_elimination *elimination, int c); /* du_c */
/* The transpose of the map from z to dt (without gaps), for adjoints: f_c is given in z_c, which is
 * overwritten; the result is read as dt_c after a solve. */
void olo_elimination_solve_transposed(olo_elimination *elimination);
/* mu_c = -(z_c + sum_b K_cb dt_b), after a solve */
void olo_elimination_wrench(const olo_elimination *elimination, int c, double *mu);

#endif
