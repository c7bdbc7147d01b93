/* Functions of treatments whose unknowns are the redundant coordinates, by their increment dq:
 * predictor, update, size of an update, and the motion of a finished step. */
#ifndef OLO_STEPPING_COORDINATES_H
#define OLO_STEPPING_COORDINATES_H

#include "stepping/step.h"

/* The predictor: the last motion of the state times `scale`. Bodies are rotated by its Cayley
 * vector, so that the first iterate satisfies the internal constraints for rotations of any size.
 */
void olo_coordinates_predict(olo_step *step, double scale);

/* dq += change; midpoint and end follow. */
void olo_coordinates_add(olo_step *step, const double *change);

/* The largest vector of the coordinates from `first` to `end`: lengths divided by the length of the
 * model, directors as they are. */
double olo_coordinates_size(const olo_system *system, int first, int end, const double *x);

/* Size of an update and of dq: lengths divided by the model's length, directors as they are. */
void olo_coordinates_measure(const olo_step *step, const double *change, olo_newton *newton);

/* Writes the motion of the finished step to the state. */
void olo_coordinates_finish(const olo_step *step, olo_state *state);

#endif
