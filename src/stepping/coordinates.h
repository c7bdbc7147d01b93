/* What treatments share whose unknowns are the redundant coordinates themselves, through their
 * increment dq: start values, update, size of an update, and the motion of a finished step. */
#ifndef OLO_STEPPING_COORDINATES_H
#define OLO_STEPPING_COORDINATES_H

#include "stepping/step.h"

/* The state's last motion times `scale`: bodies are turned by its Cayley vector, so that the start
 * satisfies the internal constraints however far a step turns. */
void olo_coordinates_predict(olo_step *step, double scale);

/* dq += change; midpoint and end follow. */
void olo_coordinates_add(olo_step *step, const double *change);

/* Size of an update and of dq: lengths over the model's length, directors as they are. */
void olo_coordinates_measure(const olo_step *step, const double *change, olo_newton *newton);

/* The motion of the finished step into the state. */
void olo_coordinates_finish(const olo_step *step, olo_state *state);

#endif
