/* Derivatives of runs: functions that are not public. */
#ifndef OLO_STEPPING_DERIVATIVES_H
#define OLO_STEPPING_DERIVATIVES_H

#include "oloid/derivatives.h"

/* olo_derivatives_apply_step of `count` variations, stored one after the other in dq[count * n] and
 * dv: every part of the step is linearised once for all of them. */
olo_status olo_derivatives_step_forward_all(olo_derivatives *derivatives, int count, double *dq,
                                            double *dv, olo_error *error);

/* olo_derivatives_step with inputs of actions instead of their functions of time: [actions], NaN:
 * the function of the model acts. They are read until the next step. */
olo_status olo_derivatives_step_with_inputs(olo_derivatives *derivatives, olo_state *state,
                                            double h, const double *inputs, olo_error *error);
/* The derivative of the end of the last step with respect to its inputs, along `change` [actions];
 * writes dq[n] and dv[n]. */
olo_status olo_derivatives_step_by_inputs(olo_derivatives *derivatives, const double *change,
                                          double *dq, double *dv, olo_error *error);

#endif
