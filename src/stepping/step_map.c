/* The linearised step in canonical coordinates, and its symplectic defect.
 *
 * On the constrained phase space g(q) = 0, G(q) v = 0 the symplectic form is that of all
 * coordinates, dq1.M dv2 - dq2.M dv1, for variations that satisfy both to first order. Let b_k be
 * an M-orthonormal basis of the tangent space at q, and f_k the smallest dv that is admissible with
 * dq = b_k, M-orthogonal to all b_j. The variations (b_k, f_k) and (0, b_k/h) are canonical except
 * for the factor 1/h, and
 *
 *     x_k = b_k.M dq,   y_k = h b_k.M dv
 *
 * are the coordinates of a variation. A step is symplectic if A^T J A = J for its matrix A in these
 * coordinates. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/initialised.h"
#include "base/pool.h"
#include "linalg/dense.h"
#include "linalg/vector.h"
#include "stepping/derivatives.h"
#include "stepping/tangent_basis.h"
#include "system/system.h"

enum { DOFS_MAX = 1000 };

/* Computes columns of A from `first`: the images of as many canonical variations of the start as
 * there are degrees of freedom, all at once; overwrites the variations. */
static olo_status compute_columns(const olo_tangent_basis *end, double h, int first, double *dq,
                                  double *dv, double *A, olo_error *error)
{
    int n = end->system->n, f = end->dofs;
    olo_status status = olo_derivatives_step_forward_all(end->derivatives, f, dq, dv, error);
    for (int k = 0; status == OLO_OK && k < f; k++)
        for (int i = 0; i < f; i++) {
            const double *Mb = olo_tangent_row(end, end->Mb, i);
            double *entry = A + (size_t)i * 2 * (size_t)f + (size_t)(first + k);
            entry[0] = olo_dense_dot(n, Mb, olo_tangent_row(end, dq, k));
            entry[2 * (size_t)f * (size_t)f] =
                h * olo_dense_dot(n, Mb, olo_tangent_row(end, dv, k));
        }
    return status;
}

/* Fills A: columns of (b_k, f_k), then of (0, b_k/h); overwrites the basis at the start. */
static olo_status fill(olo_tangent_basis *start, const olo_tangent_basis *end, double h, double *dq,
                       double *A, olo_error *error)
{
    size_t count = (size_t)start->dofs * (size_t)start->system->n;
    double *dv = start->Mb; /* no longer needed */
    memset(dq, 0, count * sizeof *dq);
    for (size_t i = 0; i < count; i++)
        dv[i] = start->b[i] / h;
    olo_status status = compute_columns(end, h, 0, start->b, start->f, A, error);
    return status == OLO_OK ? compute_columns(end, h, start->dofs, dq, dv, A, error) : status;
}

/* Largest entry of A^T J A - J, divided by the square of the largest entry of A if that exceeds
 * one. */
static double defect_of(int f, const double *A)
{
    size_t size = 2 * (size_t)f;
    double largest = 0, entry = 1;
    for (size_t i = 0; i < size * size; i++)
        entry = fmax(entry, fabs(A[i]));
    for (size_t a = 0; a < size; a++)
        for (size_t b = 0; b < size; b++) {
            double sum = 0;
            for (size_t k = 0; k < (size_t)f; k++)
                sum += A[k * size + a] * A[(k + (size_t)f) * size + b] -
                       A[(k + (size_t)f) * size + a] * A[k * size + b];
            double J = b == a + (size_t)f ? 1 : a == b + (size_t)f ? -1 : 0;
            largest = fmax(largest, fabs(sum - J));
        }
    return largest / (entry * entry);
}

static olo_status measure(olo_step_map *map, const double *A, double *copy, double *real,
                          double *imaginary, olo_error *error)
{
    int size = 2 * map->dofs;
    double log_volume = 0;
    memcpy(copy, A, (size_t)size * (size_t)size * sizeof *copy);
    map->defect = defect_of(map->dofs, A);
    if (!olo_general_eigenvectors(size, copy, real, imaginary, NULL))
        return olo_fail(error, OLO_NOT_FINITE, "the step map has no eigenvalues");
    map->largest = 0;
    map->smallest = size > 0 ? HUGE_VAL : 0;
    for (int i = 0; i < size; i++) {
        double modulus = hypot(real[i], imaginary[i]);
        map->largest = fmax(map->largest, modulus);
        map->smallest = fmin(map->smallest, modulus);
        log_volume += log(modulus);
    }
    map->volume = expm1(log_volume);
    return OLO_OK;
}

/* Refuses rows on velocities, which permit all positions: the phase space has no symplectic form.
 */
static olo_status refuse(const olo_system *s, int dofs, olo_error *error)
{
    for (int i = 0; i < s->group_count; i++)
        for (int c = s->groups[i].first; c < s->groups[i].first + s->groups[i].count; c++)
            if (s->constraints[c].type->velocity)
                return olo_fail(error, OLO_UNSUPPORTED,
                                "%s: '%s' rolls: with rolling there is no symplectic form",
                                s->groups[i].where, s->groups[i].name);
    return dofs <= DOFS_MAX
               ? OLO_OK
               : olo_fail(error, OLO_UNSUPPORTED,
                          "the matrix of a step is dense: %d degrees of freedom are too many, at "
                          "most %d",
                          dofs, DOFS_MAX);
}

olo_step_map olo_step_map_default(void)
{
    return (olo_step_map){.initialised = OLO_INITIALISED_STEP_MAP};
}

olo_status olo_derivatives_compute_step_map(olo_derivatives *d, olo_state *state, double h,
                                            olo_step_map *map, olo_error *error)
{
    const olo_system *s = olo_derivatives_system(d);
    olo_counts counts;
    olo_status status = olo_check_initialised(map->initialised, OLO_INITIALISED_STEP_MAP, error);
    if (status == OLO_OK)
        status = olo_system_counts(s, &counts, error);
    if (status != OLO_OK)
        return status;
    map->dofs = counts.degrees_of_freedom;
    status = refuse(s, map->dofs, error);
    if (status != OLO_OK)
        return status;
    olo_pool pool = {0};
    olo_tangent_basis start = {.system = s, .derivatives = d, .dofs = map->dofs}, end = start;
    size_t size = 2 * (size_t)map->dofs;
    double *A, *copy, *real, *imaginary, *dq;
    const olo_array arrays[] = {{&A, size * size},
                                {&copy, size * size},
                                {&real, size},
                                {&imaginary, size},
                                {&dq, (size_t)map->dofs * (size_t)s->n}};
    if (!olo_tangent_basis_allocate(&pool, &start) || !olo_tangent_basis_allocate(&pool, &end) ||
        !olo_pool_arrays(&pool, arrays, sizeof arrays / sizeof *arrays))
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for the matrix of a step");
    if (status == OLO_OK)
        status = olo_tangent_basis_build(&start, state, error);
    if (status == OLO_OK)
        status = olo_derivatives_step(d, state, h, error);
    if (status == OLO_OK)
        status = olo_tangent_basis_transport(&end, &start, state, error);
    if (status == OLO_OK)
        status = fill(&start, &end, h, dq, A, error);
    if (status == OLO_OK)
        status = measure(map, A, copy, real, imaginary, error);
    if (status == OLO_OK && map->matrix)
        memcpy(map->matrix, A, size * size * sizeof *A);
    olo_pool_free(&pool);
    return status;
}
