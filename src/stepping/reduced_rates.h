/* Consistent velocities in the treatment `reduced` (energy_momentum.c), without multipliers.
 * With r = M (q1 - q0 - h v_m), which equals h sum gamma d, and the null space P_m between q0 and
 * q1,
 *
 *     P_m^T r = 0,                                                      (1)
 *     P_m^T T - (dP_m[v_m])^T r = 0,                                    (2)
 *     q1 = F(u),   v1 = P(q1) nu1,
 *
 * since d(P^T d) = 0 along v_m gives P_m^T a gamma = -(dP_m[v_m])^T d gamma. (1) is linear in nu1:
 *
 *     P_m^T M P(q1) nu1 = P_m^T p,   p = M ((2/h) dq - v0),
 *
 * the velocity of the published scheme projected to the constraints at q1. It is corrected at every
 * iterate, with the factors of the matrix at an earlier one. The last term of (2) is a load on
 * nodes and joints; Newton's method uses the tangent of P_m^T T alone. It would converge linearly
 * then, by about (h w)^2/4 per iteration, w the largest rate of rotation, mostly along one or two
 * directions; the updates are extrapolated from those of the last iterations (linalg/anderson.h).
 *
 * Closures have multipliers mu = lambda - 2 gamma/h and gamma. In (1) and (2) r is then that of the
 * tree alone, r - h sum gamma_c d_c, and h sum gamma_c a_c is part of the load. */
#ifndef OLO_STEPPING_REDUCED_RATES_H
#define OLO_STEPPING_REDUCED_RATES_H

#include "base/pool.h"
#include "linalg/anderson.h"
#include "stepping/projector.h"
#include "stepping/step.h"

typedef struct reduced reduced;

/* Where the elimination of the balance has the numbers of a node, and both have its joint. */
typedef struct olo_node_numbers {
    double *right, *row;             /* z_c, z^_c */
    const double *twist, *increment; /* dt_c, du_c */
    olo_joint_blocks balance, joint; /* of the balance, of velocities */
} olo_node_numbers;

typedef struct olo_reduced_rates {
    olo_elimination *elimination; /* of P_m^T M P(q1) */
    olo_projector *projector;
    bool factored;     /* it has factors of an iterate of this step, ... */
    double behind;     /* ... and this is the sum of the updates since then */
    bool known;        /* velocities and gamma are those of an earlier iterate of this step */
    double correction; /* size of the last correction of velocities times h/2, ... */
    double correction_before; /* ... and of the one before */
    olo_node_numbers *node;   /* [nodes] */
    bool *closed;             /* [nodes] rows of closures act on it */
    olo_pool pool;            /* memory of the arrays below */
    double *nu;               /* [unknowns] joint rates at the end */
    double *twist;            /* [twists] of the nodes at the end */
    double *free;             /* [n] forces of the load on nodes */
    double *momentum;         /* [n] p */
    double *mean;             /* [n] v_m */
    double *r;                /* [n] of the tree */
    double *zero;             /* [n] */
    double *wrench;           /* [twists] the joint wrenches of r */
    double *load;             /* [twists] of (2) on nodes, with the sign of T, ... */
    double *row;              /* [unknowns] ... and in the rows of joints */
    double *gamma;            /* [closures] */
    double *prescribed;       /* [closures] rates of their prescribed motions at the end */
    double *rows;             /* [closures x OLO_FORM_SIZE_MAX] their discrete gradients */
    olo_anderson mixing;      /* of the updates of nodes and joint rates, ... */
    bool slow;                /* ... if the iteration converges slowly */
    int update_count;         /* in this step */
    const double *update;     /* [twists + unknowns] the last one */
} olo_reduced_rates;

/* `balance` is the elimination that has the updates and the loads. */
olo_status olo_reduced_rates_create(const olo_topology *topology, olo_elimination *balance,
                                    olo_reduced_rates **rates, olo_error *error);
void olo_reduced_rates_free(olo_reduced_rates *rates);

/* The iteration begins: nothing is known of an earlier one. */
void olo_reduced_rates_begin(olo_reduced_rates *rates);
/* After back-substitution: fills `update`, and changes the joint rates by it. */
void olo_reduced_rates_update(const reduced *x, const olo_step *step);
/* Computes step->v1 and gamma at the iterate. Returns the singular block, or -1. */
int olo_reduced_rates_project(const reduced *x, olo_step *step);
/* Whether velocities that were projected before the last update, and changed by 2/h times it, are
 * those of the solution: they are off by at most the update times the angle of the step, `update`,
 * relative to the size of its motion. First updates have the same sign for many steps, and parts of
 * composed steps too: such errors add up. */
static inline bool olo_rates_follow(const olo_step *step, double update, double moved)
{
    const double negligible = step->composed ? 0 : 5e-16;
    return update <= negligible * moved;
}
/* The velocities of the solution after the last update, and the joint wrenches of r. */
void olo_reduced_rates_conclude(const reduced *x, olo_step *step, double update, double moved);
/* r, its joint wrenches and the load, after the velocities. */
void olo_reduced_rates_load(const reduced *x, olo_step *step);
/* The wrenches -h P_int^T sum lambda d of the joints, lambda = mu + 2 gamma/h, from T with the
 * forces of closures and of others: the constraint forces of the tree are T = -h sum (mu d + gamma
 * a). The load of (2) does not serve: it acts along the motion of a joint, whichever of its rows
 * gamma belongs to, so that wrenches would be off by O(h^2). */
void olo_reduced_rates_reactions(const reduced *x, olo_step *step, double *wrench);

#endif
