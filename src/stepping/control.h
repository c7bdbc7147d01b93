/* The control of steps by a tolerance. */
#ifndef OLO_STEPPING_CONTROL_H
#define OLO_STEPPING_CONTROL_H

#include "stepping/step.h"

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
