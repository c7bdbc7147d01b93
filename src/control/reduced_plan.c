/* The reduced transcription: where the numbers of the redundant programme belong. It is found once;
 * the evaluation then runs over lists of entries without a question about what they are. */
#include <string.h>

#include "control/reduced_private.h"

// -- variables and rows ---------------------------------------------------------------------------

olo_variable olo_reduced_variable(const olo_reduced *x, int variable)
{
    const int node = variable / x->under.stride, local = variable % x->under.stride;
    const int velocity = olo_redundant_end_velocity(x->full);
    if (variable == x->of->variables - 1)
        return (olo_variable){OLO_DURATION, x->intervals, 0, olo_reduced_duration(x)};
    if (variable >= velocity)
        return (olo_variable){OLO_VELOCITY, x->intervals, variable - velocity,
                              olo_reduced_velocity(x) + variable - velocity};
    if (local < x->n)
        return (olo_variable){OLO_CONFIGURATION, node, local, node * x->stride};
    const int after = local - x->n; /* multipliers and controls have the same order */
    return (olo_variable){after < x->m ? OLO_MULTIPLIER : OLO_CONTROL, node,
                          after < x->m ? after : after - x->m,
                          olo_reduced_closures(x, node) + after};
}

int olo_reduced_row(const olo_reduced *x, int row)
{
    const int k = row / x->under.row_stride, local = row % x->under.row_stride - x->n;
    if (k > x->intervals)
        return row - (x->intervals + 1) * (x->under.row_stride - x->row_stride);
    return local < 0 ? -1 : k * x->row_stride + x->dof + local;
}

// -- columns --------------------------------------------------------------------------------------

/* The column of a variable in the balance of a node, which is `node` before that of the variable;
 * of a configuration the first one. */
static int column_of(const olo_reduced *x, const olo_variable *v, int node)
{
    switch (v->kind) {
    case OLO_CONFIGURATION:
        return olo_column_of_w(x, node);
    case OLO_MULTIPLIER:
        return 3 * x->dof + v->local;
    case OLO_CONTROL:
        return olo_column_of_controls(x, node) + v->local;
    case OLO_DURATION:
        return olo_column_of_duration(x);
    default:
        return olo_column_of_duration(x) + 1 + v->local;
    }
}

int olo_reduced_variable_of_column(const olo_reduced *x, int k, int c)
{
    const int multipliers = 3 * x->dof, before = multipliers + x->m, after = before + x->controls,
              duration = after + x->controls;
    if (c < multipliers) {
        const int group = c / x->dof; /* the node, the next one, the one before */
        return (k + (group == 2 ? -1 : group)) * x->stride + c % x->dof;
    }
    if (c < before)
        return olo_reduced_closures(x, k) + c - multipliers;
    if (c < duration)
        return c < after ? olo_reduced_controls(x, k - 1) + c - before
                         : olo_reduced_controls(x, k) + c - after;
    return c == duration ? olo_reduced_duration(x) : olo_reduced_velocity(x) + c - duration - 1;
}

static void add_columns(olo_reduced_shape *shape, bool there, int first, int count)
{
    for (int i = 0; there && i < count; i++) {
        shape->position[first + i] = shape->count;
        shape->column[shape->count++] = first + i;
    }
}

/* The columns of a first, an inner or a last node. */
static bool set_shape(olo_reduced *x, olo_reduced_shape *shape)
{
    const bool has_before = shape != &x->shapes[0], is_last = shape == &x->shapes[2];
    const int end_velocities = x->under.velocities - x->under.start_velocities,
              velocity = olo_column_of_duration(x) + 1;
    shape->column = olo_pool_alloc(&x->pool, (size_t)x->columns, sizeof *shape->column);
    shape->position = olo_pool_alloc(&x->pool, (size_t)x->columns, sizeof *shape->position);
    if (!shape->column || !shape->position)
        return false;
    for (int c = 0; c < x->columns; c++)
        shape->position[c] = -1;
    add_columns(shape, true, 0, x->dof);
    add_columns(shape, !is_last, x->dof, x->dof);
    shape->other = shape->count;
    add_columns(shape, has_before, 2 * x->dof, x->dof);
    add_columns(shape, true, 3 * x->dof, x->m);
    add_columns(shape, has_before, olo_column_of_controls(x, -1), x->controls);
    add_columns(shape, !is_last, olo_column_of_controls(x, 0), x->controls);
    add_columns(shape, x->problem->free_duration, olo_column_of_duration(x), 1);
    add_columns(shape, is_last, velocity, end_velocities);
    add_columns(shape, !has_before, velocity + end_velocities, x->under.start_velocities);
    return true;
}

// -- entries --------------------------------------------------------------------------------------

/* A variable of a block; its node is 0 or 1, its reduced variable counts from that of node k. */
static olo_variable variable_of_block(const olo_reduced *x, int column)
{
    const int stride = x->under.stride, node = column / stride, local = column % stride;
    if (column == 2 * stride)
        return (olo_variable){OLO_DURATION, 0, 0, olo_reduced_duration(x)};
    if (column > 2 * stride)
        return (olo_variable){OLO_VELOCITY, 0, column - 2 * stride - 1,
                              olo_reduced_velocity(x) + column - 2 * stride - 1};
    if (local < x->n)
        return (olo_variable){OLO_CONFIGURATION, node, local, node * x->stride};
    const int after = local - x->n; /* multipliers and controls have the same order */
    return (olo_variable){after < x->m ? OLO_MULTIPLIER : OLO_CONTROL, node,
                          after < x->m ? after : after - x->m, node * x->stride + x->dof + after};
}

static bool is_absolute(const olo_variable *v)
{
    return v->kind == OLO_DURATION || v->kind == OLO_VELOCITY;
}

/* The row of this programme of a row of a block, from the first one of node k on; -1: it is one of
 * a balance. Rows at the end follow those of the last node; those at the start are counted from the
 * first one of the programme. */
static int row_of_block(const olo_reduced *x, olo_block_kind kind, int row)
{
    const int node = row / x->under.row_stride, local = row % x->under.row_stride - x->n;
    if (kind == OLO_BLOCK_START && node > 0)
        return olo_reduced_row(x, row);
    if (kind == OLO_BLOCK_END && node > 0)
        return row - x->under.row_stride + x->row_stride;
    return local < 0 ? -1 : node * x->row_stride + x->dof + local;
}

/* Where the row of J begins that is a factor; -1: the variable is passed on. */
static int factor_of(const olo_reduced *x, const olo_variable *v)
{
    return v->kind == OLO_CONFIGURATION ? (v->node * x->n + v->local) * x->dof : -1;
}

static olo_passed_entry passed_entry(const olo_reduced *x, int entry, int row, bool row_is_absolute,
                                     const olo_variable *column)
{
    return (olo_passed_entry){.entry = entry,
                              .row = row,
                              .column = column->reduced,
                              .row_is_absolute = row_is_absolute,
                              .column_is_absolute = is_absolute(column),
                              .from = factor_of(x, column)};
}

/* Row `local` of a column of node `side`; `of` numbers the columns that are used. */
static olo_reduced_entry own_entry(const olo_reduced *x, int entry, int side, int local,
                                   const olo_variable *v, olo_reduced_matrix *of)
{
    const int c = column_of(x, v, v->node - side),
              count = v->kind != OLO_CONFIGURATION ? 1 : x->dof;
    const bool fresh = of->of[c] < 0;
    for (int d = 0; fresh && d < count; d++)
        of->of[c + d] = of->width++;
    return (olo_reduced_entry){
        .entry = entry, .to = side * x->n + local, .column = of->of[c], .from = factor_of(x, v)};
}

/* The masses couple w of a node to those of the nodes before and after it. */
static void plan_mass(olo_reduced *x)
{
    for (int c = 0; c < 3 * x->dof; c++)
        x->A.of[c] = x->A.width++;
}

/* A given duration is no column: its entries are left out. */
static bool is_left_out(const olo_reduced *x, const olo_variable *v)
{
    return v->kind == OLO_DURATION && !x->problem->free_duration;
}

static void plan_jacobian(olo_reduced *x, olo_block_kind kind)
{
    const olo_positions *at = olo_redundant_block(x->full, kind, false);
    olo_reduced_block *block = &x->blocks[kind];
    for (int e = 0; e < at->count; e++) {
        const olo_variable column = variable_of_block(x, at->column[e]);
        const int row = row_of_block(x, kind, at->row[e]), side = at->row[e] / x->under.row_stride;
        if (is_left_out(x, &column))
            continue;
        if (column.kind == OLO_CONFIGURATION)
            block->pulled[block->pulled_count++] = (olo_pulled_entry){e, at->row[e], at->column[e]};
        if (row >= 0)
            block->passed[block->passed_count++] = passed_entry(x, e, row, false, &column);
        else
            block->balances[block->balance_count++] =
                own_entry(x, e, side, at->row[e] % x->under.row_stride, &column, &x->A);
    }
}

/* An entry with a configuration belongs to a column of its node; of two nodes to the later one, of
 * which the one before is another column. Within a node both halves of the symmetric matrix are
 * needed. */
static void plan_hessian(olo_reduced *x, olo_block_kind kind)
{
    const olo_positions *at = olo_redundant_block(x->full, kind, true);
    olo_reduced_block *block = &x->blocks[kind];
    for (int e = 0; e < at->count; e++) {
        olo_variable a = variable_of_block(x, at->row[e]), b = variable_of_block(x, at->column[e]);
        if (is_left_out(x, &a) || is_left_out(x, &b))
            continue;
        if (a.kind != OLO_CONFIGURATION && b.kind != OLO_CONFIGURATION) {
            block->direct[block->direct_count++] =
                passed_entry(x, e, a.reduced, is_absolute(&a), &b);
            continue;
        }
        if (a.kind != OLO_CONFIGURATION || (b.kind == OLO_CONFIGURATION && b.node > a.node)) {
            const olo_variable swap = a;
            a = b;
            b = swap;
        }
        block->pairs[block->pair_count++] = own_entry(x, e, a.node, a.local, &b, &x->H);
        if (b.kind == OLO_CONFIGURATION && a.node == b.node && a.local != b.local)
            block->pairs[block->pair_count++] = own_entry(x, e, b.node, b.local, &a, &x->H);
    }
}

static bool plan_block(olo_reduced *x, olo_block_kind kind)
{
    olo_reduced_block *block = &x->blocks[kind];
    const size_t A = (size_t)olo_redundant_block(x->full, kind, false)->count,
                 H = (size_t)olo_redundant_block(x->full, kind, true)->count;
    block->balances = olo_pool_alloc(&x->pool, A + 1, sizeof *block->balances);
    block->passed = olo_pool_alloc(&x->pool, A + 1, sizeof *block->passed);
    block->pulled = olo_pool_alloc(&x->pool, A + 1, sizeof *block->pulled);
    block->pairs = olo_pool_alloc(&x->pool, 2 * H + 1, sizeof *block->pairs);
    block->direct = olo_pool_alloc(&x->pool, H + 1, sizeof *block->direct);
    if (!block->balances || !block->passed || !block->pulled || !block->pairs || !block->direct)
        return false;
    plan_jacobian(x, kind);
    plan_hessian(x, kind);
    return true;
}

static bool start_matrix(olo_reduced *x, olo_reduced_matrix *matrix)
{
    matrix->of = olo_pool_alloc(&x->pool, (size_t)x->columns, sizeof *matrix->of);
    for (int c = 0; matrix->of && c < x->columns; c++)
        matrix->of[c] = -1;
    return matrix->of != NULL;
}

static bool allocate_matrix(olo_reduced *x, olo_reduced_matrix *matrix)
{
    const size_t size = (size_t)(2 * x->n * matrix->width);
    const olo_array arrays[] = {{&matrix->values, size}};
    return olo_pool_arrays(&x->pool, arrays, 1);
}

/* With the width of the matrix, where entries are added. */
static void finish(int count, olo_reduced_entry *entries, const olo_reduced_matrix *matrix)
{
    for (int e = 0; e < count; e++)
        entries[e].to = entries[e].to * matrix->width + entries[e].column;
}

bool olo_reduced_plan(olo_reduced *x)
{
    x->columns = olo_column_of_duration(x) + 1 + x->under.velocities;
    bool done = start_matrix(x, &x->A) && start_matrix(x, &x->H);
    if (done)
        plan_mass(x);
    for (int i = 0; i < 3; i++)
        done = done && set_shape(x, &x->shapes[i]);
    for (olo_block_kind kind = 0; kind < OLO_BLOCKS; kind++)
        done = done && plan_block(x, kind);
    for (olo_block_kind kind = 0; done && kind < OLO_BLOCKS; kind++) {
        finish(x->blocks[kind].balance_count, x->blocks[kind].balances, &x->A);
        finish(x->blocks[kind].pair_count, x->blocks[kind].pairs, &x->H);
    }
    return done && allocate_matrix(x, &x->A) && allocate_matrix(x, &x->H);
}

bool olo_reduced_allocate_positions(olo_reduced *x, int count, olo_positions *to)
{
    to->row = olo_pool_alloc(&x->pool, (size_t)count, sizeof *to->row);
    to->column = olo_pool_alloc(&x->pool, (size_t)count, sizeof *to->column);
    return to->row && to->column;
}
