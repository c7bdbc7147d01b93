/* The redundant transcription: what is beyond nodes and intervals.
 *
 *     at the end    balance_N - M v_N,   G(q_N) v_N = f'(T),   conditions and costs
 *     rates         (u_k+1 - u_k)/h, h between the middles of both intervals
 *
 * v_N is there only if something at the end depends on it; f' is the rate of prescribed motions. */
#include "control/redundant_private.h"

#include <math.h>
#include <string.h>

enum { SIZE = OLO_FORM_SIZE_MAX };

// -- the end --------------------------------------------------------------------------------------

/* Rows of the block of the end, which begins with those of the last node. */
static int condition_row(const olo_redundant *x)
{
    return x->row_stride;
}

static int velocity_row(const olo_redundant *x)
{
    return x->row_stride + x->end_conditions;
}

static olo_at last_node(const olo_redundant *x)
{
    return (olo_at){.q = x->x + (size_t)(x->intervals * x->stride),
                    .angles = olo_node_angles(x, x->intervals),
                    .t = x->T};
}

static const double *velocity(const olo_redundant *x)
{
    return x->x + olo_redundant_end_velocity(x);
}

/* The number of rows G v. */
static int velocity_rows(const olo_redundant *x)
{
    return x->velocities > 0 ? x->system->m : 0;
}

void olo_end_rows(olo_redundant *x, double *c)
{
    const olo_at at = last_node(x);
    double g[SIZE], *own = c + (size_t)(x->intervals * x->row_stride);
    olo_condition_rows(x, OLO_AT_LAST_NODE, x->intervals, own + condition_row(x));
    if (x->velocities > 0)
        olo_system_mass_times(x->system, velocity(x), x->Mdq);
    for (int i = 0; i < x->velocities; i++)
        own[i] -= x->Mdq[i];
    for (int r = 0; r < velocity_rows(x); r++) {
        const olo_constraint *row = &x->system->constraints[r];
        double sum = -olo_constraint_motion_rate(row, at.t);
        olo_constraint_gradient(row, &at, g);
        for (int i = 0; i < row->size; i++)
            sum += g[i] * velocity(x)[row->index[i]];
        own[velocity_row(x) + r] = sum;
    }
}

static void put_mass(olo_redundant *x, const olo_mass_entry *entry)
{
    const int pairs[2][2] = {{entry->i, entry->j}, {entry->j, entry->i}};
    for (int p = 0; p < olo_mass_blocks(entry); p++)
        for (int c = 0; c < entry->width; c++)
            olo_entries_put(&x->blocks[OLO_BLOCK_END].jacobian, pairs[p][0] + c,
                            olo_block_velocity(x) + pairs[p][1] + c, -entry->m);
}

void olo_end_jacobian(olo_redundant *x)
{
    olo_entries *to = &x->blocks[OLO_BLOCK_END].jacobian;
    const olo_at at = to->recorded ? last_node(x) : (olo_at){0};
    double g[SIZE] = {0}, H[SIZE * SIZE] = {0}, v[SIZE] = {0};
    olo_condition_jacobian(x, OLO_AT_LAST_NODE, x->intervals, condition_row(x), to);
    for (int e = 0; x->velocities > 0 && e < x->system->mass_count; e++)
        put_mass(x, &x->system->mass[e]);
    for (int r = 0; r < velocity_rows(x); r++) {
        const olo_constraint *row = &x->system->constraints[r];
        if (to->recorded) {
            olo_constraint_gradient(row, &at, g);
            olo_constraint_gather(row, velocity(x), v);
            if (row->curved)
                olo_row_derivative(x, r, &at, NULL, H);
        }
        for (int i = 0; i < row->size; i++) {
            double Hv = 0;
            for (int j = 0; row->curved && j < row->size; j++)
                Hv += H[i * row->size + j] * v[j];
            olo_entries_put(to, velocity_row(x) + r, olo_block_velocity(x) + row->index[i], g[i]);
            if (row->curved)
                olo_entries_put(to, velocity_row(x) + r, row->index[i], Hv);
        }
        if (olo_has_free_duration(x) && olo_constraint_moves(row))
            olo_entries_put(to, velocity_row(x) + r, olo_block_duration(x),
                            to->recorded ? -row->time.curvature(row->time.context, at.t) : 0);
    }
}

/* y (G v - f'): H between q and v, d2(v.grad g)/dq2, and f''' of a free duration */
static void put_velocity_row(olo_redundant *x, int r, const olo_at *at, double y)
{
    olo_entries *to = &x->blocks[OLO_BLOCK_END].hessian;
    const olo_constraint *row = &x->system->constraints[r];
    const int *index = row->index, V = olo_block_velocity(x);
    double H[SIZE * SIZE] = {0}, third[SIZE * SIZE] = {0}, v[SIZE];
    const bool varies = olo_row_has_third_derivative(x, r);
    if (to->recorded && row->curved)
        olo_row_derivative(x, r, at, NULL, H);
    if (to->recorded && varies) {
        olo_constraint_gather(row, velocity(x), v);
        olo_row_derivative(x, r, at, v, third);
    }
    for (int i = 0; row->curved && i < row->size; i++)
        for (int j = 0; j < row->size; j++)
            olo_entries_put(to, V + index[i], index[j], y * H[i * row->size + j]);
    for (int i = 0; varies && i < row->size; i++)
        for (int j = 0; j <= i; j++)
            olo_entries_put(to, index[i] > index[j] ? index[i] : index[j],
                            index[i] > index[j] ? index[j] : index[i],
                            y * third[i * row->size + j]);
    if (olo_has_free_duration(x) && olo_constraint_moves(row))
        olo_entries_put(to, olo_block_duration(x), olo_block_duration(x),
                        to->recorded ? -y * row->time.third(row->time.context, at->t) : 0);
}

void olo_end_hessian(olo_redundant *x, double sigma, const double *y)
{
    olo_entries *to = &x->blocks[OLO_BLOCK_END].hessian;
    const bool record = !to->recorded;
    const olo_at at = record ? (olo_at){0} : last_node(x);
    const double *own = record ? NULL : y + (size_t)(x->intervals * x->row_stride);
    olo_condition_hessian(x, OLO_AT_LAST_NODE, x->intervals, record ? NULL : own + condition_row(x),
                          to);
    olo_cost_hessian(x, OLO_AT_LAST_NODE, x->intervals, sigma, to);
    for (int r = 0; r < velocity_rows(x); r++)
        put_velocity_row(x, r, &at, record ? 0 : own[velocity_row(x) + r]);
}

// -- rates of controls ----------------------------------------------------------------------------

/* The next control after c with a bound of its rate; `row` counts them, in the rows of the node
 * between both intervals. */
static bool next_rate(const olo_redundant *x, int *c, int *row)
{
    while (++*c < x->controls)
        if (isfinite(x->problem->rate[*c])) {
            ++*row;
            return true;
        }
    return false;
}

static int rate_row(const olo_redundant *x)
{
    return x->row_stride + x->n + x->m + x->path_conditions;
}

static double difference(const olo_redundant *x, int k, int c)
{
    const double *u = x->x + (size_t)olo_redundant_controls(x, k) + c;
    return u[x->stride] - u[0];
}

void olo_rate_rows(olo_redundant *x, int k, double *c)
{
    double *rows = c + (size_t)(k * x->row_stride) + rate_row(x);
    olo_enter_node(x, k + 1);
    for (int i = -1, row = -1; next_rate(x, &i, &row);)
        rows[row] = difference(x, k, i) / x->h;
}

void olo_rate_jacobian(olo_redundant *x, int k)
{
    olo_entries *to = &x->blocks[OLO_BLOCK_RATE].jacobian;
    if (k + 1 < x->intervals)
        olo_enter_node(x, k + 1);
    for (int i = -1, row = -1; next_rate(x, &i, &row);) {
        const int u = x->n + x->m + i;
        olo_entries_put(to, rate_row(x) + row, u, -1 / x->h);
        olo_entries_put(to, rate_row(x) + row, x->stride + u, 1 / x->h);
        if (olo_has_free_duration(x))
            olo_entries_put(to, rate_row(x) + row, olo_block_duration(x),
                            to->recorded ? -difference(x, k, i) * x->scale / (x->h * x->h) : 0);
    }
}

void olo_rate_hessian(olo_redundant *x, int k, const double *y)
{
    olo_entries *to = &x->blocks[OLO_BLOCK_RATE].hessian;
    const int T = olo_block_duration(x);
    if (k + 1 < x->intervals)
        olo_enter_node(x, k + 1);
    const double factor = x->scale / (x->h * x->h);
    if (!olo_has_free_duration(x))
        return;
    for (int i = -1, row = -1; next_rate(x, &i, &row);) {
        const int u = x->n + x->m + i;
        const double own = to->recorded ? y[k * x->row_stride + rate_row(x) + row] : 0;
        olo_entries_put(to, T, u, own * factor);
        olo_entries_put(to, T, x->stride + u, -own * factor);
        olo_entries_put(
            to, T, T, to->recorded ? 2 * own * factor * x->scale / x->h * difference(x, k, i) : 0);
    }
}
