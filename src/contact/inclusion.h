/* Inclusion problems: find forces lambda_i of blocks i with
 *
 *     xi = D lambda + c,     xi_i in N_{C_i}(-lambda_i)                    (Moeller 2011, 2.35)
 *
 * for convex sets C_i and the Delassus operator D = W M^-1 W^T, which is symmetric and positive
 * semidefinite. Equivalent is lambda_i = -prox_i(-lambda_i + r_i xi_i) for any r_i > 0.
 *
 * The size of a set of friction is rho = friction (lambda_N + offset), with the normal force
 * lambda_N of another block of one component, which should come before it.
 */
#ifndef OLO_CONTACT_INCLUSION_H
#define OLO_CONTACT_INCLUSION_H

#include <stdbool.h>

#include "contact/set.h"
#include "oloid/status.h"

typedef struct olo_force_block {
    const olo_set *set;
    const olo_set_shape *shape; /* may be NULL if the set needs none */
    int first, size;            /* its components of lambda */
    int normal;                 /* component of its normal force; -1: rho = offset */
    double friction, offset;
} olo_force_block;

/* D as a matrix, or as a function that applies it. Gauss-Seidel and Newton need the matrix. */
typedef struct olo_delassus {
    int size;
    const double *matrix;   /* [size x size] or NULL */
    const double *diagonal; /* [size], if there is no matrix */
    void *context;
    void (*apply)(void *context, const double *lambda, double *xi); /* xi = D lambda */
} olo_delassus;

typedef struct olo_inclusion {
    olo_delassus D;
    const double *c; /* [size] */
    int count;
    const olo_force_block *blocks;
} olo_inclusion;

/* How to iterate: r_i = relaxation/max_k (D_ii)_kk; the end is where all blocks change by at most
 * relative |lambda_i| + absolute. */
typedef struct olo_iteration {
    double relaxation; /* 0 < relaxation <= 2 */
    double relative, absolute;
    int sweeps; /* largest number */
    /* If the proximal point does not move its argument, make a Jacobi step with the diagonal of
     * D_ii instead: blocks whose components have different scales converge (2.63). */
    bool recover;
    /* Newton: damped updates where plain ones do not help. They cost more than many sweeps. */
    bool damped;
} olo_iteration;
olo_iteration olo_iteration_default(void);

typedef struct olo_solution {
    int sweeps;
    bool converged;  /* the stopping rule was met */
    double residual; /* largest |lambda + prox(-lambda + r xi)|, relative to the largest |lambda| */
} olo_solution;

/* rho of a block at lambda. */
double olo_block_rho(const olo_force_block *block, const double *lambda);
/* xi = D lambda + c */
void olo_inclusion_rates(const olo_inclusion *x, const double *lambda, double *xi);
/* The residual as in olo_solution; `work` has 2 size numbers. */
double olo_inclusion_residual(const olo_inclusion *x, const double *lambda, double *work);

/* The solvers start from lambda (warm start) and overwrite it; `work` has the number of entries
 * that olo_inclusion_work gives. None of them fails: what they have reached is in the solution. */
int olo_inclusion_work(int size);
olo_solution olo_solve_jacobi(const olo_inclusion *x, const olo_iteration *how, double *lambda,
                              double *work);
olo_solution olo_solve_gauss_seidel(const olo_inclusion *x, const olo_iteration *how,
                                    double *lambda, double *work);
/* Semismooth Newton on lambda + prox(-lambda + r xi) = 0, with least-norm updates where D is
 * singular (semismooth.c). `integers` has 2 size entries. It restores lambda if it does not reach a
 * smaller residual. */
olo_solution olo_solve_semismooth(const olo_inclusion *x, const olo_iteration *how, double *lambda,
                                  double *work, int *integers);
/* Gauss-Seidel for the states, then Newton; if that fails more sweeps and damped updates, then
 * shorter steps. */
olo_solution olo_solve_inclusion(const olo_inclusion *x, double *lambda, double *work,
                                 int *integers);

/* Changes of variables lambda = A lambda^, A diagonal and positive (2.50): D^ = A D A, c^ = A c.
 * The sets change with them: an ellipsoid with these semi-axes becomes a ball. */
void olo_inclusion_transform(int size, const double *A, const double *D, const double *c,
                             double *D_hat, double *c_hat);

/* A nonlinear problem: f(x, lambda) = 0 and g_i(x) in N_{C_i}(-lambda_i) (2.69). */
typedef struct olo_nonlinear_inclusion {
    void *context;
    int size, count; /* of lambda, of blocks */
    const olo_force_block *blocks;
    const double *r; /* [count] */
    /* One Newton step for x at fixed lambda; returns the size of the update relative to x. */
    double (*newton)(void *context, const double *lambda);
    void (*gaps)(void *context, double *g); /* g(x) */
} olo_nonlinear_inclusion;
/* Projected Newton (2.72): one Newton step for x, one update of lambda, and so on. The residual is
 * the last relative change. `work` as above. */
olo_solution olo_solve_projected_newton(const olo_nonlinear_inclusion *x, const olo_iteration *how,
                                        double *lambda, double *work);

/* The solution of least norm of A x = b, or of its independent rows; A [n x n] is overwritten, x
 * overwrites b. `work` has olo_least_norm_work(n) numbers, `integers` 2 n. False if A is not
 * finite. (least_norm.c) */
int olo_least_norm_work(int n);
bool olo_least_norm(int n, double *A, double *b, double *work, int *integers);

#endif
