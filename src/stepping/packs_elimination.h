/* One body of a pack and the way to its parent: K and z with its joint eliminated, by the equations
 * of packs_sweep.c; joints of several degrees of freedom in stages.
 *
 * All is inline: packs_sweep.c, which alone includes this, is compiled for several processors.
 */
#ifndef OLO_STEPPING_PACKS_ELIMINATION_H
#define OLO_STEPPING_PACKS_ELIMINATION_H

#include "stepping/packs_local.h"

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

/* The rotations of a ball joint or a free root, B = B^ = [0; I]: with K = [K_xx K_xw; K_wx D] and
 * V = D^-1 K_wx only
 *
 *     Q = K_xx - K_xw V
 *
 * is left of K. D^-1 replaces D for iterations with an older tangent. */
LANES_INLINE bool eliminate_turns(sums *c, body *b, lane Q[3])
{
    lane inverse[4];
    if (!invert_three(c->K + LOWER + 3, inverse))
        return false;
    const lane V[3] = {times_three(inverse, c->K[LOWER]), times_three(inverse, c->K[LOWER + 1]),
                       times_three(inverse, c->K[LOWER + 2])};
    memcpy(c->K + LOWER + 3, inverse, 3 * sizeof *inverse);
    b->y[0] = V[0];
    b->y[1] = V[1];
    b->n1 = V[2];
    for (int j = 0; j < 3; j++)
        Q[j] = c->K[j] - times_three(c->K + 3, V[j]);
    return true;
}

/* A ball joint: with s = D^-1 z_w the parent gets Q, and z_x + Q e - K_xw s. */
LANES_INLINE bool eliminate_ball(sums *c, const joint *h, bool first, const bool at_start, body *b,
                                 sums *parent)
{
    const lane zero = lane_all(0.0), arm = b->arm1, *K_xw = c->K + 3;
    lane Q[3];
    if (!eliminate_turns(c, b, Q))
        return false;
    b->twist[1] = times_three(c->K + LOWER + 3, c->K[Z + 1]);
    if (!parent)
        return true;
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
    double row = vector_sum(d->left * c->K[slides ? Z : Z + 1]) + d->row;
    double D = 0;
    if (!at_start) {
        /* along an axis that the parent carries, and by forces */
        y_w += d->k + d->by_parent;
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
               : eliminate_body(c, h, at->first[l], at_start, !at_start, true, b, parent);
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

/* K^-1 [x; w] of a free root: with s = D^-1 w, t = Q^-1 (x - K_xw s), the result is [t; s - V t].
 */
LANES_INLINE column solve_free(const sums *c, const body *b, column z)
{
    const lane V[3] = {b->y[0], b->y[1], b->n1}, s = times_three(c->K + LOWER + 3, z.lower),
               t = times_three(c->K, z.upper - times_three(c->K + 3, s));
    return (column){t, s - times_three(V, t)};
}

/* A free root: K dt = -z. Q^-1 replaces K_xx. */
LANES_INLINE bool eliminate_free(sums *c, body *b)
{
    lane Q[3], inverse[4];
    if (!eliminate_turns(c, b, Q) || !invert_three(Q, inverse))
        return false;
    memcpy(c->K, inverse, 3 * sizeof *inverse);
    const column dt = solve_free(c, b, column_right(c));
    b->twist[0] = -dt.upper;
    b->twist[1] = -dt.lower;
    return true;
}

#endif
