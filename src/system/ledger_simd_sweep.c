/* Sums over frames, four at once, with p = M v:
 *
 *     T = 1/2 v.p,   P = sum p_phi,   L = sum of x x p_x over all 3-vectors x,   V = sum f.q
 *
 *     rows of directors   1/2 (d_I.d_I - 1),   d_I.d_J
 *     rows of a hinge     x_c + rho_c - x_p - rho_p,   n_p.d_I - eta_I
 *     rows of a joint     a_k.(x_c + rho_c - x_p - rho_p),   p_k.c_k - eta_k
 */
#include <math.h>

#include "system/ledger_simd_private.h"

#ifndef OLO_LEDGER_KERNELS
#define OLO_LEDGER_KERNELS olo_ledger_simd_kernels_plain
#endif

/* The ground as a fixed frame. */
static const double ground_frame[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const double ground_rest[12] = {0};

LANES_INLINE void gather(const double *array, const int offset[LANES], lane3 out[4])
{
    const double *const frame[LANES] = {array + offset[0], array + offset[1], array + offset[2],
                                        array + offset[3]};
    lanes_gather_frames(frame, out);
}

typedef struct errors {
    lane error, relative, rate;
} errors;

/* Largest errors; per_size is 1/size of the row. */
LANES_INLINE void sum_row(lane g, lane rate, lane per_size, errors *e)
{
    const lane size = lane_size(g);
    e->error = lane_larger(size, e->error);
    e->relative = lane_larger(size * per_size, e->relative);
    e->rate = lane_larger(lane_size(rate), e->rate);
}

LANES_INLINE void sum_directors(const four *b, const lane3 d[3], const lane3 w[3], errors *e)
{
    for (int I = 0; I < 3; I++)
        sum_row(0.5 * (lane3_dot(d[I], d[I]) - 1.0), lane3_dot(d[I], w[I]), b->inner[I], e);
    sum_row(lane3_dot(d[0], d[1]), lane3_dot(d[0], w[1]) + lane3_dot(w[0], d[1]), b->inner[3], e);
    sum_row(lane3_dot(d[0], d[2]), lane3_dot(d[0], w[2]) + lane3_dot(w[0], d[2]), b->inner[4], e);
    sum_row(lane3_dot(d[1], d[2]), lane3_dot(d[1], w[2]) + lane3_dot(w[1], d[2]), b->inner[5], e);
}

/* A frame without a hinge is its own parent, with equal points and a zero axis: its errors vanish.
 */
LANES_INLINE void sum_hinges(const four *b, const lane3 q[4], const lane3 v[4], const lane3 q_p[4],
                             const lane3 v_p[4], errors *e)
{
    const lane zero = lane_all(0.0);
    const lane3 n = lane3_combine(b->axis, q_p + 1), turn = lane3_combine(b->axis, v_p + 1);
    const lane3 span = lane3_subtract(lane3_add(q[0], lane3_combine(b->point, q + 1)),
                                      lane3_add(q_p[0], lane3_combine(b->parent_point, q_p + 1)));
    const lane3 rate = lane3_subtract(lane3_add(v[0], lane3_combine(b->point, v + 1)),
                                      lane3_add(v_p[0], lane3_combine(b->parent_point, v_p + 1)));
    for (int i = 0; i < 3; i++) {
        const lane_mask row = b->outer[3 + i] > zero;
        sum_row(span.x[i], rate.x[i], b->outer[i], e);
        sum_row(lane_choose(row, lane3_dot(n, q[1 + i]) - b->eta[i], zero),
                lane_choose(row, lane3_dot(n, v[1 + i]) + lane3_dot(turn, q[1 + i]), zero),
                b->outer[3 + i], e);
    }
}

/* A row that some of four joints have. */
LANES_INLINE void sum_joint_row(lane g, lane rate, lane per_size, errors *e)
{
    const lane zero = lane_all(0.0);
    const lane_mask row = per_size > zero;
    sum_row(lane_choose(row, g, zero), lane_choose(row, rate, zero), per_size, e);
}

/* The rows of four joints. */
LANES_INLINE void sum_joints(const joints *b, const double *q, const double *v, errors *e)
{
    lane3 x[4], w[4], x_p[4], w_p[4];
    gather(q, b->child, x);
    gather(v, b->child, w);
    lanes_gather_parents(q, b->parent, ground_frame, x_p);
    lanes_gather_parents(v, b->parent, ground_rest, w_p);
    const lane3 span = lane3_subtract(lane3_add(x[0], lane3_combine(b->point, x + 1)),
                                      lane3_add(x_p[0], lane3_combine(b->parent_point, x_p + 1))),
                rate = lane3_subtract(lane3_add(w[0], lane3_combine(b->point, w + 1)),
                                      lane3_add(w_p[0], lane3_combine(b->parent_point, w_p + 1)));
    /* the span along the axes */
    for (int k = 0; k < 3 && b->carrier == IN_SPACE; k++)
        sum_joint_row(span.x[k], rate.x[k], b->per_size[k], e);
    for (int k = 0; k < 3 && b->carrier != IN_SPACE; k++) {
        const lane3 a = lane3_combine(b->axes[k], (b->carrier == IN_PARENT ? x_p : x) + 1),
                    turn = lane3_combine(b->axes[k], (b->carrier == IN_PARENT ? w_p : w) + 1);
        sum_joint_row(lane3_dot(a, span), lane3_dot(a, rate) + lane3_dot(turn, span),
                      b->per_size[k], e);
    }
    /* scalar products */
    for (int k = 0; k < b->dots; k++) {
        const lane3 p = lane3_combine(b->of_parent[k], x_p + 1),
                    dp = lane3_combine(b->of_parent[k], w_p + 1),
                    c = lane3_combine(b->of_child[k], x + 1),
                    dc = lane3_combine(b->of_child[k], w + 1);
        sum_joint_row(lane3_dot(p, c) - b->eta[k], lane3_dot(p, dc) + lane3_dot(dp, c),
                      b->per_size[3 + k], e);
    }
}

static double sum_of(lane x)
{
    return (x[0] + x[1]) + (x[2] + x[3]);
}

static double largest_of(lane x)
{
    return fmax(fmax(x[0], x[1]), fmax(x[2], x[3]));
}

static void add_up(const olo_ledger_simd *ledger_simd, const double *q, const double *v,
                   olo_ledger_simd_sums *sums)
{
    const lane zero = lane_all(0.0);
    lane twice = zero, potential = zero;
    lane3 linear = {{zero, zero, zero}}, angular = linear;
    errors e = {zero, zero, zero};
    for (int i = 0; i < ledger_simd->fours; i++) {
        const four *b = &ledger_simd->four[i];
        const offsets *at = &ledger_simd->offsets[i];
        lane3 x[4], w[4], x_p[4], w_p[4], p[4];
        /* energies and momenta */
        gather(q, at->q, x);
        gather(v, at->q, w);
        lane_momenta(&b->mass, w, p);
        for (int I = 0; I < 4; I++) {
            twice += lane3_dot(w[I], p[I]);
            potential += lane3_dot(b->force[I], x[I]);
            angular = lane3_add(angular, lane3_cross(x[I], p[I]));
        }
        linear = lane3_add(linear, p[0]);
        /* errors of the rows of directors and hinges */
        sum_directors(b, x + 1, w + 1, &e);
        lanes_gather_parents(q, at->parent, ground_frame, x_p);
        lanes_gather_parents(v, at->parent, ground_rest, w_p);
        sum_hinges(b, x, w, x_p, w_p, &e);
    }
    for (int i = 0; i < ledger_simd->joint_fours; i++)
        sum_joints(&ledger_simd->joints[i], q, v, &e);
    /* sums over the four lanes */
    *sums = (olo_ledger_simd_sums){.kinetic = 0.5 * sum_of(twice),
                                   .potential = sum_of(potential) + ledger_simd->constant,
                                   .error = largest_of(e.error),
                                   .relative = largest_of(e.relative),
                                   .rate = largest_of(e.rate)};
    for (int i = 0; i < 3; i++) {
        sums->linear[i] = sum_of(linear.x[i]);
        sums->angular[i] = sum_of(angular.x[i]);
    }
}

const olo_ledger_simd_kernels OLO_LEDGER_KERNELS = {.add_up = add_up};
