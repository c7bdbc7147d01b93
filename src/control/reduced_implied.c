/* The reduced transcription: rows of the last balance that conservation laws imply. A momentum that
 * nothing changes belongs to a rigid motion xi = P eta, so that eta.(P^T b_N) = xi.b_N vanishes by
 * the other balances. One row is left out for each, the one with the largest entry of eta. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "control/reduced_private.h"
#include "linalg/dense.h"

/* eta with P eta = xi, by normal equations; then the largest pivots. */
olo_status olo_reduced_drop_implied(olo_reduced *x, const olo_conserved *conserved,
                                    olo_error *error)
{
    const size_t dof = (size_t)x->dof;
    double *eta = olo_alloc(6 * dof + dof * dof, sizeof *eta), *M = eta + 6 * dof;
    int *pivot = olo_alloc(dof, sizeof *pivot);
    olo_reduced_node *end = &x->nodes[x->intervals];
    olo_status status = OLO_OK;
    if (!eta || !pivot)
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
    if (status == OLO_OK) { /* at the reference, where eta is zero */
        (void)olo_chart_at(end->chart, eta);
        x->placed = false;
        olo_null_form_matrix(end->form, olo_reduced_configuration(x, x->intervals), end->P);
        olo_reduced_multiply(x->n, x->dof, end->P, x->dof, end->P, M);
        if (!olo_lu_factor(x->dof, M, pivot))
            status = olo_fail(error, OLO_SINGULAR, "the null space of the last node is singular");
    }
    for (int k = 0; status == OLO_OK && k < conserved->count; k++) {
        olo_rigid_motion(x->problem->system, conserved->motion[k],
                         olo_reduced_configuration(x, x->intervals), x->row);
        olo_reduced_multiply(x->n, x->dof, end->P, 1, x->row, eta + k * x->dof);
    }
    if (status == OLO_OK)
        olo_lu_solve(x->dof, M, pivot, false, conserved->count, eta);
    for (int k = 0; status == OLO_OK && k < conserved->count; k++) {
        double *own = eta + k * x->dof;
        int best = 0;
        for (int i = 1; i < x->dof; i++)
            if (fabs(own[i]) > fabs(own[best]))
                best = i;
        x->nlp.row_lower[x->intervals * x->row_stride + best] = -INFINITY;
        x->nlp.row_upper[x->intervals * x->row_stride + best] = INFINITY;
        for (int l = k + 1; l < conserved->count; l++) {
            double *other = eta + l * x->dof;
            const double factor = own[best] != 0 ? other[best] / own[best] : 0;
            for (int i = 0; i < x->dof; i++)
                other[i] -= factor * own[i];
        }
    }
    olo_free(eta);
    olo_free(pivot);
    return status;
}
