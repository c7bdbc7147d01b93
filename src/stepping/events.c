/* Events during a run; see the header. */
#include "stepping/events.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "kinematics/latch.h"
#include "stepping/initial_state.h"
#include "stepping/segments.h"

/* The time of an event is located to this fraction of the step. */
static const double location = 1e-14;
/* Events closer than this fraction of the step have the same time. */
static const double instant = 1e-12;
static const int most_trials = 200;
/* A row may close if it is satisfied to this fraction of its size. */
static const double closed = 1e-7;

/* --- the segment: for each event its number in the order of events, 0 before it --- */

static void remain(olo_state *state)
{
    (void)state;
}

static bool is_valid(const olo_state *state)
{
    const double *order = state->segment[OLO_SEGMENT_events];
    for (int i = 0; i < state->events; i++)
        if (!(order[i] >= 0 && order[i] <= state->events))
            return false;
    return true;
}

const olo_segment olo_segment_events = {
    .name = "events", .events = 1, .reset = remain, .reverse = remain, .check = is_valid};

static double *order_of(const olo_state *state)
{
    return state->segment[OLO_SEGMENT_events];
}

const olo_segment olo_segment_latched = {
    .name = "latched", .latched = 1, .reset = remain, .reverse = remain};

static double *latched_of(const olo_state *state)
{
    return state->segment[OLO_SEGMENT_latched];
}

/* --- modes --- */

/* False: no memory. */
static bool create_switches(olo_mode_switches *x, const olo_system *s, olo_pool *pool)
{
    x->groups_off = olo_pool_alloc(pool, (size_t)s->group_count, sizeof *x->groups_off);
    x->actions_off = olo_pool_alloc(pool, (size_t)s->action_count, sizeof *x->actions_off);
    x->contacts_off = olo_pool_alloc(pool, (size_t)s->contact_count, sizeof *x->contacts_off);
    x->latched = olo_pool_alloc(pool, (size_t)s->group_count, sizeof *x->latched);
    return !pool->failed;
}

static void apply_switch(const olo_event_switch *x, const olo_state *state,
                         olo_mode_switches *switches)
{
    bool *const off[] = {[OLO_SWITCHED_GROUP] = switches->groups_off,
                         [OLO_SWITCHED_ACTION] = switches->actions_off,
                         [OLO_SWITCHED_CONTACT] = switches->contacts_off};
    off[x->kind][x->index] = !x->on;
    if (x->kind == OLO_SWITCHED_GROUP)
        switches->latched[x->index] = x->latched ? latched_of(state) + x->slot : NULL;
}

static void begin_switches(const olo_system *s, olo_mode_switches *switches)
{
    for (int i = 0; i < s->group_count; i++) {
        switches->groups_off[i] = olo_event_begins_off(s, OLO_SWITCHED_GROUP, i);
        switches->latched[i] = NULL;
    }
    for (int i = 0; i < s->action_count; i++)
        switches->actions_off[i] = olo_event_begins_off(s, OLO_SWITCHED_ACTION, i);
    for (int i = 0; i < s->contact_count; i++)
        switches->contacts_off[i] = olo_event_begins_off(s, OLO_SWITCHED_CONTACT, i);
}

/* The switches after the events that have happened, in their order. */
static void set_switches(olo_events *x, const olo_state *state)
{
    const olo_system *s = x->system;
    begin_switches(s, &x->switches);
    for (int k = 1; k <= s->event_count; k++)
        for (int e = 0; e < s->event_count; e++)
            for (int i = 0; order_of(state)[e] == k && i < s->events[e].switch_count; i++)
                apply_switch(&s->events[e].switches[i], state, &x->switches);
}

/* The mode and stepper of a state; its contacts are marked. */
static olo_status enter_mode(olo_events *x, olo_state *state, olo_error *error)
{
    olo_stepper_free(x->stepper);
    olo_system_free(x->mode);
    x->stepper = NULL;
    x->mode = NULL;
    set_switches(x, state);
    for (int i = 0; i < x->system->contact_count; i++)
        state->contacts[i].off = x->switches.contacts_off[i];
    olo_status status = olo_system_create_mode(x->system, &x->switches, state->q, &x->mode, error);
    if (status == OLO_OK)
        status = olo_stepper_create(x->mode, x->run, &x->stepper, error);
    if (status == OLO_OK)
        x->stepper->forces_on_demand = x->forces_on_demand;
    return status;
}

olo_status olo_events_create_first_mode(const olo_system *s, olo_system **mode, olo_error *error)
{
    olo_mode_switches switches;
    olo_pool pool = {0};
    olo_status status = OLO_NO_MEMORY;
    *mode = NULL;
    if (create_switches(&switches, s, &pool)) {
        begin_switches(s, &switches);
        status = olo_system_create_mode(s, &switches, s->q0, mode, error);
    } else {
        olo_fail(error, status, "out of memory for events");
    }
    olo_pool_free(&pool);
    return status;
}

olo_status olo_events_refuse(const olo_system *system, const char *what, olo_error *error)
{
    if (system->event_count == 0 || system->is_mode)
        return OLO_OK;
    return olo_fail(error, OLO_UNSUPPORTED, "%s: %s cannot handle events; only runs can",
                    system->events[0].where, what);
}

olo_status olo_events_create(olo_events *x, const olo_system *system, const olo_run *run,
                             bool observed, olo_state *state, olo_error *error)
{
    *x = (olo_events){.system = system,
                      .run = run,
                      .forces_on_demand = !observed && !olo_events_read_forces(system)};
    const size_t events = (size_t)system->event_count;
    const olo_array arrays[] = {{&x->before, events}, {&x->time, events}};
    if (!create_switches(&x->switches, system, &x->pool) ||
        !olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays))
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for events");
    for (int e = 0; e < system->event_count; e++)
        x->time[e] = NAN;
    olo_status status = olo_state_create(system, &x->start, error);
    return status == OLO_OK ? enter_mode(x, state, error) : status;
}

void olo_events_free(olo_events *x)
{
    olo_stepper_free(x->stepper);
    olo_system_free(x->mode);
    olo_state_free(x->start);
    olo_pool_free(&x->pool);
}

/* --- location --- */

/* A step of length h from the start; the report sums all trials. */
static olo_status try_step(olo_events *x, olo_state *state, double h, olo_error *error)
{
    olo_state_copy(x->start, state);
    olo_status status = olo_stepper_advance(x->stepper, state, h, error);
    olo_report_add(&x->report, olo_stepper_report(x->stepper));
    return status;
}

static double condition(const olo_events *x, int e, const olo_state *state)
{
    return olo_event_condition(x->mode, &x->system->events[e], state);
}

/* Whether a condition with value `before` at the start has crossed zero at value `now`. */
static bool has_crossed(const olo_system_event *event, double before, double now)
{
    const bool rising = before < 0 && now >= 0, falling = before > 0 && now <= 0;
    return event->direction > 0 ? rising : event->direction < 0 ? falling : rising || falling;
}

/* An event that happens between the start and this state, other than `except`; -1: none. */
static int crossed(const olo_events *x, const olo_state *state, int except)
{
    const olo_system *s = x->system;
    for (int e = 0; e < s->event_count; e++)
        if (e != except && order_of(state)[e] == 0 &&
            has_crossed(&s->events[e], x->before[e], condition(x, e, state)))
            return e;
    return -1;
}

/* Shortens the step to the crossing of event e by the method of false position (Illinois). At the
 * end the state is just beyond the crossing. */
static olo_status locate(olo_events *x, int e, olo_state *state, double *h, olo_error *error)
{
    const olo_system_event *event = &x->system->events[e];
    double low = 0, f_low = x->before[e], high = *h, f_high = condition(x, e, state), tried = *h;
    const double least = location * *h;
    int side = 0;
    olo_status status = OLO_OK;
    for (int i = 0; status == OLO_OK && high - low > least && f_high != 0 && i < most_trials; i++) {
        double middle = low + (high - low) * f_low / (f_low - f_high);
        if (!(middle > low && middle < high))
            middle = 0.5 * (low + high);
        if (middle == low || middle == high)
            break;
        status = try_step(x, state, middle, error);
        tried = middle;
        const double f = condition(x, e, state);
        if (has_crossed(event, x->before[e], f)) {
            high = middle;
            f_high = f;
            f_low *= side == 1 ? 0.5 : 1.0;
            side = 1;
        } else {
            low = middle;
            f_low = f;
            f_high *= side == -1 ? 0.5 : 1.0;
            side = -1;
        }
    }
    if (status == OLO_OK && tried != high)
        status = try_step(x, state, high, error);
    *h = high;
    return status;
}

/* --- what happens --- */

/* The constants of the groups that the event latches. */
static void latch(const olo_events *x, const olo_system_event *event, olo_state *state)
{
    const olo_at at = {.q = state->q, .angles = state->angles, .t = state->t};
    for (int i = 0; i < event->switch_count; i++)
        if (event->switches[i].latched)
            olo_latch_constants(x->system, &x->system->groups[event->switches[i].index], &at,
                                latched_of(state) + event->switches[i].slot);
}

/* Fails if a group that the event closes is open. */
static olo_status check_closed(const olo_events *x, const olo_system_event *event,
                               const olo_state *state, olo_error *error)
{
    const olo_system *s = x->system;
    const olo_at at = {.q = state->q, .angles = state->angles, .t = state->t};
    for (int i = 0; i < event->switch_count; i++) {
        const olo_event_switch *given = &event->switches[i];
        if (given->kind != OLO_SWITCHED_GROUP || !given->on || given->latched)
            continue;
        const olo_group *group = &s->groups[given->index];
        for (int c = group->first; c < group->first + group->count; c++) {
            const double g = olo_constraint_value(&s->constraints[c], &at);
            if (!(fabs(g) <= closed * olo_row_size(s, c)))
                return olo_fail(error, OLO_BAD_INPUT,
                                "%s: '%s' is open by %.2g at t = %.9g: it can close only when its "
                                "parts meet; change the condition of the event, or latch it",
                                event->where, group->name, fabs(g), state->t);
        }
    }
    return OLO_OK;
}

static double kinetic_energy(const olo_system *s, const olo_state *state)
{
    olo_ledger ledger;
    olo_system_ledger(s, state, &ledger);
    return ledger.kinetic;
}

/* Velocities after groups have closed, and the energy that is lost. */
static olo_status collide(olo_events *x, olo_state *state, olo_error *error)
{
    const double before = kinetic_energy(x->mode, state);
    const olo_status status = olo_state_apply_impact(x->mode, state, error);
    const double lost = before - kinetic_energy(x->mode, state);
    if (status != OLO_OK)
        return status;
    olo_sum_add(&state->impact, lost);
    olo_sum_add(&state->dissipation, lost);
    return OLO_OK;
}

/* Whether one event switches on what the other one switches off. */
static bool are_opposite(const olo_system_event *a, const olo_system_event *b)
{
    for (int i = 0; i < a->switch_count; i++)
        for (int j = 0; j < b->switch_count; j++) {
            const olo_event_switch *one = &a->switches[i], *other = &b->switches[j];
            if (one->kind == other->kind && one->index == other->index && one->on != other->on)
                return true;
        }
    return false;
}

/* Fails if event e undoes another one of the same time: they would chatter. */
static olo_status check_chatter(const olo_events *x, int e, const olo_state *state,
                                olo_error *error)
{
    const olo_system_event *events = x->system->events;
    for (int f = 0; f < x->system->event_count; f++)
        if (fabs(x->time[f] - state->t) <= x->instant && are_opposite(&events[e], &events[f]))
            return olo_fail(error, OLO_BAD_INPUT,
                            "%s: at t = %.9g the event '%s' undoes what '%s' (%s) has switched at "
                            "the same time: which one is to be last is not determined; change one "
                            "of their conditions",
                            events[e].where, state->t, events[e].name, events[f].name,
                            events[f].where);
    return OLO_OK;
}

static olo_status happen(olo_events *x, int e, olo_state *state, olo_error *error)
{
    const olo_system_event *event = &x->system->events[e];
    int last = 0;
    olo_status status = check_chatter(x, e, state, error);
    if (status != OLO_OK)
        return status;
    x->time[e] = state->t;
    for (int i = 0; i < x->system->event_count; i++)
        last = order_of(state)[i] > last ? (int)order_of(state)[i] : last;
    order_of(state)[e] = last + 1;
    x->ended = x->ended || event->end;
    status = event->closes ? check_closed(x, event, state, error) : OLO_OK;
    if (status == OLO_OK && event->switch_count > 0) {
        status = olo_stepper_complete(x->stepper, state, error);
        latch(x, event, state);
        if (status == OLO_OK)
            status = enter_mode(x, state, error);
        if (status == OLO_OK && event->closes)
            status = collide(x, state, error);
        olo_state_reset_segments(state);
    }
    if (status == OLO_OK && x->happened)
        x->happened(x->context, event, state);
    return status;
}

/* Events whose time has come when a step begins. */
static olo_status happen_at_start(olo_events *x, olo_state *state, olo_error *error)
{
    const olo_system *s = x->system;
    olo_status status = OLO_OK;
    for (int e = 0; status == OLO_OK && !x->ended && e < s->event_count; e++)
        if (order_of(state)[e] == 0 && s->events[e].at <= state->t)
            status = happen(x, e, state, error);
    return status;
}

static void begin_part(olo_events *x, const olo_state *state)
{
    olo_state_copy(state, x->start);
    for (int e = 0; e < x->system->event_count; e++)
        x->before[e] = condition(x, e, state);
}

/* After a step of length h: shortens it to the first event in it; all events of one time happen.
 * Returns the length in h. */
static olo_status end_part(olo_events *x, olo_state *state, double *h, olo_error *error)
{
    olo_status status = OLO_OK;
    int first = crossed(x, state, -1);
    for (int i = 0; status == OLO_OK && first >= 0 && i < x->system->event_count; i++) {
        status = locate(x, first, state, h, error);
        const int other = status == OLO_OK ? crossed(x, state, first) : -1;
        if (other < 0)
            break;
        first = other;
    }
    for (int e = status == OLO_OK && first >= 0 ? crossed(x, state, -1) : -1; e >= 0;
         e = status == OLO_OK && !x->ended ? crossed(x, state, -1) : -1)
        status = happen(x, e, state, error);
    return status;
}

/* Makes the part of the step to the next event, or all of it. */
static olo_status make_part(olo_events *x, olo_state *state, double h, olo_error *error)
{
    begin_part(x, state);
    const olo_status status = try_step(x, state, h, error);
    return status == OLO_OK ? end_part(x, state, &h, error) : status;
}

olo_status olo_events_advance(olo_events *x, olo_state *state, double h, olo_error *error)
{
    const double target = state->t + h;
    x->report = (olo_step_report){.size = h, .rotation_node = -1};
    x->instant = instant * h;
    olo_status status = happen_at_start(x, state, error);
    while (status == OLO_OK && !x->ended && target - state->t > location * h)
        status = make_part(x, state, target - state->t, error);
    return status;
}

olo_status olo_events_step_adaptive(olo_events *x, olo_state *state, double longest,
                                    olo_error *error)
{
    x->report = (olo_step_report){.rotation_node = -1};
    x->instant = instant * longest;
    olo_status status = happen_at_start(x, state, error);
    if (status != OLO_OK || x->ended)
        return status;
    begin_part(x, state);
    status = olo_stepper_step_adaptive(x->stepper, state, longest, error);
    x->report = *olo_stepper_report(x->stepper);
    double h = x->report.size;
    if (status == OLO_OK)
        status = end_part(x, state, &h, error);
    x->report.size = h;
    return status;
}
