/* The linearised step: how the end of a step that is solved varies with its start,
 *
 *     d(q1, v1) = A d(q0, v0),
 *
 * exactly, and the transpose of that, with the tangent that the step was solved with.
 *
 * The step that null spaces reduce is T(q0, v0, q1) + sum_i mu_i d_i(q0, q1) = 0, g(q1) = 0, with
 * multipliers mu of all rows, the internal ones, too. Its variation, P^^T being the left null
 * space, P that at q1, and dq0 tangent to the constraints,
 *
 *     P^^T [DT/Dq1 + sum mu_i Dd_i/Dq1] P du = -P^^T rho,   rho = [DT/Dq0 + sum mu_i Dd_i/Dq0] dq0
 *         - 2 M dv0,   dq1 = P du,
 *
 * has the reduced tangent on its left, since T = -sum mu_i d_i and P^^T d_i = 0. So no derivative
 * of a null space in q0 is wanted, and no joint is asked. energy-momentum: dv1 = (2/h)(dq1 - dq0) -
 * dv0. variational: M v1 + sum mu_i grad g_i(q1) = p is varied in the same way, with d(grad g_i .
 * v1) = 0.
 *
 * A variation has the form of a state: dq[n] that keeps the constraints to first order, and dv[n].
 */
#ifndef OLO_STEPPING_LINEAR_STEP_H
#define OLO_STEPPING_LINEAR_STEP_H

#include "stepping/step_record.h"

typedef struct olo_linear_step olo_linear_step;

/* Fails with the reason where a run has no such derivatives. */
olo_status olo_linear_step_create(const olo_system *system, const olo_run *run,
                                  olo_linear_step **linear, olo_error *error);
void olo_linear_step_free(olo_linear_step *linear);

/* Linearises at a record, which must stay; the velocity at its end, too, where the scheme projects
 * it and that is wanted. */
olo_status olo_linear_step_at(olo_linear_step *linear, const olo_step_record *record, bool velocity,
                              olo_error *error);
/* The step as kernels see it. */
const olo_step *olo_linear_step_step(const olo_linear_step *linear);

/* The velocity at its end. */
const double *olo_linear_step_end_velocity(const olo_linear_step *linear);

/* What changes beside the state, or derivatives with respect to that. NULL: nothing, or not wanted.
 */
typedef struct olo_step_variation {
    double *T;    /* [n] the balance */
    double *p;    /* [n] the momentum at the end (of a force -T/2; variational only) */
    double *v;    /* [n] what the velocity there is projected from, beside p */
    double *end;  /* [m] constraint rows at the end ... */
    double *rate; /* [m] ... and their rates there (variational only); both only after
                     olo_linear_step_need_rows */
} olo_step_variation;

/* From now on changes of rows are wanted. */
void olo_linear_step_need_rows(olo_linear_step *linear, bool need);

/* From a variation of the start to that of the end, in place. */
void olo_linear_step_forward(olo_linear_step *linear, double *dq, double *dv,
                             const olo_step_variation *change);
/* df[n] = derivative of the forces of an action over the step with respect to its input, added
 * times `factor`; a product with one vector. */
void olo_linear_step_add_input(olo_linear_step *linear, int action, double factor, double *df);
double olo_linear_step_times_input(olo_linear_step *linear, int action, const double *y);
/* The transpose, linearised on the way: at a record, which must stay, from the derivatives of
 * something with respect to the end, by the velocity gv and by the momentum gp (variational only),
 * to those with respect to the start, in place; `change` gets those with respect to all else. A
 * step that is bare leaves nothing in gv, any other nothing in gp. */
olo_status olo_linear_step_back(olo_linear_step *linear, const olo_step_record *record, double *gq,
                                double *gv, double *gp, const olo_step_variation *change,
                                olo_error *error);
/* From now on without what is done for hinges alone (linear_hinges.h): to compare. */
void olo_linear_step_leave_hinges(olo_linear_step *linear);
/* Multipliers of all rows over the step, and at its end (variational). */
const double *olo_linear_step_multipliers(const olo_linear_step *linear);
const double *olo_linear_step_end_multipliers(const olo_linear_step *linear);

/* Instead of a step: a state. Then, from any dq and dv the variation next to it, in the metric of
 * the mass, that keeps the constraints to first order, G dq = 0 and d(G v) = 0; and the transpose.
 */
olo_status olo_linear_step_state(olo_linear_step *linear, const olo_state *state, olo_error *error);
void olo_linear_step_admit(olo_linear_step *linear, double *dq, double *dv);
void olo_linear_step_admit_transposed(olo_linear_step *linear, double *gq, double *gv);

#endif
