/* Modes of a system. A mode is the system with some constraint groups and actions switched off: a
 * released hook, a load that has not started. It has the same coordinates, rows and states as the
 * system, so that a state goes from one mode to another without conversion; only its topology and
 * redundancy differ. A row that is switched off is an empty form (g = 0 on no coordinates), an
 * action a force on no coordinates: nothing else needs to know that there are modes. */
#ifndef OLO_KINEMATICS_MODE_H
#define OLO_KINEMATICS_MODE_H

#include "system/system.h"

/* Creates a mode, a system that shares names and functions of time with `system` and is freed with
 * olo_system_free. `groups_off` has an entry per group, `actions_off` one per action. Internal
 * groups and the plane of a planar model stay active. The redundancy of closures is evaluated at
 * the configuration q, which is the initial one of the mode. */
olo_status olo_system_create_mode(const olo_system *system, const bool *groups_off,
                                  const bool *actions_off, const double *q, olo_system **mode,
                                  olo_error *error);

#endif
