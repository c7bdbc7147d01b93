/* The system: the assembled equations of a model, immutable once built and shared between threads.
 *
 * The configuration q is one array of vectors, positions, directors and scalars, which belong to
 * nodes (node.h). All other parts are independent of the kinds of elements: mass entries between
 * vectors of q, terms (laws of quadratic forms), constraint rows in named groups, actions
 * (loads), joints (the kinematic description of a constraint group) and outputs.
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
#include "system/contact.h"
#include "system/coordinate.h"
#include "system/event.h"
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
    bool latched; /* its constants are those of an event: its joint does not satisfy it */
    int first, count;
    int joint; /* the joint that satisfies it if it is part of the forest, or -1 */
    int frame; /* the node whose six rows d_I.d_J (11, 22, 33, 12, 13, 23) it consists of, or -1 */
    /* If its rows are the five rows of a hinge (the joint point along the axes of space, and
     * parent_axis . d_I with two directors of the child): these two directors, 0 to 2; else -1. */
    int hinge[2];
} olo_group;

/* A named point on a body. */
typedef struct olo_named_point {
    int node;
    const char *name;
    double at[3];
} olo_named_point;

/* A measure on which forces depend beside joint coordinates: a length or a coordinate of a point.
 */
typedef struct olo_measure {
    const olo_term *term; /* its energy is the measure; `coordinate` is its index */
} olo_measure;

/* A prescribed motion: a joint coordinate and the constraint row that prescribes it. */
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
    const int *edges; /* [elements] the nodes of directors at edges; NULL: nodes are frames */
    bool discrete;    /* a discrete rod: its momentum maps are recorded */
    int elements;
    int element_nodes; /* 2 or 3 */
    int points;        /* quadrature points per element */
    int first_term;    /* the term of point p of element e is first_term + e points + p */
    int first_row;     /* rows of point p begin at first_row + p row_count; -1: there are none */
    int row_count;     /* rows per point: */
    int row_strain[3]; /* [row_count] the strain of each, 0, 1 shear, 2 elongation */
    int first_bending; /* with directors at edges: the terms of vertices begin here, else -1 */
    const double *lengths; /* [node_count] the length that belongs to each node: integrals of N_a */
    const double *stations; /* [elements points] arc lengths of the quadrature points */
    olo_section section;    /* its outline, if it has one */
} olo_beam_line;

/* Data that a law refers to, owned by the system. */
typedef struct olo_owned {
    void *context;
    void (*free)(void *context);
} olo_owned;

/* A recorded point. */
typedef struct olo_output_point {
    const char *name;
    olo_position position;
} olo_output_point;

struct olo_system {
    olo_pool pool;
    atomic_int users; /* number of users: its owner, and systems that share its structure */
    const olo_system
        *base; /* the system whose names, index lists and topology it shares, or NULL */
    const char *name;
    int n; /* coordinates */
    int m; /* constraints */
    int twists;
    int node_count;
    olo_node *nodes;
    int part_count;
    int *node_part;              /* [node_count] the connected part of each node */
    olo_names node_names;        /* the index of each name */
    olo_coordinate *coordinates; /* [n] */
    int mass_count;
    int loose_mass_count; /* the first entries, which belong to no frame */
    olo_mass_entry *mass;
    int mass_function_count;
    olo_mass_function *mass_functions;
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
    int measure_count;
    olo_measure *measures;
    int drive_count;
    olo_drive *drives;
    int action_count;
    olo_action *actions;
    int body_point_count;
    olo_named_point *body_points;
    int context_count;
    olo_owned *contexts;
    int output_count;
    olo_output_point *outputs;
    int reaction_count;
    olo_reaction *reactions;
    int contact_count;
    olo_contact_point *contacts;
    int event_count;
    olo_system_event *events;
    int latched_count; /* numbers of states for groups that events latch: kinematics/latch.h */
    bool is_mode;      /* some groups, actions and contacts are switched off: kinematics/mode.h */
    int exact_count;
    olo_exact_vector *exacts; /* of the exact solution, if the model has one */
    int drawable_count;
    olo_drawable *drawables; /* of elements: scene.h */
    double *q0, *v0;         /* initial state as given */
    bool *v0_given;          /* [n] this velocity is given in the model */
    int implied_count;
    olo_implied_velocity *implied; /* initial velocities that follow from others through joints */
    double length_scale;           /* a length of the model, the scale of displacements */
    double gravity[3];
    double plane[3]; /* unit normal or zero */
    bool planar;
    /* Diagnostics for the ledger and the verdict, computed at the first request: diagnostics.h */
    atomic_int measured;
    olo_ledger_simd *ledger_simd; /* the ledger of frames, or NULL */
    double *row_scale;            /* [m] the size of each constraint row: row_size.h */
    double lever_scale;           /* length_scale, or the largest lever arm */
    int invariant_count;
    olo_invariant invariants[OLO_INVARIANTS_MAX];
    /* The segments of its states, NULL at the end; given when it is compiled. All states of a
     * system have the same segments: the list may be replaced only before the first state is
     * created. */
    const olo_segment *const *segments;
    const olo_topology *topology;              /* with all constraint groups active */
    const olo_redundancy *redundancy;          /* of its closures at q0 */
    void (*free_analysis)(olo_system *system); /* frees both; set by kinematics/analysis.c */
};

/* Fills system->invariants from the symmetries of terms, constraints and actions; false: no memory.
 */
bool olo_system_find_symmetries(olo_system *system);
/* Which pieces (piece.h) refer to bodies only and not to space, by the forms of which they are
 * made: their forces and moments on the whole system vanish. internal[olo_pieces]; false: no
 * memory. */
bool olo_system_find_internal(const olo_system *system, bool *internal);

/* The scale of a coordinate: the length of the model for positions, one for directors and scalars.
 */
static inline double olo_coordinate_unit(const olo_system *system, int i)
{
    return system->coordinates[i].slot == 0 ? system->length_scale : 1.0;
}

/* The norm of the vector of q that starts at coordinate i, in x[n]. */
static inline double olo_vector_size(const olo_system *system, const double *x, int i)
{
    return system->coordinates[i].width == 1 ? fabs(x[i]) : vec3_norm(x + i);
}

/* The constraint group of a row. */
int olo_system_group_of(const olo_system *system, int row);

/* A beam by name, NULL if there is none. */
const olo_beam_line *olo_system_find_beam(const olo_system *system, const char *name);

/* The position of a point on a body that is given by names, and its node (-1: ground; may be NULL).
 * Fails with the nearest name as a suggestion. */
olo_status olo_system_resolve(const olo_system *system, const olo_point_on_body *point,
                              olo_position *position, int *node, olo_error *error);

#endif
