/* Projection of the momentum p at the end of a step to the constraints there, for dense treatments:
 *
 *     v1 = W (G W)^-1 rate + U nu,
 *     U^T M U nu = U^T (p - M W (G W)^-1 rate),
 *     (h/2) G^T lambda_end = p - M v1,
 *
 * with G(q1)^T = [W U][R; 0], the rate of prescribed motions, and without redundant rows. */
#ifndef OLO_STEPPING_MOMENTUM_PROJECTION_H
#define OLO_STEPPING_MOMENTUM_PROJECTION_H

#include "base/pool.h"
#include "stepping/row_basis.h"

typedef struct olo_momentum_projection {
    const olo_system *system;
    olo_pool pool;
    olo_row_basis split; /* of G at q_end */
    double *K;           /* [dofs x dofs] U^T M U */
    int *K_pivot;
    double *nu, *rate, *l, *row; /* [n], of the split's rank, [n] */
} olo_momentum_projection;

/* Returns false if memory runs out; olo_momentum_projection_free must be called also then. */
bool olo_momentum_projection_create(olo_momentum_projection *x, const olo_system *system);
void olo_momentum_projection_free(olo_momentum_projection *x);
/* Computes step->v1 and step->lambda_end from step->momentum at step->q_end. */
olo_status olo_momentum_projection_apply(olo_momentum_projection *x, olo_step *step,
                                         olo_error *error);

#endif
