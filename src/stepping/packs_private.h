/* What the files of packed bodies share: the numbers of four bodies, of one, and the passes over
 * them. */
#ifndef OLO_STEPPING_PACKS_PRIVATE_H
#define OLO_STEPPING_PACKS_PRIVATE_H

#include "linalg/anderson.h"
#include "linalg/lanes.h"
#include "stepping/joint_forces.h"
#include "stepping/packs.h"

/* Four bodies. Each is described in its own frame, moved to its pivot, the joint point of the
 * child: phi becomes x. */
typedef struct olo_packs_four {
    /* in every iteration */
    lane3 x, a;          /* displacement of the pivot, Cayley vector */
    lane3 force, moment; /* joint wrench, about the pivot */
    lane3 d0[3];         /* directors at the start */
    lane3 n0, arm0;      /* axis; from the parent's pivot to this one */
    lane3 start[4]; /* 2 v0 of pivot and directors; at_start: h f - 2 p0, of origin and directors */
    lane3 impulse[4]; /* h times the constant forces f, like `start` */
    lane_mass mass;   /* about the pivot */
    lane pivot[3];    /* in the body's frame */
    /* once a step, with at_start in every iteration */
    lane_mass origin_mass;
    /* once a step */
    lane axis[3];                         /* in the body's frame */
    lane parent_point[3], parent_axis[3]; /* the same in the parent's */
    lane reach[3];                        /* arm0 in the parent's frame */
} four;

/* What four joints have beside the axis of a hinge; NULL where all are hinges, ball joints or free.
 * Numbers of a joint without such motions are zero. */
typedef struct olo_packs_joints {
    lane slides, fixed, crosses; /* 1: has translations, no rotation, two axes of rotation, ... */
    lane balls;                  /* ... all rotations */
    unsigned any;                /* axes along which one of them translates */
    lane free[3];                /* 1: translates along axis k ... */
    lane axes[3][3];             /* ... which are a triad in the parent's frame ... */
    lane3 M0[3];                 /* ... and this one in space, at the start */
    lane cross[3];               /* first axis of a cross, in the parent's frame ... */
    lane3 m0;                    /* ... and at the start */
    lane above[3];               /* pivot of the parent, in its frame */
    lane
        levers; /* 1: translates along axes of the child and rotates about the parent's point ... */
    lane3 v0;   /* ... from which the child's joint point is apart, at the start */
} joints;

/* Forces along the coordinates of four joints; columns 0 to 2 are translations along the axes, 3 is
 * the rotation about n. */
enum { COLUMNS = 4, ANGLE = OLO_COORDINATE_ANGLE };
typedef struct olo_packs_forced {
    unsigned any;                   /* columns in which one of them has forces */
    bool changing;                  /* some are not affine */
    bool related;                   /* relations among the closures have some of the coordinates */
    int coordinate[COLUMNS][LANES]; /* among those with forces, or -1 */
    lane sense[COLUMNS];
    /* in the sense of the child's motion: f = constant + gradient dx in this step, the force of the
     * multipliers of closures, and at the last iterate dx and R/(h f) of joint_forces.h; with
     * consistent velocities the sum of gamma, and the rates of the coordinates at the end */
    lane constant[COLUMNS], gradient[COLUMNS], multiplier[COLUMNS], change[COLUMNS], share[COLUMNS],
        gamma[COLUMNS], rate[COLUMNS];
    lane c, phi, phi_1, psi; /* of angles at the last iterate, see joint_forces.h */
    lane first[3];           /* first axis of the child, in its frame */
    lane axes[2][3];         /* first and second axis of the parent, in its frame */
    lane3 C0, P0[2];         /* these at the start */
    lane3 v0;                /* from the parent's joint point to the child's */
    lane reversed; /* 1: parent and child are exchanged in these axes, and it translates along axes
                      of the child */
} forced;

/* Where they are. Positions count in the order of the tree, parents first. */
typedef struct olo_packs_slots {
    int count; /* bodies, the last four may be fewer; the others have no mass ... */
    int q[LANES], motion[LANES]; /* ... and are where the first is */
    int parent[LANES];           /* position, or -1 for the ground */
    bool free[LANES];            /* a root without a joint */
    bool ball[LANES];            /* any rotation about the pivot is free; axes are zero */
    bool staged[LANES];          /* neither free nor hinge nor ball joint, but with ... */
    olo_joint_rotation rotation[LANES];
    bool lever[LANES];          /* see joints */
    unsigned slides[LANES];     /* ... and translations along these axes: */
    int stage[LANES];           /* first of its stages */
    joints *joints;             /* NULL: none is staged */
    forced *forced;             /* NULL: no forces along their coordinates */
    int coupled[LANES];         /* among those with blocks of closure rows, or -1 */
    int late[LANES];            /* it has children in later fours: where their sums wait, or -1 */
    int waiting[LANES];         /* its parent is in an earlier four: where they wait, or -1 */
    bool first[LANES];          /* and nothing waits there before it */
    int above_q[LANES];         /* first coordinate of the parent, or -1 */
    const double *above[LANES]; /* x of the parent, its numbers LANES apart, ... */
    const double *above_rate[LANES]; /* ... and its rates, with consistent velocities */
} slots;

/* One body and all that hangs on it, while it is eliminated; vectors of three numbers and a zero.
 */
enum { LOWER = 6, Z = 12, SUMS = 14 };
typedef struct olo_packs_sums {
    lane K[SUMS]; /* six columns of K, their upper halves, then their lower ones, and z; K B for z
                     where that is stored */
    lane force, moment; /* W */
} sums;

/* A degree of freedom of a joint that has several, or translates: eliminated one after the other as
 * if each had a massless body, those of rotations first. B = [0; b], or [b; 0] of a translation. In
 * a joint with all rotations the first stage has the columns of K_xw and D^-1. */
typedef struct olo_packs_stage {
    lane y[2]; /* over D; their fourth numbers are rho over D and one over D */
    lane b, left;
    lane KB[2];
} stage;

/* The number of stages for a rotation. */
static inline int stages_of_rotation(olo_joint_rotation rotation)
{
    return rotation == OLO_ROTATION_NONE ? 0 : rotation == OLO_ROTATION_CROSS ? 2 : 1;
}

/* What is left of it for the way back; of a ball joint D^-1 K_wx in the columns y[0], y[1], n1, and
 * D^-1 z_w in twist[1], whose gap is zero. */
typedef struct olo_packs_body {
    lane y[2];     /* over D; their fourth numbers are rho over D and one over D */
    lane twist[2]; /* gap of the joint, then the change of the body */
    lane n1, arm1;
} body;

/* The velocities of four bodies with schemes that have them as unknowns (packs_rates.h), about the
 * pivots. */
typedef struct olo_packs_rate {
    lane3 both[4]; /* v0 + v1 of pivot and directors at the last projection */
    lane3 V, w;    /* velocity of the pivot and spin at the end */
    lane3 w0;      /* spin at the start */
} end_rates;

/* Arms and axes of four joints that have turned. */
typedef struct turned_joints {
    lane_turned arm, n;
    lane3 n1, gap_turn;
    lane3 apart; /* x_p + change of the arm that the parent would carry - x_c */
    /* joints that are staged */
    lane_turned M[3], m;
    lane3 M1[3], m1;
    lane3 v1; /* of levers: from the parent's joint point to the child's */
} turned_joints;

/* Moments of the masses of four bodies, with the directors of the left pair and of the right one.
 */
typedef struct mass_moments {
    lane3 left, right; /* sum c_I d_I */
    lane3 inertia[3];  /* sum_J E_IJ d_J of the left pair */
} mass_moments;

/* What has turned at the iterate at which velocities were found, for the balance there. */
typedef struct olo_packs_turned {
    lane3 d_m[3], dd[3];  /* directors at the midpoint, and their change */
    mass_moments moments; /* of a new tangent */
    turned_joints joints;
} turned_four;

/* The numbers of four bodies in an update that may be mixed with those before it: shift and spin.
 */
enum { UPDATE = 6 * LANES };

typedef struct olo_packs_kernels {
    /* framed: directors, axes and arms are those at the start already */
    void (*predict)(olo_packs *x, const olo_step *step, double scale, const olo_motion_mix *mix,
                    bool framed);
    /* position of a singular body, or -1 */
    int (*eliminate)(olo_packs *x, const olo_step *step);
    /* the right side alone, by what eliminate stored */
    void (*forward)(olo_packs *x, const olo_step *step);
    void (*substitute)(olo_packs *x, olo_newton *newton); /* worst: a position */
    void (*finish)(olo_packs *x, olo_step *step, double *wrench);
    olo_motion_pass *motion_pass;
    int (*project)(olo_packs *x, olo_step *step); /* position of a singular body, or -1 */
    /* velocities at the iterate, by the last factors if `older`; v1[n] unless NULL. Returns the
     * position of a singular body, or -1 */
    int (*project_rates)(olo_packs *x, const olo_step *step, bool older, double *v1);
    void (*write_rates)(olo_packs *x, double *v1); /* those that follow the last update */
    void (*settle)(const olo_packs *x, const olo_step *step);
} olo_packs_kernels;

struct olo_packs {
    const olo_system *system;
    const olo_topology *topology;
    const olo_packs_kernels *kernels;
    bool at_start; /* the left pair is that at q0, and steps start with a momentum */
    int count, fours;
    olo_joint_forces forces; /* along the coordinates of joints */
    joints *joints;          /* of fours that have some */
    stage *stages;
    int stage_count;
    bool hinges_only; /* all joints are hinges without such forces */
    forced *forced;
    struct olo_packs_closures *closures; /* NULL: none */
    double rank_size;                    /* see olo_packs_find_rank */
    four *four;
    slots *slots;
    body *bodies;
    sums *waiting; /* of bodies whose turn comes later */
    int waiting_count;
    sums *stored; /* [fours * LANES] the last tangent, where it is used again; else NULL */
    bool summed;  /* joint wrenches are summed from the leaves, no longer those of the last step */
    bool framed;  /* directors, axes and arms are those at q_end, by a projection */
    end_rates *rate;     /* [fours] of schemes with consistent velocities, else NULL */
    turned_four *turned; /* the same */
    olo_anderson mixing; /* of updates, the same; ... */
    bool older;          /* ... the last of them was by an older tangent ... */
    double change;       /* ... and had this size */
    olo_pool pool;       /* memory of `mixing` */
    olo_packs *mass;     /* the same bodies with factors of P_m^T M P(q1), for their velocities */
    bool velocities;     /* these are the `mass` of others */
    bool factored;       /* `mass` has factors of this step */
    double update;       /* the size of the last update times the angle of the step, ... */
    double moved;        /* ... and the size of the motion in the step, scaled */
    bool following;      /* velocities follow the last update without a projection */
    double h;            /* of the impulses */
    double per_length;   /* one over the model's length */
    double *predicted;   /* [twists] motions */
    double ground[6 * LANES];
};

extern const olo_packs_kernels olo_packs_kernels_plain;
/* NULL where there is no such compilation. */
extern const olo_packs_kernels *const olo_packs_kernels_wide;

#endif
