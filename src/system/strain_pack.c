/* The strains of four quadrature points at once; the formulas are in strain_formulas.h.
 *
 * In twists, delta x = delta_phi and delta d = delta_omega x d, the tangent of a step
 * P(left)^T dr/dq1 P(q1) is formed from the projected gradients, without the matrix in coordinates:
 *
 *     sum_kl gm_k s1_kl g1_l + 1/2 P(left)^T (s.A) P(q1)
 *
 * with gm_k = P(left)^T grad e_k(qm) and g1_l = P(q1)^T grad e_l(q1), or grad e_l(qm) where the
 * stress is that at the midpoint. Of the gradient of node a the translation is N'_a d_k for Gamma_k
 * and zero for K_k; the rotations gamma_k, kappa_k are moments. A block a I of s.A between two
 * directors, dm at the left and d at q1, becomes a ((dm.d) I - d (x) dm), a hat(dm) between a
 * director and a position and -a hat(d) between a position and a director. So with C = factor s1,
 * the block of the nodes a and b consists of
 *
 *     N'_a N'_b M,     M    = sum_kl d_k C_kl d_l
 *     N'_a TR_b,       TR_b = sum_kl d_k C_kl g1_l^b - 1/2 N_b hat(sum n_i d_i^b)
 *     N'_b RT_a,       RT_a = sum_kl gm_k^a C_kl d_l + 1/2 N_a hat(sum n_i dm_i^a)
 *     RR_ab                 = sum_kl gm_k^a C_kl g1_l^b + 1/4 (N_a N'_b - N'_a N_b) B_ab,
 *     B_ab = (sum_j y_j.d_j^b) I - sum_j d_j^b (x) y_j,   y_j = m_i dm_k^a - m_k dm_i^a.
 *
 * The invariant c of rods adds its gradient, the rotation N_a sum_j d_j^a x d_j, and to RR_ab the
 * matrix 1/2 s_c N_a N_b B_ab with y_j = dm_j^a.
 *
 * The blocks of frames have 6 x 6 numbers. Where a node contributes its position or its directors
 * alone, only that part is read and written (`layout` PARTS).
 *
 * This file is compiled a second time for processors with registers of four numbers
 * (strain_pack_wide.c), to the same bits. */
#include <math.h>

#include "base/extreme.h"
#include "system/term_pack.h"

#define NUMBER lane
#include "system/strain_formulas.h"

#ifndef OLO_STRAIN_KERNELS
#define OLO_STRAIN_KERNELS olo_strain_kernels_plain
#endif

/* Properties of a pack that are known when its functions are compiled: whether all nodes are
 * frames, the number of invariants, and which of them a law couples: none; K_k with c, and c with
 * all K; all. */
typedef enum layout { FRAMES, PARTS } layout;
typedef enum coupling { NONE, ROD, ALL } coupling;

/* Whether ds_k/de_l may be different from zero. */
FORMULA bool couples(const coupling law, int k, int l)
{
    return k == l || law == ALL || (law == ROD && (k == COS ? l >= 3 : k >= 3 && l == COS));
}

/* What is known of a step of four points. */
typedef struct step_data {
    lane N[A], dN[A];
    vector x[A][4], dx[A][4]; /* nodes at q0, and their increments */
    point start, change, middle;
} step_data;

_Static_assert(sizeof(step_data) <= sizeof((olo_pack_step *)0)->number,
               "olo_pack_step is too small");

/* The four olo_strain of a pack. */
typedef struct four {
    const olo_strain *s[LANES];
} four;

FORMULA four strains_in(const olo_term_pack *pack)
{
    return (four){{pack->data[0], pack->data[1], pack->data[2], pack->data[3]}};
}

/* One number of each of the four. */
#define OF_FOUR(at, number)                                                                        \
    ((lane){(at)->s[0]->number, (at)->s[1]->number, (at)->s[2]->number, (at)->s[3]->number})

/* 1 for each of the four with this address, else 0. */
#define CONTRIBUTING(at, address)                                                                  \
    ((lane){(at)->s[0]->address >= 0, (at)->s[1]->address >= 0, (at)->s[2]->address >= 0,          \
            (at)->s[3]->address >= 0})

/* ---- gather and scatter ---------------------------------------------------------------------- */

/* Whether some term has sections that are turned at node a; then the turns of all. */
FORMULA bool read_turns(const four *at, int a, lane turn[9])
{
    static const double none[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double *t[LANES];
    bool any = false;
    for (int l = 0; l < LANES; l++) {
        any = any || at->s[l]->turn[a];
        t[l] = at->s[l]->turn[a] ? at->s[l]->turn[a] : none;
    }
    for (int i = 0; any && i < 9; i++)
        turn[i] = (lane){t[0][i], t[1][i], t[2][i], t[3][i]};
    return any;
}

/* `count` numbers of each term from its own address, zero where that is negative. */
FORMULA void read_part(const int count, const int at[LANES], const double *q, lane *number)
{
    static const double none[9] = {0};
    const double *from[LANES];
    for (int l = 0; l < LANES; l++)
        from[l] = at[l] < 0 ? none : q + at[l];
    for (int i = 0; i < count; i++)
        number[i] = (lane){from[0][i], from[1][i], from[2][i], from[3][i]};
}

/* The coordinates of node a of the four. */
FORMULA void read_node(const layout nodes_are, const four *at, int a, const double *q,
                       lane number[FRAME])
{
    if (nodes_are == PARTS) {
        const int position[LANES] = {at->s[0]->position[a], at->s[1]->position[a],
                                     at->s[2]->position[a], at->s[3]->position[a]};
        const int directors[LANES] = {at->s[0]->directors[a], at->s[1]->directors[a],
                                      at->s[2]->directors[a], at->s[3]->directors[a]};
        read_part(3, position, q, number);
        read_part(9, directors, q, number + 3);
        return;
    }
    for (int i = 0; i < FRAME; i += 4)
        lanes_transpose(lane_load(q + at->s[0]->position[a] + i),
                        lane_load(q + at->s[1]->position[a] + i),
                        lane_load(q + at->s[2]->position[a] + i),
                        lane_load(q + at->s[3]->position[a] + i), number + i);
}

/* Position and directors of the sections at the nodes. */
FORMULA void read_nodes(const int nodes, const layout nodes_are, const four *at, const double *q,
                        vector x[A][4])
{
    for (int a = 0; a < nodes; a++) {
        lane number[FRAME], turn[9];
        read_node(nodes_are, at, a, q, number);
        for (int i = 0; i < FRAME; i++)
            x[a][i / 3].x[i % 3] = number[i];
        if (read_turns(at, a, turn))
            turn_directors(turn, x[a]);
    }
}

/* phi' += the contribution of the rounding remainder of positions */
FORMULA void add_remainder(const int nodes, const layout nodes_are, const four *at, const lane *dN,
                           const double *remainder, point *p)
{
    vector first = {{lane_all(0), lane_all(0), lane_all(0)}};
    for (int a = 0; a < nodes; a++) {
        lane number[FRAME];
        vector x;
        read_node(nodes_are, at, a, remainder, number);
        for (int c = 0; c < 3; c++)
            x.x[c] = number[c];
        if (a == 0)
            first = x;
        else
            p->f = add_times(p->f, dN[a], difference(x, first));
    }
}

/* The invariants of each term. */
FORMULA void write_invariants(const lane e[8], olo_pack_invariants out)
{
    for (int k = 0; k < 8; k += 4) {
        lane row[LANES];
        lanes_transpose(e[k], e[k + 1], e[k + 2], e[k + 3], row);
        for (int l = 0; l < LANES; l++)
            lane_store(row[l], out[l] + k);
    }
}

/* Adds four numbers of each term to its own memory. */
FORMULA void add_four(const lane *number, double *const to[LANES])
{
    lane row[LANES];
    lanes_transpose(number[0], number[1], number[2], number[3], row);
    for (int l = 0; l < LANES; l++)
        lane_store(lane_load(to[l]) + row[l], to[l]);
}

/* Adds `count` numbers of each term to its own memory; a negative address is none. */
FORMULA void add_part(const int count, const int terms, const lane *number, const int at[LANES],
                      double *T)
{
    for (int l = 0; l < terms; l++)
        for (int i = 0; i < count && at[l] >= 0; i++)
            T[at[l] + i] += number[i][l];
}

/* The force on node a of the four. */
FORMULA void add_node_force(const layout nodes_are, const four *at, int a, const int terms,
                            const lane number[FRAME], double *T)
{
    if (nodes_are == PARTS) {
        const int position[LANES] = {at->s[0]->position[a], at->s[1]->position[a],
                                     at->s[2]->position[a], at->s[3]->position[a]};
        const int directors[LANES] = {at->s[0]->directors[a], at->s[1]->directors[a],
                                      at->s[2]->directors[a], at->s[3]->directors[a]};
        add_part(3, terms, number, position, T);
        add_part(9, terms, number + 3, directors, T);
        return;
    }
    for (int i = 0; i < FRAME; i += 4) {
        double *const to[LANES] = {T + at->s[0]->position[a] + i, T + at->s[1]->position[a] + i,
                                   T + at->s[2]->position[a] + i, T + at->s[3]->position[a] + i};
        add_four(number + i, to);
    }
}

/* The factor of all terms; lanes that are copies of a term add zero. */
FORMULA lane factor_of(const olo_term_pack *pack, double factor)
{
    return (lane){factor, pack->count > 1 ? factor : 0.0, pack->count > 2 ? factor : 0.0,
                  pack->count > 3 ? factor : 0.0};
}

/* ---- strains and forces ---------------------------------------------------------------------- */

FORMULA void over_nodes(const int nodes, const layout nodes_are, const int count,
                        const olo_term_pack *pack, const olo_interval *x, olo_pack_step *step,
                        olo_pack_invariants e, olo_pack_invariants de)
{
    const four at = strains_in(pack);
    step_data *y = (step_data *)step->number;
    lane reference[OLO_ROD_INVARIANTS], strain[8], more[8];
    for (int a = 0; a < nodes; a++) {
        y->N[a] = OF_FOUR(&at, N[a]);
        y->dN[a] = OF_FOUR(&at, dN[a]);
    }
    for (int k = 0; k < count; k++)
        reference[k] = OF_FOUR(&at, reference[k]);
    /* the interpolated start and increment, and from them the midpoint */
    read_nodes(nodes, nodes_are, &at, x->q0, y->x);
    read_nodes(nodes, nodes_are, &at, x->dq, y->dx);
    interpolate(nodes, y->N, y->dN, y->x, &y->start);
    interpolate(nodes, y->N, y->dN, y->dx, &y->change);
    if (x->remainder)
        add_remainder(nodes, nodes_are, &at, y->dN, x->remainder, &y->start);
    y->middle = advance(&y->start, lane_all(0.5), &y->change);
    strains_of(count, reference, &y->start, strain);
    if (step->midpoint) {
        /* e(qm) = e(q0) + 1/2 grad e(q0 + dq/4).dq */
        const point quarter = advance(&y->start, lane_all(0.25), &y->change);
        changes(count, &quarter, &y->change, more);
        for (int k = 0; k < count; k++)
            strain[k] += 0.5 * more[k];
    } else {
        changes(count, &y->middle, &y->change, more);
    }
    for (int k = count; k < 8; k++)
        strain[k] = more[k] = lane_all(0);
    write_invariants(strain, e);
    write_invariants(more, de);
}

/* Component k of the stress of all terms. */
FORMULA lane stress_of(const olo_pack_step *step, int k)
{
    return (lane){step->law[0].s[k], step->law[1].s[k], step->law[2].s[k], step->law[3].s[k]};
}

FORMULA void push_nodes(const int nodes, const layout nodes_are, const int count,
                        const olo_term_pack *pack, const olo_pack_step *step,
                        const olo_pack_balance *balance)
{
    const step_data *y = (const step_data *)step->number;
    const four at = strains_in(pack);
    const lane factor = factor_of(pack, balance->factor);
    lane s[OLO_ROD_INVARIANTS], most = lane_all(0), sum = lane_all(0);
    for (int k = 0; k < count; k++)
        s[k] = stress_of(step, k);
    const point R = conjugate(count, &y->middle, s);
    for (int a = 0; a < nodes; a++) {
        lane turn[9], number[FRAME];
        vector r[4];
        const bool turned = read_turns(&at, a, turn);
        node_force(y->N[a], y->dN[a], turned ? turn : NULL, &R, r);
        for (int i = 0; i < FRAME; i++) {
            number[i] = factor * r[i / 3].x[i % 3];
            if (nodes_are == PARTS)
                number[i] *=
                    i < 3 ? CONTRIBUTING(&at, position[a]) : CONTRIBUTING(&at, directors[a]);
            most = lane_larger(lane_size(number[i]), most);
            sum += number[i];
        }
        add_node_force(nodes_are, &at, a, pack->count, number, balance->T);
    }
    /* a NaN is larger than everything */
    for (int l = 0; l < LANES; l++)
        olo_raise(balance->scale, isnan(sum[l]) ? sum[l] : most[l]);
}

/* ---- in twists ------------------------------------------------------------------------------- */

typedef struct matrix {
    lane x[3][3];
} matrix;

FORMULA vector cross(vector a, vector b)
{
    return (vector){{a.x[1] * b.x[2] - a.x[2] * b.x[1], a.x[2] * b.x[0] - a.x[0] * b.x[2],
                     a.x[0] * b.x[1] - a.x[1] * b.x[0]}};
}

/* M += a (x) b */
FORMULA void add_outer(vector a, vector b, matrix *M)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            M->x[i][j] += a.x[i] * b.x[j];
}

/* sum_k a_k (x) b_k */
FORMULA matrix outer_sum(const int count, const vector *a, const vector *b)
{
    matrix M;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            M.x[i][j] = a[0].x[i] * b[0].x[j];
    for (int k = 1; k < count; k++)
        add_outer(a[k], b[k], &M);
    return M;
}

/* M += hat(v) */
FORMULA void add_hat(vector v, matrix *M)
{
    M->x[0][1] -= v.x[2];
    M->x[0][2] += v.x[1];
    M->x[1][0] += v.x[2];
    M->x[1][2] -= v.x[0];
    M->x[2][0] -= v.x[1];
    M->x[2][1] += v.x[0];
}

/* The rotations gamma and kappa of the gradients of a node with directors x. */
FORMULA void moments(const int count, lane N, lane dN, const point *p, const vector x[4], vector *g)
{
    const vector lever = times(N, p->f);
    vector arm[3]; /* 1/2 (N d_j' - N' d_j) */
    for (int j = 0; j < 3; j++)
        arm[j] = difference(times(0.5 * N, p->dd[j]), times(0.5 * dN, p->d[j]));
    for (int i = 0; i < 3; i++) {
        const int j = next[i], k = last[i];
        g[i] = cross(x[1 + i], lever);
        g[3 + i] = difference(cross(x[1 + k], arm[j]), cross(x[1 + j], arm[k]));
    }
    if (count <= OLO_STRAINS)
        return;
    g[COS] = cross(x[1], times(N, p->d[0]));
    for (int i = 1; i < 3; i++)
        g[COS] = add_times(g[COS], N, cross(x[1 + i], p->d[i]));
}

/* C = factor s1; only what the law couples */
typedef struct stiffness {
    lane c[OLO_ROD_INVARIANTS][OLO_ROD_INVARIANTS];
} stiffness;

FORMULA void read_stiffness(const coupling law, const int count, lane factor,
                            const olo_pack_step *step, stiffness *C)
{
    const olo_law_over *w = step->law;
    for (int k = 0; k < count; k++)
        for (int l = 0; l < count; l++) {
            const int i = count * k + l;
            if (couples(law, k, l))
                C->c[k][l] = factor * (lane){w[0].s1[i], w[1].s1[i], w[2].s1[i], w[3].s1[i]};
        }
}

/* u_k = sum_l C_kl g_l over the first `vectors` g_l, for all k that they are coupled with. */
FORMULA void times_stiffness(const coupling law, const int count, const stiffness *C,
                             const int vectors, const vector *g, vector *u)
{
    for (int k = 0; k < (law == ALL ? count : vectors); k++) {
        int first = 0;
        while (!couples(law, k, first))
            first++;
        u[k] = times(C->c[k][first], g[first]);
        for (int l = first + 1; l < vectors; l++)
            if (couples(law, k, l))
                u[k] = add_times(u[k], C->c[k][l], g[l]);
    }
}

/* sum n_i d_i of a node */
FORMULA vector along_directors(const lane *n, const vector x[4])
{
    return combination(n[0], x[1], n[1], x[2], n[2], x[3]);
}

/* y_j = m_i dm_k - m_k dm_i of a node */
FORMULA void bending_arms(const lane *m, const vector left[4], vector y[3])
{
    for (int j = 0; j < 3; j++) {
        const int i = last[j], k = next[j];
        y[j] = difference(times(m[i], left[1 + k]), times(m[k], left[1 + i]));
    }
}

/* RR += c ((sum_j y_j.d_j) I - sum_j d_j (x) y_j) */
FORMULA void add_bending(lane c, const vector y[3], const vector d[3], matrix *RR)
{
    const matrix outer = outer_sum(3, d, y);
    const lane along = dot(y[0], d[0]) + dot(y[1], d[1]) + dot(y[2], d[2]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            RR->x[i][j] += c * (i == j ? along - outer.x[i][j] : -outer.x[i][j]);
}

/* Gradients and blocks of a node, of which the blocks of pairs of nodes consist. */
typedef struct node_data {
    vector left[4], end[4];        /* directors, in the positions 1..3 */
    vector gm[OLO_ROD_INVARIANTS]; /* rotations of the gradients at the midpoint */
    vector u[OLO_ROD_INVARIANTS];  /* C times those of the stress */
    vector y[3];
    matrix TR, RT;
} node_data;

/* d_k at the midpoint; C d_l */
typedef struct translations {
    vector middle[3], end[OLO_ROD_INVARIANTS];
} translations;

FORMULA void form_node(const coupling law, const int count, const step_data *y, int a,
                       const lane *s, lane half, const stiffness *C, const point *stress,
                       const translations *t, lane share, node_data *n)
{
    vector g1[OLO_ROD_INVARIANTS];
    for (int i = 1; i < 4; i++) {
        n->left[i] = add_times(y->x[a][i], share, y->dx[a][i]);
        for (int c = 0; c < 3; c++)
            n->end[i].x[c] = y->x[a][i].x[c] + y->dx[a][i].x[c];
    }
    moments(count, y->N[a], y->dN[a], &y->middle, n->left, n->gm);
    moments(count, y->N[a], y->dN[a], stress, n->end, g1);
    times_stiffness(law, count, C, count, g1, n->u);
    n->TR = outer_sum(3, t->middle, n->u);
    n->RT = outer_sum(law == ALL ? count : 3, n->gm, t->end);
    add_hat(times(-half * y->N[a], along_directors(s, n->end)), &n->TR);
    add_hat(times(half * y->N[a], along_directors(s, n->left)), &n->RT);
    bending_arms(s + 3, n->left, n->y);
}

/* The block of two nodes, 6 x 6. */
FORMULA void form_block(const bool same, const int count, const lane *s, lane half,
                        const step_data *y, int a, int b, const matrix *M, const node_data *na,
                        const node_data *nb, lane K[36])
{
    matrix RR = outer_sum(count, na->gm, nb->u);
    if (!same)
        add_bending(0.5 * half * (y->N[a] * y->dN[b] - y->dN[a] * y->N[b]), na->y, nb->end + 1,
                    &RR);
    if (count > OLO_STRAINS)
        add_bending(half * s[COS] * y->N[a] * y->N[b], na->left + 1, nb->end + 1, &RR);
    const lane both = y->dN[a] * y->dN[b];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            K[6 * i + j] = both * M->x[i][j];
            K[6 * i + 3 + j] = y->dN[a] * nb->TR.x[i][j];
            K[18 + 6 * i + j] = y->dN[b] * na->RT.x[i][j];
            K[18 + 6 * i + 3 + j] = RR.x[i][j];
        }
}

/* The first entry of translation (0) or rotation (1) in the twist of a node; -1: it does not
 * contribute. */
FORMULA int entry_of(const olo_strain *x, int a, int part)
{
    return part == 0 ? (x->position[a] < 0 ? -1 : 0) : (x->directors[a] < 0 ? -1 : x->twist[a] - 3);
}

/* Adds the parts of a block that the nodes have, for one term. */
FORMULA void add_parts(const olo_strain *x, int a, int b, int l, const lane K[36], double *block)
{
    for (int I = 0; I < 2; I++)
        for (int J = 0; J < 2; J++) {
            const int row = entry_of(x, a, I), column = entry_of(x, b, J);
            for (int i = 0; i < 3 && row >= 0 && column >= 0; i++)
                for (int j = 0; j < 3; j++)
                    block[(row + i) * x->twist[b] + column + j] +=
                        K[6 * (3 * I + i) + 3 * J + j][l];
        }
}

FORMULA void tangent_nodes(const int nodes, const layout nodes_are, const int count,
                           const bool diagonal, const olo_term_pack *pack,
                           const olo_pack_step *step, double factor, bool at_start,
                           double *const *const block[LANES])
{
    const coupling law = !diagonal ? ALL : count > OLO_STRAINS ? ROD : NONE;
    const step_data *y = (const step_data *)step->number;
    const four at = strains_in(pack);
    const lane f = factor_of(pack, factor), half = 0.5 * f, share = lane_all(at_start ? 0.0 : 0.5);
    const point stress = step->midpoint ? y->middle : advance(&y->start, lane_all(1.0), &y->change);
    lane s[OLO_ROD_INVARIANTS];
    stiffness C;
    translations t;
    node_data node[A];
    /* stress, stiffness and their products with the translations of gradients */
    for (int k = 0; k < count; k++)
        s[k] = stress_of(step, k);
    read_stiffness(law, count, f, step, &C);
    for (int i = 0; i < 3; i++)
        t.middle[i] = y->middle.d[i];
    times_stiffness(law, count, &C, 3, stress.d, t.end);
    const matrix M = outer_sum(3, t.middle, t.end);
    /* nodes, then pairs of them */
    for (int a = 0; a < nodes; a++)
        form_node(law, count, y, a, s, half, &C, &stress, &t, share, &node[a]);
    for (int a = 0; a < nodes; a++)
        for (int b = 0; b < nodes; b++) {
            lane K[36];
            const int k = a * nodes + b;
            form_block(a == b, count, s, half, y, a, b, &M, &node[a], &node[b], K);
            for (int l = 0; nodes_are == PARTS && l < pack->count; l++)
                add_parts(at.s[l], a, b, l, K, block[l][k]);
            for (int i = 0; nodes_are == FRAMES && i < 36; i += 4) {
                double *const to[LANES] = {block[0][k] + i, block[1][k] + i, block[2][k] + i,
                                           block[3][k] + i};
                add_four(K + i, to);
            }
        }
}

/* ---- by the kind of the terms ---------------------------------------------------------------- */

/* Calls FUNCTION(nodes, layout, count, ...) for the terms of a pack, each combination that occurs
 * compiled on its own: linear and quadratic elements; rods with frames; bending and stretching of
 * rods with directors at edges. */
#define BY_KIND(FUNCTION, ...)                                                                     \
    do {                                                                                           \
        const olo_strain *kind = pack->data[0];                                                    \
        const bool frames = pack->term[0]->size == FRAME * kind->nodes;                            \
        if (kind->count > OLO_STRAINS && frames)                                                   \
            FUNCTION(2, FRAMES, OLO_ROD_INVARIANTS, __VA_ARGS__);                                  \
        else if (kind->count > OLO_STRAINS)                                                        \
            FUNCTION(2, PARTS, OLO_ROD_INVARIANTS, __VA_ARGS__);                                   \
        else if (!frames && kind->nodes == 2)                                                      \
            FUNCTION(2, PARTS, OLO_STRAINS, __VA_ARGS__);                                          \
        else if (!frames)                                                                          \
            FUNCTION(3, PARTS, OLO_STRAINS, __VA_ARGS__);                                          \
        else if (kind->nodes == 2)                                                                 \
            FUNCTION(2, FRAMES, OLO_STRAINS, __VA_ARGS__);                                         \
        else                                                                                       \
            FUNCTION(3, FRAMES, OLO_STRAINS, __VA_ARGS__);                                         \
    } while (0)

static void over(const olo_term_pack *pack, const olo_interval *x, olo_pack_step *step,
                 olo_pack_invariants e, olo_pack_invariants de)
{
    BY_KIND(over_nodes, pack, x, step, e, de);
}

static void push(const olo_term_pack *pack, const olo_pack_step *step,
                 const olo_pack_balance *balance)
{
    BY_KIND(push_nodes, pack, step, balance);
}

static void add_twist_tangent(const olo_term_pack *pack, const olo_pack_step *step, double factor,
                              bool at_start, double *const *const block[LANES])
{
    const olo_law *law = pack->term[0]->law;
    if ((law->strain ? law->strain : law)->diagonal)
        BY_KIND(tangent_nodes, true, pack, step, factor, at_start, block);
    else
        BY_KIND(tangent_nodes, false, pack, step, factor, at_start, block);
}

const olo_pack_kernels OLO_STRAIN_KERNELS = {
    .over = over, .push = push, .add_twist_tangent = add_twist_tangent};
