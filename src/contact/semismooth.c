/* Semismooth Newton for inclusion problems:
 *
 *     F(lambda) = lambda + prox(-lambda + r xi; rho) = 0,     xi = D lambda + c,
 *     J = I + P_z (-I + r D) + P_rho drho/dlambda.
 *
 * D may be singular (redundant contacts): lambda has least norm. Updates that lead away are
 * shortened until the residual falls. Where they do not help, between sticking and sliding of
 * redundant contacts, the updates are those of Levenberg and Marquardt,
 *
 *     (J^T J + mu 1) step = J^T F. */
#include <math.h>
#include <string.h>

#include "contact/inclusion.h"
#include "linalg/dense.h"
#include "linalg/vector.h"

static const olo_set_shape no_shape = {.radius = 0};
enum { NEWTON_MAX = 40, DAMPED_MAX = 60, SHORTEST = 6 };
/* mu, first and last; J has no units and entries of the order 1. */
static const double least_damping = 1e-12, largest_damping = 1e2;
/* Damped updates end if the residual falls by less than this fraction. */
static const double least_progress = 1e-3;

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

/* lambda = best - scale step; returns the norm of F there. */
static double try_step(const olo_inclusion *x, const double *best, double scale, const double *step,
                       double *lambda, double *xi, double *F)
{
    memcpy(lambda, best, (size_t)x->D.size * sizeof *best);
    olo_dense_add(x->D.size, -scale, step, lambda);
    return residual(x, lambda, xi, F);
}

/* The damped update at `best`, whose residual is `size`: the least damping from `mu` on with which
 * the residual falls. Returns the norm of F. */
static double try_damped(const olo_inclusion *x, const double *best, double size, double *mu,
                         double *lambda, double *xi, double *F, double *step, double *J, double *A,
                         int *pivot)
{
    const int n = x->D.size;
    double next = INFINITY;
    for (; !(next < size) && *mu <= largest_damping; *mu *= next < size ? 1 : 10) {
        (void)try_step(x, best, 0, step, lambda, xi, F);
        jacobian(x, lambda, xi, J);
        memset(A, 0, olo_area(n, n) * sizeof *A);
        memset(step, 0, (size_t)n * sizeof *step);
        for (int k = 0; k < n; k++) {
            const double *row = J + olo_area(k, n);
            olo_dense_add(n, F[k], row, step);
            for (int i = 0; i < n; i++)
                olo_dense_add(n, row[i], row, A + olo_area(i, n));
        }
        for (int i = 0; i < n; i++)
            A[olo_area(i, n) + (size_t)i] += *mu;
        if (!olo_lu_factor(n, A, pivot))
            continue;
        olo_lu_solve(n, A, pivot, false, 1, step);
        next = try_step(x, best, 1, step, lambda, xi, F);
    }
    return next;
}

olo_solution olo_solve_semismooth(const olo_inclusion *x, const olo_iteration *how, double *lambda,
                                  double *work, int *integers)
{
    const int n = x->D.size;
    double *xi = work, *F = xi + n, *best = F + n, *step = best + n, *J = step + 2 * n;
    double *rest = J + olo_area(n, n), size = residual(x, lambda, xi, F);
    double mu = least_damping;
    bool damped = false;
    olo_solution found = {0};
    for (; found.sweeps < (damped ? DAMPED_MAX : NEWTON_MAX); found.sweeps++) {
        double scale = 1, next = INFINITY;
        memcpy(best, lambda, (size_t)n * sizeof *best);
        if (!damped) {
            jacobian(x, lambda, xi, J);
            for (int i = 0; i < n; i++)
                step[i] = olo_dense_dot(n, J + olo_area(i, n), lambda) - F[i];
            if (!olo_least_norm(n, J, step, rest, integers))
                break;
            for (int i = 0; i < n; i++)
                step[i] = lambda[i] - step[i];
            for (int k = 0; k < SHORTEST && !(next < size); k++, scale *= 0.5)
                next = try_step(x, best, scale, step, lambda, xi, F);
        }
        if (!(next < size) && how->damped) {
            damped = true;
            mu = fmax(0.01 * mu, least_damping);
            next = try_damped(x, best, size, &mu, lambda, xi, F, step, J, rest, integers);
        }
        if (!(next < size)) { /* at round-off, or stuck */
            memcpy(lambda, best, (size_t)n * sizeof *best);
            break;
        }
        const bool stalled = damped && !(next < (1 - least_progress) * size);
        size = next;
        found.converged = size <= 1e-2 * how->relative * sqrt(olo_dense_dot(n, lambda, lambda));
        if (size == 0 || stalled)
            break;
    }
    found.residual = olo_inclusion_residual(x, lambda, work);
    return found;
}
