/* The treatment `reduced`: the workspace that its files share, and functions that fill the blocks
 * of nodes and joints. */
#ifndef OLO_STEPPING_REDUCED_PRIVATE_H
#define OLO_STEPPING_REDUCED_PRIVATE_H

#include <math.h>
#include <string.h>

#include "linalg/elimination.h"
#include "stepping/packs.h"
#include "stepping/predictor.h"
#include "stepping/projector.h"
#include "stepping/reduced_rates.h"
#include "stepping/step.h"
#include "stepping/tree_assembly.h"

/* Forces of others, such as contacts: T += -force; pairs of position and velocity rows have
 * impulses `pair` in (1) of reduced_rates.h and `lift` in (2). All are NULL without them. */
typedef struct olo_reduced_outer {
    const double *force, *pair, *lift; /* [n] */
} olo_reduced_outer;

struct reduced {
    const olo_system *system;
    const olo_scheme *scheme;
    const olo_topology *topology;
    olo_elimination *elimination;
    olo_projector *projector; /* adds pieces to the blocks of nodes */
    olo_packs *packs;         /* for trees of rigid bodies, else NULL */
    bool packed;              /* the current iteration uses `packs` */
    double *wrench;           /* [twists] W, the wrench of each joint, lifted like the motions */
    double *lambda;           /* [closures] scaled multipliers */
    double *row_start;        /* [closures] values of the rows at the start of the step */
    double *predicted;        /* [twists] predicted motions */
    bool varied;              /* the left pair varies with q1 */
    olo_motion_pass *motion_pass; /* how the predictor stores motions; NULL: the last two */
    bool older;                   /* the next iteration uses the present tangent */
    double update, update_before; /* sizes of the last two updates */
    double turned, moved;         /* error of velocities after the last one; size of the motion */
    double behind;                /* sum of the updates since the present tangent */
    double lag, measured_lag;     /* contraction over that: of earlier steps; negative: unknown */
    double share, measured_share; /* of a first update left by it: of the last step, of this one */
    int count;                    /* of the iterations of this step */
    bool lagging;                 /* the tangent of the last iteration was an older one */
    bool skips_load;              /* the first iterate has no velocities and no load */
    bool closed;                  /* the joints are closed in this iterate */
    bool filled;                  /* `elimination` has the joints of this iterate */
    bool settled;                 /* after the last update joints are closed to round-off */
    bool redundant; /* some closure rows are redundant: active directions are found in every step */
    bool rank_in_tangent; /* they are found by the first tangent of a step, which is a mass matrix
                             with columns at q0 */
    bool finding_rank;    /* the next tangent finds them */
    bool rank_known;      /* they have been found for the configuration rank_q[n] */
    double *rank_q;
    double smallest_row; /* the smallest size of a closure row */
    double compliance;   /* lower bound of the entries of independent closure rows in G M^-1 G^T */
    double mass_factor;  /* of M in the tangent */
    double scaled_h, scale;   /* see mass_scale */
    double rod_turn;          /* largest angle of joints that have one of their own (rods) */
    bool tree_only;           /* the tangent consists of frames and joints only */
    double per_length;        /* one over the model's length */
    olo_step *step;           /* argument of the sink */
    olo_reduced_rates *rates; /* of schemes with consistent velocities, else NULL */
    olo_reduced_outer outer;
};

static inline int closure_block(const reduced *x, int i)
{
    return olo_topology_closure_block(x->topology, i);
}

static inline void fill_nodes(reduced *x, const olo_motion *at, const double *balance, bool varied)
{
    olo_fill_nodes(x->projector, x->elimination, x->system, x->mass_factor, varied, balance, at);
}

/* Fills the matrices of the joint of node k, and the gap if wanted; includes the variation of the
 * left pair against W unless that is NULL. */
static inline void fill_blocks_at(reduced *x, const olo_joint_view *view, const double *W, int k,
                                  bool gap)
{
    static const double none[6] = {0};
    olo_joint_blocks b = olo_elimination_joint(x->elimination, k);
    x->topology->nodes[k].type->blocks(view, W ? W : none, &b,
                                       gap ? olo_elimination_gap(x->elimination, k) : NULL);
}

/* The same at a motion, if the node has a joint. */
static inline void fill_blocks(reduced *x, const olo_motion *at, const double *W, int k, bool gap)
{
    if (!x->topology->nodes[k].type)
        return;
    const olo_joint_view view = olo_motion_view(x->topology, k, at);
    fill_blocks_at(x, &view, W, k, gap);
}

/* The power of two next to 2/h, computed once per step size. Products of masses with it are exact:
 * a rounded factor would scale every computed velocity by the same relative error of 1e-16, step by
 * step, and momenta would drift. */
static inline double mass_scale(reduced *x, double h)
{
    int exponent;
    if (x->scaled_h == h)
        return x->scale;
    (void)frexp(2 / h, &exponent);
    x->scaled_h = h;
    return x->scale = copysign(ldexp(1.0, exponent), h);
}

/* For steps with contacts (contact_reduced.c): the treatment without packs; the start of a step,
 * with joints closed in all iterates, from a predicted motion; the factored tangent, with the
 * right-hand side eliminated, after velocities and their load. */
olo_status olo_reduced_create_unpacked(const olo_system *system, const olo_scheme *scheme,
                                       reduced **created, olo_error *error);
void olo_reduced_start(reduced *x, olo_step *step, const double *motion);
olo_status olo_reduced_assemble(reduced *x, olo_step *step, olo_error *error);

/* After an iteration (reduced_tangent.c): chooses the tangent of the next one, and estimates what
 * this one leaves of its update. After a step: remembers what its iterations have shown. */
void olo_reduced_choose_tangent(reduced *x, const olo_step *step, olo_newton *newton);
void olo_reduced_remember(const reduced *x, olo_predictor_segment *memory);

/* Computes the velocities at the end from the momentum there (reduced_projection.c). */
olo_status olo_reduced_project(void *data, olo_step *step, olo_error *error);

#endif
