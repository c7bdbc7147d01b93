/* The energy-momentum scheme with velocities that satisfy their constraints (docs/theory.md): the
 * idea of Gear, Gupta and Leimkuhler (1985), discretised as by Kinon, Betsch and Schneider (2023).
 * With f(q, v) = G(q) v + dg/dt, the discrete gradients d of the rows and the vectors a of
 * system/rate_interval.h, v_m = (v0 + v1)/2,
 *
 *     M (q1 - q0) = h M v_m + h sum gamma d,
 *     M (v1 - v0) = -h dV(q0, q1) + h F - h sum lambda d - h sum gamma a,
 *     g(q1) = 0,   f(q1, v1) = 0.
 *
 * The first equation eliminated from the second gives the balance T of the published scheme and one
 * new force,
 *
 *     T + h sum mu d + h sum gamma a = 0,   mu = lambda - 2 gamma/h,
 *     T = (2/h) M (q1 - q0) - 2 M v0 + h dV - h F.
 *
 * gamma is of order h^2. Energy, and momentum maps that are at most quadratic, are exact at any
 * step size, and they are those of the motion: no velocity is normal to the constraints. The step
 * is symmetric; compositions have order 4 and 6 in positions and velocities. */
#include "stepping/balance.h"

static void finish(const olo_step *step, olo_state *state)
{
    olo_balance_add_row_work(step, state);
    olo_balance_finish(step, state);
}

const olo_scheme olo_scheme_energy_momentum = {
    .name = "energy-momentum",
    .conserves = "energy and momenta of velocities that satisfy the constraints are conserved to "
                 "round-off at any step size",
    .highest_order = 6,
    .unit = 1,
    .inertial = true,
    .consistent = true,
    .without_rows = &olo_scheme_energy_momentum_2006,
    .turn = OLO_HALF_TURN,
    .begin = olo_balance_begin,
    .balance = olo_balance,
    .multiplier_factor = olo_balance_multiplier_factor,
    .finish = finish};
