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

/* The column of a variable in the balance of node k; of a configuration the first one. */
int olo_reduced_column(const olo_reduced *x, int k, const olo_variable *v)
{
    const int other = x->nodes[k].other, multipliers = other + (k > 0 ? x->dof : 0),
              controls = multipliers + x->m,
              duration = controls + x->controls * ((k > 0) + olo_reduced_has_interval(x, k));
    switch (v->kind) {
    case OLO_CONFIGURATION:
        return v->node == k ? 0 : v->node > k ? x->dof : other;
    case OLO_MULTIPLIER:
        return multipliers + v->local;
    case OLO_CONTROL:
        return controls + (v->node == k && k > 0 ? x->controls : 0) + v->local;
    case OLO_DURATION:
        return duration;
    default:
        return duration + x->problem->free_duration + v->local;
    }
}

static void add_columns(olo_reduced_node *node, int first, int count)
{
    for (int i = 0; i < count; i++)
        node->variable[node->columns++] = first + i;
}

static bool set_columns(olo_reduced *x, int k)
{
    olo_reduced_node *node = &x->nodes[k];
    const int most = 3 * x->dof + x->m + 2 * x->controls + 1 + x->under.velocities;
    node->variable = olo_pool_alloc(&x->pool, (size_t)most, sizeof *node->variable);
    node->in_A = olo_pool_alloc(&x->pool, (size_t)most, sizeof *node->in_A);
    node->in_H = olo_pool_alloc(&x->pool, (size_t)most, sizeof *node->in_H);
    if (!node->variable || !node->in_A || !node->in_H)
        return false;
    add_columns(node, k * x->stride, x->dof);
    if (k < x->intervals)
        add_columns(node, (k + 1) * x->stride, x->dof);
    node->other = node->columns;
    if (k > 0)
        add_columns(node, (k - 1) * x->stride, x->dof);
    add_columns(node, olo_reduced_closures(x, k), x->m);
    for (int j = k - 1; j <= k; j++)
        if (olo_reduced_has_interval(x, j))
            add_columns(node, olo_reduced_controls(x, j), x->controls);
    if (x->problem->free_duration)
        add_columns(node, olo_reduced_duration(x), 1);
    if (k == x->intervals)
        add_columns(node, olo_reduced_velocity(x), x->under.velocities);
    return true;
}

/* The columns of all nodes are one array, and so are their bases. */
static bool allocate_columns(olo_reduced *x)
{
    const size_t nodes = (size_t)x->intervals + 1, n = (size_t)x->n;
    size_t count = 0;
    for (int k = 0; k <= x->intervals; k++) {
        if (!set_columns(x, k))
            return false;
        x->nodes[k].first_column = (int)count;
        count += (size_t)x->nodes[k].columns;
    }
    const olo_array arrays[] = {{&x->J, nodes * (size_t)x->dof * n},
                                {&x->P, nodes * (size_t)x->dof * n},
                                {&x->A_columns, count * n},
                                {&x->H_columns, count * n}};
    if (!olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays))
        return false;
    for (int k = 0; k <= x->intervals; k++) {
        olo_reduced_node *node = &x->nodes[k];
        node->J = x->J + (size_t)(k * x->dof) * n;
        node->P = x->P + (size_t)(k * x->dof) * n;
        node->A = x->A_columns + (size_t)node->first_column * n;
        node->H = x->H_columns + (size_t)node->first_column * n;
    }
    return true;
}

// -- entries --------------------------------------------------------------------------------------

/* Where the J of a variable begins, -1 if it is passed on. */
static int factor_of(const olo_reduced *x, const olo_variable *v)
{
    return v->kind == OLO_CONFIGURATION ? v->node * x->dof * x->n + v->local : -1;
}

static olo_passed_entry passed_entry(const olo_reduced *x, int entry, int row,
                                     const olo_variable *column)
{
    return (olo_passed_entry){
        .entry = entry, .row = row, .column = column->reduced, .from = factor_of(x, column)};
}

/* Row `local` of a column of a node, which is then used. */
static olo_reduced_entry own_entry(const olo_reduced *x, int entry, int node, int local,
                                   const olo_variable *column, bool *used)
{
    const int c = olo_reduced_column(x, node, column);
    const olo_reduced_entry own = {.entry = entry,
                                   .to = (x->nodes[node].first_column + c) * x->n + local,
                                   .from = factor_of(x, column)};
    for (int d = 0; d < (own.from < 0 ? 1 : x->dof); d++)
        used[c + d] = true;
    return own;
}

/* A given duration is no column: its entries are left out. */
static bool is_left_out(const olo_reduced *x, const olo_variable *v)
{
    return v->kind == OLO_DURATION && !x->problem->free_duration;
}

static void plan_jacobian(olo_reduced *x)
{
    const olo_positions *at = &x->of->jacobian;
    for (int e = 0; e < at->count; e++) {
        const olo_variable column = olo_reduced_variable(x, at->column[e]);
        const int row = olo_reduced_row(x, at->row[e]), k = at->row[e] / x->under.row_stride,
                  local = at->row[e] % x->under.row_stride;
        if (is_left_out(x, &column))
            continue;
        if (row >= 0)
            x->passed[x->passed_count++] = passed_entry(x, e, row, &column);
        else
            x->balances[x->balance_count++] = own_entry(x, e, k, local, &column, x->nodes[k].in_A);
    }
}

/* An entry with a configuration belongs to a column of its node; of two nodes to the later one, of
 * which the one before is another column. Within a node both halves of the symmetric matrix are
 * needed. */
static void plan_hessian(olo_reduced *x)
{
    const olo_positions *at = &x->of->hessian;
    for (int e = 0; e < at->count; e++) {
        olo_variable a = olo_reduced_variable(x, at->row[e]),
                     b = olo_reduced_variable(x, at->column[e]);
        if (is_left_out(x, &a) || is_left_out(x, &b))
            continue;
        if (a.kind != OLO_CONFIGURATION && b.kind != OLO_CONFIGURATION) {
            x->direct[x->direct_count++] = passed_entry(x, e, a.reduced, &b);
            continue;
        }
        if (a.kind != OLO_CONFIGURATION || (b.kind == OLO_CONFIGURATION && b.node > a.node)) {
            const olo_variable swap = a;
            a = b;
            b = swap;
        }
        x->pairs[x->pair_count++] = own_entry(x, e, a.node, a.local, &b, x->nodes[a.node].in_H);
        if (b.kind == OLO_CONFIGURATION && a.node == b.node && a.local != b.local)
            x->pairs[x->pair_count++] = own_entry(x, e, b.node, b.local, &a, x->nodes[b.node].in_H);
    }
}

bool olo_reduced_plan(olo_reduced *x)
{
    const size_t A = (size_t)x->of->jacobian.count, H = (size_t)x->of->hessian.count;
    if (!allocate_columns(x))
        return false;
    x->balances = olo_pool_alloc(&x->pool, A, sizeof *x->balances);
    x->passed = olo_pool_alloc(&x->pool, A, sizeof *x->passed);
    x->pairs = olo_pool_alloc(&x->pool, 2 * H, sizeof *x->pairs);
    x->direct = olo_pool_alloc(&x->pool, H, sizeof *x->direct);
    if (!x->balances || !x->passed || !x->pairs || !x->direct)
        return false;
    plan_jacobian(x);
    plan_hessian(x);
    return true;
}

bool olo_reduced_allocate_positions(olo_reduced *x, int count, olo_positions *to)
{
    to->row = olo_pool_alloc(&x->pool, (size_t)count, sizeof *to->row);
    to->column = olo_pool_alloc(&x->pool, (size_t)count, sizeof *to->column);
    return to->row && to->column;
}
