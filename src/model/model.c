/* Models: creation, elements, parameters, and locations in the file. */
#include "model/model.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"
#include "base/initialised.h"
#include "base/memory.h"
#include "model/fields.h"
#include "model/run_section.h"

/* Size of the buffer for "file:line:column: path". */
enum { LOCATION_SIZE = 768 };

static olo_status out_of_memory(olo_error *error)
{
    return olo_fail(error, OLO_NO_MEMORY, "out of memory for the model");
}

olo_status olo_model_create(const char *name, olo_model **model, olo_error *error)
{
    *model = NULL;
    if (!name || !olo_name_is_valid(name))
        return olo_fail(error, OLO_BAD_INPUT, "the model's name is not valid: " OLO_NAME_RULE);
    olo_model *m = olo_alloc(1, sizeof *m);
    if (!m)
        return out_of_memory(error);
    m->description = m->units = m->text = "";
    m->run = olo_run_default();
    olo_model_set_variants(m);
    m->lists = olo_pool_alloc(&m->pool, (size_t)olo_element_type_count, sizeof *m->lists);
    olo_status status =
        m->lists ? olo_model_set_text(m, &m->name, name, error) : out_of_memory(error);
    if (status == OLO_OK)
        status = olo_parameters_create(&m->parameters, error);
    if (status != OLO_OK) {
        olo_model_free(m);
        return status;
    }
    *model = m;
    return OLO_OK;
}

void olo_model_free(olo_model *model)
{
    if (!model)
        return;
    for (int i = 0; model->lists && i < olo_element_type_count; i++)
        olo_free(model->lists[i].items);
    for (size_t i = 0; i < model->expression_count; i++)
        olo_expression_free(model->expressions[i]);
    olo_free(model->expressions);
    olo_names_free(&model->names);
    olo_parameters_free(model->parameters);
    olo_pool_free(&model->pool);
    olo_free(model);
}

olo_status olo_model_set_text(olo_model *model, const char **field, const char *text,
                              olo_error *error)
{
    const char *copy = olo_pool_text(&model->pool, text, strlen(text));
    if (!copy)
        return out_of_memory(error);
    *field = copy;
    return OLO_OK;
}

/* Locations ----------------------------------------------------------------------------------- */

const char *olo_entry_name(const olo_entry *entry)
{
    return ((const olo_element_head *)entry->element)->name;
}

static olo_mark field_mark(const olo_entry *entry, const char *key)
{
    const olo_element_type *type = entry->type;
    for (int i = 0; key && entry->origin.marks && i < type->field_count; i++)
        if (strcmp(type->fields[i].key, key) == 0 && entry->origin.marks[i].line > 0)
            return entry->origin.marks[i];
    return entry->origin.mark; // a key that was not given: where the element stands
}

void olo_entry_locate(const olo_model *model, const olo_entry *entry, const char *key, char *text,
                      size_t size)
{
    const char *word = key ? key : "";
    if (!entry->origin.path) {
        (void)snprintf(text, size, "%s '%s'%s%s", entry->type->noun, olo_entry_name(entry),
                       key ? ": " : "", word);
        return;
    }
    const olo_mark mark = field_mark(entry, key);
    (void)snprintf(text, size, "%s:%d:%d: %s%s%s", model->file, mark.line, mark.column,
                   entry->origin.path, key ? "." : "", word);
}

void olo_model_locate(const olo_model *model, const char *key, char *text, size_t size)
{
    const char *word = key ? key : "";
    const olo_mark mark = strcmp(word, "gravity") == 0 ? model->gravity_mark
                          : strcmp(word, "plane") == 0 ? model->plane_mark
                                                       : (olo_mark){0};
    const char *separator = key ? ": " : "";
    if (!model->file)
        (void)snprintf(text, size, "model '%s'%s%s", model->name, separator, word);
    else if (mark.line > 0)
        (void)snprintf(text, size, "%s:%d:%d: %s", model->file, mark.line, mark.column, word);
    else
        (void)snprintf(text, size, "%s%s%s", model->file, separator, word);
}

/* Fails with a message that begins with the location of `key` of an entry. */
OLO_PRINTF(5, 6)
static olo_status fail_at(const olo_model *model, const olo_entry *entry, const char *key,
                          olo_error *error, const char *format, ...)
{
    char location[LOCATION_SIZE], reason[512];
    olo_entry_locate(model, entry, key, location, sizeof location);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return olo_fail(error, OLO_BAD_INPUT, "%s: %s", location, reason);
}

/* Elements ------------------------------------------------------------------------------------ */

static olo_entry_list *list_of(olo_model *model, const olo_element_type *type)
{
    int i = 0;
    while (i < olo_element_type_count && olo_element_types[i] != type)
        i++;
    return i < olo_element_type_count ? &model->lists[i] : NULL;
}

static bool name_is_required(const olo_element_type *type)
{
    for (int i = 0; i < type->field_count; i++)
        if (type->fields[i].kind == OLO_FIELD_NAME)
            return type->fields[i].required;
    return false;
}

/* The default name: "spring3" for the third spring, or the next number that is not used. */
static olo_status default_name(olo_model *model, olo_entry *entry, size_t number, olo_error *error)
{
    char name[OLO_NAME_MAX_LENGTH + 1];
    do {
        (void)snprintf(name, sizeof name, "%s%zu", entry->type->noun, number++);
    } while (olo_names_find(&model->names, name) != NULL);
    return olo_model_set_text(model, &((olo_element_head *)entry->element)->name, name, error);
}

/* Whether an entry is an output with the name of what it records: the origin of a body, a point
 * mass, or the reaction of a joint. */
static bool is_output_of(const olo_entry *entry, const olo_entry *other)
{
    if (entry->type != &olo_element_output || other->type == &olo_element_output)
        return false;
    const olo_output *output = entry->element;
    const char *recorded = output->reaction ? output->reaction : output->on.on;
    const double *at = output->on.at;
    return recorded && strcmp(recorded, output->name) == 0 && at[0] == 0 && at[1] == 0 &&
           at[2] == 0;
}

static olo_status check_name(const olo_model *model, const olo_entry *entry, olo_error *error)
{
    const char *name = olo_entry_name(entry);
    if (!olo_name_is_valid(name))
        return fail_at(model, entry, "name", error, OLO_NAME_RULE);
    if (strcmp(name, "ground") == 0)
        return fail_at(model, entry, "name", error, "'ground' is the name of the space itself");
    const olo_entry *other = olo_names_find(&model->names, name);
    if (!other || is_output_of(entry, other))
        return OLO_OK;
    char where[LOCATION_SIZE] = "";
    if (other->origin.path) {
        (void)snprintf(where, sizeof where, " (%s, line %d)", other->origin.path,
                       other->origin.mark.line);
    }
    return fail_at(model, entry, "name", error, "the name '%s' is taken by a%s %s%s", name,
                   strchr("aeiou", other->type->noun[0]) != NULL ? "n" : "", other->type->noun,
                   where);
}

/* Checks numbers, choices and lists; a number may be unset if its default is. */
static olo_status check_fields(olo_model *model, const olo_entry *entry, olo_error *error)
{
    const olo_element_type *type = entry->type;
    void *defaults = olo_alloc(1, type->size);
    if (!defaults)
        return out_of_memory(error);
    type->defaults(defaults);
    char reason[400];
    const olo_field *wrong = olo_fields_check(type->fields, type->field_count, entry->element,
                                              defaults, reason, sizeof reason);
    olo_free(defaults);
    return !wrong ? OLO_OK : fail_at(model, entry, wrong->key, error, "%s", reason);
}

static olo_status copy_origin(olo_model *model, olo_entry *entry, const olo_origin *origin,
                              const olo_bindings *bindings, olo_error *error)
{
    if (!origin)
        return OLO_OK;
    entry->bindings = *bindings;
    entry->bindings.fields = olo_pool_copy(&model->pool, bindings->fields, (size_t)bindings->count,
                                           sizeof *bindings->fields);
    if (!entry->bindings.fields)
        return out_of_memory(error);
    entry->origin.mark = origin->mark;
    entry->origin.marks = olo_pool_copy(&model->pool, origin->marks,
                                        (size_t)entry->type->field_count, sizeof *origin->marks);
    if (!entry->origin.marks)
        return out_of_memory(error);
    return olo_model_set_text(model, &entry->origin.path, origin->path, error);
}

/* Checks an entry whose element still points to the caller's memory. */
static olo_status check_entry(olo_model *model, olo_entry *entry, size_t number, olo_error *error)
{
    olo_status status = OLO_OK;
    if (olo_entry_name(entry) == NULL) {
        if (name_is_required(entry->type))
            return olo_fail(error, OLO_BAD_INPUT, "a %s needs a name", entry->type->noun);
        status = default_name(model, entry, number, error);
    } else {
        status = check_name(model, entry, error);
    }
    return status == OLO_OK ? check_fields(model, entry, error) : status;
}

/* A struct of zeros has a name that can be printed; one that was not initialised may not. */
static olo_status check_initialised(const olo_element_type *type, const olo_element_head *element,
                                    olo_error *error)
{
    const olo_status status = olo_check_initialised(element->initialised, type->initialised, error);
    const bool named = element->initialised == 0 && element->name;
    return status == OLO_OK || !named
               ? status
               : olo_fail_context(error, status, "%s '%.64s'", type->noun, element->name);
}

olo_status olo_model_add_element(olo_model *model, const olo_element_type *type,
                                 const void *element, const olo_origin *origin,
                                 const olo_bindings *bindings, olo_error *error)
{
    olo_entry_list *list = list_of(model, type);
    if (!list)
        return olo_fail(error, OLO_INTERNAL, "the type '%s' is not registered", type->noun);
    if (check_initialised(type, element, error) != OLO_OK)
        return OLO_BAD_INPUT;
    olo_entry *entry = olo_pool_alloc(&model->pool, 1, sizeof *entry);
    olo_entry **items = olo_grow(list->items, list->count, &list->capacity, sizeof *items);
    if (items)
        list->items = items;
    if (!entry || !items)
        return out_of_memory(error);
    entry->type = type;
    entry->element = olo_pool_copy(&model->pool, element, 1, type->size);
    if (!entry->element)
        return out_of_memory(error);
    olo_status status = copy_origin(model, entry, origin, bindings, error);
    if (status == OLO_OK)
        status = check_entry(model, entry, list->count + 1, error);
    if (status != OLO_OK)
        return status;
    if (!olo_fields_copy(&model->pool, type->fields, type->field_count, entry->element) ||
        (!olo_names_find(&model->names, olo_entry_name(entry)) &&
         !olo_names_add(&model->names, olo_entry_name(entry), entry)))
        return out_of_memory(error);
    list->items[list->count++] = entry;
    return OLO_OK;
}

olo_status olo_model_add_point(olo_model *model, const olo_point *point, olo_error *error)
{
    return olo_model_add_element(model, &olo_element_point, point, NULL, NULL, error);
}

olo_status olo_model_add_body(olo_model *model, const olo_body *body, olo_error *error)
{
    return olo_model_add_element(model, &olo_element_body, body, NULL, NULL, error);
}

olo_status olo_model_add_beam(olo_model *model, const olo_beam *beam, olo_error *error)
{
    return olo_model_add_element(model, &olo_element_beam, beam, NULL, NULL, error);
}

olo_status olo_model_add_mass(olo_model *model, const olo_mass *mass, olo_error *error)
{
    return olo_model_add_element(model, &olo_element_mass, mass, NULL, NULL, error);
}

olo_status olo_model_add_rod(olo_model *model, const olo_rod *rod, olo_error *error)
{
    return olo_model_add_element(model, &olo_element_rod, rod, NULL, NULL, error);
}

olo_status olo_model_add_spring(olo_model *model, const olo_spring *spring, olo_error *error)
{
    return olo_model_add_element(model, &olo_element_spring, spring, NULL, NULL, error);
}

olo_status olo_model_add_coordinates(olo_model *model, const olo_coordinates *coordinates,
                                     olo_error *error)
{
    return olo_model_add_element(model, &olo_element_coordinates, coordinates, NULL, NULL, error);
}

olo_status olo_model_add_contact(olo_model *model, const olo_contact *contact, olo_error *error)
{
    return olo_model_add_element(model, &olo_element_contact, contact, NULL, NULL, error);
}

olo_status olo_model_add_damper(olo_model *model, const olo_damper *damper, olo_error *error)
{
    return olo_model_add_element(model, &olo_element_damper, damper, NULL, NULL, error);
}

olo_status olo_model_add_support(olo_model *model, const olo_support *support, olo_error *error)
{
    return olo_model_add_element(model, &olo_element_support, support, NULL, NULL, error);
}

olo_status olo_model_add_joint(olo_model *model, const olo_joint *joint, olo_error *error)
{
    return olo_model_add_element(model, &olo_element_joint, joint, NULL, NULL, error);
}

olo_status olo_model_add_relation(olo_model *model, const olo_relation *relation, olo_error *error)
{
    return olo_model_add_element(model, &olo_element_relation, relation, NULL, NULL, error);
}

olo_status olo_model_add_load(olo_model *model, const olo_load *load, olo_error *error)
{
    return olo_model_add_element(model, &olo_element_load, load, NULL, NULL, error);
}

olo_status olo_model_add_output(olo_model *model, const olo_output *output, olo_error *error)
{
    return olo_model_add_element(model, &olo_element_output, output, NULL, NULL, error);
}

olo_status olo_model_add_event(olo_model *model, const olo_event *event, olo_error *error)
{
    return olo_model_add_element(model, &olo_element_event, event, NULL, NULL, error);
}

olo_status olo_model_add_exact(olo_model *model, const olo_exact *exact, olo_error *error)
{
    return olo_model_add_element(model, &olo_element_exact, exact, NULL, NULL, error);
}

/* The whole model ----------------------------------------------------------------------------- */

void olo_model_set_gravity(olo_model *model, const double gravity[3])
{
    memcpy(model->gravity, gravity, sizeof model->gravity);
}

void olo_model_set_plane(olo_model *model, const double normal[3])
{
    memcpy(model->plane, normal, sizeof model->plane);
}

olo_status olo_model_set_run(olo_model *model, const olo_run *run, olo_error *error)
{
    olo_run copy = *run;
    olo_status status = olo_run_check(run, error);
    if (status == OLO_OK)
        status = olo_model_set_text(model, &copy.scheme, run->scheme, error);
    if (status == OLO_OK)
        status = olo_model_set_text(model, &copy.constraints, run->constraints, error);
    if (status == OLO_OK)
        status = olo_model_set_text(model, &copy.null_space, run->null_space, error);
    if (status == OLO_OK)
        status = olo_model_set_text(model, &copy.start, run->start, error);
    if (status == OLO_OK && run->step_count > 0) {
        double *steps =
            olo_pool_copy(&model->pool, run->steps, (size_t)run->step_count, sizeof *steps);
        copy.steps = steps;
        status = steps ? OLO_OK : olo_fail(error, OLO_NO_MEMORY, "out of memory for a model");
    }
    if (status == OLO_OK)
        model->run = copy;
    return status;
}

olo_status olo_model_set_parameter(olo_model *model, const char *name, double value,
                                   olo_error *error)
{
    if (!name)
        return olo_fail(error, OLO_BAD_INPUT, "a parameter needs a name");
    if (!isfinite(value) || fabs(value) > OLO_LARGEST_NUMBER) {
        return olo_fail(error, OLO_BAD_INPUT, "parameter '%.64s' %s", name,
                        isfinite(value) ? "is too large" : "is not a finite number");
    }
    olo_parameters *parameters = model->parameters;
    const bool known = olo_parameters_find(parameters, name) != OLO_PARAMETER_NONE;
    if (!known && olo_parameters_count(parameters) >= OLO_MAX_PARAMETERS)
        return olo_fail(error, OLO_BAD_INPUT, "more than %d parameters", OLO_MAX_PARAMETERS);
    const olo_status status = known ? olo_parameters_set_number(parameters, name, value, error)
                                    : olo_parameters_add_number(parameters, name, value, error);
    return status == OLO_OK ? olo_parameters_resolve(parameters, NULL, error) : status;
}

const char *olo_model_name(const olo_model *model)
{
    return model->name;
}

void olo_model_warn(olo_model *model, const char *text)
{
    if (model->warning_count == OLO_MODEL_WARNINGS_MAX)
        return;
    const char *copy = olo_pool_text(&model->pool, text, strlen(text));
    if (copy)
        model->warnings[model->warning_count++] = copy;
}

const char *olo_model_warning(const olo_model *model, int index)
{
    return index >= 0 && index < model->warning_count ? model->warnings[index] : NULL;
}

const char *olo_model_description(const olo_model *model)
{
    return model->description;
}

const char *olo_model_units(const olo_model *model)
{
    return model->units;
}

const char *olo_model_text(const olo_model *model)
{
    return model->text;
}

const olo_run *olo_model_run(const olo_model *model)
{
    return &model->run;
}

double olo_model_parameter(const olo_model *model, const char *name)
{
    const size_t index = olo_parameters_find(model->parameters, name);
    return index == OLO_PARAMETER_NONE ? (double)NAN
                                       : olo_parameters_value(model->parameters, index);
}
