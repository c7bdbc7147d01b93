/* The registry of node types. */
#include "system/node.h"

#include <string.h>

static const olo_node_type *const types[] = {&olo_node_point, &olo_node_frame, &olo_node_triad,
                                             &olo_node_scalar};

const olo_node_type *olo_node_type_find(const char *name)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i]->name, name) == 0)
            return types[i];
    return NULL;
}

olo_coordinate olo_node_coordinate(const olo_node_type *type, int node, int i)
{
    const bool director = type->directors >= 0 && i >= type->directors;
    if (type->width == 1)
        return (olo_coordinate){.node = node, .slot = OLO_SLOT_SCALAR, .twist = i, .width = 1};
    return (olo_coordinate){.node = node,
                            .slot = director ? 1 + (i - type->directors) / 3 : 0,
                            .axis = i % 3,
                            .width = 3,
                            .twist = director ? type->rotation : type->translation};
}
