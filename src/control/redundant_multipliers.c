/* The redundant transcription: multipliers of all constraints that balance a motion, by least
 * squares: lambda = (G G^T)^-1 G b/(w h) (Leyendecker 2011, 3.26). */
#include "control/redundant_private.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "linalg/dense.h"

/* G[m x n] of node k at a configuration without redundant rows, and M = G G^T with ones for these.
 */
static void set_gradients(const olo_redundant *x, int k, const olo_at *at, double *G, double *M)
{
    const olo_system *s = x->system;
    const size_t n = (size_t)s->n;
    double g[OLO_FORM_SIZE_MAX];
    memset(G, 0, (size_t)s->m * n * sizeof *G);
    for (int c = 0; c < s->m; c++) {
        const olo_constraint *row = &s->constraints[c];
        olo_constraint_gradient(row, at, g);
        for (int i = 0; !olo_is_redundant(x, k, c) && i < row->size; i++)
            G[(size_t)c * n + (size_t)row->index[i]] += g[i];
    }
    for (int c = 0; c < s->m; c++)
        for (int d = 0; d < s->m; d++) {
            M[c * s->m + d] = c == d && olo_is_redundant(x, k, c);
            for (size_t i = 0; i < n; i++)
                M[c * s->m + d] += G[(size_t)c * n + i] * G[(size_t)d * n + i];
        }
}

olo_status olo_redundant_recover_multipliers(olo_redundant *x, const double *at, double *lambda,
                                             olo_error *error)
{
    const olo_system *s = x->system;
    const size_t n = (size_t)s->n, m = (size_t)s->m;
    const int last = olo_control_has_end_balance(x->problem) ? x->intervals : x->intervals - 1;
    double *b = olo_alloc((size_t)x->nlp.rows, sizeof *b), *G = olo_alloc(m * n, sizeof *G),
           *M = olo_alloc(m * m, sizeof *M),
           *motion = olo_copy(at, (size_t)x->nlp.variables, sizeof *at);
    int *pivot = olo_alloc(m, sizeof *pivot);
    olo_status status = OLO_OK;
    if (!b || !G || !M || !motion || !pivot)
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for an optimisation problem");
    for (int k = 0; status == OLO_OK && k <= x->intervals; k++)
        memset(motion + olo_redundant_multipliers(x, k), 0, (size_t)x->m * sizeof *motion);
    if (status == OLO_OK)
        olo_redundant_evaluate(x, motion, true, b);
    for (int k = 0; status == OLO_OK && k <= last; k++) {
        const olo_at here = {.q = at + olo_redundant_configuration(x, k),
                             .angles = olo_node_angles(x, k)};
        const double *balance = b + (size_t)(k * x->row_stride);
        double *own = lambda + (size_t)k * m, scale = olo_control_share(x->problem, k) * x->T;
        set_gradients(x, k, &here, G, M);
        for (size_t c = 0; c < m; c++) {
            own[c] = 0;
            for (size_t i = 0; i < n; i++)
                own[c] += G[c * n + i] * balance[i] / scale;
        }
        if (olo_lu_factor(s->m, M, pivot))
            olo_lu_solve(s->m, M, pivot, false, 1, own);
    }
    olo_free(b);
    olo_free(G);
    olo_free(M);
    olo_free(motion);
    olo_free(pivot);
    return status;
}
