/* The segment of a state in which schemes that step from momenta store them. */
#ifndef OLO_STEPPING_MOMENTA_H
#define OLO_STEPPING_MOMENTA_H

#include "stepping/segments.h"

typedef struct olo_momentum_segment {
    int given;         /* `momentum` is valid; it includes the part normal to the constraints */
    int pending;       /* v is not yet computed: olo_stepper_complete */
    double momentum[]; /* [n] from which the next step starts */
} olo_momentum_segment;

static inline olo_momentum_segment *olo_momentum_of(const olo_state *state)
{
    return state->segment[OLO_SEGMENT_momentum];
}

/* [drives] The impulses of prescribed motions on the momentum at the end of the last step. */
static inline double *olo_drive_impulses(const olo_state *state)
{
    return olo_momentum_of(state)->momentum + state->n;
}

#endif
