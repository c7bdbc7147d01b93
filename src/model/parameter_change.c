/* How a compiled model changes with a parameter: the model is compiled again with a few nearby values, and every coefficient
 * and the start are differentiated along the polynomial through these,
 *
 *     c'(p) = 1/d sum_k w_k (c(p + k d) - c(p - k d)),   k = 1 .. 4, error of the order d^8.
 *
 * Coefficients are polynomials of low degree, or rational, in nearly all numbers of a model: what is left is rounding, some
 * 1e-13. Where the stencils of order 6 and 8 do not agree d is made smaller, and what never agrees has no derivative. No run is ever
 * differenced. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "model/model.h"
#include "system/parameter_change.h"

enum { REACH = 4, STENCIL = 2 * REACH };

static const double weights8[REACH] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
static const double weights6[REACH] = {3.0 / 4, -3.0 / 20, 1.0 / 60, 0};

/* What is compared: all coefficients, then the start. */
typedef struct numbers {
    olo_coefficient *items;
    double *size; /* [count] the largest number of the same thing: what is rounded against */
    size_t count, capacity;
    bool full;
} numbers;

static void collect(void *context, const olo_coefficient *c)
{
    numbers *x = context;
    olo_coefficient *grown =
        x->full ? NULL : olo_grow(x->items, x->count, &x->capacity, sizeof *grown);
    x->full = !grown;
    if (x->full)
        return;
    x->items = grown;
    x->items[x->count++] = *c;
}

/* The start stands behind the coefficients, as a kind of its own. */
enum { START = OLO_COEFFICIENT_FUNCTION + 1 };

static olo_status read_numbers(const olo_system *system, numbers *x, olo_error *error)
{
    olo_state *state = NULL;
    olo_status status = olo_system_initial_state(system, &state, NULL, error);
    if (status != OLO_OK)
        return status;
    olo_system_visit_coefficients(system, collect, x);
    for (int i = 0; i < 2 * system->n; i++) {
        const olo_coefficient c = {.kind = (olo_coefficient_kind)START,
                                   .index = i,
                                   .value = i < system->n ? state->q[i] : state->v[i - system->n]};
        collect(x, &c);
    }
    olo_state_free(state);
    return x->full ? olo_fail(error, OLO_NO_MEMORY, "out of memory for a parameter") : OLO_OK;
}

/* Numbers of one thing: those of a term or row, all masses, all positions, all velocities. */
static bool are_together(const olo_coefficient *a, const olo_coefficient *b, int n)
{
    if (a->kind != b->kind)
        return false;
    if ((int)a->kind == START)
        return (a->index < n) == (b->index < n);
    return a->kind == OLO_COEFFICIENT_MASS || a->index == b->index;
}

static bool measure(numbers *x, int n)
{
    x->size = olo_alloc(x->count, sizeof *x->size);
    for (size_t first = 0, last; x->size && first < x->count; first = last) {
        double largest = 0;
        for (last = first; last < x->count && are_together(&x->items[first], &x->items[last], n);
             last++)
            if (isfinite(x->items[last].value))
                largest = fmax(largest, fabs(x->items[last].value));
        for (size_t i = first; i < last; i++)
            x->size[i] = largest;
    }
    return x->size != NULL;
}

/* The model with another value of the parameter. */
static olo_status numbers_at(const olo_model *model, const char *name, double value, numbers *x,
                             olo_error *error)
{
    char text[40];
    size_t count = (size_t)model->setting_count;
    olo_model *other = NULL;
    olo_system *system = NULL;
    olo_setting *settings = olo_alloc(count + 1, sizeof *settings);
    if (!settings)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for a parameter");
    snprintf(text, sizeof text, "%.17g", value);
    if (count > 0)
        memcpy(settings, model->settings, count * sizeof *settings);
    settings[count] = (olo_setting){name, text};
    olo_status status = olo_model_read_text(model->text, strlen(model->text), model->file, settings,
                                            (int)count + 1, &other, error);
    if (status == OLO_OK)
        status = olo_model_compile(other, &system, error);
    if (status == OLO_OK)
        status = read_numbers(system, x, error);
    olo_system_free(system);
    olo_model_free(other);
    olo_free(settings);
    return status;
}

static bool same_structure(const numbers *a, const numbers *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = a->items[i].kind == b->items[i].kind && a->items[i].index == b->items[i].index &&
               a->items[i].p == b->items[i].p;
    return same;
}

/* Derivative of number i by the stencil, and whether both orders agree. */
static double differentiate(const numbers *at, const numbers *around, size_t i, double d,
                            double unit, bool *agree)
{
    double high = 0, low = 0;
    bool moves = false;
    for (int k = 0; k < REACH; k++) {
        double up = around[2 * k].items[i].value, down = around[2 * k + 1].items[i].value;
        if (up == down)
            continue; /* infinite ones, too */
        moves = true;
        high += weights8[k] * (up - down) / d;
        low += weights6[k] * (up - down) / d;
    }
    if (!moves)
        return 0;
    double size = at->size[i] / unit;
    if (fabs(high) <= 1e-12 * size)
        return 0; /* rounding */
    *agree = *agree && fabs(high - low) <= 1e-9 * fabs(high) + 1e-11 * size;
    return high;
}

/* Whether something acts along a joint coordinate, or relates it to others. */
static bool is_used(const olo_system *s, int coordinate)
{
    const olo_term *term = s->joint_coordinates[coordinate].term;
    bool used = false;
    for (int i = 0; i < s->action_count; i++)
        used = used || s->actions[i].coordinate == term;
    for (int c = 0; c < s->m; c++)
        for (int i = 0; i < s->constraints[c].share_count; i++)
            used = used || s->constraints[c].shares[i].coordinate == term;
    return used;
}

static olo_status refuse_kind(const olo_system *s, const olo_coefficient *c, const char *name,
                              olo_error *error)
{
    if (c->kind == OLO_COEFFICIENT_COORDINATE && is_used(s, c->index))
        return olo_fail(error, OLO_UNSUPPORTED,
                        "parameter '%s' changes what the joint coordinate '%s' measures, along "
                        "which something acts, and there are no derivatives with respect to that",
                        name, s->joint_coordinates[c->index].name);
    if (c->kind == OLO_COEFFICIENT_CORNER)
        return olo_fail(error, OLO_UNSUPPORTED,
                        "parameter '%s' turns the ends of beams against each other, and there are "
                        "no derivatives with respect to that",
                        name);
    if (c->kind == OLO_COEFFICIENT_CONTACT)
        return olo_fail(error, OLO_UNSUPPORTED,
                        "parameter '%s' turns the axis of a disc in its body, or the plane that it "
                        "rolls on, and there are no derivatives with respect to that",
                        name);
    if (c->kind == OLO_COEFFICIENT_FUNCTION)
        return olo_fail(error, OLO_UNSUPPORTED,
                        "parameter '%s' is in a table over time or in the energy of a spring, and "
                        "there are no derivatives with respect to that; write a function of time",
                        name);
    return OLO_OK;
}

/* Keeps what changes. */
static olo_status keep(olo_parameter_change *x, const olo_system *system, const numbers *at,
                       const double *derivative, olo_error *error)
{
    olo_status status = OLO_OK;
    size_t n = (size_t)x->n;
    x->coefficient = olo_pool_alloc(&x->pool, at->count, sizeof *x->coefficient);
    const olo_array arrays[] = {{&x->derivative, at->count}, {&x->dq, n}, {&x->dv, n}};
    if (!x->coefficient || !olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays))
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for a parameter");
    for (size_t i = 0; status == OLO_OK && i < at->count; i++) {
        const olo_coefficient *c = &at->items[i];
        if (derivative[i] == 0)
            continue;
        if ((int)c->kind == START) {
            (c->index < x->n ? x->dq : x->dv)[c->index % x->n] = derivative[i];
            continue;
        }
        status = refuse_kind(system, c, x->name, error);
        x->coefficient[x->count] = *c;
        x->derivative[x->count++] = derivative[i];
    }
    return status;
}

static void keep_function(olo_parameter_change *x, const olo_time_function *time, bool row,
                          int index)
{
    double by[2];
    if (time->by_parameters && time->by_parameters(time->context, 0.0, x->direction, by))
        x->functions[x->function_count++] = (olo_function_change){.row = row, .index = index};
}

/* Functions of time that depend on the parameter. */
static olo_status keep_functions(olo_parameter_change *x, const olo_model *model, size_t parameter,
                                 const olo_system *s, olo_error *error)
{
    x->direction =
        olo_pool_alloc(&x->pool, olo_parameters_count(model->parameters), sizeof *x->direction);
    x->functions = olo_pool_alloc(&x->pool, (size_t)(s->action_count + s->m), sizeof *x->functions);
    if (!x->direction || !x->functions)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for a parameter");
    olo_parameters_derivatives(model->parameters, parameter, x->direction);
    for (int i = 0; i < s->action_count; i++)
        keep_function(x, &s->actions[i].time, false, i);
    for (int c = 0; c < s->m; c++)
        keep_function(x, &s->constraints[c].time, true, c);
    return OLO_OK;
}

/* One stencil; `agree` tells whether it is fine enough. */
static olo_status try_stencil(const olo_model *model, const char *name, double value, double unit,
                              double d, const numbers *at, double *derivative, bool *agree,
                              olo_error *error)
{
    numbers around[STENCIL] = {{0}};
    olo_status status = OLO_OK;
    for (int k = 0; status == OLO_OK && k < STENCIL; k++) {
        double side = (k / 2 + 1) * (k % 2 == 0 ? d : -d);
        status = numbers_at(model, name, value + side, &around[k], error);
        if (status != OLO_OK)
            olo_fail_context(error, status, "parameter '%s' has no value beside its own", name);
        if (status == OLO_OK && !same_structure(at, &around[k]))
            status = olo_fail(error, OLO_UNSUPPORTED,
                              "parameter '%s' changes what the model consists of", name);
    }
    *agree = true;
    for (size_t i = 0; status == OLO_OK && i < at->count; i++)
        derivative[i] = differentiate(at, around, i, d, unit, agree);
    for (int k = 0; k < STENCIL; k++)
        olo_free(around[k].items);
    return status;
}

static olo_status find(const olo_model *model, const olo_system *system, olo_parameter_change *x,
                       double value, olo_error *error)
{
    const int tries = 4;
    numbers at = {0};
    double unit = value != 0 ? fabs(value) : 1.0, d = 0.02 * unit, *derivative = NULL;
    bool agree = false;
    olo_status status = numbers_at(model, x->name, value, &at, error);
    if (status == OLO_OK) {
        derivative = olo_alloc(at.count, sizeof *derivative);
        if (!derivative || !measure(&at, system->n))
            status = olo_fail(error, OLO_NO_MEMORY, "out of memory for a parameter");
    }
    for (int i = 0; status == OLO_OK && !agree && i < tries; i++, d *= 0.25)
        status = try_stencil(model, x->name, value, unit, d, &at, derivative, &agree, error);
    if (status == OLO_OK && !agree)
        status = olo_fail(error, OLO_UNSUPPORTED,
                          "the model does not depend smoothly on parameter '%s' near %g", x->name,
                          value);
    if (status == OLO_OK)
        status = keep(x, system, &at, derivative, error);
    olo_free(at.items);
    olo_free(at.size);
    olo_free(derivative);
    return status;
}

olo_status olo_parameter_change_create(const olo_model *model, const char *parameter,
                                       olo_parameter_change **change, olo_error *error)
{
    *change = NULL;
    size_t index = olo_parameters_find(model->parameters, parameter);
    if (!model->text || !model->file || index == OLO_PARAMETER_NONE)
        return olo_fail(error, OLO_NOT_FOUND,
                        model->file ? "the model has no parameter '%s'"
                                    : "a model made in code has no parameters such as '%s'",
                        parameter);
    olo_parameter_change *x = olo_alloc(1, sizeof *x);
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for a parameter");
    olo_system *system = NULL;
    x->name = olo_pool_text(&x->pool, parameter, strlen(parameter));
    olo_status status = x->name ? olo_model_compile(model, &system, error)
                                : olo_fail(error, OLO_NO_MEMORY, "out of memory for a parameter");
    if (status == OLO_OK) {
        x->n = system->n;
        status = find(model, system, x, olo_parameters_value(model->parameters, index), error);
    }
    if (status == OLO_OK) {
        status = keep_functions(x, model, index, system, error);
    }
    olo_system_free(system);
    if (status != OLO_OK) {
        olo_parameter_change_free(x);
        return status;
    }
    *change = x;
    return OLO_OK;
}

void olo_parameter_change_free(olo_parameter_change *change)
{
    if (!change)
        return;
    olo_pool_free(&change->pool);
    olo_free(change);
}
