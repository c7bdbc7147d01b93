/* References for the tests of forms, laws and terms: random data, arithmetic with 113 bits, and
 * derivatives by extrapolated central differences in it. The references are the defining formulas
 * with their difference quotients; cancellation does not matter with so many digits. */
#ifndef OLO_TEST_REFERENCE_H
#define OLO_TEST_REFERENCE_H

#include <math.h>
#include <stdint.h>

#include "system/law.h"

#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 quad;
#else
typedef long double quad; /* 113 bits where the compiler has no __float128 */
#endif

/* Uniform in [-1, 1]; the same numbers in every run. */
static inline double random_number(uint64_t *seed)
{
    *seed += 0x9e3779b97f4a7c15u;
    uint64_t x = *seed;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return (double)(x >> 11) * 0x1p-52 - 1.0;
}

static inline double random_between(uint64_t *seed, double low, double high)
{
    return low + 0.5 * (high - low) * (1.0 + random_number(seed));
}

static inline quad quad_abs(quad x)
{
    return x < 0 ? -x : x;
}

/* Newton's iteration doubles the digits of the double square root. */
static inline quad quad_sqrt(quad x)
{
    if (x <= 0)
        return 0;
    quad y = sqrt((double)x);
    y = (y + x / y) / 2;
    return (y + x / y) / 2;
}

/* cos and sin of an angle in [-pi, pi] by their series: pi^44/44! is below 1e-32. */
static inline void quad_circle(quad x, quad *cosine, quad *sine)
{
    static quad inverse[44]; // 1/n!
    if (inverse[0] == 0) {
        inverse[0] = 1;
        for (int n = 1; n < 44; n++)
            inverse[n] = inverse[n - 1] / n;
    }
    const quad y = -x * x;
    quad even = 0, odd = 0;
    for (int n = 42; n >= 0; n -= 2) {
        even = inverse[n] + y * even;
        odd = inverse[n + 1] + y * odd;
    }
    *cosine = even;
    *sine = x * odd;
}

/* The angle of (c, s) in (-pi, pi]. After a rotation back by the angle in double precision the
 * remainder is so small that the series of the arc tangent has all digits. */
static inline quad quad_angle(quad c, quad s)
{
    const quad guess = atan2((double)s, (double)c);
    quad cosine, sine;
    quad_circle(guess, &cosine, &sine);
    const quad x = (s * cosine - c * sine) / (c * cosine + s * sine);
    return guess + x - x * x * x / 3;
}

/* y'(0) of a function with n <= 16 components, from central differences with the steps d, d/2, d/4,
 * extrapolated to sixth order. */
enum { QUAD_COMPONENTS = 16 };
typedef void (*quad_function)(void *context, quad t, quad *y);

static inline void quad_derivative(quad_function f, void *context, quad d, int n, quad *out)
{
    quad difference[3][QUAD_COMPONENTS];
    for (int step = 0; step < 3; step++, d /= 2) {
        quad up[QUAD_COMPONENTS], down[QUAD_COMPONENTS];
        f(context, d, up);
        f(context, -d, down);
        for (int i = 0; i < n; i++)
            difference[step][i] = (up[i] - down[i]) / (2 * d);
    }
    for (int i = 0; i < n; i++) {
        const quad a = (4 * difference[1][i] - difference[0][i]) / 3;
        const quad b = (4 * difference[2][i] - difference[1][i]) / 3;
        out[i] = (16 * b - a) / 15;
    }
}

/* A family of smooth functions of k variables,
 *
 *     f(e) = sum_r weight_r phi(direction_r.e + shift_r),   phi(x) = 1/x  or  x^3
 *
 * The inverse has a pole near by, so it tests the choice between difference and integral; the cubic
 * has constant third derivatives. */
enum { RIDGES = 4 };

typedef struct ridge_law {
    int k;
    bool cubic;
    double weight[RIDGES], direction[RIDGES][OLO_LAW_INVARIANTS_MAX], shift[RIDGES];
} ridge_law;

/* For |e_i| <= 1 the arguments are between 0.6 and 5. With one variable the function is
 * monotone. */
static inline ridge_law ridge_random(int k, bool cubic, uint64_t *seed)
{
    ridge_law f = {.k = k, .cubic = cubic};
    const double other = k == 1 ? 1.0 : -1.0;
    for (int r = 0; r < RIDGES; r++) {
        f.weight[r] = random_between(seed, 0.5, 2.0) * (r % 2 == 0 ? 1.0 : other);
        f.shift[r] = random_between(seed, 2.1, 3.5);
        for (int i = 0; i < k; i++)
            f.direction[r][i] = 1.5 / k * random_between(seed, k == 1 ? 0.1 : -1.0, 1.0);
    }
    return f;
}

static inline double ridge_argument(const ridge_law *f, int r, const double *e)
{
    double x = f->shift[r];
    for (int i = 0; i < f->k; i++)
        x += f->direction[r][i] * e[i];
    return x;
}

static inline double ridge_value(void *context, const double *e)
{
    const ridge_law *f = context;
    double sum = 0.0;
    for (int r = 0; r < RIDGES; r++) {
        const double x = ridge_argument(f, r, e);
        sum += f->weight[r] * (f->cubic ? x * x * x : 1.0 / x);
    }
    return sum;
}

static inline void ridge_gradient(void *context, const double *e, double *g)
{
    const ridge_law *f = context;
    for (int i = 0; i < f->k; i++) {
        g[i] = 0.0;
        for (int r = 0; r < RIDGES; r++) {
            const double x = ridge_argument(f, r, e);
            g[i] += f->weight[r] * (f->cubic ? 3.0 * x * x : -1.0 / (x * x)) * f->direction[r][i];
        }
    }
}

static inline void ridge_hessian(void *context, const double *e, double *gg)
{
    const ridge_law *f = context;
    for (int i = 0; i < f->k * f->k; i++) {
        gg[i] = 0.0;
        for (int r = 0; r < RIDGES; r++) {
            const double x = ridge_argument(f, r, e);
            gg[i] += f->weight[r] * (f->cubic ? 6.0 * x : 2.0 / (x * x * x)) *
                     f->direction[r][i / f->k] * f->direction[r][i % f->k];
        }
    }
}

static inline void ridge_third(void *context, const double *e, double *ggg)
{
    const ridge_law *f = context;
    const int k = f->k;
    for (int i = 0; i < k * k * k; i++) {
        ggg[i] = 0.0;
        for (int r = 0; r < RIDGES; r++) {
            const double x = ridge_argument(f, r, e);
            ggg[i] += f->weight[r] * (f->cubic ? 6.0 : -6.0 / (x * x * x * x)) *
                      f->direction[r][i / (k * k)] * f->direction[r][i / k % k] *
                      f->direction[r][i % k];
        }
    }
}

static inline olo_general_law ridge_general(ridge_law *f)
{
    return (olo_general_law){f, ridge_value, ridge_gradient, ridge_hessian, ridge_third};
}

/* A law of the tests: the general one has several numbers of invariants and two kinds of
 * functions. */
typedef struct law_kind {
    const olo_law *law;
    int k;
    bool cubic;
} law_kind;

/* A law by its definition. */
typedef struct quad_law {
    const olo_law *law;
    int k;
    quad c[OLO_LAW_COEFFICIENTS_MAX];
    quad h;
    const ridge_law *ridge; /* of the general law */
    int turns;              /* of laws of an angle: whole turns at the start */
} quad_law;

static inline quad quad_ridge(const ridge_law *f, const quad *e, int derivative)
{
    quad sum = 0;
    for (int r = 0; r < RIDGES; r++) {
        quad x = f->shift[r];
        for (int i = 0; i < f->k; i++)
            x += f->direction[r][i] * e[i];
        if (derivative < 0) {
            sum += f->weight[r] * (f->cubic ? x * x * x : 1 / x);
        } else {
            sum +=
                f->weight[r] * (f->cubic ? 3 * x * x : -1 / (x * x)) * f->direction[r][derivative];
        }
    }
    return sum;
}

/* The energy as a function of an angle, or of a single invariant. */
static inline quad quad_scalar_energy(const olo_law *law, const quad *c, quad e)
{
    if (law == &olo_law_linear || law == &olo_law_angle_linear)
        return c[0] * e;
    if (law == &olo_law_spring || law == &olo_law_angle_spring)
        return c[0] * (e - c[1]) * (e - c[1]) / 2;
    if (law == &olo_law_stop || law == &olo_law_angle_stop) {
        const quad below = c[1] - e, above = e - c[2];
        return c[0] / 2 * ((below > 0 ? below * below : 0) + (above > 0 ? above * above : 0));
    }
    return 0;
}

/* The angle with its turns. */
static __attribute__((noinline, unused)) quad quad_unwrapped(const quad_law *x, const quad *e)
{
    // 2 pi as a double and its remainder
    const quad two_pi = (quad)6.283185307179586 + (quad)2.4492935982947064e-16;
    return quad_angle(e[0], e[1]) + x->turns * two_pi;
}

/* f(e), zero for dampers */
static inline quad quad_energy(const quad_law *x, const quad *e)
{
    if (x->law->angle)
        return quad_scalar_energy(x->law, x->c, quad_unwrapped(x, e));
    if (x->law == &olo_law_spring || x->law == &olo_law_stop)
        return quad_scalar_energy(x->law, x->c, e[0]);
    if (x->law == &olo_law_linear)
        return x->c[0] * e[0];
    if (x->law == &olo_law_distance) {
        const quad stretch = quad_sqrt(2 * e[0]) - x->c[1];
        return x->c[0] * stretch * stretch / 2;
    }
    if (x->law == &olo_law_length)
        return x->c[0] * quad_sqrt(2 * e[0]);
    return x->law == &olo_law_general ? quad_ridge(x->ridge, e, -1) : 0;
}

/* s(e0, e1), e1 != e0: the damper's stress, the difference quotient, or Gonzalez' formula. */
static inline void quad_stress(const quad_law *x, const quad *e0, const quad *e1, quad *s)
{
    const quad de = e1[0] - e0[0];
    if (x->law == &olo_law_viscous) {
        s[0] = x->c[0] * de / x->h;
        return;
    }
    if (x->law == &olo_law_distance_viscous) {
        const quad dl = quad_sqrt(2 * e1[0]) - quad_sqrt(2 * e0[0]);
        s[0] = x->c[0] * dl * dl / (x->h * de);
        return;
    }
    if (x->law->angle) {
        const quad S = e0[0] * e1[1] - e0[1] * e1[0], C = e0[0] * e1[0] + e0[1] * e1[1];
        const quad start = quad_unwrapped(x, e0), angle = quad_angle(C, S);
        const quad sigma = x->law == &olo_law_angle_viscous
                               ? x->c[0] * angle / x->h
                               : (quad_scalar_energy(x->law, x->c, start + angle) -
                                  quad_scalar_energy(x->law, x->c, start)) /
                                     angle;
        s[0] = -sigma * angle / S * (e0[1] + e1[1]) / 2;
        s[1] = sigma * angle / S * (e0[0] + e1[0]) / 2;
        return;
    }
    const quad df = quad_energy(x, e1) - quad_energy(x, e0);
    if (x->k == 1) {
        s[0] = df / de;
        return;
    }
    quad em[OLO_LAW_INVARIANTS_MAX], rest = df, square = 0;
    for (int i = 0; i < x->k; i++)
        em[i] = (e0[i] + e1[i]) / 2;
    for (int i = 0; i < x->k; i++) {
        s[i] = quad_ridge(x->ridge, em, i);
        rest -= s[i] * (e1[i] - e0[i]);
        square += (e1[i] - e0[i]) * (e1[i] - e0[i]);
    }
    for (int i = 0; i < x->k; i++)
        s[i] += rest / square * (e1[i] - e0[i]);
}

#endif
