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

/* The row x - f(t) = 0 of a prescribed motion does the work -h lambda d.dq/h = -lambda (f1 - f0).
 */
static void add_drive_work(const olo_step *step, olo_state *state)
{
    const olo_system *s = step->system;
    olo_interval x = olo_step_interval(step);
    for (int i = 0; i < s->drive_count; i++) {
        int row = s->drives[i].row;
        double advance = olo_constraint_advance(&s->constraints[row], &x);
        olo_balance_add_drive_work(step, state, i, -state->lambda[row] * advance);
    }
}

static void finish(const olo_step *step, olo_state *state)
{
    add_drive_work(step, state);
    for (int i = 0; i < step->system->n; i++)
        step->v1[i] = 2 / step->h * step->x.dq[i] - state->v[i];
    olo_balance_finish(step, state);
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
