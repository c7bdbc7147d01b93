/* The control of steps by a tolerance. */
#ifndef OLO_STEPPING_STEP_SIZE_CONTROL_H
#define OLO_STEPPING_STEP_SIZE_CONTROL_H

#include "stepping/step.h"

/* Its segment of a state. */
typedef struct olo_control_segment {
    double next;         /* the size of the next step, 0 if not known */
    double error_before; /* the share of the tolerance that the last step took */
} olo_control_segment;

static inline olo_control_segment *olo_control_of(const olo_state *state)
{
    return state->segment[OLO_SEGMENT_control];
}

/* Takes what a run says about it; fails where that makes no sense. */
olo_status olo_control_choose(olo_control *control, const olo_composition *composition,
                              const olo_run *run, olo_error *error);
/* Room for it. */
olo_status olo_control_create(olo_stepper *stepper, olo_error *error);
void olo_control_free(olo_control *control);

/* Takes the configuration at a node of a composed step, the start is node 0, into the estimate of
 * its error. */
void olo_control_sample(olo_stepper *stepper, const olo_state *state, int node);

#endif
