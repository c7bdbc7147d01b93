/* The way back through steps of packed bodies: the transpose of the linearised step (linear_step.h)
 * where packs (packs.h) make the steps without forces along joint coordinates, with the same
 * elimination over records of a body each. */
#ifndef OLO_STEPPING_LINEAR_HINGES_H
#define OLO_STEPPING_LINEAR_HINGES_H

#include "stepping/packs.h"
#include "stepping/step.h"

typedef struct olo_linear_packs olo_linear_packs;

/* NULL and OK where packs do not make the steps, or with such forces. */
olo_status olo_linear_packs_create(const olo_system *system, const olo_scheme *scheme,
                                   const olo_topology *topology, olo_packs_width width,
                                   olo_linear_packs **packs, olo_error *error);
void olo_linear_packs_free(olo_linear_packs *packs);

/* Takes derivatives with respect to the end of a step to those with respect to its start. The first
 * three are [n]; those that a scheme does not have are NULL. */
typedef struct olo_packs_adjoint {
    double *gq;
    double *gv;  /* to the velocity: energy-momentum-2006; at the start only if the step starts from
                    a velocity */
    double *gp;  /* to the momentum: variational */
    double *y;   /* [n] written, unless it is NULL: the derivative by the balance */
    bool motion; /* dq, q_m and q1 of the step are wanted, too */
    /* [3 nodes] written, unless they are NULL: the sums over a body and all that its joint carries
     * of the forces in the balance, and of the derivative by the configuration at the end,
     * y.dT/dq1 included, each of the origins. They are what rows that fix a point balance. */
    double *force, *end_force;
} olo_packs_adjoint;

/* A step whose start is placed, with the motion of its solution in step->state. False: singular. */
bool olo_linear_packs_back(olo_linear_packs *packs, olo_step *step,
                           const olo_packs_adjoint *adjoint);

/* A velocity that was projected at the end of a step from the momentum p there. */
typedef struct olo_packs_velocity {
    const double *v, *p; /* [n] */
    const double *gv;    /* [n] the derivative by it ... */
    double *gq, *gp;     /* [n] ... is added to those by configuration and momentum */
    double *w;           /* [n] written, unless it is NULL: what is added to the latter */
} olo_packs_velocity;

/* At q_end of the step, whose momentum and v1 are used up. False: singular, and nothing is added.
 */
bool olo_linear_packs_velocity(olo_linear_packs *packs, olo_step *step,
                               const olo_packs_velocity *of);

#endif
