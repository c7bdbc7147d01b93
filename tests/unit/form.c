/* Quadratic forms compared with their definition in 113 bits. */
#include "test.h"

#include "reference.h"
#include "system/form.h"

enum { N = 7, PRODUCTS = 9, Q = 12, TRIALS = 50 };

/* A random form on some of the coordinates; product 3 is a copy of product 2, which is allowed. */
typedef struct sample {
    int index[N];
    double b[N], q[Q], w[N];
    olo_product product[PRODUCTS];
    olo_form form;
} sample;

static void sample_init(sample *x, uint64_t *seed)
{
    static const int index[N] = {0, 1, 4, 5, 6, 9, 11};
    for (int l = 0; l < N; l++) {
        x->index[l] = index[l];
        x->b[l] = random_number(seed);
        x->w[l] = random_number(seed);
    }
    for (int p = 0; p < PRODUCTS; p++) {
        const int i = p % N, j = i + (p * 3) % (N - i);
        x->product[p] = (olo_product){i, j, random_number(seed)};
    }
    x->product[3].i = x->product[2].i;
    x->product[3].j = x->product[2].j;
    for (int i = 0; i < Q; i++)
        x->q[i] = random_number(seed);
    x->form = (olo_form){.c = random_number(seed),
                         .size = N,
                         .products = PRODUCTS,
                         .index = x->index,
                         .b = x->b,
                         .product = x->product};
}

/* e(q), the coefficient p being larger by t (p < 0: none) */
static quad reference_value(const olo_form *form, const quad *q, int p, quad t)
{
    quad e = form->c + (p == 0 ? t : 0);
    for (int l = 0; l < form->size; l++)
        e += (form->b[l] + (p == 1 + l ? t : 0)) * q[form->index[l]];
    for (int m = 0; m < form->products; m++) {
        const quad a = form->product[m].a + (p == 1 + form->size + m ? t : 0);
        e += a * q[form->index[form->product[m].i]] * q[form->index[form->product[m].j]];
    }
    return e;
}

/* Derivative of e in coordinate l, by a central difference: exact for a quadratic form. */
static quad reference_derivative(const olo_form *form, const quad *q, int l, int p, quad t)
{
    quad x[Q];
    for (int i = 0; i < Q; i++)
        x[i] = q[i];
    x[form->index[l]] += 1;
    const quad up = reference_value(form, x, p, t);
    x[form->index[l]] -= 2;
    return (up - reference_value(form, x, p, t)) / 2;
}

static void to_quad(int n, const double *q, quad *out)
{
    for (int i = 0; i < n; i++)
        out[i] = q[i];
}

TEST(a_form_is_constant_linear_and_products)
{
    // 5 + 2 x - y + 3 x^2 + 4 x y at x = 2, y = 10, with an unused coordinate between them
    const int index[2] = {0, 2};
    const double b[2] = {2.0, -1.0}, q[3] = {2.0, 1e30, 10.0};
    const olo_product product[2] = {{0, 0, 3.0}, {0, 1, 4.0}};
    const olo_form form = {
        .c = 5.0, .size = 2, .products = 2, .index = index, .b = b, .product = product};
    double gradient[2], matrix[4] = {0.0};
    check_close(91.0, olo_form_value(&form, q), 0.0);
    olo_form_gradient(&form, q, gradient);
    check_close(54.0, gradient[0], 0.0);
    check_close(7.0, gradient[1], 0.0);
    olo_form_add_hessian(&form, 1.0, matrix);
    check_close(6.0, matrix[0], 0.0);
    check_close(4.0, matrix[1], 0.0);
    check_close(4.0, matrix[2], 0.0);
    check_close(0.0, matrix[3], 0.0);
}

TEST(value_and_gradient_follow_the_definition)
{
    uint64_t seed = 1;
    for (int trial = 0; trial < TRIALS; trial++) {
        sample x;
        quad q[Q];
        double gradient[N];
        sample_init(&x, &seed);
        to_quad(Q, x.q, q);
        const quad value = reference_value(&x.form, q, -1, 0);
        check_close((double)value, olo_form_value(&x.form, x.q), 1e-14);
        olo_form_gradient(&x.form, x.q, gradient);
        for (int l = 0; l < N; l++)
            check_close((double)reference_derivative(&x.form, q, l, -1, 0), gradient[l], 1e-14);
    }
}

TEST(difference_is_the_midpoint_gradient_times_the_increment_for_any_size)
{
    uint64_t seed = 2;
    for (int trial = 0; trial < TRIALS; trial++) {
        for (double size = 1.0; size > 1e-13; size /= 10.0) {
            sample x;
            quad q0[Q], q1[Q];
            double dq[Q], qm[Q], difference = 0.0, terms = 0.0, gradient[N];
            sample_init(&x, &seed);
            for (int i = 0; i < Q; i++) {
                dq[i] = size * random_number(&seed);
                qm[i] = x.q[i];
                q0[i] = (quad)qm[i] - (quad)dq[i] / 2;
                q1[i] = (quad)qm[i] + (quad)dq[i] / 2;
            }
            const quad exact =
                reference_value(&x.form, q1, -1, 0) - reference_value(&x.form, q0, -1, 0);
            olo_form_gradient(&x.form, qm, gradient);
            for (int l = 0; l < N; l++) {
                difference += gradient[l] * dq[x.index[l]];
                terms += fabs(gradient[l] * dq[x.index[l]]);
            }
            check_close((double)exact, difference, 1e-14 * terms);
        }
    }
}

TEST(hessian_is_constant_symmetric_and_applied_alike)
{
    uint64_t seed = 3;
    for (int trial = 0; trial < TRIALS; trial++) {
        sample x;
        double a[N * N], aw[N], g0[N], g1[N], shifted[Q];
        sample_init(&x, &seed);
        for (int i = 0; i < N * N; i++)
            a[i] = 7.0;
        olo_form_add_hessian(&x.form, -2.5, a);
        olo_form_hessian_times(&x.form, x.w, aw);

        // A w = grad e(q + w) - grad e(q)
        memcpy(shifted, x.q, sizeof shifted);
        for (int l = 0; l < N; l++)
            shifted[x.index[l]] += x.w[l];
        olo_form_gradient(&x.form, x.q, g0);
        olo_form_gradient(&x.form, shifted, g1);
        for (int i = 0; i < N; i++) {
            double sum = 0.0;
            for (int j = 0; j < N; j++) {
                check_close(a[j * N + i], a[i * N + j], 0.0);
                sum += (a[i * N + j] - 7.0) / -2.5 * x.w[j];
            }
            check_close(g1[i] - g0[i], aw[i], 1e-14);
            check_close(aw[i], sum, 1e-14);
        }
    }
}

TEST(coefficient_derivatives_follow_the_definition)
{
    uint64_t seed = 4;
    for (int trial = 0; trial < TRIALS; trial++) {
        sample x;
        quad q[Q];
        sample_init(&x, &seed);
        to_quad(Q, x.q, q);
        check_equal(1 + N + PRODUCTS, olo_form_coefficients(&x.form));
        for (int p = 0; p < 1 + N + PRODUCTS; p++) {
            double gradient[N];
            const quad value =
                reference_value(&x.form, q, p, 1) - reference_value(&x.form, q, p, 0);
            check_close((double)value, olo_form_value_by_coefficient(&x.form, x.q, p), 1e-15);
            olo_form_gradient_by_coefficient(&x.form, x.q, p, gradient);
            for (int l = 0; l < N; l++) {
                const quad derivative = reference_derivative(&x.form, q, l, p, 1) -
                                        reference_derivative(&x.form, q, l, p, 0);
                check_close((double)derivative, gradient[l], 1e-15);
            }
        }
    }
}

TEST_MAIN(cmocka_unit_test(a_form_is_constant_linear_and_products),
          cmocka_unit_test(value_and_gradient_follow_the_definition),
          cmocka_unit_test(difference_is_the_midpoint_gradient_times_the_increment_for_any_size),
          cmocka_unit_test(hessian_is_constant_symmetric_and_applied_alike),
          cmocka_unit_test(coefficient_derivatives_follow_the_definition))
