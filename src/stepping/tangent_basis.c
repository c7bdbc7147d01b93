/* Bases of tangent spaces; see the header. */
#include "stepping/tangent_basis.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "linalg/dense.h"
#include "linalg/vector.h"

bool olo_tangent_basis_allocate(olo_pool *pool, olo_tangent_basis *x)
{
    size_t n = (size_t)x->system->n, f = (size_t)x->dofs + 1;
    const olo_array arrays[] = {
        {&x->b, f * n}, {&x->f, f * n}, {&x->Mb, f * n}, {&x->dq, n}, {&x->dv, n}};
    return olo_pool_arrays(pool, arrays, sizeof arrays / sizeof *arrays);
}

/* Sets b to the admissible part of dq that is M-orthogonal to all b_k, and f to its dv; returns
 * |b|_M before and after the orthogonalisation. */
static olo_status orthogonalise(olo_tangent_basis *x, const olo_state *state, double *size,
                                double *left, olo_error *error)
{
    int n = x->system->n;
    double *b = olo_tangent_row(x, x->b, x->count), *f = olo_tangent_row(x, x->f, x->count),
           *Mb = olo_tangent_row(x, x->Mb, x->count);
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
            double along = olo_dense_dot(n, olo_tangent_row(x, x->Mb, k), b);
            olo_dense_add(n, -along, olo_tangent_row(x, x->b, k), b);
            olo_dense_add(n, -along, olo_tangent_row(x, x->f, k), f);
        }
    olo_system_mass_times(x->system, b, Mb);
    *left = sqrt(olo_dense_dot(n, b, Mb));
    return OLO_OK;
}

/* Adds the admissible part of dq to the basis if more than a fraction `least` of its length is
 * independent. If the independent part is small, its rounding errors are relatively large: it is
 * normalised and projected a second time. */
static olo_status add_vector(olo_tangent_basis *x, const olo_state *state, double least,
                             olo_error *error)
{
    int n = x->system->n;
    double *b = olo_tangent_row(x, x->b, x->count), *f = olo_tangent_row(x, x->f, x->count),
           *Mb = olo_tangent_row(x, x->Mb, x->count), size, left;
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

/* From all coordinates in turn; nearly dependent ones come last. */
olo_status olo_tangent_basis_build(olo_tangent_basis *x, const olo_state *state, olo_error *error)
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

olo_status olo_tangent_basis_transport(olo_tangent_basis *end, const olo_tangent_basis *start,
                                       const olo_state *state, olo_error *error)
{
    olo_status status = OLO_OK;
    end->count = 0;
    for (int k = 0; status == OLO_OK && k < start->dofs; k++) {
        memcpy(end->dq, olo_tangent_row(start, start->b, k),
               (size_t)end->system->n * sizeof *end->dq);
        status = add_vector(end, state, 1e-8, error);
    }
    if (status == OLO_OK && end->count < end->dofs)
        status =
            olo_fail(error, OLO_SINGULAR, "bodies rotate too far in the step for a common basis");
    return status;
}
