/* Linearised constraint rows; see the header. */
#include "stepping/linear_rows.h"

#include <math.h>
#include <string.h>

#include "kinematics/null_space.h"
#include "linalg/small.h"
#include "linalg/vec3.h"

/* A column is redundant if orthogonalisation leaves less than this fraction of its length. */
static const double redundant = 1e-9;

/* --- creation --- */

/* The node that a group constrains relative to its parent, -1 if there is none: the child of its
 * joint in the tree, or a node in the plane of a planar model. */
static int node_of(const olo_system *s, const olo_topology *topology, int group)
{
    const olo_group *g = &s->groups[group];
    if (g->internal)
        return -1;
    if (g->carried)
        return s->coordinates[s->constraints[g->first].index[0]].node;
    return olo_topology_node_of(topology, group);
}

/* Lists rows by node: the first pass counts them, the second one, with `fill`, writes the list. */
static void list_rows(olo_linear_rows *x, bool fill)
{
    const olo_system *s = x->system;
    for (int i = 0; i < s->group_count; i++) {
        int k = node_of(s, x->topology, i);
        for (int row = 0; k >= 0 && row < s->groups[i].count; row++)
            if (fill)
                x->list[x->first[k] + x->rank[k]++] = s->groups[i].first + row;
            else
                x->first[k + 1]++;
    }
}

bool olo_linear_rows_create(const olo_topology *topology, olo_pool *pool, olo_linear_rows *x)
{
    const olo_system *s = topology->system;
    size_t nodes = (size_t)s->node_count, size = 0;
    x->system = s;
    x->topology = topology;
    x->first = olo_pool_alloc(pool, nodes + 1, sizeof *x->first);
    x->offset = olo_pool_alloc(pool, (size_t)s->m, sizeof *x->offset);
    x->all = olo_pool_alloc(pool, (size_t)s->m, sizeof *x->all);
    x->mu = olo_pool_alloc(pool, (size_t)s->m, sizeof *x->mu);
    x->Lambda = olo_pool_alloc(pool, 9 * nodes, sizeof *x->Lambda);
    x->rank = olo_pool_alloc(pool, nodes, sizeof *x->rank);
    x->pinned = olo_pool_alloc(pool, nodes, sizeof *x->pinned);
    x->independent = olo_pool_alloc(pool, 6 * nodes, sizeof *x->independent);
    x->Q = olo_pool_alloc(pool, 36 * nodes, sizeof *x->Q);
    x->R = olo_pool_alloc(pool, 36 * nodes, sizeof *x->R);
    if (pool->failed)
        return false;
    list_rows(x, false);
    for (int k = 0; k < s->node_count; k++)
        x->first[k + 1] += x->first[k];
    x->list = olo_pool_alloc(pool, (size_t)x->first[nodes], sizeof *x->list);
    for (int i = 0; i < s->group_count; i++)
        for (int k = 0; !s->groups[i].internal && k < s->groups[i].count; k++) {
            const int c = x->all[x->count++] = s->groups[i].first + k;
            x->offset[c] = (int)size;
            size += (size_t)s->constraints[c].size;
        }
    x->gradient = olo_pool_alloc(pool, size, sizeof *x->gradient);
    x->follow = olo_pool_alloc(pool, size, sizeof *x->follow);
    if (pool->failed)
        return false;
    list_rows(x, true);
    return true;
}

/* --- the rows of a node --- */

/* column[twist] = P_int(q)^T d of row c on node k */
static void column_of(const olo_linear_rows *x, int c, int k, const double *q, double column[6])
{
    const olo_system *s = x->system;
    const olo_constraint *row = &s->constraints[c];
    const double *d = olo_linear_row(x, c);
    static const int after[3] = {1, 2, 0};
    memset(column, 0, OLO_NODE_TWIST_MAX * sizeof *column);
    for (int i = 0; i < row->size; i++) {
        const olo_coordinate *at = &s->coordinates[row->index[i]];
        if (at->node != k)
            continue;
        double *entry = column + at->twist;
        if (at->slot == 0) {
            entry[at->axis] += d[i];
            continue;
        }
        const double *director = q + row->index[i] - at->axis;
        int next = after[at->axis], last = after[next];
        entry[next] += director[last] * d[i];
        entry[last] -= director[next] * d[i];
    }
}

/* Returns 3 if the first three rows fix a point of the node, one along each axis of space, as those
 * of most joints do, else 0. In this case their forces follow directly, and the other rows balance
 * the remaining moments about that point. */
static int pin_node(olo_linear_rows *x, int k, const double *q)
{
    double *Q = x->Q + 36 * (size_t)k;
    if (x->first[k + 1] - x->first[k] < 3)
        return 0;
    for (int j = 0; j < 3; j++) {
        int c = x->list[x->first[k] + j];
        column_of(x, c, k, q, Q + 6 * j);
        x->independent[6 * k + j] = c;
        for (int i = 0; i < 3; i++)
            if ((i == j) == (Q[6 * j + i] == 0))
                return 0;
    }
    return 3;
}

/* entry[axis] = the constant derivatives of the first three rows of a node by its position; false
 * if they do not fix a point of it. */
static bool find_point(const olo_linear_rows *x, int k, double entry[3])
{
    const olo_system *s = x->system;
    const int count = x->first[k + 1] - x->first[k];
    for (int j = 0; j < count; j++) {
        const olo_constraint *row = &s->constraints[x->list[x->first[k] + j]];
        double of[3] = {0};
        if (j < 3 && (!row->form || row->curved))
            return false;
        for (int i = 0; i < row->size; i++) {
            const olo_coordinate *at = &s->coordinates[row->index[i]];
            if (at->node == k && at->slot == 0)
                of[at->axis] = j < 3 ? row->form->b[i] : 1;
        }
        for (int axis = 0; axis < 3; axis++)
            if ((axis == j) == (of[axis] == 0))
                return false;
        if (j < 3)
            entry[j] = of[j];
    }
    return count >= 3;
}

int olo_linear_rows_points(const olo_linear_rows *x, const bool *wanted, olo_point_row *points)
{
    int count = 0;
    double entry[3];
    for (int k = 0; k < x->system->node_count; k++)
        for (int j = 0; j < 3 && find_point(x, k, entry); j++)
            if (wanted[x->list[x->first[k] + j]])
                points[count++] = (olo_point_row){x->list[x->first[k] + j], 3 * k + j, entry[j]};
    return count;
}

/* QR factorisation by Gram-Schmidt, in two passes, so that Q is orthogonal to round-off. Returns
 * false if a row other than those that fix a point has a force, too. */
static bool factor_node(olo_linear_rows *x, int k, const double *q, int pinned)
{
    double *Q = x->Q + 36 * (size_t)k, *R = x->R + 36 * (size_t)k;
    int rank = pinned;
    for (int i = x->first[k] + pinned; i < x->first[k + 1] && rank < 6; i++) {
        double *own = Q + 6 * rank;
        column_of(x, x->list[i], k, q, own);
        if (pinned > 0 && (own[0] != 0 || own[1] != 0 || own[2] != 0))
            return false;
        double column[6];
        memcpy(column, own, sizeof column);
        small_orthogonalise(6, rank - pinned, Q + 6 * pinned, own);
        R[7 * rank] = small_normalise(6, own);
        if (!(R[7 * rank] > redundant * sqrt(small_dot(6, column, column))))
            continue;
        for (int l = pinned; l < rank; l++)
            R[6 * l + rank] = small_dot(6, Q + 6 * l, column);
        x->independent[6 * k + rank++] = x->list[i];
    }
    x->rank[k] = rank;
    x->pinned[k] = pinned;
    return true;
}

void olo_linear_rows_factor(olo_linear_rows *x, const double *q)
{
    for (int k = 0; k < x->system->node_count; k++)
        if (!factor_node(x, k, q, pin_node(x, k, q)))
            (void)factor_node(x, k, q, 0);
}

void olo_linear_rows_exchange(olo_linear_rows *a, olo_linear_rows *b)
{
    const olo_linear_rows was = *a;
    *a = *b;
    *b = was;
    /* these arrays are not exchanged */
    b->follow = a->follow;
    a->follow = was.follow;
    b->mu = a->mu;
    a->mu = was.mu;
    b->Lambda = a->Lambda;
    a->Lambda = was.Lambda;
}

/* Solves columns * y = wrench; overwrites the wrench. The forces of columns that fix a point come
 * first, then y = R^-1 Q^T of the remaining moments. */
static void solve_wrench(const olo_linear_rows *x, int k, double *wrench, double y[6])
{
    const double *Q = x->Q + 36 * (size_t)k, *R = x->R + 36 * (size_t)k;
    for (int j = 0; j < x->pinned[k]; j++) {
        y[j] = wrench[j] / Q[7 * j];
        vec3_add(-y[j], Q + 6 * j + 3, wrench + 3);
    }
    for (int i = x->rank[k] - 1; i >= x->pinned[k]; i--) {
        y[i] = small_dot(6, Q + 6 * i, wrench);
        for (int l = i + 1; l < x->rank[k]; l++)
            y[i] -= R[6 * i + l] * y[l];
        y[i] /= R[7 * i];
    }
}

/* The transpose: a twist with columns^T * twist = y; overwrites y. */
static void solve_twist(const olo_linear_rows *x, int k, double y[6], double twist[6])
{
    const double *Q = x->Q + 36 * (size_t)k, *R = x->R + 36 * (size_t)k;
    memset(twist, 0, 6 * sizeof *twist);
    for (int i = x->pinned[k]; i < x->rank[k]; i++) {
        for (int l = x->pinned[k]; l < i; l++)
            y[i] -= R[6 * l + i] * y[l];
        y[i] /= R[7 * i];
        small_add_row(6, y[i], Q + 6 * i, twist);
    }
    for (int j = 0; j < x->pinned[k]; j++)
        twist[j] = (y[j] - vec3_dot(Q + 6 * j + 3, twist + 3)) / Q[7 * j];
}

/* --- a node and its rows --- */

static void add_twist(const olo_node *node, const double *q, const double *twist, double *out)
{
    double v[OLO_NODE_SIZE_MAX];
    node->type->velocity(q + node->q, twist, v);
    for (int i = 0; i < node->size; i++)
        out[node->q + i] += v[i];
}

/* Adds to dv the twist of node k that satisfies its rows; dq is NULL for positions. */
static void close_node(const olo_linear_rows *x, int k, const double *q, const double *dq,
                       const double *gap, double *dv)
{
    double b[6], twist[6];
    for (int j = 0; j < x->rank[k]; j++) {
        int c = x->independent[6 * k + j];
        b[j] = -olo_row_times(x->system, c, olo_linear_row(x, c), dv) - (gap ? gap[c] : 0.0);
        if (dq)
            b[j] -= olo_row_times(x->system, c, x->follow + x->offset[c], dq);
    }
    solve_twist(x, k, b, twist);
    add_twist(&x->system->nodes[k], q, twist, dv);
}

static void close_node_transposed(const olo_linear_rows *x, int k, const double *q, double *from,
                                  double *to, double *gap)
{
    double W[6] = {0}, b[6];
    olo_node_wrench(&x->system->nodes[k], q, from, W);
    solve_wrench(x, k, W, b);
    for (int c = x->first[k]; gap && c < x->first[k + 1]; c++)
        gap[x->list[c]] = 0;
    for (int j = 0; j < x->rank[k]; j++) {
        int c = x->independent[6 * k + j];
        if (to)
            olo_row_add(x->system, c, -b[j], x->follow + x->offset[c], to);
        if (gap)
            gap[c] = -b[j];
        olo_row_add(x->system, c, -b[j], olo_linear_row(x, c), from);
    }
}

/* --- multipliers --- */

/* The first coordinate of the internal rows of a node. */
static int first_director(const olo_node *node)
{
    return node->q + node->type->directors;
}

void olo_linear_rows_multipliers(const olo_linear_rows *x, const double *q, double *F, double *mu,
                                 double *Lambda)
{
    const olo_system *s = x->system;
    for (int i = s->node_count - 1; i >= 0; i--) {
        int k = x->topology->order[i];
        const olo_internal_rows *rows = s->nodes[k].type->rows;
        const int first = first_director(&s->nodes[k]);
        close_node_transposed(x, k, q, F, NULL, mu);
        if (rows)
            rows->balance(q + first, F + first, Lambda + OLO_NODE_MULTIPLIERS * (size_t)k);
    }
}

void olo_linear_rows_multipliers_transposed(const olo_linear_rows *x, const double *q, double *mu,
                                            const double *Lambda, double *F, double *work)
{
    const olo_system *s = x->system;
    memset(F, 0, (size_t)s->n * sizeof *F);
    for (int k = 0; k < s->node_count; k++, Lambda += OLO_NODE_MULTIPLIERS) {
        const olo_internal_rows *rows = s->nodes[k].type->rows;
        const int first = first_director(&s->nodes[k]);
        if (rows)
            rows->balance_transposed(q + first, Lambda, F + first);
    }
    for (int i = 0; i < x->first[s->node_count]; i++)
        mu[x->list[i]] += olo_row_times(s, x->list[i], olo_linear_row(x, x->list[i]), F);
    olo_linear_rows_displace(x, q, mu, work);
    for (int i = 0; i < s->n; i++)
        F[i] += work[i];
}

void olo_frames_add(const olo_system *s, const double *Lambda, double factor, const double *w,
                    double *out)
{
    for (int k = 0; k < s->node_count; k++, Lambda += OLO_NODE_MULTIPLIERS) {
        const olo_internal_rows *rows = s->nodes[k].type->rows;
        const int first = first_director(&s->nodes[k]);
        if (rows)
            rows->add_hessian(Lambda, factor, w + first, out + first);
    }
}

/* --- velocities and displacements that satisfy varied rows --- */

void olo_linear_rows_follow(const olo_linear_rows *x, const double *q, const double *v,
                            const double *dq, const double *gap, double *dv)
{
    const olo_system *s = x->system;
    for (int i = 0; i < s->node_count; i++) {
        int k = x->topology->order[i];
        const olo_node *node = &s->nodes[k];
        const int first = first_director(node);
        memset(dv + node->q, 0, (size_t)node->size * sizeof *dv);
        if (node->type->rows)
            node->type->rows->follow(q + first, v + first, dq + first, dv + first);
        close_node(x, k, q, dq, gap, dv);
    }
}

void olo_linear_rows_follow_transposed(const olo_linear_rows *x, const double *q, const double *v,
                                       double *from, double *to, double *gap)
{
    const olo_system *s = x->system;
    for (int i = s->node_count - 1; i >= 0; i--) {
        int k = x->topology->order[i];
        const olo_internal_rows *rows = s->nodes[k].type->rows;
        const int first = first_director(&s->nodes[k]);
        close_node_transposed(x, k, q, from, to, gap);
        if (rows)
            rows->follow_transposed(q + first, v + first, from + first, to + first);
    }
}

void olo_linear_rows_displace(const olo_linear_rows *x, const double *q, const double *gap,
                              double *dq)
{
    memset(dq, 0, (size_t)x->system->n * sizeof *dq);
    for (int i = 0; i < x->system->node_count; i++)
        close_node(x, x->topology->order[i], q, NULL, gap, dq);
}

void olo_linear_rows_displace_transposed(const olo_linear_rows *x, const double *q, double *from,
                                         double *gap)
{
    for (int i = x->system->node_count - 1; i >= 0; i--)
        close_node_transposed(x, x->topology->order[i], q, from, NULL, gap);
}
