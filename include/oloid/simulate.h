/** @file
 *  Stepping: one step at a time, or a whole run with an observer.
 */
#ifndef OLOID_SIMULATE_H
#define OLOID_SIMULATE_H

#include "oloid/model.h"
#include "oloid/status.h"
#include "oloid/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A stepper owns the workspace of one thread. A step allocates nothing. */
typedef struct olo_stepper olo_stepper;

/** What the last step did. */
typedef struct olo_step_report {
    double size;       /**< of the step; with a tolerance as it was chosen */
    int rejections;    /**< tries with a larger step that were not good enough */
    int iterations;    /**< Newton iterations, all attempts */
    int halvings;      /**< how often the step was halved */
    int passes;        /**< solutions by Newton, more than one per step with augmented */
    double residual;   /**< scaled, at the end */
    double rotation;   /**< largest rotation of a body in the step, rad */
    int rotation_node; /**< the body it belongs to, -1 if none */
} olo_step_report;

/** Creates a stepper for the scheme, treatment and tolerances of `run`. Refers to the system,
 * which must outlive it. */
OLO_API olo_status olo_stepper_create(const olo_system *system, const olo_run *run,
                                      olo_stepper **stepper, olo_error *error);
/** Frees a stepper; NULL is allowed. */
OLO_API void olo_stepper_free(olo_stepper *stepper);

/** Which laws of a model a scheme of the run section conserves, in a sentence; NULL if there is
 * no such scheme. */
OLO_API const char *olo_scheme_conserves(const char *scheme);

/** Number of unknowns that Newton solves for. */
OLO_API int olo_stepper_unknown_count(const olo_stepper *stepper);

/** Advances the state by h. When Newton fails the step is split in halves; when that fails too the
 * state is as before and the text gives time, residuals and the worst part. */
OLO_API olo_status olo_stepper_step(olo_stepper *stepper, olo_state *state, double h,
                                    olo_error *error);
/** With run.tolerance: advances the state by one step of a size that keeps its error within the
 * tolerance, at most by `longest`. Sizes come from the errors of the steps before, which the state
 * knows. Fails when the step would have to be smaller than run.smallest_step. */
OLO_API olo_status olo_stepper_step_adaptive(olo_stepper *stepper, olo_state *state, double longest,
                                             olo_error *error);
/** What the last step did; valid until the next. */
OLO_API const olo_step_report *olo_stepper_report(const olo_stepper *stepper);

/** 2-norm condition number of the iteration matrix of the last step, as the sources define it: no
 * scaling of rows or multipliers (thesis, tables 4.1 and 4.2); of projected the split matrix K_u
 * (C.21). Infinite where constraints repeat others and their rows are in the matrix. Dense: for
 * small systems. Fails before the first step. */
OLO_API olo_status olo_stepper_compute_condition(olo_stepper *stepper, double *condition,
                                                 olo_error *error);

/** Force and moment (about the point of the joint or support, space axes) that constraint group
 * `group` exerted on its body in the last step; for a rod the force on its second end. Of a step
 * that is composed it is the mean over its parts, h times it the impulse over the step; with the
 * scheme variational, whose forces are those at the start of a step, that of the first part. */
OLO_API olo_status olo_stepper_compute_reaction(olo_stepper *stepper, const olo_state *state,
                                                int group, double force[3], double moment[3],
                                                olo_error *error);

/** @name Momenta Discrete Legendre transforms of the variational scheme, and the start from
 * momenta. Both overwrite the last step of the stepper: its reactions and condition number are
 * gone. @{ */
/** Momenta p = M v of a state, n numbers; with variational they are those projected to the
 * constraints. */
OLO_API void olo_system_momenta(const olo_system *system, const olo_state *state, double *p);
/** Sets the velocities to those of the momenta p, n numbers, as far as the constraints allow: M
 * v + G(q)^T mu = p with G(q) v = 0. What is left of p is its projection, olo_system_momenta. The
 * next step starts from there. */
OLO_API olo_status olo_stepper_set_momenta(olo_stepper *stepper, olo_state *state, const double *p,
                                           olo_error *error);
/** The discrete Legendre transforms of one step (of order 2) from a state to another, of which
 * configurations and times count: `minus`, -D1 L_d - f^- at its start, and `plus`, D2 L_d + f^+ at
 * its end, n numbers each; either may be NULL. Along a solution `plus` of a step is `minus` of the
 * next and h G(q)^T lambda: with half of that each (olo_system_constraint_forces) they are the
 * constrained ones and equal, and so they are when both are projected (olo_stepper_set_momenta). */
OLO_API olo_status olo_stepper_compute_legendre(olo_stepper *stepper, const olo_state *from,
                                                const olo_state *to, double *minus, double *plus,
                                                olo_error *error);
/** G(q)^T lambda of multipliers, one a row of the constraints, at a state; n numbers. */
OLO_API void olo_system_constraint_forces(const olo_system *system, const olo_state *state,
                                          const double *lambda, double *force);
/** @} */

/** Functions that are called during a run. Any of them may be NULL. A non-OK return stops the run
 * with that status. */
typedef struct olo_observer {
    int initialised; /**< set by olo_observer_default(); leave it */
    void *context;   /**< handed to all functions */
    /** After the start (step 0) and after every step. */
    olo_status (*step)(void *context, const olo_system *system, const olo_state *state, long step,
                       const olo_step_report *report, olo_error *error);
    /** True stops the run after this step; the status is then OLO_INTERRUPTED. olo_find_equilibrium
     * asks in every iteration. */
    bool (*stop)(void *context);
    /** A warning; one of each kind. */
    void (*warn)(void *context, const char *text);
} olo_observer;

/** Sees nothing: what is not set is not called. */
OLO_API olo_observer olo_observer_default(void);

/** Calls another observer at most every so many seconds: for what is slow beside a step, such as a
 * line of progress or a question to another language whether to go on. */
typedef struct olo_throttle olo_throttle;
/** Copies `observer`. Its `step` and its `stop` are called at most every `seconds`; all warnings
 * reach it. Free with olo_throttle_free after the run. */
OLO_API olo_status olo_throttle_create(const olo_observer *observer, double seconds,
                                       olo_throttle **throttle, olo_error *error);
/** Frees; NULL is allowed. */
OLO_API void olo_throttle_free(olo_throttle *throttle);
/** The observer to hand to olo_simulate. The clock starts here: the first call is `seconds` later,
 * not at the start of the run. */
OLO_API olo_observer olo_throttle_observer(olo_throttle *throttle);

/** What a run did. */
typedef struct olo_run_summary {
    long steps;              /**< complete ones */
    long iterations;         /**< of Newton, all attempts */
    long halvings;           /**< how often a step was split */
    double cpu_seconds;      /**< of all threads */
    double wall_seconds;     /**< from start to end */
    double largest_rotation; /**< rad per step */
    double start;            /**< time of the start */
    long rejections;         /**< with a tolerance: steps that were tried and not taken */
    double smallest_step;    /**< that was taken */
    double largest_step;     /**< that was taken */
} olo_run_summary;

/** Runs from the state's time to run->end with steps of run->step (the last one is shortened to
 * end there), or with steps that keep to run->tolerance. Observers are called in turn. The state is
 * advanced in place and valid also on failure. */
OLO_API olo_status olo_simulate(const olo_system *system, const olo_run *run, olo_state *state,
                                const olo_observer *observers, int observer_count,
                                olo_run_summary *summary, olo_error *error);

/** Goes on with a run that was broken off, to the same bits as if it had not been. `state` is that
 * after `summary->steps` steps from `summary->start`; the summary is continued (olo_recorder_resume
 * fills both). Observers do not see the start again. */
OLO_API olo_status olo_simulate_resume(const olo_system *system, const olo_run *run,
                                       olo_state *state, const olo_observer *observers,
                                       int observer_count, olo_run_summary *summary,
                                       olo_error *error);

#ifdef __cplusplus
}
#endif
#endif
