/* Sparse systems through KLU: compressed columns, fixed pattern. */
#include "linalg/sparse.h"

#include <stdbool.h>
#include <string.h>

#include <suitesparse/klu.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/pool.h"

struct olo_sparse {
    int n;
    olo_pool pool;           /* memory of the arrays below */
    int *column_start, *row; /* compressed columns */
    double *value;
    int *position; /* entry of the creation list -> position in value */
    double *right, *residual;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
};

/* Sorts the entries into columns, then merges like rows of a column. */
static void compress(olo_sparse *m, int count, const int *row, const int *column, int *cursor,
                     int *last)
{
    for (int i = 0; i < count; i++)
        m->column_start[column[i] + 1]++;
    for (int j = 0; j < m->n; j++)
        m->column_start[j + 1] += m->column_start[j];
    memcpy(cursor, m->column_start, (size_t)m->n * sizeof *cursor);
    int *order = m->row; /* creation index by column for now */
    for (int i = 0; i < count; i++)
        order[cursor[column[i]]++] = i;
    for (int r = 0; r < m->n; r++)
        last[r] = -1;
    int used = 0, begin = 0;
    for (int j = 0; j < m->n; j++) {
        int end = m->column_start[j + 1], first = used;
        for (int k = begin; k < end; k++) {
            int i = order[k], r = row[i];
            if (last[r] < first) {
                last[r] = used;
                m->position[i] = used++;
            } else {
                m->position[i] = last[r];
            }
        }
        begin = end;
        m->column_start[j + 1] = used;
    }
    for (int i = 0; i < count; i++)
        m->row[m->position[i]] = -1;
    /* `order` is no longer needed: now rows can be written */
    for (int i = 0; i < count; i++)
        m->row[m->position[i]] = row[i];
}

olo_status olo_sparse_create(int n, int count, const int *row, const int *column,
                             olo_sparse **matrix, olo_error *error)
{
    olo_sparse *m = olo_alloc(1, sizeof *m);
    int *cursor = olo_alloc(2 * (size_t)n, sizeof *cursor);
    *matrix = NULL;
    if (m) {
        m->n = n;
        m->column_start = olo_pool_alloc(&m->pool, (size_t)n + 1, sizeof *m->column_start);
        m->row = olo_pool_alloc(&m->pool, (size_t)count, sizeof *m->row);
        m->value = olo_pool_alloc(&m->pool, (size_t)count, sizeof *m->value);
        m->position = olo_pool_alloc(&m->pool, (size_t)count, sizeof *m->position);
        m->right = olo_pool_alloc(&m->pool, (size_t)n, sizeof *m->right);
        m->residual = olo_pool_alloc(&m->pool, (size_t)n, sizeof *m->residual);
    }
    olo_status status = OLO_NO_MEMORY;
    if (m && cursor && !m->pool.failed) {
        compress(m, count, row, column, cursor, cursor + n);
        klu_defaults(&m->common);
        m->symbolic = klu_analyze(n, m->column_start, m->row, &m->common);
        status = m->symbolic                             ? OLO_OK
                 : m->common.status == KLU_OUT_OF_MEMORY ? OLO_NO_MEMORY
                                                         : OLO_SINGULAR;
    }
    olo_free(cursor);
    if (status == OLO_OK) {
        *matrix = m;
        return OLO_OK;
    }
    olo_sparse_free(m);
    return olo_fail(error, status,
                    status == OLO_SINGULAR ? "the matrix of the system has an empty row or column"
                                           : "out of memory for a sparse matrix");
}

void olo_sparse_free(olo_sparse *m)
{
    if (!m)
        return;
    if (m->numeric)
        klu_free_numeric(&m->numeric, &m->common);
    if (m->symbolic)
        klu_free_symbolic(&m->symbolic, &m->common);
    olo_pool_free(&m->pool);
    olo_free(m);
}

void olo_sparse_clear(olo_sparse *m)
{
    memset(m->value, 0, (size_t)m->column_start[m->n] * sizeof *m->value);
}

void olo_sparse_add(olo_sparse *m, int i, double value)
{
    m->value[m->position[i]] += value;
}

void olo_sparse_dense(const olo_sparse *m, double *A)
{
    for (int j = 0; j < m->n; j++)
        for (int k = m->column_start[j]; k < m->column_start[j + 1]; k++)
            A[(size_t)m->row[k] * (size_t)m->n + (size_t)j] = m->value[k];
}

void olo_sparse_restart(olo_sparse *m)
{
    if (m->numeric)
        klu_free_numeric(&m->numeric, &m->common);
}

olo_status olo_sparse_factor(olo_sparse *m, olo_error *error)
{
    /* old pivots are valid as long as they do not become tiny relative to their columns */
    const double pivots_are_poor = 1e-10;
    if (m->numeric &&
        klu_refactor(m->column_start, m->row, m->value, m->symbolic, m->numeric, &m->common) &&
        klu_rgrowth(m->column_start, m->row, m->value, m->symbolic, m->numeric, &m->common) &&
        m->common.rgrowth > pivots_are_poor)
        return OLO_OK;
    if (m->numeric)
        klu_free_numeric(&m->numeric, &m->common);
    m->numeric = klu_factor(m->column_start, m->row, m->value, m->symbolic, &m->common);
    if (m->numeric && m->common.status == KLU_OK)
        return OLO_OK;
    bool memory = m->common.status == KLU_OUT_OF_MEMORY;
    return olo_fail(error, memory ? OLO_NO_MEMORY : OLO_SINGULAR,
                    memory ? "out of memory while factoring"
                           : "the matrix of the system is singular");
}

void olo_sparse_solve(olo_sparse *m, double *x)
{
    size_t bytes = (size_t)m->n * sizeof *x;
    memcpy(m->right, x, bytes);
    klu_solve(m->symbolic, m->numeric, m->n, 1, x, &m->common);
    memcpy(m->residual, m->right, bytes);
    for (int j = 0; j < m->n; j++)
        for (int k = m->column_start[j]; k < m->column_start[j + 1]; k++)
            m->residual[m->row[k]] -= m->value[k] * x[j];
    klu_solve(m->symbolic, m->numeric, m->n, 1, m->residual, &m->common);
    for (int i = 0; i < m->n; i++)
        x[i] += m->residual[i];
}

void olo_sparse_solve_transposed(olo_sparse *m, double *x)
{
    size_t bytes = (size_t)m->n * sizeof *x;
    memcpy(m->right, x, bytes);
    klu_tsolve(m->symbolic, m->numeric, m->n, 1, x, &m->common);
    for (int j = 0; j < m->n; j++) {
        m->residual[j] = m->right[j];
        for (int k = m->column_start[j]; k < m->column_start[j + 1]; k++)
            m->residual[j] -= m->value[k] * x[m->row[k]];
    }
    klu_tsolve(m->symbolic, m->numeric, m->n, 1, m->residual, &m->common);
    for (int i = 0; i < m->n; i++)
        x[i] += m->residual[i];
}
