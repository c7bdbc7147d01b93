/* The transposed solve over packed bodies. With the elimination of packs_sweep.c, y, D, K B of
 * every body, and g the derivatives by the twists at the end, moved to the pivots, leaf to root
 *
 *     s = B^T g/D,   g_p += A^T (g - y s)
 *
 * and root to leaf t = A^ t_p, u = -(s + (K B)^T t/D), t_c = t + B^ u: the twists of y = P^ u, the
 * derivative by the balance T.
 *
 * From y to the start: T varies with q0 by -(2/h) M, and so does the left null space, whose
 * midpoint moves half as far as the start (kappa = 1/2; 1 where it is that at the start). Of r =
 * P^^T T, with W = [f; m] the wrench of a joint, y.d(P^^T T) is
 *
 *     kappa (sum_I ((d_I.y_w) T_I - (d_I.T_I) y_w) + u n x m) . d_omega     with d_I, n at the
 *         start
 *
 * for every body, where T_I has the forces f of its children, too, as they act on the directors
 * that carry these. So no multiplier of any constraint is wanted, and no derivative of a row. Axes
 * that the parent carries add u m x m_W of a cross and u (M_i x (M_j^ x f) + M_j x (f x M_i^)) of a
 * translation to its d_omega; an arm that slides adds (f x w_p) . (d_x_c - d_x_p).
 *
 * A velocity v = P u that is projected from a momentum p varies with its configuration in the same
 * way: with w = P (P^T M P)^-1 P^T gv, gv.dv = w.dp + (gv - M w).dP u + (p - M v).dP u_w, where the
 * last two are y.d(P^T T) of other forces and twists.
 *
 * What belongs to a body alone is computed for four at once, the solve body by body. */
#include <stddef.h>

#include "stepping/linear_packs_private.h"
#include "stepping/packs_local.h"

#ifndef OLO_LINEAR_PACKS_KERNELS
#define OLO_LINEAR_PACKS_KERNELS olo_linear_packs_kernels_plain
#endif

/* --- derivatives by the end, to the pivots --- */

/* Derivatives by the configuration at the end, those of velocity or momentum included: v1 = (2/h)
 * dq - v0, p1 = M dq/h. */
LANES_INLINE void gather_end(const four *b, const slots *at, double a, const bool at_start,
                             const olo_packs_adjoint *by, lane3 g[4])
{
    lane3 rate[4], moved[4];
    gather_frames(by->gq, at, g);
    gather_frames(at_start ? by->gp : by->gv, at, rate);
    if (at_start)
        lane_momenta(&b->origin_mass, rate, moved);
    for (int I = 0; I < 4; I++)
        g[I] = lane3_add(g[I], at_start ? lane3_times(lane_all(0.5 * a), moved[I])
                                        : lane3_times(lane_all(a), rate[I]));
}

/* Forces on four bodies, and their joints at the start. */
LANES_INLINE void scatter_forces(const four *b, const lane3 left[3], const lane3 T[4],
                                 linear_body *to)
{
    scatter_lanes(T[0], sizeof *to, &to->force);
    scatter_lanes(moment_of(left, T), sizeof *to, &to->moment);
    for (int I = 0; I < 3; I++)
        scatter_lanes(T[1 + I], sizeof *to, &to->share[I]);
    scatter_lanes(b->n0, sizeof *to, &to->n0);
    scatter_lanes(b->arm0, sizeof *to, &to->arm0);
}

/* The axes of staged joints; left: at_start, or at the midpoint. */
LANES_INLINE void gather_axes(olo_linear_packs *x, int i, const bool at_start)
{
    const slots *at = &x->packs->slots[i];
    linear_joint *to = x->joints + LANES * i;
    for (int l = 0; l < LANES; l++)
        to[l].push = to[l].twist = lane_all(0.0);
    if (!at->joints)
        return;
    const lane3 a_p = parents_vector(at, 3);
    turned_joints t;
    turn_axes(at->joints, x->packs->four[i].a, a_p, lane_cayley_scale(a_p), &t);
    scatter_lanes(at->joints->m0, sizeof *to, &to->m0);
    for (int k = 0; at->joints->any && k < 3; k++) {
        scatter_lanes(at->joints->M0[k], sizeof *to, &to->M0[k]);
        scatter_lanes(at_start ? at->joints->M0[k] : t.M[k].mid, sizeof *to, &to->M_left[k]);
    }
}

LANES_INLINE void gather_four(olo_linear_packs *x, int i, double a, const bool at_start,
                              const olo_packs_adjoint *by)
{
    const four *b = &x->packs->four[i];
    linear_body *to = x->bodies + LANES * i;
    balance t;
    lane3 g[4], d1[3];
    make_balance(b, a, at_start, NULL, &t);
    gather_end(b, &x->packs->slots[i], a, at_start, by, g);
    if (by->force)
        scatter_lanes(g[0], sizeof *to, &to->end_force);
    move_to_pivot(b->pivot, g);
    for (int I = 0; I < 3; I++)
        d1[I] = lane3_add(b->d0[I], t.dd[I]);
    scatter_lanes(g[0], sizeof *to, &to->sensitivity[0]);
    scatter_lanes(moment_of(d1, g), sizeof *to, &to->sensitivity[1]);
    scatter_forces(b, left_directors(b, &t, at_start), t.T, to);
    if (x->joints)
        gather_axes(x, i, at_start);
}

static void gather_all(olo_linear_packs *x, const olo_step *step, const olo_packs_adjoint *by)
{
    for (int i = 0; i < x->packs->fours; i++)
        if (x->packs->at_start)
            gather_four(x, i, 2 / step->h, true, by);
        else
            gather_four(x, i, 2 / step->h, false, by);
}

/* --- body by body --- */

/* The vectors of a joint on the left: at the midpoint, or at the start. */
LANES_INLINE lane left_vector(lane start, lane end, const bool at_start)
{
    return at_start ? start : 0.5 * (start + end);
}

/* The wrench of a joint acts on its parent, at directors that carry the arm unless it slides. */
LANES_INLINE void hang(const linear_body *c, lane arm, bool slides, linear_body *parent)
{
    parent->force += c->force;
    parent->moment += c->moment + vector_cross(arm, c->force);
    for (int I = 0; !slides && I < 3; I++)
        parent->share[I] += c->reach[I] * c->force;
}

LANES_INLINE void carry(linear_body *c, const body *b, const bool at_start, linear_body *parent)
{
    const double s = vector_sum(b->n1 * c->sensitivity[1]);
    c->rate = s * b->y[1][3];
    if (!parent)
        return;
    const lane g = c->sensitivity[0] - s * b->y[0], g_w = c->sensitivity[1] - s * b->y[1];
    parent->sensitivity[0] += g;
    parent->sensitivity[1] += g_w + vector_cross(b->arm1, g);
    hang(c, left_vector(c->arm0, b->arm1, at_start), false, parent);
}

/* The scalar products of three vectors with v. */
LANES_INLINE lane products_with(const lane M[3], lane v)
{
    return (lane){vector_sum(M[0] * v), vector_sum(M[1] * v), vector_sum(M[2] * v), 0};
}

/* The stages of a joint in the order of their elimination; what is left of a ball joint is its g_w,
 * in y. */
LANES_INLINE void carry_stages(linear_body *c, const body *b, const slots *at, int l, stage *s)
{
    lane *g = &c->sensitivity[0], *g_w = &c->sensitivity[1];
    const bool all = at->rotation[l] == OLO_ROTATION_ALL;
    const int turns = all ? 0 : stages_of_rotation(at->rotation[l]),
              count = turns + __builtin_popcount(at->slides[l]);
    if (all) {
        const lane V[3] = {b->y[0], b->y[1], b->n1};
        c->y[1] = *g_w;
        *g -= products_with(V, *g_w);
        *g_w = lane_all(0.0);
        s += at->staged[l];
    }
    for (int k = 0; k < count; k++, s++) {
        const double r = vector_sum(s->b * (k < turns ? *g_w : *g));
        s->left[3] = r * s->y[1][3];
        *g -= r * s->y[0];
        *g_w -= r * s->y[1];
    }
}

LANES_INLINE void carry_joint(linear_body *c, const body *b, const slots *at, int l,
                              const bool at_start, stage *s, linear_body *parent)
{
    carry_stages(c, b, at, l, s);
    if (!parent)
        return;
    parent->sensitivity[0] += c->sensitivity[0];
    parent->sensitivity[1] += c->sensitivity[1] + vector_cross(b->arm1, c->sensitivity[0]);
    hang(c, left_vector(c->arm0, b->arm1, at_start), at->slides[l] != 0, parent);
}

/* M^T x of a matrix by its columns */
LANES_INLINE lane transposed_three(const lane M[3], lane x)
{
    return (lane){vector_sum(M[0] * x), vector_sum(M[1] * x), vector_sum(M[2] * x), 0};
}

/* A free root: K^T y = -g, by the factors of packs_elimination.h */
LANES_INLINE void solve_root(const sums *stored, const body *b, linear_body *c)
{
    const lane V[3] = {b->y[0], b->y[1], b->n1}, *g = c->sensitivity,
               t = transposed_three(stored->K, g[0] - transposed_three(V, g[1]));
    c->y[0] = -t;
    c->y[1] = transposed_three(stored->K + LOWER + 3, transposed_three(stored->K + 3, t) - g[1]);
}

LANES_INLINE void follow(linear_body *c, const body *b, const sums *stored, const bool at_start,
                         const linear_body *parent)
{
    lane t = lane_all(0.0), w = t;
    double turn = -c->rate;
    if (parent) {
        w = parent->y[1];
        t = parent->y[0] + vector_cross(w, left_vector(c->arm0, b->arm1, at_start));
        turn -= vector_sum(stored->K[Z] * t + stored->K[Z + 1] * w) * b->y[1][3];
    }
    c->rate = turn;
    c->y[0] = t;
    c->y[1] = w + turn * left_vector(c->n0, b->n1, at_start);
}

/* The rates of the motions whose axes the parent carries. */
typedef struct joint_rates {
    double cross, slide[3];
} joint_rates;

/* y.d(P^^T T) of these motions and of an arm that is no part of the parent, with the spin w of the
 * parent, over kappa. */
LANES_INLINE void vary_joint(const linear_body *c, unsigned slides, bool cross, lane w,
                             const joint_rates *u, linear_joint *own, linear_joint *parent)
{
    const lane f = c->force;
    if (!parent)
        return;
    if (cross)
        parent->twist += u->cross * vector_cross(own->m0, c->moment);
    if (!slides)
        return;
    own->push += vector_cross(f, w);
    parent->push -= vector_cross(f, w);
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        if (slides >> k & 1)
            parent->twist +=
                u->slide[k] * (vector_cross(own->M0[i], vector_cross(own->M_left[j], f)) +
                               vector_cross(own->M0[j], vector_cross(f, own->M_left[i])));
    }
}

/* A motion of the left pair: u = -(s + (K B)^T t)/D */
LANES_INLINE double follow_stage(const stage *s, lane t, lane w)
{
    return -(s->left[3] + vector_sum(s->KB[0] * t + s->KB[1] * w) * s->y[1][3]);
}

/* K_xw and D^-1 of a ball joint. */
LANES_INLINE lane follow_ball(const lane K_xw[3], const lane inverse[3], lane g_w, lane t)
{
    return -products_with(inverse, g_w + products_with(K_xw, t));
}

LANES_INLINE void follow_joint(olo_linear_packs *x, int i, const bool at_start)
{
    const olo_packs *packs = x->packs;
    const slots *at = &packs->slots[i / LANES];
    const int l = i % LANES, above = at->parent[l];
    const body *b = &packs->bodies[i];
    const sums *stored = &packs->stored[i];
    const stage *first = packs->stages + at->stage[l];
    linear_body *c = &x->bodies[i];
    joint_rates u = {0};
    lane t = lane_all(0.0), w = t;
    if (above >= 0) {
        w = x->bodies[above].y[1];
        t = x->bodies[above].y[0] + vector_cross(w, left_vector(c->arm0, b->arm1, at_start));
    }
    const lane w_p = w;
    const int turns = at->staged[l] ? stages_of_rotation(at->rotation[l]) : 0;
    int k = turns + __builtin_popcount(at->slides[l]) - 1;
    for (int axis = 2; axis >= 0; axis--)
        if (at->slides[l] >> axis & 1) {
            u.slide[axis] = follow_stage(first + k, t, w);
            t += u.slide[axis] * first[k--].left;
        }
    c->rate = 0;
    if (at->ball[l]) {
        w = follow_ball(stored->K + 3, stored->K + LOWER + 3, c->y[1], t);
    } else if (at->rotation[l] == OLO_ROTATION_ALL) {
        const lane K_xw[3] = {first->y[0], first->y[1], first->b},
                   inverse[3] = {first->left, first->KB[0], first->KB[1]};
        w = follow_ball(K_xw, inverse, c->y[1], t);
    } else {
        for (; k >= 0; k--) {
            c->rate = follow_stage(first + k, t, w);
            w += c->rate * first[k].left;
            u.cross = k == 1 ? c->rate : u.cross;
        }
    }
    c->y[0] = t;
    c->y[1] = w;
    if (x->joints)
        vary_joint(c, at->slides[l], at->rotation[l] == OLO_ROTATION_CROSS, w_p, &u, &x->joints[i],
                   above < 0 ? NULL : &x->joints[above]);
}

LANES_INLINE void solve_all(olo_linear_packs *x, const bool at_start)
{
    const olo_packs *packs = x->packs;
    for (int i = packs->count - 1; i >= 0; i--) {
        const slots *at = &packs->slots[i / LANES];
        const int l = i % LANES, parent = at->parent[l];
        if (at->staged[l] || at->ball[l])
            carry_joint(&x->bodies[i], &packs->bodies[i], at, l, at_start,
                        packs->stages + at->stage[l], parent < 0 ? NULL : &x->bodies[parent]);
        else if (!at->free[l])
            carry(&x->bodies[i], &packs->bodies[i], at_start,
                  parent < 0 ? NULL : &x->bodies[parent]);
        else
            solve_root(&packs->stored[i], &packs->bodies[i], &x->bodies[i]);
    }
    for (int i = 0; i < packs->count; i++) {
        const slots *at = &packs->slots[i / LANES];
        const int l = i % LANES, parent = at->parent[l];
        if (at->free[l])
            x->bodies[i].rate = 0;
        else if (at->staged[l] || at->ball[l])
            follow_joint(x, i, at_start);
        else
            follow(&x->bodies[i], &packs->bodies[i], &packs->stored[i], at_start,
                   parent < 0 ? NULL : &x->bodies[parent]);
    }
}

static void solve(olo_linear_packs *x)
{
    if (x->packs->at_start)
        solve_all(x, true);
    else
        solve_all(x, false);
}

/* --- derivatives by the start --- */

LANES_INLINE lane3 collect_bodies(const linear_body *c, size_t offset)
{
    lane v[LANES];
    for (int l = 0; l < LANES; l++)
        memcpy(&v[l], (const char *)(c + l) + offset, sizeof *v);
    return collect(v[0], v[1], v[2], v[3]);
}

/* sum_I ((d_I.w) T_I - (d_I.T_I) w) + u n x m */
LANES_INLINE lane3 vary_left(const four *b, const linear_body *c, lane3 w)
{
    const lane u = {c[0].rate, c[1].rate, c[2].rate, c[3].rate};
    lane3 sum =
        lane3_times(u, lane3_cross(b->n0, collect_bodies(c, offsetof(linear_body, moment))));
    for (int I = 0; I < 3; I++) {
        const lane3 T = collect_bodies(c, offsetof(linear_body, share) + (size_t)I * sizeof(lane));
        sum = lane3_add(sum, lane3_times(lane3_dot(b->d0[I], w), T));
        sum = lane3_subtract(sum, lane3_times(lane3_dot(b->d0[I], T), w));
    }
    return sum;
}

/* y in coordinates: the origin follows the pivot. The motion of the step is written if wanted. */
LANES_INLINE void take_y(const four *b, const slots *at, const linear_body *c, const bool at_start,
                         lane3 w, olo_step *step, lane3 y[4])
{
    const lane scale = lane_cayley_scale(b->a);
    lane3 dq[4], q_m[4];
    for (int I = 0; I < 3; I++) {
        const lane_turned d = lane_cayley_apply(b->a, scale, b->d0[I]);
        dq[1 + I] = d.change;
        q_m[1 + I] = d.mid;
        y[1 + I] = lane3_cross(w, at_start ? b->d0[I] : d.mid);
    }
    y[0] =
        lane3_subtract(collect_bodies(c, offsetof(linear_body, y)), lane3_combine(b->pivot, y + 1));
    if (step)
        write_frames(b, at, dq, q_m, step);
}

/* g_I += 1/2 c x d_I, whose moment about the directors is c; times kappa */
LANES_INLINE void add_moment(const four *b, double kappa, lane3 c, lane3 g[4])
{
    for (int I = 0; I < 3; I++)
        g[1 + I] =
            lane3_add(g[1 + I], lane3_times(lane_all(0.5 * kappa), lane3_cross(c, b->d0[I])));
}

/* The variation of the left null space with the start, times kappa. */
LANES_INLINE void give_variation(const olo_linear_packs *x, int i, double kappa, lane3 w,
                                 lane3 g[4])
{
    const four *b = &x->packs->four[i];
    lane3 c = vary_left(b, x->bodies + LANES * i, w);
    if (x->joints) {
        const linear_joint *j = x->joints + LANES * i;
        const lane3 push = collect(j[0].push, j[1].push, j[2].push, j[3].push),
                    twist = collect(j[0].twist, j[1].twist, j[2].twist, j[3].twist);
        g[0] = lane3_add(g[0], lane3_times(lane_all(kappa), push));
        c = lane3_add(lane3_add(c, twist), lane3_cross(lane3_combine(b->pivot, b->d0), push));
    }
    add_moment(b, kappa, c, g);
}

LANES_INLINE void give_velocities(const slots *at, double a, const lane3 My[4],
                                  const olo_packs_adjoint *by, lane3 g[4])
{
    lane3 rate[4];
    gather_frames(by->gv, at, rate);
    for (int I = 0; I < 4; I++) {
        g[I] = lane3_times(lane_all(-a), lane3_add(rate[I], My[I]));
        rate[I] =
            lane3_times(lane_all(-1.0), lane3_add(rate[I], lane3_times(lane_all(2.0), My[I])));
    }
    scatter_frames(rate, at, by->gv);
}

LANES_INLINE void give_momenta(const four *b, const slots *at, double a, bool from_momentum,
                               const lane3 y[4], const lane3 My[4], const olo_packs_adjoint *by,
                               lane3 g[4])
{
    const lane twice = lane_all(-2.0), none = lane_all(0.0);
    lane3 rate[4], moved[4], gp[4], gv[4];
    gather_frames(by->gp, at, rate);
    lane_momenta(&b->origin_mass, rate, moved);
    for (int I = 0; I < 4; I++) {
        g[I] = lane3_times(lane_all(-a), lane3_add(lane3_times(lane_all(0.5), moved[I]), My[I]));
        gp[I] = lane3_times(from_momentum ? twice : none, y[I]);
        gv[I] = lane3_times(twice, My[I]);
    }
    scatter_frames(gp, at, by->gp);
    if (!from_momentum)
        scatter_frames(gv, at, by->gv);
}

LANES_INLINE void give_four(const olo_linear_packs *x, int i, olo_step *step, const bool at_start,
                            const olo_packs_adjoint *by)
{
    const four *b = &x->packs->four[i];
    const slots *at = &x->packs->slots[i];
    linear_body *c = x->bodies + LANES * i;
    const lane3 w = collect_bodies(c, offsetof(linear_body, y) + sizeof(lane));
    const double a = 2 / step->h;
    lane3 y[4], My[4], g[4];
    take_y(b, at, c, at_start, w, by->motion ? step : NULL, y);
    lane_momenta(&b->origin_mass, y, My);
    if (by->force)
        scatter_lanes(lane3_add(collect_bodies(c, offsetof(linear_body, end_force)),
                                lane3_times(lane_all(a), My[0])),
                      sizeof *c, &c->end_force);
    if (at_start)
        give_momenta(b, at, a, step->from_momentum, y, My, by, g);
    else
        give_velocities(at, a, My, by, g);
    give_variation(x, i, at_start ? 1.0 : 0.5, w, g);
    scatter_frames(g, at, by->gq);
    if (by->y)
        scatter_frames(y, at, by->y);
}

static void give_all(const olo_linear_packs *x, olo_step *step, const olo_packs_adjoint *by)
{
    for (int i = 0; i < x->packs->fours; i++)
        if (x->packs->at_start)
            give_four(x, i, step, true, by);
        else
            give_four(x, i, step, false, by);
}

/* --- velocities --- */

/* F = g - M other, and the spins of v, at the directors that the last projection has left. */
LANES_INLINE void gather_spins(olo_linear_packs *x, int i, const olo_packs_variation *of)
{
    const four *b = &x->packs->four[i];
    const slots *at = &x->packs->slots[i];
    linear_body *to = x->bodies + LANES * i;
    lane3 F[4], other[4], p[4], v[4];
    gather_frames(of->g, at, F);
    gather_frames(of->other, at, other);
    gather_frames(of->v, at, v);
    lane_momenta(&b->origin_mass, other, p);
    for (int I = 0; I < 4; I++)
        F[I] = lane3_subtract(F[I], p[I]);
    move_to_pivot(b->pivot, F);
    scatter_forces(b, b->d0, F, to);
    scatter_lanes(lane3_times(lane_all(0.5), moment_of(b->d0, v)), sizeof *to, &to->y[1]);
    if (x->joints) {
        scatter_lanes(at_pivot(b, v), sizeof *to, &to->y[0]);
        gather_axes(x, i, true);
    }
}

/* The rates of joint i in a velocity, and the variation of its axes with the configuration. */
LANES_INLINE void vary_rates(olo_linear_packs *x, int i, const slots *at, int above)
{
    const linear_body *c = &x->bodies[i];
    const lane none = lane_all(0.0), w = above < 0 ? none : x->bodies[above].y[1],
               t = above < 0 ? none : x->bodies[above].y[0] + vector_cross(w, c->arm0);
    joint_rates u = {.cross = vector_sum(x->joints[i].m0 * (c->y[1] - w))};
    for (int k = 0; k < 3; k++)
        u.slide[k] = vector_sum(x->joints[i].M0[k] * (c->y[0] - t));
    vary_joint(c, at->slides[i % LANES], at->rotation[i % LANES] == OLO_ROTATION_CROSS, w, &u,
               &x->joints[i], above < 0 ? NULL : &x->joints[above]);
}

static void vary(olo_linear_packs *x, const olo_packs_variation *of, double *gq)
{
    const olo_packs *packs = x->packs;
    for (int i = 0; i < packs->fours; i++)
        gather_spins(x, i, of);
    for (int i = packs->count - 1; i >= 0; i--) {
        const slots *at = &packs->slots[i / LANES];
        const int parent = at->parent[i % LANES];
        linear_body *c = &x->bodies[i];
        c->rate = vector_sum(c->n0 * (parent < 0 ? c->y[1] : c->y[1] - x->bodies[parent].y[1]));
        if (at->staged[i % LANES])
            vary_rates(x, i, at, parent);
        if (parent >= 0)
            hang(c, c->arm0, at->slides[i % LANES] != 0, &x->bodies[parent]);
    }
    for (int i = 0; i < packs->fours; i++) {
        const linear_body *c = x->bodies + LANES * i;
        lane3 g[4];
        gather_frames(gq, &packs->slots[i], g);
        give_variation(x, i, 1.0, collect_bodies(c, offsetof(linear_body, y) + sizeof(lane)), g);
        scatter_frames(g, &packs->slots[i], gq);
    }
}

const olo_linear_packs_kernels OLO_LINEAR_PACKS_KERNELS = {
    .gather = gather_all, .solve = solve, .give = give_all, .vary = vary};
