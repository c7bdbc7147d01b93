/* The variational scheme: midpoint discrete Lagrangian (Leyendecker 2011),
 *
 *     L_d(q0, q1) = 1/(2h) dq.M dq - h V(q_m),   D1 L_d = -M dq/h - (h/2) grad V(q_m),   D2 L_d = M dq/h - (h/2) grad V(q_m)
 *
 * as a map of configuration and momentum, half of loads and dampers at either end (f^- = f^+ = (h/2) f(t_m)):
 *
 *     p0 + D1 L_d + f^- = (h_- + h)/2 G(q0)^T lambda,   g(q1) = 0          twice that, negative, is T + weight h G^T lambda = 0
 *     p1 = D2 L_d + f^+                                                    with which the next step starts
 *     M v1 = p1 - (h/2) G(q1)^T lambda^+,   G(q1) v1 = 0                   the same projected to its constraints
 *
 * with h_- the step before, none at the start, where p0 = M v0. Since P^T G^T = 0 the projection changes no configuration: it is
 * there for those who look, and a step that nobody looks at goes without. This is the two-step scheme D2 L_d + D1 L_d = h G^T
 * lambda. Symplectic, all momentum maps at most quadratic exact, energy bounded but not constant; second order.
 */
#include <math.h>
#include <string.h>

#include "stepping/balance.h"

static const olo_term_view midpoint = {
    .force = olo_term_midpoint, .stress = olo_term_midpoint_stress, .middle = true};

static void balance(olo_step *step, const olo_sink *sink)
{
    olo_balance(step, &midpoint, sink);
}

/* D2 L_d + f^+ = 1/2 (M (2/h) dq - h grad V + h f), and E_d = 1/2 v.M v + V(q_m) with v = dq/h */
static void momentum(olo_step *step)
{
    const double *restrict dq = step->x.dq, *restrict T = step->T, a = 2 / step->h;
    double *restrict v = step->v1, *restrict p = step->momentum;
    const int n = step->system->n;
    double potential = olo_balance_forces(step, &midpoint), twice = 0;
    for (int i = 0; i < n; i++)
        v[i] = a * dq[i];
    olo_system_mass_times(step->system, v, p);
    for (int i = 0; i < n; i++) {
        twice += dq[i] * p[i];
        p[i] = 0.5 * (p[i] - T[i]);
    }
    step->energy = twice / (4 * step->h) + potential;
}

/* The multipliers halfway through the step: from those at its start and one step earlier. */
static const double *drive_multipliers(const olo_step *step, const olo_state *state)
{
    double ahead = step->bare ? 0.5 * step->h / state->h : 0;
    for (int i = 0; i < step->system->drive_count; i++) {
        int row = step->system->drives[i].row;
        double now = state->lambda[row];
        step->lambda_end[row] = now + ahead * (now - state->lambda_before[row]);
        state->lambda_before[row] = now;
    }
    return step->lambda_end;
}

static void finish(const olo_step *step, olo_state *state)
{
    olo_balance_finish(step, drive_multipliers(step, state), state);
    memcpy(state->momentum, step->momentum, (size_t)state->n * sizeof *state->momentum);
    state->bare = true;
    state->interval_energy = step->energy;
}

const olo_scheme olo_scheme_variational = {
    .name = "variational",
    .keeps = "momenta stay to round-off at any step; steps are symplectic, and the energy swings "
             "in a band that shrinks with the step, without drift",
    .highest_order = 6,
    .constant = true,
    .unit = 2,
    .at_start = true,
    .inertial = true,
    .energy_error = HUGE_VAL,
    .turn = 2.0,
    .begin = olo_balance_begin,
    .balance = balance,
    .multiplier_factor = olo_balance_multiplier_factor,
    .momentum = momentum,
    .finish = finish};
