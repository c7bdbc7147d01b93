/* A model with the controls of an optimum: the tree of its file, written again without the sections
 * `run` and `optimize`, with a table over time at every driven element. The values of the table
 * belong to the middle of each interval, where a step evaluates functions of time: a run with the
 * scheme variational and the step of the intervals has these controls exactly. */
#include <string.h>

#include "base/text_file.h"
#include "model/model.h"
#include "model/yaml.h"
#include "oloid/optimize.h"

typedef struct writer {
    olo_text text;
    const olo_optimum *optimum;
    int written; /* driven elements so far */
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

/* The index of the driven element of this name, -1 if it is none. */
static int input_of(const writer *w, const olo_yaml_node *element)
{
    const olo_yaml_node *name = olo_yaml_find(element, "name");
    for (int i = 0; name && i < olo_optimum_input_count(w->optimum); i++)
        if (strcmp(olo_optimum_input_name(w->optimum, i), name->text) == 0)
            return i;
    return -1;
}

/* time: {time: [...], value: [...]} at the middles of the intervals */
static void put_table(writer *w, int input)
{
    const int N = olo_optimum_intervals(w->optimum);
    const double h = olo_optimum_duration(w->optimum) / N;
    olo_text_put(&w->text, "\"time\": {\"time\": [");
    for (int k = 0; k < N; k++)
        olo_text_format(&w->text, "%s%.17g", k ? ", " : "", k * h + 0.5 * h);
    olo_text_put(&w->text, "], \"value\": [");
    for (int k = 0; k < N; k++)
        olo_text_format(&w->text, "%s%.17g", k ? ", " : "",
                        olo_optimum_input(w->optimum, input, k));
    olo_text_put(&w->text, "]}");
}

/* An element of `joints` or `loads`. */
static void put_element(writer *w, const olo_yaml_node *element)
{
    const int input = input_of(w, element);
    olo_text_put(&w->text, "{");
    for (const olo_yaml_node *child = element->first; child; child = child->next) {
        if (input >= 0 && strcmp(child->key, "time") == 0)
            continue;
        put_key(w, child->key);
        put_flow(w, child);
        olo_text_put(&w->text, ", ");
    }
    if (input >= 0)
        put_table(w, input);
    olo_text_put(&w->text, "}");
    w->written += input >= 0;
}

static void put_section(writer *w, const olo_yaml_node *section)
{
    const bool driven = strcmp(section->key, "joints") == 0 || strcmp(section->key, "loads") == 0;
    const olo_yaml_node *first = section->kind == OLO_YAML_MAP ? section : section->first;
    put_key(w, section->key);
    if (!driven || section->kind == OLO_YAML_SCALAR) {
        put_flow(w, section);
        olo_text_put(&w->text, "\n");
        return;
    }
    olo_text_put(&w->text, "\n");
    for (const olo_yaml_node *element = first; element; element = element->next) {

        olo_text_put(&w->text, "  - ");
        put_element(w, element);
        olo_text_put(&w->text, "\n");
        if (element == section)
            break;
    }
}

static void put_run(writer *w)
{
    const double T = olo_optimum_duration(w->optimum);
    olo_text_format(&w->text, "run: {scheme: variational, step: %.17g, end: %.17g}\n",
                    T / olo_optimum_intervals(w->optimum), T);
}

olo_status olo_optimum_write_model(const olo_optimum *optimum, const olo_model *model,
                                   const char *path, olo_error *error)
{
    writer w = {.optimum = optimum};
    olo_pool pool = {0};
    const olo_yaml_node *root = NULL;
    if (!model->text || !model->file)
        return olo_fail(error, OLO_UNSUPPORTED,
                        "a model with controls is written from the file of a model; this model was "
                        "made in code");
    olo_status status =
        olo_yaml_parse(model->text, strlen(model->text), model->file, &pool, &root, error);
    for (const olo_yaml_node *node = status == OLO_OK ? root->first : NULL; node; node = node->next)
        if (strcmp(node->key, "run") != 0 && strcmp(node->key, "optimize") != 0)
            put_section(&w, node);
    put_run(&w);
    if (status == OLO_OK && w.written < olo_optimum_input_count(optimum))
        status = olo_fail(error, OLO_UNSUPPORTED,
                          "%s: a driven element is a copy by `repeat`, or its name is not written "
                          "in the file: it cannot get a table of its own",
                          model->file);
    if (status == OLO_OK)
        status = olo_text_save(&w.text, path, error);
    olo_text_free(&w.text);
    olo_pool_free(&pool);
    return status;
}
