/* The initial guess of a motion: quantities that have given values at the end change linearly from
 * their values at the start. Of all such configurations each node has the one nearest to the node
 * before, in coordinates of the chart of the tree: joints that nothing is said about do not move.
 */
#ifndef OLO_CONTROL_GUESS_H
#define OLO_CONTROL_GUESS_H

#include "control/problem.h"
#include "system/state.h"

/* Writes the configurations of all nodes, q[(intervals + 1) n]; the first one is that of the state.
 */
olo_status olo_guess_motion(const olo_control_problem *problem, const olo_state *state, double *q,
                            olo_error *error);

#endif
