/* A frame that rotates with constant angular velocity w about a point c. M couples the 3-vectors of
 * q by multiples of the identity, so that in such a frame, with w^ applied to every 3-vector of q,
 *
 *     M (q'' + 2 w^ q' + w^ w^ (q - c)) + grad V = ...
 *
 * Coriolis forces are M (x) 2 w^, and the centrifugal forces, M (x) w^ w^, are linear in q with the
 * potential -1/2 |w x (q - c)|^2 in the metric of the mass. For directors, and for points relative
 * to others, c is zero. */
#ifndef OLO_STATICS_ROTATING_FRAME_H
#define OLO_STATICS_ROTATING_FRAME_H

#include "linalg/elimination.h"
#include "oloid/statics.h"
#include "system/system.h"

static inline bool olo_rotating_frame_turns(const olo_rotating_frame *spin)
{
    return spin->rate[0] != 0 || spin->rate[1] != 0 || spin->rate[2] != 0;
}

/* Fails where the direction of gravity would rotate in the frame. */
olo_status olo_rotating_frame_check(const olo_system *system, const olo_rotating_frame *spin,
                                    olo_error *error);

/* T += factor M w^ w^ (q - c); `work` has n numbers. */
void olo_rotating_frame_add_force(const olo_system *system, const olo_rotating_frame *spin,
                                  double factor, const double *q, double *work, double *T);
/* y = M 2 w^ dq; `work` has n numbers. */
void olo_rotating_frame_coriolis(const olo_system *system, const olo_rotating_frame *spin,
                                 const double *dq, double *work, double *y);

/* += factor P_int^T (M (x) w^ w^) P_int, or (M (x) 2 w^), at q to the blocks of an elimination. */
void olo_rotating_frame_add_centrifugal(const olo_system *system, const olo_rotating_frame *spin,
                                        double factor, const double *q,
                                        olo_elimination *elimination);
void olo_rotating_frame_add_coriolis(const olo_system *system, const olo_rotating_frame *spin,
                                     double factor, const double *q, olo_elimination *elimination);

#endif
