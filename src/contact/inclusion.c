/* Fixed-point solvers of inclusion problems (Moeller 2011, 2.4):
 *
 *     lambda_i <- -prox_i(-lambda_i + r_i xi_i),     r_i = relaxation/max_k (D_ii)_kk,
 *
 * for all blocks at once (Jacobi) or one after the other (Gauss-Seidel). */
#include "contact/inclusion.h"

#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "linalg/vector.h"

static const olo_set_shape no_shape = {.radius = 0};
/* Residual of a solution. */
static const double accurate = 1e-12;

olo_iteration olo_iteration_default(void)
{
    return (olo_iteration){.relaxation = 1, .relative = 1e-13, .sweeps = 1000};
}

double olo_block_rho(const olo_force_block *block, const double *lambda)
{
    const double normal = block->normal < 0 ? 0 : lambda[block->normal];
    return block->normal < 0 ? block->offset : block->friction * fmax(normal + block->offset, 0.0);
}

static double diagonal(const olo_delassus *D, int i)
{
    return D->matrix ? D->matrix[olo_area(i, D->size) + (size_t)i] : D->diagonal[i];
}

static double largest_diagonal(const olo_delassus *D, const olo_force_block *block)
{
    double largest = 0;
    for (int k = block->first; k < block->first + block->size; k++)
        olo_raise(&largest, diagonal(D, k));
    return largest;
}

void olo_inclusion_rates(const olo_inclusion *x, const double *lambda, double *xi)
{
    const int n = x->D.size;
    if (!x->D.matrix)
        x->D.apply(x->D.context, lambda, xi);
    for (int i = 0; i < n; i++)
        xi[i] = x->c[i] +
                (x->D.matrix ? olo_dense_dot(n, x->D.matrix + olo_area(i, n), lambda) : xi[i]);
}

/* The update of one block from xi, which has the entries of the block. A block without mobility
 * (D_ii = 0) does not change. Returns true if the change is larger than the bound. */
static bool update(const olo_inclusion *x, const olo_iteration *how, const olo_force_block *block,
                   const double *xi, double *lambda)
{
    const double largest = largest_diagonal(&x->D, block);
    double z[OLO_SET_SIZE_MAX], p[OLO_SET_SIZE_MAX], change = 0, size = 0;
    double *own = lambda + block->first;
    if (!(largest > 0))
        return false;
    for (int k = 0; k < block->size; k++)
        z[k] = -own[k] + how->relaxation / largest * xi[k];
    block->set->prox(block->shape ? block->shape : &no_shape, olo_block_rho(block, lambda),
                     block->size, z, p);
    const bool inside = memcmp(p, z, (size_t)block->size * sizeof *p) == 0;
    for (int k = 0; k < block->size; k++) {
        const double D_kk = diagonal(&x->D, block->first + k);
        double next = -p[k];
        if (how->recover && inside && D_kk > 0)
            next = own[k] - how->relaxation * xi[k] / D_kk;
        change += (next - own[k]) * (next - own[k]);
        size += next * next;
        own[k] = next;
    }
    return sqrt(change) > how->relative * sqrt(size) + how->absolute;
}

double olo_inclusion_residual(const olo_inclusion *x, const double *lambda, double *work)
{
    const olo_iteration plain = {.relaxation = 1};
    double *xi = work, *next = work + x->D.size, largest = 0, error = 0;
    olo_inclusion_rates(x, lambda, xi);
    for (int i = 0; i < x->count; i++) {
        const olo_force_block *block = &x->blocks[i];
        memcpy(next, lambda, (size_t)x->D.size * sizeof *next);
        (void)update(x, &plain, block, xi + block->first, next);
        for (int k = block->first; k < block->first + block->size; k++) {
            olo_raise(&error, fabs(next[k] - lambda[k]));
            olo_raise(&largest, fabs(next[k]));
        }
    }
    return largest > 0 ? error / largest : error;
}

int olo_inclusion_work(int size)
{
    return 6 * size + size * size + olo_least_norm_work(size);
}

olo_solution olo_solve_jacobi(const olo_inclusion *x, const olo_iteration *how, double *lambda,
                              double *work)
{
    olo_solution found = {0};
    while (!found.converged && found.sweeps < how->sweeps) {
        found.sweeps++;
        found.converged = true;
        olo_inclusion_rates(x, lambda, work);
        for (int i = 0; i < x->count; i++)
            if (update(x, how, &x->blocks[i], work + x->blocks[i].first, lambda))
                found.converged = false;
    }
    found.residual = olo_inclusion_residual(x, lambda, work);
    return found;
}

olo_solution olo_solve_gauss_seidel(const olo_inclusion *x, const olo_iteration *how,
                                    double *lambda, double *work)
{
    const int n = x->D.size;
    olo_solution found = {0};
    while (!found.converged && found.sweeps < how->sweeps) {
        found.sweeps++;
        found.converged = true;
        for (int i = 0; i < x->count; i++) {
            const olo_force_block *block = &x->blocks[i];
            double xi[OLO_SET_SIZE_MAX];
            for (int k = 0; k < block->size; k++) {
                const int row = block->first + k;
                xi[k] = x->c[row] + olo_dense_dot(n, x->D.matrix + olo_area(row, n), lambda);
            }
            if (update(x, how, block, xi, lambda))
                found.converged = false;
        }
    }
    found.residual = olo_inclusion_residual(x, lambda, work);
    return found;
}

/* From no forces, with shorter steps: large coefficients of friction couple forces so much that
 * sweeps with full ones cycle. The better of both solutions remains. */
static void solve_slowly(const olo_inclusion *x, olo_iteration how, double *lambda, double *work,
                         int *integers, olo_solution *found)
{
    static const double relaxation[] = {0.5, 0.2, 0.05};
    const size_t size = (size_t)x->D.size * sizeof *lambda;
    double *best = work + olo_inclusion_work(x->D.size) - x->D.size;
    memcpy(best, lambda, size);
    for (int i = 0; i < 3 && !(found->residual <= accurate); i++) {
        memset(lambda, 0, size);
        how.relaxation = relaxation[i];
        olo_solution other = olo_solve_gauss_seidel(x, &how, lambda, work);
        found->sweeps += other.sweeps;
        if (!(other.residual <= accurate)) {
            other = olo_solve_semismooth(x, &how, lambda, work, integers);
            found->sweeps += other.sweeps;
        }
        if (other.residual < found->residual) {
            found->residual = other.residual;
            memcpy(best, lambda, size);
        }
    }
    memcpy(lambda, best, size);
}

olo_solution olo_solve_inclusion(const olo_inclusion *x, double *lambda, double *work,
                                 int *integers)
{
    olo_iteration how = olo_iteration_default();
    how.sweeps = 50;
    olo_solution found = olo_solve_gauss_seidel(x, &how, lambda, work);
    const int first = found.sweeps;
    found = olo_solve_semismooth(x, &how, lambda, work, integers);
    found.sweeps += first;
    if (found.residual > accurate) {
        const int before = found.sweeps;
        how.sweeps = 10000;
        found = olo_solve_gauss_seidel(x, &how, lambda, work);
        found.sweeps += before;
        if (found.residual > accurate) {
            const int again = found.sweeps;
            how.damped = true;
            found = olo_solve_semismooth(x, &how, lambda, work, integers);
            found.sweeps += again;
        }
        solve_slowly(x, how, lambda, work, integers, &found);
    }
    found.converged = found.residual <= accurate;
    return found;
}

void olo_inclusion_transform(int size, const double *A, const double *D, const double *c,
                             double *D_hat, double *c_hat)
{
    for (int i = 0; i < size; i++) {
        c_hat[i] = A[i] * c[i];
        for (int j = 0; j < size; j++)
            D_hat[olo_area(i, size) + (size_t)j] = A[i] * D[olo_area(i, size) + (size_t)j] * A[j];
    }
}
