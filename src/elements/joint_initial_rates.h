/* The initial rates of the coordinates of a joint. */
#ifndef OLO_ELEMENTS_JOINT_INITIAL_RATES_H
#define OLO_ELEMENTS_JOINT_INITIAL_RATES_H

#include "elements/build.h"

/* A coordinate of a joint: `kind` is its name in model files ("angle", "position1"), `given` is the
 * initial rate that the user gave under `key`, or zero. */
typedef struct olo_given_rate {
    const char *kind, *key;
    double given;
} olo_given_rate;

/* The initial rates of the coordinates of a joint: those given, and of the coordinate that follows
 * a prescribed motion the rate of the motion at time 0. Fails when the user gave another rate for
 * that coordinate. `known`: there is a rate other than zero, or a motion. */
typedef struct olo_initial_rate {
    double rate;
    bool known;
} olo_initial_rate;
olo_status olo_joint_find_initial_rates(olo_builder *builder, const olo_joint *joint, int count,
                                        const olo_given_rate *coordinate,
                                        olo_initial_rate *initial);

/* Whether two rates of the same coordinate agree; they may be rounded to about nine digits. */
bool olo_joint_rates_agree(double a, double b);

/* The component of `sliding` along a unit vector; zero if it is perpendicular up to rounding. */
double olo_joint_sliding_along(const olo_joint *joint, const double axis[3]);

#endif
