/* A model with the controls of an optimum: the tree of its file, written again without the sections
 * `run` and `optimize`, with the parameters found and a table over time at every driven element.
 * Where a control is along one coordinate, the torque or force along it becomes a load with the
 * table; so does the target of a controller, as the force kp u. The values of the table belong to
 * the middle of each interval, where a step evaluates functions of time: a run with the scheme of
 * the problem and the step of the intervals has these controls exactly. */
#include <string.h>

#include "base/text_file.h"
#include "model/model.h"
#include "model/yaml.h"
#include "oloid/optimize.h"

typedef struct writer {
    olo_text text;
    const olo_optimum *optimum;
    olo_text loads; /* along joint coordinates, instead of torques and forces of joints */
    bool *written;  /* [inputs] */
} writer;

/* A scalar as it was given; quoted if it was, or if flow style would read it otherwise: a plain
 * text in block style may have commas and brackets. */
static void put_scalar(olo_text *to, const olo_yaml_node *node)
{
    if (!node->quoted && !strpbrk(node->text, ",[]{}:?")) {
        olo_text_put(to, node->text[0] ? node->text : "~");
        return;
    }
    olo_text_put(to, "\"");
    for (const char *c = node->text; *c; c++)
        if (*c == '\n')
            olo_text_put(to, "\\n");
        else if (*c == '"' || *c == '\\')
            olo_text_format(to, "\\%c", *c);
        else
            olo_text_add(to, c, 1);
    olo_text_put(to, "\"");
}

static void put_key(writer *w, const char *key)
{
    olo_text_put(&w->text, "\"");
    olo_text_put(&w->text, key);
    olo_text_put(&w->text, "\": ");
}

/* Flow style, which needs no indentation. */
static void put_flow(writer *w, const olo_yaml_node *node)
{
    if (node->kind == OLO_YAML_SCALAR) {
        put_scalar(&w->text, node);
        return;
    }
    const bool map = node->kind == OLO_YAML_MAP;
    olo_text_put(&w->text, map ? "{" : "[");
    for (const olo_yaml_node *child = node->first; child; child = child->next) {
        if (map)
            put_key(w, child->key);
        put_flow(w, child);
        olo_text_put(&w->text, child->next ? ", " : "");
    }
    olo_text_put(&w->text, map ? "}" : "]");
}

/* The input that drives an element as a whole, by its name, or of a load the joint coordinate along
 * which it acts; -1: none. */
static int input_of(const writer *w, const olo_yaml_node *element)
{
    const olo_yaml_node *const names[] = {olo_yaml_find(element, "name"),
                                          olo_yaml_find(element, "along")};
    for (int i = 0; i < olo_optimum_input_count(w->optimum); i++)
        for (int j = 0; j < 2; j++)
            if (names[j] && names[j]->kind == OLO_YAML_SCALAR &&
                strcmp(olo_optimum_input_name(w->optimum, i), names[j]->text) == 0)
                return i;
    return -1;
}

/* The input along a coordinate of a joint on which its torque or force acts, whose key is given;
 * -1: none. Torques act on angles, forces on positions. */
static int input_along(const writer *w, const olo_yaml_node *joint, const char *key)
{
    const olo_yaml_node *name = olo_yaml_find(joint, "name");
    const char *coordinate = strcmp(key, "torque") == 0  ? "angle"
                             : strcmp(key, "force") == 0 ? "position"
                                                         : NULL;
    for (int i = 0; name && coordinate && i < olo_optimum_input_count(w->optimum); i++) {
        const char *input = olo_optimum_input_name(w->optimum, i);
        const size_t length = strlen(name->text);
        if (strncmp(input, name->text, length) == 0 && input[length] == '.' &&
            strncmp(input + length + 1, coordinate, strlen(coordinate)) == 0)
            return i;
    }
    return -1;
}

/* time: {time: [...], value: [...]} at the middles of the intervals */
static void put_table(writer *w, olo_text *to, int input)
{
    const olo_optimum *o = w->optimum;
    const int N = olo_optimum_intervals(o);
    olo_text_put(to, "\"time\": {\"time\": [");
    for (int k = 0; k < N; k++)
        olo_text_format(to, "%s%.17g", k ? ", " : "",
                        0.5 * (olo_optimum_time(o, k) + olo_optimum_time(o, k + 1)));
    olo_text_put(to, "], \"value\": [");
    for (int k = 0; k < N; k++)
        olo_text_format(to, "%s%.17g", k ? ", " : "", olo_optimum_input(o, input, k));
    olo_text_put(to, "]}");
    w->written[input] = true;
}

/* A torque or force as a load along a coordinate. */
static void add_load(writer *w, int input, const char *coordinate, const olo_yaml_node *magnitude)
{
    olo_text_format(&w->loads, "  - {\"along\": \"%s\", \"magnitude\": ", coordinate);
    put_scalar(&w->loads, magnitude);
    olo_text_put(&w->loads, ", ");
    put_table(w, &w->loads, input);
    olo_text_put(&w->loads, "}\n");
}

/* The name of the coordinate of a joint with this input: that of the input, that of the key
 * `coordinate`, or its only one; NULL: there is none. */
static const char *coordinate_of(writer *w, const olo_yaml_node *joint, int input)
{
    const char *name = olo_yaml_find(joint, "name")->text;
    const olo_yaml_node *which = olo_yaml_find(joint, "coordinate");
    const olo_system *s = olo_optimum_system(w->optimum);
    const size_t length = strlen(name);
    if (strcmp(olo_optimum_input_name(w->optimum, input), name) != 0)
        return olo_optimum_input_name(w->optimum, input);
    for (int i = 0; i < olo_system_joint_coordinate_count(s); i++) {
        const char *own = olo_system_joint_coordinate_name(s, i);
        if (strncmp(own, name, length) == 0 && own[length] == '.' &&
            (!which || strcmp(own + length + 1, which->text) == 0))
            return own;
    }
    return NULL;
}

/* The input that is the target of the controller of a joint, -1: none. A joint with a torque or
 * force has no such input as a whole. */
static int target_of(const writer *w, const olo_yaml_node *joint)
{
    const olo_yaml_node *name = olo_yaml_find(joint, "name"),
                        *which = olo_yaml_find(joint, "coordinate");
    const size_t length = name ? strlen(name->text) : 0;
    for (int i = 0;
         name && olo_yaml_find(joint, "controller") && i < olo_optimum_input_count(w->optimum);
         i++) {
        const char *input = olo_optimum_input_name(w->optimum, i);
        if (strncmp(input, name->text, length) == 0 &&
            (input[length] == '\0' ||
             (input[length] == '.' && (!which || strcmp(input + length + 1, which->text) == 0))))
            return i;
    }
    return -1;
}

/* A controller whose target is zero, and the force of the target that was found. */
static void put_controller(writer *w, const olo_yaml_node *joint, const olo_yaml_node *controller)
{
    const int input = target_of(w, joint);
    const char *coordinate = coordinate_of(w, joint, input);
    const olo_yaml_node *kp = olo_yaml_find(controller, "kp");
    olo_text_put(&w->text, "\"controller\": {");
    for (const olo_yaml_node *child = controller->first; child; child = child->next) {
        if (strcmp(child->key, "target") == 0)
            continue;
        put_key(w, child->key);
        put_flow(w, child);
        olo_text_put(&w->text, ", ");
    }
    olo_text_put(&w->text, "}, ");
    if (coordinate && kp)
        add_load(w, input, coordinate, kp);
}

/* Whether loads replace all torques and forces of a joint. */
static bool is_replaced(const writer *w, const olo_yaml_node *joint)
{
    static const char *const keys[] = {"torque", "force"};
    int replaced = 0, remaining = 0;
    for (int i = 0; i < 2; i++)
        if (olo_yaml_find(joint, keys[i]))
            *(input_along(w, joint, keys[i]) >= 0 ? &replaced : &remaining) += 1;
    return replaced > 0 && remaining == 0;
}

/* An element of `joints` or `loads`. */
static void put_element(writer *w, const olo_yaml_node *element, bool joint)
{
    const bool target = joint && target_of(w, element) >= 0;
    const int input = target ? -1 : input_of(w, element);
    const bool timeless = input >= 0 || (joint && is_replaced(w, element));
    olo_text_put(&w->text, "{");
    for (const olo_yaml_node *child = element->first; child; child = child->next) {
        if (timeless && strcmp(child->key, "time") == 0)
            continue;
        const int along = joint ? input_along(w, element, child->key) : -1;
        if (along >= 0) {
            add_load(w, along, olo_optimum_input_name(w->optimum, along), child);
            continue;
        }
        if (target && strcmp(child->key, "controller") == 0) {
            put_controller(w, element, child);
            continue;
        }
        put_key(w, child->key);
        put_flow(w, child);
        olo_text_put(&w->text, ", ");
    }
    if (input >= 0)
        put_table(w, &w->text, input);
    olo_text_put(&w->text, "}");
}

/* The input of a coordinate of a minimal model; -1: none. */
static int input_named(const writer *w, const olo_yaml_node *name)
{
    for (int i = 0; name && i < olo_optimum_input_count(w->optimum); i++)
        if (strcmp(olo_optimum_input_name(w->optimum, i), name->text) == 0)
            return i;
    return -1;
}

/* The forces of an entry of `coordinates`, one per name: those that are controls become loads. */
static void put_forces(writer *w, const olo_yaml_node *entry, const olo_yaml_node *forces)
{
    const olo_yaml_node *name = olo_yaml_find(entry, "names");
    name = name && name->kind == OLO_YAML_LIST ? name->first : name;
    olo_text_put(&w->text, "[");
    for (const olo_yaml_node *force = forces->first; force; force = force->next) {
        const int input = input_named(w, name);
        if (input >= 0)
            add_load(w, input, name->text, force);
        if (input >= 0)
            olo_text_put(&w->text, "0");
        else
            put_flow(w, force);
        olo_text_put(&w->text, force->next ? ", " : "");
        name = name ? name->next : NULL;
    }
    olo_text_put(&w->text, "]");
}

static void put_coordinates(writer *w, const olo_yaml_node *entry)
{
    olo_text_put(&w->text, "{");
    for (const olo_yaml_node *child = entry->first; child; child = child->next) {
        put_key(w, child->key);
        if (strcmp(child->key, "forces") == 0)
            put_forces(w, entry, child);
        else
            put_flow(w, child);
        olo_text_put(&w->text, ", ");
    }
    olo_text_put(&w->text, "}");
}

/* The value of a parameter: found, or as it was given. */
static void put_parameter(writer *w, const olo_yaml_node *node)
{
    const olo_optimum *o = w->optimum;
    for (int i = 0; i < olo_optimum_parameter_count(o); i++)
        if (strcmp(olo_optimum_parameter_name(o, i), node->key) == 0) {
            olo_text_format(&w->text, "%.17g", olo_optimum_parameter(o, i));
            return;
        }
    put_flow(w, node);
}

static void put_parameters(writer *w, const olo_yaml_node *section)
{
    olo_text_put(&w->text, "{");
    for (const olo_yaml_node *child = section->first; child; child = child->next) {
        put_key(w, child->key);
        put_parameter(w, child);
        olo_text_put(&w->text, child->next ? ", " : "");
    }
    olo_text_put(&w->text, "}\n");
}

static void put_section(writer *w, const olo_yaml_node *section)
{
    const bool minimal = strcmp(section->key, "coordinates") == 0,
               driven = minimal || strcmp(section->key, "joints") == 0 ||
                        strcmp(section->key, "loads") == 0;
    const olo_yaml_node *first = section->kind == OLO_YAML_MAP ? section : section->first;
    put_key(w, section->key);
    if (strcmp(section->key, "parameters") == 0 && section->kind == OLO_YAML_MAP) {
        put_parameters(w, section);
        return;
    }
    if (!driven || section->kind == OLO_YAML_SCALAR) {
        put_flow(w, section);
        olo_text_put(&w->text, "\n");
        return;
    }
    olo_text_put(&w->text, "\n");
    for (const olo_yaml_node *element = first; element; element = element->next) {
        olo_text_put(&w->text, "  - ");
        if (minimal)
            put_coordinates(w, element);
        else
            put_element(w, element, strcmp(section->key, "joints") == 0);
        olo_text_put(&w->text, "\n");
        if (element == section)
            break;
    }
}

static void put_run(writer *w)
{
    const olo_optimum *o = w->optimum;
    const int N = olo_optimum_intervals(o);
    const double T = olo_optimum_duration(o);
    if (olo_optimum_has_equal_intervals(o)) {
        olo_text_format(&w->text, "run: {scheme: %s, step: %.17g, end: %.17g}\n",
                        olo_optimum_scheme(o), T / N, T);
        return;
    }
    olo_text_format(&w->text, "run: {scheme: %s, steps: [", olo_optimum_scheme(o));
    for (int k = 0; k < N; k++)
        olo_text_format(&w->text, "%s%.17g", k ? ", " : "",
                        olo_optimum_time(o, k + 1) - olo_optimum_time(o, k));
    olo_text_put(&w->text, "]}\n");
}

/* All sections; loads come last, since those of joints are added to them. */
static void put_sections(writer *w, const olo_yaml_node *root)
{
    const olo_yaml_node *loads = NULL;
    for (const olo_yaml_node *node = root->first; node; node = node->next)
        if (strcmp(node->key, "loads") == 0)
            loads = node;
        else if (strcmp(node->key, "run") != 0 && strcmp(node->key, "optimize") != 0)
            put_section(w, node);
    put_run(w);
    if (loads)
        put_section(w, loads);
    else if (w->loads.length > 0)
        olo_text_put(&w->text, "\"loads\":\n");
    olo_text_add(&w->text, w->loads.bytes, w->loads.length);
    w->text.failed = w->text.failed || w->loads.failed;
}

static olo_status check_written(const writer *w, const olo_model *model, olo_error *error)
{
    for (int i = 0; i < olo_optimum_input_count(w->optimum); i++)
        if (!w->written[i])
            return olo_fail(error, OLO_UNSUPPORTED,
                            "%s: '%s' is a copy by `repeat`, or its name is not written in the "
                            "file: it cannot get a table of its own",
                            model->file, olo_optimum_input_name(w->optimum, i));
    return OLO_OK;
}

olo_status olo_optimum_write_model(const olo_optimum *optimum, const olo_model *model,
                                   const char *path, olo_error *error)
{
    olo_pool pool = {0};
    writer w = {.optimum = optimum,
                .written =
                    olo_pool_alloc(&pool, (size_t)olo_optimum_input_count(optimum), sizeof(bool))};
    const olo_yaml_node *root = NULL;
    olo_status status = OLO_OK;
    if (olo_optimum_has_other_start(optimum))
        status = olo_fail(error, OLO_UNSUPPORTED,
                          "a model cannot be written with another initial state than its own: its "
                          "joints are where the configuration of the model has them");
    else if (!w.written)
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for a model with controls");
    else if (!model->text || !model->file)
        status = olo_fail(error, OLO_UNSUPPORTED,
                          "a model with controls is written from the file of a model; this model "
                          "was made in code");
    if (status == OLO_OK)
        status = olo_yaml_parse(model->text, strlen(model->text), model->file, &pool, &root, error);
    if (status == OLO_OK) {
        put_sections(&w, root);
        status = check_written(&w, model, error);
    }
    if (status == OLO_OK)
        status = olo_text_save(&w.text, path, error);
    olo_text_free(&w.text);
    olo_text_free(&w.loads);
    olo_pool_free(&pool);
    return status;
}
