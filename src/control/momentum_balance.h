/* The momentum balance of an optimum: at every node the linear momentum p = M v and the angular
 * momentum about the origin change by the impulses of forces, for each of the six rigid motions xi,
 *
 *     xi(q_k).M (dq_k/h_k - dq_k-1/h_k-1) = xi(q_k).(f_k-1^+ + f_k^- - h G(q_k)^T lambda_k)
 *
 * with M v at the start and at the end instead of the missing interval (Leyendecker 2011, 5.9
 * and 5.15). The left side comes from configurations and masses alone; the right side from the
 * forces of the model at the controls found, piece by piece, and from the multipliers, without the
 * functions of the transcription. Forces between bodies have no part in it. */
#ifndef OLO_CONTROL_MOMENTUM_BALANCE_H
#define OLO_CONTROL_MOMENTUM_BALANCE_H

#include "control/optimum.h"

typedef struct olo_momentum_balance {
    double linear, angular;               /* largest defects */
    double linear_change, angular_change; /* largest changes at a node */
} olo_momentum_balance;

olo_status olo_momentum_balance_check(const olo_optimum *optimum, olo_momentum_balance *balance,
                                      olo_error *error);

#endif
