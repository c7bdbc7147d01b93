/* Accelerations and multipliers at a state:
 *
 *     M a + G^T lambda = f(q, v, t),   G a = -(dG/dt) v - (dr/dt),
 *
 * with the rate r(q, v, t) = G v - f'(t) of the constraint rows; velocity rows have r = d(q, q).v.
 *
 * A scheme whose velocities satisfy their constraints has states of its full order in q and v, and
 * so have these accelerations and multipliers, and all reactions; those of a step itself are means
 * over the step, of second order (docs/theory.md). */
#ifndef OLO_STEPPING_ACCELERATIONS_H
#define OLO_STEPPING_ACCELERATIONS_H

#include "stepping/step.h"

typedef struct olo_accelerations olo_accelerations;

/* `h`: about the step of a run, the time over which forces change little. */
olo_status olo_accelerations_create(const olo_system *system, double h,
                                    olo_accelerations **accelerations, olo_error *error);
void olo_accelerations_free(olo_accelerations *accelerations);

/* Solves the equations at a state; `inputs` of actions as in an interval, or NULL. False, with no
 * result, if the mass matrix of the motion is singular there. */
bool olo_accelerations_at(olo_accelerations *accelerations, const olo_state *state,
                          const double *inputs);

/* The solution: a[n]; lambda[m], without internal rows; and the constraint forces. */
const double *olo_accelerations_values(const olo_accelerations *accelerations);
const double *olo_accelerations_multipliers(const olo_accelerations *accelerations);
olo_forces olo_accelerations_forces(const olo_accelerations *accelerations);
/* Writes the recorded reactions and the forces of prescribed motions to the state. */
void olo_record_forces(const olo_accelerations *accelerations, olo_state *state);

#endif
