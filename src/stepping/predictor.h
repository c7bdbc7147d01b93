/* The predictor: extrapolation of previous motions, from which the Newton iteration starts. */
#ifndef OLO_STEPPING_PREDICTOR_H
#define OLO_STEPPING_PREDICTOR_H

#include "stepping/step.h"

enum { OLO_PREDICTOR_MOTIONS = 10 }; /* largest number of motions in a prediction */

/* The segment of a state that the predictor owns. */
typedef struct olo_predictor_segment {
    double h_before; /* step size of `before` */
    int smooth;  /* linear extrapolation would have predicted the last motion better than a constant
                    rate */
    int equal;   /* number of last motions with equal step size that the differences include */
    int order;   /* number of motions that would have predicted the last one best */
    int late;    /* the first iterate of the next step does without its load: reduced.c */
    int count;   /* iterations of the last step whose first iterate had its load */
    int waiting; /* steps until the other is tried */
    double lag;  /* contraction by an older tangent over the size of the updates since: reduced.c */
    double share;    /* of the first update, which it left in the last step */
    double before[]; /* [twists] the motion before the last one */
} olo_predictor_segment;

static inline olo_predictor_segment *olo_predictor_of(const olo_state *state)
{
    return state->segment[OLO_SEGMENT_predictor];
}

/* [OLO_PREDICTOR_MOTIONS - 1][twists] Backward differences of the last motions, if the treatment
 * uses them. */
static inline double *olo_predictor_differences(const olo_state *state)
{
    return olo_predictor_of(state)->before + state->twists;
}

/* Discards previous motions. */
static inline void olo_predictor_restart(olo_state *state)
{
    olo_predictor_of(state)->equal = olo_predictor_of(state)->order = 0;
}

/* Factors of the last motion of the state and of the one before, and the number of differences that
 * are added. */
typedef struct olo_motion_mix {
    double last, prior;
    int differences;
} olo_motion_mix;

/* The mix for a step of size h, which is `scale` times the last one; 0: zero motion. */
olo_motion_mix olo_predictor_mix(const olo_state *state, double h, double scale);
/* Computes motion[twists] from a mix. */
void olo_predictor_motion(const olo_state *state, olo_motion_mix mix, double *motion);

/* Updates the last motion of the state and its first `count` - 1 differences; missed[k] is the
 * squared error of the prediction from k motions, 1 to count. */
typedef void olo_motion_pass(const double *now, olo_state *state, int count,
                             double missed[OLO_PREDICTOR_MOTIONS + 1]);
olo_motion_pass olo_motion_pass_any;

/* Stores the motion of a solved step in the state, and chooses the number of motions in the next
 * prediction; at most two if `pass` is NULL. */
void olo_predictor_update(const olo_step *step, olo_motion_pass *pass, olo_state *state);

#endif
