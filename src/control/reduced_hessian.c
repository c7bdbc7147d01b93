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

/* Multipliers of the redundant rows: z = P y of balances, those of the other rows. */
static void set_multipliers(olo_reduced *x, const double *y)
{
    const int passed = x->row_stride - x->dof;
    for (int k = 0; k <= x->intervals; k++) {
        double *z = x->y + k * x->under.row_stride;
        const double *own = y + k * x->row_stride;
        memset(z, 0, (size_t)x->n * sizeof *z);
        for (int i = 0; i < x->dof; i++)
            for (int j = 0; j < x->n; j++)
                z[j] += own[i] * x->nodes[k].P[i * x->n + j];
        memcpy(z + x->n, own + x->dof, (size_t)passed * sizeof *y);
    }
    memcpy(x->y + (x->intervals + 1) * x->under.row_stride, y + (x->intervals + 1) * x->row_stride,
           (size_t)x->under.end_rows * sizeof *y);
}

/* The gradient of sigma f + z.b with respect to the redundant variables. */
static void set_gradient(olo_reduced *x, double sigma)
{
    const olo_positions *at = &x->of->jacobian;
    x->of->gradient(x->of->context, x->x, x->g);
    for (int i = 0; i < x->of->variables; i++)
        x->g[i] *= sigma;
    for (int e = 0; e < at->count; e++)
        x->g[at->column[e]] += x->A[e] * x->y[at->row[e]];
}

/* DJ and S J of node k; adds the gradient of b.P y at fixed b to g. */
static void set_curvature(olo_reduced *x, int k, const double *y)
{
    olo_reduced_node *own = &x->nodes[k];
    double *g = x->g + olo_redundant_configuration(x->full, k);
    for (int j = 0; j < x->dof; j++) {
        const olo_null_point point = {.q = olo_reduced_configuration(x, k),
                                      .y = olo_reduced_full_balance(x, k),
                                      .nu = y + k * x->row_stride,
                                      .w = own->J + j * x->n};
        const olo_null_derivatives first = {.by_q = x->row},
                                   change = {.by_y = x->DJ + j * x->n, .by_q = x->S + j * x->n};
        olo_null_form_at(own->form, &point, &first, &change);
    }
    for (int i = 0; i < x->n; i++)
        g[i] += x->row[i];
}

static int packed(int i, int j)
{
    return i * (i + 1) / 2 + j;
}

/* The values of a column other than w of the node itself and of the next one. */
static double *other_pairs(const olo_reduced *x, int k, int column, double *values)
{
    const olo_reduced_node *own = &x->nodes[k];
    return values + own->first_pair + packed(x->dof, 0) + (column - own->other) * x->dof;
}

/* Column c of A and of H, which is zero without entries. */
static double by_balance(const olo_reduced *x, const olo_reduced_node *own, int c, const double *a)
{
    return own->in_A[c] ? olo_reduced_dot(x->n, a, own->A + c * x->n) : 0.0;
}

static double by_pairs(const olo_reduced *x, const olo_reduced_node *own, int c, const double *a)
{
    return own->in_H[c] ? olo_reduced_dot(x->n, a, own->H + c * x->n) : 0.0;
}

/* The pairs of w_k with itself, with the next node, and with the other columns. */
static void add_node(olo_reduced *x, int k, double *values)
{
    olo_reduced_node *own = &x->nodes[k];
    const int n = x->n, dof = x->dof;
    olo_chart_load(own->chart, x->g + olo_redundant_configuration(x->full, k));
    for (int d = 0; d < dof; d++) {
        const double *J = own->J + d * n, *DJ = x->DJ + d * n;
        x->unit[d] = 1;
        olo_chart_second(own->chart, x->unit, J, x->product);
        x->unit[d] = 0;
        for (int e = 0; e <= d; e++)
            values[own->first_pair + packed(d, e)] +=
                by_pairs(x, own, e, J) + olo_reduced_dot(n, J, x->S + e * n) +
                by_balance(x, own, e, DJ) + by_balance(x, own, d, x->DJ + e * n) + x->product[e];
        for (int e = 0; e < dof && k < x->intervals; e++) /* w_k is a column of the next node */
            other_pairs(x, k + 1, x->nodes[k + 1].other + d, values)[e] +=
                by_balance(x, own, dof + e, DJ);
        for (int c = own->other; c < own->columns; c++)
            other_pairs(x, k, c, values)[d] += by_pairs(x, own, c, J) + by_balance(x, own, c, DJ);
    }
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

/* Visits the entries without configurations; y is NULL while positions are recorded. */
static void pass_pairs(olo_reduced *x, const double *y)
{
    olo_entries *to = &x->direct_pairs;
    for (int e = 0; e < x->direct_count; e++)
        olo_entries_put(to, x->direct[e].row, x->direct[e].column,
                        to->recorded ? x->H[x->direct[e].entry] : 0);
    for (int k = 0; x->problem->free_duration && k < x->intervals; k++)
        pass_constant_forces(x, k, y);
}

void olo_reduced_hessian(void *context, const double *at, double sigma, const double *y,
                         double *values)
{
    olo_reduced *x = context;
    const int direct = x->nlp.hessian.count - x->direct_pairs.positions.count;
    memset(values, 0, (size_t)direct * sizeof *values);
    olo_reduced_differentiate(x, at);
    /* the Lagrangian of the redundant programme, by the columns of this one */
    set_multipliers(x, y);
    set_gradient(x, sigma);
    x->of->evaluate_hessian(x->of->context, x->x, sigma, x->y, x->H);
    for (int k = 0; k <= x->intervals; k++)
        olo_reduced_clear(x, x->nodes[k].columns, x->nodes[k].in_H, x->nodes[k].H);
    for (int e = 0; e < x->pair_count; e++)
        olo_reduced_add(x, &x->pairs[e], x->H, x->H_columns);
    /* null spaces and charts */
    for (int k = 0; k <= x->intervals; k++) {
        set_curvature(x, k, y);
        add_node(x, k, values);
    }
    olo_entries_begin(&x->direct_pairs, values + direct);
    pass_pairs(x, y);
}

static void list_pairs(olo_reduced *x, int k, olo_positions *to)
{
    const olo_reduced_node *own = &x->nodes[k];
    const int w = k * x->stride;
    for (int d = 0; d < x->dof; d++)
        for (int e = 0; e <= d; e++)
            olo_reduced_add_position(to, w + d, w + e);
    for (int c = own->other; c < own->columns; c++)
        for (int d = 0; d < x->dof; d++) {
            const int v = own->variable[c];
            olo_reduced_add_position(to, v > w ? v : w + d, v > w ? w + d : v);
        }
}

bool olo_reduced_list_hessian(olo_reduced *x)
{
    olo_positions *to = &x->nlp.hessian;
    const olo_positions *direct = &x->direct_pairs.positions;
    int count = 0;
    pass_pairs(x, NULL);
    if (!olo_entries_complete(&x->direct_pairs, &x->pool))
        return false;
    for (int k = 0; k <= x->intervals; k++) {
        olo_reduced_node *own = &x->nodes[k];
        own->first_pair = count;
        count += packed(x->dof, 0) + (own->columns - own->other) * x->dof;
    }
    if (!olo_reduced_allocate_positions(x, count + direct->count, to))
        return false;
    for (int k = 0; k <= x->intervals; k++)
        list_pairs(x, k, to);
    for (int e = 0; e < direct->count; e++)
        olo_reduced_add_position(to, direct->row[e], direct->column[e]);
    return true;
}
