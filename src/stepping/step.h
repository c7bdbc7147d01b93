/* The numbers of one step, shared by scheme and treatment.
 *
 * A scheme evaluates the balance T of the unreduced equations and hands the pieces of its tangent to a sink;
 * a treatment (reduced, multipliers, ...) decides what the unknowns are, turns the pieces into its matrix
 * and solves. Neither knows what a body or a joint is.
 */
#ifndef OLO_STEPPING_STEP_H
#define OLO_STEPPING_STEP_H

#include "kinematics/tree.h"
#include "oloid/simulate.h"
#include "system/system.h"

typedef struct olo_step {
    const olo_system *system;
    const olo_state *state; /* the start; not changed */
    double h;
    bool closed;  /* joints are to be closed in every iterate, not only in the end */
    olo_motion x;     /* q0 of the state, dq, qm, q1, motion, u */
    double *T;        /* [n] balance */
    double *Mv0;      /* [n] */
    double *constant; /* [n] gradient of the terms that are linear in q */
    double *r, *K;    /* local workspace */
    double scale;     /* size of what cancels in T, for round-off */
} olo_step;

/* Pieces: the parts of a system with local coordinates. Terms first, then actions, then constraint rows. */
int olo_pieces(const olo_system *system);
int olo_piece_size(const olo_system *system, int piece);
const int *olo_piece_index(const olo_system *system, int piece);
static inline int olo_piece_of_action(const olo_system *system, int i)
{
    return system->term_count + i;
}
static inline int olo_piece_of_constraint(const olo_system *system, int i)
{
    return system->term_count + system->action_count + i;
}
/* Does the piece ever contribute to the tangent? */
bool olo_piece_has_tangent(const olo_system *system, int piece);

/* Where a scheme puts the tangent dT/dq1. */
typedef struct olo_sink {
    void *context;
    void (*mass)(void *context, double factor);                              /* += factor M */
    void (*local)(void *context, int piece, double factor, const double *K); /* += factor K */
} olo_sink;

/* A scheme: the balance over a step and its derivative. */
typedef struct olo_scheme {
    const char *name;
    int order;
    /* Before the iteration of a step. */
    void (*begin)(olo_step *step);
    /* T from step->x; the tangent goes to the sink unless it is NULL. */
    void (*balance)(olo_step *step, const olo_sink *sink);
    /* A multiplier's share in T is factor * lambda * gradient of the constraint at the midpoint. */
    double (*multiplier_factor)(const olo_step *step);
    /* The new state from dq: q, v, work, dissipation, time. */
    void (*finish)(const olo_step *step, olo_state *state);
} olo_scheme;

extern const olo_scheme olo_scheme_energy_momentum;
const olo_scheme *olo_scheme_find(const char *name);

/* What one Newton iteration did, in scaled units (lengths over the model's length, angles). */
typedef struct olo_newton {
    double increment; /* size of the update */
    double size;      /* size of the whole increment of the step */
    double residual;  /* of the reduced balance over what cancels in it */
    double turn;      /* largest Cayley vector */
    int worst;        /* node with the largest update */
} olo_newton;

/* A treatment of constraints. */
typedef struct olo_treatment {
    const char *name;
    olo_status (*create)(const olo_system *system, const olo_scheme *scheme, olo_step *step,
                         void **data, olo_error *error);
    void (*free)(void *data);
    int (*unknowns)(const void *data);
    /* Start values: the state's last motion times `scale`. */
    void (*predict)(void *data, olo_step *step, double scale);
    /* One iteration; afterwards step->x belongs to the updated unknowns. */
    olo_status (*iterate)(void *data, olo_step *step, olo_newton *newton, olo_error *error);
    /* After convergence: motion and multipliers of the new state. */
    void (*finish)(void *data, olo_step *step, olo_state *state);
    /* With the new q: takes back round-off. May be NULL. */
    void (*settle)(void *data, olo_step *step, olo_state *state);
} olo_treatment;

extern const olo_treatment olo_treatment_reduced, olo_treatment_multipliers;
const olo_treatment *olo_treatment_find(const char *name);

/* The stepper: one of each. */
struct olo_stepper {
    const olo_system *system;
    const olo_scheme *scheme;
    const olo_treatment *treatment;
    void *data;
    olo_step step;
    double *numbers; /* memory behind step */
    olo_state *backup;
    double tolerance;
    int iterations, halvings;
    bool quadratic; /* Newton has the whole tangent */
    olo_step_report report;
    double history[64]; /* scaled increments of the last attempt */
    int history_count;
    int worst;
};

/* The spanning tree of the reduced treatment. */
const olo_tree *olo_reduced_tree(const void *data);

#endif
