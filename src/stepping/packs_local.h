/* What belongs to a body and its joint alone, for four at once: start, balance, tangent and joint.
 * Every body c is described at its pivot, the joint point x_c of the child, at the end of an arm
 * from the pivot of its parent p. Its parent carries the arm of a joint without translations; with
 * them the arm is x_c - x_p:
 *
 *     dx_c = dx_p + a_p x arm_m,    n of the child = n of the parent
 *     A = [I -arm1^; 0 I];   B = [0; n1] about an axis, [M_k; 0] along one;
 *     A^, B^ the same at the midpoint, but [M_i x M_j; 0] along an axis
 *
 * Balance w = [T_x; sum d_I,m x T_I] with T = M ((2/h) dq - 2 v0) + h f, its tangent
 *
 *     S = [(2/h) m I, -C1^; Cm^, R - (tr R) I],   C = (2/h) sum c_I d_I,
 *     R = sum_I d_I,1 (x) (T_I/2 - (2/h) sum_J E_IJ d_J,m)
 *
 * and the variation of the left pair against W = [f; m]: d(A^^T) W = 1/2 (arm1 (x) f - (arm1.f) I)
 * d_omega_p, and with translations 1/2 (e_x + b_x du) x f beside it; d(B^^T) W = k.d_omega, of the
 * body that carries the axis, with k = 1/2 n1 x m about an axis and 1/2 (M_i1 x (M_jm x f) + M_j1 x
 * (f x M_im)) along one.
 *
 * The gap e of a joint: with d = x_p + (change of the arm that the parent would carry) - x_c
 *
 *     e_x = d, less its components along the free axes at the end
 *     e_w = n1 x (dn of the parent - dn of the child) about an axis, 0 of a ball joint,
 *           the spin that takes a_c to a_p if there is no rotation,
 *           -(n1 x m1) d(m.n)/|n1 x m1|^2 about two axes, m in the parent and n in the child
 *
 * Where the left pair is taken at the start (at_start), A^, B^ and the d_I of w, S and C^ on the
 * left are those at q0, which do not vary: R has no T, k and d(A^^T) W are zero. The step starts
 * with a momentum, T = M (2/h) dq - 2 p0 + h f, formed at the origin: there momenta have the same
 * mass, and one that is rounded otherwise would scale them in every step.
 *
 * All is inline: packs_sweep.c, which alone includes this, is compiled for several processors.
 */
#ifndef OLO_STEPPING_PACKS_LOCAL_H
#define OLO_STEPPING_PACKS_LOCAL_H

#include <float.h>
#include <math.h>

#include "stepping/packs_private.h"

/* --- between arrays and lanes --- */

/* Four numbers from `at` on of each of four bodies, lane by lane. */
LANES_INLINE void gather(const double *array, const int offset[LANES], int at, lane out[4])
{
    lanes_transpose(lane_load(array + offset[0] + at), lane_load(array + offset[1] + at),
                    lane_load(array + offset[2] + at), lane_load(array + offset[3] + at), out);
}

LANES_INLINE void gather_frames(const double *array, const slots *at, lane3 out[4])
{
    const double *const frame[LANES] = {array + at->q[0], array + at->q[1], array + at->q[2],
                                        array + at->q[3]};
    lanes_gather_frames(frame, out);
}

/* Six numbers of a motion or wrench, of each of four bodies. */
LANES_INLINE void gather_twists(const double *array, const slots *at, lane3 *first, lane3 *second)
{
    lane low[4], high[4];
    gather(array, at->motion, 0, low);
    gather(array, at->motion, 2, high);
    *first = (lane3){{low[0], low[1], low[2]}};
    *second = (lane3){{high[1], high[2], high[3]}};
}

/* The first comes last: where there are fewer than four the others write to the same numbers. */
LANES_INLINE void scatter(const lane in[4], const int offset[LANES], int to, double *array)
{
    lane out[4];
    lanes_transpose(in[0], in[1], in[2], in[3], out);
    lane_store(out[3], array + offset[3] + to);
    lane_store(out[2], array + offset[2] + to);
    lane_store(out[1], array + offset[1] + to);
    lane_store(out[0], array + offset[0] + to);
}

LANES_INLINE void scatter_frames(const lane3 in[4], const slots *at, double *array)
{
    lane number[12];
    for (int i = 0; i < 12; i++)
        number[i] = in[i / 3].x[i % 3];
    for (int i = 0; i < 12; i += 4)
        scatter(number + i, at->q, i, array);
}

LANES_INLINE void scatter_twists(lane3 first, lane3 second, const slots *at, double *array)
{
    const lane low[4] = {first.x[0], first.x[1], first.x[2], second.x[0]},
               high[4] = {first.x[2], second.x[0], second.x[1], second.x[2]};
    scatter(low, at->motion, 0, array);
    scatter(high, at->motion, 2, array);
}

/* Writes the configurations of four bodies from the changes dq and midpoints q_m of their
 * directors; dq[0] and q_m[0] are found here. */
LANES_INLINE void write_frames(const four *b, const slots *at, lane3 dq[4], lane3 q_m[4],
                               olo_step *step)
{
    lane3 q0[4], q1[4];
    gather_frames(step->x.q0, at, q0);
    dq[0] = lane3_subtract(b->x, lane3_combine(b->pivot, dq + 1));
    q_m[0] = lane3_add(q0[0], lane3_times(lane_all(0.5), dq[0]));
    for (int I = 0; I < 4; I++)
        q1[I] = lane3_add(q0[I], dq[I]);
    scatter_frames(dq, at, step->x.dq);
    scatter_frames(q_m, at, step->x.qm);
    scatter_frames(q1, at, step->x.q1);
    scatter_twists(dq[0], b->a, at, step->x.motion);
}

/* --- start --- */

/* To the description at the pivot: phi + rho for what is at the origin. */
LANES_INLINE lane3 at_pivot(const four *b, const lane3 frame[4])
{
    return lane3_add(frame[0], lane3_combine(b->pivot, frame + 1));
}

/* Forces of the origin and the directors to those of the pivot and the directors. */
LANES_INLINE void move_to_pivot(const lane pivot[3], lane3 force[4])
{
    for (int I = 0; I < 3; I++)
        force[1 + I] = lane3_subtract(force[1 + I], lane3_times(pivot[I], force[0]));
}

LANES_INLINE void scale_impulses(four *b, const slots *at, const olo_step *step, bool at_start)
{
    gather_frames(step->constant, at, b->impulse);
    if (!at_start)
        move_to_pivot(b->pivot, b->impulse);
    for (int I = 0; I < 4; I++)
        b->impulse[I] = lane3_times(lane_all(step->h), b->impulse[I]);
}

LANES_INLINE lane3 parents_vector(const slots *at, int first)
{
    lane3 out;
    for (int i = 0; i < 3; i++) {
        const int k = LANES * (first + i);
        out.x[i] = (lane){at->above[0][k], at->above[1][k], at->above[2][k], at->above[3][k]};
    }
    return out;
}

/* Axes fixed in the parents, at the start; the arms of joints with translations reach from pivot to
 * pivot. */
LANES_INLINE void set_joints(joints *j, const four *b, const lane3 frame[4], const lane3 parent[4],
                             lane3 *arm0)
{
    const lane_mask levers = j->levers > lane_all(0.0);
    for (int k = 0; j->any && k < 3; k++)
        j->M0[k] = lane3_choose(levers, lane3_combine(j->axes[k], frame + 1),
                                lane3_combine(j->axes[k], parent + 1));
    j->m0 = lane3_combine(j->cross, parent + 1);
    const lane3 x_c = lane3_add(frame[0], lane3_combine(b->pivot, frame + 1)),
                x_p = lane3_add(parent[0], lane3_combine(j->above, parent + 1));
    *arm0 = lane3_choose(j->slides > lane_all(0.0), lane3_subtract(x_c, x_p), *arm0);
    j->v0 = lane3_subtract(x_c, lane3_add(parent[0], lane3_combine(b->parent_point, parent + 1)));
}

/* Axes of angles and the offsets of translations, at the start. */
LANES_INLINE void set_forced(forced *f, const four *b, const lane3 frame[4], const lane3 parent[4])
{
    const lane_mask reversed = f->reversed > lane_all(0.0);
    lane3 child[3], other[3];
    for (int I = 0; I < 3; I++) {
        child[I] = lane3_choose(reversed, parent[1 + I], frame[1 + I]);
        other[I] = lane3_choose(reversed, frame[1 + I], parent[1 + I]);
    }
    f->C0 = lane3_combine(f->first, child);
    f->P0[0] = lane3_combine(f->axes[0], other);
    f->P0[1] = lane3_combine(f->axes[1], other);
    f->v0 = lane3_subtract(lane3_add(frame[0], lane3_combine(b->pivot, frame + 1)),
                           lane3_add(parent[0], lane3_combine(b->parent_point, parent + 1)));
}

/* Directors, axes and arms at the start. */
LANES_INLINE void set_frames(four *b, const slots *at, const double *q)
{
    static const double ground[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    lane3 frame[4], parent[4];
    gather_frames(q, at, frame);
    memcpy(b->d0, frame + 1, sizeof b->d0);
    b->n0 = lane3_combine(b->axis, b->d0);
    lanes_gather_parents(q, at->above_q, ground, parent);
    b->arm0 = lane3_combine(b->reach, parent + 1);
    if (at->joints)
        set_joints(at->joints, b, frame, parent, &b->arm0);
    if (at->forced)
        set_forced(at->forced, b, frame, parent);
}

/* The sense of angles between the axes C and P. */
LANES_INLINE lane own_sense(const forced *f)
{
    return (1.0 - 2.0 * f->reversed) * f->sense[ANGLE];
}

/* The coordinates at the start of the step, and the forces along them that are affine. */
LANES_INLINE void begin_forces(olo_packs *x, const slots *at, const olo_step *step)
{
    forced *f = at->forced;
    const olo_interval over = olo_step_interval(step);
    const lane e_1 = lane3_dot(f->C0, f->P0[0]), e_2 = own_sense(f) * lane3_dot(f->C0, f->P0[1]);
    for (int k = 0; k < COLUMNS; k++) {
        const lane s =
            k == ANGLE || !(f->any >> k & 1) ? lane_all(0.0) : lane3_dot(at->joints->M0[k], f->v0);
        for (int l = 0; f->any >> k & 1 && l < at->count; l++) {
            const int c = f->coordinate[k][l];
            double constant, gradient;
            if (c < 0)
                continue;
            const double near = step->state->angles[x->forces.coordinates[c].coordinate],
                         sense = f->sense[k][l],
                         start = k == ANGLE ? olo_angle_near(e_1[l], e_2[l], near) : sense * s[l];
            olo_joint_forces_begin(&x->forces, c, &over, start, &constant, &gradient);
            f->constant[k][l] = sense * constant;
            f->gradient[k][l] = gradient;
        }
    }
}

LANES_INLINE void set_velocities(four *b, const slots *at, const double *v0)
{
    lane3 v[4];
    gather_frames(v0, at, v);
    v[0] = at_pivot(b, v);
    for (int I = 0; I < 4; I++)
        b->start[I] = lane3_times(lane_all(2.0), v[I]);
}

/* h f - 2 p0, the momentum given or that of the velocities */
LANES_INLINE void set_momenta(four *b, const slots *at, const olo_step *step)
{
    lane3 p[4], v[4];
    if (step->from_momentum) {
        gather_frames(step->Mv0, at, p);
    } else {
        gather_frames(step->v0, at, v);
        lane_momenta(&b->origin_mass, v, p);
    }
    for (int I = 0; I < 4; I++)
        b->start[I] = lane3_subtract(b->impulse[I], lane3_times(lane_all(2.0), p[I]));
}

/* The last joint wrench: its moment was about the origin at the midpoint of the last step. */
LANES_INLINE void set_wrenches(four *b, const slots *at, const double *wrench, double scale,
                               lane3 rho, lane3 a)
{
    lane3 f, moment;
    const lane3 back = lane3_times(lane_all(-1.0), a);
    const lane3 rho_before = lane_cayley_apply(back, lane_cayley_scale(back), rho).mid;
    const lane s = lane_all(scale);
    gather_twists(wrench, at, &f, &moment);
    b->force = lane3_times(s, f);
    b->moment = lane3_times(s, lane3_subtract(moment, lane3_cross(rho_before, f)));
}

LANES_INLINE void predict_four(olo_packs *x, int i, const olo_step *step, double scale,
                               const bool at_start)
{
    const olo_state *state = step->state;
    const slots *at = &x->slots[i];
    four *b = &x->four[i];
    lane3 motion[2];
    if (x->h != step->h)
        scale_impulses(b, at, step, at_start);
    const lane3 rho = lane3_combine(b->pivot, b->d0);
    if (at_start)
        set_momenta(b, at, step);
    else
        set_velocities(b, at, step->v0);
    if (!at_start && !x->summed) {
        gather_twists(olo_last_motion(state), at, &motion[0], &motion[1]);
        set_wrenches(b, at, olo_last_wrenches(state), scale, rho, motion[1]);
    }
    gather_twists(x->predicted, at, &motion[0], &motion[1]);
    b->a = motion[1];
    b->x = lane3_add(motion[0], lane_cayley_apply(b->a, lane_cayley_scale(b->a), rho).change);
}

/* --- four bodies: balance, tangent, joint --- */

/* A degree of freedom that is eliminated in a stage: B = [0; b] or [b; 0], B^ likewise with `left`.
 */
typedef struct dof {
    lane b, left;
    lane k;            /* by the rotation of the child, ... */
    lane by_parent;    /* ... and of the parent */
    double pivot, row; /* forces: see joint_forces.h; less by_parent.b_w and by_parent.e_w */
} dof;

/* The vectors of one body that its elimination needs beside its record. */
typedef struct joint {
    lane arm_m;
    lane variation[3]; /* columns of 1/2 (arm1 (x) f - (arm1.f) I) */
    dof turn;          /* about n; k of the parent and forces only if there are any */
    /* joints that are staged */
    lane half_force;
    dof cross, slide[3];
    lane v1, v_left; /* of a lever */
} joint;

/* A vector of each of four bodies to the same member of four records, `bytes` apart. */
LANES_INLINE void scatter_lanes(lane3 v, size_t bytes, lane *first)
{
    lane out[4];
    char *to = (char *)first;
    lanes_transpose(v.x[0], v.x[1], v.x[2], lane_all(0.0), out);
    memcpy(to, &out[0], sizeof *out);
    memcpy(to + bytes, &out[1], sizeof *out);
    memcpy(to + 2 * bytes, &out[2], sizeof *out);
    memcpy(to + 3 * bytes, &out[3], sizeof *out);
}

/* Directors at the midpoint, their change, M times the change of velocities, and T over the step.
 */
typedef struct balance {
    lane3 d_m[3], dd[3], p[4], T[4];
} balance;

/* Directors at the midpoint, and their change. */
LANES_INLINE void turn_directors(const four *b, lane3 d_m[3], lane3 dd[3])
{
    const lane scale = lane_cayley_scale(b->a);
    for (int I = 0; I < 3; I++) {
        const lane_turned d = lane_cayley_apply(b->a, scale, b->d0[I]);
        d_m[I] = d.mid;
        dd[I] = d.change;
    }
}

/* `known` has the directors of this iterate; NULL: they are not known. */
LANES_INLINE void make_balance(const four *b, double a, const bool at_start,
                               const turned_four *known, balance *out)
{
    const lane factor = lane_all(a);
    lane3 change[4];
    if (!known)
        turn_directors(b, out->d_m, out->dd);
    for (int I = 0; I < 3; I++) {
        if (known) {
            out->d_m[I] = known->d_m[I];
            out->dd[I] = known->dd[I];
        }
        change[1 + I] = lane3_times(factor, out->dd[I]);
    }
    if (at_start) {
        change[0] = lane3_times(factor, lane3_subtract(b->x, lane3_combine(b->pivot, out->dd)));
        lane_momenta(&b->origin_mass, change, out->p);
        for (int I = 0; I < 4; I++)
            out->T[I] = lane3_add(b->start[I], out->p[I]);
        move_to_pivot(b->pivot, out->T);
    } else {
        change[0] = lane3_times(factor, b->x);
        for (int I = 0; I < 4; I++)
            change[I] = lane3_subtract(change[I], b->start[I]);
        lane_momenta(&b->mass, change, out->p);
        for (int I = 0; I < 4; I++)
            out->T[I] = lane3_add(b->impulse[I], out->p[I]);
    }
}

/* The directors of the left pair. */
LANES_INLINE const lane3 *left_directors(const four *b, const balance *t, const bool at_start)
{
    return at_start ? b->d0 : t->d_m;
}

/* Sum of d_I x T_I */
LANES_INLINE lane3 moment_of(const lane3 d[3], const lane3 T[4])
{
    return lane3_add(lane3_add(lane3_cross(d[0], T[1]), lane3_cross(d[1], T[2])),
                     lane3_cross(d[2], T[3]));
}

/* sum_J E_IJ d_J */
LANES_INLINE lane3 inertia_along(const four *b, int I, const lane3 d[3])
{
    const lane *e = b->mass.E,
               E[3][3] = {{e[0], e[3], e[4]}, {e[3], e[1], e[5]}, {e[4], e[5], e[2]}};
    return lane3_combine(E[I], d);
}

LANES_INLINE void find_moments(const four *b, const lane3 left[3], const lane3 d1[3],
                               mass_moments *to)
{
    to->right = lane3_combine(b->mass.c, d1);
    to->left = lane3_combine(b->mass.c, left);
    for (int I = 0; I < 3; I++)
        to->inertia[I] = inertia_along(b, I, left);
}

/* The matrix of four bodies [m I, -C1^; Cm^, R - (tr R) I], times a, with R = sum_I d_I,1 (x) V_I.
 */
LANES_INLINE void set_matrices(const four *b, double a, const mass_moments *moments,
                               const lane3 d1[3], const lane3 V[3], sums *to)
{
    const lane factor = lane_all(a), zero = lane_all(0.0), m = factor * b->mass.m;
    lane3 R[3];
    memset(R, 0, sizeof R);
    for (int I = 0; I < 3; I++)
        for (int j = 0; j < 3; j++)
            R[j] = lane3_add(R[j], lane3_times(V[I].x[j], d1[I]));
    const lane trace = R[0].x[0] + R[1].x[1] + R[2].x[2];
    const lane3 C1 = lane3_times(factor, moments->right), Cm = lane3_times(factor, moments->left);
    R[0].x[0] -= trace;
    R[1].x[1] -= trace;
    R[2].x[2] -= trace;
    /* columns of m I, Cm^, -C1^ and R - (tr R) I */
    scatter_lanes((lane3){{m, zero, zero}}, sizeof *to, to->K);
    scatter_lanes((lane3){{zero, m, zero}}, sizeof *to, to->K + 1);
    scatter_lanes((lane3){{zero, zero, m}}, sizeof *to, to->K + 2);
    scatter_lanes((lane3){{zero, Cm.x[2], -Cm.x[1]}}, sizeof *to, to->K + LOWER);
    scatter_lanes((lane3){{-Cm.x[2], zero, Cm.x[0]}}, sizeof *to, to->K + LOWER + 1);
    scatter_lanes((lane3){{Cm.x[1], -Cm.x[0], zero}}, sizeof *to, to->K + LOWER + 2);
    scatter_lanes((lane3){{zero, -C1.x[2], C1.x[1]}}, sizeof *to, to->K + 3);
    scatter_lanes((lane3){{C1.x[2], zero, -C1.x[0]}}, sizeof *to, to->K + 4);
    scatter_lanes((lane3){{-C1.x[1], C1.x[0], zero}}, sizeof *to, to->K + 5);
    scatter_lanes(R[0], sizeof *to, to->K + LOWER + 3);
    scatter_lanes(R[1], sizeof *to, to->K + LOWER + 4);
    scatter_lanes(R[2], sizeof *to, to->K + LOWER + 5);
}

/* K = S and z = w of four bodies, a = 2/h, and the balance itself; `known` has moments of masses,
 * too */
LANES_INLINE void make_bodies(const four *b, double a, const bool at_start,
                              const turned_four *known, sums *to, balance *t)
{
    const lane factor = lane_all(a), half = lane_all(0.5);
    lane3 d1[3], V[3];
    make_balance(b, a, at_start, known, t);
    const lane3 *left = left_directors(b, t, at_start);
    scatter_lanes(t->T[0], sizeof *to, to->K + Z);
    scatter_lanes(moment_of(left, t->T), sizeof *to, to->K + Z + 1);
    for (int I = 0; I < 3; I++)
        d1[I] = lane3_add(b->d0[I], t->dd[I]);
    mass_moments own;
    const mass_moments *moments = known ? &known->moments : &own;
    if (!known)
        find_moments(b, left, d1, &own);
    for (int I = 0; I < 3; I++)
        V[I] = at_start ? lane3_times(-factor, moments->inertia[I])
                        : lane3_subtract(lane3_times(half, t->T[1 + I]),
                                         lane3_times(factor, moments->inertia[I]));
    set_matrices(b, a, moments, d1, V, to);
}

/* The Cayley vectors of the bodies that carry the axes of translations. */
LANES_INLINE lane3 carriers_vector(const joints *j, lane3 a_c, lane3 a_p)
{
    return lane3_choose(j->levers > lane_all(0.0), a_c, a_p);
}

/* Axes that parents carry, or children in levers. */
LANES_INLINE void turn_axes(const joints *j, lane3 a_c, lane3 a_p, lane scale_p, turned_joints *t)
{
    const lane3 a = carriers_vector(j, a_c, a_p);
    const lane scale = lane_cayley_scale(a);
    memset(t->M1, 0, sizeof t->M1);
    for (int k = 0; j->any && k < 3; k++) {
        t->M[k] = lane_cayley_apply(a, scale, j->M0[k]);
        t->M1[k] = lane3_add(j->M0[k], t->M[k].change);
    }
    t->m = lane_cayley_apply(a_p, scale_p, j->m0);
    t->m1 = lane3_add(j->m0, t->m.change);
}

/* d without its components along the free axes. These are orthonormal up to rounding only: what is
 * left of a component is taken off again, or every step would have the same relative error. */
LANES_INLINE lane3 across_axes(const joints *j, const turned_joints *t, lane3 d)
{
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < 3; k++)
            if (j->any >> k & 1)
                d = lane3_subtract(d, lane3_times(j->free[k] * lane3_dot(t->M1[k], d), t->M1[k]));
    return d;
}

/* The joint points of levers: apart is relative to where the child would carry its own. */
LANES_INLINE void move_levers(const joints *j, const four *b, turned_joints *t)
{
    const lane3 change = lane_cayley_apply(b->a, lane_cayley_scale(b->a), j->v0).change;
    t->v1 = lane3_subtract(j->v0, t->apart);
    t->apart = lane3_choose(j->levers > lane_all(0.0), lane3_add(t->apart, change), t->apart);
}

/* The spin that takes a_c to a_p. */
LANES_INLINE lane3 spin_between(lane3 a_c, lane3 a_p)
{
    const lane3 d = lane3_subtract(a_p, a_c), across = lane3_cross(a_c, d);
    return lane3_times(lane_cayley_scale(a_c), lane3_add(d, lane3_times(lane_all(0.5), across)));
}

/* The spin that takes m.n back to its value at the start. */
LANES_INLINE lane3 spin_of_cross(const turned_joints *t, const joints *j)
{
    const lane3 across = lane3_cross(t->n1, t->m1);
    const lane change = lane3_dot(t->m.mid, t->n.change) + lane3_dot(t->m.change, t->n.mid),
               square = lane3_dot(across, across) + (1.0 - j->crosses);
    return lane3_times(-change / square, across);
}

/* Arms and axes between the start and the end; j is NULL if none is staged. */
LANES_INLINE void turn_joints(const four *b, const joints *j, lane3 x_p, lane3 a_p,
                              turned_joints *t)
{
    const lane zero = lane_all(0.0), scale_p = lane_cayley_scale(a_p);
    t->arm = lane_cayley_apply(a_p, scale_p, b->arm0);
    t->n = lane_cayley_apply(b->a, lane_cayley_scale(b->a), b->n0);
    t->n1 = lane3_add(b->n0, t->n.change);
    t->apart = lane3_subtract(lane3_add(x_p, t->arm.change), b->x);
    if (!j)
        return;
    turn_axes(j, b->a, a_p, scale_p, t);
    move_levers(j, b, t);
    const lane3 moved = lane3_subtract(b->x, x_p);
    t->arm.change = lane3_choose(j->slides > zero, moved, t->arm.change);
    t->arm.mid = lane3_choose(j->slides > zero,
                              lane3_add(b->arm0, lane3_times(lane_all(0.5), moved)), t->arm.mid);
}

/* The gaps of joints go to their bodies; j is NULL if none is staged. If `known`, the joints have
 * been turned already. */
LANES_INLINE void make_gaps(const four *b, const slots *at, const joints *j, const bool known,
                            body *to, turned_joints *t)
{
    const lane zero = lane_all(0.0);
    const lane3 a_p = parents_vector(at, 3);
    if (!known)
        turn_joints(b, j, parents_vector(at, 0), a_p, t);
    const lane_turned n_p = lane_cayley_apply(a_p, lane_cayley_scale(a_p), b->n0);
    lane3 gap = t->apart;
    t->gap_turn = lane3_cross(t->n1, lane3_subtract(n_p.change, t->n.change));
    if (j) {
        gap = across_axes(j, t, t->apart);
        t->gap_turn = lane3_choose(j->fixed > zero, spin_between(b->a, a_p), t->gap_turn);
        t->gap_turn = lane3_choose(j->crosses > zero, spin_of_cross(t, j), t->gap_turn);
    }
    scatter_lanes(gap, sizeof *to, &to->twist[0]);
    scatter_lanes(t->gap_turn, sizeof *to, &to->twist[1]);
}

/* Joints but for what varies with the wrench; arm1 is returned. */
LANES_INLINE lane3 make_joints(const four *b, const slots *at, const joints *j, const bool at_start,
                               const bool known, body *to, joint *joint_of, turned_joints *t)
{
    make_gaps(b, at, j, known, to, t);
    const lane3 arm1 = lane3_add(b->arm0, t->arm.change);
    scatter_lanes(t->n1, sizeof *to, &to->n1);
    scatter_lanes(arm1, sizeof *to, &to->arm1);
    scatter_lanes(at_start ? b->n0 : t->n.mid, sizeof *joint_of, &joint_of->turn.left);
    scatter_lanes(at_start ? b->arm0 : t->arm.mid, sizeof *joint_of, &joint_of->arm_m);
    return arm1;
}

/* k of the parent and the forces of one degree of freedom, `pivot` and `row` as in dof. */
LANES_INLINE void scatter_dof(lane3 by_parent, lane pivot, lane row, dof *to)
{
    scatter_lanes(by_parent, sizeof(joint), &to->by_parent);
    for (int l = 0; l < LANES; l++) {
        dof *of = (dof *)((char *)to + (size_t)l * sizeof(joint));
        of->pivot = pivot[l];
        of->row = row[l];
    }
}

/* The variation 1/2 (M_i1 x (M_lm x f) + M_l1 x (f x M_im)) of M_i x M_l against f. */
LANES_INLINE lane3 vary_axis(const turned_joints *t, int i, int l, lane3 half_force)
{
    return lane3_add(lane3_cross(t->M1[i], lane3_cross(t->M[l].mid, half_force)),
                     lane3_cross(t->M1[l], lane3_cross(half_force, t->M[i].mid)));
}

/* k of a translation, by the rotation of the parent or, in levers, of the child. */
LANES_INLINE void scatter_slide(const joints *j, lane3 by, lane pivot, lane R, lane3 gap_turn,
                                dof *to)
{
    const lane3 by_parent = lane3_times(1.0 - j->levers, by);
    scatter_lanes(lane3_times(j->levers, by), sizeof(joint), &to->k);
    scatter_dof(by_parent, pivot, R - lane3_dot(by_parent, gap_turn), to);
}

/* From the parent's joint point to the child's, in the left pair. */
LANES_INLINE lane3 left_lever(const joints *j, const turned_joints *t, const bool at_start)
{
    return at_start ? j->v0 : lane3_times(lane_all(0.5), lane3_add(j->v0, t->v1));
}

/* The degrees of freedom of staged joints, but for forces. */
LANES_INLINE void make_dofs(const joints *j, const turned_joints *t, const bool at_start,
                            lane3 force, lane3 moment, joint *joint_of)
{
    const size_t bytes = sizeof *joint_of;
    const lane half = lane_all(0.5), zero = lane_all(0.0);
    const lane3 f = lane3_times(half, force), none = {{zero, zero, zero}};
    scatter_lanes(f, bytes, &joint_of->half_force);
    scatter_lanes(t->n1, bytes, &joint_of->turn.b);
    scatter_dof(none, zero, zero, &joint_of->turn);
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, l = (k + 2) % 3;
        if (!(j->any >> k & 1))
            continue;
        const lane3 left = at_start ? lane3_cross(j->M0[i], j->M0[l])
                                    : lane3_cross(t->M[i].mid, t->M[l].mid),
                    by = at_start ? none : vary_axis(t, i, l, f);
        scatter_lanes(t->M1[k], bytes, &joint_of->slide[k].b);
        scatter_lanes(left, bytes, &joint_of->slide[k].left);
        scatter_slide(j, by, zero, zero, t->gap_turn, &joint_of->slide[k]);
    }
    scatter_lanes(t->v1, bytes, &joint_of->v1);
    scatter_lanes(left_lever(j, t, at_start), bytes, &joint_of->v_left);
    const lane3 by_parent = at_start ? none : lane3_times(half, lane3_cross(t->m1, moment));
    scatter_lanes(t->m1, bytes, &joint_of->cross.b);
    scatter_lanes(at_start ? j->m0 : t->m.mid, bytes, &joint_of->cross.left);
    scatter_lanes(none, bytes, &joint_of->cross.k);
    scatter_dof(by_parent, zero, -lane3_dot(by_parent, t->gap_turn), &joint_of->cross);
}

/* phi = 2 atan(c/2)/c and its derivative, by series where c is small. */
LANES_INLINE void angle_ratio(lane c, lane dtheta, lane *phi, lane *by_c)
{
    const lane square = c * c, size = lane_size(c);
    const lane series = 1.0 + square * (-1.0 / 12 + square * (1.0 / 80)),
               series_by_c = c * (-1.0 / 6 + square * (1.0 / 20 + square * (-3.0 / 224)));
    *phi = lane_choose(size < lane_all(1e-3), series, dtheta / c);
    *by_c = lane_choose(size < lane_all(1e-2), series_by_c, (1 / (1 + 0.25 * square) - *phi) / c);
}

/* atan(r)/r by its series in r^2; the next term is below rounding for |2 r| <= MOST_SMALL */
static const double MOST_SMALL = 0.04;

LANES_INLINE lane small_ratio(lane square)
{
    return 1.0 +
           square * (-1.0 / 3 + square * (1.0 / 5 + square * (-1.0 / 7 + square * (1.0 / 9))));
}

/* c of joint_forces.h, and the change of the angles where there are forces. */
LANES_INLINE lane angle_changes(const four *b, const slots *at, lane3 a_p, lane *dtheta)
{
    const lane c = (lane3_dot(b->n0, b->a) - lane3_dot(a_p, b->n0) -
                    0.5 * lane3_dot(b->n0, lane3_cross(a_p, b->a))) /
                   (1.0 + 0.25 * lane3_dot(a_p, b->a));
    const lane_mask none = at->forced->sense[ANGLE] == lane_all(0.0);
    *dtheta = lane_choose(none, lane_all(0.0), c * small_ratio(0.25 * c * c));
    const lane_mask large = lane_size(c) > lane_all(MOST_SMALL);
    for (int l = 0; l < LANES; l++)
        if (large[l] && !none[l])
            (*dtheta)[l] = 2 * atan(0.5 * c[l]);
    return c;
}

/* The forces in a column and their derivative, for the changes dx in the sense of the child's
 * motion. */
LANES_INLINE void sum_forces(const olo_packs *x, const slots *at, const olo_step *step, int column,
                             lane dx, lane *f, lane *f_1)
{
    forced *of = at->forced;
    of->change[column] = dx;
    *f = of->constant[column] + of->gradient[column] * dx + of->multiplier[column];
    *f_1 = of->gradient[column];
    for (int l = 0; of->changing && l < at->count; l++) {
        const int c = of->coordinate[column][l];
        double by;
        if (c < 0)
            continue;
        const double sense = of->sense[column][l];
        (*f)[l] += sense * olo_joint_forces_sum(&x->forces, c, step, sense * dx[l], &by);
        (*f_1)[l] += by;
    }
}

/* How the angles of four joints have changed. */
LANES_INLINE void find_angles(const four *b, const slots *at)
{
    forced *f = at->forced;
    const lane3 a_p = parents_vector(at, 3);
    const lane alpha = lane3_dot(a_p, b->n0), P = 1.0 + 0.25 * lane3_dot(a_p, a_p);
    f->c = angle_changes(b, at, a_p, &f->change[ANGLE]);
    angle_ratio(f->c, f->change[ANGLE], &f->phi, &f->phi_1);
    f->psi = (1.0 - 0.25 * f->c * alpha) / P;
    f->share[ANGLE] = f->phi * f->psi;
}

/* The forces along the angles of four joints. */
LANES_INLINE void make_torques(const olo_packs *x, int i, const olo_step *step,
                               const turned_joints *turned, joint *joint_of)
{
    const slots *at = &x->slots[i];
    const four *b = &x->four[i];
    const lane3 a_p = parents_vector(at, 3);
    const lane alpha = lane3_dot(a_p, b->n0), P = 1.0 + 0.25 * lane3_dot(a_p, a_p),
               h = lane_all(step->h);
    lane f, f_1;
    if (!x->rate) /* else the projection of velocities has found them */
        find_angles(b, at);
    const lane c = at->forced->c, phi = at->forced->phi, psi = at->forced->psi;
    sum_forces(x, at, step, ANGLE, at->forced->change[ANGLE], &f, &f_1);
    const lane hf = h * f;
    const lane R = hf * phi * psi,
               r = h * f_1 * phi * psi +
                   hf * (at->forced->phi_1 * psi - 0.25 * phi * alpha / P) * (1.0 + 0.25 * c * c);
    const lane3 by_parent = lane3_times(
        -hf * phi, lane3_add(lane3_times(0.25 * c, turned->n.mid), lane3_times(0.5 * psi, a_p)));
    scatter_dof(by_parent, r - lane3_dot(by_parent, turned->n1),
                R - lane3_dot(by_parent, turned->gap_turn), &joint_of->turn);
}

/* The forces along translations, with the variation of their axes. */
LANES_INLINE void make_thrusts(const olo_packs *x, int i, const olo_step *step, int k,
                               const turned_joints *turned, lane3 force, joint *joint_of)
{
    const slots *at = &x->slots[i];
    const lane3 a = carriers_vector(at->joints, x->four[i].a, parents_vector(at, 3));
    const lane share = step->h / (1.0 + 0.25 * lane3_dot(a, a));
    if (!x->rate)
        at->forced->share[k] = share / step->h;
    lane f, f_1;
    sum_forces(x, at, step, k, -lane3_dot(turned->apart, turned->M1[k]), &f, &f_1);
    const lane R = share * f;
    const lane3 by = lane3_subtract(
        vary_axis(turned, (k + 1) % 3, (k + 2) % 3, lane3_times(lane_all(0.5), force)),
        lane3_times(0.5 * R, a));
    scatter_slide(at->joints, by, share * f_1, R, turned->gap_turn, &joint_of->slide[k]);
}

LANES_INLINE void make_forces(const olo_packs *x, int i, const olo_step *step,
                              const turned_joints *turned, lane3 force, joint *joint_of)
{
    const unsigned any = x->slots[i].forced->any;
    make_torques(x, i, step, turned, joint_of);
    for (int k = 0; k < 3; k++)
        if (any >> k & 1)
            make_thrusts(x, i, step, k, turned, force, joint_of);
}

/* k = 1/2 n1 x m and 1/2 (arm1 (x) f - (arm1.f) I) */
LANES_INLINE void make_variations(lane3 force, lane3 moment, lane3 n1, lane3 arm1, joint *joint_of)
{
    const lane half = lane_all(0.5);
    const lane3 f = lane3_times(half, force);
    const lane along = lane3_dot(arm1, f);
    lane3 column[3];
    for (int j = 0; j < 3; j++)
        column[j] = lane3_times(f.x[j], arm1);
    column[0].x[0] -= along;
    column[1].x[1] -= along;
    column[2].x[2] -= along;
    scatter_lanes(lane3_times(half, lane3_cross(n1, moment)), sizeof *joint_of, &joint_of->turn.k);
    scatter_lanes(column[0], sizeof *joint_of, &joint_of->variation[0]);
    scatter_lanes(column[1], sizeof *joint_of, &joint_of->variation[1]);
    scatter_lanes(column[2], sizeof *joint_of, &joint_of->variation[2]);
}

LANES_INLINE lane3 collect(lane a, lane b, lane c, lane d)
{
    lane out[4];
    lanes_transpose(a, b, c, d, out);
    return (lane3){{out[0], out[1], out[2]}};
}

/* The columns of the inverse of a 3 x 3 matrix with columns d; false: singular. */
LANES_INLINE bool invert_three(const lane d[3], lane inverse[4])
{
    const lane r0 = vector_cross(d[1], d[2]), r1 = vector_cross(d[2], d[0]),
               r2 = vector_cross(d[0], d[1]);
    const double factor = 1.0 / vector_sum(d[0] * r0);
    lanes_transpose(factor * r0, factor * r1, factor * r2, lane_all(0.0), inverse);
    return fabs(factor) <= DBL_MAX;
}

/* M x of a matrix by its columns */
LANES_INLINE lane times_three(const lane M[3], lane x)
{
    return x[0] * M[0] + x[1] * M[1] + x[2] * M[2];
}

#endif
