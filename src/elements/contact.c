/* Contacts: the gap g >= 0 of
 *
 *     plane      g = n.(x - o) - r, a point or sphere above a plane of the ground or of a body
 *     distance   g = |x2 - x1| - length, two points or two spheres with the sum of their radii
 *     rope       g = length - |x2 - x1|
 *     function   g(q), an expression of coordinates, or of the positions of one or two points, or a
 *                C function of these
 *
 * Friction acts on planes: two directions in the plane, one in a planar model, and with a patch the
 * rotation about the normal. A sphere on a body touches at x - r n, so that it can roll. Between
 * two spheres it acts along all directions of space, or of the plane of a model. For a function the
 * model says what slides: expressions whose rates are the sliding velocities. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "contact/friction.h"
#include "elements/scalar_function.h"
#include "linalg/vec3.h"

olo_contact olo_contact_default(void)
{
    return (olo_contact){.initialised = OLO_INITIALISED_CONTACT,
                         .type = "plane",
                         .normal = {0, 0, 1},
                         .length = OLO_UNSET,
                         .law = "coulomb"};
}

static void defaults(void *element)
{
    *(olo_contact *)element = olo_contact_default();
}

static olo_status check_share(olo_builder *builder, const char *key, double value)
{
    return value >= 0 && value <= 1
               ? OLO_OK
               : olo_builder_fail(builder, key, "must be between 0 and 1, got %g", value);
}

static olo_status check(olo_builder *builder, const olo_contact *contact)
{
    olo_status status = check_share(builder, "restitution", contact->restitution);
    if (status == OLO_OK)
        status = check_share(builder, "tangential_restitution", contact->tangential_restitution);
    if (status == OLO_OK && !(contact->restitution_threshold >= 0))
        status = olo_builder_fail(builder, "restitution_threshold", "must not be negative, got %g",
                                  contact->restitution_threshold);
    if (status == OLO_OK && !(contact->friction >= 0))
        status = olo_builder_fail(builder, "friction", "must not be negative, got %g",
                                  contact->friction);
    return status;
}

/* The directions of friction in the plane; returns their number. */
static int set_directions(olo_builder *builder, const olo_friction *law, double patch,
                          olo_contact_geometry *geometry)
{
    const olo_system *s = olo_build_system(builder);
    int count = 2;
    vec3_transversals(geometry->normal, geometry->sliding[0].along, geometry->sliding[1].along);
    if (s->planar) {
        vec3_cross(s->plane, geometry->normal, geometry->sliding[0].along);
        count = 1;
    }
    if (law->spin)
        geometry->sliding[count++] = (olo_sliding){.spin = patch};
    return count;
}

/* A plane that is fixed to a body: its normal, its tangents and the vector from its origin to the
 * point depend on the directors. */
static olo_status move_plane(olo_builder *builder, const olo_contact *contact, int point_node,
                             olo_contact_geometry *geometry, olo_position tangent[2])
{
    const olo_system *s = olo_build_system(builder);
    const olo_point_on_body origin = {
        .on = contact->on, .at = {contact->origin[0], contact->origin[1], contact->origin[2]}};
    olo_position on_plane;
    int node;
    const olo_status status = olo_build_resolve_point(builder, "on", &origin, &on_plane, &node);
    if (status != OLO_OK)
        return status;
    if (node < 0 || !s->nodes[node].type->spatial)
        return olo_builder_fail(builder, "on", "a plane is fixed to the ground or to a body");
    if (node == point_node)
        return olo_builder_fail(builder, "on", "is the body of the point: the gap cannot change");
    geometry->direction = olo_position_along_frame(s->nodes[node].q, geometry->normal);
    for (int k = 0; k < 2; k++) {
        tangent[k] = olo_position_along_frame(s->nodes[node].q, geometry->sliding[k].along);
        geometry->sliding[k].tangent = k;
        memset(geometry->sliding[k].along, 0, sizeof geometry->sliding[k].along);
    }
    if (!olo_position_add(&geometry->x, -1.0, &on_plane))
        return olo_builder_fail(builder, "point", "the chain of relative_to is too long");
    geometry->offset = contact->radius;
    memset(geometry->normal, 0, sizeof geometry->normal);
    return OLO_OK;
}

static olo_status build_plane(olo_builder *builder, const olo_contact *contact,
                              olo_contact_point *point)
{
    olo_system *s = olo_build_system(builder);
    olo_contact_geometry geometry = {.sign = 1, .radius = contact->radius};
    const olo_friction *law = olo_friction_find(contact->friction > 0 ? contact->law : "none");
    olo_position tangent[2];
    int node, sliding = 0;
    if (!contact->point.on)
        return olo_builder_fail(builder, "point", "a contact with a plane needs a point");
    if (contact->between[0].on || contact->between[1].on)
        return olo_builder_fail(builder, "between",
                                "a contact with a plane has one point; take type distance or rope");
    if (!isnan(contact->length))
        return olo_builder_fail(builder, "length", "a contact with a plane has none");
    olo_status status =
        olo_build_resolve_point(builder, "point", &contact->point, &geometry.x, &node);
    if (status != OLO_OK)
        return status;
    point->touching = geometry.x;
    vec3_copy(contact->normal, geometry.normal);
    if (node < 0 || geometry.x.count == 0)
        return olo_builder_fail(builder, "point", "is fixed in space");
    if (!(vec3_normalise(geometry.normal) > 0))
        return olo_builder_fail(builder, "normal", "must not be zero");
    if (s->planar && fabs(vec3_dot(geometry.normal, s->plane)) > 1e-12)
        return olo_builder_fail(builder, "normal", "must lie in the plane of the model");
    if (!(contact->radius >= 0))
        return olo_builder_fail(builder, "radius", "must not be negative, got %g", contact->radius);
    geometry.offset = vec3_dot(geometry.normal, contact->origin) + contact->radius;
    const bool turns = s->nodes[node].type->spatial;
    if (law->set)
        sliding = set_directions(builder, law, contact->patch, &geometry);
    if (contact->on) {
        status = move_plane(builder, contact, node, &geometry, tangent);
        if (status != OLO_OK)
            return status;
    }
    if (law->spin && (!turns || s->planar))
        return olo_builder_fail(builder, "law", "%s needs a body that turns about the normal",
                                law->name);
    if (law->spin && !(contact->patch > 0))
        return olo_builder_fail(builder, "patch", "%s needs the mean radius of the patch",
                                law->name);
    const bool directors = law->set && turns && (contact->radius > 0 || law->spin);
    if (!olo_contact_find_slots(&geometry, contact->on ? tangent : NULL) ||
        (directors && !olo_contact_add_directors(&geometry, s->nodes[node].q, 1)))
        return olo_builder_fail(builder, "point", "the chain of relative_to is too long");
    point->law = law;
    point->gap.type = contact->on ? &olo_constraint_gap_moving : &olo_constraint_gap_plane;
    return olo_build_contact(builder, point, &geometry, sliding);
}

/* Two spheres: the length is the sum of their radii. */
static olo_status check_radii(olo_builder *builder, const olo_contact *contact)
{
    const double *radii = contact->radii;
    if (contact->radius_count != 2)
        return olo_builder_fail(builder, "radii", "needs the radii of both spheres, got %d numbers",
                                contact->radius_count);
    if (!(radii[0] >= 0 && radii[1] >= 0))
        return olo_builder_fail(builder, "radii", "must not be negative, got %g and %g", radii[0],
                                radii[1]);
    if (!(radii[0] + radii[1] > 0))
        return olo_builder_fail(builder, "radii", "at least one must be positive");
    if (!isnan(contact->length))
        return olo_builder_fail(builder, "length",
                                "is the sum of `radii`; give one of the two, not both");
    return OLO_OK;
}

static olo_status check_distance(olo_builder *builder, const olo_contact *contact)
{
    if (contact->point.on)
        return olo_builder_fail(builder, "point", "a contact of type %s has `between`",
                                contact->type);
    if (contact->radius != 0)
        return olo_builder_fail(builder, "radius",
                                "a contact of type %s has `length`, the sum of the radii, or "
                                "`radii`",
                                contact->type);
    if (!contact->between[0].on && !contact->between[1].on)
        return olo_builder_fail(builder, "between", "a contact of type %s needs two points",
                                contact->type);
    if (contact->radius_count > 0)
        return check_radii(builder, contact);
    if (contact->friction > 0)
        return olo_builder_fail(builder, "friction",
                                "is available between spheres: give both their radii (`radii`)");
    return OLO_OK;
}

/* Friction between spheres: fixed directions, and the directors of those that turn. */
static olo_status add_friction(olo_builder *builder, const olo_contact *contact, const int node[2],
                               olo_contact_geometry *geometry, int *sliding)
{
    const olo_system *s = olo_build_system(builder);
    *sliding = s->planar ? 2 : 3;
    if (olo_friction_find(contact->law)->spin)
        return olo_builder_fail(builder, "law", "%s needs a plane and a body", contact->law);
    if (node[0] == node[1])
        return olo_builder_fail(builder, "between",
                                "both points belong to the same body: they cannot slide");
    for (int i = 0; i < 2; i++) {
        const double share = contact->radii[i] / (contact->radii[0] + contact->radii[1]);
        if (node[i] < 0 || share == 0)
            continue;
        if (!s->nodes[node[i]].type->spatial)
            return olo_builder_fail(builder, "radii",
                                    "'%s' does not turn: friction acts on it as on a point, radius "
                                    "0, or give it a body",
                                    contact->between[i].on);
        if (!olo_contact_add_directors(geometry, s->nodes[node[i]].q, share))
            return olo_builder_fail(builder, "between", "the chain of relative_to is too long");
    }
    for (int k = 0; k < 3; k++)
        geometry->sliding[k].along[k] = 1;
    if (s->planar)
        vec3_transversals(s->plane, geometry->sliding[0].along, geometry->sliding[1].along);
    return OLO_OK;
}

static olo_status build_distance(olo_builder *builder, const olo_contact *contact,
                                 olo_contact_point *point)
{
    const bool rope = strcmp(contact->type, "rope") == 0, spheres = contact->radius_count > 0;
    olo_contact_geometry geometry = {.sign = rope ? -1 : 1};
    olo_position ends[2];
    int node[2], sliding = 0;
    double x[3];
    olo_status status = check_distance(builder, contact);
    for (int i = 0; status == OLO_OK && i < 2; i++)
        status =
            olo_build_resolve_point(builder, "between", &contact->between[i], &ends[i], &node[i]);
    if (status != OLO_OK)
        return status;
    /* where they touch: in the middle, or divided as the radii */
    const double part = spheres ? contact->radii[1] / (contact->radii[0] + contact->radii[1]) : 0.5;
    geometry.x = point->touching = ends[1];
    if (!olo_position_add(&geometry.x, -1.0, &ends[0]) || !olo_contact_find_slots(&geometry, NULL))
        return olo_builder_fail(builder, "between", "the chain of relative_to is too long");
    if (!rope && !olo_position_add(&point->touching, -part, &geometry.x))
        return olo_builder_fail(builder, "between", "the chain of relative_to is too long");
    if (geometry.x.count == 0)
        return olo_builder_fail(builder, "between",
                                "both ends are the same point or fixed in space");
    olo_position_value(&geometry.x, olo_build_system(builder)->q0, x);
    const double length = vec3_norm(x);
    geometry.offset = spheres                  ? contact->radii[0] + contact->radii[1]
                      : isnan(contact->length) ? length
                                               : contact->length;
    if (!(geometry.offset > 0))
        return olo_builder_fail(builder, "length", "must be positive, got %g", geometry.offset);
    if (!(length > 0))
        return olo_builder_fail(builder, "between", "both points coincide: the gap has no normal");
    if (contact->friction > 0)
        status = add_friction(builder, contact, node, &geometry, &sliding);
    if (status != OLO_OK)
        return status;
    point->law = olo_friction_find(contact->friction > 0 ? contact->law : "none");
    point->gap.type = &olo_constraint_gap_distance;
    return olo_build_contact(builder, point, &geometry, sliding);
}

/* One row of a contact of functions. */
static olo_status build_function_row(olo_builder *builder, const char *key, const char *text,
                                     const olo_contact *contact, const olo_function_points *points,
                                     olo_constraint *row)
{
    olo_scalar_function f;
    const olo_status status = text ? olo_build_expression(builder, key, text, points, &f)
                                   : olo_build_user_function(builder, key, contact->function,
                                                             contact->context, points, &f);
    return status == OLO_OK ? olo_build_function_row(builder, &f, row) : status;
}

static olo_status check_function(olo_builder *builder, const olo_contact *contact)
{
    const bool two = contact->between[0].on || contact->between[1].on;
    if (!contact->gap && !contact->function)
        return olo_builder_fail(builder, "gap", "a contact of type function needs a gap");
    if (contact->gap && contact->function)
        return olo_builder_fail(builder, "gap", "give either an expression or a function");
    if (two && contact->point.on)
        return olo_builder_fail(builder, "between", "give either `point` or `between`");
    if (contact->function && !two && !contact->point.on)
        return olo_builder_fail(builder, "point", "a C function needs `point` or `between`");
    if (contact->radius != 0 || !isnan(contact->length))
        return olo_builder_fail(builder, contact->radius != 0 ? "radius" : "length",
                                "a contact of type function has it in its gap");
    if (contact->slide_count > 2)
        return olo_builder_fail(builder, "slide", "at most two expressions, got %d",
                                contact->slide_count);
    if (contact->friction > 0 && contact->slide_count == 0)
        return olo_builder_fail(builder, "slide",
                                "friction needs an expression whose rate is the sliding velocity");
    if (contact->friction > 0 && olo_friction_find(contact->law)->spin)
        return olo_builder_fail(builder, "law", "%s needs a plane and a body", contact->law);
    return OLO_OK;
}

static olo_status build_of_function(olo_builder *builder, const olo_contact *contact,
                                    olo_contact_point *point)
{
    const olo_friction *law = olo_friction_find(contact->friction > 0 ? contact->law : "none");
    olo_function_points points = {.count = contact->point.on ? 1 : 0};
    olo_status status = check_function(builder, contact);
    if (contact->between[0].on || contact->between[1].on)
        points.count = 2;
    for (int i = 0; status == OLO_OK && i < points.count; i++)
        status = olo_build_resolve_point(builder, points.count == 1 ? "point" : "between",
                                         points.count == 1 ? &contact->point : &contact->between[i],
                                         &points.position[i], NULL);
    if (status == OLO_OK)
        status = build_function_row(builder, "gap", contact->gap, contact,
                                    points.count > 0 ? &points : NULL, &point->gap);
    point->sliding_count = law->set ? contact->slide_count : 0;
    for (int k = 0; status == OLO_OK && k < point->sliding_count; k++)
        status = build_function_row(builder, "slide", contact->slide[k], contact,
                                    points.count > 0 ? &points : NULL, &point->sliding[k]);
    point->law = law;
    return status == OLO_OK ? olo_build_contact(builder, point, NULL, point->sliding_count)
                            : status;
}

static olo_status build(olo_builder *builder, const void *element)
{
    const olo_contact *contact = element;
    olo_contact_point point = {.name = contact->name,
                               .friction = contact->friction,
                               .restitution = contact->restitution,
                               .threshold = contact->restitution_threshold,
                               .tangential_restitution = contact->tangential_restitution};
    const olo_status status = check(builder, contact);
    if (status != OLO_OK)
        return status;
    if (contact->on && strcmp(contact->type, "plane") != 0)
        return olo_builder_fail(builder, "on", "is for contacts with a plane");
    if (contact->radius_count > 0 && strcmp(contact->type, "distance") != 0)
        return olo_builder_fail(builder, "radii", "is for contacts of type distance");
    if (strcmp(contact->type, "function") == 0)
        return build_of_function(builder, contact, &point);
    if (contact->gap || contact->slide_count > 0)
        return olo_builder_fail(builder, contact->gap ? "gap" : "slide",
                                "is for contacts of type function");
    return strcmp(contact->type, "plane") == 0 ? build_plane(builder, contact, &point)
                                               : build_distance(builder, contact, &point);
}

static bool impacts(const void *element)
{
    (void)element;
    return true;
}

static const char *const types[] = {"plane", "distance", "rope", "function", NULL};

static const olo_field fields[] = {
    {.key = "name",
     .kind = OLO_FIELD_NAME,
     .offset = offsetof(olo_contact, name),
     .help = "name of the contact"},
    {.key = "type",
     .kind = OLO_FIELD_CHOICE,
     .offset = offsetof(olo_contact, type),
     .choices = types,
     .help = "plane (default), distance, rope or function"},
    {.key = "point",
     .kind = OLO_FIELD_POINT_ON_BODY,
     .offset = offsetof(olo_contact, point),
     .help = "plane: the point, or the centre of the sphere; function: a point with the position "
             "x, y, z"},
    {.key = "radius",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_contact, radius),
     .help = "plane: radius of the sphere"},
    {.key = "on",
     .kind = OLO_FIELD_REFERENCE,
     .offset = offsetof(olo_contact, on),
     .help = "plane: the body to which it is fixed; default the ground"},
    {.key = "normal",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_contact, normal),
     .help = "plane: direction to the free side"},
    {.key = "origin",
     .kind = OLO_FIELD_VECTOR,
     .offset = offsetof(olo_contact, origin),
     .help = "plane: a point of it"},
    {.key = "between",
     .kind = OLO_FIELD_POINTS_ON_BODIES,
     .offset = offsetof(olo_contact, between),
     .help =
         "distance, rope: the two points; function: two points with the positions x1, y1, z1 and "
         "x2, y2, z2"},
    {.key = "length",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_contact, length),
     .help = "smallest distance, length of the rope"},
    {.key = "radii",
     .kind = OLO_FIELD_NUMBERS,
     .offset = offsetof(olo_contact, radii),
     .count_offset = offsetof(olo_contact, radius_count),
     .help = "distance: radii of two spheres, instead of `length`; friction needs them"},
    {.key = "restitution",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_contact, restitution),
     .help = "of impacts, 0 to 1"},
    {.key = "restitution_threshold",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_contact, restitution_threshold),
     .help = "approach velocity below which the restitution is 0, unless it is 1; default 0"},
    {.key = "tangential_restitution",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_contact, tangential_restitution),
     .help = "of friction in impacts, 0 to 1"},
    {.key = "friction",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_contact, friction),
     .help = "coefficient of friction"},
    {.key = "law",
     .kind = OLO_FIELD_CHOICE,
     .offset = offsetof(olo_contact, law),
     .choices = olo_friction_names,
     .help = "law of friction"},
    {.key = "patch",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_contact, patch),
     .help = "contensou: mean radius of the contact patch"},
    {.key = "gap",
     .kind = OLO_FIELD_EXPRESSION,
     .offset = offsetof(olo_contact, gap),
     .help = "function: the gap, an expression of coordinates or of positions of the points"},
    {.key = "slide",
     .kind = OLO_FIELD_EXPRESSIONS,
     .offset = offsetof(olo_contact, slide),
     .count_offset = offsetof(olo_contact, slide_count),
     .help = "function: one or two expressions whose rates are the sliding velocities"},
};

const olo_element_type olo_element_contact = {.initialised = OLO_INITIALISED_CONTACT,
                                              .section = "contacts",
                                              .noun = "contact",
                                              .size = sizeof(olo_contact),
                                              .fields = fields,
                                              .field_count = (int)(sizeof fields / sizeof *fields),
                                              .defaults = defaults,
                                              .impacts = impacts,
                                              .build = build};
