/* Dense matrices of small motions (see the header). Columns are products of the elimination with
 * unit increments, so that the cost is quadratic in the unknowns; only closures make it cubic. */
#include "statics/pencil.h"

#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "base/fail.h"
#include "base/memory.h"
#include "linalg/dense.h"
#include "linalg/vector.h"

void olo_pencil_free(olo_pencil *p)
{
    olo_free(p->basis);
    olo_free(p->M);
    olo_free(p->D);
    olo_free(p->K);
    olo_free(p->closures);
}

void olo_pencil_multiply(olo_static_balance *balance, const double *u, double *product)
{
    const olo_topology *topology = balance->topology;
    for (int k = 0; k < balance->system->node_count; k++) {
        const olo_topology_node *node = &topology->nodes[k];
        memcpy(olo_elimination_unknown(balance->elimination, k), u + node->u,
               (size_t)node->dof * sizeof *u);
    }
    for (int i = 0; i < topology->closure_block_count; i++)
        memset(olo_elimination_unknown(balance->elimination, balance->system->node_count + i), 0,
               (size_t)topology->closure_blocks[i].count * sizeof(double));
    olo_elimination_multiply(balance->elimination);
    for (int k = 0; k < balance->system->node_count; k++)
        memcpy(product + topology->nodes[k].u, olo_elimination_product(balance->elimination, k),
               (size_t)topology->nodes[k].dof * sizeof *product);
}

/* The filled matrix [unknowns x unknowns], and the closure rows, unless NULL; `unit` has
 * [unknowns].
 */
static void read_matrix(olo_static_balance *balance, double *unit, double *A, double *G)
{
    const olo_topology *topology = balance->topology;
    size_t u = (size_t)topology->unknowns;
    memset(unit, 0, u * sizeof *unit);
    for (int j = 0; j < topology->unknowns; j++) {
        /* the product with a unit increment, stored as a row first, transposed below */
        unit[j] = 1;
        olo_pencil_multiply(balance, unit, A + (size_t)j * u);
        unit[j] = 0;
        for (int i = 0; G && i < topology->closure_block_count; i++) {
            const olo_closure *c = &topology->closure_blocks[i];
            const double *row =
                olo_elimination_rhs(balance->elimination, balance->system->node_count + i);
            for (int k = 0; k < c->count; k++)
                G[(size_t)(c->u + k) * u + (size_t)j] = row[k];
        }
    }
    olo_dense_transpose(topology->unknowns, A);
}

/* Computes N from the closure rows, which are scaled to length one. */
static bool find_basis(olo_pencil *p, int rows, double *G)
{
    const double dependent = 1e-9;
    int rank = 0;
    size_t u = (size_t)p->unknowns;
    double *work = olo_alloc(olo_row_space_work(rows, p->unknowns), sizeof *work);
    double *Q = olo_alloc(u * u + 1, sizeof *Q);
    int *order = olo_alloc((size_t)rows + 1, sizeof *order);
    for (int c = 0; c < rows; c++) {
        double *row = G + (size_t)c * u, square = 0;
        for (size_t i = 0; i < u; i++)
            square += row[i] * row[i];
        for (size_t i = 0; square > 0 && i < u; i++)
            row[i] /= sqrt(square);
    }
    double *copy = olo_copy(G, (size_t)rows * u, sizeof *copy);
    bool ok = work && Q && order && copy &&
              olo_row_space(rows, p->unknowns, copy, dependent, order, Q, &rank, work);
    p->size = p->unknowns - rank;
    if (ok)
        memmove(Q, Q + (size_t)rank * u, (size_t)p->size * u * sizeof *Q);
    p->basis = Q;
    olo_free(copy);
    olo_free(work);
    olo_free(order);
    return ok;
}

/* A <- N A N^T, in place; `work` has [unknowns x unknowns]. */
static void restrict_matrix(const olo_pencil *p, double *A, double *work)
{
    olo_dense_products(p->size, p->unknowns, p->unknowns, p->basis, A, work); /* N A^T */
    olo_dense_products(p->size, p->size, p->unknowns, p->basis, work, A);
}

static void make_symmetric(int n, double *A)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            A[i * n + j] = A[j * n + i] = 0.5 * (A[i * n + j] + A[j * n + i]);
}

olo_status olo_pencil_create(olo_static_balance *balance, double load, olo_pencil *p,
                             olo_error *error)
{
    size_t u = (size_t)balance->topology->unknowns;
    int rows = balance->topology->closure_count;
    p->unknowns = p->size = balance->topology->unknowns;
    p->M = olo_alloc(u * u + 1, sizeof *p->M);
    p->D = olo_alloc(u * u + 1, sizeof *p->D);
    p->K = olo_alloc(u * u + 1, sizeof *p->K);
    double *G = p->closures = olo_alloc((size_t)rows * u + 1, sizeof *G);
    double *work = olo_alloc(rows > 0 ? u * u + 1 : u + 1, sizeof *work);
    p->closure_count = rows;
    bool ok = p->M && p->D && p->K && G && work;
    if (ok) {
        olo_static_fill(balance, OLO_STATIC_STIFFNESS, load);
        read_matrix(balance, work, p->K, G);
        olo_static_fill(balance, OLO_STATIC_MASS, load);
        read_matrix(balance, work, p->M, NULL);
        olo_static_fill(balance, OLO_STATIC_DAMPING, load);
        read_matrix(balance, work, p->D, NULL);
    }
    if (ok && rows > 0) {
        ok = find_basis(p, rows, G);
        double *all[3] = {p->M, p->D, p->K};
        for (int i = 0; ok && i < 3; i++)
            restrict_matrix(p, all[i], work);
    }
    olo_free(work);
    if (!ok)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for modes");
    make_symmetric(p->size, p->M);
    for (int i = 0; i < p->size; i++)
        if (p->M[i * p->size + i] > 0)
            olo_raise(&p->stiff, fabs(p->K[i * p->size + i]) / p->M[i * p->size + i]);
    return OLO_OK;
}

void olo_pencil_spread(const olo_pencil *p, const double *y, double *u)
{
    if (!p->basis) {
        memcpy(u, y, (size_t)p->size * sizeof *u);
        return;
    }
    for (int a = 0; a < p->unknowns; a++) {
        u[a] = 0;
        for (int i = 0; i < p->size; i++)
            u[a] += p->basis[(size_t)i * (size_t)p->unknowns + (size_t)a] * y[i];
    }
}
