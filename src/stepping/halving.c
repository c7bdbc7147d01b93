/* Composition and halving of steps: a step of higher order is composed of parts of second order. If
 * one of them fails, the whole step is split into halves, so that its order is preserved. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "stepping/step.h"
#include "stepping/step_size_control.h"

/* Adds the time, the step size, the worst node and the last updates to an error. */
static void add_context(const olo_stepper *x, const olo_state *state, double h, olo_error *error)
{
    char history[512] = "";
    size_t used = 0;
    int first = x->history_count > 8 ? x->history_count - 8 : 0;
    for (int i = first; i < x->history_count && used < sizeof history; i++) {
        char update[16] = "not finite";
        if (isfinite(x->history[i]))
            snprintf(update, sizeof update, "%.1e", x->history[i]);
        used += (size_t)snprintf(history + used, sizeof history - used, " %s", update);
    }
    olo_error cause = *error;
    const char *undefined = olo_step_find_undefined(&x->step);
    if (undefined) {
        olo_fail(error, cause.status,
                 "the step at t = %.9g failed: '%s' is not a finite number before t = %.9g: check "
                 "its expression, table or function",
                 state->t, undefined, state->t + h);
        return;
    }
    olo_fail(error, cause.status,
             "the step at t = %.9g with h = %.3g failed: %.400s; worst at '%s'%s%s%s", state->t, h,
             cause.text, x->system->nodes[x->worst].name, used > 0 ? "; last updates" : "", history,
             x->unsolvable ? "" : "; try a smaller step");
}

static void back_up(olo_stepper *x, const olo_state *state)
{
    if (!x->saved)
        olo_state_copy(state, x->backup);
    x->saved = true;
}

/* sum += weight * value, or sum = weight * value for the first part */
static void add_weighted(bool first, double weight, int count, const double *value, double *sum)
{
    for (int i = 0; i < count; i++)
        sum[i] = (first ? 0.0 : sum[i]) + weight * value[i];
}

/* Makes the parts of a step of higher order. Multipliers and reactions are means over the step, or
 * the values at its start if the scheme evaluates them there. After a failure the state is
 * unchanged. */
static olo_status step_composed(olo_stepper *x, olo_state *state, double h, olo_error *error)
{
    const olo_composition *c = x->composition;
    const int m = x->system->m, reactions = 6 * x->system->reaction_count;
    if (c->parts == 1)
        return olo_stepper_step_once(x, state, h, error);
    olo_state_copy(state, x->begin);
    olo_control_sample(x, state, 0);
    x->part_count = 0;
    const bool lazy = x->lazy, inner = !x->projected && !x->eager && olo_stepper_may_be_lazy(x);
    for (int i = 0; i < c->parts; i++) {
        x->lazy = lazy || (inner && i < c->parts - 1);
        x->step.part = x->step.composed ? i : 0; /* equal parts continue each other */
        olo_status status = olo_stepper_step_once(x, state, c->part[i] * h, error);
        x->lazy = lazy;
        if (status != OLO_OK) {
            olo_state_copy(x->begin, state);
            x->part_count = 0;
            if (x->discard_steps)
                x->discard_steps(x->observe_context, i);
            return status;
        }
        double weight = x->scheme->evaluation.at_start ? i == 0 : c->part[i];
        if (weight != 0)
            olo_stepper_store_part(x, state, weight);
        add_weighted(i == 0, weight, m, state->lambda, x->gathered);
        add_weighted(i == 0, weight, reactions, state->reactions, x->gathered + m);
        olo_control_sample(x, state, i + 1);
    }
    memcpy(state->lambda, x->gathered, (size_t)m * sizeof *state->lambda);
    olo_state_set_drive_forces(x->system, state, state->lambda);
    memcpy(state->reactions, x->gathered + m, (size_t)reactions * sizeof *state->reactions);
    memcpy(state->v_before, x->begin->v, (size_t)state->n * sizeof *state->v);
    state->span = h;
    state->t = x->begin->t + h;
    return OLO_OK;
}

/* Makes a step, or its two halves if it fails. */
static olo_status step_or_halve(olo_stepper *x, olo_state *state, double h, int depth,
                                olo_error *error)
{
    if (depth == 0)
        x->contact_time = 0;
    olo_status status = step_composed(x, state, h, error);
    if (status == OLO_OK || status == OLO_NO_MEMORY)
        return status;
    if (depth == x->halvings || x->unsolvable) {
        add_context(x, state, h, error);
        return status;
    }
    x->report.halvings++;
    back_up(x, state);
    status = step_or_halve(x, state, 0.5 * h, depth + 1, error);
    return status == OLO_OK ? step_or_halve(x, state, 0.5 * h, depth + 1, error) : status;
}

olo_status olo_stepper_step(olo_stepper *x, olo_state *state, double h, olo_error *error)
{
    x->lazy = false;
    return olo_stepper_advance(x, state, h, error);
}

olo_status olo_stepper_advance(olo_stepper *x, olo_state *state, double h, olo_error *error)
{
    olo_error reason; /* not cleared as a whole: that would take long compared with a step */
    reason.status = OLO_OK;
    reason.text[0] = '\0';
    x->report = (olo_step_report){.size = h, .rotation_node = -1};
    x->unsolvable = false;
    if (h == 0 || !isfinite(h))
        return olo_fail(error, OLO_BAD_INPUT, "the step must be a finite number other than zero");
    double target = state->t + h;
    x->saved = false;
    if (state->h == 0)
        back_up(x, state);
    olo_status status = step_or_halve(x, state, h, 0, &reason);
    if (status == OLO_OK) {
        state->t = target;
        x->report.inputs = x->step.inputs;
        if (!x->forces_on_demand)
            olo_stepper_record_end_forces(x, state);
        return OLO_OK;
    }
    if (x->saved)
        olo_state_copy(x->backup, state);
    return olo_fail(error, status, "%s", reason.text);
}
