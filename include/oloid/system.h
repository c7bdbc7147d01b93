/** @file
 *  Systems and states: the compiled mechanics, constant and shared between threads, and what changes,
 *  small, copied freely, owned by one thread.
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

typedef struct olo_system olo_system;
typedef struct olo_state olo_state;

OLO_API void olo_system_free(olo_system *system);

/** @name Size and structure
 *  @{ */
/** What a system consists of. */
typedef struct olo_counts {
    int points, bodies;
    int coordinates;        /**< n, redundant */
    int constraints;        /**< m, all rows */
    int internal;           /**< rows that keep bodies rigid */
    int rank;               /**< independent rows at the start */
    int degrees_of_freedom; /**< n - rank */
    int unknowns_reduced;   /**< of the reduced treatment, with loop closures */
    int unknowns_multipliers;
    int closures; /**< constraint rows that the tree does not carry */
} olo_counts;
OLO_API olo_status olo_system_counts(const olo_system *system, olo_counts *counts,
                                     olo_error *error);

/** Number of coordinates, n: the length of q and v. */
OLO_API int olo_system_coordinates(const olo_system *system);

/** Nodes in the order of q: points (3 coordinates) and bodies (12: position, d1, d2, d3). */
OLO_API int olo_system_nodes(const olo_system *system);
OLO_API const char *olo_system_node_name(const olo_system *system, int node);
OLO_API bool olo_system_node_is_body(const olo_system *system, int node);
OLO_API int olo_system_node_offset(const olo_system *system, int node);
/** Index of a node by name, -1 if there is none. */
OLO_API int olo_system_find(const olo_system *system, const char *name);

/** Constraint groups: name, first row, number of rows; and whether some of its rows repeat others. */
OLO_API int olo_system_groups(const olo_system *system);
OLO_API const char *olo_system_group_name(const olo_system *system, int group);
OLO_API int olo_system_group_first(const olo_system *system, int group);
OLO_API int olo_system_group_rows(const olo_system *system, int group);
OLO_API bool olo_system_group_internal(const olo_system *system, int group);

/** Joint coordinates: the angles and translations of joints, in the order of the model, named `hinge.angle`,
 *  `slide.position`, `table.position1`. An angle is that of the second body against the first about the axis, zero at
 *  the start, and counts turns; a position is that of the second place from the first along an axis. */
OLO_API int olo_system_joint_coordinates(const olo_system *system);
OLO_API const char *olo_system_joint_coordinate_name(const olo_system *system, int index);
OLO_API bool olo_system_joint_coordinate_is_angle(const olo_system *system, int index);
/** Index of a joint coordinate by name, -1 if there is none. */
OLO_API int olo_system_find_joint_coordinate(const olo_system *system, const char *name);

/** Recorded places: those of the model's `outputs`. */
OLO_API int olo_system_outputs(const olo_system *system);
OLO_API const char *olo_system_output_name(const olo_system *system, int output);
/** @} */

/** @name What is conserved
 *  @{ */
/** A quantity that the symmetries of the model conserve, or the balance of energy. */
typedef struct olo_invariant {
    char name[128]; /**< "energy", "energy balance", "linear momentum x", "angular momentum z", ... */
    char why[256];                      /**< one sentence */
    double rotation[3], translation[3]; /**< momentum map: rotation . L + translation . P */
    bool energy;
} olo_invariant;
enum { OLO_INVARIANTS_MAX = 8 };
OLO_API int olo_system_invariants(const olo_system *system);
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

/** The initial state of the model, made consistent. `projection` may be NULL. Free with olo_state_free. */
OLO_API olo_status olo_system_initial_state(const olo_system *system, olo_state **state,
                                            olo_projection *projection, olo_error *error);
OLO_API olo_status olo_state_clone(const olo_state *state, olo_state **copy, olo_error *error);
/** Copies between states of one system. */
OLO_API void olo_state_copy(const olo_state *from, olo_state *to);
OLO_API void olo_state_free(olo_state *state);

OLO_API double olo_state_time(const olo_state *state);
OLO_API void olo_state_set_time(olo_state *state, double t);
/** Configuration and velocity, n numbers each; valid as long as the state. Writing through them makes
 *  the next step start anew (olo_state_touch). */
OLO_API double *olo_state_q(olo_state *state);
OLO_API double *olo_state_v(olo_state *state);
OLO_API void olo_state_touch(olo_state *state);
/** Turns time around: the velocity is negated. */
OLO_API void olo_state_reverse(olo_state *state);
/** Constraint multipliers of the last step, one a row of the constraints; zero before the first. */
OLO_API const double *olo_state_multipliers(const olo_state *state);
/** @} */

/** @name Evaluation
 *  @{ */
/** The ledger of a state. */
typedef struct olo_ledger {
    double kinetic, potential, strain;
    double work;        /**< done by loads since the start */
    double dissipation; /**< lost in dampers since the start */
    double total;       /**< kinetic + potential + strain */
    double balance;     /**< total - work + dissipation: constant */
    double linear_momentum[3];
    double angular_momentum[3]; /**< about the origin */
    double constraint_error;    /**< largest |g| */
    double velocity_error;      /**< largest |G v|, of order h^2 with energy-momentum */
} olo_ledger;
OLO_API void olo_system_ledger(const olo_system *system, const olo_state *state,
                               olo_ledger *ledger);

/** Position and velocity of a place. */
OLO_API olo_status olo_system_place(const olo_system *system, const olo_state *state,
                                    const olo_place *place, double position[3], double velocity[3],
                                    olo_error *error);
/** Acceleration of output `index` over the last step, (v1 - v0)/h. Position and velocity alike. */
OLO_API void olo_system_output(const olo_system *system, const olo_state *state, int index,
                               double position[3], double velocity[3], double acceleration[3]);
/** Value and rate of a joint coordinate. The turns of an angle are those that the steps made; of a configuration written
 *  through olo_state_q the value within half a turn of the one before is taken. */
OLO_API double olo_system_joint_coordinate_value(const olo_system *system, const olo_state *state,
                                                 int index);
OLO_API double olo_system_joint_coordinate_rate(const olo_system *system, const olo_state *state,
                                                int index);
/** Value of a conserved quantity in a ledger. */
OLO_API double olo_invariant_value(const olo_invariant *invariant, const olo_ledger *ledger);
/** @} */

#ifdef __cplusplus
}
#endif
#endif
