/* Anderson's acceleration; see the header. */
#include "linalg/anderson.h"

#include <math.h>
#include <string.h>

#include "linalg/small.h"

/* A difference is dependent on newer ones if less than this share of it remains. */
static const double dependent = 1e-6;

bool olo_anderson_create(olo_anderson *a, int size, olo_pool *pool)
{
    const size_t length = (size_t)size, columns = OLO_ANDERSON_DEPTH * length;
    const olo_array arrays[] = {{&a->x, length},     {&a->f, length},  {&a->g, length},
                                {&a->F, columns},    {&a->G, columns}, {&a->Q, columns},
                                {&a->weight, length}};
    a->size = size;
    return olo_pool_arrays(pool, arrays, sizeof arrays / sizeof *arrays);
}

void olo_anderson_restart(olo_anderson *a)
{
    a->count = 0;
}

static double weighted_dot(const olo_anderson *a, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < a->size; i++)
        sum += a->weight[i] * x[i] * y[i];
    return sum;
}

/* Orthonormalises the differences of f, newest first, and subtracts the component of f along each
 * from x, with the combination of differences of g that belongs to it. */
static void subtract_components(olo_anderson *a, int columns)
{
    const int newest = a->count;
    double *rest = a->f, combination[OLO_ANDERSON_DEPTH][OLO_ANDERSON_DEPTH] = {{0}};
    int used = 0;
    for (int c = 0; c < columns; c++) {
        const int row = (newest - c) % OLO_ANDERSON_DEPTH;
        double *q = a->Q + (size_t)used * (size_t)a->size, *own = combination[used];
        memcpy(q, a->F + (size_t)row * (size_t)a->size, (size_t)a->size * sizeof *q);
        memset(own, 0, sizeof combination[0]);
        own[row] = 1;
        const double before = sqrt(weighted_dot(a, q, q));
        for (int j = 0; j < used; j++) {
            const double *other = a->Q + (size_t)j * (size_t)a->size;
            const double part = weighted_dot(a, other, q);
            small_add_row(a->size, -part, other, q);
            small_add_row(OLO_ANDERSON_DEPTH, -part, combination[j], own);
        }
        const double norm = sqrt(weighted_dot(a, q, q));
        if (!(norm > dependent * before))
            continue;
        small_scale(a->size, 1 / norm, q);
        small_scale(OLO_ANDERSON_DEPTH, 1 / norm, own);
        const double along = weighted_dot(a, q, rest);
        for (int r = 0; r < OLO_ANDERSON_DEPTH; r++)
            if (own[r] != 0)
                small_add_row(a->size, -along * own[r], a->G + (size_t)r * (size_t)a->size, a->x);
        used++;
    }
}

void olo_anderson_next(olo_anderson *a, bool mixed, double *g)
{
    const size_t bytes = (size_t)a->size * sizeof *g;
    const int row = a->count % OLO_ANDERSON_DEPTH;
    double *F = a->F + (size_t)row * (size_t)a->size, *G = a->G + (size_t)row * (size_t)a->size;
    for (int i = 0; a->count > 0 && i < a->size; i++) {
        const double f = g[i] - a->x[i];
        F[i] = f - a->f[i];
        G[i] = g[i] - a->g[i];
        a->f[i] = f;
    }
    memcpy(a->g, g, bytes);
    memcpy(a->x, g, bytes);
    const int columns = a->count - 1 < OLO_ANDERSON_DEPTH ? a->count - 1 : OLO_ANDERSON_DEPTH;
    if (mixed && columns > 0)
        subtract_components(a, columns);
    memcpy(g, a->x, bytes);
    a->count++;
}
