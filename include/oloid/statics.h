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

/** A frame that turns steadily, and the ground and all loads with it. With a rate of zero it is at
 * rest. */
typedef struct olo_rotating_frame {
    double rate[3];  /**< angular velocity */
    double point[3]; /**< a point of its axis */
} olo_rotating_frame;

/** How an equilibrium is looked for. */
typedef struct olo_equilibrium_options {
    int initialised; /**< set by olo_equilibrium_options_default(); leave it */
    double end;      /**< load factor to reach */
    double step; /**< first step of the load factor; smaller and larger ones follow by themselves */
    double smallest;  /**< a step below this is given up: displacements (model lengths, angles) and
                         share of `end` */
    long steps;       /**< at most */
    int iterations;   /**< of Newton in a step, at most */
    double tolerance; /**< bound of the last increment of Newton: lengths over the model's length,
                         angles */
    bool arc; /**< follow the path also through limit points, where the load falls; else it ends at
                 the first one */
    bool locate;             /**< find the loads between two steps where stability changes */
    bool hold;               /**< prescribed motions stay where they are at time 0 */
    olo_rotating_frame spin; /**< at rest in this frame: centrifugal forces are loads, too, and grow
                                with the load factor */
} olo_equilibrium_options;

/** To load factor 1, or to the first limit point. */
OLO_API olo_equilibrium_options olo_equilibrium_options_default(void);

/** A point of the path where stability changes. */
typedef struct olo_critical_point {
    double load;  /**< load factor */
    bool limit;   /**< a limit point, where the load turns back; else a bifurcation */
    int unstable; /**< unstable directions after it; -1: unknown, there are loads without a
                     potential */
} olo_critical_point;
enum { OLO_CRITICAL_POINTS_MAX = 16 };

/** What a search for equilibria did. */
typedef struct olo_equilibrium_summary {
    long steps;      /**< equilibria found */
    long iterations; /**< of Newton, all attempts */
    long cutbacks;   /**< how often a step was made smaller */
    double load;     /**< load factor reached */
    bool relaxed; /**< without load nothing holds the system: found by sliding down under the full
                     load */
    bool stayed;  /**< so, and nothing moved: the initial state is an equilibrium, not necessarily a
                     stable one */
    bool judged;  /**< all loads have a potential, so that the stiffness decides stability */
    int unstable; /**< directions in which the equilibrium is unstable */
    int neutral;  /**< directions in which it stays where it is put */
    double beam_rotation; /**< largest angle between neighbouring nodes of a beam in an equilibrium
                             that was found (rad): beyond 0.5 the beam needs more elements, and a
                             warning says so */
    int beam;             /**< the beam that has it; -1: there is none */
    int critical_count;   /**< points of the path where stability changed */
    olo_critical_point critical[OLO_CRITICAL_POINTS_MAX]; /**< the first of these */
    double wall_seconds;                                  /**< from start to end */
} olo_equilibrium_summary;

/** Takes the state to an equilibrium: all forces in balance, velocities zero. Gravity, forces,
 * moments, drives and controllers as they are at time 0 are multiplied by a load factor that grows
 * from 0 to `options->end`; prescribed motions are followed with the load factor as their time,
 * unless `options->hold`. Dampers do not act. Where the system without load is a mechanism, the
 * full load acts from the start and the state slides down into a stable equilibrium
 * (`summary->relaxed`). Otherwise the equilibrium is connected by a path of equilibria with the one
 * without load: every step is verified by the tangents of the path at both ends. Where the load
 * cannot grow any more the search ends with OLO_NOT_CONVERGED, the state at the limit point, which
 * is the last of `summary->critical`; with `options->arc` it goes on. Observers see every
 * equilibrium of the path, the load factor as its time, and hear at the end of beams with too few
 * elements. In a frame that turns prescribed motions stay where they are at time 0, and gravity has
 * to act along its axis. On failure the state is the last equilibrium that was found. `options`
 * (the default) and `summary` may be NULL. */
OLO_API olo_status olo_find_equilibrium(const olo_system *system,
                                        const olo_equilibrium_options *options, olo_state *state,
                                        const olo_observer *observers, int observer_count,
                                        olo_equilibrium_summary *summary, olo_error *error);

/** Takes a state, as olo_system_create_initial_state gives it, to where `run->start` says that a
 * run begins: leaves it, or takes it to its equilibrium, at rest at time 0. */
OLO_API olo_status olo_prepare_initial_state(const olo_system *system, const olo_run *run,
                                             olo_state *state, olo_error *error);

/** About what small vibrations are looked for, and how. */
typedef struct olo_vibration_options {
    int initialised; /**< set by olo_vibration_options_default(); leave it */
    double load;     /**< factor of all loads, as they are at time 0 */
    int count;       /**< at most so many modes, the lowest ones */
    bool
        hold; /**< the state need not be an equilibrium: constant forces along the joints hold it */
    bool damped;             /**< with dampers and the rates in controllers */
    olo_rotating_frame spin; /**< about rest in this frame: with centrifugal and Coriolis forces */
    const char *solver; /**< "dense", "sparse" or "auto": dense for small systems; NULL: auto */
} olo_vibration_options;

/** Ten modes under the full load, without damping. */
OLO_API olo_vibration_options olo_vibration_options_default(void);

/** Natural frequencies and modes. */
typedef struct olo_modes olo_modes;

/** Small vibrations exp(lambda t) about a state: (lambda^2 M + lambda D + K) x = 0. The state has
 * to be an equilibrium, its velocities do not count. Without damping, spin and loads that have no
 * potential lambda^2 = -omega^2 is real; else lambda is any number, and of two conjugate ones there
 * is that with a positive omega. `options` may be NULL, the default. Refers to the system. Fails
 * where the state is far from an equilibrium. Free with olo_modes_free. */
OLO_API olo_status olo_modes_create(const olo_system *system, const olo_state *state,
                                    const olo_vibration_options *options, olo_modes **modes,
                                    olo_error *error);
/** Frees; NULL is allowed. */
OLO_API void olo_modes_free(olo_modes *modes);
/** How many there are. */
OLO_API int olo_modes_count(const olo_modes *modes);
/** omega^2 of mode `index`, ascending where lambda^2 is real: negative for a direction in which
 * the state is unstable, zero to rounding for one that nothing holds. In general minus the real
 * part of lambda^2; then the size of lambda ascends. */
OLO_API double olo_modes_omega_squared(const olo_modes *modes, int index);
/** Imaginary part of lambda, not negative: the angular frequency. */
OLO_API double olo_modes_omega(const olo_modes *modes, int index);
/** Real part of lambda: positive if the mode grows, negative if it dies away. */
OLO_API double olo_modes_growth(const olo_modes *modes, int index);
/** |lambda|^2 below this is rounding: the mode has no stiffness. */
OLO_API double olo_modes_rounding(const olo_modes *modes);
/** The state displaced along mode `index` at `phase` (radians) of its oscillation, by `amplitude`
 * at most: the fastest part moves by so many of the model's lengths or radians. */
OLO_API olo_status olo_modes_displace(const olo_modes *modes, int index, double amplitude,
                                      double phase, olo_state *state, olo_error *error);

/** A system about a state as control engineers write it, x' = A x + B u, y = C x + D u. */
typedef struct olo_linear olo_linear;

/** Linearises about a state, which has to be an equilibrium, with dampers and controllers; of the
 * options load and spin count, and NULL is the default. x: independent joint coordinates (of free
 * bodies small translations and rotations), then their rates; all as differences from the state. u:
 * what the model gives as functions of time, one each: the factor of a load, of a torque or force
 * along a joint, the target of a controller and its rate; of a torque or force from a C function
 * itself; those that cannot move the model are left out. y: all joint coordinates, then the points
 * of `outputs`, also as differences. Fails where a coordinate has no inertia. Free with
 * olo_linear_free. */
OLO_API olo_status olo_linear_create(const olo_system *system, const olo_state *state,
                                     const olo_vibration_options *options, olo_linear **linear,
                                     olo_error *error);
/** Frees; NULL is allowed. */
OLO_API void olo_linear_free(olo_linear *linear);
/** How many there are, 2 n, m and p. @{ */
OLO_API int olo_linear_state_count(const olo_linear *linear);
OLO_API int olo_linear_input_count(const olo_linear *linear);
OLO_API int olo_linear_output_count(const olo_linear *linear);
/** @} */
/** Their names: `hinge.angle`, `hinge.angle.rate`; `push`, `motor.torque`, `motor.target`;
 * `tip.position.x`. NULL beyond the last. @{ */
OLO_API const char *olo_linear_state_name(const olo_linear *linear, int index);
OLO_API const char *olo_linear_input_name(const olo_linear *linear, int index);
OLO_API const char *olo_linear_output_name(const olo_linear *linear, int index);
/** @} */
/** The matrix 'A', 'B', 'C' or 'D', row-major; it belongs to `linear`. NULL: there is no such
 * matrix. */
OLO_API const double *olo_linear_matrix(const olo_linear *linear, char matrix);
/** Writes matrices and names to a file, by its ending: .h5 (datasets A, B, C, D, states, inputs,
 * outputs), .json, or .csv, one table [A B; C D] with names in its first row and column. */
OLO_API olo_status olo_linear_write(const olo_linear *linear, const char *path, olo_error *error);

#ifdef __cplusplus
}
#endif
#endif
