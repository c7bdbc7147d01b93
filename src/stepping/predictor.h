/* The predictor: extrapolation of previous motions, from which the Newton iteration starts. */
#ifndef OLO_STEPPING_PREDICTOR_H
#define OLO_STEPPING_PREDICTOR_H

#include "stepping/composition.h"
#include "stepping/step.h"

/* The largest number of motions in a prediction, and the number that is stored: all parts of a
 * composed step have the same share of them. */
enum { OLO_PREDICTOR_MOTIONS = 10, OLO_PREDICTOR_ROWS = 40 };

/* What is stored of the steps, or of one part of composed steps. */
typedef struct olo_predictor_part {
    double h;  /* size of the last one */
    int equal; /* number of last steps of this size */
    int known; /* number of last motions that the differences include */
    int order; /* number of motions that would have predicted the last one best; 0: a line through
                  the last parts would have been better */
} olo_predictor_part;

/* The segment of a state that the predictor owns. */
typedef struct olo_predictor_segment {
    double h_before; /* step size of `before` */
    int smooth; /* linear extrapolation would have predicted the last motion better than a constant
                   rate */
    int parts;  /* of the steps whose differences are stored; 0: none */
    int skip_load; /* the first iterate of the next step does without its load: reduced_tangent.c */
    int count;     /* iterations of the last step whose first iterate had its load */
    int waiting;   /* steps until the other way is tried */
    double lag;    /* contraction by an older tangent over the size of the updates since:
                      reduced_tangent.c */
    double share;  /* of the first update, which it left in the last step */
    olo_predictor_part part[OLO_COMPOSITION_PARTS];
    double span[OLO_PREDICTOR_ROWS]; /* times between successive motions of a part, last first */
    double before[]; /* [twists] the motion before the last one, of any part; then [rows][twists]:
                        of each part the last motion and its backward differences */
} olo_predictor_segment;

static inline olo_predictor_segment *olo_predictor_of(const olo_state *state)
{
    return state->segment[OLO_SEGMENT_predictor];
}

/* Discards previous motions. */
void olo_predictor_restart(olo_state *state);

/* A prediction: the sum of rows times factors. */
typedef struct olo_motion_mix {
    int rows;
    bool even;                            /* all factors are one */
    double factor[OLO_PREDICTOR_MOTIONS]; /* if they are not */
    const double *first, *others;         /* [twists] and [rows - 1][twists] */
} olo_motion_mix;

/* The last motion times a factor. */
olo_motion_mix olo_predictor_last(const olo_state *state, double factor);
/* The mix for a step, whose size is `scale` times the last one; 0: zero motion. */
olo_motion_mix olo_predictor_mix(const olo_step *step, double scale);
/* Computes motion[twists] from a mix. */
void olo_predictor_motion(const olo_motion_mix *mix, int twists, double *motion);

/* Updates a last motion and its first `count` - 1 differences, row[count][twists]; missed[k] is the
 * squared error of the prediction from k motions, 1 to count. */
typedef void olo_motion_pass(const double *now, int twists, double *row, int count,
                             double missed[OLO_PREDICTOR_MOTIONS + 1]);
olo_motion_pass olo_motion_pass_any;

/* Stores the motion of a solved step in the state, and chooses the number of motions in the next
 * prediction; at most two if `pass` is NULL. */
void olo_predictor_update(const olo_step *step, olo_motion_pass *pass, olo_state *state);

#endif
