/* The redundant transcription with energy-momentum-2006: constraint forces over an interval. The
 * multiplier of a row, constant over the interval, acts along the discrete gradient d(q0, q1):
 *
 *     both balances   -alpha lambda d,   alpha = h/2.
 *
 * With y = y_start + y_end the second derivatives of y.(-alpha lambda d) are those of y.d times
 * -alpha lambda, -alpha (y.d)_a between lambda and a configuration, and with alpha_T those by the
 * duration.
 *
 * A row of velocities (rolling) has no g; its condition of the interval, d(q0, q1).(q1 - q0) = 0,
 * has the place of g at the end of the interval. */
#include "control/redundant_private.h"

enum { SIZE = OLO_FORM_SIZE_MAX };

static const olo_slot ends[2] = {OLO_SLOT_Q0, OLO_SLOT_Q1};

static int column_of(const olo_redundant *x, const olo_constraint *row, int end, int j)
{
    return row->index[j] + end * x->stride;
}

static double multiplier(const olo_redundant *x, const olo_interval *over, int i)
{
    return over->q0[x->n + i];
}

void olo_mean_row_balances(olo_redundant *x, const olo_interval *over, double *start, double *end)
{
    double d[SIZE];
    for (int i = 0; i < x->m; i++) {
        const olo_constraint *row = &x->system->constraints[x->rows[i]];
        const int piece = olo_piece_of_constraint(x->system, x->rows[i]);
        const double factor = -0.5 * x->h * multiplier(x, over, i);
        olo_piece_value(x->system, &x->how, piece, over, d);
        for (int j = 0; j < row->size; j++) {
            start[row->index[j]] += factor * d[j];
            end[row->index[j]] += factor * d[j];
        }
        if (row->type->velocity)
            end[x->n + i] += olo_condition_value(row, over);
    }
}

/* factor matrix[size x width] in both balances */
static void put_columns(olo_redundant *x, const olo_constraint *row, int column, double factor,
                        const double *d)
{
    for (int side = 0; side < 2; side++)
        for (int j = 0; j < row->size; j++)
            olo_entries_put(&x->blocks[OLO_BLOCK_INTERVAL].jacobian,
                            side * x->row_stride + row->index[j], column, factor * d[j]);
}

static void put_configurations(olo_redundant *x, const olo_constraint *row, int piece,
                               const olo_interval *over, double factor)
{
    olo_entries *to = &x->blocks[OLO_BLOCK_INTERVAL].jacobian;
    double matrix[SIZE * SIZE];
    for (int a = 0; a < 2; a++) {
        if (to->recorded)
            olo_piece_first(x->system, &x->how, piece, over, ends[a], matrix);
        for (int side = 0; side < 2; side++)
            for (int i = 0; i < row->size; i++)
                for (int j = 0; j < row->size; j++)
                    olo_entries_put(to, side * x->row_stride + row->index[i],
                                    column_of(x, row, a, j),
                                    to->recorded ? factor * matrix[i * row->size + j] : 0);
    }
}

/* The condition of a row of velocities. */
static void put_condition(olo_redundant *x, const olo_constraint *row, const olo_interval *over,
                          int i)
{
    olo_entries *to = &x->blocks[OLO_BLOCK_INTERVAL].jacobian;
    double by[SIZE] = {0};
    for (int a = 0; a < 2; a++) {
        if (to->recorded)
            olo_condition_first(row, over, ends[a], by);
        for (int j = 0; j < row->size; j++)
            olo_entries_put(to, x->row_stride + x->n + i, column_of(x, row, a, j), by[j]);
    }
}

void olo_mean_row_jacobian(olo_redundant *x, const olo_interval *over)
{
    const bool record = !x->blocks[OLO_BLOCK_INTERVAL].jacobian.recorded;
    double d[SIZE] = {0};
    for (int i = 0; i < x->m; i++) {
        const olo_constraint *row = &x->system->constraints[x->rows[i]];
        const int piece = olo_piece_of_constraint(x->system, x->rows[i]);
        const double lambda = record ? 0 : multiplier(x, over, i);
        if (!record)
            olo_piece_value(x->system, &x->how, piece, over, d);
        put_columns(x, row, x->n + i, -0.5 * x->h, d);
        if (olo_has_free_duration(x))
            put_columns(x, row, olo_block_duration(x), -0.5 * x->scale * lambda, d);
        if (row->curved)
            put_configurations(x, row, piece, over, -0.5 * x->h * lambda);
        if (row->type->velocity)
            put_condition(x, row, over, i);
    }
}

// -- Hessian --------------------------------------------------------------------------------------

static void put_pair(olo_redundant *x, int i, int j, double value)
{
    olo_entries_put(&x->blocks[OLO_BLOCK_INTERVAL].hessian, i > j ? i : j, i > j ? j : i, value);
}

/* factor matrix between both configurations, NULL while positions are recorded */
static void put_pairs(olo_redundant *x, const olo_constraint *row, int a, int b, double factor,
                      const double *matrix)
{
    for (int i = 0; i < row->size; i++)
        for (int j = 0; j < (a == b ? i + 1 : row->size); j++)
            put_pair(x, column_of(x, row, a, i), column_of(x, row, b, j),
                     matrix ? factor * matrix[i * row->size + j] : 0);
}

/* -alpha lambda (y.d)_ab */
static void put_curvature(olo_redundant *x, const olo_constraint *row, int piece,
                          const olo_interval *over, const double *y, double factor)
{
    const bool record = !x->blocks[OLO_BLOCK_INTERVAL].hessian.recorded;
    const unsigned second = olo_piece_structure(x->system, &x->how, piece).second;
    double matrix[SIZE * SIZE];
    for (int a = 0; a < 2; a++)
        for (int b = 0; b <= a; b++) {
            if (!(second & olo_pair_bit(ends[a], ends[b])))
                continue;
            if (!record)
                olo_piece_second(x->system, &x->how, piece, over, y, ends[a], ends[b], matrix);
            put_pairs(x, row, a, b, factor, record ? NULL : matrix);
        }
}

/* (y.d)_a with the multiplier and the duration */
static void put_firsts(olo_redundant *x, const olo_constraint *row, int piece,
                       const olo_interval *over, const double *y, int i)
{
    const bool record = !x->blocks[OLO_BLOCK_INTERVAL].hessian.recorded;
    const double lambda = record ? 0 : multiplier(x, over, i);
    double matrix[SIZE * SIZE];
    for (int a = 0; a < 2; a++) {
        if (!record)
            olo_piece_first(x->system, &x->how, piece, over, ends[a], matrix);
        for (int j = 0; j < row->size; j++) {
            double sum = 0;
            for (int k = 0; !record && k < row->size; k++)
                sum += y[k] * matrix[k * row->size + j];
            put_pair(x, x->n + i, column_of(x, row, a, j), -0.5 * x->h * sum);
            if (olo_has_free_duration(x))
                put_pair(x, olo_block_duration(x), column_of(x, row, a, j),
                         -0.5 * x->scale * lambda * sum);
        }
    }
}

/* y times the condition of a row of velocities */
static void put_condition_hessian(olo_redundant *x, const olo_constraint *row,
                                  const olo_interval *over, double y)
{
    const bool record = !x->blocks[OLO_BLOCK_INTERVAL].hessian.recorded;
    double matrix[SIZE * SIZE];
    for (int a = 0; a < 2; a++)
        for (int b = 0; b <= a; b++) {
            if (!record)
                olo_condition_second(row, over, ends[a], ends[b], matrix);
            put_pairs(x, row, a, b, y, record ? NULL : matrix);
        }
}

void olo_mean_row_hessian(olo_redundant *x, const olo_interval *over, int k, const double *y)
{
    const bool record = !x->blocks[OLO_BLOCK_INTERVAL].hessian.recorded;
    double d[SIZE], local[SIZE];
    for (int i = 0; i < x->m; i++) {
        const olo_constraint *row = &x->system->constraints[x->rows[i]];
        const int piece = olo_piece_of_constraint(x->system, x->rows[i]);
        const double lambda = record ? 0 : multiplier(x, over, i);
        double along = 0;
        if (!record) {
            const double *start = y + (size_t)(k * x->row_stride), *end = start + x->row_stride;
            olo_piece_value(x->system, &x->how, piece, over, d);
            for (int j = 0; j < row->size; j++) {
                local[j] = start[row->index[j]] + end[row->index[j]];
                along += local[j] * d[j];
            }
        }
        if (olo_has_free_duration(x))
            put_pair(x, olo_block_duration(x), x->n + i, -0.5 * x->scale * along);
        if (!row->curved)
            continue;
        put_firsts(x, row, piece, over, local, i);
        put_curvature(x, row, piece, over, local, -0.5 * x->h * lambda);
        if (row->type->velocity)
            put_condition_hessian(x, row, over, record ? 0 : y[(k + 1) * x->row_stride + x->n + i]);
    }
}
