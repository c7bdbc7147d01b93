/* A step as it was made, written down by a witness of the stepper: all that its linearisation
 * reads. A run of steps is a chain of records, each of which ends where the next one starts. */
#ifndef OLO_STEPPING_STEP_RECORD_H
#define OLO_STEPPING_STEP_RECORD_H

#include "stepping/step.h"

typedef struct olo_step_record {
    double t, h;
    bool from_momentum; /* it started with the momentum p0, not with the velocity v0 */
    double *q0, *v0;    /* [n] */
    double *p0;         /* [n] of a scheme with momenta */
    double *remainder;  /* [n] what rounding left of q0; NULL where no term reads it */
    double *motion;     /* [twists] */
    double *angles;     /* [joint coordinates] at q0 */
    double *lambda;     /* [closures] as `reduced` scales them */
    double *closing;  /* [closures] multipliers of the projection at the end, where there is one */
    double *inputs;   /* [actions] of the step, NaN where there is none */
    const double *q1; /* [n] the end; see below */
    const double *v1; /* [n] where that was asked for */
    const double *p1; /* [n] before its projection; NULL where it did not go on from that */
} olo_step_record;

/* How many numbers a record of the steps of a stepper, with constraints reduced, has, and the
 * record over such a block. */
size_t olo_step_record_size(const olo_stepper *stepper);
olo_step_record olo_step_record_over(const olo_stepper *stepper, double *block);
/* What a witness of the stepper writes down: all but the end. */
void olo_step_record_take(olo_step_record *record, const olo_stepper *stepper);
/* The end is where the next record starts, or, of the last one, a state; both must stay. */
void olo_step_record_join(olo_step_record *record, const olo_step_record *next);
void olo_step_record_end(olo_step_record *record, const olo_state *state);

#endif
