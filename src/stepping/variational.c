/* The variational scheme: midpoint discrete Lagrangian (variational sheet, 2.2 to 2.6),
 *
 *     L_d(q0, q1) = 1/(2h) dq.M dq - h V(q_m),   D1 L_d = -M dq/h - (h/2) grad V(q_m),   D2 L_d = M dq/h - (h/2) grad V(q_m)
 *
 * as a map of configuration and momentum p0 = M v0, half of loads and dampers at either end (f^- = f^+ = (h/2) f(t_m)):
 *
 *     p0 + D1 L_d + f^- = (h/2) G(q0)^T lambda^-,   g(q1) = 0              twice that, negative, is T + h G(q0)^T lambda = 0
 *     M v1 = D2 L_d + f^+ - (h/2) G(q1)^T lambda^+,   G(q1) v1 = 0         the momentum projected to its constraints
 *
 * Since P^T Q = P^T the projection changes no configuration: this is the two-step scheme D2 L_d + D1 L_d = h G^T lambda
 * with the multiplier of a node from both of its half impulses, h_n lambda_n = h/2 (lambda^+ + lambda^-). Symplectic,
 * all momentum maps at most quadratic exact, energy bounded but not constant; second order.
 */
#include <math.h>
#include <string.h>

#include "stepping/balance.h"

static void balance(olo_step *step, const olo_sink *sink)
{
    olo_balance(step, olo_term_midpoint, false, sink);
}

/* D2 L_d + f^+ = M (2 dq/h - v0) - T/2, with T anew: Newton has gone on since it was formed. */
static void momentum(olo_step *step)
{
    balance(step, NULL);
    for (int i = 0; i < step->system->n; i++)
        step->v1[i] = 2 / step->h * step->x.dq[i] - step->v0[i];
    olo_system_mass_times(step->system, step->v1, step->momentum);
    for (int i = 0; i < step->system->n; i++)
        step->momentum[i] -= 0.5 * step->T[i];
}

/* E_d = 1/2 v.M v + V(q_m), v = dq/h */
static double interval_energy(const olo_step *step)
{
    const olo_system *s = step->system;
    olo_interval x = olo_step_interval(step);
    double energy = 0;
    olo_system_mass_times(s, x.dq, step->T);
    for (int i = 0; i < s->n; i++)
        energy += x.dq[i] * step->T[i];
    energy *= 0.5 / (step->h * step->h);
    for (int i = 0; i < s->term_count; i++)
        if (!s->terms[i].law->dissipative)
            energy += olo_term_energy(&s->terms[i], x.qm, x.angles);
    return energy;
}

/* value = that of the node, from its half impulse at the end of the last step (times `unit`) and that at the start of
 * this one */
static void join_halves(int count, double weight, double unit, const double *before, double *value)
{
    for (int i = 0; i < count; i++)
        value[i] += weight * (unit * before[i] - value[i]);
}

static void finish(const olo_step *step, olo_state *state)
{
    double weight = state->h / (state->h + step->h);
    olo_balance_finish(step, step->v1, step->lambda_end, state);
    if (state->halved && isfinite(weight)) { /* a step straight back has no node with its half */
        join_halves(state->m, weight, 1.0, state->lambda_end, state->lambda);
        join_halves(state->twists, weight, step->h, state->wrench_end, state->wrench);
    }
    memcpy(state->lambda_end, step->lambda_end, (size_t)state->m * sizeof *state->lambda_end);
    memcpy(state->wrench_end, step->wrench_end, (size_t)state->twists * sizeof *state->wrench_end);
    state->halved = true;
    state->interval_energy = interval_energy(step);
}

const olo_scheme olo_scheme_variational = {.name = "variational",
                                           .highest_order = 6,
                                           .constant = true,
                                           .unit = 2,
                                           .at_start = true,
                                           .energy_error = HUGE_VAL,
                                           .turn = 2.0,
                                           .begin = olo_balance_begin,
                                           .balance = balance,
                                           .multiplier_factor = olo_balance_multiplier_factor,
                                           .momentum = momentum,
                                           .finish = finish};
