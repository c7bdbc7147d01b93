/* Velocity jumps at a fixed configuration; see the header. The matrix is
 *
 *     K = [M G^T; G 0],     K [v' - v; -s] = [W^T Lambda; 0].
 */
#include "contact/frozen.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "linalg/vector.h"
#include "system/condition.h"
#include "system/mass_function.h"

enum { SIZE = OLO_FORM_SIZE_MAX };

/* Adds an entry; without a matrix it only counts or lists positions. */
static void put(olo_frozen *x, int i, int j, double value)
{
    if (x->K) {
        olo_sparse_add(x->K, x->next, value);
    } else if (x->at_row) {
        x->at_row[x->next] = i;
        x->at_column[x->next] = j;
    }
    x->next++;
}

static void put_both(olo_frozen *x, int i, int j, double value)
{
    put(x, i, j, value);
    if (i != j)
        put(x, j, i, value);
}

/* All entries; the values of rows are those at `at`, zero if it is NULL. */
static void put_all(olo_frozen *x, const olo_at *at)
{
    const olo_system *s = x->system;
    double gradient[SIZE] = {0};
    x->next = 0;
    for (int e = 0; e < s->mass_count; e++)
        for (int k = 0; k < s->mass[e].width; k++)
            put_both(x, s->mass[e].i + k, s->mass[e].j + k, s->mass[e].m);
    for (int e = 0; e < s->mass_function_count; e++) {
        const olo_mass_function *f = &s->mass_functions[e];
        put_both(x, f->i, f->j, at ? olo_mass_function_value(f, at->q) : 0);
    }
    for (int r = 0; r < x->row_count; r++) {
        const olo_constraint *row = &s->constraints[x->row[r]];
        if (at)
            olo_constraint_gradient(row, at, gradient);
        for (int k = 0; k < row->size; k++)
            put_both(x, s->n + r, row->index[k], gradient[k]);
    }
}

olo_status olo_frozen_create(olo_frozen *x, const olo_system *system, int row_count, const int *row,
                             int capacity, olo_error *error)
{
    const size_t size = (size_t)(system->n + row_count);
    *x = (olo_frozen){.system = system, .row_count = row_count, .row = row, .capacity = capacity};
    put_all(x, NULL);
    x->entries = x->next;
    x->at_row = olo_alloc((size_t)x->entries, sizeof *x->at_row);
    x->at_column = olo_alloc((size_t)x->entries, sizeof *x->at_column);
    x->response = olo_alloc((size_t)capacity * size + 1, sizeof *x->response);
    x->D = olo_alloc(olo_area(capacity, capacity) + 1, sizeof *x->D);
    x->contact_row = olo_alloc((size_t)capacity + 1, sizeof *x->contact_row);
    if (!x->at_row || !x->at_column || !x->response || !x->D || !x->contact_row)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for contacts");
    put_all(x, NULL);
    return olo_sparse_create((int)size, x->entries, x->at_row, x->at_column, &x->K, error);
}

void olo_frozen_free(olo_frozen *x)
{
    olo_sparse_free(x->K);
    olo_free(x->at_row);
    olo_free(x->at_column);
    olo_free(x->response);
    olo_free(x->D);
    olo_free((void *)x->contact_row);
}

olo_status olo_frozen_begin(olo_frozen *x, const olo_at *at, olo_error *error)
{
    x->count = 0;
    olo_sparse_clear(x->K);
    olo_sparse_restart(x->K);
    put_all(x, at);
    return olo_sparse_factor(x->K, error);
}

/* W of one row times the response to another. */
static double product(const olo_constraint *row, const double *gradient, const double *response)
{
    double sum = 0;
    for (int k = 0; k < row->size; k++)
        sum += gradient[k] * response[row->index[k]];
    return sum;
}

void olo_frozen_add(olo_frozen *x, const olo_at *at, const olo_constraint *row)
{
    const int size = x->system->n + x->row_count, own = x->count++;
    double *response = x->response + olo_area(own, size), gradient[SIZE];
    olo_constraint_gradient(row, at, gradient);
    memset(response, 0, (size_t)size * sizeof *response);
    for (int k = 0; k < row->size; k++)
        response[row->index[k]] += gradient[k];
    olo_sparse_solve(x->K, response);
    x->contact_row[own] = row;
    for (int i = 0; i <= own; i++) {
        const double entry = product(row, gradient, x->response + olo_area(i, size));
        x->D[olo_area(own, x->capacity) + (size_t)i] = entry;
        x->D[olo_area(i, x->capacity) + (size_t)own] = entry;
    }
}

void olo_frozen_matrix(const olo_frozen *x, double *matrix)
{
    for (int i = 0; i < x->count; i++)
        memcpy(matrix + olo_area(i, x->count), x->D + olo_area(i, x->capacity),
               (size_t)x->count * sizeof *matrix);
}

double olo_frozen_rate(const olo_at *at, const olo_constraint *row, const double *v)
{
    double gradient[SIZE];
    olo_constraint_gradient(row, at, gradient);
    return product(row, gradient, v);
}

void olo_frozen_jump(const olo_frozen *x, const double *Lambda, double *v, double *rows)
{
    const int n = x->system->n, size = n + x->row_count;
    for (int i = 0; i < x->count; i++) {
        const double *response = x->response + olo_area(i, size);
        olo_dense_add(n, Lambda[i], response, v);
        for (int r = 0; r < x->row_count; r++)
            rows[r] -= Lambda[i] * response[n + r];
    }
}

void olo_frozen_push(olo_frozen *x, const olo_at *at, double *f, double *v, double *rows)
{
    const olo_system *s = x->system;
    double gradient[SIZE];
    for (int r = 0; r < x->row_count; r++) {
        const olo_constraint *row = &s->constraints[x->row[r]];
        olo_constraint_gradient(row, at, gradient);
        f[s->n + r] = -olo_rate_value(row, at, gradient, v);
    }
    olo_sparse_solve(x->K, f);
    olo_dense_add(s->n, 1, f, v);
    for (int r = 0; r < x->row_count; r++)
        rows[r] -= f[s->n + r];
}
