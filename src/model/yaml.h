/* YAML (and JSON) text as a tree of nodes with locations. Only yaml.c uses libyaml.
 *
 * Model files may come from unknown sources, so that the size of the tree is limited. A file has
 * one document; keys are texts, unique in their map; there are no tags. Aliases are expanded to
 * copies with the locations of the original. Scalars are texts without control characters other
 * than line breaks and tabs. */
#ifndef OLO_MODEL_YAML_H
#define OLO_MODEL_YAML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/expression.h"
#include "base/pool.h"
#include "oloid/status.h"

enum {
    OLO_YAML_MAX_SIZE = 16 * 1024 * 1024, /* bytes: more than any model a person writes */
    OLO_YAML_MAX_NODES = 200000,          /* limits the tree of a malicious file to 50 MB */
    OLO_YAML_MAX_DEPTH = 32,              /* a model file needs about 8 */
    OLO_YAML_MAX_ALIAS_NODES = 1000       /* total number of nodes from aliases */
};

typedef enum olo_yaml_kind { OLO_YAML_SCALAR, OLO_YAML_LIST, OLO_YAML_MAP } olo_yaml_kind;

typedef struct olo_yaml_node olo_yaml_node;
struct olo_yaml_node {
    olo_yaml_kind kind;
    const char *text; /* scalar; "" otherwise */
    bool quoted;      /* scalar: written with quotes or as a block */
    int line, column; /* where it starts, from 1; columns count characters */
    const char *key;  /* in a map: its key, with location; otherwise NULL */
    int key_line, key_column;
    int index; /* among its siblings, from 0 */
    int count; /* list, map: children */
    const olo_yaml_node *parent, *first, *next;
    /* Of a scalar that was read as a number: its value if it is constant, else its expression */
    bool constant;
    double value;
    const olo_expression *expression;
    const struct olo_field *field; /* of the value of a key that was read as a field */
};

/* Parses a text of `size` bytes (a zero byte in it is an error). The tree belongs to the pool.
 * On failure the text starts with `label:line:column:`; the status is OLO_BAD_INPUT or
 * OLO_NO_MEMORY. */
olo_status olo_yaml_parse(const char *text, size_t size, const char *label, olo_pool *pool,
                          const olo_yaml_node **root, olo_error *error);

/* The child of a map with this key, or NULL. `map` may be NULL. */
const olo_yaml_node *olo_yaml_find(const olo_yaml_node *map, const char *key);

/* A text for a message: its first 64 bytes at most, with dots if it is cut, and spaces instead of
 * line breaks. */
enum { OLO_YAML_EXCERPT_SIZE = 72 };
const char *olo_yaml_excerpt(const char *text, char excerpt[OLO_YAML_EXCERPT_SIZE]);

/* The path from the root: "bodies[0].inertia"; "" for the root. */
void olo_yaml_path(const olo_yaml_node *node, char *text, size_t size);

#endif
