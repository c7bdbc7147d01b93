/* Parameters: a graph of definitions y_i = f_i(y), sorted by depth-first search such that f_i
 * depends on earlier parameters only, and evaluated in this order. The derivatives d by y_k are
 *
 *     d_k = 1,   d_i = Df_i(y)[d] */
#include "model/parameters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/suggest.h"

typedef struct definition {
    char *text; /* or NULL for a number */
    double number;
    olo_expression *expression; /* compiled text; NULL for a number, or if not resolved */
} definition;

/* All lists have `count` items, by index; `order` lists the indices such that each parameter
 * follows those on which it depends. */
struct olo_parameters {
    size_t count, capacity;
    char **names;
    definition *items;
    double *values;
    size_t *order;
};

static olo_status out_of_memory(olo_error *error)
{
    return olo_fail(error, OLO_NO_MEMORY, "out of memory for the parameters");
}

/* Marks all values as unknown after a change. */
static void invalidate(olo_parameters *parameters)
{
    for (size_t i = 0; i < parameters->count; i++)
        parameters->values[i] = NAN;
}

olo_status olo_parameters_create(olo_parameters **parameters, olo_error *error)
{
    *parameters = olo_alloc(1, sizeof **parameters);
    return *parameters ? OLO_OK : out_of_memory(error);
}

static void clear(definition *item)
{
    item->text = olo_free(item->text);
    item->expression = olo_expression_free(item->expression);
}

olo_parameters *olo_parameters_free(olo_parameters *parameters)
{
    if (!parameters)
        return NULL;
    for (size_t i = 0; i < parameters->count; i++) {
        olo_free(parameters->names[i]);
        clear(&parameters->items[i]);
    }
    olo_free(parameters->names);
    olo_free(parameters->items);
    olo_free(parameters->values);
    olo_free(parameters->order);
    return olo_free(parameters);
}

/* Definitions --------------------------------------------------------------------------------- */

static olo_status check_name(const olo_parameters *parameters, const char *name, olo_error *error)
{
    if (strlen(name) > OLO_PARAMETER_MAX_NAME) {
        return olo_fail(error, OLO_BAD_INPUT,
                        "parameter '%.20s...': name is longer than %d characters", name,
                        OLO_PARAMETER_MAX_NAME);
    }
    if (!olo_expression_is_identifier(name)) {
        return olo_fail(error, OLO_BAD_INPUT,
                        "parameter '%s': a name has letters, digits and _, no digit first", name);
    }
    if (olo_expression_is_reserved(name)) {
        return olo_fail(error, OLO_BAD_INPUT,
                        "parameter '%s': this name is reserved in expressions", name);
    }
    if (olo_parameters_find(parameters, name) != OLO_PARAMETER_NONE)
        return olo_fail(error, OLO_BAD_INPUT, "parameter '%s' is defined twice", name);
    return OLO_OK;
}

/* Reserves capacity for one more parameter in all lists. A failure may leave some of them larger.
 */
static bool reserve(olo_parameters *parameters)
{
    size_t count = parameters->count;
    if (count < parameters->capacity)
        return true;
    size_t capacity = count == 0 ? 8 : 2 * count;
    char **names = olo_realloc(parameters->names, count, capacity, sizeof *names);
    parameters->names = names ? names : parameters->names;
    definition *items = olo_realloc(parameters->items, count, capacity, sizeof *items);
    parameters->items = items ? items : parameters->items;
    double *values = olo_realloc(parameters->values, count, capacity, sizeof *values);
    parameters->values = values ? values : parameters->values;
    size_t *order = olo_realloc(parameters->order, count, capacity, sizeof *order);
    parameters->order = order ? order : parameters->order;
    if (!names || !items || !values || !order)
        return false;
    parameters->capacity = capacity;
    return true;
}

/* Sets a definition by `text`, which is copied, or by `number` if `text` is NULL. */
static olo_status define(const char *name, const char *text, double number, definition *item,
                         olo_error *error)
{
    *item = (definition){.number = number};
    if (!text && !isfinite(number)) {
        return olo_fail(error, OLO_BAD_INPUT, "parameter '%s': %g is not a finite number", name,
                        number);
    }
    if (text) {
        item->text = olo_strdup(text);
        return item->text ? OLO_OK : out_of_memory(error);
    }
    return OLO_OK;
}

static olo_status add(olo_parameters *parameters, const char *name, const char *text, double number,
                      olo_error *error)
{
    olo_status status = check_name(parameters, name, error);
    if (status != OLO_OK)
        return status;
    definition item;
    status = define(name, text, number, &item, error);
    if (status != OLO_OK)
        return status;
    char *copy = olo_strdup(name);
    if (!copy || !reserve(parameters)) {
        olo_free(copy);
        clear(&item);
        return out_of_memory(error);
    }
    parameters->names[parameters->count] = copy;
    parameters->items[parameters->count] = item;
    parameters->count++;
    invalidate(parameters);
    return OLO_OK;
}

static olo_status replace(olo_parameters *parameters, const char *name, const char *text,
                          double number, olo_error *error)
{
    size_t i = 0;
    definition item;
    olo_status status = olo_parameters_require(parameters, name, &i, error);
    if (status == OLO_OK)
        status = define(name, text, number, &item, error);
    if (status != OLO_OK)
        return status;
    clear(&parameters->items[i]);
    parameters->items[i] = item;
    invalidate(parameters);
    return OLO_OK;
}

olo_status olo_parameters_add(olo_parameters *parameters, const char *name, const char *expression,
                              olo_error *error)
{
    return add(parameters, name, expression, NAN, error);
}

olo_status olo_parameters_add_number(olo_parameters *parameters, const char *name, double value,
                                     olo_error *error)
{
    return add(parameters, name, NULL, value, error);
}

olo_status olo_parameters_set(olo_parameters *parameters, const char *name, const char *expression,
                              olo_error *error)
{
    return replace(parameters, name, expression, NAN, error);
}

olo_status olo_parameters_set_number(olo_parameters *parameters, const char *name, double value,
                                     olo_error *error)
{
    return replace(parameters, name, NULL, value, error);
}

/* Resolution ---------------------------------------------------------------------------------- */

static olo_status compile(olo_parameters *parameters, olo_parameters_location *location,
                          olo_error *error)
{
    for (size_t i = 0; i < parameters->count; i++) {
        definition *item = &parameters->items[i];
        item->expression = olo_expression_free(item->expression);
        if (!item->text)
            continue;
        olo_status status =
            olo_expression_compile(item->text, olo_parameters_names(parameters), parameters->count,
                                   &item->expression, &location->column, error);
        if (status != OLO_OK) {
            location->parameter = i;
            return olo_fail_context(error, status, "parameter '%s'", parameters->names[i]);
        }
    }
    return OLO_OK;
}

/* A parameter on the path of the search, and the index of its next dependency. */
typedef struct visit {
    size_t parameter, next;
} visit;

enum { UNSEEN, OPEN, DONE };

/* Reports the cycle from `path[first]` to the end of the path and back. */
static olo_status fail_cycle(const olo_parameters *parameters, const visit *path, size_t first,
                             size_t length, olo_error *error)
{
    enum { SHOWN = 10 }; /* names; the message has capacity for about 25 of the longest */
    char text[(SHOWN + 1) * (OLO_PARAMETER_MAX_NAME + 8) + 8];
    size_t used = 0;
    for (size_t i = first; i < length && i < first + SHOWN; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "'%s' -> ",
                                 parameters->names[path[i].parameter]);
    }
    return olo_fail(error, OLO_BAD_INPUT, "parameters %s%s'%s' form a cycle", text,
                    length - first > SHOWN ? "... -> " : "",
                    parameters->names[path[first].parameter]);
}

/* Depth-first search with an explicit path, because chains may be too long for recursion. */
static olo_status search(olo_parameters *parameters, visit *path, char *mark, size_t root,
                         size_t *ordered, olo_parameters_location *location, olo_error *error)
{
    size_t length = 1;
    path[0] = (visit){root, 0};
    mark[root] = OPEN;
    while (length > 0) {
        visit *last = &path[length - 1];
        const olo_expression *expression = parameters->items[last->parameter].expression;
        const size_t *used = NULL;
        size_t count = expression ? olo_expression_used(expression, &used) : 0;
        if (last->next == count) {
            mark[last->parameter] = DONE;
            parameters->order[(*ordered)++] = last->parameter;
            length--;
            continue;
        }
        size_t next = used[last->next++];
        if (mark[next] == OPEN) {
            size_t first = 0;
            while (path[first].parameter != next)
                first++;
            location->parameter = next;
            return fail_cycle(parameters, path, first, length, error);
        }
        if (mark[next] == UNSEEN) {
            path[length++] = (visit){next, 0};
            mark[next] = OPEN;
        }
    }
    return OLO_OK;
}

static olo_status sort(olo_parameters *parameters, olo_parameters_location *location,
                       olo_error *error)
{
    size_t count = parameters->count, ordered = 0;
    visit *path = olo_alloc(count, sizeof *path);
    char *mark = olo_alloc(count, 1);
    bool enough = path && mark;
    olo_status status = enough ? OLO_OK : out_of_memory(error);
    for (size_t i = 0; enough && i < count && status == OLO_OK; i++)
        if (mark[i] == UNSEEN)
            status = search(parameters, path, mark, i, &ordered, location, error);
    olo_free(path);
    olo_free(mark);
    return status;
}

static olo_status evaluate(olo_parameters *parameters, olo_parameters_location *location,
                           olo_error *error)
{
    double *values = parameters->values;
    for (size_t k = 0; k < parameters->count; k++) {
        size_t i = parameters->order[k];
        const definition *item = &parameters->items[i];
        values[i] =
            item->expression ? olo_expression_value(item->expression, values) : item->number;
        if (!isfinite(values[i])) {
            location->parameter = i;
            return olo_fail(error, OLO_BAD_INPUT, "parameter '%s': '%.80s' is not finite",
                            parameters->names[i], item->text);
        }
    }
    return OLO_OK;
}

olo_status olo_parameters_resolve(olo_parameters *parameters, olo_parameters_location *location,
                                  olo_error *error)
{
    olo_parameters_location ignored;
    location = location ? location : &ignored;
    *location = (olo_parameters_location){OLO_PARAMETER_NONE, 0};
    olo_status status = compile(parameters, location, error);
    if (status == OLO_OK)
        status = sort(parameters, location, error);
    if (status == OLO_OK)
        status = evaluate(parameters, location, error);
    if (status != OLO_OK)
        invalidate(parameters);
    return status;
}

/* Results ------------------------------------------------------------------------------------- */

size_t olo_parameters_count(const olo_parameters *parameters)
{
    return parameters->count;
}

const char *const *olo_parameters_names(const olo_parameters *parameters)
{
    return (const char *const *)parameters->names;
}

size_t olo_parameters_find(const olo_parameters *parameters, const char *name)
{
    for (size_t i = 0; i < parameters->count; i++)
        if (strcmp(parameters->names[i], name) == 0)
            return i;
    return OLO_PARAMETER_NONE;
}

olo_status olo_parameters_require(const olo_parameters *parameters, const char *name, size_t *index,
                                  olo_error *error)
{
    *index = olo_parameters_find(parameters, name);
    if (*index != OLO_PARAMETER_NONE)
        return OLO_OK;
    const char *near = olo_suggest(name, olo_parameters_names(parameters), parameters->count);
    return !near ? olo_fail(error, OLO_BAD_INPUT, "there is no parameter '%.64s'", name)
                 : olo_fail(error, OLO_BAD_INPUT,
                            "there is no parameter '%.64s'; did you mean '%s'?", name, near);
}

double olo_parameters_value(const olo_parameters *parameters, size_t parameter)
{
    return parameters->values[parameter];
}

const double *olo_parameters_values(const olo_parameters *parameters)
{
    return parameters->values;
}

void olo_parameters_derivatives(const olo_parameters *parameters, size_t with_respect_to,
                                double *derivatives)
{
    for (size_t i = 0; i < parameters->count; i++)
        derivatives[i] = 0;
    derivatives[with_respect_to] = 1;
    for (size_t k = 0; k < parameters->count; k++) {
        size_t i = parameters->order[k];
        const olo_expression *expression = parameters->items[i].expression;
        if (i != with_respect_to && expression) {
            derivatives[i] =
                olo_parameters_expression_derivative(parameters, expression, derivatives);
        }
    }
}

olo_status olo_parameters_evaluate(const olo_parameters *parameters, size_t given_count,
                                   const size_t *given, const double *given_values, double *values,
                                   olo_error *error)
{
    for (size_t k = 0; k < parameters->count; k++) {
        const size_t i = parameters->order[k];
        const definition *item = &parameters->items[i];
        values[i] =
            item->expression ? olo_expression_value(item->expression, values) : item->number;
        for (size_t j = 0; j < given_count; j++)
            values[i] = given[j] == i ? given_values[j] : values[i];
        if (!isfinite(values[i])) {
            return olo_fail(error, OLO_BAD_INPUT, "parameter '%s' is not finite",
                            parameters->names[i]);
        }
    }
    return OLO_OK;
}

double olo_parameters_expression_derivative(const olo_parameters *parameters,
                                            const olo_expression *expression,
                                            const double *derivatives)
{
    double value_and_derivative[2];
    olo_expression_taylor(expression, parameters->values, derivatives, 1, value_and_derivative);
    return value_and_derivative[1];
}
