/** @file Derivatives of runs: how a step, or any functional of a whole run, changes with the state
 * it starts from, exact to round-off. Forward (one direction, all results) and adjoint (one result,
 * all directions).
 *
 *      olo_goal goal = olo_goal_default();
 *      goal.quantity = "tip.position";
 *      goal.direction[2] = 1;
 *      goal.end = 1;
 *      olo_functional J = olo_functional_default();
 *      J.goals = &goal;
 *      J.goal_count = 1;
 *      olo_derivatives *d;
 *      olo_derivatives_create(system, olo_model_run(model), &d, &error);
 *      olo_gradient g = olo_gradient_default();
 *      g.q = gq;
 *      g.v = gv;
 *      olo_derivatives_compute_gradient(d, start, &J, &g, &error);       g.value, and gq, gv of n
 * numbers
 *
 * A variation of a state has the form of a state: dq and dv, n numbers each. It satisfies the
 * constraints to first order: G dq = 0, and G v stays. olo_derivatives_project makes one of any
 * numbers. A gradient, as it is returned, is that with respect to any numbers, with what leaves the
 * constraints taken away in the same way: along an admissible variation the derivative is g.q . dq
 * + g.v . dv.
 *
 * Where something rolls, admissible displacements are those that roll; forward takes any that keeps
 * the contact.
 *
 * Steps are made with `reduced` constraints, also where the run has `multipliers`, `projected` or
 * `minimal`, which make the same steps to round-off. Refused, with the reason: `penalty` and
 * `augmented`, which are other systems; forces that C functions give. Where Newton had to halve a
 * step the derivative is that of the halves. Where run.tolerance chooses steps it is that of the
 * steps it has chosen: how their sizes would change is no part of it.
 */
#ifndef OLOID_DERIVATIVES_H
#define OLOID_DERIVATIVES_H

#include <stddef.h>

#include "oloid/simulate.h"
#include "oloid/status.h"
#include "oloid/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The workspace of one thread: steppers, checkpoints, the linearised step. */
typedef struct olo_derivatives olo_derivatives;

/** For runs of `run`, which is copied but for its texts. Refers to the system, which must outlive
 * it. Fails with OLO_UNSUPPORTED where there are no derivatives. */
OLO_API olo_status olo_derivatives_create(const olo_system *system, const olo_run *run,
                                          olo_derivatives **derivatives, olo_error *error);
/** Frees a workspace; NULL is allowed. */
OLO_API void olo_derivatives_free(olo_derivatives *derivatives);
/** The system it was created for. */
OLO_API const olo_system *olo_derivatives_system(const olo_derivatives *derivatives);

/** @name One step
 *  @{ */
/** Advances the state by h as olo_stepper_step does, and keeps the linearised step. */
OLO_API olo_status olo_derivatives_step(olo_derivatives *derivatives, olo_state *state, double h,
                                        olo_error *error);
/** d(q1, v1) = A d(q0, v0): a variation of the start of the last step becomes that of its end. In
 * place. */
OLO_API olo_status olo_derivatives_apply_step(olo_derivatives *derivatives, double *dq, double *dv,
                                              olo_error *error);
/** A^T: the derivative of something with respect to the end of the last step becomes that with
 * respect to its start. In place. */
OLO_API olo_status olo_derivatives_apply_step_transposed(olo_derivatives *derivatives, double *gq,
                                                         double *gv, olo_error *error);
/** The admissible variation of a state next to given numbers, in the metric of the mass. In place.
 */
OLO_API olo_status olo_derivatives_project(olo_derivatives *derivatives, const olo_state *state,
                                           double *dq, double *dv, olo_error *error);

/** The linearised step in canonical coordinates of the constrained phase space, x' = A x:
 * positions and momenta in bases of the tangent spaces at start and end that are orthonormal in the
 * metric of the mass, momenta times h. */
typedef struct olo_step_map {
    int initialised; /**< set by olo_step_map_default(); leave it */
    int dofs;        /**< f; A is 2 f x 2 f */
    double *matrix;  /**< A, row-major, if it is not NULL: room for it, from the caller */
    double defect;   /**< largest entry of A^T J A - J over the largest of 1 and A squared: 0 is
                        symplectic */
    double volume;   /**< |det A| - 1 */
    double largest;  /**< modulus of the largest eigenvalue of A ... */
    double smallest; /**< ... and of the smallest */
} olo_step_map;
/** Without room for the matrix. */
OLO_API olo_step_map olo_step_map_default(void);
/** Advances the state by h and computes what the map of this step does to areas, volume and
 * directions. Dense: for systems of up to 1000 degrees of freedom. What energy-momentum leaves of
 * velocities normal to the constraints is not seen. */
OLO_API olo_status olo_derivatives_compute_step_map(olo_derivatives *derivatives, olo_state *state,
                                                    double h, olo_step_map *map, olo_error *error);
/** @} */

/** @name Controls
 *  Numbers that are constant over a step and may differ from step to step.
 *  @{ */
/** Names what is controlled: loads, and joints with a torque, force or controller. In every step a
 * control stands for the function of time of its element: the factor of a load, torque or force,
 * the target of a controller. `values` are `count` numbers for each of `steps` steps, step by step;
 * they are not copied and may change between runs. A count of 0 ends control. */
OLO_API olo_status olo_derivatives_set_controls(olo_derivatives *derivatives,
                                                const char *const *names, int count,
                                                const double *values, long steps, olo_error *error);
/** @} */

/** @name Steps
 *  @{ */
/** The sizes of the steps of all runs from now on, instead of run.step, run.end and run.tolerance:
 * a run ends where they do. They are copied. A count of 0 ends it. So a run can be repeated with
 * the very steps that a tolerance has chosen, and controls have steps there. */
OLO_API olo_status olo_derivatives_set_step_sizes(olo_derivatives *derivatives, const double *sizes,
                                                  long count, olo_error *error);
/** How many steps the last run had, and their sizes, unless `sizes` is NULL. */
OLO_API long olo_derivatives_step_sizes(const olo_derivatives *derivatives, double *sizes);
/** An observer of all runs: it sees every step, also those that are made again, and on the way back
 * every state, with falling numbers. It may stop the computation; the status is then
 * OLO_INTERRUPTED. With
 * run.tolerance the run is made once before, to find the steps. Copied; NULL: nobody. */
OLO_API olo_status olo_derivatives_set_observer(olo_derivatives *derivatives,
                                                const olo_observer *observer, olo_error *error);
/** @} */

/** @name Parameters
 *  @{ */
/** How all that a model compiles to, and its start, change with one of its parameters: masses,
 * inertias, stiffnesses, damping, lengths, positions of joints, sections of beams, loads, gains,
 * gravity, functions of time, motions, initial positions and velocities. */
typedef struct olo_parameter_derivative olo_parameter_derivative;
/** Differentiates the expressions of the model exactly and compiles it again with some numbers
 * along these derivatives (8 times as a rule, more where it turns with the parameter). Coefficients
 * that are numbers of the model have their derivatives to round-off, all others to about 1e-14.
 * Fails with OLO_UNSUPPORTED where the parameter is in a table over time or in the energy of a
 * spring, redefines a joint coordinate along which something acts, or changes what the model
 * consists of. The model must have been read from a file or text. Free with
 * olo_parameter_derivative_free. */
OLO_API olo_status olo_parameter_derivative_create(const olo_model *model, const char *parameter,
                                                   olo_parameter_derivative **change,
                                                   olo_error *error);
/** Frees a change; NULL is allowed. */
OLO_API void olo_parameter_derivative_free(olo_parameter_derivative *change);
/** Where `run->start` is an equilibrium: takes how the start changes with parameters from the
 * start of the model to the equilibrium that olo_prepare_initial_state has found, `start`, by K dq
 * = -dr/dp. Leaves changes alone where a run begins as it is given. Fails with OLO_SINGULAR where
 * the equilibrium is neutral. */
OLO_API olo_status olo_differentiate_equilibrium(const olo_system *system, const olo_run *run,
                                                 const olo_state *start,
                                                 olo_parameter_derivative *const *changes,
                                                 int count, olo_error *error);
/** Names the parameters with respect to which derivatives are taken. The changes are those of the
 * model of the system and are not copied. The start of a run is then taken to be the model's own,
 * which moves with them; where it is an equilibrium olo_differentiate_equilibrium says how. A
 * count of 0 ends it. */
OLO_API olo_status olo_derivatives_set_parameters(olo_derivatives *derivatives,
                                                  const olo_parameter_derivative *const *changes,
                                                  int count, olo_error *error);
/** @} */

/** @name Functionals of a run J = end(x_N) + integral of running(x(t)) dt. The integral is taken
 * by the trapezoidal rule over the parts of which steps are composed, some of which go back in
 * time: this has the order of the steps, 2, 4 or 6 (run.order), and with run.tolerance the accuracy
 * of the path. Derivatives are exactly those of this sum. What is under the integral must be smooth
 * for that; it is evaluated 1, 5 or 9 times per step of order 2, 4 or 6 (3 times with run.tolerance
 * and order 2). @{ */
/** A term of J: f = a quantity of the model, or half the square of its distance from a target. */
typedef struct olo_goal {
    int initialised; /**< set by olo_goal_default(); leave it */
    /** "tip.position" or "tip.velocity" of an output, along `direction`; "hinge.angle" of a joint
     * coordinate, "hinge.angle.rate" its rate; "kinetic", "potential" (with strain) or "energy",
     * both. */
    const char *quantity;
    double direction[3]; /**< of positions and velocities */
    bool squared;        /**< f = 1/2 (quantity - target)^2, else f = quantity */
    double target;       /**< of `squared` */
    double end;          /**< weight of f at the end */
    double running;      /**< weight of the integral of f over time */
    /** Expressions of t, or NULL: a factor of `running`, "if(t < 1, 0, 1)"; and the target of
     * `squared` as it moves, "sin(2*t)". */
    const char *factor_over_time;
    const char *target_over_time; /**< instead of `target` */
} olo_goal;
/** Weights zero; the quantity, a weight and of positions and velocities a direction are to be
 * given. */
OLO_API olo_goal olo_goal_default(void);

/** A functional of a run: the sum of goals and of functions in C, any of which may be absent. */
typedef struct olo_functional {
    int initialised;       /**< set by olo_functional_default(); leave it */
    const olo_goal *goals; /**< `goal_count` of them */
    int goal_count;        /**< 0: none */
    void *context;         /**< handed to both functions */
    /** Value at a state; *adds* its derivatives with respect to q and v to n numbers each unless
     * they are NULL. */
    double (*end)(void *context, const olo_system *system, const olo_state *state, double *gq,
                  double *gv);
    /** The same under the integral. */
    double (*running)(void *context, const olo_system *system, const olo_state *state, double *gq,
                      double *gv);
    /** What controls cost: J gets h times this for every step. `u` are the controls of the step
     * that starts at t; *adds* the derivatives to `gu` unless it is NULL. */
    double (*effort)(void *context, double t, const double *u, double *gu);
} olo_functional;
/** J = 0: goals or functions are to be given. */
OLO_API olo_functional olo_functional_default(void);

/** What a gradient gives; arrays belong to the caller and may be NULL. */
typedef struct olo_gradient {
    int initialised;    /**< set by olo_gradient_default(); leave it */
    double value;       /**< J */
    double *q;          /**< [n] dJ with respect to the configuration of the start */
    double *v;          /**< [n] ... to its velocity */
    double *controls;   /**< [steps x controls] ... to every control of every step */
    double *parameters; /**< [parameters] ... to the parameters */
    long steps;         /**< of the run */
    long again;         /**< how many of these were made again, from checkpoints */
} olo_gradient;
/** No array: only the value is wanted. */
OLO_API olo_gradient olo_gradient_default(void);

/** Runs from `start`, which stays, to run.end as olo_simulate does, and gives J with its gradient
 * by the adjoint: at a cost of two to three runs, whatever the number of coordinates, parameters
 * and controls, and one more with checkpoints or with run.tolerance. Fails as a run does. */
OLO_API olo_status olo_derivatives_compute_gradient(olo_derivatives *derivatives,
                                                    const olo_state *start,
                                                    const olo_functional *functional,
                                                    olo_gradient *gradient, olo_error *error);
/** How much memory a gradient may take for steps that it keeps, in bytes; 256 MiB by default.
 * Beyond it there are checkpoints, about sqrt(2 steps) of them, and steps between two of them are
 * made again. */
OLO_API void olo_derivatives_set_memory(olo_derivatives *derivatives, size_t bytes);

/** What varies, forward. */
typedef struct olo_direction {
    int initialised; /**< set by olo_direction_default(); leave it */
    double
        *q; /**< [n] with v an admissible variation of the start, which becomes that of the end */
    double *v;                /**< [n] */
    const double *controls;   /**< [steps x controls] of all controls; NULL: none */
    const double *parameters; /**< [parameters] of these, beside q and v, which are then without
                                 them; NULL: none */
} olo_direction;
/** Nothing varies; q and v are to be given. */
OLO_API olo_direction olo_direction_default(void);

/** The same forward, along one direction: J and its derivative. Needs no memory but for one step.
 * Either of `value` and `derivative` may be NULL. */
OLO_API olo_status olo_derivatives_compute_forward(olo_derivatives *derivatives,
                                                   const olo_state *start,
                                                   const olo_functional *functional,
                                                   olo_direction *direction, double *value,
                                                   double *derivative, olo_error *error);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
