/* The absolute chart of a system, composed along the forest; the equations are in the header.
 *
 * A configuration is a list of 3-vectors: the position of a node, then its directors if it has any.
 * A placement g maps the directors d_J of the parent to the 3-vectors sum_J g_IJ d_J of the child;
 * the position of the parent is added to that of the child. A triad has directors alone: its
 * placement is used from the first director on, and it is always free. A scalar has no placement:
 * it is its reference plus its coordinate.
 */
#include "kinematics/chart.h"

#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "base/memory.h"
#include "elements/joint_chart.h"
#include "elements/joint_pair.h"
#include "linalg/vec3.h"

typedef double placement[OLO_PLACEMENT];

/* Numbers of two directions. */
enum { WIDTH = 2 };
typedef double pair __attribute__((vector_size(16)));

struct olo_chart {
    const olo_topology *topology;
    size_t size;           /* of all memory of its own that is in use */
    olo_chart_view *views; /* [nodes] the joint of each */
    bool *moved;           /* [nodes] by a coordinate */
    double *u;             /* [unknowns] current coordinates */
    double *q;             /* [n] the configuration there */
    double *y;             /* [n] the contracted vector, summed from the leaves, ... */
    pair *changes;         /* [n] ... and its changes */
    double *column;        /* [n] of J */
    placement *placements; /* [nodes] g of each node */
    placement *first;      /* [unknowns] derivatives of g */
    placement **second;    /* [nodes] second derivatives, dof x dof of each */
    /* of a loaded vector y, along which second derivatives are taken */
    placement *along;    /* [unknowns] sum_J g_IJ d_J of each derivative g of a placement */
    double (*pulled)[9]; /* [unknowns] sum_I g_IJ y_I of the same */
    double **curvature;  /* [nodes] y . second derivatives, dof x dof of each */
    olo_pool pool;
};

static const double space[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
static const double zero[9] = {0};

/* The joint of a free body or point: translation along and rotation about the axes of space. */
static const olo_articulation free_joint = {.type = &olo_joint_pair,
                                            .group = -1,
                                            .parent = -1,
                                            .child = -1,
                                            .parent_axes = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                            .child_axes = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                            .translations = 7,
                                            .rotations = 3};

/* The joint of directors without a position. */
static const olo_articulation free_turn = {.type = &olo_joint_pair,
                                           .group = -1,
                                           .parent = -1,
                                           .child = -1,
                                           .parent_axes = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                           .child_axes = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                           .rotations = 3};

/* The first number of a placement that node k has. */
static int first_number(const olo_system *s, int k)
{
    return s->nodes[k].type->position < 0 ? 3 : 0;
}

const olo_articulation *olo_chart_joint(const olo_topology *topology, int k)
{
    if (topology->nodes[k].type)
        return &topology->nodes[k].joint;
    return first_number(topology->system, k) > 0 ? &free_turn : &free_joint;
}

static bool is_scalar(const olo_system *s, int k)
{
    return s->nodes[k].type->width == 1;
}

/* The directors of a node in q, nine numbers; `otherwise` for the ground and for points. */
static const double *directors(const olo_system *s, int node, const double *q,
                               const double *otherwise)
{
    return node >= 0 && s->nodes[node].size > 3 ? q + s->nodes[node].q + 3 : otherwise;
}

/* The placement of node k in the frame of its parent, at q. */
static void relative(const olo_topology *topology, int k, const double *q, placement g)
{
    const olo_system *s = topology->system;
    const int p = topology->nodes[k].parent, size = s->nodes[k].size;
    const double *d = directors(s, p, q, space);
    memcpy(g + 3, space, sizeof space);
    if (first_number(s, k) > 0)
        vec3_set(0, 0, 0, g);
    g += first_number(s, k);
    for (int I = 0; I < size; I += 3) {
        double x[3];
        vec3_copy(q + s->nodes[k].q + I, x);
        if (I == 0 && p >= 0)
            vec3_add(-1.0, q + s->nodes[p].q, x);
        for (int J = 0; J < 3; J++)
            g[I + J] = vec3_dot(d + 3 * J, x);
    }
}

olo_chart_view olo_chart_view_at(const olo_topology *topology, int k, const double *q)
{
    olo_chart_view x = {.system = topology->system,
                        .joint = olo_chart_joint(topology, k),
                        .dof = topology->nodes[k].dof,
                        .frame = topology->system->nodes[k].size > 3};
    if (is_scalar(topology->system, k)) {
        x.reference[0] = q[topology->system->nodes[k].q];
        return x;
    }
    relative(topology, k, q, x.reference);
    if (x.joint->type->chart)
        x.joint->type->chart->close(&x, x.reference);
    olo_chart_pivot(&x, x.pivot);
    return x;
}

/* --- products of placements of `size` numbers and 3-vectors --- */

/* out_I += sum_J g_IJ d_J */
static void add_placed(int size, const double *g, const double *d, double *out)
{
    for (int i = 0; d == space && i < size; i++)
        out[i] += g[i];
    for (int I = 0; d != space && I < size; I += 3)
        for (int J = 0; J < 3; J++)
            vec3_add(g[I + J], d + 3 * J, out + I);
}

/* d_J += sum_I g_IJ y_I */
static void add_transposed(int size, const double *g, const double *y, double *d)
{
    for (int I = 0; I < size; I += 3)
        for (int J = 0; J < 3; J++)
            vec3_add(g[I + J], y + I, d + 3 * J);
}

/* Y_IJ += y_I . d_J */
static void add_dots(int size, const double *y, const double *d, double *Y)
{
    for (int i = 0; d == space && i < size; i++)
        Y[i] += y[i];
    for (int I = 0; d != space && I < size; I += 3)
        for (int J = 0; J < 3; J++)
            Y[I + J] += vec3_dot(y + I, d + 3 * J);
}

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < OLO_PLACEMENT; i++)
        sum += a[i] * b[i];
    return sum;
}

/* out = sum_k w_k g_k */
static void combine(int count, const double *w, const placement *g, placement out)
{
    memset(out, 0, sizeof(placement));
    for (int k = 0; k < count; k++)
        for (int i = 0; i < OLO_PLACEMENT; i++)
            out[i] += w[k] * g[k][i];
}

/* --- creation and reference --- */

/* Memory of a chart after its own members; before these are known, its size. */
typedef struct block {
    char *start;
    size_t size;
} block;

static void *take(block *of, size_t count, size_t size)
{
    void *at = of->start ? of->start + of->size : NULL;
    of->size += (count * size + 15) / 16 * 16;
    return at;
}

/* Takes what belongs to one configuration. It is one block, so that it can be fetched at once. */
static void take_all(const olo_topology *topology, block *of, olo_chart *chart)
{
    const olo_system *s = topology->system;
    const size_t nodes = (size_t)s->node_count, unknowns = (size_t)topology->unknowns;
    (void)take(of, 1, sizeof *chart);
    chart->views = take(of, nodes, sizeof *chart->views);
    chart->placements = take(of, nodes, sizeof *chart->placements);
    chart->first = take(of, unknowns, sizeof *chart->first);
    chart->second = take(of, nodes, sizeof *chart->second);
    for (int k = 0; k < s->node_count; k++) {
        const size_t dof = (size_t)topology->nodes[k].dof;
        placement *second = take(of, dof * dof, sizeof *second);
        if (of->start)
            chart->second[k] = second;
    }
    chart->u = take(of, unknowns, sizeof *chart->u);
    chart->q = take(of, (size_t)s->n, sizeof *chart->q);
}

static olo_chart *allocate(const olo_topology *topology)
{
    olo_chart sizes;
    block of = {0};
    take_all(topology, &of, &sizes);
    of.start = olo_alloc(of.size, 1);
    olo_chart *chart = (olo_chart *)of.start;
    if (!chart)
        return NULL;
    chart->size = of.size;
    chart->topology = topology;
    of.size = 0;
    take_all(topology, &of, chart);
    return chart;
}

/* Memory of products, which charts of one thread may share. */
static bool allocate_products(olo_chart *chart)
{
    const size_t n = (size_t)chart->topology->system->n,
                 nodes = (size_t)chart->topology->system->node_count;
    const olo_array arrays[] = {{&chart->y, n}, {&chart->column, n}};
    const size_t unknowns = (size_t)chart->topology->unknowns;
    chart->along = olo_pool_alloc(&chart->pool, unknowns + 1, sizeof *chart->along);
    chart->pulled = olo_pool_alloc(&chart->pool, unknowns + 1, sizeof *chart->pulled);
    chart->curvature = olo_pool_alloc(&chart->pool, nodes + 1, sizeof *chart->curvature);
    for (size_t k = 0; chart->curvature && k < nodes; k++) {
        const size_t dof = (size_t)chart->topology->nodes[k].dof;
        chart->curvature[k] = olo_pool_alloc(&chart->pool, dof * dof + 1, sizeof(double));
        if (!chart->curvature[k])
            return false;
    }
    chart->changes = olo_pool_alloc(&chart->pool, n + 1, sizeof *chart->changes);
    chart->moved = olo_pool_alloc(&chart->pool, nodes + 1, sizeof *chart->moved);
    return chart->along && chart->pulled && chart->curvature && chart->changes && chart->moved &&
           olo_pool_arrays(&chart->pool, arrays, 2);
}

/* Fails if a joint constrains velocities, since it has no coordinates. */
static olo_status refuse_velocities(const olo_topology *topology, olo_error *error)
{
    const olo_system *s = topology->system;
    for (int k = 0; k < s->node_count; k++) {
        const olo_articulation *joint = olo_chart_joint(topology, k);
        if (!joint->type->chart)
            return olo_fail(error, OLO_UNSUPPORTED,
                            "joint '%s' of '%s' (%s) constrains velocities, not positions: it has "
                            "no coordinates for a chart; treat its rows with multipliers",
                            joint->group >= 0 ? s->groups[joint->group].name : "", s->nodes[k].name,
                            joint->type->name);
    }
    return OLO_OK;
}

/* With the memory of products of another chart, or with its own. */
static olo_status create(const olo_topology *topology, const olo_chart *other, const double *q,
                         olo_chart **created, olo_error *error)
{
    *created = NULL;
    olo_chart *chart = allocate(topology);
    if (chart && other) {
        chart->y = other->y;
        chart->column = other->column;
        chart->changes = other->changes;
        chart->along = other->along;
        chart->pulled = other->pulled;
        chart->curvature = other->curvature;
        chart->moved = other->moved;
    }
    if (chart && (other || allocate_products(chart))) {
        olo_chart_refer(chart, q);
        *created = chart;
        return OLO_OK;
    }
    olo_chart_free(chart);
    return olo_fail(error, OLO_NO_MEMORY, "out of memory for a chart");
}

olo_status olo_chart_create(const olo_topology *topology, const double *q, olo_chart **created,
                            olo_error *error)
{
    *created = NULL;
    const olo_status status = refuse_velocities(topology, error);
    return status == OLO_OK ? create(topology, NULL, q, created, error) : status;
}

olo_status olo_chart_create_beside(const olo_chart *other, const double *q, olo_chart **created,
                                   olo_error *error)
{
    return create(other->topology, other, q, created, error);
}

void olo_chart_free(olo_chart *chart)
{
    if (!chart)
        return;
    olo_pool_free(&chart->pool);
    olo_free(chart);
}

void olo_chart_fetch(const olo_chart *next, const olo_chart *like)
{
    enum { LINE = 64 };
    for (size_t i = 0; i < like->size; i += LINE)
        __builtin_prefetch((const char *)next + i);
}

void olo_chart_write_to(olo_chart *chart, double *q)
{
    const size_t size = (size_t)chart->topology->system->n * sizeof *q;
    memcpy(q, chart->q, size);
    chart->size = (size_t)((char *)chart->q - (char *)chart); /* it is the last one */
    chart->q = q;
}

void olo_chart_refer(olo_chart *chart, const double *q)
{
    for (int k = 0; k < chart->topology->system->node_count; k++)
        chart->views[k] = olo_chart_view_at(chart->topology, k, q);
    memset(chart->u, 0, (size_t)chart->topology->unknowns * sizeof *chart->u);
    olo_chart_at(chart, chart->u);
}

void olo_chart_use(olo_chart *chart, const olo_topology *topology, const double *q)
{
    chart->topology = topology;
    olo_chart_refer(chart, q);
}

olo_status olo_chart_coordinates(const olo_chart *chart, const double *q, double *u,
                                 olo_error *error)
{
    const olo_topology *topology = chart->topology;
    for (int k = 0; k < topology->system->node_count; k++) {
        const olo_chart_view *x = &chart->views[k];
        placement found;
        if (is_scalar(topology->system, k)) {
            u[topology->nodes[k].u] = q[topology->system->nodes[k].q] - x->reference[0];
            continue;
        }
        relative(topology, k, q, found);
        if (!x->joint->type->chart->coordinates(x, found, u + topology->nodes[k].u))
            return olo_fail(error, OLO_BAD_INPUT,
                            "'%s' is half a turn away from the reference of its chart, where its "
                            "coordinates are infinite; choose a closer reference",
                            topology->system->nodes[k].name);
    }
    return OLO_OK;
}

/* --- the map and its derivatives --- */

const double *olo_chart_at(olo_chart *chart, const double *u)
{
    const olo_topology *topology = chart->topology;
    const olo_system *s = topology->system;
    memmove(chart->u, u, (size_t)topology->unknowns * sizeof *u);
    memset(chart->q, 0, (size_t)s->n * sizeof *chart->q);
    for (int i = 0; i < s->node_count; i++) {
        const int k = topology->order[i], p = topology->nodes[k].parent;
        const olo_topology_node *t = &topology->nodes[k];
        const olo_chart_view *x = &chart->views[k];
        double *q = chart->q + s->nodes[k].q;
        olo_placement g;
        if (is_scalar(s, k)) {
            q[0] = x->reference[0] + chart->u[t->u];
            continue;
        }
        /* the placement in the parent and its derivatives */
        x->joint->type->chart->evaluate(x, chart->u + t->u, &g);
        memcpy(chart->placements[k], g.value, sizeof g.value);
        memcpy(chart->first + t->u, g.first, (size_t)t->dof * sizeof g.first[0]);
        for (int j = 0; j < t->dof; j++)
            memcpy(chart->second[k] + j * t->dof, g.second[j],
                   (size_t)t->dof * sizeof g.second[0][0]);
        /* the node in space */
        if (p >= 0)
            vec3_copy(chart->q + s->nodes[p].q, q);
        add_placed(s->nodes[k].size, g.value + first_number(s, k), directors(s, p, chart->q, space),
                   q);
    }
    return chart->q;
}

double olo_chart_turn_from_reference(const olo_chart *chart)
{
    const olo_topology *topology = chart->topology;
    double largest = 0;
    for (int k = 0; k < topology->system->node_count; k++) {
        const olo_chart_view *x = &chart->views[k];
        if (!is_scalar(topology->system, k) && x->joint->type->chart->turn)
            olo_raise(&largest, x->joint->type->chart->turn(x, chart->u + topology->nodes[k].u));
    }
    return largest;
}

void olo_chart_move(const olo_chart *chart, const double *w, double *dq)
{
    const olo_topology *topology = chart->topology;
    const olo_system *s = topology->system;
    memset(dq, 0, (size_t)s->n * sizeof *dq);
    for (int i = 0; i < s->node_count; i++) {
        const int k = topology->order[i], p = topology->nodes[k].parent, size = s->nodes[k].size;
        const olo_topology_node *t = &topology->nodes[k];
        placement change;
        double *out = dq + s->nodes[k].q;
        if (is_scalar(s, k)) {
            out[0] = w[t->u];
            continue;
        }
        /* F_u w: change of the placement */
        combine(t->dof, w + t->u, (const placement *)chart->first + t->u, change);
        add_placed(size, change + first_number(s, k), directors(s, p, chart->q, space), out);
        if (p < 0)
            continue;
        /* F_p dq_p: motion of the parent */
        vec3_add(1.0, dq + s->nodes[p].q, out);
        add_placed(size, chart->placements[k], directors(s, p, dq, zero), out);
    }
}

/* The column of coordinate j of node k: its own motion, then that of its descendants, which follow
 * it in the order. `moved` marks the nodes that have numbers in it. */
static void set_column(olo_chart *chart, int k, int j, double *column)
{
    const olo_topology *topology = chart->topology;
    const olo_system *s = topology->system;
    bool below = false;
    for (int i = 0; i < s->node_count; i++) {
        const int c = topology->order[i], p = topology->nodes[c].parent, size = s->nodes[c].size;
        double *out = column + s->nodes[c].q;
        below = below || c == k;
        chart->moved[c] = below && (c == k || (p >= 0 && chart->moved[p]));
        if (!chart->moved[c])
            continue;
        memset(out, 0, (size_t)size * sizeof *out);
        if (is_scalar(s, c)) {
            out[0] = 1;
        } else if (c == k) {
            add_placed(size, chart->first[j] + first_number(s, c), directors(s, p, chart->q, space),
                       out);
        } else {
            vec3_add(1.0, column + s->nodes[p].q, out);
            add_placed(size, chart->placements[c], directors(s, p, column, zero), out);
        }
    }
}

void olo_chart_matrix(olo_chart *chart, double *J)
{
    const olo_topology *topology = chart->topology;
    const olo_system *s = topology->system;
    for (int k = 0; k < s->node_count; k++)
        for (int j = topology->nodes[k].u; j < topology->nodes[k].u + topology->nodes[k].dof; j++) {
            set_column(chart, k, j, chart->column);
            for (int c = 0; c < s->node_count; c++) {
                const int q = s->nodes[c].q, size = chart->moved[c] ? s->nodes[c].size : 0,
                          columns = topology->unknowns;
                const double *from = chart->column + q;
                double *to = J + q * columns + j;
                for (int i = 0; i < size; i++, to += columns)
                    *to = from[i];
            }
        }
}

/* y_p += F_p^T y_k with the placement g of node k. */
static void pass_up(const olo_chart *chart, int k, const double *g, double *y)
{
    const olo_system *s = chart->topology->system;
    const int p = chart->topology->nodes[k].parent;
    if (p < 0)
        return;
    vec3_add(1.0, y + s->nodes[k].q, y + s->nodes[p].q);
    if (s->nodes[p].size > 3)
        add_transposed(s->nodes[k].size, g, y + s->nodes[k].q, y + s->nodes[p].q + 3);
}

void olo_chart_reduce(olo_chart *chart, const double *y, double *reduced)
{
    const olo_topology *topology = chart->topology;
    const olo_system *s = topology->system;
    memcpy(chart->y, y, (size_t)s->n * sizeof *y);
    for (int i = s->node_count - 1; i >= 0; i--) {
        const int k = topology->order[i];
        const olo_topology_node *t = &topology->nodes[k];
        placement Y = {0};
        if (is_scalar(s, k)) {
            reduced[t->u] = chart->y[s->nodes[k].q];
            continue;
        }
        add_dots(s->nodes[k].size, chart->y + s->nodes[k].q,
                 directors(s, t->parent, chart->q, space), Y + first_number(s, k));
        for (int j = 0; j < t->dof; j++)
            reduced[t->u + j] = dot(chart->first[t->u + j], Y);
        pass_up(chart, k, chart->placements[k], chart->y);
    }
}

/* What second derivatives at node k need of a loaded vector, for all directions. */
static void load_node(olo_chart *chart, int k)
{
    const olo_system *s = chart->topology->system;
    const olo_topology_node *t = &chart->topology->nodes[k];
    const int size = s->nodes[k].size, p = t->parent, from = first_number(s, k);
    const double *y = chart->y + s->nodes[k].q, *d = directors(s, p, chart->q, space);
    placement Y = {0};
    add_dots(size, y, d, Y + from);
    for (int j = 0; j < t->dof; j++) {
        const double *g = chart->first[t->u + j] + from;
        memset(chart->along[t->u + j], 0, sizeof chart->along[0]);
        add_placed(size, g, d, chart->along[t->u + j]);
        memset(chart->pulled[t->u + j], 0, sizeof chart->pulled[0]);
        if (p >= 0 && s->nodes[p].size > 3)
            add_transposed(size, g, y, chart->pulled[t->u + j]);
        for (int l = 0; l < t->dof; l++)
            chart->curvature[k][j * t->dof + l] = dot(chart->second[k][j * t->dof + l], Y);
    }
}

void olo_chart_load(olo_chart *chart, const double *y)
{
    const olo_topology *topology = chart->topology;
    const olo_system *s = topology->system;
    memcpy(chart->y, y, (size_t)s->n * sizeof *y);
    for (int i = s->node_count - 1; i >= 0; i--) {
        const int k = topology->order[i];
        if (is_scalar(s, k))
            continue;
        load_node(chart, k);
        pass_up(chart, k, chart->placements[k], chart->y);
    }
}

/* `columns` are those of a matrix, of which `first` and, unless it is the last, the next one are
 * taken. */
typedef struct directions {
    int columns, first;
} directions;

static inline pair number_at(const double *row, const directions *of)
{
    const bool two = of->first + 1 < of->columns;
    return (pair){row[of->first], two ? row[of->first + 1] : 0};
}

static inline void put_number(pair value, const directions *of, double *row)
{
    row[of->first] = value[0];
    if (of->first + 1 < of->columns)
        row[of->first + 1] = value[1];
}

/* The second derivative at node k: its own coordinates, then the contribution to the parent. dy are
 * the changes of the contracted vector. */
static void second_of_node(olo_chart *chart, int k, const directions *of, const double *w,
                           const double *dq, double *product)
{
    const olo_system *s = chart->topology->system;
    const olo_topology_node *t = &chart->topology->nodes[k];
    const int size = s->nodes[k].size, p = t->parent, columns = of->columns;
    const double *g = chart->placements[k];
    const bool turns = p >= 0 && s->nodes[p].size > 3;
    pair *dy = chart->changes + s->nodes[k].q, own[6], turned[9];
    if (is_scalar(s, k)) { /* its map is linear */
        put_number((pair){0}, of, product + t->u * columns);
        return;
    }
    for (int j = 0; j < t->dof; j++)
        own[j] = number_at(w + (t->u + j) * columns, of);
    for (int i = 0; turns && i < 9; i++)
        turned[i] = number_at(dq + (s->nodes[p].q + 3 + i) * columns, of);
    /* its own coordinates: changes of y, of the directors of the parent, and of the placement */
    for (int j = 0; j < t->dof; j++) {
        const double *along = chart->along[t->u + j], *pulled = chart->pulled[t->u + j];
        pair sum = {0};
        for (int i = 0; i < size; i++)
            sum += dy[i] * along[i];
        for (int i = 0; turns && i < 9; i++)
            sum += turned[i] * pulled[i];
        for (int l = 0; l < t->dof; l++)
            sum += own[l] * chart->curvature[k][j * t->dof + l];
        put_number(sum, of, product + (t->u + j) * columns);
    }
    /* dy_p += F_p^T dy + (d F_p^T) y */
    pair *up = chart->changes + (p >= 0 ? s->nodes[p].q : 0);
    for (int i = 0; p >= 0 && i < 3; i++)
        up[i] += dy[i];
    if (!turns)
        return;
    for (int I = 0; I < size; I += 3)
        for (int J = 0; J < 3; J++)
            for (int i = 0; i < 3; i++)
                up[3 + 3 * J + i] += g[I + J] * dy[I + i];
    for (int j = 0; j < t->dof; j++)
        for (int i = 0; i < 9; i++)
            up[3 + i] += own[j] * chart->pulled[t->u + j][i];
}

void olo_chart_second(olo_chart *chart, int columns, const double *w, const double *dq,
                      double *product)
{
    const olo_topology *topology = chart->topology;
    for (directions of = {columns, 0}; of.first < columns; of.first += WIDTH) {
        memset(chart->changes, 0, (size_t)topology->system->n * sizeof *chart->changes);
        for (int i = topology->system->node_count - 1; i >= 0; i--)
            second_of_node(chart, topology->order[i], &of, w, dq, product);
    }
}
