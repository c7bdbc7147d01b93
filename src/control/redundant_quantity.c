/* The redundant transcription: conditions and costs, which are measures m(q, v) of a state. A
 * measure is evaluated
 *
 *     at a node          m(q_k)                               along the path, without velocities
 *     over an interval   m((q_k + q_k+1)/2, (q_k+1 - q_k)/h)  along the path, with velocities
 *     at the last node   m(q_N, v_N)                          at the end; at the first one alike
 *
 * (Leyendecker 2011, 5.2: the objective at midpoints). With v = (q1 - q0)/h and h = f T,
 *
 *     v_q0 = -1/h,   v_q1 = 1/h,   v_T = -v f/h,   v_q0T = f/h^2,   v_TT = 2 v (f/h)^2.
 *
 * A cost is F = w f(d) with d = m - r(t), f(d) = c d or c d^2, t = theta T, and w = 1 at the end,
 * else h, of a node the time between the middles of its intervals:
 *
 *     F_z  = w f' m_z                             F_T  = w_T f + w f' d_T,   d_T = m_T - theta r'
 *     F_zz = w (f'' m_z m_z^T + f' m_zz)          F_zT = w_T f' m_z + w (f'' d_T m_z + f' m_zT)
 *     F_TT = 2 w_T f' d_T + w (f'' d_T^2 + f' (m_TT - theta^2 r'')). */
#include "control/redundant_private.h"

#include <string.h>

/* A measure where it is evaluated, in block k. */
typedef struct located {
    olo_redundant *x;
    const olo_quantity *m;
    olo_location location;
    int k;
    olo_quantity_at at;
    double *gq, *gv; /* [size] */
    double by_T;     /* m_T */
} located;

olo_location olo_location_of(olo_where where, const olo_quantity *m)
{
    if (where != OLO_ALONG_PATH)
        return where == OLO_AT_END ? OLO_AT_LAST_NODE : OLO_AT_FIRST_NODE;
    return m->uses_v ? OLO_OVER_INTERVAL : OLO_AT_NODE;
}

/* The state at which measures of block k are evaluated. */
static olo_quantity_at state_of(olo_redundant *x, olo_location location, int k)
{
    const double *q = x->x + (size_t)(k * x->stride);
    olo_quantity_at at = {.q = q, .angles = olo_node_angles(x, k)};
    if (location == OLO_AT_LAST_NODE && x->velocities)
        at.v = x->x + olo_redundant_end_velocity(x);
    if (location == OLO_AT_FIRST_NODE && x->start_velocities)
        at.v = x->x + olo_redundant_start_velocity(x);
    if (location == OLO_AT_NODE)
        olo_enter_node(x, k);
    if (location != OLO_OVER_INTERVAL)
        return at;
    olo_enter_interval(x, k);
    for (int i = 0; i < x->n; i++) {
        x->qm[i] = 0.5 * (q[i] + q[x->stride + i]);
        x->vm[i] = (q[x->stride + i] - q[i]) / x->h;
    }
    at.q = x->qm;
    at.v = x->vm;
    return at;
}

/* m with its gradients; with `numbers` false for the positions only. */
static double evaluate(located *p, bool numbers)
{
    const olo_quantity *m = p->m;
    p->gq = p->x->gq;
    p->gv = p->x->gv;
    p->by_T = 0;
    if (!numbers) {
        memset(p->gq, 0, (size_t)m->size * sizeof *p->gq);
        memset(p->gv, 0, (size_t)m->size * sizeof *p->gv);
        return 0;
    }
    const double value = olo_quantity_value(m, &p->at, p->gq, p->gv);
    for (int i = 0; p->location == OLO_OVER_INTERVAL && i < m->size; i++)
        p->by_T -= p->gv[i] * p->at.v[m->index[i]] * p->x->scale / p->x->h;
    return value;
}

// -- columns --------------------------------------------------------------------------------------

static bool is_edge(const located *p)
{
    return p->location == OLO_AT_FIRST_NODE || p->location == OLO_AT_LAST_NODE;
}

/* The local column of the first velocity at the start or at the end. */
static int first_velocity(const located *p)
{
    return olo_block_velocity(p->x) + (p->location == OLO_AT_FIRST_NODE ? p->x->velocities : 0);
}

/* The number of columns of m_z, local column c of the block, and m_z there. */
static int column_count(const located *p)
{
    if (p->location == OLO_OVER_INTERVAL)
        return 2 * p->m->size;
    return (p->m->uses_q + (is_edge(p) && p->m->uses_v)) * p->m->size;
}

static bool is_velocity(const located *p, int c)
{
    return is_edge(p) && (!p->m->uses_q || c >= p->m->size);
}

static int column_of(const located *p, int c)
{
    const int i = p->m->index[c % p->m->size];
    if (p->location == OLO_OVER_INTERVAL)
        return i + (c < p->m->size ? 0 : p->x->stride);
    return is_velocity(p, c) ? first_velocity(p) + i : i;
}

static double gradient_of(const located *p, int c)
{
    const int i = c % p->m->size;
    if (p->location == OLO_OVER_INTERVAL)
        return 0.5 * p->gq[i] + (c < p->m->size ? -1 : 1) * p->gv[i] / p->x->h;
    return is_velocity(p, c) ? p->gv[i] : p->gq[i];
}

static bool depends_on_duration(const located *p)
{
    return p->location == OLO_OVER_INTERVAL && olo_has_free_duration(p->x);
}

/* Adds a second derivative by two arguments to the lower triangle. Two arguments may have the same
 * column; then the entry has both products. */
static void put_symmetric(olo_entries *to, int a, int b, bool same_argument, double value)
{
    olo_entries_put(to, a > b ? a : b, a > b ? b : a, a == b && !same_argument ? 2 * value : value);
}

// -- second derivatives of a measure --------------------------------------------------------------

typedef struct target {
    const located *p;
    olo_entries *to;
} target;

/* An argument of a measure by the variables of an interval: its factor for q0 and q1, and for T. */
typedef struct chain {
    double factor[2], by_T;
    int column[2];
} chain;

static chain chain_of(const located *p, olo_quantity_slot slot, int i)
{
    const double h = p->x->h, v = p->at.v ? p->at.v[p->m->index[i]] : 0;
    const int q = p->m->index[i];
    return (chain){
        .factor = {slot == OLO_QUANTITY_Q ? 0.5 : -1 / h, slot == OLO_QUANTITY_Q ? 0.5 : 1 / h},
        .by_T = slot == OLO_QUANTITY_Q ? 0 : -v * p->x->scale / h,
        .column = {q, p->x->stride + q}};
}

static void put_over_interval(const located *p, olo_entries *to, const chain *a, const chain *b,
                              bool same, double value)
{
    const int T = olo_block_duration(p->x);
    for (int e = 0; e < 2; e++)
        for (int f = 0; f < (same ? e + 1 : 2); f++)
            put_symmetric(to, a->column[e], b->column[f], same,
                          value * a->factor[e] * b->factor[f]);
    if (!depends_on_duration(p))
        return;
    for (int e = 0; e < 2; e++) {
        olo_entries_put(to, T, a->column[e], value * a->factor[e] * b->by_T);
        if (!same)
            olo_entries_put(to, T, b->column[e], value * b->factor[e] * a->by_T);
    }
    olo_entries_put(to, T, T, (same ? 1 : 2) * value * a->by_T * b->by_T);
}

static void receive(void *context, olo_quantity_slot a, int i, olo_quantity_slot b, int j,
                    double value)
{
    const target *t = context;
    const located *p = t->p;
    const bool same = a == b && i == j;
    if (p->location == OLO_OVER_INTERVAL) {
        const chain left = chain_of(p, a, i), right = chain_of(p, b, j);
        put_over_interval(p, t->to, &left, &right, same, value);
        return;
    }
    const int V = first_velocity(p);
    put_symmetric(t->to, p->m->index[i] + (a == OLO_QUANTITY_V ? V : 0),
                  p->m->index[j] + (b == OLO_QUANTITY_V ? V : 0), same, value);
}

/* factor m_zz, and m_zT and m_TT */
static void put_curvature(const located *p, olo_entries *to, double factor)
{
    target t = {p, to};
    const olo_quantity_sink sink = {receive, &t};
    const double h = p->x->h, s = p->x->scale;
    const int T = olo_block_duration(p->x);
    olo_quantity_second(p->m, to->recorded ? &p->at : NULL, factor, &sink);
    if (!depends_on_duration(p))
        return;
    for (int i = 0; i < p->m->size; i++) {
        const int q = p->m->index[i];
        const double g = factor * p->gv[i], v = to->recorded ? p->at.v[q] : 0;
        olo_entries_put(to, T, q, g * s / (h * h));
        olo_entries_put(to, T, p->x->stride + q, -g * s / (h * h));
        olo_entries_put(to, T, T, 2 * g * v * s * s / (h * h));
    }
}

// -- conditions -----------------------------------------------------------------------------------

static olo_where where_of(olo_location location)
{
    return location == OLO_AT_FIRST_NODE  ? OLO_AT_START
           : location == OLO_AT_LAST_NODE ? OLO_AT_END
                                          : OLO_ALONG_PATH;
}

/* Visits the conditions of a location: `row` counts those of the same rows. */
static bool next_condition(const olo_redundant *x, olo_location location, int *i, int *row)
{
    const olo_control_problem *p = x->problem;
    while (++*i < p->condition_count) {
        const olo_control_condition *c = &p->conditions[*i];
        *row += c->where == where_of(location);
        if (olo_location_of(c->where, &c->measure) == location)
            return true;
    }
    return false;
}

void olo_condition_rows(olo_redundant *x, olo_location location, int k, double *rows)
{
    int i = -1, row = -1;
    if (!next_condition(x, location, &i, &row))
        return;
    const olo_quantity_at at = state_of(x, location, k);
    for (i = -1, row = -1; next_condition(x, location, &i, &row);)
        rows[row] = olo_quantity_value(&x->problem->conditions[i].measure, &at, NULL, NULL);
}

/* Whether there are conditions; their state unless positions are recorded. */
static bool open_conditions(located *p, const olo_entries *to)
{
    int i = -1, row = -1;
    if (!next_condition(p->x, p->location, &i, &row))
        return false;
    if (to->recorded)
        p->at = state_of(p->x, p->location, p->k);
    return true;
}

void olo_condition_jacobian(olo_redundant *x, olo_location location, int k, int first,
                            olo_entries *to)
{
    located p = {.x = x, .location = location, .k = k};
    if (!open_conditions(&p, to))
        return;
    for (int i = -1, row = -1; next_condition(x, location, &i, &row);) {
        p.m = &x->problem->conditions[i].measure;
        (void)evaluate(&p, to->recorded);
        for (int c = 0; c < column_count(&p); c++)
            olo_entries_put(to, first + row, column_of(&p, c), gradient_of(&p, c));
        if (depends_on_duration(&p))
            olo_entries_put(to, first + row, olo_block_duration(x), p.by_T);
    }
}

void olo_condition_hessian(olo_redundant *x, olo_location location, int k, const double *y,
                           olo_entries *to)
{
    located p = {.x = x, .location = location, .k = k};
    if (!open_conditions(&p, to))
        return;
    for (int i = -1, row = -1; next_condition(x, location, &i, &row);) {
        p.m = &x->problem->conditions[i].measure;
        (void)evaluate(&p, to->recorded);
        put_curvature(&p, to, to->recorded ? y[row] : 0);
    }
}

// -- costs ----------------------------------------------------------------------------------------

/* f and its derivatives, w, theta, and the target with its derivatives. */
typedef struct price {
    double f, f1, f2, w, w_T, theta, d_T, r2;
} price;

static price price_of(const located *p, const olo_control_cost *cost, double m)
{
    const olo_redundant *x = p->x;
    const bool end = is_edge(p);
    price of = {.w = end ? 1.0 : x->h,
                .w_T = end ? 0.0 : x->scale,
                .theta = x->problem->at[p->k] +
                         (p->location == OLO_OVER_INTERVAL ? 0.5 * x->scale : 0.0)};
    double r[3];
    olo_control_target(cost, olo_control_time(x->problem, of.theta, x->T), r);
    const double d = m - r[0];
    of.f = cost->square ? cost->weight * d * d : cost->weight * d;
    of.f1 = cost->square ? 2 * cost->weight * d : cost->weight;
    of.f2 = cost->square ? 2 * cost->weight : 0;
    of.d_T = p->by_T - of.theta * r[1];
    of.r2 = r[2];
    return of;
}

static bool next_cost(const olo_redundant *x, olo_location location, int *i)
{
    const olo_control_problem *p = x->problem;
    while (++*i < p->cost_count)
        if (olo_location_of(p->costs[*i].where, &p->costs[*i].measure) == location)
            return true;
    return false;
}

double olo_cost_value(olo_redundant *x, olo_location location, int k, double *gradient)
{
    int first = -1;
    if (!next_cost(x, location, &first))
        return 0;
    located p = {.x = x, .location = location, .k = k, .at = state_of(x, location, k)};
    double sum = 0;
    for (int i = -1; next_cost(x, location, &i);) {
        const olo_control_cost *cost = &x->problem->costs[i];
        p.m = &cost->measure;
        const price of = price_of(&p, cost, evaluate(&p, true));
        sum += of.w * of.f;
        for (int c = 0; gradient && c < column_count(&p); c++)
            gradient[olo_block_variable(x, k, column_of(&p, c))] +=
                of.w * of.f1 * gradient_of(&p, c);
        if (gradient)
            gradient[olo_redundant_duration(x)] += of.w_T * of.f + of.w * of.f1 * of.d_T;
    }
    return sum;
}

static void put_cost(const located *p, olo_entries *to, const olo_control_cost *cost,
                     const price *of, double sigma)
{
    const int T = olo_block_duration(p->x), columns = column_count(p);
    for (int c = 0; cost->square && c < columns; c++)
        for (int d = 0; d <= c; d++)
            put_symmetric(to, column_of(p, c), column_of(p, d), c == d,
                          sigma * of->w * of->f2 * gradient_of(p, c) * gradient_of(p, d));
    put_curvature(p, to, sigma * of->w * of->f1);
    if (!olo_has_free_duration(p->x))
        return;
    for (int c = 0; c < columns; c++)
        olo_entries_put(to, T, column_of(p, c),
                        sigma * (of->w_T * of->f1 + of->w * of->f2 * of->d_T) * gradient_of(p, c));
    olo_entries_put(to, T, T,
                    sigma * (2 * of->w_T * of->f1 * of->d_T + of->w * of->f2 * of->d_T * of->d_T -
                             of->w * of->f1 * of->theta * of->theta * of->r2));
}

void olo_cost_hessian(olo_redundant *x, olo_location location, int k, double sigma, olo_entries *to)
{
    located p = {.x = x, .location = location, .k = k};
    int first = -1;
    if (!next_cost(x, location, &first))
        return;
    if (to->recorded)
        p.at = state_of(x, location, k);
    for (int i = -1; next_cost(x, location, &i);) {
        const olo_control_cost *cost = &x->problem->costs[i];
        p.m = &cost->measure;
        const double m = evaluate(&p, to->recorded);
        const price of = to->recorded ? price_of(&p, cost, m) : (price){0};
        put_cost(&p, to, cost, &of, sigma);
    }
}
