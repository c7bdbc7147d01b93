/* The algebra of jets.
 *
 * Chain rule (Faa di Bruno) for f(x(s)), with g_k the k-th derivative of f at x:
 *   f' = g1 x',  f'' = g1 x'' + g2 x'^2,  f''' = g1 x''' + 3 g2 x' x'' + g3 x'^3,
 *   D2f[u,v] = g1 D2x[u,v] + g2 Dx[u] Dx[v].
 * Products follow Leibniz; quotients solve Leibniz for the quotient. */
#include "base/expression_jet.h"

#include <math.h>

/* A term of the chain rule: g times a, where a constant argument gives 0 even if the derivative g
 * is infinite: sqrt(0*x). */
static double chain_term(double g, double a)
{
    return a == 0 ? 0 : g * a;
}

void olo_jet_constant(double value, olo_jet *r)
{
    *r = (olo_jet){{value, 0, 0, 0}};
}

void olo_jet_compose(int kind, const double *g, const olo_jet *x, olo_jet *r)
{
    const double *c = x->c;
    olo_jet_constant(g[0], r);
    if (kind == OLO_JET_MIXED) {
        r->c[1] = chain_term(g[1], c[1]);
        r->c[2] = chain_term(g[1], c[2]);
        r->c[3] = chain_term(g[1], c[3]) + chain_term(g[2], c[1] * c[2]);
        return;
    }
    if (kind >= 1)
        r->c[1] = chain_term(g[1], c[1]);
    if (kind >= 2)
        r->c[2] = chain_term(g[1], c[2]) + chain_term(g[2], c[1] * c[1]);
    if (kind >= 3) {
        r->c[3] = chain_term(g[1], c[3]) + 3 * chain_term(g[2], c[1] * c[2]) +
                  chain_term(g[3], c[1] * c[1] * c[1]);
    }
}

void olo_jet_add(int kind, const olo_jet *x, const olo_jet *y, olo_jet *r)
{
    (void)kind;
    for (int k = 0; k <= OLO_EXPRESSION_MAX_ORDER; k++)
        r->c[k] = x->c[k] + y->c[k];
}

void olo_jet_subtract(int kind, const olo_jet *x, const olo_jet *y, olo_jet *r)
{
    (void)kind;
    for (int k = 0; k <= OLO_EXPRESSION_MAX_ORDER; k++)
        r->c[k] = x->c[k] - y->c[k];
}

void olo_jet_combine(double value, double a, const olo_jet *x, double b, const olo_jet *y,
                     olo_jet *r)
{
    r->c[0] = value;
    for (int k = 1; k <= OLO_EXPRESSION_MAX_ORDER; k++)
        r->c[k] = chain_term(a, x->c[k]) + chain_term(b, y->c[k]);
}

void olo_jet_multiply(int kind, const olo_jet *x, const olo_jet *y, olo_jet *r)
{
    const double *a = x->c, *b = y->c;
    olo_jet_constant(a[0] * b[0], r);
    if (kind == OLO_JET_MIXED) {
        r->c[1] = a[0] * b[1] + a[1] * b[0];
        r->c[2] = a[0] * b[2] + a[2] * b[0];
        r->c[3] = a[0] * b[3] + a[1] * b[2] + a[2] * b[1] + a[3] * b[0];
        return;
    }
    if (kind >= 1)
        r->c[1] = a[0] * b[1] + a[1] * b[0];
    if (kind >= 2)
        r->c[2] = a[0] * b[2] + 2 * a[1] * b[1] + a[2] * b[0];
    if (kind >= 3)
        r->c[3] = a[0] * b[3] + 3 * (a[1] * b[2] + a[2] * b[1]) + a[3] * b[0];
}

void olo_jet_divide(int kind, const olo_jet *x, const olo_jet *y, olo_jet *r)
{
    const double *a = x->c, *b = y->c;
    double *q = r->c;
    olo_jet_constant(a[0] / b[0], r);
    if (kind == OLO_JET_MIXED) {
        q[1] = (a[1] - q[0] * b[1]) / b[0];
        q[2] = (a[2] - q[0] * b[2]) / b[0];
        q[3] = (a[3] - q[0] * b[3] - q[1] * b[2] - q[2] * b[1]) / b[0];
        return;
    }
    if (kind >= 1)
        q[1] = (a[1] - q[0] * b[1]) / b[0];
    if (kind >= 2)
        q[2] = (a[2] - q[0] * b[2] - 2 * q[1] * b[1]) / b[0];
    if (kind >= 3)
        q[3] = (a[3] - q[0] * b[3] - 3 * (q[1] * b[2] + q[2] * b[1])) / b[0];
}

double olo_power(double x, double n)
{
    if (n == 1)
        return x;
    if (n == 2)
        return x * x;
    if (n == 3)
        return x * x * x;
    if (n == 4)
        return (x * x) * (x * x);
    return n == 0 ? 1.0 : pow(x, n);
}

/* Derivatives of x^n by x for constant n, as many as the kind needs. A zero factor ends the series:
 * the power that would follow is infinite at x = 0. */
static void power_derivatives(int kind, double x, double n, double *g)
{
    int order = kind == OLO_JET_MIXED ? 2 : kind;
    double factor = 1;
    for (int k = 0; k <= OLO_EXPRESSION_MAX_ORDER; k++) {
        g[k] = factor == 0 || k > order ? 0 : factor * olo_power(x, n - k);
        factor *= n - k;
    }
}

/* x^y at x = 0 with variable y: a term with i derivatives by x and at least one by y contains
 * x^(y-i) log x, which vanishes for i < y and has no limit otherwise; the remaining terms have
 * constant y. */
static void jet_power_at_zero(int kind, const olo_jet *x, double y, olo_jet *r)
{
    double g[OLO_EXPRESSION_MAX_ORDER + 1];
    power_derivatives(kind, x->c[0], y, g); // also -0, whose odd powers are negative
    olo_jet_compose(kind, g, x, r);
    bool mixed = kind == OLO_JET_MIXED;
    for (int k = 1; k <= (mixed ? OLO_EXPRESSION_MAX_ORDER : kind); k++) {
        int order = mixed ? (k + 1) / 2 : k;
        int by_x = olo_jet_is_constant(x) ? 0 : order - 1;
        if (!(by_x < y))
            r->c[k] = NAN;
    }
}

void olo_jet_power(int kind, const olo_jet *x, const olo_jet *y, olo_jet *r)
{
    double g[OLO_EXPRESSION_MAX_ORDER + 1];
    if (olo_jet_is_constant(y)) {
        power_derivatives(kind, x->c[0], y->c[0], g);
        olo_jet_compose(kind, g, x, r);
        return;
    }
    if (x->c[0] == 0) {
        jet_power_at_zero(kind, x, y->c[0], r);
        return;
    }
    /* exp(y log x) */
    double value = olo_power(x->c[0], y->c[0]), d = 1 / x->c[0];
    const double log_at_x[] = {log(x->c[0]), d, -d * d, 2 * d * d * d};
    const double exp_at_exponent[] = {value, value, value, value};
    olo_jet logarithm, exponent;
    olo_jet_compose(kind, log_at_x, x, &logarithm);
    olo_jet_multiply(kind, y, &logarithm, &exponent);
    olo_jet_compose(kind, exp_at_exponent, &exponent, r);
}

/* Polar coordinates in a rotated and scaled frame in which the point lies on the first axis at
 * distance 1: with a = (c x + s y)/h, b = (c y - s x)/h, t = b/a it is b = t = 0 at the point, and
 * hypot(x,y) = h a sqrt(1 + t^2), atan2(y,x) = atan2(s,c) + atan(t), free of cancellation. */
static double jet_turn(int kind, const olo_jet *x, const olo_jet *y, olo_jet *a, olo_jet *t)
{
    double h = hypot(x->c[0], y->c[0]);
    double c = x->c[0] / h, s = y->c[0] / h;
    olo_jet b;
    olo_jet_combine(1, c / h, x, s / h, y, a);
    olo_jet_combine(0, c / h, y, -s / h, x, &b);
    olo_jet_divide(kind, &b, a, t);
    return h;
}

void olo_jet_hypot(int kind, const olo_jet *x, const olo_jet *y, olo_jet *r)
{
    static const double sqrt_at_one[] = {1, 0.5, -0.25, 0.375};
    olo_jet a, t, square, root;
    double h = jet_turn(kind, x, y, &a, &t);
    olo_jet_multiply(kind, &t, &t, &square);
    /* of 1 + t^2: the 1 is in the derivatives */
    olo_jet_compose(kind, sqrt_at_one, &square, &root);
    olo_jet_multiply(kind, &a, &root, r);
    for (int k = 0; k <= OLO_EXPRESSION_MAX_ORDER; k++)
        r->c[k] = chain_term(h, r->c[k]);
}

void olo_jet_atan2(int kind, const olo_jet *y, const olo_jet *x, olo_jet *r)
{
    const double atan_at_zero[] = {atan2(y->c[0], x->c[0]), 1, 0, -2};
    olo_jet a, t;
    jet_turn(kind, x, y, &a, &t);
    olo_jet_compose(kind, atan_at_zero, &t, r);
}
