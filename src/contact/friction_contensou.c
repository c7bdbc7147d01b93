/* Coulomb-Contensou friction: a force and a torque about the normal, of a patch that slides and
 * spins. The rate of rotation is multiplied by the mean radius of the patch, which is then the unit
 * of the torque (transformation of the inclusion): the ellipsoid is a ball. */
#include "contact/friction.h"

const olo_friction olo_friction_contensou = {
    .name = "contensou",
    .help = "force and torque about the normal, ellipsoidal set",
    .set = &olo_set_ball,
    .spin = true};

const olo_friction olo_friction_contensou_exact = {
    .name = "contensou-exact",
    .help = "force and torque about the normal, exact set of a Hertz pressure",
    .set = &olo_set_contensou,
    .spin = true,
    .shape = {.radius = 1}};
