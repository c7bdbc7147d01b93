/* The reduced transcription: the Hessian of its Lagrangian. With z_k = P(q_k) y_k, the Hessian H of
 * sigma f + z.b at fixed z, D_k = dz_k/dq_k, S_k = d2(b_k.P y_k)/dq^2 at fixed b_k, and the
 * gradient g_k of the Lagrangian with respect to q_k,
 *
 *     d2/dw_k dw_j = J_k^T (H_kj + D_k^T A_kj + A_jk^T D_j) J_j
 *                    + delta_kj (J_k^T S_k J_k + d2(g_k.Q_k)/dw^2)
 *     d2/dw_k ds   = J_k^T (H_ks + D_k^T A_ks)
 *
 * where s are the variables that are passed on. */
#include <string.h>

#include "control/reduced_private.h"

/* z = P y; few degrees of freedom have loops of their own length. */
static inline __attribute__((always_inline)) void times_bases(const int dof, int n, const double *P,
                                                              const double *y, double *z)
{
    for (int i = 0; i < n; i++, P += dof) {
        double sum = 0;
        for (int d = 0; d < dof; d++)
            sum += P[d] * y[d];
        z[i] = sum;
    }
}

/* Multipliers of the redundant rows of node k: z = P y of balances, those of the other rows. */
static void set_multipliers(olo_reduced *x, int k, const double *y)
{
    double *z = x->y + k * x->under.row_stride;
    const double *own = y + k * x->row_stride, *P = x->nodes[k].P;
    if (x->dof == 1)
        times_bases(1, x->n, P, own, z);
    else if (x->dof == 2)
        times_bases(2, x->n, P, own, z);
    else if (x->dof == 3)
        times_bases(3, x->n, P, own, z);
    else
        times_bases(x->dof, x->n, P, own, z);
    memcpy(z + x->n, own + x->dof, (size_t)(x->row_stride - x->dof) * sizeof *y);
}

/* The gradient of sigma f + z.b with respect to the configurations: that of sigma f, without costs
 * of quantities zero, ... */
static void set_gradient(olo_reduced *x, double sigma)
{
    if (x->problem->cost_count == 0) {
        memset(x->g, 0, (size_t)x->of->variables * sizeof *x->g);
        return;
    }
    x->of->gradient(x->of->context, x->x, x->g);
    for (int i = 0; i < x->of->variables; i++)
        x->g[i] *= sigma;
}

/* ... and a block. */
static void add_to_gradient(olo_reduced *x, const olo_reduced_block *block, int k, const double *A)
{
    double *g = x->g + k * x->under.stride;
    const double *y = x->y + k * x->under.row_stride;
    for (int e = 0; e < block->pulled_count; e++) {
        const olo_pulled_entry *of = &block->pulled[e];
        g[of->column] += A[of->entry] * y[of->row];
    }
}

/* DJ and S J of node k; adds the gradient of b.P y at fixed b to g. */
static void set_curvature(olo_reduced *x, int k, const double *y)
{
    const olo_reduced_node *own = &x->nodes[k];
    double *g = x->g + olo_redundant_configuration(x->full, k);
    const olo_null_point point = {.q = olo_reduced_configuration(x, k),
                                  .y = olo_reduced_full_balance(x, k),
                                  .nu = y + k * x->row_stride,
                                  .w = own->J,
                                  .directions = x->dof};
    const olo_null_derivatives first = {.by_q = x->row}, change = {.by_y = x->DJ, .by_q = x->S};
    olo_null_form_at(own->form, &point, &first, &change);
    for (int i = 0; i < x->n; i++)
        g[i] += x->row[i];
}

static int packed(int i, int j)
{
    return i * (i + 1) / 2 + j;
}

/* The number of values of a node of a shape. */
static int pairs_of(const olo_reduced *x, const olo_reduced_shape *shape)
{
    return packed(x->dof, 0) + (shape->count - shape->other) * x->dof;
}

/* The values of column c of a node, other than w of the node itself and of the next one. */
static double *other_pairs(const olo_reduced *x, const olo_reduced_shape *shape, int c,
                           double *values)
{
    return values + packed(x->dof, 0) + (shape->position[c] - shape->other) * x->dof;
}

/* Entry of column c in row d of a product with the columns of a matrix. */
static double entry_of(const olo_reduced_matrix *of, const double *product, int d, int c)
{
    return of->of[c] < 0 ? 0.0 : product[d * of->width + of->of[c]];
}

/* The pairs of w_k with itself, with the next node, and with the other columns; adds to the values
 * of node k and of the next one. */
static void add_node(olo_reduced *x, int k, double *values)
{
    const olo_reduced_node *own = &x->nodes[k];
    const olo_reduced_shape *shape = olo_reduced_shape_of(x, k);
    const int dof = x->dof;
    double *DA = x->PA, *JH = x->JH;
    if (x->H.filled[0])
        olo_reduced_multiply(x->n, dof, own->J, x->H.width, x->H.values, JH);
    else
        memset(JH, 0, (size_t)(dof * x->H.width) * sizeof *JH);
    olo_reduced_multiply(x->n, dof, x->DJ, x->A.width, x->A.values, DA);
    olo_reduced_multiply(x->n, dof, own->J, dof, x->S, x->JS);
    olo_chart_load(own->chart, x->g + olo_redundant_configuration(x->full, k));
    olo_chart_second(own->chart, dof, x->unit, own->J, x->second);
    for (int d = 0; d < dof; d++) {
        for (int e = 0; e <= d; e++)
            values[packed(d, e)] += entry_of(&x->H, JH, d, e) + x->JS[d * dof + e] +
                                    entry_of(&x->A, DA, d, e) + entry_of(&x->A, DA, e, d) +
                                    x->second[d * dof + e];
        for (int c = shape->other; c < shape->count; c++) {
            const int column = shape->column[c];
            other_pairs(x, shape, column, values)[d] +=
                entry_of(&x->H, JH, d, column) + entry_of(&x->A, DA, d, column);
        }
    }
    if (k == x->intervals)
        return;
    const olo_reduced_shape *next = olo_reduced_shape_of(x, k + 1);
    double *after = values + pairs_of(x, shape);
    for (int d = 0; d < dof; d++) /* w_k is a column of the next node */
        for (int e = 0; e < dof; e++)
            other_pairs(x, next, olo_column_of_w(x, -1) + d, after)[e] +=
                entry_of(&x->A, DA, d, olo_column_of_w(x, 1) + e);
}

/* The constant forces depend on duration and controls: (y.C u/2)_uT of interval k. */
static void pass_constant_forces(olo_reduced *x, int k, const double *y)
{
    for (int c = 0; c < x->controls; c++) {
        double sum = 0;
        for (int i = 0; y && i < 2 * x->dof; i++)
            sum += y[(k + i / x->dof) * x->row_stride + i % x->dof] *
                   x->under.constant_force[i % x->dof * x->controls + c];
        olo_entries_put(&x->direct_pairs, olo_reduced_duration(x), olo_reduced_controls(x, k) + c,
                        0.5 * sum * x->problem->part[k]);
    }
}

/* Visits the entries of a block k without configurations; values and y are NULL while positions are
 * recorded. */
static void pass_pairs(olo_reduced *x, olo_block_kind kind, int k, const double *values,
                       const double *y)
{
    olo_reduced_pass(x, x->blocks[kind].direct_count, x->blocks[kind].direct, k, k * x->stride,
                     values, &x->direct_pairs);
    if (kind == OLO_BLOCK_INTERVAL && x->problem->free_duration)
        pass_constant_forces(x, k, y);
}

/* Adds the blocks that begin at node k to the gradient and to the matrices of nodes k and k + 1;
 * returns where the Jacobian of the next ones begins. */
static const double *add_blocks(olo_reduced *x, int k, double sigma, const double *y,
                                const double *A)
{
    for (olo_block_kind kind = 0; kind < OLO_BLOCKS; kind++) {
        const olo_reduced_block *block = &x->blocks[kind];
        if (!olo_redundant_has_block(x->full, kind, k))
            continue;
        olo_reduced_add(x, block->balance_count, block->balances, k, A, &x->A);
        add_to_gradient(x, block, k, A);
        olo_redundant_block_hessian(x->full, kind, k, sigma, x->y, x->hessian);
        olo_reduced_add(x, block->pair_count, block->pairs, k, x->hessian, &x->H);
        pass_pairs(x, kind, k, x->hessian, y);
        A += olo_redundant_block(x->full, kind, false)->count;
    }
    return A;
}

void olo_reduced_hessian(void *context, const double *at, double sigma, const double *y,
                         double *values)
{
    olo_reduced *x = context;
    const int direct = x->nlp.hessian.count - x->direct_pairs.positions.count,
              end = (x->intervals + 1) * x->row_stride;
    const double *A = x->jacobian;
    memset(values, 0, (size_t)direct * sizeof *values);
    olo_reduced_set_point(x, at);
    if (!x->linear)
        olo_reduced_differentiate(x, at, NULL);
    set_gradient(x, sigma);
    memcpy(x->y + (x->intervals + 1) * x->under.row_stride, y + end,
           (size_t)x->under.end_rows * sizeof *y);
    olo_redundant_set_point(x->full, x->x);
    olo_entries_begin(&x->direct_pairs, values + direct);
    set_multipliers(x, 0, y);
    olo_reduced_advance(x, &x->A); /* what is left of the last node */
    olo_reduced_advance(x, &x->H);
    for (int k = 0; k <= x->intervals; k++) {
        olo_reduced_advance(x, &x->A);
        olo_reduced_advance(x, &x->H);
        olo_reduced_fetch(x, k + 1);
        if (k < x->intervals) {
            set_multipliers(x, k + 1, y);
            olo_reduced_pull_mass(x, k);
        }
        A = add_blocks(x, k, sigma, y, A);
        olo_reduced_add_mass(x, k);
        /* null spaces and charts */
        set_curvature(x, k, y);
        add_node(x, k, values);
        values += pairs_of(x, olo_reduced_shape_of(x, k));
    }
}

static void list_pairs(olo_reduced *x, int k, olo_positions *to)
{
    const olo_reduced_shape *shape = olo_reduced_shape_of(x, k);
    const int w = k * x->stride;
    for (int d = 0; d < x->dof; d++)
        for (int e = 0; e <= d; e++)
            olo_reduced_add_position(to, w + d, w + e);
    for (int c = shape->other; c < shape->count; c++)
        for (int d = 0; d < x->dof; d++) {
            const int v = olo_reduced_variable_of_column(x, k, shape->column[c]);
            olo_reduced_add_position(to, v > w ? v : w + d, v > w ? w + d : v);
        }
}

bool olo_reduced_list_hessian(olo_reduced *x)
{
    olo_positions *to = &x->nlp.hessian;
    const olo_positions *direct = &x->direct_pairs.positions;
    int count = 0;
    for (int k = 0; k <= x->intervals; k++) {
        count += pairs_of(x, olo_reduced_shape_of(x, k));
        for (olo_block_kind kind = 0; kind < OLO_BLOCKS; kind++)
            if (olo_redundant_has_block(x->full, kind, k))
                pass_pairs(x, kind, k, NULL, NULL);
    }
    if (!olo_entries_complete(&x->direct_pairs, &x->pool) ||
        !olo_reduced_allocate_positions(x, count + direct->count, to))
        return false;
    for (int k = 0; k <= x->intervals; k++)
        list_pairs(x, k, to);
    for (int e = 0; e < direct->count; e++)
        olo_reduced_add_position(to, direct->row[e], direct->column[e]);
    return true;
}
