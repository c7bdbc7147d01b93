/* Derivatives of runs: linearised steps one after the other, forwards or backwards,
 *
 *     d(x_1) = A_1 d(x_0), ...            (forward)
 *     l_{n-1} = A_n^T l_n + w_{n-1} grad running(x_{n-1}),   l_N = grad end(x_N) + w_N grad running(x_N)     (adjoint)
 *
 * with the weights w of the trapezoidal rule. Backwards the steps must be there: those of a stretch of the run are kept, all
 * of them if memory allows it, and stretches are made again from checkpoints of the state, from which a run goes on to the same bits.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "stepping/derivatives_private.h"
#include "stepping/goal.h"
#include "stepping/split.h"

/* The controls of a step of the run, NULL without any. */
static const double *controls_of(const olo_derivatives *x, long step)
{
    return x->control_count ? x->values + (step - 1) * x->control_count : NULL;
}

/* What acts in the next step. */
static void set_inputs(olo_derivatives *x, long step)
{
    const double *u = controls_of(x, step);
    x->stepper->step.inputs = u ? x->inputs : NULL;
    for (int i = 0; u && i < x->system->action_count; i++)
        x->inputs[i] = x->control[i] >= 0 ? u[x->control[i]] : NAN;
}

/* --- a run --- */

typedef struct course {
    olo_derivatives *x;
    olo_objective *objective;
    bool runs;              /* J has something under the integral */
    bool lazy;              /* velocities are looked at in the end only */
    long steps;             /* of the run ... */
    long stretch;           /* ... and of a stretch */
    long stretches;         /* with a checkpoint before each */
    olo_state **checkpoint; /* [stretches] */
    double value;           /* J so far */
    double *gu;             /* [steps x controls] wanted derivatives, or NULL */
    long again;
} course;

static double time_of(const course *c, long step)
{
    return olo_timetable_time(&c->x->table, step);
}

static double size_of(const course *c, long step)
{
    return olo_timetable_size(&c->x->table, step);
}

/* Of the trapezoidal rule at the end of a step, or at the start: 0. */
static double weight_of(const course *c, long step)
{
    double before = step > 0 ? size_of(c, step) : 0,
           after = step < c->steps ? size_of(c, step + 1) : 0;
    return 0.5 * (before + after);
}

/* Who watches sees a state of the run and may end it. */
static olo_status show(olo_derivatives *x, const olo_state *state, long step, olo_error *error)
{
    const olo_observer *watch = &x->observer;
    olo_status status = watch->step ? watch->step(watch->context, x->system, state, step,
                                                  olo_stepper_report(x->stepper), error)
                                    : OLO_OK;
    if (status == OLO_OK && watch->stop && watch->stop(watch->context))
        status =
            olo_fail(error, OLO_INTERRUPTED, "derivatives were interrupted at t = %.9g", state->t);
    return status;
}

static olo_status advance(course *c, long step, bool keep, olo_error *error)
{
    olo_derivatives *x = c->x;
    x->step = step;
    set_inputs(x, step);
    olo_status status = olo_derivatives_make_step(x, x->state, size_of(c, step), keep,
                                                  c->lazy && step < c->steps, error);
    x->state->t = time_of(c, step);
    return status == OLO_OK ? show(x, x->state, step, error) : status;
}

static olo_status add_value(course *c, long step, olo_error *error)
{
    double weight = weight_of(c, step);
    c->value += weight * olo_objective_running(c->objective, c->x->state, weight, NULL, NULL);
    if (step > 0)
        c->value += size_of(c, step) * olo_objective_effort(c->objective, time_of(c, step - 1),
                                                            c->x->control_count,
                                                            controls_of(c->x, step), 1.0, NULL);
    if (step == c->steps)
        c->value += olo_objective_end(c->objective, c->x->state, 1.0, NULL, NULL);
    return isfinite(c->value) ? OLO_OK : olo_objective_explain(c->objective, c->x->state, error);
}

/* The steps that the tolerance chooses, and nothing else. */
static olo_status rehearse(course *c, const olo_state *start, olo_error *error)
{
    olo_derivatives *x = c->x;
    olo_status status = OLO_OK;
    if (x->control_count)
        return olo_fail(error, OLO_UNSUPPORTED,
                        "controls belong to steps, and run.tolerance chooses these: give the sizes "
                        "of the steps, or leave out run.tolerance");
    olo_state_copy(start, x->state);
    x->stepper->step.inputs = NULL;
    while (status == OLO_OK && x->state->t < x->run.end) {
        status = olo_run_take_chosen(&x->run, x->stepper, x->state, start->t, error);
        if (status == OLO_OK)
            status = olo_timetable_add(&x->table, olo_stepper_report(x->stepper)->size, x->state->t,
                                       error);
        if (status == OLO_OK)
            status = show(x, x->state, x->table.steps, error);
    }
    return status;
}

static olo_status begin(course *c, olo_derivatives *x, const olo_state *start,
                        const olo_functional *functional, bool forward, olo_error *error)
{
    *c = (course){.x = x};
    x->stepper->projected = forward;
    olo_status status = olo_timetable_begin(&x->table, &x->run, start->t, error);
    if (status == OLO_OK && x->table.listed && !x->table.given)
        status = rehearse(c, start, error);
    c->steps = x->table.steps;
    if (status == OLO_OK && x->control_count && x->control_steps < c->steps)
        status =
            olo_fail(error, OLO_BAD_INPUT, "there are controls for %ld steps, but the run has %ld",
                     x->control_steps, c->steps);
    if (status == OLO_OK)
        status = olo_objective_create(x->system, functional, &c->objective, error);
    c->runs = status == OLO_OK && olo_objective_runs(c->objective);
    c->lazy = status == OLO_OK && !forward && !c->runs && !x->observer.step &&
              olo_stepper_may_be_lazy(x->stepper);
    olo_state_copy(start, x->state);
    x->state->bare = false; /* J is one of its velocities */
    return status;
}

/* How long a stretch is: all, or so that checkpoints and kept steps together need least. */
static olo_status plan(course *c, olo_error *error)
{
    const olo_derivatives *x = c->x;
    double record = (double)(x->record_size * sizeof(double)) * x->stepper->composition->parts;
    double state = (double)olo_state_saved_size(x->state), steps = (double)c->steps;
    c->stretch = c->steps;
    if (steps * record > (double)x->memory)
        c->stretch = (long)ceil(sqrt(steps * state / record));
    if (c->stretch < 1)
        c->stretch = 1;
    c->stretches = (c->steps + c->stretch - 1) / c->stretch;
    c->checkpoint = olo_alloc((size_t)c->stretches, sizeof *c->checkpoint);
    return c->checkpoint ? OLO_OK : olo_fail(error, OLO_NO_MEMORY, "out of memory for checkpoints");
}

static void end(course *c)
{
    for (long i = 0; c->checkpoint && i < c->stretches; i++)
        olo_state_free(c->checkpoint[i]);
    olo_free(c->checkpoint);
    olo_objective_free(c->objective);
}

static long last_of(const course *c, long stretch)
{
    long last = (stretch + 1) * c->stretch;
    return last < c->steps ? last : c->steps;
}

/* The steps of a stretch from its start. */
static olo_status run_stretch(course *c, long stretch, bool keep, bool first_time, olo_error *error)
{
    olo_status status = OLO_OK;
    c->x->count = 0;
    for (long i = stretch * c->stretch + 1; status == OLO_OK && i <= last_of(c, stretch); i++) {
        status = advance(c, i, keep, error);
        if (status == OLO_OK && first_time)
            status = add_value(c, i, error);
        c->again += !first_time;
    }
    return status;
}

/* The whole run, with a checkpoint before each stretch; the steps of the last one are kept. */
static olo_status run_all(course *c, olo_error *error)
{
    olo_status status = add_value(c, 0, error);
    for (long k = 0; status == OLO_OK && k < c->stretches; k++) {
        status = olo_state_clone(c->x->state, &c->checkpoint[k], error);
        if (status == OLO_OK)
            status = run_stretch(c, k, k == c->stretches - 1, true, error);
    }
    return status;
}

/* The state at the start of a kept step. */
static const olo_state *node_of(olo_derivatives *x, const olo_kept_step *step)
{
    const olo_system *s = x->system;
    size_t n = (size_t)s->n * sizeof *x->node->q;
    x->node->t = step->record.t;
    memcpy(x->node->q, step->record.q0, n);
    memcpy(x->node->v, step->record.v0, n);
    memcpy(x->node->angles, step->record.angles,
           (size_t)s->joint_coordinate_count * sizeof *x->node->angles);
    return x->node;
}

/* Back through the kept steps. */
static olo_status return_stretch(course *c, olo_error *error)
{
    olo_derivatives *x = c->x;
    olo_status status = OLO_OK;
    olo_derivatives_join_steps(x);
    for (size_t i = x->count; status == OLO_OK && i > 0; i--) {
        const olo_kept_step *step = &x->steps[i - 1];
        double *gu = c->gu ? c->gu + (step->step - 1) * x->control_count : NULL;
        status = olo_derivatives_go_back(x, step, x->gq, x->gv, gu, error);
        bool whole = i == 1 || x->steps[i - 2].step != step->step;
        if (status == OLO_OK && whole && gu)
            olo_objective_effort(c->objective, time_of(c, step->step - 1), x->control_count,
                                 controls_of(x, step->step), size_of(c, step->step), gu);
        if (status != OLO_OK || !whole)
            continue;
        const olo_state *node = node_of(x, step);
        double weight = weight_of(c, step->step - 1);
        if (c->runs) {
            olo_objective_running(c->objective, node, weight, x->gq, x->gv);
            olo_parameter_set_node(&x->parameters, c->objective, node, weight, false);
        }
        status = show(x, node, step->step - 1, error);
    }
    return status;
}

static olo_status return_all(course *c, olo_error *error)
{
    olo_derivatives *x = c->x;
    olo_status status = OLO_OK;
    memset(x->gq, 0, (size_t)x->system->n * sizeof *x->gq);
    memset(x->gv, 0, (size_t)x->system->n * sizeof *x->gv);
    memset(x->gp, 0, (size_t)x->system->n * sizeof *x->gp);
    olo_parameter_set_begin(&x->parameters);
    olo_objective_end(c->objective, x->state, 1.0, x->gq, x->gv);
    olo_objective_running(c->objective, x->state, weight_of(c, c->steps), x->gq, x->gv);
    olo_parameter_set_node(&x->parameters, c->objective, x->state, weight_of(c, c->steps), true);
    for (long k = c->stretches - 1; status == OLO_OK && k >= 0; k--) {
        if (k < c->stretches - 1) {
            olo_state_copy(c->checkpoint[k], x->state);
            status = run_stretch(c, k, true, false, error);
        }
        if (status == OLO_OK)
            status = return_stretch(c, error);
    }
    return status;
}

static olo_status check_finite(int count, const double *g, olo_error *error)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(g[i]))
            return olo_fail(error, OLO_NOT_FINITE,
                            "the derivatives are not finite: those of the functional are not, or "
                            "the motion is so unstable that they grow beyond all numbers; take a "
                            "shorter run");
    return OLO_OK;
}

/* dJ with respect to any numbers for the start, of which the admissible part counts. */
static olo_status give(course *c, const olo_state *start, olo_gradient *gradient, olo_error *error)
{
    olo_derivatives *x = c->x;
    size_t n = (size_t)x->system->n * sizeof *x->gq;
    olo_status status = check_finite(x->system->n, x->gq, error);
    if (status == OLO_OK)
        status = check_finite(x->system->n, x->gv, error);
    if (status == OLO_OK)
        status = olo_linear_step_state(x->linear, start, error);
    if (status != OLO_OK)
        return status;
    if (gradient->parameters)
        olo_parameter_set_end(&x->parameters, x->gq, x->gv, gradient->parameters);
    olo_linear_step_admit_transposed(x->linear, x->gq, x->gv);
    gradient->value = c->value;
    gradient->steps = c->steps;
    gradient->again = c->again;
    if (gradient->q)
        memcpy(gradient->q, x->gq, n);
    if (gradient->v)
        memcpy(gradient->v, x->gv, n);
    return OLO_OK;
}

olo_status olo_derivatives_gradient(olo_derivatives *x, const olo_state *start,
                                    const olo_functional *functional, olo_gradient *gradient,
                                    olo_error *error)
{
    course c;
    olo_status status = begin(&c, x, start, functional, false, error);
    if (status == OLO_OK)
        status = plan(&c, error);
    if (status == OLO_OK)
        status = run_all(&c, error);
    c.gu = gradient->controls;
    if (status == OLO_OK && c.gu)
        memset(c.gu, 0, (size_t)(c.steps * x->control_count) * sizeof *c.gu);
    if (status == OLO_OK)
        status = return_all(&c, error);
    if (status == OLO_OK)
        status = give(&c, start, gradient, error);
    end(&c);
    return status;
}

/* --- forward --- */

/* What J changes by at the end of a step, along the variation there. */
static double derivative_at(course *c, long step, const double *dq, const double *dv)
{
    olo_derivatives *x = c->x;
    int n = x->system->n;
    memset(x->gq, 0, (size_t)n * sizeof *x->gq);
    memset(x->gv, 0, (size_t)n * sizeof *x->gv);
    olo_objective_running(c->objective, x->state, weight_of(c, step), x->gq, x->gv);
    if (step == c->steps)
        olo_objective_end(c->objective, x->state, 1.0, x->gq, x->gv);
    return olo_dense_dot(n, x->gq, dq) + olo_dense_dot(n, x->gv, dv);
}

/* The same of what the controls of the step cost. */
static double effort_derivative(course *c, long step, const double *du)
{
    double gu[OLO_CONTROLS_MAX] = {0};
    int count = c->x->control_count;
    olo_objective_effort(c->objective, time_of(c, step - 1), count, controls_of(c->x, step),
                         size_of(c, step), gu);
    return olo_dense_dot(count, gu, du);
}

olo_status olo_derivatives_forward(olo_derivatives *x, const olo_state *start,
                                   const olo_functional *functional, olo_direction *direction,
                                   double *value, double *derivative, olo_error *error)
{
    course c;
    double sum = 0, *dq = direction->q, *dv = direction->v;
    olo_status status = begin(&c, x, start, functional, true, error);
    bool parameters = direction->parameters && x->parameters.count > 0;
    if (status == OLO_OK && parameters)
        olo_parameter_set_aim(&x->parameters, direction->parameters, dq, dv);
    for (long i = 0; status == OLO_OK && i <= c.steps; i++) {
        x->count = 0;
        const double *du = i > 0 && x->control_count && direction->controls
                               ? direction->controls + (i - 1) * x->control_count
                               : NULL;
        if (i > 0)
            status = advance(&c, i, true, error);
        if (status == OLO_OK)
            status = olo_derivatives_go_forward(
                x, 1, dq, dv, &(olo_variation){.controls = du, .parameters = parameters}, error);
        if (status != OLO_OK)
            break;
        if (du)
            sum += effort_derivative(&c, i, du);
        status = add_value(&c, i, error);
        if (status != OLO_OK)
            break;
        sum += derivative_at(&c, i, dq, dv);
        if (parameters)
            sum += olo_parameter_set_value(&x->parameters, c.objective, x->state, weight_of(&c, i),
                                           i == c.steps);
    }
    if (status == OLO_OK)
        status = check_finite(1, &sum, error);
    if (status == OLO_OK && value)
        *value = c.value;
    if (status == OLO_OK && derivative)
        *derivative = sum;
    end(&c);
    return status;
}
