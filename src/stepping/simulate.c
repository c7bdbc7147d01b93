/* A run: steps of equal size, or of sizes chosen by a tolerance, to the end time. Observers are
 * called after every step. */
#include <math.h>
#include <stdio.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "base/initialised.h"
#include "base/progress.h"
#include "stepping/events.h"
#include "stepping/step.h"

/* A body with constant angular velocity rotates by h |omega| per step, but the scheme rotates it by
 * 2 atan(h |omega|/2). If this discrete angle exceeds the bound, the body itself has rotated by
 * more than 0.9 of half a turn, and its direction of rotation is ambiguous in the result. */
static const double aliasing_angle = 1.905; /* 2 atan(0.9 pi/2) */

static olo_status notify(const olo_observer *observers, int count, const olo_system *system,
                         const olo_state *state, long step, const olo_step_report *report,
                         olo_error *error)
{
    for (int i = 0; i < count; i++) {
        if (!observers[i].step)
            continue;
        olo_status status =
            observers[i].step(observers[i].context, system, state, step, report, error);
        if (status != OLO_OK)
            return status;
    }
    return OLO_OK;
}

static bool wants_stop(const olo_observer *observers, int count)
{
    for (int i = 0; i < count; i++)
        if (observers[i].stop && observers[i].stop(observers[i].context))
            return true;
    return false;
}

static bool read_forces(const olo_observer *observers, int count)
{
    for (int i = 0; i < count; i++)
        if (observers[i].step && !observers[i].ignores_forces)
            return true;
    return false;
}

static void warn(const olo_observer *observers, int count, const char *text)
{
    for (int i = 0; i < count; i++)
        if (observers[i].warn)
            observers[i].warn(observers[i].context, text);
}

static void warn_of_aliasing(const olo_system *system, const olo_state *state,
                             const olo_step_report *report, const olo_observer *observers,
                             int count)
{
    char text[256];
    snprintf(
        text, sizeof text,
        "body '%s' rotates by nearly half a turn or more in one step at t = %.6g: its rotation is "
        "ambiguous between steps; take a smaller step",
        system->nodes[report->rotation_node].name, state->t);
    warn(observers, count, text);
}

/* Times are equal if they differ by less than this fraction of the grid, or of the end. */
static const double same_time = 1e-9;

/* Options that were changed after the list was made would be without effect. */
static olo_status check_list(const olo_run *run, olo_error *error)
{
    double end = 0, smallest = HUGE_VAL;
    if (run->tolerance > 0)
        return olo_fail(error, OLO_BAD_INPUT, "give run.steps or run.tolerance, not both");
    for (int i = 0; i < run->step_count; i++) {
        if (!(run->steps[i] > 0) || !isfinite(run->steps[i]))
            return olo_fail(error, OLO_BAD_INPUT, "run.steps[%d]: must be positive, got %g", i,
                            run->steps[i]);
        end += run->steps[i];
        smallest = fmin(smallest, run->steps[i]);
    }
    return run->step == smallest && fabs(run->end - end) <= same_time * end
               ? OLO_OK
               : olo_fail(error, OLO_BAD_INPUT,
                          "run.steps: run.end must be their sum, %.17g, and run.step the smallest, "
                          "%.17g; to replace them set run.step_count to 0",
                          end, smallest);
}

olo_status olo_run_count_steps(const olo_run *run, double start, long *steps, olo_error *error)
{
    double span = run->end - start;
    *steps = run->step_count;
    if (run->step_count > 0)
        return check_list(run, error);
    if (!(run->step > 0) || !isfinite(run->step))
        return olo_fail(error, OLO_BAD_INPUT, "run.step must be positive, got %g", run->step);
    if (!(span >= 0) || !isfinite(span))
        return olo_fail(error, OLO_BAD_INPUT, "run.end = %g lies before the start, t = %g",
                        run->end, start);
    double count = ceil(span / run->step * (1 - 1e-12));
    if (count > 1e15)
        return olo_fail(error, OLO_BAD_INPUT, "%g steps are too many: check run.step and run.end",
                        count);
    *steps = (long)count;
    return OLO_OK;
}

double olo_run_step_size(const olo_run *run, double t, long step, bool last)
{
    if (run->step_count > 0)
        return run->steps[step - 1];
    double left = run->end - t;
    return last && left < run->step * (1 - 1e-9) ? left : run->step;
}

double olo_run_step_end(const olo_run *run, double start, double before, long step, bool last)
{
    if (run->step_count > 0)
        return before + run->steps[step - 1];
    return last ? run->end : start + (double)step * run->step;
}

/* Dampers gain energy in the backward parts of composed steps. Over a whole step that is short
 * enough they lose energy; the warning reports steps that are too long. */
static void warn_of_damping(const olo_system *system, const olo_state *state, double gained,
                            const olo_observer *observers, int count, bool *warned)
{
    const double noise = 1e-9; /* of the kinetic energy */
    char text[256];
    olo_ledger ledger;
    olo_system_ledger(system, state, &ledger);
    if (!(gained > noise * ledger.kinetic))
        return;
    *warned = true;
    snprintf(text, sizeof text,
             "dampers returned energy in the step that ended at t = %.6g: its order has parts "
             "backward in time, too long for this damping; take a smaller step, or order 2",
             state->t);
    warn(observers, count, text);
}

/* What makes the steps: the stepper of the system, or that of its present mode. */
typedef struct walker {
    const olo_system *system;
    olo_stepper *stepper;
    olo_events *events;      /* NULL: the system has none */
    olo_before_step *before; /* NULL: nothing is done before a step */
    void *context;           /* of it */
} walker;

static const olo_system *system_of(const walker *x)
{
    return x->events ? x->events->mode : x->system;
}

static olo_stepper *stepper_of(const walker *x)
{
    return x->events ? x->events->stepper : x->stepper;
}

static const olo_step_report *report_of(const walker *x)
{
    return x->events ? &x->events->report : olo_stepper_report(x->stepper);
}

static bool has_ended(const walker *x)
{
    return x->events && x->events->ended;
}

/* A step of given size; of equal ones the last may be shorter. Times are computed from the number
 * of steps, so that they do not drift. */
static olo_status take_constant(const olo_run *run, const walker *x, olo_state *state, long steps,
                                const olo_run_summary *sum, olo_error *error)
{
    const long i = sum->steps + 1;
    const double t = state->t, h = olo_run_step_size(run, t, i, i == steps);
    const olo_status status = x->events ? olo_events_advance(x->events, state, h, error)
                                        : olo_stepper_advance(x->stepper, state, h, error);
    if (status == OLO_OK && !has_ended(x))
        state->t = olo_run_step_end(run, sum->start, t, i, i == steps);
    return status;
}

/* The time at which an adaptive step ends at the latest. */
static double latest_end(const olo_run *run, double t, double start)
{
    double target = run->end;
    if (run->grid > 0) {
        const double line = floor((t - start) / run->grid + same_time) + 1;
        target = fmin(target, start + line * run->grid);
        if (run->end - target < same_time * run->grid)
            target = run->end;
    }
    return target;
}

/* A step of a size that is chosen. */
static olo_status take_chosen(const olo_run *run, const walker *x, olo_state *state, double start,
                              olo_error *error)
{
    const double target = latest_end(run, state->t, start), longest = target - state->t;
    const olo_status status = x->events
                                  ? olo_events_step_adaptive(x->events, state, longest, error)
                                  : olo_stepper_step_adaptive(x->stepper, state, longest, error);
    if (status == OLO_OK && report_of(x)->size == longest)
        state->t = target;
    return status;
}

olo_status olo_run_step_adaptive(const olo_run *run, olo_stepper *stepper, olo_state *state,
                                 double start, olo_error *error)
{
    return take_chosen(run, &(walker){.stepper = stepper}, state, start, error);
}

void olo_summary_add(olo_run_summary *sum, const olo_step_report *report, bool taken)
{
    sum->iterations += report->iterations;
    sum->halvings += report->halvings;
    sum->rejections += report->rejections;
    if (!taken)
        return;
    sum->steps++;
    sum->smallest_step =
        sum->steps == 1 ? report->size : olo_smaller(report->size, sum->smallest_step);
    sum->largest_step = olo_larger(report->size, sum->largest_step);
    sum->largest_rotation = olo_larger(report->rotation, sum->largest_rotation);
}

void olo_report_add(olo_step_report *all, const olo_step_report *trial)
{
    all->iterations += trial->iterations;
    all->halvings += trial->halvings;
    all->passes += trial->passes;
    all->residual = trial->residual;
    all->inputs = trial->inputs;
    all->rotation = trial->rotation;
    all->rotation_node = trial->rotation_node;
}

static bool has_steps_left(const olo_run *run, const walker *x, const olo_state *state, long steps,
                           const olo_run_summary *sum)
{
    return !has_ended(x) && (run->tolerance > 0 ? state->t < run->end : sum->steps < steps);
}

/* Makes the steps after sum->steps; the sums already contain the previous ones. */
static olo_status run_steps(const olo_run *run, const walker *x, olo_state *state, long steps,
                            const olo_observer *observers, int observer_count, olo_run_summary *sum,
                            olo_error *error)
{
    olo_status status = OLO_OK;
    const bool chosen = run->tolerance > 0;
    bool warned = false;
    while (status == OLO_OK && has_steps_left(run, x, state, steps, sum)) {
        const double dissipated = olo_sum_value(&state->dissipation);
        if (x->before)
            status = x->before(x->context, stepper_of(x), state, error);
        if (status != OLO_OK)
            break;
        status = chosen ? take_chosen(run, x, state, sum->start, error)
                        : take_constant(run, x, state, steps, sum, error);
        const olo_step_report *report = report_of(x);
        const olo_system *system = system_of(x);
        const bool aliased = sum->largest_rotation > aliasing_angle;
        olo_summary_add(sum, report, status == OLO_OK);
        if (status != OLO_OK)
            break;
        const double gained = dissipated - olo_sum_value(&state->dissipation);
        if (run->order > 2 && gained > 0 && !warned)
            warn_of_damping(system, state, gained, observers, observer_count, &warned);
        if (report->rotation > aliasing_angle && !aliased)
            warn_of_aliasing(system, state, report, observers, observer_count);
        if (!chosen && sum->steps >= steps - 1)
            status = olo_stepper_complete(stepper_of(x), state, error);
        if (status == OLO_OK)
            status = notify(observers, observer_count, system, state, sum->steps, report, error);
        if (status == OLO_OK && has_steps_left(run, x, state, steps, sum) &&
            wants_stop(observers, observer_count))
            status = olo_fail(error, OLO_INTERRUPTED, "interrupted at t = %.9g", state->t);
    }
    if (!stepper_of(x)) /* no memory for a mode */
        return status;
    olo_status whole = olo_stepper_complete(stepper_of(x), state, status == OLO_OK ? error : NULL);
    if (stepper_of(x)->forces_on_demand && state->h != 0)
        olo_stepper_record_end_forces(stepper_of(x), state);
    return status == OLO_OK ? whole : status;
}

olo_observer olo_observer_default(void)
{
    return (olo_observer){.initialised = OLO_INITIALISED_OBSERVER};
}

olo_status olo_observers_check(const olo_observer *observers, int count, olo_error *error)
{
    olo_status status = OLO_OK;
    for (int i = 0; i < count && status == OLO_OK; i++)
        status = olo_check_initialised(observers[i].initialised, OLO_INITIALISED_OBSERVER, error);
    return status;
}

typedef struct audience {
    const olo_observer *observers;
    int count;
} audience;

static void announce(void *context, const olo_system_event *event, const olo_state *state)
{
    const audience *x = context;
    for (int i = 0; i < x->count; i++)
        if (x->observers[i].event)
            x->observers[i].event(x->observers[i].context, event->name, state);
}

static olo_status simulate(walker x, const olo_run *run, olo_state *state,
                           const olo_observer *observers, int observer_count, bool from_start,
                           olo_run_summary *sum, olo_error *error)
{
    const olo_system *system = x.system;
    olo_events events = {0};
    audience listeners = {observers, observer_count};
    long steps = 0;
    double wall = olo_clock_seconds(), cpu = olo_cpu_seconds();
    olo_step_report none = {.rotation_node = -1};
    olo_status status = olo_check_initialised(run->initialised, OLO_INITIALISED_RUN, error);
    if (status == OLO_OK)
        status = olo_observers_check(observers, observer_count, error);
    if (status == OLO_OK)
        status = olo_run_count_steps(run, sum->start, &steps, error);
    if (status == OLO_OK && system->event_count > 0 && !system->is_mode) {
        x.events = &events;
        status = olo_events_create(&events, system, run, read_forces(observers, observer_count),
                                   state, error);
        events.happened = announce;
        events.context = &listeners;
    } else if (status == OLO_OK) {
        status = olo_stepper_create(system, run, &x.stepper, error);
    }
    if (status == OLO_OK && from_start)
        status = notify(observers, observer_count, system_of(&x), state, 0, &none, error);
    if (status == OLO_OK && x.stepper)
        x.stepper->forces_on_demand = !read_forces(observers, observer_count);
    if (status == OLO_OK && x.stepper)
        x.stepper->lazy = observer_count == 0 && !x.before && olo_stepper_may_be_lazy(x.stepper);
    if (status == OLO_OK)
        status = run_steps(run, &x, state, steps, observers, observer_count, sum, error);
    olo_stepper_free(x.stepper);
    olo_events_free(&events);
    sum->wall_seconds += olo_clock_seconds() - wall;
    sum->cpu_seconds += olo_cpu_seconds() - cpu;
    return status;
}

olo_status olo_simulate(const olo_system *system, const olo_run *run, olo_state *state,
                        const olo_observer *observers, int observer_count, olo_run_summary *summary,
                        olo_error *error)
{
    return olo_simulate_with(system, run, state, observers, observer_count, NULL, NULL, summary,
                             error);
}

olo_status olo_simulate_with(const olo_system *system, const olo_run *run, olo_state *state,
                             const olo_observer *observers, int observer_count,
                             olo_before_step *before, void *context, olo_run_summary *summary,
                             olo_error *error)
{
    olo_run_summary local, *sum = summary ? summary : &local;
    *sum = (olo_run_summary){.start = state->t};
    const walker x = {.system = system, .before = before, .context = context};
    return simulate(x, run, state, observers, observer_count, true, sum, error);
}

olo_status olo_simulate_resume(const olo_system *system, const olo_run *run, olo_state *state,
                               const olo_observer *observers, int observer_count,
                               olo_run_summary *summary, olo_error *error)
{
    return simulate((walker){.system = system}, run, state, observers, observer_count, false,
                    summary, error);
}
