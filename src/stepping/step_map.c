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
#include "stepping/derivatives.h"
#include "stepping/row_basis.h"
#include "system/system.h"

enum { DOFS_MAX = 1000 };

typedef struct basis {
    const olo_system *system;
    olo_derivatives *derivatives;
    int dofs, count;    /* number of vectors required, and found */
    double *b, *f, *Mb; /* [dofs x n] */
    double *dq, *dv;    /* [n] */
} basis;

static double *row_of(const basis *x, double *rows, int k)
{
    return rows + (size_t)k * (size_t)x->system->n;
}

/* Sets b to the admissible part of dq that is M-orthogonal to all b_k, and f to its dv; returns
 * |b|_M before and after the orthogonalisation. */
static olo_status orthogonalise(basis *x, const olo_state *state, double *size, double *left,
                                olo_error *error)
{
    int n = x->system->n;
    double *b = row_of(x, x->b, x->count), *f = row_of(x, x->f, x->count),
           *Mb = row_of(x, x->Mb, x->count);
    memset(x->dv, 0, (size_t)n * sizeof *x->dv);
    olo_status status = olo_derivatives_project(x->derivatives, state, x->dq, x->dv, error);
    if (status != OLO_OK)
        return status;
    memcpy(b, x->dq, (size_t)n * sizeof *b);
    memcpy(f, x->dv, (size_t)n * sizeof *f);
    olo_system_mass_times(x->system, b, Mb);
    *size = sqrt(olo_dense_dot(n, b, Mb));
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < x->count; k++) {
            double along = olo_dense_dot(n, row_of(x, x->Mb, k), b);
            olo_dense_add(n, -along, row_of(x, x->b, k), b);
            olo_dense_add(n, -along, row_of(x, x->f, k), f);
        }
    olo_system_mass_times(x->system, b, Mb);
    *left = sqrt(olo_dense_dot(n, b, Mb));
    return OLO_OK;
}

/* Adds the admissible part of dq to the basis if more than a fraction `least` of its length is
 * independent. If the independent part is small, its rounding errors are relatively large: it is
 * normalised and projected a second time. */
static olo_status add_vector(basis *x, const olo_state *state, double least, olo_error *error)
{
    int n = x->system->n;
    double *b = row_of(x, x->b, x->count), *f = row_of(x, x->f, x->count),
           *Mb = row_of(x, x->Mb, x->count), size, left;
    olo_status status = orthogonalise(x, state, &size, &left, error);
    if (status != OLO_OK || !(left > least * size) || !(left > 0))
        return status;
    for (int i = 0; i < n; i++)
        x->dq[i] = b[i] / left;
    status = orthogonalise(x, state, &size, &left, error);
    double scale = 1 / left;
    for (int i = 0; i < n; i++) {
        b[i] *= scale;
        f[i] *= scale;
        Mb[i] *= scale;
    }
    x->count++;
    return status;
}

/* Builds a basis at a state from all coordinates in turn; nearly dependent ones come last. */
static olo_status build(basis *x, const olo_state *state, olo_error *error)
{
    olo_status status = OLO_OK;
    x->count = 0;
    for (double least = 0.1; status == OLO_OK && x->count < x->dofs && least > 1e-8; least *= 0.01)
        for (int i = 0; status == OLO_OK && i < x->system->n && x->count < x->dofs; i++) {
            memset(x->dq, 0, (size_t)x->system->n * sizeof *x->dq);
            x->dq[i] = 1;
            status = add_vector(x, state, least, error);
        }
    if (status == OLO_OK && x->count < x->dofs)
        status = olo_fail(error, OLO_SINGULAR, "some degree of freedom has no mass");
    return status;
}

/* Builds the basis at the end by projection of the one at the start. */
static olo_status transport(basis *end, const basis *start, const olo_state *state,
                            olo_error *error)
{
    olo_status status = OLO_OK;
    end->count = 0;
    for (int k = 0; status == OLO_OK && k < start->dofs; k++) {
        memcpy(end->dq, row_of(start, start->b, k), (size_t)end->system->n * sizeof *end->dq);
        status = add_vector(end, state, 1e-8, error);
    }
    if (status == OLO_OK && end->count < end->dofs)
        status =
            olo_fail(error, OLO_SINGULAR, "bodies rotate too far in the step for a common basis");
    return status;
}

/* Computes columns of A from `first`: the images of as many canonical variations of the start as
 * there are degrees of freedom, all at once; overwrites the variations. */
static olo_status compute_columns(const basis *end, double h, int first, double *dq, double *dv,
                                  double *A, olo_error *error)
{
    int n = end->system->n, f = end->dofs;
    olo_status status = olo_derivatives_step_forward_all(end->derivatives, f, dq, dv, error);
    for (int k = 0; status == OLO_OK && k < f; k++)
        for (int i = 0; i < f; i++) {
            const double *Mb = row_of(end, end->Mb, i);
            double *entry = A + (size_t)i * 2 * (size_t)f + (size_t)(first + k);
            entry[0] = olo_dense_dot(n, Mb, row_of(end, dq, k));
            entry[2 * (size_t)f * (size_t)f] = h * olo_dense_dot(n, Mb, row_of(end, dv, k));
        }
    return status;
}

/* Fills A: columns of (b_k, f_k), then of (0, b_k/h); overwrites the basis at the start. */
static olo_status fill(basis *start, const basis *end, double h, double *dq, double *A,
                       olo_error *error)
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

static bool create(olo_pool *pool, basis *x)
{
    size_t n = (size_t)x->system->n, f = (size_t)x->dofs + 1;
    const olo_array arrays[] = {
        {&x->b, f * n}, {&x->f, f * n}, {&x->Mb, f * n}, {&x->dq, n}, {&x->dv, n}};
    return olo_pool_arrays(pool, arrays, sizeof arrays / sizeof *arrays);
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
    basis start = {.system = s, .derivatives = d, .dofs = map->dofs}, end = start;
    size_t size = 2 * (size_t)map->dofs;
    double *A, *copy, *real, *imaginary, *dq;
    const olo_array arrays[] = {{&A, size * size},
                                {&copy, size * size},
                                {&real, size},
                                {&imaginary, size},
                                {&dq, (size_t)map->dofs * (size_t)s->n}};
    if (!create(&pool, &start) || !create(&pool, &end) ||
        !olo_pool_arrays(&pool, arrays, sizeof arrays / sizeof *arrays))
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for the matrix of a step");
    if (status == OLO_OK)
        status = build(&start, state, error);
    if (status == OLO_OK)
        status = olo_derivatives_step(d, state, h, error);
    if (status == OLO_OK)
        status = transport(&end, &start, state, error);
    if (status == OLO_OK)
        status = fill(&start, &end, h, dq, A, error);
    if (status == OLO_OK)
        status = measure(map, A, copy, real, imaginary, error);
    if (status == OLO_OK && map->matrix)
        memcpy(map->matrix, A, size * size * sizeof *A);
    olo_pool_free(&pool);
    return status;
}
