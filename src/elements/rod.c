/* Massless rods: g = 1/2 (|x2 - x1|^2 - l^2) = 0. A rod that ends at a point mass is a joint of
 * this point mass, which moves on a sphere about the other end. Other rods are constraints between
 * bodies. */
#include <math.h>
#include <stddef.h>

#include "elements/joint_drive.h"
#include "elements/joint_ends.h"
#include "elements/joint_pair.h"
#include "elements/span.h"
#include "linalg/vec3.h"

olo_rod olo_rod_default(void)
{
    return (olo_rod){.initialised = OLO_INITIALISED_ROD, .length = OLO_UNSET};
}

static void defaults(void *element)
{
    *(olo_rod *)element = olo_rod_default();
}

/* Finds the joint if x2 - x1 = q[child] - (a point on one other node, or a fixed point); otherwise
 * returns false.
 */
static bool read_joint(const olo_system *s, const olo_position *span, olo_articulation *joint)
{
    for (int side = 0; side < 2; side++) {
        double sign = side == 0 ? 1.0 : -1.0;
        int child = -1, parent = -1;
        olo_articulation found = {.type = &olo_joint_rod, .length = joint->length};
        bool fits = true;
        for (int k = 0; fits && k < span->count; k++) {
            const olo_coordinate *c = &s->coordinates[span->slot[k]];
            const olo_node *node = &s->nodes[c->node];
            if (!node->type->spatial && span->weight[k] == sign && child < 0) {
                child = c->node;
                continue;
            }
            fits = parent < 0 || parent == c->node;
            parent = c->node;
            if (c->slot > 0)
                found.parent_point[c->slot - 1] = -sign * span->weight[k];
            if (c->slot == 0 && span->weight[k] != -sign)
                fits = false;
        }
        if (!fits || child < 0)
            continue;
        found.child = child;
        found.parent = parent;
        /* a constant part is a point on the ground; with a parent there must be none */
        if (parent < 0)
            for (int i = 0; i < 3; i++)
                found.parent_point[i] = -sign * span->x0[i];
        else if (vec3_norm(span->x0) > 0)
            continue;
        found.reversible = parent >= 0 && !s->nodes[parent].type->spatial;
        *joint = found;
        return true;
    }
    return false;
}

/* Adds a constant distance between two points; OLO_UNSET: the initial distance. */
static olo_status build_distance(olo_builder *builder, const char *name,
                                 const olo_point_on_body between[2], double length)
{
    olo_position span;
    double initial;
    const olo_drawable style = {.name = name, .role = "rod", .primitive = "rod"};
    olo_status status = olo_build_span(builder, &style, between, &span, &initial);
    if (status != OLO_OK)
        return status;
    if (isnan(length))
        length = initial;
    if (!(length > 0))
        return olo_builder_fail(builder, "length", "must be positive, got %g", length);
    olo_form_builder row;
    olo_form_begin(&row);
    olo_form_add_dot(&row, 0.5, &span, &span);
    olo_form_add_constant(&row, -0.5 * length * length);
    status = olo_build_group(builder, name, false, false);
    if (status == OLO_OK)
        status = olo_build_constraint(builder, &row);
    olo_articulation joint = {.length = length};
    if (status == OLO_OK && read_joint(olo_build_system(builder), &span, &joint))
        status = olo_build_joint(builder, &joint);
    return status;
}

static olo_status build(olo_builder *builder, const void *element)
{
    const olo_rod *rod = element;
    return build_distance(builder, rod->name, rod->between, rod->length);
}

olo_status olo_build_distance_joint(olo_builder *builder, const olo_joint *joint)
{
    if (!isnan(joint->at[0]))
        return olo_builder_fail(builder, "at",
                                "a distance joint has two points: give them in `between`");
    olo_status status = build_distance(builder, joint->name, joint->between, joint->length);
    /* the joint has no coordinates: springs, dampers and drives are refused */
    return status == OLO_OK ? olo_build_angle_drives(builder, joint, 0, NULL) : status;
}

static const olo_field fields[] = {
    {.key = "name",
     .kind = OLO_FIELD_NAME,
     .offset = offsetof(olo_rod, name),
     .help = "name of the rod"},
    {.key = "between",
     .kind = OLO_FIELD_POINTS_ON_BODIES,
     .offset = offsetof(olo_rod, between),
     .required = true,
     .help = "its two ends"},
    {.key = "length",
     .kind = OLO_FIELD_NUMBER,
     .offset = offsetof(olo_rod, length),
     .help = "default the initial distance"},
};

const olo_element_type olo_element_rod = {.initialised = OLO_INITIALISED_ROD,
                                          .section = "rods",
                                          .noun = "rod",
                                          .size = sizeof(olo_rod),
                                          .fields = fields,
                                          .field_count = (int)(sizeof fields / sizeof *fields),
                                          .defaults = defaults,
                                          .build = build};
