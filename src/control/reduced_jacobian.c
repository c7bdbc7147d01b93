/* The reduced transcription: the present point, and the Jacobian
 *
 *     dc_k/dw_j = P_k^T A_kj J_j + delta_kj d(P^T b_k)/dq J_k,     dc_k/ds = P_k^T A_ks
 *
 * where s are the variables that are passed on: multipliers, controls, duration, velocity. */
#include <string.h>

#include "base/extreme.h"
#include "control/reduced_private.h"

// -- the present point ----------------------------------------------------------------------------

/* A solver asks for values and derivatives at the same point one after the other: each thing is
 * evaluated once per point. */
void olo_reduced_set_point(olo_reduced *x, const double *at)
{
    const size_t size = (size_t)x->nlp.variables * sizeof *at;
    if (x->placed && memcmp(at, x->placed_at, size) == 0)
        return;
    memcpy(x->placed_at, at, size);
    x->placed = true;
    x->balanced = x->linear = false;
    for (int k = 0; k <= x->intervals; k++) {
        const double *own = at + k * x->stride, *q = olo_chart_at(x->nodes[k].chart, own);
        double *to = x->x + olo_redundant_configuration(x->full, k);
        const int passed = x->m + (k < x->intervals ? x->controls : 0);
        memcpy(to, q, (size_t)x->n * sizeof *q);
        memcpy(to + x->n, own + x->dof, (size_t)passed * sizeof *at);
    }
    memcpy(x->x + olo_redundant_end_velocity(x->full), at + olo_reduced_velocity(x),
           (size_t)(x->under.velocities + 1) * sizeof *at); /* and the duration */
}

void olo_reduced_balance(olo_reduced *x)
{
    if (!x->balanced)
        x->of->evaluate(x->of->context, x->x, x->b);
    x->balanced = true;
}

double olo_reduced_constant_force(const olo_reduced *x, int k, int i)
{
    double sum = 0;
    for (int j = k - 1; j <= k; j++)
        for (int c = 0; olo_reduced_has_interval(x, j) && c < x->controls; c++)
            sum += x->problem->part[j] * x->under.constant_force[i * x->controls + c] *
                   x->x[olo_redundant_controls(x->full, j) + c];
    return 0.5 * sum;
}

/* J and P of all nodes, and how far these are from their references. */
void olo_reduced_bases(olo_reduced *x)
{
    x->turn = 0;
    for (int k = 0; k <= x->intervals; k++) {
        olo_reduced_node *at = &x->nodes[k];
        olo_raise(&x->turn, olo_chart_turn_from_reference(at->chart));
        olo_chart_matrix(at->chart, at->J);
        olo_null_form_matrix(at->form, olo_reduced_configuration(x, k), at->P);
    }
}

/* The columns of the balances. */
static void set_products(olo_reduced *x)
{
    for (int k = 0; k <= x->intervals; k++)
        olo_reduced_clear(x, x->nodes[k].columns, x->nodes[k].in_A, x->nodes[k].A);
    for (int e = 0; e < x->balance_count; e++)
        olo_reduced_add(x, &x->balances[e], x->A, x->A_columns);
}

void olo_reduced_differentiate(olo_reduced *x, const double *at)
{
    olo_reduced_set_point(x, at);
    olo_reduced_balance(x);
    if (x->linear)
        return;
    olo_reduced_bases(x);
    x->of->evaluate_jacobian(x->of->context, x->x, x->A);
    set_products(x);
    x->linear = true;
}

// -- values ---------------------------------------------------------------------------------------

/* Pb[i][j] = d(P^T b)_i/dq J e_j of node k at its balance. */
static void set_turned_balance(olo_reduced *x, int k)
{
    olo_reduced_node *own = &x->nodes[k];
    for (int j = 0; j < x->dof; j++) {
        const olo_null_point point = {.q = olo_reduced_configuration(x, k),
                                      .y = olo_reduced_full_balance(x, k),
                                      .w = own->J + j * x->n};
        const olo_null_derivatives none = {0}, change = {.by_nu = x->product};
        olo_null_form_at(own->form, &point, &none, &change);
        for (int i = 0; i < x->dof; i++)
            x->Pb[i * x->dof + j] = x->product[i];
    }
}

/* Adds the constant forces to row i of the balance of node k. */
static void add_constant_force(const olo_reduced *x, int k, int i, double *row)
{
    const double *C = x->under.constant_force + i * x->controls;
    for (int j = k - 1; j <= k; j++) {
        const olo_variable first = {.kind = OLO_CONTROL, .node = j};
        const int column = olo_reduced_column(x, k, &first);
        for (int c = 0; olo_reduced_has_interval(x, j) && c < x->controls; c++)
            row[column + c] += 0.5 * olo_reduced_time(x) * x->problem->part[j] * C[c];
    }
    const olo_variable duration = {.kind = OLO_DURATION};
    if (x->problem->free_duration)
        row[olo_reduced_column(x, k, &duration)] += olo_reduced_constant_force(x, k, i);
}

/* Values of the balance of node k, in the order of the positions. */
static double *put_balance(olo_reduced *x, int k, double *v)
{
    const olo_reduced_node *own = &x->nodes[k];
    set_turned_balance(x, k);
    for (int i = 0; i < x->dof; i++, v += own->columns) {
        for (int c = 0; c < own->columns; c++)
            v[c] = own->in_A[c] ? olo_reduced_dot(x->n, own->P + i * x->n, own->A + c * x->n) : 0.0;
        for (int c = 0; c < x->dof; c++)
            v[c] += x->Pb[i * x->dof + c];
        add_constant_force(x, k, i, v);
    }
    return v;
}

/* Visits the entries of rows that are passed on. */
static void pass_rows(olo_reduced *x)
{
    olo_entries *to = &x->passed_rows;
    for (int e = 0; e < x->passed_count; e++) {
        const olo_passed_entry *of = &x->passed[e];
        const double value = to->recorded ? x->A[of->entry] : 0;
        if (of->from < 0)
            olo_entries_put(to, of->row, of->column, value);
        for (int d = 0; of->from >= 0 && d < x->dof; d++)
            olo_entries_put(to, of->row, of->column + d,
                            to->recorded ? value * x->J[of->from + d * x->n] : 0);
    }
}

void olo_reduced_jacobian(void *context, const double *at, double *values)
{
    olo_reduced *x = context;
    olo_reduced_differentiate(x, at);
    for (int k = 0; k <= x->intervals; k++)
        values = put_balance(x, k, values);
    olo_entries_begin(&x->passed_rows, values);
    pass_rows(x);
}

bool olo_reduced_list_jacobian(olo_reduced *x)
{
    olo_positions *to = &x->nlp.jacobian;
    pass_rows(x);
    if (!olo_entries_complete(&x->passed_rows, &x->pool))
        return false;
    int count = x->passed_rows.positions.count;
    for (int k = 0; k <= x->intervals; k++)
        count += x->dof * x->nodes[k].columns;
    if (!olo_reduced_allocate_positions(x, count, to))
        return false;
    for (int k = 0; k <= x->intervals; k++)
        for (int i = 0; i < x->dof; i++)
            for (int c = 0; c < x->nodes[k].columns; c++)
                olo_reduced_add_position(to, k * x->row_stride + i, x->nodes[k].variable[c]);
    for (int e = 0; e < x->passed_rows.positions.count; e++)
        olo_reduced_add_position(to, x->passed_rows.positions.row[e],
                                 x->passed_rows.positions.column[e]);
    return true;
}
