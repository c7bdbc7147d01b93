/* The redundant transcription: what is beyond nodes and intervals.
 *
 *     at the end    balance_N - M v_N,   G(q_N) v_N = f'(T),   conditions and costs
 *     at the start  balance_0 + M v_0,   G(q_0) v_0 = f'(0),   conditions and costs
 *     rates         (u_k+1 - u_k)/h, h between the middles of both intervals
 *
 * v_N is there only if something at the end depends on it, v_0 if it is free; f' is the rate of
 * prescribed motions. */
#include "control/redundant_private.h"

#include <math.h>
#include <string.h>

enum { SIZE = OLO_FORM_SIZE_MAX };

// -- the start and the end ------------------------------------------------------------------------

/* One of both: rows of its block are counted from those of its node. */
typedef struct edge {
    int k;
    olo_location location;
    olo_control_block *block;
    olo_at at;
    int condition_row, velocity_row;
    int velocities, V; /* local column of the first velocity */
    const double *v;
    double sign; /* of M v in the balance of the node */
} edge;

static int end_row(const olo_redundant *x)
{
    return (x->intervals + 1) * x->row_stride;
}

/* The number of rows G v. */
static int velocity_rows(const olo_redundant *x, int velocities)
{
    return velocities > 0 ? x->system->m : 0;
}

int olo_redundant_start_row(const olo_redundant *x)
{
    return end_row(x) + x->end_conditions + velocity_rows(x, x->velocities);
}

/* Numbers of the present variables are there unless positions are recorded. */
static edge edge_of(olo_redundant *x, bool start)
{
    edge e = {.k = start ? 0 : x->intervals,
              .location = start ? OLO_AT_FIRST_NODE : OLO_AT_LAST_NODE,
              .block = &x->blocks[start ? OLO_BLOCK_START : OLO_BLOCK_END],
              .condition_row = start ? olo_redundant_start_row(x) : x->row_stride,
              .velocities = start ? x->start_velocities : x->velocities,
              .V = olo_block_velocity(x) + (start ? x->velocities : 0),
              .sign = start ? 1 : -1};
    e.velocity_row = e.condition_row + (start ? x->start_conditions : x->end_conditions);
    if (!x->x)
        return e;
    e.at = (olo_at){.q = x->x + (size_t)(e.k * x->stride),
                    .angles = olo_node_angles(x, e.k),
                    .t = olo_control_time(x->problem, start ? 0 : 1, x->T)};
    e.v = x->x + (start ? olo_redundant_start_velocity(x) : olo_redundant_end_velocity(x));
    return e;
}

void olo_end_rows(olo_redundant *x, bool start, double *c)
{
    const edge e = edge_of(x, start);
    double g[SIZE], *own = c + (size_t)(e.k * x->row_stride);
    olo_condition_rows(x, e.location, e.k, own + e.condition_row);
    if (e.velocities > 0)
        olo_system_mass_times(x->system, e.v, x->Mdq);
    for (int i = 0; i < e.velocities; i++)
        own[i] += e.sign * x->Mdq[i];
    for (int r = 0; r < velocity_rows(x, e.velocities); r++) {
        const olo_constraint *row = &x->system->constraints[r];
        double sum = -olo_constraint_motion_rate(row, e.at.t);
        olo_constraint_gradient(row, &e.at, g);
        for (int i = 0; i < row->size; i++)
            sum += g[i] * e.v[row->index[i]];
        own[e.velocity_row + r] = sum;
    }
}

static void put_mass(const edge *e, const olo_mass_entry *entry)
{
    const int pairs[2][2] = {{entry->i, entry->j}, {entry->j, entry->i}};
    for (int p = 0; p < olo_mass_blocks(entry); p++)
        for (int c = 0; c < entry->width; c++)
            olo_entries_put(&e->block->jacobian, pairs[p][0] + c, e->V + pairs[p][1] + c,
                            e->sign * entry->m);
}

void olo_end_jacobian(olo_redundant *x, bool start)
{
    const edge e = edge_of(x, start);
    olo_entries *to = &e.block->jacobian;
    double g[SIZE] = {0}, H[SIZE * SIZE], v[SIZE] = {0};
    olo_condition_jacobian(x, e.location, e.k, e.condition_row, to);
    for (int i = 0; e.velocities > 0 && i < x->system->mass_count; i++)
        put_mass(&e, &x->system->mass[i]);
    for (int r = 0; r < velocity_rows(x, e.velocities); r++) {
        const olo_constraint *row = &x->system->constraints[r];
        if (to->recorded) {
            olo_constraint_gradient(row, &e.at, g);
            olo_constraint_gather(row, e.v, v);
            if (row->curved)
                olo_row_derivative(x, r, &e.at, NULL, H);
        }
        for (int i = 0; i < row->size; i++) {
            double Hv = 0;
            for (int j = 0; to->recorded && row->curved && j < row->size; j++)
                Hv += H[j * row->size + i] * v[j];
            olo_entries_put(to, e.velocity_row + r, e.V + row->index[i], g[i]);
            if (row->curved)
                olo_entries_put(to, e.velocity_row + r, row->index[i], Hv);
        }
        if (olo_has_free_duration(x) && olo_constraint_moves(row))
            olo_entries_put(to, e.velocity_row + r, olo_block_duration(x),
                            to->recorded ? -x->problem->at[e.k] *
                                               row->time.curvature(row->time.context, e.at.t)
                                         : 0);
    }
}

/* y (G v - f'): H between q and v, d2(v.grad g)/dq2, and f''' of a free duration */
static void put_velocity_row(olo_redundant *x, const edge *e, int r, double y)
{
    olo_entries *to = &e->block->hessian;
    const olo_constraint *row = &x->system->constraints[r];
    const int *index = row->index;
    const double part = x->problem->at[e->k];
    double H[SIZE * SIZE] = {0}, third[SIZE * SIZE] = {0}, v[SIZE];
    const bool varies = olo_row_has_third_derivative(x, r);
    if (to->recorded && row->curved)
        olo_row_derivative(x, r, &e->at, NULL, H);
    if (to->recorded && varies) {
        olo_constraint_gather(row, e->v, v);
        olo_row_derivative(x, r, &e->at, v, third);
    }
    for (int i = 0; row->curved && i < row->size; i++)
        for (int j = 0; j < row->size; j++)
            olo_entries_put(to, e->V + index[i], index[j], y * H[i * row->size + j]);
    for (int i = 0; varies && i < row->size; i++)
        for (int j = 0; j <= i; j++)
            olo_entries_put(to, index[i] > index[j] ? index[i] : index[j],
                            index[i] > index[j] ? index[j] : index[i],
                            y * third[i * row->size + j]);
    if (olo_has_free_duration(x) && olo_constraint_moves(row))
        olo_entries_put(
            to, olo_block_duration(x), olo_block_duration(x),
            to->recorded ? -y * part * part * row->time.third(row->time.context, e->at.t) : 0);
}

void olo_end_hessian(olo_redundant *x, bool start, double sigma, const double *y)
{
    const edge e = edge_of(x, start);
    olo_entries *to = &e.block->hessian;
    const bool record = !to->recorded;
    const double *own = record ? NULL : y + (size_t)(e.k * x->row_stride);
    olo_condition_hessian(x, e.location, e.k, record ? NULL : own + e.condition_row, to);
    olo_cost_hessian(x, e.location, e.k, sigma, to);
    for (int r = 0; r < velocity_rows(x, e.velocities); r++)
        put_velocity_row(x, &e, r, record ? 0 : own[e.velocity_row + r]);
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
