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

#include "stepping/packs_closures.h"
#include "stepping/packs_local.h"
#include "stepping/packs_projection.h"
#include "stepping/packs_rates.h"

#ifndef OLO_PACKS_KERNELS
#define OLO_PACKS_KERNELS olo_packs_kernels_plain
#endif

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
    make_gaps(b, at, j, c, &t);
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

static void predict(olo_packs *x, const olo_step *step, double scale, const olo_motion_mix *mix,
                    bool framed)
{
    for (int i = 0; i < x->fours; i++) {
        if (!framed)
            set_frames(&x->four[i], &x->slots[i], step->x.q0);
        if (x->slots[i].forced)
            begin_forces(x, &x->slots[i], step);
        if (x->at_start)
            predict_four(x, i, step, scale, mix, true);
        else
            predict_four(x, i, step, scale, mix, false);
        if (x->rate || x->closures) /* open joints would be part of r, and loops converge faster */
            close_four(x, i);
        if (x->rate)
            guess_rates(x, i, step);
    }
    x->h = step->h;
    /* where motions are extrapolated well, the wrenches of the balance are better than the last,
     * which are without forces of relations */
    x->summed = (x->rate && mix->differences > 1) || (x->closures && x->closures->share_count > 0);
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
    turned_joints turned;
    make_bodies(b, 2 / step->h, at_start, own, &t);
    const joints *j = hinges_only ? NULL : at->joints;
    const lane3 arm1 = make_joints(b, at, j, at_start, x->bodies + LANES * i, joint_of, &turned);
    if (x->summed && !at_start) {
        if (j)
            scatter_lanes(whole_arm(j, &turned), sizeof *joint_of, &joint_of->arm_m);
        sum_wrenches(x, at, joint_of, own);
        force = collect(own[0].force, own[1].force, own[2].force, own[3].force);
        moment = collect(own[0].moment, own[1].moment, own[2].moment, own[3].moment);
    }
    if (j) {
        make_dofs(j, &turned, at_start, force, moment, joint_of);
        /* a lever is eliminated at the joint point of the parent */
        const lane3 v = left_lever(j, &turned, at_start);
        moment = lane3_add(moment, lane3_times(j->levers, lane3_cross(v, force)));
        scatter_lanes(at_start ? b->arm0 : turned.arm.mid, sizeof *joint_of, &joint_of->arm_m);
    }
    if (!at_start)
        make_variations(force, moment, turned.n1, arm1, joint_of);
    make_rows(x, i, step, &turned, hinges_only, rated, force, joint_of);
    if (rated)
        add_loads(x, i, step, &t, &turned, j, joint_of, own->K + Z + 1, sizeof *own);
    for (int l = 0; l < LANES; l++)
        for (int k = 0; at->late[l] >= 0 && k < SUMS; k++)
            own[l].K[k] += x->waiting[at->late[l]].K[k];
    if (x->closures)
        add_closures(x, i, at_start, joint_of, own);
}

/* v^T of six columns, v a vector of three: the products of three numbers are summed across */
LANES_INLINE lane sums_of(lane a, lane b, lane c)
{
    lane row[4];
    lanes_transpose(a, b, c, lane_all(0.0), row);
    return (row[0] + row[1]) + row[2];
}

/* A column of K, or z. */
typedef struct column {
    lane upper, lower;
} column;

LANES_INLINE column column_of(const sums *c, int j)
{
    return (column){c->K[j], c->K[LOWER + j]};
}

/* z, or K B where that is stored */
LANES_INLINE column column_right(const sums *c)
{
    return (column){c->K[Z], c->K[Z + 1]};
}

/* x + s y, and x + s y - t z */
LANES_INLINE column column_add(column x, double s, column y)
{
    return (column){x.upper + s * y.upper, x.lower + s * y.lower};
}

LANES_INLINE column column_shift(column x, double s, column y, double t, column z)
{
    return (column){x.upper + (s * y.upper - t * z.upper), x.lower + (s * y.lower - t * z.lower)};
}

/* A^^T x to the parent, which has nothing yet if this is the first */
LANES_INLINE void give(column x, lane arm_m, const bool first, lane *upper, lane *lower)
{
    const lane moment = x.lower + vector_cross(arm_m, x.upper);
    *upper = first ? x.upper : *upper + x.upper;
    *lower = first ? moment : *lower + moment;
}

/* K_p += A^^T (K - (K B) y/D) A + variation, z_p += A^^T z; rigid: without B */
LANES_INLINE void add_to_parent(const sums *c, const body *b, const joint *h, column KB, column z,
                                const bool rigid, const bool first, const bool at_start, sums *to)
{
    const lane y = b->y[0], y_w = b->y[1], arm = b->arm1;
    column k0 = column_of(c, 0), k1 = column_of(c, 1), k2 = column_of(c, 2), k3 = column_of(c, 3),
           k4 = column_of(c, 4), k5 = column_of(c, 5);
    if (!rigid) {
        k0 = column_add(k0, -y[0], KB);
        k1 = column_add(k1, -y[1], KB);
        k2 = column_add(k2, -y[2], KB);
        k3 = column_add(k3, -y_w[0], KB);
        k4 = column_add(k4, -y_w[1], KB);
        k5 = column_add(k5, -y_w[2], KB);
    }
    k3 = column_shift(k3, arm[1], k2, arm[2], k1);
    k4 = column_shift(k4, arm[2], k0, arm[0], k2);
    k5 = column_shift(k5, arm[0], k1, arm[1], k0);
    if (!at_start) {
        k3.lower += h->variation[0];
        k4.lower += h->variation[1];
        k5.lower += h->variation[2];
    }
    lane *upper = to->K, *lower = to->K + LOWER;
    give(k0, h->arm_m, first, upper, lower);
    give(k1, h->arm_m, first, upper + 1, lower + 1);
    give(k2, h->arm_m, first, upper + 2, lower + 2);
    give(k3, h->arm_m, first, upper + 3, lower + 3);
    give(k4, h->arm_m, first, upper + 4, lower + 4);
    give(k5, h->arm_m, first, upper + 5, lower + 5);
    give(z, h->arm_m, first, to->K + Z, to->K + Z + 1);
}

/* z + K e */
LANES_INLINE column add_gap(const sums *c, column z, lane e, lane e_w)
{
    z = column_add(column_add(z, e[0], column_of(c, 0)), e_w[0], column_of(c, 3));
    z = column_add(column_add(z, e[1], column_of(c, 1)), e_w[1], column_of(c, 4));
    return column_add(column_add(z, e[2], column_of(c, 2)), e_w[2], column_of(c, 5));
}

/* z + K e - (K B) rho_e */
LANES_INLINE column shifted_right(const sums *c, column z, column KB, const body *b, double rho_e)
{
    return add_gap(c, column_add(z, -rho_e, KB), b->twist[0], b->twist[1]);
}

LANES_INLINE double rho_of(const body *b)
{
    return b->y[0][3] + vector_sum(b->y[0] * b->twist[0] + b->y[1] * b->twist[1]);
}

LANES_INLINE bool eliminate_body(sums *c, const joint *h, bool first, const bool at_start,
                                 bool has_forces, const bool rated, body *b, sums *parent)
{
    const lane *w = c->K + LOWER, n1 = b->n1, n_m = h->turn.left;
    const lane y = sums_of(n_m * w[0], n_m * w[1], n_m * w[2]),
               y_left = sums_of(n_m * w[3], n_m * w[4], n_m * w[5]);
    lane y_w = at_start ? y_left : y_left + h->turn.k;
    double D = vector_sum(y_w * n1), row = vector_sum(n_m * c->K[Z + 1]);
    if (has_forces) {
        /* a force along the angle varies by r_p.dw_p + r n1.(dw_c - dw_p) */
        y_w += h->turn.by_parent;
        D = vector_sum(y_w * n1) + h->turn.pivot;
    }
    if (has_forces || rated)
        row += h->turn.row;
    const double inverse = 1.0 / D;
    if (!(fabs(inverse) <= DBL_MAX))
        return false;
    b->y[0] = y * inverse;
    b->y[1] = y_w * inverse;
    b->y[0][3] = row * inverse;
    b->y[1][3] = inverse;
    if (!parent)
        return true;
    const column k3 = column_of(c, 3), k4 = column_of(c, 4), k5 = column_of(c, 5);
    const column KB = {n1[0] * k3.upper + n1[1] * k4.upper + n1[2] * k5.upper,
                       n1[0] * k3.lower + n1[1] * k4.lower + n1[2] * k5.lower};
    const column z = shifted_right(c, column_right(c), KB, b, rho_of(b));
    c->K[Z] = KB.upper;
    c->K[Z + 1] = KB.lower;
    if (first)
        add_to_parent(c, b, h, KB, z, false, true, at_start, parent);
    else
        add_to_parent(c, b, h, KB, z, false, false, at_start, parent);
    return true;
}

/* A ball joint, B = B^ = [0; I]: with K = [K_xx K_xw; K_wx D], V = D^-1 K_wx and s = D^-1 z_w only
 *
 *     Q = K_xx - K_xw V,    z_x + Q e - K_xw s
 *
 * is left for the parent. D^-1 replaces D for iterations with an older tangent. */
LANES_INLINE bool eliminate_ball(sums *c, const joint *h, bool first, const bool at_start, body *b,
                                 sums *parent)
{
    const lane zero = lane_all(0.0), arm = b->arm1, *K_xw = c->K + 3;
    lane inverse[4], Q[3];
    if (!invert_three(c->K + LOWER + 3, inverse))
        return false;
    const lane V[3] = {times_three(inverse, c->K[LOWER]), times_three(inverse, c->K[LOWER + 1]),
                       times_three(inverse, c->K[LOWER + 2])};
    memcpy(c->K + LOWER + 3, inverse, 3 * sizeof *inverse);
    b->y[0] = V[0];
    b->y[1] = V[1];
    b->n1 = V[2];
    b->twist[1] = times_three(inverse, c->K[Z + 1]);
    if (!parent)
        return true;
    for (int j = 0; j < 3; j++)
        Q[j] = c->K[j] - times_three(K_xw, V[j]);
    const lane z = c->K[Z] + times_three(Q, b->twist[0]) - times_three(K_xw, b->twist[1]);
    const lane moved[3] = {arm[1] * Q[2] - arm[2] * Q[1], arm[2] * Q[0] - arm[0] * Q[2],
                           arm[0] * Q[1] - arm[1] * Q[0]};
    lane *upper = parent->K, *lower = parent->K + LOWER;
    for (int j = 0; j < 3; j++) {
        give((column){Q[j], zero}, h->arm_m, first, upper + j, lower + j);
        give((column){moved[j], at_start ? zero : h->variation[j]}, h->arm_m, first, upper + 3 + j,
             lower + 3 + j);
    }
    give((column){z, zero}, h->arm_m, first, parent->K + Z, parent->K + Z + 1);
    return true;
}

/* --- one body: joints in stages --- */

/* One degree of freedom, K and z in place; slides: B = [b; 0], else [0; b]. */
LANES_INLINE bool eliminate_stage(sums *c, const dof *d, lane half_force, const bool slides,
                                  const bool at_start, stage *to)
{
    const lane *rows = slides ? c->K : c->K + LOWER;
    lane y = sums_of(d->left * rows[0], d->left * rows[1], d->left * rows[2]),
         y_w = sums_of(d->left * rows[3], d->left * rows[4], d->left * rows[5]);
    double row = vector_sum(d->left * c->K[slides ? Z : Z + 1]);
    double D = 0;
    if (!at_start) {
        /* along an axis that the parent carries, and by forces */
        y_w += d->k + d->by_parent;
        row += d->row;
        D = d->pivot;
    }
    const double inverse = 1.0 / (vector_sum((slides ? y : y_w) * d->b) + D);
    if (!(fabs(inverse) <= DBL_MAX))
        return false;
    const int first = slides ? 0 : 3;
    column KB = {d->b[0] * c->K[first] + d->b[1] * c->K[first + 1] + d->b[2] * c->K[first + 2],
                 d->b[0] * c->K[LOWER + first] + d->b[1] * c->K[LOWER + first + 1] +
                     d->b[2] * c->K[LOWER + first + 2]};
    if (slides && !at_start)
        KB.lower += vector_cross(d->b, half_force); /* the arm grows */
    y *= inverse;
    y_w *= inverse;
    row *= inverse;
    for (int j = 0; j < 3; j++) {
        c->K[j] -= y[j] * KB.upper;
        c->K[3 + j] -= y_w[j] * KB.upper;
        c->K[LOWER + j] -= y[j] * KB.lower;
        c->K[LOWER + 3 + j] -= y_w[j] * KB.lower;
    }
    c->K[Z] -= row * KB.upper;
    c->K[Z + 1] -= row * KB.lower;
    y[3] = row;
    y_w[3] = inverse;
    *to = (stage){{y, y_w}, d->b, d->left, {KB.upper, KB.lower}};
    return true;
}

/* All rotations: K_xx - K_xw D^-1 K_wx and z_x - K_xw D^-1 z_w are left. */
LANES_INLINE bool eliminate_rotations(sums *c, body *b, stage *to)
{
    const lane zero = lane_all(0.0);
    lane inverse[4], K_xw[3] = {c->K[3], c->K[4], c->K[5]};
    if (!invert_three(c->K + LOWER + 3, inverse))
        return false;
    const lane V[3] = {times_three(inverse, c->K[LOWER]), times_three(inverse, c->K[LOWER + 1]),
                       times_three(inverse, c->K[LOWER + 2])};
    const lane s = times_three(inverse, c->K[Z + 1]);
    *to = (stage){{K_xw[0], K_xw[1]}, K_xw[2], inverse[0], {inverse[1], inverse[2]}};
    b->y[0] = V[0];
    b->y[1] = V[1];
    b->n1 = V[2];
    b->twist[1] = s;
    for (int j = 0; j < 3; j++) {
        c->K[j] -= times_three(K_xw, V[j]);
        c->K[3 + j] = c->K[LOWER + j] = c->K[LOWER + 3 + j] = zero;
    }
    c->K[Z] -= times_three(K_xw, s);
    c->K[Z + 1] = zero;
    return true;
}

/* The gap of the rotation; that of a ball joint is zero, and its memory has D^-1 z_w. */
LANES_INLINE lane turn_gap(const body *b, olo_joint_rotation rotation)
{
    return rotation == OLO_ROTATION_ALL ? lane_all(0.0) : b->twist[1];
}

/* Rotations fixed in the child first, then those axes that the parent carries. */
LANES_INLINE bool eliminate_stages(sums *c, const joint *h, olo_joint_rotation rotation,
                                   unsigned slides, const bool at_start, body *b, stage *to)
{
    bool regular = true;
    if (rotation == OLO_ROTATION_ALL)
        regular = eliminate_rotations(c, b, to++);
    else if (rotation != OLO_ROTATION_NONE)
        regular = eliminate_stage(c, &h->turn, h->half_force, false, at_start, to++);
    if (regular && rotation == OLO_ROTATION_CROSS)
        regular = eliminate_stage(c, &h->cross, h->half_force, false, at_start, to++);
    for (int k = 0; regular && k < 3; k++)
        if (slides >> k & 1)
            regular = eliminate_stage(c, &h->slide[k], h->half_force, true, at_start, to++);
    return regular;
}

/* K and z at the other end of a lever, V^^T K V + d(V^^T) W with V = [I -v^; 0 I], in place. */
LANES_INLINE void move_along_lever(sums *c, const joint *h, const bool at_start, lane gap)
{
    const lane v = h->v1, f = h->half_force;
    lane *K = c->K, *lower = c->K + LOWER;
    for (int half = 0; half < 2; half++) {
        lane *k = half ? lower : K;
        const lane k0 = k[0], k1 = k[1], k2 = k[2];
        k[3] += v[1] * k2 - v[2] * k1;
        k[4] += v[2] * k0 - v[0] * k2;
        k[5] += v[0] * k1 - v[1] * k0;
    }
    if (!at_start) {
        const double along = vector_sum(v * f);
        for (int j = 0; j < 3; j++) {
            lower[3 + j] += f[j] * v;
            lower[3 + j][j] -= along;
        }
        K[Z + 1] += vector_cross(gap, f);
    }
    for (int j = 0; j < 6; j++)
        lower[j] += vector_cross(h->v_left, K[j]);
    K[Z + 1] += vector_cross(h->v_left, K[Z]);
}

/* The translations of a lever, then its rotation about the joint point of the parent. Its first
 * stage has v at the end and in the left pair. */
LANES_INLINE bool eliminate_lever(sums *c, const joint *h, const slots *at, int l,
                                  const bool at_start, body *b, stage *to, sums *parent)
{
    bool regular = true;
    *to++ = (stage){.b = h->v1, .left = h->v_left};
    for (int k = 0; regular && k < 3; k++)
        if (at->slides[l] >> k & 1)
            regular = eliminate_stage(c, &h->slide[k], h->half_force, true, at_start, to++);
    if (!regular)
        return false;
    move_along_lever(c, h, at_start, b->twist[0]);
    return at->rotation[l] == OLO_ROTATION_ALL
               ? eliminate_ball(c, h, at->first[l], at_start, b, parent)
               : eliminate_body(c, h, at->first[l], at_start, !at_start, false, b, parent);
}

LANES_INLINE bool eliminate_joint(sums *c, const joint *h, const slots *at, int l,
                                  const bool at_start, body *b, stage *to, sums *parent)
{
    const column none = {lane_all(0.0), lane_all(0.0)};
    const unsigned slides = at->slides[l];
    if (at->lever[l])
        return eliminate_lever(c, h, at, l, at_start, b, to, parent);
    if (!eliminate_stages(c, h, at->rotation[l], slides, at_start, b, to))
        return false;
    if (!parent)
        return true;
    column z = add_gap(c, column_right(c), b->twist[0], turn_gap(b, at->rotation[l]));
    if (slides && !at_start)
        z.lower += vector_cross(b->twist[0], h->half_force);
    if (at->first[l])
        add_to_parent(c, b, h, none, z, true, true, at_start, parent);
    else
        add_to_parent(c, b, h, none, z, true, false, at_start, parent);
    return true;
}

/* A free root: K dt = -z */
static bool solve_free(const sums *c, column z, body *b)
{
    double K[36];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 6; j++) {
            K[6 * i + j] = c->K[j][i];
            K[6 * (3 + i) + j] = c->K[LOWER + j][i];
        }
    return solve_six(K, -z.upper, -z.lower, b->twist);
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
        return solve_free(&own[l], column_right(&own[l]), b);
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

/* The left pair and the rows of one joint, which its elimination did not store: `left` and arm of
 * the present iterate if the left pair varies, and rows if there are any. */
typedef struct right_side {
    const joint *joint;
    bool varied, rows;
} right_side;

LANES_INLINE double row_of(const right_side *of, const dof *d)
{
    return of->rows ? d->row : 0.0;
}

LANES_INLINE void forward_body(const sums *c, const lane own[2], const right_side *of, bool first,
                               body *b, lane *to)
{
    const dof *turn = &of->joint->turn;
    b->y[0][3] = (vector_sum(turn->left * own[1]) + row_of(of, turn)) * b->y[1][3];
    if (!to)
        return;
    const column KB = column_right(c),
                 z = shifted_right(c, (column){own[0], own[1]}, KB, b, rho_of(b));
    give(z, of->joint->arm_m, first, to, to + 1);
}

LANES_INLINE void forward_ball(const sums *c, const lane own[2], lane arm, bool first, body *b,
                               lane *to)
{
    const lane V[3] = {b->y[0], b->y[1], b->n1};
    b->twist[1] = times_three(c->K + LOWER + 3, own[1]);
    if (!to)
        return;
    const lane e = b->twist[0], z = own[0] + times_three(c->K, e) -
                                    times_three(c->K + 3, b->twist[1] + times_three(V, e));
    give((column){z, lane_all(0.0)}, arm, first, to, to + 1);
}

/* One degree of freedom: its row, and what is left of z. */
LANES_INLINE column forward_stage(column z, const right_side *of, const dof *d, const bool slides,
                                  stage *to)
{
    const lane left = of->varied ? d->left : to->left;
    to->y[0][3] = (vector_sum(left * (slides ? z.upper : z.lower)) + row_of(of, d)) * to->y[1][3];
    return column_add(z, -to->y[0][3], (column){to->KB[0], to->KB[1]});
}

LANES_INLINE column forward_slides(column z, const right_side *of, unsigned slides, stage *to)
{
    for (int k = 0; k < 3; k++)
        if (slides >> k & 1)
            z = forward_stage(z, of, &of->joint->slide[k], true, to++);
    return z;
}

LANES_INLINE void forward_lever(const sums *c, column z, const right_side *of, const slots *at,
                                int l, body *b, stage *to, lane *parent)
{
    const lane v = of->varied ? of->joint->v_left : to->left;
    z = forward_slides(z, of, at->slides[l], to + 1);
    const lane own[2] = {z.upper, z.lower + vector_cross(v, z.upper)};
    if (at->rotation[l] == OLO_ROTATION_ALL)
        forward_ball(c, own, of->joint->arm_m, at->first[l], b, parent);
    else
        forward_body(c, own, of, at->first[l], b, parent);
}

LANES_INLINE void forward_joint(const sums *c, column z, const right_side *of, const slots *at,
                                int l, body *b, stage *to, lane *parent)
{
    const olo_joint_rotation rotation = at->rotation[l];
    if (rotation == OLO_ROTATION_ALL) {
        const lane K_xw[3] = {to->y[0], to->y[1], to->b},
                   inverse[3] = {to->left, to->KB[0], to->KB[1]};
        b->twist[1] = times_three(inverse, z.lower);
        z.upper -= times_three(K_xw, b->twist[1]);
        z.lower = lane_all(0.0);
        to++;
    } else if (rotation != OLO_ROTATION_NONE) {
        z = forward_stage(z, of, &of->joint->turn, false, to++);
    }
    if (rotation == OLO_ROTATION_CROSS)
        z = forward_stage(z, of, &of->joint->cross, false, to++);
    z = forward_slides(z, of, at->slides[l], to);
    if (parent)
        give(add_gap(c, z, b->twist[0], turn_gap(b, rotation)), of->joint->arm_m, at->first[l],
             parent, parent + 1);
}

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
            (void)solve_free(c, (column){z[l][0], z[l][1]}, to);
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
    make_balance(b, a, true, &t);
    turned_joints turned;
    make_gaps(b, at, at->joints, x->bodies + LANES * i, &turned);
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
    make_balance(b, 2 / step->h, false, &t);
    turned_joints turned;
    make_gaps(b, at, j, x->bodies + LANES * i, &turned);
    scatter_lanes(t.T[0], sizeof *z, &z[0][0]);
    scatter_lanes(moment_of(t.d_m, t.T), sizeof *z, &z[0][1]);
    scatter_lanes(turned.n.mid, sizeof *joint_of, &joint_of->turn.left);
    scatter_lanes(turned.arm.mid, sizeof *joint_of, &joint_of->arm_m);
    if (j)
        make_dofs(j, &turned, false, none, none, joint_of);
    make_rows(x, i, step, &turned, hinges_only, true, none, joint_of);
    add_loads(x, i, step, &t, &turned, j, joint_of, &z[0][1], sizeof *z);
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

LANES_INLINE void substitute_four(olo_packs *x, int i, const bool hinges_only, lane per_length,
                                  measures *m)
{
    four *b = &x->four[i];
    lane3 shift, spin;
    substitute_bodies(x, i, hinges_only, &shift, &spin);
    measure(b, shift, spin, per_length, i, m);
    b->x = lane3_add(b->x, shift);
    b->a = turned_further(b->a, spin);
    if (x->rate) { /* v1 = (2/h) dq - v0 up to the projection */
        const lane a = lane_all(2 / x->h);
        x->rate[i].V = lane3_add(x->rate[i].V, lane3_times(a, shift));
        x->rate[i].w = lane3_add(x->rate[i].w, lane3_times(a, spin));
    }
}

static double largest_of(lane x)
{
    return fmax(fmax(x[0], x[1]), fmax(x[2], x[3]));
}

static void substitute(olo_packs *x, olo_newton *newton)
{
    const lane zero = {0, 0, 0, 0}, per_length = lane_all(x->per_length);
    measures m = {zero, zero, zero, zero, zero};
    for (int i = 0; i < x->fours; i++)
        if (x->hinges_only)
            substitute_four(x, i, true, per_length, &m);
        else
            substitute_four(x, i, false, per_length, &m);
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

/* The sums of the forces in a column at the solution, in the sense of the coordinates; what forces
 * that are none of multipliers exchange goes to the step. */
LANES_INLINE lane finish_column(const olo_packs *x, const slots *at, int k, lane dx, olo_step *step)
{
    const forced *of = at->forced;
    lane f = lane_all(0.0);
    for (int l = 0; l < at->count; l++)
        if (of->coordinate[k][l] >= 0)
            f[l] = olo_joint_forces_finish(&x->forces, of->coordinate[k][l],
                                           of->sense[k][l] * dx[l], step);
    return f + of->sense[k] * of->multiplier[k];
}

/* The moment on the child of torques f along the angles, f C_m x (d_1 P_1 + d_2 P_2), with the
 * discrete gradient d of the angle as in system/law_angle.c. */
LANES_INLINE lane3 torque_on_child(const four *b, const forced *of, lane3 a_p, lane f, lane dtheta)
{
    const lane_mask reversed = of->reversed > lane_all(0.0);
    const lane3 a_C = lane3_choose(reversed, a_p, b->a), a_P = lane3_choose(reversed, b->a, a_p);
    const lane scale = lane_cayley_scale(a_P), sense = own_sense(of);
    const lane_turned C = lane_cayley_apply(a_C, lane_cayley_scale(a_C), of->C0),
                      P1 = lane_cayley_apply(a_P, scale, of->P0[0]),
                      P2 = lane_cayley_apply(a_P, scale, of->P0[1]);
    const lane c0 = lane3_dot(of->C0, of->P0[0]), s0 = sense * lane3_dot(of->C0, of->P0[1]),
               dc = lane3_dot(C.mid, P1.change) + lane3_dot(C.change, P1.mid),
               ds = sense * (lane3_dot(C.mid, P2.change) + lane3_dot(C.change, P2.mid));
    const lane S = c0 * ds - s0 * dc, zero = lane_all(0.0),
               phi =
                   lane_choose(S != zero, of->sense[ANGLE] * dtheta / S, 1.0 / (c0 * c0 + s0 * s0));
    const lane3 N = lane3_add(lane3_times(-phi * (s0 + 0.5 * ds), P1.mid),
                              lane3_times(sense * phi * (c0 + 0.5 * dc), P2.mid));
    const lane3 moment = lane3_times((1.0 - 2.0 * of->reversed) * f, lane3_cross(C.mid, N));
    return lane3_choose(sense != zero, moment, (lane3){{zero, zero, zero}});
}

/* Where a force along a translation acts on the child, from its pivot at the midpoint: an axis of
 * the child passes through the joint point of the parent. */
LANES_INLINE lane3 thrust_point(const four *b, const slots *at, lane3 x_p, lane3 a_p)
{
    const forced *of = at->forced;
    const lane3 reach = lane3_subtract(b->arm0, lane3_times(1.0 - at->joints->levers, of->v0));
    const lane3 moved = lane3_subtract(
        b->x, lane3_add(x_p, lane_cayley_apply(a_p, lane_cayley_scale(a_p), reach).change));
    return lane3_times(-of->reversed, lane3_add(of->v0, lane3_times(lane_all(0.5), moved)));
}

/* Adds the wrenches of the forces along the coordinates on the children, about the pivots. */
LANES_INLINE void finish_forces(olo_packs *x, int i, olo_step *step, lane3 *force, lane3 *moment)
{
    const slots *at = &x->slots[i];
    const four *b = &x->four[i];
    const forced *of = at->forced;
    const joints *j = at->joints;
    const lane3 x_p = parents_vector(at, 0), a_p = parents_vector(at, 3);
    const lane h = lane_all(step->h);
    lane dtheta;
    (void)angle_changes(b, at, a_p, &dtheta);
    const lane torque = finish_column(x, at, ANGLE, dtheta, step);
    *moment = lane3_add(*moment, torque_on_child(b, of, a_p, h * torque, dtheta));
    if (!(of->any & ~(1u << ANGLE)))
        return;
    turned_joints t;
    t.arm = lane_cayley_apply(a_p, lane_cayley_scale(a_p), b->arm0);
    t.apart = lane3_subtract(lane3_add(x_p, t.arm.change), b->x);
    turn_axes(j, b->a, a_p, lane_cayley_scale(a_p), &t);
    move_levers(j, b, &t);
    for (int k = 0; k < 3; k++) {
        if (!(of->any >> k & 1))
            continue;
        const lane f = finish_column(x, at, k, -lane3_dot(t.apart, t.M1[k]), step);
        const lane3 F = lane3_times(h * of->sense[k] * f, t.M[k].mid);
        *force = lane3_add(*force, F);
        *moment = lane3_add(*moment, lane3_cross(thrust_point(b, at, x_p, a_p), F));
    }
}

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

LANES_INLINE lane finish_four(olo_packs *x, int i, const bool at_start, olo_step *step,
                              double *wrench)
{
    const slots *at = &x->slots[i];
    const four *b = &x->four[i];
    balance t;
    lane3 dq[4], q_m[4];
    make_balance(b, 2 / step->h, at_start, &t);
    if (x->rate)
        balance_momenta(b, &x->rate[i], impulses_of(x, i), t.T);
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
            action += finish_four(x, i, true, step, wrench);
        else
            (void)finish_four(x, i, false, step, wrench);
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
        sums *own = mass->stored + LANES * i;
        joint joint_of[LANES];
        lane3 force, moment;
        make_projection(&x->four[i], &x->rate[i], 2 / step->h, impulses_of(x, i), !older, &force,
                        &moment, own);
        make_rate_joints(x, i, hinges_only ? NULL : at->joints, !older, joint_of);
        if (mass->closures && !older)
            add_closures(mass, i, true, joint_of, own);
        if (older) {
            lane z[LANES][2];
            scatter_lanes(force, sizeof *z, &z[0][0]);
            scatter_lanes(moment, sizeof *z, &z[0][1]);
            forward_bodies(mass, i, joint_of, hinges_only, true, false, z);
            continue;
        }
        scatter_lanes(force, sizeof *own, own->K + Z);
        scatter_lanes(moment, sizeof *own, own->K + Z + 1);
        for (int l = 0; l < LANES; l++)
            for (int k = 0; at->late[l] >= 0 && k < SUMS; k++)
                own[l].K[k] += mass->waiting[at->late[l]].K[k];
        for (int l = at->count - 1; l >= 0; l--)
            if (!eliminate_one(mass, i, l, true, hinges_only, false, joint_of, own))
                return LANES * i + l;
    }
    return -1;
}

/* v0 + v1 of four bodies, and v1 unless NULL. */
LANES_INLINE void conclude_rates(olo_packs *x, int i, double *v1)
{
    lane3 d1[3];
    end_directors(&x->four[i], d1);
    set_both(&x->four[i], d1, &x->rate[i]);
    if (v1)
        write_velocities(&x->four[i], &x->slots[i], &x->rate[i], d1, v1);
}

/* Root to leaf: the velocities of four bodies. */
LANES_INLINE void substitute_rates(olo_packs *x, int i, const bool hinges_only, double *v1)
{
    end_rates *v = &x->rate[i];
    lane3 shift, spin;
    substitute_bodies(x->mass, i, hinges_only, &shift, &spin);
    v->V = lane3_add(v->V, shift);
    v->w = lane3_add(v->w, spin);
    conclude_rates(x, i, v1);
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
    for (int i = 0; i < x->fours; i++)
        conclude_rates(x, i, v1);
}

/* --- what the last motions predict --- */

static void pass_motions(const double *now, olo_state *state,
                         double missed[OLO_PREDICTOR_MOTIONS + 1])
{
    const int count = state->twists, whole = count - count % LANES;
    double *d[OLO_PREDICTOR_MOTIONS] = {olo_last_motion(state)};
    lane sum[OLO_PREDICTOR_MOTIONS];
    memset(sum, 0, sizeof sum);
    for (int k = 1; k < OLO_PREDICTOR_MOTIONS; k++)
        d[k] = olo_predictor_differences(state) + (k - 1) * count;
    for (int i = 0; i < whole; i += LANES) {
        lane e = lane_load(now + i);
        for (int k = 0; k < OLO_PREDICTOR_MOTIONS; k++) {
            const lane before = lane_load(d[k] + i);
            lane_store(e, d[k] + i);
            e -= before;
            sum[k] += e * e;
        }
    }
    for (int i = whole; i < count; i++) {
        double e = now[i];
        for (int k = 0; k < OLO_PREDICTOR_MOTIONS; k++) {
            const double before = d[k][i];
            d[k][i] = e;
            e -= before;
            sum[k][0] += e * e;
        }
    }
    for (int k = 0; k < OLO_PREDICTOR_MOTIONS; k++)
        missed[k + 1] = (sum[k][0] + sum[k][1]) + (sum[k][2] + sum[k][3]);
}

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

/* From root to leaf, so that a body is closed against its parent as that has been settled. */
static void settle(const olo_packs *x, double *q, double *remainder)
{
    static const double ground[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int i = 0; i < x->count; i++) {
        const int l = i % LANES;
        const slots *at = &x->slots[i / LANES];
        lane frame[4], left[4], shift = lane_all(0.0), turn = shift;
        load_frame(q + at->q[l], frame);
        load_frame(remainder + at->q[l], left);
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
