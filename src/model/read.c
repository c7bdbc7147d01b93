/* Model files: the sections of a file, settings that override it, and where files are looked
 * for. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/suggest.h"
#include "linalg/vec3.h"
#include "model/optimize_section.h"
#include "model/reader.h"
#include "model/repetition.h"
#include "model/run_section.h"
#include "model/source.h"

typedef struct section {
    const char *key;
    olo_status (*read)(olo_reader *reader, const olo_yaml_node *node);
} section;

/* Parameters and settings --------------------------------------------------------------------- */

/* Reports an error of the parameters at `node`. */
static olo_status parameter_failure(olo_reader *reader, const olo_yaml_node *node,
                                    olo_status status, const olo_error *inner)
{
    if (status == OLO_NO_MEMORY)
        return olo_read_no_memory(reader);
    // the path has the name of the parameter already
    char prefix[OLO_PARAMETER_MAX_NAME + 20];
    (void)snprintf(prefix, sizeof prefix, "parameter '%.64s': ", node->key);
    const bool twice = strncmp(inner->text, prefix, strlen(prefix)) == 0;
    return olo_read_fail(reader, node, "%s", inner->text + (twice ? strlen(prefix) : 0));
}

static olo_status read_parameters(olo_reader *reader, const olo_yaml_node *map)
{
    if (map->kind != OLO_YAML_MAP)
        return olo_read_fail_expected(reader, map, "a map of names to numbers or expressions");
    if (map->count > OLO_MAX_PARAMETERS)
        return olo_read_fail(reader, map, "more than %d parameters", OLO_MAX_PARAMETERS);
    for (const olo_yaml_node *node = map->first; node; node = node->next) {
        if (node->kind != OLO_YAML_SCALAR || olo_read_is_nothing(node))
            return olo_read_fail_expected(reader, node, "a number or an expression");
        olo_error inner = {0};
        const olo_status status =
            olo_parameters_add(reader->model->parameters, node->key, node->text, &inner);
        if (status != OLO_OK)
            return parameter_failure(reader, node, status, &inner);
    }
    return OLO_OK;
}

static bool is_run_setting(const olo_setting *setting)
{
    return strncmp(setting->name, OLO_RUN_PREFIX, strlen(OLO_RUN_PREFIX)) == 0;
}

/* A setting as a node without a location in the file. */
static olo_yaml_node setting_node(const olo_setting *setting)
{
    return (olo_yaml_node){.kind = OLO_YAML_SCALAR, .key = setting->name, .text = setting->value};
}

static olo_status apply_settings(olo_reader *reader)
{
    for (int i = 0; i < reader->setting_count; i++) {
        const olo_setting *setting = &reader->settings[i];
        if (!setting->name || !setting->value) {
            return olo_fail(reader->error, OLO_BAD_INPUT, "%s: setting %d has no name or no value",
                            reader->file, i + 1);
        }
        if (is_run_setting(setting))
            continue; // for the section `run`
        olo_error inner = {0};
        const olo_yaml_node node = setting_node(setting);
        const olo_status status =
            olo_parameters_set(reader->model->parameters, setting->name, setting->value, &inner);
        if (status == OLO_BAD_INPUT && olo_run_has_option(setting->name)) {
            return olo_read_fail(reader, &node, "there is no parameter '%s'; did you mean '%s%s'?",
                                 setting->name, OLO_RUN_PREFIX, setting->name);
        }
        if (status != OLO_OK)
            return parameter_failure(reader, &node, status, &inner);
    }
    return OLO_OK;
}

/* The definition of a parameter: the last setting of its name, or the node in the file. */
static olo_yaml_node definition_of(const olo_reader *reader, const olo_yaml_node *map,
                                   const char *name)
{
    for (int i = reader->setting_count - 1; i >= 0; i--)
        if (strcmp(reader->settings[i].name, name) == 0)
            return setting_node(&reader->settings[i]);
    return *olo_yaml_find(map, name);
}

static olo_status resolve_parameters(olo_reader *reader, const olo_yaml_node *map)
{
    olo_parameters *parameters = reader->model->parameters;
    const char *const *names = olo_parameters_names(parameters);
    olo_parameters_location location = {OLO_PARAMETER_NONE, 0};
    olo_error inner = {0};
    olo_status status = olo_parameters_resolve(parameters, &location, &inner);
    if (status == OLO_NO_MEMORY)
        return olo_read_no_memory(reader);
    if (status != OLO_OK && location.parameter == OLO_PARAMETER_NONE)
        return olo_fail(reader->error, status, "%s: parameters: %s", reader->file, inner.text);
    if (status != OLO_OK) {
        const olo_yaml_node node = definition_of(reader, map, names[location.parameter]);
        return parameter_failure(reader, &node, status, &inner);
    }
    for (size_t i = 0; i < olo_parameters_count(parameters) && status == OLO_OK; i++) {
        const olo_yaml_node node = definition_of(reader, map, names[i]);
        status = olo_read_check_number(reader, &node, olo_parameters_value(parameters, i));
    }
    return status;
}

/* Sets the variables of all expressions that follow; the first one is reserved for `t` or `l`. */
static olo_status set_variables(olo_reader *reader)
{
    const olo_parameters *parameters = reader->model->parameters;
    const size_t count = olo_parameters_count(parameters);
    const size_t capacity = count + 1 + OLO_REPETITION_MAX_VALUES;
    reader->names = olo_pool_alloc(&reader->pool, capacity, sizeof *reader->names);
    reader->values = olo_pool_alloc(&reader->pool, capacity, sizeof *reader->values);
    if (!reader->names || !reader->values)
        return olo_read_no_memory(reader);
    for (size_t i = 0; i < count; i++) {
        reader->names[i + 1] = olo_parameters_names(parameters)[i];
        reader->values[i + 1] = olo_parameters_value(parameters, i);
    }
    reader->name_count = count;
    reader->model->structural =
        olo_pool_alloc(&reader->model->pool, count, sizeof *reader->model->structural);
    return reader->model->structural ? OLO_OK : olo_read_no_memory(reader);
}

/* Sections of the whole model ----------------------------------------------------------------- */

static olo_status copy_text(olo_reader *reader, const char **field, const char *text)
{
    return olo_model_set_text(reader->model, field, text, reader->error);
}

static olo_status read_model_name(olo_reader *reader, const olo_yaml_node *node)
{
    const char *name = NULL;
    const olo_status status = olo_read_name(reader, node, &name);
    return status == OLO_OK ? copy_text(reader, &reader->model->name, name) : status;
}

static olo_status read_description(olo_reader *reader, const olo_yaml_node *node)
{
    const char *text = NULL;
    const olo_status status = olo_read_text(reader, node, OLO_DESCRIPTION_MAX_LENGTH, &text);
    return status == OLO_OK ? copy_text(reader, &reader->model->description, text) : status;
}

static olo_status read_units(olo_reader *reader, const olo_yaml_node *node)
{
    const char *text = NULL;
    const olo_status status = olo_read_text(reader, node, OLO_UNITS_MAX_LENGTH, &text);
    return status == OLO_OK ? copy_text(reader, &reader->model->units, text) : status;
}

static olo_status read_gravity(olo_reader *reader, const olo_yaml_node *node)
{
    reader->model->gravity_mark = (olo_mark){node->line, node->column};
    reader->depends = false;
    const olo_status status = olo_read_vector(reader, node, reader->model->gravity);
    reader->model->gravity_node = reader->depends ? node : NULL;
    return status;
}

static olo_status read_plane(olo_reader *reader, const olo_yaml_node *node)
{
    static const char *const planes[] = {"xy", "yz", "xz", NULL};
    static const double normals[][3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    double *plane = reader->model->plane;
    reader->model->plane_mark = (olo_mark){node->line, node->column};
    olo_status status = OLO_OK;
    if (node->kind == OLO_YAML_LIST) {
        reader->depends = false;
        status = olo_read_numbers(reader, node, 3, plane);
        reader->model->plane_node = reader->depends ? node : NULL;
        if (status == OLO_OK && vec3_normalise(plane) == 0.0)
            status = olo_read_fail(reader, node, "the normal has zero length");
    } else {
        const char *word = NULL;
        status = olo_read_choice(reader, node, planes, &word);
        for (int i = 0; status == OLO_OK && planes[i]; i++)
            if (word == planes[i])
                memcpy(plane, normals[i], sizeof normals[i]);
    }
    reader->model->in_xy = plane[0] == 0.0 && plane[1] == 0.0;
    return status;
}

/* All sections except those of elements. Parameters and plane are read first, because the others
 * depend on them. */
static const section sections[] = {
    {"parameters", NULL},
    {"plane", NULL},
    {"name", read_model_name},
    {"units", read_units},
    {"gravity", read_gravity},
    {"description", read_description},
    {"run", NULL},
    {"optimize", olo_read_optimize},
};
enum { SECTION_COUNT = sizeof sections / sizeof sections[0] };

/* Sections of elements ------------------------------------------------------------------------ */

/* The memory into which an element is read; copies of a repeated element use it one after the
 * other. */
typedef struct element_slot {
    const olo_element_type *type;
    void *element;
    olo_mark *marks;
    olo_bound_field *bound;
} element_slot;

static olo_status read_copy(olo_reader *reader, const olo_yaml_node *node, void *context)
{
    const element_slot *slot = context;
    const olo_element_type *type = slot->type;
    memset(slot->element, 0, type->size);
    type->defaults(slot->element);
    reader->bound = slot->bound;
    reader->bound_count = 0;
    const olo_status status = olo_read_fields(reader, node, type->fields, type->field_count,
                                              type->noun, slot->element, slot->marks);
    if (status != OLO_OK)
        return status;
    char path[256];
    olo_repetition_path(reader, node, path, sizeof path);
    const olo_origin origin = {path, {node->line, node->column}, slot->marks};
    olo_bindings bindings = {reader->bound_count, slot->bound, {0}};
    olo_repetition_variables(reader, bindings.variables);
    return olo_model_add_element(reader->model, type, slot->element, &origin, &bindings,
                                 reader->error);
}

static olo_status read_element(olo_reader *reader, const olo_yaml_node *node,
                               const olo_element_type *type)
{
    element_slot slot = {
        .type = type,
        .element = olo_pool_alloc(&reader->pool, 1, type->size),
        .marks = olo_pool_alloc(&reader->pool, (size_t)type->field_count, sizeof *slot.marks),
        .bound = olo_pool_alloc(&reader->pool, (size_t)type->field_count, sizeof *slot.bound),
    };
    if (!slot.element || !slot.marks || !slot.bound)
        return olo_read_no_memory(reader);
    return olo_repetition_expand(reader, node, read_copy, &slot);
}

static olo_status read_elements(olo_reader *reader, const olo_yaml_node *node,
                                const olo_element_type *type)
{
    if (node->kind == OLO_YAML_MAP)
        return read_element(reader, node, type);
    if (node->kind != OLO_YAML_LIST) {
        char expected[96];
        (void)snprintf(expected, sizeof expected, "a list of %s, or one as a map", type->section);
        return olo_read_fail_expected(reader, node, expected);
    }
    olo_status status = OLO_OK;
    for (const olo_yaml_node *item = node->first; item && status == OLO_OK; item = item->next)
        status = read_element(reader, item, type);
    return status;
}

/* Files --------------------------------------------------------------------------------------- */

/* Suggests a section, also for the noun of its elements: `bodies` for `body`. */
static olo_status unknown_section(olo_reader *reader, const olo_yaml_node *node)
{
    const char *near = NULL;
    for (int i = 0; i < SECTION_COUNT && !near; i++)
        near = olo_suggest(node->key, &sections[i].key, 1);
    for (int i = 0; i < olo_element_type_count && !near; i++) {
        const olo_element_type *type = olo_element_types[i];
        const char *const words[] = {type->section, type->noun};
        near = olo_suggest(node->key, words, 2) != NULL ? type->section : NULL;
    }
    return olo_read_fail_unknown(reader, node, "section", "model", near);
}

static olo_status read_section(olo_reader *reader, const olo_yaml_node *node)
{
    for (int i = 0; i < SECTION_COUNT; i++)
        if (strcmp(sections[i].key, node->key) == 0)
            return sections[i].read ? sections[i].read(reader, node) : OLO_OK;
    for (int i = 0; i < olo_element_type_count; i++)
        if (strcmp(olo_element_types[i]->section, node->key) == 0)
            return read_elements(reader, node, olo_element_types[i]);
    return unknown_section(reader, node);
}

static olo_status read_root(olo_reader *reader, const olo_yaml_node *root)
{
    if (root->kind != OLO_YAML_MAP) {
        return olo_read_fail_expected(reader, root,
                                      "a map of sections (bodies, springs, run, ...)");
    }
    const olo_yaml_node *parameters = olo_yaml_find(root, "parameters");
    const olo_yaml_node *plane = olo_yaml_find(root, "plane");
    olo_status status = parameters ? read_parameters(reader, parameters) : OLO_OK;
    if (status == OLO_OK)
        status = apply_settings(reader);
    if (status == OLO_OK)
        status = resolve_parameters(reader, parameters);
    if (status == OLO_OK)
        status = set_variables(reader);
    if (status == OLO_OK && plane)
        status = read_plane(reader, plane);
    for (const olo_yaml_node *node = root->first; node && status == OLO_OK; node = node->next)
        status = read_section(reader, node);
    return status == OLO_OK ? olo_read_run(reader, olo_yaml_find(root, "run")) : status;
}

/* The default name of a model: that of its file without directory and ending. */
static void name_from_file(const char *file, char name[OLO_NAME_MAX_LENGTH + 1])
{
    const char *slash = strrchr(file, '/');
    const char *base = slash ? slash + 1 : file;
    const size_t length = strcspn(base, ".");
    if (length <= OLO_NAME_MAX_LENGTH) {
        memcpy(name, base, length);
        name[length] = '\0';
    }
    if (length > OLO_NAME_MAX_LENGTH || !olo_name_is_valid(name))
        strcpy(name, "model");
}

static olo_status read_document(olo_reader *reader, const char *text, size_t size)
{
    olo_model *model = reader->model;
    const olo_yaml_node *root = NULL;
    olo_status status = copy_text(reader, &model->file, reader->file);
    if (status == OLO_OK)
        status = olo_yaml_parse(text, size, reader->file, &model->pool, &root, reader->error);
    if (status == OLO_OK) {
        // the parser has checked that there are no zero bytes
        model->text = olo_pool_text(&model->pool, text, size);
        status = model->text ? read_root(reader, root) : olo_read_no_memory(reader);
    }
    return status;
}

static olo_status read_with(olo_reader *reader, const char *text, size_t size, olo_model **model)
{
    *model = NULL;
    char name[OLO_NAME_MAX_LENGTH + 1];
    name_from_file(reader->file, name);
    olo_status status = olo_model_create(name, &reader->model, reader->error);
    if (status == OLO_OK)
        status = read_document(reader, text, size);
    olo_pool_free(&reader->pool);
    if (status != OLO_OK) {
        olo_model_free(reader->model);
        return status;
    }
    *model = reader->model;
    return OLO_OK;
}

olo_status olo_model_read_text(const char *text, size_t size, const char *label,
                               const olo_setting *settings, int setting_count, olo_model **model,
                               olo_error *error)
{
    olo_reader reader = {
        .file = label, .settings = settings, .setting_count = setting_count, .error = error};
    return read_with(&reader, text, size, model);
}

static olo_status read_file(const char *path, const olo_setting *settings, int setting_count,
                            olo_model **model, olo_error *error)
{
    char *text = NULL;
    size_t size = 0;
    olo_status status = olo_source_read(path, &text, &size, error);
    if (status == OLO_OK)
        status = olo_model_read_text(text, size, path, settings, setting_count, model, error);
    olo_free(text);
    return status;
}

/* Index of a name in the catalogue, or -1 and the nearest name, if there is one. */
static int find_in_catalogue(const olo_catalogue *catalogue, const char *name, const char **near)
{
    const int count = olo_catalogue_count(catalogue);
    const char **names = olo_alloc((size_t)count, sizeof *names);
    int found = -1;
    for (int i = 0; names && i < count; i++) {
        names[i] = olo_catalogue_name(catalogue, i);
        found = strcmp(names[i], name) == 0 ? i : found;
    }
    *near = names ? olo_suggest(name, names, (size_t)count) : NULL;
    olo_free(names);
    return found;
}

static olo_status read_catalogue(const char *name, const olo_setting *settings, int setting_count,
                                 olo_model **model, olo_error *error)
{
    olo_catalogue *catalogue = NULL;
    olo_status status = olo_catalogue_open(&catalogue, error);
    if (status != OLO_OK)
        return status;
    const char *near = NULL;
    const int index = find_in_catalogue(catalogue, name, &near);
    if (index >= 0) {
        status =
            read_file(olo_catalogue_file(catalogue, index), settings, setting_count, model, error);
    } else {
        status = olo_fail(error, OLO_NOT_FOUND,
                          "'%s' is neither a file nor a model of the catalogue%s%s%s", name,
                          near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    olo_catalogue_free(catalogue);
    return status;
}

olo_status olo_model_read(const char *file, const olo_setting *settings, int setting_count,
                          olo_model **model, olo_error *error)
{
    *model = NULL;
    if (file[0] == '\0')
        return olo_fail(error, OLO_NOT_FOUND, "the name of the model is empty");
    struct stat about;
    const bool exists = stat(file, &about) == 0;
    if (exists && !S_ISDIR(about.st_mode))
        return read_file(file, settings, setting_count, model, error);
    // a directory may have the name of a model of the catalogue; a name with a slash is always a
    // file
    if (strchr(file, '/') != NULL)
        return read_file(file, settings, setting_count, model, error);
    const olo_status status = read_catalogue(file, settings, setting_count, model, error);
    return status == OLO_NOT_FOUND && exists
               ? read_file(file, settings, setting_count, model, error)
               : status;
}
