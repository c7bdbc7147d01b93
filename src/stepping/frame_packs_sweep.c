/* The kernels for four frames at once; equations are in the header. The blocks of S are
 *
 *     factor [m I, -C1^; Cm^, 0] + [0, 0; 0, S' - (tr S') I],      C = sum c_I d_I,
 *     S' = sum_I d_I,1 (x) (1/2 T_I - factor sum_J E_IJ d_J,left).
 *
 * This file is compiled a second time for processors with registers of four numbers
 * (frame_packs_wide.c), to the same bits. */
#include <math.h>

#include "stepping/frame_packs.h"

#ifndef OLO_FRAME_KERNELS
#define OLO_FRAME_KERNELS olo_frame_kernels_plain
#endif

/* ---- gather and scatter ---------------------------------------------------------------------- */

LANES_INLINE void gather(const olo_frame_pack *pack, const double *array, lane3 out[4])
{
    const double *const frame[LANES] = {array + pack->q[0], array + pack->q[1], array + pack->q[2],
                                        array + pack->q[3]};
    lanes_gather_frames(frame, out);
}

/* Further lanes write the same numbers again. */
LANES_INLINE void scatter(const olo_frame_pack *pack, const lane3 in[4], double *array)
{
    for (int i = 0; i < 12; i += 4) {
        lane row[LANES];
        lanes_transpose(in[i / 3].x[i % 3], in[(i + 1) / 3].x[(i + 1) % 3],
                        in[(i + 2) / 3].x[(i + 2) % 3], in[(i + 3) / 3].x[(i + 3) % 3], row);
        for (int l = 0; l < LANES; l++)
            lane_store(row[l], array + pack->q[l] + i);
    }
}

/* The translation and the rotation of four twists. */
LANES_INLINE void gather_twists(const double *const twist[LANES], lane3 out[2])
{
    lane number[4], rest[4];
    lanes_transpose(lane_load(twist[0]), lane_load(twist[1]), lane_load(twist[2]),
                    lane_load(twist[3]), number);
    /* the last four of six numbers */
    lanes_transpose(lane_load(twist[0] + 2), lane_load(twist[1] + 2), lane_load(twist[2] + 2),
                    lane_load(twist[3] + 2), rest);
    out[0] = (lane3){{number[0], number[1], number[2]}};
    out[1] = (lane3){{number[3], rest[2], rest[3]}};
}

LANES_INLINE void scatter_twists(const lane3 in[2], double *const twist[LANES])
{
    lane row[LANES], rest[LANES];
    lanes_transpose(in[0].x[0], in[0].x[1], in[0].x[2], in[1].x[0], row);
    lanes_transpose(in[0].x[2], in[1].x[0], in[1].x[1], in[1].x[2], rest);
    for (int l = 0; l < LANES; l++) {
        lane_store(row[l], twist[l]);
        lane_store(rest[l], twist[l] + 2);
    }
}

/* to[l] += `count` numbers of each frame */
LANES_INLINE void add_numbers(const olo_frame_pack *pack, const int count, const lane *number,
                              double *const to[LANES])
{
    for (int i = 0; i < count; i += 4) {
        lane row[LANES];
        lanes_transpose(number[i], number[i + 1], number[i + 2], number[i + 3], row);
        for (int l = 0; l < pack->count; l++)
            lane_store(lane_load(to[l] + i) + row[l], to[l] + i);
    }
}

/* ---- inertia --------------------------------------------------------------------------------- */

/* x + s y */
LANES_INLINE lane3 add_times(lane3 x, lane s, lane3 y)
{
    return lane3_add(x, lane3_times(s, y));
}

/* p = M v */
LANES_INLINE void times_mass(const lane_mass *b, const lane3 v[4], lane3 p[4])
{
    const lane E[3][3] = {
        {b->E[0], b->E[3], b->E[4]}, {b->E[3], b->E[1], b->E[5]}, {b->E[4], b->E[5], b->E[2]}};
    p[0] = lane3_times(b->m, v[0]);
    for (int I = 0; I < 3; I++) {
        p[0] = add_times(p[0], b->c[I], v[1 + I]);
        p[1 + I] = lane3_times(b->c[I], v[0]);
        for (int J = 0; J < 3; J++)
            p[1 + I] = add_times(p[1 + I], E[I][J], v[1 + J]);
    }
}

static void set_inertia(const olo_frame_pack *pack, const olo_frame_inertia *x)
{
    const lane a = lane_all(2 / x->h), h = lane_all(x->h), two = lane_all(2.0);
    lane3 change[4], start[4], force[4], p[4];
    gather(pack, x->dq, change);
    gather(pack, x->start, start);
    gather(pack, x->constant, force);
    for (int I = 0; I < 4; I++) {
        change[I] = lane3_times(a, change[I]);
        if (!x->from_momentum)
            change[I] = lane3_subtract(change[I], lane3_times(two, start[I]));
    }
    times_mass(&pack->mass, change, p);
    for (int I = 0; I < 4; I++) {
        if (x->from_momentum)
            p[I] = lane3_subtract(p[I], lane3_times(two, start[I]));
        p[I] = lane3_add(lane3_times(h, force[I]), p[I]);
    }
    scatter(pack, p, x->T);
}

/* ---- tangent --------------------------------------------------------------------------------- */

/* S' of the frames */
LANES_INLINE void form_rotations(const lane_mass *b, const olo_frame_tangent *x, const lane3 T[4],
                                 const lane3 left[4], const lane3 end[4], lane S[3][3])
{
    const lane E[3][3] = {
        {b->E[0], b->E[3], b->E[4]}, {b->E[3], b->E[1], b->E[5]}, {b->E[4], b->E[5], b->E[2]}};
    const lane less = lane_all(-x->factor), half = lane_all(0.5), zero = lane_all(0.0);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            S[i][j] = zero;
    for (int I = 0; I < 3; I++) {
        lane3 V = lane3_times(less, lane3_combine(E[I], left + 1));
        if (x->varied)
            V = add_times(V, half, T[1 + I]);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                S[i][j] += end[1 + I].x[i] * V.x[j];
    }
}

static void fill(const olo_frame_pack *pack, const olo_frame_tangent *x, const olo_frame_blocks *to)
{
    const lane factor = lane_all(x->factor), z = lane_all(0.0), m = factor * pack->mass.m;
    lane3 T[4], left[4], end[4];
    lane S[3][3];
    gather(pack, x->T, T);
    gather(pack, x->left, left);
    gather(pack, x->q1, end);
    const lane3 C1 = lane3_times(factor, lane3_combine(pack->mass.c, end + 1)),
                Cm = lane3_times(factor, lane3_combine(pack->mass.c, left + 1));
    form_rotations(&pack->mass, x, T, left, end, S);
    const lane trace = S[0][0] + S[1][1] + S[2][2];
    const lane K[36] = {
        m,
        z,
        z,
        z,
        C1.x[2],
        -C1.x[1], /* */
        z,
        m,
        z,
        -C1.x[2],
        z,
        C1.x[0], /* */
        z,
        z,
        m,
        C1.x[1],
        -C1.x[0],
        z, /* */
        z,
        -Cm.x[2],
        Cm.x[1],
        S[0][0] - trace,
        S[0][1],
        S[0][2], /* */
        Cm.x[2],
        z,
        -Cm.x[0],
        S[1][0],
        S[1][1] - trace,
        S[1][2], /* */
        -Cm.x[1],
        Cm.x[0],
        z,
        S[2][0],
        S[2][1],
        S[2][2] - trace /* */
    };
    add_numbers(pack, 36, K, to->K);
    /* w */
    lane3 moment = lane3_cross(left[1], T[1]);
    moment = lane3_add(moment, lane3_cross(left[2], T[2]));
    moment = lane3_add(moment, lane3_cross(left[3], T[3]));
    for (int l = 0; l < pack->count; l++)
        for (int i = 0; i < 3; i++) {
            to->right[l][i] += T[0].x[i][l];
            to->right[l][3 + i] += moment.x[i][l];
        }
}

/* ---- motion ---------------------------------------------------------------------------------- */

LANES_INLINE void move_frames(const olo_frame_pack *pack, const lane3 motion[2], olo_motion *x)
{
    const lane scale = lane_cayley_scale(motion[1]);
    lane3 q0[4], dq[4], qm[4], q1[4];
    gather(pack, x->q0, q0);
    dq[0] = motion[0];
    qm[0] = add_times(q0[0], lane_all(0.5), motion[0]);
    for (int I = 1; I < 4; I++) {
        const lane_turned turned = lane_cayley_apply(motion[1], scale, q0[I]);
        dq[I] = turned.change;
        qm[I] = turned.mid;
    }
    for (int I = 0; I < 4; I++)
        q1[I] = lane3_add(q0[I], dq[I]);
    scatter(pack, dq, x->dq);
    scatter(pack, qm, x->qm);
    scatter(pack, q1, x->q1);
}

LANES_INLINE lane length(lane3 x)
{
    const lane square = lane3_dot(x, x);
    return (lane){sqrt(square[0]), sqrt(square[1]), sqrt(square[2]), sqrt(square[3])};
}

static void update(const olo_frame_pack *pack, const double *const twist[LANES], double per_length,
                   olo_motion *x, olo_frame_measures *measures)
{
    double *const at[LANES] = {x->motion + pack->motion[0], x->motion + pack->motion[1],
                               x->motion + pack->motion[2], x->motion + pack->motion[3]};
    const double *const from[LANES] = {at[0], at[1], at[2], at[3]};
    lane3 change[2], motion[2];
    gather_twists(twist, change);
    gather_twists(from, motion);
    const lane per = lane_all(per_length), turn = length(motion[1]);
    lane_store(length(change[0]) * per + length(change[1]), measures->change);
    lane_store(length(motion[0]) * per + turn, measures->size);
    lane_store(turn, measures->turn);
    /* a += (I - a^/2 + a a^T/4) delta_omega */
    const lane along = 0.25 * lane3_dot(motion[1], change[1]);
    const lane3 cross = lane3_cross(motion[1], change[1]);
    motion[0] = lane3_add(motion[0], change[0]);
    for (int i = 0; i < 3; i++)
        motion[1].x[i] += change[1].x[i] - 0.5 * cross.x[i] + along * motion[1].x[i];
    scatter_twists(motion, at);
    move_frames(pack, motion, x);
}

const olo_frame_kernels OLO_FRAME_KERNELS = {
    .set_inertia = set_inertia, .fill = fill, .update = update};
