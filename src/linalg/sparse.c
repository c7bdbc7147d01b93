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
    double *value;           /* NULL before the pattern is known */
    int *position;           /* entry in the order of creation -> position in value */
    int next;                /* number of the next entry */
    int *at_row, *at_column; /* positions of entries, while they are listed; else NULL */
    double *right, *residual;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
};

/* Sorts the entries into columns, then merges like rows of a column. */
static void compress(olo_sparse *m, int *cursor, int *last)
{
    const int count = m->next, *row = m->at_row, *column = m->at_column;
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

olo_status olo_sparse_create(int n, void (*put)(void *context), void *context, olo_sparse **matrix,
                             olo_error *error)
{
    olo_pool scratch = {0};
    olo_sparse *m = *matrix = olo_alloc(1, sizeof *m);
    olo_status status = OLO_NO_MEMORY;
    if (m) {
        m->n = n;
        put(context);
        const size_t count = (size_t)m->next, size = (size_t)n;
        m->at_row = olo_pool_alloc(&scratch, count, sizeof *m->at_row);
        m->at_column = olo_pool_alloc(&scratch, count, sizeof *m->at_column);
        int *work = olo_pool_alloc(&scratch, 2 * size, sizeof *work);
        m->column_start = olo_pool_alloc(&m->pool, size + 1, sizeof *m->column_start);
        m->row = olo_pool_alloc(&m->pool, count, sizeof *m->row);
        m->position = olo_pool_alloc(&m->pool, count, sizeof *m->position);
        m->right = olo_pool_alloc(&m->pool, size, sizeof *m->right);
        m->residual = olo_pool_alloc(&m->pool, size, sizeof *m->residual);
        double *value = olo_pool_alloc(&m->pool, count, sizeof *value);
        if (!scratch.failed && !m->pool.failed) {
            m->next = 0;
            put(context);
            compress(m, work, work + n);
            m->at_row = m->at_column = NULL;
            m->value = value;
            klu_defaults(&m->common);
            m->symbolic = klu_analyze(n, m->column_start, m->row, &m->common);
            status = m->symbolic                             ? OLO_OK
                     : m->common.status == KLU_OUT_OF_MEMORY ? OLO_NO_MEMORY
                                                             : OLO_SINGULAR;
        }
    }
    olo_pool_free(&scratch);
    if (status == OLO_OK)
        return OLO_OK;
    olo_sparse_free(m);
    *matrix = NULL;
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
    m->next = 0;
}

void olo_sparse_put(olo_sparse *m, int row, int column, double value)
{
    const int i = m->next++;
    if (m->value) {
        m->value[m->position[i]] += value;
    } else if (m->at_row) {
        m->at_row[i] = row;
        m->at_column[i] = column;
    }
}

static int index_of(const olo_indices *x, int i)
{
    return x->first + (x->index ? x->index[i] : 0);
}

void olo_sparse_put_block(olo_sparse *m, olo_indices rows, olo_indices columns, double factor,
                          const double *A)
{
    const int first = m->next, count = rows.count * columns.count;
    m->next += count;
    if (m->value && A)
        olo_sparse_add(m, first, count, factor, A);
    if (m->value)
        return;
    for (int i = 0; m->at_row && i < count; i++) {
        m->at_row[first + i] = index_of(&rows, i / columns.count);
        m->at_column[first + i] = index_of(&columns, i % columns.count);
    }
}

int olo_sparse_next(const olo_sparse *m)
{
    return m->next;
}

void olo_sparse_continue(olo_sparse *m, int i)
{
    m->next = i;
}

void olo_sparse_add(olo_sparse *m, int first, int count, double factor, const double *A)
{
    const int *position = m->position + first;
    for (int i = 0; i < count; i++)
        m->value[position[i]] += factor * A[i];
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
