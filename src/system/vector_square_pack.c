/* Four terms of one square at once (vector_square.h): e = 1/2 |r|^2, r = r_0 + sum c_v q_v. Over a
 * step
 *
 *     e(q1) - e(q0) = r_m . dr,      force on vector v:  s c_v r_m.
 *
 * In twists, delta x = delta_phi and delta d = delta_omega x d. With the coefficient c of the
 * position of a node and the arm y = sum c_I d_I of its directors, the gradient of the node is
 * [c r; y x r], and the tangent P(left)^T dr/dq1 P(q1) of the nodes a and b is
 *
 *     s1 [c_a r_m; y_a x r_m] (x) [c_b r_1; y_b x r_1]
 *       + 1/2 s [c_a c_b I, -c_a hat(y_b); c_b hat(y_a), (y_a.y_b) I - y_b (x) y_a]
 *
 * with y_a at the left configuration, y_b at q1, and r_1 at q1, or r_m where the stress is that at
 * the midpoint.
 *
 * This file is compiled a second time for processors with registers of four numbers
 * (vector_square_pack_wide.c), to the same bits. */
#include <math.h>

#include "base/extreme.h"
#include "system/term_pack.h"
#include "system/vector_square.h"

#ifndef OLO_SQUARE_KERNELS
#define OLO_SQUARE_KERNELS olo_square_kernels_plain
#endif

/* What is known of a step of four terms. */
typedef struct step_data {
    lane c[OLO_SQUARE_NODES][4];
    lane3 arm[OLO_SQUARE_NODES], turn[OLO_SQUARE_NODES]; /* y at q0, and its change */
    lane3 start, change, middle;                         /* r */
} step_data;

_Static_assert(sizeof(step_data) <= sizeof((olo_pack_step *)0)->number,
               "olo_pack_step is too small");

/* The types of the nodes of a pack, known when a kernel is compiled. */
typedef struct pattern {
    int nodes;
    bool turns[OLO_SQUARE_NODES];
} pattern;

/* One number of each of the four squares. */
#define OF_FOUR(pack, member)                                                                      \
    ((lane){((const olo_vector_square *)(pack)->data[0])->member,                                  \
            ((const olo_vector_square *)(pack)->data[1])->member,                                  \
            ((const olo_vector_square *)(pack)->data[2])->member,                                  \
            ((const olo_vector_square *)(pack)->data[3])->member})

LANES_INLINE int first_coordinate(const olo_term_pack *pack, int l, int a)
{
    return ((const olo_vector_square *)pack->data[l])->q[a];
}

/* ---- gather and scatter ---------------------------------------------------------------------- */

/* The position of a node, and the arm of its directors. */
LANES_INLINE lane3 read_node(const olo_term_pack *pack, int a, const bool turns, const lane c[4],
                             const double *q, lane3 *arm)
{
    const double *at[LANES];
    lane3 x[4];
    for (int l = 0; l < LANES; l++)
        at[l] = q + first_coordinate(pack, l, a);
    if (turns) {
        lanes_gather_frames(at, x);
        *arm = lane3_combine(c + 1, x + 1);
    } else {
        for (int k = 0; k < 3; k++)
            x[0].x[k] = (lane){at[0][k], at[1][k], at[2][k], at[3][k]};
    }
    return x[0];
}

/* The factor of all terms; lanes that are copies of a term add zero. */
LANES_INLINE lane factor_of(const olo_term_pack *pack, double factor)
{
    return (lane){factor, pack->count > 1 ? factor : 0.0, pack->count > 2 ? factor : 0.0,
                  pack->count > 3 ? factor : 0.0};
}

/* ---- invariants and forces ------------------------------------------------------------------- */

/* sum c_v q_v: positions first, since those of two nodes cancel */
LANES_INLINE lane3 read_vector(const pattern of, const olo_term_pack *pack, const step_data *y,
                               const double *q, lane3 *arm)
{
    lane3 r = lane3_times(y->c[0][0], read_node(pack, 0, of.turns[0], y->c[0], q, &arm[0]));
    if (of.nodes > 1)
        r = lane3_add(
            r, lane3_times(y->c[1][0], read_node(pack, 1, of.turns[1], y->c[1], q, &arm[1])));
    for (int a = 0; a < of.nodes; a++)
        if (of.turns[a])
            r = lane3_add(r, arm[a]);
    return r;
}

LANES_INLINE void over_nodes(const pattern of, const olo_term_pack *pack, const olo_interval *x,
                             olo_pack_step *step)
{
    step_data *y = (step_data *)step->number;
    for (int a = 0; a < of.nodes; a++)
        for (int I = 0; I < (of.turns[a] ? 4 : 1); I++)
            y->c[a][I] = OF_FOUR(pack, c[a][I]);
    const lane3 constant = {
        {OF_FOUR(pack, constant[0]), OF_FOUR(pack, constant[1]), OF_FOUR(pack, constant[2])}};
    y->start = lane3_add(read_vector(of, pack, y, x->q0, y->arm), constant);
    y->change = read_vector(of, pack, y, x->dq, y->turn);
    y->middle = lane3_add(y->start, lane3_times(lane_all(0.5), y->change));
    const lane3 *at = step->midpoint ? &y->middle : &y->start;
    step->e[0] = 0.5 * lane3_dot(*at, *at);
    step->de[0] = lane3_dot(y->middle, y->change);
}

LANES_INLINE void push_nodes(const pattern of, const olo_term_pack *pack, const olo_pack_step *step,
                             const olo_pack_balance *balance)
{
    const step_data *y = (const step_data *)step->number;
    const lane3 force = lane3_times(factor_of(pack, balance->factor) * step->s[0], y->middle);
    lane most = lane_all(0), sum = lane_all(0);
    for (int a = 0; a < of.nodes; a++) {
        const int vectors = of.turns[a] ? 4 : 1;
        lane number[12];
        double *to[LANES];
        for (int i = 0; i < 3 * vectors; i++) {
            number[i] = y->c[a][i / 3] * force.x[i % 3];
            most = lane_larger(lane_size(number[i]), most);
            sum += number[i];
        }
        for (int l = 0; l < LANES; l++)
            to[l] = balance->T + first_coordinate(pack, l, a);
        lanes_add_to(3 * vectors, number, to);
    }
    /* a NaN is larger than everything */
    for (int l = 0; l < LANES; l++)
        olo_raise(balance->scale, isnan(sum[l]) ? sum[l] : most[l]);
}

/* ---- in twists ------------------------------------------------------------------------------- */

/* The numbers of a node from which the blocks of pairs are formed. */
typedef struct node_data {
    lane3 left, end;   /* y at the left configuration and at q1 */
    lane3 moment;      /* y x r_m */
    lane3 rate, twist; /* s1 c r_1 and s1 y x r_1 */
} node_data;

/* The block of two nodes, row by row; `half` is s/2 times the factor. */
LANES_INLINE void form_block(const pattern of, int a, int b, const step_data *y, lane half,
                             const node_data *na, const node_data *nb, lane K[36])
{
    const int columns = of.turns[b] ? 6 : 3;
    const lane ca = y->c[a][0], cb = y->c[b][0], both = half * ca * cb;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const lane along = ca * y->middle.x[i];
            K[columns * i + j] = along * nb->rate.x[j] + (i == j ? both : lane_all(0));
            if (of.turns[b])
                K[columns * i + 3 + j] = along * nb->twist.x[j];
            if (of.turns[a])
                K[columns * (3 + i) + j] = na->moment.x[i] * nb->rate.x[j];
            if (of.turns[a] && of.turns[b])
                K[columns * (3 + i) + 3 + j] =
                    na->moment.x[i] * nb->twist.x[j] - half * nb->end.x[i] * na->left.x[j];
        }
    const lane3 right = lane3_times(half * ca, nb->end), lower = lane3_times(half * cb, na->left);
    const lane dot = half * lane3_dot(na->left, nb->end);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        if (of.turns[b]) { /* - hat(y_b) */
            K[columns * i + 3 + j] += right.x[k];
            K[columns * i + 3 + k] -= right.x[j];
        }
        if (of.turns[a]) { /* hat(y_a) */
            K[columns * (3 + i) + j] -= lower.x[k];
            K[columns * (3 + i) + k] += lower.x[j];
        }
        if (of.turns[a] && of.turns[b])
            K[columns * (3 + i) + 3 + i] += dot;
    }
}

LANES_INLINE void tangent_nodes(const pattern of, const olo_term_pack *pack,
                                const olo_pack_step *step, double factor, bool at_start,
                                double *const *const block[LANES])
{
    const step_data *y = (const step_data *)step->number;
    const lane f = factor_of(pack, factor), half = 0.5 * f * step->s[0],
               stiffness = f * step->s1[0], share = lane_all(at_start ? 0.0 : 0.5);
    const lane3 end = step->midpoint ? y->middle : lane3_add(y->start, y->change),
                stressed = lane3_times(stiffness, end);
    node_data node[OLO_SQUARE_NODES];
    for (int a = 0; a < of.nodes; a++) {
        node_data *n = &node[a];
        n->rate = lane3_times(y->c[a][0], stressed);
        if (!of.turns[a])
            continue;
        n->left = lane3_add(y->arm[a], lane3_times(share, y->turn[a]));
        n->end = lane3_add(y->arm[a], y->turn[a]);
        n->moment = lane3_cross(n->left, y->middle);
        n->twist = lane3_cross(n->end, stressed);
    }
    for (int a = 0; a < of.nodes; a++)
        for (int b = 0; b < of.nodes; b++) {
            lane K[36];
            const int k = a * of.nodes + b;
            double *const to[LANES] = {block[0][k], block[1][k], block[2][k], block[3][k]};
            form_block(of, a, b, y, half, &node[a], &node[b], K);
            lanes_add_to((of.turns[a] ? 6 : 3) * (of.turns[b] ? 6 : 3), K, to);
        }
}

/* ---- by the types of the nodes --------------------------------------------------------------- */

/* A call that uses PATTERN, compiled for each combination of points and frames. */
#define FOR_EACH_PATTERN(pack, call)                                                               \
    do {                                                                                           \
        const olo_vector_square *const first = (pack)->data[0];                                    \
        if (first->nodes == 1 && first->turns[0])                                                  \
            WITH_PATTERN(1, true, false, call)                                                     \
        else if (first->nodes == 1)                                                                \
            WITH_PATTERN(1, false, false, call)                                                    \
        else if (first->turns[0] && first->turns[1])                                               \
            WITH_PATTERN(2, true, true, call)                                                      \
        else if (first->turns[0])                                                                  \
            WITH_PATTERN(2, true, false, call)                                                     \
        else if (first->turns[1])                                                                  \
            WITH_PATTERN(2, false, true, call)                                                     \
        else                                                                                       \
            WITH_PATTERN(2, false, false, call)                                                    \
    } while (0)
#define WITH_PATTERN(count, a, b, call)                                                            \
    {                                                                                              \
        const pattern PATTERN = {count, {a, b}};                                                   \
        call;                                                                                      \
    }

static void over(const olo_term_pack *pack, const olo_interval *x, olo_pack_step *step)
{
    FOR_EACH_PATTERN(pack, over_nodes(PATTERN, pack, x, step));
}

static void push(const olo_term_pack *pack, const olo_pack_step *step,
                 const olo_pack_balance *balance)
{
    FOR_EACH_PATTERN(pack, push_nodes(PATTERN, pack, step, balance));
}

static void add_twist_tangent(const olo_term_pack *pack, const olo_pack_step *step, double factor,
                              bool at_start, double *const *const block[LANES])
{
    FOR_EACH_PATTERN(pack, tangent_nodes(PATTERN, pack, step, factor, at_start, block));
}

const olo_pack_kernels OLO_SQUARE_KERNELS = {
    .over = over, .push = push, .add_twist_tangent = add_twist_tangent};
