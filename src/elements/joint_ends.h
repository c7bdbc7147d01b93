/* What joints of all kinds share: the two ends that the user names, and the velocities that they
 * imply. */
#ifndef OLO_ELEMENTS_JOINT_ENDS_H
#define OLO_ELEMENTS_JOINT_ENDS_H

#include "elements/build.h"
#include "elements/initial_velocities.h"

/* First and second: nodes (-1: ground) and places in their frames (in space for the ground). */
typedef struct olo_joint_ends {
    int node[2];
    double at[2][3];
} olo_joint_ends;

/* Fails unless these are two different bodies, or a body and the ground. */
olo_status olo_joint_find_ends(olo_builder *builder, const olo_joint *joint, olo_joint_ends *ends);

/* Which end moves against which: the child is a body, the second one where both are. */
static inline int olo_joint_child_end(const olo_joint_ends *ends)
{
    return ends->node[1] >= 0 ? 1 : 0;
}

/* How the child moves against the other end at the start: turning by `omega` and sliding by
 * `sliding`, both in space, and how firmly the joint says so. */
typedef struct olo_joint_motion {
    double omega[3], sliding[3];
    olo_hold rotation, translation;
} olo_joint_motion;

/* Tells it to the builder, which gives bodies without velocities of their own theirs when all
 * joints are known. */
olo_status olo_joint_start(olo_builder *builder, const olo_joint_ends *ends,
                           const olo_joint_motion *motion);

/* How a kind of joint adds itself. */
typedef olo_status olo_joint_build(olo_builder *builder, const olo_joint *joint);
extern olo_joint_build olo_build_pair_joint, olo_build_screw, olo_build_universal,
    olo_build_distance_joint, olo_build_rolling;

/* A rod: a fixed distance between two places, OLO_UNSET for that at the start. */
olo_status olo_build_distance(olo_builder *builder, const char *name,
                              const olo_point_on_body between[2], double length);

#endif
