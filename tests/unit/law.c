/* Laws and their discrete gradients, compared with the definitions in 113 bits, for increments of
 * any size. */
#include "test.h"

#include "reference.h"

enum { K = OLO_LAW_INVARIANTS_MAX, C = OLO_LAW_COEFFICIENTS_MAX };

static const law_kind kinds[] = {
    {&olo_law_linear, 1, false},  {&olo_law_distance, 1, false},
    {&olo_law_viscous, 1, false}, {&olo_law_distance_viscous, 1, false},
    {&olo_law_general, 1, false}, {&olo_law_general, 1, true},
    {&olo_law_general, 2, false}, {&olo_law_general, 3, false},
    {&olo_law_general, 3, true},  {&olo_law_general, 6, false},
    {&olo_law_spring, 1, false},  {&olo_law_length, 1, false},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* A law with random coefficients and a random step. */
typedef struct sample {
    ridge_law ridge;
    olo_general_law general;
    double e0[K], e1[K], de[K], c[C];
    olo_law_input input;
    quad q0[K], q1[K]; /* the step in full precision: q1 - q0 is exactly de */
    quad_law exact;
    double length;
} sample;

static bool on_a_length(const olo_law *law)
{
    return law == &olo_law_distance || law == &olo_law_distance_viscous || law == &olo_law_length;
}

/* The increments are about `size` times the invariants. Rest lengths are shorter than all lengths,
 * so that no difference of energies is small by accident. */
static void sample_init(sample *x, const law_kind *kind, double size, uint64_t *seed)
{
    const olo_law *law = kind->law;
    const int k = kind->k;
    const double low = law == &olo_law_general ? -0.5 : 0.5, high = on_a_length(law) ? 2.0 : 0.5;
    x->ridge = ridge_random(k, kind->cubic, seed);
    x->general = ridge_general(&x->ridge);
    x->c[0] = random_between(seed, 0.5, 50.0);
    x->c[1] = random_between(seed, 0.1, 0.3);
    x->length = 0.0;
    for (int i = 0; i < k; i++) {
        x->e0[i] = random_between(seed, low, high);
        x->de[i] =
            0.4 * size * random_between(seed, 0.5, 1.0) * (random_number(seed) < 0.0 ? -1.0 : 1.0);
        x->e1[i] = x->e0[i] + x->de[i];
        x->q0[i] = x->e0[i];
        x->q1[i] = (quad)x->e0[i] + (quad)x->de[i];
        x->length = hypot(x->length, x->de[i]);
    }
    x->input = (olo_law_input){.k = k,
                               .e0 = x->e0,
                               .e1 = x->e1,
                               .de = x->de,
                               .h = random_between(seed, 0.001, 0.1),
                               .c = x->c,
                               .context = &x->general};
    x->exact = (quad_law){
        .law = law, .k = k, .c = {x->c[0], x->c[1]}, .h = x->input.h, .ridge = &x->ridge};
}

// -- derivatives of the reference -----------------------------------------------------------------

/* A perturbation of the sample: invariant j of slot a, or coefficient j (a = 2). */
typedef struct direction {
    sample *x;
    int a, j;
    quad d;
    const struct direction *inner;
} direction;

static quad *direction_entry(const direction *y)
{
    quad *const slot[3] = {y->x->q0, y->x->q1, y->x->exact.c};
    return &slot[y->a][y->j];
}

static void stress_along(void *context, quad t, quad *s)
{
    const direction *y = context;
    quad *entry = direction_entry(y);
    const quad old = *entry;
    *entry = old + t;
    if (y->inner != NULL) {
        direction inner = *y->inner;
        quad_derivative(stress_along, &inner, inner.d, y->x->exact.k, s);
    } else {
        quad_stress(&y->x->exact, y->x->q0, y->x->q1, s);
    }
    *entry = old;
}

/* f, or its derivative along the inner direction */
static void energy_along(void *context, quad t, quad *f)
{
    const direction *y = context;
    quad *entry = direction_entry(y);
    const quad old = *entry;
    *entry = old + t;
    if (y->inner != NULL) {
        direction inner = *y->inner;
        quad_derivative(energy_along, &inner, inner.d, 1, f);
    } else {
        *f = quad_energy(&y->x->exact, y->x->q0);
    }
    *entry = old;
}

static double largest(int n, const double *y)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = larger(most, fabs(y[i]));
    return most;
}

static double scale_of(int n, const quad *y)
{
    quad most = 0;
    for (int i = 0; i < n; i++)
        most = quad_abs(y[i]) > most ? quad_abs(y[i]) : most;
    return (double)most;
}

/* got = expected to `tolerance` times the largest entry of the block, or of the terms of which it
 * is the sum */
static void check_block(int n, const quad *expected, const double *got, double tolerance,
                        double least)
{
    const double scale = larger(scale_of(n, expected), least);
    for (int i = 0; i < n; i++)
        check_close((double)expected[i], got[i], tolerance * scale);
}

// -- tests ----------------------------------------------------------------------------------------

/* K1: s.de is the difference of energies, or c0 dl^2/h, for increments of any size. */
TEST(discrete_gradients_are_directional_for_any_increment)
{
    uint64_t seed = 11;
    for (int kind = 0; kind < KINDS; kind++) {
        for (double size = 1.0; size > 5e-15; size /= sqrt(10.0)) {
            for (int trial = 0; trial < 40; trial++) {
                sample x;
                olo_law_over out;
                quad s[K], exact = 0;
                double work = 0.0, terms = 0.0;
                sample_init(&x, &kinds[kind], size, &seed);
                x.exact.law->over(&x.input, OLO_LAW_VALUE, false, &out);
                if (x.exact.law->dissipative) {
                    quad_stress(&x.exact, x.q0, x.q1, s);
                    exact = s[0] * x.de[0];
                    check_true(out.s[0] * x.de[0] > 0.0);
                } else {
                    exact = quad_energy(&x.exact, x.q1) - quad_energy(&x.exact, x.q0);
                }
                for (int i = 0; i < x.exact.k; i++) {
                    work += out.s[i] * x.de[i];
                    terms += fabs(out.s[i] * x.de[i]);
                }
                // of one invariant: relative to the difference itself
                check_close((double)exact, work,
                            1e-13 * (x.exact.k == 1 ? fabs((double)exact) : terms));
            }
        }
    }
}

/* The whole vector s, not only its component along the increment. */
TEST(discrete_gradients_follow_the_definition_for_any_increment)
{
    uint64_t seed = 12;
    for (int kind = 0; kind < KINDS; kind++) {
        for (double size = 1.0; size > 5e-15; size /= sqrt(10.0)) {
            sample x;
            olo_law_over out;
            quad s[K];
            sample_init(&x, &kinds[kind], size, &seed);
            x.exact.law->over(&x.input, OLO_LAW_VALUE, false, &out);
            quad_stress(&x.exact, x.q0, x.q1, s);
            check_block(x.exact.k, s, out.s, 1e-13, 0.0);
        }
    }
}

/* s = constant + gradient de of the laws that are affine, which is how steps evaluate them along a
 * joint coordinate. */
TEST(affine_laws_follow_the_definition_for_any_increment)
{
    uint64_t seed = 18;
    int count = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        if (!kinds[kind].law->affine)
            continue;
        count++;
        for (double size = 1.0; size > 5e-15; size /= sqrt(10.0)) {
            sample x;
            quad s[K];
            double constant, gradient;
            sample_init(&x, &kinds[kind], size, &seed);
            kinds[kind].law->affine(x.c, x.e0[0], x.input.h, &constant, &gradient);
            quad_stress(&x.exact, x.q0, x.q1, s);
            check_relative((double)s[0], constant + gradient * x.de[0], 1e-13);
        }
    }
    check_equal(count, 3); /* linear, spring, viscous */
}

static void check_first(sample *x, double tolerance)
{
    const int k = x->exact.k;
    olo_law_over out;
    quad s0[K * K], s1[K * K], column[K];
    x->exact.law->over(&x->input, OLO_LAW_FIRST, false, &out);
    for (int a = 0; a < 2; a++) {
        for (int j = 0; j < k; j++) {
            direction y = {.x = x, .a = a, .j = j, .d = 1e-3 * x->length};
            quad_derivative(stress_along, &y, y.d, k, column);
            for (int i = 0; i < k; i++)
                (a == 0 ? s0 : s1)[i * k + j] = column[i];
        }
    }
    check_block(k * k, s0, out.s0, tolerance, largest(k, out.s));
    check_block(k * k, s1, out.s1, tolerance, largest(k, out.s));
}

static void check_second(sample *x, double step, double tolerance)
{
    static const int slots[3][2] = {{0, 0}, {0, 1}, {1, 1}};
    const int k = x->exact.k;
    const quad d = step * x->length;
    olo_law_over out;
    x->exact.law->over(&x->input, OLO_LAW_SECOND, false, &out);
    const double *const got[3] = {out.s00, out.s01, out.s11};
    for (int block = 0; block < 3; block++) {
        quad second[K * K * K], column[K];
        for (int jl = 0; jl < k * k; jl++) {
            const direction inner = {.x = x, .a = slots[block][0], .j = jl / k, .d = d};
            direction y = {.x = x, .a = slots[block][1], .j = jl % k, .d = d, .inner = &inner};
            quad_derivative(stress_along, &y, d, k, column);
            for (int i = 0; i < k; i++)
                second[i * k * k + jl] = column[i];
        }
        check_block(k * k * k, second, got[block], tolerance, largest(k, out.s));
    }
}

TEST(discrete_gradients_have_exact_first_derivatives)
{
    uint64_t seed = 13;
    for (int kind = 0; kind < KINDS; kind++) {
        for (double size = 1.0; size > 5e-9; size /= sqrt(10.0)) {
            for (int trial = 0; trial < 4; trial++) {
                sample x;
                sample_init(&x, &kinds[kind], size, &seed);
                check_first(&x, 1e-12);
            }
        }
    }
}

TEST(discrete_gradients_have_exact_second_derivatives)
{
    uint64_t seed = 14;
    for (int kind = 0; kind < KINDS; kind++) {
        for (double size = 1.0; size > 5e-6; size /= 10.0) {
            sample x;
            sample_init(&x, &kinds[kind], size, &seed);
            check_second(&x, 1e-2, 1e-10);
        }
    }
}

/* Near a pole a large step cannot be integrated numerically: the differences must be taken. */
TEST(discrete_gradients_have_exact_derivatives_near_a_pole)
{
    uint64_t seed = 23;
    for (int k = 1; k <= 3; k++) {
        const law_kind general = {&olo_law_general, k, false};
        for (int trial = 0; trial < 10; trial++) {
            sample x;
            sample_init(&x, &general, 1.0, &seed);
            // ridge 0 has its pole at a distance of 0.02 from one of the ends
            const double margin =
                smaller(ridge_argument(&x.ridge, 0, x.e0), ridge_argument(&x.ridge, 0, x.e1));
            x.ridge.shift[0] -= margin - 0.02;
            // a constant reduces the digits of the differences, which are still better than the
            // integrals
            x.ridge.weight[1] = 300.0;
            memset(x.ridge.direction[1], 0, sizeof x.ridge.direction[1]);
            check_first(&x, 1e-10);
            check_second(&x, 1e-3, 1e-8);
        }
    }
}

/* s00 and s11 are symmetric in their last two indices; s exchanges its slots with the ends. */
TEST(second_derivatives_are_symmetric_and_the_ends_exchangeable)
{
    uint64_t seed = 15;
    for (int kind = 0; kind < KINDS; kind++) {
        for (double size = 1.0; size > 5e-13; size /= 10.0) {
            sample x;
            olo_law_over out, back;
            double reverse[K];
            sample_init(&x, &kinds[kind], size, &seed);
            const int k = x.exact.k;
            for (int i = 0; i < k; i++)
                reverse[i] = -x.de[i];
            olo_law_input input = x.input;
            input.e0 = x.e1;
            input.e1 = x.e0;
            input.de = reverse;
            x.exact.law->over(&x.input, OLO_LAW_SECOND, false, &out);
            x.exact.law->over(&input, OLO_LAW_SECOND, false, &back);
            const double odd = x.exact.law->dissipative ? -1.0 : 1.0;
            double size1 = 0.0, size2 = 0.0;
            for (int i = 0; i < k * k * k; i++) {
                size1 = larger(size1, i < k * k ? fabs(out.s1[i]) : 0.0);
                size2 = larger(size2, larger(fabs(out.s11[i]), fabs(out.s01[i])));
            }
            for (int i = 0; i < k; i++) {
                check_relative(odd * out.s[i], back.s[i], 1e-13);
                for (int j = 0; j < k; j++) {
                    check_close(odd * out.s0[i * k + j], back.s1[i * k + j], 1e-12 * size1);
                    for (int l = 0; l < k; l++) {
                        const int ijl = (i * k + j) * k + l, ilj = (i * k + l) * k + j;
                        check_close(out.s00[ijl], out.s00[ilj], 1e-12 * size2);
                        check_close(out.s11[ijl], out.s11[ilj], 1e-12 * size2);
                        check_close(odd * out.s00[ijl], back.s11[ijl], 1e-9 * size2);
                        check_close(odd * out.s01[ijl], back.s01[ilj], 1e-9 * size2);
                    }
                }
            }
        }
    }
}

/* For a cubic function the second derivatives of Gonzalez' gradient depend on the direction of the
 * increment alone, and the first ones differ from 1/2 H in proportion to its length. So they can be
 * checked for increments that are too small for differences. */
TEST(derivatives_for_a_cubic_function_scale_with_the_increment)
{
    uint64_t seed = 16;
    const law_kind cubic = {&olo_law_general, 3, true};
    for (int trial = 0; trial < 20; trial++) {
        sample x;
        olo_law_over large, small;
        double em[K], de[K];
        sample_init(&x, &cubic, 1.0, &seed);
        for (int i = 0; i < 3; i++) {
            em[i] = x.e0[i];
            de[i] = x.de[i];
        }
        for (double size = 1.0; size > 1e-290; size *= 1e-5) {
            for (int i = 0; i < 3; i++) {
                x.de[i] = size * de[i];
                x.e0[i] = em[i] - 0.5 * x.de[i];
                x.e1[i] = em[i] + 0.5 * x.de[i];
            }
            olo_law_general.over(&x.input, OLO_LAW_SECOND, false, size == 1.0 ? &large : &small);
            if (size == 1.0)
                continue;
            double hessian[K * K];
            ridge_hessian(&x.ridge, em, hessian);
            for (int i = 0; i < 9; i++) {
                const double bend = large.s1[i] - 0.5 * hessian[i];
                check_close(0.5 * hessian[i] + size * bend, small.s1[i], 1e-13);
                check_close(0.5 * hessian[i] - size * bend, small.s0[i], 1e-13);
            }
            for (int i = 0; i < 27; i++) {
                check_close(large.s00[i], small.s00[i], 1e-12);
                check_close(large.s01[i], small.s01[i], 1e-12);
                check_close(large.s11[i], small.s11[i], 1e-12);
            }
        }
    }
}

/* A large constant in f makes the difference inaccurate, but not the integral. */
TEST(a_constant_in_the_energy_does_not_disturb_small_increments)
{
    uint64_t seed = 17;
    for (int k = 1; k <= 3; k++) {
        const law_kind general = {&olo_law_general, k, false};
        for (double size = 0.1; size > 1e-9; size /= 3.0) {
            sample x;
            olo_law_over out;
            quad s[K];
            sample_init(&x, &general, size, &seed);
            x.ridge.weight[0] = 1e8;
            memset(x.ridge.direction[0], 0, sizeof x.ridge.direction[0]);
            olo_law_general.over(&x.input, OLO_LAW_VALUE, false, &out);
            quad_stress(&x.exact, x.q0, x.q1, s);
            check_block(k, s, out.s, 1e-14, 0.0);
        }
    }
}

/* A peak of width 1/100 on a constant, f = 1000 + 1/(1 + u^2), u = 100 sum e_i. */
static double peak_value(void *context, const double *e)
{
    const int k = *(const int *)context;
    double u = 0.0;
    for (int i = 0; i < k; i++)
        u += 100.0 * e[i];
    return 1000.0 + 1.0 / (1.0 + u * u);
}

static void peak_gradient(void *context, const double *e, double *g)
{
    const int k = *(const int *)context;
    double u = 0.0;
    for (int i = 0; i < k; i++)
        u += 100.0 * e[i];
    for (int i = 0; i < k; i++)
        g[i] = -200.0 * u / ((1.0 + u * u) * (1.0 + u * u));
}

/* No integration rule resolves the peak in a large step: the error estimate must reject the
 * integral. */
TEST(a_narrow_peak_inside_the_step_does_not_spoil_the_energy)
{
    uint64_t seed = 22;
    for (int k = 1; k <= 2; k++) {
        const olo_general_law peak = {(void *)&k, peak_value, peak_gradient, NULL, NULL};
        for (double size = 1.0; size > 1e-6; size /= 1.3) {
            for (int trial = 0; trial < 20; trial++) {
                double e0[2], e1[2], de[2], work = 0.0;
                for (int i = 0; i < k; i++) {
                    de[i] = size * random_between(&seed, 0.2, 1.0);
                    e0[i] = -de[i] * random_between(&seed, 0.1, 0.9);
                    e1[i] = e0[i] + de[i];
                    de[i] = e1[i] - e0[i];
                }
                const olo_law_input x = {.k = k, .e0 = e0, .e1 = e1, .de = de, .context = &peak};
                olo_law_over out;
                olo_law_general.over(&x, OLO_LAW_VALUE, false, &out);
                for (int i = 0; i < k; i++)
                    work += out.s[i] * de[i];
                // round-off of f: two values of 1000
                check_close(peak_value((void *)&k, e1) - peak_value((void *)&k, e0), work,
                            2000.0 * 2.0 * 2.3e-16);
            }
        }
    }
}

TEST(discrete_gradients_are_consistent_without_increment)
{
    uint64_t seed = 18;
    for (int kind = 0; kind < KINDS; kind++) {
        sample x;
        olo_law_over out;
        olo_law_at at;
        sample_init(&x, &kinds[kind], 0.0, &seed);
        const int k = x.exact.k;
        x.exact.law->over(&x.input, OLO_LAW_SECOND, true, &out);
        x.exact.law->at(&x.input, OLO_LAW_SECOND, true, &at);
        for (int i = 0; i < k; i++)
            check_close(at.g[i], out.s[i], 1e-14 * fabs(at.g[i]));
        if (x.exact.law->dissipative)
            continue;
        for (int i = 0; i < k * k; i++) {
            check_close(0.5 * at.gg[i], out.s0[i], 1e-14 * fabs(at.gg[0]));
            check_close(0.5 * at.gg[i], out.s1[i], 1e-14 * fabs(at.gg[0]));
        }
        for (int i = 0; i < k * k * k; i++) {
            check_relative(at.ggg[i] * (k == 1 ? 1.0 / 3.0 : 0.25), out.s00[i], 1e-13);
            check_relative(at.ggg[i] * (k == 1 ? 1.0 / 6.0 : 0.25), out.s01[i], 1e-13);
            check_relative(at.ggg[i] * (k == 1 ? 1.0 / 3.0 : 0.25), out.s11[i], 1e-13);
        }
        for (int i = 0; i < x.exact.law->coefficients; i++)
            check_relative(at.gc[i], out.sc[i], 1e-14);
    }
}

/* e1 and e0 differ by round-off, the true increment is the smallest positive number. */
TEST(discrete_gradients_are_finite_for_the_smallest_increment)
{
    uint64_t seed = 24;
    for (int kind = 0; kind < KINDS; kind++) {
        sample x;
        olo_law_over out;
        olo_law_at at;
        sample_init(&x, &kinds[kind], 0.0, &seed);
        const int k = x.exact.k;
        for (int i = 0; i < k; i++) {
            x.de[i] = 5e-324;
            x.e1[i] = x.e0[i] + 1e-12;
        }
        x.ridge.weight[0] *= 1e6;
        x.exact.law->over(&x.input, OLO_LAW_SECOND, false, &out);
        x.exact.law->at(&x.input, OLO_LAW_SECOND, false, &at);
        for (int i = 0; i < k; i++)
            check_close(at.g[i], out.s[i], 1e-9 * largest(k, at.g) + 1e-300);
        for (int i = 0; i < k * k && !x.exact.law->dissipative; i++) {
            check_close(0.5 * at.gg[i], out.s0[i], 1e-9 * largest(k * k, at.gg));
            check_close(0.5 * at.gg[i], out.s1[i], 1e-9 * largest(k * k, at.gg));
        }
        for (int i = 0; i < k * k * k; i++)
            check_true(isfinite(out.s00[i]) && isfinite(out.s01[i]) && isfinite(out.s11[i]));
    }
}

/* f = sqrt(e), whose gradient is not finite everywhere: the difference still has a value. */
static double root_value(void *context, const double *e)
{
    (void)context;
    return sqrt(e[0]);
}

static void root_gradient(void *context, const double *e, double *g)
{
    (void)context;
    g[0] = e[0] < 0.1 ? NAN : 0.5 / sqrt(e[0]);
}

TEST(an_integral_without_a_value_is_not_taken)
{
    const olo_general_law root = {NULL, root_value, root_gradient, NULL, NULL};
    const double e0 = 0.0998, e1 = 0.1001, de = e1 - e0;
    const olo_law_input x = {.k = 1, .e0 = &e0, .e1 = &e1, .de = &de, .context = &root};
    olo_law_over out;
    olo_law_general.over(&x, OLO_LAW_VALUE, false, &out);
    check_relative(1.0 / (sqrt(e0) + sqrt(e1)), out.s[0], 1e-12);
}

TEST(energies_have_exact_derivatives)
{
    uint64_t seed = 19;
    for (int kind = 0; kind < KINDS; kind++) {
        for (int trial = 0; trial < 5; trial++) {
            sample x;
            olo_law_at out;
            sample_init(&x, &kinds[kind], 1.0, &seed);
            const int k = x.exact.k;
            const quad d = 1e-3, f = quad_energy(&x.exact, x.q0);
            x.exact.law->at(&x.input, OLO_LAW_SECOND, true, &out);
            check_block(1, &f, &out.f, 1e-14, 0.0);
            quad g[K], gg[K * K], ggg[K * K * K];
            for (int i = 0; i < k; i++) {
                direction first = {.x = &x, .a = 0, .j = i, .d = d};
                quad_derivative(energy_along, &first, d, 1, &g[i]);
                for (int j = 0; j < k; j++) {
                    direction second = {.x = &x, .a = 0, .j = j, .d = d, .inner = &first};
                    quad_derivative(energy_along, &second, d, 1, &gg[i * k + j]);
                    for (int l = 0; l < k && k <= 3; l++) {
                        direction third = {.x = &x, .a = 0, .j = l, .d = d, .inner = &second};
                        quad_derivative(energy_along, &third, d, 1, &ggg[(i * k + j) * k + l]);
                    }
                }
            }
            check_block(k, g, out.g, 1e-12, 0.0);
            check_block(k * k, gg, out.gg, 1e-12, fabs(out.g[0]));
            if (k <= 3)
                check_block(k * k * k, ggg, out.ggg, 1e-10, fabs(out.g[0]));
        }
    }
}

TEST(coefficient_derivatives_are_exact)
{
    uint64_t seed = 20;
    for (int kind = 0; kind < KINDS; kind++) {
        for (double size = 1.0; size > 1e-12; size /= 100.0) {
            sample x;
            olo_law_at at;
            olo_law_over over;
            sample_init(&x, &kinds[kind], size, &seed);
            x.exact.law->at(&x.input, OLO_LAW_VALUE, true, &at);
            x.exact.law->over(&x.input, OLO_LAW_VALUE, true, &over);
            for (int p = 0; p < x.exact.law->coefficients; p++) {
                const quad d = 1e-3;
                quad f, g, s;
                direction y = {.x = &x, .a = 2, .j = p, .d = d};
                quad_derivative(energy_along, &y, d, 1, &f);
                check_block(1, &f, &at.fc[p], 1e-13, 0.0);
                quad_derivative(stress_along, &y, d, 1, &s);
                check_block(1, &s, &over.sc[p], 1e-13, 0.0);
                const direction invariant = {.x = &x, .a = 0, .j = 0, .d = d};
                y.inner = &invariant;
                quad_derivative(energy_along, &y, d, 1, &g);
                check_block(1, &g, &at.gc[p], 1e-12, 0.0);
            }
        }
    }
}

/* Newton evaluates laws with and without tangent: the stress must not depend on it. Results that
 * are not requested are not written. */
TEST(an_order_fills_what_it_says_and_the_values_do_not_depend_on_it)
{
    uint64_t seed = 21;
    for (int kind = 0; kind < KINDS; kind++) {
        for (double size = 1.0; size > 1e-12; size /= 10.0) {
            sample x;
            olo_law_over value, first, second;
            olo_law_at at;
            memset(&value, 0x7f, sizeof value);
            memset(&first, 0x7f, sizeof first);
            memset(&at, 0x7f, sizeof at);
            const olo_law_over untouched = value;
            sample_init(&x, &kinds[kind], size, &seed);
            const size_t k = (size_t)x.exact.k;
            x.exact.law->over(&x.input, OLO_LAW_VALUE, false, &value);
            x.exact.law->over(&x.input, OLO_LAW_FIRST, false, &first);
            x.exact.law->over(&x.input, OLO_LAW_SECOND, true, &second);
            x.exact.law->at(&x.input, OLO_LAW_VALUE, false, &at);
            check_true(memcmp(value.s, second.s, k * sizeof(double)) == 0);
            check_true(memcmp(first.s, second.s, k * sizeof(double)) == 0);
            check_true(memcmp(first.s0, second.s0, k * k * sizeof(double)) == 0);
            check_true(memcmp(first.s1, second.s1, k * k * sizeof(double)) == 0);
            check_true(memcmp(value.s0, untouched.s0, sizeof value.s0) == 0);
            check_true(memcmp(value.s1, untouched.s1, sizeof value.s1) == 0);
            check_true(memcmp(first.s00, untouched.s00, sizeof first.s00) == 0);
            check_true(memcmp(first.s01, untouched.s01, sizeof first.s01) == 0);
            check_true(memcmp(first.s11, untouched.s11, sizeof first.s11) == 0);
            check_true(memcmp(first.sc, untouched.sc, sizeof first.sc) == 0);
            check_true(memcmp(at.gg, untouched.s0, sizeof at.gg) == 0);
            check_true(memcmp(at.ggg, untouched.s00, sizeof at.ggg) == 0);
            check_true(memcmp(at.fc, untouched.sc, sizeof at.fc) == 0);
            check_true(memcmp(at.gc, untouched.sc, sizeof at.gc) == 0);
        }
    }
}

/* The ends of a distance spring or damper coincide at one time or at both; round-off may make e
 * negative, or leave a length whose fifth power underflows. */
TEST(coincident_ends_are_finite)
{
    static const double ends[][2] = {{0.0, 0.0},    {0.0, 0.5},       {0.5, 0.0},
                                     {-1e-17, 0.0}, {-1e-17, -1e-18}, {5e-324, 5e-324},
                                     {1e-160, 0.0}, {1e-160, 1e-150}};
    static const olo_law *const laws[] = {&olo_law_distance, &olo_law_distance_viscous,
                                          &olo_law_length};
    const double c[2] = {3.0, 0.7};
    for (size_t n = 0; n < 3 * sizeof ends / sizeof ends[0]; n++) {
        const olo_law *law = laws[n % 3];
        const double *e = ends[n / 3], de = e[1] - e[0];
        const olo_law_input x = {.k = 1, .e0 = &e[0], .e1 = &e[1], .de = &de, .h = 0.01, .c = c};
        olo_law_over over;
        olo_law_at at;
        law->over(&x, OLO_LAW_SECOND, true, &over);
        law->at(&x, OLO_LAW_SECOND, true, &at);
        check_true(isfinite(over.s[0]) && isfinite(over.s0[0]) && isfinite(over.s1[0]));
        check_true(isfinite(over.s00[0]) && isfinite(over.s01[0]) && isfinite(over.s11[0]));
        check_true(isfinite(over.sc[0]) && (law->coefficients < 2 || isfinite(over.sc[1])));
        check_true(isfinite(at.f) && isfinite(at.g[0]) && isfinite(at.gg[0]));
        check_true(isfinite(at.ggg[0]) && isfinite(at.fc[0]) && isfinite(at.gc[0]));
    }

    // at both times: a spring without rest length, a damper at rest
    const double zero = 0.0;
    const olo_law_input x = {.k = 1, .e0 = &zero, .e1 = &zero, .de = &zero, .h = 0.01, .c = c};
    olo_law_over over;
    olo_law_at at;
    olo_law_distance.over(&x, OLO_LAW_VALUE, false, &over);
    olo_law_distance.at(&x, OLO_LAW_VALUE, false, &at);
    check_close(c[0], over.s[0], 0.0);
    check_close(c[0], at.g[0], 0.0);
    check_close(0.5 * c[0] * c[1] * c[1], at.f, 1e-15);
    olo_law_distance_viscous.over(&x, OLO_LAW_VALUE, false, &over);
    check_close(0.0, over.s[0], 0.0);
}

TEST_MAIN(cmocka_unit_test(discrete_gradients_are_directional_for_any_increment),
          cmocka_unit_test(discrete_gradients_follow_the_definition_for_any_increment),
          cmocka_unit_test(affine_laws_follow_the_definition_for_any_increment),
          cmocka_unit_test(discrete_gradients_have_exact_first_derivatives),
          cmocka_unit_test(discrete_gradients_have_exact_second_derivatives),
          cmocka_unit_test(discrete_gradients_have_exact_derivatives_near_a_pole),
          cmocka_unit_test(second_derivatives_are_symmetric_and_the_ends_exchangeable),
          cmocka_unit_test(derivatives_for_a_cubic_function_scale_with_the_increment),
          cmocka_unit_test(a_constant_in_the_energy_does_not_disturb_small_increments),
          cmocka_unit_test(a_narrow_peak_inside_the_step_does_not_spoil_the_energy),
          cmocka_unit_test(discrete_gradients_are_consistent_without_increment),
          cmocka_unit_test(discrete_gradients_are_finite_for_the_smallest_increment),
          cmocka_unit_test(an_integral_without_a_value_is_not_taken),
          cmocka_unit_test(energies_have_exact_derivatives),
          cmocka_unit_test(coefficient_derivatives_are_exact),
          cmocka_unit_test(an_order_fills_what_it_says_and_the_values_do_not_depend_on_it),
          cmocka_unit_test(coincident_ends_are_finite))
