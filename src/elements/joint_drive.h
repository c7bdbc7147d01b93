/* The coordinates of a joint and what acts along them. */
#ifndef OLO_ELEMENTS_JOINT_DRIVE_H
#define OLO_ELEMENTS_JOINT_DRIVE_H

#include "elements/build.h"

/* Signs of the user's coordinates against those of child and parent: angle, positions. */
typedef struct olo_joint_sense {
    double turn, slide;
} olo_joint_sense;

/* For the joint that was built last: its coordinates, then spring, damper, stops, controller and
 * drives. */
olo_status olo_build_joint_drives(olo_builder *builder, const olo_joint *joint,
                                  olo_joint_sense sense);
/* The same for coordinates angle1, angle2, ... of given cosines and sines. */
olo_status olo_build_angle_drives(olo_builder *builder, const olo_joint *joint, int count,
                                  const olo_form_builder (*form)[2]);

#endif
