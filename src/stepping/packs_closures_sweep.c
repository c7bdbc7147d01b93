/* The sweeps of closures over packed bodies: their equations are in packs_closures.h. Columns C and
 * rows G of four unknowns go from body to parent at once. A degree of freedom changes them by
 *
 *     rho = B^^T C/D,   C' = C - (K B) rho,   eta = G B,   G' = G - eta y/D,
 *
 * then C_p += A^^T C' and G_p += G' A; G dt_0 grows by G' e - eta rho_0.
 *
 * In all of it four columns or rows are treated at once, or four bodies where their motion is
 * written.
 */
#include "linalg/small.h"
#include "stepping/packs_closures.h"
#include "stepping/packs_elimination.h"
#include "system/condition.h"
#include "system/interval.h"

#ifndef OLO_PACKS_CLOSURE_KERNELS
#define OLO_PACKS_CLOSURE_KERNELS olo_packs_closure_kernels_plain
#endif

/* --- motions for the evaluation of rows --- */

/* Configurations of the present iterate. */
static void write_motion(const olo_packs *x, olo_step *step)
{
    for (int i = 0; i < x->fours; i++) {
        const slots *at = &x->slots[i];
        const four *b = &x->four[i];
        const lane scale = lane_cayley_scale(b->a);
        lane3 dq[4], q_m[4];
        for (int I = 0; I < 3; I++) {
            const lane_turned d = lane_cayley_apply(b->a, scale, b->d0[I]);
            dq[1 + I] = d.change;
            q_m[1 + I] = d.mid;
        }
        write_frames(b, at, dq, q_m, step);
    }
}

/* --- blocks of bodies --- */

/* The part of the balance that does not change in this step. */
static void remember_balance(olo_packs *x)
{
    for (int i = 0; i < x->fours; i++)
        memcpy(x->closures->base[i], x->at_start ? x->four[i].start : x->four[i].impulse,
               sizeof x->closures->base[i]);
}

/* The directors of a frame q, and X_I d_I to the pivot of body `position`. */
LANES_INLINE lane directors_of(const olo_packs *x, int position, const double *q, lane d[3])
{
    const lane *X = x->four[position / LANES].pivot;
    const int l = position % LANES;
    for (int I = 0; I < 3; I++)
        d[I] = (lane){q[3 + 3 * I], q[4 + 3 * I], q[5 + 3 * I], 0};
    return X[0][l] * d[0] + X[1][l] * d[1] + X[2][l] * d[2];
}

/* The columns K [I r^; 0 I]. */
LANES_INLINE void shift_columns(lane r, lane K[2 * LOWER])
{
    for (int half = 0; half < 2; half++) {
        lane *k = K + half * LOWER;
        k[3] += r[2] * k[1] - r[1] * k[2];
        k[4] += r[0] * k[2] - r[2] * k[0];
        k[5] += r[1] * k[0] - r[0] * k[1];
    }
}

/* The columns of a block about the origins, moved to the pivots; the block is zero then. Not
 * inline: it has three callers and much code. */
static void take_block(double *K, lane rho_left, lane rho1, lane to[2 * LOWER])
{
    for (int half = 0; half < 2; half++) {
        const double *rows = K + 18 * half;
        const lane none = lane_all(0.0);
        lane last[4], *columns = to + LOWER * half;
        lanes_transpose(lane_load(rows), lane_load(rows + 6), lane_load(rows + 12), none, columns);
        lanes_transpose(lane_load(rows + 2), lane_load(rows + 8), lane_load(rows + 14), none, last);
        columns[4] = last[2];
        columns[5] = last[3];
    }
    for (int k = 0; k < 36; k++)
        K[k] = 0;
    shift_columns(rho1, to);
    for (int j = 0; j < 6; j++)
        to[LOWER + j] -= vector_cross(rho_left, to[j]);
}

/* Bodies with closure rows: frames, and blocks of these rows. */
static void load_bodies(olo_packs *x, const olo_step *step)
{
    const double *left = olo_motion_left(&step->x);
    for (int k = 0; k < x->closures->coupled_count; k++) {
        coupled *b = &x->closures->coupled[k];
        const double *q1 = step->x.q1 + b->q;
        b->rho_left = directors_of(x, b->body, left + b->q, b->left);
        b->rho1 = directors_of(x, b->body, q1, b->end);
        b->x1 = (lane){q1[0], q1[1], q1[2], 0} + b->rho1;
        for (int i = 0; i < FRAME / LANES; i++)
            b->force[i] = lane_all(0.0);
        if (b->K)
            take_block(b->K, b->rho_left, b->rho1, b->columns);
        else if (b->varies)
            for (int j = 0; j < 2 * LOWER; j++)
                b->columns[j] = lane_all(0.0);
    }
}

/* The forces of the multipliers join the balance of four bodies. */
LANES_INLINE void load_four(olo_packs *x, int i, const lane *const force[LANES])
{
    static const lane none[FRAME / LANES];
    const lane *of[LANES];
    const lane3 *base = x->closures->base[i];
    four *b = &x->four[i];
    lane number[FRAME];
    lane3 f[4], *to = x->at_start ? b->start : b->impulse;
    for (int l = 0; l < LANES; l++)
        of[l] = force[l] ? force[l] : none;
    for (int k = 0; k < FRAME / LANES; k++)
        lanes_transpose(of[0][k], of[1][k], of[2][k], of[3][k], number + LANES * k);
    for (int n = 0; n < FRAME; n++)
        f[n / 3].x[n % 3] = number[n];
    for (int I = 0; I < 4; I++)
        to[I] = lane3_add(base[I], f[I]);
    for (int I = 1; I < 4 && !x->at_start; I++) /* about the pivot */
        to[I] = lane3_subtract(to[I], lane3_times(b->pivot[I - 1], f[0]));
}

static void load_forces(olo_packs *x)
{
    for (int i = 0; i < x->fours; i++) {
        const lane *const *force = x->closures->forces + LANES * i;
        if (force[0] || force[1] || force[2] || force[3])
            load_four(x, i, force);
    }
}

/* The forces of the multipliers of relations along their coordinates. */
static void load_shares(closures *x, const olo_step *step)
{
    x->factor = 2 / step->h;
    for (int k = 0; k < x->share_count; k++)
        *x->shares[k].force = 0;
    for (int i = 0; i < x->count; i++) {
        const closure *c = &x->closure[i];
        for (int k = c->first_share; k < c->first_share + c->shares; k++) {
            const relation_share *of = &x->shares[k];
            *of->force += x->factor / step->h * of->factor * x->lambda[c->u + of->row];
        }
    }
}

/* --- columns and rows of a closure, at its bodies --- */

LANES_INLINE lane3 spread(lane v)
{
    return (lane3){{lane_all(v[0]), lane_all(v[1]), lane_all(v[2])}};
}

/* The gradients of curved rows in the balance, and at the end of the step if `whole`. */
static void evaluate_rows(const olo_packs *x, const olo_step *step, const olo_interval *over,
                          closure *c, bool whole)
{
    for (int k = 0; k < c->rows; k++) {
        const olo_constraint *row = &x->system->constraints[c->first_row + k];
        double d[OLO_FORM_SIZE_MAX];
        if (!(c->curved >> k & 1))
            continue;
        olo_evaluate_row(&step->evaluation, row, over, d, NULL);
        olo_packs_set_gradient(x->closures, c, k, row, d, c->left);
        if (!whole)
            continue;
        if (x->at_start) /* its value has the discrete gradient */
            c->right[k / LANES][k % LANES] = olo_row_increment(step, over, c->first_row + k, d);
        olo_condition_by_end(row, over, d);
        olo_packs_set_gradient(x->closures, c, k, row, d, c->end);
    }
}

/* lambda a d on the frames of the bodies */
LANES_INLINE void add_forces(olo_packs *x, const closure *c, double a)
{
    for (int side = 0; side < c->sides; side++) {
        lane *force = x->closures->coupled[c->side[side]].force;
        for (int k = 0; k < c->rows; k++) {
            const double lambda = a * x->closures->lambda[c->u + k];
            for (int i = 0; i < FRAME / LANES; i++)
                force[i] += lambda * c->left[side][k][i];
        }
    }
}

/* a (g(q0) + d.dq) of all rows; rows that are curved have their values if the left pair is at the
 * start. */
LANES_INLINE void add_values(const olo_packs *x, const olo_step *step, closure *c, double a)
{
    double *right = (double *)c->right;
    for (int k = 0; k < c->rows; k++) {
        lane sum = lane_all(0.0);
        for (int side = 0; side < c->sides; side++) {
            const double *dq = step->x.dq + x->closures->coupled[c->side[side]].q;
            for (int i = 0; i < FRAME / LANES; i++)
                sum += c->left[side][k][i] * lane_load(dq + LANES * i);
        }
        if (!(x->at_start && c->curved >> k & 1))
            right[k] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
        right[k] = a * (x->closures->row_start[c->u + k] + right[k]);
    }
}

/* a times the gradients of four rows */
LANES_INLINE void scale_rows(lane rows[LANES][FRAME / LANES], double a, lane3 of[4])
{
    lane number[FRAME];
    for (int i = 0; i < FRAME / LANES; i++)
        lanes_transpose(rows[0][i], rows[1][i], rows[2][i], rows[3][i], number + LANES * i);
    for (int i = 0; i < FRAME; i++)
        of[i / 3].x[i % 3] = a * number[i];
}

/* [g_0; sum d_I x g_I] of four rows, moved to the pivot */
LANES_INLINE void set_bundle(const lane3 of[4], const lane d[3], lane rho, bundle *to)
{
    lane3 turn = lane3_cross(of[0], spread(rho));
    for (int I = 0; I < 3; I++)
        turn = lane3_add(turn, lane3_cross(spread(d[I]), of[1 + I]));
    to->upper = of[0];
    to->lower = turn;
}

/* C and G of the multipliers. */
LANES_INLINE void make_bundles(olo_packs *x, closure *c, double a)
{
    const bool curved = c->curved != 0, stale = curved || c->factor != a;
    const lane zero = lane_all(0.0);
    const lane3 none = {{zero, zero, zero}};
    for (int side = 0; side < c->sides; side++) {
        const coupled *b = &x->closures->coupled[c->side[side]];
        for (int g = 0; g < c->groups; g++) {
            if (g * LANES >= c->rows) {
                c->columns[side][g] = c->at_end[side][g] = (bundle){none, none};
                continue;
            }
            lane3 *number = c->number[side][g];
            if (stale)
                scale_rows(c->left[side] + LANES * g, a, number);
            set_bundle(number, b->left, b->rho_left, &c->columns[side][g]);
            if (curved)
                scale_rows(c->end[side] + LANES * g, a, number);
            set_bundle(number, b->end, b->rho1, &c->at_end[side][g]);
        }
    }
    c->factor = a;
}

/* Column or row k of a bundle. */
LANES_INLINE void set_column(bundle *to, int k, lane upper, lane lower)
{
    for (int i = 0; i < 3; i++) {
        to[k / LANES].upper.x[i][k % LANES] = upper[i];
        to[k / LANES].lower.x[i][k % LANES] = lower[i];
    }
}

/* The relative motion of both bodies: its columns, its rows, and what it adds to the bodies. */
LANES_INLINE void add_relative(olo_packs *x, closure *c)
{
    coupled *a = &x->closures->coupled[c->side[0]], *b = &x->closures->coupled[c->side[1]];
    const lane r = b->x1 - a->x1, zero = lane_all(0.0);
    lane K_ab[2 * LOWER], K_ba[2 * LOWER], moved[2 * LOWER];
    take_block(c->cross[0], a->rho_left, b->rho1, K_ab);
    take_block(c->cross[1], b->rho_left, a->rho1, K_ba);
    memcpy(moved, K_ab, sizeof moved);
    if (c->relative == 6) {
        shift_columns(-r, moved);
        shift_columns(r, K_ba);
    }
    for (int j = 0; j < 2 * LOWER; j++) {
        a->columns[j] += moved[j];
        b->columns[j] += K_ba[j];
    }
    for (int s = 0; s < c->relative; s++) {
        const int k = c->rows + s, j = 6 - c->relative + s;
        lane unit = zero;
        unit[j % 3] = 1;
        set_column(c->columns[0], k, K_ab[j], K_ab[LOWER + j]);
        set_column(c->columns[1], k, -K_ba[j], -K_ba[LOWER + j]);
        if (j < 3) {
            set_column(c->at_end[0], k, -unit, vector_cross(unit, r));
            set_column(c->at_end[1], k, unit, zero);
        } else {
            set_column(c->at_end[0], k, zero, -unit);
            set_column(c->at_end[1], k, zero, unit);
        }
    }
}

/* --- one body --- */

/* a - s v */
LANES_INLINE lane3 without(lane3 a, lane s, lane v)
{
    return lane3_subtract(a, lane3_times(s, spread(v)));
}

/* One degree of freedom, B = [b; 0] if it slides, else [0; b]; y over D. `related`: rho and eta
 * have what relations add to it. */
LANES_INLINE void pass_stage(const stage *of, const bool slides, const bool related, lane *rho,
                             lane *eta, bundle *C, bundle *G, lane *value)
{
    const lane zero = lane_all(0.0), row = related ? *rho : zero, by = related ? *eta : zero;
    *rho = of->y[1][3] * (lane3_dot(spread(of->left), slides ? C->upper : C->lower) + row);
    *eta = lane3_dot(spread(of->b), slides ? G->upper : G->lower) + by;
    C->upper = without(C->upper, *rho, of->KB[0]);
    C->lower = without(C->lower, *rho, of->KB[1]);
    G->upper = without(G->upper, *eta, of->y[0]);
    G->lower = without(G->lower, *eta, of->y[1]);
    *value -= *eta * of->y[0][3];
}

/* All rotations: D^-1, K_xw and V = D^-1 K_wx by columns, s = D^-1 z_w. */
LANES_INLINE void pass_rotations(const lane inverse[3], const lane K_xw[3], const body *b,
                                 const int groups, lane *rho, lane *eta, bundle *C, bundle *G,
                                 lane *value)
{
    const lane V[3] = {b->y[0], b->y[1], b->n1}, zero = lane_all(0.0);
    const lane3 none = {{zero, zero, zero}};
    lane3 r = none;
    for (int j = 0; j < 3; j++)
        r = lane3_add(r, lane3_times(C->lower.x[j], spread(inverse[j])));
    for (int j = 0; j < 3; j++) {
        rho[j * groups] = r.x[j];
        eta[j * groups] = G->lower.x[j];
        C->upper = without(C->upper, r.x[j], K_xw[j]);
        G->upper.x[j] -= lane3_dot(spread(V[j]), G->lower);
    }
    *value -= lane3_dot(spread(b->twist[1]), G->lower);
    C->lower = G->lower = none;
}

/* The gap of the joint, and the way to the parent. */
LANES_INLINE void pass_joint(const body *b, lane turn_gap, lane arm_left, bundle *C, bundle *G,
                             lane *value)
{
    *value += lane3_dot(spread(b->twist[0]), G->upper) + lane3_dot(spread(turn_gap), G->lower);
    C->lower = lane3_add(C->lower, lane3_cross(spread(arm_left), C->upper));
    G->lower = lane3_add(G->lower, lane3_cross(spread(b->arm1), G->upper));
}

/* A free root: rho = K^-1 C, and dt_0 is known. */
static void pass_root(const sums *c, const body *b, const int groups, lane *rho, lane *eta,
                      const bundle *C, const bundle *G, lane *value)
{
    lane column_of[LANES][2];
    scatter_lanes(C->upper, sizeof *column_of, &column_of[0][0]);
    scatter_lanes(C->lower, sizeof *column_of, &column_of[0][1]);
    for (int l = 0; l < LANES; l++) {
        const column dt = solve_free(c, b, (column){column_of[l][0], column_of[l][1]});
        column_of[l][0] = dt.upper;
        column_of[l][1] = dt.lower;
    }
    const lane3 shift = collect(column_of[0][0], column_of[1][0], column_of[2][0], column_of[3][0]),
                spin = collect(column_of[0][1], column_of[1][1], column_of[2][1], column_of[3][1]);
    for (int i = 0; i < 3; i++) {
        rho[i * groups] = shift.x[i];
        rho[(3 + i) * groups] = spin.x[i];
        eta[i * groups] = G->upper.x[i];
        eta[(3 + i) * groups] = G->lower.x[i];
    }
    *value += lane3_dot(spread(b->twist[0]), G->upper) + lane3_dot(spread(b->twist[1]), G->lower);
}

/* A hinge or ball joint, D and K B of which are in the record of the body. */
LANES_INLINE void pass_turn(const sums *c, const body *b, lane n_left, bool ball,
                            const bool related, const int groups, lane *rho, lane *eta, bundle *C,
                            bundle *G, lane *value)
{
    if (ball) {
        pass_rotations(c->K + LOWER + 3, c->K + 3, b, groups, rho, eta, C, G, value);
        return;
    }
    const stage turn = {
        .y = {b->y[0], b->y[1]}, .b = b->n1, .left = n_left, .KB = {c->K[Z], c->K[Z + 1]}};
    pass_stage(&turn, false, related, rho, eta, C, G, value);
}

/* Joints in stages, as they are eliminated in packs_sweep.c. */
LANES_INLINE void pass_stages(const olo_packs *x, const slots *at, int l, const sums *c,
                              const body *b, lane n_left, const bool related, const int groups,
                              lane *rho, lane *eta, bundle *C, bundle *G, lane *value)
{
    const olo_joint_rotation rotation = at->rotation[l];
    const stage *of = x->stages + at->stage[l], *lever = of;
    int rotations = stages_of_rotation(rotation);
    if (at->lever[l]) {
        of++;
        rotations = 0;
    } else if (rotation == OLO_ROTATION_ALL) {
        const lane K_xw[3] = {of->y[0], of->y[1], of->b},
                   inverse[3] = {of->left, of->KB[0], of->KB[1]};
        pass_rotations(inverse, K_xw, b, groups, rho, eta, C, G, value);
        rho += 3 * groups;
        eta += 3 * groups;
        rotations = 0;
        of++;
    }
    for (int k = 0; k < rotations; k++, of++, rho += groups, eta += groups)
        pass_stage(of, false, related, rho, eta, C, G, value);
    for (unsigned left = at->slides[l]; left; left &= left - 1) {
        pass_stage(of++, true, related, rho, eta, C, G, value);
        rho += groups;
        eta += groups;
    }
    if (at->lever[l]) {
        C->lower = lane3_add(C->lower, lane3_cross(spread(lever->left), C->upper));
        G->lower = lane3_add(G->lower, lane3_cross(spread(lever->b), G->upper));
        pass_turn(c, b, n_left, rotation == OLO_ROTATION_ALL, related, groups, rho, eta, C, G,
                  value);
    }
}

/* Body `position`, then the way to its parent. */
LANES_INLINE void pass_body(const olo_packs *x, int position, const bool related, const int groups,
                            lane *rho, lane *eta, bundle *C, bundle *G, lane *value)
{
    const slots *at = &x->slots[position / LANES];
    const int l = position % LANES;
    const body *b = x->bodies + position;
    const sums *c = x->stored + position;
    const left_pair *left = &x->closures->left[position];
    const bool all = at->rotation[l] == OLO_ROTATION_ALL;
    if (at->free[l]) {
        pass_root(c, b, groups, rho, eta, C, G, value);
        return;
    }
    if (at->staged[l])
        pass_stages(x, at, l, c, b, left->n, related, groups, rho, eta, C, G, value);
    else
        pass_turn(c, b, left->n, at->ball[l], related, groups, rho, eta, C, G, value);
    pass_joint(b, all ? lane_all(0.0) : b->twist[1], left->arm, C, G, value);
}

#include "stepping/packs_closures_rates.h"

/* --- all closures --- */

/* Columns, rows and forces at the bodies of all closures, before bodies are eliminated: relative
 * motions add to the blocks of bodies. */
static void load_closures(olo_packs *x, const olo_step *step)
{
    const olo_interval over = olo_step_interval(step);
    const double a = 2 / step->h;
    load_bodies(x, step);
    load_shares(x->closures, step);
    for (int i = 0; i < x->closures->count; i++) {
        closure *c = &x->closures->closure[i];
        evaluate_rows(x, step, &over, c, true);
        add_forces(x, c, a);
        add_values(x, step, c, a);
        make_bundles(x, c, a);
        if (x->rate)
            load_rate_rows(x, step, i);
        if (c->relative > 0)
            add_relative(x, c);
    }
    if (x->rate)
        load_impulses(x);
    else
        load_forces(x);
}

/* The forces alone, at the solution. */
static void load_multipliers(olo_packs *x, const olo_step *step)
{
    const olo_interval over = olo_step_interval(step);
    for (int k = 0; k < x->closures->coupled_count; k++)
        for (int i = 0; i < FRAME / LANES; i++)
            x->closures->coupled[k].force[i] = lane_all(0.0);
    load_shares(x->closures, step);
    for (int i = 0; i < x->closures->count; i++) {
        closure *c = &x->closures->closure[i];
        evaluate_rows(x, step, &over, c, false);
        add_forces(x, c, 2 / step->h);
    }
    if (x->rate)
        load_rates(x, step);
    else
        load_forces(x);
}

/* The values of relations. */
static void add_changes(const closures *x, closure *c)
{
    for (int k = 0; k < c->shares; k++) {
        const relation_share *of = &x->shares[c->first_share + k];
        c->right[of->row / LANES][of->row % LANES] += x->factor * of->factor * *of->change;
    }
}

/* The rows of relations: what they add to the degrees of freedom of their joints. */
static void begin_shares(const closures *x, closure *c)
{
    const link *links = x->links + c->first;
    for (int k = 0; k < c->links; k++)
        for (int i = 0; links[k].related && i < links[k].dofs * c->groups; i++)
            c->rho[links[k].dof * c->groups + i] = c->eta[links[k].dof * c->groups + i] =
                lane_all(0.0);
    for (int k = 0; k < c->shares; k++) {
        const relation_share *of = &x->shares[c->first_share + k];
        const int g = of->row / LANES, u = of->row % LANES, at = of->dof * c->groups + g;
        const double a = x->factor * of->factor;
        c->rho[at][u] += a * *of->share;
        c->eta[at][u] += a;
    }
}

/* One body on the way of a closure: its columns and rows, and what its parent receives. */
LANES_INLINE void pass_link(olo_packs *x, closure *c, const link *of, int g, bundle *C, bundle *G)
{
    const int groups = c->groups, first = of->dof * groups + g;
    lane value = c->value[g];
    if (of->related)
        pass_body(x, of->body, true, groups, c->rho + first, c->eta + first, C, G, &value);
    else
        pass_body(x, of->body, false, groups, c->rho + first, c->eta + first, C, G, &value);
    c->value[g] = value;
}

LANES_INLINE bundle bundle_sum(bundle a, bundle b)
{
    return (bundle){lane3_add(a.upper, b.upper), lane3_add(a.lower, b.lower)};
}

/* Four columns and rows from both bodies to the root. */
LANES_INLINE void sweep_group(olo_packs *x, closure *c, int g)
{
    bundle *C = x->closures->columns, *G = x->closures->rows;
    const link *links = x->closures->links + c->first;
    const int a = c->at[0], b = c->at[1];
    const lane zero = lane_all(0.0);
    const lane3 none = {{zero, zero, zero}};
    c->value[g] = zero;
    for (int k = 0; k < c->links; k++) {
        const int above = links[k].above;
        bundle *own = k == a   ? &c->columns[0][g]
                      : k == b ? &c->columns[1][g]
                               : &C[k],
               *row = k == a   ? &c->at_end[0][g]
                      : k == b ? &c->at_end[1][g]
                               : &G[k];
        if (links[k].begins)
            *own = *row = (bundle){none, none};
        pass_link(x, c, &links[k], g, own, row);
        if (c->stored_rows)
            c->stored_rows[k * c->groups + g] = *row;
        if (above < 0)
            continue;
        bundle *to = above == a   ? &c->columns[0][g]
                     : above == b ? &c->columns[1][g]
                                  : &C[above],
               *to_row = above == a   ? &c->at_end[0][g]
                         : above == b ? &c->at_end[1][g]
                                      : &G[above];
        *to = links[k].first ? *own : bundle_sum(*to, *own);
        *to_row = links[k].first ? *row : bundle_sum(*to_row, *row);
    }
}

LANES_INLINE void sweep_closure(olo_packs *x, closure *c)
{
    if (c->shares > 0) {
        begin_shares(x->closures, c);
        add_changes(x->closures, c);
    }
    for (int g = 0; g < c->groups; g++)
        sweep_group(x, c, g);
}

/* Rows of a block of S: those of the multipliers, or of s, each `stride` numbers apart. */
LANES_INLINE void store_rows(int count, const double *from, int stride, int width, double *to)
{
    for (int u = 0; u < count; u++, from += stride, to += width)
        FOR_EACH_WIDTH(width, memcpy(to, from, WIDTH * sizeof *to));
}

/* -sum eta rho over the degrees of freedom that both closures share, four rows at once, for `fours`
 * of the first one and `groups` of the second. */
LANES_INLINE void sum_overlap(const closures *x, const overlap *o, int fours, const int groups,
                              double *numbers)
{
    const shared *of = x->shared + o->first;
    for (int first = 0; first < fours; first++) {
        const lane *eta = x->closure[o->i].eta + first, *rho = x->closure[o->j].rho;
        lane row[LANES][GROUPS];
        for (int w = 0; w < LANES; w++)
            for (int g = 0; g < groups; g++)
                row[w][g] = lane_all(0.0);
        for (int k = 0; k < o->count; k++)
            for (int w = 0; w < LANES; w++)
                for (int g = 0; g < groups; g++)
                    row[w][g] -= eta[of[k].eta][w] * rho[of[k].rho + g];
        for (int w = 0; w < LANES; w++)
            for (int g = 0; g < groups; g++, numbers += LANES)
                lane_store(row[w][g], numbers);
    }
}

/* A block of S; -1 for s itself. */
LANES_INLINE void fill_overlap(const closures *x, const overlap *o, const int groups)
{
    const closure *i = &x->closure[o->i], *j = &x->closure[o->j];
    const int stride = groups * LANES;
    lane S[UNKNOWNS][GROUPS];
    double *numbers = (double *)S;
    sum_overlap(x, o, i->groups, groups, numbers);
    for (int u = i->rows; o->i == o->j && u < i->count; u++)
        numbers[u * stride + u] -= 1;
    for (int a = 0; a < 1 + (i->relative > 0); a++) {
        const int height = a ? i->relative : i->rows;
        const double *from = numbers + (a ? i->rows : 0) * stride;
        store_rows(height, from, stride, j->rows, o->block[a][0]);
        if (j->relative > 0)
            store_rows(height, from + j->rows, stride, j->relative, o->block[a][1]);
    }
}

LANES_INLINE void fill_any_overlap(const closures *x, const overlap *o)
{
    if (x->closure[o->j].groups == 1)
        fill_overlap(x, o, 1);
    else if (x->closure[o->j].groups == 2)
        fill_overlap(x, o, 2);
    else
        fill_overlap(x, o, 3);
}

/* The right-hand side g + G dt_0 of a closure. */
static void fill_right(const closures *all, const closure *c)
{
    double *right = olo_elimination_rhs(all->S, c->block[0]);
    for (int k = 0; k < c->rows; k++)
        right[k] = c->right[k / LANES][k % LANES] + c->value[k / LANES][k % LANES];
    for (int k = 0; k < c->relative; k++)
        olo_elimination_rhs(all->S, c->block[1])[k] =
            c->value[(c->rows + k) / LANES][(c->rows + k) % LANES];
}

/* eta, rho and S of all closures, and the right-hand sides. */
static void sweep_closures(olo_packs *x)
{
    closures *all = x->closures;
    olo_elimination_clear(all->S);
    for (int i = 0; i < all->count; i++) {
        sweep_closure(x, &all->closure[i]);
        fill_right(all, &all->closure[i]);
    }
    for (int k = 0; k < all->overlap_count; k++)
        fill_any_overlap(all, &all->overlaps[k]);
}

/* --- rows at the start of a step, for redundant ones --- */

/* The vector of body l of four. */
LANES_INLINE lane3 vector_of(const lane3 *of, int l)
{
    return (lane3){{lane_all(of->x[0][l]), lane_all(of->x[1][l]), lane_all(of->x[2][l])}};
}

/* A degree of freedom: eta, and rho = eta times the weight of its motion. */
LANES_INLINE void start_dof(lane eta, double weight, const int groups, lane **to_eta, lane **to_rho)
{
    **to_eta = eta;
    **to_rho = weight * eta;
    *to_eta += groups;
    *to_rho += groups;
}

/* The rows of one body at its degrees of freedom, in the order of their elimination, then the way
 * to its parent. */
static void start_body(const olo_packs *x, int position, const int groups, lane *rho, lane *eta,
                       bundle *G)
{
    const double along = x->system->length_scale * x->system->length_scale;
    const slots *at = &x->slots[position / LANES];
    const four *b = &x->four[position / LANES];
    const joints *j = at->joints;
    const int l = position % LANES;
    const bool staged = at->staged[l], lever = staged && at->lever[l];
    const olo_joint_rotation rotation = at->rotation[l];
    const int passes = staged || at->free[l] || rotation == OLO_ROTATION_ALL ? 2 : 0;
    if (passes == 0) /* a hinge */
        *rho = *eta = lane3_dot(vector_of(&b->n0, l), G->lower);
    for (int pass = 0; pass < passes; pass++) {
        const bool turns = (pass == 0) != lever; /* levers translate first */
        for (int k = 0; turns && k < 3; k++)
            if (at->free[l] || rotation == OLO_ROTATION_ALL)
                start_dof(G->lower.x[k], 1, groups, &eta, &rho);
            else if (k == 0 ? rotation != OLO_ROTATION_NONE
                            : k == 1 && rotation == OLO_ROTATION_CROSS)
                start_dof(lane3_dot(vector_of(k == 0 ? &b->n0 : &j->m0, l), G->lower), 1, groups,
                          &eta, &rho);
        for (int k = 0; !turns && k < 3; k++)
            if (at->free[l])
                start_dof(G->upper.x[k], along, groups, &eta, &rho);
            else if (staged && at->slides[l] >> k & 1)
                start_dof(lane3_dot(vector_of(&j->M0[k], l), G->upper), along, groups, &eta, &rho);
        if (lever && pass == 0)
            G->lower = lane3_add(G->lower, lane3_cross(vector_of(&j->v0, l), G->upper));
    }
    G->lower = lane3_add(G->lower, lane3_cross(vector_of(&b->arm0, l), G->upper));
}

/* Fours of multipliers. */
LANES_INLINE int row_groups(const closure *c)
{
    return (c->rows + LANES - 1) / LANES;
}

/* The rows of a closure at its bodies. */
static void start_rows(olo_packs *x, const olo_step *step, closure *c)
{
    const olo_at at = {.q = step->x.q0, .angles = step->state->angles, .t = step->t};
    for (int k = 0; k < c->rows; k++) {
        const olo_constraint *row = &x->system->constraints[c->first_row + k];
        double gradient[OLO_FORM_SIZE_MAX];
        if (!(c->curved >> k & 1))
            continue;
        olo_constraint_gradient(row, &at, gradient);
        olo_packs_set_gradient(x->closures, c, k, row, gradient, c->end);
    }
    for (int side = 0; side < c->sides; side++) {
        const coupled *of = &x->closures->coupled[c->side[side]];
        lane d[3];
        const lane rho = directors_of(x, of->body, step->x.q0 + of->q, d);
        for (int g = 0; g < row_groups(c); g++) {
            lane3 number[4];
            scale_rows(c->end[side] + LANES * g, 1, number);
            set_bundle(number, d, rho, &c->at_end[side][g]);
        }
    }
}

/* Relations of joint coordinates. */
static void start_shares(const olo_packs *x, closure *c)
{
    const double along = x->system->length_scale * x->system->length_scale;
    memset(c->eta, 0, (size_t)(c->dofs * c->groups) * sizeof *c->eta);
    memset(c->rho, 0, (size_t)(c->dofs * c->groups) * sizeof *c->rho);
    for (int k = 0; k < c->shares; k++) {
        const relation_share *of = &x->closures->shares[c->first_share + k];
        const int at = of->dof * c->groups + of->row / LANES, u = of->row % LANES;
        c->eta[at][u] += of->factor;
        c->rho[at][u] += (of->turns ? 1 : along) * of->factor;
    }
}

/* S in a metric of the motion in the joints, for which no body is eliminated: the range of G W G^T
 * is that of G for any definite W. Rotations have the weight 1 and translations the square of the
 * model's length. */
static void sweep_start(olo_packs *x, const olo_step *step)
{
    closures *all = x->closures;
    const lane zero = lane_all(0.0);
    const lane3 none = {{zero, zero, zero}};
    olo_elimination_clear(all->rank);
    for (int i = 0; i < all->count; i++) {
        closure *c = &all->closure[i];
        const link *links = all->links + c->first;
        if (c->shares > 0) {
            start_shares(x, c);
            continue;
        }
        start_rows(x, step, c);
        for (int g = 0; g < row_groups(c); g++) {
            bundle *G = all->rows;
            for (int k = 0; k < c->links; k++)
                G[k] = k == c->at[0]   ? c->at_end[0][g]
                       : k == c->at[1] ? c->at_end[1][g]
                                       : (bundle){none, none};
            for (int k = 0; k < c->links; k++) {
                const int first = links[k].dof * c->groups + g;
                start_body(x, links[k].body, c->groups, c->rho + first, c->eta + first, &G[k]);
                if (links[k].above >= 0)
                    G[links[k].above] = bundle_sum(G[links[k].above], G[k]);
            }
        }
    }
    for (int k = 0; k < all->overlap_count; k++) {
        const overlap *o = &all->overlaps[k];
        const closure *from = &all->closure[o->i], *to = &all->closure[o->j];
        lane S[ROW_GROUPS * LANES][ROW_GROUPS];
        if (row_groups(to) == 1)
            sum_overlap(all, o, row_groups(from), 1, (double *)S);
        else
            sum_overlap(all, o, row_groups(from), 2, (double *)S);
        store_rows(from->rows, (const double *)S, row_groups(to) * LANES, to->rows, o->rank);
    }
}

/* The right-hand sides alone, by the rows, eta and rho of the last sweep. */
static void forward_closures(olo_packs *x)
{
    closures *all = x->closures;
    olo_elimination_clear_right(all->S);
    for (int i = 0; i < all->count; i++) {
        closure *c = &all->closure[i];
        add_changes(all, c);
        for (int g = 0; g < c->groups; g++) {
            c->value[g] = lane_all(0.0);
            for (int k = 0; k < c->links; k++) {
                const link *of = &all->links[c->first + k];
                c->value[g] += value_of_body(x, of->body, of->dofs, c->groups,
                                             c->eta + of->dof * c->groups + g,
                                             &c->stored_rows[k * c->groups + g]);
            }
        }
        fill_right(all, c);
    }
}

/* The numbers rho_0 of a body change by those of the closures, times their unknowns. */
static void apply_to_body(olo_packs *x, int position, const double *change)
{
    const slots *at = &x->slots[position / LANES];
    const int l = position % LANES;
    body *b = x->bodies + position;
    const bool all = at->rotation[l] == OLO_ROTATION_ALL;
    if (at->free[l]) {
        b->twist[0] -= (lane){change[0], change[1], change[2], 0};
        b->twist[1] -= (lane){change[3], change[4], change[5], 0};
        return;
    }
    stage *of = x->stages + at->stage[l];
    const bool staged = at->staged[l], lever = staged && at->lever[l];
    if (all && !lever) {
        b->twist[1] += (lane){change[0], change[1], change[2], 0};
        change += 3;
        of += staged;
    }
    if (staged) {
        int count = __builtin_popcount(at->slides[l]);
        if (lever)
            of++;
        else if (!all)
            count += stages_of_rotation(at->rotation[l]);
        for (int k = 0; k < count; k++, of++)
            of->y[0][3] += *change++;
    }
    if (lever && all)
        b->twist[1] += (lane){change[0], change[1], change[2], 0};
    else if (!all && (!staged || lever))
        b->y[0][3] += *change;
}

static void apply_closures(olo_packs *x)
{
    for (int i = 0; i < x->closures->count; i++) {
        const closure *c = &x->closures->closure[i];
        for (int k = 0; k < c->links; k++) {
            const link *of = &x->closures->links[c->first + k];
            const double *rho = (const double *)(c->rho + of->dof * c->groups);
            double change[6] = {0};
            for (int n = 0; n < of->dofs; n++, rho += c->groups * LANES)
                change[n] = small_dot(c->count, rho, c->x);
            if (of->hinge)
                x->bodies[of->body].y[0][3] += change[0];
            else
                apply_to_body(x, of->body, change);
        }
    }
}

const olo_packs_closure_kernels OLO_PACKS_CLOSURE_KERNELS = {.write_motion = write_motion,
                                                             .remember_balance = remember_balance,
                                                             .load = load_closures,
                                                             .load_multipliers = load_multipliers,
                                                             .sweep = sweep_closures,
                                                             .sweep_start = sweep_start,
                                                             .apply = apply_closures,
                                                             .forward = forward_closures,
                                                             .load_rates = load_rates};
