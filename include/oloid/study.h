/** @file
 *  Studies: several runs of one system that are compared. Convergence measures errors over the step
 *  size; a comparison measures cost and errors of the treatments of constraints.
 */
#ifndef OLOID_STUDY_H
#define OLOID_STUDY_H

#include "oloid/simulate.h"
#include "oloid/status.h"
#include "oloid/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The subject of a study. Everything it refers to must outlive the call. */
typedef struct olo_study {
    int initialised;          /**< set by olo_study_default(); leave it */
    const olo_system *system; /**< constant */
    const olo_state *start;   /**< initial state of every run; not changed */
    const olo_run *run;       /**< options of the runs, except those that the study varies */
    /** Called in every run that is not timed; may stop each. */
    const olo_observer *observers;
    int observer_count; /**< number of `observers` */
    /** Called before every run, for instance with "h = 0.01" or "reduced"; may be NULL. */
    void (*announce)(void *context, const char *what, const olo_run *run);
    void *context; /**< passed to `announce` */
    bool action;   /**< convergence: also measure action and largest velocity of every run */
} olo_study;
/** Without observers; system, start and run must be set. */
OLO_API olo_study olo_study_default(void);

/** @name Convergence
 *  @{ */
/** Relative errors |x - x_ref| / |x_ref| in the 2-norm of the configuration q, the momenta p = M v,
 * both together, z = (q, p), and the multipliers. NaN where there is nothing to compare.
 * Multipliers are those at the end time: for energy-momentum-2006, which has them at midpoints of
 * steps, the mean of the last step and the next; for variational those of the time node, which
 * follow from the next step. */
typedef struct olo_errors {
    double q;          /**< configuration */
    double p;          /**< momenta */
    double z;          /**< both together */
    double lambda;     /**< multipliers at the end */
    double tangential; /**< momenta tangential to the constraints */
    double
        lambda_step; /**< multipliers of the last step, at the time within it where they belong */
    double action;   /**< discrete action of the whole run, where it is measured */
} olo_errors;

/** The run with one step size, and its errors. */
typedef struct olo_convergence_row {
    double step;        /**< step that was used; it divides the time */
    long steps;         /**< number of steps */
    long iterations;    /**< Newton iterations of all steps */
    double cpu_seconds; /**< of the run */
    olo_errors error;   /**< at the end */
    olo_errors order;   /**< log(e'/e) / log(h'/h) with the previous row that did not fail */
    olo_error failure;  /**< why there are no errors; its status is OLO_OK if there are */
    double action;      /**< sum of h [1/2 v.M v - V(q_m)] with v = dq/h; NaN if not measured */
    double fastest; /**< largest |dq|/h of a step, all coordinates together; NaN if not measured */
} olo_convergence_row;

/** Summary of all rows. */
typedef struct olo_convergence_summary {
    double time;      /**< at which errors are measured: run.end */
    double reference; /**< step of the reference run; 0: the model's exact solution */
    bool
        whole; /**< the reference is a complete state; otherwise q has the points of `exact` only */
    double start_error; /**< exact solution: its relative distance from the initial state, of z if
                           `whole` */
    olo_errors slope;   /**< order by a least-squares line of log e over log h */
    int rows;           /**< number of rows that were computed */
    double action;      /**< of the reference run; NaN if not measured */
    double fastest;     /**< largest velocity of the reference run; NaN if not measured */
} olo_convergence_summary;

/** Runs to run.end with each of the `count` steps and measures the errors at the end, relative to a
 * run with the step `reference`, or to the model's exact solution if that is 0. A step that does
 * not divide the time is replaced by the nearest that does. The row of a run that fails has the
 * reason. Fails when the reference cannot be computed, and with OLO_INTERRUPTED when an observer
 * stops it: the rows so far are then valid. */
OLO_API olo_status olo_study_convergence(const olo_study *study, const double *steps, int count,
                                         double reference, olo_convergence_row *rows,
                                         olo_convergence_summary *summary, olo_error *error);
/** @} */

/** @name Comparison of treatments
 *  @{ */
/** A treatment of constraints as in olo_run. */
typedef struct olo_treatment_choice {
    const char *constraints; /**< its name */
    double penalty;          /**< where the treatment has one; 0: that of the run */
} olo_treatment_choice;

/** The run of one treatment, to run.end with run.step. */
typedef struct olo_comparison_row {
    olo_treatment_choice treatment; /**< the treatment */
    int unknowns;                   /**< number of unknowns of the Newton iteration */
    long steps;                     /**< number of complete steps */
    long iterations;                /**< Newton iterations of all steps */
    long halvings;                  /**< number of times a step was halved */
    long passes;                    /**< Newton solutions; more than one per step with augmented */
    double constraint_end;          /**< largest |g| at the end */
    double constraint_max;          /**< largest |g| over the run */
    double energy_drift;            /**< of the energy that the treatment conserves, relative */
    double momentum_drift; /**< the worst of the conserved momenta, relative; 0 if there are none */
    olo_errors difference; /**< of the final state, relative to that of the base */
    double largest_difference;   /**< of a coordinate */
    double cpu_seconds;          /**< of the run alone, the best of several */
    double cpu_ratio;            /**< to the base */
    olo_error failure;           /**< why the run failed, or OLO_OK */
    olo_error condition_failure; /**< why a condition number is missing, or OLO_OK */
} olo_comparison_row;

/** Setup of a comparison. */
typedef struct olo_comparison {
    int initialised;                        /**< set by olo_comparison_default(); leave it */
    const olo_treatment_choice *treatments; /**< one row each */
    int treatment_count;                    /**< number of `treatments` */
    const double *steps;                    /**< step sizes for condition numbers */
    int step_count;                         /**< number of `steps` */
    double at;                              /**< time of condition numbers; 0: first step */
    bool cpu;                               /**< measure processor time */
} olo_comparison;
/** Without condition numbers and processor times; treatments must be set. */
OLO_API olo_comparison olo_comparison_default(void);

/** Runs the study with each treatment. `rows` has one row per treatment, `conditions` has
 * treatment_count x step_count numbers, NaN where there is none. `base` receives the index of the
 * row with which the others are compared: "reduced" if it is included, otherwise the first run that
 * was completed; -1 if there is none. The row of a treatment that fails has the reason. Fails with
 * OLO_INTERRUPTED when an observer stops it: numbers that are not computed yet are then NaN. */
OLO_API olo_status olo_compare_treatments(const olo_study *study, const olo_comparison *setup,
                                          olo_comparison_row *rows, double *conditions, int *base,
                                          olo_error *error);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
