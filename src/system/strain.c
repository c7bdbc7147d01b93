/* The six strains of a beam at a quadrature point; the equations are in the header.
 *
 * With the stress s = (n, m) of the strains, the 3-vectors conjugate to phi', d_i and d_i' are
 *
 *     R    = sum n_i d_i,
 *     R_j  = n_j phi' + 1/2 (m_k d_i' - m_i d_k'),
 *     R'_j = 1/2 (m_i d_k - m_k d_i)                       (i, j, k cyclic).
 *
 * Node a has the force N'_a R on its position and N_a R_j + N'_a R'_j on its directors. The Hessian
 * of s.e has the coefficients
 *
 *     n_i N'_a N_b                       between phi^a and d_i^b,
 *     1/2 m_i (N_a N'_b - N'_a N_b)      between d_k^a and d_j^b.
 *
 * In twists, delta x = delta_phi and delta d = delta_omega x d, the tangent of a step
 * P(qm)^T dr/dq1 P(q1) is formed from the projected gradients, without the matrix in coordinates:
 *
 *     sum_kl gm_k s1_kl g1_l + 1/2 P(qm)^T (s.A) P(q1)
 *
 * with gm_k = P(qm)^T grad e_k(qm) and g1_l = P(q1)^T grad e_l(q1). A block a I of s.A becomes,
 * with dm the director at the midpoint, d that at the end and hat() the matrix of the cross
 * product,
 *
 *     -a hat(d)                          between phi and d,
 *     a hat(dm)                          between d and phi,
 *     a ((dm.d) I - d (x) dm)            between d and d.
 *
 * A scheme may evaluate the left P at q0 instead of qm; the gradients remain those at qm.
 */
#include "system/strain.h"

#include <stddef.h>
#include <string.h>

#include "linalg/row6.h"
#include "linalg/vec3.h"

enum { A = OLO_STRAIN_NODES_MAX, FRAME = 12 };

static const int next[3] = {1, 2, 0}, last[3] = {2, 0, 1};

/* Position and directors of the section at the nodes, and their interpolation at the quadrature
 * point. */
typedef struct point {
    double x[A][4][3]; /* at the nodes: position, then directors */
    double f[3];       /* phi' */
    double d[3][3];
    double dd[3][3]; /* d_i' */
} point;

_Static_assert(sizeof(point) <= sizeof(olo_invariant_point), "olo_invariant_point is too small");

static void turn_directors(const double *turn, const double *d, double out[4][3])
{
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++)
            out[1 + i][c] = turn[i] * d[c] + turn[3 + i] * d[3 + c] + turn[6 + i] * d[6 + c];
}

static void read_nodes(const olo_strain *s, const double *q, double out[A][4][3])
{
    for (int a = 0; a < s->nodes; a++) {
        const double *x = q + s->q[a];
        memcpy(out[a], x, sizeof out[a]);
        if (s->turn[a])
            turn_directors(s->turn[a], x + 3, out[a]);
    }
}

/* Interpolates q, or an increment of q. phi' is computed from differences of nodes, which are as
 * accurate far from the origin as near it. The sum of N'_a is exactly zero, except in
 * by_coefficient, where one N'_a is varied. */
static void interpolate(const olo_strain *s, const double *q, point *p)
{
    const double all = s->dN[0] + (s->dN[1] + s->dN[2]); /* dN[2] is 0 with two nodes */
    read_nodes(s, q, p->x);
    for (int c = 0; c < 3; c++)
        p->f[c] = all * p->x[0][0][c] + s->dN[1] * (p->x[1][0][c] - p->x[0][0][c]);
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++) {
            p->d[i][c] = s->N[0] * p->x[0][1 + i][c] + s->N[1] * p->x[1][1 + i][c];
            p->dd[i][c] = s->dN[0] * p->x[0][1 + i][c] + s->dN[1] * p->x[1][1 + i][c];
        }
    for (int a = 2; a < s->nodes; a++) {
        for (int c = 0; c < 3; c++)
            p->f[c] += s->dN[a] * (p->x[a][0][c] - p->x[0][0][c]);
        for (int i = 0; i < 3; i++) {
            vec3_add(s->N[a], p->x[a][1 + i], p->d[i]);
            vec3_add(s->dN[a], p->x[a][1 + i], p->dd[i]);
        }
    }
}

/* The bilinear form of two points whose diagonal is d_i.phi' and the curvatures. */
static void products(const point *p, const point *y, double e[OLO_STRAINS])
{
    for (int i = 0; i < 3; i++) {
        const int j = next[i], k = last[i];
        e[i] = vec3_dot(p->d[i], y->f);
        e[3 + i] = 0.5 * (vec3_dot(p->d[k], y->dd[j]) - vec3_dot(p->d[j], y->dd[k]));
    }
}

/* phi' += the contribution of the rounding remainder of positions */
static void add_remainder(const olo_strain *s, const double *remainder, point *p)
{
    for (int a = 1; remainder && a < s->nodes; a++)
        for (int c = 0; c < 3; c++)
            p->f[c] += s->dN[a] * (remainder[s->q[a] + c] - remainder[s->q[0] + c]);
}

static void strains_of(const olo_strain *s, const point *p, double e[OLO_STRAINS])
{
    products(p, p, e);
    for (int k = 0; k < OLO_STRAINS; k++)
        e[k] -= s->reference[k];
}

void olo_strain_values(const olo_strain *strain, const double *q, const double *remainder,
                       double e[OLO_STRAINS])
{
    point p;
    interpolate(strain, q, &p);
    add_remainder(strain, remainder, &p);
    strains_of(strain, &p, e);
}

static void values(const olo_term *term, const double *q, const double *remainder, double *e)
{
    olo_strain_values(term->data, q, remainder, e);
}

/* grad e(p).d */
static void changes(const point *p, const point *d, double e[OLO_STRAINS])
{
    double other[OLO_STRAINS];
    products(p, d, e);
    products(d, p, other);
    for (int k = 0; k < OLO_STRAINS; k++)
        e[k] += other[k];
}

/* e(q1) - e(q0) = grad e(qm).dq */
static void differences(const olo_term *term, const double *qm, const double *dq, double *de)
{
    point m, d;
    interpolate(term->data, qm, &m);
    interpolate(term->data, dq, &d);
    changes(&m, &d, de);
}

/* m = p + share d of the interpolated vectors */
static void advance(const point *p, double share, const point *d, point *m)
{
    for (int c = 0; c < 3; c++) {
        m->f[c] = p->f[c] + share * d->f[c];
        for (int i = 0; i < 3; i++) {
            m->d[i][c] = p->d[i][c] + share * d->d[i][c];
            m->dd[i][c] = p->dd[i][c] + share * d->dd[i][c];
        }
    }
}

/* The interpolated start of a step, with the rounding remainder, and the interpolated increment. */
static void read_step(const olo_strain *s, const olo_interval *x, point *start, point *d)
{
    interpolate(s, x->q0, start);
    add_remainder(s, x->remainder, start);
    interpolate(s, x->dq, d);
}

/* The midpoint is computed from start and increment, not from qm, whose rounding error grows with
 * the distance from the origin. */
static void over(const olo_term *term, const olo_interval *x, double *e0, double *de, void *between)
{
    point start, d;
    read_step(term->data, x, &start, &d);
    advance(&start, 0.5, &d, between);
    strains_of(term->data, &start, e0);
    changes(between, &d, de);
}

/* e(qm) = e(q0) + 1/2 grad e(q0 + dq/4).dq */
static void middle(const olo_term *term, const olo_interval *x, double *e, void *between)
{
    point start, d, quarter;
    double de[OLO_STRAINS];
    read_step(term->data, x, &start, &d);
    advance(&start, 0.5, &d, between);
    advance(&start, 0.25, &d, &quarter);
    strains_of(term->data, &start, e);
    changes(&quarter, &d, de);
    for (int k = 0; k < OLO_STRAINS; k++)
        e[k] += 0.5 * de[k];
}

/* The vectors conjugate to phi', d_i and d_i' for a stress s. */
static void conjugate(const point *p, const double *s, double R[3], double Rd[3][3],
                      double Rdd[3][3])
{
    const double *n = s, *m = s + 3;
    for (int c = 0; c < 3; c++) {
        R[c] = n[0] * p->d[0][c] + n[1] * p->d[1][c] + n[2] * p->d[2][c];
        for (int j = 0; j < 3; j++) {
            /* d_j occurs in the curvature about i = last (as first) and about k = next (as second)
             */
            const int i = last[j], k = next[j];
            Rd[j][c] = n[j] * p->f[c] + 0.5 * (m[k] * p->dd[i][c] - m[i] * p->dd[k][c]);
            Rdd[j][c] = 0.5 * (m[i] * p->d[k][c] - m[k] * p->d[i][c]);
        }
    }
}

/* r of node a */
static void put_node(const olo_strain *s, int a, const double R[3], double Rd[3][3],
                     double Rdd[3][3], double *r)
{
    double d[3][3];
    for (int c = 0; c < 3; c++)
        r[c] = s->dN[a] * R[c];
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++)
            d[i][c] = s->N[a] * Rd[i][c] + s->dN[a] * Rdd[i][c];
    if (!s->turn[a]) {
        memcpy(r + 3, d, sizeof d);
        return;
    }
    for (int J = 0; J < 3; J++)
        for (int c = 0; c < 3; c++)
            r[3 + 3 * J + c] = s->turn[a][3 * J] * d[0][c] + s->turn[a][3 * J + 1] * d[1][c] +
                               s->turn[a][3 * J + 2] * d[2][c];
}

/* r = sum_k s_k grad e_k at a point */
static void push(const olo_term *term, const double *s, const void *between, double *r)
{
    const olo_strain *strain = term->data;
    double R[3], Rd[3][3], Rdd[3][3];
    conjugate(between, s, R, Rd, Rdd);
    for (int a = 0; a < strain->nodes; a++)
        put_node(strain, a, R, Rd, Rdd, r + FRAME * a);
}

static void combine(const olo_term *term, const double *s, const double *q, double *r)
{
    point p;
    interpolate(term->data, q, &p);
    push(term, s, &p, r);
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

/* --- in twists --- */

/* g[k][6 a ...] = P^T grad e_k with P at the nodes x: N'_a d_i in the translation for shear and
 * elongation, moments in the rotation. */
static void twist_gradients(const olo_strain *s, const point *p, double x[A][4][3],
                            double g[OLO_STRAINS][6 * A])
{
    for (int a = 0; a < s->nodes; a++) {
        const double N = s->N[a], dN = s->dN[a];
        double arm[3][3]; /* N_a d_j' - N'_a d_j */
        for (int j = 0; j < 3; j++)
            for (int c = 0; c < 3; c++)
                arm[j][c] = 0.5 * (N * p->dd[j][c] - dN * p->d[j][c]);
        for (int i = 0; i < 3; i++) {
            const int j = next[i], k = last[i];
            double *gamma = g[i] + 6 * a, *kappa = g[3 + i] + 6 * a;
            double lever[3] = {N * p->f[0], N * p->f[1], N * p->f[2]}, u[3], w[3];
            for (int c = 0; c < 3; c++)
                gamma[c] = dN * p->d[i][c];
            vec3_cross(x[a][1 + i], lever, gamma + 3);
            vec3_cross(x[a][1 + k], arm[j], u);
            vec3_cross(x[a][1 + j], arm[k], w);
            for (int c = 0; c < 3; c++) {
                kappa[c] = 0;
                kappa[3 + c] = u[c] - w[c];
            }
        }
    }
}

/* K (rows of six) += hat(v) */
static void add_hat(const double v[3], double *K)
{
    K[1] -= v[2];
    K[2] += v[1];
    K[6] += v[2];
    K[8] -= v[0];
    K[12] -= v[1];
    K[13] += v[0];
}

/* += 1/2 n_i N'_a N_b between phi^a and d_i^b, in both orders, from the sums n_i d_i at the end and
 * at the midpoint. */
static void add_shear(double c, const double at_end[3], const double at_mid[3], double *ab,
                      double *ba)
{
    const double end[3] = {-c * at_end[0], -c * at_end[1], -c * at_end[2]};
    const double mid[3] = {c * at_mid[0], c * at_mid[1], c * at_mid[2]};
    add_hat(end, ab + 3);
    add_hat(mid, ba + 18);
}

/* += 1/2 (+-) m_i skew_ab between the directors of two nodes: d1 at the end, dm at the midpoint. */
static void add_bending(double c, const double *moment, double dm[4][3], double d1[4][3], double *K)
{
    double *block = K + 21, along = 0;
    for (int j = 0; j < 3; j++) {
        /* y: the vector at the midpoint that multiplies d_j of the end */
        const int i = last[j], k = next[j];
        const double *d = d1[1 + j];
        double y[3];
        for (int l = 0; l < 3; l++)
            y[l] = c * (moment[i] * dm[1 + k][l] - moment[k] * dm[1 + i][l]);
        along += vec3_dot(y, d);
        for (int l = 0; l < 3; l++)
            vec3_add(-d[l], y, block + 6 * l);
    }
    for (int l = 0; l < 3; l++)
        block[7 * l] += along;
}

/* n_i d_i */
static void along_directors(const double *n, double d[4][3], double out[3])
{
    for (int c = 0; c < 3; c++)
        out[c] = n[0] * d[1][c] + n[1] * d[2][c] + n[2] * d[3][c];
}

/* The geometric part of the tangent, 1/2 P^T (s.A) P. */
static void add_geometric(const olo_strain *x, const double *s, double factor, double left[A][4][3],
                          double end[A][4][3], double *const *block)
{
    const int nodes = x->nodes;
    for (int b = 0; b < nodes; b++) {
        double at_end[3], at_mid[3];
        along_directors(s, end[b], at_end);
        along_directors(s, left[b], at_mid);
        for (int a = 0; a < nodes; a++) {
            add_shear(0.5 * factor * x->dN[a] * x->N[b], at_end, at_mid, block[a * nodes + b],
                      block[b * nodes + a]);
            if (a != b)
                add_bending(0.25 * factor * (x->N[a] * x->dN[b] - x->dN[a] * x->N[b]), s + 3,
                            left[a], end[b], block[a * nodes + b]);
        }
    }
}

/* u_k = factor s1_kl g_l; the stress tangent is diagonal for most sections. */
static void times_stiffness(int t, double factor, const double *s1, double g[OLO_STRAINS][6 * A],
                            double u[OLO_STRAINS][6 * A])
{
    for (int k = 0; k < OLO_STRAINS; k++) {
        for (int i = 0; i < t; i++)
            u[k][i] = factor * s1[7 * k] * g[k][i];
        for (int l = 0; l < OLO_STRAINS; l++)
            if (l != k && s1[6 * k + l] != 0)
                for (int i = 0; i < t; i++)
                    u[k][i] += factor * s1[6 * k + l] * g[l][i];
    }
}

/* block += sum_k gm_k (x) u_k between the nodes a and b */
static void add_product(double gm[OLO_STRAINS][6 * A], double u[OLO_STRAINS][6 * A], int a, int b,
                        double *block)
{
    row6 row[OLO_STRAINS];
    for (int k = 0; k < OLO_STRAINS; k++)
        row[k] = row6_load(u[k] + 6 * b);
    for (int i = 0; i < 6; i++, block += 6) {
        row6 sum = row6_load(block);
        for (int k = 0; k < 3; k++)
            sum = row6_add_times(sum, gm[k][6 * a + i], row[k]);
        if (i >= 3) /* translations do not change curvatures */
            for (int k = 3; k < 6; k++)
                sum = row6_add_times(sum, gm[k][6 * a + i], row[k]);
        row6_store(sum, block);
    }
}

static void add_twist_tangent(const olo_term *term, double factor, const double *s,
                              const double *s1, const olo_twist_configurations *at,
                              double *const *block)
{
    const olo_strain *x = term->data;
    point m, end;
    double gm[OLO_STRAINS][6 * A], g1[OLO_STRAINS][6 * A], u[OLO_STRAINS][6 * A];
    double left[A][4][3];
    /* projected gradients at the midpoint, with P at `left` */
    interpolate(x, at->qm, &m);
    read_nodes(x, at->left, left);
    twist_gradients(x, &m, left, gm);
    /* projected gradients of the stress, with P at q1 */
    if (at->stress == at->q1) {
        interpolate(x, at->q1, &end);
    } else {
        end = m;
        read_nodes(x, at->q1, end.x);
    }
    twist_gradients(x, &end, end.x, g1);
    /* material part, then geometric part */
    times_stiffness(6 * x->nodes, factor, s1, g1, u);
    for (int a = 0; a < x->nodes; a++)
        for (int b = 0; b < x->nodes; b++)
            add_product(gm, u, a, b, block[a * x->nodes + b]);
    add_geometric(x, s, factor, left, end.x, block);
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

const olo_invariants olo_strain_invariants = {.values = values,
                                              .differences = differences,
                                              .over = over,
                                              .middle = middle,
                                              .push = push,
                                              .combine = combine,
                                              .add_hessian = add_hessian,
                                              .add_twist_tangent = add_twist_tangent,
                                              .coefficients = coefficients,
                                              .by_coefficient = by_coefficient};
