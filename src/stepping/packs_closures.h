/* Closures of packed bodies: constraint rows that no joint of the tree satisfies (loops, gears,
 * prescribed motions). The elimination on the tree solves K dt = -z for any z; with the columns C
 * and rows G of the closures, dt = dt_0 - K^-1 C x and
 *
 *     G dt + g = 0   gives   S x = -(g + G dt_0),   S = -G K^-1 C.
 *
 * Columns and rows go only along the ways from their bodies to the root. At a degree of freedom
 * with B, B^, y and D they leave eta = G B and rho = B^^T C/D, and S = -sum eta rho. S has a block
 * for each closure, and closures are coupled where their ways share bodies: the elimination of any
 * graph solves that (linalg/elimination.h). A force between two bodies moves those above both, too:
 * ways do not end where they meet.
 *
 * The gradient of a row varies with both of its bodies a and b: blocks K_aa, K_ab, K_ba, K_bb in
 * the force of its multiplier. With the relative motion s = dt_b - X dt_a, X = [I -r^; 0 I],
 *
 *     K_ab dt_b = K_ab X dt_a + K_ab s,    K_ba dt_a = K_ba X^-1 dt_b - K_ba X^-1 s,
 *
 * so that blocks between bodies become blocks of bodies and columns of s, an unknown beside the
 * multipliers whose row is s itself.
 *
 * Relations of joint coordinates (gears, prescribed motions) have no columns and rows on bodies:
 * the multiplier is a force along the coordinates.
 */
#ifndef OLO_STEPPING_PACKS_CLOSURES_H
#define OLO_STEPPING_PACKS_CLOSURES_H

#include "stepping/packs_private.h"

/* Unknowns of a closure: multipliers of up to six rows, and six numbers of s; four at once. */
enum { UNKNOWNS = 12, GROUPS = UNKNOWNS / LANES, ROW_GROUPS = 2, FRAME = 12 };

/* Four columns or four rows on one body. */
typedef struct olo_packs_bundle {
    lane3 upper, lower;
} bundle;

/* A body on the way from a closure to the root. */
typedef struct olo_packs_link {
    int body;      /* position */
    int above;     /* link of its parent in the same closure, or -1 */
    int dof, dofs; /* its degrees of freedom among those of the closure */
    bool hinge;    /* its joint has one degree of freedom, about an axis */
    bool related;  /* relations of the closure have coordinates of its joint */
    bool begins;   /* nothing comes to it: neither rows of the closure nor those of a child */
    bool first;    /* nothing is at its parent before it */
} link;

/* A joint coordinate in a relation: a force along it is one number in the row of a degree of
 * freedom (joint_forces.h), and so is its derivative. */
typedef struct olo_packs_share {
    int row, dof;   /* of the closure */
    double factor;  /* in the sense of the child's motion */
    bool turns;     /* it is an angle */
    double *force;  /* where the multipliers along it are summed, ... */
    double *gamma;  /* ... and those of rates */
    double *share;  /* R/(h f) of joint_forces.h, ... */
    double *change; /* ... and dx; among the closures of velocities the rate at the end */
} relation_share;

/* A body with closure rows. */
typedef struct olo_packs_coupled {
    int body, q;                 /* position, first coordinate */
    bool varies;                 /* some row varies with it; */
    double *K;                   /* 6 x 6, about the origin; NULL: none with it alone */
    lane rho_left, rho1, x1;     /* from the origin to the pivot; pivot at the end */
    lane left[3], end[3];        /* directors of the left pair and at the end */
    lane columns[2 * LOWER];     /* K about the pivot, like `sums` */
    lane force[FRAME / LANES];   /* of the multipliers, on its frame */
    lane impulse[FRAME / LANES]; /* 2 sum gamma d, with consistent velocities */
} coupled;

/* Gradients of up to six rows with respect to the frames of two bodies, by rows. */
typedef lane gradients[2][ROW_GROUPS * LANES][FRAME / LANES];

typedef struct olo_packs_closure {
    int first_row, u;               /* among the constraints, and the closure multipliers */
    int rows, relative;             /* multipliers; numbers of s: 0, 3 (rotations) or 6 */
    unsigned curved;                /* rows whose gradient changes */
    int count, groups;              /* unknowns, and fours of them */
    int sides;                      /* bodies; */
    int side[2];                    /* among those with closure rows */
    int at[2];                      /* their links */
    double *cross[2];               /* K_ab and K_ba, about the origin */
    int first_share, shares;        /* of relations */
    gradients left, end;            /* in the balance, and of the rows at the end */
    lane3 number[2][ROW_GROUPS][4]; /* gradients of four rows, ... */
    double factor;                  /* ... times this */
    lane right[ROW_GROUPS];         /* g */
    bundle columns[2][GROUPS], at_end[2][GROUPS]; /* C and G at both bodies */
    int first, links, dofs;                       /* of links */
    lane *eta, *rho;                              /* [dofs * groups] */
    lane value[GROUPS];                           /* G dt_0 */
    bundle
        *stored_rows; /* [links * groups] the rows, for other right-hand sides; NULL: not needed */
    double x[UNKNOWNS]; /* solution */
    int block[2];       /* in S: multipliers, and s */
} closure;

/* Two closures that share bodies, or one with itself: a block of S. */
typedef struct olo_packs_overlap {
    int i, j;
    int first, count;           /* of shared degrees of freedom */
    double *block[2][2], *rank; /* in S, and in the one of multipliers alone */
} overlap;

/* A degree of freedom on the ways of two closures: where its numbers begin. */
typedef struct olo_packs_shared {
    int i, j;
    int eta, rho; /* of i, of j */
} shared;

typedef struct olo_packs_left {
    lane n, arm;
} left_pair;

typedef struct olo_packs_closures {
    const struct olo_packs_closure_kernels *kernels;
    int count, coupled_count, link_count, overlap_count, shared_count, share_count;
    closure *closure;
    coupled *coupled;
    link *links;
    relation_share *shares;
    overlap *overlaps;
    shared *shared;
    lane *numbers;          /* eta and rho */
    bundle *columns, *rows; /* of one closure, [links] */
    bundle *stored_rows;    /* of all; NULL: not needed */
    lane3 (*base)[4];       /* [fours] constant part of the balance; of velocities: 2 sum gamma d */
    double *gamma;          /* [closures] of velocities */
    const lane **forces; /* [fours * LANES] of the multipliers on the frame of each body, or NULL */
    left_pair *left;     /* [fours * LANES] axis and arm of the left pair of each joint */
    olo_elimination_structure *structure; /* of S */
    olo_elimination *S;
    olo_elimination_structure *rank_structure; /* of multipliers alone, ... */
    olo_elimination *rank; /* ... where the initial state shows redundant rows, else NULL */
    double factor;         /* 2/h */
    const double *lambda, *row_start; /* scaled multipliers, and values of rows at the start */
} closures;

typedef struct olo_packs_closure_kernels {
    /* the iterate goes to step->x */
    void (*write_motion)(const olo_packs *x, olo_step *step);
    /* the part of the balance without multipliers, at the start of a step */
    void (*remember_balance)(olo_packs *x);
    /* forces, columns, rows and blocks of bodies, before these are eliminated; forces alone */
    void (*load)(olo_packs *x, const olo_step *step);
    void (*load_multipliers)(olo_packs *x, const olo_step *step);
    /* S and its right side by the last elimination of bodies; the solution changes its right side
     */
    void (*sweep)(olo_packs *x);
    void (*apply)(olo_packs *x);
    /* `rank`: S of the rows at the start of a step, in a metric of the motion in the joints */
    void (*sweep_start)(olo_packs *x, const olo_step *step);
    /* the right side of S alone, by the last sweep */
    void (*forward)(olo_packs *x);
    /* with consistent velocities, after their projection: the forces of both multipliers */
    void (*load_rates)(olo_packs *x, const olo_step *step);
} olo_packs_closure_kernels;

extern const olo_packs_closure_kernels olo_packs_closure_kernels_plain;
/* NULL where there is no such compilation. */
extern const olo_packs_closure_kernels *const olo_packs_closure_kernels_wide;

/* The gradient of row k of a closure by the frames of its bodies. */
static inline void olo_packs_set_gradient(const closures *x, const closure *c, int k,
                                          const olo_constraint *row, const double *gradient,
                                          gradients to)
{
    for (int i = 0; i < row->size; i++) {
        int side = 0, at = row->index[i] - x->coupled[c->side[0]].q;
        if (at < 0 || at >= FRAME) {
            side = 1;
            at = row->index[i] - x->coupled[c->side[1]].q;
        }
        to[side][k][at / LANES][at % LANES] = gradient[i];
    }
}

/* Links and blocks of S for all closures of a topology; `elimination` receives the variation of
 * their gradients from a projector. `fits` is false where a row is neither a quadratic form of one
 * or two bodies nor a relation between joint coordinates of the tree, or the ways are so long that
 * the elimination of the whole graph is better. */
olo_status olo_packs_closures_create(olo_packs *packs, olo_elimination *elimination,
                                     const int *position, bool *fits, olo_error *error);
void olo_packs_closures_free(closures *closures);
/* From now on rows are stored for other right-hand sides. False: no memory. */
bool olo_packs_closures_store_rows(closures *closures);
/* Solves for the unknowns of all closures after an elimination of the bodies, or a right-hand side
 * of it (`older`), and changes that. Returns the position of a body with a singular closure, or -1.
 */
int olo_packs_solve_closures(olo_packs *packs, bool older);

#endif
