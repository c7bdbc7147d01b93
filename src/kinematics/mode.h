/* Modes of a system. A mode is the system with some constraint groups, actions and contacts
 * switched off: a released hook, a load that has not started. It has the same coordinates, rows and
 * states as the system, so that a state goes from one mode to another without conversion; only its
 * topology and redundancy differ. A row that is switched off is an empty form (g = 0 on no
 * coordinates), an action a force on no coordinates, a contact is marked: nothing else needs to
 * know that there are modes. A group that is latched has the constants that it got when it closed
 * (latch.h). */
#ifndef OLO_KINEMATICS_MODE_H
#define OLO_KINEMATICS_MODE_H

#include "system/system.h"

/* What is switched: an entry per group, action and contact. Internal groups and the plane of a
 * planar model stay active. `latched` has the first of the constants of each latched group, NULL of
 * others. */
typedef struct olo_mode_switches {
    bool *groups_off, *actions_off, *contacts_off;
    const double **latched;
} olo_mode_switches;

/* Creates a mode, a system that shares names and functions of time with `system` and is freed with
 * olo_system_free. The redundancy of closures is evaluated at the configuration q, which is the
 * initial one of the mode. */
olo_status olo_system_create_mode(const olo_system *system, const olo_mode_switches *switches,
                                  const double *q, olo_system **mode, olo_error *error);

#endif
