/* Supports on the ground (thesis 4.3.5): point, centre, slide, plane, hinge, fixed. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "elements/build.h"
#include "linalg/vec3.h"

olo_support olo_support_default(void)
{
    return (olo_support){.type = "point", .at = {OLO_UNSET, OLO_UNSET, OLO_UNSET}};
}

static void defaults(void *element)
{
    *(olo_support *)element = olo_support_default();
}

/* What a type lets free: the place along `axis` (line) or across it (plane); rotation about all axes, the
 * axis, or none. */
typedef struct freedom {
    const char *type;
    int translations; /* 0, 1: along the axis, 2: across it */
    int rotations;    /* 0, 1: about the axis, 3 */
} freedom;

static const freedom freedoms[] = {{"point", 0, 3}, {"center", 0, 3}, {"slide", 1, 3},
                                   {"plane", 2, 3}, {"hinge", 0, 1},  {"fixed", 0, 0}};

/* The supported place in the body's frame. */
static olo_status find_place(olo_builder *builder, const olo_support *support, int *node,
                             double at[3])
{
    olo_position position;
    olo_status status = olo_build_place(builder, "on", &support->on, &position, node);
    if (status != OLO_OK)
        return status;
    const olo_system *s = olo_build_system(builder);
    if (*node < 0)
        return olo_builder_fail(builder, "on",
                                "the ground needs no support: name a body or a point");
    const olo_node *n = &s->nodes[*node];
    if (n->base >= 0)
        return olo_builder_fail(builder, "on",
                                "'%s' has relative coordinates and cannot be supported", n->name);
    vec3_set(0, 0, 0, at);
    if (n->kind == OLO_NODE_FRAME)
        for (int k = 0; k < position.count; k++) {
            int slot = s->coordinates[position.slot[k]].slot;
            if (slot > 0)
                at[slot - 1] = position.weight[k];
        }
    if (strcmp(support->type, "center") == 0)
        vec3_copy(n->center, at);
    return OLO_OK;
}

/* `at`: not given at all, or with zeros for the components that were left out. */
static void read_where(const olo_support *support, double where[3])
{
    bool given = !isnan(support->at[0]) || !isnan(support->at[1]) || !isnan(support->at[2]);
    for (int i = 0; i < 3; i++)
        where[i] = given && isnan(support->at[i]) ? 0.0 : support->at[i];
}

/* Moves a body that was not placed to its support and gives it the velocity that the support implies. */
static void settle(olo_system *s, int node, const double at[3], double where[3])
{
    const olo_node *n = &s->nodes[node];
    bool frame = n->kind == OLO_NODE_FRAME;
    double *q = s->q0 + n->q, *v = s->v0 + n->q, arm[3] = {0, 0, 0}, arm_rate[3] = {0, 0, 0};
    for (int I = 0; frame && I < 3; I++) {
        vec3_add(at[I], q + 3 * (I + 1), arm);
        vec3_add(at[I], v + 3 * (I + 1), arm_rate);
    }
    bool given = !isnan(where[0]);
    for (int i = 0; i < 3; i++) {
        if (!given)
            where[i] = q[i] + arm[i];
        if (given && frame && !n->placed)
            q[i] = where[i] - arm[i];
        if (!s->v0_given[n->q + i])
            v[i] = -arm_rate[i];
    }
}

static olo_status build(olo_builder *builder, const void *element)
{
    const olo_support *support = element;
    const freedom *free = NULL;
    for (size_t i = 0; i < sizeof freedoms / sizeof *freedoms; i++)
        if (strcmp(freedoms[i].type, support->type) == 0)
            free = &freedoms[i];
    if (!free)
        return olo_builder_fail(builder, "type", "'%s' is not a support", support->type);
    int node = -1;
    double at[3], where[3], axis[3], directions[9] = {0}, axes[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    olo_status status = find_place(builder, support, &node, at);
    if (status != OLO_OK)
        return status;
    bool needs_axis = free->translations > 0 || free->rotations == 1;
    vec3_copy(support->axis, axis);
    if (needs_axis && !(vec3_normalise(axis) > 0))
        return olo_builder_fail(builder, "axis",
                                "support '%s' of type %s needs an axis of non-zero length",
                                support->name, support->type);
    const olo_system *s = olo_build_system(builder);
    if (s->planar && needs_axis) {
        double across = fabs(vec3_dot(axis, s->plane)),
               tilt = free->rotations == 1 ? 1 - across : across;
        if (tilt > 1e-9)
            return olo_builder_fail(
                builder, "axis",
                free->rotations == 1
                    ? "in a planar model a hinge turns about the normal of the plane"
                    : "does not lie in the plane of the model");
    }
    if (free->rotations == 1 && s->nodes[node].kind == OLO_NODE_POINT)
        return olo_builder_fail(builder, "type", "a point mass has no hinge");
    if (free->translations == 1)
        vec3_copy(axis, directions);
    if (free->translations == 2)
        vec3_transversals(axis, directions, directions + 3);
    if (free->rotations == 1)
        vec3_copy(axis, axes);
    read_where(support, where);
    settle(olo_build_system(builder), node, at, where);
    return olo_build_grounded(builder, support->name, node, at, where, free->translations,
                              directions, free->rotations, axes);
}

static const char *const types[] = {"point", "center", "slide", "plane", "hinge", "fixed", NULL};

static const olo_field fields[] = {
    {.key = "name",
     .kind = OLO_FIELD_NAME,
     .offset = offsetof(olo_support, name),
     .help = "name of the support"},
    {.key = "on",
     .kind = OLO_FIELD_PLACE,
     .offset = offsetof(olo_support, on),
     .required = true,
     .help = "the supported place of a body, or a point mass"},
    {.key = "type",
     .kind = OLO_FIELD_CHOICE,
     .offset = offsetof(olo_support, type),
     .choices = types,
     .help = "point (default), center, slide, plane, hinge or fixed"},
    {.key = "axis",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_support, axis),
     .help = "direction of a slide, normal of a plane, axis of a hinge"},
    {.key = "at",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_support, at),
     .help = "where in space; default where the place is at the start"},
};

const olo_element_type olo_element_support = {.section = "supports",
                                              .noun = "support",
                                              .size = sizeof(olo_support),
                                              .fields = fields,
                                              .field_count = (int)(sizeof fields / sizeof *fields),
                                              .defaults = defaults,
                                              .build = build};
