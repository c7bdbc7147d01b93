/* Jets: values with derivatives up to third order along one direction, or second along two. */
#ifndef OLO_BASE_EXPRESSION_JET_H
#define OLO_BASE_EXPRESSION_JET_H

#include <stdbool.h>

#include "base/expression.h"

/* Kinds of jets. Taylor kinds 0..3 (the order): c = f, f', f'', f''' along one direction. Kind
 * OLO_JET_MIXED: c = f, Df[u], Df[v], D2f[u,v]. Coefficients that a kind does not use are zero. */
typedef struct olo_jet {
    double c[OLO_EXPRESSION_MAX_ORDER + 1];
} olo_jet;

enum { OLO_JET_MIXED = OLO_EXPRESSION_MAX_ORDER + 1 };

/* In all functions the result must not alias an argument. */

void olo_jet_constant(double value, olo_jet *result);

/* True if all derivatives vanish. */
static inline bool olo_jet_is_constant(const olo_jet *x)
{
    return x->c[1] == 0 && x->c[2] == 0 && x->c[3] == 0;
}

/* x^n. Small whole powers are products: exact to rounding and much faster. */
double olo_power(double x, double n);

/* f(x) for a function with the derivatives g = f, f', f'', f''' at x. */
void olo_jet_compose(int kind, const double *g, const olo_jet *x, olo_jet *result);

/* The jet of a x + b y for constant a and b, whose value is given as `value`. */
void olo_jet_combine(double value, double a, const olo_jet *x, double b, const olo_jet *y,
                     olo_jet *result);

void olo_jet_add(int kind, const olo_jet *x, const olo_jet *y, olo_jet *result);
void olo_jet_subtract(int kind, const olo_jet *x, const olo_jet *y, olo_jet *result);
void olo_jet_multiply(int kind, const olo_jet *x, const olo_jet *y, olo_jet *result);
void olo_jet_divide(int kind, const olo_jet *x, const olo_jet *y, olo_jet *result);
void olo_jet_power(int kind, const olo_jet *x, const olo_jet *y, olo_jet *result);
void olo_jet_hypot(int kind, const olo_jet *x, const olo_jet *y, olo_jet *result);
void olo_jet_atan2(int kind, const olo_jet *y, const olo_jet *x, olo_jet *result);

#endif
