/* A node against the ground: which directions its place may move along and which axes it may turn about;
 * constraint rows for what it may not, and the joint that reads them.
 *
 *     translation rows   m . (phi + rho - c) = 0         for every m that is not allowed   (linear)
 *     one axis n         n . d_k - eta = 0, two directors least aligned with n          (sheet 5.6)
 *     no rotation        d1.D2 = d2.D3 = d3.D1 = 0, D the initial directors: regular for aligned frames
 *
 * In a planar model everything already moves in the plane, and only what is within it is left to fix.
 */
#include <math.h>
#include <string.h>

#include "elements/build.h"
#include "linalg/vec3.h"

/* Adds the part of v that is orthogonal to the rows so far, as a unit vector; false if nothing is left. */
static bool add_direction(int *count, double *rows, const double v[3])
{
    const double nothing_left = 1e-6;
    double w[3];
    vec3_copy(v, w);
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < *count; k++)
            vec3_add(-vec3_dot(w, rows + 3 * k), rows + 3 * k, w);
    if (vec3_norm(w) <= nothing_left * vec3_norm(v) || *count == 3)
        return false;
    vec3_normalise(w);
    vec3_copy(w, rows + 3 * (*count)++);
    return true;
}

/* Directions of the model: all of space, or the plane. */
static int ambient(const olo_system *s, double rows[9])
{
    memset(rows, 0, 9 * sizeof *rows);
    if (s->planar) {
        vec3_transversals(s->plane, rows, rows + 3);
        return 2;
    }
    rows[0] = rows[4] = rows[8] = 1;
    return 3;
}

static void within_model(const olo_system *s, const double v[3], double out[3])
{
    vec3_copy(v, out);
    if (s->planar)
        vec3_add(-vec3_dot(v, s->plane), s->plane, out);
}

static olo_status add_row(olo_builder *builder, const double m[3], const olo_position *x,
                          double value)
{
    olo_form_builder row = {0};
    olo_form_add_component(&row, m, x);
    olo_form_add_constant(&row, -value);
    return olo_build_constraint(builder, &row);
}

/* n . d_k = its initial value, for the two directors least aligned with n */
static olo_status add_axis_rows(olo_builder *builder, int q, const double n[3])
{
    const double *q0 = olo_build_system(builder)->q0;
    int most = 0;
    for (int I = 1; I < 3; I++)
        if (fabs(vec3_dot(n, q0 + q + 3 * (I + 1))) > fabs(vec3_dot(n, q0 + q + 3 * (most + 1))))
            most = I;
    olo_status status = OLO_OK;
    for (int I = 0; status == OLO_OK && I < 3; I++) {
        if (I == most)
            continue;
        olo_position d = olo_position_slot(q + 3 * (I + 1));
        status =
            add_row(builder, n, &d, vec3_dot(n, olo_build_system(builder)->q0 + q + 3 * (I + 1)));
    }
    return status;
}

static olo_status add_no_rotation_rows(olo_builder *builder, int q)
{
    const olo_system *s = olo_build_system(builder);
    olo_status status = OLO_OK;
    if (s->planar) {
        /* one row is left: a director in the plane may not turn */
        int least = 0;
        for (int I = 1; I < 3; I++)
            if (fabs(vec3_dot(s->plane, s->q0 + q + 3 * (I + 1))) <
                fabs(vec3_dot(s->plane, s->q0 + q + 3 * (least + 1))))
                least = I;
        double across[3];
        vec3_cross(s->plane, s->q0 + q + 3 * (least + 1), across);
        olo_position d = olo_position_slot(q + 3 * (least + 1));
        return add_row(builder, across, &d, 0.0);
    }
    for (int I = 0; status == OLO_OK && I < 3; I++) {
        double next[3];
        vec3_copy(olo_build_system(builder)->q0 + q + 3 * ((I + 1) % 3 + 1), next);
        olo_position d = olo_position_slot(q + 3 * (I + 1));
        status = add_row(builder, next, &d, 0.0);
    }
    return status;
}

static olo_status add_rows(olo_builder *builder, const olo_joint *joint, const double where[3])
{
    const olo_system *s = olo_build_system(builder);
    const olo_node *node = &s->nodes[joint->child];
    bool frame = node->kind == OLO_NODE_FRAME;
    double directions[9], rows[9];
    int all = ambient(s, directions), count = joint->translations, q = node->q;
    memcpy(rows, joint->translation, sizeof rows);
    olo_position x = frame ? olo_position_on_frame(q, joint->child_point) : olo_position_slot(q);
    olo_status status = OLO_OK;
    for (int k = 0; status == OLO_OK && k < all; k++)
        if (add_direction(&count, rows, directions + 3 * k))
            status = add_row(builder, rows + 3 * (count - 1), &x,
                             vec3_dot(rows + 3 * (count - 1), where));
    if (status != OLO_OK || !frame)
        return status;
    if (joint->rotations == 0)
        return add_no_rotation_rows(builder, q);
    if (joint->rotations == 1 && !s->planar)
        return add_axis_rows(builder, q, joint->rotation);
    return status;
}

olo_status olo_build_grounded(olo_builder *builder, const char *name, int child, const double at[3],
                              const double where[3], int translations, const double *translation,
                              int rotations, const double *rotation)
{
    const olo_system *s = olo_build_system(builder);
    olo_joint joint = {.kind = "grounded", .parent = -1, .child = child};
    vec3_copy(at, joint.child_point);
    for (int k = 0; k < translations; k++) {
        double direction[3];
        within_model(s, translation + 3 * k, direction);
        if (vec3_norm(direction) > 1e-6)
            add_direction(&joint.translations, joint.translation, direction);
    }
    if (s->nodes[child].kind == OLO_NODE_FRAME && rotations > 0) {
        if (s->planar)
            add_direction(&joint.rotations, joint.rotation, s->plane);
        else
            for (int k = 0; k < rotations; k++)
                add_direction(&joint.rotations, joint.rotation, rotation + 3 * k);
    }
    olo_status status = olo_build_group(builder, name, false, false);
    if (status == OLO_OK)
        status = add_rows(builder, &joint, where);
    return status == OLO_OK ? olo_build_joint(builder, &joint) : status;
}

olo_status olo_build_plane(olo_builder *builder, const char *name, int node)
{
    const olo_system *s = olo_build_system(builder);
    if (!s->planar)
        return OLO_OK;
    double n[3];
    vec3_copy(s->plane, n);
    int q = s->nodes[node].q;
    bool frame = s->nodes[node].kind == OLO_NODE_FRAME;
    olo_position x = olo_position_slot(q);
    olo_status status = olo_build_group(builder, name, false, true);
    if (status == OLO_OK)
        status = add_row(builder, n, &x, vec3_dot(n, olo_build_system(builder)->q0 + q));
    return status == OLO_OK && frame ? add_axis_rows(builder, q, n) : status;
}
