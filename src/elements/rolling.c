/* Joints that roll on a plane of the ground without slipping: a thin disc, a ball. One row fixes
 * the height of the centre, two rows set the velocity of the point of contact to zero
 * (system/constraint_rolling.c); together they form a joint with three degrees of freedom
 * (joint_rolling.c). A body without a given position is moved to the plane; one without a given
 * velocity gets the velocity with which it rolls. */
#include <math.h>
#include <string.h>

#include "elements/drawing.h"
#include "elements/initial_velocities.h"
#include "elements/joint_drive.h"
#include "elements/joint_ends.h"
#include "elements/joint_pair.h"
#include "linalg/vec3.h"
#include "system/rolling.h"

/* Sine of the angle between axis and normal below which a disc lies flat. */
static const double least_sine = 1e-6;
/* Tolerance for directions in the plane of a planar model: their component along its normal. */
static const double out_of_plane = 1e-9;

static olo_status find_normal(olo_builder *builder, const olo_joint *joint, double n[3])
{
    const double *gravity = olo_build_system(builder)->gravity;
    bool given = !isnan(joint->normal[0]);
    for (int i = 0; i < 3; i++)
        n[i] = given ? joint->normal[i] : -gravity[i];
    const olo_system *s = olo_build_system(builder);
    if (vec3_normalise(n) > 0)
        return s->planar && fabs(vec3_dot(n, s->plane)) > out_of_plane
                   ? olo_builder_fail(builder, given ? "normal" : NULL,
                                      "the normal of the plane on which it rolls does not lie in "
                                      "the plane of the model")
                   : OLO_OK;
    return olo_builder_fail(builder, given ? "normal" : NULL,
                            given ? "needs a length other than zero"
                                  : "without gravity the plane needs a `normal`");
}

static olo_status find_axis(olo_builder *builder, const olo_joint *joint, int node,
                            olo_rolling *rolling)
{
    bool disc = strcmp(joint->type, "rolling-disc") == 0;
    double e[3], across[3];
    const olo_system *s = olo_build_system(builder);
    vec3_copy(joint->axis, e);
    /* in a planar model the only axis of rotation is the normal */
    if (disc && s->planar && isnan(e[0]))
        vec3_copy(s->plane, e);
    bool given = vec3_normalise(e) > 0;
    if (!disc)
        return given || joint->rate != 0
                   ? olo_builder_fail(builder, given ? "axis" : "rate", "a ball has no axis")
                   : OLO_OK;
    if (!given)
        return olo_builder_fail(builder, "axis", "joint '%s' of type %s needs an axis, of the disc",
                                joint->name, joint->type);
    if (s->planar && fabs(vec3_dot(e, s->plane)) < 1 - out_of_plane)
        return olo_builder_fail(builder, "axis",
                                "in a planar model a disc rolls about the normal of the plane");
    vec3_cross(rolling->normal, e, across);
    if (!(vec3_norm(across) > least_sine))
        return olo_builder_fail(builder, "axis",
                                "the disc lies flat: it needs an axis that is not normal to the "
                                "plane");
    olo_pair_into_body(olo_build_system(builder), node, e, rolling->axis);
    return OLO_OK;
}

static olo_status check(olo_builder *builder, const olo_joint *joint, const olo_joint_ends *ends)
{
    if (ends->node[0] >= 0 && ends->node[1] >= 0)
        return olo_builder_fail(builder, "between",
                                "one of the two must be the ground: the plane is fixed in space");
    if (!isnan(joint->at[0]))
        return olo_builder_fail(
            builder, "at",
            "a rolling joint takes its centre and a point on its plane from `between`");
    if (vec3_norm(joint->sliding) > 0)
        return olo_builder_fail(builder, "sliding", "a rolling joint does not slide");
    if (!(joint->radius > 0))
        return olo_builder_fail(builder, "radius", "must be positive, got %g", joint->radius);
    return OLO_OK;
}

/* The initial state: without a given position the body is on the plane, without a given angular
 * velocity it rotates at the rate of the joint, and without a given velocity it rolls, so that its
 * point of contact has velocity zero. */
static olo_status set_initial_state(olo_builder *builder, const olo_joint *joint, int node,
                                    const olo_rolling *rolling)
{
    olo_system *s = olo_build_system(builder);
    double *q = s->q0 + s->nodes[node].q, e[3], p[3];
    olo_relative_velocity x = {.velocity = {.base = -1, .body = node},
                               .rotation = olo_determination_of(3, 3, joint->rate != 0),
                               .translation = OLO_DETERMINED_FULLY};
    olo_rolling_arm arm;
    olo_rolling_vector(rolling->axis, q, e);
    olo_rolling_over(rolling, e, e, e, &arm);
    if (!s->nodes[node].placed)
        vec3_add(-olo_rolling_height(rolling, q), rolling->normal, q);
    vec3_add(joint->rate, e, x.velocity.omega);
    olo_rolling_vector(rolling->center, q, p);
    vec3_add(1.0, arm.s, p);
    olo_pair_into_body(s, node, p, x.velocity.point);
    return olo_build_relative_velocity(builder, &x);
}

/* Adds the row of the height, then the rows of rolling along the two directions of the plane; a
 * planar model has one direction.
 */
static olo_status add_rows(olo_builder *builder, int node, const olo_rolling *rolling)
{
    olo_system *s = olo_build_system(builder);
    int index[12];
    for (int i = 0; i < 12; i++)
        index[i] = s->nodes[node].q + i;
    int *stored = olo_pool_copy(&s->pool, index, 12, sizeof *stored);
    olo_status status = stored ? OLO_OK : olo_build_out_of_memory(builder);
    double m[6];
    vec3_transversals(rolling->normal, m, m + 3);
    if (s->planar)
        vec3_cross(s->plane, rolling->normal, m);
    for (int k = 0; status == OLO_OK && k < (s->planar ? 2 : 3); k++) {
        olo_rolling one = *rolling;
        if (k > 0)
            vec3_copy(m + 3 * (k - 1), one.direction);
        const olo_rolling *data = olo_pool_copy(&s->pool, &one, 1, sizeof one);
        const olo_constraint row = {.type =
                                        k == 0 ? &olo_constraint_height : &olo_constraint_rolling,
                                    .size = 12,
                                    .index = stored,
                                    .curved = k > 0 || vec3_norm(rolling->axis) > 0,
                                    .constant = rolling->offset,
                                    .data = data};
        status = data ? olo_build_row(builder, &row) : olo_build_out_of_memory(builder);
    }
    return status;
}

/* Draws a primitive whose third axis is `along`. */
static olo_status draw_along(olo_builder *builder, olo_drawable *d, const double along[3])
{
    double axes[9];
    vec3_copy(along, axes + 6);
    vec3_transversals(axes + 6, axes, axes + 3);
    for (int k = 0; k < 9; k++)
        d->rotation[3 * (k % 3) + k / 3] = axes[k];
    return olo_draw(builder, d);
}

/* Draws the disc or ball, and a part of the plane. */
static olo_status draw(olo_builder *builder, const char *name, const olo_articulation *joint)
{
    const olo_rolling *rolling = joint->rolling;
    const double thin = 0.02, wide = 20, r = rolling->radius, upright[3] = {0, 0, 1};
    bool ball = vec3_norm(rolling->axis) == 0;
    olo_drawable wheel = {.name = name,
                          .role = "joint",
                          .primitive = ball ? "ellipsoid" : "cylinder",
                          .node = {joint->child, joint->child},
                          .size = {r, r, ball ? r : thin * r}};
    olo_drawable plane = {.name = name,
                          .role = "ground",
                          .primitive = "box",
                          .node = {-1, -1},
                          .size = {wide * r, wide * r, thin * r}};
    vec3_copy(rolling->center, wheel.position);
    vec3_copy(joint->parent_point, plane.position);
    vec3_add(-0.5 * thin * r, rolling->normal, plane.position);
    olo_status status = draw_along(builder, &wheel, ball ? upright : rolling->axis);
    return status == OLO_OK ? draw_along(builder, &plane, rolling->normal) : status;
}

/* Finds the geometry of the contact and stores it in the system. */
static olo_status find_contact(olo_builder *builder, const olo_joint *joint,
                               const olo_joint_ends *ends, const olo_rolling **stored)
{
    int body = olo_joint_child_end(ends);
    olo_rolling rolling = {.radius = joint->radius};
    vec3_copy(ends->at[body], rolling.center);
    olo_status status = find_normal(builder, joint, rolling.normal);
    rolling.offset = vec3_dot(rolling.normal, ends->at[1 - body]);
    if (status == OLO_OK)
        status = find_axis(builder, joint, ends->node[body], &rolling);
    if (status != OLO_OK)
        return status;
    *stored = olo_pool_copy(&olo_build_system(builder)->pool, &rolling, 1, sizeof rolling);
    return *stored ? OLO_OK : olo_build_out_of_memory(builder);
}

olo_status olo_build_rolling(olo_builder *builder, const olo_joint *joint)
{
    olo_joint_ends ends;
    const olo_rolling *rolling = NULL;
    olo_status status = olo_joint_find_ends(builder, joint, &ends);
    if (status == OLO_OK)
        status = check(builder, joint, &ends);
    if (status == OLO_OK)
        status = find_contact(builder, joint, &ends, &rolling);
    if (status != OLO_OK)
        return status;
    int body = olo_joint_child_end(&ends);
    olo_articulation articulation = {.type = &olo_joint_rolling,
                                     .parent = -1,
                                     .child = ends.node[body],
                                     .rotations = 3,
                                     .length = joint->radius,
                                     .rolling = rolling};
    vec3_copy(ends.at[1 - body], articulation.parent_point);
    vec3_copy(ends.at[body], articulation.child_point);
    status = set_initial_state(builder, joint, ends.node[body], rolling);
    if (status == OLO_OK)
        status = olo_build_group(builder, joint->name, false, false);
    if (status == OLO_OK)
        status = add_rows(builder, ends.node[body], rolling);
    if (status == OLO_OK)
        status = olo_build_joint(builder, &articulation);
    if (status == OLO_OK)
        status = draw(builder, joint->name, &articulation);
    /* the joint has no coordinates: springs, dampers and drives are refused */
    return status == OLO_OK ? olo_build_joint_drives(builder, joint, (olo_joint_sense){0}) : status;
}
