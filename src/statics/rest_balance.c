/* The balance at rest over a step without length, T = grad V + load (L - f), with half of its tangent; and the mass. */
#include <string.h>

#include "statics/rest.h"

/* The rate of a controller's target is none. */
void olo_rest_act(const olo_step *step, int i, double *f, double *tangent)
{
    /* functions of the user's own in velocities give a guess of their slope over h: a long step has none */
    const double ever = 1e9;
    olo_interval x = olo_step_interval(step);
    olo_action still = step->system->actions[i];
    still.kd = 0;
    x.h = still.type->motion_tangent ? ever : 1.0;
    still.type->force(&still, &x, 0.0, f, tangent);
}

static void add_piece(olo_step *step, int piece, double factor)
{
    const int *index = olo_piece_index(step->system, piece);
    for (int i = 0; i < olo_piece_size(step->system, piece); i++)
        step->T[index[i]] += factor * step->r[i];
}

static void add_term(olo_step *step, int i, const olo_sink *sink)
{
    const olo_term *term = &step->system->terms[i];
    olo_interval x = olo_step_interval(step);
    olo_law_over law;
    if (sink && sink->stress && term->invariants) {
        olo_term_stress(term, &x, step->r, &law);
        add_piece(step, i, 1.0);
        sink->stress(sink->context, i, 1.0, &law);
        return;
    }
    olo_term_discrete(term, &x, step->r, sink ? step->K : NULL);
    add_piece(step, i, 1.0);
    if (sink)
        sink->local(sink->context, i, 1.0, step->K);
}

static void balance(olo_step *step, const olo_sink *sink)
{
    const olo_system *s = step->system;
    for (int i = 0; i < s->n; i++)
        step->T[i] = step->load * step->constant[i];
    for (int i = 0; i < s->term_count; i++)
        if (olo_piece_has_tangent(s, i) && !s->terms[i].law->dissipative)
            add_term(step, i, sink);
    for (int i = 0; i < s->action_count; i++) {
        bool tangent = sink && s->actions[i].type->has_tangent;
        int piece = olo_piece_of_action(s, i);
        olo_rest_act(step, i, step->r, tangent ? step->K : NULL);
        add_piece(step, piece, -step->load);
        if (tangent)
            sink->local(sink->context, piece, -step->load, step->K);
    }
}

static void mass(olo_step *step, const olo_sink *sink)
{
    memset(step->T, 0, (size_t)step->system->n * sizeof *step->T);
    if (sink)
        sink->mass(sink->context, 1.0);
}

static double one(const olo_step *step)
{
    (void)step;
    return 1.0;
}

const olo_scheme olo_scheme_rest = {
    .name = "rest", .unit = 1, .balance = balance, .multiplier_factor = one};
const olo_scheme olo_scheme_mass = {
    .name = "mass", .unit = 1, .balance = mass, .multiplier_factor = one};
