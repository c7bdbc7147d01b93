/* The certificate of an optimum: the conditions of optimality, evaluated from the functions of the
 * programme and the returned point, without the solver:
 *
 *     grad f + A^T y + z_upper - z_lower = 0,   bounds,   complementarity,   signs,
 *
 * and the inertia of
 *
 *     [ H  A^T ]
 *     [ A   0  ]
 *
 * over the variables that are not at a bound and the active rows: at a strict local minimum it has
 * as many negative eigenvalues as rows, and none that is zero. */
#ifndef OLO_CONTROL_CERTIFICATE_H
#define OLO_CONTROL_CERTIFICATE_H

#include "control/solver.h"
#include "oloid/optimize.h"

/* Fills all but momentum and worst; writes the row that is violated most, or -1, to `worst`. */
olo_status olo_certify(const olo_nlp *nlp, const olo_nlp_point *point, olo_certificate *certificate,
                       int *worst, olo_error *error);

#endif
