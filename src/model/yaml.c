/* Parses YAML from the events of libyaml. Limits are checked at each event, before memory is
 * allocated; aliases are expanded and counted here. */
#include "model/yaml.h"

#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/fail.h"
#include "base/names.h"

/* A node with an anchor; of equal names the latest is used. */
typedef struct anchor {
    const char *name;
    const olo_yaml_node *node;
    struct anchor *previous;
} anchor;

typedef struct tree {
    yaml_parser_t parser;
    const char *text; /* [size], not terminated by zero */
    size_t size;
    const char *label;
    olo_pool *pool;
    anchor *anchors;
    int nodes, alias_nodes;
    olo_error *error;
} tree;

static olo_status read_node(tree *t, const yaml_event_t *event, int depth, olo_yaml_node **node);

/* Errors -------------------------------------------------------------------------------------- */

static int line_of(yaml_mark_t mark)
{
    return (int)mark.line + 1;
}

static int column_of(yaml_mark_t mark)
{
    return (int)mark.column + 1;
}

static olo_status out_of_memory(tree *t)
{
    return olo_fail(t->error, OLO_NO_MEMORY, "%s: out of memory while reading", t->label);
}

static olo_status fail(tree *t, yaml_mark_t mark, const char *text)
{
    return olo_fail(t->error, OLO_BAD_INPUT, "%s:%d:%d: %s", t->label, line_of(mark),
                    column_of(mark), text);
}

/* Line and column of a byte of the text. */
static yaml_mark_t mark_of(const tree *t, size_t offset)
{
    yaml_mark_t mark = {.index = offset};
    for (size_t i = 0; i < offset; i++) {
        const unsigned char c = (unsigned char)t->text[i];
        mark.line += c == '\n';
        // bytes 10xxxxxx continue a character
        mark.column = c == '\n' ? 0 : mark.column + ((c & 0xC0U) != 0x80U);
    }
    return mark;
}

/* Whether the line of a mark is indented with a tab. */
static bool has_tab(const tree *t, yaml_mark_t mark)
{
    size_t i = 0, line = 0;
    while (i < t->size && line < mark.line)
        line += t->text[i++] == '\n';
    while (i < t->size && t->text[i] == ' ')
        i++;
    return i < t->size && t->text[i] == '\t';
}

/* Reports an error of the parser: bytes that are not UTF-8, or text that is not YAML. */
static olo_status parser_failure(tree *t)
{
    const yaml_parser_t *parser = &t->parser;
    const char *problem = parser->problem ? parser->problem : "not understood";
    char text[256];
    switch (parser->error) {
    case YAML_MEMORY_ERROR:
        return out_of_memory(t);
    case YAML_READER_ERROR:
        // the parser knows the byte only
        (void)snprintf(text, sizeof text, "not a text file in UTF-8: %s", problem);
        return fail(t, mark_of(t, parser->problem_offset), text);
    default:
        break;
    }
    if (has_tab(t, parser->problem_mark))
        return fail(t, parser->problem_mark, "a tab: indent with spaces, YAML allows no tabs here");
    if (parser->context && parser->context_mark.line != parser->problem_mark.line) {
        (void)snprintf(text, sizeof text, "%s %s that starts in line %d", problem, parser->context,
                       line_of(parser->context_mark));
    } else if (parser->context) {
        (void)snprintf(text, sizeof text, "%s %s", problem, parser->context);
    } else {
        (void)snprintf(text, sizeof text, "%s", problem);
    }
    return fail(t, parser->problem_mark, text);
}

/* The next event, to be deleted by the caller when the status is OLO_OK. */
static olo_status next_event(tree *t, yaml_event_t *event)
{
    return yaml_parser_parse(&t->parser, event) ? OLO_OK : parser_failure(t);
}

/* Nodes --------------------------------------------------------------------------------------- */

static olo_status new_node(tree *t, yaml_mark_t mark, olo_yaml_kind kind, olo_yaml_node **node)
{
    if (++t->nodes > OLO_YAML_MAX_NODES) {
        char text[80];
        (void)snprintf(text, sizeof text, "more than %d values in one file", OLO_YAML_MAX_NODES);
        return fail(t, mark, text);
    }
    *node = olo_pool_alloc(t->pool, 1, sizeof **node);
    if (!*node)
        return out_of_memory(t);
    **node =
        (olo_yaml_node){.kind = kind, .text = "", .line = line_of(mark), .column = column_of(mark)};
    return OLO_OK;
}

static olo_status no_tag(tree *t, const yaml_event_t *event, const yaml_char_t *tag)
{
    static const char text[] = "tags (words with ! before a value) are not used in model files";
    return !tag ? OLO_OK : fail(t, event->start_mark, text);
}

static olo_status remember(tree *t, const yaml_char_t *name, const olo_yaml_node *node)
{
    if (!name)
        return OLO_OK;
    anchor *a = olo_pool_alloc(t->pool, 1, sizeof *a);
    const char *text = olo_pool_text(t->pool, (const char *)name, strlen((const char *)name));
    if (!a || !text)
        return out_of_memory(t);
    *a = (anchor){text, node, t->anchors};
    t->anchors = a;
    return OLO_OK;
}

/* Whether a text in UTF-8 has a control character other than tab and line breaks, which would make
 * messages unreadable. */
static bool has_control_characters(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i];
        const bool low = c < 0x20 && c != '\t' && c != '\n' && c != '\r';
        // U+0080 to U+009F
        const bool high = c == 0xC2 && i + 1 < length && (unsigned char)text[i + 1] < 0xA0;
        if (low || high || c == 0x7F)
            return true;
    }
    return false;
}

static olo_status scalar_text(tree *t, const yaml_event_t *event, const char **text)
{
    const char *value = (const char *)event->data.scalar.value;
    const size_t length = event->data.scalar.length;
    if (has_control_characters(value, length))
        return fail(t, event->start_mark, "control character in a text");
    *text = olo_pool_text(t->pool, value, length);
    return *text ? OLO_OK : out_of_memory(t);
}

static olo_status read_scalar(tree *t, const yaml_event_t *event, olo_yaml_node **node)
{
    olo_status status = no_tag(t, event, event->data.scalar.tag);
    if (status == OLO_OK)
        status = new_node(t, event->start_mark, OLO_YAML_SCALAR, node);
    if (status == OLO_OK)
        status = scalar_text(t, event, &(*node)->text);
    if (status == OLO_OK) {
        (*node)->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
        status = remember(t, event->data.scalar.anchor, *node);
    }
    return status;
}

/* Appends a child after `last`, the previous child or NULL. */
static void append(olo_yaml_node *parent, olo_yaml_node *last, olo_yaml_node *child)
{
    child->parent = parent;
    child->index = parent->count++;
    if (!last)
        parent->first = child;
    else
        last->next = child;
}

/* Collections --------------------------------------------------------------------------------- */

static olo_status read_items(tree *t, olo_yaml_node *list, int depth)
{
    olo_yaml_node *last = NULL;
    for (;;) {
        yaml_event_t event;
        olo_status status = next_event(t, &event);
        if (status != OLO_OK)
            return status;
        const bool end = event.type == YAML_SEQUENCE_END_EVENT;
        olo_yaml_node *item = NULL;
        if (!end)
            status = read_node(t, &event, depth, &item);
        yaml_event_delete(&event);
        if (end || status != OLO_OK)
            return status;
        append(list, last, item);
        last = item;
    }
}

/* Reads a key: a text that is new in the map. */
static olo_status read_key(tree *t, const yaml_event_t *event, const olo_names *keys,
                           const char **key)
{
    if (event->type != YAML_SCALAR_EVENT)
        return fail(t, event->start_mark, "a key must be a text");
    olo_status status = no_tag(t, event, event->data.scalar.tag);
    if (status == OLO_OK)
        status = scalar_text(t, event, key);
    const olo_yaml_node *same = status == OLO_OK ? olo_names_find(keys, *key) : NULL;
    if (same) {
        char text[160], shown[OLO_YAML_EXCERPT_SIZE];
        (void)snprintf(text, sizeof text, "duplicate key '%s', first given in line %d",
                       olo_yaml_excerpt(*key, shown), same->key_line);
        status = fail(t, event->start_mark, text);
    }
    return status;
}

/* Reads the value after a key, and stores the key in it. */
static olo_status read_value(tree *t, const char *key, yaml_mark_t key_mark, int depth,
                             olo_yaml_node **value)
{
    yaml_event_t event;
    olo_status status = next_event(t, &event);
    if (status != OLO_OK)
        return status;
    status = read_node(t, &event, depth, value);
    yaml_event_delete(&event);
    if (status == OLO_OK) {
        (*value)->key = key;
        (*value)->key_line = line_of(key_mark);
        (*value)->key_column = column_of(key_mark);
    }
    return status;
}

static olo_status read_entries(tree *t, olo_yaml_node *map, int depth, olo_names *keys)
{
    olo_yaml_node *last = NULL;
    for (;;) {
        yaml_event_t event;
        olo_status status = next_event(t, &event);
        if (status != OLO_OK)
            return status;
        const bool end = event.type == YAML_MAPPING_END_EVENT;
        const yaml_mark_t mark = event.start_mark;
        const char *key = NULL;
        olo_yaml_node *value = NULL;
        if (!end)
            status = read_key(t, &event, keys, &key);
        yaml_event_delete(&event);
        if (end || status != OLO_OK)
            return status;
        status = read_value(t, key, mark, depth, &value);
        if (status == OLO_OK && !olo_names_add(keys, key, value))
            status = out_of_memory(t);
        if (status != OLO_OK)
            return status;
        append(map, last, value);
        last = value;
    }
}

static olo_status read_collection(tree *t, const yaml_event_t *event, olo_yaml_kind kind, int depth,
                                  olo_yaml_node **node)
{
    if (depth > OLO_YAML_MAX_DEPTH) {
        char text[80];
        (void)snprintf(text, sizeof text, "nested deeper than %d levels", OLO_YAML_MAX_DEPTH);
        return fail(t, event->start_mark, text);
    }
    const bool list = kind == OLO_YAML_LIST;
    olo_status status =
        no_tag(t, event, list ? event->data.sequence_start.tag : event->data.mapping_start.tag);
    if (status == OLO_OK)
        status = new_node(t, event->start_mark, kind, node);
    if (status == OLO_OK && list) {
        status = read_items(t, *node, depth + 1);
    } else if (status == OLO_OK) {
        olo_names keys = {0};
        status = read_entries(t, *node, depth + 1, &keys);
        olo_names_free(&keys);
    }
    // only now, so that no alias can be inside of what it stands for
    return status == OLO_OK
               ? remember(
                     t, list ? event->data.sequence_start.anchor : event->data.mapping_start.anchor,
                     *node)
               : status;
}

/* Aliases ------------------------------------------------------------------------------------- */

static olo_status copy_node(tree *t, yaml_mark_t mark, const olo_yaml_node *from, int depth,
                            olo_yaml_node **node)
{
    char text[96];
    if (++t->alias_nodes > OLO_YAML_MAX_ALIAS_NODES) {
        (void)snprintf(text, sizeof text, "aliases stand for more than %d values",
                       OLO_YAML_MAX_ALIAS_NODES);
        return fail(t, mark, text);
    }
    if (from->kind != OLO_YAML_SCALAR && depth > OLO_YAML_MAX_DEPTH) {
        (void)snprintf(text, sizeof text, "nested deeper than %d levels", OLO_YAML_MAX_DEPTH);
        return fail(t, mark, text);
    }
    olo_status status = new_node(t, mark, from->kind, node);
    if (status != OLO_OK)
        return status;
    **node = *from;
    (*node)->first = (*node)->next = (*node)->parent = NULL;
    (*node)->count = 0;
    olo_yaml_node *last = NULL;
    for (const olo_yaml_node *child = from->first; child; child = child->next) {
        olo_yaml_node *copy = NULL;
        status = copy_node(t, mark, child, depth + 1, &copy);
        if (status != OLO_OK)
            return status;
        append(*node, last, copy);
        last = copy;
    }
    return OLO_OK;
}

static olo_status read_alias(tree *t, const yaml_event_t *event, int depth, olo_yaml_node **node)
{
    const char *name = (const char *)event->data.alias.anchor;
    const anchor *a = t->anchors;
    while (a && strcmp(a->name, name) != 0)
        a = a->previous;
    if (!a) {
        char text[160], shown[OLO_YAML_EXCERPT_SIZE];
        (void)snprintf(text, sizeof text, "alias '*%s' stands for nothing that came before",
                       olo_yaml_excerpt(name, shown));
        return fail(t, event->start_mark, text);
    }
    const olo_status status = copy_node(t, event->start_mark, a->node, depth, node);
    if (status == OLO_OK)
        (*node)->key = NULL;
    return status;
}

/* Documents ----------------------------------------------------------------------------------- */

static olo_status read_node(tree *t, const yaml_event_t *event, int depth, olo_yaml_node **node)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return read_scalar(t, event, node);
    case YAML_SEQUENCE_START_EVENT:
        return read_collection(t, event, OLO_YAML_LIST, depth, node);
    case YAML_MAPPING_START_EVENT:
        return read_collection(t, event, OLO_YAML_MAP, depth, node);
    case YAML_ALIAS_EVENT:
        return read_alias(t, event, depth, node);
    default:
        return fail(t, event->start_mark, "expected a value");
    }
}

/* Reads all events: the start of the stream, one document, the end of the stream. */
static olo_status read_stream(tree *t, const olo_yaml_node **root)
{
    olo_yaml_node *node = NULL;
    for (;;) {
        yaml_event_t event;
        olo_status status = next_event(t, &event);
        if (status != OLO_OK)
            return status;
        const yaml_event_type_t type = event.type;
        if (type == YAML_DOCUMENT_START_EVENT && node)
            status = fail(t, event.start_mark, "a second document: a file has one model");
        else if (type == YAML_STREAM_END_EVENT && !node)
            status = fail(t, event.start_mark, "the file is empty");
        else if (type != YAML_STREAM_START_EVENT && type != YAML_DOCUMENT_START_EVENT &&
                 type != YAML_DOCUMENT_END_EVENT && type != YAML_STREAM_END_EVENT)
            status = read_node(t, &event, 1, &node);
        yaml_event_delete(&event);
        if (status != OLO_OK || type == YAML_STREAM_END_EVENT) {
            *root = node;
            return status;
        }
    }
}

static olo_status check_bytes(tree *t, const char *text, size_t size)
{
    if (size > OLO_YAML_MAX_SIZE) {
        return olo_fail(t->error, OLO_BAD_INPUT, "%s: larger than %d MiB", t->label,
                        OLO_YAML_MAX_SIZE / (1024 * 1024));
    }
    const char *zero = size > 0 ? memchr(text, '\0', size) : NULL;
    if (!zero)
        return OLO_OK;
    return fail(t, mark_of(t, (size_t)(zero - text)), "not a text file: it has a zero byte");
}

olo_status olo_yaml_parse(const char *text, size_t size, const char *label, olo_pool *pool,
                          const olo_yaml_node **root, olo_error *error)
{
    // without the byte order mark that some editors write
    const size_t mark = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    text += mark;
    size -= mark;
    tree t = {.text = text, .size = size, .label = label, .pool = pool, .error = error};
    *root = NULL;
    olo_status status = check_bytes(&t, text, size);
    if (status != OLO_OK)
        return status;
    if (!yaml_parser_initialize(&t.parser))
        return out_of_memory(&t);
    yaml_parser_set_encoding(&t.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&t.parser, (const unsigned char *)text, size);
    status = read_stream(&t, root);
    yaml_parser_delete(&t.parser);
    return status;
}
