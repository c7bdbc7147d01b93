/* The topology of a system: everything that follows from the set of active constraint groups.
 *
 *     spanning forest   one joint for every node (or none if it is free), parents first
 *     closures          the active constraint rows that no joint of the forest satisfies
 *     couplings         the nodes that each piece of the system couples
 *     elimination       the structure of the coupled linear system in the increments of nodes and
 *                       the multipliers of closures: order, fill, layout
 *
 * A topology is immutable and shared between threads. The numbers of a step are in an olo_motion,
 * those of a linear system in an olo_elimination. The system owns the topology with all groups
 * active, system->topology. The numerical rank depends on the configuration and is separate
 * (redundancy.h).
 */
#ifndef OLO_KINEMATICS_TOPOLOGY_H
#define OLO_KINEMATICS_TOPOLOGY_H

#include "base/pool.h"
#include "linalg/elimination.h"
#include "system/piece.h"
#include "system/system.h"

typedef struct olo_topology_node {
    const olo_joint_type *type; /* NULL: free in space, u is the node's motion itself */
    int source;                 /* index of its joint in the system, or -1: none */
    int parent;                 /* node, or -1 for the ground */
    int dof;
    int u;                  /* first entry among all joint increments */
    olo_articulation joint; /* a copy of this joint, oriented such that the node is its child */
} olo_topology_node;

/* Constraint rows first .. first + count. */
typedef struct olo_closure {
    int first, count;
    int u; /* first entry among all closure multipliers */
} olo_closure;

/* The nodes that a piece couples. */
typedef struct olo_coupling {
    int nodes, twists;
    const int *node;   /* [nodes] */
    const int *offset; /* [nodes] offset of each node in the twists of the piece */
    const int *twist;  /* [size of the piece] the offset of the node of a local coordinate */
} olo_coupling;

struct olo_topology {
    const olo_system *system;
    olo_topology_node *nodes; /* one per node of the system */
    int *order;               /* parents before children */
    int unknowns;             /* sum of all dof */
    int closure_count;        /* number of closure rows */
    int *closures;            /* [closure_count] these rows ... */
    int *closure_block;       /* [closure_count] ... and the blocks to which they belong */
    int closure_block_count;  /* number of blocks of up to OLO_BLOCK_MAX rows of one group */
    olo_closure *closure_blocks;
    olo_coupling **couplings;               /* [pieces] NULL: not in the linear system */
    olo_elimination_structure *elimination; /* one block per node, then one per closure block */
    olo_pool pool;                          /* of the couplings */
    bool borrowed;                          /* all but `nodes` belongs to another topology */
};

/* `active` marks the active constraint groups, one entry per group; NULL: all. Internal groups and
 * the plane of a planar model are always active. */
olo_status olo_topology_create(const olo_system *system, const bool *active, olo_topology **created,
                               olo_error *error);
/* The topology of a system that shares the structure of the system of `topology`, which must
 * outlive it. Joints have the numbers of `system`; everything else is shared. */
olo_status olo_topology_share(const olo_topology *topology, const olo_system *system,
                              olo_topology **shared, olo_error *error);
void olo_topology_free(olo_topology *topology);

/* Computes couplings and elimination of a topology with forest and closures. */
olo_status olo_topology_couple(olo_topology *topology, olo_error *error);

/* The block of closure block i in the elimination. */
static inline int olo_topology_closure_block(const olo_topology *topology, int i)
{
    return topology->system->node_count + i;
}

/* The node of the forest whose joint is that of a group; -1: there is none. */
int olo_topology_node_of(const olo_topology *topology, int group);

/* True if no common rigid motion of its nodes changes the rows of a closure. */
bool olo_closure_is_relative(const olo_system *system, const olo_closure *closure);

/* The opening of joint `joint` of the system at q, a length; rotations are multiplied by the length
 * of the model. `size` is the magnitude of the terms that cancel if the joint is closed. */
double olo_joint_opening(const olo_system *system, int joint, const double *q, double *size);

#endif
