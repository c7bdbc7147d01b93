/* Rigid stops and dry friction along a joint coordinate x:
 *
 *     stop       gap g = upper - x or x - lower, a unilateral constraint with restitution
 *     friction   |lambda| <= F against the rate of x, always acting
 *
 * Both are contacts (system/contact.h) whose rows are relations of the coordinate, so that they
 * exist for every joint with a coordinate. */
#include <stdio.h>

#include "contact/friction.h"
#include "elements/relation_row.h"

olo_status olo_build_stop_along(olo_builder *builder, const char *owner, int coordinate, int side,
                                double bound, double restitution)
{
    const olo_relation_row relation = {
        .count = 1, .coordinate = {coordinate}, .factor = {-side}, .constant = side * bound};
    char name[160];
    (void)snprintf(name, sizeof name, "%s.%s", owner, side > 0 ? "upper" : "lower");
    olo_contact_point stop = {
        .name = name, .owner = owner, .law = olo_friction_find("none"), .restitution = restitution};
    const olo_status status = olo_make_relation_row(builder, &relation, &stop.gap);
    return status == OLO_OK ? olo_build_contact(builder, &stop, NULL, 0) : status;
}

olo_status olo_build_friction_along(olo_builder *builder, const char *owner, int coordinate,
                                    double force)
{
    const olo_relation_row relation = {.count = 1, .coordinate = {coordinate}, .factor = {1}};
    char name[160];
    (void)snprintf(name, sizeof name, "%s.friction", owner);
    olo_contact_point friction = {.name = name,
                                  .owner = owner,
                                  .law = olo_friction_find("dry"),
                                  .friction = force,
                                  .sliding_count = 1};
    const olo_status status = olo_make_relation_row(builder, &relation, &friction.sliding[0]);
    return status == OLO_OK ? olo_build_contact(builder, &friction, NULL, 1) : status;
}
