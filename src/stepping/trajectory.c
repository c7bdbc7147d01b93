/* Derivatives of runs: linearised steps one after the other, forwards or backwards,
 *
 *     d(x_1) = A_1 d(x_0), ...            (forward)
 *     l_{n-1} = A_n^T l_n + w_{n-1} grad running(x_{n-1}),   l_N = grad end(x_N) + w_N grad
 *         running(x_N)     (adjoint)
 *
 * where n counts the parts of composed steps and the halves of those that failed, too, and w are
 * the weights of the trapezoidal rule over these: w_n = (h_n + h_{n+1})/2, negative where a part
 * goes back in time. A part of second order and the trapezoidal rule over it are together one
 * symmetric method for the motion and its integral, so that composition gives both its order, 2, 4
 * or 6. Backwards the steps must be there: those of a stretch of the run are kept, all of them if
 * memory allows it, and stretches are made again from checkpoints of the state, from which a run
 * goes on to the same bits.
 */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/initialised.h"
#include "base/memory.h"
#include "stepping/derivatives_private.h"
#include "stepping/goal.h"
#include "stepping/momenta.h"
#include "stepping/row_basis.h"

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

typedef struct trajectory {
    olo_derivatives *x;
    olo_objective *objective;
    bool runs;              /* J has something under the integral */
    bool lazy;              /* velocities are looked at in the end only */
    long steps;             /* of the run ... */
    long stretch;           /* ... and of a stretch */
    long stretches;         /* with a checkpoint before each */
    olo_state **checkpoint; /* [stretches] */
    double *edge;           /* [stretches] how long the last part of each is */
    double value;           /* J so far */
    double running,
        slope;    /* what is under the integral at the last node, and its derivative, forwards */
    size_t first; /* of the kept steps: where the last step of the run begins */
    double *gu;   /* [steps x controls] wanted derivatives, or NULL */
    long again;
} trajectory;

static double time_of(const trajectory *c, long step)
{
    return olo_time_grid_time(&c->x->table, step);
}

static double size_of(const trajectory *c, long step)
{
    return olo_time_grid_size(&c->x->table, step);
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

static olo_status advance(trajectory *c, long step, bool keep, olo_error *error)
{
    olo_derivatives *x = c->x;
    x->step = step;
    set_inputs(x, step);
    /* the integral sees the parts of every step */
    if (!keep)
        x->count = 0;
    c->first = x->count;
    olo_status status = olo_derivatives_make_step(x, x->state, size_of(c, step), keep || c->runs,
                                                  c->lazy && step < c->steps, error);
    x->state->t = time_of(c, step);
    return status == OLO_OK ? show(x, x->state, step, error) : status;
}

/* The state at the start of a kept step. */
static const olo_state *node_of(olo_derivatives *x, const olo_stored_step *step)
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

/* The state at its end. */
static const olo_state *end_of(olo_derivatives *x, size_t part)
{
    return part + 1 < x->count ? node_of(x, &x->steps[part + 1]) : x->state;
}

/* The integral over the step that was made last, part by part. */
static void add_integral(trajectory *c)
{
    olo_derivatives *x = c->x;
    for (size_t i = c->first; i < x->count; i++) {
        double before = c->running;
        c->running = olo_objective_running(c->objective, end_of(x, i), 1.0, NULL, NULL);
        c->value += 0.5 * x->steps[i].record.h * (before + c->running);
    }
}

static olo_status add_value(trajectory *c, long step, olo_error *error)
{
    if (c->runs && step == 0)
        c->running = olo_objective_running(c->objective, c->x->state, 1.0, NULL, NULL);
    if (c->runs && step > 0)
        add_integral(c);
    if (step > 0)
        c->value += size_of(c, step) * olo_objective_effort(c->objective, time_of(c, step - 1),
                                                            c->x->control_count,
                                                            controls_of(c->x, step), 1.0, NULL);
    if (step == c->steps)
        c->value += olo_objective_end(c->objective, c->x->state, 1.0, NULL, NULL);
    return isfinite(c->value + c->running)
               ? OLO_OK
               : olo_objective_explain(c->objective, c->x->state, error);
}

/* The steps that the tolerance chooses, and nothing else. */
static olo_status rehearse(trajectory *c, const olo_state *start, olo_error *error)
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
        status = olo_run_step_adaptive(&x->run, x->stepper, x->state, start->t, error);
        if (status == OLO_OK)
            status = olo_time_grid_add(&x->table, olo_stepper_report(x->stepper)->size, x->state->t,
                                       error);
        if (status == OLO_OK)
            status = show(x, x->state, x->table.steps, error);
    }
    return status;
}

static olo_status begin(trajectory *c, olo_derivatives *x, const olo_state *start,
                        const olo_functional *functional, bool forward, olo_error *error)
{
    *c = (trajectory){.x = x};
    x->stepper->projected = forward;
    olo_status status = olo_time_grid_begin(&x->table, &x->run, start->t, error);
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
    x->stepper->eager = c->runs && olo_objective_runs_over_rates(c->objective);
    c->lazy = status == OLO_OK && !forward && !x->stepper->eager && !x->observer.step &&
              olo_stepper_may_be_lazy(x->stepper);
    olo_state_copy(start, x->state);
    olo_momentum_of(x->state)->given = 0; /* J is one of its velocities */
    x->state->has_interval_energy = 0;
    return status;
}

/* How long a stretch is: all, or so that checkpoints and kept steps together need least. */
static olo_status plan(trajectory *c, olo_error *error)
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
    c->edge = olo_alloc((size_t)c->stretches, sizeof *c->edge);
    return c->checkpoint && c->edge
               ? OLO_OK
               : olo_fail(error, OLO_NO_MEMORY, "out of memory for checkpoints");
}

static void end(trajectory *c)
{
    for (long i = 0; c->checkpoint && i < c->stretches; i++)
        olo_state_free(c->checkpoint[i]);
    olo_free(c->checkpoint);
    olo_free(c->edge);
    olo_objective_free(c->objective);
}

static long last_of(const trajectory *c, long stretch)
{
    long last = (stretch + 1) * c->stretch;
    return last < c->steps ? last : c->steps;
}

/* The steps of a stretch from its start. */
static olo_status run_stretch(trajectory *c, long stretch, bool keep, bool first_time,
                              olo_error *error)
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
static olo_status run_all(trajectory *c, olo_error *error)
{
    olo_status status = add_value(c, 0, error);
    for (long k = 0; status == OLO_OK && k < c->stretches; k++) {
        status = olo_state_clone(c->x->state, &c->checkpoint[k], error);
        if (status == OLO_OK)
            status = run_stretch(c, k, k == c->stretches - 1, true, error);
        if (status == OLO_OK && c->runs)
            c->edge[k] = c->x->steps[c->x->count - 1].record.h;
    }
    return status;
}

/* What the integral adds at a node: the end of the i-th of the kept steps, or with 0 their start.
 */
static void return_node(trajectory *c, long stretch, size_t i)
{
    olo_derivatives *x = c->x;
    if (!c->runs)
        return;
    double before = i > 0 ? x->steps[i - 1].record.h : stretch > 0 ? c->edge[stretch - 1] : 0;
    double after = i < x->count ? x->steps[i].record.h : 0, weight = 0.5 * (before + after);
    const olo_state *node = i < x->count ? node_of(x, &x->steps[i]) : x->state;
    olo_objective_running(c->objective, node, weight, x->gq, x->gv);
    olo_parameter_set_node(&x->parameters, c->objective, node, weight, false);
}

/* Back through the kept steps. */
static olo_status return_stretch(trajectory *c, long stretch, olo_error *error)
{
    olo_derivatives *x = c->x;
    olo_status status = OLO_OK;
    olo_derivatives_join_steps(x);
    for (size_t i = x->count; status == OLO_OK && i > 0; i--) {
        const olo_stored_step *step = &x->steps[i - 1];
        double *gu = c->gu ? c->gu + (step->step - 1) * x->control_count : NULL;
        /* the end of an earlier stretch was the start of the one before */
        if (i < x->count || stretch == c->stretches - 1)
            return_node(c, stretch, i);
        status = olo_derivatives_backward_part(x, step, x->gq, x->gv, gu, error);
        bool whole = i == 1 || x->steps[i - 2].step != step->step;
        if (status == OLO_OK && whole && gu)
            olo_objective_effort(c->objective, time_of(c, step->step - 1), x->control_count,
                                 controls_of(x, step->step), size_of(c, step->step), gu);
        if (status == OLO_OK && whole)
            status = show(x, node_of(x, step), step->step - 1, error);
    }
    if (status == OLO_OK && x->count > 0)
        return_node(c, stretch, 0);
    return status;
}

static olo_status return_all(trajectory *c, olo_error *error)
{
    olo_derivatives *x = c->x;
    olo_status status = OLO_OK;
    memset(x->gq, 0, (size_t)x->system->n * sizeof *x->gq);
    memset(x->gv, 0, (size_t)x->system->n * sizeof *x->gv);
    memset(x->gp, 0, (size_t)x->system->n * sizeof *x->gp);
    olo_parameter_set_begin(&x->parameters);
    olo_objective_end(c->objective, x->state, 1.0, x->gq, x->gv);
    olo_parameter_set_node(&x->parameters, c->objective, x->state, 1.0, true);
    for (long k = c->stretches - 1; status == OLO_OK && k >= 0; k--) {
        if (k < c->stretches - 1) {
            olo_state_copy(c->checkpoint[k], x->state);
            status = run_stretch(c, k, true, false, error);
        }
        if (status == OLO_OK)
            status = return_stretch(c, k, error);
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
static olo_status give(trajectory *c, const olo_state *start, olo_gradient *gradient,
                       olo_error *error)
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

olo_gradient olo_gradient_default(void)
{
    return (olo_gradient){.initialised = OLO_INITIALISED_GRADIENT};
}

olo_direction olo_direction_default(void)
{
    return (olo_direction){.initialised = OLO_INITIALISED_DIRECTION};
}

olo_status olo_derivatives_compute_gradient(olo_derivatives *x, const olo_state *start,
                                            const olo_functional *functional,
                                            olo_gradient *gradient, olo_error *error)
{
    trajectory c;
    olo_status status =
        olo_check_initialised(gradient->initialised, OLO_INITIALISED_GRADIENT, error);
    if (status != OLO_OK)
        return status;
    status = begin(&c, x, start, functional, false, error);
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

/* A variation on its way: of the state, and whether parameters vary, too. */
typedef struct heading {
    double *dq, *dv;
    bool parameters;
} heading;

/* What the end of J, or what is under its integral, changes by at a node. */
static double slope_at(trajectory *c, const heading *d, const olo_state *node, bool end)
{
    olo_derivatives *x = c->x;
    int n = x->system->n;
    memset(x->gq, 0, (size_t)n * sizeof *x->gq);
    memset(x->gv, 0, (size_t)n * sizeof *x->gv);
    (end ? olo_objective_end : olo_objective_running)(c->objective, node, 1.0, x->gq, x->gv);
    double sum = olo_dense_dot(n, x->gq, d->dq) + olo_dense_dot(n, x->gv, d->dv);
    return d->parameters
               ? sum + olo_parameter_set_value(&x->parameters, c->objective, node, 1.0, end)
               : sum;
}

/* Through the step that was made last, part by part; the derivative of the integral over it is
 * added to `sum`. */
static olo_status follow(trajectory *c, const heading *d, const double *du, double *sum,
                         olo_error *error)
{
    olo_derivatives *x = c->x;
    const olo_variation of = {.controls = du, .parameters = d->parameters};
    olo_status status = OLO_OK;
    olo_derivatives_join_steps(x);
    for (size_t i = 0; status == OLO_OK && i < x->count; i++) {
        double before = c->slope;
        status = olo_derivatives_forward_part(x, i, 1, d->dq, d->dv, &of, error);
        if (status != OLO_OK || !c->runs)
            continue;
        c->slope = slope_at(c, d, end_of(x, i), false);
        *sum += 0.5 * x->steps[i].record.h * (before + c->slope);
    }
    return status;
}

/* The same of what the controls of the step cost. */
static double effort_derivative(trajectory *c, long step, const double *du)
{
    double gu[OLO_CONTROLS_MAX] = {0};
    int count = c->x->control_count;
    olo_objective_effort(c->objective, time_of(c, step - 1), count, controls_of(c->x, step),
                         size_of(c, step), gu);
    return olo_dense_dot(count, gu, du);
}

olo_status olo_derivatives_compute_forward(olo_derivatives *x, const olo_state *start,
                                           const olo_functional *functional,
                                           olo_direction *direction, double *value,
                                           double *derivative, olo_error *error)
{
    trajectory c;
    double sum = 0;
    heading d = {.dq = direction->q,
                 .dv = direction->v,
                 .parameters = direction->parameters && x->parameters.count > 0};
    olo_status status =
        olo_check_initialised(direction->initialised, OLO_INITIALISED_DIRECTION, error);
    if (status != OLO_OK)
        return status;
    status = begin(&c, x, start, functional, true, error);
    if (status == OLO_OK && d.parameters)
        olo_parameter_set_aim(&x->parameters, direction->parameters, d.dq, d.dv);
    if (status == OLO_OK)
        status = add_value(&c, 0, error);
    if (status == OLO_OK && c.runs)
        c.slope = slope_at(&c, &d, x->state, false);
    for (long i = 1; status == OLO_OK && i <= c.steps; i++) {
        const double *du = x->control_count && direction->controls
                               ? direction->controls + (i - 1) * x->control_count
                               : NULL;
        x->count = 0;
        status = advance(&c, i, true, error);
        if (status == OLO_OK)
            status = add_value(&c, i, error);
        if (status == OLO_OK)
            status = follow(&c, &d, du, &sum, error);
        if (status == OLO_OK && du)
            sum += effort_derivative(&c, i, du);
    }
    if (status == OLO_OK)
        sum += slope_at(&c, &d, x->state, true);
    if (status == OLO_OK)
        status = check_finite(1, &sum, error);
    if (status == OLO_OK && value)
        *value = c.value;
    if (status == OLO_OK && derivative)
        *derivative = sum;
    end(&c);
    return status;
}
