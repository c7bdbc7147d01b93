/* Steps with contacts. A step is self-contained: it reads a configuration and velocities and writes
 * new ones, and knows no state.
 *
 * Consistent steps (consistent.c):
 *
 *     1  impact at q0 of the contacts whose gap is closed                            (impact.h)
 *     2  smooth part (q0, vC) -> (q1, v1) with contact forces                        (smooth.h)
 *     3  settling impulse at q1                                                      (impact.h)
 *     4  if a gap that was open at q0 is negative at q1: the part of the step up to the first gap
 *        = 0 is made instead, that contact is closed from then on, and the rest follows
 *
 * The symmetric variant has all of them, with forces at the mean. Energy never rises, at any step
 * size; with restitution 1 and no friction it is constant. Constraints hold in positions and
 * velocities; gaps of closed contacts do not decrease; momenta that contacts do not change are
 * conserved. The published variants (Moeller 2011) evaluate forces elsewhere: two steps (1
 * and 2), or one (2, for restitution 1).
 *
 * Moreau's midpoint rule (moreau.c) has constraints and contacts on velocities alone. */
#ifndef OLO_CONTACT_CONTACT_STEP_H
#define OLO_CONTACT_CONTACT_STEP_H

#include "contact/impact.h"

typedef struct olo_contact_step olo_contact_step;

/* Which step is made. */
typedef struct olo_contact_options {
    /* Makes a step of length h. q, v and t are unchanged on failure. */
    olo_status (*make)(olo_contact_step *x, double h, olo_error *error);
    bool located;       /* part 4; otherwise the next step meets the penetration */
    bool pairs;         /* position and velocity row of contacts that stay closed; part 3 */
    bool published;     /* forces are evaluated as published (smooth.h) */
    bool elastic;       /* only restitution 1 without friction */
    bool varying_mass;  /* the mass may depend on coordinates */
    bool reduced;       /* constraints hold in positions: the step has a reduced form */
    double closed_gap;  /* gaps up to this are closed, relative to their unit */
    olo_impact_law law; /* of part 1 */
} olo_contact_options;
olo_status olo_contact_make_consistent(olo_contact_step *x, double h, olo_error *error);
olo_status olo_contact_make_moreau(olo_contact_step *x, double h, olo_error *error);

/* The form of the equations: which constraint rows have multipliers, and how they are solved. */
typedef struct olo_contact_form {
    int row_count;
    const int *row;
    const olo_smooth_form *smooth; /* NULL: with multipliers of all these rows */
    const olo_frozen_form *frozen;
    void *data;
    /* Corrects the rounding of a configuration that a smooth part has reached. May be NULL. */
    void (*settle)(void *data, double *q, double *remainder);
} olo_contact_form;

/* What a step did, summed over its parts. */
typedef struct olo_contact_report {
    double impact;      /* energy lost in impacts and in settling along normals */
    double friction;    /* energy lost in friction and in settling against it */
    double penetration; /* largest negative gap at the end, as a positive number */
    double residual;    /* largest error of a jump (impact.h) */
    double guard;       /* smallest factor of the energy guard; 1: not needed */
    int closed;         /* contacts that are closed at the end */
    int impacts;        /* jumps with an approaching contact */
    int parts;          /* parts of the step */
    int iterations;
} olo_contact_report;

/* A step in progress. */
struct olo_contact_step {
    olo_pool pool;
    const olo_system *system;
    olo_contact_options options;
    /* set by the caller */
    double *q, *q_remainder, *v; /* [n] the start, and after the step its end */
    double t;
    const double *angles, *inputs;
    /* after every smooth part, and after every jump at q with impulses `rows`; NULL: none */
    void (*observe)(void *context, const olo_smooth *part);
    void (*observe_jump)(void *context, const double *q, const double *rows);
    void *context;
    /* results */
    olo_contact_report report;
    olo_contact_account *account; /* [contacts] */
    double *lambda;               /* [constraints] impulses of bilateral rows; force -G^T lambda */
    double *row_work;             /* [constraints] work of rows with a prescribed motion */
    /* work */
    olo_smooth_newton newton;
    olo_impact impact;
    olo_contact_form form;
    int *row;  /* those of the form */
    bool *met; /* [contacts] met in this step: closed until its end */
    double *q_begin, *r_begin, *v_begin;
    double *D;             /* [contacts x 2] */
    double *rows;          /* [row_count] impulses of bilateral rows in a jump */
    double *force, *local; /* [n], and of a piece */
};

/* The rows of the form are copied; its data must live as long as the step. */
olo_status olo_contact_step_create(olo_contact_step *x, const olo_system *system,
                                   const olo_contact_form *form, const olo_contact_options *options,
                                   olo_error *error);
void olo_contact_step_free(olo_contact_step *x);

/* The gap of a contact, zero of a law that always acts, infinite if it is switched off; and
 * relative to its unit. */
double olo_contact_gap(const olo_contact_step *x, int contact, const double *q, double t);
double olo_contact_relative_gap(const olo_contact_step *x, int contact, const double *q, double t);
/* Before the first part of a step, after the last. */
void olo_contact_step_begin(olo_contact_step *x);
void olo_contact_step_finish(olo_contact_step *x);
/* Adds an increment to the configuration, with its remainder. */
void olo_contact_step_move(olo_contact_step *x, const double *dq);
/* Adds what a jump at q did to the report, and the impulses of bilateral rows. */
void olo_contact_step_report(olo_contact_step *x, const double *q, const olo_jump *jump);
/* The start of the step again, after a failure. */
void olo_contact_step_restore(olo_contact_step *x, double t);

#endif
