/* The redundant transcription: what a node contributes, with the weight w = 1, or 1/2 at both ends
 * of the motion:
 *
 *     balance       -w h lambda_c grad g_c(q)
 *     rows          g_c(q)
 *     conditions    m(q)
 *     costs         w h weight (m - target), or its square
 *
 * and conditions and costs at the end. */
#include "control/redundant_private.h"

#include <string.h>

enum { SIZE = OLO_FORM_SIZE_MAX };

/* The configuration of node k. */
static olo_at node_at(const olo_redundant *x, int k)
{
    return (olo_at){
        .q = x->x + (size_t)(k * x->stride), .angles = olo_node_angles(x, k), .t = k * x->h};
}

/* Second derivatives of a row at node k; `y` NULL: its Hessian, else d2(y.grad g)/dq2. The kernel
 * evaluates rows at the start of an interval. */
static void row_derivative(const olo_redundant *x, int c, const olo_at *at, const double *y,
                           double *matrix)
{
    const int piece = olo_piece_of_constraint(x->system, c);
    const olo_interval here = {
        .q0 = at->q, .q1 = at->q, .qm = at->q, .angles = at->angles, .h = x->h, .t = at->t};
    if (y)
        olo_piece_second(x->system, &x->how, piece, &here, y, OLO_SLOT_Q0, OLO_SLOT_Q0, matrix);
    else
        olo_piece_first(x->system, &x->how, piece, &here, OLO_SLOT_Q0, matrix);
}

static bool has_third_derivative(const olo_redundant *x, int c)
{
    const int piece = olo_piece_of_constraint(x->system, c);
    return olo_piece_structure(x->system, &x->how, piece).second != 0;
}

// -- constraint rows ------------------------------------------------------------------------------

void olo_node_rows(olo_redundant *x, int k, double *c)
{
    const olo_system *s = x->system;
    const olo_at at = node_at(x, k);
    const double *lambda = at.q + x->n, factor = -olo_node_weight(x, k) * x->h;
    double g[SIZE], *balance = c + (size_t)(k * x->row_stride), *row = balance + x->n;
    for (int i = 0; i < x->m; i++) {
        const olo_constraint *constraint = &s->constraints[i];
        olo_constraint_gradient(constraint, &at, g);
        for (int j = 0; j < constraint->size; j++)
            balance[constraint->index[j]] += factor * lambda[i] * g[j];
        row[i] = olo_constraint_value(constraint, &at);
    }
    row += x->m;
    for (int i = 0; i < x->problem->condition_count; i++)
        if (x->problem->conditions[i].where == OLO_ALONG_PATH)
            *row++ = olo_quantity_value(&x->problem->conditions[i].quantity, at.q, at.angles, NULL);
}

/* Values while positions are recorded. */
static void clear_square(int size, double *matrix)
{
    memset(matrix, 0, (size_t)(size * size) * sizeof *matrix);
}

/* Balance and value of one row. */
static void put_row(olo_redundant *x, int k, int c, const olo_at *at)
{
    const olo_constraint *row = &x->system->constraints[c];
    olo_entries *to = &x->node.jacobian;
    const bool record = !to->recorded;
    const double w = olo_node_weight(x, k), factor = -w * x->h,
                 lambda = record ? 0 : at->q[x->n + c];
    double g[SIZE] = {0}, H[SIZE * SIZE];
    if (record)
        clear_square(row->size, H);
    else
        olo_constraint_gradient(row, at, g);
    if (!record && row->curved)
        row_derivative(x, c, at, NULL, H);
    for (int i = 0; i < row->size; i++) {
        olo_entries_put(to, row->index[i], x->n + c, factor * g[i]);
        olo_entries_put(to, x->n + c, row->index[i], g[i]);
        if (olo_has_free_duration(x))
            olo_entries_put(to, row->index[i], olo_block_duration(x),
                            -w * x->scale * lambda * g[i]);
        for (int j = 0; row->curved && j < row->size; j++)
            olo_entries_put(to, row->index[i], row->index[j],
                            factor * lambda * H[i * row->size + j]);
    }
}

static void put_quantity(olo_entries *to, const olo_quantity *m, int row, const olo_at *at)
{
    double g[SIZE] = {0};
    if (to->recorded)
        (void)olo_quantity_value(m, at->q, at->angles, g);
    for (int i = 0; i < m->size; i++)
        olo_entries_put(to, row, m->index[i], g[i]);
}

void olo_node_jacobian(olo_redundant *x, int k)
{
    const bool record = !x->node.jacobian.recorded;
    const olo_at at = record ? (olo_at){0} : node_at(x, k);
    int row = x->n + x->m;
    for (int c = 0; c < x->m; c++)
        put_row(x, k, c, &at);
    for (int i = 0; i < x->problem->condition_count; i++)
        if (x->problem->conditions[i].where == OLO_ALONG_PATH)
            put_quantity(&x->node.jacobian, &x->problem->conditions[i].quantity, row++, &at);
}

/* Adds factor H to the lower triangle over the coordinates of something at a node. */
static void put_curvature(olo_entries *to, int size, const int *index, double factor,
                          const double *H)
{
    for (int i = 0; i < size; i++)
        for (int j = 0; j <= i; j++)
            olo_entries_put(to, index[i] > index[j] ? index[i] : index[j],
                            index[i] > index[j] ? index[j] : index[i], factor * H[i * size + j]);
}

/* y.(-w h lambda grad g) + y_g g of one row */
static void put_row_hessian(olo_redundant *x, int k, int c, const olo_at *at, const double *y)
{
    const olo_constraint *row = &x->system->constraints[c];
    olo_entries *to = &x->node.hessian;
    const bool record = !to->recorded, curvature_varies = has_third_derivative(x, c);
    const double w = olo_node_weight(x, k), factor = -w * x->h;
    double H[SIZE * SIZE], third[SIZE * SIZE], local[SIZE] = {0}, g[SIZE] = {0};
    const double lambda = record ? 0 : at->q[x->n + c], y_g = record ? 0 : y[x->n + c];
    double along = 0;
    if (record) {
        clear_square(row->size, H);
        clear_square(row->size, third);
    } else {
        olo_constraint_gather(row, y, local);
        olo_constraint_gradient(row, at, g);
        if (row->curved)
            row_derivative(x, c, at, NULL, H);
        if (curvature_varies)
            row_derivative(x, c, at, local, third);
    }
    for (int i = 0; row->curved && i < row->size; i++) {
        double product = 0;
        for (int j = 0; j < row->size; j++)
            product += H[i * row->size + j] * local[j];
        olo_entries_put(to, x->n + c, row->index[i], factor * product);
        if (olo_has_free_duration(x))
            olo_entries_put(to, olo_block_duration(x), row->index[i],
                            -w * x->scale * lambda * product);
    }
    if (row->curved)
        put_curvature(to, row->size, row->index, y_g, H);
    if (curvature_varies)
        put_curvature(to, row->size, row->index, factor * lambda, third);
    if (!olo_has_free_duration(x))
        return;
    for (int i = 0; i < row->size; i++)
        along += local[i] * g[i];
    olo_entries_put(to, olo_block_duration(x), x->n + c, -w * x->scale * along);
}

static void put_quantity_hessian(olo_entries *to, const olo_quantity *m, double y, const olo_at *at)
{
    double H[SIZE * SIZE];
    if (!olo_quantity_is_curved(m))
        return;
    clear_square(m->size, H);
    if (to->recorded)
        olo_quantity_hessian(m, at->q, at->angles, H);
    put_curvature(to, m->size, m->index, y, H);
}

// -- costs ----------------------------------------------------------------------------------------

/* weight (m - target) or its square: value, and derivatives with respect to m */
static double cost_of(const olo_control_cost *cost, double m, double *by, double *twice)
{
    const double d = m - cost->target;
    *by = cost->square ? 2 * cost->weight * d : cost->weight;
    *twice = cost->square ? 2 * cost->weight : 0;
    return cost->square ? cost->weight * d * d : cost->weight * d;
}

double olo_node_cost(olo_redundant *x, int k, bool end, double *gradient)
{
    const olo_at at = node_at(x, k);
    const double w = end ? 1.0 : olo_node_weight(x, k) * x->h;
    double sum = 0, g[SIZE], by, twice;
    for (int i = 0; i < x->problem->cost_count; i++) {
        const olo_control_cost *cost = &x->problem->costs[i];
        if ((cost->where == OLO_AT_END) != end)
            continue;
        const double m = olo_quantity_value(&cost->quantity, at.q, at.angles, g);
        const double value = cost_of(cost, m, &by, &twice);
        sum += w * value;
        if (!gradient)
            continue;
        for (int j = 0; j < cost->quantity.size; j++)
            gradient[k * x->stride + cost->quantity.index[j]] += w * by * g[j];
        if (!end)
            gradient[olo_redundant_duration(x)] += olo_node_weight(x, k) * x->scale * value;
    }
    return sum;
}

static void put_cost_hessian(olo_redundant *x, olo_entries *to, const olo_control_cost *cost, int k,
                             double sigma, const olo_at *at)
{
    const olo_quantity *m = &cost->quantity;
    const bool end = cost->where == OLO_AT_END;
    const double w = sigma * (end ? 1.0 : olo_node_weight(x, k) * x->h);
    double g[SIZE] = {0}, outer[SIZE * SIZE], by = 0, twice = 0;
    if (to->recorded)
        (void)cost_of(cost, olo_quantity_value(m, at->q, at->angles, g), &by, &twice);
    for (int i = 0; i < m->size * m->size; i++)
        outer[i] = g[i / m->size] * g[i % m->size];
    if (cost->square)
        put_curvature(to, m->size, m->index, w * twice, outer);
    put_quantity_hessian(to, m, w * by, at);
    for (int i = 0; !end && olo_has_free_duration(x) && i < m->size; i++)
        olo_entries_put(to, olo_block_duration(x), m->index[i],
                        sigma * olo_node_weight(x, k) * x->scale * by * g[i]);
}

void olo_node_hessian(olo_redundant *x, int k, double sigma, const double *y)
{
    const olo_control_problem *p = x->problem;
    olo_entries *to = &x->node.hessian;
    const bool record = !to->recorded;
    const olo_at at = record ? (olo_at){0} : node_at(x, k);
    const double *own = record ? NULL : y + (size_t)(k * x->row_stride);
    int row = x->n + x->m;
    for (int c = 0; c < x->m; c++)
        put_row_hessian(x, k, c, &at, own);
    for (int i = 0; i < p->condition_count; i++)
        if (p->conditions[i].where == OLO_ALONG_PATH) {
            put_quantity_hessian(to, &p->conditions[i].quantity, record ? 0 : own[row], &at);
            row++;
        }
    for (int i = 0; i < p->cost_count; i++)
        if (p->costs[i].where == OLO_ALONG_PATH)
            put_cost_hessian(x, to, &p->costs[i], k, sigma, &at);
}

// -- the end --------------------------------------------------------------------------------------

void olo_end_rows(olo_redundant *x, double *c)
{
    const olo_at at = node_at(x, x->intervals);
    double *row = c + (size_t)((x->intervals + 1) * x->row_stride);
    for (int i = 0; i < x->problem->condition_count; i++)
        if (x->problem->conditions[i].where == OLO_AT_END)
            *row++ = olo_quantity_value(&x->problem->conditions[i].quantity, at.q, at.angles, NULL);
}

void olo_end_jacobian(olo_redundant *x)
{
    const bool record = !x->end.jacobian.recorded;
    const olo_at at = record ? (olo_at){0} : node_at(x, x->intervals);
    int row = 0;
    for (int i = 0; i < x->problem->condition_count; i++)
        if (x->problem->conditions[i].where == OLO_AT_END)
            put_quantity(&x->end.jacobian, &x->problem->conditions[i].quantity, row++, &at);
}

void olo_end_hessian(olo_redundant *x, double sigma, const double *y)
{
    const olo_control_problem *p = x->problem;
    olo_entries *to = &x->end.hessian;
    const bool record = !to->recorded;
    const olo_at at = record ? (olo_at){0} : node_at(x, x->intervals);
    const double *own = record ? NULL : y + (size_t)((x->intervals + 1) * x->row_stride);
    int row = 0;
    for (int i = 0; i < p->condition_count; i++)
        if (p->conditions[i].where == OLO_AT_END) {
            put_quantity_hessian(to, &p->conditions[i].quantity, record ? 0 : own[row], &at);
            row++;
        }
    for (int i = 0; i < p->cost_count; i++)
        if (p->costs[i].where == OLO_AT_END)
            put_cost_hessian(x, to, &p->costs[i], x->intervals, sigma, &at);
}
