/* The record of a solved step: all data that its linearisation reads, written by an observer of the
 * stepper. A run is a chain of records, each of which ends at the start of the next one. */
#ifndef OLO_STEPPING_STEP_RECORD_H
#define OLO_STEPPING_STEP_RECORD_H

#include "stepping/step.h"

typedef struct olo_step_record {
    double t, h;
    bool from_momentum; /* the step started from the momentum p0, not from the velocity v0 */
    double *q0, *v0;    /* [n] */
    double *p0;         /* [n] for schemes with momenta */
    double *remainder;  /* [n] of q0; NULL if no term reads it */
    double *motion;     /* [twists] */
    double *angles;     /* [joint coordinates] at q0 */
    double *lambda;     /* [closures] in the scaling of `reduced` */
    double *closing;    /* [closures] multipliers of the projection at the end, if there is one */
    double *inputs;     /* [actions] controls of the step, NaN if there is none */
    const double *q1;   /* [n] the end; see below */
    const double *v1;   /* [n] velocity, if it was computed */
    const double
        *p1; /* [n] momentum before its projection; NULL if the next step does not start from it */
} olo_step_record;

/* The number of doubles in a record of the steps of a stepper with the treatment `reduced`, and a
 * record in such a block of memory. */
size_t olo_step_record_size(const olo_stepper *stepper);
olo_step_record olo_step_record_over(const olo_stepper *stepper, double *block);
/* Records the solved step of a stepper, except for its end. */
void olo_step_record_take(olo_step_record *record, const olo_stepper *stepper);
/* Sets the end: the start of the next record or, for the last one, a state. Both must outlive the
 * record. */
void olo_step_record_join(olo_step_record *record, const olo_step_record *next);
void olo_step_record_end(olo_step_record *record, const olo_state *state);

#endif
