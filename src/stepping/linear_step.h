/* The linearised step: the derivative of the end of a solved step with respect to its start,
 *
 *     d(q1, v1) = A d(q0, v0),
 *
 * exactly, and its transpose, with the tangent of the Newton iteration of the step.
 *
 * Before reduction by null spaces the step is T(q0, v0, q1) + sum_i mu_i d_i(q0, q1) = 0, g(q1) =
 * 0, with multipliers mu of all rows, including internal ones. Its variation, with the left null
 * space P^^T, the null space P at q1, and dq0 tangent to the constraints, is
 *
 *     P^^T [DT/Dq1 + sum mu_i Dd_i/Dq1] P du = -P^^T rho,   dq1 = P du,
 *     rho = [DT/Dq0 + sum mu_i Dd_i/Dq0] dq0 - 2 M dv0.
 *
 * The matrix on the left is the reduced tangent, since T = -sum mu_i d_i and P^^T d_i = 0.
 * Therefore no derivative of a null space with respect to q0 is needed, and no function of a joint
 * type.
 *
 *     energy-momentum-2006   dv1 = (2/h)(dq1 - dq0) - dv0
 *     variational       M v1 + sum mu_i grad g_i(q1) = p is varied in the same way, with
 *                       d(grad g_i . v1) = 0
 *
 * A variation has the form of a state: dq[n], which satisfies the constraints to first order, and
 * dv[n]. */
#ifndef OLO_STEPPING_LINEAR_STEP_H
#define OLO_STEPPING_LINEAR_STEP_H

#include "stepping/step_record.h"

typedef struct olo_linear_step olo_linear_step;

/* Fails with the reason if a run has no such derivatives. */
olo_status olo_linear_step_create(const olo_system *system, const olo_run *run,
                                  olo_linear_step **linear, olo_error *error);
void olo_linear_step_free(olo_linear_step *linear);

/* Linearises at a record, which must outlive the use of the linear step; with `velocity` also the
 * projection of the velocity at its end, if the scheme has one. */
olo_status olo_linear_step_at(olo_linear_step *linear, const olo_step_record *record, bool velocity,
                              olo_error *error);
/* Whether velocities at the ends of steps may be computed in the backward sweep, with the factors
 * that it needs anyway: v[n], the v1 of the record, and its closing multipliers. */
bool olo_linear_step_may_project(const olo_linear_step *linear);
olo_status olo_linear_step_project(olo_linear_step *linear, const olo_step_record *record,
                                   double *v, olo_error *error);
/* Variations of the equations of a step in addition to that of the state, or derivatives with
 * respect to these. NULL: zero, or not wanted. */
typedef struct olo_step_variation {
    double *T;        /* [n] the balance */
    double *p;        /* [n] the momentum at the end (of a force -T/2; variational only) */
    double *v;        /* [n] the projection of the velocity there, in addition to p */
    double *velocity; /* [n] the equation of the velocity (consistent velocities only) */
    double *end;      /* [m] constraint rows at the end ... */
    double *rate;     /* [m] ... and their rates there (not of energy-momentum-2006); both only
                         after olo_linear_step_need_rows */
} olo_step_variation;

/* Enables variations of the rows that are wanted, [m]; NULL: of none. */
void olo_linear_step_need_rows(olo_linear_step *linear, const bool *wanted);

/* Propagates a variation from the start to the end; overwrites dq and dv. */
void olo_linear_step_forward(olo_linear_step *linear, double *dq, double *dv,
                             const olo_step_variation *change);
/* The transpose, including the linearisation at a record: takes derivatives with respect to the end
 * (gq, those with respect to the velocity gv and to the momentum gp, variational only) to those
 * with respect to the start, and overwrites them; writes those with respect to the equations to
 * `change`. A step that starts from a momentum sets gv to zero, any other sets gp to zero. */
olo_status olo_linear_step_back(olo_linear_step *linear, const olo_step_record *record, double *gq,
                                double *gv, double *gp, const olo_step_variation *change,
                                olo_error *error);
/* Disables the code for packs of bodies (linear_packs.h), for comparisons. */
void olo_linear_step_disable_packs(olo_linear_step *linear);
/* Linearises the constraints at a state instead of a step. Then any dq and dv can be projected, in
 * the metric of the mass, to the nearest admissible variation, G dq = 0 and d(G v) = 0; and the
 * transpose. */
olo_status olo_linear_step_state(olo_linear_step *linear, const olo_state *state, olo_error *error);
void olo_linear_step_admit(olo_linear_step *linear, double *dq, double *dv);
void olo_linear_step_admit_transposed(olo_linear_step *linear, double *gq, double *gv);

#endif
