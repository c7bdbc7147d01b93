/* The strains of a discrete rod from its invariants e = (Gamma, K, c), over a number type: NUMBER
 * is `double` for one term (law_rod.c) or `lane` for four (strain_stress.h). The equations are in
 * law_rod.c. */
#ifndef OLO_SYSTEM_LAW_ROD_FORMULAS_H
#define OLO_SYSTEM_LAW_ROD_FORMULAS_H

#include "base/inline.h"

/* The first curvature among the strains and invariants, and the position of c. */
enum { ROD_STRAINS = 6, ROD_CURVATURE = 3, ROD_COS = 6 };

#define ROD_FORMULA OLO_INLINE

/* The strains at one end and their derivatives: with w = 1/c, du/dK = w, du/dc = -K w^2. */
typedef struct rod_strains {
    NUMBER x[ROD_STRAINS], w;
    NUMBER by_c[3]; /* du_k/dc */
} rod_strains;

ROD_FORMULA rod_strains rod_strains_at(const NUMBER *e, const NUMBER *u0)
{
    rod_strains y = {.w = 1.0 / e[ROD_COS]};
    for (int k = 0; k < 3; k++) {
        const NUMBER K = e[ROD_CURVATURE + k];
        y.x[k] = e[k];
        y.x[ROD_CURVATURE + k] = K * y.w - u0[k];
        y.by_c[k] = -K * y.w * y.w;
    }
    return y;
}

/* The factors of du_k = a dK_k + b_k dc over a step, and K_0 + K_1. */
typedef struct rod_factors {
    NUMBER a, b[3], sum[3];
} rod_factors;

ROD_FORMULA rod_factors rod_factors_of(const NUMBER *e0, const NUMBER *e1, NUMBER w0, NUMBER w1)
{
    rod_factors y = {.a = 0.5 * (w0 + w1)};
    for (int k = 0; k < 3; k++) {
        y.sum[k] = e0[ROD_CURVATURE + k] + e1[ROD_CURVATURE + k];
        y.b[k] = -0.5 * y.sum[k] * w0 * w1;
    }
    return y;
}

/* dx over a step from de */
ROD_FORMULA void rod_strain_change(const rod_factors *y, const NUMBER *de, NUMBER *dx)
{
    for (int k = 0; k < 3; k++) {
        dx[k] = de[k];
        dx[ROD_CURVATURE + k] = y->a * de[ROD_CURVATURE + k] + y->b[k] * de[ROD_COS];
    }
}

/* The stress s of the invariants from that of the strains, m */
ROD_FORMULA void rod_stress(const NUMBER a, const NUMBER *b, const NUMBER *m, NUMBER *s)
{
    s[ROD_COS] = (NUMBER){0};
    for (int k = 0; k < 3; k++) {
        s[k] = m[k];
        s[ROD_CURVATURE + k] = a * m[ROD_CURVATURE + k];
        s[ROD_COS] += b[k] * m[ROD_CURVATURE + k];
    }
}

#endif
