/* The energy-momentum scheme (thesis 3.2, eq. B.4):
 *
 *     T(q1) = (2/h) M (q1 - q0) - 2 M v0 + h dV(q0, q1) - h f(t_m, q_m),
 *     T + h G(q_m)^T lambda = 0,
 *     v1 = (2/h) (q1 - q0) - v0.
 *
 * dV is the discrete gradient through quadratic invariants. The scheme conserves energy and every
 * momentum map that is at most quadratic, exactly, at any step size; it is of second order. The
 * step reflects velocities normal to the constraints, so that these remain of second order in all
 * compositions; configuration and tangential momentum reach order 4. */
#include "stepping/balance.h"

static void finish(const olo_step *step, olo_state *state)
{
    const double a = 2 / step->h, *restrict dq = step->x.dq;
    double *restrict v = state->v, *restrict before = state->v_before;
    olo_balance_add_row_work(step, state);
    for (int i = 0; i < step->system->n; i++) {
        const double v0 = v[i];
        before[i] = v0;
        v[i] = a * dq[i] - v0;
    }
    olo_balance_finish_work(step, state);
}

const olo_scheme olo_scheme_energy_momentum_2006 = {
    .name = "energy-momentum-2006",
    .conserves = "energy and momenta are conserved to round-off at any step size",
    .highest_order = 4,
    .unit = 1,
    .inertial = true,
    .turn = OLO_HALF_TURN,
    .begin = olo_balance_begin,
    .balance = olo_balance,
    .multiplier_factor = olo_balance_multiplier_factor,
    .finish = finish};
