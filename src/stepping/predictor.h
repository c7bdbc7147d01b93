/* Where the iteration of a step starts: at the motion that the last ones predict. */
#ifndef OLO_STEPPING_PREDICTOR_H
#define OLO_STEPPING_PREDICTOR_H

#include "stepping/step.h"

enum { OLO_PREDICTOR_MOTIONS = 6 }; /* motions from which the next one may be predicted */

/* Its segment of a state. */
typedef struct olo_predictor_segment {
    double h_before; /* the step of `before` */
    int smooth;      /* the last two motions predicted the last one better than one of them */
    int equal; /* so many motions, the last ones, belong to the differences: steps of one size */
    int order; /* so many of them predicted the last one best */
    double before[]; /* [twists] the motion before the last one */
} olo_predictor_segment;

static inline olo_predictor_segment *olo_predictor_of(const olo_state *state)
{
    return state->segment[OLO_SEGMENT_predictor];
}

/* [OLO_PREDICTOR_MOTIONS - 1][twists] Backward differences of the last motions, where the scheme
 * predicts by them. */
static inline double *olo_predictor_differences(const olo_state *state)
{
    return olo_predictor_of(state)->before + state->twists;
}

/* Motions that follow have nothing to do with the last ones. */
static inline void olo_predictor_restart(olo_state *state)
{
    olo_predictor_of(state)->equal = olo_predictor_of(state)->order = 0;
}

/* Factors of the state's last motion and of the one before, and how many of its differences are
 * added. */
typedef struct olo_motion_mix {
    double last, prior;
    int differences;
} olo_motion_mix;

/* For a step of h, which is `scale` times the last one; 0: from rest. */
olo_motion_mix olo_predictor_mix(const olo_state *state, double h, double scale);
/* motion[twists] of a mix */
void olo_predictor_motion(const olo_state *state, olo_motion_mix mix, double *motion);

/* The state's last motion and its differences become those of now; missed[k] is the square of what
 * k motions, 1 to OLO_PREDICTOR_MOTIONS, would have missed. */
typedef void olo_motion_pass(const double *now, olo_state *state,
                             double missed[OLO_PREDICTOR_MOTIONS + 1]);
olo_motion_pass olo_motion_pass_any;

/* Takes the motion of a step that is solved into the state, and finds from how many of the last
 * ones the next should be predicted; without a pass from two at most. */
void olo_predictor_update(const olo_step *step, olo_motion_pass *pass, olo_state *state);

#endif
