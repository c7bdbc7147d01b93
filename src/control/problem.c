/* Resolution and checks of a problem; see the header. */
#include "control/problem.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/initialised.h"
#include "base/memory.h"
#include "system/mass_function.h"

olo_problem_control olo_problem_control_default(void)
{
    return (olo_problem_control){.initialised = OLO_INITIALISED_PROBLEM_CONTROL,
                                 .factor = 1,
                                 .lower = -INFINITY,
                                 .upper = INFINITY};
}

olo_problem_cost olo_problem_cost_default(void)
{
    return (olo_problem_cost){.initialised = OLO_INITIALISED_PROBLEM_COST,
                              .type = "effort",
                              .weight = 1,
                              .direction = {1, 0, 0}};
}

olo_problem_condition olo_problem_condition_default(void)
{
    return (olo_problem_condition){.initialised = OLO_INITIALISED_PROBLEM_CONDITION,
                                   .at = "end",
                                   .direction = {1, 0, 0},
                                   .value = NAN,
                                   .rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                   .lower = -INFINITY,
                                   .upper = INFINITY};
}

olo_problem_guess olo_problem_guess_default(void)
{
    return (olo_problem_guess){.initialised = OLO_INITIALISED_PROBLEM_GUESS};
}

olo_problem olo_problem_default(void)
{
    return (olo_problem){.initialised = OLO_INITIALISED_PROBLEM,
                         .intervals = 50,
                         .duration = 1,
                         .end_velocity = "rest",
                         .transcription = "reduced",
                         .tolerance = 1e-10,
                         .iterations = 1000};
}

static const char *const transcriptions[] = {"redundant", "reduced", NULL};

/* The index of a word in a list that NULL ends, -1 if it is not there. */
static int find_word(const char *word, const char *const *list)
{
    for (int i = 0; word && list[i]; i++)
        if (strcmp(word, list[i]) == 0)
            return i;
    return -1;
}

static olo_status no_memory(olo_error *error)
{
    return olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
}

/* --- controls --- */

/* Lets control k drive all actions of an element. */
static olo_status drive(olo_control_problem *p, int k, const char *name, double factor,
                        olo_error *error)
{
    const olo_system *s = p->system;
    bool found = false;
    for (int i = 0; i < s->action_count; i++) {
        const olo_action *action = &s->actions[i];
        if (!action->owner || strcmp(action->owner, name) != 0)
            continue;
        if (p->control_of[i] >= 0)
            return olo_fail(error, OLO_BAD_INPUT, "'%s' is driven by two controls", name);
        if (action->type->user)
            return olo_fail(error, OLO_UNSUPPORTED,
                            "'%s' is a C function: a control replaces a function of time", name);
        p->control_of[i] = k;
        p->factor_of[i] = factor;
        found = true;
    }
    p->input_name[p->input_count] = name;
    p->input_control[p->input_count] = k;
    p->input_factor[p->input_count++] = factor;
    return found ? OLO_OK
                 : olo_fail(error, OLO_NOT_FOUND,
                            "no load, and no joint with a torque, force or controller, is called "
                            "'%s'; a joint that shall be driven needs `torque: 1` or `force: 1`",
                            name);
}

int olo_control_find(const olo_control_problem *p, const char *name)
{
    for (int k = 0; k < p->controls; k++)
        if (strcmp(p->control_name[k], name) == 0)
            return k;
    return -1;
}

static olo_status follow(olo_control_problem *p, const olo_problem_control *given, olo_error *error)
{
    const int k = olo_control_find(p, given->follows);
    if (k < 0)
        return olo_fail(error, OLO_NOT_FOUND,
                        "there is no control '%s' before '%s', which follows it", given->follows,
                        given->name);
    if (!isfinite(given->factor) || given->factor == 0)
        return olo_fail(error, OLO_BAD_INPUT, "the factor of '%s' must be a number other than 0",
                        given->name);
    return drive(p, k, given->name, given->factor, error);
}

static olo_status resolve_control(olo_control_problem *p, const olo_problem_control *given,
                                  olo_error *error)
{
    olo_status status =
        olo_check_initialised(given->initialised, OLO_INITIALISED_PROBLEM_CONTROL, error);
    if (status != OLO_OK)
        return status;
    if (!given->name)
        return olo_fail(error, OLO_BAD_INPUT, "a control needs the name of a load or joint");
    if (given->follows)
        return follow(p, given, error);
    if (!(given->lower < given->upper))
        return olo_fail(error, OLO_BAD_INPUT, "the lower bound %g is not below the upper one %g",
                        given->lower, given->upper);
    if (!isfinite(given->guess))
        return olo_fail(error, OLO_BAD_INPUT, "the guess is not a finite number");
    const int k = p->controls++;
    p->control_name[k] = given->name;
    p->lower[k] = given->lower;
    p->upper[k] = given->upper;
    p->control_guess[k] = fmin(fmax(given->guess, given->lower), given->upper);
    return drive(p, k, given->name, 1.0, error);
}

static olo_status resolve_controls(olo_control_problem *p, const olo_problem *given,
                                   olo_problem_entry *at, olo_error *error)
{
    const olo_system *s = p->system;
    const size_t count = (size_t)given->control_count, actions = (size_t)s->action_count;
    const olo_array arrays[] = {{&p->lower, count},         {&p->upper, count},
                                {&p->control_guess, count}, {&p->effort, count},
                                {&p->input_factor, count},  {&p->factor_of, actions}};
    if (given->control_count < 1)
        return olo_fail(error, OLO_BAD_INPUT, "a problem needs at least one control");
    p->control_of = olo_pool_alloc(&p->pool, actions, sizeof *p->control_of);
    p->control_name = olo_pool_alloc(&p->pool, count, sizeof *p->control_name);
    p->input_name = olo_pool_alloc(&p->pool, count, sizeof *p->input_name);
    p->input_control = olo_pool_alloc(&p->pool, count, sizeof *p->input_control);
    if (!olo_pool_arrays(&p->pool, arrays, sizeof arrays / sizeof *arrays) || !p->control_of ||
        !p->control_name || !p->input_name || !p->input_control)
        return no_memory(error);
    for (int i = 0; i < s->action_count; i++)
        p->control_of[i] = -1;
    olo_status status = OLO_OK;
    for (int i = 0; status == OLO_OK && i < given->control_count; i++) {
        *at = (olo_problem_entry){"controls", i};
        status = resolve_control(p, &given->controls[i], error);
    }
    return status;
}

/* --- conditions --- */

/* `at` is "end" or "path". */
static olo_status resolve_where(const char *at, olo_where *where, olo_error *error)
{
    *where = at && strcmp(at, "path") == 0 ? OLO_ALONG_PATH : OLO_AT_END;
    if (!at || (*where == OLO_AT_END && strcmp(at, "end") != 0))
        return olo_fail(error, OLO_BAD_INPUT, "'%s' is unknown: take end or path", at ? at : "");
    return OLO_OK;
}

static olo_status resolve_orientation(olo_control_problem *p, const olo_problem_condition *given,
                                      olo_where where, olo_error *error)
{
    olo_status status = OLO_OK;
    for (int k = 0; status == OLO_OK && k < 3; k++) {
        olo_control_condition *x = &p->conditions[p->condition_count++];
        *x = (olo_control_condition){.where = where};
        status = olo_quantity_orientation(p->system, given->body, given->rotation, k, &p->pool,
                                          &x->quantity, error);
    }
    return status;
}

static olo_status resolve_condition(olo_control_problem *p, const olo_problem_condition *given,
                                    olo_error *error)
{
    olo_where where;
    olo_status status =
        olo_check_initialised(given->initialised, OLO_INITIALISED_PROBLEM_CONDITION, error);
    if (status == OLO_OK)
        status = resolve_where(given->at, &where, error);
    if (status != OLO_OK)
        return status;
    if (given->body)
        return resolve_orientation(p, given, where, error);
    if (!given->quantity)
        return olo_fail(error, OLO_BAD_INPUT, "a condition needs a quantity or a body");
    if (!(given->lower <= given->upper))
        return olo_fail(error, OLO_BAD_INPUT, "the lower bound %g is above the upper one %g",
                        given->lower, given->upper);
    if (!isnan(given->value) && (isfinite(given->lower) || isfinite(given->upper)))
        return olo_fail(error, OLO_BAD_INPUT, "give either a value or bounds");
    if (isnan(given->value) && !isfinite(given->lower) && !isfinite(given->upper))
        return olo_fail(error, OLO_BAD_INPUT, "a condition needs a value or a bound");
    olo_control_condition *x = &p->conditions[p->condition_count++];
    *x = (olo_control_condition){.where = where, .lower = given->lower, .upper = given->upper};
    if (!isnan(given->value))
        x->lower = x->upper = given->value;
    return olo_quantity_find(p->system, given->quantity, given->direction, &p->pool, &x->quantity,
                             error);
}

static olo_status resolve_conditions(olo_control_problem *p, const olo_problem *given,
                                     olo_problem_entry *at, olo_error *error)
{
    olo_status status = OLO_OK;
    p->conditions = olo_pool_alloc(&p->pool, 3 * (size_t)given->condition_count, /* orientations */
                                   sizeof *p->conditions);
    if (!p->conditions)
        return no_memory(error);
    for (int i = 0; status == OLO_OK && i < given->condition_count; i++) {
        *at = (olo_problem_entry){"conditions", i};
        status = resolve_condition(p, &given->conditions[i], error);
    }
    return status;
}

/* --- costs --- */

static olo_status add_effort(olo_control_problem *p, const olo_problem_cost *given,
                             olo_error *error)
{
    const int one = given->control ? olo_control_find(p, given->control) : -1;
    if (given->control && one < 0)
        return olo_fail(error, OLO_NOT_FOUND, "there is no control '%s'", given->control);
    for (int k = 0; k < p->controls; k++)
        if (one < 0 || k == one)
            p->effort[k] += given->weight;
    return OLO_OK;
}

static olo_status resolve_cost(olo_control_problem *p, const olo_problem_cost *given,
                               olo_error *error)
{
    olo_status status =
        olo_check_initialised(given->initialised, OLO_INITIALISED_PROBLEM_COST, error);
    if (status != OLO_OK)
        return status;
    if (!isfinite(given->weight) || !isfinite(given->target))
        return olo_fail(error, OLO_BAD_INPUT, "the weight or target is not a finite number");
    if (given->type && strcmp(given->type, "effort") == 0)
        return add_effort(p, given, error);
    if (given->type && strcmp(given->type, "duration") == 0) {
        p->duration_weight += given->weight;
        return OLO_OK;
    }
    olo_control_cost *x = &p->costs[p->cost_count++];
    *x = (olo_control_cost){
        .weight = given->weight, .target = given->target, .square = given->square};
    if (resolve_where(given->type, &x->where, NULL) != OLO_OK)
        return olo_fail(error, OLO_BAD_INPUT,
                        "there is no cost '%s': take effort, duration, end or path",
                        given->type ? given->type : "");
    if (!given->quantity)
        return olo_fail(error, OLO_BAD_INPUT,
                        "a cost at the end or along the path needs a quantity");
    return olo_quantity_find(p->system, given->quantity, given->direction, &p->pool, &x->quantity,
                             error);
}

static olo_status resolve_costs(olo_control_problem *p, const olo_problem *given,
                                olo_problem_entry *at, olo_error *error)
{
    olo_status status = OLO_OK;
    p->costs = olo_pool_alloc(&p->pool, (size_t)given->cost_count, sizeof *p->costs);
    if (!p->costs)
        return no_memory(error);
    for (int i = 0; status == OLO_OK && i < given->cost_count; i++) {
        *at = (olo_problem_entry){"costs", i};
        status = resolve_cost(p, &given->costs[i], error);
    }
    return status;
}

/* --- time and ends --- */

static olo_status resolve_time(olo_control_problem *p, const olo_problem *given, olo_error *error)
{
    const bool rest = given->end_velocity && strcmp(given->end_velocity, "rest") == 0;
    p->free_duration = given->shortest != 0 || given->longest != 0;
    if (given->intervals < 1 || given->intervals > 1000000)
        return olo_fail(error, OLO_BAD_INPUT, "intervals: must be 1 to 1000000, got %d",
                        given->intervals);
    if (!(given->duration > 0) || !isfinite(given->duration))
        return olo_fail(error, OLO_BAD_INPUT, "duration: must be positive, got %g",
                        given->duration);
    if (p->free_duration && !(given->shortest > 0 && given->shortest < given->longest))
        return olo_fail(error, OLO_BAD_INPUT,
                        "duration: bounds must be positive and ascending, got %g and %g",
                        given->shortest, given->longest);
    if (!rest && (!given->end_velocity || strcmp(given->end_velocity, "free") != 0))
        return olo_fail(error, OLO_BAD_INPUT, "end_velocity: take rest or free");
    const int transcription = find_word(given->transcription, transcriptions);
    if (transcription < 0)
        return olo_fail(error, OLO_BAD_INPUT, "transcription: take redundant or reduced");
    p->reduced = transcription == 1;
    if (!(given->tolerance > 0 && given->tolerance < 1))
        return olo_fail(error, OLO_BAD_INPUT, "tolerance: must be between 0 and 1, got %g",
                        given->tolerance);
    if (given->iterations < 0)
        return olo_fail(error, OLO_BAD_INPUT, "iterations: must not be negative, got %d",
                        given->iterations);
    p->intervals = given->intervals;
    p->duration = p->free_duration ? fmin(fmax(given->duration, given->shortest), given->longest)
                                   : given->duration;
    p->shortest = p->free_duration ? given->shortest : given->duration;
    p->longest = p->free_duration ? given->longest : given->duration;
    p->rest = rest;
    return OLO_OK;
}

/* Guesses are quantities with a value. */
static olo_status resolve_guesses(olo_control_problem *p, const olo_problem *given,
                                  olo_problem_entry *at, olo_error *error)
{
    static const double none[3] = {0, 0, 0};
    olo_status status = OLO_OK;
    p->guesses = olo_pool_alloc(&p->pool, (size_t)given->guess_count, sizeof *p->guesses);
    if (!p->guesses)
        return no_memory(error);
    for (int i = 0; status == OLO_OK && i < given->guess_count; i++) {
        const olo_problem_guess *guess = &given->guesses[i];
        olo_control_condition *x = &p->guesses[p->guess_count++];
        *at = (olo_problem_entry){"guesses", i};
        *x = (olo_control_condition){.lower = guess->value, .upper = guess->value};
        status = olo_check_initialised(guess->initialised, OLO_INITIALISED_PROBLEM_GUESS, error);
        if (status == OLO_OK && (!guess->coordinate || !isfinite(guess->value)))
            status = olo_fail(error, OLO_BAD_INPUT, "a guess needs a joint coordinate and a value");
        if (status == OLO_OK)
            status = olo_quantity_find(p->system, guess->coordinate, none, &p->pool, &x->quantity,
                                       error);
    }
    return status;
}

static olo_status resolve(olo_control_problem *p, const olo_problem *given, olo_problem_entry *at,
                          olo_error *error)
{
    olo_status status = resolve_time(p, given, error);
    if (status == OLO_OK)
        status = resolve_controls(p, given, at, error);
    if (status == OLO_OK)
        status = resolve_conditions(p, given, at, error);
    if (status == OLO_OK)
        status = resolve_costs(p, given, at, error);
    if (status == OLO_OK)
        status = resolve_guesses(p, given, at, error);
    return status;
}

olo_status olo_control_problem_create(const olo_system *system, const olo_problem *given,
                                      olo_control_problem **problem, olo_problem_entry *at,
                                      olo_error *error)
{
    *problem = NULL;
    *at = (olo_problem_entry){0};
    olo_status status = olo_check_initialised(given->initialised, OLO_INITIALISED_PROBLEM, error);
    if (status != OLO_OK)
        return status;
    status = olo_system_need_constant_mass(system, "optimal control needs", error);
    if (status != OLO_OK)
        return status;
    olo_control_problem *p = olo_alloc(1, sizeof *p);
    if (!p)
        return no_memory(error);
    p->system = system;
    status = resolve(p, given, at, error);
    if (status != OLO_OK) {
        olo_control_problem_free(p);
        return status;
    }
    *problem = p;
    return OLO_OK;
}

void olo_control_problem_free(olo_control_problem *p)
{
    if (!p)
        return;
    olo_pool_free(&p->pool);
    olo_free(p);
}
