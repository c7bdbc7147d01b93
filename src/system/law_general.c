/* The general law: any smooth f of one to six invariants, given with its derivatives.
 *
 * One invariant: the difference quotient and the recurrences of divided differences,
 *
 *     s = (f(e1) - f(e0))/de,        s0 = (s - f'(e0))/de,          s1 = (f'(e1) - s)/de,
 *     s00 = (2 s0 - f''(e0))/de,     s01 = (s1 - s0)/de,            s11 = (f''(e1) - 2 s1)/de.
 *
 * Several: Gonzalez' formula in the invariants (thesis, 3.1.3), with the midpoint em, L = |de|,
 * d = de/L and g, H, T the first, second and third derivatives of f at em,
 *
 *     s = g + nu d,                  nu = N/L,                      N = f(e1) - f(e0) - g.de.
 *
 * Its derivatives need those of N; with the sign z = -1 for the slot 0, +1 for the slot 1:
 *
 *     N_a = z_a (g(e_a) - g) - 1/2 H de,
 *     N_aa = z_a (H(e_a) - H) - 1/4 T de,                           N_01 = -1/4 T de.
 *
 * All these differences cancel for small increments. Integrals along the segment e = em + t de do
 * not (t from -1/2 to 1/2; for N_1 and N_11 over t > 0 only, for N_0 and N_00 over t < 0):
 *
 *     one invariant   s = int f',   s1 = int (1/2 + t) f'',   s11 = int (1/2 + t)^2 f''',   ...
 *     for s           N = int (g(t) - g).de
 *     for s0, s1      N = int sign(t) (1/2 - |t|) de.H(t) de,       N_a = int (H(t) - H) de
 *     for s00 ... s11 N = int 1/2 (1/2 - |t|)^2 T(t)[de, de, de],
 *                     N_a = z_a int (1/2 - |t|) T(t)[de, de],       N_aa = int T(t) de - 1/4 T de.
 *
 * The choice between difference and integral is made for s, for its first and for its second
 * derivatives in turn. It compares an estimate of the round-off of the difference with an estimate
 * of the truncation of the integral. The integral is used only if its error is smaller, so that
 * s.de = f(e1) - f(e0) holds to round-off in both cases. s does not depend on the requested order.
 *
 * For several invariants and e1 = e0 the second derivatives of Gonzalez' formula have no limit:
 * they are bounded, but depend on the direction in which the increment vanishes. There the second
 * derivative of the midpoint gradient is used, 1/4 T. For one invariant the limits are 1/3, 1/6,
 * 1/3 of f'''.
 */
#include "system/law.h"

#include <float.h>
#include <math.h>

#include "linalg/small.h"

enum { K = OLO_LAW_INVARIANTS_MAX, POINTS = 5 };

/* Gauss-Legendre points on [0, 1]. They are applied to each half of the segment, since the halves
 * have different kernels in the integrals. */
static const double node[POINTS] = {0.046910077030668004, 0.23076534494715845, 0.5,
                                    0.76923465505284155, 0.95308992296933200};
static const double weight[POINTS] = {0.11846344252809454, 0.23931433524968323, 0.28444444444444444,
                                      0.23931433524968323, 0.11846344252809454};

/* Weights that give the coefficients of the Legendre polynomials of degree 3 and 4 in the
 * interpolant of the integrand: (2 m + 1) weight P_m(2 node - 1). */
static const double weight3[POINTS] = {-0.41547714135083259, 0.69919864488923338, 0.0,
                                       -0.69919864488923338, 0.41547714135083259};
static const double weight4[POINTS] = {0.26199601592044533, -0.74199601592044533, 0.96,
                                       -0.74199601592044533, 0.26199601592044533};

/* A difference that loses at most four bits is used without computing the integral. */
static const double acceptable_loss = 16.0 * DBL_EPSILON;

typedef void (*derivative)(void *context, const double *e, double *out);

// -- truncation of the integrals ------------------------------------------------------------------

/* The decay of the Legendre coefficients of an integrand with n components on one half. */
typedef struct decay {
    int n;
    double size; /* mean of its largest component */
    double a3[K * K], a4[K * K];
} decay;

static void decay_start(decay *y, int n)
{
    y->n = n;
    y->size = 0.0;
    for (int i = 0; i < n; i++)
        y->a3[i] = y->a4[i] = 0.0;
}

/* The largest magnitude; NaN if a component is NaN, so that no integral outside the domain of f is
 * used. */
static double largest(int n, const double *y)
{
    double most = 0.0;
    for (int i = 0; i < n && !isnan(most); i++)
        if (!(fabs(y[i]) <= most))
            most = fabs(y[i]);
    return most;
}

static void decay_add(decay *x, int point, const double *y)
{
    x->size += weight[point] * largest(x->n, y);
    for (int i = 0; i < x->n; i++) {
        x->a3[i] += weight3[point] * y[i];
        x->a4[i] += weight4[point] * y[i];
    }
}

/* Error of the integral of the integrand times a kernel of degree two or less. Five points
 * integrate such a product exactly up to coefficient 7. The coefficients of a smooth function decay
 * geometrically, a_j ~ size r^j, hence a_8 ~ size (a_4/size)^2. Since a_4 may vanish by symmetry,
 * size (a_3/size)^3 is a second estimate (3 is the next integer above 8/3). */
static double truncation(const decay *x)
{
    if (x->size == 0.0)
        return 0.0;
    const double r3 = largest(x->n, x->a3) / x->size;
    const double r4 = largest(x->n, x->a4) / x->size;
    return x->size * fmax(r3 * r3 * r3, r4 * r4);
}

// -- one invariant --------------------------------------------------------------------------------

typedef struct line {
    const olo_general_law *law;
    double e0, e1, em, de;
    double blur; /* uncertainty of e1 - e0 compared with de */
} line;

static double derivative_at(const line *x, derivative f, double e)
{
    double y;
    f(x->law->context, &e, &y);
    return y;
}

/* out[i] = int (1/2 - t)^(order - i) (1/2 + t)^i f(t), i = 0 ... order; returns the error. */
static double integrate_line(const line *x, derivative f, int order, double *out)
{
    double error = 0.0;
    for (int i = 0; i <= order; i++)
        out[i] = 0.0;
    for (int side = -1; side <= 1; side += 2) {
        decay smooth;
        decay_start(&smooth, 1);
        for (int j = 0; j < POINTS; j++) {
            const double t = 0.5 * side * node[j];
            const double y = derivative_at(x, f, x->em + t * x->de);
            double kernel = 0.5 * weight[j];
            for (int i = 0; i < order; i++)
                kernel *= 0.5 - t;
            for (int i = 0; i <= order; i++) {
                out[i] += kernel * y;
                kernel *= (0.5 + t) / (0.5 - t);
            }
            decay_add(&smooth, j, &y);
        }
        error += 0.5 * (truncation(&smooth) + DBL_EPSILON * smooth.size);
    }
    return error;
}

/* out[i] = difference[i]/de, or the integrals of f if their error is smaller; `rounding` is the
 * error of the differences. Returns the error of the result. */
static double divide_line(const line *x, const double *difference, double rounding, derivative f,
                          int order, double *out)
{
    double quotient[3] = {0.0}, error = INFINITY;
    if (x->de != 0.0) {
        for (int i = 0; i <= order; i++)
            quotient[i] = difference[i] / x->de;
        // the differences change by at most (order + 1) times the quotients per unit of e1
        const double size = largest(order + 1, quotient);
        error = (rounding + (order + 1) * size * x->blur) / fabs(x->de);
        if (isfinite(size) && error <= acceptable_loss * size) {
            for (int i = 0; i <= order; i++)
                out[i] = quotient[i];
            return error;
        }
    }
    const double truncated = integrate_line(x, f, order, out);
    if (truncated < error || x->de == 0.0)
        return truncated;
    for (int i = 0; i <= order; i++)
        out[i] = quotient[i];
    return error;
}

static void over_one(const olo_law_input *input, olo_law_order order, olo_law_over *out)
{
    const olo_general_law *law = input->context;
    const double e0 = input->e0[0], e1 = input->e1[0], de = input->de[0];
    const line x = {law, e0,
                    e1,  0.5 * (e0 + e1),
                    de,  fabs((e1 - e0) - de) + DBL_EPSILON * fmax(fabs(e0), fabs(e1))};

    /* s */
    const double f0 = law->value(law->context, &e0), f1 = law->value(law->context, &e1);
    const double numerator0 = f1 - f0;
    double error =
        divide_line(&x, &numerator0, DBL_EPSILON * (fabs(f0) + fabs(f1)), law->gradient, 0, out->s);
    if (order < OLO_LAW_FIRST)
        return;
    /* s0, s1 */
    const double g0 = derivative_at(&x, law->gradient, e0);
    const double g1 = derivative_at(&x, law->gradient, e1);
    const double numerator1[2] = {out->s[0] - g0, g1 - out->s[0]};
    double first[2];
    error = divide_line(&x, numerator1, error + DBL_EPSILON * (fabs(g0) + fabs(g1)), law->hessian,
                        1, first);
    out->s0[0] = first[0];
    out->s1[0] = first[1];
    if (order < OLO_LAW_SECOND)
        return;
    /* s00, s01, s11 */
    const double h0 = derivative_at(&x, law->hessian, e0);
    const double h1 = derivative_at(&x, law->hessian, e1);
    const double numerator2[3] = {2.0 * first[0] - h0, first[1] - first[0], h1 - 2.0 * first[1]};
    double second[3];
    divide_line(&x, numerator2, 2.0 * error + DBL_EPSILON * (fabs(h0) + fabs(h1)), law->third, 2,
                second);
    out->s00[0] = second[0];
    out->s01[0] = second[1];
    out->s11[0] = second[2];
}

// -- several invariants ---------------------------------------------------------------------------

typedef struct segment {
    int k;
    const olo_general_law *law;
    const double *e0, *e1;
    double em[K], d[K], length;
    double blur[K];
    double g[K], gg[K * K], ggg[K * K * K]; /* at em, up to the requested order */
} segment;

/* out[rows] = matrix[rows*k] b */
static void times(int rows, int k, const double *matrix, const double *b, double *out)
{
    for (int i = 0; i < rows; i++)
        out[i] = small_dot(k, matrix + i * k, b);
}

/* Largest change of `rows` functions with the gradients matrix[rows*k] due to the blur. */
static double blurred(const segment *x, int rows, const double *matrix)
{
    double most = 0.0;
    for (int i = 0; i < rows; i++) {
        double change = 0.0;
        for (int j = 0; j < x->k; j++)
            change += fabs(matrix[i * x->k + j]) * x->blur[j];
        most = fmax(most, change);
    }
    return most;
}

static void segment_point(const segment *x, double t, double *e)
{
    for (int i = 0; i < x->k; i++)
        e[i] = x->em[i] + t * (x->length * x->d[i]);
}

/* Midpoint, direction and length; scaled by the largest component to avoid underflow. */
static void segment_init(segment *x, const olo_law_input *input)
{
    x->k = input->k;
    x->law = input->context;
    x->e0 = input->e0;
    x->e1 = input->e1;
    const double scale = largest(x->k, input->de);
    for (int i = 0; i < x->k; i++) {
        const double e0 = x->e0[i], e1 = x->e1[i];
        x->em[i] = 0.5 * (e0 + e1);
        x->d[i] = scale > 0.0 ? input->de[i] / scale : 0.0;
        x->blur[i] = fabs((e1 - e0) - input->de[i]) + DBL_EPSILON * fmax(fabs(e0), fabs(e1));
    }
    const double norm = sqrt(small_dot(x->k, x->d, x->d));
    x->length = scale * norm;
    for (int i = 0; i < x->k && scale > 0.0; i++)
        x->d[i] /= norm;
}

/* nu = N/L for s, and its error. */
static double correction(const segment *x, double *error)
{
    const int k = x->k;
    const olo_general_law *law = x->law;
    const double f0 = law->value(law->context, x->e0), f1 = law->value(law->context, x->e1);
    const double size = largest(k, x->g);
    const double difference = (f1 - f0) / x->length - small_dot(k, x->g, x->d);
    *error = (DBL_EPSILON * (fabs(f0) + fabs(f1)) + blurred(x, 1, x->g)) / x->length;
    if (*error <= acceptable_loss * size)
        return difference;
    /* the difference cancels: integrate (g(t) - g).d along both halves of the segment */
    double integral = 0.0, truncated = DBL_EPSILON * size;
    for (int side = -1; side <= 1; side += 2) {
        decay smooth;
        decay_start(&smooth, 1);
        for (int j = 0; j < POINTS; j++) {
            double e[K], g[K];
            segment_point(x, 0.5 * side * node[j], e);
            law->gradient(law->context, e, g);
            const double y = small_dot(k, g, x->d);
            for (int i = 0; i < k; i++)
                integral += 0.5 * weight[j] * (g[i] - x->g[i]) * x->d[i];
            decay_add(&smooth, j, &y);
        }
        truncated += 0.5 * truncation(&smooth);
    }
    if (truncated < *error) {
        *error = truncated;
        return integral;
    }
    return difference;
}

/* Numerators for the first derivatives: n = N/L^2, na = N_a/L. */
typedef struct first_numerators {
    double n, na[2][K];
    double error_n, error_na;
} first_numerators;

/* Error of s0 and s1, which are sums of na, 2 n d and n. */
static double first_error(const first_numerators *y)
{
    return 3.0 * y->error_n + y->error_na;
}

static void first_by_differences(const segment *x, double nu, double error_nu, first_numerators *y)
{
    const int k = x->k;
    double hd[K];
    times(k, k, x->gg, x->d, hd);
    for (int a = 0; a < 2; a++) {
        const double sign = a == 0 ? -1.0 : 1.0;
        double g[K];
        x->law->gradient(x->law->context, a == 0 ? x->e0 : x->e1, g);
        for (int i = 0; i < k; i++)
            y->na[a][i] = sign * (g[i] - x->g[i]) / x->length - 0.5 * hd[i];
    }
    y->n = nu / x->length;
    y->error_n = error_nu / x->length;
    y->error_na = (2.0 * DBL_EPSILON * largest(k, x->g) + blurred(x, k, x->gg)) / x->length;
}

static void first_by_integrals(const segment *x, first_numerators *y)
{
    const int k = x->k;
    double hd[K];
    times(k, k, x->gg, x->d, hd);
    y->n = 0.0;
    y->error_n = DBL_EPSILON * largest(k * k, x->gg);
    for (int a = 0; a < 2; a++) {
        const double sign = a == 0 ? -1.0 : 1.0;
        decay smooth;
        decay_start(&smooth, k);
        for (int i = 0; i < k; i++)
            y->na[a][i] = 0.0;
        for (int j = 0; j < POINTS; j++) {
            double e[K], h[K * K], v[K];
            segment_point(x, 0.5 * sign * node[j], e);
            x->law->hessian(x->law->context, e, h);
            times(k, k, h, x->d, v);
            decay_add(&smooth, j, v);
            for (int i = 0; i < k; i++) {
                const double change = 0.5 * weight[j] * (v[i] - hd[i]);
                y->na[a][i] += change;
                y->n += sign * 0.5 * (1.0 - node[j]) * change * x->d[i];
            }
        }
        y->error_n += 0.5 * truncation(&smooth);
    }
    y->error_na = y->error_n;
}

static void first_choose(const segment *x, double nu, double error_nu, first_numerators *y)
{
    first_by_differences(x, nu, error_nu, y);
    if (first_error(y) > acceptable_loss * largest(x->k * x->k, x->gg)) {
        first_numerators integral;
        first_by_integrals(x, &integral);
        if (first_error(&integral) < first_error(y))
            *y = integral;
    }
}

/* Numerators for the second derivatives: n = N/L^3, na = N_a/L^2, naa = N_aa/L, n01 = N_01/L. */
typedef struct second_numerators {
    double n, na[2][K], naa[2][K * K], n01[K * K];
    double error_n, error_na, error_naa;
} second_numerators;

/* Error of s00, s01, s11: naa, twice psi and four times psi inside, psi = na - 2 n d, and 2 n. */
static double second_error(const second_numerators *y)
{
    return y->error_naa + 6.0 * y->error_na + 14.0 * y->error_n;
}

static void second_by_differences(const segment *x, const first_numerators *first,
                                  second_numerators *y)
{
    const int k = x->k;
    double td[K * K];
    times(k * k, k, x->ggg, x->d, td);
    for (int a = 0; a < 2; a++) {
        const double sign = a == 0 ? -1.0 : 1.0;
        double h[K * K];
        x->law->hessian(x->law->context, a == 0 ? x->e0 : x->e1, h);
        for (int i = 0; i < k; i++)
            y->na[a][i] = first->na[a][i] / x->length;
        for (int i = 0; i < k * k; i++)
            y->naa[a][i] = sign * (h[i] - x->gg[i]) / x->length - 0.25 * td[i];
    }
    y->n = first->n / x->length;
    y->error_n = first->error_n / x->length;
    y->error_na = first->error_na / x->length;
    y->error_naa =
        (2.0 * DBL_EPSILON * largest(k * k, x->gg) + blurred(x, k * k, x->ggg)) / x->length;
}

static void second_by_integrals(const segment *x, second_numerators *y)
{
    const int k = x->k;
    double td[K * K];
    times(k * k, k, x->ggg, x->d, td);
    y->n = 0.0;
    y->error_n = DBL_EPSILON * largest(k * k * k, x->ggg);
    for (int a = 0; a < 2; a++) {
        const double sign = a == 0 ? -1.0 : 1.0;
        decay smooth;
        decay_start(&smooth, k * k);
        for (int i = 0; i < k; i++)
            y->na[a][i] = 0.0;
        for (int i = 0; i < k * k; i++)
            y->naa[a][i] = -0.25 * td[i];
        for (int j = 0; j < POINTS; j++) {
            double e[K], third[K * K * K], m[K * K], v[K];
            segment_point(x, 0.5 * sign * node[j], e);
            x->law->third(x->law->context, e, third);
            times(k * k, k, third, x->d, m);
            times(k, k, m, x->d, v);
            decay_add(&smooth, j, m);
            const double w = 0.5 * weight[j], lever = 0.5 * (1.0 - node[j]); // 1/2 - |t|
            y->n += 0.5 * w * lever * lever * small_dot(k, v, x->d);
            for (int i = 0; i < k; i++)
                y->na[a][i] += sign * w * lever * v[i];
            for (int i = 0; i < k * k; i++)
                y->naa[a][i] += w * m[i];
        }
        y->error_n += 0.5 * truncation(&smooth);
    }
    y->error_na = y->error_naa = y->error_n;
}

static void second_choose(const segment *x, const first_numerators *first, second_numerators *y)
{
    const int k = x->k;
    second_by_differences(x, first, y);
    if (second_error(y) > acceptable_loss * largest(k * k * k, x->ggg)) {
        second_numerators integral;
        second_by_integrals(x, &integral);
        if (second_error(&integral) < second_error(y))
            *y = integral;
    }
    times(k * k, k, x->ggg, x->d, y->n01);
    for (int i = 0; i < k * k; i++)
        y->n01[i] *= -0.25;
}

/* s_a = 1/2 H + d (na - 2 z n d) + z n I */
static void put_first(const segment *x, const first_numerators *y, int a, double *out)
{
    const int k = x->k;
    const double sign = a == 0 ? -1.0 : 1.0;
    for (int i = 0; i < k; i++) {
        for (int j = 0; j < k; j++) {
            const double psi = y->na[a][j] - 2.0 * sign * y->n * x->d[j];
            out[i * k + j] = 0.5 * x->gg[i * k + j] + x->d[i] * psi;
        }
        out[i * k + i] += sign * y->n;
    }
}

/* With psi_a = na - 2 z_a n d, which is the derivative of N/L^2,
 *     s_ab[i][j][l] = 1/4 T + z_b psi_a[j] I_il + z_a psi_b[l] I_ij + d_i (
 *                     n_ab - 2 z_b psi_a[j] d_l - 2 z_a d_j psi_b[l] - 2 z_a z_b n I_jl) */
static void put_second(const segment *x, const second_numerators *y, int a, int b, double *out)
{
    const int k = x->k;
    const double za = a == 0 ? -1.0 : 1.0, zb = b == 0 ? -1.0 : 1.0;
    const double *d = x->d, *nab = a == b ? y->naa[a] : y->n01;
    double psi_a[K], psi_b[K];
    for (int i = 0; i < k; i++) {
        psi_a[i] = y->na[a][i] - 2.0 * za * y->n * d[i];
        psi_b[i] = y->na[b][i] - 2.0 * zb * y->n * d[i];
    }
    for (int j = 0; j < k; j++) {
        for (int l = 0; l < k; l++) {
            double inner = nab[j * k + l] - 2.0 * (zb * psi_a[j] * d[l] + za * d[j] * psi_b[l]);
            if (j == l)
                inner -= 2.0 * za * zb * y->n;
            for (int i = 0; i < k; i++)
                out[(i * k + j) * k + l] = 0.25 * x->ggg[(i * k + j) * k + l] + d[i] * inner;
            out[(l * k + j) * k + l] += zb * psi_a[j];
            out[(j * k + j) * k + l] += za * psi_b[l];
        }
    }
}

/* e1 = e0: the midpoint gradient and its derivatives. */
static void put_midpoint(const segment *x, olo_law_order order, olo_law_over *out)
{
    const int k = x->k;
    for (int i = 0; i < k; i++)
        out->s[i] = x->g[i];
    for (int i = 0; i < k * k && order >= OLO_LAW_FIRST; i++)
        out->s0[i] = out->s1[i] = 0.5 * x->gg[i];
    for (int i = 0; i < k * k * k && order >= OLO_LAW_SECOND; i++)
        out->s00[i] = out->s01[i] = out->s11[i] = 0.25 * x->ggg[i];
}

static void over_several(const olo_law_input *input, olo_law_order order, olo_law_over *out)
{
    segment x;
    segment_init(&x, input);
    x.law->gradient(x.law->context, x.em, x.g);
    if (order >= OLO_LAW_FIRST)
        x.law->hessian(x.law->context, x.em, x.gg);
    if (order >= OLO_LAW_SECOND)
        x.law->third(x.law->context, x.em, x.ggg);
    if (x.length == 0.0) {
        put_midpoint(&x, order, out);
        return;
    }

    double error_nu;
    const double nu = correction(&x, &error_nu);
    for (int i = 0; i < x.k; i++)
        out->s[i] = x.g[i] + nu * x.d[i];
    if (order < OLO_LAW_FIRST)
        return;
    first_numerators first;
    first_choose(&x, nu, error_nu, &first);
    put_first(&x, &first, 0, out->s0);
    put_first(&x, &first, 1, out->s1);
    if (order < OLO_LAW_SECOND)
        return;
    second_numerators second;
    second_choose(&x, &first, &second);
    put_second(&x, &second, 0, 0, out->s00);
    put_second(&x, &second, 0, 1, out->s01);
    put_second(&x, &second, 1, 1, out->s11);
}

// -- the law --------------------------------------------------------------------------------------

static void at(const olo_law_input *x, olo_law_order order, bool coefficients, olo_law_at *out)
{
    (void)coefficients; // it has none: its parameters belong to the context
    const olo_general_law *law = x->context;
    out->f = law->value(law->context, x->e0);
    law->gradient(law->context, x->e0, out->g);
    if (order >= OLO_LAW_FIRST)
        law->hessian(law->context, x->e0, out->gg);
    if (order >= OLO_LAW_SECOND)
        law->third(law->context, x->e0, out->ggg);
}

static void over(const olo_law_input *x, olo_law_order order, bool coefficients, olo_law_over *out)
{
    (void)coefficients;
    if (x->k == 1)
        over_one(x, order, out);
    else
        over_several(x, order, out);
}

/* At different values of the invariants, so that a function of their differences is seen, too. */
static void samples(const void *context, void *into, void (*visit)(void *into, double value))
{
    const olo_general_law *law = context;
    for (double at = 0.25; at < 4; at *= 1.7) {
        double e[K];
        for (int k = 0; k < K; k++)
            e[k] = at * (1 + 0.3 * k);
        visit(into, law->value(law->context, e));
    }
}

const olo_law olo_law_general = {.name = "general", .at = at, .over = over, .samples = samples};
