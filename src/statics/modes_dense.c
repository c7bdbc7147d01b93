/* All modes, by LAPACK.
 *
 * Where lambda^2 = -omega^2 is real: M x = theta (K + sigma M) x, theta = 1/(omega^2 + sigma). M
 * may be singular (nodes without rotary inertia) and so may K (rigid motions); low frequencies are
 * exact to rounding of sigma, not of the highest one.
 *
 * In general, with v = lambda x and theta = 1/(lambda - sigma): from v - sigma x = a, -K x - D v -
 * sigma M v = M b
 *
 *     x = -Q^-1 (M b + (D + sigma M) a),   v = a + sigma x,   Q = K + sigma D + sigma^2 M,
 *
 * maps (a, b) to theta (a, b); v is measured in units of a frequency of the system. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/pool.h"
#include "linalg/dense.h"
#include "statics/modes.h"
#include "statics/pencil.h"

typedef struct work {
    olo_pool pool;
    double *A, *B, *w, *u, *v;
} work;

static bool work_create(work *w, const olo_pencil *p)
{
    size_t u = (size_t)p->unknowns;
    const olo_array arrays[] = {{&w->A, u * u}, {&w->B, u * u}, {&w->w, u}, {&w->u, u}, {&w->v, u}};
    return olo_pool_arrays(&w->pool, arrays, sizeof arrays / sizeof *arrays);
}

static olo_status no_solution(olo_error *error)
{
    return olo_fail(error, OLO_SINGULAR, "the eigenvalue problem of the modes has no solution");
}

/* theta ascending in w->w and vectors in the columns of w->A; sigma increases until K + sigma M is
 * positive definite. */
static bool solve_shifted(const olo_pencil *p, work *w, double *sigma)
{
    const int attempts = 30;
    size_t n = (size_t)p->size;
    for (int k = 0; k < attempts; k++, *sigma *= 100) {
        memcpy(w->A, p->M, n * n * sizeof *w->A);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                w->B[i * n + j] =
                    0.5 * (p->K[i * n + j] + p->K[j * n + i]) + *sigma * p->M[i * n + j];
        if (olo_symmetric_pencil(p->size, w->A, w->B, w->w))
            return true;
    }
    return false;
}

/* Solves twice: first for the magnitude of the lowest frequency, which is then the best shift. */
static olo_status solve(const olo_modes *x, const olo_pencil *p, work *w, double *sigma,
                        olo_error *error)
{
    const double start = 1e-6;
    *sigma = p->stiff > 0 ? start * p->stiff : 1.0;
    bool ok = solve_shifted(p, w, sigma);
    for (int i = p->size - 1; ok && i >= 0; i--) {
        double square = 1 / w->w[i] - *sigma;
        if (w->w[i] > 0 && square > x->rounding) {
            *sigma = square;
            break;
        }
    }
    ok = ok && solve_shifted(p, w, sigma);
    return ok ? OLO_OK : no_solution(error);
}

static olo_status store_symmetric(olo_modes *x, const olo_pencil *p, work *w, double sigma,
                                  olo_error *error)
{
    int count = x->options.count < p->size ? x->options.count : p->size;
    olo_status status = olo_modes_reserve(x, count, error);
    for (int k = 0; status == OLO_OK && k < count; k++) {
        int column = p->size - 1 - k;
        if (!(w->w[column] > DBL_EPSILON * w->w[p->size - 1]))
            break; /* no inertia: no frequency */
        for (int i = 0; i < p->size; i++)
            w->v[i] = w->A[i * p->size + column];
        olo_pencil_spread(p, w->v, w->u);
        olo_modes_add_square(x, 1 / w->w[column] - sigma, w->u);
    }
    return status;
}

/* ---- any lambda ------------------------------------------------------------------------------ */

typedef struct root {
    double re, im;
    int column;
} root;

static int by_size(const void *a, const void *b)
{
    const root *x = a, *y = b;
    /* of two with equal magnitude up to rounding the growing one comes first */
    float p = (float)hypot(x->re, x->im), q = (float)hypot(y->re, y->im);
    if (p != q)
        return p < q ? -1 : 1;
    return x->re > y->re ? -1 : x->re < y->re ? 1 : x->column - y->column;
}

/* The matrix that maps (a, b) to theta (a, b), [2n x 2n]; fails where Q is singular. */
static olo_status shifted_companion(const olo_pencil *p, bool damped, double sigma, double unit,
                                    double *S, olo_error *error)
{
    size_t n = (size_t)p->size, m = 2 * n;
    double *Q = olo_alloc(n * n + 1, sizeof *Q), *X = olo_alloc(n * m + 1, sizeof *X);
    int *pivot = olo_alloc(n + 1, sizeof *pivot);
    olo_status status =
        Q && X && pivot ? OLO_OK : olo_fail(error, OLO_NO_MEMORY, "out of memory for modes");
    for (size_t i = 0; status == OLO_OK && i < n; i++)
        for (size_t j = 0; j < n; j++) {
            /* without dampers D has only its skew part, of Coriolis forces */
            double D = damped ? p->D[i * n + j] : 0.5 * (p->D[i * n + j] - p->D[j * n + i]);
            double M = p->M[i * n + j];
            Q[i * n + j] = p->K[i * n + j] + sigma * D + sigma * sigma * M;
            X[j * n + i] = -(D + sigma * M); /* right-hand sides as rows */
            X[(n + j) * n + i] = -M * unit;
        }
    if (status == OLO_OK && !olo_lu_factor(p->size, Q, pivot))
        status = no_solution(error);
    if (status == OLO_OK) {
        olo_lu_solve(p->size, Q, pivot, false, (int)m, X);
        for (size_t j = 0; j < m; j++)
            for (size_t i = 0; i < n; i++) {
                S[i * m + j] = X[j * n + i];
                S[(n + i) * m + j] = (sigma * X[j * n + i] + (i == j ? 1.0 : 0.0)) / unit;
            }
    }
    olo_free(Q);
    olo_free(X);
    olo_free(pivot);
    return status;
}

/* Roots with a positive or zero imaginary part, in ascending magnitude. */
static int collect(int m, double sigma, const double *re, const double *im, root *roots)
{
    double largest = 0;
    int count = 0;
    for (int i = 0; i < m; i++)
        largest = fmax(largest, hypot(re[i], im[i]));
    for (int i = 0; i < m; i++) {
        double size = re[i] * re[i] + im[i] * im[i];
        if (im[i] < 0 || !(sqrt(size) > 16 * DBL_EPSILON * largest))
            continue; /* the conjugate; no inertia */
        /* 1/theta has the other sign: the mode is the conjugate one */
        roots[count++] = (root){.re = sigma + re[i] / size, .im = im[i] / size, .column = i};
    }
    qsort(roots, (size_t)count, sizeof *roots, by_size);
    return count;
}

static olo_status solve_general(olo_modes *x, const olo_pencil *p, work *w, double lowest,
                                olo_error *error)
{
    size_t n = (size_t)p->size, m = 2 * n;
    double unit = lowest > 0 ? sqrt(lowest) : 1.0, sigma = 0.5 * unit;
    double *S = olo_alloc(m * m + 1, sizeof *S), *V = olo_alloc(m * m + 1, sizeof *V);
    double *re = olo_alloc(2 * m + 1, sizeof *re);
    root *roots = olo_alloc(m + 1, sizeof *roots);
    olo_status status =
        S && V && re && roots ? OLO_OK : olo_fail(error, OLO_NO_MEMORY, "out of memory for modes");
    if (status == OLO_OK)
        status = shifted_companion(p, x->options.damped, sigma, unit, S, error);
    if (status == OLO_OK && !olo_general_eigenvectors((int)m, S, re, re + m, V))
        status = no_solution(error);
    int count = status == OLO_OK ? collect((int)m, sigma, re, re + m, roots) : 0;
    count = count < x->options.count ? count : x->options.count;
    if (status == OLO_OK)
        status = olo_modes_reserve(x, count, error);
    for (int k = 0; status == OLO_OK && k < count; k++) {
        double *im = w->w;
        for (int part = 0; part < 2; part++) {
            int column = roots[k].column + (roots[k].im > 0 ? part : 0);
            for (size_t i = 0; i < n; i++)
                w->v[i] = (part ? -1 : 1) * V[i * m + (size_t)column];
            olo_pencil_spread(p, w->v, part ? im : w->u);
        }
        olo_modes_add(x, roots[k].re, roots[k].im, w->u, roots[k].im > 0 ? im : NULL);
    }
    olo_free(S);
    olo_free(V);
    olo_free(re);
    olo_free(roots);
    return status;
}

olo_status olo_modes_solve_dense(olo_modes *x, olo_error *error)
{
    olo_pencil p = {0};
    work w = {0};
    double sigma = 0;
    olo_status status = olo_pencil_create(x->balance, x->options.load, &p, error);
    if (status == OLO_OK && !work_create(&w, &p))
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for modes");
    if (status == OLO_OK)
        x->rounding = 64 * DBL_EPSILON * (p.stiff > 0 ? p.stiff : 1.0);
    if (status == OLO_OK && p.size > 0)
        status = solve(x, &p, &w, &sigma, error);
    if (status == OLO_OK)
        status = x->general ? solve_general(x, &p, &w, sigma, error)
                            : store_symmetric(x, &p, &w, sigma, error);
    olo_pencil_free(&p);
    olo_pool_free(&w.pool);
    return status;
}
