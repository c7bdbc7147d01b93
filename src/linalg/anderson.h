/* Anderson's acceleration of a fixed-point iteration x <- g(x) (Anderson 1965; Walker and Ni 2011).
 * With f = g(x) - x, and the differences of f and g over the last iterations as columns of F and G,
 *
 *     x <- g - G theta,   theta = argmin |f - F theta|.
 *
 * For linear g this is nearly GMRES. */
#ifndef OLO_LINALG_ANDERSON_H
#define OLO_LINALG_ANDERSON_H

#include <stdbool.h>

#include "base/pool.h"

enum { OLO_ANDERSON_DEPTH = 4 };

typedef struct olo_anderson {
    int size;
    int count;      /* values of g since the start */
    double *x;      /* [size] the argument of the next g */
    double *f, *g;  /* [size] of the last iteration */
    double *F, *G;  /* [depth x size] differences, the newest of iteration k in row k % depth */
    double *Q;      /* [depth x size] workspace */
    double *weight; /* [size] of the norm */
} olo_anderson;

/* Arrays from a pool; all weights are to be set by the caller. False: no memory. */
bool olo_anderson_create(olo_anderson *a, int size, olo_pool *pool);
void olo_anderson_restart(olo_anderson *a);
/* Replaces g(x) by the next x if `mixed`, else x = g. The first one after a restart is left as it
 * is. */
void olo_anderson_next(olo_anderson *a, bool mixed, double *g);

#endif
