/* Constraint rows, linearised at a configuration: their gradients d, the multipliers mu that
 * balance given forces F,
 *
 *     F + sum_i mu_i d_i = 0,
 *
 * and the velocities that satisfy the rows when the configuration varies.
 *
 * No function of a joint type is needed. The rows between a node of the tree and its parent
 * determine their multipliers from the wrench on that node, leaf to root, by a QR factorisation of
 * their columns in its twist; if three rows fix a point, of the moments alone. Redundant rows have
 * multiplier zero. Multipliers of closures are given. Those of the internal rows of a frame are a
 * symmetric matrix per frame, F_I + sum_J Lambda_IJ d_J = 0. */
#ifndef OLO_STEPPING_LINEAR_ROWS_H
#define OLO_STEPPING_LINEAR_ROWS_H

#include "base/pool.h"
#include "kinematics/topology.h"

typedef struct olo_linear_rows {
    const olo_system *system;
    const olo_topology *topology;
    int *first; /* [nodes + 1] rows of node k are list[first[k]] ... */
    int *list;  /* these rows, none of them internal */
    int count;  /* rows that are not internal: all[count] */
    int *all;
    int *offset; /* [m] of the entries of a row in the two arrays below; without internal rows */
    double *gradient; /* d of all rows */
    double *follow;   /* (Hessian) v of all rows: derivative of their rates with respect to q */
    double *mu;       /* [m] multipliers of rows that are not internal */
    double *Lambda;   /* [9 nodes] of frames */
    int *rank;        /* [nodes] */
    int *pinned;      /* [nodes] 3 if the first three rows fix a point, else 0 */
    int *independent; /* [6 nodes] rows that are not redundant */
    double *Q, *R;    /* [36 nodes] columns of Q are rows here; R upper triangular */
} olo_linear_rows;

/* Memory comes from the pool; false when it is out. */
bool olo_linear_rows_create(const olo_topology *topology, olo_pool *pool, olo_linear_rows *rows);

/* The gradient of row c, to be filled. */
static inline double *olo_linear_row(const olo_linear_rows *rows, int c)
{
    return rows->gradient + rows->offset[c];
}

/* The product of the entries of row c with all[n]; adds factor times them to all[n]. */
static inline double olo_row_times(const olo_system *system, int c, const double *local,
                                   const double *all)
{
    const olo_constraint *row = &system->constraints[c];
    double sum = 0;
    for (int i = 0; i < row->size; i++)
        sum += local[i] * all[row->index[i]];
    return sum;
}

static inline void olo_row_add(const olo_system *system, int c, double factor, const double *local,
                               double *all)
{
    const olo_constraint *row = &system->constraints[c];
    for (int i = 0; i < row->size; i++)
        all[row->index[i]] += factor * local[i];
}

/* A row whose multiplier is -F/entry of one force F: with two others it fixes a point of its node,
 * each along an axis of space, and no other row of the joint has a force. */
typedef struct olo_point_row {
    int row;
    int force; /* 3 node + axis */
    double entry;
} olo_point_row;

/* Lists those of the rows of the tree that are wanted, [m], and returns how many there are. */
int olo_linear_rows_points(const olo_linear_rows *rows, const bool *wanted, olo_point_row *points);

/* Factors the columns P_int(q)^T d; all gradients must be set. */
void olo_linear_rows_factor(olo_linear_rows *rows, const double *q);
/* Exchanges gradients and factors of two sets of rows. */
void olo_linear_rows_exchange(olo_linear_rows *a, olo_linear_rows *b);
/* Computes the multipliers mu[m] of rows of the tree and Lambda[9 nodes] that balance F[n], which
 * already contains the forces of closures. Overwrites F. Its transpose: writes F[n] from these and
 * adds the contribution of frames to mu. Uses work[n]. */
void olo_linear_rows_multipliers(const olo_linear_rows *rows, const double *q, double *F,
                                 double *mu, double *Lambda);
void olo_linear_rows_multipliers_transposed(const olo_linear_rows *rows, const double *q,
                                            double *mu, const double *Lambda, double *F,
                                            double *work);

/* out_I += factor sum_J Lambda_IJ w_J of all frames */
void olo_frames_add(const olo_system *system, const double *Lambda, double factor, const double *w,
                    double *out);

/* With `follow` set at (q, v): computes dv[n] that satisfies the rates of all rows of the tree and
 * all internal rows when q varies by dq[n] and the rates by gap[m], d.dv = -follow.dq - gap; and
 * its transpose, to[n] += (..)^T from[n], which writes gap[m] and overwrites `from`. Gaps may be
 * NULL. */
void olo_linear_rows_follow(const olo_linear_rows *rows, const double *q, const double *v,
                            const double *dq, const double *gap, double *dv);
void olo_linear_rows_follow_transposed(const olo_linear_rows *rows, const double *q,
                                       const double *v, double *from, double *to, double *gap);
/* The same for positions: dq[n] with d.dq = -gap for all rows of the tree, with rigid frames; and
 * its transpose. */
void olo_linear_rows_displace(const olo_linear_rows *rows, const double *q, const double *gap,
                              double *dq);
void olo_linear_rows_displace_transposed(const olo_linear_rows *rows, const double *q, double *from,
                                         double *gap);

#endif
