/* The sweeps of Newton's method over packs of bodies (design: linear cost, lift). What belongs to a
 * body alone, its balance w, tangent S and joint A, B, k, d(A^^T) W, is in packs_local.h. Leaf to
 * root from K = S, z = w, with e the gap of the joint, for a joint of one degree of freedom:
 *
 *     y = B^^T K + k,  D = y B,  rho = B^^T z,  K' = K - (K B) y/D
 *     K_p += A^^T K' A + d(A^^T) W,   z_p += A^^T (z + K e - (K B) (rho + y e)/D)
 *
 * and root to leaf: t = A dt_p + e, dt_c = t - B (rho + y t)/D. A joint of several degrees of
 * freedom is a chain of such joints at one point: each takes K' and z' = z - (K B) rho/D of the one
 * before it, and the parent takes those of the last. Rotations fixed in the child come first, then
 * those motions whose axes the parent carries, for which k.d_omega_p = k.(d_omega - e_w). Joint
 * wrenches are those of the last step at first, then W_c = w_c + sum of A^^T W_k over the children
 * k. If the left pair is constant, K and K B are stored for iterations with an older tangent, which
 * compute z only.
 *
 * The elimination goes body by body in vectors of three numbers, all else over four bodies at once.
 */
#include <float.h>
#include <math.h>
#include <stddef.h>

#include "stepping/packs_closures.h"
#include "stepping/packs_elimination.h"
#include "stepping/packs_forces.h"
#include "stepping/packs_local.h"
#include "stepping/packs_projection.h"
#include "stepping/packs_rates.h"
#include "stepping/packs_right_side.h"
#include "stepping/packs_settle.h"

#ifndef OLO_PACKS_KERNELS
#define OLO_PACKS_KERNELS olo_packs_kernels_plain
#endif

/* --- memory --- */

/* Whether numbers are fetched before the turn of their four, which the processor would not foresee:
 * packs that fit into the cache would only lose time. */
LANES_INLINE bool comes_soon(const olo_packs *x, int i)
{
    const int large = 750; /* 3,000 bodies; an iteration reads about 1 kB of each */
    return x->fours >= large && i >= 0 && i < x->fours;
}

/* The first `bytes` of the numbers of a four, its bodies and slots. */
LANES_INLINE void prefetch_four(const olo_packs *x, int i, size_t bytes)
{
    if (!comes_soon(x, i))
        return;
    const char *numbers = (const char *)&x->four[i], *bodies = (const char *)&x->bodies[LANES * i],
               *at = (const char *)&x->slots[i];
    for (size_t k = 0; k < bytes; k += 64)
        __builtin_prefetch(numbers + k, 1);
    for (size_t k = 0; k < LANES * sizeof *x->bodies; k += 64)
        __builtin_prefetch(bodies + k, 1);
    for (size_t k = 0; k < sizeof *x->slots; k += 64)
        __builtin_prefetch(at + k);
}

/* `size` numbers of each body of a four. */
LANES_INLINE void prefetch_array(const double *array, const int offset[LANES], int size)
{
    for (int l = 0; l < LANES; l++)
        for (int k = 0; k < size; k += 8)
            __builtin_prefetch(array + offset[l] + k, 1);
}

/* The motion that the end of a step writes. */
LANES_INLINE void prefetch_end(const olo_packs *x, int i, const olo_step *step,
                               const double *wrench)
{
    if (!comes_soon(x, i))
        return;
    const slots *at = &x->slots[i];
    double *const arrays[] = {step->x.dq, step->x.qm, step->x.q1};
    prefetch_four(x, i, offsetof(four, origin_mass));
    prefetch_array(step->x.q0, at->q, 12);
    for (int k = 0; k < 3; k++)
        prefetch_array(arrays[k], at->q, 12);
    prefetch_array(step->x.motion, at->motion, 6);
    prefetch_array(wrench, at->motion, 6);
}

/* --- start --- */

/* a += (I - a^/2 + a a^T/4) spin */
LANES_INLINE lane3 turned_further(lane3 a, lane3 spin)
{
    const lane along = 0.25 * lane3_dot(a, spin);
    const lane3 turn = lane3_cross(a, spin);
    for (int i = 0; i < 3; i++)
        a.x[i] += spin.x[i] - 0.5 * turn.x[i] + along * a.x[i];
    return a;
}

/* Closes joints to first order, root to leaf: t_c = A t_p + e. */
LANES_INLINE void close_four(olo_packs *x, int i)
{
    const slots *at = &x->slots[i];
    const joints *j = at->joints;
    four *b = &x->four[i];
    body *c = x->bodies + LANES * i;
    turned_joints t;
    lane arm[LANES], lever[LANES];
    make_gaps(b, at, j, false, c, &t);
    scatter_lanes(lane3_add(b->arm0, t.arm.change), sizeof *arm, arm);
    if (j)
        scatter_lanes(lane3_times(j->levers, t.v1), sizeof *lever, lever);
    for (int l = 0; l < LANES; l++) {
        if (l >= at->count || at->free[l]) {
            c[l].twist[0] = c[l].twist[1] = lane_all(0.0);
            continue;
        }
        if (at->parent[l] >= 0 && at->waiting[l] < 0) { /* parents in other fours are closed */
            const body *parent = c + at->parent[l] % LANES;
            c[l].twist[0] += parent->twist[0] + vector_cross(parent->twist[1], arm[l]);
            c[l].twist[1] += parent->twist[1];
        }
        if (j)
            c[l].twist[0] += vector_cross(c[l].twist[1], lever[l]);
    }
    b->x = lane3_add(b->x, collect(c[0].twist[0], c[1].twist[0], c[2].twist[0], c[3].twist[0]));
    b->a =
        turned_further(b->a, collect(c[0].twist[1], c[1].twist[1], c[2].twist[1], c[3].twist[1]));
}

/* x->predicted by a mix, as olo_predictor_motion has it. */
LANES_INLINE void mix_rows(olo_packs *x, int twists, const olo_motion_mix *mix, const int rows,
                           const bool even)
{
    const int whole = twists - twists % LANES;
    for (int i = 0; i < whole; i += LANES) {
        lane sum = lane_load(mix->first + i);
        if (!even)
            sum = lane_all(mix->factor[0]) * sum;
        for (int k = 1; k < rows; k++) {
            const lane row = lane_load(mix->others + (size_t)(k - 1) * (size_t)twists + i);
            sum += even ? row : lane_all(mix->factor[k]) * row;
        }
        lane_store(sum, x->predicted + i);
    }
    for (int i = whole; i < twists; i++) {
        double sum = (even ? 1 : mix->factor[0]) * mix->first[i];
        for (int k = 1; k < rows; k++)
            sum += (even ? 1 : mix->factor[k]) *
                   mix->others[(size_t)(k - 1) * (size_t)twists + (size_t)i];
        x->predicted[i] = sum;
    }
}

/* Unrolled for most numbers of rows. */
static void predict_motions(olo_packs *x, int twists, const olo_motion_mix *mix)
{
    switch (mix->even ? mix->rows : -mix->rows) {
    case -1:
        mix_rows(x, twists, mix, 1, false);
        return;
    case -2:
        mix_rows(x, twists, mix, 2, false);
        return;
    case 1:
        mix_rows(x, twists, mix, 1, true);
        return;
    case 4:
        mix_rows(x, twists, mix, 4, true);
        return;
    case 5:
        mix_rows(x, twists, mix, 5, true);
        return;
    case 6:
        mix_rows(x, twists, mix, 6, true);
        return;
    case 7:
        mix_rows(x, twists, mix, 7, true);
        return;
    case 8:
        mix_rows(x, twists, mix, 8, true);
        return;
    case 9:
        mix_rows(x, twists, mix, 9, true);
        return;
    case OLO_PREDICTOR_MOTIONS:
        mix_rows(x, twists, mix, OLO_PREDICTOR_MOTIONS, true);
        return;
    default:
        mix_rows(x, twists, mix, mix->rows, mix->even);
    }
}

static void predict(olo_packs *x, const olo_step *step, double scale, const olo_motion_mix *mix,
                    bool framed)
{
    /* where motions are extrapolated well, the wrenches of the balance are better than the last,
     * which are without forces of relations */
    x->summed = (x->rate && mix->rows > 2) || (x->closures && x->closures->share_count > 0);
    predict_motions(x, step->state->twists, mix);
    for (int i = 0; i < x->fours; i++) {
        prefetch_four(x, i + 2, sizeof(four));
        if (!framed)
            set_frames(&x->four[i], &x->slots[i], step->x.q0);
        if (x->slots[i].forced)
            begin_forces(x, &x->slots[i], step);
        if (x->at_start)
            predict_four(x, i, step, scale, true);
        else
            predict_four(x, i, step, scale, false);
        if (x->rate || x->closures) /* open joints would be part of r, and loops converge faster */
            close_four(x, i);
        if (x->rate)
            guess_rates(x, i, step);
    }
    x->h = step->h;
    olo_anderson_restart(&x->mixing);
    x->older = false;
}

/* --- joint wrenches --- */

/* The sums of the parent of body l: in this four, or those that wait for its turn. NULL: the
 * ground. */
LANES_INLINE sums *above(const olo_packs *x, const slots *at, int l, sums *own)
{
    if (at->parent[l] < 0)
        return NULL;
    return at->waiting[l] < 0 ? own + at->parent[l] % LANES : x->waiting + at->waiting[l];
}

/* W_c = w_c + sum of A^^T W_k over the children k; w is in `own` as z. From what waits, for parents
 * in other fours too. */
LANES_INLINE void sum_wrenches(const olo_packs *x, const slots *at, const joint *joint_of,
                               sums *own)
{
    for (int l = 0; l < LANES; l++) {
        own[l].force = own[l].K[Z];
        own[l].moment = own[l].K[Z + 1];
        if (at->late[l] >= 0) {
            own[l].force += x->waiting[at->late[l]].force;
            own[l].moment += x->waiting[at->late[l]].moment;
        }
    }
    for (int l = at->count - 1; l >= 0; l--) {
        sums *to = above(x, at, l, own);
        if (!to)
            continue;
        const lane moment = own[l].moment + vector_cross(joint_of[l].arm_m, own[l].force);
        to->force = at->first[l] ? own[l].force : to->force + own[l].force;
        to->moment = at->first[l] ? moment : to->moment + moment;
    }
}

/* --- one body: elimination --- */

/* The arms of joint wrenches at the midpoint: those of levers reach to the child's joint point. */
LANES_INLINE lane3 whole_arm(const joints *j, const turned_joints *t)
{
    return lane3_add(t->arm.mid, lane3_times(j->levers, left_lever(j, t, false)));
}

/* Forces along joint coordinates; `rated`: rows have a value without them, too. */
LANES_INLINE void make_rows(olo_packs *x, int i, const olo_step *step, const turned_joints *turned,
                            const bool hinges_only, const bool rated, lane3 force, joint *joint_of)
{
    const slots *at = &x->slots[i];
    if (!hinges_only && at->forced)
        make_forces(x, i, step, turned, force, joint_of);
    for (int l = 0; rated && (hinges_only || (!at->joints && !at->forced)) && l < LANES; l++)
        joint_of[l].turn.row = 0;
}

/* The blocks of closure rows on four bodies; their joints are stored for the columns of closures.
 */
LANES_INLINE void add_closures(olo_packs *x, int i, const bool at_start, const joint *joint_of,
                               sums *own)
{
    const slots *at = &x->slots[i];
    for (int l = 0; l < LANES; l++) {
        x->closures->left[LANES * i + l] = (left_pair){joint_of[l].turn.left, joint_of[l].arm_m};
        for (int j = 0; !at_start && at->coupled[l] >= 0 && j < 2 * LOWER; j++)
            own[l].K[j] += x->closures->coupled[at->coupled[l]].columns[j];
    }
}

/* Sums and joints of four bodies; what has come from children in later fours is added. */
LANES_INLINE void make_four(olo_packs *x, int i, const olo_step *step, const bool at_start,
                            const bool hinges_only, const bool rated, sums *own, joint *joint_of)
{
    const slots *at = &x->slots[i];
    const four *b = &x->four[i];
    lane3 force = b->force, moment = b->moment;
    balance t;
    turned_joints here, *turned = rated ? &x->turned[i].joints : &here;
    make_bodies(b, 2 / step->h, at_start, rated ? &x->turned[i] : NULL, own, &t);
    const joints *j = hinges_only ? NULL : at->joints;
    const lane3 arm1 =
        make_joints(b, at, j, at_start, rated, x->bodies + LANES * i, joint_of, turned);
    if (x->summed && !at_start) {
        if (j)
            scatter_lanes(whole_arm(j, turned), sizeof *joint_of, &joint_of->arm_m);
        sum_wrenches(x, at, joint_of, own);
        force = collect(own[0].force, own[1].force, own[2].force, own[3].force);
        moment = collect(own[0].moment, own[1].moment, own[2].moment, own[3].moment);
    }
    if (j) {
        make_dofs(j, turned, at_start, force, moment, joint_of);
        /* a lever is eliminated at the joint point of the parent */
        const lane3 v = left_lever(j, turned, at_start);
        moment = lane3_add(moment, lane3_times(j->levers, lane3_cross(v, force)));
        scatter_lanes(at_start ? b->arm0 : turned->arm.mid, sizeof *joint_of, &joint_of->arm_m);
    }
    if (!at_start)
        make_variations(force, moment, turned->n1, arm1, joint_of);
    make_rows(x, i, step, turned, hinges_only, rated, force, joint_of);
    if (rated)
        add_loads(x, i, step, &t, turned, j, joint_of, own->K + Z + 1, sizeof *own);
    for (int l = 0; l < LANES; l++)
        for (int k = 0; at->late[l] >= 0 && k < SUMS; k++)
            own[l].K[k] += x->waiting[at->late[l]].K[k];
    if (x->closures)
        add_closures(x, i, at_start, joint_of, own);
}

/* Body l of a four; hinges_only: all joints are hinges without forces; rated: they have rows
 * without them. False: singular. */
LANES_INLINE bool eliminate_one(olo_packs *x, int i, int l, const bool at_start,
                                const bool hinges_only, const bool rated, const joint *joint_of,
                                sums *own)
{
    const slots *at = &x->slots[i];
    body *b = x->bodies + LANES * i + l;
    if (at->free[l])
        return eliminate_free(&own[l], b);
    if (!hinges_only && at->staged[l])
        return eliminate_joint(&own[l], &joint_of[l], at, l, at_start, b, x->stages + at->stage[l],
                               above(x, at, l, own));
    if (!hinges_only && at->ball[l])
        return eliminate_ball(&own[l], &joint_of[l], at->first[l], at_start, b,
                              above(x, at, l, own));
    return eliminate_body(&own[l], &joint_of[l], at->first[l], at_start,
                          !at_start && !hinges_only && at->forced, rated, b, above(x, at, l, own));
}

LANES_INLINE int eliminate_all(olo_packs *x, const olo_step *step, const bool at_start,
                               const bool hinges_only, const bool rated)
{
    for (int i = x->fours - 1; i >= 0; i--) {
        joint joint_of[LANES];
        sums passing[LANES], *own = x->stored ? x->stored + LANES * i : passing;
        prefetch_four(x, i - 2, offsetof(four, origin_mass));
        make_four(x, i, step, at_start, hinges_only, rated, own, joint_of);
        for (int l = x->slots[i].count - 1; l >= 0; l--)
            if (!eliminate_one(x, i, l, at_start, hinges_only, rated, joint_of, own))
                return LANES * i + l;
    }
    x->summed = true;
    return -1;
}

static int eliminate(olo_packs *x, const olo_step *step)
{
    if (x->at_start)
        return x->hinges_only ? eliminate_all(x, step, true, true, false)
                              : eliminate_all(x, step, true, false, false);
    if (x->rate)
        return x->hinges_only ? eliminate_all(x, step, false, true, true)
                              : eliminate_all(x, step, false, false, true);
    return x->hinges_only ? eliminate_all(x, step, false, true, false)
                          : eliminate_all(x, step, false, false, false);
}

/* --- the right side alone --- */

/* Four bodies, z their own right sides; what has come from children in later fours is added. */
LANES_INLINE void forward_bodies(olo_packs *x, int i, const joint *joint_of, const bool hinges_only,
                                 const bool varied, const bool rows, lane z[LANES][2])
{
    const slots *at = &x->slots[i];
    for (int l = 0; l < LANES; l++)
        for (int j = 0; at->late[l] >= 0 && j < 2; j++)
            z[l][j] += x->waiting[at->late[l]].K[Z + j];
    for (int l = at->count - 1; l >= 0; l--) {
        const sums *c = x->stored + LANES * i + l;
        const right_side of = {joint_of + l, varied, rows};
        body *to = x->bodies + LANES * i + l;
        lane *parent = at->parent[l] < 0    ? NULL
                       : at->waiting[l] < 0 ? z[at->parent[l] % LANES]
                                            : x->waiting[at->waiting[l]].K + Z;
        if (at->free[l])
            forward_free(c, z[l], to);
        else if (!hinges_only && at->lever[l])
            forward_lever(c, (column){z[l][0], z[l][1]}, &of, at, l, to, x->stages + at->stage[l],
                          parent);
        else if (!hinges_only && at->staged[l])
            forward_joint(c, (column){z[l][0], z[l][1]}, &of, at, l, to, x->stages + at->stage[l],
                          parent);
        else if (!hinges_only && at->ball[l])
            forward_ball(c, z[l], joint_of[l].arm_m, at->first[l], to, parent);
        else
            forward_body(c, z[l], &of, at->first[l], to, parent);
    }
}

LANES_INLINE void forward_four(olo_packs *x, int i, double a)
{
    const four *b = &x->four[i];
    const slots *at = &x->slots[i];
    lane z[LANES][2];
    joint joint_of[LANES];
    balance t;
    make_balance(b, a, true, NULL, &t);
    turned_joints turned;
    make_gaps(b, at, at->joints, false, x->bodies + LANES * i, &turned);
    scatter_lanes(t.T[0], sizeof *z, &z[0][0]);
    scatter_lanes(moment_of(b->d0, t.T), sizeof *z, &z[0][1]);
    scatter_lanes(b->n0, sizeof *joint_of, &joint_of->turn.left);
    scatter_lanes(b->arm0, sizeof *joint_of, &joint_of->arm_m);
    forward_bodies(x, i, joint_of, false, false, false, z);
}

/* The same if the left pair varies and velocities are unknowns. */
LANES_INLINE void forward_rated_four(olo_packs *x, int i, const olo_step *step,
                                     const bool hinges_only)
{
    const four *b = &x->four[i];
    const slots *at = &x->slots[i];
    const joints *j = hinges_only ? NULL : at->joints;
    const lane zero = lane_all(0.0);
    const lane3 none = {{zero, zero, zero}};
    lane z[LANES][2];
    joint joint_of[LANES];
    balance t;
    turned_joints *turned = &x->turned[i].joints;
    make_balance(b, 2 / step->h, false, &x->turned[i], &t);
    make_gaps(b, at, j, true, x->bodies + LANES * i, turned);
    scatter_lanes(t.T[0], sizeof *z, &z[0][0]);
    scatter_lanes(moment_of(t.d_m, t.T), sizeof *z, &z[0][1]);
    scatter_lanes(turned->n.mid, sizeof *joint_of, &joint_of->turn.left);
    scatter_lanes(turned->arm.mid, sizeof *joint_of, &joint_of->arm_m);
    if (j)
        make_dofs(j, turned, false, none, none, joint_of);
    make_rows(x, i, step, turned, hinges_only, true, none, joint_of);
    add_loads(x, i, step, &t, turned, j, joint_of, &z[0][1], sizeof *z);
    forward_bodies(x, i, joint_of, hinges_only, true, true, z);
}

static void forward(olo_packs *x, const olo_step *step)
{
    for (int i = x->fours - 1; i >= 0; i--)
        if (x->rate && x->hinges_only)
            forward_rated_four(x, i, step, true);
        else if (x->rate)
            forward_rated_four(x, i, step, false);
        else
            forward_four(x, i, 2 / step->h);
}

/* --- back --- */

LANES_INLINE void substitute_body(body *c, const body *parent, bool ball)
{
    lane t = c->twist[0], w = c->twist[1];
    if (parent) {
        t += parent->twist[0] + vector_cross(parent->twist[1], c->arm1);
        w += parent->twist[1];
    }
    if (ball) {
        const lane V[3] = {c->y[0], c->y[1], c->n1};
        c->twist[0] = t;
        c->twist[1] = -(c->twist[1] + times_three(V, t));
        return;
    }
    const double du = -(c->y[0][3] + vector_sum(c->y[0] * t + c->y[1] * w));
    c->twist[0] = t;
    c->twist[1] = w + du * c->n1;
}

/* From the joint point of the parent to that of the child, and the translations. */
LANES_INLINE void substitute_lever(body *c, const slots *at, int l, const stage *first)
{
    lane t = c->twist[0] + vector_cross(c->twist[1], first->b), w = c->twist[1];
    for (int k = __builtin_popcount(at->slides[l]); k > 0; k--)
        t += -(first[k].y[0][3] + vector_sum(first[k].y[0] * t + first[k].y[1] * w)) * first[k].b;
    c->twist[0] = t;
}

/* The stages of a joint, those of the parent's axes first. */
LANES_INLINE void substitute_joint(body *c, const body *parent, const slots *at, int l,
                                   const stage *first)
{
    const olo_joint_rotation rotation = at->rotation[l];
    lane t = c->twist[0], w = turn_gap(c, rotation);
    if (parent) {
        t += parent->twist[0] + vector_cross(parent->twist[1], c->arm1);
        w += parent->twist[1];
    }
    const int rotations = stages_of_rotation(rotation);
    int k = rotations + __builtin_popcount(at->slides[l]) - 1;
    for (; k >= rotations; k--) {
        const stage *s = first + k;
        t += -(s->y[0][3] + vector_sum(s->y[0] * t + s->y[1] * w)) * s->b;
    }
    if (rotation == OLO_ROTATION_ALL) {
        const lane V[3] = {c->y[0], c->y[1], c->n1};
        w = -(c->twist[1] + times_three(V, t));
        k = -1;
    }
    for (; k >= 0; k--) {
        const stage *s = first + k;
        w += -(s->y[0][3] + vector_sum(s->y[0] * t + s->y[1] * w)) * s->b;
    }
    c->twist[0] = t;
    c->twist[1] = w;
}

/* How far bodies move by an update and have moved before: lengths over the model's length, plus
 * angles. */
typedef struct measures {
    lane change, sum, size, turn, worst;
} measures;

LANES_INLINE void measure(const four *b, lane3 shift, lane3 spin, lane per_length, int i,
                          measures *m)
{
    const lane change = per_length * lane3_norm(shift) + lane3_norm(spin), turn = lane3_norm(b->a);
    m->worst = lane_choose(change > m->change, lane_all(i), m->worst);
    m->change = lane_larger(change, m->change);
    m->sum += change;
    m->size = lane_larger(per_length * lane3_norm(b->x) + turn, m->size);
    m->turn = lane_larger(turn, m->turn);
}

/* The changes of four bodies. */
LANES_INLINE void substitute_bodies(olo_packs *x, int i, const bool hinges_only, lane3 *shift,
                                    lane3 *spin)
{
    const slots *at = &x->slots[i];
    body *c = x->bodies + LANES * i;
    for (int l = 0; l < at->count; l++) {
        const body *parent = at->parent[l] >= 0 ? x->bodies + at->parent[l] : NULL;
        if (!hinges_only && at->staged[l] && !at->lever[l])
            substitute_joint(&c[l], parent, at, l, x->stages + at->stage[l]);
        else if (!at->free[l])
            substitute_body(&c[l], parent, !hinges_only && at->rotation[l] == OLO_ROTATION_ALL);
        if (!hinges_only && at->lever[l])
            substitute_lever(&c[l], at, l, x->stages + at->stage[l]);
    }
    for (int l = at->count; l < LANES; l++)
        c[l].twist[0] = c[l].twist[1] = lane_all(0.0);
    *shift = collect(c[0].twist[0], c[1].twist[0], c[2].twist[0], c[3].twist[0]);
    *spin = collect(c[0].twist[1], c[1].twist[1], c[2].twist[1], c[3].twist[1]);
}

static double largest_of(lane x)
{
    return fmax(fmax(x[0], x[1]), fmax(x[2], x[3]));
}

/* Moves four bodies; velocities follow: v1 = (2/h) dq - v0 up to the projection. */
LANES_INLINE void move_four(olo_packs *x, int i, lane3 shift, lane3 spin)
{
    four *b = &x->four[i];
    b->x = lane3_add(b->x, shift);
    b->a = turned_further(b->a, spin);
    if (x->rate) {
        const lane a = lane_all(2 / x->h);
        x->rate[i].V = lane3_add(x->rate[i].V, lane3_times(a, shift));
        x->rate[i].w = lane3_add(x->rate[i].w, lane3_times(a, spin));
    }
}

/* Moves all bodies by updates that are mixed with those before them, if convergence is linear: fast
 * convergence is quadratic, and has no directions of its own. */
static bool move_mixed(olo_packs *x, double change)
{
    const double slow = 4e-4;
    const bool mixed = x->mixing.count > 0 && change > slow * x->change;
    const double *made = olo_anderson_next(&x->mixing, mixed);
    for (int i = 0; i < x->fours; i++) {
        lane3 update[2];
        memcpy(update, made + UPDATE * i, sizeof update);
        move_four(x, i, update[0], update[1]);
    }
    x->change = change;
    return mixed;
}

LANES_INLINE void substitute_all(olo_packs *x, const bool hinges_only, measures *m)
{
    const lane per_length = lane_all(x->per_length);
    double *found = x->rate ? olo_anderson_found(&x->mixing) : NULL;
    for (int i = 0; i < x->fours; i++) {
        lane3 update[2];
        prefetch_four(x, i + 2, offsetof(four, force));
        substitute_bodies(x, i, hinges_only, &update[0], &update[1]);
        measure(&x->four[i], update[0], update[1], per_length, i, m);
        if (found)
            memcpy(found + UPDATE * i, update, sizeof update);
        else
            move_four(x, i, update[0], update[1]);
    }
}

static void substitute(olo_packs *x, olo_newton *newton)
{
    const lane zero = {0, 0, 0, 0};
    measures m = {zero, zero, zero, zero, zero};
    if (x->hinges_only)
        substitute_all(x, true, &m);
    else
        substitute_all(x, false, &m);
    if (x->rate)
        newton->mixed |= move_mixed(x, largest_of(m.change));
    const double total = (m.sum[0] + m.sum[1]) + (m.sum[2] + m.sum[3]);
    newton->increment = isfinite(total) ? largest_of(m.change) : total;
    newton->size = largest_of(m.size);
    newton->turn = largest_of(m.turn);
    /* the first lane with the largest change: a lane without a body never changes */
    int l = 0;
    while (l < LANES - 1 && m.change[l] != largest_of(m.change))
        l++;
    newton->worst = LANES * (int)m.worst[l] + l;
}

/* --- the end --- */

/* The arms of joint wrenches, at the start and at the midpoint. */
LANES_INLINE lane3 start_arm(const four *b, const slots *at)
{
    return at->joints ? lane3_add(b->arm0, lane3_times(at->joints->levers, at->joints->v0))
                      : b->arm0;
}

LANES_INLINE lane3 middle_arm(const four *b, const slots *at)
{
    const lane3 x_p = parents_vector(at, 0), a_p = parents_vector(at, 3);
    const lane3 arm_m = lane_cayley_apply(a_p, lane_cayley_scale(a_p), b->arm0).mid;
    if (!at->joints)
        return arm_m;
    const joints *j = at->joints;
    const lane3 moved = lane3_subtract(b->x, x_p), half = lane3_times(lane_all(0.5), moved),
                reached = lane3_times(
                    lane_all(0.5), lane_cayley_apply(a_p, lane_cayley_scale(a_p), b->arm0).change);
    const lane3 lever = lane3_add(lane3_add(arm_m, j->v0), lane3_subtract(half, reached));
    return lane3_choose(j->levers > lane_all(0.0), lever,
                        lane3_choose(j->slides > lane_all(0.0), lane3_add(b->arm0, half), arm_m));
}

/* The wrenches at the solution, from leaf to root, about the origins. */
LANES_INLINE void write_wrenches(olo_packs *x, int i, const balance *t, const bool at_start,
                                 olo_step *step, double *wrench)
{
    const slots *at = &x->slots[i];
    const four *b = &x->four[i];
    const lane3 *left = left_directors(b, t, at_start), rho = lane3_combine(b->pivot, left);
    const lane share = lane_all(1 / step->weight);
    joint joint_of[LANES];
    sums own[LANES];
    scatter_lanes(at_start ? start_arm(b, at) : middle_arm(b, at), sizeof *joint_of,
                  &joint_of->arm_m);
    scatter_lanes(t->T[0], sizeof *own, own->K + Z);
    scatter_lanes(moment_of(left, t->T), sizeof *own, own->K + Z + 1);
    sum_wrenches(x, at, joint_of, own);
    lane3 force = collect(own[0].force, own[1].force, own[2].force, own[3].force),
          moment = collect(own[0].moment, own[1].moment, own[2].moment, own[3].moment);
    if (at->forced)
        finish_forces(x, i, step, &force, &moment);
    const lane3 about = lane3_add(moment, lane3_cross(rho, force));
    if (at_start)
        scatter_twists(lane3_times(share, force), lane3_times(share, about), at, wrench);
    else
        scatter_twists(force, about, at, wrench);
}

/* The momentum at the end, 1/2 (M (2/h) dq - h f); returns the energy 1/(2h^2) dq.M dq + f.q_m over
 * the step, times h. */
LANES_INLINE lane write_momenta(const four *b, const slots *at, const balance *t, const lane3 dq[4],
                                const lane3 q_m[4], olo_step *step)
{
    const lane half = lane_all(0.5), quarter = lane_all(0.25);
    lane3 p[4];
    lane action = lane_all(0.0);
    for (int I = 0; I < 4; I++) {
        p[I] = lane3_times(half, lane3_subtract(t->p[I], b->impulse[I]));
        action += quarter * lane3_dot(dq[I], t->p[I]) + lane3_dot(b->impulse[I], q_m[I]);
    }
    scatter_frames(p, at, step->momentum);
    for (int l = at->count; l < LANES; l++)
        action[l] = 0;
    return action;
}

/* v0 + v1 of four bodies whose directors change by dd, and v1 unless NULL. */
LANES_INLINE void conclude_rates(olo_packs *x, int i, const lane3 dd[3], double *v1)
{
    lane3 d1[3];
    end_directors(&x->four[i], dd, d1);
    set_both(&x->four[i], d1, &x->rate[i]);
    if (v1)
        write_velocities(&x->four[i], &x->slots[i], &x->rate[i], d1, v1);
}

/* The directors, velocities and momenta of four bodies at the solution. */
LANES_INLINE void conclude_four(olo_packs *x, int i, olo_step *step, balance *t)
{
    const four *b = &x->four[i];
    end_rates *v = &x->rate[i];
    turn_directors(b, t->d_m, t->dd);
    if (x->following && !x->closures) /* else they are known */
        conclude_rates(x, i, t->dd, step->v1);
    balance_momenta(b, v, impulses_of(x, i), t->T);
}

LANES_INLINE lane finish_four(olo_packs *x, int i, const bool at_start, const bool rated,
                              olo_step *step, double *wrench)
{
    const slots *at = &x->slots[i];
    const four *b = &x->four[i];
    balance t;
    lane3 dq[4], q_m[4];
    prefetch_end(x, i - 2, step, wrench);
    if (rated)
        conclude_four(x, i, step, &t);
    else
        make_balance(b, 2 / step->h, at_start, NULL, &t);
    memcpy(q_m + 1, t.d_m, sizeof t.d_m);
    memcpy(dq + 1, t.dd, sizeof t.dd);
    if (at_start || !x->closures) /* else it is there from the last iteration */
        write_frames(b, at, dq, q_m, step);
    write_wrenches(x, i, &t, at_start, step, wrench);
    return at_start ? write_momenta(b, at, &t, dq, q_m, step) : lane_all(0.0);
}

static void finish(olo_packs *x, olo_step *step, double *wrench)
{
    lane action = lane_all(0.0);
    for (int i = x->fours - 1; i >= 0; i--)
        if (x->at_start)
            action += finish_four(x, i, true, false, step, wrench);
        else if (x->rate)
            (void)finish_four(x, i, false, true, step, wrench);
        else
            (void)finish_four(x, i, false, false, step, wrench);
    step->energy =
        step->constant_energy + ((action[0] + action[1]) + (action[2] + action[3])) / step->h;
    step->concluded = x->at_start;
}

/* The velocity that satisfies the joints, from the momentum at q_end (packs_projection.h). */
LANES_INLINE bool project_one(olo_packs *x, int i, int l, const end_joint *joint_of,
                              lane own[LANES][END_SUMS])
{
    const slots *at = &x->slots[i];
    body *b = x->bodies + LANES * i + l;
    lane *parent = at->parent[l] < 0    ? NULL
                   : at->waiting[l] < 0 ? own[at->parent[l] % LANES]
                                        : x->waiting[at->waiting[l]].K;
    if (at->free[l])
        return solve_free_end(own[l], b);
    if (at->lever[l])
        return eliminate_lever_end(own[l], &joint_of[l], at, l, b, x->stages + at->stage[l],
                                   parent);
    if (at->staged[l])
        return eliminate_joint_end(own[l], &joint_of[l], at, l, b, x->stages + at->stage[l],
                                   parent);
    return at->ball[l] ? eliminate_ball_end(own[l], at->first[l], b, parent)
                       : eliminate_end(own[l], at->first[l], b, parent);
}

static int project(olo_packs *x, olo_step *step)
{
    for (int i = x->fours - 1; i >= 0; i--) {
        lane own[LANES][END_SUMS];
        end_joint joint_of[LANES];
        make_end(x, i, step, joint_of, own);
        for (int l = x->slots[i].count - 1; l >= 0; l--)
            if (!project_one(x, i, l, joint_of, own))
                return LANES * i + l;
    }
    for (int i = 0; i < x->fours; i++) {
        const slots *at = &x->slots[i];
        body *b = x->bodies + LANES * i;
        for (int l = 0; l < at->count; l++) {
            const body *parent = at->parent[l] >= 0 ? x->bodies + at->parent[l] : NULL;
            if (at->staged[l] && !at->lever[l])
                substitute_joint_end(b + l, parent, at, l, x->stages + at->stage[l]);
            else if (!at->free[l])
                substitute_end(b + l, parent, at->rotation[l] == OLO_ROTATION_ALL);
            if (at->lever[l])
                substitute_lever_end(b + l, at, l, x->stages + at->stage[l]);
        }
        take_end(x, i, step);
    }
    return -1;
}

/* --- velocities that are unknowns (packs_rates.h) --- */

LANES_INLINE int eliminate_rates(olo_packs *x, const olo_step *step, const bool older,
                                 const bool hinges_only)
{
    olo_packs *mass = x->mass;
    for (int i = x->fours - 1; i >= 0; i--) {
        const slots *at = &x->slots[i];
        const bool rows = !hinges_only && at->forced; /* of relations */
        sums *own = mass->stored + LANES * i;
        joint joint_of[LANES];
        lane3 force, moment;
        make_projection(&x->four[i], &x->rate[i], 2 / step->h, impulses_of(x, i), !older,
                        &x->turned[i], &force, &moment, own);
        make_rate_joints(x, i, hinges_only ? NULL : at->joints, !older, joint_of);
        if (mass->closures && !older)
            add_closures(mass, i, true, joint_of, own);
        if (older) {
            lane z[LANES][2];
            scatter_lanes(force, sizeof *z, &z[0][0]);
            scatter_lanes(moment, sizeof *z, &z[0][1]);
            forward_bodies(mass, i, joint_of, hinges_only, true, rows, z);
            continue;
        }
        scatter_lanes(force, sizeof *own, own->K + Z);
        scatter_lanes(moment, sizeof *own, own->K + Z + 1);
        for (int l = 0; l < LANES; l++)
            for (int k = 0; at->late[l] >= 0 && k < SUMS; k++)
                own[l].K[k] += mass->waiting[at->late[l]].K[k];
        for (int l = at->count - 1; l >= 0; l--)
            if (!eliminate_one(mass, i, l, true, hinges_only, rows, joint_of, own))
                return LANES * i + l;
    }
    return -1;
}

/* Root to leaf: the velocities of four bodies. */
LANES_INLINE void substitute_rates(olo_packs *x, int i, const bool hinges_only, double *v1)
{
    end_rates *v = &x->rate[i];
    lane3 shift, spin;
    substitute_bodies(x->mass, i, hinges_only, &shift, &spin);
    v->V = lane3_add(v->V, shift);
    v->w = lane3_add(v->w, spin);
    conclude_rates(x, i, x->turned[i].dd, v1);
}

LANES_INLINE int project_all(olo_packs *x, const olo_step *step, bool older, const bool hinges_only,
                             double *v1)
{
    int singular = older ? eliminate_rates(x, step, true, hinges_only)
                         : eliminate_rates(x, step, false, hinges_only);
    if (singular < 0 && x->closures)
        singular = olo_packs_solve_closures(x->mass, older);
    for (int i = 0; i < x->fours && singular < 0; i++)
        substitute_rates(x, i, hinges_only, v1);
    return singular;
}

static int project_rates(olo_packs *x, const olo_step *step, bool older, double *v1)
{
    return x->hinges_only ? project_all(x, step, older, true, v1)
                          : project_all(x, step, older, false, v1);
}

static void write_rates(olo_packs *x, double *v1)
{
    for (int i = 0; i < x->fours; i++) {
        lane3 d_m[3], dd[3];
        turn_directors(&x->four[i], d_m, dd);
        conclude_rates(x, i, dd, v1);
    }
}

/* --- what the last motions predict --- */

LANES_INLINE void pass_some(const double *now, int twists, double *row, const int motions,
                            double *missed)
{
    const int whole = twists - twists % LANES;
    lane sum[OLO_PREDICTOR_MOTIONS];
    memset(sum, 0, sizeof sum);
    for (int i = 0; i < whole; i += LANES) {
        lane e = lane_load(now + i);
        for (int k = 0; k < motions; k++) {
            double *d = row + (size_t)k * (size_t)twists + i;
            const lane before = lane_load(d);
            lane_store(e, d);
            e -= before;
            sum[k] += e * e;
        }
    }
    for (int i = whole; i < twists; i++) {
        double e = now[i];
        for (int k = 0; k < motions; k++) {
            double *d = row + (size_t)k * (size_t)twists + i;
            const double before = *d;
            *d = e;
            e -= before;
            sum[k][0] += e * e;
        }
    }
    for (int k = 0; k < motions; k++)
        missed[k + 1] = (sum[k][0] + sum[k][1]) + (sum[k][2] + sum[k][3]);
}

/* Unrolled for most numbers of motions. */
static void pass_motions(const double *now, int twists, double *row, int motions,
                         double missed[OLO_PREDICTOR_MOTIONS + 1])
{
    switch (motions) {
    case 2:
        pass_some(now, twists, row, 2, missed);
        return;
    case 3:
        pass_some(now, twists, row, 3, missed);
        return;
    case 4:
        pass_some(now, twists, row, 4, missed);
        return;
    case 5:
        pass_some(now, twists, row, 5, missed);
        return;
    case 6:
        pass_some(now, twists, row, 6, missed);
        return;
    case 7:
        pass_some(now, twists, row, 7, missed);
        return;
    case 8:
        pass_some(now, twists, row, 8, missed);
        return;
    case 9:
        pass_some(now, twists, row, 9, missed);
        return;
    case OLO_PREDICTOR_MOTIONS:
        pass_some(now, twists, row, OLO_PREDICTOR_MOTIONS, missed);
        return;
    default:
        pass_some(now, twists, row, motions, missed);
    }
}

const olo_packs_kernels OLO_PACKS_KERNELS = {.predict = predict,
                                             .eliminate = eliminate,
                                             .forward = forward,
                                             .substitute = substitute,
                                             .finish = finish,
                                             .motion_pass = pass_motions,
                                             .project = project,
                                             .project_rates = project_rates,
                                             .write_rates = write_rates,
                                             .settle = settle};
