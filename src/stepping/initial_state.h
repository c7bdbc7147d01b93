/* Parts of the computation of a consistent initial state. */
#ifndef OLO_STEPPING_INITIAL_STATE_H
#define OLO_STEPPING_INITIAL_STATE_H

#include "oloid/system.h"

/* Removes the part of the velocities that is normal to the constraints in the metric of the mass: M
 * v is then the tangential momentum. Allocates. */
olo_status olo_state_make_tangent(const olo_system *system, olo_state *state, olo_error *error);

/* A plastic impact: velocities that satisfy all constraints after an impulse of the constraints
 * alone, M dv = G^T mu. Momenta that the constraints conserve do not change. Allocates; fails if a
 * motion that the constraints permit has no mass. */
olo_status olo_state_apply_impact(const olo_system *system, olo_state *state, olo_error *error);

#endif
