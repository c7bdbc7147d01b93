/* The strains of a beam or rod at a quadrature point; the equations are in the header, formulas in
 * strain_formulas.h. The Hessian of s.e has the coefficients
 *
 *     n_i N'_a N_b                       between phi^a and d_i^b,
 *     1/2 m_i (N_a N'_b - N'_a N_b)      between d_k^a and d_j^b,
 *     s_c N_a N_b                        between d_i^a and d_i^b.
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

void olo_strain_use_frame(olo_strain *strain, int first)
{
    const int a = strain->nodes++;
    strain->position[a] = first;
    strain->directors[a] = first + 3;
    strain->twist[a] = 6;
}

/* The coordinates of node a: 3 of a position, 9 of directors, or 12. */
static int node_size(const olo_strain *s, int a)
{
    return (s->position[a] < 0 ? 0 : 3) + (s->directors[a] < 0 ? 0 : 9);
}

int olo_strain_size(const olo_strain *strain)
{
    int size = 0;
    for (int a = 0; a < strain->nodes; a++)
        size += node_size(strain, a);
    return size;
}

void olo_strain_index(const olo_strain *strain, int *index)
{
    for (int a = 0; a < strain->nodes; a++) {
        for (int i = 0; i < 3 && strain->position[a] >= 0; i++)
            *index++ = strain->position[a] + i;
        for (int i = 0; i < 9 && strain->directors[a] >= 0; i++)
            *index++ = strain->directors[a] + i;
    }
}

/* A point with all invariants; parts that its nodes do not have are zero. */
static shape shape_of(const olo_strain *s)
{
    return (shape){s->nodes, true, STRETCH | BENDING | (s->count > OLO_STRAINS ? COSINE : 0)};
}

/* Interpolates q, or an increment of q, from the directors of the section at the nodes. */
static point point_at(const olo_strain *s, const double *q)
{
    vector x[A][4] = {0};
    point p;
    for (int a = 0; a < s->nodes; a++) {
        if (s->position[a] >= 0)
            memcpy(x[a], q + s->position[a], sizeof x[a][0]);
        if (s->directors[a] >= 0)
            memcpy(x[a] + 1, q + s->directors[a], 3 * sizeof x[a][0]);
        if (s->turn[a])
            turn_directors(s->turn[a], x[a]);
    }
    interpolate(shape_of(s), s->N, s->dN, x, &p);
    return p;
}

/* The same at q + remainder, unless that is NULL: the rounding remainder of positions changes phi'.
 */
static point point_with_remainder(const olo_strain *s, const double *q, const double *remainder)
{
    point p = point_at(s, q);
    for (int a = 1; remainder && s->position[0] >= 0 && a < s->nodes; a++)
        for (int c = 0; c < 3 && s->position[a] >= 0; c++)
            p.f.x[c] += s->dN[a] * (remainder[s->position[a] + c] - remainder[s->position[0] + c]);
    return p;
}

void olo_strain_values(const olo_strain *strain, const double *q, const double *remainder,
                       double *e)
{
    const point p = point_with_remainder(strain, q, remainder);
    strains_of(shape_of(strain).parts, strain->reference, &p, e);
}

static void values(const olo_term *term, const double *q, const double *remainder, double *e)
{
    olo_strain_values(term->data, q, remainder, e);
}

static void at(const olo_term *term, const double *q, void *to)
{
    const point p = point_at(term->data, q);
    memcpy(to, &p, sizeof p);
}

static void rates(const olo_term *term, const void *q, const void *w, double *rate)
{
    changes(shape_of(term->data).parts, q, w, rate);
}

/* The midpoint is computed from start and increment, not from qm, whose rounding error grows with
 * the distance from the origin. */
static void over(const olo_term *term, const olo_interval *x, double *e0, double *de, void *between)
{
    const olo_strain *s = term->data;
    const int parts = shape_of(s).parts;
    const point start = point_with_remainder(s, x->q0, x->remainder), d = point_at(s, x->dq);
    const point m = advance(parts, &start, 0.5, &d);
    strains_of(parts, s->reference, &start, e0);
    changes(parts, &m, &d, de);
    memcpy(between, &m, sizeof m);
}

/* e(qm) = e(q0) + 1/2 grad e(q0 + dq/4).dq */
static void middle(const olo_term *term, const olo_interval *x, double *e, void *between)
{
    const olo_strain *s = term->data;
    const int parts = shape_of(s).parts;
    const point start = point_with_remainder(s, x->q0, x->remainder), d = point_at(s, x->dq);
    const point m = advance(parts, &start, 0.5, &d), quarter = advance(parts, &start, 0.25, &d);
    double de[OLO_ROD_INVARIANTS];
    strains_of(parts, s->reference, &start, e);
    changes(parts, &quarter, &d, de);
    for (int k = 0; k < s->count; k++)
        e[k] += 0.5 * de[k];
    memcpy(between, &m, sizeof m);
}

/* The forces of the vectors R that are conjugate to those of a point. */
static void push_conjugate(const olo_strain *x, const point *R, double *r)
{
    const int parts = shape_of(x).parts;
    for (int a = 0; a < x->nodes; a++) {
        vector force[4] = {times(x->dN[a], R->f)};
        directors_force(parts, x->N[a], x->dN[a], x->turn[a], R, force + 1);
        const int size = node_size(x, a);
        memcpy(r, x->position[a] < 0 ? force + 1 : force, (size_t)size * sizeof *r);
        r += size;
    }
}

/* r = sum_k s_k grad e_k at a point */
static void push_at(const olo_strain *x, const double *s, const point *p, double *r)
{
    const point R = conjugate(shape_of(x).parts, p, s);
    push_conjugate(x, &R, r);
}

static void vary(const olo_term *term, const double *c, const void *q, const double *s,
                 const void *w, double *r)
{
    const olo_strain *x = term->data;
    const int parts = shape_of(x).parts;
    const point of_q = conjugate(parts, q, c), of_w = conjugate(parts, w, s),
                sum = advance(parts, &of_q, 1.0, &of_w);
    push_conjugate(x, &sum, r);
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
        return x->count > OLO_STRAINS ? s[COS] * x->N[a] * x->N[b] : 0.0;
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
    const int size = term->size;
    for (int a = 0, row = 0; a < x->nodes; row += node_size(x, a++))
        for (int b = 0, column = 0; b < x->nodes; column += node_size(x, b++)) {
            /* the 3-vectors of a node that are used: its position, its directors */
            const int first_a = x->position[a] < 0, end_a = x->directors[a] < 0 ? 1 : 4;
            const int first_b = x->position[b] < 0, end_b = x->directors[b] < 0 ? 1 : 4;
            double c[4][4];
            node_coefficients(x, s, a, b, c);
            for (int I = first_a; I < end_a; I++)
                for (int J = first_b; J < end_b; J++)
                    for (int k = 0; k < 3; k++)
                        matrix[(row + 3 * (I - first_a) + k) * size + column + 3 * (J - first_b) +
                               k] += c[I][J];
        }
}

/* --- coefficients: the reference values, then N and N' of each node --- */

static int coefficients(const olo_term *term)
{
    const olo_strain *x = term->data;
    return x->count + 2 * x->nodes;
}

/* The derivative of c by N of node a (-1: by N' of a node), and of its gradient: c is quadratic in
 * N, so that central differences over the length 1 are exact. */
static void cosine_by_shape(const olo_term *term, const double *q, int a, double *e, double *g)
{
    const double unit[OLO_ROD_INVARIANTS] = {[COS] = 1};
    double value[2][OLO_ROD_INVARIANTS], gradient[2][OLO_FORM_SIZE_MAX];
    *e = 0;
    memset(g, 0, (size_t)term->size * sizeof *g);
    for (int side = 0; a >= 0 && side < 2; side++) {
        olo_strain moved = *(const olo_strain *)term->data;
        const olo_term other = {.data = &moved, .size = term->size};
        moved.N[a] += side - 0.5;
        olo_strain_values(&moved, q, NULL, value[side]);
        combine(&other, unit, q, gradient[side]);
    }
    for (int i = 0; a >= 0 && i < term->size; i++)
        g[i] = gradient[1][i] - gradient[0][i];
    if (a >= 0)
        *e = value[1][COS] - value[0][COS];
}

/* The strains are linear in N and in N'. Their derivative is the same form with a unit vector
 * instead of N or N'. */
static void by_coefficient(const olo_term *term, const double *q, int p, double *e,
                           double g[][OLO_FORM_SIZE_MAX])
{
    const olo_strain *x = term->data;
    const int count = x->count;
    if (p < count) {
        for (int k = 0; k < count; k++)
            e[k] = k == p ? -1.0 : 0.0;
        memset(g, 0, (size_t)count * sizeof *g);
        return;
    }
    const bool by_derivative = p >= count + x->nodes;
    const int a = (p - count) % x->nodes;
    olo_strain one = *x;
    for (int b = 0; b < x->nodes; b++)
        (by_derivative ? one.dN : one.N)[b] = b == a;
    memset(one.reference, 0, sizeof one.reference);
    olo_strain_values(&one, q, NULL, e);
    const olo_term other = {.data = &one, .size = term->size};
    for (int k = 0; k < count; k++) {
        double unit[OLO_ROD_INVARIANTS] = {0};
        unit[k] = 1;
        combine(&other, unit, q, g[k]);
    }
    if (count > OLO_STRAINS)
        cosine_by_shape(term, q, by_derivative ? -1 : a, &e[COS], g[COS]);
}

static const olo_pack_kernels *kernels(bool plain)
{
    return !plain && olo_strain_kernels_wide && olo_lanes_are_wide() ? olo_strain_kernels_wide
                                                                     : &olo_strain_kernels_plain;
}

const olo_invariants olo_strain_invariants = {.values = values,
                                              .at = at,
                                              .rates = rates,
                                              .vary = vary,
                                              .over = over,
                                              .middle = middle,
                                              .push = push,
                                              .combine = combine,
                                              .add_hessian = add_hessian,
                                              .kernels = kernels,
                                              .coefficients = coefficients,
                                              .by_coefficient = by_coefficient};
