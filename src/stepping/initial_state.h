/* The consistent start, in parts. */
#ifndef OLO_STEPPING_INITIAL_STATE_H
#define OLO_STEPPING_INITIAL_STATE_H

#include "oloid/system.h"

/* Takes out of the velocities what is normal to the constraints, in the metric of the mass: what is
 * left of M v is the tangential momentum. Allocates. */
olo_status olo_state_make_tangent(const olo_system *system, olo_state *state, olo_error *error);

#endif
