/* What a system keeps of its kinematics: the topology with all constraint groups active, and the
 * redundancy of its closures. */
#ifndef OLO_KINEMATICS_ANALYSIS_H
#define OLO_KINEMATICS_ANALYSIS_H

#include "system/system.h"

/* At the end of compiling: sets system->topology and system->redundancy, which olo_system_free
 * frees. */
olo_status olo_system_analyse(olo_system *system, olo_error *error);

#endif
