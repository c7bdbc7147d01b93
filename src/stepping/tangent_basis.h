/* A basis of the tangent space of the constrained phase space at a state. Let b_k be orthonormal in
 * the metric of the mass with G b_k = 0, and f_k the smallest dv that is admissible with dq = b_k,
 * M-orthogonal to all b_j. The variations (b_k, f_k) and (0, b_k) are a basis, in which
 *
 *     x_k = b_k.M dq,   y_k = b_k.M dv
 *
 * are the coordinates of a variation. */
#ifndef OLO_STEPPING_TANGENT_BASIS_H
#define OLO_STEPPING_TANGENT_BASIS_H

#include "base/pool.h"
#include "stepping/derivatives.h"
#include "system/system.h"

typedef struct olo_tangent_basis {
    const olo_system *system;
    olo_derivatives *derivatives;
    int dofs, count;    /* number of vectors required, and found */
    double *b, *f, *Mb; /* [dofs x n] */
    double *dq, *dv;    /* [n] */
} olo_tangent_basis;

static inline double *olo_tangent_row(const olo_tangent_basis *x, double *rows, int k)
{
    return rows + (size_t)k * (size_t)x->system->n;
}

/* Memory for a basis whose system, derivatives and dofs are set; false if there is none. */
bool olo_tangent_basis_allocate(olo_pool *pool, olo_tangent_basis *x);
/* Builds a basis at a state. */
olo_status olo_tangent_basis_build(olo_tangent_basis *x, const olo_state *state, olo_error *error);
/* Builds the basis at the end of a step by projection of the one at its start. */
olo_status olo_tangent_basis_transport(olo_tangent_basis *end, const olo_tangent_basis *start,
                                       const olo_state *state, olo_error *error);

#endif
