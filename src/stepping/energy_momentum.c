/* The energy-momentum scheme (thesis 3.2, eq. B.4):
 *
 *     T(q1) = (2/h) M (q1 - q0) - 2 M v0 + h dV(q0, q1) - h f(t_m, q_m),   T + h G(q_m)^T lambda = 0
 *     v1    = (2/h) (q1 - q0) - v0
 *
 * dV is the discrete gradient through quadratic invariants. Conserves energy and every momentum map that is
 * at most quadratic, exactly, at any step size; second order.
 */
#include <math.h>
#include <string.h>

#include "linalg/vec3.h"
#include "stepping/step.h"

static olo_interval interval_of(const olo_step *step)
{
    return (olo_interval){
        .q0 = step->x.q0, .q1 = step->x.q1, .qm = step->x.qm, .dq = step->x.dq, .h = step->h,
        .angles = step->state->angles};
}

static void begin(olo_step *step)
{
    olo_system_mass_times(step->system, step->state->v, step->Mv0);
}

/* T = (2/h) M dq - 2 M v0 + h (constant forces); the size of its parts is kept as a measure of round-off */
static void add_inertia(olo_step *step)
{
    const olo_system *s = step->system;
    double a = 2 / step->h, largest = 0;
    for (int i = 0; i < s->n; i++) {
        step->T[i] = step->h * step->constant[i] - 2 * step->Mv0[i];
        largest = fmax(largest, fabs(step->h * step->constant[i]) + 2 * fabs(step->Mv0[i]));
    }
    for (int e = 0; e < s->mass_count; e++) {
        const olo_mass_entry *entry = &s->mass[e];
        vec3_add(a * entry->m, step->x.dq + entry->j, step->T + entry->i);
        if (entry->i != entry->j)
            vec3_add(a * entry->m, step->x.dq + entry->i, step->T + entry->j);
    }
    step->scale = largest;
}

static void add_piece(olo_step *step, int piece, double factor, const double *r)
{
    const int *index = olo_piece_index(step->system, piece);
    int size = olo_piece_size(step->system, piece);
    for (int i = 0; i < size; i++) {
        step->T[index[i]] += factor * r[i];
        step->scale = fmax(step->scale, fabs(factor * r[i]));
    }
}

static void balance(olo_step *step, const olo_sink *sink)
{
    const olo_system *s = step->system;
    olo_interval x = interval_of(step);
    add_inertia(step);
    if (sink)
        sink->mass(sink->context, 2 / step->h);
    for (int i = 0; i < s->term_count; i++) {
        if (!olo_piece_has_tangent(s, i))
            continue; /* among the constant forces */
        olo_term_discrete(&s->terms[i], &x, step->r, sink ? step->K : NULL);
        add_piece(step, i, step->h, step->r);
        if (sink)
            sink->local(sink->context, i, step->h, step->K);
    }
    for (int i = 0; i < s->action_count; i++) {
        const olo_action *action = &s->actions[i];
        bool tangent = sink && action->type->has_tangent;
        int piece = olo_piece_of_action(s, i);
        action->type->force(action, &x, step->state->t + 0.5 * step->h, step->r,
                            tangent ? step->K : NULL);
        add_piece(step, piece, -step->h, step->r);
        if (tangent)
            sink->local(sink->context, piece, -step->h, step->K);
    }
}

static double multiplier_factor(const olo_step *step)
{
    return step->h;
}

/* Adds to a number and its rest what rounding would take (two-sum). */
static void accumulate(double *value, double *rest, double increment)
{
    double sum = *value + increment, shift = sum - *value;
    *rest += (*value - (sum - shift)) + (increment - shift);
    /* bring the rest back into the value where it counts */
    *value = sum + *rest;
    *rest -= *value - sum;
}

static void finish(const olo_step *step, olo_state *state)
{
    const olo_system *s = step->system;
    olo_interval x = interval_of(step);
    for (int i = 0; i < s->term_count; i++)
        if (s->terms[i].law->dissipative)
            olo_sum_add(&state->dissipation, olo_term_discrete(&s->terms[i], &x, step->r, NULL));
    for (int i = 0; i < s->action_count; i++) {
        const olo_action *action = &s->actions[i];
        double work = 0;
        action->type->force(action, &x, state->t + 0.5 * step->h, step->r, NULL);
        for (int k = 0; k < action->size; k++)
            work += step->r[k] * x.dq[action->index[k]];
        olo_sum_add(&state->work, work);
    }
    for (int i = 0; i < s->n; i++) {
        double v0 = state->v[i];
        state->v_before[i] = v0;
        state->v[i] = 2 / step->h * x.dq[i] - v0;
        accumulate(&state->q[i], &state->q_rest[i], x.dq[i]);
    }
    state->t += step->h;
    state->h = step->h;
}

const olo_scheme olo_scheme_energy_momentum = {.name = "energy-momentum",
                                               .order = 2,
                                               .begin = begin,
                                               .balance = balance,
                                               .multiplier_factor = multiplier_factor,
                                               .finish = finish};
