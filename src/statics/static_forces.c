/* The static balance over a step of zero length, T = grad V + load (L - f), with half of its
 * tangent; and the tangent by rates. */
#include "statics/static_balance.h"
#include "stepping/balance.h"

/* The step of zero length as an interval of length h around time 0. */
static olo_interval interval_around(const olo_step *step, double h)
{
    olo_interval x = olo_step_interval(step);
    x.h = h;
    x.t = -0.5 * h;
    return x;
}

/* The force of an action at rest: the target of a controller has no rate. */
void olo_static_evaluate_action(const olo_step *step, int i, double *f, double *tangent)
{
    /* forces that depend on positions and rates together have a derivative by rates that is a
     * quotient by h, and vanishes for a long step */
    const double ever = 0x1p60;
    olo_action still = step->system->actions[i];
    olo_interval x = interval_around(step, olo_action_mixes_rates(still.type) ? ever : 1.0);
    still.kd = 0;
    olo_evaluate_action(&still, &x, f, tangent);
}

/* A step so short that h df/dq1 contains only the forces that depend on rates. */
static const double brief = 0x1p-60;

/* The tangent of action i by rates: the derivative of its force over a short step, at which a
 * controller is at its target. */
static double action_damping(const olo_step *step, int i, double *tangent)
{
    olo_action moving = step->system->actions[i];
    if (olo_action_mixes_rates(moving.type)) {
        /* the difference of its derivatives over a step of length one and a long one */
        int count = moving.size * moving.size;
        double still[OLO_ACTION_SIZE_MAX * OLO_ACTION_SIZE_MAX];
        olo_static_evaluate_action(step, i, step->r, still);
        olo_interval x = interval_around(step, 1.0);
        olo_evaluate_action(&moving, &x, step->r, tangent);
        for (int k = 0; k < count; k++)
            tangent[k] -= still[k];
        return 1.0;
    }
    moving.kp = 0;
    moving.time = (olo_time_function){0};
    olo_interval x = interval_around(step, brief);
    olo_evaluate_action(&moving, &x, step->r, tangent);
    return brief;
}

void olo_static_damping(olo_step *step, double factor, const olo_sink *sink)
{
    const olo_system *s = step->system;
    olo_interval x = interval_around(step, brief);
    for (int i = 0; i < s->term_count; i++)
        if (s->terms[i].law->dissipative) {
            olo_evaluate_term(&step->evaluation, &s->terms[i], &x, step->r, step->K);
            sink->local(sink->context, i, factor * brief, step->K);
        }
    for (int i = 0; i < s->action_count; i++)
        if (s->actions[i].type->rates && s->actions[i].type->has_tangent) {
            double h = action_damping(step, i, step->K);
            sink->local(sink->context, olo_piece_of_action(s, i), -factor * step->load * h,
                        step->K);
        }
}

static void balance(olo_step *step, const olo_sink *sink)
{
    const olo_system *s = step->system;
    const olo_interval x = olo_step_interval(step);
    for (int i = 0; i < s->n; i++)
        step->T[i] = step->load * step->constant[i];
    for (int k = 0; k < step->single_count; k++)
        if (!s->terms[step->active[k]].law->dissipative)
            (void)olo_balance_add_term(step, &x, step->active[k], sink);
    for (int k = 0; k < step->pack_count; k++)
        if (!step->packs[k].term[0]->law->dissipative)
            (void)olo_balance_add_pack(step, &step->packs[k], &x, sink);
    for (int i = 0; i < s->action_count; i++) {
        bool tangent = sink && s->actions[i].type->has_tangent;
        olo_static_evaluate_action(step, i, step->r, tangent ? step->K : NULL);
        olo_balance_add_piece(step, olo_piece_of_action(s, i), -step->load, tangent ? sink : NULL);
    }
}

static double one(const olo_step *step)
{
    (void)step;
    return 1.0;
}

const olo_scheme olo_scheme_static = {
    .name = "rest", .unit = 1, .balance = balance, .multiplier_factor = one};
