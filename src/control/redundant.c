/* The redundant transcription: layout, bounds, and the sums over intervals and nodes; see the
 * header.
 */
#include "control/redundant_private.h"

#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "base/memory.h"
#include "control/constant_inputs.h"
#include "control/redundant_rows.h"
#include "kinematics/topology.h"

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
int olo_redundant_end_velocity(const olo_redundant *x)
{
    return (x->intervals + 1) * x->stride - x->controls;
}

int olo_redundant_duration(const olo_redundant *x)
{
    return olo_redundant_start_velocity(x) + x->start_velocities;
}

int olo_redundant_start_velocity(const olo_redundant *x)
{
    return olo_redundant_end_velocity(x) + x->velocities;
}

olo_redundant_layout olo_redundant_numbers(const olo_redundant *x)
{
    return (olo_redundant_layout){.stride = x->stride,
                                  .row_stride = x->row_stride,
                                  .multipliers = x->m,
                                  .rows = x->rows,
                                  .constant_force = x->constant_force,
                                  .path_rows = x->path_conditions + x->rates,
                                  .end_rows = x->nlp.rows - (x->intervals + 1) * x->row_stride,
                                  .velocities = x->velocities + x->start_velocities,
                                  .start_velocities = x->start_velocities};
}

static void set_layout(olo_redundant *x)
{
    const olo_control_problem *p = x->problem;
    x->n = x->system->n;
    x->controls = p->controls;
    x->intervals = p->intervals;
    int *const counts[] = {[OLO_AT_START] = &x->start_conditions,
                           [OLO_AT_END] = &x->end_conditions,
                           [OLO_ALONG_PATH] = &x->path_conditions};
    for (int i = 0; i < p->condition_count; i++)
        *counts[p->conditions[i].where] += 1;
    for (int c = 0; c < x->controls; c++)
        x->rates += isfinite(p->rate[c]);
    x->velocities = p->end_velocities ? x->n : 0;
    x->start_velocities = p->start_velocities ? x->n : 0;
    x->stride = x->n + x->m + x->controls;
    x->row_stride = x->n + x->m + x->path_conditions + x->rates;
    x->T = p->duration;
    olo_enter_interval(x, 0);
    x->nlp.variables = olo_redundant_duration(x) + 1;
    x->nlp.rows = olo_redundant_start_row(x) + x->start_conditions +
                  (x->start_velocities > 0 ? x->system->m : 0);
}

static void set_variable_bounds(olo_redundant *x)
{
    const olo_control_problem *p = x->problem;
    double *lower = x->nlp.lower, *upper = x->nlp.upper;
    for (int i = 0; i < x->nlp.variables; i++) {
        lower[i] = -INFINITY;
        upper[i] = INFINITY;
    }
    for (int i = 0; i < x->n && !p->free_start; i++)
        lower[i] = upper[i] = x->guess[i];
    for (int k = 0; k < x->intervals; k++) {
        const int u = olo_redundant_controls(x, k);
        memcpy(lower + u, p->lower, (size_t)x->controls * sizeof *lower);
        memcpy(upper + u, p->upper, (size_t)x->controls * sizeof *upper);
    }
    for (int i = 0; !olo_control_has_end_balance(p) && i < x->m; i++)
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

/* Sets the bounds of a row; of one along the path at the nodes `first` to `last`. */
static void bound_path(olo_redundant *x, int local, int first, int last, double lower, double upper)
{
    for (int k = 0; k <= x->intervals; k++) {
        const bool inside = k >= first && k <= last;
        x->nlp.row_lower[k * x->row_stride + local] = inside ? lower : -INFINITY;
        x->nlp.row_upper[k * x->row_stride + local] = inside ? upper : INFINITY;
    }
}

/* All rows are equations but conditions and rates. */
static void set_row_bounds(olo_redundant *x)
{
    const olo_control_problem *p = x->problem;
    const int N = x->intervals;
    int path = x->n + x->m, end = (N + 1) * x->row_stride, start = olo_redundant_start_row(x);
    for (int i = 0; i < p->condition_count; i++) {
        const olo_control_condition *c = &p->conditions[i];
        const olo_location location = olo_location_of(c->where, &c->measure);
        if (c->where == OLO_ALONG_PATH) {
            bound_path(x, path++, location == OLO_AT_NODE, location == OLO_AT_NODE ? N : N - 1,
                       c->lower, c->upper);
            continue;
        }
        int *row = location == OLO_AT_LAST_NODE ? &end : &start;
        x->nlp.row_lower[*row] = c->lower;
        x->nlp.row_upper[(*row)++] = c->upper;
    }
    for (int c = 0; c < x->controls; c++)
        if (isfinite(p->rate[c]))
            bound_path(x, path++, 1, N - 1, -p->rate[c], p->rate[c]);
    for (int i = 0; !olo_control_has_end_balance(p) && i < x->n; i++)
        open_row(x, N * x->row_stride + i);
    for (int i = 0; i < x->m; i++) /* the first configuration is given; no interval ends there */
        if (!p->free_start || x->system->constraints[x->rows[i]].type->velocity)
            open_row(x, x->n + i);
}

int olo_redundant_independent_rows(const olo_redundant *x)
{
    int count = 0;
    for (int c = 0; c < x->system->m; c++)
        count += !olo_is_redundant(x, 0, c);
    return count;
}

void olo_redundant_drop_end_row(olo_redundant *x, int coordinate)
{
    open_row(x, x->intervals * x->row_stride + coordinate);
}

// -- evaluation -----------------------------------------------------------------------------------

void olo_redundant_set_point(olo_redundant *x, const double *at)
{
    x->x = at;
    x->T = at[olo_redundant_duration(x)];
}

void olo_redundant_momenta(olo_redundant *x, const double *at, int k, double *minus, double *plus)
{
    olo_redundant_set_point(x, at);
    memset(minus, 0, (size_t)x->n * sizeof *minus);
    memset(plus, 0, (size_t)x->n * sizeof *plus);
    olo_interval_balances(x, k, true, minus, plus);
    for (int i = 0; i < x->n; i++)
        minus[i] = -minus[i];
}

/* Costs of all locations. */
static double add_costs(olo_redundant *x, double *gradient)
{
    double sum = 0;
    for (int k = 0; k <= x->intervals; k++)
        sum += olo_cost_value(x, OLO_AT_NODE, k, gradient);
    for (int k = 0; k < x->intervals; k++)
        sum += olo_cost_value(x, OLO_OVER_INTERVAL, k, gradient);
    return sum + olo_cost_value(x, OLO_AT_FIRST_NODE, 0, gradient) +
           olo_cost_value(x, OLO_AT_LAST_NODE, x->intervals, gradient);
}

double olo_redundant_constraint_error(olo_redundant *x, const double *at)
{
    double largest = 0;
    for (int k = 0; k <= x->intervals; k++) {
        const olo_at here = {
            .q = at + olo_redundant_configuration(x, k),
            .angles = olo_node_angles(x, k),
            .t = olo_control_time(x->problem, x->problem->at[k], at[olo_redundant_duration(x)])};
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
    olo_redundant_set_point(x, at);
    for (int k = 0; k < x->intervals; k++)
        for (int c = 0; c < x->controls; c++) {
            const double u = at[olo_redundant_controls(x, k) + c];
            sum += x->T * p->part[k] * p->effort[c] * u * u;
        }
    return sum + add_costs(x, NULL);
}

static void gradient(void *context, const double *at, double *g)
{
    olo_redundant *x = context;
    const olo_control_problem *p = x->problem;
    const int T = olo_redundant_duration(x);
    olo_redundant_set_point(x, at);
    memset(g, 0, (size_t)x->nlp.variables * sizeof *g);
    g[T] = p->duration_weight;
    for (int k = 0; k < x->intervals; k++)
        for (int c = 0; c < x->controls; c++) {
            const int i = olo_redundant_controls(x, k) + c;
            g[i] += 2 * x->T * p->part[k] * p->effort[c] * at[i];
            g[T] += p->part[k] * p->effort[c] * at[i] * at[i];
        }
    (void)add_costs(x, g);
}

static void clear_rows(double *c, int first, int end)
{
    memset(c + first, 0, (size_t)(end - first) * sizeof *c);
}

void olo_redundant_evaluate_node(olo_redundant *x, int k, bool replaced, double *c)
{
    double *own = c + (size_t)(k * x->row_stride);
    if (k == 0) {
        clear_rows(c, 0, x->row_stride);
        clear_rows(c, (x->intervals + 1) * x->row_stride, x->nlp.rows);
    }
    if (k == 0 && x->start_velocities == 0)
        memcpy(c, x->momentum, (size_t)x->n * sizeof *c);
    if (k < x->intervals) {
        clear_rows(own, x->row_stride, 2 * x->row_stride);
        olo_interval_balances(x, k, replaced, own, own + x->row_stride);
    }
    olo_node_rows(x, k, c);
    if (k < x->intervals)
        olo_condition_rows(x, OLO_OVER_INTERVAL, k, own + x->n + x->m);
    if (k + 1 < x->intervals)
        olo_rate_rows(x, k, c);
    if (k == 0)
        olo_end_rows(x, true, c);
    if (k == x->intervals)
        olo_end_rows(x, false, c);
}

void olo_redundant_evaluate(olo_redundant *x, const double *at, bool replaced, double *c)
{
    olo_redundant_set_point(x, at);
    for (int k = 0; k <= x->intervals; k++)
        olo_redundant_evaluate_node(x, k, replaced, c);
}

static void evaluate(void *context, const double *at, double *c)
{
    olo_redundant_evaluate(context, at, false, c);
}

// -- creation -------------------------------------------------------------------------------------

/* The joint angles of a motion, each near that of the node before, and those of the first node near
 * what they are already; configurations are `stride` numbers apart. */
static void follow_angles(olo_redundant *x, const double *motion, int stride)
{
    const olo_system *s = x->system;
    for (int k = 0; k <= x->intervals; k++)
        for (int i = 0; i < s->joint_coordinate_count; i++) {
            const olo_term *term = s->joint_coordinates[i].term;
            const double *q = motion + (size_t)k * (size_t)stride;
            double *angle = x->angles + k * s->joint_coordinate_count + i;
            if (olo_joint_coordinate_is_angle(&s->joint_coordinates[i]))
                *angle = olo_angle_near(olo_form_value(&term->form[0], q),
                                        olo_form_value(&term->form[1], q),
                                        angle[k > 0 ? -s->joint_coordinate_count : 0]);
        }
}

void olo_redundant_refer(olo_redundant *x, const double *at)
{
    follow_angles(x, at, x->stride);
}

void olo_redundant_use(olo_redundant *x, const olo_control_problem *problem, const olo_state *state)
{
    x->problem = problem;
    x->system = problem->system;
    olo_system_mass_times(x->system, state->v, x->momentum);
}

/* Redundant rows have no bounds, and their multipliers are fixed at zero. */
static olo_status drop_redundant_rows(olo_redundant *x, olo_error *error)
{
    const olo_status status =
        olo_redundant_rows_find(x->problem, x->guess, x->intervals + 1, x->redundant, error);
    for (int k = 0; status == OLO_OK && k <= x->intervals; k++)
        for (int i = 0; i < x->m; i++) {
            const int lambda = olo_redundant_multipliers(x, k) + i;
            const int end = x->over_intervals && k < x->intervals ? k + 1 : k;
            if (olo_is_redundant(x, end, x->rows[i]))
                x->nlp.lower[lambda] = x->nlp.upper[lambda] = 0;
            if (olo_is_redundant(x, k, x->rows[i]))
                open_row(x, k * x->row_stride + x->n + i);
        }
    for (int c = 0; status == OLO_OK && x->velocities > 0 && c < x->system->m; c++)
        if (olo_is_redundant(x, x->intervals, c))
            open_row(x, (x->intervals + 1) * x->row_stride + x->end_conditions + c);
    for (int c = 0; status == OLO_OK && x->start_velocities > 0 && c < x->system->m; c++)
        if (olo_is_redundant(x, 0, c))
            open_row(x, olo_redundant_start_row(x) + x->start_conditions + c);
    return status;
}

/* All constraint rows, or those that close loops. */
static bool list_rows(olo_redundant *x, bool closures)
{
    x->rows = olo_pool_alloc(&x->pool, (size_t)x->m + 1, sizeof *x->rows);
    x->redundant = olo_pool_alloc(&x->pool, (size_t)(x->intervals + 1) * (size_t)x->system->m + 1,
                                  sizeof *x->redundant);
    for (int i = 0; x->rows && i < x->m; i++)
        x->rows[i] = closures ? x->system->topology->closures[i] : i;
    return x->rows && x->redundant;
}

/* A programme on charts needs no derivatives of forces that are constant there; with parameters as
 * variables they would depend on these. */
static olo_status replace_constant_inputs(olo_redundant *x, olo_error *error)
{
    const size_t size = (size_t)x->system->topology->unknowns * (size_t)x->controls;
    x->constant = olo_pool_alloc(&x->pool, (size_t)x->system->action_count + 1, sizeof(bool));
    x->constant_force = olo_pool_alloc(&x->pool, size + 1, sizeof(double));
    if (!x->constant || !x->constant_force)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
    return x->problem->parameter_count > 0
               ? OLO_OK
               : olo_constant_inputs_find(x->problem, x->guess, x->constant, x->constant_force,
                                          error);
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
                                {&x->start, n},
                                {&x->inputs, (size_t)x->system->action_count},
                                {&x->qm, n},
                                {&x->dq, n},
                                {&x->Mdq, n},
                                {&x->vm, n},
                                {&x->gq, (size_t)olo_control_largest_measure(x->problem)},
                                {&x->gv, (size_t)olo_control_largest_measure(x->problem)}};
    x->guess = olo_pool_copy(&x->pool, x->guess, nodes * n, sizeof *x->guess);
    return x->guess && olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays);
}

static olo_status build(olo_redundant *x, const olo_state *state, bool closures, olo_error *error)
{
    x->m = closures ? x->system->topology->closure_count : x->system->m;
    x->on_charts = closures;
    set_layout(x);
    olo_status status = OLO_OK;
    if (!allocate(x) || !list_rows(x, closures))
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
    if (status == OLO_OK && closures)
        status = replace_constant_inputs(x, error);
    if (status == OLO_OK)
        status = olo_redundant_list_contributions(x, error);
    if (status != OLO_OK)
        return status;
    olo_system_mass_times(x->system, state->v, x->momentum);
    memcpy(x->start, state->v, (size_t)x->n * sizeof *x->start);
    memcpy(x->angles, state->angles, (size_t)x->system->joint_coordinate_count * sizeof(double));
    follow_angles(x, x->guess, x->n);
    set_variable_bounds(x);
    set_row_bounds(x);
    status = drop_redundant_rows(x, error);
    if (status == OLO_OK && !olo_redundant_record_blocks(x))
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
    return status;
}

olo_status olo_redundant_create(const olo_control_problem *problem, const olo_state *state,
                                const double *guess, bool closures, olo_redundant **transcription,
                                olo_error *error)
{
    *transcription = NULL;
    olo_redundant *x = olo_alloc(1, sizeof *x);
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
    x->problem = problem;
    x->system = problem->system;
    x->over_intervals = problem->energy_momentum && !closures;
    if (!x->over_intervals)
        x->how = (olo_evaluation){.midpoint = true, .at_start = true, .at_nodes = true};
    x->guess = guess;
    x->nlp = (olo_nlp){.context = x,
                       .objective = objective,
                       .gradient = gradient,
                       .evaluate = evaluate,
                       .evaluate_jacobian = olo_redundant_jacobian,
                       .evaluate_hessian = olo_redundant_hessian};
    olo_status status = build(x, state, closures, error);
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
    for (int i = 0; i < OLO_BLOCKS; i++) {
        olo_free(x->blocks[i].jacobian.keys);
        olo_free(x->blocks[i].hessian.keys);
    }
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
    memcpy(at + olo_redundant_start_velocity(x), x->start,
           (size_t)x->start_velocities * sizeof *at);
    const double *last = x->guess + (size_t)x->intervals * (size_t)x->n;
    for (int i = 0; i < x->velocities; i++)
        at[olo_redundant_end_velocity(x) + i] =
            (last[i] - last[i - x->n]) /
            (x->problem->duration * x->problem->part[x->intervals - 1]);
}
