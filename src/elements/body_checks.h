/* Checks of bodies when all elements are built. */
#ifndef OLO_ELEMENTS_BODY_CHECKS_H
#define OLO_ELEMENTS_BODY_CHECKS_H

#include "base/fail.h"
#include "system/system.h"

/* Refuses a body without mass, and one whose rotation is undetermined. */
olo_status olo_check_bodies(const olo_system *system, olo_error *error);

#endif
