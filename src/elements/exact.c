/* The exact motion of points and directors, for studies of convergence. */
#include <stddef.h>

#include "elements/build.h"

olo_exact olo_exact_default(void)
{
    return (olo_exact){.initialised = OLO_INITIALISED_EXACT, .name = NULL};
}

static void defaults(void *element)
{
    *(olo_exact *)element = olo_exact_default();
}

static void evaluate(const void *curve, double t, int order, double *derivatives)
{
    olo_curve_derivatives(curve, t, order, derivatives);
}

/* Adds a vector with its three expressions, if they are given. */
static olo_status build_vector(olo_builder *builder, const char *key, const char *const *texts,
                               const olo_position *position)
{
    olo_exact_vector vector = {.position = *position, .derivatives = evaluate};
    olo_status status = OLO_OK;
    if (!texts[0])
        return OLO_OK;
    for (int i = 0; i < 3 && status == OLO_OK; i++) {
        olo_curve *curve;
        status = olo_build_curve(builder, key, "t", texts[i], &curve);
        if (status == OLO_OK)
            status = olo_build_own(builder, curve, olo_curve_free);
        vector.curve[i] = curve;
    }
    return status == OLO_OK ? olo_build_exact(builder, &vector) : status;
}

static olo_status build(olo_builder *builder, const void *element)
{
    const olo_exact *exact = element;
    const olo_system *system = olo_build_system(builder);
    olo_position x;
    int node;
    olo_status status = olo_build_resolve_point(builder, "on", &exact->on, &x, &node);
    if (status == OLO_OK && !exact->position[0] && !exact->d1[0] && !exact->d2[0] && !exact->d3[0])
        return olo_builder_fail(builder, NULL, "gives neither a position nor a director");
    if (status == OLO_OK && node < 0)
        return olo_builder_fail(builder, "on", "the ground does not move");
    if (status == OLO_OK)
        status = build_vector(builder, "position", exact->position, &x);
    const char *const keys[3] = {"d1", "d2", "d3"};
    const char *const *const directors[3] = {exact->d1, exact->d2, exact->d3};
    for (int i = 0; i < 3 && status == OLO_OK; i++) {
        if (directors[i][0] && !system->nodes[node].type->spatial)
            return olo_builder_fail(builder, keys[i], "'%s' is a point and has no directors",
                                    system->nodes[node].name);
        olo_position director = olo_position_slot(system->nodes[node].q + 3 * (i + 1));
        status = build_vector(builder, keys[i], directors[i], &director);
    }
    return status;
}

static const olo_field fields[] = {
    {.key = "name",
     .kind = OLO_FIELD_NAME,
     .offset = offsetof(olo_exact, name),
     .help = "name of the exact motion"},
    {.key = "on",
     .kind = OLO_FIELD_POINT_ON_BODY,
     .offset = offsetof(olo_exact, on),
     .required = true,
     .help = "the point whose motion is given"},
    {.key = "position",
     .kind = OLO_FIELD_MOTION,
     .offset = offsetof(olo_exact, position),
     .help = "its position over time"},
    {.key = "d1",
     .kind = OLO_FIELD_MOTION,
     .offset = offsetof(olo_exact, d1),
     .help = "the first director of the body over time"},
    {.key = "d2",
     .kind = OLO_FIELD_MOTION,
     .offset = offsetof(olo_exact, d2),
     .help = "the second director of the body over time"},
    {.key = "d3",
     .kind = OLO_FIELD_MOTION,
     .offset = offsetof(olo_exact, d3),
     .help = "the third director of the body over time"},
};

const olo_element_type olo_element_exact = {.initialised = OLO_INITIALISED_EXACT,
                                            .section = "exact",
                                            .noun = "exact",
                                            .size = sizeof(olo_exact),
                                            .fields = fields,
                                            .field_count = (int)(sizeof fields / sizeof *fields),
                                            .defaults = defaults,
                                            .build = build};
