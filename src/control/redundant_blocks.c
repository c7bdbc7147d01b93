/* The redundant transcription: its matrices as sums of blocks. Values follow the motion: interval
 * k, node k, the rates after it; the start follows the first ones, the end is last. */
#include "base/memory.h"
#include "control/redundant_private.h"

bool olo_redundant_has_block(const olo_redundant *x, olo_block_kind kind, int k)
{
    switch (kind) {
    case OLO_BLOCK_INTERVAL:
        return k < x->intervals;
    case OLO_BLOCK_NODE:
        return true;
    case OLO_BLOCK_RATE:
        return k + 1 < x->intervals;
    case OLO_BLOCK_START:
        return k == 0;
    default:
        return k == x->intervals;
    }
}

const olo_positions *olo_redundant_block(const olo_redundant *x, olo_block_kind kind, bool hessian)
{
    const olo_control_block *block = &x->blocks[kind];
    return hessian ? &block->hessian.positions : &block->jacobian.positions;
}

// -- visits ---------------------------------------------------------------------------------------

static void visit_jacobian(olo_redundant *x, olo_block_kind kind, int k)
{
    switch (kind) {
    case OLO_BLOCK_INTERVAL:
        olo_interval_jacobian(x, k);
        return;
    case OLO_BLOCK_NODE:
        olo_node_jacobian(x, k);
        return;
    case OLO_BLOCK_RATE:
        olo_rate_jacobian(x, k);
        return;
    default:
        olo_end_jacobian(x, kind == OLO_BLOCK_START);
    }
}

static void visit_hessian(olo_redundant *x, olo_block_kind kind, int k, double sigma,
                          const double *y)
{
    switch (kind) {
    case OLO_BLOCK_INTERVAL:
        olo_interval_hessian(x, k, sigma, y);
        return;
    case OLO_BLOCK_NODE:
        olo_node_hessian(x, k, sigma, y);
        return;
    case OLO_BLOCK_RATE:
        olo_rate_hessian(x, k, y);
        return;
    default:
        olo_end_hessian(x, kind == OLO_BLOCK_START, sigma, y);
    }
}

void olo_redundant_block_jacobian(olo_redundant *x, olo_block_kind kind, int k, double *values)
{
    olo_entries_begin(&x->blocks[kind].jacobian, values);
    if (x->blocks[kind].jacobian.positions.count > 0)
        visit_jacobian(x, kind, k);
}

void olo_redundant_block_hessian(olo_redundant *x, olo_block_kind kind, int k, double sigma,
                                 const double *y, double *values)
{
    olo_entries_begin(&x->blocks[kind].hessian, values);
    if (x->blocks[kind].hessian.positions.count > 0)
        visit_hessian(x, kind, k, sigma, y);
}

void olo_redundant_jacobian(void *context, const double *at, double *values)
{
    olo_redundant *x = context;
    olo_redundant_set_point(x, at);
    for (int k = 0; k <= x->intervals; k++)
        for (olo_block_kind kind = 0; kind < OLO_BLOCKS; kind++)
            if (olo_redundant_has_block(x, kind, k)) {
                olo_redundant_block_jacobian(x, kind, k, values);
                values += x->blocks[kind].jacobian.positions.count;
            }
}

void olo_redundant_hessian(void *context, const double *at, double sigma, const double *y,
                           double *values)
{
    olo_redundant *x = context;
    olo_redundant_set_point(x, at);
    for (int k = 0; k <= x->intervals; k++)
        for (olo_block_kind kind = 0; kind < OLO_BLOCKS; kind++)
            if (olo_redundant_has_block(x, kind, k)) {
                olo_redundant_block_hessian(x, kind, k, sigma, y, values);
                values += x->blocks[kind].hessian.positions.count;
            }
}

// -- positions ------------------------------------------------------------------------------------

/* Appends the positions of a block k: rows and columns are variables in a Hessian. */
static void append(const olo_redundant *x, const olo_positions *block, bool hessian, int k,
                   olo_positions *to)
{
    for (int i = 0; i < block->count; i++) {
        to->row[to->count] =
            hessian ? olo_block_variable(x, k, block->row[i]) : k * x->row_stride + block->row[i];
        to->column[to->count++] = olo_block_variable(x, k, block->column[i]);
    }
}

/* All positions, in the order in which values are computed. */
static bool list_positions(olo_redundant *x, bool hessian, olo_positions *to)
{
    size_t count = 0;
    for (int k = 0; k <= x->intervals; k++)
        for (olo_block_kind kind = 0; kind < OLO_BLOCKS; kind++)
            if (olo_redundant_has_block(x, kind, k))
                count += (size_t)olo_redundant_block(x, kind, hessian)->count;
    to->row = olo_pool_alloc(&x->pool, count, sizeof *to->row);
    to->column = olo_pool_alloc(&x->pool, count, sizeof *to->column);
    if (!to->row || !to->column)
        return false;
    for (int k = 0; k <= x->intervals; k++)
        for (olo_block_kind kind = 0; kind < OLO_BLOCKS; kind++)
            if (olo_redundant_has_block(x, kind, k))
                append(x, olo_redundant_block(x, kind, hessian), hessian, k, to);
    return true;
}

bool olo_redundant_record_blocks(olo_redundant *x)
{
    bool done = true;
    for (olo_block_kind kind = 0; kind < OLO_BLOCKS; kind++) {
        visit_jacobian(x, kind, 0);
        visit_hessian(x, kind, 0, 1.0, NULL);
        done = olo_entries_complete(&x->blocks[kind].jacobian, &x->pool) && done;
        done = olo_entries_complete(&x->blocks[kind].hessian, &x->pool) && done;
    }
    return done && list_positions(x, false, &x->nlp.jacobian) &&
           list_positions(x, true, &x->nlp.hessian);
}
