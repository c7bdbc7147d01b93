/* Equilibrium under increasing loads: from the equilibrium without load along the path r(q, load) =
 * 0 (path_following.c). A system without stiffness at zero load, such as a pendulum, gets the full
 * load at once (descent.c). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/initialised.h"
#include "base/memory.h"
#include "base/progress.h"
#include "statics/beam_rotation.h"
#include "statics/search.h"

/* A larger increment (model lengths, radians) is shortened. */
static const double far = 0.5;
/* Newton has left the initial state: another attempt by descent is worthwhile. */
static const double rough = 1e-3;
/* Increments below this that no longer decrease are rounding errors of stiff parts. */
static const double rounding = 1e-6;

olo_equilibrium_options olo_equilibrium_options_default(void)
{
    return (olo_equilibrium_options){.initialised = OLO_INITIALISED_EQUILIBRIUM_OPTIONS,
                                     .end = 1,
                                     .step = 0.1,
                                     .smallest = 1e-5,
                                     .steps = 10000,
                                     .iterations = 25,
                                     .tolerance = 1e-9,
                                     .method = "path",
                                     .locate = true};
}

/* ---- observers ------------------------------------------------------------------------------- */

olo_status olo_search_check_interrupt(const olo_search *x, olo_error *error)
{
    for (int i = 0; i < x->observer_count; i++) {
        const olo_observer *o = &x->observers[i];
        if (o->stop && o->stop(o->context))
            return olo_fail(error, OLO_INTERRUPTED, "interrupted at load factor %.9g", x->load);
    }
    return OLO_OK;
}

bool olo_search_is_coarse(const olo_search *x, char *text, size_t size)
{
    const double degrees = 57.29577951308232;
    const olo_equilibrium_summary *sum = x->summary;
    if (!(sum->beam_rotation > olo_beam_rotation_coarse))
        return false;
    snprintf(text, size,
             "neighbouring nodes of beam '%s' are rotated by %.0f degrees relative to each other",
             x->system->beams[sum->beam].name, degrees * sum->beam_rotation);
    return true;
}

/* Warns the observers at the end about beams with too few elements. */
static void warn_coarse(const olo_search *x)
{
    char reason[200], text[256];
    if (!olo_search_is_coarse(x, reason, sizeof reason))
        return;
    snprintf(text, sizeof text, "%s: take more elements", reason);
    for (int i = 0; i < x->observer_count; i++)
        if (x->observers[i].warn)
            x->observers[i].warn(x->observers[i].context, text);
}

static void measure_beams(olo_search *x)
{
    int beam;
    double angle = olo_beam_rotation(x->system, x->state->q, &beam);
    if (x->summary->beam < 0 || angle > x->summary->beam_rotation) {
        x->summary->beam_rotation = angle;
        x->summary->beam = beam;
    }
}

/* ---- Newton ---------------------------------------------------------------------------------- */

olo_status olo_search_move(olo_search *x, double most, double *size, olo_error *error)
{
    olo_static_solve(x->balance);
    *size = x->balance->size;
    if (!isfinite(*size))
        return olo_fail(error, OLO_NOT_FINITE,
                        "Newton iteration produced numbers that are not finite at '%s'",
                        x->system->nodes[x->balance->worst].name);
    olo_static_move(x->balance, *size > most ? most / *size : 1.0);
    return OLO_OK;
}

bool olo_search_converged(const olo_search *x, double size, double before)
{
    return size <= x->options->tolerance || (size > 0.5 * before && size <= rounding);
}

/* With loops the tree without closures may have no stiffness: a small multiple of the mass makes
 * its elimination possible. */
olo_status olo_search_factor(olo_search *x, double load, olo_error *error)
{
    const double little = 1e-12;
    olo_status status = olo_static_factor(x->balance, load, 0.0, error);
    if (status == OLO_SINGULAR && x->balance->topology->closure_count > 0)
        status = olo_static_factor(x->balance, load, little * x->balance->stiff, error);
    return status;
}

/* Newton iteration at one load, from the present state; `moved` is the sum of all increments. */
static olo_status iterate(olo_search *x, double load, double *moved, olo_error *error)
{
    double size, before = HUGE_VAL;
    *moved = 0;
    for (int i = 0; i < x->options->iterations; i++) {
        olo_status status = olo_search_check_interrupt(x, error);
        if (status == OLO_OK)
            status = olo_search_factor(x, load, error);
        x->summary->iterations++;
        if (status == OLO_OK)
            status = olo_search_move(x, far, &size, error);
        if (status != OLO_OK)
            return status;
        *moved += fmin(size, far);
        if (olo_search_converged(x, size, before))
            return OLO_OK;
        before = size;
    }
    return olo_fail(error, OLO_NOT_CONVERGED,
                    "Newton did not converge in %d iterations, worst at '%s'",
                    x->options->iterations, x->system->nodes[x->balance->worst].name);
}

/* ---- equilibria of the path ------------------------------------------------------------------ */

void olo_search_save(olo_search *x)
{
    olo_state_copy(x->state, x->before);
    memcpy(x->lambda, x->balance->lambda,
           (size_t)x->balance->topology->closure_count * sizeof *x->lambda);
}

void olo_search_restore(olo_search *x)
{
    olo_state_copy(x->before, x->state);
    memcpy(x->balance->lambda, x->lambda,
           (size_t)x->balance->topology->closure_count * sizeof *x->lambda);
    x->balance->predicted = false;
}

/* Stores the multipliers of the closures in the state. */
static void store_multipliers(olo_search *x)
{
    const olo_topology *topology = x->balance->topology;
    for (int i = 0; i < topology->closure_count; i++)
        x->state->lambda[topology->closures[i]] = x->balance->lambda[i];
    olo_state_set_drive_forces(x->balance->system, x->state, x->state->lambda);
}

olo_status olo_search_judge(olo_search *x, double load, olo_error *error)
{
    olo_equilibrium_summary *sum = x->summary;
    olo_status status = OLO_OK;
    sum->judged = load == 0 || olo_static_is_conservative(x->balance);
    sum->unstable = sum->neutral = 0;
    if (sum->judged)
        status = olo_static_find_stability(x->balance, load, &sum->unstable, &sum->neutral, error);
    return status == OLO_SINGULAR ? OLO_OK : status; /* singular: exactly at a critical point */
}

olo_status olo_search_accept(olo_search *x, double load, olo_error *error)
{
    olo_equilibrium_summary *sum = x->summary;
    olo_status status = OLO_OK;
    x->load = sum->load = x->state->t = load;
    store_multipliers(x);
    olo_static_record(x->balance, load);
    measure_beams(x);
    olo_step_report report = {.rotation_node = -1};
    for (int i = 0; status == OLO_OK && i < x->observer_count; i++)
        if (x->observers[i].step)
            status = x->observers[i].step(x->observers[i].context, x->system, x->state, sum->steps,
                                          &report, error);
    sum->steps++;
    /* all observers have received the state before one of them ends the search */
    return status == OLO_OK ? olo_search_check_interrupt(x, error) : status;
}

/* ---- the search ------------------------------------------------------------------------------ */

static olo_status check(const olo_equilibrium_options *o, olo_error *error)
{
    if (!o->method || (strcmp(o->method, "path") != 0 && strcmp(o->method, "newton") != 0 &&
                       strcmp(o->method, "descent") != 0))
        return olo_fail(error, OLO_BAD_INPUT,
                        "the method of statics is 'path', 'newton' or 'descent', not '%s'",
                        o->method ? o->method : "");
    if (strcmp(o->method, "path") != 0 && o->end == 0)
        return OLO_OK; /* without load */
    if ((!(o->end > 0) && strcmp(o->method, "path") == 0) || !isfinite(o->end) || !(o->step > 0) ||
        !(o->smallest > 0) || !(o->tolerance > 0) || o->iterations < 1 || o->steps < 1)
        return olo_fail(error, OLO_BAD_INPUT,
                        "statics needs a positive load factor, step, smallest step and tolerance, "
                        "and at least one step and iteration");
    return OLO_OK;
}

static olo_status create(olo_search *x, olo_error *error)
{
    olo_status status = olo_static_create(x->system, x->state, &x->balance, error);
    if (status == OLO_OK) {
        x->balance->spin = x->options->spin;
        x->balance->hold = x->options->hold;
        x->balance->push = x->options->push;
        status = olo_rotating_frame_check(x->system, &x->balance->spin, error);
    }
    if (status == OLO_OK)
        status = olo_state_create(x->system, &x->before, error);
    if (status != OLO_OK)
        return status;
    x->lambda = olo_alloc((size_t)x->balance->topology->closure_count, sizeof *x->lambda);
    return x->lambda ? OLO_OK : olo_fail(error, OLO_NO_MEMORY, "out of memory for statics");
}

static void destroy(olo_search *x)
{
    olo_static_free(x->balance);
    olo_state_free(x->before);
    olo_free(x->lambda);
}

/* Clears velocities and everything that belongs to a motion. */
static void clear_motion(const olo_system *s, olo_state *state)
{
    const size_t n = (size_t)s->n;
    memset(state->v, 0, n * sizeof *state->v);
    memset(state->v_before, 0, n * sizeof *state->v);
    memset(state->lambda, 0, (size_t)s->m * sizeof *state->lambda);
    olo_state_set_drive_forces(s, state, state->lambda);
    memset(state->reactions, 0, 6 * (size_t)s->reaction_count * sizeof *state->reactions);
    olo_state_reset_segments(state);
    state->h = state->span = 0;
    state->has_interval_energy = 0;
    state->t = 0;
    state->work = state->dissipation = state->constraint = (olo_sum){0};
    memset(state->received, 0, (size_t)state->parts * sizeof *state->received);
}

/* The equilibrium without load that the path begins with. Newton's iteration from a rough guess may
 * end in an equilibrium that is not stable: then the state descends from the guess instead.
 * `held`: there is one, and it has no direction without stiffness. */
static olo_status find_start(olo_search *x, bool *held, olo_error *error)
{
    olo_equilibrium_summary *sum = x->summary;
    double moved;
    olo_search_save(x);
    olo_status status = iterate(x, 0.0, &moved, NULL);
    if (status == OLO_INTERRUPTED)
        return olo_fail(error, status, "interrupted at load factor 0");
    bool found = status == OLO_OK && olo_search_judge(x, 0.0, NULL) == OLO_OK && sum->neutral == 0;
    if ((found && sum->unstable > 0 && moved > x->options->tolerance) ||
        (status != OLO_OK && moved > rough)) {
        olo_search_restore(x);
        status = olo_search_relax(x, 0.0, error);
        if (status == OLO_INTERRUPTED)
            return status;
        found = status == OLO_OK && sum->neutral == 0;
        sum->descended = found;
    }
    *held = found;
    return OLO_OK;
}

/* The equilibrium under the full load that Newton's iteration or descent reaches from the state. */
static olo_status search_directly(olo_search *x, olo_error *error)
{
    const double load = x->options->end;
    if (strcmp(x->options->method, "descent") == 0)
        return olo_search_descend(x, load, error);
    olo_status status = olo_search_newton(x, load, error);
    return status == OLO_OK ? olo_search_accept(x, load, error) : status;
}

/* Finds the equilibrium without load first. If it has a direction without stiffness, the full load
 * is applied at once. */
static olo_status search(olo_search *x, olo_error *error)
{
    bool held = false;
    olo_search_save(x);
    if (strcmp(x->options->method, "path") != 0)
        return search_directly(x, error);
    olo_status status = find_start(x, &held, error);
    if (status != OLO_OK)
        return status;
    if (!held) {
        olo_search_restore(x);
        x->summary->relaxed = true;
        return olo_search_descend(x, x->options->end, error);
    }
    status = olo_search_accept(x, 0.0, error);
    return status == OLO_OK ? olo_search_follow(x, error) : status;
}

/* The load of the state: after a failed path that of its last equilibrium, after another failed
 * search the full one. */
static double last_load(const olo_search *x, olo_status status)
{
    const bool direct = strcmp(x->options->method, "path") != 0 || x->summary->relaxed;
    return status != OLO_OK && direct ? x->options->end : x->load;
}

olo_status olo_find_equilibrium(const olo_system *system, const olo_equilibrium_options *options,
                                olo_state *state, const olo_observer *observers, int observer_count,
                                olo_equilibrium_summary *summary, olo_error *error)
{
    const olo_equilibrium_options standard = olo_equilibrium_options_default();
    olo_equilibrium_summary unused;
    olo_search x = {.system = system,
                    .options = options ? options : &standard,
                    .state = state,
                    .observers = observers,
                    .observer_count = observer_count,
                    .summary = summary ? summary : &unused};
    double wall = olo_clock_seconds();
    memset(x.summary, 0, sizeof *x.summary);
    x.summary->beam = -1;
    olo_status status =
        olo_check_initialised(x.options->initialised, OLO_INITIALISED_EQUILIBRIUM_OPTIONS, error);
    if (status == OLO_OK)
        status = olo_observers_check(observers, observer_count, error);
    if (status == OLO_OK)
        status = check(x.options, error);
    if (status == OLO_OK)
        status = create(&x, error);
    if (status == OLO_OK) {
        clear_motion(system, state);
        status = search(&x, error);
        store_multipliers(&x);
        if (status != OLO_NO_MEMORY)
            x.summary->residual = olo_static_residual(x.balance, last_load(&x, status));
        warn_coarse(&x);
    }
    destroy(&x);
    x.summary->wall_seconds = olo_clock_seconds() - wall;
    return status;
}

olo_status olo_prepare_initial_state(const olo_system *system, const olo_run *run, olo_state *state,
                                     olo_error *error)
{
    olo_status status = olo_check_initialised(run->initialised, OLO_INITIALISED_RUN, error);
    if (status != OLO_OK || !run->start || strcmp(run->start, "equilibrium") != 0)
        return status;
    olo_equilibrium_options options = olo_equilibrium_options_default();
    options.hold = true; /* prescribed motions are those at time 0 */
    status = olo_find_equilibrium(system, &options, state, NULL, 0, NULL, error);
    memset(state->lambda, 0, (size_t)system->m * sizeof *state->lambda);
    olo_state_set_drive_forces(system, state, state->lambda);
    state->t = 0;
    return olo_fail_context(error, status, "start at equilibrium");
}
