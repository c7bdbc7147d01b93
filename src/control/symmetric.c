/* Sparse symmetric matrices; see the header. */
#include "control/symmetric.h"

#include <stdbool.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "linalg/dense.h"

#ifndef OLO_MUMPS

olo_status olo_symmetric_create(int n, const olo_positions *positions, olo_symmetric **matrix,
                                olo_error *error)
{
    (void)n, (void)positions;
    *matrix = NULL;
    return olo_fail(error, OLO_UNSUPPORTED,
                    "Oloid was built without MUMPS, which the inertia of an optimum needs: install "
                    "it (Debian: libmumps-seq-dev) and build again");
}

void olo_symmetric_free(olo_symmetric *matrix)
{
    (void)matrix;
}

olo_status olo_symmetric_factor(olo_symmetric *matrix, const double *values, int *negative,
                                int *zero, olo_error *error)
{
    (void)matrix, (void)values, (void)negative, (void)zero;
    return olo_fail(error, OLO_UNSUPPORTED, "Oloid was built without MUMPS");
}

olo_status olo_symmetric_solve(olo_symmetric *matrix, double *b, olo_error *error)
{
    (void)matrix, (void)b;
    return olo_fail(error, OLO_UNSUPPORTED, "Oloid was built without MUMPS");
}

#else

#include <dmumps_c.h>

/* MUMPS counts from 1, as its manual does. */
#define ICNTL(i) icntl[(i)-1]
#define INFOG(i) infog[(i)-1]

enum { INITIALISE = -1, TERMINATE = -2, ANALYSE = 1, FACTOR = 2, SOLVE = 3, WORLD = -987654 };
enum { TOO_SMALL = -9, TOO_SMALL_INDICES = -8 }; /* workspaces */
enum { NO_MEMORY = -13, NO_MEMORY_WITHIN = -7 };

struct olo_symmetric {
    DMUMPS_STRUC_C mumps;
    bool open, analysed;
    int *row, *column; /* counted from 1 */
    double *values;
};

static olo_status fail(const olo_symmetric *x, olo_error *error)
{
    if (x->mumps.INFOG(1) == NO_MEMORY || x->mumps.INFOG(1) == NO_MEMORY_WITHIN)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the inertia of an optimum");
    return olo_fail(error, OLO_SINGULAR, "the inertia of an optimum was not found (MUMPS: %d)",
                    x->mumps.INFOG(1));
}

static void call(olo_symmetric *x, int job)
{
    const int threads = olo_dense_set_threads(1);
    x->mumps.job = job;
    dmumps_c(&x->mumps);
    (void)olo_dense_set_threads(threads);
}

static void open_mumps(olo_symmetric *x, int n, int count)
{
    DMUMPS_STRUC_C *m = &x->mumps;
    *m = (DMUMPS_STRUC_C){.comm_fortran = WORLD, .par = 1, .sym = 2};
    call(x, INITIALISE);
    m->ICNTL(1) = m->ICNTL(2) = m->ICNTL(3) = -1; /* no output */
    m->ICNTL(4) = 0;
    m->ICNTL(24) = 1; /* zero pivots are found */
    m->n = n;
    m->nz = count;
    m->irn = x->row;
    m->jcn = x->column;
    m->a = x->values;
    x->open = true;
}

olo_status olo_symmetric_create(int n, const olo_positions *positions, olo_symmetric **matrix,
                                olo_error *error)
{
    const size_t count = (size_t)positions->count;
    olo_symmetric *x = olo_alloc(1, sizeof *x);
    *matrix = NULL;
    if (x) {
        x->row = olo_copy(positions->row, count, sizeof *x->row);
        x->column = olo_copy(positions->column, count, sizeof *x->column);
        x->values = olo_alloc(count, sizeof *x->values);
    }
    if (!x || !x->row || !x->column || !x->values) {
        olo_symmetric_free(x);
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for the inertia of an optimum");
    }
    for (size_t i = 0; i < count; i++) {
        x->row[i]++;
        x->column[i]++;
    }
    open_mumps(x, n, positions->count);
    *matrix = x;
    return OLO_OK;
}

void olo_symmetric_free(olo_symmetric *x)
{
    if (!x)
        return;
    if (x->open)
        call(x, TERMINATE);
    olo_free(x->row);
    olo_free(x->column);
    olo_free(x->values);
    olo_free(x);
}

olo_status olo_symmetric_factor(olo_symmetric *x, const double *values, int *negative, int *zero,
                                olo_error *error)
{
    DMUMPS_STRUC_C *m = &x->mumps;
    if (m->n == 0) { /* everything is at a bound */
        *negative = *zero = 0;
        return OLO_OK;
    }
    memcpy(x->values, values, (size_t)m->nz * sizeof *values);
    if (!x->analysed) {
        call(x, ANALYSE);
        if (m->INFOG(1) < 0)
            return fail(x, error);
        x->analysed = true;
    }
    /* memory for pivots, in percent, more if it was too little */
    for (m->ICNTL(14) = 100; m->ICNTL(14) <= 100000; m->ICNTL(14) *= 10) {
        call(x, FACTOR);
        if (m->INFOG(1) != TOO_SMALL && m->INFOG(1) != TOO_SMALL_INDICES)
            break;
    }
    if (m->INFOG(1) < 0)
        return fail(x, error);
    *negative = m->INFOG(12);
    *zero = m->INFOG(28);
    return OLO_OK;
}

olo_status olo_symmetric_solve(olo_symmetric *x, double *b, olo_error *error)
{
    x->mumps.rhs = b;
    call(x, SOLVE);
    return x->mumps.INFOG(1) < 0 ? fail(x, error) : OLO_OK;
}

#endif
