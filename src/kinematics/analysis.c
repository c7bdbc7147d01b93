/* Topology and redundancy of a system, found once. */
#include "kinematics/analysis.h"

#include "kinematics/redundancy.h"

/* The system is the owner of what it shows as constant. */
static void free_analysis(olo_system *system)
{
    olo_redundancy_free((olo_redundancy *)system->redundancy);
    olo_topology_free((olo_topology *)system->topology);
}

olo_status olo_system_analyse(olo_system *system, olo_error *error)
{
    olo_topology *topology = NULL;
    olo_redundancy *redundancy = NULL;
    olo_status status = olo_topology_create(system, NULL, &topology, error);
    if (status == OLO_OK)
        status = olo_redundancy_create(topology, &redundancy, error);
    system->topology = topology;
    system->redundancy = redundancy;
    system->free_analysis = free_analysis;
    return status;
}
