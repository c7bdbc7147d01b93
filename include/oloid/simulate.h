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

/** The time stepper: owns the workspace of one thread. A step allocates no memory. */
typedef struct olo_stepper olo_stepper;

/** What the last step did. */
typedef struct olo_step_report {
    double size;     /**< size of the step; with run.tolerance the size that was chosen */
    int rejections;  /**< larger steps that were rejected because their error exceeded the tolerance
                      */
    int iterations;  /**< Newton iterations, all attempts */
    int halvings;    /**< number of times the step was halved */
    int passes;      /**< Newton solutions; more than one per step with `augmented` */
    double residual; /**< scaled residual of the last iteration */
    double rotation; /**< largest rotation of a body in the step, rad */
    int rotation_node;    /**< node of that body, -1 if there is none */
    const double *inputs; /**< controls of the step (olo_stepper_set_control), one number for each
                               load and drive; NULL: none */
} olo_step_report;

/** Creates a stepper for the scheme, treatment and tolerances of `run`. Refers to the system,
 * which must outlive it. */
OLO_API olo_status olo_stepper_create(const olo_system *system, const olo_run *run,
                                      olo_stepper **stepper, olo_error *error);
/** Frees a stepper; NULL is allowed. */
OLO_API void olo_stepper_free(olo_stepper *stepper);

/** A sentence that says which quantities a scheme of the run section conserves; NULL if there is no
 * such scheme. */
OLO_API const char *olo_scheme_conserves(const char *scheme);

/** Number of unknowns that Newton solves for. */
OLO_API int olo_stepper_unknown_count(const olo_stepper *stepper);

/** Advances the state by h. If the Newton iteration fails, the step is split into halves. If these
 * fail as well, the state is unchanged and the error text gives the time, the residuals and the
 * part with the largest update. */
OLO_API olo_status olo_stepper_step(olo_stepper *stepper, olo_state *state, double h,
                                    olo_error *error);
/** With run.tolerance: advances the state by one step of at most `longest`, whose size is chosen so
 * that its estimated error stays within the tolerance. The choice uses the errors of previous
 * steps, which are part of the state. Fails if the step would have to be smaller than
 * run.smallest_step. */
OLO_API olo_status olo_stepper_step_adaptive(olo_stepper *stepper, olo_state *state, double longest,
                                             olo_error *error);
/** Sets a control for the following steps: it replaces the factor over time of the load `name`, or
 * that of the torque or force, or the target of the controller, of the joint `name` or along the
 * joint coordinate `name`. OLO_UNSET: the function of the model acts again. */
OLO_API olo_status olo_stepper_set_control(olo_stepper *stepper, const char *name, double value,
                                           olo_error *error);
/** What the last step did; valid until the next. */
OLO_API const olo_step_report *olo_stepper_report(const olo_stepper *stepper);

/** 2-norm condition number of the iteration matrix of the last step, as the sources define it:
 * without scaling of rows or multipliers (thesis, tables 4.1 and 4.2); for `projected` that of the
 * split matrix K_u (C.21). It is infinite if redundant constraint rows are in the matrix. Dense:
 * for small systems. Fails before the first step. */
OLO_API olo_status olo_stepper_compute_condition(olo_stepper *stepper, double *condition,
                                                 olo_error *error);

/** Force and moment (about the point of the joint or support, space axes) that constraint group
 * `group` exerted on its body in the last step; for a rod the force on its second end. For a
 * composed step it is the mean over its parts, so that h times this value is the impulse over the
 * step. The scheme variational evaluates forces at the start of a step: there it is the value of
 * the first part. */
OLO_API olo_status olo_stepper_compute_reaction(olo_stepper *stepper, const olo_state *state,
                                                int group, double force[3], double moment[3],
                                                olo_error *error);

/** @name Momenta
 *  Discrete Legendre transforms of the variational scheme, and initial velocities from momenta.
 *  Both functions overwrite the last step of the stepper: its reactions and its condition number
 *  are no longer available.
 *  @{ */
/** Momenta p = M v of a state, n numbers; with the scheme variational these are the momenta after
 * projection to the constraints. */
OLO_API void olo_system_momenta(const olo_system *system, const olo_state *state, double *p);
/** Sets the velocities from momenta p, n numbers, by projection to the constraints:
 *
 *       M v + G(q)^T mu = p,   G(q) v = 0.
 *
 * The projected momentum is olo_system_momenta. The next step starts from it. */
OLO_API olo_status olo_stepper_set_momenta(olo_stepper *stepper, olo_state *state, const double *p,
                                           olo_error *error);
/** The discrete Legendre transforms of one step of order 2 between two states, of which only
 * configurations and times are used: `minus` is -D1 L_d - f^- at its start, `plus` is D2 L_d + f^+
 * at its end, n numbers each; either may be NULL. Along a solution `plus` of a step equals `minus`
 * of the next step plus h G(q)^T lambda. If half of that force (olo_system_constraint_forces) is
 * added to each, they are the constrained momenta and equal. They are also equal after projection
 * (olo_stepper_set_momenta). */
OLO_API olo_status olo_stepper_compute_legendre(olo_stepper *stepper, const olo_state *from,
                                                const olo_state *to, double *minus, double *plus,
                                                olo_error *error);
/** The constraint forces G(q)^T lambda at a state, n numbers; one multiplier per constraint row. */
OLO_API void olo_system_constraint_forces(const olo_system *system, const olo_state *state,
                                          const double *lambda, double *force);
/** @} */

/** Functions that are called during a run. Any of them may be NULL. A status other than OLO_OK
 * stops the run with that status. */
typedef struct olo_observer {
    int initialised; /**< set by olo_observer_default(); leave it */
    void *context;   /**< argument of all functions */
    /** `step` reads no reactions and no forces of prescribed motions. With energy-momentum these
     * are found at the end of each step only if an observer reads them, or else at the end of the
     * run: they may cost as much as an iteration of a step. */
    bool ignores_forces;
    /** Called with the initial state (step 0) and after every step. */
    olo_status (*step)(void *context, const olo_system *system, const olo_state *state, long step,
                       const olo_step_report *report, olo_error *error);
    /** Returns true to stop the run after this step; the status is then OLO_INTERRUPTED.
     * olo_find_equilibrium calls it in every iteration. */
    bool (*stop)(void *context);
    /** Called with a warning; at most once per kind of warning and run. */
    void (*warn)(void *context, const char *text);
    /** Called after an event of the model, with its name and the state at its time. */
    void (*event)(void *context, const char *name, const olo_state *state);
} olo_observer;

/** An observer without functions. */
OLO_API olo_observer olo_observer_default(void);

/** Limits how often another observer is called. For observers that are slow compared with a step,
 * such as a line of progress, or a callback in another language that decides whether to continue.
 */
typedef struct olo_throttle olo_throttle;
/** Copies `observer`. Its `step` and its `stop` are called at most once per `seconds`; all warnings
 * and events are passed on. Free with olo_throttle_free after the run. */
OLO_API olo_status olo_throttle_create(const olo_observer *observer, double seconds,
                                       olo_throttle **throttle, olo_error *error);
/** Frees; NULL is allowed. */
OLO_API void olo_throttle_free(olo_throttle *throttle);
/** The observer to pass to olo_simulate. The clock starts with this call: the first call of the
 * observer follows `seconds` later, not at the start of the run. */
OLO_API olo_observer olo_throttle_observer(olo_throttle *throttle);

/** What a run did. */
typedef struct olo_run_summary {
    long steps;              /**< completed steps */
    long iterations;         /**< Newton iterations, all attempts */
    long halvings;           /**< number of times a step was halved */
    double cpu_seconds;      /**< processor time of all threads */
    double wall_seconds;     /**< elapsed time */
    double largest_rotation; /**< largest rotation of a body per step, rad */
    double start;            /**< time of the initial state */
    long rejections;         /**< with run.tolerance: steps that were rejected */
    double smallest_step;    /**< smallest accepted step */
    double largest_step;     /**< largest accepted step */
} olo_run_summary;

/** Runs from the time of the state to run->end with steps of run->step (the last one is shortened
 * to end there), or with steps that are chosen by run->tolerance. Observers are called in turn. The
 * state is advanced in place and valid also on failure. */
OLO_API olo_status olo_simulate(const olo_system *system, const olo_run *run, olo_state *state,
                                const olo_observer *observers, int observer_count,
                                olo_run_summary *summary, olo_error *error);

/** Continues an interrupted run, with the same bits as if it had not been interrupted. `state` is
 * the state after `summary->steps` steps from `summary->start`; the sums of the summary are
 * continued (olo_recorder_resume fills both). Observers are not called with the initial state
 * again. */
OLO_API olo_status olo_simulate_resume(const olo_system *system, const olo_run *run,
                                       olo_state *state, const olo_observer *observers,
                                       int observer_count, olo_run_summary *summary,
                                       olo_error *error);

#ifdef __cplusplus
}
#endif
#endif
