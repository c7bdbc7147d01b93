/* The coordinates of a joint, and the springs, dampers and drives along them. */
#ifndef OLO_ELEMENTS_JOINT_DRIVE_H
#define OLO_ELEMENTS_JOINT_DRIVE_H

#include "elements/build.h"

/* Signs of the user's coordinates (angle, positions) relative to those of child and parent. */
typedef struct olo_joint_sense {
    double turn, slide;
} olo_joint_sense;

/* Adds the coordinates of the joint that was built last, then spring, damper, stops, controller and
 * drives. */
olo_status olo_build_joint_drives(olo_builder *builder, const olo_joint *joint,
                                  olo_joint_sense sense);
/* The same for coordinates angle1, angle2, ... of given cosines and sines. */
olo_status olo_build_angle_drives(olo_builder *builder, const olo_joint *joint, int count,
                                  const olo_form_builder (*form)[2]);

#endif
