/* The reduced transcription: layout, bounds and values; see the header. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "control/reduced_private.h"

// -- values ---------------------------------------------------------------------------------------

static double objective(void *context, const double *at)
{
    olo_reduced *x = context;
    olo_reduced_set_point(x, at);
    return x->of->objective(x->of->context, x->x);
}

static void gradient(void *context, const double *at, double *g)
{
    olo_reduced *x = context;
    olo_reduced_set_point(x, at);
    x->of->gradient(x->of->context, x->x, x->g);
    for (int k = 0; k <= x->intervals; k++) {
        const double *from = x->g + olo_redundant_configuration(x->full, k);
        const int passed = x->m + (k < x->intervals ? x->controls : 0);
        memset(g + k * x->stride, 0, (size_t)x->dof * sizeof *g);
        if (x->problem->cost_count > 0) /* of quantities; effort has no gradient here */
            olo_chart_reduce(x->nodes[k].chart, from, g + k * x->stride);
        memcpy(g + olo_reduced_closures(x, k), from + x->n, (size_t)passed * sizeof *g);
    }
    memcpy(g + olo_reduced_velocity(x), x->g + olo_redundant_end_velocity(x->full),
           (size_t)(x->under.velocities + 1) * sizeof *g);
}

static void evaluate(void *context, const double *at, double *c)
{
    olo_reduced *x = context;
    const int passed = x->row_stride - x->dof;
    olo_reduced_set_point(x, at);
    olo_reduced_balance(x);
    for (int k = 0; k <= x->intervals; k++) {
        const double *b = olo_reduced_full_balance(x, k);
        double *own = c + k * x->row_stride;
        memcpy(own, x->balances + k * x->dof, (size_t)x->dof * sizeof *own);
        memcpy(own + x->dof, b + x->n, (size_t)passed * sizeof *c);
        for (int i = 0; i < x->dof; i++)
            own[i] += olo_reduced_time(x) * olo_reduced_constant_force(x, k, i);
    }
    memcpy(c + (x->intervals + 1) * x->row_stride, olo_reduced_full_balance(x, x->intervals + 1),
           (size_t)x->under.end_rows * sizeof *c);
}

// -- creation -------------------------------------------------------------------------------------

static void set_layout(olo_reduced *x)
{
    x->under = olo_redundant_numbers(x->full);
    x->n = x->problem->system->n;
    x->m = x->under.multipliers;
    x->dof = x->problem->system->topology->unknowns;
    x->controls = x->problem->controls;
    x->intervals = x->problem->intervals;
    x->stride = x->dof + x->m + x->controls;
    x->row_stride = x->dof + x->m + x->under.path_rows;
    x->nlp.variables = olo_reduced_duration(x) + 1;
    x->nlp.rows = (x->intervals + 1) * x->row_stride + x->under.end_rows;
}

/* Bounds of what is passed on are those of the redundant programme; a first node may be given, and
 * a balance is an equation unless the velocity at the end is free. */
static void set_bounds(olo_reduced *x)
{
    const olo_nlp *of = x->of;
    for (int i = 0; i < x->nlp.variables; i++) {
        const bool given = i < x->dof && !x->problem->free_start;
        x->nlp.lower[i] = given ? 0 : -INFINITY;
        x->nlp.upper[i] = given ? 0 : INFINITY;
    }
    for (int i = 0; i < of->variables; i++) {
        const olo_variable v = olo_reduced_variable(x, i);
        if (v.kind == OLO_CONFIGURATION)
            continue;
        x->nlp.lower[v.reduced] = of->lower[i];
        x->nlp.upper[v.reduced] = of->upper[i];
    }
    for (int i = 0; i < of->rows; i++) {
        const int row = olo_reduced_row(x, i);
        if (row < 0)
            continue;
        x->nlp.row_lower[row] = of->row_lower[i];
        x->nlp.row_upper[row] = of->row_upper[i];
    }
    for (int i = 0; !olo_control_has_end_balance(x->problem) && i < x->dof; i++) {
        x->nlp.row_lower[x->intervals * x->row_stride + i] = -INFINITY;
        x->nlp.row_upper[x->intervals * x->row_stride + i] = INFINITY;
    }
}

/* The largest number of entries in a block of the Hessian. */
static int largest_block(const olo_reduced *x)
{
    int most = 1;
    for (olo_block_kind kind = 0; kind < OLO_BLOCKS; kind++) {
        const int count = olo_redundant_block(x->full, kind, true)->count;
        most = count > most ? count : most;
    }
    return most;
}

/* The bases of all nodes are one array. */
static bool allocate_nodes(olo_reduced *x)
{
    const size_t nodes = (size_t)x->intervals + 1, size = (size_t)(x->n * x->dof);
    double *bases = olo_pool_alloc(&x->pool, 3 * nodes * size + 1, sizeof *bases);
    x->nodes = olo_pool_alloc(&x->pool, nodes, sizeof *x->nodes);
    for (size_t k = 0; bases && x->nodes && k < nodes; k++) {
        x->nodes[k].J = bases + k * size;
        x->nodes[k].P = bases + (nodes + k) * size;
        x->nodes[k].MJ = bases + (2 * nodes + k) * size;
    }
    return bases && x->nodes;
}

static bool allocate(olo_reduced *x)
{
    const olo_nlp *of = x->of;
    const size_t dof = (size_t)x->dof, n = (size_t)x->n;
    const olo_array arrays[] = {{&x->reference, ((size_t)x->intervals + 1) * n},
                                {&x->x, (size_t)of->variables},
                                {&x->g, (size_t)of->variables},
                                {&x->b, (size_t)of->rows},
                                {&x->balances, ((size_t)x->intervals + 1) * dof},
                                {&x->y, (size_t)of->rows},
                                {&x->jacobian, (size_t)of->jacobian.count},
                                {&x->hessian, (size_t)largest_block(x)},
                                {&x->dz, n},
                                {&x->Mdz, n},
                                {&x->S, dof * n},
                                {&x->DJ, dof * n},
                                {&x->PA, dof * (size_t)x->A.width},
                                {&x->JH, dof * (size_t)x->H.width},
                                {&x->JS, dof * dof},
                                {&x->Pb, dof * dof},
                                {&x->second, dof * dof},
                                {&x->unit, dof * dof},
                                {&x->row, n},
                                {&x->placed_at, (size_t)x->nlp.variables},
                                {&x->nlp.lower, (size_t)x->nlp.variables},
                                {&x->nlp.upper, (size_t)x->nlp.variables},
                                {&x->nlp.row_lower, (size_t)x->nlp.rows},
                                {&x->nlp.row_upper, (size_t)x->nlp.rows}};
    if (!allocate_nodes(x) || !olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays))
        return false;
    for (int d = 0; d < x->dof; d++)
        x->unit[d * x->dof + d] = 1;
    return true;
}

/* All nodes share one null space unless its axes depend on the reference. */
static bool has_own_form(const olo_reduced *x, int k)
{
    return k == 0 || x->nodes[k].form != x->nodes[0].form;
}

static double *reference_of(const olo_reduced *x, int k)
{
    return x->reference + (size_t)k * (size_t)x->n;
}

static olo_status build(olo_reduced *x, const double *reference, olo_error *error)
{
    const olo_topology *topology = x->problem->system->topology;
    const bool own_forms = olo_null_form_depends_on_reference(topology);
    olo_status status = OLO_OK;
    set_layout(x);
    if (!olo_reduced_plan(x) || !allocate(x) || !olo_reduced_list_jacobian(x) ||
        !olo_reduced_list_hessian(x))
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
    memcpy(x->reference, reference, (size_t)(x->intervals + 1) * (size_t)x->n * sizeof *reference);
    for (int k = 0; status == OLO_OK && k <= x->intervals; k++) {
        const double *q = reference_of(x, k);
        olo_reduced_node *node = &x->nodes[k];
        status = k == 0 ? olo_chart_create(topology, q, &node->chart, error)
                        : olo_chart_create_beside(x->nodes[0].chart, q, &node->chart, error);
        if (status == OLO_OK)
            olo_chart_write_to(node->chart, x->x + olo_redundant_configuration(x->full, k));
        node->form = k > 0 && !own_forms ? x->nodes[0].form : NULL;
        if (status == OLO_OK && !node->form)
            status = olo_null_form_create(topology, q, &node->form, error);
    }
    if (status == OLO_OK)
        set_bounds(x);
    return status;
}

olo_status olo_reduced_create(const olo_control_problem *problem, olo_redundant *full,
                              const double *reference, olo_reduced **reduced, olo_error *error)
{
    *reduced = NULL;
    olo_reduced *x = olo_alloc(1, sizeof *x);
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
    x->problem = problem;
    x->full = full;
    x->of = olo_redundant_nlp(full);
    x->nlp = (olo_nlp){.context = x,
                       .objective = objective,
                       .gradient = gradient,
                       .evaluate = evaluate,
                       .evaluate_jacobian = olo_reduced_jacobian,
                       .evaluate_hessian = olo_reduced_hessian};
    olo_status status = build(x, reference, error);
    if (status != OLO_OK) {
        olo_reduced_free(x);
        return status;
    }
    *reduced = x;
    return OLO_OK;
}

void olo_reduced_free(olo_reduced *x)
{
    if (!x)
        return;
    for (int k = x->intervals; x->nodes && k >= 0; k--) {
        olo_chart_free(x->nodes[k].chart);
        if (has_own_form(x, k))
            olo_null_form_free(x->nodes[k].form);
    }
    olo_free(x->passed_rows.keys);
    olo_free(x->direct_pairs.keys);
    olo_pool_free(&x->pool);
    olo_free(x);
}

// -- questions ------------------------------------------------------------------------------------

int olo_reduced_closures(const olo_reduced *x, int node)
{
    return node * x->stride + x->dof;
}

int olo_reduced_controls(const olo_reduced *x, int interval)
{
    return olo_reduced_closures(x, interval) + x->m;
}

bool olo_reduced_is_balance(const olo_reduced *x, int row)
{
    return row / x->row_stride <= x->intervals && row % x->row_stride < x->dof &&
           x->nlp.row_lower[row] == x->nlp.row_upper[row];
}

const olo_nlp *olo_reduced_nlp(const olo_reduced *x)
{
    return &x->nlp;
}

void olo_reduced_shrink(const olo_reduced *x, const double *full, double *at)
{
    memset(at, 0, (size_t)x->nlp.variables * sizeof *at);
    for (int i = 0; i < x->of->variables; i++) {
        const olo_variable v = olo_reduced_variable(x, i);
        if (v.kind != OLO_CONFIGURATION)
            at[v.reduced] = full[i];
    }
}

double olo_reduced_turn(const olo_reduced *x)
{
    return x->turn;
}

/* A first node that is given remains where it is. */
void olo_reduced_recentre(olo_reduced *x, const double *full)
{
    for (int k = x->problem->free_start ? 0 : 1; k <= x->intervals; k++) {
        double *q = reference_of(x, k);
        memcpy(q, full + olo_redundant_configuration(x->full, k), (size_t)x->n * sizeof *q);
        olo_chart_refer(x->nodes[k].chart, q);
        if (has_own_form(x, k))
            olo_null_form_refer(x->nodes[k].form, q);
    }
    olo_redundant_refer(x->full, full);
    x->placed = false;
    x->turn = 0;
}

void olo_reduced_use(olo_reduced *x, const olo_control_problem *problem, const olo_state *state)
{
    const olo_topology *topology = problem->system->topology;
    olo_redundant_use(x->full, problem, state);
    x->problem = problem;
    x->placed = false;
    if (!problem->free_start)
        memcpy(x->reference, state->q, (size_t)x->n * sizeof *x->reference);
    for (int k = 0; k <= x->intervals; k++) {
        olo_chart_use(x->nodes[k].chart, topology, reference_of(x, k));
        if (has_own_form(x, k))
            olo_null_form_use(x->nodes[k].form, topology, reference_of(x, k));
    }
}

void olo_reduced_expand(olo_reduced *x, const double *at, double *full)
{
    olo_reduced_set_point(x, at);
    memcpy(full, x->x, (size_t)x->of->variables * sizeof *full);
}

/* A balance is that of the node whose joint has the degree of freedom. */
void olo_reduced_describe(const olo_reduced *x, int row, double duration, char *text, size_t size)
{
    const olo_system *s = x->problem->system;
    const int k = row / x->row_stride, local = row % x->row_stride;
    int full = row + (x->intervals + 1) * (x->under.row_stride - x->row_stride);
    if (k <= x->intervals && local >= x->dof)
        full = k * x->under.row_stride + x->n + local - x->dof;
    for (int i = 0; k <= x->intervals && local < x->dof && i < s->node_count; i++) {
        const olo_topology_node *node = &s->topology->nodes[i];
        if (local >= node->u && local < node->u + node->dof)
            full = k * x->under.row_stride + s->nodes[i].q;
    }
    olo_redundant_describe(x->full, full, duration, text, size);
}
