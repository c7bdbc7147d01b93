/* The system: the assembled mechanics, immutable once built and shared between threads.
 *
 * The configuration q is one array of 3-vectors, positions and directors, which belong to nodes
 * (node.h). Everything else is stated without knowing kinds: mass entries between 3-vectors
 * of q, terms (laws of quadratic forms), constraint forms in named groups, actions (loads), joints
 * (the kinematic reading of a constraint group) and outputs.
 */
#ifndef OLO_SYSTEM_SYSTEM_H
#define OLO_SYSTEM_SYSTEM_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/names.h"
#include "base/pool.h"
#include "oloid/system.h"
#include "system/action.h"
#include "system/constraint.h"
#include "system/coordinate.h"
#include "system/exact.h"
#include "system/form.h"
#include "system/implied_velocity.h"
#include "system/joint.h"
#include "system/ledger_simd.h"
#include "system/mass.h"
#include "system/node.h"
#include "system/parts.h"
#include "system/position.h"
#include "system/row_size.h"
#include "system/scene.h"
#include "system/state.h"
#include "system/strain.h"
#include "system/term.h"

typedef struct olo_topology olo_topology;     /* kinematics/topology.h */
typedef struct olo_redundancy olo_redundancy; /* kinematics/redundancy.h */

/* Rows first .. first+count of the constraints. Internal groups come first. */
typedef struct olo_group {
    const char *name;
    const char *where; /* the element in the model, for messages */
    bool internal;
    bool carried; /* every joint of its node satisfies it: the plane of a planar model */
    int first, count;
    int joint; /* the joint that carries it, or -1 */
    int frame; /* the node of which it has the six rows d_I.d_J (11, 22, 33, 12, 13, 23), or -1 */
    /* It has the five rows of its joint, a hinge: the place along the axes of space, and
     * parent_axis . d_I with these two directors of the child, 0 to 2; -1: it has others. */
    int hinge[2];
} olo_group;

/* A named point of a body. */
typedef struct olo_named_point {
    int node;
    const char *name;
    double at[3];
} olo_named_point;

/* A joint coordinate that follows a motion over time: the constraint row that holds it there. */
typedef struct olo_drive {
    int coordinate; /* among the joint coordinates */
    int row;
} olo_drive;

/* A recorded reaction: the force of a constraint group on its body, along the axes of a node, or of
 * space (-1). */
typedef struct olo_reaction {
    const char *name;
    int group;
    int axes;
} olo_reaction;

/* A beam: its nodes and the terms at its quadrature points. */
typedef struct olo_beam_line {
    const char *name;
    int node_count;
    const int *nodes; /* [node_count] from start to end */
    int elements;
    int element_nodes; /* 2 or 3 */
    int points;        /* quadrature points an element */
    int first_term;    /* of point p of element e: first_term + e points + p */
    const double
        *lengths; /* [node_count] what of its length belongs to each node: integrals of N_a */
    const double *stations; /* [elements points] where the quadrature points are along it */
    olo_section section;    /* its outline, if it has one */
} olo_beam_line;

/* Something a law refers to, owned by the system. */
typedef struct olo_owned {
    void *context;
    void (*free)(void *context);
} olo_owned;

typedef struct olo_system_output_place {
    const char *name;
    olo_position position;
} olo_system_output_place;

struct olo_system {
    olo_pool pool;
    atomic_int users;       /* who keeps it: its owner, and systems that share its structure */
    const olo_system *base; /* whose names, index lists and topology it shares, or NULL */
    const char *name;
    int n; /* coordinates */
    int m; /* constraints */
    int twists;
    int node_count;
    olo_node *nodes;
    int part_count;
    int *node_part;              /* [node_count] the connected part that each belongs to */
    olo_names node_names;        /* the number of each */
    olo_coordinate *coordinates; /* [n] */
    int mass_count;
    int loose_mass_count; /* the first ones: those that belong to no frame */
    olo_mass_entry *mass;
    int frame_count;
    olo_frame_mass *frames;
    int term_count;
    olo_term *terms;
    olo_constraint *constraints; /* [m] */
    int group_count;
    olo_group *groups;
    int joint_count;
    olo_articulation *joints;
    int beam_count;
    olo_beam_line *beams;
    int joint_coordinate_count;
    olo_joint_coordinate *joint_coordinates;
    int drive_count;
    olo_drive *drives;
    int action_count;
    olo_action *actions;
    int body_point_count;
    olo_named_point *body_points;
    int context_count;
    olo_owned *contexts;
    int output_count;
    olo_system_output_place *outputs;
    int reaction_count;
    olo_reaction *reactions;
    int exact_count;
    olo_exact_vector *exacts; /* of the exact solution, where the model gives one */
    int drawable_count;
    olo_drawable *drawables; /* how it looks */
    double *q0, *v0;         /* initial data as given */
    bool *v0_given;          /* [n] the user gave this velocity */
    int implied_count;
    olo_implied_velocity *implied; /* velocities of v0 that follow from others through joints */
    double length_scale;           /* a length of the model, to make increments comparable */
    double gravity[3];
    double plane[3]; /* unit normal or zero */
    bool planar;
    /* What the ledger and the verdict need: measured when it is asked for, see diagnostics.h */
    atomic_int measured;
    olo_ledger_simd *ledger_simd; /* frames in the ledger, or NULL */
    double *row_scale;  /* [m] the size that each constraint row is judged against: row_size.h */
    double lever_scale; /* length_scale, or the largest lever arm */
    int invariant_count;
    olo_invariant invariants[OLO_INVARIANTS_MAX];
    /* Of its states, NULL at the end. Given when it is compiled; all states of a system have the
     * same ones, so it may be replaced only before the first of them is created. */
    const olo_segment *const *segments;
    const olo_topology *topology;              /* with all constraint groups active */
    const olo_redundancy *redundancy;          /* of its closures at q0 */
    void (*free_analysis)(olo_system *system); /* frees both; by the room that knows them */
};

/* Fills system->invariants from the symmetries of terms, constraints and actions; false: no memory.
 */
bool olo_system_find_symmetries(olo_system *system);

/* What a coordinate is measured in: the model's length for positions, one for directors. */
static inline double olo_coordinate_unit(const olo_system *system, int i)
{
    return system->coordinates[i].slot == 0 ? system->length_scale : 1.0;
}

/* The constraint group of a row. */
int olo_system_group_of(const olo_system *system, int row);

/* A beam by name, NULL if there is none. */
const olo_beam_line *olo_system_find_beam(const olo_system *system, const char *name);

/* Position map of a place, resolved by names, and its node (-1: ground; may be NULL). Fails with
 * the nearest name as a suggestion. */
olo_status olo_system_resolve(const olo_system *system, const olo_point_on_body *place,
                              olo_position *position, int *node, olo_error *error);

#endif
