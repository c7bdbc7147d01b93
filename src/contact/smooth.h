/* The smooth part of a step with contacts, from (q0, v0) after an impact to (q1, v1), with
 * velocities that satisfy their constraints:
 *
 *     M dq        = h/2 M (v0 + v1) + G^T Gamma + W^T kappa                                  (1)
 *     M (v1 - v0) = -h dV + h F - G^T Lambda - a_G^T Gamma + W^T lambda - a_W^T kappa         (2)
 *     g(q1) = 0,     G(q1) v1 = 0                                                            (3, 4)
 *
 * G, W: discrete gradients of the constraint rows and of the contact rows; a: their lifts
 * (row_lift.h). Gamma, Lambda, kappa and lambda are impulses; kappa belongs to contacts that stay
 * closed (position and velocity row, a pair).
 *
 * In the published variants (Moeller 2011, 5.107) a mass that depends on coordinates is M(q0), and
 * (2) has G(q0, v0) dq + h dT/dq on its left side, the discrete gradient of 1/2 v1.M(q) v1 (5.58).
 * G in (1) is the gradient at q0, a_G is the one of v1 at both ends, and sliding velocities are
 * those at q0; normal directions are discrete gradients.
 *
 * This file evaluates the equations at given contact impulses and solves with their matrix. Which
 * impulses act is decided in smooth_newton.c. */
#ifndef OLO_CONTACT_SMOOTH_H
#define OLO_CONTACT_SMOOTH_H

#include "base/pool.h"
#include "linalg/sparse.h"
#include "system/system.h"

/* Rows of a contact: 0 is the gap, then sliding velocities. */
enum { OLO_CONTACT_ROWS_MAX = 1 + OLO_SLIDING_MAX };

/* The impulses of a contact over a step, per row. */
typedef struct olo_contact_impulse {
    double lambda[OLO_CONTACT_ROWS_MAX], kappa[OLO_CONTACT_ROWS_MAX];
} olo_contact_impulse;

/* A contact row over the step, at the current iterate. */
typedef struct olo_row_over {
    double *d, *a;    /* [size] */
    double *end;      /* [size] derivative of s = d.dq with respect to q1 */
    double *gradient; /* [size] at q1 */
    double *rate_by;  /* [size] derivative of the rate at q1 with respect to q1 */
    double s;         /* d.dq: change of the gap, sliding distance */
    double rate;      /* W(q1) v1 */
} olo_row_over;

typedef struct olo_smooth {
    olo_pool pool;
    const olo_system *system;
    int row_count;
    const int *row; /* independent rows among the constraints */
    int size;       /* 2 n + 2 row_count unknowns: dq, v1, Gamma, Lambda */
    bool *active;   /* [contacts] the contact may have impulses */
    bool published; /* see the header of this file */
    double t, h;
    const double *q0, *v0, *angles, *inputs, *remainder;
    double *unknown;                  /* [size] */
    double *dq, *v1, *Gamma, *Lambda; /* parts of it */
    double *qm, *q1;
    olo_contact_impulse *impulse; /* [contacts] */
    olo_row_over *over;           /* [contacts x OLO_CONTACT_ROWS_MAX] */
    double *residual;             /* [size] */
    double *v_mean;               /* [n] work */
    double *spare, *local;        /* work */
    int entries, next;
    int *at_row, *at_column;
    olo_sparse *K;
} olo_smooth;

olo_status olo_smooth_create(olo_smooth *x, const olo_system *system, int row_count, const int *row,
                             olo_error *error);
void olo_smooth_free(olo_smooth *x);

/* The first iterate: dq = h v0, v1 = v0, no impulses. */
void olo_smooth_begin(olo_smooth *x);
/* qm and q1 from dq; the rows of active contacts; residual and matrix. */
void olo_smooth_evaluate(olo_smooth *x);
/* Factors the matrix. */
olo_status olo_smooth_factor(olo_smooth *x, olo_error *error);
/* y[size] <- K^-1 y */
void olo_smooth_solve(olo_smooth *x, double *y);
/* y = the column of an impulse: the derivative of the residual with respect to it. */
void olo_smooth_column(const olo_smooth *x, int contact, int row, bool pair, double *y);
/* A row of the equations of a contact times an update y of all unknowns: the derivative of s, or of
 * the rate at the end. */
double olo_smooth_row(const olo_smooth *x, int contact, int row, bool pair, const double *y);

static inline olo_row_over *olo_smooth_over(const olo_smooth *x, int contact, int row)
{
    return &x->over[contact * OLO_CONTACT_ROWS_MAX + row];
}
static inline olo_interval olo_smooth_interval(const olo_smooth *x)
{
    return (olo_interval){.q0 = x->q0,
                          .q1 = x->q1,
                          .qm = x->qm,
                          .dq = x->dq,
                          .h = x->h,
                          .angles = x->angles,
                          .t = x->t,
                          .inputs = x->inputs,
                          .remainder = x->remainder};
}

#endif
