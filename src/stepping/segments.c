/* The list of segments of a state, and the two that several treatments write: motion and wrenches.
 */
#include "stepping/segments.h"

const olo_segment *const olo_segments[] = {
#define OLO_SEGMENT(name) &olo_segment_##name,
#include "stepping/registry.def"
#undef OLO_SEGMENT
    NULL};

static void reverse_motion(olo_state *state)
{
    double *motion = olo_last_motion(state);
    for (int i = 0; i < state->twists; i++)
        motion[i] = -motion[i];
}

const olo_segment olo_segment_motion = {.name = "motion", .twists = 1, .reverse = reverse_motion};
const olo_segment olo_segment_wrenches = {.name = "wrenches", .twists = 1};
