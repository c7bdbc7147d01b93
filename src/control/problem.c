/* Resolution and checks of a problem; see the header. */
#include "control/problem.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/initialised.h"
#include "base/memory.h"
#include "kinematics/redundancy.h"
#include "kinematics/topology.h"
#include "system/mass_function.h"
#include "system/state.h"

static const char *const transcriptions[] = {"redundant", "reduced", NULL};
static const char *const schemes[] = {"variational", "energy-momentum-2006", NULL};
static const char *const starts[] = {"given", "free", NULL};
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

/* Lets control k drive all actions of an element or joint coordinate. The name is copied. */
static olo_status drive(olo_control_problem *p, int k, const char *given, double factor,
                        olo_error *error)
{
    const olo_system *s = p->system;
    const olo_term *along = olo_system_coordinate_term(s, given);
    const char *name = olo_pool_text(&p->pool, given, strlen(given));
    bool found = false, controller = false;
    if (!name)
        return no_memory(error);
    for (int i = 0; i < s->action_count; i++) {
        const olo_action *action = &s->actions[i];
        if (!olo_action_belongs(action, name, along))
            continue;
        const bool has_target = action->kp != 0 || action->kd != 0;
        if (found && has_target != controller)
            return olo_fail(error, OLO_BAD_INPUT,
                            "'%s' has a controller and a torque or force: a control would be the "
                            "target of the one and the factor of the other; drive a load along the "
                            "coordinate instead",
                            name);
        if (p->control_of[i] >= 0)
            return olo_fail(error, OLO_BAD_INPUT, "'%s' is driven by two controls", name);
        if (action->type->user)
            return olo_fail(error, OLO_UNSUPPORTED,
                            "'%s' is a C function: a control replaces a function of time", name);
        p->control_of[i] = k;
        p->factor_of[i] = factor;
        found = true;
        controller = has_target;
    }
    p->input_name[p->input_count] = name;
    p->input_control[p->input_count] = k;
    p->input_factor[p->input_count++] = factor;
    return found ? OLO_OK
                 : olo_fail(error, OLO_NOT_FOUND,
                            "no load, no joint with a torque, force or controller, and no joint "
                            "coordinate with one is called '%s'; a joint that shall be driven "
                            "needs `torque: 1` or `force: 1`",
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
    if (!(given->rate > 0))
        return olo_fail(error, OLO_BAD_INPUT, "the bound of the rate must be positive, got %g",
                        given->rate);
    const int k = p->controls++;
    p->control_name[k] = olo_pool_text(&p->pool, given->name, strlen(given->name));
    if (!p->control_name[k])
        return no_memory(error);
    p->lower[k] = given->lower;
    p->upper[k] = given->upper;
    p->rate[k] = given->rate;
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
                                {&p->rate, count},          {&p->input_factor, count},
                                {&p->factor_of, actions}};
    if (given->control_count < 1 && given->parameter_count < 1 && !p->free_start &&
        !p->start_velocities)
        return olo_fail(error, OLO_BAD_INPUT,
                        "a problem needs at least one control, a parameter that is a variable, or "
                        "a free start");
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

static olo_status resolve_where(const char *at, olo_where *where, olo_error *error)
{
    static const char *const words[] = {
        [OLO_AT_START] = "start", [OLO_AT_END] = "end", [OLO_ALONG_PATH] = "path", NULL};
    const int found = find_word(at, words);
    if (found < 0)
        return olo_fail(error, OLO_BAD_INPUT, "'%s' is unknown: take end, path or start",
                        at ? at : "");
    *where = (olo_where)found;
    return OLO_OK;
}

/* A measure of a condition or cost; notes whether it needs the velocity at the end. */
static olo_status find_measure(olo_control_problem *p, const char *name, const double direction[3],
                               olo_where where, olo_quantity *m, olo_error *error)
{
    const olo_status status = olo_quantity_find(p->system, name, direction, &p->pool, m, error);
    if (status == OLO_OK && where == OLO_AT_START && !p->start_velocities &&
        (m->uses_v || !p->free_start))
        return olo_fail(error, OLO_BAD_INPUT, "'%s' is given at the start: set %s to free", name,
                        m->uses_v ? "start_velocity" : "start_configuration");
    if (status == OLO_OK && where == OLO_AT_START && !p->free_start && !m->uses_v)
        return olo_fail(error, OLO_BAD_INPUT,
                        "'%s' is given at the start: set start_configuration to free", name);
    if (status != OLO_OK || where != OLO_AT_END || !m->uses_v)
        return status;
    p->end_velocities = true;
    return p->rest ? olo_fail(error, OLO_BAD_INPUT,
                              "'%s' depends on the velocity at the end, which is zero: set "
                              "end_velocity to free",
                              name)
                   : OLO_OK;
}

static olo_status resolve_orientation(olo_control_problem *p, const olo_problem_condition *given,
                                      olo_where where, olo_error *error)
{
    const double *rotation = olo_pool_copy(&p->pool, given->rotation, 9, sizeof *given->rotation);
    olo_status status = rotation ? OLO_OK : no_memory(error);
    for (int k = 0; status == OLO_OK && k < 3; k++) {
        olo_control_condition *x = &p->conditions[p->condition_count++];
        *x = (olo_control_condition){.where = where, .rotation = rotation, .component = k};
        status = olo_quantity_orientation(p->system, given->body, given->rotation, k, &p->pool,
                                          &x->measure, error);
    }
    return status;
}

static olo_status resolve_condition(olo_control_problem *p, const olo_problem_condition *given,
                                    olo_error *error)
{
    olo_where where = OLO_AT_END;
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
    x->name = olo_pool_text(&p->pool, given->quantity, strlen(given->quantity));
    if (!x->name)
        return no_memory(error);
    return find_measure(p, given->quantity, given->direction, where, &x->measure, error);
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

/* A target that depends on time. */
static olo_status resolve_target(olo_control_problem *p, const olo_problem_cost *given,
                                 olo_control_cost *x, olo_error *error)
{
    static const char *const names[] = {"t"};
    if (given->target_over_time && given->target_file)
        return olo_fail(error, OLO_BAD_INPUT, "give target_over_time or target_file, not both");
    if (given->target_column && !given->target_file)
        return olo_fail(error, OLO_BAD_INPUT, "target_column needs target_file");
    if (given->target_over_time)
        return olo_fail_context(error,
                                olo_expression_compile(given->target_over_time, names, 1,
                                                       &x->target_over_time, NULL, error),
                                "target_over_time");
    if (!given->target_file)
        return OLO_OK;
    if (p->free_duration)
        return olo_fail(error, OLO_UNSUPPORTED, "target_file needs a given duration");
    return olo_trajectory_read(
        given->target_file, given->target_column ? given->target_column : given->quantity,
        p->start_time, olo_control_time(p, 1, p->duration), &p->pool, &x->trajectory, error);
}

void olo_control_target(const olo_control_cost *cost, double t, double target[3])
{
    static const double along[1] = {1};
    target[0] = cost->target;
    target[1] = target[2] = 0;
    if (cost->target_over_time)
        olo_expression_taylor(cost->target_over_time, &t, along, 2, target);
    else if (cost->trajectory.count > 0)
        target[0] = olo_trajectory_value(&cost->trajectory, t);
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
    if (given->type && strcmp(given->type, "parameter") == 0)
        return olo_control_add_parameter_cost(p, given, error);
    olo_control_cost *x = &p->costs[p->cost_count++];
    *x = (olo_control_cost){
        .weight = given->weight, .target = given->target, .square = given->square};
    if (resolve_where(given->type, &x->where, NULL) != OLO_OK)
        return olo_fail(
            error, OLO_BAD_INPUT,
            "there is no cost '%s': take effort, duration, parameter, start, end or path",
            given->type ? given->type : "");
    if (!given->quantity)
        return olo_fail(error, OLO_BAD_INPUT,
                        "a cost at the end or along the path needs a quantity");
    x->name = olo_pool_text(&p->pool, given->quantity, strlen(given->quantity));
    if (!x->name)
        return no_memory(error);
    status = find_measure(p, given->quantity, given->direction, x->where, &x->measure, error);
    return status == OLO_OK ? resolve_target(p, given, x, error) : status;
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

/* Numbers of models are at most 1e30; 1/h^2 of shorter intervals exceeds the range of numbers,
 * which the solver does not survive. */
static const double SHORTEST = 1e-30;

static bool is_duration(double T)
{
    return T >= SHORTEST && isfinite(T);
}

static olo_status resolve_time(olo_control_problem *p, const olo_problem *given, olo_error *error)
{
    const bool rest = given->end_velocity && strcmp(given->end_velocity, "rest") == 0;
    p->start_time = given->initial ? given->initial->t : 0;
    p->free_duration = given->shortest != 0 || given->longest != 0;
    if (!is_duration(given->duration))
        return olo_fail(error, OLO_BAD_INPUT, "duration: must be positive, at least %g, got %g",
                        SHORTEST, given->duration);
    if (p->free_duration && !(is_duration(given->shortest) && given->shortest < given->longest))
        return olo_fail(error, OLO_BAD_INPUT,
                        "%s: the bounds of a free duration must be positive, at least %g, and "
                        "ascending, got %g and %g",
                        given->shortest != 0 ? "shortest" : "longest", SHORTEST, given->shortest,
                        given->longest);
    if (!rest && (!given->end_velocity || strcmp(given->end_velocity, "free") != 0))
        return olo_fail(error, OLO_BAD_INPUT, "end_velocity: take rest or free");
    const int transcription = find_word(given->transcription, transcriptions);
    if (transcription < 0)
        return olo_fail(error, OLO_BAD_INPUT, "transcription: take redundant or reduced");
    p->reduced = transcription == 1;
    const int scheme = find_word(given->scheme, schemes);
    if (scheme < 0)
        return olo_fail(error, OLO_BAD_INPUT, "scheme: take variational or energy-momentum-2006");
    p->scheme = schemes[scheme];
    p->energy_momentum = scheme == 1;
    if (p->energy_momentum && p->reduced)
        return olo_fail(error, OLO_UNSUPPORTED,
                        "scheme: energy-momentum-2006 has constraint forces over intervals, which "
                        "charts of nodes do not remove: set transcription to redundant");
    if (!(given->tolerance > 0 && given->tolerance < 1))
        return olo_fail(error, OLO_BAD_INPUT, "tolerance: must be between 0 and 1, got %g",
                        given->tolerance);
    if (!(given->seconds > 0))
        return olo_fail(error, OLO_BAD_INPUT, "seconds: must be positive, got %g", given->seconds);
    if (given->iterations < 0)
        return olo_fail(error, OLO_BAD_INPUT, "iterations: must not be negative, got %d",
                        given->iterations);
    if (given->saddles < 0)
        return olo_fail(error, OLO_BAD_INPUT, "saddles: must not be negative, got %d",
                        given->saddles);
    p->duration = p->free_duration ? fmin(fmax(given->duration, given->shortest), given->longest)
                                   : given->duration;
    p->shortest = p->free_duration ? given->shortest : given->duration;
    p->longest = p->free_duration ? given->longest : given->duration;
    p->rest = rest;
    const int configuration = find_word(given->start_configuration, starts),
              velocity = find_word(given->start_velocity, starts);
    if (configuration < 0 || velocity < 0)
        return olo_fail(error, OLO_BAD_INPUT, "%s: take given or free",
                        configuration < 0 ? "start_configuration" : "start_velocity");
    p->free_start = configuration == 1;
    p->start_velocities = velocity == 1;
    return OLO_OK;
}

static olo_status resolve(olo_control_problem *p, const olo_problem *given, olo_problem_entry *at,
                          olo_error *error)
{
    olo_status status = olo_control_resolve_grid(p, given, error);
    if (status == OLO_OK)
        status = resolve_time(p, given, error);
    if (status == OLO_OK)
        status = resolve_controls(p, given, at, error);
    if (status == OLO_OK)
        status = olo_control_resolve_parameters(p, given, at, error);
    if (status == OLO_OK)
        status = resolve_conditions(p, given, at, error);
    if (status == OLO_OK)
        status = resolve_costs(p, given, at, error);
    if (status == OLO_OK)
        status = olo_control_resolve_guess(p, given, at, error);
    if (status != OLO_OK)
        return status;
    *at = (olo_problem_entry){0};
    return olo_control_resolve_rows(p, error);
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
    for (int i = 0; i < p->condition_count; i++)
        olo_quantity_free(&p->conditions[i].measure);
    for (int i = 0; i < p->guess_count; i++)
        olo_quantity_free(&p->guesses[i].measure);
    for (int i = 0; i < p->cost_count; i++) {
        olo_quantity_free(&p->costs[i].measure);
        olo_expression_free(p->costs[i].target_over_time);
    }
    olo_topology_free(p->own);
    olo_pool_free(&p->pool);
    olo_free(p);
}

static void raise(int *largest, const olo_quantity *m)
{
    *largest = m->size > *largest ? m->size : *largest;
}

int olo_control_largest_measure(const olo_control_problem *p)
{
    int largest = 0;
    for (int i = 0; i < p->condition_count; i++)
        raise(&largest, &p->conditions[i].measure);
    for (int i = 0; i < p->guess_count; i++)
        raise(&largest, &p->guesses[i].measure);
    for (int i = 0; i < p->cost_count; i++)
        raise(&largest, &p->costs[i].measure);
    return largest;
}

/* Leyendecker 2011, 5.4: all controls and boundary data are counted, n - m is the number of degrees
 * of freedom. */
void olo_control_count(const olo_control_problem *p, int rows, olo_certificate *c)
{
    const int n = p->system->n, m = rows, N = p->intervals, r = n - m;
    c->rule_variables = (2 * N + 1) * r + p->free_duration;
    c->rule_constraints = (N + 3) * r;
    c->rule_multiplier_variables = N * (2 * n + m) + n + p->free_duration;
    c->rule_multiplier_constraints = (N - 1) * (n + m) + 4 * n;
}
