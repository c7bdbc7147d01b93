/* The six strains of a beam at a quadrature point; the equations are in the header, formulas in
 * strain_formulas.h. The Hessian of s.e has the coefficients
 *
 *     n_i N'_a N_b                       between phi^a and d_i^b,
 *     1/2 m_i (N_a N'_b - N'_a N_b)      between d_k^a and d_j^b.
 *
 * Steps evaluate four points at once, in strain_pack.c.
 */
#include "system/strain.h"

#include <stddef.h>
#include <string.h>

#include "system/term_pack.h"

#define NUMBER double
#include "system/strain_formulas.h"

_Static_assert(sizeof(point) <= sizeof(olo_invariant_point), "olo_invariant_point is too small");

/* Interpolates q, or an increment of q, from the directors of the section at the nodes. */
static point point_at(const olo_strain *s, const double *q)
{
    vector x[A][4];
    point p;
    for (int a = 0; a < s->nodes; a++) {
        memcpy(x[a], q + s->q[a], sizeof x[a]);
        if (s->turn[a])
            turn_directors(s->turn[a], x[a]);
    }
    interpolate(s->nodes, s->N, s->dN, x, &p);
    return p;
}

/* The same at q + remainder, unless that is NULL: the rounding remainder of positions changes phi'.
 */
static point point_with_remainder(const olo_strain *s, const double *q, const double *remainder)
{
    point p = point_at(s, q);
    for (int a = 1; remainder && a < s->nodes; a++)
        for (int c = 0; c < 3; c++)
            p.f.x[c] += s->dN[a] * (remainder[s->q[a] + c] - remainder[s->q[0] + c]);
    return p;
}

void olo_strain_values(const olo_strain *strain, const double *q, const double *remainder,
                       double e[OLO_STRAINS])
{
    const point p = point_with_remainder(strain, q, remainder);
    strains_of(strain->reference, &p, e);
}

static void values(const olo_term *term, const double *q, const double *remainder, double *e)
{
    olo_strain_values(term->data, q, remainder, e);
}

/* e(q1) - e(q0) = grad e(qm).dq */
static void differences(const olo_term *term, const double *qm, const double *dq, double *de)
{
    const point m = point_at(term->data, qm), d = point_at(term->data, dq);
    changes(&m, &d, de);
}

/* The midpoint is computed from start and increment, not from qm, whose rounding error grows with
 * the distance from the origin. */
static void over(const olo_term *term, const olo_interval *x, double *e0, double *de, void *between)
{
    const olo_strain *s = term->data;
    const point start = point_with_remainder(s, x->q0, x->remainder), d = point_at(s, x->dq);
    const point m = advance(&start, 0.5, &d);
    strains_of(s->reference, &start, e0);
    changes(&m, &d, de);
    memcpy(between, &m, sizeof m);
}

/* e(qm) = e(q0) + 1/2 grad e(q0 + dq/4).dq */
static void middle(const olo_term *term, const olo_interval *x, double *e, void *between)
{
    const olo_strain *s = term->data;
    const point start = point_with_remainder(s, x->q0, x->remainder), d = point_at(s, x->dq);
    const point m = advance(&start, 0.5, &d), quarter = advance(&start, 0.25, &d);
    double de[OLO_STRAINS];
    strains_of(s->reference, &start, e);
    changes(&quarter, &d, de);
    for (int k = 0; k < OLO_STRAINS; k++)
        e[k] += 0.5 * de[k];
    memcpy(between, &m, sizeof m);
}

/* r = sum_k s_k grad e_k at a point */
static void push_at(const olo_strain *x, const double *s, const point *p, double *r)
{
    const point R = conjugate(p, s);
    for (int a = 0; a < x->nodes; a++) {
        vector force[4];
        node_force(x->N[a], x->dN[a], x->turn[a], &R, force);
        memcpy(r + FRAME * a, force, sizeof force);
    }
}

static void push(const olo_term *term, const double *s, const void *between, double *r)
{
    push_at(term->data, s, between, r);
}

static void combine(const olo_term *term, const double *s, const double *q, double *r)
{
    const point p = point_at(term->data, q);
    push_at(term->data, s, &p, r);
}

/* The coefficient of the unit matrix between 3-vectors I of node a and J of node b (0 position,
 * 1..3 directors of the section) in the Hessian of s.e. */
static double coefficient(const olo_strain *x, const double *s, int a, int I, int b, int J)
{
    if (I == 0 && J == 0)
        return 0.0;
    if (I == 0 || J == 0)
        return I == 0 ? s[J - 1] * x->dN[a] * x->N[b] : s[I - 1] * x->dN[b] * x->N[a];
    if (I == J)
        return 0.0;
    const double skew = 0.5 * (x->N[a] * x->dN[b] - x->dN[a] * x->N[b]);
    /* d_k^a.d_j^b if J is next of i and I is last of i; else d_j^a.d_k^b, with opposite sign */
    const int i = 3 - (I - 1) - (J - 1);
    return next[i] == J - 1 ? s[3 + i] * skew : -s[3 + i] * skew;
}

/* The 4 x 4 coefficients between the 3-vectors of two nodes, transformed from the directors of the
 * section to those of the nodes. */
static void node_coefficients(const olo_strain *x, const double *s, int a, int b, double c[4][4])
{
    double section[4][4];
    for (int I = 0; I < 4; I++)
        for (int J = 0; J < 4; J++)
            c[I][J] = section[I][J] = coefficient(x, s, a, I, b, J);
    if (x->turn[a])
        for (int I = 1; I < 4; I++)
            for (int J = 0; J < 4; J++) {
                const double *turn = x->turn[a] + 3 * (I - 1);
                c[I][J] =
                    turn[0] * section[1][J] + turn[1] * section[2][J] + turn[2] * section[3][J];
            }
    if (!x->turn[b])
        return;
    memcpy(section, c, sizeof section);
    for (int I = 0; I < 4; I++)
        for (int J = 1; J < 4; J++) {
            const double *turn = x->turn[b] + 3 * (J - 1);
            c[I][J] = turn[0] * section[I][1] + turn[1] * section[I][2] + turn[2] * section[I][3];
        }
}

/* matrix += sum_k s_k A_k */
static void add_hessian(const olo_term *term, const double *s, double *matrix)
{
    const olo_strain *x = term->data;
    const int size = FRAME * x->nodes;
    for (int a = 0; a < x->nodes; a++)
        for (int b = 0; b < x->nodes; b++) {
            double c[4][4];
            node_coefficients(x, s, a, b, c);
            for (int I = 0; I < 4; I++)
                for (int J = 0; J < 4; J++)
                    for (int k = 0; k < 3; k++)
                        matrix[(FRAME * a + 3 * I + k) * size + FRAME * b + 3 * J + k] += c[I][J];
        }
}

/* --- coefficients: the six reference values, then N and N' of each node --- */

static int coefficients(const olo_term *term)
{
    return OLO_STRAINS + 2 * ((const olo_strain *)term->data)->nodes;
}

/* The strains are linear in N and in N'. Their derivative is the same form with a unit vector
 * instead of N or N'. */
static void by_coefficient(const olo_term *term, const double *q, int p, double *e,
                           double g[][OLO_FORM_SIZE_MAX])
{
    const olo_strain *x = term->data;
    if (p < OLO_STRAINS) {
        for (int k = 0; k < OLO_STRAINS; k++)
            e[k] = k == p ? -1.0 : 0.0;
        memset(g, 0, OLO_STRAINS * sizeof *g);
        return;
    }
    const bool by_derivative = p >= OLO_STRAINS + x->nodes;
    const int a = (p - OLO_STRAINS) % x->nodes;
    olo_strain one = *x;
    for (int b = 0; b < x->nodes; b++)
        (by_derivative ? one.dN : one.N)[b] = b == a;
    memset(one.reference, 0, sizeof one.reference);
    olo_strain_values(&one, q, NULL, e);
    const olo_term other = {.data = &one};
    for (int k = 0; k < OLO_STRAINS; k++) {
        double unit[OLO_STRAINS] = {0};
        unit[k] = 1;
        combine(&other, unit, q, g[k]);
    }
}

static const olo_pack_kernels *kernels(bool plain)
{
    return !plain && olo_strain_kernels_wide && olo_lanes_are_wide() ? olo_strain_kernels_wide
                                                                     : &olo_strain_kernels_plain;
}

const olo_invariants olo_strain_invariants = {.values = values,
                                              .differences = differences,
                                              .over = over,
                                              .middle = middle,
                                              .push = push,
                                              .combine = combine,
                                              .add_hessian = add_hessian,
                                              .kernels = kernels,
                                              .coefficients = coefficients,
                                              .by_coefficient = by_coefficient};
