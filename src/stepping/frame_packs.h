/* What belongs to the nodes of a system alone, for four of them at once: their inertia in the
 * balance of a step, their blocks of the tangent in twists, their motion after an update, and with
 * consistent velocities (reduced_rates.h) their velocities and loads.
 *
 *     T = M ((2/h) dq - 2 v0) + h f
 *     w = P_int(left)^T T = [T_phi; sum d_I x T_I]
 *     S = factor P_int(left)^T M P_int(q1) + 1/2 sum (d_I,1 (x) T_I - (d_I,1 . T_I) I)
 *     v = P_int(q1) t,   load = -dP_int[v_m]^T r = [0; -sum d_I' x r_I]
 *
 * These are frames, points (which have positions alone) and triads (directors alone). Numbers of
 * four nodes are in lanes (linalg/lanes.h). The kernels are compiled twice, to the same bits. */
#ifndef OLO_STEPPING_FRAME_PACKS_H
#define OLO_STEPPING_FRAME_PACKS_H

#include "kinematics/motion.h"
#include "linalg/lanes.h"
#include "system/system.h"

typedef struct olo_frame_pack {
    int count;                /* of nodes; further lanes are copies of the first one */
    bool position, directors; /* which the nodes have */
    int node[LANES];
    int q[LANES], motion[LANES]; /* their first coordinates, and entries of the twist */
    lane_mass mass;
} olo_frame_pack;

/* Four pairs of different frames that the mass couples, as those of a beam element: M[I][J] couples
 * vector I of the first one, 0 its position, with vector J of the second one. */
typedef struct olo_frame_pair {
    int count; /* further lanes are copies of the first one */
    int node[2][LANES], q[2][LANES];
    unsigned filled[4]; /* bit J of number I: M[I][J] of some pair is not zero */
    lane M[4][4];
} olo_frame_pair;

/* A pack has at least two nodes: for a single one the four lanes cost more than they gain; but a
 * frame that the mass couples is always in a pack. */
typedef struct olo_frame_packs {
    int count; /* packs */
    olo_frame_pack *pack;
    int pair_count; /* packs of pairs */
    olo_frame_pair *pair;
    int single;     /* the node of a frame that is in no pack, -1: none */
    int rest_count; /* nodes that are in no pack: this one, single ones of other types, scalars */
    int *rest;
    int alone_count; /* nodes other than `single` whose mass is in no pack ... */
    int *alone;
    int loose_count; /* ... and the entries of the mass matrix that belong to them */
    olo_mass_entry *loose;
    const struct olo_frame_kernels *kernels;
} olo_frame_packs;

/* False: no memory. `plain`: without registers of four numbers. */
bool olo_frame_packs_create(const olo_system *system, bool plain, olo_frame_packs *packs);
void olo_frame_packs_free(olo_frame_packs *packs);

/* The balance of inertia and constant forces, NULL: none. If a step starts from a momentum, `start`
 * is that. */
typedef struct olo_frame_inertia {
    double h;
    const double *dq, *start, *constant;
    bool from_momentum;
    double *T;
} olo_frame_inertia;

/* The blocks of four frames in an elimination; of four pairs those of the first and the second
 * frame, and of the second and the first one. */
typedef struct olo_frame_blocks {
    double *K[LANES], *right[LANES];
} olo_frame_blocks;

typedef struct olo_pair_blocks {
    double *K[2][LANES];
} olo_pair_blocks;

/* The configurations of a tangent: `left` of its rows, q1 of its columns. */
typedef struct olo_frame_tangent {
    double factor; /* of the mass */
    bool varied;   /* with the variation of P_int */
    const double *T, *left, *q1;
} olo_frame_tangent;

/* r at q_m, and the mean velocity of the step: P_int(q_m)^T r goes to wrench[twists], the load to
 * load[twists]. */
typedef struct olo_frame_load {
    const double *qm, *mean, *r;
    double *wrench, *load;
} olo_frame_load;

/* The change of four frames by an update, and their motion before it: lengths over the model's
 * length, plus angles; and the angles of the motion. */
typedef struct olo_frame_measures {
    double change[LANES], size[LANES], turn[LANES];
} olo_frame_measures;

typedef struct olo_frame_kernels {
    void (*set_inertia)(const olo_frame_pack *pack, const olo_frame_inertia *x);
    /* adds what pairs exert on each other, to T that is set */
    void (*add_inertia)(const olo_frame_pair *pair, const olo_frame_inertia *x);
    /* K += S and right += w */
    void (*fill)(const olo_frame_pack *pack, const olo_frame_tangent *x,
                 const olo_frame_blocks *to);
    /* right += w = P_int(left)^T T alone */
    void (*fill_right)(const olo_frame_pack *pack, const double *left, const double *T,
                       const olo_frame_blocks *to);
    /* K += factor P_int(left)^T M P_int(q1) of pairs */
    void (*fill_pair)(const olo_frame_pair *pair, double factor, const double *left,
                      const double *q1, const olo_pair_blocks *to);
    /* Adds twists at q1 to the motions, and moves the frames. */
    void (*update)(const olo_frame_pack *pack, const double *const twist[LANES], double per_length,
                   olo_motion *x, olo_frame_measures *measures);
    /* v = P_int(q) twist, of all coordinates and twists */
    void (*velocity)(const olo_frame_pack *pack, const double *q, const double *twist, double *v);
    void (*load)(const olo_frame_pack *pack, const olo_frame_load *x);
} olo_frame_kernels;

extern const olo_frame_kernels olo_frame_kernels_plain;
/* NULL where there is no such compilation. */
extern const olo_frame_kernels *const olo_frame_kernels_wide;

#endif
