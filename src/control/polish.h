/* Newton's method on the conditions of optimality at an approximate optimum, with its active set:
 *
 *     [ H  A^T ] [ dx ]     [ grad f + A^T y ]
 *     [ A   0  ] [ dy ] = - [ c - bound      ]
 *
 * over the variables that are not at a bound and the active rows. It needs no descent, so that it
 * converges at saddle points, too, where a solver that minimises comes near only. */
#ifndef OLO_CONTROL_POLISH_H
#define OLO_CONTROL_POLISH_H

#include "control/solver.h"
#include "oloid/status.h"

/* The largest entries of |grad f + A^T y + z_upper - z_lower| and |grad f|. */
olo_status olo_stationarity(const olo_nlp *nlp, const olo_nlp_point *point, double *residual,
                            double *gradient, olo_error *error);
/* Improves the point until the residuals of the conditions are below the tolerance, as long as each
 * iteration at least halves them; a point that cannot be improved is left as it is. `reached`: the
 * residuals are below the tolerance. */
olo_status olo_polish(const olo_nlp *nlp, double tolerance, olo_nlp_point *point, bool *reached,
                      olo_error *error);

#endif
