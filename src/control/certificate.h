/* The certificate of an optimum: the conditions of optimality, evaluated from the functions of the
 * programme and the returned point, without the solver:
 *
 *     grad f + A^T y + z_upper - z_lower = 0,   bounds,   complementarity,   signs,
 *
 * and the inertia of the reduced Hessian (optimality.h): at a strict local minimum all its
 * eigenvalues are positive. */
#ifndef OLO_CONTROL_CERTIFICATE_H
#define OLO_CONTROL_CERTIFICATE_H

#include "control/solver.h"
#include "oloid/optimize.h"

/* Fills all but momentum and worst; writes the row that is violated most, or -1, to `worst`. */
olo_status olo_certify(const olo_nlp *nlp, const olo_nlp_point *point, olo_certificate *certificate,
                       int *worst, olo_error *error);

#endif
