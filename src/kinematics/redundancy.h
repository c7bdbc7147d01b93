/* Numerical rank of the closures of a topology at the initial configuration of its system. Unlike
 * the topology it depends on the numbers of the system. It is computed once and stored in
 * system->redundancy. */
#ifndef OLO_KINEMATICS_REDUNDANCY_H
#define OLO_KINEMATICS_REDUNDANCY_H

#include "kinematics/topology.h"

struct olo_redundancy {
    int rank;  /* independent rows among those of the closures */
    int *rows; /* [groups of the system] number of redundant rows of each group */
};

olo_status olo_redundancy_create(const olo_topology *topology, olo_redundancy **redundancy,
                                 olo_error *error);
void olo_redundancy_free(olo_redundancy *redundancy);

/* True if the system has redundant rows. They are assumed to be redundant at all configurations. */
static inline bool olo_system_is_redundant(const olo_system *system)
{
    return system->redundancy->rank < system->topology->closure_count;
}

#endif
