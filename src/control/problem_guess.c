/* Resolution of the initial guess of a problem; see the header. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/initialised.h"
#include "control/problem.h"
#include "linalg/vector.h"

static const char *const kinds[] = {
    [OLO_GUESS_INTERPOLATED] = "interpolated", [OLO_GUESS_REST] = "rest", [OLO_GUESS_RUN] = "run"};

static olo_status no_memory(olo_error *error)
{
    return olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
}

static olo_status resolve_value(olo_control_problem *p, const olo_problem_guess *given,
                                olo_error *error)
{
    static const double none[3] = {0, 0, 0};
    olo_status status =
        olo_check_initialised(given->initialised, OLO_INITIALISED_PROBLEM_GUESS, error);
    if (status != OLO_OK)
        return status;
    if (!given->coordinate || !isfinite(given->value))
        return olo_fail(error, OLO_BAD_INPUT, "a guess needs a joint coordinate and a value");
    if (!(given->at > 0 && given->at <= 1))
        return olo_fail(error, OLO_BAD_INPUT,
                        "at: a part of the duration, above 0 and at most 1, got %g", given->at);
    olo_control_guess *x = &p->guesses[p->guess_count++];
    *x = (olo_control_guess){.at = given->at, .value = given->value};
    status = olo_quantity_find(p->system, given->coordinate, none, &p->pool, &x->measure, error);
    if (status == OLO_OK && x->measure.uses_v)
        return olo_fail(error, OLO_BAD_INPUT,
                        "'%s' depends on velocities: a guess is about the configuration",
                        given->coordinate);
    return status;
}

// -- a motion that is given -----------------------------------------------------------------------

static olo_status check_motion(const olo_problem *given, int n, olo_error *error)
{
    const size_t count = given->motion_count > 0 ? (size_t)given->motion_count : 0,
                 controls = (size_t)given->motion_control_count;
    if (given->motion_count < 0 || given->motion_control_count < 0)
        return olo_fail(error, OLO_BAD_INPUT, "motion_count: must not be negative");
    if (count > 0 && (!given->motion || !given->motion_times))
        return olo_fail(error, OLO_BAD_INPUT, "motion: needs configurations and times");
    for (size_t i = 1; i < count; i++)
        if (!(given->motion_times[i] > given->motion_times[i - 1]))
            return olo_fail(error, OLO_BAD_INPUT, "motion: times must ascend");
    if (!olo_all_finite(count, given->motion_times) ||
        !olo_all_finite(count * (size_t)n, given->motion))
        return olo_fail(error, OLO_BAD_INPUT, "motion: needs finite numbers");
    if (controls > 0 && (count < 2 || !given->motion_controls || !given->motion_control_names ||
                         !olo_all_finite((count - 1) * controls, given->motion_controls)))
        return olo_fail(error, OLO_BAD_INPUT,
                        "motion_controls: needs names, and finite numbers between two states or "
                        "more");
    return OLO_OK;
}

/* The columns of the given controls; the duration of the motion is the guess of a free one. */
static olo_status resolve_motion(olo_control_problem *p, const olo_problem *given, olo_error *error)
{
    const olo_status status = check_motion(given, p->system->n, error);
    if (status != OLO_OK)
        return status;
    p->given = (olo_given_motion){.count = given->motion_count,
                                  .q = given->motion,
                                  .times = given->motion_times,
                                  .columns = given->motion_control_count,
                                  .controls = given->motion_controls};
    p->given.column = olo_pool_alloc(&p->pool, (size_t)p->controls, sizeof *p->given.column);
    if (!p->given.column)
        return no_memory(error);
    for (int k = 0; k < p->controls; k++) {
        p->given.column[k] = -1;
        for (int i = 0; i < given->motion_control_count; i++)
            if (strcmp(given->motion_control_names[i], p->control_name[k]) == 0)
                p->given.column[k] = i;
    }
    if (p->free_duration && given->motion_count > 1)
        p->duration =
            fmin(fmax(given->motion_times[given->motion_count - 1] - given->motion_times[0],
                      p->shortest),
                 p->longest);
    return OLO_OK;
}

olo_status olo_control_resolve_guess(olo_control_problem *p, const olo_problem *given,
                                     olo_problem_entry *at, olo_error *error)
{
    const int count = sizeof kinds / sizeof *kinds;
    int kind = 0;
    *at = (olo_problem_entry){0};
    while (kind < count && (!given->guess || strcmp(given->guess, kinds[kind]) != 0))
        kind++;
    if (kind == count)
        return olo_fail(error, OLO_BAD_INPUT, "guess: take interpolated, rest or run");
    p->guess = (olo_guess_kind)kind;
    p->inverse_dynamics = given->inverse_dynamics;
    olo_status status = resolve_motion(p, given, error);
    p->guesses = olo_pool_alloc(&p->pool, (size_t)given->guess_count, sizeof *p->guesses);
    if (status == OLO_OK && !p->guesses)
        return no_memory(error);
    for (int i = 0; status == OLO_OK && i < given->guess_count; i++) {
        *at = (olo_problem_entry){"guesses", i};
        status = resolve_value(p, &given->guesses[i], error);
    }
    return status;
}
