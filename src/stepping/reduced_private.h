/* What the files of the reduced treatment share: its workspace, and how blocks of nodes and joints
 * are filled. */
#ifndef OLO_STEPPING_REDUCED_PRIVATE_H
#define OLO_STEPPING_REDUCED_PRIVATE_H

#include <math.h>
#include <string.h>

#include "linalg/elimination.h"
#include "stepping/hinges.h"
#include "stepping/projector.h"
#include "stepping/step.h"
#include "stepping/tree_assembly.h"

typedef struct reduced {
    const olo_system *system;
    const olo_scheme *scheme;
    const olo_topology *topology;
    olo_elimination *elimination;
    olo_projector *projector; /* pieces -> blocks of nodes */
    olo_hinges *hinges;       /* bodies on hinges and nothing else, or NULL */
    bool hinged;              /* this iteration is theirs */
    double *wrench;           /* [twists] W, what hangs on each joint, lifted like the motions */
    double *lambda;           /* [closures] scaled multipliers */
    double *guess;            /* [twists] start of the iteration */
    bool varied;              /* the left pair varies with q1 */
    olo_motion_pass *motion_pass; /* how motions are remembered; NULL: the last two */
    bool older;                   /* the next iteration takes the tangent that is there */
    double update;                /* of the last iteration */
    bool closed;                  /* the joints are closed in this iterate */
    bool settled;   /* the last update was so small that it left them closed to round-off */
    bool redundant; /* closure rows repeat others, so that a choice is due in every step */
    bool together;  /* the first tangent of a step shows them on its way: it is a mass matrix, with
                       columns at q0 */
    bool revealing; /* the next tangent does */
    double *revealed, revealed_h; /* [n] where and with which step these were found last */
    double compliance;      /* what a closure row that repeats nothing has in G M^-1 G^T at least */
    double open;            /* largest residual of a closure */
    double mass_factor;     /* of M in the tangent */
    double scaled_h, scale; /* see mass_scale */
    bool tree_only;         /* frames on joints and nothing else in the tangent */
    double per_length;      /* one over the model's length */
    olo_step *step;         /* of the sink */
} reduced;

static inline int closure_block(const reduced *x, int i)
{
    return olo_topology_closure_block(x->topology, i);
}

static inline void fill_node(reduced *x, const olo_motion *at, const double *balance, bool varied,
                             int k)
{
    olo_fill_node(x->projector, x->elimination, &x->system->nodes[k], k, x->mass_factor, varied,
                  balance, at);
}

/* Joint matrices at a motion, with the gap if wanted; the left pair varies against W, or not at all
 * if that is NULL. */
static inline void fill_blocks(reduced *x, const olo_motion *at, const double *W, int k, bool gap)
{
    static const double none[6] = {0};
    const olo_topology_node *t = &x->topology->nodes[k];
    if (!t->type)
        return;
    olo_joint_view view = olo_motion_view(x->topology, k, at);
    olo_joint_blocks b = olo_elimination_joint(x->elimination, k);
    t->type->blocks(&view, W ? W : none, &b, gap ? olo_elimination_gap(x->elimination, k) : NULL);
}

/* The power of two next to 2/h, found once a size of steps. Masses times that are exact: a rounded
 * factor would scale every velocity that is solved for by the same share of 1e-16, step for step,
 * and momenta would drift by it. */
static inline double mass_scale(reduced *x, double h)
{
    int exponent;
    if (x->scaled_h == h)
        return x->scale;
    (void)frexp(2 / h, &exponent);
    x->scaled_h = h;
    return x->scale = copysign(ldexp(1.0, exponent), h);
}

static inline void remember_revealed(reduced *x, double h, const double *q)
{
    x->revealed_h = h;
    memcpy(x->revealed, q, (size_t)x->system->n * sizeof *q);
}

/* The velocities at the end from the momentum there (reduced_projection.c). */
olo_status olo_reduced_project(void *data, olo_step *step, olo_error *error);

#endif
