/** @file Systems and states: the compiled mechanics, constant and shared between threads, and what
 * changes, small, copied freely, owned by one thread.
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
/** All that changes: time, configuration, velocity, and what else the next step reads. */
typedef struct olo_state olo_state;

/** Frees a system, which no state, stepper or recorder may need any more; NULL is allowed. */
OLO_API void olo_system_free(olo_system *system);

/** @name Size and structure
 *  @{ */
/** What a system consists of. */
typedef struct olo_counts {
    int points;               /**< point masses */
    int bodies;               /**< rigid bodies */
    int beams;                /**< beams */
    int sections;             /**< nodes of beams */
    int coordinates;          /**< n, redundant */
    int constraints;          /**< m, all rows */
    int internal;             /**< rows that keep bodies and sections of beams rigid */
    int rank;                 /**< independent rows at the start */
    int degrees_of_freedom;   /**< n - rank, of the velocities; positions have more where something
                                 rolls */
    int unknowns_reduced;     /**< of the reduced treatment, with loop closures */
    int unknowns_multipliers; /**< of the treatment with multipliers, n + m */
    int closures;             /**< constraint rows that the tree does not carry */
    int velocity_rows;        /**< rows that constrain velocities only: rolling without slip */
} olo_counts;
/** Counts; the rank is that of the constraint gradients at the initial state. */
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
/** Its first coordinate in q. */
OLO_API int olo_system_node_offset(const olo_system *system, int node);
/** Index of a node by name, -1 if there is none. */
OLO_API int olo_system_find_node(const olo_system *system, const char *name);

/** Number of constraint groups: one per body (its six internal rows), rod, support and joint. */
OLO_API int olo_system_group_count(const olo_system *system);
/** Name of a group, that of its element. */
OLO_API const char *olo_system_group_name(const olo_system *system, int group);
/** Its first row among all constraints. */
OLO_API int olo_system_group_first(const olo_system *system, int group);
/** Its number of rows. */
OLO_API int olo_system_group_row_count(const olo_system *system, int group);
/** True for the rows that keep a body rigid. */
OLO_API bool olo_system_group_internal(const olo_system *system, int group);
/** How many rows of each group are redundant at the initial state, into `redundant`, one number per
 * group. Of joints with equal rows it is the one that closes a loop, or the later one. */
OLO_API olo_status olo_system_redundant_rows(const olo_system *system, int *redundant,
                                             olo_error *error);

/** Joint coordinates: the angles and translations of joints, in the order of the model, named
 * `hinge.angle`, `slide.position`, `table.position1`. An angle is that of the second body against
 * the first about the axis, zero at the start, and counts turns; a position is that of the second
 * point from the first along an axis. */
OLO_API int olo_system_joint_coordinate_count(const olo_system *system);
/** Name of a joint coordinate. */
OLO_API const char *olo_system_joint_coordinate_name(const olo_system *system, int index);
/** Whether it is an angle, else a position. */
OLO_API bool olo_system_joint_coordinate_is_angle(const olo_system *system, int index);
/** Index of a joint coordinate by name, -1 if there is none. */
OLO_API int olo_system_find_joint_coordinate(const olo_system *system, const char *name);

/** Number of joint coordinates that follow a motion over time (`motion` of a joint). */
OLO_API int olo_system_drive_count(const olo_system *system);
/** The joint coordinate that drive `index` moves. */
OLO_API int olo_system_drive_coordinate(const olo_system *system, int index);

/** Number of beams. */
OLO_API int olo_system_beam_count(const olo_system *system);
/** Name of a beam. */
OLO_API const char *olo_system_beam_name(const olo_system *system, int beam);
/** Its number of nodes. */
OLO_API int olo_system_beam_node_count(const olo_system *system, int beam);
/** The node of the system that is node `index` of a beam, from 0 at its start. */
OLO_API int olo_system_beam_node(const olo_system *system, int beam, int index);
/** Its number of quadrature points, where strains and stresses are. */
OLO_API int olo_system_beam_point_count(const olo_system *system, int beam);
/** How far from the start, along the beam without load, a quadrature point is. */
OLO_API double olo_system_beam_station(const olo_system *system, int beam, int point);

/** Number of recorded points, the model's `outputs`. */
OLO_API int olo_system_output_count(const olo_system *system);
/** Name of an output. */
OLO_API const char *olo_system_output_name(const olo_system *system, int output);
/** Number of recorded reactions, those of the model's `outputs` that have one. */
OLO_API int olo_system_reaction_count(const olo_system *system);
/** Name of a reaction, that of its output. */
OLO_API const char *olo_system_reaction_name(const olo_system *system, int reaction);
/** @} */

/** @name What is conserved
 *  @{ */
/** A quantity that the symmetries of the model conserve, or the balance of energy. */
typedef struct olo_invariant {
    char name[128]; /**< "energy", "energy balance", "linear momentum x", "angular momentum z", ...
                     */
    char why[256];  /**< one sentence */
    double rotation[3];    /**< the momentum map is rotation . L ... */
    double translation[3]; /**< ... + translation . P */
    bool energy;           /**< energy, or its balance when loads or dampers work */
} olo_invariant;
/** Energy and at most six momenta. */
enum { OLO_INVARIANTS_MAX = 8 };
/** Number of conserved quantities. */
OLO_API int olo_system_invariant_count(const olo_system *system);
/** One of them; it lives as long as the system. */
OLO_API const olo_invariant *olo_system_invariant(const olo_system *system, int index);
/** @} */

/** @name States
 *  @{ */
/** How far the initial data had to be moved to satisfy the constraints. */
typedef struct olo_projection {
    double position;         /**< largest change of a coordinate */
    double velocity;         /**< largest change of a velocity */
    double constraint_error; /**< largest error of the constraints before */
    char worst[64];          /**< name of the constraint that was violated most */
} olo_projection;

/** The initial state of the model, made consistent. `projection` may be NULL. Free with
 * olo_state_free. */
OLO_API olo_status olo_system_create_initial_state(const olo_system *system, olo_state **state,
                                                   olo_projection *projection, olo_error *error);
/** A copy of its own. Free with olo_state_free. */
OLO_API olo_status olo_state_clone(const olo_state *state, olo_state **copy, olo_error *error);
/** Copies between states of one system. */
OLO_API void olo_state_copy(const olo_state *from, olo_state *to);
/** Frees a state; NULL is allowed. */
OLO_API void olo_state_free(olo_state *state);

/** Time. */
OLO_API double olo_state_time(const olo_state *state);
/** Sets the time; configuration and velocity stay. */
OLO_API void olo_state_set_time(olo_state *state, double t);
/** Configuration q, n numbers; valid as long as the state. */
OLO_API const double *olo_state_configuration(const olo_state *state);
/** Velocity v = dq/dt, n numbers; valid as long as the state. */
OLO_API const double *olo_state_velocity(const olo_state *state);
/** Replaces the configuration by n numbers, which are copied. They are taken as they are: that they
 * satisfy the constraints is up to the caller (olo_ledger.constraint_error measures it). A joint
 * angle becomes the one within half a turn of its value before. The next step starts afresh,
 * without increments, reactions, multipliers and step sizes of the steps before. Time, velocity and
 * the sums of the ledger stay. */
OLO_API void olo_state_set_configuration(const olo_system *system, olo_state *state,
                                         const double *q);
/** Replaces the velocity by n numbers, which are copied and taken as they are. The next step starts
 * afresh, as after olo_state_set_configuration. */
OLO_API void olo_state_set_velocity(olo_state *state, const double *v);
/** Turns time around: the velocity is negated. */
OLO_API void olo_state_reverse(olo_state *state);
/** Constraint multipliers of the last step (with variational: of the node it started from), one per
 * row of the constraints; zero before the first. Of a step that is composed they are the mean over
 * it, with variational those of its start. */
OLO_API const double *olo_state_multipliers(const olo_state *state);
/** @} */

/** @name Evaluation
 *  @{ */
/** The ledger of a state. */
typedef struct olo_ledger {
    double kinetic;     /**< 1/2 v.M v */
    double potential;   /**< of gravity */
    double strain;      /**< of springs and beams */
    double constraint;  /**< of constraints that give way (penalty, augmented), else 0 */
    double work;        /**< done by loads and drives since the start */
    double dissipation; /**< lost in dampers since the start */
    double total;       /**< kinetic + potential + strain + constraint */
    double balance;     /**< total - work + dissipation: constant with energy-momentum */
    double interval;    /**< energy of the last step by itself (variational); else the total */
    double linear_momentum[3];  /**< of all points and bodies */
    double angular_momentum[3]; /**< about the origin */
    double constraint_error;    /**< largest |g| */
    double constraint_relative; /**< largest |g| over the size of that row's parts at the start */
    double velocity_error; /**< largest |G v|: of order h^2 with energy-momentum, round-off with
                                     variational */
} olo_ledger;
/** Evaluates the ledger. Allocates nothing. */
OLO_API void olo_system_ledger(const olo_system *system, const olo_state *state,
                               olo_ledger *ledger);

/** Position and velocity of a point on a body, in space; either may be NULL. OLO_NOT_FOUND when its
 * name is not known. */
OLO_API olo_status olo_system_point_on_body(const olo_system *system, const olo_state *state,
                                            const olo_point_on_body *point, double position[3],
                                            double velocity[3], olo_error *error);
/** Position and velocity of output `index`, and its acceleration over the last step, (v1 - v0)/h.
 */
OLO_API void olo_system_output(const olo_system *system, const olo_state *state, int index,
                               double position[3], double velocity[3], double acceleration[3]);
/** Strains (two shears along d1 and d2, elongation, curvatures about d1 and d2, torsion) and
 * stress resultants (forces, then moments, along the same directors) of a beam at a quadrature
 * point; either may be NULL. */
OLO_API void olo_system_beam_stress(const olo_system *system, const olo_state *state, int beam,
                                    int point, double strain[6], double stress[6]);
/** Value of a joint coordinate. The turns of an angle are those that the steps made. */
OLO_API double olo_system_joint_coordinate_value(const olo_system *system, const olo_state *state,
                                                 int index);
/** Rate of a joint coordinate. */
OLO_API double olo_system_joint_coordinate_rate(const olo_system *system, const olo_state *state,
                                                int index);
/** Force of a joint, support or rod on its body over the last step (or at the equilibrium that was
 * found), and its moment about the point of the joint, along the axes that the output asks for;
 * zero before the first step. */
OLO_API void olo_system_reaction(const olo_system *system, const olo_state *state, int index,
                                 double force[3], double moment[3]);
/** Torque or force along its coordinate that drive `index` had to give over the last step: with
 * energy-momentum the mean over the step, with variational that at its start. Zero before the
 * first. */
OLO_API double olo_system_drive_force(const olo_system *system, const olo_state *state, int index);
/** Work that drive `index` has done since the start, as the ledger counts it. Without other loads
 * it is the change of energy: to round-off with energy-momentum, with variational to the order of
 * its steps. */
OLO_API double olo_system_drive_work(const olo_system *system, const olo_state *state, int index);
/** The exact solution at time t, where the model gives one (section `exact`): configuration and
 * velocity, n numbers each, NaN where it does not say. True if nothing is missing. */
OLO_API bool olo_system_exact_solution(const olo_system *system, double t, double *q, double *v);
/** Whether the model gives an exact solution of anything. */
OLO_API bool olo_system_has_exact_solution(const olo_system *system);
/** Value of a conserved quantity in a ledger. */
OLO_API double olo_invariant_value(const olo_invariant *invariant, const olo_ledger *ledger);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
