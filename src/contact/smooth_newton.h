/* Which contact impulses act over the smooth part of a step, and their values (smooth.h). For a
 * contact that may act, with the change s_N of its gap and the sliding distances s_T:
 *
 *     open       lambda = kappa = 0,  s_N >= 0
 *     closed     s_N = 0,  lambda_N >= 0;        pair: rate of the gap at the end = 0
 *       stick    s_T = 0,  -lambda_T inside its set;  pair: sliding velocity at the end = 0
 *       slip     -lambda_T = prox(-lambda_T + r s_T),  kappa_T = 0
 *
 * A pair is used where the rates vanish at the start of the step; then it does no work. */
#ifndef OLO_CONTACT_SMOOTH_NEWTON_H
#define OLO_CONTACT_SMOOTH_NEWTON_H

#include "contact/inclusion.h"
#include "contact/smooth.h"

typedef enum olo_contact_status {
    OLO_CONTACT_OPEN,
    OLO_CONTACT_SLIDING,
    OLO_CONTACT_STICKING
} olo_contact_status;

/* One contact in the smooth part. */
typedef struct olo_contact_mode {
    olo_contact_status status;      /* first guess, then the solution */
    bool normal_pair, sliding_pair; /* the pair is used while it is closed, while it sticks */
    double r[2];                    /* step of the proximal point, normal and sliding */
} olo_contact_mode;

typedef struct olo_smooth_newton {
    olo_pool pool;
    olo_pool unknowns; /* memory of the arrays below that have `capacity` */
    olo_smooth smooth;
    olo_contact_mode *mode; /* [contacts] */
    int capacity, count;
    olo_contact_unknown *unknown; /* [capacity] */
    double *R, *R_0;     /* [count x count] contact rows times responses; without impulses */
    double *A, *b, *old; /* dense system of the impulses */
    double *work;
    int *integers;
    olo_force_block *blocks;  /* of the inclusion without pairs */
    double size, size_before; /* of the last updates, relative to that of a solution */
    double smallest;          /* of all updates ... */
    int stalled;              /* ... and how many followed that are not smaller */
    /* what the last solution took */
    int iterations;
    bool fallback;   /* states were found without pairs ... */
    bool pairs_lost; /* ... and the pairs could not be added */
} olo_smooth_newton;

/* The form of x->smooth is set afterwards. */
olo_status olo_smooth_newton_create(olo_smooth_newton *x, const olo_system *system, int row_count,
                                    const int *row, olo_error *error);
void olo_smooth_newton_free(olo_smooth_newton *x);

/* Solves the smooth part; x->smooth has its start (q0, v0, t, h, active), x->mode its pairs, r and
 * a first guess of the status. Fails if the iteration does not converge. */
olo_status olo_smooth_newton_solve(olo_smooth_newton *x, olo_error *error);

#endif
