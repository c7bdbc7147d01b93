/* Velocity jumps at a fixed configuration; see the header. */
#include "contact/frozen.h"

#include <string.h>

#include "base/fail.h"
#include "linalg/vector.h"

enum { SIZE = OLO_FORM_SIZE_MAX };

olo_status olo_frozen_create(olo_frozen *x, const olo_system *system, int row_count, const int *row,
                             olo_error *error)
{
    *x = (olo_frozen){.system = system, .row_count = row_count, .row = row};
    x->impulse = olo_pool_alloc(&x->pool, (size_t)system->n + 1, sizeof *x->impulse);
    return x->impulse ? OLO_OK : olo_fail(error, OLO_NO_MEMORY, "out of memory for contacts");
}

olo_status olo_frozen_reserve(olo_frozen *x, int capacity, olo_error *error)
{
    const olo_array arrays[] = {{&x->gradient, olo_area(capacity, SIZE)},
                                {&x->D, olo_area(capacity, capacity)}};
    olo_pool_free(&x->rows);
    x->count = x->capacity = 0;
    x->contact_row = olo_pool_alloc(&x->rows, (size_t)capacity + 1, sizeof *x->contact_row);
    if (!olo_pool_arrays(&x->rows, arrays, sizeof arrays / sizeof *arrays))
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for contacts");
    x->capacity = capacity;
    return OLO_OK;
}

void olo_frozen_free(olo_frozen *x)
{
    olo_pool_free(&x->pool);
    olo_pool_free(&x->rows);
}

olo_status olo_frozen_begin(olo_frozen *x, const olo_at *at, olo_error *error)
{
    x->count = 0;
    return x->form->begin(x, at, error);
}

/* W v of a row with this gradient. */
static double product(const olo_constraint *row, const double *gradient, const double *v)
{
    double sum = 0;
    for (int k = 0; k < row->size; k++)
        sum += gradient[k] * v[row->index[k]];
    return sum;
}

void olo_frozen_add(olo_frozen *x, const olo_at *at, const olo_constraint *row)
{
    const int own = x->count++;
    double *gradient = x->gradient + olo_area(own, SIZE);
    olo_constraint_gradient(row, at, gradient);
    x->contact_row[own] = row;
    const double *response = x->form->respond(x, row, gradient);
    for (int i = 0; i <= own; i++) {
        const double entry = product(x->contact_row[i], x->gradient + olo_area(i, SIZE), response);
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

void olo_frozen_jump(olo_frozen *x, const double *Lambda, double *v, double *rows)
{
    memset(x->impulse, 0, (size_t)x->system->n * sizeof *x->impulse);
    for (int i = 0; i < x->count; i++)
        for (int k = 0; k < x->contact_row[i]->size; k++)
            x->impulse[x->contact_row[i]->index[k]] +=
                Lambda[i] * x->gradient[olo_area(i, SIZE) + (size_t)k];
    x->form->jump(x, x->impulse, v, rows);
}
