/* Point masses. In relative coordinates the position is x = x_base + q, so that a mass m couples
 * all 3-vectors of the chain: T = 1/2 m |sum of their rates|^2. */
#include <math.h>
#include <stddef.h>

#include "elements/drawing.h"
#include "elements/momentum.h"
#include "linalg/vec3.h"

olo_point olo_point_default(void)
{
    return (olo_point){.initialised = OLO_INITIALISED_POINT,
                       .momentum = {OLO_UNSET, OLO_UNSET, OLO_UNSET}};
}

static void defaults(void *element)
{
    *(olo_point *)element = olo_point_default();
}

static olo_status find_base(olo_builder *builder, const olo_point *point, int *base)
{
    *base = -1;
    if (!point->relative_to)
        return OLO_OK;
    olo_point_on_body base_point = {.on = point->relative_to};
    olo_position position;
    const olo_system *s = olo_build_system(builder);
    olo_status status = olo_system_resolve(s, &base_point, &position, base, NULL);
    if (status == OLO_NO_MEMORY)
        return olo_build_out_of_memory(builder);
    if (status != OLO_OK || *base < 0 || olo_node_turns(&s->nodes[*base]))
        return olo_builder_fail(builder, "relative_to", "no earlier point is called '%s'",
                                point->relative_to);
    return OLO_OK;
}

/* The initial velocity, which may be given as a momentum. */
static olo_status find_velocity(olo_builder *builder, const olo_point *point, double v[3])
{
    vec3_copy(point->velocity, v);
    if (!olo_vector_is_given(point->momentum))
        return OLO_OK;
    if (vec3_norm(point->velocity) > 0)
        return olo_builder_fail(builder, "momentum", "give either momentum or velocity");
    if (point->relative_to)
        return olo_builder_fail(builder, "momentum",
                                "is for points with absolute coordinates: give the velocity");
    for (int i = 0; i < 3; i++)
        v[i] = isnan(point->momentum[i]) ? 0.0 : point->momentum[i] / point->mass;
    return OLO_OK;
}

static olo_status build(olo_builder *builder, const void *element)
{
    const olo_point *point = element;
    double velocity[3];
    int base, node;
    if (!(point->mass > 0))
        return olo_builder_fail(builder, "mass", "must be positive, got %g", point->mass);
    olo_status status = find_base(builder, point, &base);
    if (status == OLO_OK)
        status = find_velocity(builder, point, velocity);
    if (status == OLO_OK)
        status = olo_build_node(builder, point->name, &olo_node_point, base, point->position,
                                velocity, true, &node);
    if (status != OLO_OK)
        return status;
    olo_point_on_body self = {.on = point->name};
    olo_position x;
    status = olo_build_resolve_point(builder, "relative_to", &self, &x, NULL);
    for (int k = 0; status == OLO_OK && k < x.count; k++)
        for (int l = k; status == OLO_OK && l < x.count; l++)
            status = olo_build_mass(builder, x.slot[k], x.slot[l], point->mass);
    if (status == OLO_OK)
        status = olo_build_gravity(builder, point->name, point->mass, &x);
    if (status == OLO_OK)
        status = olo_build_plane(builder, point->name, node);
    return status == OLO_OK ? olo_draw_point(builder, point->name, node) : status;
}

static const olo_field fields[] = {
    {.key = "name",
     .kind = OLO_FIELD_NAME,
     .offset = offsetof(olo_point, name),
     .required = true,
     .help = "name of the point"},
    {.key = "mass",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_point, mass),
     .required = true,
     .help = "mass, positive"},
    {.key = "position",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_point, position),
     .required = true,
     .help = "initial position, from the origin or from `relative_to`"},
    {.key = "velocity",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_point, velocity),
     .help = "initial velocity, absolute or relative to that of `relative_to`; default 0"},
    {.key = "momentum",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_point, momentum),
     .help = "instead of velocity: mass times velocity"},
    {.key = "relative_to",
     .kind = OLO_FIELD_REFERENCE,
     .offset = offsetof(olo_point, relative_to),
     .help = "an earlier point to which position and velocity are relative (relative coordinates)"},
};

const olo_element_type olo_element_point = {.initialised = OLO_INITIALISED_POINT,
                                            .section = "points",
                                            .noun = "point",
                                            .size = sizeof(olo_point),
                                            .fields = fields,
                                            .field_count = (int)(sizeof fields / sizeof *fields),
                                            .defaults = defaults,
                                            .build = build};
