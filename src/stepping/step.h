/* The numbers of one step, shared by scheme and treatment.
 *
 * A scheme evaluates the balance T of the unreduced equations and hands the pieces of its tangent
 * to a sink; a treatment (reduced, multipliers, ...) decides what the unknowns are, turns the
 * pieces into its matrix and solves. Neither knows what a body or a joint is.
 */
#ifndef OLO_STEPPING_STEP_H
#define OLO_STEPPING_STEP_H

#include "kinematics/motion.h"
#include "oloid/simulate.h"
#include "stepping/composition.h"
#include "stepping/segments.h"
#include "system/interval.h"
#include "system/system.h"

/* Cayley vectors beyond this are on the way to the spurious root at a half turn. */
#define OLO_HALF_TURN 200.0

typedef struct olo_step {
    const olo_system *system;
    const olo_state *state;    /* the start; not changed during the iteration */
    double t, h;               /* start time and step */
    bool closed;               /* joints are to be closed in every iterate, not only in the end */
    bool from_momentum;        /* starts with the momentum Mv0, not with the velocity v0 */
    olo_evaluation evaluation; /* of the scheme */
    double weight;             /* in T the multipliers of the state act so many times */
    double *q0, *v0;           /* [n] the start, kept for what is asked after the step */
    olo_motion x;              /* q0, dq, qm, q1, motion, u, constants */
    double *T;                 /* [n] balance */
    double *Mv0;               /* [n] */
    double *q_end;             /* [n] configuration at the end, settled, ... */
    double *remainder_end;     /* [n] ... and what rounding left of it */
    double *v1;                /* [n] velocity at the end ... */
    bool pending;              /* ... unless it is left for later */
    double *momentum;          /* [n] at the end, where it has to be projected */
    double energy;             /* of the step by itself, where the scheme has one */
    bool concluded;            /* the treatment has found both with the solution */
    double *lambda_end;        /* [m] multipliers of the projection, forces over half a step */
    double *constant;          /* [n] gradient of the terms that are linear in q, ... */
    double constant_energy;    /* ... and their energy at q = 0 */
    int active_count;          /* terms that are not among the constant forces */
    int *active;
    const double *inputs; /* [actions] see olo_interval; NULL: none */
    double load;          /* factor of all loads, at rest: see statics/ */
    double *numbers;      /* memory behind all arrays but `active` */
    double *r, *K;        /* local workspace */
    double scale;         /* size of what cancels in T, for round-off */
    double start_scale;   /* the part of it that a step starts with */
} olo_step;

/* The step as kernels see it, and its end. */
static inline olo_interval olo_step_interval(const olo_step *step)
{
    return (olo_interval){.q0 = step->x.q0,
                          .q1 = step->x.q1,
                          .qm = step->x.qm,
                          .dq = step->x.dq,
                          .h = step->h,
                          .angles = step->state->angles,
                          .t = step->t,
                          .inputs = step->inputs,
                          .remainder = step->state->q_remainder};
}
static inline olo_at olo_step_start(const olo_step *step)
{
    return (olo_at){.q = step->x.q0, .angles = step->state->angles, .t = step->t};
}
static inline olo_at olo_step_end(const olo_step *step)
{
    return (olo_at){.q = step->x.q1, .angles = step->state->angles, .t = step->t + step->h};
}

/* The end of a step that is solved, as the next one will start. */
static inline olo_at olo_step_placed(const olo_step *step)
{
    return (olo_at){.q = step->q_end, .angles = step->state->angles, .t = step->t + step->h};
}

/* The multiplier of a row with which a step may start to iterate. */
static inline double olo_step_predicted_multiplier(const olo_step *step, int row)
{
    return step->weight * step->state->lambda[row];
}

/* The gradient d of a row with which its multiplier acts over the step: the discrete one, or that
 * at the start. True if it changes with q1, and then dd/dq1 is in `tangent` unless that is NULL. */
bool olo_step_row(const olo_step *step, const olo_constraint *row, double *d, double *tangent);

/* Memory for all numbers of a step that is zeroed, and the forces that are constant. To be freed
 * also on failure. */
olo_status olo_step_create(const olo_system *system, olo_step *step, olo_error *error);
void olo_step_free(olo_step *step);

/* |grad g|^2 of a constraint row at the model's start, directors in model lengths; positive. Over a
 * mass it has the units of the row's G M^-1 G^T, whatever the row is: rows are regularised relative
 * to it. */
double olo_row_weight(const olo_system *system, int row);
/* The size that a constraint row itself has: a length for supports, its square for rods, one for
 * directors. */
double olo_row_size(const olo_system *system, int row);
/* |g(q)| over the size of its parts, with the row's gradient at q: a row that holds is at
 * round-off. */
double olo_row_residual(const olo_system *system, int row, const double *gradient, double g,
                        const double *q);
/* What a row leaves at the end of the step, with d of olo_step_row at hand: with the discrete
 * gradient g(q1) = g(q0) + d.dq exactly, and so free of the rounding of q1. A g(q0) at the level of
 * rounding is noise: following it would put that noise over h into the velocities, so it is left
 * alone until it is more. */
double olo_row_remainder(const olo_step *step, int row, const double *d);
/* The largest of these at q1 over `count` rows, all of the first ones if `rows` is NULL; a solution
 * has none above OLO_ROW_OPEN. Overwrites step->r. */
#define OLO_ROW_OPEN 1e-11
double olo_rows_open(const olo_step *step, int count, const int *rows);
/* The largest mass of a node. */
double olo_heaviest(const olo_system *system);
/* What one of these rows that repeats no other has in G M^-1 G^T at least. */
double olo_least_compliance(const olo_system *system, int count, const int *rows);

/* Where a scheme puts the tangent dT/dq1. */
typedef struct olo_sink {
    void *context;
    void (*mass)(void *context, double factor);                              /* += factor M */
    void (*local)(void *context, int piece, double factor, const double *K); /* += factor K */
    /* += factor times the tangent of a term with `invariants`, whose stress and its derivative by
     * them, at q1 or at the midpoint, are given. NULL: such a term comes as a local matrix, too. */
    void (*stress)(void *context, int piece, double factor, const olo_law_over *law,
                   const double *at);
} olo_sink;

/* A scheme: the balance over a step and its derivative. */
typedef struct olo_scheme {
    const char *name;
    const char *conserves; /* of the laws of a model, in a sentence */
    int highest_order;     /* of what its steps can be composed to */
    bool constant;         /* keeps what it keeps with constant steps only */
    double unit; /* T is so many times the balance of the sources, of which condition numbers are
                    reported */
    olo_evaluation evaluation; /* of terms, and of rows; the left pair is taken where rows are */
    bool inertial; /* of frames under constant forces f alone T is M ((2/h) dq - 2 v0) + h f, or
                      with 2 p0 for 2 M v0 */
    double
        energy_error; /* of the energy, in proportion: 0 exact, infinity bounded but not constant */
    double turn;      /* longest Cayley vector of a solution: beyond it is a spurious root */
    /* Before the iteration of a step: the scale of what will cancel in T. */
    void (*begin)(olo_step *step);
    /* T from step->x; the tangent goes to the sink unless it is NULL. */
    void (*balance)(olo_step *step, const olo_sink *sink);
    /* A multiplier's share in T is factor * lambda * gradient of the constraint (olo_step_row). */
    double (*multiplier_factor)(const olo_step *step);
    /* When the step is solved and not concluded: the momentum at its end, which the treatment
     * projects to the constraints there, for v1, and the energy of the step. NULL: the scheme finds
     * v1 itself. */
    void (*momentum)(olo_step *step);
    /* The new state from dq, and from its multipliers, which the treatment has written: q, v, work,
     * dissipation, time. */
    void (*finish)(const olo_step *step, olo_state *state);
} olo_scheme;

#define OLO_SCHEME(identifier, name) extern const olo_scheme olo_scheme_##identifier;
#include "stepping/registry.def"
#undef OLO_SCHEME
/* By name, NULL if there is none. */
const olo_scheme *olo_scheme_find(const char *name);

/* A stepper with a scheme that need not be registered; run->scheme is not looked at. */
olo_status olo_stepper_create_with(const olo_system *system, const olo_scheme *scheme,
                                   const olo_run *run, olo_stepper **stepper, olo_error *error);

/* What one Newton iteration did, in scaled units (lengths over the model's length, angles). */
typedef struct olo_newton {
    double increment; /* size of the update */
    double size;      /* size of the whole increment of the step */
    double residual;  /* of the reduced balance over what cancels in it */
    double turn;      /* largest Cayley vector */
    double left;      /* what the update leaves, where it was one with an older tangent; else 0 */
    int worst;        /* node with the largest update */
} olo_newton;

/* After Newton has converged: the step is solved; Newton goes on from there, since the treatment
 * has changed its equations or its start; this is no solution; or there never will be one, at no
 * smaller step either. */
typedef enum olo_pass { OLO_PASS_DONE, OLO_PASS_AGAIN, OLO_PASS_FAILED, OLO_PASS_FUTILE } olo_pass;
/* Done if these rows hold at q1 (as for olo_rows_open), else failed with the reason. */
olo_pass olo_pass_closed(const olo_step *step, int count, const int *rows, olo_error *error);

/* A dense square matrix, row-major. The entries belong to whoever receives it: olo_free. */
typedef struct olo_square {
    int size;
    double *entry;
} olo_square;

/* Which matrix of an iteration: the one whose condition number is reported, unscaled as in the
 * sources, or its other form, where there is one: the scaled matrix that `multipliers` factors, the
 * undivided tangent of `projected` (thesis B.2). */
typedef enum olo_matrix_kind { OLO_MATRIX_REPORTED, OLO_MATRIX_OTHER } olo_matrix_kind;

/* A treatment of constraints. */
typedef struct olo_treatment {
    const char *name;
    bool scaled;   /* it measures residuals against step->scale */
    bool near;     /* its tangent is exact at the solution only: updates go on down to round-off */
    bool forest;   /* joints of the spanning forest are closed in every solution and carry wrenches;
                      only closures have multipliers */
    bool recorded; /* steps are recorded and linearised: step_record.c, linear_step.c */
    bool penalty;  /* it has a penalty parameter */
    /* Refuses what it has no equations for, and options that make no sense. May be NULL. */
    olo_status (*check)(const olo_system *system, const olo_run *run, olo_error *error);
    olo_status (*create)(const olo_system *system, const olo_scheme *scheme, const olo_run *run,
                         void **data, olo_error *error);
    void (*free)(void *data);
    /* Start values: the state's last motion times `scale`. */
    void (*predict)(void *data, olo_step *step, double scale);
    /* One iteration; afterwards step->x belongs to the updated unknowns. */
    olo_status (*iterate)(void *data, olo_step *step, olo_newton *newton, olo_error *error);
    /* After convergence of the `count`-th solution of this step; NULL: done. Sets the error when
     * futile. */
    olo_pass (*pass)(void *data, olo_step *step, int count, olo_error *error);
    /* v1 and lambda_end from the momentum at q_end, M v1 + (h/2) G^T lambda_end = momentum with G
     * v1 = 0 (or the rate of a motion). NULL: not with schemes that need it. */
    olo_status (*project)(void *data, olo_step *step, olo_error *error);
    /* When the step is solved: motion, multipliers and wrenches, both over step->weight, and
     * constraint energy of the new state. */
    void (*finish)(void *data, olo_step *step, olo_state *state);
    /* Takes back round-off of q_end. May be NULL. */
    void (*settle)(void *data, olo_step *step);
    /* Largest |g| it allows by design; NULL: none, constraints are exact. */
    double (*constraint_error)(const olo_run *run);
    /* The iteration matrix of the finished step. Allocates. */
    olo_status (*matrix)(void *data, olo_step *step, olo_matrix_kind kind, olo_square *K,
                         olo_error *error);
} olo_treatment;

#define OLO_TREATMENT(name, unknowns) extern const olo_treatment olo_treatment_##name;
#include "stepping/registry.def"
#undef OLO_TREATMENT
/* By name, NULL if there is none. */
const olo_treatment *olo_treatment_find(const char *name);

/* How the sizes of steps are chosen, see control.c. */
typedef struct olo_control {
    double bound; /* of the estimated error of a step; 0: sizes are given */
    double first, smallest, largest;
    double *estimate; /* [n] */
    double *mobility; /* [n] one over the mass of a coordinate, 0 if it has none */
    double
        outer[OLO_COMPOSITION_PARTS]; /* weights of the parts' middles for the start of the step */
    olo_state *retry;                 /* the start of a step that may be rejected */
} olo_control;

/* A part of a composed step, as far as its forces go, and its share in those of the whole. */
typedef struct olo_part {
    double weight, t, h;
    double *q0, *dq, *qm, *q1; /* [n] */
    double *wrench, *lambda;   /* [twists], [m] as in the state */
} olo_part;

/* The stepper: one of each. */
struct olo_stepper {
    const olo_system *system;
    const olo_scheme *scheme;
    const olo_treatment *treatment;
    const olo_composition *composition;
    void *data;
    olo_step step;
    olo_state
        *backup; /* the start, where halves of the step or a first motion have changed the state */
    bool saved;  /* backup holds it */
    olo_state *begin; /* the start of a composed step or of a half of it */
    double *gathered; /* [m + reactions] multipliers and reactions of a composed step */
    olo_part part[OLO_COMPOSITION_PARTS]; /* its parts that carry forces, for reactions ... */
    int part_count;                       /* ... of the last step, if that was composed */
    olo_control control;
    double tolerance;
    int iterations, halvings;
    int unknowns;
    bool quadratic; /* Newton has the whole tangent */
    bool hinges;    /* all joints are: their angles turn no further than bodies do */
    bool objects;   /* some constraint may have no meaning over a step */
    bool stepped;   /* step holds a finished step */
    bool futile;    /* the last failure does not go away with a smaller step */
    bool lazy;      /* velocities of a scheme with momenta follow on demand only */
    bool eager;     /* they are wanted at the ends of parts of steps, too */
    bool projected; /* its steps start with the velocities of a state, not with its momentum */
    olo_step_report report;
    double history[64]; /* scaled increments of the last attempt */
    int history_count;
    int worst;
    /* Sees every step that is solved, parts and halves of a step one by one, before the state
     * changes; NULL: nobody. And is told when the last `count` of them do not count, since the step
     * they are parts of is split. */
    void (*observe_step)(void *context, const olo_stepper *stepper);
    void (*discard_steps)(void *context, int count);
    void *observe_context;
};

/* The forces of constraints over a step, or at rest. */
typedef struct olo_forces {
    const olo_step *step;
    const olo_topology
        *topology; /* its joints carry their wrench; NULL: everything is in the multipliers */
    const double *wrench; /* [twists] what hangs on the joints, times `unit` */
    double unit;
    const double *lambda; /* [m] multipliers */
} olo_forces;

/* Writes the reactions that are recorded to the state. */
void olo_record_reactions(const olo_forces *forces, olo_state *state);
/* The same after a step. */
void olo_stepper_record_reactions(olo_stepper *stepper, olo_state *state);
/* Keeps the step that is solved as a part of a composed one, for reactions. */
void olo_stepper_keep_part(olo_stepper *stepper, const olo_state *state, double weight);

/* Whether all observers came from their default function. */
olo_status olo_observers_check(const olo_observer *observers, int count, olo_error *error);
/* Adds what a step did to the sums of a run; of one that was not taken only its work counts. */
void olo_summary_add(olo_run_summary *sum, const olo_step_report *report, bool taken);
/* How many steps a run from time `start` has, and how long the step at t is: the last one may be
 * shorter. */
olo_status olo_run_count_steps(const olo_run *run, double start, long *steps, olo_error *error);
double olo_run_step(const olo_run *run, double t, bool last);
/* A step by the tolerance, at most to the next time of the grid of the run from `start`, or to its
 * end. */
olo_status olo_run_take_chosen(const olo_run *run, olo_stepper *stepper, olo_state *state,
                               double start, olo_error *error);

/* A step after which the velocities may be `pending` if the stepper is lazy, and what gives them.
 */
olo_status olo_stepper_advance(olo_stepper *stepper, olo_state *state, double h, olo_error *error);
olo_status olo_stepper_complete(olo_stepper *stepper, olo_state *state, olo_error *error);
/* step.v1 from a momentum p at the configuration and time of a state, at the end of a step of h: M
 * v1 + (h/2) G^T lambda_end = p. */
olo_status olo_stepper_project(olo_stepper *stepper, const olo_state *state, const double *p,
                               double h, olo_error *error);
/* May velocities follow on demand? Not where something looks at those of every step. */
bool olo_stepper_may_be_lazy(const olo_stepper *stepper);

/* The iteration matrix of the last step; its entries belong to the caller. */
olo_status olo_stepper_matrix(olo_stepper *stepper, olo_matrix_kind kind, olo_square *K,
                              olo_error *error);

/* Finds, at the start of a step, the closure rows that repeat others; then I minus the projector on
 * the rows of a closure block that do not, count x count. */
void olo_reduced_reveal(void *data, olo_step *step);
void olo_reduced_redundant(const void *data, int block, double *N);
/* The twist by which its last iteration changed a node. */
const double *olo_reduced_twist(const void *data, int node);
/* For derivatives of a step (linear_step.c). The closure multipliers of the last solution, as the
 * treatment scales them, lambda h^2/2; the tangent of a step that is solved, from its motion and
 * these, eliminated; and the matrix of the projection at q_end, eliminated, in which velocities are
 * divided by `scale`. */
olo_elimination *olo_reduced_elimination(void *data);
void olo_reduced_multipliers(const void *data, double *lambda);
olo_status olo_reduced_linearise(void *data, olo_step *step, const double *motion,
                                 const double *lambda, olo_error *error);
olo_status olo_reduced_linearise_end(void *data, olo_step *step, double *scale, olo_error *error);

#endif
