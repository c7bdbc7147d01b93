/* The variational scheme: midpoint discrete Lagrangian (Leyendecker 2011),
 *
 *     L_d(q0, q1) = 1/(2h) dq.M dq - h V(q_m),
 *     D1 L_d = -M dq/h - (h/2) grad V(q_m),
 *     D2 L_d =  M dq/h - (h/2) grad V(q_m),
 *
 * as a map of configuration and momentum. One half of every load and drive acts at either end, with
 * the vectors of that node, f^- = (h/2) B(q0)^T tau and f^+ = (h/2) B(q1)^T tau (Leyendecker 2011,
 * 5.11); tau is evaluated at the middle of the step. One half of the force of a damper over the
 * step acts at either end, too:
 *
 *     p0 + D1 L_d + f^- = (h_- + h)/2 G(q0)^T lambda,   g(q1) = 0     (a)
 *     p1 = D2 L_d + f^+                                               (b)
 *     M v1 = p1 - (h/2) G(q1)^T lambda^+,   G(q1) v1 = 0              (c)
 *
 * (a) times -2 is T + weight h G^T lambda = 0. (b) is the momentum from which the next step starts.
 * (c) is its projection to the constraints. h_- is the previous step, zero at the start, where
 * p0 = M v0. Since P^T G^T = 0 the projection changes no configuration: it serves output only and
 * is omitted in steps whose velocities are not read. This is the two-step scheme
 *
 *     D2 L_d + D1 L_d = h G^T lambda.
 *
 * It is symplectic and of second order; all momentum maps that are at most quadratic are exact, and
 * the energy is bounded but not constant. */
#include <math.h>
#include <string.h>

#include "stepping/balance.h"
#include "stepping/momenta.h"

/* D2 L_d + f^+ = 1/2 (M (2/h) dq - h grad V + h f), and E_d = 1/2 v.M v + V(q_m) with v = dq/h */
static void momentum(olo_step *step)
{
    const double *restrict dq = step->x.dq, *restrict T = step->T, a = 2 / step->h;
    double *restrict v = step->v1, *restrict p = step->momentum;
    const int n = step->system->n;
    double potential = olo_balance_forces(step, true), twice = 0;
    for (int i = 0; i < n; i++)
        v[i] = a * dq[i];
    olo_system_mass_times(step->system, v, p);
    for (int i = 0; i < n; i++) {
        twice += dq[i] * p[i];
        p[i] = 0.5 * (p[i] - T[i]);
    }
    step->energy = twice / (4 * step->h) + potential;
}

/* The work of prescribed motions x = f(t). In a step from velocities that satisfy the constraints,
 * their rows exert the impulses s0 at its start, on p0, and e1 at its end, on p1. Both change the
 * rate of x between that of the motion and its mean over the step,
 *
 *     W = -1/2 s0 (f'(t0) + df/h) - 1/2 e1 (df/h + f'(t1)),
 *     s0 + e0 = (h_- + h)/2 lambda,   e1 = (h/2) lambda^+.
 *
 * The multipliers alone would not suffice: between steps of different size (h_- + h)/2 lambda
 * belongs to two steps, and lambda is of first order only. This W depends on the step alone and
 * changes its sign when the step is reversed; therefore it has the order of composed steps. */
static void add_drive_work(const olo_step *step, olo_state *state)
{
    const olo_system *s = step->system;
    olo_interval x = olo_step_interval(step);
    const double half = 0.5 * step->h;
    double *impulse_end = olo_drive_impulses(state);
    for (int i = 0; i < s->drive_count; i++) {
        int row = s->drives[i].row;
        const olo_constraint *motion = &s->constraints[row];
        double mean = olo_constraint_advance(motion, &x) / step->h;
        double rate0 = olo_constraint_motion_rate(motion, step->t);
        double rate1 = olo_constraint_motion_rate(motion, step->t + step->h);
        double before = step->from_momentum ? impulse_end[i] : 0;
        double start = half * step->weight * state->lambda[row] - before;
        double end = half * step->lambda_end[row];
        double work = -0.5 * (start * (rate0 + mean) + end * (mean + rate1));
        olo_balance_add_drive_work(step, state, i, work);
        impulse_end[i] = end;
    }
}

static void finish(const olo_step *step, olo_state *state)
{
    add_drive_work(step, state);
    olo_balance_finish(step, state);
    olo_momentum_segment *memory = olo_momentum_of(state);
    memcpy(memory->momentum, step->momentum, (size_t)state->n * sizeof *step->momentum);
    memory->given = 1;
    state->interval_energy = step->energy;
    state->has_interval_energy = 1;
}

const olo_scheme olo_scheme_variational = {
    .name = "variational",
    .conserves =
        "momenta are conserved to round-off at any step size; steps are symplectic, and the energy "
        "oscillates in a band that shrinks with the step, without drift",
    .highest_order = 6,
    .constant = true,
    .unit = 2,
    .evaluation = {.midpoint = true, .at_start = true, .at_nodes = true},
    .inertial = true,
    .energy_error = HUGE_VAL,
    .turn = 2.0,
    .begin = olo_balance_begin,
    .balance = olo_balance,
    .multiplier_factor = olo_balance_multiplier_factor,
    .momentum = momentum,
    .finish = finish};
