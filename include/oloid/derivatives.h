/** @file
 *  Derivatives of runs: of a step, or of any functional of a whole run, with respect to the initial
 *  state, controls and parameters, exact to round-off. Forward mode (one direction, all results)
 *  and adjoint mode (one result, all directions).
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
 *      olo_derivatives_compute_gradient(d, start, &J, &g, &error);
 *
 *  The gradient is then in g.value, gq[n] and gv[n].
 *
 * A variation of a state has the form of a state: dq and dv, n numbers each. It satisfies the
 * constraints to first order: G dq = 0, and G v does not change. olo_derivatives_project projects
 * any numbers to an admissible variation. A returned gradient has been projected in the same way:
 * along an admissible variation the derivative is g.q . dq + g.v . dv.
 *
 * With rolling joints, admissible displacements are rolling ones; forward mode accepts all
 * displacements that preserve the contact.
 *
 * Steps are computed with the treatment `reduced`, also if the run has `multipliers`, `projected`
 * or `minimal`, which give the same steps to round-off. The treatments `penalty` and `augmented`
 * are refused, because they are other systems, and so are forces by C functions. If a step was
 * halved, the derivative is that of the halves. If run.tolerance chose the steps, the derivative is
 * that of a run with the chosen sizes; the sizes count as constants.
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

/** Creates a workspace for runs with the options `run`, which is copied except for its texts.
 * Refers to the system, which must outlive it. Fails with OLO_UNSUPPORTED if there are no
 * derivatives. */
OLO_API olo_status olo_derivatives_create(const olo_system *system, const olo_run *run,
                                          olo_derivatives **derivatives, olo_error *error);
/** Frees a workspace; NULL is allowed. */
OLO_API void olo_derivatives_free(olo_derivatives *derivatives);
/** The system it was created for. */
OLO_API const olo_system *olo_derivatives_system(const olo_derivatives *derivatives);

/** @name One step
 *  @{ */
/** Advances the state by h as olo_stepper_step does, and stores the linearised step. */
OLO_API olo_status olo_derivatives_step(olo_derivatives *derivatives, olo_state *state, double h,
                                        olo_error *error);
/** d(q1, v1) = A d(q0, v0): takes a variation at the start of the last step to that at its end.
 * Overwrites its arguments. */
OLO_API olo_status olo_derivatives_apply_step(olo_derivatives *derivatives, double *dq, double *dv,
                                              olo_error *error);
/** A^T: takes the derivative of a quantity with respect to the end of the last step to that with
 * respect to its start. Overwrites its arguments. */
OLO_API olo_status olo_derivatives_apply_step_transposed(olo_derivatives *derivatives, double *gq,
                                                         double *gv, olo_error *error);
/** Projects numbers to the nearest admissible variation of a state, in the metric of the mass.
 * Overwrites its arguments. */
OLO_API olo_status olo_derivatives_project(olo_derivatives *derivatives, const olo_state *state,
                                           double *dq, double *dv, olo_error *error);

/** The linearised step in canonical coordinates of the constrained phase space, x' = A x:
 * positions, and momenta times h, in bases of the tangent spaces at start and end that are
 * orthonormal in the metric of the mass. */
typedef struct olo_step_map {
    int initialised; /**< set by olo_step_map_default(); leave it */
    int dofs;        /**< f; A is 2 f x 2 f */
    double *matrix;  /**< A, row-major, in memory of the caller; NULL: not wanted */
    double defect;   /**< largest entry of A^T J A - J over the largest of 1 and A squared: 0 is
                        symplectic */
    double volume;   /**< |det A| - 1 */
    double largest;  /**< modulus of the largest eigenvalue of A ... */
    double smallest; /**< ... and of the smallest */
} olo_step_map;
/** A step map without memory for the matrix. */
OLO_API olo_step_map olo_step_map_default(void);
/** Advances the state by h and computes the matrix of this step, its symplectic defect, volume and
 * eigenvalues. Dense: for systems of up to 1000 degrees of freedom. Velocities normal to the
 * constraints, which the scheme energy-momentum-2006 permits, are not part of the map. */
OLO_API olo_status olo_derivatives_compute_step_map(olo_derivatives *derivatives, olo_state *state,
                                                    double h, olo_step_map *map, olo_error *error);
/** @} */

/** @name Controls
 *  Numbers that are constant over a step and may differ from step to step.
 *  @{ */
/** Names the controlled elements: loads, joints with a torque, force or controller, and joint
 * coordinates (`slide.angle`) with one. In every step a control replaces the function of time of
 * its element: the factor of a load, torque or force, or the target of a controller. `values` are
 * `count` numbers for each of `steps` steps, step by step; they are not copied and may change
 * between runs. A count of 0 removes all controls. */
OLO_API olo_status olo_derivatives_set_controls(olo_derivatives *derivatives,
                                                const char *const *names, int count,
                                                const double *values, long steps, olo_error *error);
/** @} */

/** @name Steps
 *  @{ */
/** Sets the step sizes of all following runs, instead of run.step, run.end and run.tolerance: a run
 * ends after the last of them. The sizes are copied. A count of 0 removes them. In this way a run
 * can be computed again with the steps that a tolerance has chosen, and controls can be given for
 * them.
 */
OLO_API olo_status olo_derivatives_set_step_sizes(olo_derivatives *derivatives, const double *sizes,
                                                  long count, olo_error *error);
/** The number of steps of the last run; writes their sizes unless `sizes` is NULL. */
OLO_API long olo_derivatives_step_sizes(const olo_derivatives *derivatives, double *sizes);
/** Sets an observer of all runs. It is called after every step, also after steps that are computed
 * again, and in the backward sweep with every state, with decreasing step numbers. It may stop the
 * computation; the status is then OLO_INTERRUPTED. With run.tolerance the run is computed once in
 * advance to find the steps. The observer is copied; NULL: none. */
OLO_API olo_status olo_derivatives_set_observer(olo_derivatives *derivatives,
                                                const olo_observer *observer, olo_error *error);
/** @} */

/** @name Parameters
 *  @{ */
/** The derivative of a compiled model and its initial state with respect to one of its parameters:
 * masses, inertias, stiffnesses, damping, lengths, positions of joints, sections of beams, loads,
 * gains, gravity, functions of time, prescribed motions, initial positions and velocities. */
typedef struct olo_parameter_derivative olo_parameter_derivative;
/** Differentiates the expressions of the model exactly, and compiles the model again at several
 * values along these derivatives (8 as a rule, more if directions rotate with the parameter).
 * Derivatives of coefficients that are numbers of the model are exact to round-off, all others to
 * about 1e-14. Fails with OLO_UNSUPPORTED if the parameter is part of a table over time or of the
 * energy of a spring, redefines a joint coordinate along which something acts, or changes the
 * elements of the model. The model must have been read from a file or text. Free with
 * olo_parameter_derivative_free. */
OLO_API olo_status olo_parameter_derivative_create(const olo_model *model, const char *parameter,
                                                   olo_parameter_derivative **change,
                                                   olo_error *error);
/** Frees a parameter derivative; NULL is allowed. */
OLO_API void olo_parameter_derivative_free(olo_parameter_derivative *change);
/** If `run->start` is an equilibrium: replaces the derivative of the initial state of the model by
 * that of the equilibrium `start`, which olo_prepare_initial_state has found, from K dq = -dr/dp.
 * Does nothing if the run starts from the initial state of the model. Fails with OLO_SINGULAR if
 * the equilibrium is neutral. */
OLO_API olo_status olo_differentiate_equilibrium(const olo_system *system, const olo_run *run,
                                                 const olo_state *start,
                                                 olo_parameter_derivative *const *changes,
                                                 int count, olo_error *error);
/** Sets the parameters with respect to which derivatives are taken. The parameter derivatives must
 * belong to the model of the system; they are not copied. The initial state of a run is then that
 * of the model, which depends on the parameters; if it is an equilibrium, call
 * olo_differentiate_equilibrium first. A count of 0 removes all parameters. */
OLO_API olo_status olo_derivatives_set_parameters(olo_derivatives *derivatives,
                                                  const olo_parameter_derivative *const *changes,
                                                  int count, olo_error *error);
/** @} */

/** @name Functionals of a run
 *  J = end(x_N) + integral of running(x(t)) dt. The integral is evaluated by the trapezoidal rule
 *  over the parts of composed steps, some of which are backward in time. This has the order of the
 *  steps, 2, 4 or 6 (run.order), and with run.tolerance the accuracy of the path. Derivatives are
 *  exactly those of this sum. The integrand must be smooth; it is evaluated 1, 5 or 9 times per
 *  step of order 2, 4 or 6 (3 times with run.tolerance and order 2).
 *  @{ */
/** A term of J: f is a quantity of the model, or half the square of its distance from a target. */
typedef struct olo_goal {
    int initialised; /**< set by olo_goal_default(); leave it */
    /** "tip.position" or "tip.velocity" of an output or body, along `direction`; "arm.momentum",
     * "arm.angular_momentum" (about the origin) or "arm.angular_velocity" of a body, "momentum" or
     * "angular_momentum" of the whole system, along `direction`; "hinge.angle" of a joint
     * coordinate, "hinge.angle.rate" for its rate; "distance(tip, base)" between two outputs or
     * bodies; "kinetic", "potential" (with strain energy) or "energy", their sum; or an expression
     * of these. The ending .x, .y or .z selects a component instead of `direction`:
     * "tip.position.x^2 + hinge.angle". */
    const char *quantity;
    double direction[3]; /**< of positions, velocities and momenta */
    bool squared;        /**< f = 1/2 (quantity - target)^2, else f = quantity */
    double target;       /**< of `squared` */
    double end;          /**< weight of f at the end */
    double running;      /**< weight of the integral of f over time */
    /** Expressions of t, or NULL: a factor of `running`, for example "if(t < 1, 0, 1)", and a
     * target of `squared` that depends on time, for example "sin(2*t)". */
    const char *factor_over_time;
    const char *target_over_time; /**< instead of `target` */
} olo_goal;
/** All weights are zero. The caller sets the quantity, a weight and, for positions and velocities,
 * a direction. */
OLO_API olo_goal olo_goal_default(void);

/** A functional of a run: the sum of goals and of functions in C, any of which may be absent. */
typedef struct olo_functional {
    int initialised;       /**< set by olo_functional_default(); leave it */
    const olo_goal *goals; /**< `goal_count` of them */
    int goal_count;        /**< 0: none */
    void *context;         /**< argument of all functions */
    /** Value at a state; *adds* its derivatives with respect to q and v to n numbers each unless
     * they are NULL. */
    double (*end)(void *context, const olo_system *system, const olo_state *state, double *gq,
                  double *gv);
    /** The same for the integrand. */
    double (*running)(void *context, const olo_system *system, const olo_state *state, double *gq,
                      double *gv);
    /** Cost of the controls: h times this value is added to J for every step. `u` are the controls
     * of the step that starts at t; *adds* the derivatives to `gu` unless it is NULL. */
    double (*effort)(void *context, double t, const double *u, double *gu);
} olo_functional;
/** J = 0. The caller sets goals or functions. */
OLO_API olo_functional olo_functional_default(void);

/** A gradient; arrays belong to the caller and may be NULL. */
typedef struct olo_gradient {
    int initialised;    /**< set by olo_gradient_default(); leave it */
    double value;       /**< J */
    double *q;          /**< [n] derivative of J with respect to the initial configuration */
    double *v;          /**< [n] ... to the initial velocity */
    double *controls;   /**< [steps x controls] ... to the controls of all steps */
    double *parameters; /**< [parameters] ... to the parameters */
    long steps;         /**< number of steps of the run */
    long again;         /**< number of steps that were computed again from checkpoints */
} olo_gradient;
/** A gradient without arrays: only the value is computed. */
OLO_API olo_gradient olo_gradient_default(void);

/** Runs from `start`, which is not changed, to run.end as olo_simulate does, and computes J and its
 * gradient by the adjoint method. The cost is two to three runs for any number of coordinates,
 * parameters and controls, and one more run with checkpoints or with run.tolerance. Fails as a run
 * does. */
OLO_API olo_status olo_derivatives_compute_gradient(olo_derivatives *derivatives,
                                                    const olo_state *start,
                                                    const olo_functional *functional,
                                                    olo_gradient *gradient, olo_error *error);
/** Sets the memory for stored steps of a gradient, in bytes; 256 MiB by default. If a run needs
 * more, about sqrt(2 steps) checkpoints are stored, and the steps between two of them are computed
 * again. */
OLO_API void olo_derivatives_set_memory(olo_derivatives *derivatives, size_t bytes);

/** The direction of a forward derivative. */
typedef struct olo_direction {
    int initialised; /**< set by olo_direction_default(); leave it */
    double *q; /**< [n] with v an admissible variation of the initial state; on return that of the
                  final state */
    double *v; /**< [n] */
    const double *controls;   /**< [steps x controls] variation of the controls; NULL: none */
    const double *parameters; /**< [parameters] variation of the parameters, whose effect on the
                                 initial state is added to q and v; NULL: none */
} olo_direction;
/** A direction without arrays. The caller sets q and v. */
OLO_API olo_direction olo_direction_default(void);

/** Computes J and its derivative along one direction, in forward mode. Stores one step only. Either
 * of `value` and `derivative` may be NULL. */
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
