/* The redundant transcription: layout, bounds, and the sums over intervals and nodes; see the
 * header.
 */
#include "control/redundant_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "base/memory.h"
#include "control/redundant_rows.h"
#include "linalg/dense.h"

// -- layout ---------------------------------------------------------------------------------------

int olo_redundant_configuration(const olo_redundant *x, int node)
{
    return node * x->stride;
}

int olo_redundant_multipliers(const olo_redundant *x, int node)
{
    return node * x->stride + x->n;
}

int olo_redundant_controls(const olo_redundant *x, int interval)
{
    return interval * x->stride + x->n + x->m;
}

/* The last node has no controls. */
int olo_redundant_duration(const olo_redundant *x)
{
    return (x->intervals + 1) * x->stride - x->controls;
}

static void set_layout(olo_redundant *x)
{
    const olo_control_problem *p = x->problem;
    x->n = x->system->n;
    x->controls = p->controls;
    x->intervals = p->intervals;
    for (int i = 0; i < p->condition_count; i++)
        *(p->conditions[i].where == OLO_AT_END ? &x->end_conditions : &x->path_conditions) += 1;
    x->stride = x->n + x->m + x->controls;
    x->row_stride = x->n + x->m + x->path_conditions;
    x->scale = 1.0 / x->intervals;
    x->h = p->duration * x->scale;
    x->nlp.variables = olo_redundant_duration(x) + 1;
    x->nlp.rows = (x->intervals + 1) * x->row_stride + x->end_conditions;
}

static void set_variable_bounds(olo_redundant *x)
{
    const olo_control_problem *p = x->problem;
    double *lower = x->nlp.lower, *upper = x->nlp.upper;
    for (int i = 0; i < x->nlp.variables; i++) {
        lower[i] = -INFINITY;
        upper[i] = INFINITY;
    }
    for (int i = 0; i < x->n; i++)
        lower[i] = upper[i] = x->guess[i];
    for (int k = 0; k < x->intervals; k++) {
        const int u = olo_redundant_controls(x, k);
        memcpy(lower + u, p->lower, (size_t)x->controls * sizeof *lower);
        memcpy(upper + u, p->upper, (size_t)x->controls * sizeof *upper);
    }
    for (int i = 0; !p->rest && i < x->m; i++)
        lower[olo_redundant_multipliers(x, x->intervals) + i] =
            upper[olo_redundant_multipliers(x, x->intervals) + i] = 0;
    lower[olo_redundant_duration(x)] = p->shortest;
    upper[olo_redundant_duration(x)] = p->longest;
}

static void open_row(olo_redundant *x, int row)
{
    x->nlp.row_lower[row] = -INFINITY;
    x->nlp.row_upper[row] = INFINITY;
}

/* All rows are equations but conditions. */
static void set_row_bounds(olo_redundant *x)
{
    const olo_control_problem *p = x->problem;
    int path = x->n + x->m, end = (x->intervals + 1) * x->row_stride;
    for (int i = 0; i < p->condition_count; i++) {
        const olo_control_condition *c = &p->conditions[i];
        const bool at_end = c->where == OLO_AT_END;
        for (int k = 0; k <= (at_end ? 0 : x->intervals); k++) {
            const int row = at_end ? end : k * x->row_stride + path;
            x->nlp.row_lower[row] = c->lower;
            x->nlp.row_upper[row] = c->upper;
        }
        *(at_end ? &end : &path) += 1;
    }
    for (int i = 0; !p->rest && i < x->n; i++)
        open_row(x, x->intervals * x->row_stride + i);
}

void olo_redundant_drop_end_row(olo_redundant *x, int coordinate)
{
    open_row(x, x->intervals * x->row_stride + coordinate);
}

// -- evaluation -----------------------------------------------------------------------------------

static void set_point(olo_redundant *x, const double *at)
{
    x->x = at;
    x->h = at[olo_redundant_duration(x)] * x->scale;
}

void olo_redundant_momenta(olo_redundant *x, const double *at, int k, double *minus, double *plus)
{
    set_point(x, at);
    memset(minus, 0, (size_t)x->n * sizeof *minus);
    memset(plus, 0, (size_t)x->n * sizeof *plus);
    olo_interval_balances(x, k, minus, plus);
    for (int i = 0; i < x->n; i++)
        minus[i] = -minus[i];
}

/* G[m x n] at a configuration, and M = G G^T. */
static void set_gradients(const olo_system *s, const olo_at *at, double *G, double *M)
{
    const size_t n = (size_t)s->n;
    double g[OLO_FORM_SIZE_MAX];
    memset(G, 0, (size_t)s->m * n * sizeof *G);
    for (int c = 0; c < s->m; c++) {
        const olo_constraint *row = &s->constraints[c];
        olo_constraint_gradient(row, at, g);
        for (int i = 0; i < row->size; i++)
            G[(size_t)c * n + (size_t)row->index[i]] += g[i];
    }
    for (int c = 0; c < s->m; c++)
        for (int d = 0; d < s->m; d++) {
            M[c * s->m + d] = 0;
            for (size_t i = 0; i < n; i++)
                M[c * s->m + d] += G[(size_t)c * n + i] * G[(size_t)d * n + i];
        }
}

olo_status olo_redundant_recover_multipliers(olo_redundant *x, const double *at, double *lambda,
                                             olo_error *error)
{
    const olo_system *s = x->system;
    const size_t n = (size_t)s->n, m = (size_t)s->m;
    const int last = x->problem->rest ? x->intervals : x->intervals - 1;
    double *b = olo_alloc((size_t)x->nlp.rows, sizeof *b), *G = olo_alloc(m * n, sizeof *G),
           *M = olo_alloc(m * m, sizeof *M);
    int *pivot = olo_alloc(m, sizeof *pivot);
    olo_status status = OLO_OK;
    if (!b || !G || !M || !pivot)
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
    if (status == OLO_OK)
        x->nlp.evaluate(x, at, b);
    for (int k = 0; status == OLO_OK && k <= last; k++) {
        const olo_at here = {.q = at + olo_redundant_configuration(x, k),
                             .angles = olo_node_angles(x, k)};
        const double *balance = b + (size_t)(k * x->row_stride);
        double *own = lambda + (size_t)k * m, scale = olo_node_weight(x, k) * x->h;
        set_gradients(s, &here, G, M);
        for (size_t c = 0; c < m; c++) {
            own[c] = 0;
            for (size_t i = 0; i < n; i++)
                own[c] += G[c * n + i] * balance[i] / scale;
        }
        if (olo_lu_factor(s->m, M, pivot))
            olo_lu_solve(s->m, M, pivot, false, 1, own);
    }
    olo_free(b);
    olo_free(G);
    olo_free(M);
    olo_free(pivot);
    return status;
}

double olo_redundant_constraint_error(olo_redundant *x, const double *at)
{
    double largest = 0;
    for (int k = 0; k <= x->intervals; k++) {
        const olo_at here = {.q = at + olo_redundant_configuration(x, k),
                             .angles = olo_node_angles(x, k),
                             .t = k * x->scale * at[olo_redundant_duration(x)]};
        for (int c = 0; c < x->system->m; c++)
            olo_raise(&largest, fabs(olo_constraint_value(&x->system->constraints[c], &here)));
    }
    return largest;
}

static double objective(void *context, const double *at)
{
    olo_redundant *x = context;
    const olo_control_problem *p = x->problem;
    double sum = p->duration_weight * at[olo_redundant_duration(x)];
    set_point(x, at);
    for (int k = 0; k < x->intervals; k++)
        for (int c = 0; c < x->controls; c++) {
            const double u = at[olo_redundant_controls(x, k) + c];
            sum += x->h * p->effort[c] * u * u;
        }
    for (int k = 0; k <= x->intervals; k++)
        sum += olo_node_cost(x, k, false, NULL);
    return sum + olo_node_cost(x, x->intervals, true, NULL);
}

static void gradient(void *context, const double *at, double *g)
{
    olo_redundant *x = context;
    const olo_control_problem *p = x->problem;
    const int T = olo_redundant_duration(x);
    set_point(x, at);
    memset(g, 0, (size_t)x->nlp.variables * sizeof *g);
    g[T] = p->duration_weight;
    for (int k = 0; k < x->intervals; k++)
        for (int c = 0; c < x->controls; c++) {
            const int i = olo_redundant_controls(x, k) + c;
            g[i] += 2 * x->h * p->effort[c] * at[i];
            g[T] += x->scale * p->effort[c] * at[i] * at[i];
        }
    for (int k = 0; k <= x->intervals; k++)
        (void)olo_node_cost(x, k, false, g);
    (void)olo_node_cost(x, x->intervals, true, g);
}

static void evaluate(void *context, const double *at, double *c)
{
    olo_redundant *x = context;
    set_point(x, at);
    memset(c, 0, (size_t)x->nlp.rows * sizeof *c);
    memcpy(c, x->momentum, (size_t)x->n * sizeof *c);
    for (int k = 0; k < x->intervals; k++)
        olo_interval_balances(x, k, c + (size_t)(k * x->row_stride),
                              c + (size_t)((k + 1) * x->row_stride));
    for (int k = 0; k <= x->intervals; k++)
        olo_node_rows(x, k, c);
    olo_end_rows(x, c);
}

static void evaluate_jacobian(void *context, const double *at, double *values)
{
    olo_redundant *x = context;
    set_point(x, at);
    for (int k = 0; k < x->intervals; k++, values += x->interval.jacobian.positions.count) {
        olo_entries_begin(&x->interval.jacobian, values);
        olo_interval_jacobian(x, k);
    }
    for (int k = 0; k <= x->intervals; k++, values += x->node.jacobian.positions.count) {
        olo_entries_begin(&x->node.jacobian, values);
        olo_node_jacobian(x, k);
    }
    olo_entries_begin(&x->end.jacobian, values);
    olo_end_jacobian(x);
}

static void evaluate_hessian(void *context, const double *at, double sigma, const double *y,
                             double *values)
{
    olo_redundant *x = context;
    set_point(x, at);
    for (int k = 0; k < x->intervals; k++, values += x->interval.hessian.positions.count) {
        olo_entries_begin(&x->interval.hessian, values);
        olo_interval_hessian(x, k, sigma, y);
    }
    for (int k = 0; k <= x->intervals; k++, values += x->node.hessian.positions.count) {
        olo_entries_begin(&x->node.hessian, values);
        olo_node_hessian(x, k, sigma, y);
    }
    olo_entries_begin(&x->end.hessian, values);
    olo_end_hessian(x, sigma, y);
}

// -- positions ------------------------------------------------------------------------------------

/* Appends the positions of a block k: rows and columns are variables in a Hessian. */
static void append(const olo_redundant *x, const olo_positions *block, bool hessian, int k,
                   int first_row, olo_positions *to)
{
    for (int i = 0; i < block->count; i++) {
        to->row[to->count] =
            hessian ? olo_block_variable(x, k, block->row[i]) : first_row + block->row[i];
        to->column[to->count++] = olo_block_variable(x, k, block->column[i]);
    }
}

static const olo_positions *positions_of(const olo_control_block *block, bool hessian)
{
    return hessian ? &block->hessian.positions : &block->jacobian.positions;
}

/* All positions, in the order in which values are computed. */
static bool list_positions(olo_redundant *x, bool hessian, olo_positions *to)
{
    const int N = x->intervals;
    const olo_positions *interval = positions_of(&x->interval, hessian),
                        *node = positions_of(&x->node, hessian),
                        *end = positions_of(&x->end, hessian);
    const size_t count = (size_t)N * (size_t)interval->count +
                         (size_t)(N + 1) * (size_t)node->count + (size_t)end->count;
    to->row = olo_pool_alloc(&x->pool, count, sizeof *to->row);
    to->column = olo_pool_alloc(&x->pool, count, sizeof *to->column);
    if (!to->row || !to->column)
        return false;
    for (int k = 0; k < N; k++)
        append(x, interval, hessian, k, k * x->row_stride, to);
    for (int k = 0; k <= N; k++)
        append(x, node, hessian, k, k * x->row_stride, to);
    append(x, end, hessian, N, (N + 1) * x->row_stride, to);
    return true;
}

static bool record_blocks(olo_redundant *x)
{
    olo_interval_jacobian(x, 0);
    olo_interval_hessian(x, 0, 1.0, NULL);
    olo_node_jacobian(x, 0);
    olo_node_hessian(x, 0, 1.0, NULL);
    olo_end_jacobian(x);
    olo_end_hessian(x, 1.0, NULL);
    olo_entries *all[] = {&x->interval.jacobian, &x->interval.hessian, &x->node.jacobian,
                          &x->node.hessian,      &x->end.jacobian,     &x->end.hessian};
    bool done = true;
    for (int i = 0; i < 6; i++)
        done = olo_entries_complete(all[i], &x->pool) && done;
    return done && list_positions(x, false, &x->nlp.jacobian) &&
           list_positions(x, true, &x->nlp.hessian);
}

// -- creation -------------------------------------------------------------------------------------

/* The joint angles of the guess, with turns counted from the first node. */
static void follow_angles(olo_redundant *x)
{
    const olo_system *s = x->system;
    for (int k = 0; k <= x->intervals; k++)
        for (int i = 0; i < s->joint_coordinate_count; i++) {
            const olo_term *term = s->joint_coordinates[i].term;
            const double *q = x->guess + (size_t)k * (size_t)x->n;
            double *angle = x->angles + k * s->joint_coordinate_count + i;
            if (olo_joint_coordinate_is_angle(&s->joint_coordinates[i]))
                *angle = olo_angle_near(olo_form_value(&term->form[0], q),
                                        olo_form_value(&term->form[1], q),
                                        k > 0 ? angle[-s->joint_coordinate_count] : 0.0);
        }
}

static olo_status refuse(const olo_redundant *x, olo_error *error)
{
    const olo_system *s = x->system;
    for (int c = 0; c < s->m; c++) {
        const olo_constraint *row = &s->constraints[c];
        const char *group = s->groups[olo_system_group_of(s, c)].name;
        if (row->type->velocity)
            return olo_fail(error, OLO_UNSUPPORTED,
                            "'%s' constrains velocities (rolling), which the scheme variational "
                            "does not have",
                            group);
        if (olo_constraint_moves(row) && x->problem->free_duration)
            return olo_fail(error, OLO_UNSUPPORTED,
                            "'%s' has a prescribed motion: then the duration must be given", group);
    }
    return OLO_OK;
}

/* Redundant rows have no bounds, and their multipliers are fixed at zero. */
static olo_status drop_redundant_rows(olo_redundant *x, olo_error *error)
{
    bool *redundant = olo_alloc((size_t)x->system->m, sizeof *redundant);
    olo_status status =
        redundant ? olo_redundant_rows_find(x->system, x->guess, x->intervals + 1, redundant, error)
                  : olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
    for (int k = 0; status == OLO_OK && k <= x->intervals; k++)
        for (int c = 0; c < x->m; c++) {
            const int lambda = olo_redundant_multipliers(x, k) + c;
            if (!redundant[c])
                continue;
            x->nlp.lower[lambda] = x->nlp.upper[lambda] = 0;
            open_row(x, k * x->row_stride + x->n + c);
        }
    olo_free(redundant);
    return status;
}

static bool allocate(olo_redundant *x)
{
    const size_t n = (size_t)x->n, nodes = (size_t)x->intervals + 1;
    const olo_array arrays[] = {{&x->nlp.lower, (size_t)x->nlp.variables},
                                {&x->nlp.upper, (size_t)x->nlp.variables},
                                {&x->nlp.row_lower, (size_t)x->nlp.rows},
                                {&x->nlp.row_upper, (size_t)x->nlp.rows},
                                {&x->angles, nodes * (size_t)x->system->joint_coordinate_count},
                                {&x->momentum, n},
                                {&x->inputs, (size_t)x->system->action_count},
                                {&x->qm, n},
                                {&x->dq, n},
                                {&x->Mdq, n}};
    x->guess = olo_pool_copy(&x->pool, x->guess, nodes * n, sizeof *x->guess);
    return x->guess && olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays);
}

static olo_status build(olo_redundant *x, const olo_state *state, olo_error *error)
{
    set_layout(x);
    olo_status status = refuse(x, error);
    if (status == OLO_OK && !allocate(x))
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
    if (status == OLO_OK)
        status = olo_redundant_list_contributions(x, error);
    if (status != OLO_OK)
        return status;
    olo_system_mass_times(x->system, state->v, x->momentum);
    follow_angles(x);
    set_variable_bounds(x);
    set_row_bounds(x);
    status = drop_redundant_rows(x, error);
    if (status == OLO_OK && !record_blocks(x))
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
    return status;
}

olo_status olo_redundant_create(const olo_control_problem *problem, const olo_state *state,
                                const double *guess, bool multipliers,
                                olo_redundant **transcription, olo_error *error)
{
    *transcription = NULL;
    olo_redundant *x = olo_alloc(1, sizeof *x);
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
    x->problem = problem;
    x->system = problem->system;
    x->how = (olo_evaluation){.midpoint = true, .at_start = true, .at_nodes = true};
    x->guess = guess;
    x->m = multipliers ? x->system->m : 0;
    x->nlp = (olo_nlp){.context = x,
                       .objective = objective,
                       .gradient = gradient,
                       .evaluate = evaluate,
                       .evaluate_jacobian = evaluate_jacobian,
                       .evaluate_hessian = evaluate_hessian};
    olo_status status = build(x, state, error);
    if (status != OLO_OK) {
        olo_redundant_free(x);
        return status;
    }
    *transcription = x;
    return OLO_OK;
}

void olo_redundant_free(olo_redundant *x)
{
    if (!x)
        return;
    olo_entries *all[] = {&x->interval.jacobian, &x->interval.hessian, &x->node.jacobian,
                          &x->node.hessian,      &x->end.jacobian,     &x->end.hessian};
    for (int i = 0; i < 6; i++)
        olo_free(all[i]->keys);
    olo_pool_free(&x->pool);
    olo_free(x);
}

const olo_nlp *olo_redundant_nlp(const olo_redundant *x)
{
    return &x->nlp;
}

void olo_redundant_start(const olo_redundant *x, double *at)
{
    memset(at, 0, (size_t)x->nlp.variables * sizeof *at);
    for (int k = 0; k <= x->intervals; k++)
        memcpy(at + olo_redundant_configuration(x, k), x->guess + (size_t)k * (size_t)x->n,
               (size_t)x->n * sizeof *at);
    for (int k = 0; k < x->intervals; k++)
        memcpy(at + olo_redundant_controls(x, k), x->problem->control_guess,
               (size_t)x->controls * sizeof *at);
    at[olo_redundant_duration(x)] = x->problem->duration;
}

void olo_redundant_describe(const olo_redundant *x, int row, double duration, char *text,
                            size_t size)
{
    const olo_system *s = x->system;
    const int node = row / x->row_stride, local = row % x->row_stride;
    const double t = node * x->scale * duration;
    const olo_control_problem *p = x->problem;
    int wanted =
        node > x->intervals ? row - (x->intervals + 1) * x->row_stride : local - x->n - x->m;
    if (node <= x->intervals && local < x->n)
        (void)snprintf(text, size, "the balance of '%s' at t = %.6g",
                       s->nodes[s->coordinates[local].node].name, t);
    else if (node <= x->intervals && local < x->n + x->m)
        (void)snprintf(text, size, "a constraint of '%s' at t = %.6g",
                       s->groups[olo_system_group_of(s, local - x->n)].name, t);
    else
        for (int i = 0; i < p->condition_count; i++)
            if ((p->conditions[i].where == OLO_AT_END) == (node > x->intervals) && wanted-- == 0)
                (void)snprintf(text, size, "the condition on '%s' at t = %.6g",
                               p->conditions[i].quantity.name, node > x->intervals ? duration : t);
}
