/** @file
 *  Optimal control: the controls that move a mechanism from its initial state to given conditions
 * at least cost, with the discrete mechanics of the scheme `variational` as constraints (DMOCC:
 *  Leyendecker, Ober-Bloebaum, Marsden and Ortiz 2010), or with that of `energy-momentum-2006`.
 *
 *      olo_problem problem = olo_problem_default();
 *      olo_problem_control torque = olo_problem_control_default();
 *      torque.name = "hinge";
 *      problem.controls = &torque;
 *      problem.control_count = 1;
 *      olo_problem_condition angle = olo_problem_condition_default();
 *      angle.quantity = "hinge.angle";
 *      angle.value = 1;
 *      problem.conditions = &angle;
 *      problem.condition_count = 1;
 *      olo_problem_cost effort = olo_problem_cost_default();
 *      problem.costs = &effort;
 *      problem.cost_count = 1;
 *      olo_optimum *optimum;
 *      olo_optimize(system, &problem, NULL, &optimum, &error);
 *
 *  Time is divided into intervals with a node at either end, equal ones unless a grid is given. A
 * control is constant over an interval and acts at its nodes. All numbers of a result are in the
 * units of the model.
 */
#ifndef OLOID_OPTIMIZE_H
#define OLOID_OPTIMIZE_H

#include <stdbool.h>

#include "oloid/status.h"
#include "oloid/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A control: it replaces the function of time of a load, or of the torque or force of a joint. The
 * load is that of the model times the control: a joint with `torque: 1` is driven by the control
 * itself. The name of a joint coordinate, "slide.angle", is the torque or force along it alone. */
typedef struct olo_problem_control {
    int initialised;
    const char *name; /**< of the load, joint or joint coordinate */
    const char
        *follows;  /**< instead of a control of its own: `factor` times this earlier control */
    double factor; /**< 1 */
    double lower, upper; /**< bounds; infinite: none */
    double rate;         /**< bound of the magnitude of its rate of change; infinite: none */
    double guess;        /**< initial value in all intervals */
} olo_problem_control;

/** A parameter of the model as a variable of the problem (design): a length, a mass, a stiffness.
 * Whatever depends on it, the initial state as well, follows. It needs `variants` in the problem.
 */
typedef struct olo_problem_parameter {
    int initialised;
    const char *name;    /**< of the parameter */
    double lower, upper; /**< bounds; infinite: none */
    double guess;        /**< initial value; NaN: that of the model */
} olo_problem_parameter;

/** The systems of a model at other values of its parameters (olo_model_variants). */
typedef struct olo_variants olo_variants;

/** A cost. The objective is the sum of all costs. */
typedef struct olo_problem_cost {
    int initialised;
    /** "effort": weight times the integral of the squares of controls; "duration": weight times the
     * duration; "start", "end", "path": weight times the quantity at the start or end, or its
     * integral. The integral is a sum over nodes or, of a quantity that depends on velocities, over
     * the middles of intervals. "parameter": weight times a parameter that is a variable, relative
     * to the target.
     */
    const char *type;
    double weight;         /**< 1 */
    const char *control;   /**< effort of this control only; NULL: of all */
    const char *quantity;  /**< as in a condition */
    const char *parameter; /**< of a cost "parameter" */
    double direction[3];
    double target; /**< the quantity is taken relative to this value */
    /** Targets that depend on time, or NULL: an expression of t; or a file with columns of numbers
     * between commas, as `oloid export --csv` writes it: names in the first line, times in the
     * first column, and the column `target_column` (default: the name of the quantity), between
     * whose rows values change linearly. A file needs a given duration. */
    const char *target_over_time;
    const char *target_file, *target_column;
    bool square; /**< the square of the quantity */
} olo_problem_cost;

/** A condition: bounds of a quantity, or the orientation of a body. */
typedef struct olo_problem_condition {
    int initialised;
    /** "end", "path" for all nodes after the first, or "start", of what is free there */
    const char *at;
    /** A quantity of the model, the same as in an olo_goal (oloid/derivatives.h). Along the path,
     * one that depends on velocities has its value at the middle of each interval. At the end,
     * such a quantity needs a free velocity there. */
    const char *quantity;
    double direction[3]; /**< of positions, velocities and momenta; default: along x */
    double value;        /**< the quantity has this value; NaN: it has bounds */
    double lower, upper; /**< bounds; infinite: none */
    const char *body;    /**< instead of a quantity: this body has the orientation `rotation` */
    double rotation[9];  /**< as in olo_body */
} olo_problem_condition;

/** A value of a joint coordinate, or of another quantity of the configuration, in the initial
 * guess. Quantities change linearly between their values in the guess; those that a condition fixes
 * at the end need no entry. */
typedef struct olo_problem_guess {
    int initialised;
    const char *coordinate;
    double value;
    double at; /**< part of the duration, above 0 and at most 1; default 1, the end */
} olo_problem_guess;

/** Refinement: while the fine re-simulation of the optimum is further away than the tolerance, the
 * problem is solved again with twice as many intervals, from the optimum and its multipliers. */
typedef struct olo_problem_refinement {
    int initialised;
    double tolerance; /**< of the largest distance at any node, and of the largest angle; 1e-3 */
    int most;         /**< most intervals; 3200 */
} olo_problem_refinement;

/** Weights of feedback gains along the optimum (oloid/feedback.h), all 1 by default: of squares of
 * displacements and velocities times masses, along the path and at the end, and of controls. */
typedef struct olo_problem_feedback {
    int initialised;
    double position, velocity;         /**< integrated over time */
    double end_position, end_velocity; /**< at the end */
    double control;                    /**< of the squares of controls, integrated over time */
} olo_problem_feedback;

/** A problem. */
typedef struct olo_problem {
    int initialised;
    int control_count;
    const olo_problem_control *controls;
    int parameter_count;
    const olo_problem_parameter *parameters;
    /** The systems with other values of these parameters; those of the given system and its other
     * parameters are those of the model. Set in the problem of a model file */
    const olo_variants *variants;
    int cost_count;
    const olo_problem_cost *costs;
    int condition_count;
    const olo_problem_condition *conditions;
    int guess_count;
    const olo_problem_guess *guesses;
    int intervals; /**< 50 */
    /** Lengths of the intervals relative to each other, whose number is that of the intervals;
     * 0: equal intervals */
    int grid_count;
    const double *grid;
    double grading;           /**< 1; each interval is so many times as long as the one before */
    double duration;          /**< 1; the initial guess of a free duration */
    double shortest, longest; /**< bounds of a free duration; both 0: it is given */
    /** "rest" or "free": at no velocity, or at any that the conditions permit */
    const char *end_velocity;
    /** "given": that of the model; or "free": any that the constraints and conditions permit. A
     * free configuration needs rest or a free velocity at the start */
    const char *start_configuration, *start_velocity;
    /** Initial guess of the motion: "interpolated" (default) between values of quantities; "rest",
     * the initial configuration; "run", the motion of the model as it is, with its loads and
     * controllers, which are no controls yet */
    const char *guess;
    /** Initial guess: configurations of `motion_count` states at ascending times, n numbers each,
     * for example of a result; NULL: as `guess` says */
    const double *motion, *motion_times;
    int motion_count;
    /** With it, controls over the times between these states: a row of `motion_control_count`
     * numbers for each, with the names of their loads, joints or joint coordinates. Other controls
     * have the values in `controls`. NULL: none */
    const double *motion_controls;
    const char *const *motion_control_names;
    int motion_control_count;
    /** A result file as initial guess; olo_result_read_guess (oloid/results.h) reads it into the
     * members above. NULL: none */
    const char *guess_file;
    /** Whether the controls of the initial guess are those that balance its motion best, instead of
     * the values in `controls` */
    bool inverse_dynamics;
    /** Initial guess: the motion, controls and multipliers of another optimum of the same system
     * with the same controls, with any number of intervals, instead of the above; NULL: none */
    const struct olo_optimum *start;
    /** With it: the solver begins with the multipliers of that optimum, too, if it has the same
     * transcription and conditions. For a start that is near the optimum. */
    bool warm;
    double shift; /**< with it: the motion begins this time after its initial state */
    /** The initial state instead of that of the model; NULL: that of the model */
    const olo_state *initial;
    int refinement_count; /**< 0 or 1 */
    const olo_problem_refinement *refine;
    int feedback_count; /**< 0 or 1: whoever solves the problem also computes gains */
    const olo_problem_feedback *feedback;
    /** Random change of the motion of the initial guess between its ends: of angles in radians, of
     * lengths relative to the size of the motion; 0: none. The same seed gives the same change. */
    double spread;
    unsigned long long seed; /**< 1 */
    /** Linear solver of the solver: "mumps", or another one that Ipopt was built with or finds:
     * "ma27", "ma57", "ma77", "ma86", "ma97", "pardiso", "pardisomkl", "spral", "wsmp" */
    const char *linear_solver;
    /** "reduced": joint coordinates around the initial guess are the variables, with multipliers of
     * the rows that close loops; "redundant": directors and all multipliers, where everything is
     * polynomial and sparse */
    const char *transcription;
    /** The discrete mechanics: "variational", or "energy-momentum-2006", in which the change of the
     * energy over each interval is exactly the work of the controls; it needs "redundant" */
    const char *scheme;
    double tolerance; /**< of the solver, 1e-10 */
    int iterations;   /**< most iterations of the solver, 1000; again after each saddle point */
    double seconds;   /**< the solver ends after this time; infinite: no limit */
    /** A stationary point may be a saddle point. Then the solver continues from a point beside it,
     * along the direction of negative curvature, at most so many times; 0: never. Default 5. */
    int saddles;
} olo_problem;

/** Defaults of the structs above. */
OLO_API olo_problem_control olo_problem_control_default(void);
OLO_API olo_problem_parameter olo_problem_parameter_default(void);
OLO_API olo_problem_cost olo_problem_cost_default(void);
OLO_API olo_problem_condition olo_problem_condition_default(void);
OLO_API olo_problem_guess olo_problem_guess_default(void);
OLO_API olo_problem_refinement olo_problem_refinement_default(void);
OLO_API olo_problem_feedback olo_problem_feedback_default(void);
OLO_API olo_problem olo_problem_default(void);

/** An iteration of the solver. */
typedef struct olo_optimize_progress {
    int iteration;
    double cost;         /**< objective */
    double violation;    /**< largest violation of a constraint */
    double stationarity; /**< residual of the conditions of optimality */
    bool restoring;      /**< the solver looks for a point that satisfies the constraints */
} olo_optimize_progress;

/** Observes a solution; returns false to stop it. */
typedef struct olo_optimize_observer {
    bool (*iteration)(void *context, const olo_optimize_progress *progress);
    void *context;
} olo_optimize_observer;

/** Checks names, bounds and numbers of a problem without solving it. */
OLO_API olo_status olo_problem_check(const olo_system *system, const olo_problem *problem,
                                     olo_error *error);

/** Whether the library was built with a solver. */
OLO_API bool olo_optimize_available(void);

/** The point at which a solution ended. */
typedef struct olo_optimum olo_optimum;
/** Gains along an optimum, with its states and inputs (oloid/feedback.h). They refer to nothing
 * else. */
typedef struct olo_feedback olo_feedback;

/** How a solution ended. */
typedef enum olo_optimum_status {
    OLO_OPTIMUM_SOLVED,     /**< to the tolerance */
    OLO_OPTIMUM_NEARLY,     /**< as far as rounding permits */
    OLO_OPTIMUM_INFEASIBLE, /**< at a point where the violation of constraints has a local minimum
                             */
    OLO_OPTIMUM_UNBOUNDED,
    OLO_OPTIMUM_STOPPED, /**< by the observer */
    OLO_OPTIMUM_LIMIT,   /**< of iterations or time */
    OLO_OPTIMUM_FAILED   /**< no further progress */
} olo_optimum_status;

/** What a stationary point is, by the eigenvalues of the reduced Hessian. */
typedef enum olo_second_order {
    OLO_POINT_UNKNOWN,   /**< they were not evaluated */
    OLO_POINT_MINIMUM,   /**< all are positive: a strict local minimum */
    OLO_POINT_SADDLE,    /**< some are negative: the cost decreases along their directions */
    OLO_POINT_DEGENERATE /**< some are zero: higher orders decide */
} olo_second_order;

/** "unknown", "minimum", "saddle" or "degenerate" */
OLO_API const char *olo_second_order_name(olo_second_order second_order);

/** What is checked of an optimum, independently of the solver. */
typedef struct olo_certificate {
    int variables, constraints; /**< size of the problem that was solved */
    /** The same by the rules of the source (Leyendecker 2011, 5.4), which count all controls and
     * boundary data: (2N + 1) r and (N + 3) r without multipliers, r = n - m, and
     * N (2n + m) + n and (N - 1)(n + m) + 4n with them, m the number of independent constraints; a
     * free duration is one more variable. */
    int rule_variables, rule_constraints;
    int rule_multiplier_variables, rule_multiplier_constraints;
    double violation;       /**< largest violation of a constraint or bound */
    double stationarity;    /**< largest entry of grad f + A^T y + z */
    double complementarity; /**< largest |z (x - bound)| and |y (c - bound)| */
    double sign;            /**< largest multiplier of the wrong sign */
    /** Largest change of a conserved momentum over the motion; 0 if there is none. */
    double momentum;
    int conserved; /**< number of momenta that nothing in the problem can change */
    /** Largest defect of the momentum balance of an interval: the change of linear momentum, and of
     * angular momentum about the origin, less the impulses of gravity, loads, controls and
     * supports, in N s and N m s; and the largest changes. Forces between bodies have no part in
     * it. */
    double linear_balance, angular_balance;
    double linear_change, angular_change;
    olo_second_order second_order;
    bool minimum; /**< the point is a strict local minimum */
    /** Negative and zero eigenvalues of the reduced Hessian, that of the Lagrangian in directions
     * along which the active constraints do not change; -1: not evaluated. */
    int negative, zero;
    int active; /**< number of active constraints */
    /** Largest rotation of a body over an interval, in radians. A run takes steps of less than a
     * quarter turn: beyond that it may go another way with the same controls. */
    double turn;
    char worst[160]; /**< the constraint that is violated most, where and when */
} olo_certificate;

/** Solves a problem from its initial guess. The system must outlive the optimum. A solution that
 * ends without success is not an error: the optimum says how it ended and has the best point: of
 * those that satisfy the constraints the one of least cost, if there are none the last one. Fails
 * if a name is not known, if the system has no such problem, or without a solver. */
OLO_API olo_status olo_optimize(const olo_system *system, const olo_problem *problem,
                                const olo_optimize_observer *observer, olo_optimum **optimum,
                                olo_error *error);
/** Frees an optimum; NULL is allowed. */
OLO_API void olo_optimum_free(olo_optimum *optimum);

OLO_API olo_optimum_status olo_optimum_ended(const olo_optimum *optimum);
/** A sentence that says how the solution ended. */
OLO_API const char *olo_optimum_explanation(const olo_optimum *optimum);
OLO_API double olo_optimum_cost(const olo_optimum *optimum);
OLO_API double olo_optimum_duration(const olo_optimum *optimum);
OLO_API int olo_optimum_intervals(const olo_optimum *optimum);
OLO_API int olo_optimum_iterations(const olo_optimum *optimum);
/** Seconds in total; seconds of the processor in total, and in the functions of this library. */
OLO_API double olo_optimum_seconds(const olo_optimum *optimum);
OLO_API double olo_optimum_cpu_seconds(const olo_optimum *optimum);
OLO_API double olo_optimum_own_seconds(const olo_optimum *optimum);
/** Whether the motion begins at another state than that of the model: its configuration or velocity
 * was a variable, or the problem had `initial`. */
OLO_API bool olo_optimum_has_other_start(const olo_optimum *optimum);
/** Whether all intervals have the same length, to rounding. */
OLO_API bool olo_optimum_has_equal_intervals(const olo_optimum *optimum);
/** The time of a node after the start. */
OLO_API double olo_optimum_time(const olo_optimum *optimum, int node);
/** The scheme of the problem, whose steps are those of the optimum. */
OLO_API const char *olo_optimum_scheme(const olo_optimum *optimum);
/** The controls of an interval, and the configuration and the constraint multipliers of a node.
 * They live as long as the optimum. With energy-momentum-2006 the multipliers are those over the
 * interval that begins at the node. */
OLO_API const double *olo_optimum_controls(const olo_optimum *optimum, int interval);
OLO_API const double *olo_optimum_configuration(const olo_optimum *optimum, int node);
OLO_API const double *olo_optimum_multipliers(const olo_optimum *optimum, int node);
/** The parameters that are variables: their number, names and values at the optimum. */
OLO_API int olo_optimum_parameter_count(const olo_optimum *optimum);
OLO_API const char *olo_optimum_parameter_name(const olo_optimum *optimum, int parameter);
OLO_API double olo_optimum_parameter(const olo_optimum *optimum, int parameter);
/** The system at the optimum: with these values of the parameters. It lives as long as the optimum;
 * without such parameters it is the given one. */
OLO_API const olo_system *olo_optimum_system(const olo_optimum *optimum);
/** The driven loads and joints: their number, names, and values over an interval. Elements that
 * follow a control have its value times their factor. */
OLO_API int olo_optimum_input_count(const olo_optimum *optimum);
OLO_API const char *olo_optimum_input_name(const olo_optimum *optimum, int input);
OLO_API double olo_optimum_input(const olo_optimum *optimum, int input, int interval);
/** Bounds of the values of an input; infinite: none. */
OLO_API void olo_optimum_input_bounds(const olo_optimum *optimum, int input, double *lower,
                                      double *upper);
/** The parts of the cost: the effort of each control, the duration, and the quantities at the end
 * and along the path together. Parts that the problem does not have are omitted. Returns their
 * number; `name` and `value` describe part i. */
OLO_API int olo_optimum_cost_part_count(const olo_optimum *optimum);
OLO_API const char *olo_optimum_cost_part_name(const olo_optimum *optimum, int part);
OLO_API double olo_optimum_cost_part(const olo_optimum *optimum, int part);
/** The iterations of the solver, beginning with the initial guess. */
OLO_API int olo_optimum_progress_count(const olo_optimum *optimum);
OLO_API olo_optimize_progress olo_optimum_progress(const olo_optimum *optimum, int index);
/** A saddle point at which the solver ended. */
typedef struct olo_saddle {
    double cost;
    int negative;     /**< number of negative eigenvalues of the reduced Hessian */
    double curvature; /**< the lowest one, in units of the solver; 0: not evaluated */
    bool left; /**< the solver found a stationary point of less cost from beside it; otherwise the
                  optimum is the saddle point */
} olo_saddle;
/** The saddle points at which the solver ended, in their order. */
OLO_API int olo_optimum_saddle_count(const olo_optimum *optimum);
OLO_API olo_saddle olo_optimum_saddle(const olo_optimum *optimum, int index);
/** Sets a state of the system to a node: its time, configuration, joint angles, and the velocities
 * of its momentum, projected to the constraints; with energy-momentum-2006 the velocities of the
 * scheme. */
OLO_API olo_status olo_optimum_get_state(const olo_optimum *optimum, int node, olo_state *state,
                                         olo_error *error);
/** Writes the inputs as CSV: start and end of each interval, then a column per driven element. */
OLO_API olo_status olo_optimum_write_csv(const olo_optimum *optimum, const char *path,
                                         olo_error *error);
/** How far the motion of an optimum is from one with small steps and the same controls. */
typedef struct olo_resimulation {
    int substeps;        /**< steps per interval */
    double position;     /**< largest distance of a point or body at any node */
    double rotation;     /**< largest angle of a body at any node, in radians */
    double end_position; /**< the same at the end */
    double end_rotation;
} olo_resimulation;

/** Simulates the motion with the found controls and `substeps` steps per interval, of the scheme of
 * the problem. The error of the discrete motion is of order 2: with 32 substeps the result is the
 * distance from the continuous motion up to a thousandth of it. Fails if a step fails. */
OLO_API olo_status olo_optimum_resimulate(const olo_optimum *optimum, int substeps,
                                          olo_resimulation *resimulation, olo_error *error);
/** A level of a refinement. */
typedef struct olo_refinement_level {
    int intervals, iterations;
    double cost, seconds;
    double position, rotation; /**< of the fine re-simulation; NaN: it failed */
} olo_refinement_level;
/** The levels of the refinement that led to this optimum, the last one its own; none without. */
OLO_API int olo_optimum_level_count(const olo_optimum *optimum);
OLO_API olo_refinement_level olo_optimum_level(const olo_optimum *optimum, int index);
/** Checks the optimum independently of the solver. */
OLO_API olo_status olo_optimum_certify(const olo_optimum *optimum, olo_certificate *certificate,
                                       olo_error *error);

#ifdef __cplusplus
}
#endif

#endif
