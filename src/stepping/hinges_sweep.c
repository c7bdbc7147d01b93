/* The sweeps of Newton's method over bodies on hinges (design: linear cost, lift). Every body c is described at its
 * pivot, the place x_c of its hinge, which its parent p carries at the end of an arm:
 *
 *     dx_c = dx_p + a_p x arm_m,    n of the child = n of the parent
 *     A = [I -arm1^; 0 I], B = [0; n1];   A^, B^ the same at the midpoint
 *
 * Balance w = [T_x; sum d_I,m x T_I] with T = M ((2/h) dq - 2 v0) + h f, its tangent
 *
 *     S = [(2/h) m I, -C1^; Cm^, R - (tr R) I],   C = (2/h) sum c_I d_I,
 *     R = sum_I d_I,1 (x) (T_I/2 - (2/h) sum_J E_IJ d_J,m)
 *
 * and the variation of the left pair against W = [f; m]: d(A^^T) W = 1/2 (arm1 (x) f - (arm1.f) I) d_omega_p, d(B^^T) W
 * = k.d_omega_c with k = 1/2 n1 x m. Leaf to root from K = S, z = w, with e the gap of the hinge:
 *
 *     y = B^^T K + k,  D = y B,  rho = B^^T z,  K' = K - (K B) y/D
 *     K_p += A^^T K' A + d(A^^T) W,   z_p += A^^T (z + K e - (K B) (rho + y e)/D)
 *
 * and root to leaf: t = A dt_p + e, dt_c = t - B (rho + y t)/D, W_c = z + K dt_c.
 *
 * What belongs to a body alone is computed for four at once, the elimination body by body in vectors of three numbers.
 */
#include <math.h>

#include "linalg/small.h"
#include "stepping/hinges_private.h"

#ifndef OLO_HINGE_KERNELS
#define OLO_HINGE_KERNELS olo_hinge_kernels_plain
#endif

/* --- between arrays and lanes --- */

/* Four numbers from `at` on of each of four bodies, lane by lane. */
LANES_INLINE void gather(const double *array, const int offset[LANES], int at, lane out[4])
{
    lanes_transpose(lane_load(array + offset[0] + at), lane_load(array + offset[1] + at),
                    lane_load(array + offset[2] + at), lane_load(array + offset[3] + at), out);
}

/* The twelve coordinates of four frames. */
LANES_INLINE void gather_frames(const double *array, const places *at, lane3 out[4])
{
    lane number[12];
    for (int i = 0; i < 12; i += 4)
        gather(array, at->q, i, number + i);
    for (int i = 0; i < 12; i++)
        out[i / 3].x[i % 3] = number[i];
}

/* Six numbers of a motion or wrench, of each of four bodies. */
LANES_INLINE void gather_twists(const double *array, const places *at, lane3 *first, lane3 *second)
{
    lane low[4], high[4];
    gather(array, at->motion, 0, low);
    gather(array, at->motion, 2, high);
    *first = (lane3){{low[0], low[1], low[2]}};
    *second = (lane3){{high[1], high[2], high[3]}};
}

LANES_INLINE void scatter(const lane in[4], const places *at, const int offset[LANES], int to,
                          double *array)
{
    lane out[4];
    lanes_transpose(in[0], in[1], in[2], in[3], out);
    for (int l = 0; l < at->count; l++)
        lane_store(out[l], array + offset[l] + to);
}

LANES_INLINE void scatter_frames(const lane3 in[4], const places *at, double *array)
{
    lane number[12];
    for (int i = 0; i < 12; i++)
        number[i] = in[i / 3].x[i % 3];
    for (int i = 0; i < 12; i += 4)
        scatter(number + i, at, at->q, i, array);
}

LANES_INLINE void scatter_twists(lane3 first, lane3 second, const places *at, double *array)
{
    const lane low[4] = {first.x[0], first.x[1], first.x[2], second.x[0]},
               high[4] = {first.x[2], second.x[0], second.x[1], second.x[2]};
    scatter(low, at, at->motion, 0, array);
    scatter(high, at, at->motion, 2, array);
}

/* --- start --- */

/* To the description at the pivot: phi + rho for what is at the origin. */
LANES_INLINE lane3 at_pivot(const four *b, const lane3 frame[4])
{
    return lane3_add(frame[0], lane3_combine(b->pivot, frame + 1));
}

/* Forces of the origin and the directors to those of the pivot and the directors. */
LANES_INLINE void scale_impulses(four *b, const places *at, const olo_step *step)
{
    gather_frames(step->constant, at, b->impulse);
    for (int I = 0; I < 3; I++)
        b->impulse[1 + I] =
            lane3_subtract(b->impulse[1 + I], lane3_times(b->pivot[I], b->impulse[0]));
    for (int I = 0; I < 4; I++)
        b->impulse[I] = lane3_times(lane_all(step->h), b->impulse[I]);
}

LANES_INLINE lane3 parents_vector(const places *at, int first)
{
    lane3 out;
    for (int i = 0; i < 3; i++) {
        const int k = LANES * (first + i);
        out.x[i] = (lane){at->above[0][k], at->above[1][k], at->above[2][k], at->above[3][k]};
    }
    return out;
}

/* The arm at the start, in the parent's frame; none on the ground. */
LANES_INLINE lane3 start_arm(const four *b, const places *at, const double *q0)
{
    static const double nothing[12] = {0};
    const double *frame[LANES];
    lane number[12];
    lane3 d[3];
    for (int l = 0; l < LANES; l++)
        frame[l] = at->above_q[l] < 0 ? nothing : q0 + at->above_q[l];
    for (int i = 0; i < 12; i += 4)
        lanes_transpose(lane_load(frame[0] + i), lane_load(frame[1] + i), lane_load(frame[2] + i),
                        lane_load(frame[3] + i), number + i);
    for (int i = 3; i < 12; i++)
        d[i / 3 - 1].x[i % 3] = number[i];
    return lane3_combine(b->reach, d);
}

LANES_INLINE void predict_four(olo_hinges *x, int i, const olo_step *step, double scale,
                               double last, double prior)
{
    const olo_state *state = step->state;
    const places *at = &x->places[i];
    four *b = &x->four[i];
    lane3 frame[4], v[4], motion[2], before[2], f, moment;
    if (x->h != step->h)
        scale_impulses(b, at, step);
    gather_frames(step->x.q0, at, frame);
    gather_frames(step->v0, at, v);
    gather_twists(state->motion, at, &motion[0], &motion[1]);
    gather_twists(state->wrench, at, &f, &moment);
    memcpy(b->d0, frame + 1, sizeof b->d0);
    v[0] = at_pivot(b, v);
    for (int I = 0; I < 4; I++)
        b->twice_v0[I] = lane3_times(lane_all(2.0), v[I]);
    b->n0 = lane3_combine(b->axis, b->d0);
    b->arm0 = start_arm(b, at, step->x.q0);
    /* what hung on the hinge: its moment was about the origin at the midpoint of the last step */
    const lane3 rho = lane3_combine(b->pivot, b->d0), back = lane3_times(lane_all(-1.0), motion[1]);
    const lane3 rho_before = lane_cayley_apply(back, lane_cayley_scale(back), rho).mid;
    const lane s = lane_all(scale);
    b->force = lane3_times(s, f);
    b->moment = lane3_times(s, lane3_subtract(moment, lane3_cross(rho_before, f)));
    for (int k = 0; k < 2; k++)
        motion[k] = lane3_times(lane_all(last), motion[k]);
    if (prior != 0) {
        gather_twists(state->motion_before, at, &before[0], &before[1]);
        for (int k = 0; k < 2; k++)
            motion[k] = lane3_add(motion[k], lane3_times(lane_all(prior), before[k]));
    }
    b->a = motion[1];
    b->x = lane3_add(motion[0], lane_cayley_apply(b->a, lane_cayley_scale(b->a), rho).change);
}

static void predict(olo_hinges *x, const olo_step *step, double scale, double last, double prior)
{
    for (int i = 0; i < x->fours; i++)
        predict_four(x, i, step, scale, last, prior);
    x->h = step->h;
}

/* --- four bodies: balance, tangent, hinge --- */

/* The vectors of one body that its elimination needs beside its record. */
typedef struct hinge {
    lane n_m, arm_m, k;
    lane variation[3]; /* columns of 1/2 (arm1 (x) f - (arm1.f) I) */
} hinge;

/* A vector of each of four bodies to the same place in four records, `bytes` apart. */
LANES_INLINE void deal(lane3 v, size_t bytes, lane *first)
{
    lane out[4];
    char *to = (char *)first;
    lanes_transpose(v.x[0], v.x[1], v.x[2], lane_all(0.0), out);
    for (int l = 0; l < LANES; l++)
        memcpy(to + (size_t)l * bytes, &out[l], sizeof out[l]);
}

LANES_INLINE lane3 mass_row(const lane M[4], const lane3 v[4])
{
    return lane3_add(lane3_times(M[0], v[0]), lane3_combine(M + 1, v + 1));
}

LANES_INLINE void make_hinges(const four *b, const places *at, lane3 moved, body *to, hinge *hinges)
{
    const lane half = lane_all(0.5);
    const lane3 x_p = parents_vector(at, 0), a_p = parents_vector(at, 3);
    const lane scale_p = lane_cayley_scale(a_p);
    const lane_turned arm = lane_cayley_apply(a_p, scale_p, b->arm0),
                      n_p = lane_cayley_apply(a_p, scale_p, b->n0),
                      n = lane_cayley_apply(b->a, lane_cayley_scale(b->a), b->n0);
    const lane3 n1 = lane3_add(b->n0, n.change), arm1 = lane3_add(b->arm0, arm.change);
    const lane3 half_f = lane3_times(half, b->force);
    const lane along = lane3_dot(arm1, half_f);
    deal(lane3_subtract(lane3_add(x_p, arm.change), moved), sizeof *to, &to->twist[0]);
    deal(lane3_cross(n1, lane3_subtract(n_p.change, n.change)), sizeof *to, &to->twist[1]);
    deal(n1, sizeof *to, &to->n1);
    deal(arm1, sizeof *to, &to->arm1);
    deal(n.mid, sizeof *hinges, &hinges->n_m);
    deal(arm.mid, sizeof *hinges, &hinges->arm_m);
    deal(lane3_times(half, lane3_cross(n1, b->moment)), sizeof *hinges, &hinges->k);
    for (int j = 0; j < 3; j++) {
        lane3 column = lane3_times(half_f.x[j], arm1);
        column.x[j] -= along;
        deal(column, sizeof *hinges, &hinges->variation[j]);
    }
}

/* K = S and z = w of four bodies, a = 2/h */
LANES_INLINE void make_bodies(const four *b, double a, body *to)
{
    const lane scale = lane_cayley_scale(b->a), factor = lane_all(a), zero = lane_all(0.0),
               half = lane_all(0.5);
    const lane first[4] = {b->m, b->c[0], b->c[1], b->c[2]};
    const lane rows[3][4] = {{b->c[0], b->E[0], b->E[3], b->E[4]},
                             {b->c[1], b->E[3], b->E[1], b->E[5]},
                             {b->c[2], b->E[4], b->E[5], b->E[2]}};
    lane3 d_m[3], d1[3], change[4], R[3];
    change[0] = lane3_subtract(lane3_times(factor, b->x), b->twice_v0[0]);
    for (int I = 0; I < 3; I++) {
        const lane_turned d = lane_cayley_apply(b->a, scale, b->d0[I]);
        d_m[I] = d.mid;
        d1[I] = lane3_add(b->d0[I], d.change);
        change[1 + I] = lane3_subtract(lane3_times(factor, d.change), b->twice_v0[1 + I]);
    }
    lane3 moment = {{zero, zero, zero}};
    memset(R, 0, sizeof R);
    for (int I = 0; I < 3; I++) {
        const lane3 T = lane3_add(b->impulse[1 + I], mass_row(rows[I], change));
        const lane3 V = lane3_subtract(lane3_times(half, T),
                                       lane3_times(factor, lane3_combine(rows[I] + 1, d_m)));
        moment = lane3_add(moment, lane3_cross(d_m[I], T));
        for (int j = 0; j < 3; j++)
            R[j] = lane3_add(R[j], lane3_times(V.x[j], d1[I]));
    }
    const lane trace = R[0].x[0] + R[1].x[1] + R[2].x[2], m = factor * b->m;
    const lane3 C1 = lane3_times(factor, lane3_combine(b->c, d1)),
                Cm = lane3_times(factor, lane3_combine(b->c, d_m));
    for (int j = 0; j < 3; j++) {
        const int k = (j + 1) % 3, l = (j + 2) % 3;
        lane3 own = {{zero, zero, zero}}, right = own, left = own;
        own.x[j] = m;
        R[j].x[j] -= trace;
        /* columns of -C1^ and Cm^ */
        right.x[k] = -C1.x[l];
        right.x[l] = C1.x[k];
        left.x[k] = Cm.x[l];
        left.x[l] = -Cm.x[k];
        deal(own, sizeof *to, to->K + j);
        deal(left, sizeof *to, to->K + LOWER + j);
        deal(right, sizeof *to, to->K + 3 + j);
        deal(R[j], sizeof *to, to->K + LOWER + 3 + j);
    }
    deal(lane3_add(b->impulse[0], mass_row(first, change)), sizeof *to, to->K + Z);
    deal(moment, sizeof *to, to->K + Z + 1);
}

/* --- one body: elimination --- */

/* What has come from children in later fours is kept while K and z of the body itself are made. */
LANES_INLINE void make_four(olo_hinges *x, int i, double a, hinge *hinges)
{
    const places *at = &x->places[i];
    body *to = x->bodies + LANES * i;
    lane kept[LANES][SUMS];
    for (int l = 0; l < at->count; l++)
        if (at->late[l])
            memcpy(kept[l], to[l].K, sizeof kept[l]);
    make_bodies(&x->four[i], a, to);
    make_hinges(&x->four[i], at, x->four[i].x, to, hinges);
    for (int l = 0; l < at->count; l++)
        for (int j = 0; j < SUMS && at->late[l]; j++)
            to[l].K[j] += kept[l][j];
}

/* v^T of six columns, v a vector of three: the products of three numbers are summed across */
LANES_INLINE lane sums_of(lane a, lane b, lane c)
{
    lane row[4];
    lanes_transpose(a, b, c, lane_all(0.0), row);
    return (row[0] + row[1]) + row[2];
}

/* K_p += A^^T K A + variation, z_p += A^^T z */
LANES_INLINE void add_to_parent(lane upper[7], lane lower[7], const hinge *h, lane arm1, bool first,
                                body *to)
{
    const double a0 = arm1[0], a1 = arm1[1], a2 = arm1[2];
    for (int side = 0; side < 2; side++) {
        lane *c = side ? lower : upper;
        c[3] += a1 * c[2] - a2 * c[1];
        c[4] += a2 * c[0] - a0 * c[2];
        c[5] += a0 * c[1] - a1 * c[0];
    }
    for (int j = 0; j < 7; j++)
        lower[j] += vector_cross(h->arm_m, upper[j]);
    for (int j = 0; j < 3; j++)
        lower[3 + j] += h->variation[j];
    if (first)
        memset(to->K, 0, sizeof to->K);
    for (int j = 0; j < 6; j++) {
        to->K[j] += upper[j];
        to->K[LOWER + j] += lower[j];
    }
    to->K[Z] += upper[6];
    to->K[Z + 1] += lower[6];
}

LANES_INLINE bool eliminate_body(body *c, const hinge *h, bool first, body *parent)
{
    const lane *u = c->K, *w = u + LOWER, *z = u + Z, n1 = c->n1, n_m = h->n_m;
    const lane y_u = sums_of(n_m * w[0], n_m * w[1], n_m * w[2]),
               y_w = sums_of(n_m * w[3], n_m * w[4], n_m * w[5]) + h->k;
    const double D = vector_sum(y_w * n1), inverse = 1.0 / D;
    if (!(fabs(D) > 0) || !isfinite(D))
        return false;
    const lane by_D_u = y_u * inverse, by_D_w = y_w * inverse;
    const double rho = vector_sum(n_m * z[1]) * inverse;
    c->y[0] = by_D_u;
    c->y[1] = by_D_w;
    c->y[0][3] = rho;
    if (!parent)
        return true;
    const lane e_x = c->twist[0], e_n = c->twist[1];
    const double rho_e = rho + vector_sum(by_D_u * e_x + by_D_w * e_n);
    const lane kb_u = n1[0] * u[3] + n1[1] * u[4] + n1[2] * u[5],
               kb_w = n1[0] * w[3] + n1[1] * w[4] + n1[2] * w[5];
    lane upper[7], lower[7];
    upper[6] = z[0] - rho_e * kb_u;
    lower[6] = z[1] - rho_e * kb_w;
    for (int j = 0; j < 3; j++) {
        upper[6] += e_x[j] * u[j] + e_n[j] * u[3 + j];
        lower[6] += e_x[j] * w[j] + e_n[j] * w[3 + j];
        upper[j] = u[j] - by_D_u[j] * kb_u;
        lower[j] = w[j] - by_D_u[j] * kb_w;
        upper[3 + j] = u[3 + j] - by_D_w[j] * kb_u;
        lower[3 + j] = w[3 + j] - by_D_w[j] * kb_w;
    }
    add_to_parent(upper, lower, h, c->arm1, first, parent);
    return true;
}

/* A free root: K dt = -z */
static bool solve_free(body *c)
{
    double K[36], x[6];
    int pivot[6];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 6; j++) {
            K[6 * i + j] = c->K[j][i];
            K[6 * (3 + i) + j] = c->K[LOWER + j][i];
        }
        x[i] = -c->K[Z][i];
        x[3 + i] = -c->K[Z + 1][i];
    }
    if (!small_lu(6, K, pivot))
        return false;
    small_lu_solve(6, K, pivot, 1, x);
    c->twist[0] = (lane){x[0], x[1], x[2], 0};
    c->twist[1] = (lane){x[3], x[4], x[5], 0};
    return true;
}

static int eliminate(olo_hinges *x, double a)
{
    for (int i = x->fours - 1; i >= 0; i--) {
        const places *at = &x->places[i];
        hinge hinges[LANES];
        make_four(x, i, a, hinges);
        for (int l = at->count - 1; l >= 0; l--) {
            body *c = x->bodies + LANES * i + l;
            body *parent = at->parent[l] >= 0 ? x->bodies + at->parent[l] : NULL;
            bool regular =
                at->free[l] ? solve_free(c) : eliminate_body(c, &hinges[l], at->first[l], parent);
            if (!regular)
                return LANES * i + l;
        }
    }
    return -1;
}

/* --- back --- */

LANES_INLINE void substitute_body(body *c, const body *parent)
{
    lane t = c->twist[0], w = c->twist[1];
    if (parent) {
        t += parent->twist[0] + vector_cross(parent->twist[1], c->arm1);
        w += parent->twist[1];
    }
    const double du = -(c->y[0][3] + vector_sum(c->y[0] * t + c->y[1] * w));
    c->twist[0] = t;
    c->twist[1] = w + du * c->n1;
}

/* W = z + K dt */
LANES_INLINE void wrench_of(const body *c, lane *force, lane *moment)
{
    const lane t = c->twist[0], w = c->twist[1];
    lane f = c->K[Z], m = c->K[Z + 1];
    for (int j = 0; j < 3; j++) {
        f += t[j] * c->K[j] + w[j] * c->K[3 + j];
        m += t[j] * c->K[LOWER + j] + w[j] * c->K[LOWER + 3 + j];
    }
    *force = f;
    *moment = m;
}

/* How far bodies move by an update and have moved before, squared: lengths over the model's length, and angles. */
typedef struct measures {
    lane change, sum, size, turn, worst;
} measures;

LANES_INLINE void measure(const four *b, lane3 shift, lane3 spin, lane per_area, int i, measures *m)
{
    const lane change = per_area * lane3_dot(shift, shift) + lane3_dot(spin, spin),
               turn = lane3_dot(b->a, b->a);
    m->worst = lane_choose(change > m->change, lane_all(i), m->worst);
    m->change = lane_larger(change, m->change);
    m->sum += change;
    m->size = lane_larger(per_area * lane3_dot(b->x, b->x) + turn, m->size);
    m->turn = lane_larger(turn, m->turn);
}

/* a += (I - a^/2 + a a^T/4) spin */
LANES_INLINE lane3 turned_further(lane3 a, lane3 spin)
{
    const lane along = 0.25 * lane3_dot(a, spin);
    const lane3 turn = lane3_cross(a, spin);
    for (int i = 0; i < 3; i++)
        a.x[i] += spin.x[i] - 0.5 * turn.x[i] + along * a.x[i];
    return a;
}

LANES_INLINE lane3 collect(const lane in[LANES])
{
    lane out[4];
    lanes_transpose(in[0], in[1], in[2], in[3], out);
    return (lane3){{out[0], out[1], out[2]}};
}

LANES_INLINE void substitute_four(olo_hinges *x, int i, lane per_area, measures *m)
{
    const places *at = &x->places[i];
    body *c = x->bodies + LANES * i;
    four *b = &x->four[i];
    lane force[LANES] = {{0}}, moment[LANES] = {{0}}, shift[LANES] = {{0}}, spin[LANES] = {{0}};
    for (int l = 0; l < at->count; l++) {
        if (!at->free[l])
            substitute_body(&c[l], at->parent[l] >= 0 ? x->bodies + at->parent[l] : NULL);
        wrench_of(&c[l], &force[l], &moment[l]);
        shift[l] = c[l].twist[0];
        spin[l] = c[l].twist[1];
    }
    const lane3 by = collect(shift), turn = collect(spin);
    measure(b, by, turn, per_area, i, m);
    b->x = lane3_add(b->x, by);
    b->a = turned_further(b->a, turn);
    b->force = collect(force);
    b->moment = collect(moment);
}

static double largest_of(lane x)
{
    return fmax(fmax(x[0], x[1]), fmax(x[2], x[3]));
}

static void substitute(olo_hinges *x, olo_newton *newton)
{
    const lane zero = {0, 0, 0, 0}, per_area = lane_all(x->per_length * x->per_length);
    measures m = {zero, zero, zero, zero, zero};
    for (int i = 0; i < x->fours; i++)
        substitute_four(x, i, per_area, &m);
    /* |shift| + |spin| is at most this, and |x| + |a| at least that */
    const double total = (m.sum[0] + m.sum[1]) + (m.sum[2] + m.sum[3]);
    newton->increment = isfinite(total) ? sqrt(2 * largest_of(m.change)) : total;
    newton->size = sqrt(largest_of(m.size));
    newton->turn = sqrt(largest_of(m.turn));
    for (int l = 0; l < LANES; l++)
        if (m.change[l] == largest_of(m.change))
            newton->worst = LANES * (int)m.worst[l] + l;
}

/* --- the end --- */

static void place(olo_hinges *x, olo_step *step, double *wrench)
{
    for (int i = 0; i < x->fours; i++) {
        const places *at = &x->places[i];
        const four *b = &x->four[i];
        const lane scale = lane_cayley_scale(b->a), half = lane_all(0.5);
        lane3 q0[4], dq[4], q_m[4], q1[4];
        gather_frames(step->x.q0, at, q0);
        for (int I = 1; I < 4; I++) {
            const lane_turned d = lane_cayley_apply(b->a, scale, b->d0[I - 1]);
            q_m[I] = d.mid;
            dq[I] = d.change;
        }
        dq[0] = lane3_subtract(b->x, lane3_combine(b->pivot, dq + 1));
        q_m[0] = lane3_add(q0[0], lane3_times(half, dq[0]));
        for (int I = 0; I < 4; I++)
            q1[I] = lane3_add(q0[I], dq[I]);
        scatter_frames(dq, at, step->x.dq);
        scatter_frames(q_m, at, step->x.qm);
        scatter_frames(q1, at, step->x.q1);
        scatter_twists(dq[0], b->a, at, step->x.motion);
        const lane3 rho = lane3_combine(b->pivot, q_m + 1);
        scatter_twists(b->force, lane3_add(b->moment, lane3_cross(rho, b->force)), at, wrench);
    }
}

const olo_hinge_kernels OLO_HINGE_KERNELS = {
    .predict = predict, .eliminate = eliminate, .substitute = substitute, .place = place};
