/* For all kinds of joints: the two ends given by the user, and the initial velocities that a joint
 * implies. */
#ifndef OLO_ELEMENTS_JOINT_ENDS_H
#define OLO_ELEMENTS_JOINT_ENDS_H

#include <stdbool.h>

#include "elements/build.h"
#include "elements/initial_velocities.h"

/* First and second end: nodes (-1: ground) and points in their frames (in space for the ground). */
typedef struct olo_joint_ends {
    int node[2];
    double at[2][3];
    bool given[2]; /* whether the user gave a point, or only the name of a body */
} olo_joint_ends;

/* Finds both ends. Fails unless they are on two different bodies, or on a body and the ground. */
olo_status olo_joint_find_ends(olo_builder *builder, const olo_joint *joint, olo_joint_ends *ends);

/* The end on the child: the second end if it is on a body, otherwise the first. */
static inline int olo_joint_child_end(const olo_joint_ends *ends)
{
    return ends->node[1] >= 0 ? 1 : 0;
}

/* Joins bodies without a given point where they are. The ends may differ along those of the three
 * axes (in space) whose bits are set in `translations`. Where they differ otherwise
 *
 *     two given points    stay as they are: the initial state moves the bodies until they meet
 *     one                 the other end becomes the nearest point to its origin that the joint
 *                         allows; a body without a position is moved there instead
 *     none                the same, with the origin of the child as the given point */
void olo_joint_join_in_place(olo_builder *builder, unsigned translations, const double axes[9],
                             olo_joint_ends *ends);

/* The initial motion of the child relative to the other end: angular velocity `omega` and velocity
 * `sliding`, both in space, and how completely the joint determines them. */
typedef struct olo_joint_initial_motion {
    double omega[3], sliding[3];
    olo_determination rotation, translation;
} olo_joint_initial_motion;

/* Adds the initial motion to the builder, which computes the velocities of bodies without given
 * ones when all joints are known. */
olo_status olo_joint_set_initial_motion(olo_builder *builder, const olo_joint_ends *ends,
                                        const olo_joint_initial_motion *motion);

/* Adds a joint of some kind to the system. */
typedef olo_status olo_joint_build(olo_builder *builder, const olo_joint *joint);
extern olo_joint_build olo_build_pair_joint, olo_build_screw, olo_build_universal,
    olo_build_distance_joint, olo_build_rolling;

#endif
