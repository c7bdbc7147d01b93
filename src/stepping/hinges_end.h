/* The end of a step of bodies on hinges, for schemes that give the momentum p there: the velocity that keeps the hinges closed and
 * has the same momentum along the null space, P^T M P nu = P^T p, v1 = P nu at q_end. A symmetric elimination, leaf to root
 * from the mass of the body about its pivot
 *
 *     K = [A B; B^T C] = [m I, -c^; c^, (tr N) I - N],   N = sum E_IJ d_I (x) d_J,   z = [p_x; sum d_I x p_I]
 *
 * by U = [u; w] = K [0; n], D = n.w, rho = n.z_w/D and, with X = [I -arm^; 0 I],
 *
 *     K_p += X^T (K - U U^T/D) X,   z_p += X^T (z - U rho)
 *
 * and root to leaf t = X t_p, t_c = t + [0; n] (rho - U.t/D).
 *
 * All is inline: hinges_sweep.c, which alone includes this, is compiled for several processors.
 */
#ifndef OLO_STEPPING_HINGES_END_H
#define OLO_STEPPING_HINGES_END_H

#include <float.h>
#include <math.h>

#include "stepping/hinges_local.h"

/* Columns of A, B and C, then z, of a body and all that hangs on it. */
enum { END_B = 3, END_C = 6, END_Z = 9, END_SUMS = 11 };

/* The mass of four bodies about their pivots. */
LANES_INLINE void make_masses(const four *b, size_t bytes, lane *to)
{
    const lane *e = b->mass.E, zero = lane_all(0.0), m = b->mass.m,
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
    deal((lane3){{m, zero, zero}}, bytes, to);
    deal((lane3){{zero, m, zero}}, bytes, to + 1);
    deal((lane3){{zero, zero, m}}, bytes, to + 2);
    deal((lane3){{zero, -c.x[2], c.x[1]}}, bytes, to + END_B);
    deal((lane3){{c.x[2], zero, -c.x[0]}}, bytes, to + END_B + 1);
    deal((lane3){{-c.x[1], c.x[0], zero}}, bytes, to + END_B + 2);
    deal((lane3){{N[1][1] + N[2][2], -N[0][1], -N[0][2]}}, bytes, to + END_C);
    deal((lane3){{-N[0][1], N[0][0] + N[2][2], -N[1][2]}}, bytes, to + END_C + 1);
    deal((lane3){{-N[0][2], -N[1][2], N[0][0] + N[1][1]}}, bytes, to + END_C + 2);
}

/* Frames at q_end, mass and momentum of four bodies; what has come from children in later fours is added. */
LANES_INLINE void make_end(olo_hinges *x, int i, const olo_step *step, lane own[LANES][END_SUMS])
{
    const places *at = &x->places[i];
    four *b = &x->four[i];
    body *to = x->bodies + LANES * i;
    lane3 p[4];
    set_frames(b, at, step->q_end);
    make_masses(b, sizeof *own, own[0]);
    gather_frames(step->momentum, at, p);
    move_to_pivot(b->pivot, p);
    deal(p[0], sizeof *own, own[0] + END_Z);
    deal(moment_of(b->d0, p), sizeof *own, own[0] + END_Z + 1);
    deal(b->n0, sizeof *to, &to->n1);
    deal(b->arm0, sizeof *to, &to->arm1);
    for (int l = 0; l < LANES; l++)
        for (int j = 0; at->late[l] >= 0 && j < END_SUMS; j++)
            own[l][j] += x->waiting[at->late[l]].K[j];
}

/* x - s y + (s1 y1 - s2 y2) */
LANES_INLINE lane shifted(lane x, double s1, lane y1, double s2, lane y2)
{
    return x + (s1 * y1 - s2 * y2);
}

/* K and z at the parent's pivot, less the rank that the hinge takes: K is moved first, U then is [u; w + arm x u]. */
LANES_INLINE void move_to_parent(const lane *K, lane u, lane w, const body *b, lane moved[END_SUMS])
{
    const lane *A = K, *B = K + END_B, *C = K + END_C, arm = b->arm1;
    const double inverse = b->y[1][3], rho = b->y[0][3];
    const lane w_p = w + vector_cross(arm, u), y = b->y[0], y_w = w_p * inverse;
    lane row[4];
    lanes_transpose(B[0], B[1], B[2], lane_all(0.0), row);
    const lane B0 = shifted(B[0], arm[1], A[2], arm[2], A[1]),
               B1 = shifted(B[1], arm[2], A[0], arm[0], A[2]),
               B2 = shifted(B[2], arm[0], A[1], arm[1], A[0]);
    const lane C0 = shifted(C[0], arm[1], row[2], arm[2], row[1]) + vector_cross(arm, B0),
               C1 = shifted(C[1], arm[2], row[0], arm[0], row[2]) + vector_cross(arm, B1),
               C2 = shifted(C[2], arm[0], row[1], arm[1], row[0]) + vector_cross(arm, B2);
    const lane z = K[END_Z] - rho * u;
    moved[0] = A[0] - y[0] * u;
    moved[1] = A[1] - y[1] * u;
    moved[2] = A[2] - y[2] * u;
    moved[END_B] = B0 - y_w[0] * u;
    moved[END_B + 1] = B1 - y_w[1] * u;
    moved[END_B + 2] = B2 - y_w[2] * u;
    moved[END_C] = C0 - y_w[0] * w_p;
    moved[END_C + 1] = C1 - y_w[1] * w_p;
    moved[END_C + 2] = C2 - y_w[2] * w_p;
    moved[END_Z] = z;
    moved[END_Z + 1] = (K[END_Z + 1] - rho * w) + vector_cross(arm, z);
}

LANES_INLINE bool eliminate_end(const lane *K, bool first, body *b, lane *parent)
{
    const lane *B = K + END_B, *C = K + END_C, n = b->n1;
    const lane u = n[0] * B[0] + n[1] * B[1] + n[2] * B[2],
               w = n[0] * C[0] + n[1] * C[1] + n[2] * C[2];
    const double D = vector_sum(n * w), inverse = 1.0 / D;
    if (!(fabs(D) > 0 && fabs(D) <= DBL_MAX))
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

/* A free root: K t = z */
LANES_INLINE bool solve_free_end(const lane *c, body *b)
{
    double K[36];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            K[6 * i + j] = c[j][i];
            K[6 * i + 3 + j] = c[END_B + j][i];
            K[6 * (3 + i) + j] = c[END_B + i][j];
            K[6 * (3 + i) + 3 + j] = c[END_C + j][i];
        }
    return solve_six(K, c[END_Z], c[END_Z + 1], b->twist);
}

LANES_INLINE void substitute_end(body *c, const body *parent)
{
    const lane zero = lane_all(0.0);
    lane t = zero, w = zero;
    if (parent) {
        t = parent->twist[0] + vector_cross(parent->twist[1], c->arm1);
        w = parent->twist[1];
    }
    const double rate = c->y[0][3] - vector_sum(c->y[0] * t + c->y[1] * w);
    c->twist[0] = t;
    c->twist[1] = w + rate * c->n1;
}

/* The velocities of four bodies from their twists. */
LANES_INLINE void take_end(const olo_hinges *x, int i, olo_step *step)
{
    const four *b = &x->four[i];
    const body *c = x->bodies + LANES * i;
    const lane3 shift = collect(c[0].twist[0], c[1].twist[0], c[2].twist[0], c[3].twist[0]),
                spin = collect(c[0].twist[1], c[1].twist[1], c[2].twist[1], c[3].twist[1]);
    lane3 v[4];
    for (int I = 0; I < 3; I++)
        v[1 + I] = lane3_cross(spin, b->d0[I]);
    v[0] = lane3_subtract(shift, lane3_combine(b->pivot, v + 1));
    scatter_frames(v, &x->places[i], step->v1);
}

#endif
