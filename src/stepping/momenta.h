/* The segment of a state in which schemes that step from momenta keep theirs. */
#ifndef OLO_STEPPING_MOMENTA_H
#define OLO_STEPPING_MOMENTA_H

#include "stepping/segments.h"

typedef struct olo_momentum_segment {
    int given;         /* momentum is there, with the part that constraints will take */
    int pending;       /* v has not followed yet: olo_stepper_complete */
    double momentum[]; /* [n] with which the next step starts */
} olo_momentum_segment;

static inline olo_momentum_segment *olo_momentum_of(const olo_state *state)
{
    return state->segment[OLO_SEGMENT_momentum];
}

/* [drives] What prescribed motions took from the momentum at the end of the last step. */
static inline double *olo_drive_impulses(const olo_state *state)
{
    return olo_momentum_of(state)->momentum + state->n;
}

#endif
