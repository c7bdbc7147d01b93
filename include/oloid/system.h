/** @file Systems and states. A system is the compiled model: constant, shared between threads. A
 * state is everything that changes: small, cheap to copy, owned by one thread.
 */
#ifndef OLOID_SYSTEM_H
#define OLOID_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>

#include "oloid/elements.h"
#include "oloid/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A compiled model. Immutable: it may be shared between threads. */
typedef struct olo_system olo_system;
/** Everything that changes: time, configuration, velocity and all else that the next step reads. */
typedef struct olo_state olo_state;

/** Frees a system; no state, stepper or recorder may use it afterwards. NULL is allowed. */
OLO_API void olo_system_free(olo_system *system);

/** @name Size and structure
 *  @{ */
/** Numbers of parts, coordinates, constraints and unknowns of a system. */
typedef struct olo_counts {
    int points;               /**< point masses */
    int bodies;               /**< rigid bodies */
    int beams;                /**< beams */
    int sections;             /**< nodes of beams */
    int coordinates;          /**< n, redundant */
    int constraints;          /**< m, all rows */
    int internal;             /**< rows that make bodies and sections of beams rigid */
    int rank;                 /**< independent rows at the initial state */
    int degrees_of_freedom;   /**< n - rank, of the velocities; with rolling contacts positions have
                                 more */
    int unknowns_reduced;     /**< of the reduced treatment, with loop closures */
    int unknowns_multipliers; /**< of the treatment with multipliers, n + m */
    int closures;             /**< constraint rows that no joint of the tree satisfies */
    int velocity_rows;        /**< rows that constrain velocities only: rolling without slip */
} olo_counts;
/** Fills the counts. The rank is that of the constraint gradients at the initial state. */
OLO_API olo_status olo_system_counts(const olo_system *system, olo_counts *counts,
                                     olo_error *error);

/** Number of coordinates, n: the length of q and v. */
OLO_API int olo_system_coordinate_count(const olo_system *system);

/** Number of nodes, in the order of q: points (3 coordinates), bodies and nodes of beams (12:
 * position, d1, d2, d3). */
OLO_API int olo_system_node_count(const olo_system *system);
/** Name of a node; names live as long as the system. */
OLO_API const char *olo_system_node_name(const olo_system *system, int node);
/** True for a body, false for a point. */
OLO_API bool olo_system_node_is_body(const olo_system *system, int node);
/** Index of the first coordinate of a node in q. */
OLO_API int olo_system_node_offset(const olo_system *system, int node);
/** Index of a node by name, -1 if there is none. */
OLO_API int olo_system_find_node(const olo_system *system, const char *name);

/** Number of constraint groups: one per body (its six internal rows), rod, support and joint. */
OLO_API int olo_system_group_count(const olo_system *system);
/** Name of a group, which is the name of its element. */
OLO_API const char *olo_system_group_name(const olo_system *system, int group);
/** Index of the first row of a group among all constraints. */
OLO_API int olo_system_group_first(const olo_system *system, int group);
/** Number of rows of a group. */
OLO_API int olo_system_group_row_count(const olo_system *system, int group);
/** True for the rows that make a body rigid. */
OLO_API bool olo_system_group_internal(const olo_system *system, int group);
/** Number of redundant rows of each group at the initial state, one number per group. If two joints
 * have equal rows, those of the joint that closes a loop are redundant, or those of the later
 * joint. */
OLO_API olo_status olo_system_redundant_rows(const olo_system *system, int *redundant,
                                             olo_error *error);

/** Number of joint coordinates: the angles and translations of joints, in the order of the model,
 * named `hinge.angle`, `slide.position`, `table.position1`. An angle is the rotation of the second
 * body relative to the first about the axis; it is zero at the initial state and counts full turns.
 * A position is the distance of the second point from the first along an axis. */
OLO_API int olo_system_joint_coordinate_count(const olo_system *system);
/** Name of a joint coordinate. */
OLO_API const char *olo_system_joint_coordinate_name(const olo_system *system, int index);
/** True if it is an angle, false if it is a position. */
OLO_API bool olo_system_joint_coordinate_is_angle(const olo_system *system, int index);
/** Index of a joint coordinate by name, -1 if there is none. */
OLO_API int olo_system_find_joint_coordinate(const olo_system *system, const char *name);

/** Number of joint coordinates with a prescribed motion (`motion` of a joint). */
OLO_API int olo_system_drive_count(const olo_system *system);
/** The joint coordinate that drive `index` prescribes. */
OLO_API int olo_system_drive_coordinate(const olo_system *system, int index);

/** Number of beams. */
OLO_API int olo_system_beam_count(const olo_system *system);
/** Name of a beam. */
OLO_API const char *olo_system_beam_name(const olo_system *system, int beam);
/** Number of nodes of a beam. */
OLO_API int olo_system_beam_node_count(const olo_system *system, int beam);
/** The node of the system that is node `index` of a beam, from 0 at its start. */
OLO_API int olo_system_beam_node(const olo_system *system, int beam, int index);
/** Number of quadrature points of a beam, where strains and stresses are evaluated. */
OLO_API int olo_system_beam_point_count(const olo_system *system, int beam);
/** Distance of a quadrature point from the start of the beam, along the unloaded beam. */
OLO_API double olo_system_beam_station(const olo_system *system, int beam, int point);

/** Number of recorded points, the model's `outputs`. */
OLO_API int olo_system_output_count(const olo_system *system);
/** Name of an output. */
OLO_API const char *olo_system_output_name(const olo_system *system, int output);
/** Number of recorded reactions: the entries of the model's `outputs` that ask for one. */
OLO_API int olo_system_reaction_count(const olo_system *system);
/** Name of a reaction, which is the name of its output. */
OLO_API const char *olo_system_reaction_name(const olo_system *system, int reaction);
/** @} */

/** @name Conserved quantities
 *  @{ */
/** A quantity that is conserved because of a symmetry of the model, or the balance of energy. */
typedef struct olo_invariant {
    char name[128]; /**< "energy", "energy balance", "linear momentum x", "angular momentum z", ...
                     */
    char why[256];  /**< the reason, one sentence */
    double rotation[3];    /**< the momentum map is rotation . L ... */
    double translation[3]; /**< ... + translation . P */
    bool energy;           /**< energy, or its balance if there are loads or dampers */
} olo_invariant;
/** Energy and at most six momenta. */
enum { OLO_INVARIANTS_MAX = 8 };
/** Number of conserved quantities. */
OLO_API int olo_system_invariant_count(const olo_system *system);
/** A conserved quantity by index; it lives as long as the system. */
OLO_API const olo_invariant *olo_system_invariant(const olo_system *system, int index);
/** @} */

/** @name States
 *  @{ */
/** The changes of the initial data that were necessary to satisfy the constraints. */
typedef struct olo_projection {
    double position;         /**< largest change of a coordinate */
    double velocity;         /**< largest change of a velocity */
    double constraint_error; /**< largest error of the constraints before the projection */
    char worst[64];          /**< name of the constraint that was violated most */
    double rate_error;       /**< largest rate of a constraint before the velocities were changed */
    char worst_rate[64];     /**< name of the constraint that it belongs to */
    /** A sentence if something was moved by more than 1 percent of the size of the model, unless by
     * prescribed motions alone; otherwise empty. */
    char warning[256];
} olo_projection;

/** The initial state of the model, made consistent. `projection` may be NULL. Free with
 * olo_state_free. */
OLO_API olo_status olo_system_create_initial_state(const olo_system *system, olo_state **state,
                                                   olo_projection *projection, olo_error *error);
/** Creates a copy of a state. Free with olo_state_free. */
OLO_API olo_status olo_state_clone(const olo_state *state, olo_state **copy, olo_error *error);
/** Copies between states of one system. */
OLO_API void olo_state_copy(const olo_state *from, olo_state *to);
/** Frees a state; NULL is allowed. */
OLO_API void olo_state_free(olo_state *state);

/** Time. */
OLO_API double olo_state_time(const olo_state *state);
/** Sets the time; configuration and velocity do not change. */
OLO_API void olo_state_set_time(olo_state *state, double t);
/** Configuration q, n numbers; valid as long as the state. */
OLO_API const double *olo_state_configuration(const olo_state *state);
/** Velocity v = dq/dt, n numbers; valid as long as the state. */
OLO_API const double *olo_state_velocity(const olo_state *state);
/** Replaces the configuration by n numbers, which are copied without projection: the caller has to
 * satisfy the constraints (olo_ledger.constraint_error measures their error). Each joint angle is
 * set to the value within half a turn of its previous value. Increments, reactions, multipliers and
 * step sizes of previous steps are discarded. Time, velocity and the sums of the ledger do not
 * change. */
OLO_API void olo_state_set_configuration(const olo_system *system, olo_state *state,
                                         const double *q);
/** Replaces the velocity by n numbers, which are copied without projection. Data of previous steps
 * are discarded as in olo_state_set_configuration. */
OLO_API void olo_state_set_velocity(olo_state *state, const double *v);
/** Negates the velocity, so that the motion runs backwards. */
OLO_API void olo_state_reverse(olo_state *state);
/** Constraint multipliers of the last step (with variational: at the start of that step), one per
 * constraint row; zero before the first step. For a composed step they are the mean over the step,
 * with variational the multipliers at its start. */
OLO_API const double *olo_state_multipliers(const olo_state *state);
/** @} */

/** @name Evaluation
 *  @{ */
/** The ledger of a state. */
typedef struct olo_ledger {
    double kinetic;             /**< 1/2 v.M v */
    double potential;           /**< of gravity */
    double strain;              /**< of springs and beams */
    double constraint;          /**< of compliant constraints (penalty, augmented), else 0 */
    double work;                /**< done by loads and drives since the start of the run */
    double dissipation;         /**< lost in dampers and contacts since the start of the run */
    double impact;              /**< of it: lost in impacts */
    double friction;            /**< of it: lost in friction of contacts */
    double total;               /**< kinetic + potential + strain + constraint */
    double balance;             /**< total - work + dissipation: constant with energy-momentum */
    double interval;            /**< energy of the last step (variational); else the total */
    double linear_momentum[3];  /**< of all points and bodies */
    double angular_momentum[3]; /**< about the origin */
    double constraint_error;    /**< largest |g| */
    double constraint_relative; /**< largest |g| divided by the size of its row at the initial
                                     state */
    double velocity_error;      /**< largest |G v|: round-off with energy-momentum and variational,
                                          of order h^2 with energy-momentum-2006 */
    double penetration;         /**< depth of the deepest contact after the last step, or 0 */
    double closed;              /**< number of closed contacts after the last step */
    double impulse;             /**< largest normal impulse of an impact in the last step, or 0 */
    double inclusion_residual;  /**< largest residual of the contact inclusions in the last step */
} olo_ledger;
/** Evaluates the ledger. Allocates nothing. */
OLO_API void olo_system_ledger(const olo_system *system, const olo_state *state,
                               olo_ledger *ledger);

/** Position and velocity of a point on a body, in space; either may be NULL. Fails with
 * OLO_NOT_FOUND if there is no such name. */
OLO_API olo_status olo_system_point_on_body(const olo_system *system, const olo_state *state,
                                            const olo_point_on_body *point, double position[3],
                                            double velocity[3], olo_error *error);
/** Position and velocity of output `index`, and its acceleration over the last step, (v1 - v0)/h.
 * Rows of results have, with the scheme `energy-momentum`, the acceleration at their state. */
OLO_API void olo_system_output(const olo_system *system, const olo_state *state, int index,
                               double position[3], double velocity[3], double acceleration[3]);
/** Strains (two shears along d1 and d2, elongation, curvatures about d1 and d2, torsion) and
 * stress resultants (forces, then moments, along the same directors) of a beam at a quadrature
 * point; either may be NULL. */
OLO_API void olo_system_beam_stress(const olo_system *system, const olo_state *state, int beam,
                                    int point, double strain[6], double stress[6]);
/** Force n, moment m + r x n about the origin and torque m . d3 that a beam transmits through the
 * end of an element (from 0), in space axes: the discrete momentum maps of translations, rotations,
 * and rotations of the sections about d3. In equilibrium the first two change along the beam by
 * the loads alone; the last is constant for isotropic sections without moments along d3. Beams have
 * as many elements as quadrature points, or half as many with three nodes per element. */
OLO_API void olo_system_beam_momentum(const olo_system *system, const olo_state *state, int beam,
                                      int element, double force[3], double moment[3],
                                      double *torsion);
/** Value of a joint coordinate. An angle includes the full turns of all steps. */
OLO_API double olo_system_joint_coordinate_value(const olo_system *system, const olo_state *state,
                                                 int index);
/** Rate of a joint coordinate. */
OLO_API double olo_system_joint_coordinate_rate(const olo_system *system, const olo_state *state,
                                                int index);
/** Force of a joint, support or rod on its body over the last step (or at the equilibrium), and its
 * moment about the point of the joint, along the axes that the output selects; zero before the
 * first step. */
OLO_API void olo_system_reaction(const olo_system *system, const olo_state *state, int index,
                                 double force[3], double moment[3]);
/** A contact after the last step. */
typedef struct olo_contact_state {
    double gap;         /**< distance; negative: penetration */
    double force[3];    /**< mean force over the step, with impacts, in space: on the body above the
                             plane, or on the second point */
    double normal;      /**< of it: along the normal, not negative */
    double friction;    /**< of it: magnitude of the friction force */
    double torque;      /**< friction torque about the normal (law contensou) */
    double impulse;     /**< normal impulse of the impacts in the step; 0: none. The scheme
                             contact-one-step has none: its forces include impacts */
    double position[3]; /**< touching point in space; NaN if the gap is a function */
    bool closed;        /**< the gap is closed */
    bool sticking;      /**< it is closed and does not slide */
    bool frictional;    /**< it has friction */
    bool guarded;       /**< the energy guard reduced the impulses of an impact in the step */
    bool off;           /**< an event has switched it off */
} olo_contact_state;
/** Number of contacts. */
OLO_API int olo_system_contact_count(const olo_system *system);
/** Name of a contact. */
OLO_API const char *olo_system_contact_name(const olo_system *system, int index);
/** State of a contact; the force is that over the last step, zero before the first. */
OLO_API void olo_system_contact(const olo_system *system, const olo_state *state, int index,
                                olo_contact_state *contact);
/** Force of drive `index` along its coordinate: with energy-momentum at the end of the last step,
 * with energy-momentum-2006 the mean over it, with variational at its start. Zero before it. */
OLO_API double olo_system_drive_force(const olo_system *system, const olo_state *state, int index);
/** Work of drive `index` since the start of the run, as in the ledger. Without other loads it is
 * the change of energy: to round-off with energy-momentum, to the order of the scheme with
 * variational. */
OLO_API double olo_system_drive_work(const olo_system *system, const olo_state *state, int index);
/** The exact solution at time t, if the model has one (section `exact`): configuration and
 * velocity, n numbers each, NaN for unknown components. True if all components are known. */
OLO_API bool olo_system_exact_solution(const olo_system *system, double t, double *q, double *v);
/** True if the model gives the exact solution of at least one quantity. */
OLO_API bool olo_system_has_exact_solution(const olo_system *system);
/** Value of a conserved quantity in a ledger. */
OLO_API double olo_invariant_value(const olo_invariant *invariant, const olo_ledger *ledger);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
