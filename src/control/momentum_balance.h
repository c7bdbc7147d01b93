/* The momentum balance of an optimum: linear momentum and angular momentum about the origin, for
 * each of the six rigid motions xi, at the nodes
 *
 *     L_0 = xi(q_0).M v_0,    L_k+1 = xi(q_k+1).p_k+1,    L_N = xi(q_N).M v_N,
 *
 * change over every interval by the impulses of gravity, loads, controls and supports alone,
 *
 *     L_k+1 - L_k = sum of xi(q_k).f_k^- + xi(q_k+1).f_k^+     (Leyendecker 2011, 5.23).
 *
 * The momentum p_k+1 of an interval is its discrete Legendre transform with all forces (5.13),
 *
 *     variational           p_k+1 = M dq/h - h/2 dV(q_m) + h/2 f(q_k+1) - h/2 G(q_k+1)^T lambda_k+1
 *     energy-momentum-2006  p_k+1 = M dq/h - h/2 (dV - f + d^T lambda_k), all over the interval,
 *
 * and dV, f and G contain the forces within and between bodies: springs, joints, torques of joints.
 * The right side omits them. Which they are follows from the forms of the model
 * (olo_system_find_internal), not from forces; so a torque between two bodies without its reaction
 * is a defect, as is an impulse with which the motion found does not comply. Configurations,
 * controls and multipliers are those found; the functions of the transcription are not used. */
#ifndef OLO_CONTROL_MOMENTUM_BALANCE_H
#define OLO_CONTROL_MOMENTUM_BALANCE_H

#include "control/optimum.h"

typedef struct olo_momentum_balance {
    double linear, angular;               /* largest defects */
    double linear_change, angular_change; /* largest changes over an interval */
} olo_momentum_balance;

olo_status olo_momentum_balance_check(const olo_optimum *optimum, olo_momentum_balance *balance,
                                      olo_error *error);

#endif
