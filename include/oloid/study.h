/** @file Studies: several runs of one system, and what they say together. How errors fall with the
 * step, and what the treatments of constraints cost and keep.
 */
#ifndef OLOID_STUDY_H
#define OLOID_STUDY_H

#include "oloid/simulate.h"
#include "oloid/status.h"
#include "oloid/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What is studied. Everything must outlive the call. */
typedef struct olo_study {
    int initialised;          /**< set by olo_study_default(); leave it */
    const olo_system *system; /**< constant */
    const olo_state *start;   /**< where every run begins; not changed */
    const olo_run *run;       /**< how to run, but for what the study varies */
    /** See every run that is not timed, and may stop each. */
    const olo_observer *observers;
    int observer_count; /**< number of `observers` */
    /** Called before every run, for instance with "h = 0.01" or "reduced"; may be NULL. */
    void (*announce)(void *context, const char *what, const olo_run *run);
    void *context; /**< handed to `announce` */
    bool action;   /**< convergence: measure action and largest velocity of every run, too */
} olo_study;
/** Without observers; system, start and run are to be given. */
OLO_API olo_study olo_study_default(void);

/** @name Convergence
 *  @{ */
/** Relative errors |x - x_ref| / |x_ref| in the 2-norm of the configuration q, the momenta p = M
 * v, both together, z = (q, p), and the multipliers. NaN where there is nothing to compare.
 * Multipliers are those at the end itself: with energy-momentum, where they belong to the middles
 * of steps, the mean of the last step and the next, with variational those of the node, which the
 * next step knows. */
typedef struct olo_errors {
    double q;           /**< configuration */
    double p;           /**< momenta */
    double z;           /**< both together */
    double lambda;      /**< multipliers at the end */
    double tangential;  /**< momenta tangential to the constraints */
    double lambda_step; /**< multipliers of the last step, wherever in it they belong */
    double action;      /**< discrete action of the whole run, where it is measured */
} olo_errors;

/** The run with one step size. */
typedef struct olo_convergence_row {
    double step;        /**< as taken, dividing the time */
    long steps;         /**< how many */
    long iterations;    /**< of Newton, all steps */
    double cpu_seconds; /**< of the run */
    olo_errors error;   /**< at the end */
    olo_errors order;   /**< log(e'/e) / log(h'/h) against the row before that did not fail */
    olo_error failure;  /**< why there are no errors; its status is OLO_OK if there are */
    double action;      /**< sum of h [1/2 v.M v - V(q_m)] with v = dq/h; NaN if not measured */
    double fastest; /**< largest |dq|/h of a step, all coordinates together; NaN if not measured */
} olo_convergence_row;

/** What the rows say together. */
typedef struct olo_convergence_summary {
    double time;      /**< at which errors are taken: run.end */
    double reference; /**< step of the reference run; 0: the model's exact solution */
    bool whole; /**< the reference is a whole state; else q is the points that `exact` names */
    double start_error; /**< exact solution: its relative distance from the start (whole: of z) */
    olo_errors slope;   /**< least-squares slope of log e over log h */
    int rows;           /**< how many were computed */
    double action;      /**< of the reference run; NaN if not measured */
    double fastest;     /**< likewise */
} olo_convergence_summary;

/** Runs to run.end with each of the `count` steps and measures the error there, against a run with
 * the step `reference`, or the model's exact solution if that is 0. A step that does not divide the
 * time is replaced by the nearest that does. A run that fails is a row with its reason. Fails when
 * the reference cannot be computed, and with OLO_INTERRUPTED when an observer stops it: the rows so
 * far are then valid. */
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

/** What one treatment did in the run of the study, to run.end with run.step. */
typedef struct olo_comparison_row {
    olo_treatment_choice treatment; /**< which */
    int unknowns;                   /**< that Newton solves for */
    long steps;                     /**< complete ones */
    long iterations;                /**< of Newton, all steps */
    long halvings;                  /**< how often a step was split in halves */
    long passes;           /**< solutions by Newton, more than one per step with augmented */
    double constraint_end; /**< largest |g| at the end */
    double constraint_max; /**< largest |g| over the run */
    double energy_drift;   /**< of the energy that the treatment conserves, relative */
    double momentum_drift; /**< the worst of the conserved momenta, relative; 0 if there are none */
    olo_errors difference; /**< of the final state, relative to that of the base */
    double largest_difference;   /**< of a coordinate */
    double cpu_seconds;          /**< of the run alone, the best of several */
    double cpu_ratio;            /**< to the base */
    olo_error failure;           /**< why the run did not come to its end, or OLO_OK */
    olo_error condition_failure; /**< why a condition number is missing, or OLO_OK */
} olo_comparison_row;

/** What is compared. */
typedef struct olo_comparison {
    int initialised;                        /**< set by olo_comparison_default(); leave it */
    const olo_treatment_choice *treatments; /**< a row each */
    int treatment_count;                    /**< number of `treatments` */
    const double *steps;                    /**< for which condition numbers are wanted */
    int step_count;                         /**< number of `steps` */
    double at;                              /**< time at which; 0: in the first step */
    bool cpu;                               /**< measure processor time */
} olo_comparison;
/** Without condition numbers and processor times; treatments are to be given. */
OLO_API olo_comparison olo_comparison_default(void);

/** Runs the study with each treatment. `rows` has one per treatment, `conditions` treatment_count x
 * step_count numbers, NaN where there is none. `base` gets the row that the others are compared
 * with: "reduced" if it is there, else the first that came to its end; -1 if none did. A treatment
 * that fails is a row with its reason. Fails with OLO_INTERRUPTED when an observer stops it: what
 * is not computed yet is then NaN. */
OLO_API olo_status olo_compare_treatments(const olo_study *study, const olo_comparison *setup,
                                          olo_comparison_row *rows, double *conditions, int *base,
                                          olo_error *error);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
