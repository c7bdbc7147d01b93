/* Derivatives of runs: functions that are not public. */
#ifndef OLO_STEPPING_DERIVATIVES_H
#define OLO_STEPPING_DERIVATIVES_H

#include "oloid/derivatives.h"

/* olo_derivatives_apply_step of `count` variations, stored one after the other in dq[count * n] and
 * dv: every part of the step is linearised once for all of them. */
olo_status olo_derivatives_step_forward_all(olo_derivatives *derivatives, int count, double *dq,
                                            double *dv, olo_error *error);

#endif
