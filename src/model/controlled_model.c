/* A model with the controls of an optimum: the tree of its file, written again without the sections
 * `run` and `optimize`, with the parameters found and a table over time at every driven element.
 * Where a control is along one joint coordinate, the torque or force of the joint along it becomes
 * a load with the table. The values of the table belong to the middle of each interval, where a
 * step evaluates functions of time: a run with the scheme of the problem and the step of the
 * intervals has these controls exactly. */
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

/* A scalar as it was given; quoted if it was. */
static void put_scalar(writer *w, const olo_yaml_node *node)
{
    if (!node->quoted) {
        olo_text_put(&w->text, node->text[0] ? node->text : "~");
        return;
    }
    olo_text_put(&w->text, "\"");
    for (const char *c = node->text; *c; c++)
        if (*c == '\n')
            olo_text_put(&w->text, "\\n");
        else if (*c == '"' || *c == '\\')
            olo_text_format(&w->text, "\\%c", *c);
        else
            olo_text_add(&w->text, c, 1);
    olo_text_put(&w->text, "\"");
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
        put_scalar(w, node);
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

/* The torque or force of a joint as a load along its coordinate. */
static void add_load(writer *w, int input, const olo_yaml_node *magnitude)
{
    olo_text_format(&w->loads, "  - {\"along\": \"%s\", \"magnitude\": %s, ",
                    olo_optimum_input_name(w->optimum, input), magnitude->text);
    put_table(w, &w->loads, input);
    olo_text_put(&w->loads, "}\n");
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
    const int input = input_of(w, element);
    const bool timeless = input >= 0 || (joint && is_replaced(w, element));
    olo_text_put(&w->text, "{");
    for (const olo_yaml_node *child = element->first; child; child = child->next) {
        if (timeless && strcmp(child->key, "time") == 0)
            continue;
        if (joint && input_along(w, element, child->key) >= 0) {
            add_load(w, input_along(w, element, child->key), child);
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
    const bool driven = strcmp(section->key, "joints") == 0 || strcmp(section->key, "loads") == 0;
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
