/* Functions on the tree of a YAML text: children by key, paths, and excerpts for messages. */
#include <stdio.h>
#include <string.h>

#include "model/yaml.h"

const olo_yaml_node *olo_yaml_find(const olo_yaml_node *map, const char *key)
{
    if (!map || map->kind != OLO_YAML_MAP)
        return NULL;
    const olo_yaml_node *child = map->first;
    while (child && strcmp(child->key, key) != 0)
        child = child->next;
    return child;
}

const char *olo_yaml_excerpt(const char *text, char excerpt[OLO_YAML_EXCERPT_SIZE])
{
    enum { LONGEST = 64 };
    size_t length = strlen(text);
    const bool cut = length > LONGEST;
    if (cut) {
        length = LONGEST;
        // bytes 10xxxxxx continue a character: step back to where the cut one began
        while (length > 0 && ((unsigned char)text[length] & 0xC0U) == 0x80U)
            length--;
    }
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i];
        excerpt[i] = c < 0x20 || c == 0x7F ? ' ' : text[i];
    }
    memcpy(excerpt + length, cut ? "..." : "", cut ? 4 : 1);
    return excerpt;
}

void olo_yaml_path(const olo_yaml_node *node, char *text, size_t size)
{
    const olo_yaml_node *way[OLO_YAML_MAX_DEPTH + 1];
    int depth = 0;
    for (; node->parent && depth <= OLO_YAML_MAX_DEPTH; node = node->parent)
        way[depth++] = node;
    text[0] = '\0';
    size_t length = 0;
    while (depth-- > 0 && length < size) {
        const olo_yaml_node *n = way[depth];
        char shown[OLO_YAML_EXCERPT_SIZE];
        int written;
        if (n->key) {
            written = snprintf(text + length, size - length, "%s%s", length > 0 ? "." : "",
                               olo_yaml_excerpt(n->key, shown));
        } else {
            written = snprintf(text + length, size - length, "[%d]", n->index);
        }
        length += written > 0 ? (size_t)written : 0;
    }
}
