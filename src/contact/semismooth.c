/* Semismooth Newton for inclusion problems:
 *
 *     F(lambda) = lambda + prox(-lambda + r xi; rho) = 0,     xi = D lambda + c,
 *     J = I + P_z (-I + r D) + P_rho drho/dlambda.
 *
 * D may be singular (redundant contacts): lambda has least norm. Updates that lead away are
 * shortened until the residual falls. */
#include <math.h>
#include <string.h>

#include "contact/inclusion.h"
#include "linalg/vector.h"

static const olo_set_shape no_shape = {.radius = 0};
enum { NEWTON_MAX = 40, SHORTEST = 6 };

/* r of a block, from the diagonal of D. */
static double step_of(const olo_inclusion *x, const olo_force_block *block)
{
    double largest = 0;
    for (int k = block->first; k < block->first + block->size; k++)
        largest = fmax(largest, x->D.matrix[olo_area(k, x->D.size) + (size_t)k]);
    return largest > 0 ? 1 / largest : 0;
}

static const olo_set_shape *shape_of(const olo_force_block *block)
{
    return block->shape ? block->shape : &no_shape;
}

static void argument(const olo_inclusion *x, const olo_force_block *block, const double *lambda,
                     const double *xi, double *z)
{
    for (int k = 0; k < block->size; k++)
        z[k] = -lambda[block->first + k] + step_of(x, block) * xi[block->first + k];
}

/* F; returns its norm. */
static double residual(const olo_inclusion *x, const double *lambda, double *xi, double *F)
{
    olo_inclusion_rates(x, lambda, xi);
    for (int i = 0; i < x->count; i++) {
        const olo_force_block *block = &x->blocks[i];
        double z[OLO_SET_SIZE_MAX], p[OLO_SET_SIZE_MAX];
        argument(x, block, lambda, xi, z);
        block->set->prox(shape_of(block), olo_block_rho(block, lambda), block->size, z, p);
        for (int k = 0; k < block->size; k++)
            F[block->first + k] = lambda[block->first + k] + p[k];
    }
    return sqrt(olo_dense_dot(x->D.size, F, F));
}

static void jacobian(const olo_inclusion *x, const double *lambda, const double *xi, double *J)
{
    const int n = x->D.size;
    memset(J, 0, olo_area(n, n) * sizeof *J);
    for (int i = 0; i < x->count; i++) {
        const olo_force_block *block = &x->blocks[i];
        double z[OLO_SET_SIZE_MAX], by_rho[OLO_SET_SIZE_MAX];
        double by_z[OLO_SET_SIZE_MAX * OLO_SET_SIZE_MAX];
        argument(x, block, lambda, xi, z);
        block->set->derivative(shape_of(block), olo_block_rho(block, lambda), block->size, z, by_z,
                               by_rho);
        for (int k = 0; k < block->size; k++) {
            double *row = J + olo_area(block->first + k, n);
            row[block->first + k] += 1;
            for (int l = 0; l < block->size; l++) {
                const double P = by_z[k * block->size + l];
                row[block->first + l] -= P;
                olo_dense_add(n, P * step_of(x, block), x->D.matrix + olo_area(block->first + l, n),
                              row);
            }
            if (block->normal >= 0 && lambda[block->normal] + block->offset > 0)
                row[block->normal] += by_rho[k] * block->friction;
        }
    }
}

olo_solution olo_solve_semismooth(const olo_inclusion *x, const olo_iteration *how, double *lambda,
                                  double *work, int *integers)
{
    const int n = x->D.size;
    double *xi = work, *F = xi + n, *best = F + n, *step = best + n, *J = step + 2 * n;
    double *rest = J + olo_area(n, n), size = residual(x, lambda, xi, F);
    olo_solution found = {0};
    for (; found.sweeps < NEWTON_MAX; found.sweeps++) {
        double length = 0, scale = 1, next = INFINITY;
        jacobian(x, lambda, xi, J);
        memcpy(best, lambda, (size_t)n * sizeof *best);
        for (int i = 0; i < n; i++)
            step[i] = olo_dense_dot(n, J + olo_area(i, n), lambda) - F[i];
        if (!olo_least_norm(n, J, step, rest, integers))
            break;
        for (int i = 0; i < n; i++)
            step[i] = lambda[i] - step[i];
        for (int k = 0; k < SHORTEST && !(next < size); k++, scale *= 0.5) {
            memcpy(lambda, best, (size_t)n * sizeof *best);
            olo_dense_add(n, -scale, step, lambda);
            next = residual(x, lambda, xi, F);
        }
        if (!(next < size)) { /* at round-off, or stuck */
            memcpy(lambda, best, (size_t)n * sizeof *best);
            break;
        }
        size = next;
        length = sqrt(olo_dense_dot(n, lambda, lambda));
        found.converged = size <= 1e-2 * how->relative * length;
        if (size == 0)
            break;
    }
    found.residual = olo_inclusion_residual(x, lambda, work);
    return found;
}
