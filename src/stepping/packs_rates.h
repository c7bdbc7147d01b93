/* Consistent velocities of packed bodies (reduced_rates.h has the equations): what belongs to a
 * body and its joint. A body has the velocity V of its pivot and the spin w at the end of the step,
 * v1 = [V; w x d_I,1], beside its displacement. With r = M ((2/h) dq - v0 - v1),
 *
 *     P_m^T r = 0                                    the projection, linear in V and w,
 *     P_m^T T - (h/2) (dP_m[v_m])^T r = 0            the balance.
 *
 * The projection is eliminated as the balance is, with the matrix
 *
 *     [m I, -C1^; Cm^, R - (tr R) I],   C = sum c_I d_I,   R = -sum_I d_I,1 (x) sum_J E_IJ d_J,m
 *
 * and a gap: what the joint lacks in V and w, up to its own rates. The last term of the balance is
 * known when its turn comes. With W = [f; m] the sum of wrenches of r beyond a joint, about the
 * pivot, and dots for rates along v_m = (v0 + v1)/2, it is
 *
 *     on a body               -(h/2) sum d_I. x r_I
 *     on the parent           -(h/2) arm. x f
 *     in the row of a joint   -(h/2) n..m about an axis,  -(h/2) (M_i x M_j)..f along one
 *
 * and about an axis through a joint point of the parent, at the lever v, n.m becomes n.(m + v x f).
 *
 * Relations of joint coordinates have gamma along a degree of freedom, with the share kappa =
 * R/(h f) of joint_forces.h: since P_m^T d = kappa holds for all ends, P_m^T a + (dP_m[v_m])^T d is
 * the rate of kappa, and they are a part of r in the last term. Their rows are
 *
 *     2 kappa gamma    in the projection,    h kappa. gamma    in the balance,
 *
 * with the spins w0, w1 of the body that carries a, D = w1 - w0, and alpha = a_p.n0 about an axis:
 *
 *     kappa = 1/P,            kappa. = -1/2 kappa a.D
 *     kappa = phi(c) psi,     kappa. = phi' c. psi - phi (c. alpha + c alpha.)/(4 P) - 1/2 kappa
 * a.D c. = (1 + c^2/4)(theta1. - theta0.), alpha. = n0.D - 1/2 n0.(a x (w0 + w1)) + 1/4 alpha a.D +
 * a.(w0 x n0).
 *
 * All is inline: packs_sweep.c, which alone includes this, is compiled for several processors. */
#ifndef OLO_STEPPING_PACKS_RATES_H
#define OLO_STEPPING_PACKS_RATES_H

#include "stepping/packs_local.h"

/* Three numbers of the rates of the parents, from the first-th on; those of the ground are zero. */
LANES_INLINE lane3 parents_rate(const slots *at, int first)
{
    lane3 out;
    for (int i = 0; i < 3; i++) {
        const int k = LANES * (first + i);
        out.x[i] = (lane){at->above_rate[0][k], at->above_rate[1][k], at->above_rate[2][k],
                          at->above_rate[3][k]};
    }
    return out;
}

enum { RATE_V = 12, RATE_W = 15, RATE_W0 = 18 }; /* where they are among the numbers of a rate */

/* The directors at the end. */
LANES_INLINE void end_directors(const four *b, const lane3 dd[3], lane3 d1[3])
{
    for (int I = 0; I < 3; I++)
        d1[I] = lane3_add(b->d0[I], dd[I]);
}

/* v0 + v1 */
LANES_INLINE void set_both(const four *b, const lane3 d1[3], end_rates *v)
{
    const lane half = lane_all(0.5);
    v->both[0] = lane3_add(lane3_times(half, b->start[0]), v->V);
    for (int I = 0; I < 3; I++)
        v->both[1 + I] = lane3_add(lane3_times(half, b->start[1 + I]), lane3_cross(v->w, d1[I]));
}

/* --- start --- */

/* V, w = (2/h) motion - (those at the start): the projection corrects them */
LANES_INLINE void guess_rates(olo_packs *x, int i, const olo_step *step)
{
    const four *b = &x->four[i];
    end_rates *v = &x->rate[i];
    const lane half = lane_all(0.5), quarter = lane_all(0.25), a = lane_all(2 / step->h);
    const lane3 four_w0 =
        lane3_add(lane3_add(lane3_cross(b->d0[0], b->start[1]), lane3_cross(b->d0[1], b->start[2])),
                  lane3_cross(b->d0[2], b->start[3]));
    v->w0 = lane3_times(quarter, four_w0);
    v->V = lane3_subtract(lane3_times(a, b->x), lane3_times(half, b->start[0]));
    v->w = lane3_subtract(lane3_times(a, b->a), v->w0);
}

/* --- the projection --- */

/* 2 sum gamma d of the closures of four bodies; NULL: none. */
LANES_INLINE const lane3 *impulses_of(const olo_packs *x, int i)
{
    return x->closures ? x->mass->closures->base[i] : NULL;
}

/* z = P_m^T M (v0 + v1 - (2/h) dq), and the matrix of four bodies if it is wanted; turns the
 * directors */
LANES_INLINE void make_projection(const four *b, const end_rates *v, double a, const lane3 *impulse,
                                  const bool matrix, turned_four *at_iterate, lane3 *force,
                                  lane3 *moment, sums *to)
{
    const lane factor = lane_all(a), half = lane_all(0.5);
    lane3 d_m[3], dd[3], d1[3], e[4], p[4];
    turn_directors(b, d_m, dd);
    e[0] =
        lane3_subtract(lane3_add(lane3_times(half, b->start[0]), v->V), lane3_times(factor, b->x));
    for (int I = 0; I < 3; I++) {
        at_iterate->d_m[I] = d_m[I];
        at_iterate->dd[I] = dd[I];
        d1[I] = lane3_add(b->d0[I], dd[I]);
        e[1 + I] =
            lane3_subtract(lane3_add(lane3_times(half, b->start[1 + I]), lane3_cross(v->w, d1[I])),
                           lane3_times(factor, dd[I]));
    }
    lane_momenta(&b->mass, e, p);
    for (int I = 0; impulse && I < 4; I++)
        p[I] = lane3_add(p[I], impulse[I]);
    *force = p[0];
    *moment = moment_of(d_m, p);
    if (!matrix)
        return;
    lane3 R[3];
    find_moments(b, d_m, d1, &at_iterate->moments);
    for (int I = 0; I < 3; I++)
        R[I] = lane3_times(lane_all(-1.0), at_iterate->moments.inertia[I]);
    set_matrices(b, 1.0, &at_iterate->moments, d1, R, to);
}

/* What joints lack in the velocities of their bodies, without their own rates: at the solution it
 * is zero, whatever the factors. */
LANES_INLINE void make_rate_gaps(const olo_packs *x, int i, const joints *j, const turned_joints *t,
                                 body *to)
{
    const slots *at = &x->slots[i];
    const end_rates *v = &x->rate[i];
    const lane3 V_p = parents_rate(at, RATE_V), w_p = parents_rate(at, RATE_W),
                arm1 = lane3_add(x->four[i].arm0, t->arm.change), apart = lane3_subtract(w_p, v->w);
    lane3 gap = lane3_subtract(lane3_add(V_p, lane3_cross(w_p, arm1)), v->V),
          turn = lane3_subtract(apart, lane3_times(lane3_dot(t->n1, apart), t->n1));
    if (j) {
        const lane3 across = lane3_cross(t->n1, t->m1);
        const lane along =
            lane3_dot(across, apart) / (lane3_dot(across, across) + (1.0 - j->crosses));
        gap = lane3_add(gap, lane3_times(j->levers, lane3_cross(v->w, t->v1)));
        for (int k = 0; at->forced && k < 3; k++)
            if (at->forced->any >> k & 1)
                at->forced->rate[k] = -lane3_dot(t->M1[k], gap);
        gap = across_axes(j, t, gap);
        turn = lane3_choose(j->crosses > lane_all(0.0), lane3_times(along, across), turn);
    }
    if (at->forced)
        at->forced->rate[ANGLE] = -lane3_dot(t->n1, apart);
    scatter_lanes(gap, sizeof *to, &to->twist[0]);
    scatter_lanes(turn, sizeof *to, &to->twist[1]);
}

LANES_INLINE void add_rows(lane row, dof *to)
{
    for (int l = 0; l < LANES; l++)
        ((dof *)((char *)to + (size_t)l * sizeof(joint)))->row += row[l];
}

/* The coordinates of four joints with forces, and the rows 2 kappa gamma. */
LANES_INLINE void make_gamma_rows(const four *b, const slots *at, const joints *j, joint *joint_of)
{
    forced *f = at->forced;
    find_angles(b, at);
    for (int l = 0; !j && l < LANES; l++)
        joint_of[l].turn.row = 0; /* else it is already */
    add_rows(2.0 * f->share[ANGLE] * f->gamma[ANGLE], &joint_of->turn);
    for (int k = 0; j && k < 3; k++) {
        if (!(f->any >> k & 1))
            continue;
        const lane3 a = carriers_vector(j, b->a, parents_vector(at, 3));
        f->share[k] = 1.0 / (1.0 + 0.25 * lane3_dot(a, a));
        add_rows(2.0 * f->share[k] * f->gamma[k], &joint_of->slide[k]);
    }
}

/* The left pair of four joints, and for new factors the right pair; turns them. */
LANES_INLINE void make_rate_joints(olo_packs *x, int i, const joints *j, const bool matrix,
                                   joint *joint_of)
{
    const slots *at = &x->slots[i];
    const four *b = &x->four[i];
    body *to = x->mass->bodies + LANES * i;
    const lane zero = lane_all(0.0);
    const lane3 none = {{zero, zero, zero}};
    turned_joints *t = &x->turned[i].joints;
    turn_joints(b, j, parents_vector(at, 0), parents_vector(at, 3), t);
    scatter_lanes(t->n.mid, sizeof *joint_of, &joint_of->turn.left);
    scatter_lanes(t->arm.mid, sizeof *joint_of, &joint_of->arm_m);
    if (j) {
        t->gap_turn = none;
        make_dofs(j, t, false, none, none, joint_of);
    }
    if (at->forced)
        make_gamma_rows(b, at, j, joint_of);
    if (matrix) {
        scatter_lanes(t->n1, sizeof *to, &to->n1);
        scatter_lanes(lane3_add(b->arm0, t->arm.change), sizeof *to, &to->arm1);
    }
    make_rate_gaps(x, i, j, t, to);
}

/* --- the load of the balance --- */

/* Twice the rates of the vectors of joints. */
typedef struct joint_rates {
    lane3 n, arm;
    lane3 M[3], m, v; /* of staged joints */
} joint_rates;

LANES_INLINE void find_joint_rates(const olo_packs *x, int i, const joints *j, joint_rates *to)
{
    const slots *at = &x->slots[i];
    const four *b = &x->four[i];
    const lane3 *own = x->rate[i].both;
    const lane3 above = parents_rate(at, 0);
    to->n = lane3_combine(b->axis, own + 1);
    to->arm = lane3_subtract(own[0], above);
    if (!j)
        return;
    const lane_mask levers = j->levers > lane_all(0.0);
    lane3 parent[3];
    for (int I = 0; I < 3; I++)
        parent[I] = parents_rate(at, 3 + 3 * I);
    for (int k = 0; k < 3; k++)
        to->M[k] = lane3_choose(levers, lane3_combine(j->axes[k], own + 1),
                                lane3_combine(j->axes[k], parent));
    to->m = lane3_combine(j->cross, parent);
    to->v = lane3_subtract(to->arm, lane3_combine(b->reach, parent));
}

/* The rows of staged joints; returns the moment of those whose rotations about a lever are all
 * free, of which it is the row. */
LANES_INLINE lane3 add_staged_rows(const joints *j, const turned_joints *t, const joint_rates *v,
                                   lane quarter, lane3 f, lane3 m, joint *joint_of)
{
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, l = (k + 2) % 3;
        if (j->any >> k & 1)
            add_rows(-quarter * lane3_dot(lane3_add(lane3_cross(v->M[i], t->M[l].mid),
                                                    lane3_cross(t->M[i].mid, v->M[l])),
                                          f),
                     &joint_of->slide[k]);
    }
    const lane3 lever = left_lever(j, t, false), across = lane3_cross(v->v, f);
    const lane about = lane3_dot(v->n, lane3_cross(lever, f)) + lane3_dot(t->n.mid, across);
    add_rows(-quarter * lane3_dot(v->m, m), &joint_of->cross);
    add_rows(-quarter * j->levers * about, &joint_of->turn);
    return lane3_times(-quarter * j->levers * j->balls, across);
}

/* The rows h kappa. gamma of relations. */
LANES_INLINE void add_relation_rows(const olo_packs *x, int i, const joints *j, lane h,
                                    joint *joint_of)
{
    const slots *at = &x->slots[i];
    const four *b = &x->four[i];
    const end_rates *v = &x->rate[i];
    const forced *f = at->forced;
    const lane3 a_p = parents_vector(at, 3), w1 = parents_rate(at, RATE_W),
                w0 = parents_rate(at, RATE_W0), D = lane3_subtract(w1, w0);
    const lane3 n1 =
        lane3_add(b->n0, lane_cayley_apply(b->a, lane_cayley_scale(b->a), b->n0).change);
    const lane alpha = lane3_dot(a_p, b->n0), P = 1.0 + 0.25 * lane3_dot(a_p, a_p),
               a_D = lane3_dot(a_p, D),
               alpha_rate = lane3_dot(b->n0, D) -
                            0.5 * lane3_dot(b->n0, lane3_cross(a_p, lane3_add(w0, w1))) +
                            0.25 * alpha * a_D + lane3_dot(a_p, lane3_cross(w0, b->n0)),
               theta_rate = lane3_dot(n1, lane3_subtract(v->w, w1)) -
                            lane3_dot(b->n0, lane3_subtract(v->w0, w0)),
               c_rate = (1.0 + 0.25 * f->c * f->c) * theta_rate;
    const lane kappa_rate = f->phi_1 * c_rate * f->psi -
                            0.25 * f->phi * (c_rate * alpha + f->c * alpha_rate) / P -
                            0.5 * f->share[ANGLE] * a_D;
    add_rows(h * kappa_rate * f->gamma[ANGLE], &joint_of->turn);
    for (int k = 0; j && k < 3; k++) {
        if (!(f->any >> k & 1))
            continue;
        const lane3 a = carriers_vector(j, b->a, a_p), own = lane3_subtract(v->w, v->w0),
                    change = carriers_vector(j, own, D);
        add_rows(-0.5 * h * f->share[k] * lane3_dot(a, change) * f->gamma[k], &joint_of->slide[k]);
    }
}

/* Wrenches of r beyond each joint, from leaf to root; what waits for parents in other fours is in
 * x->mass. */
LANES_INLINE void sum_rates(const olo_packs *x, const slots *at, const lane *arm, size_t bytes,
                            lane force[LANES], lane moment[LANES])
{
    sums *waiting = x->mass->waiting;
    for (int l = 0; l < LANES; l++)
        if (at->late[l] >= 0) {
            force[l] += waiting[at->late[l]].force;
            moment[l] += waiting[at->late[l]].moment;
        }
    for (int l = at->count - 1; l >= 0; l--) {
        if (at->parent[l] < 0)
            continue;
        const lane *along = (const lane *)((const char *)arm + (size_t)l * bytes);
        const lane about = moment[l] + vector_cross(*along, force[l]);
        if (at->waiting[l] < 0) {
            force[at->parent[l] % LANES] += force[l];
            moment[at->parent[l] % LANES] += about;
        } else {
            sums *to = waiting + at->waiting[l];
            to->force = at->first[l] ? force[l] : to->force + force[l];
            to->moment = at->first[l] ? about : to->moment + about;
        }
    }
}

/* z += moments on the bodies and on their parents; `lower` is that of the first body, `bytes` apart
 * from the next. */
LANES_INLINE void add_moments(const olo_packs *x, const slots *at, lane3 own, lane3 on_parent,
                              lane *lower, size_t bytes)
{
    sums *waiting = x->mass->waiting;
    lane of_body[LANES], of_parent[LANES];
    scatter_lanes(own, sizeof *of_body, of_body);
    scatter_lanes(on_parent, sizeof *of_parent, of_parent);
    for (int l = 0; l < LANES; l++) {
        lane *to = (lane *)((char *)lower + (size_t)l * bytes);
        *to += at->late[l] < 0 ? of_body[l] : of_body[l] + waiting[at->late[l]].K[0];
    }
    for (int l = at->count - 1; l >= 0; l--) {
        if (at->parent[l] < 0)
            continue;
        lane *to = at->waiting[l] < 0
                       ? (lane *)((char *)lower + (size_t)(at->parent[l] % LANES) * bytes)
                       : waiting[at->waiting[l]].K;
        *to = at->waiting[l] >= 0 && at->first[l] ? of_parent[l] : *to + of_parent[l];
    }
}

/* Adds -(h/2) (dP_m[v_m])^T r to the right side z of four bodies and to the rows of their joints,
 * which have values already. */
LANES_INLINE void add_loads(olo_packs *x, int i, const olo_step *step, const balance *t,
                            const turned_joints *turned, const joints *j, joint *joint_of,
                            lane *lower, size_t bytes)
{
    const slots *at = &x->slots[i];
    const four *b = &x->four[i];
    const end_rates *v = &x->rate[i];
    const lane a = lane_all(2 / step->h), quarter = lane_all(0.25 * step->h);
    lane3 e[4], r[4];
    e[0] = lane3_subtract(lane3_times(a, b->x), v->both[0]);
    for (int I = 0; I < 3; I++)
        e[1 + I] = lane3_subtract(lane3_times(a, t->dd[I]), v->both[1 + I]);
    lane_momenta(&b->mass, e, r);
    const lane3 *impulse = impulses_of(x, i);
    for (int I = 0; impulse && I < 4; I++)
        r[I] = lane3_subtract(r[I], impulse[I]);
    /* wrenches beyond the joints */
    lane force[LANES], moment[LANES], arm[LANES];
    scatter_lanes(r[0], sizeof *force, force);
    scatter_lanes(moment_of(t->d_m, r), sizeof *moment, moment);
    if (j)
        scatter_lanes(
            lane3_add(turned->arm.mid, lane3_times(j->levers, left_lever(j, turned, false))),
            sizeof *arm, arm);
    sum_rates(x, at, j ? arm : &joint_of->arm_m, j ? sizeof *arm : sizeof *joint_of, force, moment);
    const lane3 f = collect(force[0], force[1], force[2], force[3]),
                m = collect(moment[0], moment[1], moment[2], moment[3]);
    /* loads on bodies and parents, and rows */
    joint_rates rates;
    find_joint_rates(x, i, j, &rates);
    lane3 own = lane3_times(-quarter, moment_of(v->both + 1, r)),
          on_parent = lane3_times(-quarter, lane3_cross(rates.arm, f));
    add_rows(-quarter * lane3_dot(rates.n, m), &joint_of->turn);
    if (j) {
        const lane3 row = add_staged_rows(j, turned, &rates, quarter, f, m, joint_of);
        own = lane3_add(own, row);
        on_parent = lane3_subtract(on_parent, row);
    }
    if (at->forced && at->forced->related)
        add_relation_rows(x, i, j, lane_all(step->h), joint_of);
    add_moments(x, at, own, on_parent, lower, bytes);
}

/* --- the end --- */

/* M (v1 - v0) + h f: the balance of momenta, without the share of r. Closures have h sum mu d in f.
 */
LANES_INLINE void balance_momenta(const four *b, const end_rates *v, const lane3 *impulse,
                                  lane3 T[4])
{
    lane3 e[4], p[4];
    for (int I = 0; I < 4; I++)
        e[I] = lane3_subtract(v->both[I], b->start[I]);
    lane_momenta(&b->mass, e, p);
    for (int I = 0; I < 4; I++)
        T[I] = lane3_add(b->impulse[I], impulse ? lane3_add(p[I], impulse[I]) : p[I]);
}

/* The velocities of four bodies at the end. */
LANES_INLINE void write_velocities(const four *b, const slots *at, const end_rates *v,
                                   const lane3 d1[3], double *v1)
{
    lane3 out[4];
    for (int I = 0; I < 3; I++)
        out[1 + I] = lane3_cross(v->w, d1[I]);
    out[0] = lane3_subtract(v->V, lane3_combine(b->pivot, out + 1));
    scatter_frames(out, at, v1);
}

#endif
