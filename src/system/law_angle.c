/* Laws of an angle: F(theta) with theta = atan2(s, c) of two invariants c and s, with any number of
 * full turns. F (linear, spring, damper, stops) is itself a law of one invariant.
 *
 * At a configuration, with z = c + i s, all derivatives of theta = Im log z are powers of w = 1/z:
 *
 *     n-th derivative, j times by s:   (-1)^(n-1) (n-1)! Im(i^j w^n).
 *
 * Over a step, with S = c0 s1 - s0 c1 and C = c0 c1 + s0 s1,
 *
 *     dtheta = atan2(S, C),    d = phi P,    phi = dtheta/S,    P = (-(s0 + s1)/2, (c0 + c1)/2).
 *
 * Directionality: with dc = c1 - c0, ds = s1 - s0,
 *
 *     P.(dc, ds) = 1/2 ((c0 + c1)(s1 - s0) - (s0 + s1)(c1 - c0)) = c0 s1 - s0 c1 = S,
 *     d.(dc, ds) = dtheta
 *
 * exactly, for any value of c^2 + s^2. As the step goes to zero, phi -> 1/(c^2 + s^2) gives the
 * gradient of theta. The stress of the law is sigma(theta0, theta1) d with the discrete gradient
 * sigma of F. It is a function of scalar products only, hence equal and opposite on two bodies.
 *
 * phi(S, C) is homogeneous of degree -1, hence with R = S^2 + C^2
 *
 *     phi_C = -1/R,           phi_S  = (C/R - phi)/S,
 *     phi_CC = 2 C/R^2,       phi_SC = 2 S/R^2,        phi_SS = -2 (phi_S + S C/R^2)/S,
 *
 * where the quotients by S are evaluated by series in S/C for small angles. S is computed from the
 * increments, S = c0 ds - s0 dc, without cancellation.
 */
#include "system/law.h"

#include <math.h>
#include <string.h>

static const double two_pi = 6.283185307179586476925286766559;

/* Below this |S/C| series are used; each term then adds four bits. In most steps angles are much
 * smaller, and each term adds twelve. */
static const double series_below = 0.25, small_below = 1.0 / 64;
enum { SERIES_TERMS = 16, SMALL_TERMS = 5 };

double olo_angle_near(double c, double s, double near)
{
    const double principal = atan2(s, c);
    return principal + two_pi * nearbyint((near - principal) / two_pi);
}

// -- at a configuration ---------------------------------------------------------------------------

/* First, second and third derivatives of theta; entry j has j derivatives with respect to s. Below
 * OLO_LAW_FIRST only the first. */
static void angle_derivatives(double c, double s, olo_law_order order, double first[2],
                              double second[3], double third[4])
{
    const double square = c * c + s * s, u = c / square, v = -s / square; // w = u + i v
    const double w1[2] = {v, u};
    memcpy(first, w1, sizeof w1);
    if (order < OLO_LAW_FIRST)
        return;
    const double u2 = u * u - v * v, v2 = 2.0 * u * v;
    const double u3 = u2 * u - v2 * v, v3 = u2 * v + v2 * u;
    const double w2[3] = {-v2, -u2, v2}, w3[4] = {2.0 * v3, 2.0 * u3, -2.0 * v3, -2.0 * u3};
    memcpy(second, w2, sizeof w2);
    memcpy(third, w3, sizeof w3);
}

static void at(const olo_law_input *x, olo_law_order order, bool coefficients, olo_law_at *out)
{
    const olo_law *law = x->law->angle;
    /* the derivative of a linear F does not depend on the angle */
    const bool skipped = x->no_value && law->linear;
    const double theta = skipped ? 0.0 : olo_angle_near(x->e0[0], x->e0[1], x->angle);
    double t[2], tt[3], ttt[4];
    olo_law_input inner = *x;
    olo_law_at F;
    inner.law = law;
    inner.k = 1;
    inner.e0 = &theta;
    law->at(&inner, order, coefficients, &F);
    out->f = F.f;
    if (x->value_only)
        return;
    /* chain rule: derivatives of F with respect to theta, of theta with respect to c and s */
    angle_derivatives(x->e0[0], x->e0[1], order, t, tt, ttt);
    for (int k = 0; k < 2; k++) {
        out->g[k] = F.g[0] * t[k];
        for (int l = 0; l < 2 && order >= OLO_LAW_FIRST; l++)
            out->gg[2 * k + l] = F.gg[0] * t[k] * t[l] + F.g[0] * tt[k + l];
        for (int lm = 0; lm < 4 && order >= OLO_LAW_SECOND; lm++) {
            const int l = lm / 2, m = lm % 2;
            out->ggg[4 * k + lm] =
                F.ggg[0] * t[k] * t[l] * t[m] +
                F.gg[0] * (tt[k + l] * t[m] + tt[k + m] * t[l] + tt[l + m] * t[k]) +
                F.g[0] * ttt[k + l + m];
        }
    }
    for (int p = 0; p < law->coefficients && coefficients; p++) {
        out->fc[p] = F.fc[p];
        out->gc[p] = F.gc[p] * t[0];
        out->gc[law->coefficients + p] = F.gc[p] * t[1];
    }
}

// -- over a step ----------------------------------------------------------------------------------

/* phi with its derivatives with respect to S and C */
typedef struct ratio {
    double value, S, C, SS, SC, CC;
} ratio;

/* First and second derivative of g(x) = atan(x)/x = sum (-1)^n x^2n/(2n + 1) for small |x|. */
static void small_angle(double x, double *first, double *second)
{
    const double y = -x * x;
    double a = 0.0, b = 0.0;
    for (int n = fabs(x) < small_below ? SMALL_TERMS : SERIES_TERMS; n >= 1; n--) {
        const double weight = 2.0 * n / (2.0 * n + 1.0);
        a = weight + y * a;
        b = weight * (2.0 * n - 1.0) + y * b;
    }
    *first = -x * a;
    *second = -b;
}

static ratio ratio_of(double S, double C, double angle, olo_law_order order)
{
    ratio phi = {.value = S != 0.0 ? angle / S : 1.0 / C};
    if (order < OLO_LAW_FIRST)
        return phi;
    const double R = S * S + C * C;
    phi.C = -1.0 / R;
    phi.CC = 2.0 * C / (R * R);
    phi.SC = 2.0 * S / (R * R);
    if (fabs(S) < series_below * C) {
        small_angle(S / C, &phi.S, &phi.SS);
        phi.S /= C * C;
        phi.SS /= C * C * C;
    } else {
        phi.S = (C / R - phi.value) / S;
        phi.SS = -2.0 * (phi.S + S * C / (R * R)) / S;
    }
    return phi;
}

double olo_angle_change(const double e0[2], const double de[2], double d[2])
{
    const double S = e0[0] * de[1] - e0[1] * de[0];
    const double C = e0[0] * (e0[0] + de[0]) + e0[1] * (e0[1] + de[1]);
    const double difference = atan2(S, C);
    const double phi = ratio_of(S, C, difference, OLO_LAW_VALUE).value;
    d[0] = -phi * (e0[1] + 0.5 * de[1]);
    d[1] = phi * (e0[0] + 0.5 * de[0]);
    return difference;
}

/* d and its derivatives with respect to component l of slot a (0, 1) */
typedef struct direction {
    double d[2];
    double first[2][2][2];        /* [a][k][l] */
    double second[2][2][2][2][2]; /* [a][b][k][l][m] */
} direction;

static void direction_of(const olo_law_input *x, double S, double angle, olo_law_order order,
                         direction *out)
{
    const double *e0 = x->e0, *e1 = x->e1;
    const double C = e0[0] * e1[0] + e0[1] * e1[1];
    const ratio phi = ratio_of(S, C, angle, order);
    const double P[2] = {-0.5 * (e0[1] + e1[1]), 0.5 * (e0[0] + e1[0])};
    const double turn[2][2] = {{0.0, -0.5}, {0.5, 0.0}}; // dP_k/de_l in either slot
    const double S_a[2][2] = {{e1[1], -e1[0]}, {-e0[1], e0[0]}};
    const double C_a[2][2] = {{e1[0], e1[1]}, {e0[0], e0[1]}};
    /* d = phi P */
    out->d[0] = phi.value * P[0];
    out->d[1] = phi.value * P[1];
    if (order < OLO_LAW_FIRST)
        return;
    /* first derivatives: phi_a P + phi P_a */
    double phi_a[2][2];
    for (int al = 0; al < 4; al++) {
        const int a = al / 2, l = al % 2;
        phi_a[a][l] = phi.S * S_a[a][l] + phi.C * C_a[a][l];
        for (int k = 0; k < 2; k++)
            out->first[a][k][l] = phi_a[a][l] * P[k] + phi.value * turn[k][l];
    }
    /* second derivatives: phi_ab P + phi_a P_b + phi_b P_a */
    for (int ablm = 0; ablm < 16 && order >= OLO_LAW_SECOND; ablm++) {
        const int a = ablm / 8, b = ablm / 4 % 2, l = ablm / 2 % 2, m = ablm % 2;
        double both = phi.SS * S_a[a][l] * S_a[b][m] + phi.CC * C_a[a][l] * C_a[b][m] +
                      phi.SC * (S_a[a][l] * C_a[b][m] + C_a[a][l] * S_a[b][m]);
        if (a != b) {
            // d2S/de0_l de1_m is 1 for (c, s), -1 for (s, c); of C it is the identity
            const int first = a == 0 ? l : m;
            both += l == m ? phi.C : first == 0 ? phi.S : -phi.S;
        }
        for (int k = 0; k < 2; k++) {
            out->second[a][b][k][l][m] =
                both * P[k] + phi_a[a][l] * turn[k][m] + phi_a[b][m] * turn[k][l];
        }
    }
}

/* Derivatives of the stress sigma(theta0, theta1) d(e0, e1) by product and chain rule. */
static void put_first(const direction *d, const olo_law_over *sigma, double t[2][2],
                      olo_law_over *out)
{
    for (int kl = 0; kl < 4; kl++) {
        const int k = kl / 2, l = kl % 2;
        out->s0[kl] = sigma->s0[0] * t[0][l] * d->d[k] + sigma->s[0] * d->first[0][k][l];
        out->s1[kl] = sigma->s1[0] * t[1][l] * d->d[k] + sigma->s[0] * d->first[1][k][l];
    }
}

static void put_second(const direction *d, const olo_law_over *sigma, int a, int b, double t[2][2],
                       double tt[2][3], double *out)
{
    const double sa = a == 0 ? sigma->s0[0] : sigma->s1[0];
    const double sb = b == 0 ? sigma->s0[0] : sigma->s1[0];
    const double sab = a != b ? sigma->s01[0] : a == 0 ? sigma->s00[0] : sigma->s11[0];
    for (int klm = 0; klm < 8; klm++) {
        const int k = klm / 4, l = klm / 2 % 2, m = klm % 2;
        const double curvature = sab * t[a][l] * t[b][m] + (a == b ? sa * tt[a][l + m] : 0.0);
        out[klm] = curvature * d->d[k] + sa * t[a][l] * d->first[b][k][m] +
                   sb * t[b][m] * d->first[a][k][l] + sigma->s[0] * d->second[a][b][k][l][m];
    }
}

static void over(const olo_law_input *x, olo_law_order order, bool coefficients, olo_law_over *out)
{
    const olo_law *law = x->law->angle;
    const double S = x->e0[0] * x->de[1] - x->e0[1] * x->de[0];
    const double C = x->e0[0] * x->e1[0] + x->e0[1] * x->e1[1];
    /* sigma of a linear F does not depend on the angles */
    const double theta0 = law->linear ? 0.0 : olo_angle_near(x->e0[0], x->e0[1], x->angle);
    const double difference = atan2(S, C), theta1 = theta0 + difference;
    olo_law_input inner = *x;
    olo_law_over sigma;
    direction d;
    inner.law = law;
    inner.k = 1;
    inner.e0 = &theta0;
    inner.e1 = &theta1;
    inner.de = &difference;
    /* the stress sigma of F over the angle, and the direction d of the angle over the invariants */
    law->over(&inner, order, coefficients, &sigma);
    direction_of(x, S, difference, order, &d);
    for (int k = 0; k < 2; k++) {
        out->s[k] = sigma.s[0] * d.d[k];
        for (int p = 0; p < law->coefficients && coefficients; p++)
            out->sc[k * law->coefficients + p] = sigma.sc[p] * d.d[k];
    }
    if (order < OLO_LAW_FIRST)
        return;
    double t[2][2] = {{0}}, tt[2][3] = {{0}}, unused[4];
    if (!law->linear || order >= OLO_LAW_SECOND) {
        angle_derivatives(x->e0[0], x->e0[1], OLO_LAW_FIRST, t[0], tt[0], unused);
        angle_derivatives(x->e1[0], x->e1[1], OLO_LAW_FIRST, t[1], tt[1], unused);
    }
    put_first(&d, &sigma, t, out);
    if (order >= OLO_LAW_SECOND) {
        put_second(&d, &sigma, 0, 0, t, tt, out->s00);
        put_second(&d, &sigma, 0, 1, t, tt, out->s01);
        put_second(&d, &sigma, 1, 1, t, tt, out->s11);
    }
}

// -- the laws F(theta) ----------------------------------------------------------------------------

const olo_law olo_law_angle_linear = {.name = "angle-linear",
                                      .invariants = 2,
                                      .coefficients = 1,
                                      .angle = &olo_law_linear,
                                      .at = at,
                                      .over = over};
const olo_law olo_law_angle_spring = {.name = "angle-spring",
                                      .invariants = 2,
                                      .coefficients = 2,
                                      .angle = &olo_law_spring,
                                      .at = at,
                                      .over = over};
const olo_law olo_law_angle_viscous = {.name = "angle-viscous",
                                       .invariants = 2,
                                       .coefficients = 1,
                                       .dissipative = true,
                                       .angle = &olo_law_viscous,
                                       .at = at,
                                       .over = over};
const olo_law olo_law_angle_stop = {.name = "angle-stop",
                                    .invariants = 2,
                                    .coefficients = 3,
                                    .angle = &olo_law_stop,
                                    .at = at,
                                    .over = over};
