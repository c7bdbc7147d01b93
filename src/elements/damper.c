/* Dampers between two points.
 *
 *     distance   force c dl/dt along the line: law distance_viscous of e = 1/2 |x2 - x1|^2
 *     linear     force c (v2 - v1): law viscous of the three components of x2 - x1
 *     force      F(l, v, t), any expression (force_law.h)
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "elements/force_law.h"
#include "elements/relation_row.h"
#include "elements/span.h"
#include "linalg/vec3.h"

olo_damper olo_damper_default(void)
{
    return (olo_damper){
        .initialised = OLO_INITIALISED_DAMPER, .type = "distance", .damping = OLO_UNSET};
}

static void defaults(void *element)
{
    *(olo_damper *)element = olo_damper_default();
}

olo_status olo_build_span(olo_builder *builder, const olo_drawable *style,
                          const olo_point_on_body between[2], olo_position *span, double *length)
{
    olo_position ends[2];
    int node[2];
    double x[3];
    for (int i = 0; i < 2; i++) {
        olo_status status =
            olo_build_resolve_point(builder, "between", &between[i], &ends[i], &node[i]);
        if (status != OLO_OK)
            return status;
    }
    *span = ends[1];
    if (!olo_position_add(span, -1.0, &ends[0]))
        return olo_builder_fail(builder, "between", "the chain of relative_to is too long");
    if (!between[0].on && !between[1].on && !between[0].given && !between[1].given)
        return olo_builder_fail(builder, NULL, "needs `between`, two points, or `along`");
    if (span->count == 0)
        return olo_builder_fail(builder, "between",
                                "both ends are the same point or fixed in space");
    olo_position_value(span, olo_build_system(builder)->q0, x);
    *length = vec3_norm(x);
    return olo_draw_link(builder, style, node, ends);
}

olo_status olo_build_damper(olo_builder *builder, const char *name, const char *type,
                            const olo_position *span, double damping)
{
    if (damping < 0)
        return olo_builder_fail(builder, "damping", "must not be negative, got %g", damping);
    if (damping == 0)
        return OLO_OK;
    olo_status status = OLO_OK;
    if (strcmp(type, "distance") == 0) {
        olo_form_builder form;
        olo_form_begin(&form);
        olo_form_add_dot(&form, 0.5, span, span);
        return olo_build_term(builder, name, OLO_ROLE_DISSIPATION, &olo_law_distance_viscous, NULL,
                              &damping, 1, &form);
    }
    for (int i = 0; status == OLO_OK && i < 3; i++) {
        double axis[3] = {i == 0, i == 1, i == 2};
        olo_form_builder form;
        olo_form_begin(&form);
        olo_form_add_component(&form, axis, span);
        status = olo_build_term(builder, name, OLO_ROLE_DISSIPATION, &olo_law_viscous, NULL,
                                &damping, 1, &form);
    }
    return status;
}

static olo_status build_along(olo_builder *builder, const olo_damper *damper, double damping)
{
    int coordinate;
    olo_status status = olo_find_joint_coordinate(builder, "along", damper->along, &coordinate);
    if (status == OLO_OK)
        status = olo_build_damper_along(builder, damper->name, coordinate, damping);
    if (status != OLO_OK || !damper->force)
        return status;
    return olo_build_force_along(builder, damper->name, damper->force,
                                 olo_build_system(builder)->joint_coordinates[coordinate].term);
}

static olo_status build(olo_builder *builder, const void *element)
{
    const olo_damper *damper = element;
    if (isnan(damper->damping) && !damper->force)
        return olo_builder_fail(builder, NULL, "damper '%s' needs the key 'damping' or 'force'",
                                damper->name);
    const double damping = isnan(damper->damping) ? 0 : damper->damping;
    if (damper->along)
        return build_along(builder, damper, damping);
    olo_position span;
    double length;
    const olo_drawable style = {.name = damper->name, .role = "damper", .primitive = "dashpot"};
    olo_status status = olo_build_span(builder, &style, damper->between, &span, &length);
    if (status == OLO_OK && strcmp(damper->type, "distance") == 0 && length == 0)
        status = olo_builder_fail(builder, "between",
                                  "a distance damper needs two different points; use type linear");
    if (status == OLO_OK && strcmp(damper->type, "distance") != 0 && damper->force)
        status = olo_builder_fail(builder, "force", "is for dampers of type distance");
    if (status == OLO_OK)
        status = olo_build_damper(builder, damper->name, damper->type, &span, damping);
    if (status == OLO_OK && damper->force)
        status = olo_build_force_between(builder, damper->name, damper->force, &span);
    return status;
}

static const char *const types[] = {"distance", "linear", NULL};

static const olo_field fields[] = {
    {.key = "name",
     .kind = OLO_FIELD_NAME,
     .offset = offsetof(olo_damper, name),
     .help = "name of the damper"},
    {.key = "between",
     .kind = OLO_FIELD_POINTS_ON_BODIES,
     .offset = offsetof(olo_damper, between),
     .help = "its two ends; this or `along` is required"},
    {.key = "along",
     .kind = OLO_FIELD_REFERENCE,
     .offset = offsetof(olo_damper, along),
     .help = "instead of `between`: a joint coordinate, hinge.angle"},
    {.key = "type",
     .kind = OLO_FIELD_CHOICE,
     .offset = offsetof(olo_damper, type),
     .choices = types,
     .help = "distance (along the line, default) or linear (isotropic)"},
    {.key = "damping",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_damper, damping),
     .help = "force per velocity; this or `force` is required"},
    {.key = "force",
     .kind = OLO_FIELD_LAW,
     .offset = offsetof(olo_damper, force),
     .help =
         "force that pulls the ends together, an expression of length l, rate v, time t, outputs "
         "and joint coordinates"},
};

const olo_element_type olo_element_damper = {.initialised = OLO_INITIALISED_DAMPER,
                                             .section = "dampers",
                                             .noun = "damper",
                                             .size = sizeof(olo_damper),
                                             .fields = fields,
                                             .field_count = (int)(sizeof fields / sizeof *fields),
                                             .defaults = defaults,
                                             .build = build};
