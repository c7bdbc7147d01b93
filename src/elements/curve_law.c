/* Expressions as general laws. Second and third derivatives follow from directional derivatives by
 * polarisation,
 *
 *     2 H[u, v]      = D2(u + v) - D2(u) - D2(v)
 *     6 T[u, v, w]   = D3(u + v + w) - D3(u + v) - D3(u + w) - D3(v + w) + D3(u) + D3(v) + D3(w).
 */
#include "elements/curve_law.h"

#include <string.h>

enum { K = OLO_LAW_INVARIANTS_MAX };

typedef struct weighted {
    olo_general_law law;
    const olo_curve *curve;
    int count;
    double weight;
    bool quadratic;         /* a polynomial of degree two: */
    double constant[K * K]; /* its Hessian */
} weighted;

static double value(void *context, const double *e)
{
    const weighted *x = context;
    return x->weight * olo_curve_value(x->curve, e);
}

/* The derivative of the given order along the sum of unit vectors a, b and c; b and c may be -1 for
 * none. */
static double along(const olo_curve *curve, const double *e, int order, int a, int b, int c)
{
    double direction[K] = {0}, derivatives[4];
    direction[a] += 1;
    if (b >= 0)
        direction[b] += 1;
    if (c >= 0)
        direction[c] += 1;
    olo_curve_along(curve, e, direction, order, derivatives);
    return derivatives[order];
}

double olo_curve_derivative(const olo_curve *curve, const double *e, int k)
{
    return along(curve, e, 1, k, -1, -1);
}

static void gradient(void *context, const double *e, double *g)
{
    const weighted *x = context;
    for (int k = 0; k < x->count; k++)
        g[k] = x->weight * olo_curve_derivative(x->curve, e, k);
}

static void second(const olo_curve *curve, int count, double weight, const double *e, double *gg)
{
    double pure[K];
    for (int k = 0; k < count; k++)
        pure[k] = gg[(count + 1) * k] = weight * along(curve, e, 2, k, -1, -1);
    for (int k = 0; k < count; k++)
        for (int l = 0; l < k; l++)
            gg[count * k + l] = gg[count * l + k] =
                0.5 * (weight * along(curve, e, 2, k, l, -1) - pure[k] - pure[l]);
}

void olo_curve_hessian(const olo_curve *curve, int count, const double *e, double *gg)
{
    second(curve, count, 1.0, e, gg);
}

static void hessian(void *context, const double *e, double *gg)
{
    const weighted *x = context;
    if (x->quadratic)
        memcpy(gg, x->constant, (size_t)(x->count * x->count) * sizeof *gg);
    else
        second(x->curve, x->count, x->weight, e, gg);
}

static void third(void *context, const double *e, double *ggg)
{
    const weighted *x = context;
    const int n = x->count;
    double one[K], two[K][K];
    if (x->quadratic) {
        memset(ggg, 0, (size_t)(n * n * n) * sizeof *ggg);
        return;
    }
    for (int k = 0; k < n; k++) {
        one[k] = along(x->curve, e, 3, k, -1, -1);
        two[k][k] = 8 * one[k];
        for (int l = 0; l < k; l++)
            two[k][l] = two[l][k] = along(x->curve, e, 3, k, l, -1);
    }
    for (int k = 0; k < n; k++)
        for (int l = 0; l <= k; l++)
            for (int m = 0; m <= l; m++) {
                const double all = k == m ? 27 * one[k] : along(x->curve, e, 3, k, l, m);
                const double value =
                    x->weight / 6 *
                    (all - two[k][l] - two[k][m] - two[l][m] + one[k] + one[l] + one[m]);
                ggg[(k * n + l) * n + m] = ggg[(k * n + m) * n + l] = ggg[(l * n + k) * n + m] =
                    ggg[(l * n + m) * n + k] = ggg[(m * n + k) * n + l] = ggg[(m * n + l) * n + k] =
                        value;
            }
}

const olo_general_law *olo_build_curve_law(olo_builder *builder, const olo_curve *curve, int count,
                                           double weight)
{
    weighted *x = olo_pool_alloc(&olo_build_system(builder)->pool, 1, sizeof *x);
    if (!x)
        return NULL;
    *x = (weighted){.law = {.context = x,
                            .value = value,
                            .gradient = gradient,
                            .hessian = hessian,
                            .third = third},
                    .curve = curve,
                    .count = count,
                    .weight = weight};
    x->quadratic = olo_curve_degree(curve) <= 2;
    if (x->quadratic)
        second(curve, count, weight, (const double[K]){0}, x->constant);
    return &x->law;
}
