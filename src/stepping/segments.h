/* The segments of a state that stepping owns (system/state.h). The list is registry.def, one line
 * per segment. The number of a segment is a constant, so that access costs no more than a pointer.
 */
#ifndef OLO_STEPPING_SEGMENTS_H
#define OLO_STEPPING_SEGMENTS_H

#include "system/state.h"

enum {
#define OLO_SEGMENT(name) OLO_SEGMENT_##name,
#include "stepping/registry.def"
#undef OLO_SEGMENT
    OLO_SEGMENT_COUNT
};

#define OLO_SEGMENT(name) extern const olo_segment olo_segment_##name;
#include "stepping/registry.def"
#undef OLO_SEGMENT

/* All segments, NULL at the end. Compiling copies this list to the system. */
extern const olo_segment *const olo_segments[];

/* [twists] The motion of the last step: displacement and Cayley vector of each node. */
static inline double *olo_last_motion(const olo_state *state)
{
    return state->segment[OLO_SEGMENT_motion];
}

/* [twists] The wrench of the joint of each node in the last step, times h. */
static inline double *olo_last_wrenches(const olo_state *state)
{
    return state->segment[OLO_SEGMENT_wrenches];
}

#endif
