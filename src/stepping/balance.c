/* The balance of a step; see the header. */
#include "stepping/balance.h"

#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "system/rate_interval.h"

void olo_balance_begin(olo_step *step)
{
    if (!step->from_momentum)
        olo_system_mass_times(step->system, step->v0, step->Mv0);
    step->start_scale = 0;
    for (int i = 0; i < step->system->n; i++)
        olo_raise(&step->start_scale, fabs(step->h * step->constant[i]) + 2 * fabs(step->Mv0[i]));
}

/* T += m (a dq - b v0) of one vector */
static inline void add_change(int width, double m, double a, const double *dq, double b,
                              const double *v0, double *T)
{
    if (width == 1) {
        T[0] += m * (a * dq[0] - b * v0[0]);
        return;
    }
    const row3 change = row3_subtract(row3_times(a, row3_load(dq)), row3_times(b, row3_load(v0)));
    row3_store(row3_add_times(row3_load(T), m, change), T);
}

/* Inertia and constant forces of a frame: T = M (a dq - 2 v0) + h f, or M a dq - 2 p0 + h f if the
 * step starts from a momentum. */
static void set_frame(const olo_frame_mass *frame, const olo_frame_inertia *x)
{
    const int q = frame->q;
    const double *start = x->start + q;
    row3 change[4], p[4];
    for (int I = 0; I < 4; I++) {
        change[I] = row3_times(2 / x->h, row3_load(x->dq + q + 3 * I));
        if (!x->from_momentum)
            change[I] = row3_subtract(change[I], row3_times(2, row3_load(start + 3 * I)));
    }
    olo_frame_mass_rows(frame, change, p);
    for (int I = 0; I < 4; I++) {
        if (x->from_momentum)
            p[I] = row3_subtract(p[I], row3_times(2, row3_load(start + 3 * I)));
        if (x->constant)
            p[I] = row3_add(row3_times(x->h, row3_load(x->constant + q + 3 * I)), p[I]);
        row3_store(p[I], x->T + q + 3 * I);
    }
}

/* T = M (v1 - v0) + h (constant forces). The difference v1 - v0 = (2/h) dq - 2 v0 is formed before
 * it is multiplied by the mass: a rounded product (2/h) m would scale dq by another factor than in
 * v1, the same one in every step, and the velocity would drift. If a step starts from a momentum,
 * that is subtracted instead; the next one is formed with the same (2/h) dq. The magnitude of the
 * terms is stored as a scale of round-off. */
void olo_balance_inertia(const olo_step *step, const olo_frame_inertia *x)
{
    const olo_system *s = step->system;
    const olo_frame_packs *frames = &step->frames;
    double a = 2 / x->h, of_velocity = x->from_momentum ? 0 : 2,
           of_momentum = x->from_momentum ? 2 : 0;
    for (int k = 0; k < frames->alone_count; k++) {
        const olo_node *node = &s->nodes[frames->alone[k]];
        for (int i = node->q; i < node->q + node->size; i++)
            x->T[i] = (x->constant ? x->h * x->constant[i] : 0) - of_momentum * x->start[i];
    }
    for (int k = 0; k < frames->count; k++)
        frames->kernels->set_inertia(&frames->pack[k], x);
    if (frames->single >= 0)
        set_frame(&s->frames[s->nodes[frames->single].frame], x);
    for (int k = 0; k < frames->pair_count; k++)
        frames->kernels->add_inertia(&frames->pair[k], x);
    for (int e = 0; e < frames->loose_count; e++) {
        const olo_mass_entry *entry = &frames->loose[e];
        int i = entry->i, j = entry->j;
        add_change(entry->width, entry->m, a, x->dq + j, of_velocity, x->start + j, x->T + i);
        if (i != j)
            add_change(entry->width, entry->m, a, x->dq + i, of_velocity, x->start + i, x->T + j);
    }
}

static void add_inertia(olo_step *step)
{
    const olo_frame_inertia inertia = {.h = step->h,
                                       .dq = step->x.dq,
                                       .start = step->from_momentum ? step->Mv0 : step->v0,
                                       .constant = step->constant,
                                       .from_momentum = step->from_momentum,
                                       .T = step->T};
    olo_balance_inertia(step, &inertia);
    step->scale = step->start_scale;
}

void olo_balance_add_piece(olo_step *step, int piece, double factor, const olo_sink *sink)
{
    const int *index = olo_piece_index(step->system, piece);
    const double *r = step->r;
    int size = olo_piece_size(step->system, piece);
    for (int i = 0; i < size; i++) {
        step->T[index[i]] += factor * r[i];
        olo_raise(&step->scale, fabs(factor * r[i]));
    }
    if (sink)
        sink->local(sink->context, piece, factor, step->K);
}

double olo_balance_add_term(olo_step *step, const olo_interval *x, int i, const olo_sink *sink)
{
    const olo_term *term = &step->system->terms[i];
    double own = 0;
    if (sink && sink->stress) {
        olo_law_over law;
        const double *at = olo_evaluate_stress(&step->evaluation, term, x, step->r, &law, &own);
        olo_balance_add_piece(step, i, step->h, NULL);
        sink->stress(sink->context, i, term, step->h, &law, at);
    } else {
        own = olo_evaluate_term(&step->evaluation, term, x, step->r, sink ? step->K : NULL);
        olo_balance_add_piece(step, i, step->h, sink);
    }
    return term->law->dissipative ? 0 : own;
}

double olo_balance_add_pack(olo_step *step, const olo_term_pack *pack, const olo_interval *x,
                            const olo_sink *sink)
{
    const olo_pack_balance balance = {.factor = step->h, .T = step->T, .scale = &step->scale};
    olo_pack_step at;
    double energy = 0;
    if (sink && !sink->pack) {
        for (int l = 0; l < pack->count; l++)
            energy += olo_balance_add_term(step, x, pack->piece[l], sink);
        return energy;
    }
    olo_term_pack_evaluate(pack, &step->evaluation, x, sink != NULL, &balance, &at);
    if (sink)
        sink->pack(sink->context, pack, step->h, &at);
    for (int l = 0; l < pack->count && !pack->term[0]->law->dissipative; l++)
        energy += at.energy[l];
    return energy;
}

/* Adds the terms; returns their energy, without dissipative ones. */
static double add_terms(olo_step *step, const olo_interval *x, const olo_sink *sink)
{
    double energy = 0;
    for (int k = 0; k < step->single_count; k++)
        energy += olo_balance_add_term(step, x, step->active[k], sink);
    for (int k = 0; k < step->pack_count; k++)
        energy += olo_balance_add_pack(step, &step->packs[k], x, sink);
    return energy;
}

/* A force at a node depends on the end of the step through its magnitude only. */
static void add_actions(olo_step *step, bool end, const olo_sink *sink)
{
    const olo_system *s = step->system;
    const olo_interval over = olo_step_actions(step, end), *x = &over;
    const bool between = over.acting == OLO_ACT_BETWEEN;
    for (int i = 0; i < s->action_count; i++) {
        const olo_action *action = &s->actions[i];
        const bool tangent = sink && action->type->has_tangent && (between || action->type->rates);
        const int piece = olo_piece_of_action(s, i);
        if (tangent && between && sink->stress && action->type->stress) {
            olo_law_over law;
            action->type->stress(action, x, step->r, &law);
            olo_balance_add_piece(step, piece, -step->h, NULL);
            sink->stress(sink->context, piece, action->coordinate, -step->h, &law, x->q1);
        } else {
            olo_evaluate_action(action, x, step->r, tangent ? step->K : NULL);
            olo_balance_add_piece(step, piece, -step->h, tangent ? sink : NULL);
        }
    }
}

void olo_balance(olo_step *step, const olo_sink *sink)
{
    olo_interval x = olo_step_interval(step);
    add_inertia(step);
    if (sink)
        sink->mass(sink->context, 2 / step->h);
    (void)add_terms(step, &x, sink);
    add_actions(step, false, sink);
}

double olo_balance_forces(olo_step *step, bool end)
{
    olo_interval x = olo_step_interval(step);
    double energy = step->constant_energy;
    for (int i = 0; i < step->system->n; i++) {
        step->T[i] = step->h * step->constant[i];
        energy += step->constant[i] * x.qm[i];
    }
    energy += add_terms(step, &x, NULL);
    add_actions(step, end, NULL);
    return energy;
}

double olo_balance_multiplier_factor(const olo_step *step)
{
    return step->h;
}

void olo_balance_add_row_work(const olo_step *step, olo_state *state)
{
    const olo_system *s = step->system;
    olo_interval x = olo_step_interval(step);
    for (int i = 0; i < s->drive_count; i++) {
        const int row = s->drives[i].row;
        const olo_constraint *motion = &s->constraints[row];
        double work = state->lambda[row] * olo_constraint_advance(motion, &x);
        if (step->gamma[row] != 0)
            work += step->gamma[row] * olo_rate_advance(motion, &x);
        olo_balance_add_drive_work(step, state, i, -work);
    }
}

void olo_balance_add_drive_work(const olo_step *step, olo_state *state, int drive, double work)
{
    const olo_system *s = step->system;
    olo_sum_add(&state->work, work);
    olo_state_add_received_energy(s, state, s->constraints[s->drives[drive].row].index[0], work);
    state->drive_work[drive] += work;
}

static void add_loss(const olo_step *step, int term, double lost, olo_state *state)
{
    olo_sum_add(&state->dissipation, lost);
    olo_state_add_received_energy(step->system, state, step->system->terms[term].index[0], -lost);
}

/* The energy that dissipative terms have taken in the step. */
static void add_losses(const olo_step *step, const olo_interval *x, olo_state *state)
{
    for (int k = 0; k < step->single_count; k++) {
        const int i = step->active[k];
        const olo_term *term = &step->system->terms[i];
        if (term->law->dissipative)
            add_loss(step, i,
                     step->exchanged ? step->exchange[i]
                                     : olo_evaluate_term(&step->evaluation, term, x, step->r, NULL),
                     state);
    }
    for (int k = 0; k < step->pack_count; k++) {
        const olo_term_pack *pack = &step->packs[k];
        olo_pack_step at;
        if (!pack->term[0]->law->dissipative)
            continue;
        if (!step->exchanged)
            olo_term_pack_stress(pack, &step->evaluation, x, false, &at);
        for (int l = 0; l < pack->count; l++)
            add_loss(step, pack->piece[l],
                     step->exchanged ? step->exchange[pack->piece[l]] : at.energy[l], state);
    }
}

void olo_balance_finish_work(const olo_step *step, olo_state *state)
{
    const olo_system *s = step->system;
    olo_interval x = olo_step_interval(step);
    add_losses(step, &x, state);
    for (int i = 0; i < s->action_count; i++) {
        const olo_action *action = &s->actions[i];
        double work = step->exchanged ? step->exchange[olo_piece_of_action(s, i)] : 0;
        if (!step->exchanged)
            olo_evaluate_action(action, &x, step->r, NULL);
        for (int k = 0; !step->exchanged && k < action->size; k++)
            work += step->r[k] * x.dq[action->index[k]];
        olo_sum_add(&state->work, work);
        olo_state_add_received_energy(s, state, action->index[0], work);
    }
    state->t += step->h;
    state->h = state->span = step->h;
}

void olo_balance_finish(const olo_step *step, olo_state *state)
{
    double *before = state->v_before, *v = state->v;
    const double *v1 = step->v1;
    olo_balance_finish_work(step, state);
    if (step->pending)
        return;
    for (int i = 0; i < step->system->n; i++) {
        const double last = v[i];
        v[i] = v1[i];
        before[i] = last;
    }
}
