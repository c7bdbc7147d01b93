/* The topology of a system: everything that follows from which constraint groups are active.
 *
 * A spanning forest: every node is moved by one joint (or is free), parents first. Closures: the
 * active constraint groups that no joint of the forest carries. Couplings: which nodes the pieces
 * of the system couple. And the structure of the coupled linear system in the increments of nodes
 * and the multipliers of closures: order of elimination, fill, layout.
 *
 * Immutable once it is made, and shared between threads: the numbers of a step are in an
 * olo_motion, those of a linear system in an olo_elimination. The system owns the topology in which
 * all groups are active, system->topology; all users take that one. Numerical rank is a matter of
 * configuration, and beside it (redundancy.h).
 */
#ifndef OLO_KINEMATICS_TOPOLOGY_H
#define OLO_KINEMATICS_TOPOLOGY_H

#include "base/pool.h"
#include "linalg/elimination.h"
#include "system/piece.h"
#include "system/system.h"

typedef struct olo_topology_node {
    const olo_joint_type *type; /* NULL: free in space, u is the node's motion itself */
    int source;                 /* the joint of the system that moves it, or -1: none */
    olo_articulation joint;     /* a copy with the numbers of the system, oriented: child is this
                                 * node */
    int parent;                 /* node, or -1 for ground */
    int dof;
    int u; /* first entry among all joint increments */
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
    const int *offset; /* [nodes] of each among the twists of the piece */
    const int *place;  /* [size of the piece] the offset of the node of a local coordinate */
} olo_coupling;

struct olo_topology {
    const olo_system *system;
    olo_topology_node *nodes; /* one per node of the system */
    int *order;               /* parents before children */
    int unknowns;             /* sum of all dof */
    int closure_count;        /* how many active constraint rows the forest does not carry */
    int *closures;            /* [closure_count] these rows */
    int closure_block_count;  /* they come in blocks of up to OLO_BLOCK_MAX rows of one group */
    olo_closure *closure_blocks;
    olo_coupling **couplings;               /* [pieces] NULL: not in the linear system */
    olo_elimination_structure *elimination; /* one block per node, then one per closure block */
    olo_pool pool;                          /* of the couplings */
    bool borrowed;                          /* all but `nodes` belongs to another topology */
};

/* `active` says which constraint groups are, one per group; NULL: all. What keeps a frame rigid
 * or a model in its plane always is. */
olo_status olo_topology_create(const olo_system *system, const bool *active, olo_topology **created,
                               olo_error *error);
/* The same for a system that shares the structure of the one that `topology` belongs to, which
 * outlives it: joints have the numbers of `system`, everything else is shared. */
olo_status olo_topology_share(const olo_topology *topology, const olo_system *system,
                              olo_topology **shared, olo_error *error);
void olo_topology_free(olo_topology *topology);

/* Fills couplings and elimination of a topology whose forest and closures are there. */
olo_status olo_topology_couple(olo_topology *topology, olo_error *error);

/* The block of closure block i in the elimination. */
static inline int olo_topology_closure_block(const olo_topology *topology, int i)
{
    return topology->system->node_count + i;
}

/* No common rigid motion of its nodes changes the rows of a closure. */
bool olo_closure_is_relative(const olo_system *system, const olo_closure *closure);

/* By how much joint `joint` of the system is open at q: a length, turns times the model's
 * length. `size` is that of the numbers that cancel where it is closed. */
double olo_joint_opening(const olo_system *system, int joint, const double *q, double *size);

#endif
