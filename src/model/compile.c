/* Compilation of a model to a system: every element adds itself, type by type in the order of the
 * registry; then the builder completes the system, and its kinematics is analysed.
 *
 * For other values of the parameters, the fields that depend on them are evaluated again in copies
 * of the elements, which write their numbers into a copy of the system. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "elements/builder.h"
#include "kinematics/analysis.h"
#include "linalg/vec3.h"
#include "model/model.h"
#include "model/reader.h"
#include "stepping/segments.h"

/* The part of the model that is being built; `entry` is NULL for the whole model. */
typedef struct build_location {
    const olo_model *model;
    const olo_entry *entry;
} build_location;

static void locate(void *context, const char *key, char *text, size_t size)
{
    const build_location *here = context;
    if (here->entry)
        olo_entry_locate(here->model, here->entry, key, text, size);
    else
        olo_model_locate(here->model, key, text, size);
}

/* The data of a compilation. */
typedef struct compilation {
    build_location here;
    const olo_system *pattern; /* the system whose structure is reused, or NULL */
    olo_reader reader;         /* evaluates numbers again at other parameters */
    double gravity[3], plane[3];
    void *element; /* memory for a copy of any element */
    olo_builder *builder;
} compilation;

/* Checks gravity or plane, which may have any values in a model made in code. */
static olo_status check_vector(const olo_model *model, const char *key, const double x[3],
                               olo_error *error)
{
    char location[512];
    for (int i = 0; i < 3; i++) {
        if (!isfinite(x[i]) || fabs(x[i]) > OLO_LARGEST_NUMBER) {
            olo_model_locate(model, key, location, sizeof location);
            return olo_fail(error, OLO_BAD_INPUT, "%s: %s", location,
                            isfinite(x[i]) ? "is too large" : "is not a finite number");
        }
    }
    return OLO_OK;
}

/* Finds gravity and plane: those of the model, or their values at other parameters. */
static olo_status find_vectors(compilation *x, olo_error *error)
{
    const olo_model *model = x->here.model;
    olo_status status = OLO_OK;
    memcpy(x->gravity, model->gravity, sizeof x->gravity);
    memcpy(x->plane, model->plane, sizeof x->plane);
    if (x->pattern && model->gravity_node)
        status = olo_read_vector(&x->reader, model->gravity_node, x->gravity);
    if (status == OLO_OK && x->pattern && model->plane_node) {
        status = olo_read_numbers(&x->reader, model->plane_node, 3, x->plane);
        (void)vec3_normalise(x->plane);
    }
    if (status == OLO_OK)
        status = check_vector(model, "gravity", x->gravity, error);
    if (status == OLO_OK)
        status = check_vector(model, "plane", x->plane, error);
    (void)vec3_normalise(x->plane);
    return status;
}

static olo_status build_entry(compilation *x, const olo_entry *entry, olo_error *error)
{
    const void *element = entry->element;
    olo_status status = OLO_OK;
    x->here.entry = entry;
    if (x->pattern && entry->bindings.count > 0) {
        memcpy(x->element, entry->element, entry->type->size);
        status = olo_read_bound(&x->reader, &entry->bindings, x->element);
        element = x->element;
    }
    if (status != OLO_OK)
        return status;
    status = entry->type->build(x->builder, element);
    if (status != OLO_OK && error)
        *error = *olo_builder_error(x->builder);
    return status;
}

static olo_status build_all(compilation *x, olo_error *error)
{
    const olo_model *model = x->here.model;
    olo_status status = OLO_OK;
    for (int i = 0; i < olo_element_type_count; i++) {
        const olo_entry_list *list = &model->lists[i];
        for (size_t k = 0; status == OLO_OK && k < list->count; k++)
            status = build_entry(x, list->items[k], error);
    }
    x->here.entry = NULL;
    return status;
}

/* Adds the location of the model to a message that has no location. */
static olo_status name_model(const olo_model *model, olo_status status, olo_error *error)
{
    char location[512];
    olo_model_locate(model, NULL, location, sizeof location);
    if (!error || strncmp(error->text, location, strlen(location)) == 0)
        return status;
    return olo_fail_context(error, status, "%s", location);
}

/* Builds the system from the elements; `values` are those of the parameters. */
static olo_status compile(compilation *x, const double *values, olo_system **system,
                          olo_error *error)
{
    const olo_model *model = x->here.model;
    *system = NULL;
    olo_status status = find_vectors(x, error);
    if (status != OLO_OK)
        return status;
    olo_builder_setup setup = {
        .name = model->name,
        .variable_count = (int)olo_parameters_count(model->parameters),
        .variable_names = olo_parameters_names(model->parameters),
        .variable_values = values,
        .pattern = x->pattern,
        .trial = x->reader.direction != NULL,
        .locate = locate,
        .context = &x->here,
    };
    memcpy(setup.gravity, x->gravity, sizeof setup.gravity);
    memcpy(setup.plane, x->plane, sizeof setup.plane);
    status = olo_builder_create(&setup, &x->builder, error);
    if (status != OLO_OK)
        return status;
    status = build_all(x, error);
    if (status != OLO_OK) {
        olo_builder_free(x->builder);
        return status;
    }
    status = olo_builder_finish(x->builder, system, error);
    if (status == OLO_OK) {
        (*system)->segments = olo_segments;
        status = olo_system_analyse(*system, error);
    }
    if (status != OLO_OK) {
        olo_system_free(*system);
        *system = NULL;
    }
    return status == OLO_OK ? OLO_OK : name_model(model, status, error);
}

olo_status olo_model_compile(const olo_model *model, olo_system **system, olo_error *error)
{
    compilation x = {.here = {.model = model}};
    return compile(&x, olo_parameters_values(model->parameters), system, error);
}

/* Allocates the values of all variables: a free variable, the parameters, the variables of a
 * repetition. */
static double *variables(olo_pool *pool, size_t count, const double *values)
{
    double *all = olo_pool_alloc(pool, 1 + count + OLO_REPETITION_MAX_VALUES, sizeof *all);
    if (all && values)
        memcpy(all + 1, values, count * sizeof *values);
    return all;
}

/* Fails if a parameter changes that is part of a name or counts copies. */
static olo_status check_structural(const olo_model *model, const olo_parameter_point *at,
                                   olo_error *error)
{
    const size_t count = olo_parameters_count(model->parameters);
    for (size_t i = 0; model->structural && i < count; i++) {
        const double value = olo_parameters_value(model->parameters, i);
        if (model->structural[i] &&
            (at->values[i] != value || (at->direction && at->direction[i] != 0.0))) {
            return olo_fail(error, OLO_UNSUPPORTED,
                            "parameter '%s' changes the structure of the model (it counts copies "
                            "or is part of a name): compile the model with the other value",
                            olo_parameters_names(model->parameters)[i]);
        }
    }
    return OLO_OK;
}

olo_status olo_model_compile_at(const olo_model *model, const olo_system *system,
                                const olo_parameter_point *at, olo_system **other, olo_error *error)
{
    const size_t count = olo_parameters_count(model->parameters);
    size_t largest = 0;
    *other = NULL;
    olo_status status = check_structural(model, at, error);
    if (status != OLO_OK)
        return status;
    for (int i = 0; i < olo_element_type_count; i++)
        largest = olo_element_types[i]->size > largest ? olo_element_types[i]->size : largest;
    // only numbers are read: the model is not changed
    compilation x = {.here = {.model = model},
                     .pattern = system,
                     .reader = {.file = model->file,
                                .model = (olo_model *)model,
                                .numbers_only = true,
                                .shift = at->shift,
                                .error = error}};
    olo_pool *pool = &x.reader.pool;
    x.reader.values = variables(pool, count, at->values);
    x.element = olo_pool_alloc(pool, 1, largest);
    double *values = variables(pool, count, at->values);
    if (at->direction)
        x.reader.direction = variables(pool, count, at->direction);
    if (!x.reader.values || !x.element || !values || (at->direction && !x.reader.direction)) {
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for the system");
    } else {
        for (size_t i = 0; at->direction && i < count; i++)
            values[1 + i] += at->shift * at->direction[i];
        status = compile(&x, values + 1, other, error);
    }
    olo_pool_free(pool);
    return status;
}

/* Adds the parameters with other values to the beginning of a message. */
static olo_status name_parameters(int count, const char *const *names, const double *values,
                                  olo_status status, olo_error *error)
{
    enum { SHOWN = 3 };
    char text[SHOWN * (OLO_PARAMETER_MAX_NAME + 32)] = "";
    size_t used = 0;
    for (int i = 0; i < count && i < SHOWN; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.64s = %.9g",
                                 i > 0 ? ", " : "", names[i], values[i]);
    }
    return olo_fail_context(error, status, "with %s%s", text, count > SHOWN ? ", ..." : "");
}

/* Computes the values of all parameters if some are given; the result is in the pool. */
static olo_status evaluate(const olo_parameters *parameters, int count, const char *const *names,
                           const double *values, olo_pool *pool, double **evaluated,
                           olo_error *error)
{
    const size_t given_count = (size_t)count;
    size_t *given = olo_pool_alloc(pool, given_count, sizeof *given);
    *evaluated = olo_pool_alloc(pool, olo_parameters_count(parameters), sizeof **evaluated);
    olo_status status = OLO_OK;
    if (!given || !*evaluated)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the parameters");
    for (size_t i = 0; status == OLO_OK && i < given_count; i++) {
        status = olo_parameters_require(parameters, names[i], &given[i], error);
        if (status == OLO_OK && (!isfinite(values[i]) || fabs(values[i]) > OLO_LARGEST_NUMBER)) {
            status = olo_fail(error, OLO_BAD_INPUT, "parameter '%s' %s", names[i],
                              isfinite(values[i]) ? "is too large" : "is not a finite number");
        }
    }
    return status == OLO_OK
               ? olo_parameters_evaluate(parameters, given_count, given, values, *evaluated, error)
               : status;
}

double olo_model_parameter_with(const olo_model *model, int count, const char *const *names,
                                const double *values, const char *name)
{
    const size_t index = olo_parameters_find(model->parameters, name);
    olo_pool pool = {0};
    double *evaluated = NULL, value = (double)NAN;
    if (index != OLO_PARAMETER_NONE &&
        evaluate(model->parameters, count, names, values, &pool, &evaluated, NULL) == OLO_OK)
        value = evaluated[index];
    olo_pool_free(&pool);
    return value;
}

olo_status olo_system_with_parameters(const olo_model *model, const olo_system *system, int count,
                                      const char *const *names, const double *values,
                                      olo_system **other, olo_error *error)
{
    olo_pool pool = {0};
    double *evaluated = NULL;
    *other = NULL;
    olo_status status = evaluate(model->parameters, count, names, values, &pool, &evaluated, error);
    if (status == OLO_OK) {
        const olo_parameter_point at = {.values = evaluated};
        status = olo_model_compile_at(model, system, &at, other, error);
        if (status != OLO_OK && status != OLO_NO_MEMORY)
            name_parameters(count, names, values, status, error);
    }
    olo_pool_free(&pool);
    return status;
}
