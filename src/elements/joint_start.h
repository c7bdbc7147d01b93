/* The relative velocity with which a joint starts. */
#ifndef OLO_ELEMENTS_JOINT_START_H
#define OLO_ELEMENTS_JOINT_START_H

#include "elements/build.h"

/* A coordinate of a joint: `kind` is its name in model files ("angle", "position1"), `given` the
 * initial rate that the user gave under `key`, zero for none. */
typedef struct olo_start_rate {
    const char *kind, *key;
    double given;
} olo_start_rate;

/* The initial rates of the coordinates of a joint: those given, and of the coordinate that follows
 * a prescribed motion the rate of the motion at time 0. Fails when the user gave another rate for
 * that coordinate. `said`: there is a rate other than zero, or a motion. */
typedef struct olo_started {
    double rate;
    bool said;
} olo_started;
olo_status olo_joint_start_rates(olo_builder *builder, const olo_joint *joint, int count,
                                 const olo_start_rate *coordinate, olo_started *start);

/* Do two rates for the same coordinate agree? They may be rounded to about nine digits. */
bool olo_joint_rates_agree(double a, double b);

/* The component of `sliding` along a unit vector; zero where it is across within rounding. */
double olo_joint_sliding_along(const olo_joint *joint, const double axis[3]);

#endif
