/* The kernels for four nodes at once; equations are in the header. The blocks of S of a frame are
 *
 *     factor [m I, -C1^; Cm^, 0] + [0, 0; 0, S' - (tr S') I],      C = sum c_I d_I,
 *     S' = sum_I d_I,1 (x) (1/2 T_I - factor sum_J E_IJ d_J,left),
 *
 * and those of two frames that the mass couples, without T.
 *
 * This file is compiled a second time for processors with registers of four numbers
 * (frame_packs_wide.c), to the same bits. */
#include <math.h>

#include "stepping/frame_packs.h"

#ifndef OLO_FRAME_KERNELS
#define OLO_FRAME_KERNELS olo_frame_kernels_plain
#endif

/* What the nodes of a pack have, known when a kernel is compiled. */
typedef struct parts {
    bool position, directors;
} parts;

/* A call that uses PARTS: of frames, points and triads. */
#define FOR_EACH_PARTS(pack, call)                                                                 \
    do {                                                                                           \
        if ((pack)->position && (pack)->directors)                                                 \
            WITH_PARTS(true, true, call)                                                           \
        else if ((pack)->position)                                                                 \
            WITH_PARTS(true, false, call)                                                          \
        else                                                                                       \
            WITH_PARTS(false, true, call)                                                          \
    } while (0)
#define WITH_PARTS(position, directors, call)                                                      \
    {                                                                                              \
        const parts PARTS = {position, directors};                                                 \
        call;                                                                                      \
    }

/* ---- gather and scatter ---------------------------------------------------------------------- */

/* The first of the four vectors that the nodes have, and the end of them: 0 is a position, 1 to 3
 * are directors. */
LANES_INLINE int first_of(const parts of)
{
    return of.position ? 0 : 1;
}

LANES_INLINE int end_of(const parts of)
{
    return of.directors ? 4 : 1;
}

LANES_INLINE void gather(const parts of, const olo_frame_pack *pack, const double *array,
                         lane3 out[4])
{
    const double *const from[LANES] = {array + pack->q[0], array + pack->q[1], array + pack->q[2],
                                       array + pack->q[3]};
    const int first = first_of(of), count = 3 * (end_of(of) - first);
    lane number[12];
    lanes_read(count, from, number);
    for (int i = 0; i < count; i++)
        out[first + i / 3].x[i % 3] = number[i];
}

/* Further lanes write the same numbers again. */
LANES_INLINE void scatter(const parts of, const olo_frame_pack *pack, const lane3 in[4],
                          double *array)
{
    double *const to[LANES] = {array + pack->q[0], array + pack->q[1], array + pack->q[2],
                               array + pack->q[3]};
    const int first = first_of(of), count = 3 * (end_of(of) - first);
    lane number[12];
    for (int i = 0; i < count; i++)
        number[i] = in[first + i / 3].x[i % 3];
    lanes_write(count, number, to);
}

/* The translation and the rotation of four twists. */
LANES_INLINE void gather_twists(const parts of, const double *const twist[LANES], lane3 out[2])
{
    lane number[4], rest[4];
    if (!of.position || !of.directors) {
        lanes_read(3, twist, out[of.position ? 0 : 1].x);
        return;
    }
    lanes_transpose(lane_load(twist[0]), lane_load(twist[1]), lane_load(twist[2]),
                    lane_load(twist[3]), number);
    /* the last four of six numbers */
    lanes_transpose(lane_load(twist[0] + 2), lane_load(twist[1] + 2), lane_load(twist[2] + 2),
                    lane_load(twist[3] + 2), rest);
    out[0] = (lane3){{number[0], number[1], number[2]}};
    out[1] = (lane3){{number[3], rest[2], rest[3]}};
}

LANES_INLINE void scatter_twists(const parts of, const lane3 in[2], double *const twist[LANES])
{
    lane row[LANES], rest[LANES];
    if (!of.position || !of.directors) {
        lanes_write(3, in[of.position ? 0 : 1].x, twist);
        return;
    }
    lanes_transpose(in[0].x[0], in[0].x[1], in[0].x[2], in[1].x[0], row);
    lanes_transpose(in[0].x[2], in[1].x[0], in[1].x[1], in[1].x[2], rest);
    for (int l = 0; l < LANES; l++) {
        lane_store(row[l], twist[l]);
        lane_store(rest[l], twist[l] + 2);
    }
}

/* ---- inertia --------------------------------------------------------------------------------- */

/* x + s y */
LANES_INLINE lane3 add_times(lane3 x, lane s, lane3 y)
{
    return lane3_add(x, lane3_times(s, y));
}

/* p = M v */
LANES_INLINE void times_mass(const parts of, const lane_mass *b, const lane3 v[4], lane3 p[4])
{
    const lane E[3][3] = {
        {b->E[0], b->E[3], b->E[4]}, {b->E[3], b->E[1], b->E[5]}, {b->E[4], b->E[5], b->E[2]}};
    if (of.position)
        p[0] = lane3_times(b->m, v[0]);
    for (int I = 0; of.directors && I < 3; I++) {
        if (of.position) {
            p[0] = add_times(p[0], b->c[I], v[1 + I]);
            p[1 + I] = lane3_times(b->c[I], v[0]);
        }
        for (int J = 0; J < 3; J++)
            p[1 + I] = J == 0 && !of.position ? lane3_times(E[I][J], v[1 + J])
                                              : add_times(p[1 + I], E[I][J], v[1 + J]);
    }
}

LANES_INLINE void set_inertia_of(const parts of, const olo_frame_pack *pack,
                                 const olo_frame_inertia *x)
{
    const lane a = lane_all(2 / x->h), h = lane_all(x->h), two = lane_all(2.0);
    lane3 change[4], start[4], force[4], p[4];
    gather(of, pack, x->dq, change);
    gather(of, pack, x->start, start);
    if (x->constant)
        gather(of, pack, x->constant, force);
    for (int I = first_of(of); I < end_of(of); I++) {
        change[I] = lane3_times(a, change[I]);
        if (!x->from_momentum)
            change[I] = lane3_subtract(change[I], lane3_times(two, start[I]));
    }
    times_mass(of, &pack->mass, change, p);
    for (int I = first_of(of); I < end_of(of); I++) {
        if (x->from_momentum)
            p[I] = lane3_subtract(p[I], lane3_times(two, start[I]));
        if (x->constant)
            p[I] = lane3_add(lane3_times(h, force[I]), p[I]);
    }
    scatter(of, pack, p, x->T);
}

static void set_inertia(const olo_frame_pack *pack, const olo_frame_inertia *x)
{
    FOR_EACH_PARTS(pack, set_inertia_of(PARTS, pack, x));
}

/* The vectors of one side of four pairs. */
LANES_INLINE void gather_side(const olo_frame_pair *pair, int side, const double *array,
                              lane3 out[4])
{
    const int *q = pair->q[side];
    const double *const from[LANES] = {array + q[0], array + q[1], array + q[2], array + q[3]};
    lanes_gather_frames(from, out);
}

/* a dq - 2 v0 of one side */
LANES_INLINE void gather_change(const olo_frame_pair *pair, int side, const olo_frame_inertia *x,
                                lane3 change[4])
{
    const lane a = lane_all(2 / x->h), two = lane_all(2.0);
    lane3 start[4];
    gather_side(pair, side, x->dq, change);
    if (!x->from_momentum)
        gather_side(pair, side, x->start, start);
    for (int I = 0; I < 4; I++) {
        change[I] = lane3_times(a, change[I]);
        if (!x->from_momentum)
            change[I] = lane3_subtract(change[I], lane3_times(two, start[I]));
    }
}

/* Whether the mass couples vector I of side `side` with vector J of the other one, and by what. */
LANES_INLINE bool is_filled(const olo_frame_pair *pair, int side, int I, int J)
{
    return (side ? pair->filled[J] >> I : pair->filled[I] >> J) & 1;
}

LANES_INLINE lane mass_between(const olo_frame_pair *pair, int side, int I, int J)
{
    return side ? pair->M[J][I] : pair->M[I][J];
}

static void add_inertia(const olo_frame_pair *pair, const olo_frame_inertia *x)
{
    lane3 change[2][4];
    gather_change(pair, 0, x, change[0]);
    gather_change(pair, 1, x, change[1]);
    for (int side = 0; side < 2; side++) {
        const int *q = pair->q[side];
        double *const to[LANES] = {x->T + q[0], x->T + q[1], x->T + q[2], x->T + q[3]};
        lane number[12];
        for (int I = 0; I < 4; I++) {
            lane3 p = lane3_times(lane_all(0.0), change[0][0]);
            for (int J = 0; J < 4; J++)
                if (is_filled(pair, side, I, J))
                    p = add_times(p, mass_between(pair, side, I, J), change[1 - side][J]);
            memcpy(number + 3 * I, p.x, sizeof p.x);
        }
        lanes_add_first(pair->count, 12, number, to);
    }
}

/* ---- right-hand sides ------------------------------------------------------------------------ */

/* sum a_I x b_I of directors */
LANES_INLINE lane3 moment_of(const lane3 a[4], const lane3 b[4])
{
    return lane3_add(lane3_add(lane3_cross(a[1], b[1]), lane3_cross(a[2], b[2])),
                     lane3_cross(a[3], b[3]));
}

/* w = [T_phi; sum d_I x T_I], as numbers of the twist */
LANES_INLINE void form_wrench(const parts of, const lane3 left[4], const lane3 T[4], lane w[6])
{
    const lane3 moment = of.directors ? moment_of(left, T) : T[0];
    for (int i = 0; i < 3; i++)
        w[i] = of.position ? T[0].x[i] : moment.x[i];
    for (int i = 0; of.position && of.directors && i < 3; i++)
        w[3 + i] = moment.x[i];
}

LANES_INLINE void fill_right_of(const parts of, const olo_frame_pack *pack, const double *left,
                                const double *T, const olo_frame_blocks *to)
{
    lane3 at[4], force[4];
    lane w[6];
    gather(of, pack, T, force);
    if (of.directors)
        gather(of, pack, left, at);
    form_wrench(of, at, force, w);
    lanes_add_first(pack->count, of.position && of.directors ? 6 : 3, w, to->right);
}

static void fill_right(const olo_frame_pack *pack, const double *left, const double *T,
                       const olo_frame_blocks *to)
{
    FOR_EACH_PARTS(pack, fill_right_of(PARTS, pack, left, T, to));
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

/* The block of a frame */
LANES_INLINE void frame_block(const lane m, lane3 Cm, lane3 C1, const lane S[3][3], lane trace,
                              lane K[36])
{
    const lane z = lane_all(0.0);
    const lane rows[6][6] = {{m, z, z, z, C1.x[2], -C1.x[1]},
                             {z, m, z, -C1.x[2], z, C1.x[0]},
                             {z, z, m, C1.x[1], -C1.x[0], z},
                             {z, -Cm.x[2], Cm.x[1], S[0][0] - trace, S[0][1], S[0][2]},
                             {Cm.x[2], z, -Cm.x[0], S[1][0], S[1][1] - trace, S[1][2]},
                             {-Cm.x[1], Cm.x[0], z, S[2][0], S[2][1], S[2][2] - trace}};
    memcpy(K, rows, sizeof rows);
}

LANES_INLINE void fill_of(const parts of, const olo_frame_pack *pack, const olo_frame_tangent *x,
                          const olo_frame_blocks *to)
{
    const lane factor = lane_all(x->factor), m = factor * pack->mass.m;
    lane3 T[4], left[4], end[4];
    lane S[3][3], trace = lane_all(0.0), K[36], w[6];
    gather(of, pack, x->T, T);
    if (of.directors) {
        gather(of, pack, x->left, left);
        gather(of, pack, x->q1, end);
        form_rotations(&pack->mass, x, T, left, end, S);
        trace = S[0][0] + S[1][1] + S[2][2];
    }
    form_wrench(of, left, T, w);
    if (of.position && of.directors) {
        const lane3 C1 = lane3_times(factor, lane3_combine(pack->mass.c, end + 1)),
                    Cm = lane3_times(factor, lane3_combine(pack->mass.c, left + 1));
        frame_block(m, Cm, C1, S, trace, K);
        lanes_add_first(pack->count, 36, K, to->K);
    } else if (of.directors) {
        for (int i = 0; i < 9; i++)
            K[i] = i % 4 == 0 ? S[i / 3][i % 3] - trace : S[i / 3][i % 3];
        lanes_add_first(pack->count, 9, K, to->K);
    } else {
        for (int l = 0; l < pack->count; l++)
            for (int i = 0; i < 9; i += 4)
                to->K[l][i] += m[l];
    }
    lanes_add_first(pack->count, of.position && of.directors ? 6 : 3, w, to->right);
}

static void fill(const olo_frame_pack *pack, const olo_frame_tangent *x, const olo_frame_blocks *to)
{
    FOR_EACH_PARTS(pack, fill_of(PARTS, pack, x, to));
}

/* The block of four frames `a` and the frames that they are coupled with: rows at `left` of a,
 * columns at `end` of the others. */
LANES_INLINE void fill_side(const olo_frame_pair *pair, int side, double factor,
                            const lane3 left[4], const lane3 end[4], double *const to[LANES])
{
    const lane zero = lane_all(0.0), f = lane_all(factor), less = lane_all(-factor);
    const lane3 none = {{zero, zero, zero}};
    lane3 C1 = none, Cm = none;
    lane S[3][3] = {{zero, zero, zero}, {zero, zero, zero}, {zero, zero, zero}}, K[36];
    for (int J = 1; J < 4; J++) {
        lane3 V = none;
        bool any = false;
        if (is_filled(pair, side, 0, J))
            C1 = add_times(C1, f * mass_between(pair, side, 0, J), end[J]);
        if (is_filled(pair, side, J, 0))
            Cm = add_times(Cm, f * mass_between(pair, side, J, 0), left[J]);
        for (int I = 1; I < 4; I++)
            if (is_filled(pair, side, I, J)) {
                V = add_times(V, less * mass_between(pair, side, I, J), left[I]);
                any = true;
            }
        for (int i = 0; any && i < 3; i++)
            for (int j = 0; j < 3; j++)
                S[i][j] += end[J].x[i] * V.x[j];
    }
    frame_block(f * mass_between(pair, side, 0, 0), Cm, C1, S, S[0][0] + S[1][1] + S[2][2], K);
    lanes_add_first(pair->count, 36, K, to);
}

static void fill_pair(const olo_frame_pair *pair, double factor, const double *left,
                      const double *q1, const olo_pair_blocks *to)
{
    lane3 of_left[2][4], end[2][4];
    for (int side = 0; side < 2; side++) {
        gather_side(pair, side, left, of_left[side]);
        gather_side(pair, side, q1, end[side]);
    }
    for (int side = 0; side < 2; side++)
        fill_side(pair, side, factor, of_left[side], end[1 - side], to->K[side]);
}

/* ---- motion ---------------------------------------------------------------------------------- */

LANES_INLINE void move_nodes(const parts of, const olo_frame_pack *pack, const lane3 motion[2],
                             olo_motion *x)
{
    lane3 q0[4], dq[4], qm[4], q1[4];
    gather(of, pack, x->q0, q0);
    if (of.position) {
        dq[0] = motion[0];
        qm[0] = add_times(q0[0], lane_all(0.5), motion[0]);
    }
    const lane scale = of.directors ? lane_cayley_scale(motion[1]) : lane_all(1.0);
    for (int I = 1; I < end_of(of); I++) {
        const lane_turned turned = lane_cayley_apply(motion[1], scale, q0[I]);
        dq[I] = turned.change;
        qm[I] = turned.mid;
    }
    for (int I = first_of(of); I < end_of(of); I++)
        q1[I] = lane3_add(q0[I], dq[I]);
    scatter(of, pack, dq, x->dq);
    scatter(of, pack, qm, x->qm);
    scatter(of, pack, q1, x->q1);
}

LANES_INLINE lane length(lane3 x)
{
    const lane square = lane3_dot(x, x);
    return (lane){sqrt(square[0]), sqrt(square[1]), sqrt(square[2]), sqrt(square[3])};
}

LANES_INLINE void update_of(const parts of, const olo_frame_pack *pack,
                            const double *const twist[LANES], double per_length, olo_motion *x,
                            olo_frame_measures *measures)
{
    double *const at[LANES] = {x->motion + pack->motion[0], x->motion + pack->motion[1],
                               x->motion + pack->motion[2], x->motion + pack->motion[3]};
    const double *const from[LANES] = {at[0], at[1], at[2], at[3]};
    lane3 change[2], motion[2];
    gather_twists(of, twist, change);
    gather_twists(of, from, motion);
    const lane per = lane_all(per_length), zero = lane_all(0.0),
               shift = of.position ? length(motion[0]) * per : zero,
               shifted = of.position ? length(change[0]) * per : zero,
               turn = of.directors ? length(motion[1]) : zero,
               turned = of.directors ? length(change[1]) : zero;
    lane_store(shifted + turned, measures->change);
    lane_store(shift + turn, measures->size);
    lane_store(turn, measures->turn);
    if (of.position)
        motion[0] = lane3_add(motion[0], change[0]);
    if (of.directors) {
        /* a += (I - a^/2 + a a^T/4) delta_omega */
        const lane along = 0.25 * lane3_dot(motion[1], change[1]);
        const lane3 cross = lane3_cross(motion[1], change[1]);
        for (int i = 0; i < 3; i++)
            motion[1].x[i] += change[1].x[i] - 0.5 * cross.x[i] + along * motion[1].x[i];
    }
    scatter_twists(of, motion, at);
    move_nodes(of, pack, motion, x);
}

static void update(const olo_frame_pack *pack, const double *const twist[LANES], double per_length,
                   olo_motion *x, olo_frame_measures *measures)
{
    FOR_EACH_PARTS(pack, update_of(PARTS, pack, twist, per_length, x, measures));
}

/* ---- velocities ------------------------------------------------------------------------------ */

LANES_INLINE void velocity_of(const parts of, const olo_frame_pack *pack, const double *q,
                              const double *twist, double *v)
{
    const double *const from[LANES] = {twist + pack->motion[0], twist + pack->motion[1],
                                       twist + pack->motion[2], twist + pack->motion[3]};
    lane3 t[2], d[4], out[4];
    gather_twists(of, from, t);
    if (of.directors)
        gather(of, pack, q, d);
    out[0] = t[0];
    for (int I = 1; I < end_of(of); I++)
        out[I] = lane3_cross(t[1], d[I]);
    scatter(of, pack, out, v);
}

static void velocity(const olo_frame_pack *pack, const double *q, const double *twist, double *v)
{
    FOR_EACH_PARTS(pack, velocity_of(PARTS, pack, q, twist, v));
}

LANES_INLINE void load_of(const parts of, const olo_frame_pack *pack, const olo_frame_load *x)
{
    const lane zero = lane_all(0.0);
    const int *to = pack->motion;
    double *const wrench[LANES] = {x->wrench + to[0], x->wrench + to[1], x->wrench + to[2],
                                   x->wrench + to[3]};
    double *const load[LANES] = {x->load + to[0], x->load + to[1], x->load + to[2],
                                 x->load + to[3]};
    lane3 r[4], at_qm[4], moving[4], out[2], turned[2] = {{{zero, zero, zero}}};
    gather(of, pack, x->r, r);
    out[0] = r[0];
    if (of.directors) {
        gather(of, pack, x->qm, at_qm);
        gather(of, pack, x->mean, moving);
        out[1] = moment_of(at_qm, r);
        turned[1] = moment_of(r, moving);
    }
    scatter_twists(of, out, wrench);
    scatter_twists(of, turned, load);
}

static void load(const olo_frame_pack *pack, const olo_frame_load *x)
{
    FOR_EACH_PARTS(pack, load_of(PARTS, pack, x));
}

const olo_frame_kernels OLO_FRAME_KERNELS = {.set_inertia = set_inertia,
                                             .add_inertia = add_inertia,
                                             .fill = fill,
                                             .fill_right = fill_right,
                                             .fill_pair = fill_pair,
                                             .update = update,
                                             .velocity = velocity,
                                             .load = load};
