/* The system: the assembled mechanics, immutable once built and shared between threads.
 *
 * The configuration q is one array: three numbers for a point, twelve for a frame (position and
 * three directors). Everything else is stated without knowing kinds: mass entries between 3-vectors
 * of q, terms (laws of quadratic forms), constraint forms in named groups, actions (loads), joints
 * (the kinematic reading of a constraint group) and outputs.
 */
#ifndef OLO_SYSTEM_SYSTEM_H
#define OLO_SYSTEM_SYSTEM_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/names.h"
#include "base/pool.h"
#include "base/sum.h"
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
#include "system/parts.h"
#include "system/position.h"
#include "system/row_size.h"
#include "system/scene.h"
#include "system/strain.h"
#include "system/term.h"

typedef struct olo_topology olo_topology;     /* kinematics/topology.h */
typedef struct olo_redundancy olo_redundancy; /* kinematics/redundancy.h */

typedef enum olo_node_kind { OLO_NODE_POINT, OLO_NODE_FRAME } olo_node_kind;

struct olo_node {
    const char *name;
    olo_node_kind kind;
    int q;            /* its first coordinate */
    int size;         /* coordinates: 3 or 12 */
    int twist;        /* size of its twist: 3 or 6 */
    int motion;       /* its first entry among all twists */
    bool placed;      /* the user gave a position */
    bool section;     /* a cross-section of a beam */
    double center[3]; /* centre of mass in the frame */
    int base;         /* a point in relative coordinates: the node it counts from, else -1 */
    int frame;        /* a frame with a mass of its own: its place among system->frames, else -1 */
};

/* Which node, 3-vector (0 position, 1..3 directors) and axis a coordinate is. */
typedef struct olo_coordinate {
    int node, slot, axis;
} olo_coordinate;

/* Rows first .. first+count of the constraints. Internal groups come first. */
typedef struct olo_group {
    const char *name;
    const char *where; /* the element in the model, for messages */
    bool internal;
    bool carried; /* every joint of its node satisfies it: the plane of a planar model */
    int first, count;
    int joint; /* the joint that carries it, or -1 */
    int frame; /* the node of which it has the six rows d_I.d_J (11, 22, 33, 12, 13, 23), or -1 */
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
    const olo_topology *topology;              /* with all constraint groups active */
    const olo_redundancy *redundancy;          /* of its closures at q0 */
    void (*free_analysis)(olo_system *system); /* frees both; by the room that knows them */
};

enum { OLO_PREDICTOR_MOTIONS = 6 }; /* motions from which the next one may be predicted */

struct olo_state {
    int n, m, twists, joint_coordinates, reaction_count, drives, parts;
    double t;
    double *q;           /* configuration ... */
    double *q_remainder; /* ... and what rounding left of it */
    double *v;
    double *v_before;      /* velocity one step ago */
    double *motion;        /* increments of the last step: displacement and Cayley vector a node */
    double *motion_before; /* one step earlier */
    double *differences;   /* [OLO_PREDICTOR_MOTIONS - 1][twists] backward differences of the last
                              motions, where the scheme predicts by them */
    double *wrench;        /* what hung on the joint of each node in the last step, times h */
    double *lambda;        /* multipliers of the last step */
    double *momentum;      /* with which the next step starts, where the scheme keeps one */
    double *angles;        /* joint coordinates that are angles, turns counted; others 0 */
    double *reactions;     /* force and moment of each recorded reaction over the last step */
    double *impulse_end;   /* [drives] what prescribed motions took from the momentum at the end of
                              the last step */
    double *drive_work;    /* [drives] work of each since the start */
    olo_sum
        *received; /* [parts] energy that each part received from outside; none of a single part */
    double turned; /* no angle has turned further from `angles` */
    bool smooth;   /* the last two motions predicted the last one better than one of them */
    int equal; /* so many motions, the last ones, belong to the differences: steps of one size */
    int predictor_order;       /* so many of them predicted the last one best */
    double h;                  /* last step, 0 before the first; of a composed one its last part */
    double h_before;           /* the one before that, of motion_before */
    double span;               /* the whole last step, since v_before */
    double next, error_before; /* with steps that are chosen: the next size, 0 if not known, and the
                                * share of the tolerance that the last step took */
    bool from_momentum;        /* momentum is there, with the part that constraints will take */
    bool pending;              /* v has not followed yet: olo_stepper_complete */
    double interval_energy;    /* of the last step by itself, where the scheme has one */
    olo_sum work, dissipation;
    olo_sum
        constraint; /* energy that constraints which give way have taken up: sum of lambda . dg */
    double numbers[];
};

/* Fills system->invariants from the symmetries of terms, constraints and actions; false: no memory.
 */
bool olo_system_find_symmetries(olo_system *system);

/* A zeroed state of the right size. */
olo_status olo_state_create(const olo_system *system, olo_state **state, olo_error *error);

/* A state as a block of bytes with a version and a checksum: all that the next step reads, to the
 * last bit. The size is the same for all states of a system. Loading leaves the state alone when it
 * fails. */
size_t olo_state_saved_size(const olo_state *state);
void olo_state_save(const olo_state *state, void *block);
olo_status olo_state_load(olo_state *state, const void *block, size_t size, olo_error *error);

/* The constraint group of a row. */
int olo_system_group_of(const olo_system *system, int row);

/* A beam by name, NULL if there is none. */
const olo_beam_line *olo_system_find_beam(const olo_system *system, const char *name);

/* Position map of a place, resolved by names, and its node (-1: ground; may be NULL). Fails with
 * the nearest name as a suggestion. */
olo_status olo_system_resolve(const olo_system *system, const olo_place *place,
                              olo_position *position, int *node, olo_error *error);

#endif
