/* Constraint rows, linearised at one place: their gradients d, the multipliers mu that balance
 * given forces F,
 *
 *     F + sum_i mu_i d_i = 0,
 *
 * and velocities that follow where the configuration goes. Nothing here knows joints: the rows that
 * hold a node of the tree to its parent determine their multipliers from the wrench on that node,
 * leaf to root, by a QR factorisation of their columns in its twist, of the moments alone where
 * three rows hold a point; rows that repeat others carry nothing. Multipliers of closures are
 * given. Those that keep a frame rigid are a symmetric matrix a frame, F_I + sum_J Lambda_IJ d_J =
 * 0.
 */
#ifndef OLO_STEPPING_LINEAR_ROWS_H
#define OLO_STEPPING_LINEAR_ROWS_H

#include "base/pool.h"
#include "kinematics/topology.h"

typedef struct olo_linear_rows {
    const olo_system *system;
    const olo_topology *topology;
    int *first;       /* [nodes + 1] rows of node k are list[first[k]] ... */
    int *list;        /* these rows, none of them internal */
    int *place;       /* [m] where the numbers of a row are; of those that are not internal */
    double *gradient; /* d of all rows */
    double *follow;   /* (Hessian) v of all rows: how its rate changes with q */
    double *mu;       /* [m] multipliers of rows that are not internal */
    double *Lambda;   /* [9 nodes] of frames */
    int *rank;        /* [nodes] */
    int *pinned;      /* [nodes] 3 where the first three rows hold a point, else 0 */
    int *kept;        /* [6 nodes] rows that repeat no other */
    double *Q, *R;    /* [36 nodes] columns of Q are rows here; R upper triangular */
} olo_linear_rows;

/* Memory comes from the pool; false when it is out. */
bool olo_linear_rows_create(const olo_topology *topology, olo_pool *pool, olo_linear_rows *rows);

/* The gradient of row c, to be filled. */
static inline double *olo_linear_row(const olo_linear_rows *rows, int c)
{
    return rows->gradient + rows->place[c];
}

/* The product of numbers of row c with all[n], and all += factor times them. */
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

/* All gradients are there: factors the columns P_int(q)^T d. */
void olo_linear_rows_factor(olo_linear_rows *rows, const double *q);
/* Exchanges gradients and factors: what is at one place now belongs to the other. */
void olo_linear_rows_exchange(olo_linear_rows *a, olo_linear_rows *b);
/* Multipliers mu and Lambda against F[n], in which closures have their share already. Changes F. */
void olo_linear_rows_balance(olo_linear_rows *rows, const double *q, double *F);
/* The same to mu[m] of rows of the tree and Lambda[9 nodes] elsewhere; and its transpose: F[n]
 * (written) from these. To mu is added what frames give to it. Uses work[n]. */
void olo_linear_rows_multipliers(const olo_linear_rows *rows, const double *q, double *F,
                                 double *mu, double *Lambda);
void olo_linear_rows_multipliers_transposed(const olo_linear_rows *rows, const double *q,
                                            double *mu, const double *Lambda, double *F,
                                            double *work);

/* out_I += factor sum_J Lambda_IJ w_J of all frames; with a Lambda of one's own */
void olo_linear_rows_add_frames(const olo_linear_rows *rows, double factor, const double *w,
                                double *out);
void olo_frames_add(const olo_system *system, const double *Lambda, double factor, const double *w,
                    double *out);

/* With `follow` filled at (q, v): dv[n] that keeps all rows of the tree and all frames at their
 * rates when q changes by dq[n] and the rates themselves by gap[m], d.dv = -follow.dq - gap; and
 * its transpose, to[n] += (..)^T from[n] and gap[m] written; changes `from`. Gaps may be NULL. */
void olo_linear_rows_follow(const olo_linear_rows *rows, const double *q, const double *v,
                            const double *dq, const double *gap, double *dv);
void olo_linear_rows_follow_transposed(const olo_linear_rows *rows, const double *q,
                                       const double *v, double *from, double *to, double *gap);
/* The same of positions: dq[n] with d.dq = -gap for all rows of the tree, frames kept; and its
 * transpose. */
void olo_linear_rows_open(const olo_linear_rows *rows, const double *q, const double *gap,
                          double *dq);
void olo_linear_rows_open_transposed(const olo_linear_rows *rows, const double *q, double *from,
                                     double *gap);

/* P_int(q) of all nodes: out[n] from twists[twists], and its transpose. */
void olo_twists_apply(const olo_system *system, const double *q, const double *twists, double *out);
void olo_twists_gather(const olo_system *system, const double *q, const double *row,
                       double *twists);

#endif
