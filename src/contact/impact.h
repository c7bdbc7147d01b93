/* Impacts: velocity jumps at a fixed configuration with Newton's law in inclusion form,
 *
 *     gamma_N' + e gamma_N in N(-Lambda_N),   gamma_T' + e_T gamma_T in N_C(mu
 * Lambda_N)(-Lambda_T),
 *
 * and the settling impulse at the end of a step, which takes the velocities of sticking contacts to
 * zero.
 *
 * Newton's law can raise the energy if coefficients of restitution differ, also those of one
 * contact with friction. The guard then takes Lambda_0 + s (Lambda - Lambda_0), with Lambda_0 for e
 * = e_T = 0 and the largest s in [0, 1] at which energy does not rise. Both are in the convex cones
 * of friction, so that this one is, too. Coefficients that differ can also leave the law without a
 * solution: a body in a hinge that friction jams cannot separate with e > 0. Then s = 0. */
#ifndef OLO_CONTACT_IMPACT_H
#define OLO_CONTACT_IMPACT_H

#include "contact/frozen.h"
#include "contact/inclusion.h"
#include "contact/smooth_newton.h"

/* Velocities below this are zero, relative to the largest velocity, or absolute below 1. */
#define OLO_CONTACT_ZERO 1e-11

/* What a jump did. */
typedef struct olo_jump {
    double energy;   /* change of kinetic energy, not positive */
    double friction; /* of it: by settling against sliding velocities */
    double guard;    /* s; 1 if the guard was not needed */
    double residual; /* error of the rates of contacts, relative to the largest velocity */
    bool happened;
    bool converged;
} olo_jump;

/* What a contact did in a step. */
typedef struct olo_contact_account {
    double lambda[OLO_CONTACT_ROWS_MAX]; /* impulses of impacts, forces and settling together */
    double impact, friction;             /* change of energy, not positive */
    double impulse;                      /* normal impulse of impacts */
    bool guarded;                        /* the guard reduced the impulses of an impact */
} olo_contact_account;

/* How impacts are solved. */
typedef struct olo_impact_law {
    bool none;  /* no jumps: only the Delassus entries are computed */
    bool guard; /* energy does not rise */
} olo_impact_law;

typedef struct olo_impact {
    olo_pool pool; /* of the problem */
    int capacity;  /* contact rows for which there is memory */
    olo_frozen frozen;
    int count;          /* contact rows of the problem ... */
    int *contact, *row; /* ... which contact, which row of it */
    int block_count;
    olo_force_block *blocks;
    double *D, *c, *rate, *Lambda, *Lambda_0, *work;
    int *integers;
} olo_impact;

olo_status olo_impact_create(olo_impact *x, const olo_system *system, int row_count, const int *row,
                             olo_error *error);
void olo_impact_free(olo_impact *x);
/* Memory for the rows of these contacts. The following functions need it; olo_impact_solve has it
 * done. */
olo_status olo_impact_reserve(olo_impact *x, const bool *active, olo_error *error);

/* The largest velocity, and the bound below which velocities are zero. */
double olo_contact_zero(const olo_system *system, const double *v);

/* The impact of the contacts in `active` at a configuration: v becomes the velocity after it. Adds
 * impulses and energies to `account` [contacts] and the impulses of bilateral rows to `rows`. `D`
 * gets the largest entries of the Delassus matrix of each contact, normal and sliding, [contacts x
 * 2]. */
olo_status olo_impact_solve(olo_impact *x, const olo_at *at, const bool *active,
                            const olo_impact_law *law, double *v, olo_contact_account *account,
                            double *rows, double *D, olo_jump *jump, olo_error *error);

/* Contact forces over a time and impacts in one jump, at the configuration for which x->frozen has
 * been begun: v_start is the velocity at the start of the step, v that after the forces. */
void olo_impact_with_forces(olo_impact *x, const olo_at *at, double duration, const bool *active,
                            const double *v_start, double *v, olo_contact_account *account,
                            double *rows, olo_jump *jump);

/* The settling impulse: `step` are the modes and impulses of the smooth part, whose friction forces
 * and settling impulses together stay in their sets. There is none if it was not found and the one
 * that was found adds energy. */
olo_status olo_impact_settle(olo_impact *x, const olo_at *at, const olo_smooth_newton *step,
                             double *v, olo_contact_account *account, double *rows, olo_jump *jump,
                             olo_error *error);

#endif
