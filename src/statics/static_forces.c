/* The static balance over a step of zero length, T = grad V + load (L - f), with half of its
 * tangent; and the tangent by rates. */
#include "statics/static_balance.h"
#include "stepping/balance.h"

/* The force of an action at rest: the target of a controller has no rate. */
void olo_static_evaluate_action(const olo_step *step, int i, double *f, double *tangent)
{
    /* user functions of velocities estimate their derivative as a quotient by h, which vanishes for
     * a long step */
    const double ever = 1e9;
    olo_interval x = olo_step_interval(step);
    olo_action still = step->system->actions[i];
    still.kd = 0;
    x.h = still.type->user ? ever : 1.0;
    still.type->force(&still, &x, 0.0, f, tangent);
}

/* A step so short that h df/dq1 contains only the forces that depend on rates. */
static const double brief = 0x1p-60;

/* The tangent of action i by rates: the derivative of its force over a short step, at which a
 * controller is at its target. */
static double action_damping(const olo_step *step, int i, double *tangent)
{
    olo_interval x = olo_step_interval(step);
    olo_action moving = step->system->actions[i];
    if (moving.type->user) {
        /* a user function: the difference of its derivatives over a step of length one and a long
         * one */
        int count = moving.size * moving.size;
        double still[OLO_ACTION_SIZE_MAX * OLO_ACTION_SIZE_MAX];
        olo_static_evaluate_action(step, i, step->r, still);
        x.h = 1.0;
        moving.type->force(&moving, &x, 0.0, step->r, tangent);
        for (int k = 0; k < count; k++)
            tangent[k] -= still[k];
        return 1.0;
    }
    moving.kp = 0;
    moving.time = (olo_time_function){0};
    x.h = brief;
    moving.type->force(&moving, &x, 0.0, step->r, tangent);
    return brief;
}

void olo_static_damping(olo_step *step, double factor, const olo_sink *sink)
{
    const olo_system *s = step->system;
    olo_interval x = olo_step_interval(step);
    x.h = brief;
    for (int i = 0; i < s->term_count; i++)
        if (s->terms[i].law->dissipative) {
            olo_term_discrete(&s->terms[i], &x, step->r, step->K);
            sink->local(sink->context, i, factor * brief, step->K);
        }
    for (int i = 0; i < s->action_count; i++)
        if (s->actions[i].type->rates && s->actions[i].type->has_tangent) {
            double h = action_damping(step, i, step->K);
            sink->local(sink->context, olo_piece_of_action(s, i), -factor * step->load * h,
                        step->K);
        }
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
    olo_term_discrete(term, &x, step->r, sink ? step->K : NULL);
    add_piece(step, i, 1.0);
    if (sink)
        sink->local(sink->context, i, 1.0, step->K);
}

static void balance(olo_step *step, const olo_sink *sink)
{
    const olo_system *s = step->system;
    const olo_interval x = olo_step_interval(step);
    for (int i = 0; i < s->n; i++)
        step->T[i] = step->load * step->constant[i];
    for (int k = 0; k < step->form_count; k++)
        if (!s->terms[step->active[k]].law->dissipative)
            add_term(step, step->active[k], sink);
    for (int k = 0; k < step->pack_count; k++)
        if (!step->packs[k].term[0]->law->dissipative)
            (void)olo_balance_add_pack(step, &step->packs[k], &x, 1.0, sink);
    for (int i = 0; i < s->action_count; i++) {
        bool tangent = sink && s->actions[i].type->has_tangent;
        int piece = olo_piece_of_action(s, i);
        olo_static_evaluate_action(step, i, step->r, tangent ? step->K : NULL);
        add_piece(step, piece, -step->load);
        if (tangent)
            sink->local(sink->context, piece, -step->load, step->K);
    }
}

static double one(const olo_step *step)
{
    (void)step;
    return 1.0;
}

const olo_scheme olo_scheme_static = {
    .name = "rest", .unit = 1, .balance = balance, .multiplier_factor = one};
