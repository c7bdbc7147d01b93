/* The stress of four points with the energy 1/2 sum c_k x_k^2 of their strains x, for all points at
 * once: of finite elements, whose strains are the invariants, and of rods (law_rod.c), whose
 * derivative ds/de1 couples each K_k with c,
 *
 *     ds_k/dK_k = 1/2 a c_k w_1              ds_k/dc = 1/2 a c_k du_k/dc - 1/2 w_1^2 m_k
 *     ds_c/dK_k = 1/2 b_k c_k w_1 - 1/2 w_0 w_1 m_k
 *     ds_c/dc   = sum_k b_k (1/2 c_k du_k/dc - w_1 m_k)
 *
 * at the end of the step. Strains that the points do not have are left out. Dampers of the strains
 * of finite elements are evaluated for all points, too. Other laws are
 * evaluated term by term (term_pack.c), with the same bits of s. A part of strain_pack.c. */
#ifndef OLO_SYSTEM_STRAIN_STRESS_H
#define OLO_SYSTEM_STRAIN_STRESS_H

#include "system/law_rod_formulas.h"
#include "system/strain_pack_data.h"

/* Coefficient k of the laws. */
FORMULA lane read_coefficient(const olo_term_pack *pack, int k)
{
    return (lane){pack->term[0]->coefficient[k], pack->term[1]->coefficient[k],
                  pack->term[2]->coefficient[k], pack->term[3]->coefficient[k]};
}

/* The stiffnesses of the strains; zero for those that the points do not have. */
FORMULA void read_stiffness(const int parts, const olo_term_pack *pack, lane *c)
{
    for (int k = 0; k < OLO_STRAINS; k++)
        c[k] = is_part(parts, k) ? read_coefficient(pack, k) : lane_all(0);
}

/* m = c x and f = 1/2 sum c x^2 at a configuration; returns f */
FORMULA lane stress_at(const int parts, const lane *c, const lane *x, lane *m)
{
    lane f = lane_all(0);
    for (int k = 0; k < OLO_STRAINS; k++) {
        m[k] = lane_all(0);
        if (!is_part(parts, k))
            continue;
        f += 0.5 * c[k] * x[k] * x[k];
        m[k] = c[k] * x[k];
    }
    return f;
}

/* The mean stress m = c (x + 1/2 dx) over a step */
FORMULA void stress_over(const int parts, const lane *c, const lane *x, const lane *dx, lane *m)
{
    for (int k = 0; k < OLO_STRAINS; k++)
        m[k] = is_part(parts, k) ? c[k] * (x[k] + 0.5 * dx[k]) : lane_all(0);
}

/* s.de, the change of the energy */
FORMULA lane work_of(const int parts, const olo_pack_step *step)
{
    lane work = lane_all(0);
    for (int k = 0; k < count_of(parts); k++)
        if (is_part(parts, k))
            work += step->s[k] * step->de[k];
    return work;
}

FORMULA void element_stress(const int parts, const olo_term_pack *pack, const bool tangent,
                            olo_pack_step *step)
{
    lane c[OLO_STRAINS];
    read_stiffness(parts, pack, c);
    if (step->midpoint) {
        step->energy = stress_at(parts, c, step->e, step->s);
    } else {
        stress_over(parts, c, step->e, step->de, step->s);
        step->energy = work_of(parts, step);
    }
    for (int k = 0; tangent && k < OLO_STRAINS; k++)
        if (is_part(parts, k))
            step->s1[(OLO_STRAINS + 1) * k] = 0.5 * c[k];
}

/* The stress (c0/h + c1/2) C de of dampers, C the upper triangle of a matrix, row by row. */
FORMULA void rate_stress(const olo_term_pack *pack, const bool tangent, olo_pack_step *step)
{
    const lane factor = read_coefficient(pack, 0) / step->h + 0.5 * read_coefficient(pack, 1);
    lane C[OLO_STRAINS][OLO_STRAINS];
    for (int k = 0, at = 2; k < OLO_STRAINS; k++)
        for (int l = k; l < OLO_STRAINS; l++)
            C[k][l] = C[l][k] = factor * read_coefficient(pack, at++);
    step->energy = lane_all(0);
    for (int k = 0; k < OLO_STRAINS; k++) {
        step->s[k] = lane_all(0);
        for (int l = 0; l < OLO_STRAINS; l++)
            step->s[k] += C[k][l] * step->de[l];
        step->energy += step->s[k] * step->de[k];
    }
    if (tangent)
        memcpy(step->s1, C, sizeof C);
}

/* ds/de1 from the strains at the start (w0) and where the derivatives are taken, and the factors of
 * du_k = a dK_k + b_k dc. */
FORMULA void rod_stiffness(const int parts, const lane *c, const lane *m, lane w0,
                           const rod_strains *end, lane a, const lane *b, lane *s1)
{
    enum { E = OLO_ROD_INVARIANTS };
    const lane w1 = end->w;
    lane at_c = lane_all(0);
    for (int k = 0; k < 3; k++) {
        const int u = ROD_CURVATURE + k;
        const lane half = 0.5 * c[u], by_c = half * end->by_c[k];
        if (parts & STRETCH)
            s1[(E + 1) * k] = 0.5 * c[k];
        s1[(E + 1) * u] = a * half * w1;
        s1[E * u + ROD_COS] = a * by_c - 0.5 * w1 * w1 * m[u];
        s1[E * ROD_COS + u] = b[k] * half * w1 - 0.5 * w0 * w1 * m[u];
        at_c += b[k] * (by_c - w1 * m[u]);
    }
    s1[(E + 1) * ROD_COS] = at_c;
}

FORMULA void rod_stress_of(const int parts, const olo_term_pack *pack, const bool tangent,
                           olo_pack_step *step)
{
    enum { E = OLO_ROD_INVARIANTS };
    lane c[OLO_STRAINS], u0[3], m[OLO_STRAINS], e1[E], dx[OLO_STRAINS];
    read_stiffness(parts, pack, c);
    for (int k = 0; k < 3; k++)
        u0[k] = read_coefficient(pack, OLO_STRAINS + k);
    const rod_strains start = rod_strains_at(step->e, u0);
    if (step->midpoint) {
        /* half the second derivative: a = w, b_k = du_k/dc and both ends at the midpoint */
        step->energy = stress_at(parts, c, start.x, m);
        rod_stress(start.w, start.by_c, m, step->s);
        if (tangent)
            rod_stiffness(parts, c, m, start.w, &start, start.w, start.by_c, step->s1);
        return;
    }
    for (int k = 0; k < E; k++)
        e1[k] = step->e[k] + step->de[k];
    const rod_strains end = rod_strains_at(e1, u0);
    const rod_factors with = rod_factors_of(step->e, e1, start.w, end.w);
    rod_strain_change(&with, step->de, dx);
    stress_over(parts, c, start.x, dx, m);
    rod_stress(with.a, with.b, m, step->s);
    step->energy = work_of(parts, step);
    if (tangent)
        rod_stiffness(parts, c, m, start.w, &end, with.a, with.b, step->s1);
}

#endif
