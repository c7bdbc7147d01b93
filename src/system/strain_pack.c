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

/* Position and directors of the sections at the nodes. */
FORMULA void read_nodes(const int nodes, const four *at, const double *q, vector x[A][4])
{
    for (int a = 0; a < nodes; a++) {
        lane number[FRAME], turn[9];
        for (int i = 0; i < FRAME; i += 4)
            lanes_transpose(lane_load(q + at->s[0]->q[a] + i), lane_load(q + at->s[1]->q[a] + i),
                            lane_load(q + at->s[2]->q[a] + i), lane_load(q + at->s[3]->q[a] + i),
                            number + i);
        for (int i = 0; i < FRAME; i++)
            x[a][i / 3].x[i % 3] = number[i];
        if (read_turns(at, a, turn))
            turn_directors(turn, x[a]);
    }
}

/* phi' += the contribution of the rounding remainder of positions */
FORMULA void add_remainder(const int nodes, const four *at, const lane *dN, const double *remainder,
                           point *p)
{
    vector first = {{lane_all(0), lane_all(0), lane_all(0)}};
    for (int a = 0; a < nodes; a++) {
        lane number[4];
        vector x;
        lanes_transpose(
            lane_load(remainder + at->s[0]->q[a]), lane_load(remainder + at->s[1]->q[a]),
            lane_load(remainder + at->s[2]->q[a]), lane_load(remainder + at->s[3]->q[a]), number);
        for (int c = 0; c < 3; c++)
            x.x[c] = number[c];
        if (a == 0)
            first = x;
        else
            p->f = add_times(p->f, dN[a], difference(x, first));
    }
}

/* The invariants of each term. */
FORMULA void write_invariants(const lane e[OLO_STRAINS], olo_pack_invariants out)
{
    lane row[LANES];
    lanes_transpose(e[0], e[1], e[2], e[3], row);
    for (int l = 0; l < LANES; l++)
        lane_store(row[l], out[l]);
    lanes_transpose(e[4], e[5], e[5], e[5], row);
    for (int l = 0; l < LANES; l++)
        lane_store(row[l], out[l] + 4);
}

/* Adds four numbers of each term to its own memory. */
FORMULA void add_four(const lane *number, double *const to[LANES])
{
    lane row[LANES];
    lanes_transpose(number[0], number[1], number[2], number[3], row);
    for (int l = 0; l < LANES; l++)
        lane_store(lane_load(to[l]) + row[l], to[l]);
}

/* The factor of all terms; lanes that are copies of a term add zero. */
FORMULA lane factor_of(const olo_term_pack *pack, double factor)
{
    return (lane){factor, pack->count > 1 ? factor : 0.0, pack->count > 2 ? factor : 0.0,
                  pack->count > 3 ? factor : 0.0};
}

/* ---- strains and forces ---------------------------------------------------------------------- */

FORMULA void over_nodes(const int nodes, const olo_term_pack *pack, const olo_interval *x,
                        olo_pack_step *step, olo_pack_invariants e, olo_pack_invariants de)
{
    const four at = strains_in(pack);
    step_data *y = (step_data *)step->number;
    lane reference[OLO_STRAINS], strain[OLO_STRAINS], more[OLO_STRAINS];
    for (int a = 0; a < nodes; a++) {
        y->N[a] = OF_FOUR(&at, N[a]);
        y->dN[a] = OF_FOUR(&at, dN[a]);
    }
    for (int k = 0; k < OLO_STRAINS; k++)
        reference[k] = OF_FOUR(&at, reference[k]);
    /* the interpolated start and increment, and from them the midpoint */
    read_nodes(nodes, &at, x->q0, y->x);
    read_nodes(nodes, &at, x->dq, y->dx);
    interpolate(nodes, y->N, y->dN, y->x, &y->start);
    interpolate(nodes, y->N, y->dN, y->dx, &y->change);
    if (x->remainder)
        add_remainder(nodes, &at, y->dN, x->remainder, &y->start);
    y->middle = advance(&y->start, lane_all(0.5), &y->change);
    strains_of(reference, &y->start, strain);
    if (step->midpoint) {
        /* e(qm) = e(q0) + 1/2 grad e(q0 + dq/4).dq */
        const point quarter = advance(&y->start, lane_all(0.25), &y->change);
        changes(&quarter, &y->change, more);
        for (int k = 0; k < OLO_STRAINS; k++)
            strain[k] += 0.5 * more[k];
    } else {
        changes(&y->middle, &y->change, more);
    }
    write_invariants(strain, e);
    write_invariants(more, de);
}

/* Component k of the stress of all terms. */
FORMULA lane stress_of(const olo_pack_step *step, int k)
{
    return (lane){step->law[0].s[k], step->law[1].s[k], step->law[2].s[k], step->law[3].s[k]};
}

FORMULA void push_nodes(const int nodes, const olo_term_pack *pack, const olo_pack_step *step,
                        const olo_pack_balance *balance)
{
    const step_data *y = (const step_data *)step->number;
    const four at = strains_in(pack);
    const lane factor = factor_of(pack, balance->factor);
    lane s[OLO_STRAINS], most = lane_all(0), sum = lane_all(0);
    for (int k = 0; k < OLO_STRAINS; k++)
        s[k] = stress_of(step, k);
    const point R = conjugate(&y->middle, s);
    for (int a = 0; a < nodes; a++) {
        lane turn[9], number[FRAME];
        vector r[4];
        const bool turned = read_turns(&at, a, turn);
        node_force(y->N[a], y->dN[a], turned ? turn : NULL, &R, r);
        for (int i = 0; i < FRAME; i++) {
            number[i] = factor * r[i / 3].x[i % 3];
            most = lane_larger(lane_size(number[i]), most);
            sum += number[i];
        }
        for (int i = 0; i < FRAME; i += 4) {
            double *const to[LANES] = {
                balance->T + at.s[0]->q[a] + i, balance->T + at.s[1]->q[a] + i,
                balance->T + at.s[2]->q[a] + i, balance->T + at.s[3]->q[a] + i};
            add_four(number + i, to);
        }
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
FORMULA void moments(lane N, lane dN, const point *p, const vector x[4], vector g[OLO_STRAINS])
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
}

/* C = factor s1; only its diagonal if the law couples no strains */
typedef struct stiffness {
    lane c[OLO_STRAINS][OLO_STRAINS];
} stiffness;

FORMULA void read_stiffness(const bool diagonal, lane factor, const olo_pack_step *step,
                            stiffness *C)
{
    const olo_law_over *w = step->law;
    for (int k = 0; k < OLO_STRAINS; k++)
        for (int l = 0; l < OLO_STRAINS; l++) {
            const int i = OLO_STRAINS * k + l;
            if (k == l || !diagonal)
                C->c[k][l] = factor * (lane){w[0].s1[i], w[1].s1[i], w[2].s1[i], w[3].s1[i]};
        }
}

/* u_k = sum_l C_kl g_l over `count` vectors g; with a diagonal C also only `count` vectors u. */
FORMULA void times_stiffness(const bool diagonal, const stiffness *C, const int count,
                             const vector *g, vector u[OLO_STRAINS])
{
    for (int k = 0; k < (diagonal ? count : OLO_STRAINS); k++) {
        u[k] = times(C->c[k][diagonal ? k : 0], g[diagonal ? k : 0]);
        for (int l = 1; l < count && !diagonal; l++)
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
    vector left[4], end[4]; /* directors, in the positions 1..3 */
    vector gm[OLO_STRAINS]; /* rotations of the gradients at the midpoint */
    vector u[OLO_STRAINS];  /* C times those of the stress */
    vector y[3];
    matrix TR, RT;
} node_data;

/* d_k at the midpoint; C d_l */
typedef struct translations {
    vector middle[3], end[OLO_STRAINS];
} translations;

FORMULA void form_node(const bool diagonal, const step_data *y, int a, const lane *s, lane half,
                       const stiffness *C, const point *stress, const translations *t, lane share,
                       node_data *n)
{
    vector g1[OLO_STRAINS];
    for (int i = 1; i < 4; i++) {
        n->left[i] = add_times(y->x[a][i], share, y->dx[a][i]);
        for (int c = 0; c < 3; c++)
            n->end[i].x[c] = y->x[a][i].x[c] + y->dx[a][i].x[c];
    }
    moments(y->N[a], y->dN[a], &y->middle, n->left, n->gm);
    moments(y->N[a], y->dN[a], stress, n->end, g1);
    times_stiffness(diagonal, C, OLO_STRAINS, g1, n->u);
    n->TR = outer_sum(3, t->middle, n->u);
    n->RT = outer_sum(diagonal ? 3 : OLO_STRAINS, n->gm, t->end);
    add_hat(times(-half * y->N[a], along_directors(s, n->end)), &n->TR);
    add_hat(times(half * y->N[a], along_directors(s, n->left)), &n->RT);
    bending_arms(s + 3, n->left, n->y);
}

/* The block of two nodes, 6 x 6. */
FORMULA void form_block(const bool same, lane half, const step_data *y, int a, int b,
                        const matrix *M, const node_data *na, const node_data *nb, lane K[36])
{
    matrix RR = outer_sum(OLO_STRAINS, na->gm, nb->u);
    if (!same)
        add_bending(0.5 * half * (y->N[a] * y->dN[b] - y->dN[a] * y->N[b]), na->y, nb->end + 1,
                    &RR);
    const lane both = y->dN[a] * y->dN[b];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            K[6 * i + j] = both * M->x[i][j];
            K[6 * i + 3 + j] = y->dN[a] * nb->TR.x[i][j];
            K[18 + 6 * i + j] = y->dN[b] * na->RT.x[i][j];
            K[18 + 6 * i + 3 + j] = RR.x[i][j];
        }
}

FORMULA void tangent_nodes(const int nodes, const bool diagonal, const olo_term_pack *pack,
                           const olo_pack_step *step, double factor, bool at_start,
                           double *const *const block[LANES])
{
    const step_data *y = (const step_data *)step->number;
    const lane f = factor_of(pack, factor), half = 0.5 * f, share = lane_all(at_start ? 0.0 : 0.5);
    const point stress = step->midpoint ? y->middle : advance(&y->start, lane_all(1.0), &y->change);
    lane s[OLO_STRAINS];
    stiffness C;
    translations t;
    node_data node[A];
    /* stress, stiffness and their products with the translations of gradients */
    for (int k = 0; k < OLO_STRAINS; k++)
        s[k] = stress_of(step, k);
    read_stiffness(diagonal, f, step, &C);
    for (int i = 0; i < 3; i++)
        t.middle[i] = y->middle.d[i];
    times_stiffness(diagonal, &C, 3, stress.d, t.end);
    const matrix M = outer_sum(3, t.middle, t.end);
    /* nodes, then pairs of them */
    for (int a = 0; a < nodes; a++)
        form_node(diagonal, y, a, s, half, &C, &stress, &t, share, &node[a]);
    for (int a = 0; a < nodes; a++)
        for (int b = 0; b < nodes; b++) {
            lane K[36];
            const int k = a * nodes + b;
            form_block(a == b, half, y, a, b, &M, &node[a], &node[b], K);
            for (int i = 0; i < 36; i += 4) {
                double *const to[LANES] = {block[0][k] + i, block[1][k] + i, block[2][k] + i,
                                           block[3][k] + i};
                add_four(K + i, to);
            }
        }
}

/* ---- by the number of nodes ------------------------------------------------------------------ */

static int nodes_of(const olo_term_pack *pack)
{
    return ((const olo_strain *)pack->data[0])->nodes;
}

static void over(const olo_term_pack *pack, const olo_interval *x, olo_pack_step *step,
                 olo_pack_invariants e, olo_pack_invariants de)
{
    if (nodes_of(pack) == 2)
        over_nodes(2, pack, x, step, e, de);
    else
        over_nodes(3, pack, x, step, e, de);
}

static void push(const olo_term_pack *pack, const olo_pack_step *step,
                 const olo_pack_balance *balance)
{
    if (nodes_of(pack) == 2)
        push_nodes(2, pack, step, balance);
    else
        push_nodes(3, pack, step, balance);
}

static void add_twist_tangent(const olo_term_pack *pack, const olo_pack_step *step, double factor,
                              bool at_start, double *const *const block[LANES])
{
    const bool diagonal = pack->term[0]->law->diagonal;
    if (nodes_of(pack) == 2 && diagonal)
        tangent_nodes(2, true, pack, step, factor, at_start, block);
    else if (nodes_of(pack) == 2)
        tangent_nodes(2, false, pack, step, factor, at_start, block);
    else if (diagonal)
        tangent_nodes(3, true, pack, step, factor, at_start, block);
    else
        tangent_nodes(3, false, pack, step, factor, at_start, block);
}

const olo_pack_kernels OLO_STRAIN_KERNELS = {
    .over = over, .push = push, .add_twist_tangent = add_twist_tangent};
