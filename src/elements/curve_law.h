/* An expression of several variables as a general law, weight f(e_1, ..., e_k). */
#ifndef OLO_ELEMENTS_CURVE_LAW_H
#define OLO_ELEMENTS_CURVE_LAW_H

#include "elements/build.h"

/* df/de_k */
double olo_curve_derivative(const olo_curve *curve, const double *e, int k);
/* The second derivatives gg[count x count]. */
void olo_curve_hessian(const olo_curve *curve, int count, const double *e, double *gg);

/* The law, which lives as long as the system; the curve must do so, too. NULL: no memory. */
const olo_general_law *olo_build_curve_law(olo_builder *builder, const olo_curve *curve, int count,
                                           double weight);

#endif
