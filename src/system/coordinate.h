/* Joint coordinates: scalars that describe the position of a joint, functions of quadratic forms.
 *
 *     translation   u_k = M_k . (x_c - x_p)                       one form
 *     angle         theta = atan2(s, c), c = C1.M1, s = C1.M2     two forms, with full turns
 *
 * The axes M are fixed in the parent and the axes C in the child. A coordinate is a term whose
 * energy is the coordinate itself. So it has a value, a gradient, the exact discrete gradient d
 * with d.dq = x(q1) - x(q0), and the derivatives of these. Springs, dampers and stops are terms of
 * the same forms; drives are actions along d.
 *
 * The number of full turns of an angle is stored in the state: `angles` has its value at the end of
 * the last step. At a configuration within half a turn of that, the angle is the value nearest to
 * it. No increments are summed, hence the angle does not drift.
 */
#ifndef OLO_SYSTEM_COORDINATE_H
#define OLO_SYSTEM_COORDINATE_H

#include <stdbool.h>

#include "system/term.h"

typedef struct olo_system olo_system;
typedef struct olo_state olo_state;
typedef struct olo_action olo_action;

enum { OLO_COORDINATE_ANGLE = 3 };

typedef struct olo_joint_coordinate {
    const char *name;     /* "hinge.angle" */
    const olo_term *term; /* its energy is the coordinate */
    int joint;            /* the articulation whose coordinate it is */
    double sense; /* its change by a motion of the child along or about its axis of a pair: 1, or -1
                     if it is measured the other way round; 0: it is another coordinate */
    int axis;     /* of a translation of a pair: 0, 1 or 2; OLO_COORDINATE_ANGLE: about n */
} olo_joint_coordinate;

static inline bool olo_joint_coordinate_is_angle(const olo_joint_coordinate *x)
{
    return x->term->law->angle != NULL;
}

/* The term of the joint coordinate of this name, or NULL. */
const olo_term *olo_system_coordinate_term(const olo_system *system, const char *name);
/* Whether a control of this name drives the action: it belongs to the element of the name, or acts
 * `along` the joint coordinate of the name. */
bool olo_action_belongs(const olo_action *action, const char *name, const olo_term *along);
/* Updates the angles of the state after q has changed by less than half a turn. */
void olo_state_follow_angles(const olo_system *system, olo_state *state);

#endif
