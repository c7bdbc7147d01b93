/* Prescribed motions as inputs of a linear system. A small change w(t) of a motion moves the joint
 * increments by S w, and what remains is free:
 *
 *     u = N^T y + S w,     M y'' + D y' + K y = -N (K S w + D S w' + M S w'').
 *
 * So a motion is three inputs: its value, its rate and its acceleration. */
#ifndef OLO_STATICS_MOTION_INPUTS_H
#define OLO_STATICS_MOTION_INPUTS_H

#include "base/pool.h"
#include "kinematics/null_space.h"
#include "statics/pencil.h"

typedef struct olo_motion_input {
    const char *name; /* of the constraint group: road.motion */
    double *shift;    /* [unknowns] S */
    double *force[3]; /* [unknowns] -K S, -D S, -M S */
} olo_motion_input;

/* Lists the motions at the state of `balance`, in the pool; those that the other closures determine
 * are left out. */
olo_status olo_motion_inputs_create(olo_static_balance *balance, const olo_pencil *pencil,
                                    olo_null_space *space, double load, olo_pool *pool,
                                    olo_motion_input **inputs, int *count, olo_error *error);

#endif
