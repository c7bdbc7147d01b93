/* The reduced transcription: the masses of the balances. M dq/h of interval k with h = h_k has in
 * the rows of its nodes the derivatives
 *
 *     node k         M J_k/h       by w_k,     -M J_k+1/h    by w_k+1
 *     node k + 1     -M J_k/h      by w_k,      M J_k+1/h    by w_k+1
 *
 * and z.b the gradients M (z_k - z_k+1)/h by q_k and the opposite by q_k+1. */
#include <string.h>

#include "control/reduced_private.h"
#include "linalg/vector.h"

/* M J of a node: every entry of M multiplies rows that follow each other. */
static void multiply_basis(const olo_reduced *x, int k, double *MJ)
{
    const olo_system *s = x->problem->system;
    const double *J = x->nodes[k].J;
    memset(MJ, 0, (size_t)(x->n * x->dof) * sizeof *MJ);
    for (int e = 0; e < s->mass_count; e++) {
        const olo_mass_entry *of = &s->mass[e];
        olo_dense_add(of->width * x->dof, of->m, J + of->j * x->dof, MJ + of->i * x->dof);
        if (of->i != of->j)
            olo_dense_add(of->width * x->dof, of->m, J + of->i * x->dof, MJ + of->j * x->dof);
    }
}

void olo_reduced_start_mass(olo_reduced *x)
{
    multiply_basis(x, 0, x->MJ + x->n * x->dof);
}

/* scale MJ is added to columns of one node and subtracted from those of the other one. */
static inline __attribute__((always_inline)) void add_columns(const int dof, int n, double scale,
                                                              const double *MJ, int width,
                                                              double *plus, double *minus)
{
    for (int i = 0; i < n; i++, plus += width, minus += width, MJ += dof)
        for (int d = 0; d < dof; d++) {
            const double value = scale * MJ[d];
            plus[d] += value;
            minus[d] -= value;
        }
}

static inline __attribute__((always_inline)) void add_interval(const int dof, const olo_reduced *x,
                                                               double scale)
{
    const int n = x->n, width = x->A.width;
    const double *own = x->MJ, *next = own + n * dof;
    double *rows = x->A.values, *after = rows + n * width;
    const int w = x->A.of[olo_column_of_w(x, 0)], w_next = x->A.of[olo_column_of_w(x, 1)],
              w_before = x->A.of[olo_column_of_w(x, -1)];
    add_columns(dof, n, scale, own, width, rows + w, after + w_before);
    add_columns(dof, n, scale, next, width, after + w, rows + w_next);
}

void olo_reduced_add_mass(olo_reduced *x, int k)
{
    const double scale = 1 / (x->problem->part[k] * olo_reduced_time(x));
    const size_t size = (size_t)(x->n * x->dof);
    memcpy(x->MJ, x->MJ + size, size * sizeof *x->MJ);
    multiply_basis(x, k + 1, x->MJ + size);
    x->A.filled[0] = x->A.filled[1] = true;
    switch (x->dof) { /* few degrees of freedom have loops of their own length */
    case 1:
        add_interval(1, x, scale);
        return;
    case 2:
        add_interval(2, x, scale);
        return;
    case 3:
        add_interval(3, x, scale);
        return;
    default:
        add_interval(x->dof, x, scale);
    }
}

void olo_reduced_pull_mass(olo_reduced *x, int k)
{
    const double scale = 1 / (x->problem->part[k] * olo_reduced_time(x));
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
