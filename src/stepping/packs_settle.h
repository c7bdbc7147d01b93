/* Configurations of packed bodies at the end of a step without what rounding has opened: increments
 * are added, joints closed against their parents, and directors made orthonormal, from root to
 * leaf.
 *
 * All is inline: packs_sweep.c, which alone includes this, is compiled for several processors.
 */
#ifndef OLO_STEPPING_PACKS_SETTLE_H
#define OLO_STEPPING_PACKS_SETTLE_H

#include "stepping/packs_local.h"

/* The position and directors of one frame; a fourth number is the next one's first and means
 * nothing. */
LANES_INLINE void load_frame(const double *q, lane frame[4])
{
    frame[0] = lane_load(q);
    frame[1] = lane_load(q + 3);
    frame[2] = lane_load(q + 6);
    frame[3] = (lane){q[9], q[10], q[11], 0};
}

LANES_INLINE void store_frame(const lane frame[4], double *q)
{
    lane_store(frame[0], q);
    lane_store(frame[1], q + 3);
    lane_store(frame[2], q + 6);
    for (int i = 0; i < 3; i++)
        q[9 + i] = frame[3][i];
}

/* X_I d_I with the X of lane l */
LANES_INLINE lane vector_combine(const lane X[3], int l, const lane d[3])
{
    return X[0][l] * d[0] + X[1][l] * d[1] + X[2][l] * d[2];
}

/* What rounding has opened: the shift and small rotation of a body that close its hinge. */
LANES_INLINE void close_hinge(const four *b, int l, const lane frame[4], const double *above,
                              lane *shift, lane *turn)
{
    lane parent[4];
    load_frame(above, parent);
    const lane n = vector_combine(b->axis, l, frame + 1),
               n_p = vector_combine(b->parent_axis, l, parent + 1),
               rho = vector_combine(b->pivot, l, frame + 1),
               rho_p = vector_combine(b->parent_point, l, parent + 1);
    *turn = vector_cross(n, n_p);
    /* the rotation moves the point, too */
    *shift = ((parent[0] + rho_p) - (frame[0] + rho)) + vector_cross(rho, *turn);
}

/* X_I d_I */
LANES_INLINE lane vector_along(const double X[3], const lane d[3])
{
    return X[0] * d[0] + X[1] * d[1] + X[2] * d[2];
}

/* The small rotation that aligns the axes of a staged joint. */
LANES_INLINE lane align_axes(const olo_articulation *pair, olo_joint_rotation rotation,
                             const lane d[3], const lane d_p[3])
{
    const lane n = vector_along(pair->child_axes + 6, d),
               n_p = vector_along(pair->parent_axes + 6, d_p), across = vector_cross(n, n_p);
    if (rotation == OLO_ROTATION_ALL)
        return lane_all(0.0);
    if (rotation == OLO_ROTATION_AXIS)
        return across;
    if (rotation == OLO_ROTATION_CROSS)
        return -vector_sum(n * n_p) / vector_sum(across * across) * across;
    lane turn = across;
    for (int k = 0; k < 2; k++)
        turn += vector_cross(vector_along(pair->child_axes + 3 * k, d),
                             vector_along(pair->parent_axes + 3 * k, d_p));
    return 0.5 * turn;
}

/* The same for a joint that is staged: translations along its axes remain. */
LANES_INLINE void close_joint(const olo_packs *x, int i, const lane frame[4], const double *above,
                              lane *shift, lane *turn)
{
    const slots *at = &x->slots[i / LANES];
    const olo_articulation *pair = &x->topology->nodes[x->topology->order[i]].joint;
    lane parent[4];
    load_frame(above, parent);
    const lane rho = vector_along(pair->child_point, frame + 1),
               rho_p = vector_along(pair->parent_point, parent + 1);
    *turn = align_axes(pair, at->rotation[i % LANES], frame + 1, parent + 1);
    *shift = ((parent[0] + rho_p) - (frame[0] + rho)) + vector_cross(rho, *turn);
    for (int k = 0; k < 3; k++)
        if (at->slides[i % LANES] >> k & 1) {
            const lane M = at->lever[i % LANES]
                               ? vector_along(pair->child_axes + 3 * k, frame + 1)
                               : vector_along(pair->parent_axes + 3 * k, parent + 1);
            *shift -= vector_sum(M * *shift) * M;
        }
}

/* D += 1/2 D (I - D^T D), the first step to the nearest orthonormal triad, and the small rotation
 */
LANES_INLINE void correct_directors(const lane d[3], lane turn, lane remainder[3])
{
    const double e01 = -0.5 * vector_sum(d[0] * d[1]), e02 = -0.5 * vector_sum(d[0] * d[2]),
                 e12 = -0.5 * vector_sum(d[1] * d[2]);
    const double e00 = 0.5 * (1 - vector_sum(d[0] * d[0])),
                 e11 = 0.5 * (1 - vector_sum(d[1] * d[1])),
                 e22 = 0.5 * (1 - vector_sum(d[2] * d[2]));
    remainder[0] += (e00 * d[0] + e01 * d[1] + e02 * d[2]) + vector_cross(turn, d[0]);
    remainder[1] += (e01 * d[0] + e11 * d[1] + e12 * d[2]) + vector_cross(turn, d[1]);
    remainder[2] += (e02 * d[0] + e12 * d[1] + e22 * d[2]) + vector_cross(turn, d[2]);
}

/* olo_step_accumulate of one frame */
LANES_INLINE void add_increment(const double *q0, const double *before, const double *dq,
                                lane frame[4], lane left[4])
{
    lane start[4], change[4];
    load_frame(q0, start);
    load_frame(before, left);
    load_frame(dq, change);
    for (int I = 0; I < 4; I++) {
        const lane sum = start[I] + change[I], shift = sum - start[I];
        const lane rest = left[I] + ((start[I] - (sum - shift)) + (change[I] - shift));
        frame[I] = sum + rest;
        left[I] = rest - (frame[I] - sum);
    }
}

/* From root to leaf, so that a body is closed against its parent as that has been settled. */
static void settle(const olo_packs *x, const olo_step *step)
{
    static const double ground[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    double *q = step->q_end, *remainder = step->remainder_end;
    for (int i = 0; i < x->count; i++) {
        const int l = i % LANES;
        const slots *at = &x->slots[i / LANES];
        lane frame[4], left[4], shift = lane_all(0.0), turn = shift;
        add_increment(step->state->q + at->q[l], step->state->q_remainder + at->q[l],
                      step->x.dq + at->q[l], frame, left);
        const double *above = at->above_q[l] < 0 ? ground : q + at->above_q[l];
        if (at->staged[l])
            close_joint(x, i, frame, above, &shift, &turn);
        else if (!at->free[l])
            close_hinge(&x->four[i / LANES], l, frame, above, &shift, &turn);
        correct_directors(frame + 1, turn, left + 1);
        left[0] += shift;
        for (int I = 0; I < 4; I++) {
            const lane sum = frame[I] + left[I];
            left[I] -= sum - frame[I];
            frame[I] = sum;
        }
        store_frame(frame, q + at->q[l]);
        store_frame(left, remainder + at->q[l]);
    }
}

#endif
