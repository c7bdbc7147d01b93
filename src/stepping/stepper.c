/* The time stepper: its creation, and one step of second order.
 *
 * A step is solved by Newton's method (newton.c) from an extrapolated motion; if that fails, from
 * zero motion with all joints closed. The solution is checked and then written to the state.
 * Composition of steps and the response to failures are in halving.c. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/initialised.h"
#include "base/memory.h"
#include "linalg/rotation.h"
#include "linalg/vector.h"
#include "stepping/accelerations.h"
#include "stepping/events.h"
#include "stepping/momenta.h"
#include "stepping/predictor.h"
#include "stepping/registry.h"
#include "stepping/step.h"
#include "stepping/step_size_control.h"

static olo_status refuse(olo_error *error, const char *what, const char *name,
                         const char *const *names)
{
    char known[128] = "";
    for (; *names; names++)
        snprintf(known + strlen(known), sizeof known - strlen(known), " %s", *names);
    return olo_fail(error, OLO_UNSUPPORTED, "%s '%.64s'; there are%s", what, name ? name : "",
                    known);
}

/* Whether a group has rows on velocities (rolling). */
static bool has_velocity_rows(const olo_system *s, const olo_group *group)
{
    bool any = false;
    for (int row = group->first; row < group->first + group->count; row++)
        any = any || s->constraints[row].type->velocity;
    return any;
}

static olo_status find_scheme(const olo_run *run, const olo_scheme **scheme, olo_error *error)
{
    *scheme = olo_scheme_of(run);
    return *scheme ? OLO_OK : refuse(error, "there is no scheme", run->scheme, olo_scheme_names);
}

/* Chooses the composition of a step, and checks whether its size may change. */
static olo_status choose_order(olo_stepper *x, const olo_run *run, olo_error *error)
{
    if (!olo_composition_find(run->order, false))
        return olo_fail(error, OLO_BAD_INPUT, "run.order must be 2, 4 or 6, got %d", run->order);
    if (run->order > x->scheme->highest_order && x->scheme->contact)
        return olo_fail(
            error, OLO_UNSUPPORTED,
            "the scheme %s has no order %d: a composition goes back in time, and impacts "
            "and friction cannot; take order 2",
            x->scheme->name, run->order);
    if (run->order > x->scheme->highest_order)
        return olo_fail(error, OLO_UNSUPPORTED,
                        "the scheme %s has no order %d: its step reflects velocities normal to the "
                        "constraints, which limits compositions to order %d; take order %d, or the "
                        "scheme energy-momentum or variational",
                        x->scheme->name, run->order, x->scheme->highest_order,
                        x->scheme->highest_order);
    if (run->tolerance > 0 && x->scheme->constant)
        return olo_fail(error, OLO_UNSUPPORTED,
                        "the scheme %s needs constant steps: with steps that are chosen by a "
                        "tolerance it would no longer be one symplectic map, and its energy would "
                        "drift; take energy-momentum, or leave out run.tolerance",
                        x->scheme->name);
    x->composition = olo_composition_find(run->order, run->tolerance > 0);
    return olo_control_choose(&x->control, x->composition, run, error);
}

static olo_status choose(olo_stepper *x, const olo_run *run, olo_error *error)
{
    x->treatment = olo_treatment_find(run->constraints);
    if (!x->treatment)
        return refuse(error, "constraints cannot be treated by", run->constraints,
                      olo_treatment_names);
    const olo_status contacts = olo_contact_scheme_check(x, run, error);
    if (contacts != OLO_OK)
        return contacts;
    if (x->scheme->momentum && !x->treatment->project)
        return olo_fail(error, OLO_UNSUPPORTED,
                        "the scheme %s has no constraints by %s; take reduced, multipliers, "
                        "projected or minimal, or the scheme energy-momentum",
                        x->scheme->name, x->treatment->name);
    for (int i = 0; i < x->system->group_count && x->scheme->evaluation.at_start; i++)
        if (has_velocity_rows(x->system, &x->system->groups[i]))
            return olo_fail(
                error, OLO_UNSUPPORTED,
                "%s: '%s' rolls, and the scheme %s has no rolling; take energy-momentum",
                x->system->groups[i].where, x->system->groups[i].name, x->scheme->name);
    olo_status status = choose_order(x, run, error);
    if (status != OLO_OK)
        return status;
    if (!(run->newton_tolerance > 0) || run->iterations < 1 || run->halvings < 0)
        return olo_fail(error, OLO_BAD_INPUT,
                        "run needs a positive newton_tolerance and at least one iteration");
    return x->treatment->check ? x->treatment->check(x->system, run, error) : OLO_OK;
}

static olo_status count_unknowns(olo_stepper *x, olo_error *error)
{
    olo_counts counts;
    const olo_treatment *treatment =
        x->scheme->contact ? olo_contact_scheme_treatment(x) : x->treatment;
    const olo_status status = olo_system_counts(x->system, &counts, error);
    if (status == OLO_OK)
        x->unknowns = olo_treatment_unknowns(treatment->name, &counts) *
                      (x->scheme->consistent && x->treatment->doubled ? 2 : 1);
    return status;
}

olo_status olo_run_unknowns(const olo_system *system, const olo_run *run, int *unknowns,
                            olo_error *error)
{
    olo_stepper x = {.system = system};
    olo_status status = find_scheme(run, &x.scheme, error);
    if (status == OLO_OK)
        status = choose(&x, run, error);
    if (status == OLO_OK)
        status = count_unknowns(&x, error);
    *unknowns = x.unknowns;
    return status;
}

/* Allocates the memory of composed steps. */
static olo_status create_composed(olo_stepper *x, olo_error *error)
{
    const size_t n = (size_t)x->system->n, m = (size_t)x->system->m;
    const int parts = x->scheme->evaluation.at_start ? 1 : x->composition->parts;
    x->gathered =
        olo_pool_alloc(&x->pool, m + 6 * (size_t)x->system->reaction_count, sizeof *x->gathered);
    for (int i = 0; i < parts; i++) {
        olo_part *part = &x->part[i];
        const olo_array arrays[] = {{&part->q0, n},
                                    {&part->dq, n},
                                    {&part->qm, n},
                                    {&part->q1, n},
                                    {&part->wrench, (size_t)x->system->twists},
                                    {&part->lambda, m}};
        (void)olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays);
    }
    return x->pool.failed ? olo_fail(error, OLO_NO_MEMORY, "out of memory for a step")
                          : olo_state_create(x->system, &x->begin, error);
}

/* Whether joint angles change by no more than bodies rotate. */
static bool has_plain_angles(const olo_system *s)
{
    bool plain = true;
    for (int i = 0; plain && i < s->joint_count; i++)
        plain = s->joints[i].type->motions != NULL;
    return plain;
}

olo_status olo_stepper_create(const olo_system *system, const olo_run *run, olo_stepper **stepper,
                              olo_error *error)
{
    const olo_scheme *scheme;
    *stepper = NULL;
    olo_status status = olo_check_initialised(run->initialised, OLO_INITIALISED_RUN, error);
    if (status == OLO_OK)
        status = olo_events_refuse(system, "single steps and derivatives of runs", error);
    if (status == OLO_OK)
        status = find_scheme(run, &scheme, error);
    return status == OLO_OK ? olo_stepper_create_with(system, scheme, run, stepper, error) : status;
}

olo_status olo_stepper_create_with(const olo_system *system, const olo_scheme *scheme,
                                   const olo_run *run, olo_stepper **stepper, olo_error *error)
{
    *stepper = NULL;
    olo_stepper *x = olo_alloc(1, sizeof *x);
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the stepper");
    x->system = system;
    x->scheme = scheme;
    x->tolerance = run->newton_tolerance;
    x->iterations = run->iterations;
    x->halvings = run->tolerance > 0 ? 0 : run->halvings; /* adaptive steps are rejected instead */
    x->quadratic = true;
    x->plain_angles = has_plain_angles(system);
    for (int i = 0; i < system->action_count; i++)
        if (system->actions[i].type->motion_tangent)
            x->quadratic = false;
    for (int c = 0; c < system->m; c++)
        x->has_objections = x->has_objections || system->constraints[c].type->objection;
    olo_status status = choose(x, run, error);
    if (status == OLO_OK)
        status = count_unknowns(x, error);
    if (status == OLO_OK && (x->treatment->near || x->scheme->consistent))
        x->quadratic = false;
    if (status == OLO_OK) {
        x->step.evaluation = x->scheme->evaluation;
        status = olo_step_create(system, &x->step, error);
        x->step.composed = status == OLO_OK && x->composition->order > 2;
        if (x->step.composed)
            x->step.composition = x->composition;
    }
    if (status == OLO_OK)
        status = olo_state_create(system, &x->backup, error);
    if (status == OLO_OK && x->composition->parts > 1)
        status = create_composed(x, error);
    if (status == OLO_OK && x->control.bound > 0)
        status = olo_control_create(x, error);
    if (status == OLO_OK)
        status = x->scheme->contact ? olo_contact_scheme_create(x, error)
                                    : x->treatment->create(system, x->scheme, run, &x->data, error);
    if (status == OLO_OK && scheme->consistent && system->reaction_count + system->drive_count > 0)
        status = olo_accelerations_create(system, run->step > 0 ? run->step : 1.0,
                                          &x->accelerations, error);
    if (status != OLO_OK) {
        olo_stepper_free(x);
        return status;
    }
    *stepper = x;
    return OLO_OK;
}

void olo_stepper_free(olo_stepper *stepper)
{
    if (!stepper)
        return;
    if (stepper->treatment && stepper->data)
        stepper->treatment->free(stepper->data);
    olo_contact_scheme_free(stepper);
    olo_accelerations_free(stepper->accelerations);
    olo_state_free(stepper->backup);
    olo_state_free(stepper->begin);
    olo_state_free(stepper->control.retry);
    olo_step_free(&stepper->step);
    olo_pool_free(&stepper->pool);
    olo_free(stepper);
}

int olo_stepper_unknown_count(const olo_stepper *stepper)
{
    return stepper->unknowns;
}

const olo_step_report *olo_stepper_report(const olo_stepper *stepper)
{
    return &stepper->report;
}

/* Reports the largest rotation of a body in the step, that with the longest Cayley vector. */
static double report_rotation(olo_stepper *x, const olo_state *state)
{
    const olo_system *s = x->system;
    const double *longest = NULL;
    double largest = 0;
    int node = -1;
    for (int k = 0; k < s->node_count; k++) {
        const double *a = olo_last_motion(state) + s->nodes[k].motion + s->nodes[k].type->rotation;
        if (olo_node_turns(&s->nodes[k]) && vec3_dot(a, a) > largest) {
            largest = vec3_dot(a, a);
            longest = a;
            node = k;
        }
    }
    double angle = longest ? cayley_angle(longest) : 0;
    if (angle > x->report.rotation) {
        x->report.rotation = angle;
        x->report.rotation_node = node;
    }
    return angle;
}

/* Follows joint angles over full turns. An angle is computed modulo a full turn and taken next to
 * its last stored value. Most joint angles therefore need an update only when one of them may have
 * changed by a large part of half a turn since then. The angle between two bodies changes by no
 * more than the sum of their rotations. */
static void follow_angles(const olo_stepper *x, olo_state *state, double rotation)
{
    const double far = 1.0;
    state->turned += 2 * rotation;
    if (!x->plain_angles || !(state->turned <= far))
        olo_state_follow_angles(x->system, state);
}

/* Sets the predictor of a first step from the velocities. */
static void start_motion(const olo_system *s, olo_state *state, double h)
{
    olo_motion_of_velocity(s, state->q, state->v, h, olo_last_motion(state));
    state->h = h;
    olo_predictor_restart(state);
}

/* Whether the gradient of a row at the midpoint is negligible compared with that at the end: a rod
 * that rotated by half a turn. */
static bool is_half_turned(olo_stepper *x, const olo_constraint *row)
{
    if (!row->curved)
        return false;
    double *middle = x->step.r, *end = x->step.r + row->size, square_middle = 0, square_end = 0;
    olo_interval interval = olo_step_interval(&x->step);
    olo_at at = olo_step_end(&x->step);
    olo_evaluate_row(&(olo_evaluation){0}, row, &interval, middle, NULL);
    olo_constraint_gradient(row, &at, end);
    for (int i = 0; i < row->size; i++) {
        square_middle += middle[i] * middle[i];
        square_end += end[i] * end[i];
    }
    /* cos^2 of half the angle is 1/(1 + |a|^2/4) */
    return square_middle * OLO_HALF_TURN * OLO_HALF_TURN < 4 * square_end;
}

/* The name of a body or constraint that rotates by half a turn in the solution, NULL if there is
 * none. Multipliers are not determined there, and the solution is spurious. A treatment on the
 * forest has checked bodies and the rods of the forest during the iteration; only closures remain.
 */
static const char *half_turned(olo_stepper *x)
{
    const olo_system *s = x->system;
    const olo_motion *m = &x->step.x;
    for (int k = 0; k < s->node_count && !x->treatment->forest; k++) {
        const olo_node *node = &s->nodes[k];
        double motion[OLO_NODE_TWIST_MAX];
        node->type->motion(m->qm + node->q, m->dq + node->q, motion);
        if (!(olo_node_turn_size(node, motion) <= x->scheme->turn))
            return node->name;
    }
    if (x->treatment->forest) {
        const olo_topology *topology = s->topology;
        for (int i = 0; i < topology->closure_count; i++)
            if (is_half_turned(x, &s->constraints[topology->closures[i]]))
                return "a closure";
        return NULL;
    }
    for (int i = 0; i < s->group_count; i++) {
        const olo_group *group = &s->groups[i];
        for (int row = group->first; !group->internal && row < group->first + group->count; row++)
            if (is_half_turned(x, &s->constraints[row]))
                return group->name;
    }
    return NULL;
}

/* The reason why a constraint is meaningless over the solution, and its name; NULL if there is
 * none. */
static const char *objection(const olo_stepper *x, const char **name)
{
    const olo_system *s = x->system;
    olo_interval over = olo_step_interval(&x->step);
    for (int i = 0; x->has_objections && i < s->group_count; i++)
        for (int k = 0; !s->groups[i].internal && k < s->groups[i].count; k++) {
            const olo_constraint *row = &s->constraints[s->groups[i].first + k];
            const char *why = row->type->objection ? row->type->objection(row, &over) : NULL;
            *name = s->groups[i].name;
            if (why)
                return why;
        }
    return NULL;
}

/* Computes the configuration at the end of the step and its remainder. */
static void find_end(olo_stepper *x)
{
    if (x->treatment->settle)
        x->treatment->settle(x->data, &x->step);
    else
        olo_step_accumulate(&x->step);
}

/* The configuration at the end goes to the state. */
static void take_end(olo_stepper *x, olo_state *state)
{
    olo_step *step = &x->step;
    double *const q = step->q_end, *const remainder = step->remainder_end;
    const size_t size = (size_t)x->system->n * sizeof *q;
    if (x->scheme->momentum) {
        memcpy(state->q, q, size);
        memcpy(state->q_remainder, remainder, size);
        return;
    }
    step->q_end = state->q;
    step->remainder_end = state->q_remainder;
    find_end(x);
    step->q_end = q;
    step->remainder_end = remainder;
}

/* Projects the momentum at the end of the step if the scheme has one. The state is not changed. */
static olo_status conclude(olo_stepper *x, olo_error *error)
{
    olo_step *step = &x->step;
    step->pending = x->scheme->momentum && x->lazy;
    if (!x->scheme->momentum)
        return OLO_OK;
    find_end(x);
    if (!step->concluded)
        x->scheme->momentum(step);
    return x->lazy ? OLO_OK : x->treatment->project(x->data, step, error);
}

bool olo_stepper_may_be_lazy(const olo_stepper *x)
{
    return x->scheme->momentum && x->system->drive_count == 0;
}

olo_status olo_stepper_project(olo_stepper *x, const olo_state *state, const double *p, double h,
                               olo_error *error)
{
    olo_step *step = &x->step;
    size_t size = (size_t)x->system->n * sizeof *state->q;
    memcpy(step->q_end, state->q, size);
    memcpy(step->momentum, p, size);
    step->state = state;
    step->h = h;
    step->t = state->t - h;
    return x->treatment->project(x->data, step, error);
}

olo_status olo_stepper_complete(olo_stepper *x, olo_state *state, olo_error *error)
{
    size_t size = (size_t)x->system->n * sizeof *state->q;
    olo_momentum_segment *memory = olo_momentum_of(state);
    if (!memory->pending)
        return OLO_OK;
    olo_status status = olo_stepper_project(x, state, memory->momentum, state->h, error);
    if (status != OLO_OK)
        return status;
    memcpy(state->v_before, state->v, size);
    memcpy(state->v, x->step.v1, size);
    memory->pending = 0;
    return OLO_OK;
}

/* Sets the initial momentum. The momentum at the end of the last step is not projected: it still
 * contains the part normal to the constraints, so that the multipliers of this step act over halves
 * of both steps. */
static void begin_momentum(olo_stepper *x, const olo_state *state, double h)
{
    const olo_momentum_segment *memory = olo_momentum_of(state);
    double both = state->h + h;
    x->step.from_momentum = x->scheme->momentum && memory->given && !x->projected;
    x->step.weight = x->step.from_momentum && both != 0 ? both / h : 1;
    if (x->step.from_momentum)
        memcpy(x->step.Mv0, memory->momentum, (size_t)x->system->n * sizeof *x->step.Mv0);
}

olo_status olo_stepper_step_once(olo_stepper *x, olo_state *state, double h, olo_error *error)
{
    /* set up the interval */
    x->stepped = false;
    x->step.t = state->t;
    x->step.h = h;
    if (x->contact)
        return olo_contact_scheme_step(x, state, h, error);
    if (state->h == 0)
        start_motion(x->system, state, h);
    x->step.state = state;
    memcpy(x->step.q0, state->q, (size_t)x->system->n * sizeof *state->q);
    memcpy(x->step.v0, state->v, (size_t)x->system->n * sizeof *state->v);
    x->step.x.q0 = x->step.q0;
    x->step.x.left = x->scheme->evaluation.at_start ? x->step.q0 : NULL;
    begin_momentum(x, state, h);
    if (x->treatment->scaled)
        x->scheme->begin(&x->step);
    x->step.closed = x->step.concluded = false;
    /* solve */
    olo_status status = olo_stepper_solve(x, h / state->h, error);
    /* The extrapolated motion is a bad predictor if it changes rapidly. Zero motion, with all
     * joints closed in every iterate, is slower but more robust for large rotations. */
    if (status != OLO_OK && status != OLO_NO_MEMORY && !x->unsolvable) {
        x->step.closed = true;
        status = olo_stepper_solve(x, 0.0, error);
    }
    if (status != OLO_OK)
        return status;
    /* check the solution; the state has not changed so far */
    const int invalid = (int)olo_first_not_finite((size_t)x->system->n, x->step.x.dq);
    if (invalid >= 0)
        return olo_fail(error, OLO_NOT_FINITE, "coordinate %d of '%s' is not finite", invalid,
                        x->system->nodes[x->system->coordinates[invalid].node].name);
    const char *turned = half_turned(x);
    if (turned)
        return olo_fail(error, OLO_NOT_CONVERGED, "'%s' rotates too far in the step", turned);
    const char *why = objection(x, &turned);
    if (why)
        return olo_fail(error, OLO_NOT_CONVERGED, "'%s': %s", turned, why);
    /* compute the end of the step and write the new state */
    status = conclude(x, error);
    if (status != OLO_OK)
        return status;
    if (x->observe_step)
        x->observe_step(x->observe_context, x);
    x->treatment->finish(x->data, &x->step, state);
    olo_momentum_of(state)->given = state->has_interval_energy =
        0; /* unless the scheme sets them */
    olo_momentum_of(state)->pending = x->step.pending;
    x->scheme->finish(&x->step, state);
    take_end(x, state);
    olo_state_set_drive_forces(x->system, state, state->lambda);
    follow_angles(x, state, report_rotation(x, state));
    olo_stepper_record_reactions(x, state);
    x->stepped = true;
    return OLO_OK;
}
