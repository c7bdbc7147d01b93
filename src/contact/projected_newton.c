/* Projected Newton (Moeller 2011, 2.72): Newton's method acts on the smooth equations f(x, lambda)
 * = 0 alone, at fixed lambda; then every block is updated with the new gaps,
 *
 *     lambda_i <- -prox_i(-lambda_i + r_i g_i(x)).
 *
 * For f = x - D lambda - c and g = x it is the projected Jacobi iteration. It converges linearly.
 */
#include <math.h>
#include <string.h>

#include "base/extreme.h"
#include "contact/inclusion.h"

static const olo_set_shape no_shape = {.radius = 0};

/* The update of all blocks; returns the largest relative change. */
static double project(const olo_nonlinear_inclusion *x, const double *g, double *lambda)
{
    double change = 0, size = 0;
    for (int i = 0; i < x->count; i++) {
        const olo_force_block *block = &x->blocks[i];
        double z[OLO_SET_SIZE_MAX], p[OLO_SET_SIZE_MAX];
        for (int k = 0; k < block->size; k++)
            z[k] = -lambda[block->first + k] + x->r[i] * g[block->first + k];
        block->set->prox(block->shape ? block->shape : &no_shape, olo_block_rho(block, lambda),
                         block->size, z, p);
        for (int k = 0; k < block->size; k++) {
            olo_raise(&change, fabs(-p[k] - lambda[block->first + k]));
            olo_raise(&size, fabs(p[k]));
            lambda[block->first + k] = -p[k];
        }
    }
    return size > 0 ? change / size : change;
}

olo_solution olo_solve_projected_newton(const olo_nonlinear_inclusion *x, const olo_iteration *how,
                                        double *lambda, double *work)
{
    olo_solution found = {0};
    while (!found.converged && found.sweeps < how->sweeps) {
        found.sweeps++;
        const double smooth = x->newton(x->context, lambda);
        x->gaps(x->context, work);
        found.residual = fmax(project(x, work, lambda), smooth);
        found.converged = found.residual <= how->relative;
    }
    return found;
}
