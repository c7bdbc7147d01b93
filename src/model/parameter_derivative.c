/* The derivative of a compiled model by a parameter. The chain rule has two parts. The numbers x(p)
 * of the model file depend on the parameter through expressions, which are differentiated exactly
 * (base/expression_jet.h). The coefficients of the system and the initial state depend on these
 * numbers through the elements. For the second part the elements build the system again with
 * numbers on the line x(p) + s x'(p). The odd part of a coefficient on this line, |s| <= w, is a
 * series of Chebyshev polynomials,
 *
 *     c(s) - c(-s) = 2 sum_k a_k T_k(s/w),   k = 1, 3, ..., 2P - 1,
 *     a_k = 1/P sum_j (c(s_j) - c(-s_j)) cos(k t_j),   s_j = w cos t_j,  t_j = j pi/(2P),  j < P,
 *     c'(p) = d/ds c(x + s x') = 1/w sum_k k (-1)^((k-1)/2) a_k
 *
 * (the summand j = 0 has the factor 1/2). The coefficients a_k of an analytic function decrease
 * geometrically until they are rounding errors, where the series is cut off. So masses, stiffnesses
 * and most other numbers of a file, which are linear along the line, need the first one alone;
 * sections, positions and inertias are polynomials of low degree; for rotations, normalised axes
 * and closed joints the number of points is doubled until the last a_k are rounding errors.
 * A coefficient for which no series converges has no derivative. Only compiled models are
 * evaluated, never runs. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "model/model.h"
#include "system/parameter_derivative.h"

/* Numbers of pairs of points, at first and at most; the smallest angle is 1/TURN of a full turn. */
enum { FIRST_PAIRS = 4, PAIRS = 16, TURN = 4 * PAIRS };

/* Errors of derivatives, relative to their numbers: no better ones are needed; good, if more points
 * do not help; and the largest that is accepted. */
static const double fine = 1e-14, good = 1e-12, enough = 1e-10;

/* Kinds of numbers that only this file has: samples of functions, and the initial state. */
enum { FUNCTION = OLO_COEFFICIENT_OTHER + 1, INITIAL_STATE };

/* The differentiated numbers: all coefficients, samples of functions, the initial state. */
typedef struct numbers {
    olo_coefficient *items;
    double *size; /* [count] the largest number of the same piece, to which rounding errors are
                     relative */
    size_t count, capacity;
    int functions; /* number of sampled functions */
    bool full;
} numbers;

static void add(numbers *x, int kind, int index, int p, double value)
{
    olo_coefficient *grown =
        x->full ? NULL : olo_grow(x->items, x->count, &x->capacity, sizeof *grown);
    x->full = !grown;
    if (x->full)
        return;
    x->items = grown;
    x->items[x->count++] = (olo_coefficient){(olo_coefficient_kind)kind, index, p, value};
}

static void add_coefficients(void *context, const olo_numbers *x)
{
    for (int i = 0; x->kind < OLO_COEFFICIENT_OTHER && i < x->count; i++)
        add(context, (int)x->kind, x->index, x->p + i, x->values[i]);
}

static void add_sample(void *context, double value)
{
    numbers *x = context;
    add(x, FUNCTION, x->functions, 0, value);
}

/* Samples that distinguish functions of time, unless a function knows its own derivatives. */
static void add_function(numbers *x, const olo_time_function *time)
{
    const int samples = 12;
    x->functions++;
    for (int i = 0; time->value && !time->by_parameters && i < samples; i++)
        add_sample(x, time->value(time->context, 0.01 * pow(2.3, i)));
}

/* Samples of a law that is given by a function. */
static void add_law(numbers *x, const olo_term *term)
{
    x->functions++;
    if (term->law->samples)
        term->law->samples(term->context, x, add_sample);
}

static void add_functions(numbers *x, const olo_system *s)
{
    for (int i = 0; i < s->action_count; i++)
        add_function(x, &s->actions[i].time);
    for (int c = 0; c < s->m; c++) {
        add_function(x, &s->constraints[c].time);
        for (int i = 0; i < s->constraints[c].share_count; i++)
            add_law(x, s->constraints[c].shares[i].coordinate);
    }
    for (int k = 0; k < s->term_count; k++)
        add_law(x, &s->terms[k]);
}

static olo_status read_numbers(olo_system *system, numbers *x, olo_error *error)
{
    olo_state *state = NULL;
    olo_status status = olo_system_create_initial_state(system, &state, NULL, error);
    if (status != OLO_OK)
        return status;
    olo_system_visit_numbers(system, add_coefficients, x);
    add_functions(x, system);
    for (int i = 0; i < system->n; i++)
        add(x, INITIAL_STATE, i, 0, state->q[i]);
    for (int i = 0; i < system->n; i++)
        add(x, INITIAL_STATE, system->n + i, 0, state->v[i]);
    olo_state_free(state);
    return x->full ? olo_fail(error, OLO_NO_MEMORY, "out of memory for a parameter") : OLO_OK;
}

/* Whether two numbers belong to the same piece: a term or row, all masses, all positions, all
 * velocities. */
static bool are_together(const olo_coefficient *a, const olo_coefficient *b, int n)
{
    if (a->kind != b->kind)
        return false;
    if ((int)a->kind == INITIAL_STATE)
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
    return x->size;
}

/* A model and the direction in which its parameters change. */
typedef struct surroundings {
    const olo_model *model;
    const olo_system *system;
    const char *name;
    const double *direction; /* [parameters] derivatives of all parameters by the given one */
} surroundings;

/* Finds the numbers of the model at a shift of the parameter. */
static olo_status numbers_at(const surroundings *around, double shift, numbers *x, olo_error *error)
{
    olo_system *system = NULL;
    const olo_parameter_point at = {.values = olo_parameters_values(around->model->parameters),
                                    .direction = around->direction,
                                    .shift = shift};
    olo_status status = olo_model_compile_at(around->model, around->system, &at, &system, error);
    if (status == OLO_OK)
        status = read_numbers(system, x, error);
    olo_system_free(system);
    return status;
}

/* A derivative and an estimate of its error. */
typedef struct estimate {
    double value, error;
    bool straight; /* the number is linear along the line */
} estimate;

/* The numbers at both ends of each pair, at the angles t = j pi/(2 PAIRS). */
typedef struct line {
    double width;        /* w */
    double cosine[TURN]; /* of all multiples of the smallest angle */
    int pairs;           /* P: those with j a multiple of PAIRS/P are known */
    numbers up[PAIRS], down[PAIRS];
} line;

static line line_create(double width)
{
    line x = {.width = width};
    for (int j = 0; j < TURN; j++)
        x.cosine[j] = cos(6.283185307179586476925286766559 * j / TURN);
    return x;
}

static void line_free(line *x)
{
    for (int j = 0; j < PAIRS; j++) {
        olo_free(x->up[j].items);
        olo_free(x->down[j].items);
    }
}

/* a[(k - 1)/2] of number i; returns its largest magnitude. */
static double find_series(const line *x, size_t i, double *a)
{
    double own = 0;
    for (int m = 0; m < x->pairs; m++)
        a[m] = 0;
    for (int j = 0; j < PAIRS; j += PAIRS / x->pairs) {
        const double up = x->up[j].items[i].value, down = x->down[j].items[i].value;
        if (up == down)
            continue; /* also if both are infinite */
        const double odd = (j == 0 ? 0.5 : 1.0) * (up - down) / x->pairs;
        own = fmax(own, fmax(fabs(up), fabs(down)));
        for (int m = 0; m < x->pairs; m++)
            a[m] += odd * x->cosine[(2 * m + 1) * j % TURN];
    }
    return own;
}

/* Differentiates a number. The last quarter of the series shows the error of all a_k. */
static estimate differentiate(const line *x, size_t i)
{
    double a[PAIRS], value = 0;
    const double rounding = DBL_EPSILON * find_series(x, i, a);
    double error = 0.5 * rounding;
    for (int m = x->pairs - (x->pairs > 8 ? x->pairs / 4 : 2); m < x->pairs; m++)
        error = fmax(error, fabs(a[m]));
    int terms = x->pairs;
    while (terms > 0 && fabs(a[terms - 1]) <= 2 * error)
        terms--;
    for (int m = terms - 1; m >= 0; m--)
        value += (m % 2 == 0 ? 1 : -1) * (2 * m + 1) * a[m];
    const int last = terms > 0 ? 2 * terms - 1 : 1;
    return (estimate){.value = value / x->width,
                      .error = error * last * sqrt(last) / x->width,
                      .straight = terms == 1 && error <= 4 * rounding};
}

/* Whether a derivative is zero up to rounding. */
static bool is_zero(const estimate *x, double size, double unit)
{
    return fabs(x->value) <= 16 * x->error ||
           (!x->straight && fabs(x->value) <= 1e-13 * size / unit);
}

/* Whether something acts along a joint coordinate, or relates it to others. */
static bool is_used(const olo_system *s, int coordinate)
{
    const olo_term *term = s->joint_coordinates[coordinate].term;
    bool used = false;
    for (int i = 0; i < s->action_count; i++) {
        const olo_action *action = &s->actions[i];
        used = used || action->coordinate == term;
        for (int k = 0; action->law && k < action->law->measures; k++)
            used = used || action->measures[k].term == term;
    }
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
                        "parameter '%s' changes the definition of the joint coordinate '%s', along "
                        "which forces act; there are no derivatives with respect to it",
                        name, s->joint_coordinates[c->index].name);
    if (c->kind == OLO_COEFFICIENT_MEASURE)
        return olo_fail(error, OLO_UNSUPPORTED,
                        "parameter '%s' changes a point on which the force of '%s' depends; there "
                        "are no derivatives with respect to it",
                        name, s->measures[c->index].term->owner);
    if (c->kind == OLO_COEFFICIENT_CORNER)
        return olo_fail(error, OLO_UNSUPPORTED,
                        "parameter '%s' changes the angle between beams at a corner; there are "
                        "no derivatives with respect to it",
                        name);
    if (c->kind == OLO_COEFFICIENT_CONTACT)
        return olo_fail(error, OLO_UNSUPPORTED,
                        "parameter '%s' changes the axis of a disc in its body, or the plane on "
                        "which it rolls; there are no derivatives with respect to it",
                        name);
    if ((int)c->kind == FUNCTION)
        return olo_fail(
            error, OLO_UNSUPPORTED,
            "parameter '%s' is in a table over time, in the energy of a spring or in an "
            "expression of coordinates; there are no derivatives with respect to it",
            name);
    return OLO_OK;
}

/* Stores the derivatives that are not zero. */
static olo_status store_changes(olo_parameter_derivative *x, const olo_system *system,
                                const numbers *at, const estimate *derivative, olo_error *error)
{
    olo_status status = OLO_OK;
    size_t n = (size_t)x->n;
    x->coefficient = olo_pool_alloc(&x->pool, at->count, sizeof *x->coefficient);
    const olo_array arrays[] = {{&x->derivative, at->count}, {&x->dq, n}, {&x->dv, n}};
    if (!x->coefficient || !olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays))
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for a parameter");
    for (size_t i = 0; status == OLO_OK && i < at->count; i++) {
        const olo_coefficient *c = &at->items[i];
        if (derivative[i].value == 0)
            continue;
        if ((int)c->kind == INITIAL_STATE) {
            (c->index < x->n ? x->dq : x->dv)[c->index % x->n] = derivative[i].value;
            continue;
        }
        status = refuse_kind(system, c, x->name, error);
        x->coefficient[x->count] = *c;
        x->derivative[x->count++] = derivative[i].value;
    }
    return status;
}

/* Whether the motion that a row prescribes depends on the parameter. */
static bool is_moved(const olo_constraint *row, const double *direction)
{
    double by[2];
    return row->time.by_parameters &&
           row->time.by_parameters(row->time.context, 0.0, direction, by);
}

static void store_function(olo_parameter_derivative *x, bool row, int index)
{
    x->functions[x->function_count++] = (olo_function_derivative){.row = row, .index = index};
}

/* Stores the functions of time and the laws that depend on the parameter. */
static olo_status store_functions(olo_parameter_derivative *x, const olo_system *s,
                                  olo_error *error)
{
    x->functions = olo_pool_alloc(&x->pool, (size_t)(s->action_count + s->m), sizeof *x->functions);
    if (!x->functions)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for a parameter");
    for (int i = 0; i < s->action_count; i++)
        if (olo_action_uses_parameters(&s->actions[i], x->direction))
            store_function(x, false, i);
    for (int c = 0; c < s->m; c++)
        if (is_moved(&s->constraints[c], x->direction))
            store_function(x, true, c);
    return OLO_OK;
}

/* Evaluates the points of `pairs` pairs that are not known yet. It fails if the model cannot be
 * compiled at one of them, or has another structure there. */
static olo_status refine(const surroundings *x, int pairs, line *on, olo_error *error)
{
    olo_status status = OLO_OK;
    on->pairs = pairs;
    for (int j = 0; status == OLO_OK && j < PAIRS; j += PAIRS / pairs) {
        if (on->up[j].items)
            continue;
        status = numbers_at(x, on->width * on->cosine[j], &on->up[j], error);
        if (status == OLO_OK)
            status = numbers_at(x, -on->width * on->cosine[j], &on->down[j], error);
    }
    if (status == OLO_UNSUPPORTED)
        olo_fail(error, status, "parameter '%s' changes the structure of the model", x->name);
    else if (status != OLO_OK)
        olo_fail_context(error, status,
                         "the model cannot be compiled near the value of parameter '%s'", x->name);
    return status;
}

/* The largest error of all derivatives, relative to the derivative and to the size of its number.
 */
static double worst_of(const numbers *at, double unit, const estimate *derivative)
{
    double worst = 0;
    for (size_t i = 0; i < at->count; i++) {
        double size = fabs(derivative[i].value) + at->size[i] / unit;
        if (size > 0)
            worst = fmax(worst, derivative[i].error / size);
    }
    return worst;
}

/* Differentiates on a line of width w, with more and more points until all errors are small;
 * `worst` is the largest of them. */
static olo_status try_width(const surroundings *x, double width, double unit, const numbers *at,
                            estimate *derivative, double *worst, olo_error *error)
{
    line on = line_create(width);
    olo_status status = OLO_OK;
    bool done = false;
    for (int pairs = FIRST_PAIRS; status == OLO_OK && !done && pairs <= PAIRS; pairs *= 2) {
        const double before = *worst;
        status = refine(x, pairs, &on, error);
        if (status != OLO_OK)
            continue;
        for (size_t i = 0; i < at->count; i++) {
            const estimate now = differentiate(&on, i);
            if (now.error < derivative[i].error)
                derivative[i] = now;
        }
        *worst = worst_of(at, unit, derivative);
        done = *worst <= fine || (*worst <= good && *worst > 0.5 * before);
    }
    line_free(&on);
    return status;
}

/* Tries lines from wide to narrow until the errors of all derivatives are small. */
static olo_status search(const surroundings *x, double value, double unit, const numbers *at,
                         estimate *derivative, olo_error *error)
{
    const int tries = 6;
    olo_status status = OLO_OK;
    double worst = HUGE_VAL, width = 0.5 * unit;
    for (size_t i = 0; i < at->count; i++)
        derivative[i] = (estimate){0, HUGE_VAL, false};
    for (int i = 0; i < tries && !(worst <= good) && status != OLO_NO_MEMORY; i++, width *= 0.25)
        status = try_width(x, width, unit, at, derivative, &worst, error);
    if (worst == HUGE_VAL || status == OLO_NO_MEMORY)
        return status;
    return worst <= enough
               ? OLO_OK
               : olo_fail(error, OLO_UNSUPPORTED,
                          "the model does not depend smoothly on parameter '%s' near %g", x->name,
                          value);
}

static olo_status find(const olo_model *model, olo_system *system, size_t parameter,
                       olo_parameter_derivative *x, olo_error *error)
{
    numbers at = {0};
    estimate *derivative = NULL;
    double value = olo_parameters_value(model->parameters, parameter),
           unit = value != 0 ? fabs(value) : 1.0;
    const surroundings around = {model, system, x->name, x->direction};
    olo_status status = read_numbers(system, &at, error);
    if (status == OLO_OK) {
        derivative = olo_alloc(at.count, sizeof *derivative);
        if (!derivative || !measure(&at, system->n))
            status = olo_fail(error, OLO_NO_MEMORY, "out of memory for a parameter");
    }
    if (status == OLO_OK)
        status = search(&around, value, unit, &at, derivative, error);
    for (size_t i = 0; status == OLO_OK && i < at.count; i++)
        if (is_zero(&derivative[i], at.size[i], unit))
            derivative[i].value = 0;
    if (status == OLO_OK)
        status = store_changes(x, system, &at, derivative, error);
    olo_free(at.items);
    olo_free(at.size);
    olo_free(derivative);
    return status;
}

olo_status olo_parameter_derivative_create(const olo_model *model, const char *parameter,
                                           olo_parameter_derivative **change, olo_error *error)
{
    *change = NULL;
    size_t index = olo_parameters_find(model->parameters, parameter);
    if (!model->file || index == OLO_PARAMETER_NONE)
        return olo_fail(error, OLO_NOT_FOUND,
                        model->file ? "the model has no parameter '%s'"
                                    : "a model made in code has no parameters such as '%s'",
                        parameter);
    if (model->text[0] == '\0')
        return olo_fail(error, OLO_UNSUPPORTED,
                        "the model has forces from functions of a program, which may depend on "
                        "parameters such as '%s': there are no derivatives by parameters",
                        parameter);
    olo_parameter_derivative *x = olo_alloc(1, sizeof *x);
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for a parameter");
    olo_system *system = NULL;
    x->name = olo_pool_text(&x->pool, parameter, strlen(parameter));
    olo_status status = x->name ? olo_model_compile(model, &system, error)
                                : olo_fail(error, OLO_NO_MEMORY, "out of memory for a parameter");
    if (status == OLO_OK) {
        x->n = system->n;
        x->direction =
            olo_pool_alloc(&x->pool, olo_parameters_count(model->parameters), sizeof *x->direction);
        if (!x->direction)
            status = olo_fail(error, OLO_NO_MEMORY, "out of memory for a parameter");
    }
    if (status == OLO_OK) {
        olo_parameters_derivatives(model->parameters, index, x->direction);
        status = find(model, system, index, x, error);
    }
    if (status == OLO_OK)
        status = store_functions(x, system, error);
    olo_system_free(system);
    if (status != OLO_OK) {
        olo_parameter_derivative_free(x);
        return status;
    }
    *change = x;
    return OLO_OK;
}

void olo_parameter_derivative_free(olo_parameter_derivative *change)
{
    if (!change)
        return;
    olo_pool_free(&change->pool);
    olo_free(change);
}
