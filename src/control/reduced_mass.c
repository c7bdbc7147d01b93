/* The reduced transcription: the masses of the balances. M (dq_k-1/h_k-1 - dq_k/h_k) in the rows of
 * node k has the derivatives
 *
 *     (1/h_k-1 + 1/h_k) M J_k  by w_k,    -M J_k+1/h_k  by w_k+1,    -M J_k-1/h_k-1  by w_k-1
 *
 * and interval k adds M (z_k - z_k+1)/h_k to the gradient of z.b by q_k and the opposite by q_k+1.
 */
#include <string.h>

#include "control/reduced_private.h"
#include "linalg/vector.h"

/* Every entry of M multiplies rows that follow each other. */
void olo_reduced_multiply_mass(olo_reduced *x, int k)
{
    const olo_system *s = x->problem->system;
    const double *J = x->nodes[k].J;
    double *MJ = x->nodes[k].MJ;
    memset(MJ, 0, (size_t)(x->n * x->dof) * sizeof *MJ);
    for (int e = 0; e < s->mass_count; e++) {
        const olo_mass_entry *of = &s->mass[e];
        olo_dense_add(of->width * x->dof, of->m, J + of->j * x->dof, MJ + of->i * x->dof);
        if (of->i != of->j)
            olo_dense_add(of->width * x->dof, of->m, J + of->i * x->dof, MJ + of->j * x->dof);
    }
}

/* The columns of w of the node, of the next one and of that before, row by row. */
static inline __attribute__((always_inline)) void add_node(const int dof, const olo_reduced *x,
                                                           int k, double before, double after)
{
    const int width = x->A.width;
    const double *own = x->nodes[k].MJ, *next = x->nodes[after > 0 ? k + 1 : k].MJ,
                 *last = x->nodes[before > 0 ? k - 1 : k].MJ;
    double *w = x->A.values + x->A.of[olo_column_of_w(x, 0)],
           *w_next = x->A.values + x->A.of[olo_column_of_w(x, 1)],
           *w_last = x->A.values + x->A.of[olo_column_of_w(x, -1)];
    for (int i = 0; i < x->n * dof; i += dof, w += width, w_next += width, w_last += width)
        for (int d = 0; d < dof; d++) {
            w[d] += (before + after) * own[i + d];
            w_next[d] -= after * next[i + d];
            w_last[d] -= before * last[i + d];
        }
}

/* 1/h of interval k; zero where there is none */
static double rate_of(const olo_reduced *x, int k)
{
    return olo_reduced_has_interval(x, k) ? 1 / (x->problem->part[k] * olo_reduced_time(x)) : 0;
}

void olo_reduced_add_mass(olo_reduced *x, int k)
{
    const double before = rate_of(x, k - 1), after = rate_of(x, k);
    x->A.filled[0] = true;
    switch (x->dof) { /* few degrees of freedom have loops of their own length */
    case 1:
        add_node(1, x, k, before, after);
        return;
    case 2:
        add_node(2, x, k, before, after);
        return;
    case 3:
        add_node(3, x, k, before, after);
        return;
    default:
        add_node(x->dof, x, k, before, after);
    }
}

void olo_reduced_pull_mass(olo_reduced *x, int k)
{
    const double scale = rate_of(x, k);
    const double *z = x->y + k * x->under.row_stride, *after = z + x->under.row_stride;
    double *g = x->g + k * x->under.stride, *g_after = g + x->under.stride;
    for (int i = 0; i < x->n; i++)
        x->dz[i] = scale * (z[i] - after[i]);
    olo_system_mass_times(x->problem->system, x->dz, x->Mdz);
    for (int i = 0; i < x->n; i++) {
        g[i] += x->Mdz[i];
        g_after[i] -= x->Mdz[i];
    }
}
