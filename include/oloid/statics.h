/** @file
 *  Statics: equilibria, with the load increased step by step, and small vibrations about them.
 */
#ifndef OLOID_STATICS_H
#define OLOID_STATICS_H

#include "oloid/simulate.h"
#include "oloid/status.h"
#include "oloid/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A frame that rotates with constant angular velocity, together with the ground and all loads.
 * With a rate of zero it is at rest. */
typedef struct olo_rotating_frame {
    double rate[3];  /**< angular velocity */
    double point[3]; /**< a point of its axis */
} olo_rotating_frame;

/** Options of the search for an equilibrium. */
typedef struct olo_equilibrium_options {
    int initialised; /**< set by olo_equilibrium_options_default(); leave it */
    double end;      /**< load factor to reach */
    /** path: along equilibria under increasing loads (default). Under the full load at once, from
     * the given state: newton, to a near equilibrium, stable or not; descent, to a stable one. */
    const char *method;
    double step;      /**< first step of the load factor; the following ones adapt to the path */
    double smallest;  /**< the search fails when a step is smaller than this: displacements (model
                         lengths, angles) and fraction of `end` */
    long steps;       /**< maximum number of steps */
    int iterations;   /**< maximum number of Newton iterations per step */
    double tolerance; /**< bound of the last Newton increment: lengths over the model's length,
                         angles */
    bool arc; /**< continue the path through limit points, where the load decreases; otherwise it
                 ends at the first one */
    /** The bifurcation at which to leave the path: 1 is the first one, along the direction that
     * loses its stiffness; -1 the same one in the opposite direction; 0: stay on the path. The
     * branch is followed as with `arc`. */
    int branch;
    bool locate;        /**< find the loads between two steps where stability changes */
    bool hold;          /**< prescribed motions have their values at time 0 */
    const double *push; /**< constant forces on all coordinates q, beside the loads and independent
                           of the load factor; NULL: none */
    olo_rotating_frame spin; /**< equilibrium relative to this frame: centrifugal forces are loads
                                that increase with the load factor */
} olo_equilibrium_options;

/** To load factor 1, or to the first limit point. */
OLO_API olo_equilibrium_options olo_equilibrium_options_default(void);

/** A point of the path of equilibria where stability changes. */
typedef struct olo_critical_point {
    double load;  /**< load factor */
    bool limit;   /**< a limit point, where the load has an extremum; otherwise a bifurcation */
    int unstable; /**< number of unstable directions after it; -1: unknown, because there are loads
                     without a potential */
} olo_critical_point;
enum { OLO_CRITICAL_POINTS_MAX = 16 };

/** Summary of a search for an equilibrium. */
typedef struct olo_equilibrium_summary {
    long steps;      /**< number of equilibria found */
    long iterations; /**< Newton iterations of all attempts */
    long cutbacks;   /**< number of times a step was reduced */
    double load;     /**< load factor reached */
    bool relaxed; /**< the system without load is a mechanism: the equilibrium was found by descent
                     under the full load */
    bool descended; /**< the initial state is no equilibrium without load: a stable one was found
                       by descent, and the path begins there */
    bool stayed;  /**< relaxed, and nothing moved: the initial state is an equilibrium, which may be
                     unstable */
    bool judged;  /**< all loads have a potential, so that the stiffness determines stability */
    int unstable; /**< number of directions in which the equilibrium is unstable */
    int neutral;  /**< number of directions without stiffness */
    double residual; /**< largest unbalanced force at the last state, or moment over the model's
                        length, divided by the largest stiffness times that length: rounding at an
                        equilibrium */
    double beam_rotation; /**< largest angle between neighbouring nodes of a beam in an equilibrium
                             that was found (rad): beyond 0.5 the beam needs more elements, and a
                             warning says so */
    int beam;             /**< the beam with this angle; -1: none */
    int critical_count;   /**< number of points of the path where stability changed */
    olo_critical_point critical[OLO_CRITICAL_POINTS_MAX]; /**< the first of these points */
    double wall_seconds;                                  /**< duration of the search */
} olo_equilibrium_summary;

/** Moves the state to an equilibrium: all forces balance, and velocities are zero.
 *
 * Gravity, forces, moments, drives and controllers, as they are at time 0, are multiplied by a load
 * factor that increases from 0 to `options->end`. Prescribed motions are followed with the load
 * factor as their time, unless `options->hold` is set. Dampers do not act.
 *
 * The equilibrium is connected with that at load factor 0 by a path of equilibria: every step is
 * verified by the tangents of the path at both ends. At a limit point the load cannot increase any
 * more, and the search ends with OLO_NOT_CONVERGED; the state is then the limit point, which is the
 * last of `summary->critical`. With `options->arc` the path continues through it. A system that is
 * a mechanism without load has no such path: the full load acts at once, and the state descends to
 * a stable equilibrium (`summary->relaxed`).
 *
 * Observers are called at every equilibrium of the path, with the load factor as the time of the
 * state; at the end they receive warnings about beams with too few elements. In a rotating frame
 * prescribed motions have their values at time 0, and gravity must act along the axis. On failure
 * the state is the last equilibrium that was found. `options` (the default) and `summary` may be
 * NULL. */
OLO_API olo_status olo_find_equilibrium(const olo_system *system,
                                        const olo_equilibrium_options *options, olo_state *state,
                                        const olo_observer *observers, int observer_count,
                                        olo_equilibrium_summary *summary, olo_error *error);

/** Options of a search from many guesses. */
typedef struct olo_multistart_options {
    int initialised;         /**< set by olo_multistart_options_default(); leave it */
    int starts;              /**< number of guesses; the first one is the given state */
    unsigned long long seed; /**< of the random numbers: the same seed gives the same guesses */
    double spread;           /**< largest displacement of a guess, in model lengths and radians */
    double load;             /**< load factor */
    const char *method; /**< newton: also unstable equilibria (default); descent: stable ones */
} olo_multistart_options;

/** 50 guesses, displaced by up to one model length or radian, under the full load. */
OLO_API olo_multistart_options olo_multistart_options_default(void);

/** One of several equilibria at the same load. */
typedef struct olo_found_equilibrium {
    double strain;    /**< energy of springs and beams */
    double potential; /**< of gravity */
    bool judged;      /**< all loads have a potential, so that the stiffness determines stability */
    int unstable;     /**< number of directions in which it is unstable */
    int neutral;      /**< number of directions without stiffness */
    int hits;         /**< number of guesses that led to it */
    double residual;  /**< unbalanced force, as in olo_equilibrium_summary */
} olo_found_equilibrium;
enum { OLO_EQUILIBRIA_MAX = 64 };

/** The distinct equilibria of a search from many guesses, in the order in which they were found. */
typedef struct olo_equilibria {
    int starts;  /**< number of guesses */
    int failed;  /**< number of guesses that led to no equilibrium */
    double best; /**< smallest residual of these; 0 if there are none */
    int count;   /**< number of distinct equilibria */
    bool more;   /**< there were more than OLO_EQUILIBRIA_MAX; the others are not in the list */
    olo_found_equilibrium found[OLO_EQUILIBRIA_MAX]; /**< the equilibria */
} olo_equilibria;

/** Finds distinct equilibria at one load from random guesses around `initial`, for structures that
 * have several. Prescribed motions have their values at time 0. Observers receive the state of each
 * distinct equilibrium once, with its number, from 0, as its time. Fails if no guess leads to an
 * equilibrium. A list need not be complete. */
OLO_API olo_status olo_find_equilibria(const olo_system *system,
                                       const olo_multistart_options *options,
                                       const olo_state *initial, const olo_observer *observers,
                                       int observer_count, olo_equilibria *equilibria,
                                       olo_error *error);

/** Prepares the initial state of a run, as `run->start` requires: leaves the state of
 * olo_system_create_initial_state unchanged, or moves it to its equilibrium, at rest at time 0. */
OLO_API olo_status olo_prepare_initial_state(const olo_system *system, const olo_run *run,
                                             olo_state *state, olo_error *error);

/** Options of small vibrations and of linearisation. */
typedef struct olo_vibration_options {
    int initialised; /**< set by olo_vibration_options_default(); leave it */
    double load;     /**< factor of all loads, as they are at time 0 */
    int count;       /**< maximum number of modes, beginning with the lowest */
    bool hold;   /**< the state need not be an equilibrium: constant joint forces hold it there */
    bool damped; /**< with dampers and the rate terms of controllers */
    olo_rotating_frame spin; /**< about equilibrium relative to this frame: with centrifugal and
                                Coriolis forces */
    const char *solver; /**< "dense", "sparse" or "auto": dense for small systems; NULL: auto */
} olo_vibration_options;

/** Ten modes under the full load, without damping. */
OLO_API olo_vibration_options olo_vibration_options_default(void);

/** Natural frequencies and modes. */
typedef struct olo_modes olo_modes;

/** Computes small vibrations x exp(lambda t) about a state,
 *
 *     (lambda^2 M + lambda D + K) x = 0.
 *
 * The state must be an equilibrium; its velocities are not used. If there is no damping and no
 * spin, and all loads have a potential, lambda^2 = -omega^2 is real. Otherwise lambda is complex,
 * and of two conjugate values the one with positive omega is included. `options` may be NULL, the
 * default. The modes refer to the system. Fails when the state is far from an equilibrium. Free
 * with olo_modes_free. */
OLO_API olo_status olo_modes_create(const olo_system *system, const olo_state *state,
                                    const olo_vibration_options *options, olo_modes **modes,
                                    olo_error *error);
/** Frees; NULL is allowed. */
OLO_API void olo_modes_free(olo_modes *modes);
/** Number of modes. */
OLO_API int olo_modes_count(const olo_modes *modes);
/** omega^2 of mode `index`, in ascending order if lambda^2 is real: negative for a direction in
 * which the state is unstable, zero up to rounding for one without stiffness. In general the
 * negative real part of lambda^2; the modes are then in ascending order of |lambda|. */
OLO_API double olo_modes_omega_squared(const olo_modes *modes, int index);
/** Imaginary part of lambda, not negative: the angular frequency. */
OLO_API double olo_modes_omega(const olo_modes *modes, int index);
/** Real part of lambda: positive if the mode grows, negative if it decays. */
OLO_API double olo_modes_growth(const olo_modes *modes, int index);
/** |lambda|^2 below this is rounding: the mode has no stiffness. */
OLO_API double olo_modes_rounding(const olo_modes *modes);
/** Displaces the state along mode `index`, at `phase` (radians) of its oscillation. The largest
 * displacement of a node over a period is `amplitude`, in lengths of the model or radians. */
OLO_API olo_status olo_modes_displace(const olo_modes *modes, int index, double amplitude,
                                      double phase, olo_state *state, olo_error *error);

/** A linear system about a state, x' = A x + B u, y = C x + D u. */
typedef struct olo_linear olo_linear;

/** Linearises about a state, with dampers and controllers. The state must be an equilibrium, unless
 * `options->hold` is set. Of the options, load, spin and hold are used; NULL is the default.
 *
 * - x: independent joint coordinates (small translations and rotations of free bodies), then their
 *   rates, as differences from the state.
 * - u: functions of time of the model, one input each: the factor of a load or of a torque or force
 *   along a joint; the target of a controller, and its rate; the torque or force itself if a C
 *   function computes it. Inputs that cannot move the model are omitted.
 * - y: all joint coordinates, then the points of `outputs`, as differences from the state.
 *
 * Fails when a coordinate has no inertia. Free with olo_linear_free. */
OLO_API olo_status olo_linear_create(const olo_system *system, const olo_state *state,
                                     const olo_vibration_options *options, olo_linear **linear,
                                     olo_error *error);
/** Frees; NULL is allowed. */
OLO_API void olo_linear_free(olo_linear *linear);
/** Numbers of states (2 n), inputs (m) and outputs (p). @{ */
OLO_API int olo_linear_state_count(const olo_linear *linear);
OLO_API int olo_linear_input_count(const olo_linear *linear);
OLO_API int olo_linear_output_count(const olo_linear *linear);
/** @} */
/** Names of states, inputs and outputs: `hinge.angle`, `hinge.angle.rate`; `push`, `motor.torque`,
 * `motor.target`; `tip.position.x`. NULL beyond the last. @{ */
OLO_API const char *olo_linear_state_name(const olo_linear *linear, int index);
OLO_API const char *olo_linear_input_name(const olo_linear *linear, int index);
OLO_API const char *olo_linear_output_name(const olo_linear *linear, int index);
/** @} */
/** The matrix 'A', 'B', 'C' or 'D', row-major; it belongs to `linear`. NULL: there is no such
 * matrix. */
OLO_API const double *olo_linear_matrix(const olo_linear *linear, char matrix);
/** Writes matrices and names to a file. The ending of `path` selects the format: .h5 (datasets A,
 * B, C, D, states, inputs, outputs), .json, or .csv, one table [A B; C D] with names in its first
 * row and column. */
OLO_API olo_status olo_linear_write(const olo_linear *linear, const char *path, olo_error *error);

#ifdef __cplusplus
}
#endif
#endif
