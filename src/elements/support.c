/* Supports on the ground (thesis 4.3.5): point, center, slide, plane, hinge, fixed. A support is a
 * lower pair (pair.c) whose parent is the ground. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "elements/initial_velocities.h"
#include "elements/joint_pair.h"
#include "elements/point_noun.h"
#include "linalg/vec3.h"

olo_support olo_support_default(void)
{
    return (olo_support){.initialised = OLO_INITIALISED_SUPPORT,
                         .type = "point",
                         .at = {OLO_UNSET, OLO_UNSET, OLO_UNSET}};
}

static void defaults(void *element)
{
    *(olo_support *)element = olo_support_default();
}

/* The lower pair with the ground of each type. */
static const struct {
    const char *type, *pair;
} pairs[] = {{"point", "spherical"},      {"center", "spherical"}, {"slide", "point-on-line"},
             {"plane", "point-on-plane"}, {"hinge", "revolute"},   {"fixed", "rigid"}};

/* Finds the supported point in the frame of the body. */
static olo_status find_point(olo_builder *builder, const olo_support *support, int *node,
                             double at[3])
{
    olo_position position;
    olo_status status = olo_build_resolve_point(builder, "on", &support->on, &position, node);
    if (status != OLO_OK)
        return status;
    const olo_system *s = olo_build_system(builder);
    if (*node < 0)
        return olo_builder_fail(builder, "on",
                                "the ground cannot be supported: name a body or a point mass");
    const olo_node *n = &s->nodes[*node];
    if (n->base >= 0)
        return olo_builder_fail(builder, "on",
                                "'%s' has relative coordinates and cannot be supported", n->name);
    vec3_set(0, 0, 0, at);
    if (n->type->spatial)
        for (int k = 0; k < position.count; k++) {
            int slot = s->coordinates[position.slot[k]].slot;
            if (slot > 0)
                at[slot - 1] = position.weight[k];
        }
    if (strcmp(support->type, "center") == 0)
        vec3_copy(n->center, at);
    return OLO_OK;
}

/* Reads `at`: NaN if it is not given; missing components of a given vector are zero. */
static void read_where(const olo_support *support, double where[3])
{
    bool given = !isnan(support->at[0]) || !isnan(support->at[1]) || !isnan(support->at[2]);
    for (int i = 0; i < 3; i++)
        where[i] = given && isnan(support->at[i]) ? 0.0 : support->at[i];
}

/* The initial vector from the origin of a node to the supported point. */
static void find_arm(const olo_system *s, const olo_node *n, const double at[3], double arm[3])
{
    vec3_set(0, 0, 0, arm);
    if (n->type->spatial)
        olo_body_vector(at, s->q0 + n->q, arm);
}

/* Moves a body without a given position to its support, in a planar model within its plane. After
 * that its position is given. */
static void move_to_support(olo_system *s, int node, const double at[3], double where[3])
{
    olo_node *n = &s->nodes[node];
    double *q = s->q0 + n->q, arm[3], move[3];
    find_arm(s, n, at, arm);
    bool given = !isnan(where[0]);
    for (int i = 0; i < 3; i++) {
        if (!given)
            where[i] = q[i] + arm[i];
        move[i] = where[i] - arm[i] - q[i];
    }
    if (s->planar)
        vec3_add(-vec3_dot(move, s->plane), s->plane, move);
    if (given && n->type->spatial && !n->placed)
        vec3_add(1.0, move, q);
    n->placed = true;
}

/* Sets the initial velocity of the supported point to zero; a support with free rotations does not
 * determine the angular velocity. */
static olo_status set_initial_velocity(olo_builder *builder, const olo_pair_kind *kind,
                                       const olo_pair_setup *setup)
{
    olo_relative_velocity x = {.velocity = {.base = -1, .body = setup->child},
                               .rotation = olo_determination_of(kind->rotations, 3, false),
                               .translation = kind->translations ? OLO_DETERMINED_PARTLY
                                                                 : OLO_DETERMINED_FULLY};
    vec3_copy(setup->child_point, x.velocity.point);
    bool frame = olo_build_system(builder)->nodes[setup->child].type->spatial;
    return frame ? olo_build_relative_velocity(builder, &x) : OLO_OK;
}

/* In a planar model nothing moves along the normal: `at` must have the height of the supported
 * point. */
static olo_status check_height(olo_builder *builder, const olo_support *support, int node,
                               const double at[3], const double where[3])
{
    const double typed =
        1e-6; /* relative error of coordinates in a tilted plane, written by users */
    const olo_system *s = olo_build_system(builder);
    const olo_node *n = &s->nodes[node];
    const double *q = s->q0 + n->q;
    double arm[3], point[3], off[3], at_height[3];
    if (!s->planar)
        return OLO_OK;
    find_arm(s, n, at, arm);
    for (int i = 0; i < 3; i++)
        point[i] = q[i] + arm[i];
    vec3_subtract(where, point, off);
    const double height = vec3_dot(off, s->plane);
    const double size = vec3_norm(where) + vec3_norm(q) + vec3_norm(arm);
    if (fabs(height) <= typed * size)
        return OLO_OK;
    vec3_copy(where, at_height);
    vec3_add(-height, s->plane, at_height);
    return olo_builder_fail(builder, "at",
                            "support '%s' cannot be reached: it is %.3g outside of the plane in "
                            "which its point on '%s' moves; in this plane it is [%.6g, %.6g, "
                            "%.6g]; without `at` it is the initial position of the point",
                            support->name, fabs(height), n->name, at_height[0], at_height[1],
                            at_height[2]);
}

static olo_status build(olo_builder *builder, const void *element)
{
    const olo_support *support = element;
    const olo_pair_kind *kind = NULL;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (strcmp(pairs[i].type, support->type) == 0)
            kind = olo_pair_find(pairs[i].pair);
    if (!kind)
        return olo_builder_fail(builder, "type", "'%s' is not a support", support->type);
    olo_pair_setup setup = {.name = support->name,
                            .noun = "support",
                            .type = support->type,
                            .parent = -1,
                            .translations = kind->translations,
                            .rotations = kind->rotations};
    olo_status status = find_point(builder, support, &setup.child, setup.child_point);
    if (status != OLO_OK)
        return status;
    olo_system *s = olo_build_system(builder);
    if (kind->rotations == 1 && !s->nodes[setup.child].type->spatial)
        return olo_builder_fail(builder, "type", "%s cannot have a hinge%s",
                                olo_point_noun(s, setup.child), olo_point_advice(s, setup.child));
    status = olo_pair_axes(builder, kind, support->axis, &setup);
    if (status != OLO_OK)
        return status;
    read_where(support, setup.parent_point);
    move_to_support(s, setup.child, setup.child_point, setup.parent_point);
    status = check_height(builder, support, setup.child, setup.child_point, setup.parent_point);
    if (status == OLO_OK)
        status = set_initial_velocity(builder, kind, &setup);
    return status == OLO_OK ? olo_build_pair(builder, &setup) : status;
}

static const char *const synonyms[] = {"ball",  "point",    "spherical", "point", "pin",
                                       "hinge", "revolute", "hinge",     "weld",  "fixed",
                                       "rigid", "fixed",    NULL};
static const char *const types[] = {"point", "center", "slide", "plane", "hinge", "fixed", NULL};

static const olo_field fields[] = {
    {.key = "name",
     .kind = OLO_FIELD_NAME,
     .offset = offsetof(olo_support, name),
     .help = "name of the support"},
    {.key = "on",
     .kind = OLO_FIELD_POINT_ON_BODY,
     .offset = offsetof(olo_support, on),
     .required = true,
     .help = "the supported point on a body, or a point mass"},
    {.key = "type",
     .kind = OLO_FIELD_CHOICE,
     .offset = offsetof(olo_support, type),
     .choices = types,
     .synonyms = synonyms,
     .help = "point (default), center, slide, plane, hinge or fixed"},
    {.key = "axis",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_support, axis),
     .help = "direction of a slide, normal of a plane, axis of a hinge"},
    {.key = "at",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_support, at),
     .help = "position in space; default the initial position of the point"},
};

const olo_element_type olo_element_support = {.initialised = OLO_INITIALISED_SUPPORT,
                                              .section = "supports",
                                              .noun = "support",
                                              .size = sizeof(olo_support),
                                              .fields = fields,
                                              .field_count = (int)(sizeof fields / sizeof *fields),
                                              .defaults = defaults,
                                              .build = build};
