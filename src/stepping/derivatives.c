/* Derivatives of single steps. Computed steps are recorded (step_record.h) and linearised
 * (linear_step.h); variations are propagated forward or backward through them, with the derivatives
 * of the balance with respect to controls and parameters. Derivatives of whole runs are in
 * adjoint.c. */
#include "stepping/derivatives_private.h"

#include <string.h>

#include "base/fail.h"
#include "base/initialised.h"
#include "base/memory.h"
#include "stepping/objective.h"
#include "stepping/row_basis.h"

static const size_t default_memory = (size_t)256 << 20;

/* --- creation --- */

static void record_step(void *context, const olo_stepper *stepper)
{
    olo_derivatives *x = context;
    if (!x->recording || x->full)
        return;
    if (x->count == x->capacity) {
        size_t more = x->capacity ? 2 * x->capacity : 4;
        olo_stored_step *grown = olo_realloc(x->steps, x->capacity, more, sizeof *grown);
        x->full = !grown;
        if (x->full)
            return;
        x->steps = grown;
        x->capacity = more;
    }
    olo_stored_step *next = &x->steps[x->count];
    if (!next->block)
        next->block = olo_alloc(x->record_size, sizeof *next->block);
    x->full = !next->block;
    if (x->full)
        return;
    next->record = olo_step_record_over(stepper, next->block);
    next->step = x->step;
    olo_step_record_take(&next->record, stepper);
    x->count++;
}

static void discard_parts(void *context, int count)
{
    olo_derivatives *x = context;
    if (x->recording && !x->full)
        x->count -= (size_t)count;
}

/* Exact treatments give the same steps as `reduced`, which replaces them. */
static void choose_treatment(olo_run *run)
{
    const olo_treatment *treatment = olo_treatment_find(run->constraints);
    const olo_scheme *scheme = olo_scheme_find(run->scheme);
    if (treatment && scheme && !treatment->constraint_error &&
        (treatment->project || !scheme->momentum))
        run->constraints = olo_treatment_reduced.name;
}

olo_status olo_derivatives_create(const olo_system *system, const olo_run *run,
                                  olo_derivatives **derivatives, olo_error *error)
{
    *derivatives = NULL;
    if (olo_check_initialised(run->initialised, OLO_INITIALISED_RUN, error) != OLO_OK)
        return OLO_BAD_INPUT;
    olo_derivatives *x = olo_alloc(1, sizeof *x);
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for derivatives");
    x->system = system;
    x->run = *run;
    choose_treatment(&x->run);
    x->memory = default_memory;
    size_t n = (size_t)system->n, actions = (size_t)system->action_count, rows = (size_t)system->m;
    const olo_array arrays[] = {{&x->gq, n},
                                {&x->gv, n},
                                {&x->gp, n},
                                {&x->change.T, n},
                                {&x->change.p, n},
                                {&x->change.v, n},
                                {&x->change.velocity, n},
                                {&x->inputs, actions},
                                {&x->change.end, rows},
                                {&x->change.rate, rows}};
    x->control = olo_pool_alloc(&x->pool, actions, sizeof *x->control);
    olo_status status = OLO_OK;
    if (!x->control || !olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays))
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for derivatives");
    if (status == OLO_OK)
        status = olo_stepper_create(system, &x->run, &x->stepper, error);
    if (status == OLO_OK)
        status = olo_linear_step_create(system, &x->run, &x->linear, error);
    if (status == OLO_OK)
        status = olo_state_create(system, &x->state, error);
    if (status == OLO_OK)
        status = olo_state_create(system, &x->node, error);
    if (status == OLO_OK)
        x->record_size = olo_step_record_size(x->stepper);
    if (status != OLO_OK) {
        olo_derivatives_free(x);
        return status;
    }
    for (int i = 0; i < system->action_count; i++)
        x->control[i] = -1;
    x->stepper->observe_step = record_step;
    x->stepper->discard_steps = discard_parts;
    x->stepper->observe_context = x;
    *derivatives = x;
    return OLO_OK;
}

static void free_steps(olo_derivatives *x)
{
    for (size_t i = 0; i < x->capacity; i++)
        olo_free(x->steps[i].block);
    x->steps = olo_free(x->steps);
    x->count = x->capacity = 0;
}

void olo_derivatives_free(olo_derivatives *x)
{
    if (!x)
        return;
    free_steps(x);
    olo_parameter_set_free(&x->parameters);
    olo_time_grid_free(&x->table);
    olo_stepper_free(x->stepper);
    olo_linear_step_free(x->linear);
    olo_state_free(x->state);
    olo_state_free(x->node);
    olo_pool_free(&x->pool);
    olo_free(x);
}

const olo_system *olo_derivatives_system(const olo_derivatives *x)
{
    return x->system;
}

void olo_derivatives_set_memory(olo_derivatives *x, size_t bytes)
{
    x->memory = bytes;
}

/* --- one step --- */

olo_status olo_derivatives_make_step(olo_derivatives *x, olo_state *state, double h, bool record,
                                     bool lazy, olo_error *error)
{
    x->recording = record;
    x->full = x->linearised = false;
    x->stepper->lazy = lazy;
    olo_status status = olo_stepper_advance(x->stepper, state, h, error);
    x->recording = false;
    if (status == OLO_OK && x->full)
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for the steps of a derivative");
    return status;
}

olo_status olo_derivatives_step(olo_derivatives *x, olo_state *state, double h, olo_error *error)
{
    return olo_derivatives_step_with_inputs(x, state, h, NULL, error);
}

olo_status olo_derivatives_step_with_inputs(olo_derivatives *x, olo_state *state, double h,
                                            const double *inputs, olo_error *error)
{
    x->count = 0;
    x->stepper->step.inputs = inputs;
    x->stepper->projected = true;
    olo_status status = olo_derivatives_make_step(x, state, h, true, false, error);
    if (status == OLO_OK)
        olo_state_copy(state, x->state);
    return status;
}

void olo_derivatives_join_steps(olo_derivatives *x)
{
    for (size_t i = 0; i + 1 < x->count; i++)
        olo_step_record_join(&x->steps[i].record, &x->steps[i + 1].record);
    if (x->count > 0)
        olo_step_record_end(&x->steps[x->count - 1].record, x->state);
}

static olo_status check_step(const olo_derivatives *x, olo_error *error)
{
    return x->count > 0 ? OLO_OK
                        : olo_fail(error, OLO_UNSUPPORTED, "there is no derivative before a step");
}

/* The variation of the balance, T = ... - h f, and of the momentum at the end, p = ... + h/2 f, by
 * controls and parameters. */
static void vary_balance(olo_derivatives *x, const olo_variation *of)
{
    size_t n = (size_t)x->system->n * sizeof(double), rows = (size_t)x->system->m * sizeof(double);
    memset(x->change.T, 0, n);
    memset(x->change.p, 0, n);
    memset(x->change.velocity, 0, n);
    if (rows > 0) {
        memset(x->change.end, 0, rows);
        memset(x->change.rate, 0, rows);
    }
    const olo_step_view view = olo_linear_step_view(x->linear);
    for (int i = 0; i < x->system->action_count; i++) {
        const olo_step_cause input = {.input = &x->system->actions[i]};
        if (of->controls && x->control[i] >= 0)
            olo_step_view_add(&view, &input, of->controls[x->control[i]], &x->change);
        if (of->inputs && of->inputs[i] != 0)
            olo_step_view_add(&view, &input, of->inputs[i], &x->change);
    }
    if (of->parameters)
        olo_parameter_set_add(&x->parameters, &view, &x->change);
}

/* The variation of a step, without rows if no parameter changes them. */
static olo_step_variation variation_of(const olo_derivatives *x)
{
    olo_step_variation change = x->change;
    if (!x->parameters.varied)
        change.end = change.rate = NULL;
    return change;
}

olo_status olo_derivatives_forward_part(olo_derivatives *x, size_t part, int count, double *dq,
                                        double *dv, const olo_variation *of, olo_error *error)
{
    const size_t n = (size_t)x->system->n;
    bool varied = of->controls || of->inputs || of->parameters;
    const olo_step_variation none = {0}, all = variation_of(x);
    /* a step without parts is linearised once for all directions */
    bool known = x->count == 1 && x->linearised;
    olo_status status =
        known ? OLO_OK : olo_linear_step_at(x->linear, &x->steps[part].record, true, error);
    x->linearised = status == OLO_OK;
    if (status != OLO_OK)
        return status;
    if (varied)
        vary_balance(x, of);
    for (size_t k = 0; k < (size_t)count; k++)
        olo_linear_step_forward(x->linear, dq + k * n, dv + k * n, varied ? &all : &none);
    return OLO_OK;
}

olo_status olo_derivatives_backward_part(olo_derivatives *x, const olo_stored_step *step,
                                         double *gq, double *gv, double *gu, olo_error *error)
{
    const olo_step_variation none = {0}, all = variation_of(x);
    const bool wanted = gu || x->parameters.cause_count > 0;
    const olo_step_variation by = wanted ? all : none;
    olo_status status = olo_linear_step_back(x->linear, &step->record, gq, gv, x->gp, &by, error);
    x->linearised = false;
    if (status != OLO_OK)
        return status;
    const olo_step_view view = olo_linear_step_view(x->linear);
    for (int i = 0; gu && i < x->system->action_count; i++)
        if (x->control[i] >= 0)
            gu[x->control[i]] +=
                olo_step_view_times(&view, &(olo_step_cause){.input = &x->system->actions[i]}, &by);
    olo_parameter_set_step(&x->parameters, &view, &by);
    return status;
}

/* Propagates variations through all parts of the last step. */
static olo_status forward_all(olo_derivatives *x, int count, double *dq, double *dv,
                              const olo_variation *of, olo_error *error)
{
    olo_status status = check_step(x, error);
    olo_derivatives_join_steps(x);
    for (size_t i = 0; status == OLO_OK && i < x->count; i++)
        status = olo_derivatives_forward_part(x, i, count, dq, dv, of, error);
    return status;
}

olo_status olo_derivatives_step_by_inputs(olo_derivatives *x, const double *change, double *dq,
                                          double *dv, olo_error *error)
{
    const size_t n = (size_t)x->system->n * sizeof *dq;
    memset(dq, 0, n);
    memset(dv, 0, n);
    return forward_all(x, 1, dq, dv, &(olo_variation){.inputs = change}, error);
}

olo_status olo_derivatives_apply_step(olo_derivatives *x, double *dq, double *dv, olo_error *error)
{
    return olo_derivatives_step_forward_all(x, 1, dq, dv, error);
}

olo_status olo_derivatives_step_forward_all(olo_derivatives *x, int count, double *dq, double *dv,
                                            olo_error *error)
{
    return forward_all(x, count, dq, dv, &(olo_variation){0}, error);
}

olo_status olo_derivatives_apply_step_transposed(olo_derivatives *x, double *gq, double *gv,
                                                 olo_error *error)
{
    olo_status status = check_step(x, error);
    memset(x->gp, 0, (size_t)x->system->n * sizeof *x->gp);
    olo_derivatives_join_steps(x);
    for (size_t i = x->count; status == OLO_OK && i > 0; i--)
        status = olo_derivatives_backward_part(x, &x->steps[i - 1], gq, gv, NULL, error);
    return status;
}

olo_status olo_derivatives_project(olo_derivatives *x, const olo_state *state, double *dq,
                                   double *dv, olo_error *error)
{
    olo_status status = olo_linear_step_state(x->linear, state, error);
    x->linearised = false;
    if (status == OLO_OK)
        olo_linear_step_admit(x->linear, dq, dv);
    return status;
}

/* --- controls --- */

olo_status olo_derivatives_set_controls(olo_derivatives *x, const char *const *names, int count,
                                        const double *values, long steps, olo_error *error)
{
    const olo_system *s = x->system;
    if (count < 0 || count > OLO_CONTROLS_MAX)
        return olo_fail(error, OLO_BAD_INPUT, "there may be up to %d controls, got %d",
                        OLO_CONTROLS_MAX, count);
    for (int i = 0; i < s->action_count; i++)
        x->control[i] = -1;
    x->control_count = 0;
    for (int k = 0; k < count; k++) {
        const olo_term *along = olo_system_coordinate_term(s, names[k]);
        int found = 0;
        for (int i = 0; i < s->action_count; i++)
            if (olo_action_belongs(&s->actions[i], names[k], along)) {
                x->control[i] = k;
                found++;
            }
        if (found == 0)
            return olo_fail(error, OLO_NOT_FOUND,
                            "no load, no joint with a torque, force or controller, and no joint "
                            "coordinate with one is called '%s'",
                            names[k]);
    }
    x->control_count = count;
    x->values = values;
    x->control_steps = steps;
    return OLO_OK;
}

olo_status olo_derivatives_set_parameters(olo_derivatives *x,
                                          const olo_parameter_derivative *const *changes, int count,
                                          olo_error *error)
{
    const bool equilibrium = x->run.start && strcmp(x->run.start, "equilibrium") == 0;
    for (int k = 0; k < count; k++)
        if (changes[k]->rest != equilibrium)
            return olo_fail(error, OLO_BAD_INPUT,
                            equilibrium ? "the run starts at an equilibrium: call "
                                          "olo_differentiate_equilibrium for parameter '%s' first"
                                        : "the derivative with respect to '%s' is that of an "
                                          "equilibrium, but the run does not start at one",
                            changes[k]->name);
    olo_status status = olo_parameter_set_assign(&x->parameters, x->system, changes, count, error);
    olo_linear_step_need_rows(x->linear, x->parameters.rows);
    return status;
}

olo_status olo_derivatives_set_step_sizes(olo_derivatives *x, const double *sizes, long count,
                                          olo_error *error)
{
    return olo_time_grid_give(&x->table, sizes, count, error);
}

long olo_derivatives_step_sizes(const olo_derivatives *x, double *sizes)
{
    for (long i = 1; sizes && i <= x->table.steps; i++)
        sizes[i - 1] = olo_time_grid_size(&x->table, i);
    return x->table.steps;
}

olo_status olo_derivatives_set_observer(olo_derivatives *x, const olo_observer *observer,
                                        olo_error *error)
{
    const olo_status status = olo_observers_check(observer, observer ? 1 : 0, error);
    if (status == OLO_OK)
        x->observer = observer ? *observer : olo_observer_default();
    return status;
}
