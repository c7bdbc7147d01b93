/* An orthonormal basis of the space of some rows and of its complement; see the header. */
#include "stepping/row_basis.h"

#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "stepping/dense_tangent.h"

bool olo_row_basis_create(olo_row_basis *x, int count, int width)
{
    int rank = count < width ? count : width;
    x->count = count;
    x->width = width;
    const olo_array arrays[] = {{&x->rows, olo_area(count, width)},
                                {&x->Q, olo_area(width, width)},
                                {&x->work, olo_row_space_work(count, width)},
                                {&x->C, olo_area(rank, rank)},
                                {&x->X, olo_area(width, rank)},
                                {&x->now, olo_area(rank, width)}};
    x->order = olo_pool_alloc(&x->pool, (size_t)count, sizeof *x->order);
    x->pivot = olo_pool_alloc(&x->pool, (size_t)rank, sizeof *x->pivot);
    return olo_pool_arrays(&x->pool, arrays, sizeof arrays / sizeof *arrays);
}

void olo_row_basis_free(olo_row_basis *x)
{
    olo_pool_free(&x->pool);
}

/* Rows are normalised, so that their units do not matter. */
bool olo_row_basis_begin(olo_row_basis *x, double floor)
{
    for (int i = 0; i < x->count; i++) {
        double *row = x->rows + olo_area(i, x->width),
               size = sqrt(olo_dense_dot(x->width, row, row));
        for (int j = 0; j < x->width; j++)
            row[j] = size > floor ? row[j] / size : 0;
    }
    return olo_row_space(x->count, x->width, x->rows, OLO_RANK_TOLERANCE, x->order, x->Q, &x->rank,
                         x->work);
}

bool olo_row_basis_square(const olo_row_basis *x, const double *rows, double *C, int *pivot)
{
    olo_dense_products(x->rank, x->rank, x->width, rows, olo_row_basis_W(x), C);
    return olo_lu_factor(x->rank, C, pivot);
}

void olo_row_basis_oblique(const olo_row_basis *x, const double *rows, const double *C,
                           const int *pivot, double *X, double *N)
{
    int k = x->width - x->rank;
    olo_dense_products(k, x->rank, x->width, olo_row_basis_U(x), rows, X);
    olo_lu_solve(x->rank, C, pivot, false, k, X);
    memcpy(N, olo_row_basis_U(x), olo_area(k, x->width) * sizeof *N);
    for (int j = 0; j < k; j++)
        for (int i = 0; i < x->rank; i++)
            olo_dense_add(x->width, -X[olo_area(j, x->rank) + (size_t)i],
                          olo_row_basis_W(x) + olo_area(i, x->width), N + olo_area(j, x->width));
}

bool olo_row_basis_multipliers(olo_row_basis *all, const olo_step *step, double *l)
{
    for (int i = 0; i < all->rank; i++)
        olo_tangent_discrete_row(step, all->order[i], all->now + olo_area(i, all->width));
    if (!olo_row_basis_square(all, all->now, all->C, all->pivot))
        return false;
    for (int i = 0; i < all->rank; i++)
        l[i] = olo_dense_dot(all->width, olo_row_basis_W(all) + olo_area(i, all->width), step->T);
    olo_lu_solve(all->rank, all->C, all->pivot, true, 1, l);
    return true;
}

void olo_row_basis_finish(olo_row_basis *all, const olo_step *step, double a, double *l,
                          olo_state *state)
{
    memset(state->lambda, 0, (size_t)all->count * sizeof *state->lambda);
    if (olo_row_basis_multipliers(all, step, l))
        for (int i = 0; i < all->rank; i++)
            state->lambda[all->order[i]] = -l[i] / (step->weight * a);
}
