/* The part of a velocity that is normal to the constraints. The velocity w that satisfies them and
 * is closest to v in the metric of the mass,
 *
 *     M w + G^T mu = M v,   G w + dg/dt = 0,
 *
 * is the motion; v - w is none. Their kinetic energies add up if no motion is prescribed:
 * v.Mv = w.Mw + (v - w).M(v - w). */
#ifndef OLO_STEPPING_NORMAL_MOTION_H
#define OLO_STEPPING_NORMAL_MOTION_H

#include "oloid/simulate.h"
#include "system/system.h"

/* The workspace of one thread, which outlives neither the system nor its topology. */
typedef struct olo_normal_motion olo_normal_motion;

olo_status olo_normal_motion_create(const olo_system *system, const olo_run *run,
                                    olo_normal_motion **motion, olo_error *error);
void olo_normal_motion_free(olo_normal_motion *motion);

/* normal[n] = v - w at a state; false, with zeros, if the mass matrix is singular there. */
bool olo_normal_motion_at(olo_normal_motion *motion, const olo_state *state, double *normal);

#endif
