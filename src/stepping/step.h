/* One time step: the data that the scheme, the treatment of constraints and the stepper share.
 *
 * A scheme evaluates the balance T of the unreduced equations and passes the pieces of its tangent
 * dT/dq1 to a sink. A treatment (reduced, multipliers, ...) chooses the unknowns, assembles its
 * matrix from the pieces and solves. Neither depends on kinds of bodies or joints. */
#ifndef OLO_STEPPING_STEP_H
#define OLO_STEPPING_STEP_H

#include "base/pool.h"
#include "contact/contact_step.h"
#include "kinematics/motion.h"
#include "oloid/simulate.h"
#include "stepping/composition.h"
#include "stepping/frame_packs.h"
#include "stepping/segments.h"
#include "system/interval.h"
#include "system/system.h"
#include "system/term_pack.h"

/* Longer Cayley vectors converge to the spurious root at half a turn. */
#define OLO_HALF_TURN 200.0

typedef struct olo_step {
    const olo_system *system;
    const olo_state *state; /* initial state of the step; not changed during the iteration */
    double t, h;            /* initial time and step size */
    bool closed;            /* joints are closed in every iterate, not only at convergence */
    bool composed;          /* it is a part of a step of higher order */
    const olo_composition *composition; /* the predictor distinguishes its parts, ... */
    int part;                           /* ... and the step is this one */
    bool from_momentum;        /* the step starts from the momentum Mv0, not from the velocity v0 */
    olo_evaluation evaluation; /* of the scheme */
    double weight;             /* factor of the multipliers of the state in T */
    double *q0, *v0;           /* [n] copies of the initial state, read after the step */
    olo_motion x;              /* q0, dq, qm, q1, motion, u, constants */
    double *T;                 /* [n] balance */
    double *Mv0;               /* [n] initial momentum */
    double *q_end; /* [n] configuration at the end, with joints closed to the last bit, ... */
    double *remainder_end;  /* [n] ... and its remainder; without momenta both are the state's,
                               and it is written last */
    double *v1;             /* [n] velocity at the end, of schemes that solve for it ... */
    bool pending;           /* ... which is computed later if this is set */
    double *momentum;       /* [n] at the end, before its projection */
    double energy;          /* energy of the step, if the scheme defines one */
    bool concluded;         /* the treatment has computed momentum and energy with the solution */
    double *lambda_end;     /* [m] multipliers of the projection, forces over half a step */
    double *gamma;          /* [m] multipliers of the rates of rows, with consistent velocities */
    double *constant;       /* [n] gradient of the terms that are linear in q, ... */
    double constant_energy; /* ... and their energy at q = 0 */
    int active_count;       /* terms whose forces are not constant, ... */
    int single_count;       /* ... first those that are evaluated one by one, then the others */
    int *active;
    int pack_count; /* the latter in groups of four, ... */
    olo_term_pack *packs;
    olo_vector_square *squares; /* ... and their squares */
    olo_frame_packs frames;
    const double *inputs; /* [actions] controls, see olo_interval; NULL: none */
    double load;          /* load factor, in statics only */
    olo_pool pool;        /* memory of all arrays */
    double *r, *K;        /* local workspace */
    double *exchange;     /* [terms and actions] energy lost or work done over the step ... */
    bool exchanged;       /* ... if the treatment has computed it with the solution */
    double scale;         /* magnitude of the terms that cancel in T, for estimates of round-off */
    double start_scale;   /* its part that is known at the start of the step */
} olo_step;

/* The step as an interval for kernels; its start; its end. */
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
/* The same for actions: where they act in the balance, or in the momentum at the `end`. */
static inline olo_interval olo_step_actions(const olo_step *step, bool end)
{
    olo_interval x = olo_step_interval(step);
    if (step->evaluation.at_nodes)
        x.acting = end ? OLO_ACT_AT_END : OLO_ACT_AT_START;
    return x;
}
static inline olo_at olo_step_start(const olo_step *step)
{
    return (olo_at){.q = step->x.q0, .angles = step->state->angles, .t = step->t};
}
static inline olo_at olo_step_end(const olo_step *step)
{
    return (olo_at){.q = step->x.q1, .angles = step->state->angles, .t = step->t + step->h};
}

/* The name of a load, drive or prescribed motion that is not finite in the step; NULL: all are. */
const char *olo_step_find_undefined(const olo_step *step);

/* The end of a solved step, at which the next one starts. */
static inline olo_at olo_step_solved_end(const olo_step *step)
{
    return (olo_at){.q = step->q_end, .angles = step->state->angles, .t = step->t + step->h};
}

/* The predictor of the multiplier of a row. */
static inline double olo_step_predicted_multiplier(const olo_step *step, int row)
{
    return step->weight * step->state->lambda[row];
}

/* The gradient d with which the multiplier of a row acts over the step: the discrete gradient, or
 * the gradient at the start. Returns true if it depends on q1; then dd/dq1 is written to `tangent`
 * unless that is NULL. */
bool olo_step_row(const olo_step *step, const olo_constraint *row, double *d, double *tangent);

/* Allocates the arrays of a zeroed step, and sums the constant forces. Must be freed also on
 * failure. */
olo_status olo_step_create(const olo_system *system, olo_step *step, olo_error *error);
/* motion[twists]: that of a time h with the velocities v at q. */
void olo_motion_of_velocity(const olo_system *system, const double *q, const double *v, double h,
                            double *motion);
/* q_end = q + dq with its remainder, which collects rounding errors; q may be q_end itself. */
void olo_step_accumulate(const olo_step *step);
void olo_step_free(olo_step *step);

/* |grad g|^2 of a constraint row in the initial configuration of the model, directors in model
 * lengths; positive. Divided by a mass it has the units of the entry of the row in G M^-1 G^T, for
 * all kinds of rows: rows are regularised relative to it. */
double olo_row_weight(const olo_system *system, int row);
/* The size of a constraint row: a length for supports, a squared length for rods, one for
 * directors. */
double olo_row_size(const olo_system *system, int row);
/* |g(q)| divided by the magnitude of its parts, with the gradient of the row at q. A satisfied row
 * is at round-off. */
double olo_row_residual(const olo_system *system, int row, const double *gradient, double g,
                        const double *q);
/* The value g(q1) of a row at the end of the step, from d of olo_step_row: for the discrete
 * gradient g(q1) = g(q0) + d.dq holds exactly, so that the rounding of q1 does not enter. A g(q0)
 * at the level of rounding is ignored: correcting it would add this noise, divided by h, to the
 * velocities. */
double olo_row_end_value(const olo_step *step, int row, const double *d);
/* Its two parts: the first is constant during a step, g(q0) and the change of the prescribed
 * motion; the second is d.dq. */
double olo_row_start_value(const olo_step *step, int row);
double olo_row_increment(const olo_step *step, const olo_interval *over, int row, const double *d);
/* The largest residual at q1 over `count` rows, or over the first `count` rows if `rows` is NULL.
 * In a solution it is at most OLO_ROW_TOLERANCE. Overwrites step->r. */
#define OLO_ROW_TOLERANCE 1e-11
double olo_rows_largest_residual(const olo_step *step, int count, const int *rows);
/* The largest mass of a node. */
double olo_largest_mass(const olo_system *system);
/* The smallest olo_row_size of `count` rows. */
double olo_smallest_row_size(const olo_system *system, int count, const int *rows);
/* A lower bound of the diagonal entries of G M^-1 G^T for rows that are not redundant. */
double olo_smallest_compliance(const olo_system *system, int count, const int *rows);

/* The receiver of the pieces of the tangent dT/dq1. */
typedef struct olo_sink {
    void *context;
    void (*mass)(void *context, double factor);                              /* += factor M */
    void (*local)(void *context, int piece, double factor, const double *K); /* += factor K */
    /* += factor times the tangent of a term, or of an action along the coordinate `term`, from its
     * stress and the derivative of the stress with respect to the invariants, at q1 or at the
     * midpoint. NULL: they are passed as local matrices, too. */
    void (*stress)(void *context, int piece, const olo_term *term, double factor,
                   const olo_law_over *law, const double *at);
    /* The same of four terms with invariants; it may change the stress in `at`. */
    void (*pack)(void *context, const olo_term_pack *pack, double factor, olo_pack_step *at);
} olo_sink;

/* A scheme: the balance over a step and its derivative. */
typedef struct olo_scheme {
    const char *name;
    const char *conserves; /* a sentence that says which quantities it conserves */
    int highest_order;     /* highest order of compositions of its steps */
    bool constant;         /* it conserves these quantities with constant step sizes only */
    double unit; /* T is `unit` times the balance in the sources; condition numbers refer to the
                    latter */
    olo_evaluation evaluation; /* where terms and rows are evaluated; the left pair is evaluated
                                  where rows are */
    bool inertial;   /* for frames under constant forces f, T = M ((2/h) dq - 2 v0) + h f, or with 2
                        p0 instead of 2 M v0 */
    bool consistent; /* v1 is an unknown and satisfies the constraints: see energy_momentum.c */
    /* consistent: the scheme with the same step where constraints have no rows (penalties) */
    const struct olo_scheme *without_rows;
    double energy_error; /* relative error of the energy by design: 0 exact, infinity bounded but
                            not constant */
    double turn; /* longest Cayley vector of a solution; longer ones belong to a spurious root */
    /* A scheme with impacts makes whole steps itself (contact_scheme.c); it has these options and
     * neither unit and turn nor entries below. NULL: none. */
    const olo_contact_options *contact;
    /* Before the iteration of a step: computes the magnitude of the terms that cancel in T. */
    void (*begin)(olo_step *step);
    /* Computes T from step->x; passes the tangent to the sink unless it is NULL. */
    void (*balance)(olo_step *step, const olo_sink *sink);
    /* The factor of a multiplier in T: a row contributes factor * lambda * d (olo_step_row). */
    double (*multiplier_factor)(const olo_step *step);
    /* After the solution, if not step->concluded: computes the momentum at the end, which the
     * treatment projects to the constraints for v1, and the energy of the step. NULL: the scheme
     * computes v1 itself. */
    void (*momentum)(olo_step *step);
    /* Writes the new state from dq, and from the multipliers, which the treatment has already
     * written: v, work, dissipation, time. The stepper writes q. */
    void (*finish)(const olo_step *step, olo_state *state);
} olo_scheme;

#define OLO_SCHEME(identifier, name) extern const olo_scheme olo_scheme_##identifier;
#include "stepping/registry.def"
#undef OLO_SCHEME
/* Returns a scheme by its name, NULL if there is none. */
const olo_scheme *olo_scheme_find(const char *name);
/* The scheme of a run, given its treatment of constraints; NULL if there is none of this name. */
const olo_scheme *olo_scheme_of(const olo_run *run);

/* Creates a stepper with a scheme that may be unregistered; run->scheme is ignored. */
olo_status olo_stepper_create_with(const olo_system *system, const olo_scheme *scheme,
                                   const olo_run *run, olo_stepper **stepper, olo_error *error);

/* Result of one Newton iteration, in scaled units (lengths divided by the model's length, angles).
 */
typedef struct olo_newton {
    double increment; /* size of the update */
    double size;      /* size of the whole increment of the step */
    double residual;  /* of the reduced balance, relative to the terms that cancel in it */
    double turn;      /* largest Cayley vector */
    double left;      /* estimated error after an update with an older tangent; else 0 */
    double behind;    /* size of the updates since its tangent, with this one; 0: unknown */
    bool unloaded;    /* the iterate had no velocities: it is no solution */
    bool mixed;       /* updates of this iteration are extrapolated from earlier ones */
    int worst;        /* node with the largest update */
} olo_newton;

/* The share of an update that is left by the next one, for tangents that are those of an earlier
 * iterate and lack terms of the size (h w)^2, w the largest rate of rotation. It is measured; but
 * the first update is that of the predictor, and these terms may hardly act on it: after the second
 * one the share is at least what they are, bounded as over random trees (tests/unit/packs.c). */
static inline double olo_newton_share(const olo_newton *now, double before, bool second)
{
    const double share = now->increment / before, reach = now->behind > 0 ? now->behind : before,
                 least = second ? now->turn * now->turn + 100 * reach : 0.0;
    return share < least ? least : share;
}

/* The judgement of the treatment after the Newton iteration has converged: the step is solved; the
 * iteration continues, because the treatment has changed its equations or its iterate; this is no
 * solution; or there is no solution for any step size. */
typedef enum olo_pass {
    OLO_PASS_DONE,
    OLO_PASS_AGAIN,
    OLO_PASS_FAILED,
    OLO_PASS_NO_SOLUTION
} olo_pass;
/* Done if these rows are satisfied at q1 (as for olo_rows_largest_residual), else failed with the
 * reason. */
olo_pass olo_pass_closed(const olo_step *step, int count, const int *rows, olo_error *error);

/* A dense square matrix, row-major. The receiver owns the entries: olo_free. */
typedef struct olo_square {
    int size;
    double *entry;
} olo_square;

/* The matrix of an iteration: the one whose condition number is reported, unscaled as in the
 * sources, or another form if there is one: the scaled matrix that `multipliers` factors, the
 * undivided tangent of `projected` (thesis B.2). */
typedef enum olo_matrix_kind { OLO_MATRIX_REPORTED, OLO_MATRIX_OTHER } olo_matrix_kind;

/* A treatment of constraints. */
typedef struct olo_treatment {
    const char *name;
    bool scaled; /* it divides residuals by step->scale */
    bool near; /* its tangent is exact at the solution only: iterations continue until round-off */
    bool forest;     /* joints of the spanning forest are closed in every solution and have joint
                        wrenches; only closures have multipliers */
    bool recorded;   /* steps are recorded and linearised: step_record.c, linear_step.c */
    bool contacts;   /* steps with contacts have equations of this kind */
    bool consistent; /* it has equations for schemes with consistent velocities ... */
    bool doubled;    /* ... and solves for velocities and gamma with the rest: twice the unknowns */
    /* Refuses systems for which it has no equations, and invalid options. May be NULL. */
    olo_status (*check)(const olo_system *system, const olo_run *run, olo_error *error);
    olo_status (*create)(const olo_system *system, const olo_scheme *scheme, const olo_run *run,
                         void **data, olo_error *error);
    void (*free)(void *data);
    /* The predictor: extrapolates from the last motion of the state times `scale`. */
    void (*predict)(void *data, olo_step *step, double scale);
    /* One Newton iteration; afterwards step->x is that of the updated unknowns. */
    olo_status (*iterate)(void *data, olo_step *step, olo_newton *newton, olo_error *error);
    /* Called after convergence of the `count`-th solution of this step; NULL: done. Sets the error
     * if it returns OLO_PASS_NO_SOLUTION. */
    olo_pass (*pass)(void *data, olo_step *step, int count, olo_error *error);
    /* Computes v1 and lambda_end from the momentum at q_end,
     *
     *       M v1 + (h/2) G^T lambda_end = momentum,   G v1 = 0 (or the rate of a prescribed
     * motion).
     *
     * NULL: not available with schemes that need it. */
    olo_status (*project)(void *data, olo_step *step, olo_error *error);
    /* After the solution: writes the motion, multipliers and joint wrenches, both divided by
     * step->weight, and the constraint energy of the new state. */
    void (*finish)(void *data, olo_step *step, olo_state *state);
    /* Computes q_end and its remainder, without what rounding has opened. NULL: they are the plain
     * sums, olo_step_accumulate. */
    void (*settle)(void *data, olo_step *step);
    /* Largest |g| that it permits by design; NULL: constraints are exact. */
    double (*constraint_error)(const olo_run *run);
    /* The iteration matrix of the finished step. Allocates. */
    olo_status (*matrix)(void *data, olo_step *step, olo_matrix_kind kind, olo_square *K,
                         olo_error *error);
} olo_treatment;

#define OLO_TREATMENT(name, unknowns) extern const olo_treatment olo_treatment_##name;
#include "stepping/registry.def"
#undef OLO_TREATMENT
/* Returns a treatment by its name, NULL if there is none. */
const olo_treatment *olo_treatment_find(const char *name);

/* The choice of step sizes, see step_size_control.c. */
typedef struct olo_control {
    double bound; /* of the estimated error of a step; 0: constant step sizes */
    double first, smallest, largest;
    double *estimate;                    /* [n] of the configuration */
    double *rate_estimate;               /* [n] of velocities, if they are consistent; else NULL */
    double *mobility;                    /* [n] inverse mass of a coordinate, 0 if it has none */
    double outer[OLO_COMPOSITION_PARTS]; /* weights of the midpoints of the parts in the
                                            extrapolation to the start of the step */
    olo_state *retry;                    /* initial state of a step that may be rejected */
} olo_control;

/* The forces of a part of a composed step, and its weight in those of the whole step. */
typedef struct olo_part {
    double weight, t, h;
    double *q0, *dq, *qm, *q1; /* [n] */
    double *wrench, *lambda;   /* [twists], [m] as in the state */
} olo_part;

/* The stepper: a scheme, a treatment, and the strategy around them. */
struct olo_stepper {
    const olo_system *system;
    const olo_scheme *scheme;
    const olo_treatment *treatment;
    const olo_composition *composition;
    void *data;
    olo_step step;
    olo_pool pool;     /* memory of the arrays below, and of `contact` */
    olo_state *backup; /* initial state, if halves of the step or a first predictor have changed the
                          state */
    bool saved;        /* `backup` is valid */
    olo_state *begin;  /* initial state of a composed step or of a half of it */
    double *controls;  /* [actions] or NULL: see olo_stepper_set_control */
    double *gathered;  /* [m + reactions] multipliers and reactions of a composed step */
    olo_part part[OLO_COMPOSITION_PARTS]; /* its parts with their forces, for reactions ... */
    int part_count;                       /* ... of the last step, if it was composed */
    olo_control control;
    olo_contact_step *contact; /* of a scheme with impacts; it has no treatment data */
    struct olo_contact_reduced *contact_tree; /* its equations on the spanning tree; else NULL */
    double *contact_reactions; /* [6 x groups] means over its last step, parts and jumps */
    double *contact_impulses;  /* [6 x groups] of the step, or of a half of it */
    double *contact_rows;      /* [m] of a part or a jump */
    double contact_time;       /* what has been made of a step that is halved */
    struct olo_accelerations *accelerations; /* at the ends of steps, with consistent velocities:
                                                created if forces are recorded, or on demand */
    double tolerance;
    int iterations, halvings;
    int unknowns;
    bool quadratic;        /* the tangent is complete: Newton converges quadratically */
    bool plain_angles;     /* no joint angle changes by more than the bodies rotate */
    bool has_objections;   /* some constraint may be meaningless over a long step */
    bool stepped;          /* `step` is a finished step */
    bool unsolvable;       /* the last failure would also occur with a smaller step */
    bool lazy;             /* velocities of a scheme with momenta are computed on demand only */
    bool eager;            /* they are needed at the ends of parts of steps, too */
    bool projected;        /* steps start from the velocities of a state, not from its momentum */
    bool forces_on_demand; /* olo_stepper_record_end_forces is called by others */
    olo_step_report report;
    double history[64]; /* scaled updates of the last attempt */
    int history_count;
    int worst;
    /* Called for every solved step, for parts and halves of a step one by one, before the state
     * changes; NULL: none. `discard_steps` is called if the last `count` of them are invalid,
     * because the step of which they are parts is split. */
    void (*observe_step)(void *context, const olo_stepper *stepper);
    void (*discard_steps)(void *context, int count);
    void *observe_context;
};

/* The constraint forces over a step, or at an equilibrium. */
typedef struct olo_forces {
    const olo_step *step;
    const olo_topology
        *topology;        /* joints of its forest have wrenches; NULL: all rows have multipliers */
    const double *wrench; /* [twists] joint wrenches, times `unit` */
    double unit;
    const double *lambda; /* [m] multipliers */
    const double *known;  /* [6 x groups] force and moment of each; NULL: they follow from these */
} olo_forces;

/* Writes the recorded reactions to the state. */
void olo_record_reactions(const olo_forces *forces, olo_state *state);
/* The same after a step. */
void olo_stepper_record_reactions(olo_stepper *stepper, olo_state *state);
/* With consistent velocities: replaces recorded reactions and forces of prescribed motions, which
 * are means over the step, by those at its end, unless these are not determined. After every step,
 * unless x->forces_on_demand. */
void olo_stepper_record_end_forces(olo_stepper *stepper, olo_state *state);
/* Adds the impulses of joints and rows over x->step.x, a part of a step with contacts. */
void olo_stepper_add_reactions(olo_stepper *stepper, const double *wrench, const double *lambda);
/* Stores the solved step as a part of a composed one, for reactions. */
void olo_stepper_store_part(olo_stepper *stepper, const olo_state *state, double weight);

/* Checks that all observers were initialised by olo_observer_default. */
olo_status olo_observers_check(const olo_observer *observers, int count, olo_error *error);

/* olo_simulate with a function that is called before every step, for example to set controls. */
typedef olo_status olo_before_step(void *context, olo_stepper *stepper, const olo_state *state,
                                   olo_error *error);
olo_status olo_simulate_with(const olo_system *system, const olo_run *run, olo_state *state,
                             const olo_observer *observers, int observer_count,
                             olo_before_step *before, void *context, olo_run_summary *summary,
                             olo_error *error);
/* Adds the report of a part or a trial of a step to that of the step, except its size. */
void olo_report_add(olo_step_report *all, const olo_step_report *trial);
/* Adds the report of a step to the sums of a run; of a failed step only the iterations, halvings
 * and rejections. */
void olo_summary_add(olo_run_summary *sum, const olo_step_report *report, bool taken);
/* The number of steps of a run from time `start`, and the size of the step at t: the last one may
 * be shorter. */
olo_status olo_run_count_steps(const olo_run *run, double start, long *steps, olo_error *error);
double olo_run_step_size(const olo_run *run, double t, long step, bool last);
/* The time at the end of a step that began at `before`; steps are counted from 1. */
double olo_run_step_end(const olo_run *run, double start, double before, long step, bool last);
/* A step whose size the tolerance chooses, at most to the next time of the grid of the run from
 * `start`, or to its end. */
olo_status olo_run_step_adaptive(const olo_run *run, olo_stepper *stepper, olo_state *state,
                                 double start, olo_error *error);

/* Predictor and Newton iteration of the current step, from the last motion times `predictor`; the
 * treatment may request further iterations (newton.c). */
olo_status olo_stepper_solve(olo_stepper *stepper, double predictor, olo_error *error);
/* One step of second order, without composition or halving. A failure leaves the state unchanged
 * except for its predictor. */
olo_status olo_stepper_step_once(olo_stepper *stepper, olo_state *state, double h,
                                 olo_error *error);
/* Makes a step, after which the velocities may be `pending` if the stepper is lazy; computes
 * pending velocities. */
olo_status olo_stepper_advance(olo_stepper *stepper, olo_state *state, double h, olo_error *error);
olo_status olo_stepper_complete(olo_stepper *stepper, olo_state *state, olo_error *error);
/* Computes step.v1 from a momentum p at the configuration and time of a state, at the end of a step
 * of size h:
 *
 *       M v1 + (h/2) G^T lambda_end = p. */
olo_status olo_stepper_project(olo_stepper *stepper, const olo_state *state, const double *p,
                               double h, olo_error *error);
/* Schemes with impacts (contact_scheme.c): refuses options that they do not have; creates and frees
 * the workspace; one step. */
olo_status olo_contact_scheme_check(const olo_stepper *stepper, const olo_run *run,
                                    olo_error *error);
olo_status olo_contact_scheme_create(olo_stepper *stepper, olo_error *error);
/* The treatment of its equations: published ones have no reduced form. */
const olo_treatment *olo_contact_scheme_treatment(const olo_stepper *stepper);
void olo_contact_scheme_free(olo_stepper *stepper);
olo_status olo_contact_scheme_step(olo_stepper *stepper, olo_state *state, double h,
                                   olo_error *error);
/* Whether velocities may be computed on demand: not if something reads those of every step. */
bool olo_stepper_may_be_lazy(const olo_stepper *stepper);

/* The iteration matrix of the last step; its entries belong to the caller. */
olo_status olo_stepper_matrix(olo_stepper *stepper, olo_matrix_kind kind, olo_square *K,
                              olo_error *error);

/* Finds the redundant closure rows at the start of a step; then I minus the projector to the active
 * directions of a closure block, count x count. */
void olo_reduced_find_redundant(void *data, olo_step *step);
void olo_reduced_redundant_projector(const void *data, int block, double *N);
/* The update of a node, a twist, in the last iteration. */
const double *olo_reduced_twist(const void *data, int node);
/* For derivatives of a step (linear_step.c): the closure multipliers of the last solution in the
 * scaling of the treatment, lambda h^2/2; the factored tangent of a solved step, from its motion
 * and these; and the factored matrix of the projection at q_end, in which velocities are divided by
 * `scale`. */
olo_elimination *olo_reduced_elimination(void *data);
void olo_reduced_multipliers(const void *data, double *lambda);
olo_status olo_reduced_linearise(void *data, olo_step *step, const double *motion,
                                 const double *lambda, olo_error *error);
olo_status olo_reduced_linearise_end(void *data, olo_step *step, double *scale, olo_error *error);

#endif
