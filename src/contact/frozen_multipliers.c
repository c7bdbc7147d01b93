/* Velocity jumps with all multipliers: the sparse matrix
 *
 *     K = [M G^T; G 0],     K [v' - v; -s] = [W^T Lambda; 0].
 */
#include <string.h>

#include "base/fail.h"
#include "contact/frozen.h"
#include "linalg/sparse.h"
#include "linalg/vector.h"
#include "system/condition.h"
#include "system/mass_function.h"

enum { SIZE = OLO_FORM_SIZE_MAX };

typedef struct multipliers {
    double *response; /* [n + row_count] */
    olo_sparse *K;
} multipliers;

static multipliers *own(const olo_frozen *x)
{
    return x->data;
}

static void put_both(olo_frozen *x, int i, int j, double value)
{
    olo_sparse_put(own(x)->K, i, j, value);
    if (i != j)
        olo_sparse_put(own(x)->K, j, i, value);
}

/* All entries; the values of rows are those at `at`, zero if it is NULL. */
static void put_all(olo_frozen *x, const olo_at *at)
{
    const olo_system *s = x->system;
    double gradient[SIZE] = {0};
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

static void list_all(void *frozen)
{
    put_all(frozen, NULL);
}

static olo_status begin(olo_frozen *x, const olo_at *at, olo_error *error)
{
    olo_sparse_clear(own(x)->K);
    olo_sparse_restart(own(x)->K);
    put_all(x, at);
    return olo_sparse_factor(own(x)->K, error);
}

static const double *respond(olo_frozen *x, const olo_constraint *row, const double *gradient)
{
    double *y = own(x)->response;
    memset(y, 0, (size_t)(x->system->n + x->row_count) * sizeof *y);
    for (int k = 0; k < row->size; k++)
        y[row->index[k]] += gradient[k];
    olo_sparse_solve(own(x)->K, y);
    return y;
}

/* v += the jump of an impulse y[n] with y[n + r] = G (v' - v); rows += s */
static void solve(olo_frozen *x, double *y, double *v, double *rows)
{
    olo_sparse_solve(own(x)->K, y);
    olo_dense_add(x->system->n, 1, y, v);
    for (int r = 0; r < x->row_count; r++)
        rows[r] -= y[x->system->n + r];
}

static void jump(olo_frozen *x, const double *f, double *v, double *rows)
{
    double *y = own(x)->response;
    memcpy(y, f, (size_t)x->system->n * sizeof *y);
    memset(y + x->system->n, 0, (size_t)x->row_count * sizeof *y);
    solve(x, y, v, rows);
}

static void push(olo_frozen *x, const olo_at *at, const double *f, double *v, double *rows)
{
    const olo_system *s = x->system;
    double *y = own(x)->response, gradient[SIZE];
    memcpy(y, f, (size_t)s->n * sizeof *y);
    for (int r = 0; r < x->row_count; r++) {
        const olo_constraint *row = &s->constraints[x->row[r]];
        olo_constraint_gradient(row, at, gradient);
        y[s->n + r] = -olo_rate_value(row, at, gradient, v);
    }
    solve(x, y, v, rows);
}

static const olo_frozen_form form = {
    .begin = begin, .respond = respond, .jump = jump, .push = push};

olo_status olo_frozen_use_multipliers(olo_frozen *x, olo_error *error)
{
    const int size = x->system->n + x->row_count;
    multipliers *m = x->data = olo_pool_alloc(&x->pool, 1, sizeof *m);
    if (!m)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for contacts");
    x->form = &form;
    m->response = olo_pool_alloc(&x->pool, (size_t)size + 1, sizeof *m->response);
    if (!m->response)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for contacts");
    return olo_sparse_create(size, list_all, x, &m->K, error);
}

void olo_frozen_free_multipliers(olo_frozen *x)
{
    if (own(x))
        olo_sparse_free(own(x)->K);
}
