/* Adaptive step sizes by a tolerance. */
#ifndef OLO_STEPPING_STEP_SIZE_CONTROL_H
#define OLO_STEPPING_STEP_SIZE_CONTROL_H

#include "stepping/step.h"

/* The segment of a state that step size control owns. */
typedef struct olo_control_segment {
    double next;         /* size of the next step, 0 if unknown */
    double error_before; /* error of the last step, relative to its bound */
    double speed;        /* largest velocity so far, lengths divided by the length of the model */
} olo_control_segment;

static inline olo_control_segment *olo_control_of(const olo_state *state)
{
    return state->segment[OLO_SEGMENT_control];
}

/* Sets the options of a run; fails if they are invalid. */
olo_status olo_control_choose(olo_control *control, const olo_composition *composition,
                              const olo_run *run, olo_error *error);
/* Allocates the workspace; control.retry belongs to the stepper. */
olo_status olo_control_create(olo_stepper *stepper, olo_error *error);

/* Adds the configuration at a node of a composed step (node 0 is the start) to the estimate of its
 * error. */
void olo_control_sample(olo_stepper *stepper, const olo_state *state, int node);

#endif
