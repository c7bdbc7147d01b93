/* Additional mass on a body, a point mass or a node of a beam: it contributes to the mass matrix
 * and to the weight, and adds no unknown. */
#include <stddef.h>

#include "elements/build.h"
#include "elements/drawing.h"
#include "elements/point_noun.h"

olo_mass olo_mass_default(void)
{
    return (olo_mass){.initialised = OLO_INITIALISED_MASS, .name = NULL};
}

static void defaults(void *element)
{
    *(olo_mass *)element = olo_mass_default();
}

static olo_status build(olo_builder *builder, const void *element)
{
    const olo_mass *mass = element;
    const olo_system *s = olo_build_system(builder);
    olo_position x;
    int node;
    olo_status status = olo_build_resolve_point(builder, "on", &mass->on, &x, &node);
    if (status != OLO_OK)
        return status;
    if (node < 0)
        return olo_builder_fail(builder, "on", "mass on the ground has no effect");
    bool inertia = false;
    for (int i = 0; i < 9; i++)
        inertia = inertia || mass->inertia[i] != 0;
    if (!(mass->mass > 0))
        return olo_builder_fail(builder, "mass", "must be positive, got %g", mass->mass);
    if (!s->nodes[node].type->spatial) {
        if (inertia)
            return olo_builder_fail(builder, "inertia", "'%s' is %s and does not rotate%s",
                                    s->nodes[node].name, olo_point_noun(s, node),
                                    olo_point_advice(s, node));
        for (int k = 0; status == OLO_OK && k < x.count; k++)
            for (int l = k; status == OLO_OK && l < x.count; l++)
                status = olo_build_mass(builder, x.slot[k], x.slot[l], mass->mass);
    } else {
        olo_moments moments = {0};
        double center[3] = {0, 0, 0};
        for (int k = 0; k < x.count; k++)
            if (s->coordinates[x.slot[k]].slot > 0)
                center[s->coordinates[x.slot[k]].slot - 1] = x.weight[k];
        status = olo_build_mass_moments(builder, mass->mass, center, mass->inertia, &moments);
        if (status == OLO_OK)
            status = olo_build_check_moments(builder, "inertia", &moments);
        if (status == OLO_OK)
            status = olo_build_moments(builder, s->nodes[node].q, &moments);
    }
    if (status == OLO_OK)
        status = olo_draw_mass(builder, mass->name, node, &x);
    return status == OLO_OK ? olo_build_gravity(builder, mass->name, mass->mass, &x) : status;
}

static const olo_field fields[] = {
    {.key = "name",
     .kind = OLO_FIELD_NAME,
     .offset = offsetof(olo_mass, name),
     .help = "name of the mass"},
    {.key = "on",
     .kind = OLO_FIELD_POINT_ON_BODY,
     .offset = offsetof(olo_mass, on),
     .required = true,
     .help = "its centre, on a body, a point or a node of a beam"},
    {.key = "mass",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_mass, mass),
     .required = true,
     .help = "mass, positive"},
    {.key = "inertia",
     .kind = OLO_FIELD_INERTIA,
     .offset = offsetof(olo_mass, inertia),
     .help = "about its centre, along the axes of the frame it is on; default none"},
};

const olo_element_type olo_element_mass = {.initialised = OLO_INITIALISED_MASS,
                                           .section = "masses",
                                           .noun = "mass",
                                           .size = sizeof(olo_mass),
                                           .fields = fields,
                                           .field_count = (int)(sizeof fields / sizeof *fields),
                                           .defaults = defaults,
                                           .build = build};
