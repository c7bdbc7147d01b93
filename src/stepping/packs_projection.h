/* The end of a step of packed bodies, for schemes that give the momentum p there: the velocity
 * with which the joints remain closed and has the same momentum along the null space, P^T M P nu =
 * P^T p, v1 = P nu at q_end. A symmetric elimination, leaf to root from the mass of the body about
 * its pivot
 *
 *     K = [A B; B^T C] = [m I, -c^; c^, (tr N) I - N],   N = sum E_IJ d_I (x) d_J,   z = [p_x; sum
 *         d_I x p_I]
 *
 * by U = [u; w] = K [0; n], D = n.w, rho = n.z_w/D and, with X = [I -arm^; 0 I],
 *
 *     K_p += X^T (K - U U^T/D) X,   z_p += X^T (z - U rho)
 *
 * and root to leaf t = X t_p, t_c = t + [0; n] (rho - U.t/D). Joints of several degrees of freedom,
 * and translations [m; 0], are eliminated one after the other, as in packs_sweep.c.
 *
 * All is inline: packs_sweep.c, which alone includes this, is compiled for several processors.
 */
#ifndef OLO_STEPPING_PACKS_PROJECTION_H
#define OLO_STEPPING_PACKS_PROJECTION_H

#include <float.h>
#include <math.h>

#include "stepping/packs_local.h"

/* A body and all that hangs on it. Matrices X of three by three are stored by their cyclic
 * diagonals X_ii, X_i,i+1 and X_i,i+2, i and what is added to it modulo 3, so that products with
 * vectors go number by number; of symmetric ones, A and C, the third is the second moved on. Then
 * z. */
enum { END_B = 2, END_C = 5, END_Z = 7, END_SUMS = 9 };

/* The mass of four bodies about their pivots. */
LANES_INLINE void make_masses(const four *b, lane to[LANES][END_SUMS])
{
    const size_t bytes = sizeof *to;
    const lane *e = b->mass.E, zero = lane_all(0.0),
               E[3][3] = {{e[0], e[3], e[4]}, {e[3], e[1], e[5]}, {e[4], e[5], e[2]}};
    const lane3 c = lane3_combine(b->mass.c, b->d0);
    lane N[3][3];
    memset(N, 0, sizeof N);
    for (int I = 0; I < 3; I++) {
        const lane3 inertia = lane3_combine(E[I], b->d0);
        for (int i = 0; i < 3; i++)
            for (int j = i; j < 3; j++)
                N[i][j] += b->d0[I].x[i] * inertia.x[j];
    }
    for (int l = 0; l < LANES; l++) {
        to[l][0] = lane_all(b->mass.m[l]);
        to[l][1] = to[l][END_B] = zero;
    }
    scatter_lanes((lane3){{c.x[2], c.x[0], c.x[1]}}, bytes, to[0] + END_B + 1);
    scatter_lanes((lane3){{-c.x[1], -c.x[2], -c.x[0]}}, bytes, to[0] + END_B + 2);
    scatter_lanes((lane3){{N[1][1] + N[2][2], N[0][0] + N[2][2], N[0][0] + N[1][1]}}, bytes,
                  to[0] + END_C);
    scatter_lanes((lane3){{-N[0][1], -N[1][2], -N[0][2]}}, bytes, to[0] + END_C + 1);
}

/* The axes of one joint beside that of a hinge. */
typedef struct end_joint {
    lane cross, slide[3];
    lane v; /* of a lever */
} end_joint;

/* Frames at q_end, mass and momentum of four bodies; what has come from children in later fours is
 * added. */
LANES_INLINE void make_end(olo_packs *x, int i, const olo_step *step, end_joint *joint_of,
                           lane own[LANES][END_SUMS])
{
    const slots *at = &x->slots[i];
    four *b = &x->four[i];
    body *to = x->bodies + LANES * i;
    lane3 p[4];
    set_frames(b, at, step->q_end);
    make_masses(b, own);
    gather_frames(step->momentum, at, p);
    move_to_pivot(b->pivot, p);
    scatter_lanes(p[0], sizeof *own, own[0] + END_Z);
    scatter_lanes(moment_of(b->d0, p), sizeof *own, own[0] + END_Z + 1);
    scatter_lanes(b->n0, sizeof *to, &to->n1);
    scatter_lanes(b->arm0, sizeof *to, &to->arm1);
    if (at->joints) {
        scatter_lanes(at->joints->m0, sizeof *joint_of, &joint_of->cross);
        scatter_lanes(at->joints->v0, sizeof *joint_of, &joint_of->v);
        for (int k = 0; k < 3; k++)
            if (at->joints->any >> k & 1)
                scatter_lanes(at->joints->M0[k], sizeof *joint_of, &joint_of->slide[k]);
    }
    for (int l = 0; l < LANES; l++)
        for (int j = 0; at->late[l] >= 0 && j < END_SUMS; j++)
            own[l][j] += x->waiting[at->late[l]].K[j];
}

/* a_i+1 and a_i+2 */
LANES_INLINE lane next(lane a)
{
    return __builtin_shufflevector(a, a, 1, 2, 0, 3);
}

LANES_INLINE lane after_next(lane a)
{
    return __builtin_shufflevector(a, a, 2, 0, 1, 3);
}

/* K and z at the parent's pivot, less the rank that the hinge takes: K is moved first,
 *
 *     B_p = B - A arm^,   C_p = C + 1/2 (H + H^T),  H = arm^ (B + B_p)
 *
 * and U then is [u; w + arm x u]. */
LANES_INLINE void move_to_parent(const lane *K, lane u, lane w, const body *b, lane moved[END_SUMS])
{
    const lane r = b->arm1, r1 = next(r), r2 = after_next(r);
    const lane A0 = K[0], A1 = K[1], A2 = after_next(A1), *B = K + END_B, *C = K + END_C;
    const double inverse = b->y[1][3], rho = b->y[0][3];
    const lane w_p = w + (r1 * after_next(u) - r2 * next(u)), y = b->y[0], y_w = w_p * inverse;
    const lane B0 = B[0] - (r2 * A1 - r1 * A2), B1 = B[1] - (r * A2 - r2 * A0),
               B2 = B[2] - (r1 * A0 - r * A1);
    const lane S0 = B[0] + B0, S1 = after_next(B[1] + B1), S2 = B[2] + B2;
    const lane C0 = C[0] + (r1 * S1 - r2 * next(S2)),
               C1 = C[1] + 0.5 * ((r1 * after_next(S2) - r * S1) + r2 * (S0 - next(S0)));
    const lane z = K[END_Z] - rho * u;
    moved[0] = A0 - u * y;
    moved[1] = A1 - u * next(y);
    moved[END_B] = B0 - u * y_w;
    moved[END_B + 1] = B1 - u * next(y_w);
    moved[END_B + 2] = B2 - u * after_next(y_w);
    moved[END_C] = C0 - w_p * y_w;
    moved[END_C + 1] = C1 - w_p * next(y_w);
    moved[END_Z] = z;
    moved[END_Z + 1] = (K[END_Z + 1] - rho * w) + (r1 * after_next(z) - r2 * next(z));
}

LANES_INLINE bool eliminate_end(const lane *K, bool first, body *b, lane *parent)
{
    const lane *B = K + END_B, *C = K + END_C, n = b->n1, n1 = next(n), n2 = after_next(n);
    const lane u = n * B[0] + n1 * B[1] + n2 * B[2],
               w = n * C[0] + n1 * C[1] + n2 * after_next(C[1]);
    const double inverse = 1.0 / vector_sum(n * w);
    if (!(fabs(inverse) <= DBL_MAX))
        return false;
    b->y[0] = u * inverse;
    b->y[1] = w * inverse;
    b->y[0][3] = vector_sum(n * K[END_Z + 1]) * inverse;
    b->y[1][3] = inverse;
    if (!parent)
        return true;
    lane moved[END_SUMS];
    move_to_parent(K, u, w, b, moved);
    for (int j = 0; j < END_SUMS; j++)
        parent[j] = first ? moved[j] : parent[j] + moved[j];
    return true;
}

/* [a_0, b_1, c_2, 0] */
LANES_INLINE lane blend_three(lane a, lane b, lane c)
{
    const lane ab = __builtin_shufflevector(a, b, 0, 5, 2, 3),
               abc = __builtin_shufflevector(ab, c, 0, 1, 6, 3);
    return __builtin_shufflevector(abc, lane_all(0.0), 0, 1, 2, 7);
}

/* Column j of a matrix by its diagonals first, second and third: X_j,j, X_j-1,j and X_j-2,j. */
LANES_INLINE void end_columns(lane first, lane second, lane third, lane columns[3])
{
    columns[0] = blend_three(first, third, second);
    columns[1] = blend_three(second, first, third);
    columns[2] = blend_three(third, second, first);
}

/* All rotations: K = [A B; B^T C] leaves A - B C^-1 B^T and z_x - B C^-1 z_w. */
LANES_INLINE bool eliminate_ball_in_place(lane *K, body *b)
{
    const lane *C = K + END_C, *B = K + END_B, zero = lane_all(0.0);
    lane c[3], inverse[4], columns[3], rows[4], V[3], Q[3];
    end_columns(C[0], C[1], after_next(C[1]), c);
    if (!invert_three(c, inverse))
        return false;
    end_columns(B[0], B[1], B[2], columns);
    lanes_transpose(columns[0], columns[1], columns[2], zero, rows);
    for (int j = 0; j < 3; j++)
        V[j] = times_three(inverse, rows[j]); /* C^-1 B^T */
    b->y[0] = V[0];
    b->y[1] = V[1];
    b->n1 = V[2];
    b->twist[1] = times_three(inverse, K[END_Z + 1]);
    for (int j = 0; j < 3; j++)
        Q[j] = times_three(columns, V[j]); /* B C^-1 B^T, symmetric */
    K[0] -= (lane){Q[0][0], Q[1][1], Q[2][2], 0};
    K[1] -= (lane){Q[1][0], Q[2][1], Q[0][2], 0};
    for (int j = END_B; j < END_Z; j++)
        K[j] = zero;
    K[END_Z] -= times_three(columns, b->twist[1]);
    K[END_Z + 1] = zero;
    return true;
}

LANES_INLINE bool eliminate_ball_end(lane *K, bool first, body *b, lane *parent)
{
    const lane zero = lane_all(0.0);
    lane moved[END_SUMS];
    if (!eliminate_ball_in_place(K, b))
        return false;
    if (!parent)
        return true;
    move_to_parent(K, zero, zero, b, moved);
    for (int j = 0; j < END_SUMS; j++)
        parent[j] = first ? moved[j] : parent[j] + moved[j];
    return true;
}

/* One degree of freedom [0; b], or [b; 0] of a translation, K and z in place. */
LANES_INLINE bool eliminate_stage_end(lane *K, lane b, const bool slides, stage *to)
{
    const lane *B = K + END_B, *C = K + END_C, b1 = next(b), b2 = after_next(b);
    const lane u = slides ? b * K[0] + b1 * K[1] + b2 * after_next(K[1])
                          : b * B[0] + b1 * B[1] + b2 * B[2],
               w = slides ? b * B[0] + b1 * next(B[2]) + b2 * after_next(B[1])
                          : b * C[0] + b1 * C[1] + b2 * after_next(C[1]);
    const double inverse = 1.0 / vector_sum(b * (slides ? u : w));
    if (!(fabs(inverse) <= DBL_MAX))
        return false;
    const double rho = vector_sum(b * K[slides ? END_Z : END_Z + 1]) * inverse;
    lane y = u * inverse, y_w = w * inverse;
    K[0] -= u * y;
    K[1] -= u * next(y);
    K[END_B] -= u * y_w;
    K[END_B + 1] -= u * next(y_w);
    K[END_B + 2] -= u * after_next(y_w);
    K[END_C] -= w * y_w;
    K[END_C + 1] -= w * next(y_w);
    K[END_Z] -= rho * u;
    K[END_Z + 1] -= rho * w;
    y[3] = rho;
    *to = (stage){.y = {y, y_w}, .b = b};
    return true;
}

/* The stages of packs_sweep.c. Those of a joint with all rotations begin after its first. */
LANES_INLINE bool eliminate_joint_end(lane *K, const end_joint *h, const slots *at, int l, body *b,
                                      stage *to, lane *parent)
{
    const olo_joint_rotation rotation = at->rotation[l];
    const lane zero = lane_all(0.0);
    lane moved[END_SUMS];
    bool regular = true;
    if (rotation == OLO_ROTATION_ALL) {
        regular = eliminate_ball_in_place(K, b);
        to++;
    } else if (rotation != OLO_ROTATION_NONE) {
        regular = eliminate_stage_end(K, b->n1, false, to++);
    }
    if (regular && rotation == OLO_ROTATION_CROSS)
        regular = eliminate_stage_end(K, h->cross, false, to++);
    for (int k = 0; regular && k < 3; k++)
        if (at->slides[l] >> k & 1)
            regular = eliminate_stage_end(K, h->slide[k], true, to++);
    if (!regular || !parent)
        return regular;
    body rigid = *b;
    rigid.y[0] = rigid.y[1] = zero;
    move_to_parent(K, zero, zero, &rigid, moved);
    for (int j = 0; j < END_SUMS; j++)
        parent[j] = at->first[l] ? moved[j] : parent[j] + moved[j];
    return true;
}

/* The translations of a lever, then its rotation about the joint point of the parent. */
LANES_INLINE bool eliminate_lever_end(lane *K, const end_joint *h, const slots *at, int l, body *b,
                                      stage *to, lane *parent)
{
    const lane zero = lane_all(0.0);
    lane moved[END_SUMS];
    bool regular = true;
    *to++ = (stage){.b = h->v};
    for (int k = 0; regular && k < 3; k++)
        if (at->slides[l] >> k & 1)
            regular = eliminate_stage_end(K, h->slide[k], true, to++);
    if (!regular)
        return false;
    const body lever = {.arm1 = h->v};
    move_to_parent(K, zero, zero, &lever, moved);
    return at->rotation[l] == OLO_ROTATION_ALL ? eliminate_ball_end(moved, at->first[l], b, parent)
                                               : eliminate_end(moved, at->first[l], b, parent);
}

/* A free root: K t = z, its rotations first. */
LANES_INLINE bool solve_free_end(lane *K, body *b)
{
    lane A[3], inverse[4];
    if (!eliminate_ball_in_place(K, b))
        return false;
    const lane V[3] = {b->y[0], b->y[1], b->n1};
    end_columns(K[0], K[1], after_next(K[1]), A);
    if (!invert_three(A, inverse))
        return false;
    b->twist[0] = times_three(inverse, K[END_Z]);
    b->twist[1] -= times_three(V, b->twist[0]);
    return true;
}

LANES_INLINE void substitute_end(body *c, const body *parent, bool ball)
{
    const lane zero = lane_all(0.0);
    lane t = zero, w = zero;
    if (parent) {
        t = parent->twist[0] + vector_cross(parent->twist[1], c->arm1);
        w = parent->twist[1];
    }
    if (ball) {
        const lane V[3] = {c->y[0], c->y[1], c->n1};
        c->twist[0] = t;
        c->twist[1] -= times_three(V, t);
        return;
    }
    const double rate = c->y[0][3] - vector_sum(c->y[0] * t + c->y[1] * w);
    c->twist[0] = t;
    c->twist[1] = w + rate * c->n1;
}

LANES_INLINE void substitute_joint_end(body *c, const body *parent, const slots *at, int l,
                                       const stage *first)
{
    const olo_joint_rotation rotation = at->rotation[l];
    lane t = lane_all(0.0), w = t;
    if (parent) {
        t = parent->twist[0] + vector_cross(parent->twist[1], c->arm1);
        w = parent->twist[1];
    }
    const int rotations = stages_of_rotation(rotation);
    int k = rotations + __builtin_popcount(at->slides[l]) - 1;
    for (; k >= rotations; k--)
        t += (first[k].y[0][3] - vector_sum(first[k].y[0] * t + first[k].y[1] * w)) * first[k].b;
    if (rotation == OLO_ROTATION_ALL) {
        const lane V[3] = {c->y[0], c->y[1], c->n1};
        w = c->twist[1] - times_three(V, t);
        k = -1;
    }
    for (; k >= 0; k--)
        w += (first[k].y[0][3] - vector_sum(first[k].y[0] * t + first[k].y[1] * w)) * first[k].b;
    c->twist[0] = t;
    c->twist[1] = w;
}

LANES_INLINE void substitute_lever_end(body *c, const slots *at, int l, const stage *first)
{
    lane t = c->twist[0] + vector_cross(c->twist[1], first->b);
    for (int k = __builtin_popcount(at->slides[l]); k > 0; k--)
        t += (first[k].y[0][3] - vector_sum(first[k].y[0] * t + first[k].y[1] * c->twist[1])) *
             first[k].b;
    c->twist[0] = t;
}

/* The velocities of four bodies from their twists. */
LANES_INLINE void take_end(const olo_packs *x, int i, olo_step *step)
{
    const four *b = &x->four[i];
    const body *c = x->bodies + LANES * i;
    const lane3 shift = collect(c[0].twist[0], c[1].twist[0], c[2].twist[0], c[3].twist[0]),
                spin = collect(c[0].twist[1], c[1].twist[1], c[2].twist[1], c[3].twist[1]);
    lane3 v[4];
    for (int I = 0; I < 3; I++)
        v[1 + I] = lane3_cross(spin, b->d0[I]);
    v[0] = lane3_subtract(shift, lane3_combine(b->pivot, v + 1));
    scatter_frames(v, &x->slots[i], step->v1);
}

#endif
