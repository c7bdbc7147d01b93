/* The segments of a state that stepping knows (system/state.h): the list is registry.def, one line
 * a segment. The number of a segment is a constant, and so access costs no more than a pointer. */
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

/* All of them, NULL at the end. Compiling gives a system this list. */
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
