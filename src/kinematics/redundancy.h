/* Numerical rank of the closures of a topology at the initial configuration of its system.
 * Unlike the topology it depends on the numbers of the system: it is found once for them, and
 * kept beside the topology, system->redundancy. */
#ifndef OLO_KINEMATICS_REDUNDANCY_H
#define OLO_KINEMATICS_REDUNDANCY_H

#include "kinematics/topology.h"

struct olo_redundancy {
    int rank;  /* independent rows among those of the closures */
    int *rows; /* [groups of the system] how many of each depend on others */
};

olo_status olo_redundancy_create(const olo_topology *topology, olo_redundancy **redundancy,
                                 olo_error *error);
void olo_redundancy_free(olo_redundancy *redundancy);

/* Are there any such rows in the system? Where there are, they are redundant wherever the
 * linkage goes. */
static inline bool olo_system_is_redundant(const olo_system *system)
{
    return system->redundancy->rank < system->topology->closure_count;
}

#endif
