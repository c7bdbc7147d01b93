/* Redundant constraint rows; see the header. */
#include "control/redundant_rows.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/pool.h"
#include "kinematics/null_space_form.h"
#include "kinematics/topology.h"
#include "linalg/dense.h"

/* A row of unit length is redundant if less than this remains of it (kinematics/redundancy.c). */
static const double RANK_TOLERANCE = 1e-9;

typedef struct finder {
    const olo_system *system;
    const olo_topology *topology;
    const int *rows; /* [count] */
    int count;
    olo_pool pool;
    olo_null_form *form;
    double *A;        /* [count x unknowns] G P, rows of unit length */
    double *Q, *work; /* of the factorisation */
    double *gradient; /* [n] */
    int *order;       /* [count] independent rows first */
    int *rank;        /* [nodes] */
} finder;

static bool allocate(finder *x, int nodes)
{
    const size_t count = (size_t)x->count, unknowns = (size_t)x->topology->unknowns;
    const olo_array arrays[] = {{&x->A, count * unknowns},
                                {&x->Q, unknowns * unknowns},
                                {&x->work, olo_row_space_work(x->count, x->topology->unknowns)},
                                {&x->gradient, (size_t)x->system->n}};
    x->order = olo_pool_alloc(&x->pool, count, sizeof *x->order);
    x->rank = olo_pool_alloc(&x->pool, (size_t)nodes, sizeof *x->rank);
    return x->order && x->rank && olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays);
}

/* P^T grad g of row i. */
static void set_row(finder *x, int i, const double *q)
{
    const olo_constraint *row = &x->system->constraints[x->rows[i]];
    const olo_at at = {.q = q};
    const olo_null_point point = {.q = q, .y = x->gradient};
    double *to = x->A + (size_t)i * (size_t)x->topology->unknowns, g[OLO_FORM_SIZE_MAX], size = 0;
    const olo_null_derivatives first = {.by_nu = to}, none = {0};
    memset(x->gradient, 0, (size_t)x->system->n * sizeof *x->gradient);
    olo_constraint_gradient(row, &at, g);
    for (int j = 0; j < row->size; j++)
        x->gradient[row->index[j]] += g[j];
    olo_null_form_at(x->form, &point, &first, &none);
    for (int j = 0; j < x->topology->unknowns; j++)
        size += to[j] * to[j];
    for (int j = 0; size > 0 && j < x->topology->unknowns; j++)
        to[j] /= sqrt(size);
}

/* The rank of G P at q, with the order of rows. */
static int rank_at(finder *x, const double *q)
{
    int rank = 0;
    for (int i = 0; i < x->count; i++)
        set_row(x, i, q);
    return olo_row_space(x->count, x->topology->unknowns, x->A, RANK_TOLERANCE, x->order, x->Q,
                         &rank, x->work)
               ? rank
               : -1;
}

olo_status olo_redundant_rows_find(const olo_control_problem *problem, const double *q, int nodes,
                                   bool *redundant, olo_error *error)
{
    const olo_system *system = problem->system;
    finder x = {.system = system,
                .topology = problem->topology,
                .rows = problem->open,
                .count = problem->open_count};
    const size_t m = (size_t)system->m;
    int best = -1, first = 0;
    memset(redundant, 0, (size_t)nodes * m * sizeof *redundant);
    if (x.count == 0)
        return OLO_OK;
    olo_status status = allocate(&x, nodes) ? olo_null_form_create(x.topology, q, &x.form, error)
                                            : olo_fail(error, OLO_NO_MEMORY,
                                                       "out of memory for an optimisation problem");
    for (int k = 0; status == OLO_OK && k < nodes; k++) {
        bool *own = redundant + (size_t)k * m;
        x.rank[k] = rank_at(&x, q + (size_t)k * (size_t)system->n);
        for (int i = 0; i < x.count; i++)
            own[x.rows[x.order[i]]] = i >= x.rank[k];
        if (x.rank[k] > best) {
            best = x.rank[k];
            first = k;
        }
    }
    /* a singular node has the rows of its neighbour */
    for (int k = 0; status == OLO_OK && k < nodes; k++)
        if (x.rank[k] < best)
            memcpy(redundant + (size_t)k * m, redundant + (size_t)(k > first ? k - 1 : first) * m,
                   m * sizeof *redundant);
    olo_null_form_free(x.form);
    olo_pool_free(&x.pool);
    return status;
}
