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
 * This file has what contacts see of the equations: their rows, and the responses of the linearised
 * equations to their impulses. A form of the equations, a table of functions, has the unknowns and
 * solves: with all multipliers (smooth_multipliers.c), or without those of the joints of a tree
 * (stepping/contact_reduced.c). Which impulses act is decided in smooth_newton.c. */
#ifndef OLO_CONTACT_SMOOTH_H
#define OLO_CONTACT_SMOOTH_H

#include "base/pool.h"
#include "system/system.h"

/* Rows of a contact: 0 is the gap, then sliding velocities. */
enum { OLO_CONTACT_ROWS_MAX = 1 + OLO_SLIDING_MAX };

/* The impulses of a contact over a step, per row. */
typedef struct olo_contact_impulse {
    double lambda[OLO_CONTACT_ROWS_MAX], kappa[OLO_CONTACT_ROWS_MAX];
} olo_contact_impulse;

/* An unknown impulse: lambda, or kappa of a pair. */
typedef struct olo_contact_unknown {
    int contact, row;
    bool pair;
} olo_contact_unknown;

/* A contact row over the step, at the current iterate. */
typedef struct olo_row_over {
    double *d, *a;    /* [size] */
    double *end;      /* [size] derivative of s = d.dq with respect to q1 */
    double *gradient; /* [size] at q1 */
    double *rate_by;  /* [size] derivative of the rate at q1 with respect to q1 */
    double s;         /* d.dq: change of the gap, sliding distance */
    double rate;      /* W(q1) v1 */
} olo_row_over;

typedef struct olo_smooth olo_smooth;

/* A form of the equations. The linearised ones are solved for updates (dq, v1) of the iterate. */
typedef struct olo_smooth_form {
    double contraction; /* updates become smaller at least by this factor, apart from rounding */
    /* The first iterate: velocities v0, no impulses. */
    void (*begin)(olo_smooth *x);
    /* v1 of the iterate, if it is computed from q1 and kappa; the size of its correction since the
     * last call, as `update` measures it. Responses of v1 are then those at given q1: so rows of
     * redundant pairs remain redundant to round-off. NULL: v1 is an unknown. */
    double (*find_velocities)(olo_smooth *x);
    /* Evaluates and factors the equations at the iterate and its impulses. */
    olo_status (*linearise)(olo_smooth *x, olo_error *error);
    /* The update of the iterate without a change of impulses, or per unit of one of them, in
     * x->response, at least at the coordinates of contact rows. */
    void (*respond)(olo_smooth *x, const olo_contact_unknown *to);
    /* Updates the iterate with these changes of impulses, which x->impulse already has; the size of
     * the update, relative to that of the solution: at most 1 if the iterate is a solution. */
    double (*update)(olo_smooth *x, int count, const olo_contact_unknown *of, const double *change);
    /* The iterate is the solution and becomes a part of a step. May be NULL. */
    void (*accept)(olo_smooth *x);
} olo_smooth_form;

struct olo_smooth {
    olo_pool pool;
    const olo_system *system;
    const olo_smooth_form *form;
    void *data; /* of the form */
    int row_count;
    const int *row; /* the constraint rows that have multipliers */
    bool *active;   /* [contacts] the contact may have impulses */
    bool published; /* see the header of this file */
    double t, h;
    const double *q0, *v0, *angles, *inputs, *remainder;
    /* the iterate, memory of the form */
    double *dq, *v1, *qm, *q1; /* [n] */
    double *Gamma, *Lambda;    /* [row_count]; in the reduced form those of accepted parts */
    /* contacts */
    olo_contact_impulse *impulse; /* [contacts] */
    olo_row_over *over;           /* [contacts x OLO_CONTACT_ROWS_MAX] */
    double
        ratio; /* at least so much of an update is left after it: 0 if convergence is quadratic */
    const double *response; /* [2 n] update of dq, then of v1; memory of the form */
    double *spare;          /* [OLO_FORM_SIZE_MAX] work */
};

/* Sizes of updates are relative to these: the largest one of a solution, relative to the motion,
 * and the rounding of a coordinate, relative to its unit. */
#define OLO_SMOOTH_ACCURATE 1e-12
#define OLO_SMOOTH_ROUNDING 4e-15

/* The form and its data are set by the caller. */
olo_status olo_smooth_create(olo_smooth *x, const olo_system *system, int row_count, const int *row,
                             olo_error *error);
void olo_smooth_free(olo_smooth *x);

/* The number of rows of these contacts; of all, or as many as workspaces have memory for at first.
 */
int olo_contact_row_count(const olo_system *system, const bool *active);
int olo_contact_rows_at_first(const olo_system *system);

/* The first iterate, without impulses. */
void olo_smooth_begin(olo_smooth *x);
/* Rows of active contacts at the iterate: d, its derivative and s; the others, which need v1. */
void olo_smooth_find_distances(olo_smooth *x);
void olo_smooth_find_rates(olo_smooth *x);
/* A row of the equations of a contact times the response: the derivative of s, or of the rate at
 * the end. */
double olo_smooth_row(const olo_smooth *x, int contact, int row, bool pair);

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
/* Whether sliding velocities are those at q0. */
static inline bool olo_smooth_at_start(const olo_smooth *x, const olo_constraint *row)
{
    return x->published && row->type->velocity;
}

/* The form with all multipliers: unknowns dq, v1, Gamma, Lambda. Sets form and data. */
olo_status olo_smooth_use_multipliers(olo_smooth *x, olo_error *error);
void olo_smooth_free_multipliers(olo_smooth *x);

#endif
