/* Terms compared with their definition in 113 bits, and their symmetries. */
#include "test.h"

#include "reference.h"
#include "system/term.h"

enum { K = OLO_LAW_INVARIANTS_MAX, N = 9, PRODUCTS = 9, Q = 14, COEFFICIENTS = 1 + N + PRODUCTS };

static const law_kind kinds[] = {
    {&olo_law_linear, 1, false},           {&olo_law_spring, 1, false},
    {&olo_law_distance, 1, false},         {&olo_law_viscous, 1, false},
    {&olo_law_distance_viscous, 1, false}, {&olo_law_general, 1, false},
    {&olo_law_general, 2, true},           {&olo_law_general, 3, false},
    {&olo_law_angle_spring, 2, false},     {&olo_law_angle_viscous, 2, false},
    {&olo_law_angle_stop, 2, false},       {&olo_law_length, 1, false},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* A term with random forms, and a random step. */
typedef struct sample {
    ridge_law ridge;
    olo_general_law general;
    double c[OLO_LAW_COEFFICIENTS_MAX], b[K][N];
    olo_product product[K][PRODUCTS];
    olo_form form[K];
    olo_term term;
    double q0[Q], q1[Q], qm[Q], dq[Q], w[N];
    double angles[3]; /* the law uses the last one */
    olo_interval interval;

    // the same in full precision
    quad_law exact;
    quad coefficient[K][COEFFICIENTS];
    quad p0[Q], p1[Q];
    quad d; /* step of differences */
} sample;

static const int coordinates[N] = {0, 1, 2, 4, 5, 7, 8, 10, 13};

/* Two points a and b, local 0..2 and 3..5: e = 1/2 |b - a|^2. */
static void put_distance(olo_product *product)
{
    for (int i = 0; i < 3; i++) {
        product[3 * i] = (olo_product){i, i, 0.5};
        product[3 * i + 1] = (olo_product){i, i + 3, -1.0};
        product[3 * i + 2] = (olo_product){i + 3, i + 3, 0.5};
    }
}

/* With small coefficients the invariants of general laws are in [-1, 1], where the functions of the
 * tests are smooth; the others are positive, so that no difference of energies is small by
 * accident. */
static void put_form(sample *x, int k, const olo_law *law, uint64_t *seed)
{
    const bool distance =
        law == &olo_law_distance || law == &olo_law_distance_viscous || law == &olo_law_length;
    const double most = law == &olo_law_general ? 0.3 : 4.0;
    const double c = distance ? 0.4 : most * random_between(seed, 0.5, 1.0);
    for (int l = 0; l < N; l++)
        x->b[k][l] = (distance ? 0.01 : 0.1) * random_number(seed);
    for (int p = 0; p < PRODUCTS; p++) {
        const int i = p % N, j = i + (p * 5 + k) % (N - i);
        x->product[k][p] = (olo_product){i, j, 0.3 * random_number(seed)};
    }
    if (distance)
        put_distance(x->product[k]);
    x->form[k] = (olo_form){.c = c,
                            .size = N,
                            .products = PRODUCTS,
                            .index = coordinates,
                            .b = x->b[k],
                            .product = x->product[k]};
    x->coefficient[k][0] = c;
    for (int l = 0; l < N; l++)
        x->coefficient[k][1 + l] = x->b[k][l];
    for (int p = 0; p < PRODUCTS; p++)
        x->coefficient[k][1 + N + p] = x->product[k][p].a;
}

static quad form_value(const sample *x, int k, const quad *q)
{
    const quad *c = x->coefficient[k];
    quad e = c[0];
    for (int l = 0; l < N; l++)
        e += c[1 + l] * q[coordinates[l]];
    for (int p = 0; p < PRODUCTS; p++) {
        const olo_product *y = &x->product[k][p];
        e += c[1 + N + p] * q[coordinates[y->i]] * q[coordinates[y->j]];
    }
    return e;
}

static void sample_init(sample *x, const law_kind *kind, double size, uint64_t *seed)
{
    x->ridge = ridge_random(kind->k, kind->cubic, seed);
    x->general = ridge_general(&x->ridge);
    x->c[0] = random_between(seed, 0.5, 5.0);
    x->c[1] = random_between(seed, 0.3, 1.0);
    x->c[2] = random_between(seed, 1.1, 1.9);
    for (int k = 0; k < kind->k; k++)
        put_form(x, k, kind->law, seed);
    x->term = (olo_term){.law = kind->law,
                         .context = &x->general,
                         .coefficient = x->c,
                         .forms = kind->k,
                         .form = x->form,
                         .size = N,
                         .index = coordinates,
                         .coordinate = 2};
    for (int i = 0; i < Q; i++) {
        x->q0[i] = 0.8 * random_number(seed);
        x->dq[i] = 0.4 * size * random_number(seed);
        x->q1[i] = x->q0[i] + x->dq[i];
        x->qm[i] = x->q0[i] + 0.5 * x->dq[i];
        x->p0[i] = x->q0[i];
        x->p1[i] = (quad)x->q0[i] + (quad)x->dq[i];
    }
    for (int i = 0; i < N; i++)
        x->w[i] = random_number(seed);
    x->interval = (olo_interval){.q0 = x->q0,
                                 .q1 = x->q1,
                                 .qm = x->qm,
                                 .dq = x->dq,
                                 .h = random_between(seed, 0.01, 0.1),
                                 .angles = x->angles};
    x->exact = (quad_law){.law = kind->law,
                          .k = kind->k,
                          .c = {x->c[0], x->c[1], x->c[2]},
                          .h = x->interval.h,
                          .ridge = &x->ridge};
    // half a turn at most from the angle, several turns from the principal value
    x->exact.turns = (int)(3.0 * random_number(seed));
    quad e[K] = {0};
    for (int k = 0; k < kind->k; k++)
        e[k] = form_value(x, k, x->p0);
    x->angles[2] =
        kind->law->angle ? (double)quad_unwrapped(&x->exact, e) + 3.0 * random_number(seed) : NAN;
    x->d = 1e-3 * size;
}

// -- the definition -------------------------------------------------------------------------------

static quad energy(const sample *x, const quad *q)
{
    quad e[K] = {0};
    for (int k = 0; k < x->exact.k; k++)
        e[k] = form_value(x, k, q);
    return quad_energy(&x->exact, e);
}

/* r = sum_k s_k grad e_k(qm) */
static void residual(const sample *x, quad *r)
{
    quad e0[K], e1[K], qm[Q], s[K];
    for (int k = 0; k < x->exact.k; k++) {
        e0[k] = form_value(x, k, x->p0);
        e1[k] = form_value(x, k, x->p1);
    }
    for (int i = 0; i < Q; i++)
        qm[i] = (x->p0[i] + x->p1[i]) / 2;
    quad_stress(&x->exact, e0, e1, s);
    for (int l = 0; l < N; l++)
        r[l] = 0;
    for (int k = 0; k < x->exact.k; k++) {
        const quad *c = x->coefficient[k];
        for (int l = 0; l < N; l++)
            r[l] += s[k] * c[1 + l];
        for (int p = 0; p < PRODUCTS; p++) {
            const olo_product *y = &x->product[k][p];
            r[y->i] += s[k] * c[1 + N + p] * qm[coordinates[y->j]];
            r[y->j] += s[k] * c[1 + N + p] * qm[coordinates[y->i]];
        }
    }
}

/* A perturbation: coordinate j at the end a = 0 or 1, coefficient j of the term (a = 2), or all
 * coordinates at the end 0 along w (a = 3). */
typedef struct direction {
    sample *x;
    int a, j;
    const struct direction *inner;
} direction;

static void perturb(const direction *y, quad t)
{
    sample *x = y->x;
    const int laws = x->term.law->coefficients;
    if (y->a == 0)
        x->p0[coordinates[y->j]] += t;
    else if (y->a == 1)
        x->p1[coordinates[y->j]] += t;
    else if (y->a == 2 && y->j < laws)
        x->exact.c[y->j] += t;
    else if (y->a == 2)
        x->coefficient[(y->j - laws) / COEFFICIENTS][(y->j - laws) % COEFFICIENTS] += t;
    else
        for (int l = 0; l < N; l++)
            x->p0[coordinates[l]] += t * x->w[l];
}

static void energy_along(void *context, quad t, quad *v)
{
    const direction *y = context;
    perturb(y, t);
    if (y->inner != NULL) {
        direction inner = *y->inner;
        quad_derivative(energy_along, &inner, y->x->d, 1, v);
    } else {
        *v = energy(y->x, y->x->p0);
    }
    perturb(y, -t);
}

static void residual_along(void *context, quad t, quad *r)
{
    const direction *y = context;
    perturb(y, t);
    if (y->inner != NULL) {
        direction inner = *y->inner;
        quad_derivative(residual_along, &inner, y->x->d, N, r);
    } else {
        residual(y->x, r);
    }
    perturb(y, -t);
}

static void check_block(int n, const quad *expected, const double *got, double tolerance,
                        double least)
{
    double scale = least;
    for (int i = 0; i < n; i++)
        scale = larger(scale, (double)quad_abs(expected[i]));
    for (int i = 0; i < n; i++)
        check_close((double)expected[i], got[i], tolerance * scale);
}

static double largest(int n, const double *y)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = larger(most, fabs(y[i]));
    return most;
}

// -- derivatives ----------------------------------------------------------------------------------

TEST(energy_gradient_and_hessian_follow_the_definition)
{
    uint64_t seed = 31;
    for (int kind = 0; kind < KINDS; kind++) {
        for (int trial = 0; trial < 5; trial++) {
            sample x;
            double gradient[N], hessian[N * N];
            quad first[N], second[N * N];
            sample_init(&x, &kinds[kind], 1.0, &seed);
            olo_term_gradient(&x.term, x.q0, x.angles, gradient);
            olo_term_hessian(&x.term, x.q0, x.angles, hessian);
            const quad exact = energy(&x, x.p0);
            check_close((double)exact, olo_term_energy(&x.term, x.q0, x.angles), 1e-13);
            for (int i = 0; i < N; i++) {
                direction y = {.x = &x, .a = 0, .j = i};
                quad_derivative(energy_along, &y, x.d, 1, &first[i]);
                for (int j = 0; j < N; j++) {
                    direction z = {.x = &x, .a = 0, .j = j, .inner = &y};
                    quad_derivative(energy_along, &z, x.d, 1, &second[i * N + j]);
                    check_close(hessian[j * N + i], hessian[i * N + j], 1e-14);
                }
            }
            check_block(N, first, gradient, 1e-12, 0.0);
            check_block(N * N, second, hessian, 1e-12, largest(N, gradient));
        }
    }
}

TEST(third_derivative_contracted_follows_the_definition)
{
    uint64_t seed = 32;
    for (int kind = 0; kind < KINDS; kind++) {
        sample x;
        double gradient[N], matrix[N * N];
        quad third[N * N];
        sample_init(&x, &kinds[kind], 1.0, &seed);
        olo_term_gradient(&x.term, x.q0, x.angles, gradient);
        olo_term_third(&x.term, x.q0, x.angles, x.w, matrix);
        const direction along = {.x = &x, .a = 3};
        for (int i = 0; i < N; i++) {
            const direction y = {.x = &x, .a = 0, .j = i, .inner = &along};
            for (int j = 0; j < N; j++) {
                direction z = {.x = &x, .a = 0, .j = j, .inner = &y};
                quad_derivative(energy_along, &z, x.d, 1, &third[i * N + j]);
                check_close(matrix[j * N + i], matrix[i * N + j], 1e-14);
            }
        }
        check_block(N * N, third, matrix, 1e-11, largest(N, gradient));
    }
}

/* Products with dr/dq_a and its transpose, without the matrix, are those with the matrix. */
static void check_products(const sample *x, bool midpoint, int slot, const double *matrix)
{
    olo_term_linear linear;
    double w[Q], expected[N], size = 0;
    olo_term_linearise(&x->term, &x->interval, midpoint, &linear);
    for (int i = 0; i < N * N; i++)
        size = larger(size, fabs(matrix[i]));
    for (int transposed = 0; transposed < 2; transposed++) {
        double out[Q] = {0};
        memset(w, 0, sizeof w);
        for (int i = 0; i < N; i++) {
            w[x->term.index[i]] = x->w[i];
            expected[i] = 0;
            for (int j = 0; j < N; j++)
                expected[i] += 3 * matrix[transposed ? j * N + i : i * N + j] * x->w[j];
        }
        olo_term_linear_times(&x->term, &x->interval, &linear, slot, transposed, 3.0, w, out);
        for (int i = 0; i < N; i++)
            check_close(expected[i], out[x->term.index[i]], 1e-12 * (1 + size));
    }
}

TEST(discrete_gradient_and_tangents_follow_the_definition_for_any_increment)
{
    uint64_t seed = 33;
    for (int kind = 0; kind < KINDS; kind++) {
        for (double size = 1.0; size > 5e-8; size /= 10.0) {
            sample x;
            double r[N], alone[N], tangent[2][N * N], again[N * N];
            quad exact[N], column[N], exact_tangent[N * N];
            sample_init(&x, &kinds[kind], size, &seed);
            olo_term_discrete(&x.term, &x.interval, alone, NULL);
            olo_term_discrete(&x.term, &x.interval, r, again);
            residual(&x, exact);
            check_block(N, exact, r, 1e-13, 0.0);
            check_true(memcmp(r, alone, sizeof r) == 0);
            for (int a = 0; a < 2; a++) {
                olo_term_discrete_tangent(&x.term, &x.interval, a, tangent[a]);
                for (int j = 0; j < N; j++) {
                    direction y = {.x = &x, .a = a, .j = j};
                    quad_derivative(residual_along, &y, x.d, N, column);
                    for (int i = 0; i < N; i++)
                        exact_tangent[i * N + j] = column[i];
                }
                check_block(N * N, exact_tangent, tangent[a], 1e-11, largest(N, r));
                check_products(&x, false, a, tangent[a]);
            }
            check_true(memcmp(again, tangent[1], sizeof again) == 0);
        }
    }
}

TEST(second_derivatives_contracted_follow_the_definition_in_all_slots)
{
    uint64_t seed = 34;
    for (int kind = 0; kind < KINDS; kind++) {
        for (double size = 1.0; size > (SANITIZED ? 0.5 : 5e-4); size /= 30.0) {
            sample x;
            double matrix[2][2][N * N], r[N];
            sample_init(&x, &kinds[kind], size, &seed);
            olo_term_discrete(&x.term, &x.interval, r, NULL);
            for (int ab = 0; ab < 4; ab++) {
                const int a = ab / 2, b = ab % 2;
                quad second[N * N], column[N];
                olo_term_discrete_second(&x.term, &x.interval, x.w, a, b, matrix[a][b]);
                for (int ij = 0; ij < N * N; ij++) {
                    const direction y = {.x = &x, .a = a, .j = ij / N};
                    direction z = {.x = &x, .a = b, .j = ij % N, .inner = &y};
                    quad_derivative(residual_along, &z, x.d, N, column);
                    second[ij] = 0;
                    for (int l = 0; l < N; l++)
                        second[ij] += x.w[l] * column[l];
                }
                check_block(N * N, second, matrix[a][b], 1e-9, largest(N, r));
            }
            const double scale = largest(N * N, matrix[1][1]) + largest(N * N, matrix[0][1]);
            for (int i = 0; i < N; i++) {
                for (int j = 0; j < N; j++) {
                    const int ij = i * N + j, ji = j * N + i;
                    check_close(matrix[0][0][ij], matrix[0][0][ji], 1e-13 * scale);
                    check_close(matrix[1][1][ij], matrix[1][1][ji], 1e-13 * scale);
                    check_close(matrix[0][1][ij], matrix[1][0][ji], 1e-13 * scale);
                }
            }
        }
    }
}

TEST(coefficient_derivatives_follow_the_definition)
{
    uint64_t seed = 35;
    for (int kind = 0; kind < KINDS; kind++) {
        for (double size = 1.0; size > (SANITIZED ? 0.5 : 5e-8); size /= 100.0) {
            sample x;
            double r[N], tangent[N * N], gradient[N], dg[N], dr[N];
            sample_init(&x, &kinds[kind], size, &seed);
            const int count = kinds[kind].law->coefficients + kinds[kind].k * COEFFICIENTS;
            check_equal(count, olo_term_coefficients(&x.term));
            olo_term_discrete(&x.term, &x.interval, r, tangent);
            olo_term_gradient(&x.term, x.q0, x.angles, gradient);
            const double scale = largest(N, r) + largest(N * N, tangent);
            for (int p = 0; p < count; p++) {
                quad exact[N];
                direction y = {.x = &x, .a = 2, .j = p};
                olo_term_discrete_by_coefficient(&x.term, &x.interval, p, dr);
                quad_derivative(residual_along, &y, x.d, N, exact);
                check_block(N, exact, dr, 1e-11, scale);

                olo_term_gradient_by_coefficient(&x.term, x.q0, x.angles, p, dg);
                for (int i = 0; i < N; i++) {
                    const direction inner = {.x = &x, .a = 0, .j = i};
                    y.inner = &inner;
                    quad_derivative(energy_along, &y, x.d, 1, &exact[i]);
                }
                check_block(N, exact, dg, 1e-11, largest(N, gradient));
            }
        }
    }
}

// -- laws of nature -------------------------------------------------------------------------------

/* K1: r.dq is the difference of energies and the value that the function returns, for increments of
 * any size; the work of a damper is dissipated. */
TEST(energy_balance_is_exact_for_any_increment)
{
    uint64_t seed = 36;
    for (int kind = 0; kind < KINDS; kind++) {
        for (double size = 1.0; size > 5e-13; size /= 10.0) {
            for (int trial = 0; trial < 20; trial++) {
                sample x;
                double r[N], work = 0.0, terms = 0.0;
                quad exact = 0, s[N];
                sample_init(&x, &kinds[kind], size, &seed);
                const double balance = olo_term_discrete(&x.term, &x.interval, r, NULL);
                residual(&x, s);
                for (int l = 0; l < N; l++) {
                    const int i = coordinates[l];
                    work += r[l] * x.dq[i];
                    terms += fabs(r[l] * x.dq[i]);
                    exact += s[l] * x.dq[i];
                }
                if (x.term.law->dissipative)
                    check_true(balance >= 0.0);
                else
                    exact = energy(&x, x.p1) - energy(&x, x.p0);
                check_close((double)exact, work, 1e-13 * terms);
                check_close((double)exact, balance, 1e-13 * terms);
            }
        }
    }
}

/* grad V(qm), half its Hessian and V(qm), which the tests above compare with the definition; a
 * damper does not change. */
TEST(the_midpoint_kernel_is_the_gradient_at_the_midpoint)
{
    uint64_t seed = 38;
    for (int kind = 0; kind < KINDS; kind++) {
        for (int trial = 0; trial < 20; trial++) {
            sample x;
            double r[N], alone[N], tangent[N * N], gradient[N], hessian[N * N];
            sample_init(&x, &kinds[kind], 0.3, &seed);
            double value = olo_term_midpoint(&x.term, &x.interval, r, tangent);
            double expected = olo_term_energy(&x.term, x.qm, x.angles);
            olo_term_midpoint(&x.term, &x.interval, alone, NULL);
            check_true(memcmp(r, alone, sizeof r) == 0);
            olo_term_gradient(&x.term, x.qm, x.angles, gradient);
            olo_term_hessian(&x.term, x.qm, x.angles, hessian);
            if (x.term.law->dissipative)
                expected = olo_term_discrete(&x.term, &x.interval, gradient, hessian);
            const double half = x.term.law->dissipative ? 1.0 : 0.5;
            check_close(expected, value, 1e-14 * (1 + fabs(expected)));
            double size = 0, hessian_size = 0;
            for (int i = 0; i < N * N; i++) {
                size = larger(size, fabs(gradient[i / N]));
                hessian_size = larger(hessian_size, fabs(hessian[i]));
            }
            for (int i = 0; i < N; i++)
                check_close(gradient[i], r[i], 1e-14 * size);
            for (int i = 0; i < N * N; i++)
                check_close(half * hessian[i], tangent[i], 1e-13 * hessian_size);
            if (!x.term.law->dissipative) {
                check_products(&x, true, 0, tangent);
                check_products(&x, true, 1, tangent);
            }
        }
    }
}

TEST(a_damper_has_no_energy_and_no_gradient)
{
    uint64_t seed = 37;
    for (int kind = 3; kind < 5; kind++) {
        sample x;
        double gradient[N], matrix[N * N];
        sample_init(&x, &kinds[kind], 1.0, &seed);
        check_true(x.term.law->dissipative);
        check_close(0.0, olo_term_energy(&x.term, x.q0, x.angles), 0.0);
        olo_term_gradient(&x.term, x.q0, x.angles, gradient);
        check_close(0.0, largest(N, gradient), 0.0);
        olo_term_hessian(&x.term, x.q0, x.angles, matrix);
        check_close(0.0, largest(N * N, matrix), 0.0);
        olo_term_third(&x.term, x.q0, x.angles, x.w, matrix);
        check_close(0.0, largest(N * N, matrix), 0.0);
    }
}

/* Two points in space with a law of their distance. */
typedef struct pair {
    int index[6];
    double b[6], c[2];
    olo_product product[9];
    olo_form form;
    olo_term term;
    double q0[6], q1[6], qm[6], dq[6];
    olo_interval interval;
} pair;

static void pair_init(pair *x, const olo_law *law, const double *q0, const double *dq)
{
    for (int i = 0; i < 6; i++) {
        x->index[i] = i;
        x->b[i] = 0.0;
        x->q0[i] = q0[i];
        x->dq[i] = dq[i];
        x->q1[i] = q0[i] + dq[i];
        x->qm[i] = q0[i] + 0.5 * dq[i];
    }
    x->c[0] = 40.0;
    x->c[1] = 0.6;
    put_distance(x->product);
    x->form = (olo_form){
        .c = 0.0, .size = 6, .products = 9, .index = x->index, .b = x->b, .product = x->product};
    x->term = (olo_term){.law = law, .coefficient = x->c, .forms = 1, .form = &x->form};
    x->term.size = 6;
    x->term.index = x->index;
    x->interval = (olo_interval){.q0 = x->q0, .q1 = x->q1, .qm = x->qm, .dq = x->dq, .h = 0.05};
}

/* The rotation with Cayley vector 2 a: Q = I + 2/(1 + a.a) (hat a + hat a hat a). */
static void rotate(const double *a, const double *v, double *out)
{
    const double f = 2.0 / (1.0 + a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    double av[3], aav[3];
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        av[i] = a[j] * v[k] - a[k] * v[j];
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        aav[i] = a[j] * av[k] - a[k] * av[j];
    }
    for (int i = 0; i < 3; i++)
        out[i] = v[i] + f * (av[i] + aav[i]);
}

static const olo_law *const pair_laws[] = {&olo_law_linear,           &olo_law_spring,
                                           &olo_law_distance,         &olo_law_viscous,
                                           &olo_law_distance_viscous, &olo_law_length};
enum { PAIR_LAWS = sizeof pair_laws / sizeof pair_laws[0] };

/* Equivariance: dV(Q q0, Q q1) = Q dV(q0, q1). */
TEST(the_discrete_gradient_of_a_distance_rotates_along)
{
    uint64_t seed = 38;
    for (int trial = 0; trial < 100; trial++) {
        double q[6], dq[6], a[3], turned_q[6], turned_dq[6], r[6], turned_r[6], expected[6];
        for (int i = 0; i < 6; i++) {
            q[i] = random_number(&seed);
            dq[i] = 0.5 * random_number(&seed);
            a[i % 3] = random_number(&seed);
        }
        for (int p = 0; p < 6; p += 3) {
            rotate(a, q + p, turned_q + p);
            rotate(a, dq + p, turned_dq + p);
        }
        pair x, turned;
        pair_init(&x, pair_laws[trial % PAIR_LAWS], q, dq);
        pair_init(&turned, pair_laws[trial % PAIR_LAWS], turned_q, turned_dq);
        olo_term_discrete(&x.term, &x.interval, r, NULL);
        olo_term_discrete(&turned.term, &turned.interval, turned_r, NULL);
        for (int p = 0; p < 6; p += 3)
            rotate(a, r + p, expected + p);
        for (int i = 0; i < 6; i++)
            check_close(expected[i], turned_r[i], 1e-13 * largest(6, r));
    }
}

/* Orthogonality to the generators at the midpoint: no net force, sum x_m x r = 0. */
TEST(the_discrete_gradient_of_a_distance_conserves_momentum)
{
    uint64_t seed = 39;
    for (int trial = 0; trial < 100; trial++) {
        double q[6], dq[6], r[6];
        for (int i = 0; i < 6; i++) {
            q[i] = random_number(&seed);
            dq[i] = random_number(&seed);
        }
        pair x;
        pair_init(&x, pair_laws[trial % PAIR_LAWS], q, dq);
        olo_term_discrete(&x.term, &x.interval, r, NULL);
        const double scale = largest(6, r);
        check_true(scale > 0.0);
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1) % 3, k = (i + 2) % 3;
            const double moment =
                x.qm[j] * r[k] - x.qm[k] * r[j] + x.qm[3 + j] * r[3 + k] - x.qm[3 + k] * r[3 + j];
            check_close(0.0, moment, 1e-14 * scale);
            check_close(0.0, r[i] + r[3 + i], 1e-14 * scale);
        }
    }
}

/* The energy that a damper dissipates is c0 dl^2/h, with the lengths of both configurations. */
TEST(a_damper_takes_the_square_of_the_change_of_length)
{
    const double q[6] = {0.0, 0.0, 0.0, 3.0, 0.0, 0.0}, dq[6] = {0.0, 0.0, 0.0, -3.0, 5.0, 0.0};
    double r[6];
    pair x;
    pair_init(&x, &olo_law_distance_viscous, q, dq);
    check_close(40.0 * 2.0 * 2.0 / 0.05, olo_term_discrete(&x.term, &x.interval, r, NULL), 1e-10);
}

TEST(coincident_ends_of_a_spring_give_no_force_and_a_finite_tangent)
{
    static const olo_law *const laws[] = {&olo_law_distance, &olo_law_distance_viscous};
    const double q[6] = {1.0, 2.0, 3.0, 1.0, 2.0, 3.0}, dq[6] = {0.0};
    for (int i = 0; i < 2; i++) {
        double r[6], tangent[36], second[36];
        pair x;
        pair_init(&x, laws[i], q, dq);
        check_close(0.0, olo_term_discrete(&x.term, &x.interval, r, tangent), 0.0);
        olo_term_discrete_second(&x.term, &x.interval, q, 0, 1, second);
        check_close(0.0, largest(6, r), 0.0);
        for (int j = 0; j < 36; j++)
            check_true(isfinite(tangent[j]) && isfinite(second[j]));
    }
}

TEST_MAIN(cmocka_unit_test(energy_gradient_and_hessian_follow_the_definition),
          cmocka_unit_test(third_derivative_contracted_follows_the_definition),
          cmocka_unit_test(discrete_gradient_and_tangents_follow_the_definition_for_any_increment),
          cmocka_unit_test(second_derivatives_contracted_follow_the_definition_in_all_slots),
          cmocka_unit_test(coefficient_derivatives_follow_the_definition),
          cmocka_unit_test(energy_balance_is_exact_for_any_increment),
          cmocka_unit_test(the_midpoint_kernel_is_the_gradient_at_the_midpoint),
          cmocka_unit_test(a_damper_has_no_energy_and_no_gradient),
          cmocka_unit_test(the_discrete_gradient_of_a_distance_rotates_along),
          cmocka_unit_test(the_discrete_gradient_of_a_distance_conserves_momentum),
          cmocka_unit_test(a_damper_takes_the_square_of_the_change_of_length),
          cmocka_unit_test(coincident_ends_of_a_spring_give_no_force_and_a_finite_tangent))
