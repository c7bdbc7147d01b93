/* The inertia of a sparse symmetric matrix; see the header. */
#include "control/inertia.h"

#include <string.h>

#include "base/fail.h"
#include "base/memory.h"

#ifndef OLO_MUMPS

olo_status olo_inertia(int n, const olo_positions *positions, const double *values, int *negative,
                       int *zero, olo_error *error)
{
    (void)n, (void)positions, (void)values, (void)negative, (void)zero;
    return olo_fail(error, OLO_UNSUPPORTED,
                    "Oloid was built without MUMPS, which the inertia of an optimum needs: install "
                    "it (Debian: libmumps-seq-dev) and build again");
}

#else

#include <dmumps_c.h>

/* MUMPS counts from 1, as its manual does. */
#define ICNTL(i) icntl[(i)-1]
#define INFOG(i) infog[(i)-1]

enum { INITIALISE = -1, ANALYSE_AND_FACTOR = 4, TERMINATE = -2, WORLD = -987654 };
enum { TOO_SMALL = -9, TOO_SMALL_INDICES = -8 }; /* workspaces */

static olo_status factor(DMUMPS_STRUC_C *m, int *negative, int *zero, olo_error *error)
{
    m->ICNTL(1) = m->ICNTL(2) = m->ICNTL(3) = -1; /* no output */
    m->ICNTL(4) = 0;
    m->ICNTL(24) = 1; /* zero pivots are found */
    m->job = ANALYSE_AND_FACTOR;
    /* memory for pivots, in percent, more if it was too little */
    for (m->ICNTL(14) = 100; m->ICNTL(14) <= 100000; m->ICNTL(14) *= 10) {
        dmumps_c(m);
        if (m->INFOG(1) != TOO_SMALL && m->INFOG(1) != TOO_SMALL_INDICES)
            break;
    }
    if (m->INFOG(1) < 0)
        return olo_fail(error, OLO_SINGULAR, "the inertia of an optimum was not found (MUMPS: %d)",
                        m->INFOG(1));
    *negative = m->INFOG(12);
    *zero = m->INFOG(28);
    return OLO_OK;
}

olo_status olo_inertia(int n, const olo_positions *positions, const double *values, int *negative,
                       int *zero, olo_error *error)
{
    const size_t count = (size_t)positions->count;
    DMUMPS_STRUC_C m = {.comm_fortran = WORLD, .par = 1, .sym = 2, .job = INITIALISE};
    int *row = olo_copy(positions->row, count, sizeof *row),
        *column = olo_copy(positions->column, count, sizeof *column);
    double *a = olo_copy(values, count, sizeof *a);
    olo_status status = OLO_OK;
    if (!row || !column || !a)
        status = olo_fail(error, OLO_NO_MEMORY, "out of memory for the inertia of an optimum");
    for (size_t i = 0; status == OLO_OK && i < count; i++) {
        row[i]++;
        column[i]++;
    }
    if (status == OLO_OK) {
        dmumps_c(&m);
        m.n = n;
        m.nz = positions->count;
        m.irn = row;
        m.jcn = column;
        m.a = a;
        status = factor(&m, negative, zero, error);
        m.job = TERMINATE;
        dmumps_c(&m);
    }
    olo_free(row);
    olo_free(column);
    olo_free(a);
    return status;
}

#endif
