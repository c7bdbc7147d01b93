/* The redundant transcription: what a node contributes, with the time h between the middles of its
 * intervals, half the only one at both ends of the motion:
 *
 *     balance       -h lambda_c grad g_c(q)
 *     rows          g_c(q)
 *
 * with energy-momentum-2006 in the last balance only (redundant_mean_rows.c, which also has the
 * rows of rolling), and conditions and costs of its configuration (redundant_quantity.c). */
#include "control/redundant_private.h"

#include <string.h>

enum { SIZE = OLO_FORM_SIZE_MAX };

static const olo_evaluation at_start = {.at_start = true};

/* The configuration of node k. */
static olo_at node_at(olo_redundant *x, int k)
{
    olo_enter_node(x, k);
    return (olo_at){.q = x->x + (size_t)(k * x->stride),
                    .angles = olo_node_angles(x, k),
                    .t = olo_control_time(x->problem, x->part, x->T)};
}

/* The sign of multipliers in the balance; zero where they act over intervals instead. */
static double row_factor(const olo_redundant *x)
{
    return x->rows_act ? -1 : 0;
}

/* The kernel evaluates rows at the start of an interval. */
void olo_row_derivative(const olo_redundant *x, int c, const olo_at *at, const double *y,
                        double *matrix)
{
    const int piece = olo_piece_of_constraint(x->system, c);
    const olo_interval here = {
        .q0 = at->q, .q1 = at->q, .qm = at->q, .angles = at->angles, .h = x->h, .t = at->t};
    if (y)
        olo_piece_second(x->system, &at_start, piece, &here, y, OLO_SLOT_Q0, OLO_SLOT_Q0, matrix);
    else
        olo_piece_first(x->system, &at_start, piece, &here, OLO_SLOT_Q0, matrix);
}

bool olo_row_has_third_derivative(const olo_redundant *x, int c)
{
    const int piece = olo_piece_of_constraint(x->system, c);
    return olo_piece_structure(x->system, &at_start, piece).second != 0;
}

// -- constraint rows ------------------------------------------------------------------------------

void olo_node_rows(olo_redundant *x, int k, double *c)
{
    const olo_system *s = x->system;
    const olo_at at = node_at(x, k);
    const double *lambda = at.q + x->n, factor = row_factor(x) * x->h;
    double g[SIZE], *balance = c + (size_t)(k * x->row_stride), *row = balance + x->n;
    for (int i = 0; i < x->m; i++) {
        const olo_constraint *constraint = &s->constraints[x->rows[i]];
        olo_constraint_gradient(constraint, &at, g);
        for (int j = 0; j < constraint->size; j++)
            balance[constraint->index[j]] += factor * lambda[i] * g[j];
        row[i] += olo_constraint_value(constraint, &at);
    }
    olo_condition_rows(x, OLO_AT_NODE, k, row + x->m);
}

/* Values while positions are recorded. */
static void clear_square(int size, double *matrix)
{
    memset(matrix, 0, (size_t)(size * size) * sizeof *matrix);
}

/* Balance and value of row c of those with multipliers. A prescribed motion f(a T) changes with the
 * duration. */
static void put_row(olo_redundant *x, int c, const olo_at *at)
{
    const olo_constraint *row = &x->system->constraints[x->rows[c]];
    olo_entries *to = &x->blocks[OLO_BLOCK_NODE].jacobian;
    const bool record = !to->recorded;
    const double factor = row_factor(x) * x->h, lambda = record ? 0 : at->q[x->n + c];
    double g[SIZE] = {0}, H[SIZE * SIZE];
    if (record)
        clear_square(row->size, H);
    else
        olo_constraint_gradient(row, at, g);
    if (!record && row->curved)
        olo_row_derivative(x, x->rows[c], at, NULL, H);
    for (int i = 0; i < row->size; i++) {
        olo_entries_put(to, row->index[i], x->n + c, factor * g[i]);
        if (!row->type->velocity)
            olo_entries_put(to, x->n + c, row->index[i], g[i]);
        if (olo_has_free_duration(x))
            olo_entries_put(to, row->index[i], olo_block_duration(x),
                            row_factor(x) * x->scale * lambda * g[i]);
        for (int j = 0; row->curved && j < row->size; j++)
            olo_entries_put(to, row->index[i], row->index[j],
                            factor * lambda * H[i * row->size + j]);
    }
    if (olo_has_free_duration(x) && olo_constraint_moves(row))
        olo_entries_put(to, x->n + c, olo_block_duration(x),
                        record ? 0 : -x->part * olo_constraint_motion_rate(row, at->t));
}

void olo_node_jacobian(olo_redundant *x, int k)
{
    const bool record = !x->blocks[OLO_BLOCK_NODE].jacobian.recorded;
    const olo_at at = record ? (olo_at){0} : node_at(x, k);
    for (int c = 0; c < x->m; c++)
        put_row(x, c, &at);
    olo_condition_jacobian(x, OLO_AT_NODE, k, x->n + x->m, &x->blocks[OLO_BLOCK_NODE].jacobian);
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

/* y.(-h lambda grad g) + y_g g of one row */
static void put_row_hessian(olo_redundant *x, int c, const olo_at *at, const double *y)
{
    const olo_constraint *row = &x->system->constraints[x->rows[c]];
    olo_entries *to = &x->blocks[OLO_BLOCK_NODE].hessian;
    const bool record = !to->recorded,
               curvature_varies = olo_row_has_third_derivative(x, x->rows[c]);
    const double factor = row_factor(x) * x->h;
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
            olo_row_derivative(x, x->rows[c], at, NULL, H);
        if (curvature_varies)
            olo_row_derivative(x, x->rows[c], at, local, third);
    }
    for (int i = 0; row->curved && i < row->size; i++) {
        double product = 0;
        for (int j = 0; j < row->size; j++)
            product += H[j * row->size + i] * local[j];
        olo_entries_put(to, x->n + c, row->index[i], factor * product);
        if (olo_has_free_duration(x))
            olo_entries_put(to, olo_block_duration(x), row->index[i],
                            row_factor(x) * x->scale * lambda * product);
    }
    if (row->curved && !row->type->velocity)
        put_curvature(to, row->size, row->index, y_g, H);
    if (curvature_varies)
        put_curvature(to, row->size, row->index, factor * lambda, third);
    if (!olo_has_free_duration(x))
        return;
    for (int i = 0; i < row->size; i++)
        along += local[i] * g[i];
    olo_entries_put(to, olo_block_duration(x), x->n + c, row_factor(x) * x->scale * along);
    if (olo_constraint_moves(row))
        olo_entries_put(
            to, olo_block_duration(x), olo_block_duration(x),
            record ? 0 : -y_g * x->part * x->part * row->time.curvature(row->time.context, at->t));
}

void olo_node_hessian(olo_redundant *x, int k, double sigma, const double *y)
{
    olo_entries *to = &x->blocks[OLO_BLOCK_NODE].hessian;
    const bool record = !to->recorded;
    const olo_at at = record ? (olo_at){0} : node_at(x, k);
    const double *own = record ? NULL : y + (size_t)(k * x->row_stride);
    for (int c = 0; c < x->m; c++)
        put_row_hessian(x, c, &at, own);
    olo_condition_hessian(x, OLO_AT_NODE, k, record ? NULL : own + x->n + x->m, to);
    olo_cost_hessian(x, OLO_AT_NODE, k, sigma, to);
}
