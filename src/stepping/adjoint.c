/* Derivatives of runs in forward and adjoint mode: linearised steps one after the other,
 *
 *     forward   d(x_n) = A_n d(x_{n-1}),
 *     adjoint   l_{n-1} = A_n^T l_n + w_{n-1} grad running(x_{n-1}),
 *               l_N = grad end(x_N) + w_N grad running(x_N).
 *
 * Here n counts the parts of composed steps and the halves of failed steps, too, and w are the
 * weights of the trapezoidal rule over these: w_n = (h_n + h_{n+1})/2, negative for parts backward
 * in time. A part of second order and the trapezoidal rule over it together are one symmetric
 * method for the motion and its integral, so that composition gives both the order 2, 4 or 6.
 *
 * The backward sweep needs the steps of the run. It divides the run into sections. The steps of a
 * section are stored, all of them if memory permits; otherwise each section is computed again from
 * a checkpoint of the state, with the same bits. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/initialised.h"
#include "base/memory.h"
#include "stepping/derivatives_private.h"
#include "stepping/momenta.h"
#include "stepping/objective.h"
#include "stepping/row_basis.h"

/* The controls of a step of the run, NULL without any. */
static const double *controls_of(const olo_derivatives *x, long step)
{
    return x->control_count ? x->values + (step - 1) * x->control_count : NULL;
}

/* Sets the controls of the next step. */
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
    bool integral; /* J has an integral */
    bool lazy;     /* velocities are read at the end only, or ... */
    bool deferred; /* ... in the backward sweep alone, which computes them and the integral */
    long steps;    /* number of steps of the run ... */
    long section;  /* ... and of a section */
    long sections; /* with a checkpoint before each */
    olo_state **checkpoint; /* [sections] */
    double next_size;       /* size of the first part of the section after this one, or 0 */
    double value;           /* J so far */
    double running;         /* integrand at the last node ... */
    double derivative;      /* ... and its derivative, in forward mode */
    size_t first;           /* index of the first recorded part of the last step */
    double *gu;             /* [steps x controls] derivatives with respect to controls, or NULL */
    long again;             /* number of steps that were computed again */
} trajectory;

static double time_of(const trajectory *c, long step)
{
    return olo_time_grid_time(&c->x->table, step);
}

static double size_of(const trajectory *c, long step)
{
    return olo_time_grid_size(&c->x->table, step);
}

/* Calls the observer, which may stop the computation. */
static olo_status notify(olo_derivatives *x, const olo_state *state, long step, olo_error *error)
{
    const olo_observer *observer = &x->observer;
    olo_status status = observer->step ? observer->step(observer->context, x->system, state, step,
                                                        olo_stepper_report(x->stepper), error)
                                       : OLO_OK;
    if (status == OLO_OK && observer->stop && observer->stop(observer->context))
        status =
            olo_fail(error, OLO_INTERRUPTED, "derivatives were interrupted at t = %.9g", state->t);
    return status;
}

/* Makes a step of the run. Its parts are recorded if `record` is set or an integral over them is
 * wanted. */
static olo_status advance(trajectory *c, long step, bool record, bool lazy, olo_error *error)
{
    olo_derivatives *x = c->x;
    x->step = step;
    set_inputs(x, step);
    if (!record)
        x->count = 0;
    c->first = x->count;
    const bool parts = record || (c->integral && !c->deferred);
    olo_status status =
        olo_derivatives_make_step(x, x->state, size_of(c, step), parts, lazy, error);
    x->state->t = time_of(c, step);
    return status == OLO_OK ? notify(x, x->state, step, error) : status;
}

/* The state at the start of a recorded step. */
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

/* Adds the integral over the last step, part by part. */
static void add_integral(trajectory *c)
{
    olo_derivatives *x = c->x;
    for (size_t i = c->first; i < x->count; i++) {
        double before = c->running;
        c->running = olo_objective_value(c->objective, end_of(x, i), false, 1.0, NULL, NULL);
        c->value += 0.5 * x->steps[i].record.h * (before + c->running);
    }
}

static olo_status add_value(trajectory *c, long step, olo_error *error)
{
    const bool integral = c->integral && !c->deferred;
    if (integral && step == 0)
        c->running = olo_objective_value(c->objective, c->x->state, false, 1.0, NULL, NULL);
    if (integral && step > 0)
        add_integral(c);
    if (step > 0)
        c->value += size_of(c, step) * olo_objective_effort(c->objective, time_of(c, step - 1),
                                                            c->x->control_count,
                                                            controls_of(c->x, step), 1.0, NULL);
    if (step == c->steps)
        c->value += olo_objective_value(c->objective, c->x->state, true, 1.0, NULL, NULL);
    return isfinite(c->value + c->running)
               ? OLO_OK
               : olo_objective_explain(c->objective, c->x->state, error);
}

/* Finds the step sizes that the tolerance chooses, by a run in advance. */
static olo_status find_step_sizes(trajectory *c, const olo_state *start, olo_error *error)
{
    olo_derivatives *x = c->x;
    olo_status status = OLO_OK;
    if (x->control_count)
        return olo_fail(
            error, OLO_UNSUPPORTED,
            "controls belong to steps, but run.tolerance chooses the steps: set the step "
            "sizes, or leave out run.tolerance");
    olo_state_copy(start, x->state);
    x->stepper->step.inputs = NULL;
    while (status == OLO_OK && x->state->t < x->run.end) {
        status = olo_run_step_adaptive(&x->run, x->stepper, x->state, start->t, error);
        if (status == OLO_OK)
            status = olo_time_grid_add(&x->table, olo_stepper_report(x->stepper)->size, x->state->t,
                                       error);
        if (status == OLO_OK)
            status = notify(x, x->state, x->table.steps, error);
    }
    return status;
}

static olo_status begin(trajectory *c, olo_derivatives *x, const olo_state *start,
                        const olo_functional *functional, bool forward, olo_error *error)
{
    *c = (trajectory){.x = x};
    x->stepper->projected = forward;
    olo_status status = olo_time_grid_begin(&x->table, &x->run, start->t, error);
    if (status == OLO_OK && x->run.tolerance > 0 && !x->table.given)
        status = find_step_sizes(c, start, error);
    c->steps = x->table.steps;
    if (status == OLO_OK && x->control_count && x->control_steps < c->steps)
        status =
            olo_fail(error, OLO_BAD_INPUT, "there are controls for %ld steps, but the run has %ld",
                     x->control_steps, c->steps);
    if (status == OLO_OK)
        status = olo_objective_create(x->system, functional, &c->objective, error);
    c->integral = status == OLO_OK && olo_objective_has_integral(c->objective);
    const bool read = c->integral && olo_objective_integral_uses_velocities(c->objective),
               lazy = status == OLO_OK && !forward && !x->observer.step &&
                      olo_stepper_may_be_lazy(x->stepper);
    c->deferred = lazy && read && olo_linear_step_may_project(x->linear);
    c->lazy = lazy && (!read || c->deferred);
    x->stepper->eager = read && !c->deferred;
    olo_state_copy(start, x->state);
    olo_momentum_of(x->state)->given = 0; /* J is a function of the velocities */
    x->state->has_interval_energy = 0;
    return status;
}

/* Chooses the length of a section: the whole run, or the length for which checkpoints and recorded
 * steps together need the least memory. */
static olo_status plan_sections(trajectory *c, olo_error *error)
{
    const olo_derivatives *x = c->x;
    double record = (double)(x->record_size * sizeof(double)) * x->stepper->composition->parts;
    double state = (double)olo_state_saved_size(x->state), steps = (double)c->steps;
    c->section = c->steps;
    if (steps * record > (double)x->memory)
        c->section = (long)ceil(sqrt(steps * state / record));
    if (c->section < 1)
        c->section = 1;
    c->sections = (c->steps + c->section - 1) / c->section;
    c->checkpoint = olo_alloc((size_t)c->sections, sizeof *c->checkpoint);
    return c->checkpoint ? OLO_OK : olo_fail(error, OLO_NO_MEMORY, "out of memory for checkpoints");
}

static void end(trajectory *c)
{
    for (long i = 0; c->checkpoint && i < c->sections; i++)
        olo_state_free(c->checkpoint[i]);
    olo_free(c->checkpoint);
    olo_objective_free(c->objective);
}

static long last_of(const trajectory *c, long section)
{
    long last = (section + 1) * c->section;
    return last < c->steps ? last : c->steps;
}

/* Makes the steps of a section. */
static olo_status run_section(trajectory *c, long section, bool record, bool first_time,
                              olo_error *error)
{
    olo_status status = OLO_OK;
    c->x->count = 0;
    for (long i = section * c->section + 1; status == OLO_OK && i <= last_of(c, section); i++) {
        status = advance(c, i, record, c->lazy && i < c->steps, error);
        if (status == OLO_OK && first_time)
            status = add_value(c, i, error);
        c->again += !first_time;
    }
    return status;
}

/* Makes the whole run, with a checkpoint before each section; records the steps of the last one. */
static olo_status run_all(trajectory *c, olo_error *error)
{
    olo_status status = add_value(c, 0, error);
    for (long k = 0; status == OLO_OK && k < c->sections; k++) {
        status = olo_state_clone(c->x->state, &c->checkpoint[k], error);
        if (status == OLO_OK)
            status = run_section(c, k, k == c->sections - 1, true, error);
    }
    return status;
}

/* Adds the derivatives of the integrand at a node, and its value if that is deferred: the end of
 * the i-th recorded step, or with 0 the start of the first one. */
static olo_status add_node_derivative(trajectory *c, size_t i, olo_error *error)
{
    olo_derivatives *x = c->x;
    if (!c->integral)
        return OLO_OK;
    const double before = i > 0 ? x->steps[i - 1].record.h : 0,
                 after = i < x->count ? x->steps[i].record.h : c->next_size,
                 weight = 0.5 * (before + after);
    const olo_state *node = i < x->count ? node_of(x, &x->steps[i]) : x->state;
    const double value = olo_objective_value(c->objective, node, false, weight, x->gq, x->gv);
    olo_parameter_set_node(&x->parameters, c->objective, node, weight, false);
    if (!c->deferred)
        return OLO_OK;
    c->value += weight * value;
    return isfinite(value) ? OLO_OK : olo_objective_explain(c->objective, node, error);
}

/* The backward sweep over the recorded steps of a section; its last node is the first one of the
 * section after it. */
static olo_status sweep_section(trajectory *c, long section, olo_error *error)
{
    olo_derivatives *x = c->x;
    olo_status status = OLO_OK;
    olo_derivatives_join_steps(x);
    for (size_t i = x->count; status == OLO_OK && i > 0; i--) {
        const olo_stored_step *step = &x->steps[i - 1];
        double *gu = c->gu ? c->gu + (step->step - 1) * x->control_count : NULL;
        if (c->deferred)
            status =
                olo_linear_step_project(x->linear, &step->record,
                                        i < x->count ? x->steps[i].record.v0 : x->state->v, error);
        if (status == OLO_OK)
            status = add_node_derivative(c, i, error);
        if (status == OLO_OK)
            status = olo_derivatives_backward_part(x, step, x->gq, x->gv, gu, error);
        bool whole = i == 1 || x->steps[i - 2].step != step->step;
        if (status == OLO_OK && whole && gu)
            olo_objective_effort(c->objective, time_of(c, step->step - 1), x->control_count,
                                 controls_of(x, step->step), size_of(c, step->step), gu);
        if (status == OLO_OK && whole)
            status = notify(x, node_of(x, step), step->step - 1, error);
    }
    if (status == OLO_OK && x->count > 0 && section == 0)
        status = add_node_derivative(c, 0, error);
    if (x->count > 0)
        c->next_size = x->steps[0].record.h;
    return status;
}

/* The backward sweep over the whole run. */
static olo_status sweep_all(trajectory *c, olo_error *error)
{
    olo_derivatives *x = c->x;
    olo_status status = OLO_OK;
    memset(x->gq, 0, (size_t)x->system->n * sizeof *x->gq);
    memset(x->gv, 0, (size_t)x->system->n * sizeof *x->gv);
    memset(x->gp, 0, (size_t)x->system->n * sizeof *x->gp);
    olo_parameter_set_begin(&x->parameters);
    olo_objective_value(c->objective, x->state, true, 1.0, x->gq, x->gv);
    olo_parameter_set_node(&x->parameters, c->objective, x->state, 1.0, true);
    for (long k = c->sections - 1; status == OLO_OK && k >= 0; k--) {
        if (k < c->sections - 1) {
            olo_state_copy(c->checkpoint[k], x->state);
            status = run_section(c, k, true, false, error);
        }
        if (status == OLO_OK)
            status = sweep_section(c, k, error);
    }
    return status;
}

static olo_status check_finite(int count, const double *g, olo_error *error)
{
    return olo_all_finite((size_t)count, g)
               ? OLO_OK
               : olo_fail(error, OLO_NOT_FINITE,
                          "the derivatives are not finite: those of the functional are not, or "
                          "the motion is so unstable that they overflow; take a shorter run");
}

/* Writes the gradient with respect to the initial state, projected to admissible variations. */
static olo_status write_gradient(trajectory *c, const olo_state *start, olo_gradient *gradient,
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
        status = plan_sections(&c, error);
    if (status == OLO_OK)
        status = run_all(&c, error);
    c.gu = gradient->controls;
    if (status == OLO_OK && c.gu)
        memset(c.gu, 0, (size_t)(c.steps * x->control_count) * sizeof *c.gu);
    if (status == OLO_OK)
        status = sweep_all(&c, error);
    if (status == OLO_OK)
        status = write_gradient(&c, start, gradient, error);
    end(&c);
    return status;
}

/* --- forward mode --- */

/* A variation of the state, and whether parameters vary, too. */
typedef struct forward_direction {
    double *dq, *dv;
    bool parameters;
} forward_direction;

/* The directional derivative of the end term of J, or of its integrand, at a node. */
static double derivative_at(trajectory *c, const forward_direction *d, const olo_state *node,
                            bool end)
{
    olo_derivatives *x = c->x;
    int n = x->system->n;
    memset(x->gq, 0, (size_t)n * sizeof *x->gq);
    memset(x->gv, 0, (size_t)n * sizeof *x->gv);
    olo_objective_value(c->objective, node, end, 1.0, x->gq, x->gv);
    double sum = olo_dense_dot(n, x->gq, d->dq) + olo_dense_dot(n, x->gv, d->dv);
    return d->parameters
               ? sum + olo_parameter_set_value(&x->parameters, c->objective, node, 1.0, end)
               : sum;
}

/* Propagates the variation through the last step, part by part; adds the derivative of the integral
 * over it to `sum`. */
static olo_status propagate(trajectory *c, const forward_direction *d, const double *du,
                            double *sum, olo_error *error)
{
    olo_derivatives *x = c->x;
    const olo_variation of = {.controls = du, .parameters = d->parameters};
    olo_status status = OLO_OK;
    olo_derivatives_join_steps(x);
    for (size_t i = 0; status == OLO_OK && i < x->count; i++) {
        double before = c->derivative;
        status = olo_derivatives_forward_part(x, i, 1, d->dq, d->dv, &of, error);
        if (status != OLO_OK || !c->integral)
            continue;
        c->derivative = derivative_at(c, d, end_of(x, i), false);
        *sum += 0.5 * x->steps[i].record.h * (before + c->derivative);
    }
    return status;
}

/* The derivative of the cost of the controls of a step. */
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
    forward_direction d = {.dq = direction->q,
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
    if (status == OLO_OK && c.integral)
        c.derivative = derivative_at(&c, &d, x->state, false);
    for (long i = 1; status == OLO_OK && i <= c.steps; i++) {
        const double *du = x->control_count && direction->controls
                               ? direction->controls + (i - 1) * x->control_count
                               : NULL;
        x->count = 0;
        status = advance(&c, i, true, c.lazy && i < c.steps, error);
        if (status == OLO_OK)
            status = add_value(&c, i, error);
        if (status == OLO_OK)
            status = propagate(&c, &d, du, &sum, error);
        if (status == OLO_OK && du)
            sum += effort_derivative(&c, i, du);
    }
    if (status == OLO_OK)
        sum += derivative_at(&c, &d, x->state, true);
    if (status == OLO_OK)
        status = check_finite(1, &sum, error);
    if (status == OLO_OK && value)
        *value = c.value;
    if (status == OLO_OK && derivative)
        *derivative = sum;
    end(&c);
    return status;
}
