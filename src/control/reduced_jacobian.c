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
        olo_reduced_fetch(x, k + 1);
        const double *own = at + k * x->stride;
        double *to = x->x + olo_redundant_configuration(x->full, k);
        const int passed = x->m + (k < x->intervals ? x->controls : 0);
        (void)olo_chart_at(x->nodes[k].chart, own);
        memcpy(to + x->n, own + x->dof, (size_t)passed * sizeof *at);
    }
    memcpy(x->x + olo_redundant_end_velocity(x->full), at + olo_reduced_velocity(x),
           (size_t)(x->under.velocities + 1) * sizeof *at); /* and the duration */
}

void olo_reduced_balance(olo_reduced *x)
{
    if (x->balanced)
        return;
    olo_redundant_set_point(x->full, x->x);
    for (int k = 0; k <= x->intervals; k++) {
        const olo_reduced_node *at = &x->nodes[k];
        olo_redundant_evaluate_node(x->full, k, false, x->b);
        olo_null_form_matrix(at->form, olo_reduced_configuration(x, k), at->P);
        olo_reduced_multiply(x->n, x->dof, at->P, 1, olo_reduced_full_balance(x, k),
                             x->balances + k * x->dof);
    }
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

/* J and M J of node k, and how far it is from its reference. */
static void set_basis(olo_reduced *x, int k)
{
    olo_raise(&x->turn, olo_chart_turn_from_reference(x->nodes[k].chart));
    olo_chart_matrix(x->nodes[k].chart, x->nodes[k].J);
    olo_reduced_multiply_mass(x, k);
}

// -- products -------------------------------------------------------------------------------------

/* Two numbers at once. */
typedef double pair __attribute__((vector_size(16)));

static inline pair load(const double *x)
{
    pair v;
    memcpy(&v, x, sizeof v);
    return v;
}

static inline void store(pair v, double *x)
{
    memcpy(x, &v, sizeof v);
}

/* to += s x */
static inline __attribute__((always_inline)) void add_scaled(int count, double s, const double *x,
                                                             double *to)
{
    int i = 0;
    for (; i + 1 < count; i += 2)
        store(load(to + i) + s * load(x + i), to + i);
    if (i < count)
        to[i] += s * x[i];
}

/* `columns` of the product, 1, 2, 4 or 6, from two rows of it, or one. */
static inline __attribute__((always_inline)) void multiply_some(const int some, const bool both,
                                                                int n, int rows, const double *L,
                                                                int columns, const double *R,
                                                                double *product)
{
    pair a[3] = {{0}}, b[3] = {{0}};
    for (int i = 0; i < n; i++, L += rows, R += columns)
        for (int c = 0; c < some; c += 2) {
            const pair right = some > 1 ? load(R + c) : (pair){R[0], 0};
            a[c / 2] += L[0] * right;
            if (both)
                b[c / 2] += L[1] * right;
        }
    for (int c = 0; c < some; c++) {
        product[c] = a[c / 2][c % 2];
        if (both)
            product[columns + c] = b[c / 2][c % 2];
    }
}

/* Columns of the product, of two rows or one. */
static inline __attribute__((always_inline)) void multiply_rows(const bool both, int n, int rows,
                                                                const double *L, int columns,
                                                                const double *R, double *product)
{
    int c = 0;
    for (; c + 5 < columns; c += 6)
        multiply_some(6, both, n, rows, L, columns, R + c, product + c);
    for (; c + 3 < columns; c += 4)
        multiply_some(4, both, n, rows, L, columns, R + c, product + c);
    for (; c + 1 < columns; c += 2)
        multiply_some(2, both, n, rows, L, columns, R + c, product + c);
    if (c < columns)
        multiply_some(1, both, n, rows, L, columns, R + c, product + c);
}

void olo_reduced_multiply(int n, int rows, const double *L, int columns, const double *R,
                          double *product)
{
    int r = 0;
    for (; r + 1 < rows; r += 2)
        multiply_rows(true, n, rows, L + r, columns, R, product + r * columns);
    if (r < rows)
        multiply_rows(false, n, rows, L + r, columns, R, product + r * columns);
}

// -- entries of the redundant programme -----------------------------------------------------------

void olo_reduced_advance(const olo_reduced *x, olo_reduced_matrix *matrix)
{
    const size_t size = (size_t)(x->n * matrix->width);
    double *own = matrix->values, *next = own + size;
    if (matrix->filled[1])
        memcpy(own, next, size * sizeof *own);
    else if (matrix->filled[0])
        memset(own, 0, size * sizeof *own);
    if (matrix->filled[1])
        memset(next, 0, size * sizeof *next);
    matrix->filled[0] = matrix->filled[1];
    matrix->filled[1] = false;
}

static inline __attribute__((always_inline)) void add_entries(const int dof, int count,
                                                              const olo_reduced_entry *entries,
                                                              const double *values, const double *J,
                                                              double *matrix)
{
    for (int e = 0; e < count; e++) {
        const olo_reduced_entry *of = &entries[e];
        if (of->from < 0)
            matrix[of->to] += values[of->entry];
        else
            add_scaled(dof, values[of->entry], J + of->from, matrix + of->to);
    }
}

/* Few degrees of freedom have loops of their own length. */
void olo_reduced_add(const olo_reduced *x, int count, const olo_reduced_entry *entries, int k,
                     const double *values, olo_reduced_matrix *matrix)
{
    const double *J = x->nodes[k].J;
    if (count == 0)
        return;
    matrix->filled[0] = matrix->filled[1] = true;
    switch (x->dof) {
    case 1:
        add_entries(1, count, entries, values, J, matrix->values);
        return;
    case 2:
        add_entries(2, count, entries, values, J, matrix->values);
        return;
    case 3:
        add_entries(3, count, entries, values, J, matrix->values);
        return;
    default:
        add_entries(x->dof, count, entries, values, J, matrix->values);
    }
}

void olo_reduced_pass(olo_reduced *x, int count, const olo_passed_entry *entries, int k, int row,
                      const double *values, olo_entries *to)
{
    for (int e = 0; e < count; e++) {
        const olo_passed_entry *of = &entries[e];
        const double value = values ? values[of->entry] : 0;
        const int r = of->row + (of->row_is_absolute ? 0 : row),
                  column = of->column + (of->column_is_absolute ? 0 : k * x->stride);
        if (of->from < 0)
            olo_entries_put(to, r, column, value);
        for (int d = 0; of->from >= 0 && d < x->dof; d++)
            olo_entries_put(to, r, column + d, values ? value * x->nodes[k].J[of->from + d] : 0);
    }
}

// -- values ---------------------------------------------------------------------------------------

/* Adds the constant forces to row i of the balance of node k. */
static void add_constant_force(const olo_reduced *x, int k, int i, double *row)
{
    const olo_reduced_shape *shape = olo_reduced_shape_of(x, k);
    const double *C = x->under.constant_force + i * x->controls;
    for (int j = -1; j <= 0; j++)
        for (int c = 0; olo_reduced_has_interval(x, k + j) && c < x->controls; c++)
            row[shape->position[olo_column_of_controls(x, j) + c]] +=
                0.5 * olo_reduced_time(x) * x->problem->part[k + j] * C[c];
    if (x->problem->free_duration)
        row[shape->position[olo_column_of_duration(x)]] += olo_reduced_constant_force(x, k, i);
}

/* Values of the balance of node k, in the order of the positions: P^T A, and the change of P along
 * w of the node. */
static double *put_balance(olo_reduced *x, int k, double *v)
{
    const olo_reduced_node *own = &x->nodes[k];
    const olo_reduced_shape *shape = olo_reduced_shape_of(x, k);
    const olo_null_point point = {.q = olo_reduced_configuration(x, k),
                                  .y = olo_reduced_full_balance(x, k),
                                  .w = own->J,
                                  .directions = x->dof};
    const olo_null_derivatives none = {0}, change = {.by_nu = x->Pb};
    olo_null_form_at(own->form, &point, &none, &change);
    olo_reduced_multiply(x->n, x->dof, own->P, x->A.width, x->A.values, x->PA);
    for (int i = 0; i < x->dof; i++, v += shape->count) {
        for (int c = 0; c < shape->count; c++) {
            const int own_column = x->A.of[shape->column[c]];
            v[c] = own_column < 0 ? 0.0 : x->PA[i * x->A.width + own_column];
        }
        for (int c = 0; c < x->dof; c++)
            v[c] += x->Pb[i * x->dof + c];
        add_constant_force(x, k, i, v);
    }
    return v;
}

/* Node by node, so that its numbers are still at hand: the interval after it, the node itself, the
 * rates after it; then its balance is complete. */
void olo_reduced_differentiate(olo_reduced *x, const double *at, double *values)
{
    double *A = x->jacobian;
    olo_reduced_set_point(x, at);
    olo_reduced_balance(x);
    olo_redundant_set_point(x->full, x->x);
    if (values)
        olo_entries_begin(&x->passed_rows,
                          values + x->nlp.jacobian.count - x->passed_rows.positions.count);
    x->turn = 0;
    set_basis(x, 0);
    olo_reduced_advance(x, &x->A); /* what is left of the last node */
    for (int k = 0; k <= x->intervals; k++) {
        olo_reduced_advance(x, &x->A);
        olo_reduced_fetch(x, k + 2);
        if (k < x->intervals)
            set_basis(x, k + 1);
        for (olo_block_kind kind = 0; kind < OLO_BLOCKS; kind++) {
            const olo_reduced_block *block = &x->blocks[kind];
            if (!olo_redundant_has_block(x->full, kind, k))
                continue;
            olo_redundant_block_jacobian(x->full, kind, k, A);
            if (values) {
                olo_reduced_add(x, block->balance_count, block->balances, k, A, &x->A);
                olo_reduced_pass(x, block->passed_count, block->passed, k, k * x->row_stride, A,
                                 &x->passed_rows);
            }
            A += olo_redundant_block(x->full, kind, false)->count;
        }
        olo_reduced_add_mass(x, k);
        if (values)
            values = put_balance(x, k, values);
    }
    x->linear = true;
}

void olo_reduced_jacobian(void *context, const double *at, double *values)
{
    olo_reduced_differentiate(context, at, values);
}

bool olo_reduced_list_jacobian(olo_reduced *x)
{
    olo_positions *to = &x->nlp.jacobian;
    int count = 0;
    for (int k = 0; k <= x->intervals; k++) {
        count += x->dof * olo_reduced_shape_of(x, k)->count;
        for (olo_block_kind kind = 0; kind < OLO_BLOCKS; kind++)
            if (olo_redundant_has_block(x->full, kind, k))
                olo_reduced_pass(x, x->blocks[kind].passed_count, x->blocks[kind].passed, k,
                                 k * x->row_stride, NULL, &x->passed_rows);
    }
    if (!olo_entries_complete(&x->passed_rows, &x->pool) ||
        !olo_reduced_allocate_positions(x, count + x->passed_rows.positions.count, to))
        return false;
    for (int k = 0; k <= x->intervals; k++) {
        const olo_reduced_shape *shape = olo_reduced_shape_of(x, k);
        for (int i = 0; i < x->dof; i++)
            for (int c = 0; c < shape->count; c++)
                olo_reduced_add_position(to, k * x->row_stride + i,
                                         olo_reduced_variable_of_column(x, k, shape->column[c]));
    }
    for (int e = 0; e < x->passed_rows.positions.count; e++)
        olo_reduced_add_position(to, x->passed_rows.positions.row[e],
                                 x->passed_rows.positions.column[e]);
    return true;
}
