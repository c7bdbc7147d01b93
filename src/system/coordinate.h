/* Joint coordinates: scalars that tell where a joint stands, of quadratic forms of q.
 *
 *     translation   u_k = M_k . (x_c - x_p)                       one form
 *     angle         theta = atan2(s, c), c = C1.M1, s = C1.M2     two forms, turns counted
 *
 * with the axes M fixed in the parent and C in the child. A coordinate is a term whose energy is
 * the coordinate itself, and so has all that terms have: value, gradient, the exact discrete
 * gradient d with d.dq = x(q1) - x(q0), and the derivatives of these. Springs, dampers and stops
 * are terms of the same forms; drives are actions along d.
 *
 * The turns of an angle are in the state: `angles` holds its value at the end of the last step,
 * and at any configuration within half a turn of that the value is the one nearest to it. So
 * nothing is summed up, and nothing drifts.
 */
#ifndef OLO_SYSTEM_COORDINATE_H
#define OLO_SYSTEM_COORDINATE_H

#include <stdbool.h>

#include "system/term.h"

typedef struct olo_system olo_system;
typedef struct olo_state olo_state;

typedef struct olo_joint_coordinate {
    const char *name;     /* "hinge.angle" */
    const olo_term *term; /* its energy is the coordinate */
} olo_joint_coordinate;

static inline bool olo_joint_coordinate_turns(const olo_joint_coordinate *x)
{
    return x->term->law->angle;
}

/* After q has changed by less than half a turn: the angles of the state follow. */
void olo_state_follow_angles(const olo_system *system, olo_state *state);

#endif
