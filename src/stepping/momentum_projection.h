/* The momentum p at the end of a step projected to the constraints there, for treatments that are
 * dense:
 *
 *     v1 = W (G W)^-1 rate + U nu,   U^T M U nu = U^T (p - M W (G W)^-1 rate),   (h/2) G^T
 *         lambda_end = p - M v1,
 *
 * with G(q1)^T = [W U][R; 0], the rate that motions over time prescribe, and rows that repeat
 * others left out.
 */
#ifndef OLO_STEPPING_MOMENTUM_PROJECTION_H
#define OLO_STEPPING_MOMENTUM_PROJECTION_H

#include "base/pool.h"
#include "stepping/row_basis.h"

typedef struct olo_momentum_projection {
    const olo_system *system;
    olo_pool pool;
    olo_row_basis split; /* of G at q_end */
    double *K;           /* [freedoms x freedoms] U^T M U */
    int *K_pivot;
    double *nu, *rate, *l, *row; /* [n], of the split's rank, [n] */
} olo_momentum_projection;

/* False when memory is out; olo_momentum_projection_free takes back what there is. */
bool olo_momentum_projection_create(olo_momentum_projection *x, const olo_system *system);
void olo_momentum_projection_free(olo_momentum_projection *x);
/* step->v1 and step->lambda_end from step->momentum at step->q_end. */
olo_status olo_momentum_projection_apply(olo_momentum_projection *x, olo_step *step,
                                         olo_error *error);

#endif
