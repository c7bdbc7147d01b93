/* The tangent of four quadrature points in twists. In twists, delta x = delta_phi and delta d =
 * delta_omega x d, the tangent of a step P(left)^T dr/dq1 P(q1) is formed from the projected
 * gradients, without the matrix in coordinates:
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
 * alone, they have that part only. A part of strain_pack.c. */
#ifndef OLO_SYSTEM_STRAIN_PACK_TANGENT_H
#define OLO_SYSTEM_STRAIN_PACK_TANGENT_H

#include "system/strain_pack_data.h"

/* Which invariants a law couples: none; K_k with c, and c with all K; all. */
typedef enum coupling { NONE, ROD, ALL } coupling;

/* Whether ds_k/de_l may be different from zero, for invariants that the points have. */
FORMULA bool couples(const coupling law, const int parts, int k, int l)
{
    return is_part(parts, k) && is_part(parts, l) &&
           (k == l || law == ALL || (law == ROD && (k == COS ? l >= 3 : k >= 3 && l == COS)));
}

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

/* sum_k a_k (x) b_k over the invariants of `parts` among the first `count` */
FORMULA matrix outer_sum(const int parts, const int count, const vector *a, const vector *b)
{
    matrix M = {0};
    bool first = true;
    for (int k = 0; k < count; k++) {
        if (!is_part(parts, k))
            continue;
        for (int i = 0; first && i < 3; i++)
            for (int j = 0; j < 3; j++)
                M.x[i][j] = a[k].x[i] * b[k].x[j];
        if (!first)
            add_outer(a[k], b[k], &M);
        first = false;
    }
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
FORMULA void moments(const int parts, lane N, lane dN, const point *p, const vector x[4], vector *g)
{
    const vector lever = times(N, p->f);
    vector arm[3]; /* 1/2 (N d_j' - N' d_j) */
    for (int j = 0; (parts & BENDING) && j < 3; j++)
        arm[j] = difference(times(0.5 * N, p->dd[j]), times(0.5 * dN, p->d[j]));
    for (int i = 0; i < 3; i++) {
        const int j = next[i], k = last[i];
        if (parts & STRETCH)
            g[i] = cross(x[1 + i], lever);
        if (parts & BENDING)
            g[3 + i] = difference(cross(x[1 + k], arm[j]), cross(x[1 + j], arm[k]));
    }
    if (!(parts & COSINE))
        return;
    g[COS] = cross(x[1], times(N, p->d[0]));
    for (int i = 1; i < 3; i++)
        g[COS] = add_times(g[COS], N, cross(x[1 + i], p->d[i]));
}

/* u_k = sum_l C_kl g_l, C = factor s1, over the first `vectors` g_l, for all k that they are
 * coupled with. */
FORMULA void times_stiffness(const coupling law, const int parts, lane factor, const lane *s1,
                             const int vectors, const vector *g, vector *u)
{
    const int count = count_of(parts);
    for (int k = 0; k < count; k++) {
        bool first = true;
        for (int l = 0; l < vectors; l++) {
            if (!couples(law, parts, k, l))
                continue;
            const lane C = factor * s1[count * k + l];
            u[k] = first ? times(C, g[l]) : add_times(u[k], C, g[l]);
            first = false;
        }
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
    const matrix outer = outer_sum(STRETCH, 3, d, y);
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

/* What all nodes use: factor and stress, d_k at the midpoint, C d_l, and the point of the stress.
 */
typedef struct tangent_data {
    lane factor, half; /* half: of the factor */
    const lane *s, *s1;
    const vector *middle;
    vector end[OLO_ROD_INVARIANTS];
    point stress;
    matrix M;
} tangent_data;

FORMULA void form_node(const shape of, const coupling law, const step_data *y, int a, lane share,
                       const tangent_data *t, node_data *n)
{
    const int parts = of.parts, gamma = law == ALL ? count_of(parts) : 3;
    vector g1[OLO_ROD_INVARIANTS];
    for (int i = 1; i < 4; i++) {
        n->left[i] = add_times(y->x[a][i], share, y->dx[a][i]);
        for (int c = 0; c < 3; c++)
            n->end[i].x[c] = y->x[a][i].x[c] + y->dx[a][i].x[c];
    }
    moments(parts, y->N[a], y->dN[a], &y->middle, n->left, n->gm);
    moments(parts, y->N[a], y->dN[a], &t->stress, n->end, g1);
    times_stiffness(law, parts, t->factor, t->s1, count_of(parts), g1, n->u);
    if (parts & STRETCH) {
        n->TR = outer_sum(parts, 3, t->middle, n->u);
        n->RT = outer_sum(parts, gamma, n->gm, t->end);
        add_hat(times(-t->half * y->N[a], along_directors(t->s, n->end)), &n->TR);
        add_hat(times(t->half * y->N[a], along_directors(t->s, n->left)), &n->RT);
    }
    if (parts & BENDING)
        bending_arms(t->s + 3, n->left, n->y);
}

FORMULA matrix rotations_of(const shape of, const tangent_data *t, const step_data *y, int a, int b,
                            const node_data *na, const node_data *nb)
{
    const bool same = a == b;
    matrix RR = outer_sum(of.parts, count_of(of.parts), na->gm, nb->u);
    if ((of.parts & BENDING) && !same)
        add_bending(0.5 * t->half * (y->N[a] * y->dN[b] - y->dN[a] * y->N[b]), na->y, nb->end + 1,
                    &RR);
    if (of.parts & COSINE)
        add_bending(t->half * t->s[COS] * y->N[a] * y->N[b], na->left + 1, nb->end + 1, &RR);
    return RR;
}

/* The block of two nodes: `rows` x `columns` numbers, of translations and rotations where the nodes
 * have both. */
FORMULA void form_block(const shape of, const tangent_data *t, const step_data *y, int a, int b,
                        const node_data *na, const node_data *nb, lane *K)
{
    const int rotation = 3 * has_position(of, a), right = 3 * has_position(of, b),
              columns = right + 3 * has_directors(of, b);
    const bool T_a = has_position(of, a), T_b = has_position(of, b), R_a = has_directors(of, a),
               R_b = has_directors(of, b);
    matrix RR;
    if (R_a && R_b)
        RR = rotations_of(of, t, y, a, b, na, nb);
    const lane both = y->dN[a] * y->dN[b];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            if (T_a && T_b)
                K[columns * i + j] = both * t->M.x[i][j];
            if (T_a && R_b)
                K[columns * i + right + j] = y->dN[a] * nb->TR.x[i][j];
            if (R_a && T_b)
                K[columns * (rotation + i) + j] = y->dN[b] * na->RT.x[i][j];
            if (R_a && R_b)
                K[columns * (rotation + i) + right + j] = RR.x[i][j];
        }
}

/* Adds a block of 3 x 3 numbers to the twists of nodes that have more: positions are first in a
 * twist, rotations last. */
FORMULA void add_to_part(const shape of, const olo_strain *x, int a, int b, int l, const lane K[9],
                         double *block)
{
    const int row = has_position(of, a) ? 0 : x->twist[a] - 3,
              column = has_position(of, b) ? 0 : x->twist[b] - 3;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            block[(row + i) * x->twist[b] + column + j] += K[3 * i + j][l];
}

/* Whether node a has no other twist than what it contributes, in all terms. */
FORMULA bool is_whole(const four *at, int a)
{
    return at->s[0]->twist[a] + at->s[1]->twist[a] + at->s[2]->twist[a] + at->s[3]->twist[a] ==
           3 * LANES;
}

FORMULA void add_block(const shape of, const olo_term_pack *pack, const four *at, int a, int b,
                       const lane K[36], double *const *const block[LANES])
{
    const int k = a * of.nodes + b;
    double *const to[LANES] = {block[0][k], block[1][k], block[2][k], block[3][k]};
    if (of.frames)
        lanes_add_to(36, K, to);
    else if (is_whole(at, a) && is_whole(at, b))
        lanes_add_to(9, K, to);
    else
        for (int l = 0; l < pack->count; l++)
            add_to_part(of, at->s[l], a, b, l, K, to[l]);
}

FORMULA void tangent_nodes(const shape of, const bool diagonal, const olo_term_pack *pack,
                           const olo_pack_step *step, double factor, bool at_start,
                           double *const *const block[LANES])
{
    const coupling law = !diagonal ? ALL : of.parts & COSINE ? ROD : NONE;
    const step_data *y = (const step_data *)step->number;
    const four at = strains_in(pack);
    const lane f = factor_of(pack, factor), share = lane_all(at_start ? 0.0 : 0.5);
    node_data node[A];
    /* the stress, and products of the stiffness with the translations of gradients */
    tangent_data t = {.factor = f,
                      .half = 0.5 * f,
                      .s = step->s,
                      .s1 = step->s1,
                      .middle = y->middle.d,
                      .stress = step->midpoint
                                    ? y->middle
                                    : advance(of.parts, &y->start, lane_all(1.0), &y->change)};
    if (of.parts & STRETCH) {
        times_stiffness(law, of.parts, f, t.s1, 3, t.stress.d, t.end);
        t.M = outer_sum(of.parts, 3, t.middle, t.end);
    }
    /* nodes, then pairs of them */
    for (int a = 0; a < of.nodes; a++)
        if (has_directors(of, a))
            form_node(of, law, y, a, share, &t, &node[a]);
    for (int a = 0; a < of.nodes; a++)
        for (int b = 0; b < of.nodes; b++) {
            lane K[36];
            form_block(of, &t, y, a, b, &node[a], &node[b], K);
            add_block(of, pack, &at, a, b, K, block);
        }
}

#endif
