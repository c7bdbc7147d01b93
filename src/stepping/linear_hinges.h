/* The way back through steps of bodies on hinges: the transpose of the linearised step
 * (linear_step.h) where the hinged treatment (hinges.h) makes the steps, with the same elimination
 * over records of a body each. */
#ifndef OLO_STEPPING_LINEAR_HINGES_H
#define OLO_STEPPING_LINEAR_HINGES_H

#include "stepping/hinges.h"
#include "stepping/step.h"

typedef struct olo_linear_hinges olo_linear_hinges;

/* NULL and OK where the hinged treatment does not make the steps. */
olo_status olo_linear_hinges_create(const olo_system *system, const olo_scheme *scheme,
                                    const olo_topology *topology, olo_hinges_width width,
                                    olo_linear_hinges **hinges, olo_error *error);
void olo_linear_hinges_free(olo_linear_hinges *hinges);

/* Takes derivatives with respect to the end of a step to those with respect to its start. The first
 * three are [n]; those that a scheme does not have are NULL. */
typedef struct olo_hinges_adjoint {
    double *gq;
    double *gv;  /* to the velocity: energy-momentum; at the start only if the step starts from a
                    velocity */
    double *gp;  /* to the momentum: variational */
    double *y;   /* [n] written, unless it is NULL: the derivative by the balance */
    bool motion; /* dq, q_m and q1 of the step are wanted, too */
} olo_hinges_adjoint;

/* A step whose start is placed, with the motion of its solution in step->state. False: singular. */
bool olo_linear_hinges_back(olo_linear_hinges *hinges, olo_step *step,
                            const olo_hinges_adjoint *adjoint);

/* A velocity that was projected at the end of a step from the momentum p there. */
typedef struct olo_hinges_velocity {
    const double *v, *p; /* [n] */
    const double *gv;    /* [n] the derivative by it ... */
    double *gq, *gp;     /* [n] ... is added to those by configuration and momentum */
    double *w;           /* [n] written, unless it is NULL: what is added to the latter */
} olo_hinges_velocity;

/* At q_end of the step, whose momentum and v1 are used up. False: singular, and nothing is added.
 */
bool olo_linear_hinges_velocity(olo_linear_hinges *hinges, olo_step *step,
                                const olo_hinges_velocity *of);

#endif
