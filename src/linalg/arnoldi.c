/* Implicitly restarted Lanczos and Arnoldi iterations (Lehoucq, Sorensen, Yang 1998) by reverse
 * communication: ARPACK requests products of a vector and says where to store them. */
#include "linalg/arnoldi.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <arpack.h>

#include "base/fail.h"
#include "base/pool.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const int restarts = 1000;
/* relative error of an eigenvalue; zero: machine precision */
static const double tolerance = 0;

typedef struct session {
    olo_pool pool;
    int n, count, basis_size;
    double *resid, *basis, *work, *large, *extra;
    int *select;
    size_t large_size;
    int param[11], offset[14], info;
} session;

static bool open_session(session *s, int n, int count, int basis_size, const double *initial,
                         size_t large)
{
    size_t length = (size_t)n, vectors = (size_t)basis_size;
    *s =
        (session){.n = n, .count = count, .basis_size = basis_size, .large_size = large, .info = 1};
    const olo_array arrays[] = {{&s->resid, length},
                                {&s->basis, length * vectors},
                                {&s->work, 3 * length},
                                {&s->large, large},
                                {&s->extra, 3 * vectors}};
    s->select = olo_pool_alloc(&s->pool, vectors, sizeof *s->select);
    if (!s->select || !olo_pool_arrays(&s->pool, arrays, sizeof arrays / sizeof *arrays))
        return false;
    memcpy(s->resid, initial, (size_t)n * sizeof *initial);
    s->param[0] = 1; /* exact shifts */
    s->param[2] = restarts;
    return true;
}

static olo_status judge(const session *s, olo_error *error)
{
    if (s->info == 0)
        return OLO_OK;
    return olo_fail(error, OLO_NOT_CONVERGED,
                    s->info == 1 ? "%d eigenvalues were not found; request fewer (ARPACK %d)"
                                 : "the iteration for %d eigenvalues failed (ARPACK %d)",
                    s->count, s->info);
}

/* S = solve(mass(.)) where ido requests it; the product with the mass may be in the third
 * vector. */
static void iterate_symmetric(session *s, olo_linear_map *solve, olo_linear_map *mass,
                              void *context)
{
    int ido = 0;
    s->param[6] = 3;
    for (;;) {
        dsaupd_c(&ido, "G", s->n, "LA", s->count, tolerance, s->resid, s->basis_size, s->basis,
                 s->n, s->param, s->offset, s->work, s->large, (int)s->large_size, &s->info);
        double *x = s->work + s->offset[0] - 1, *y = s->work + s->offset[1] - 1;
        if (ido == -1) {
            mass(context, x, y);
            memcpy(x, y, (size_t)s->n * sizeof *x);
            solve(context, x, y);
        } else if (ido == 1) {
            solve(context, s->work + s->offset[2] - 1, y);
        } else if (ido == 2) {
            mass(context, x, y);
        } else {
            return;
        }
    }
}

olo_status olo_arnoldi_symmetric(int n, int count, int basis_size, const double *initial,
                                 olo_linear_map *solve, olo_linear_map *mass, void *context,
                                 double *values, double *vectors, olo_error *error)
{
    session s;
    olo_status status = OLO_OK;
    size_t large = (size_t)basis_size * ((size_t)basis_size + 8);
    if (!open_session(&s, n, count, basis_size, initial, large)) {
        olo_pool_free(&s.pool);
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for %d eigenvalues", count);
    }
    pthread_mutex_lock(&lock);
    iterate_symmetric(&s, solve, mass, context);
    status = judge(&s, error);
    if (status == OLO_OK) {
        dseupd_c(1, "A", s.select, values, vectors, n, 0.0, "G", n, "LA", count, tolerance, s.resid,
                 basis_size, s.basis, n, s.param, s.offset, s.work, s.large, (int)large, &s.info);
        status = judge(&s, error);
    }
    pthread_mutex_unlock(&lock);
    olo_pool_free(&s.pool);
    return status;
}

static void iterate_general(session *s, olo_linear_map *product, void *context)
{
    int ido = 0;
    s->param[6] = 1;
    do {
        dnaupd_c(&ido, "I", s->n, "LM", s->count, tolerance, s->resid, s->basis_size, s->basis,
                 s->n, s->param, s->offset, s->work, s->large, (int)s->large_size, &s->info);
        if (ido == -1 || ido == 1)
            product(context, s->work + s->offset[0] - 1, s->work + s->offset[1] - 1);
    } while (ido == -1 || ido == 1);
}

olo_status olo_arnoldi_general(int n, int count, int basis_size, const double *initial,
                               olo_linear_map *product, void *context, double *re, double *im,
                               double *vectors, int *found, olo_error *error)
{
    session s;
    olo_status status = OLO_OK;
    size_t large = 3 * (size_t)basis_size * ((size_t)basis_size + 2);
    *found = 0;
    if (!open_session(&s, n, count, basis_size, initial, large)) {
        olo_pool_free(&s.pool);
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for %d eigenvalues", count);
    }
    pthread_mutex_lock(&lock);
    iterate_general(&s, product, context);
    status = judge(&s, error);
    if (status == OLO_OK) {
        dneupd_c(1, "A", s.select, re, im, vectors, n, 0.0, 0.0, s.extra, "I", n, "LM", count,
                 tolerance, s.resid, basis_size, s.basis, n, s.param, s.offset, s.work, s.large,
                 (int)large, &s.info);
        status = judge(&s, error);
        *found = s.param[4];
    }
    pthread_mutex_unlock(&lock);
    olo_pool_free(&s.pool);
    return status;
}
