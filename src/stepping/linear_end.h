/* Velocities at a configuration q that satisfy the rates of all rows, linearised: the variation dv
 * that follows from variations of the configuration, of the momentum and of the rates,
 *
 *     M dv + G^T dmu = eta,   G dv = -(d G) v - rate,   d G by dq,
 *
 * and its transpose. An acceleration is such a variation, with dq = v and the forces for eta. */
#ifndef OLO_STEPPING_LINEAR_END_H
#define OLO_STEPPING_LINEAR_END_H

#include "stepping/linear_rows.h"
#include "stepping/step.h"

typedef struct olo_linear_end {
    const olo_system *system;
    const olo_topology *topology;
    void *reduced;         /* the treatment, with factors of the mass matrix on the tree */
    olo_linear_rows rows;  /* at q, with the derivatives of their rates at v */
    const double *q, *v;   /* [n] of others */
    double scale;          /* of velocities in the factors */
    double closing;        /* factor of closure rows in them */
    double *follow, *work; /* [n] */
} olo_linear_end;

/* Memory comes from the pool; olo_linear_end_free must be called also on failure. */
olo_status olo_linear_end_create(const olo_system *system, const olo_scheme *scheme,
                                 const olo_run *run, olo_pool *pool, olo_linear_end *end,
                                 olo_error *error);
void olo_linear_end_free(olo_linear_end *end);

/* Factors the mass matrix at step->q_end, and projects step->momentum to step->v1. */
olo_status olo_linear_end_factor(olo_linear_end *end, olo_step *step, olo_error *error);
/* Sets the gradients of all rows, and the derivatives of their rates unless v is NULL. Velocity
 * rows have the derivatives of d.dq over a step, if that is given. */
void olo_linear_end_set_rows(olo_linear_end *end, const olo_at *at, const double *v,
                             const olo_interval *step);

/* Writes dv[n]; overwrites eta[n]. rate[m] may be NULL. */
void olo_linear_end_forward(olo_linear_end *end, const double *dq, const double *rate, double *eta,
                            double *dv);
/* The transpose: from gv of dv, which is overwritten, to eta[n] and rate[m], unless that is NULL;
 * adds to gq. */
void olo_linear_end_adjoint(olo_linear_end *end, double *gv, double *gq, double *eta, double *rate);
/* dq[n] becomes the nearest displacement along the constraints, in the metric of the mass; and the
 * transpose. */
void olo_linear_end_project(olo_linear_end *end, double *dq);
void olo_linear_end_project_transposed(olo_linear_end *end, double *gq);

#endif
