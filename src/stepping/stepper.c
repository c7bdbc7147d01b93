/* The time step: predictor, Newton iteration, and the response to failures.
 *
 * The Newton iteration stops when the last scaled update is below
 *
 *       tolerance * min(size of the increment of the step, 1):
 *
 * the remaining error is then about its square. Near round-off, where updates no longer decrease, a
 * residual at the level of round-off of its terms is accepted. A step that fails is repeated with a
 * predictor of zero motion, then split into halves. A step of higher order is composed of parts; if
 * one of them fails, the whole step is split, so that its order is preserved. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/initialised.h"
#include "base/memory.h"
#include "linalg/rotation.h"
#include "stepping/momenta.h"
#include "stepping/predictor.h"
#include "stepping/registry.h"
#include "stepping/step.h"
#include "stepping/step_size_control.h"

/* A residual that is this small relative to its terms is round-off. */
static const double residual_floor = 1e-12;
/* With an incomplete tangent convergence is linear: the last update itself must be at round-off. */
static const double linear_tolerance = 1e-14;
/* Permitted error after an update with an older tangent. */
static const double rounding = 1e-16;
/* After a larger update (model lengths, radians) the iteration has diverged. */
static const double largest_update = 1e8;

/* Sizes of the local workspace: that of the largest piece, twice for two gradients. */
static void measure_pieces(const olo_system *s, size_t *vector, size_t *matrix)
{
    size_t largest = 12;
    for (int i = 0; i < olo_pieces(s); i++)
        if ((size_t)olo_piece_size(s, i) > largest)
            largest = (size_t)olo_piece_size(s, i);
    *vector = 2 * largest;
    *matrix = largest * largest;
}

/* Sums the gradients of terms that are linear in q: constant forces such as gravity. The other
 * terms are listed as active. */
static void gather_constant_forces(olo_step *step)
{
    const olo_system *s = step->system;
    for (int i = 0; i < s->term_count; i++) {
        const olo_term *term = &s->terms[i];
        if (olo_piece_has_tangent(s, i)) {
            step->active[step->active_count++] = i;
            continue;
        }
        for (int k = 0; k < term->size; k++)
            step->constant[term->index[k]] += term->coefficient[0] * term->form[0].b[k];
        step->constant_energy += term->coefficient[0] * term->form[0].c;
    }
}

olo_status olo_step_create(const olo_system *s, olo_step *step, olo_error *error)
{
    size_t n = (size_t)s->n, m = (size_t)s->m, vector, matrix, twists = (size_t)s->twists;
    size_t constants = (size_t)s->node_count * OLO_JOINT_CONSTANTS;
    measure_pieces(s, &vector, &matrix);
    step->numbers =
        olo_alloc(12 * n + 2 * twists + m + vector + matrix + constants, sizeof *step->numbers);
    step->active = olo_alloc((size_t)s->term_count, sizeof *step->active);
    if (!step->numbers || !step->active)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for a step");
    double *at = step->numbers;
    step->x.dq = at;
    step->x.qm = at += n;
    step->x.q1 = at += n;
    step->T = at += n;
    step->Mv0 = at += n;
    step->constant = at += n;
    step->q0 = at += n;
    step->v0 = at += n;
    step->q_end = at += n;
    step->remainder_end = at += n;
    step->v1 = at += n;
    step->momentum = at += n;
    step->x.motion = at += n;
    step->x.u = at += twists;
    step->lambda_end = at += twists;
    step->r = at += m;
    step->K = at += vector;
    step->x.constants = at + matrix;
    step->system = s;
    step->weight = 1;
    gather_constant_forces(step);
    return OLO_OK;
}

void olo_step_free(olo_step *step)
{
    olo_free(step->numbers);
    olo_free(step->active);
}

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
    *scheme = olo_scheme_find(run->scheme);
    return *scheme ? OLO_OK : refuse(error, "there is no scheme", run->scheme, olo_scheme_names);
}

/* Chooses the composition of a step, and checks whether its size may change. */
static olo_status choose_order(olo_stepper *x, const olo_run *run, olo_error *error)
{
    if (!olo_composition_find(run->order, false))
        return olo_fail(error, OLO_BAD_INPUT, "run.order must be 2, 4 or 6, got %d", run->order);
    if (run->order > x->scheme->highest_order)
        return olo_fail(error, OLO_UNSUPPORTED,
                        "the scheme %s has no order %d: its step reflects velocities normal to the "
                        "constraints, which limits compositions to order %d; take order %d, or the "
                        "scheme variational",
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
    const olo_status status = olo_system_counts(x->system, &counts, error);
    if (status == OLO_OK)
        x->unknowns = olo_treatment_unknowns(x->treatment->name, &counts);
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
    const size_t twists = (size_t)x->system->twists,
                 gathered = m + 6 * (size_t)x->system->reaction_count;
    const int parts = x->scheme->evaluation.at_start ? 1 : x->composition->parts;
    x->gathered = olo_alloc(gathered + (size_t)parts * (4 * n + twists + m), sizeof *x->gathered);
    if (!x->gathered)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for a step");
    double *at = x->gathered + gathered;
    for (int i = 0; i < parts; i++, at += 4 * n + twists + m)
        x->part[i] = (olo_part){.q0 = at,
                                .dq = at + n,
                                .qm = at + 2 * n,
                                .q1 = at + 3 * n,
                                .wrench = at + 4 * n,
                                .lambda = at + 4 * n + twists};
    return olo_state_create(x->system, &x->begin, error);
}

static bool has_hinges_only(const olo_system *s)
{
    bool hinges = true;
    for (int i = 0; hinges && i < s->joint_count; i++) {
        const olo_articulation *joint = &s->joints[i];
        olo_hinge hinge;
        hinges = joint->type->hinge && joint->type->hinge(joint, &hinge);
    }
    return hinges;
}

olo_status olo_stepper_create(const olo_system *system, const olo_run *run, olo_stepper **stepper,
                              olo_error *error)
{
    const olo_scheme *scheme;
    *stepper = NULL;
    const olo_status status = find_scheme(run, &scheme, error);
    return status == OLO_OK ? olo_stepper_create_with(system, scheme, run, stepper, error) : status;
}

olo_status olo_stepper_create_with(const olo_system *system, const olo_scheme *scheme,
                                   const olo_run *run, olo_stepper **stepper, olo_error *error)
{
    *stepper = NULL;
    if (olo_check_initialised(run->initialised, OLO_INITIALISED_RUN, error) != OLO_OK)
        return OLO_BAD_INPUT;
    olo_stepper *x = olo_alloc(1, sizeof *x);
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the stepper");
    x->system = system;
    x->scheme = scheme;
    x->tolerance = run->newton_tolerance;
    x->iterations = run->iterations;
    x->halvings = run->tolerance > 0 ? 0 : run->halvings; /* adaptive steps are rejected instead */
    x->quadratic = true;
    x->hinges_only = has_hinges_only(system);
    for (int i = 0; i < system->action_count; i++)
        if (system->actions[i].type->motion_tangent)
            x->quadratic = false;
    for (int c = 0; c < system->m; c++)
        x->has_objections = x->has_objections || system->constraints[c].type->objection;
    olo_status status = choose(x, run, error);
    if (status == OLO_OK)
        status = count_unknowns(x, error);
    if (status == OLO_OK && x->treatment->near)
        x->quadratic = false;
    if (status == OLO_OK) {
        x->step.evaluation = x->scheme->evaluation;
        status = olo_step_create(system, &x->step, error);
    }
    if (status == OLO_OK)
        status = olo_state_create(system, &x->backup, error);
    if (status == OLO_OK && x->composition->parts > 1)
        status = create_composed(x, error);
    if (status == OLO_OK && x->control.bound > 0)
        status = olo_control_create(x, error);
    if (status == OLO_OK)
        status = x->treatment->create(system, x->scheme, run, &x->data, error);
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
    olo_state_free(stepper->backup);
    olo_state_free(stepper->begin);
    olo_free(stepper->gathered);
    olo_control_free(&stepper->control);
    olo_step_free(&stepper->step);
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

/* --- Newton iteration --- */

static void record_update(olo_stepper *x, double increment)
{
    const int capacity = (int)(sizeof x->history / sizeof *x->history);
    if (x->history_count < capacity)
        x->history[x->history_count++] = increment;
}

static bool converged(const olo_stepper *x, const olo_newton *now, double before)
{
    double bound = now->size < 1 ? now->size : 1.0;
    if (now->left > 0 && now->left <= rounding * bound)
        return true;
    if (x->quadratic && now->left == 0 && now->increment <= x->tolerance * bound)
        return true;
    if (now->increment <= linear_tolerance * bound)
        return true;
    /* updates no longer decrease: this is round-off if the residual is small */
    return now->increment > 0.5 * before && now->residual <= residual_floor;
}

/* A Newton iteration whose updates are not finite, or too large to converge. */
static olo_status fail_divergence(const olo_stepper *x, double increment, olo_error *error)
{
    return olo_fail(error, OLO_NOT_FINITE, "Newton iteration %s at t = %.9g ('%s')",
                    isfinite(increment) ? "diverged" : "produced NaN", x->step.t,
                    x->system->nodes[x->worst].name);
}

static olo_status iterate(olo_stepper *x, olo_error *error)
{
    double before = HUGE_VAL;
    olo_newton now = {0};
    x->history_count = 0;
    for (int i = 0; i < x->iterations; i++) {
        olo_status status = x->treatment->iterate(x->data, &x->step, &now, error);
        x->report.iterations++;
        x->report.residual = now.residual;
        x->worst = now.worst;
        if (status != OLO_OK)
            return status;
        record_update(x, now.increment);
        if (!isfinite(now.increment) || now.increment > largest_update)
            return fail_divergence(x, now.increment, error);
        if (now.turn > OLO_HALF_TURN)
            return olo_fail(error, OLO_NOT_CONVERGED,
                            "a body or rod turns by half a turn in the step");
        if (converged(x, &now, before))
            return OLO_OK;
        before = now.increment;
    }
    return olo_fail(error, OLO_NOT_CONVERGED, "Newton iteration did not converge in %d iterations",
                    x->iterations);
}

/* Predictor and Newton iteration; the treatment may request further iterations. */
static olo_status solve(olo_stepper *x, double predictor, olo_error *error)
{
    x->treatment->predict(x->data, &x->step, predictor);
    for (int count = 1;; count++) {
        olo_status status = iterate(x, error);
        x->report.passes++;
        if (status != OLO_OK || !x->treatment->pass)
            return status;
        olo_pass pass = x->treatment->pass(x->data, &x->step, count, error);
        if (pass == OLO_PASS_DONE)
            return OLO_OK;
        if (pass == OLO_PASS_FAILED)
            return OLO_NOT_CONVERGED;
        if (pass == OLO_PASS_NO_SOLUTION) {
            x->unsolvable = true;
            return OLO_NOT_CONVERGED;
        }
    }
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
 * its last stored value. Angles of hinges therefore need an update only when one of them may have
 * changed by a large part of half a turn since then. The angle between two bodies changes by no
 * more than the sum of their rotations. */
static void follow_angles(const olo_stepper *x, olo_state *state, double rotation)
{
    const double far = 1.0;
    state->turned += 2 * rotation;
    if (!x->hinges_only || !(state->turned <= far))
        olo_state_follow_angles(x->system, state);
}

/* Sets the predictor of a first step from the velocities. */
static void start_motion(const olo_system *s, olo_state *state, double h)
{
    for (int k = 0; k < s->node_count; k++) {
        const olo_node *node = &s->nodes[k];
        double *motion = olo_last_motion(state) + node->motion;
        node->type->twist_of(state->q + node->q, state->v + node->q, motion);
        for (int i = 0; i < node->twist; i++)
            motion[i] *= h;
    }
    state->h = h;
    olo_predictor_restart(state);
}

/* Whether the gradient of a row at the midpoint is negligible compared with that at the end: a rod
 * that rotated by half a turn. */
static bool is_half_turned(olo_stepper *x, const olo_constraint *row)
{
    double *middle = x->step.r, *end = x->step.r + row->size, square_middle = 0, square_end = 0;
    olo_interval interval = olo_step_interval(&x->step);
    olo_at at = olo_step_end(&x->step);
    if (!row->curved)
        return false;
    olo_constraint_discrete(row, &interval, middle, NULL);
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

/* Adds increments to numbers with remainders, which collect rounding errors (two-sum). */
static void accumulate(int count, const double *restrict value, const double *restrict remainder,
                       const double *restrict increment, double *restrict value_end,
                       double *restrict remainder_end)
{
    for (int i = 0; i < count; i++) {
        double sum = value[i] + increment[i], shift = sum - value[i];
        double left = remainder[i] + ((value[i] - (sum - shift)) + (increment[i] - shift));
        /* move the remainder into the value where it is large enough */
        value_end[i] = sum + left;
        remainder_end[i] = left - (value_end[i] - sum);
    }
}

/* Computes the end of the step, and projects the momentum there if the scheme has one. The state is
 * not changed. */
static olo_status conclude(olo_stepper *x, const olo_state *state, olo_error *error)
{
    olo_step *step = &x->step;
    accumulate(x->system->n, state->q, state->q_remainder, step->x.dq, step->q_end,
               step->remainder_end);
    if (x->treatment->settle)
        x->treatment->settle(x->data, step);
    step->pending = x->scheme->momentum && x->lazy;
    if (!x->scheme->momentum)
        return OLO_OK;
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

/* The index of the first number that is not finite, or -1. */
static int first_not_finite(int count, const double *x)
{
    typedef double pair __attribute__((vector_size(16)));
    pair zero = {0, 0}, also = {0, 0}; /* 0 * x is NaN for infinite and NaN x */
    const int whole = count - count % 4;
    for (int i = 0; i < whole; i += 4) {
        pair a, b;
        memcpy(&a, x + i, sizeof a);
        memcpy(&b, x + i + 2, sizeof b);
        zero += 0.0 * a;
        also += 0.0 * b;
    }
    zero += also;
    int from = zero[0] + zero[1] == 0 ? whole : 0;
    for (int i = from; i < count; i++)
        if (!isfinite(x[i]))
            return i;
    return -1;
}

/* One step of second order, without composition or halving. */
static olo_status step_once(olo_stepper *x, olo_state *state, double h, olo_error *error)
{
    /* set up the interval */
    x->stepped = false;
    x->step.t = state->t;
    x->step.h = h;
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
    olo_status status = solve(x, h / state->h, error);
    /* The extrapolated motion is a bad predictor if it changes rapidly. Zero motion, with all
     * joints closed in every iterate, is slower but more robust for large rotations. */
    if (status != OLO_OK && status != OLO_NO_MEMORY && !x->unsolvable) {
        x->step.closed = true;
        status = solve(x, 0.0, error);
    }
    if (status != OLO_OK)
        return status;
    /* check the solution; the state has not changed so far */
    int invalid = first_not_finite(x->system->n, x->step.x.dq);
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
    status = conclude(x, state, error);
    if (status != OLO_OK)
        return status;
    if (x->observe_step)
        x->observe_step(x->observe_context, x);
    x->treatment->finish(x->data, &x->step, state);
    olo_momentum_of(state)->given = state->has_interval_energy =
        0; /* unless the scheme sets them */
    olo_momentum_of(state)->pending = x->step.pending;
    x->scheme->finish(&x->step, state);
    follow_angles(x, state, report_rotation(x, state));
    olo_stepper_record_reactions(x, state);
    x->stepped = true;
    return OLO_OK;
}

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
        return step_once(x, state, h, error);
    olo_state_copy(state, x->begin);
    olo_control_sample(x, state, 0);
    x->part_count = 0;
    const bool lazy = x->lazy, inner = !x->projected && !x->eager && olo_stepper_may_be_lazy(x);
    for (int i = 0; i < c->parts; i++) {
        x->lazy = lazy || (inner && i < c->parts - 1);
        olo_status status = step_once(x, state, c->part[i] * h, error);
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
        return OLO_OK;
    }
    if (x->saved)
        olo_state_copy(x->backup, state);
    return olo_fail(error, status, "%s", reason.text);
}
