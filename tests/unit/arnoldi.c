/* Eigenvalues of matrices that are given by their products, compared with closed forms. */
#include "test.h"

#include <stdbool.h>

#include "linalg/arnoldi.h"

enum { N = 200 };
static const double pi = 3.14159265358979323846;

/* x = K^-1 b of the tridiagonal matrix (-1, 2, -1) */
static void solve_chain(void *context, const double *b, double *x)
{
    double c[N];
    (void)context;
    c[0] = -0.5;
    x[0] = b[0] / 2;
    for (int i = 1; i < N; i++) {
        double pivot = 2 + c[i - 1];
        c[i] = -1 / pivot;
        x[i] = (b[i] + x[i - 1]) / pivot;
    }
    for (int i = N - 2; i >= 0; i--)
        x[i] -= c[i] * x[i + 1];
}

static void mass_of_two(void *context, const double *x, double *y)
{
    (void)context;
    for (int i = 0; i < N; i++)
        y[i] = 2 * x[i];
}

static void scatter(int n, double *x)
{
    for (int i = 0; i < n; i++)
        x[i] = sin(1.0 + i * i);
}

TEST(chain_of_masses_has_its_lowest_frequencies)
{
    enum { COUNT = 6 };
    double start[N], values[COUNT], vectors[COUNT * N];
    olo_error error = {0};
    scatter(N, start);
    check_ok(olo_arnoldi_symmetric(N, COUNT, 20, start, solve_chain, mass_of_two, NULL, values,
                                   vectors, &error),
             &error);
    for (int k = 1; k <= COUNT; k++) {
        double root = sin(k * pi / (2 * (N + 1))), nearest = 1;
        int at = 0;
        for (int i = 0; i < COUNT; i++)
            if (fabs(values[i] - 2 * root * root) < nearest) {
                nearest = fabs(values[i] - 2 * root * root);
                at = i;
            }
        check_relative(2 * root * root, values[at], 1e-11);
        /* M is two: x.M x = 1; and the shape is a sine */
        double square = 0;
        for (int i = 0; i < N; i++)
            square += 2 * vectors[at * N + i] * vectors[at * N + i];
        check_relative(1, square, 1e-11);
        for (int i = 0; i < N; i += 17)
            check_close(fabs(sin(k * pi * (i + 1) / (N + 1))) / sqrt(N + 1.0),
                        fabs(vectors[at * N + i]), 1e-9);
    }
}

/* Blocks r [cos a, -sin a; sin a, cos a] with r = 1, 1/2, 1/3 ... and a = 0.3, 0.6, ...:
 * eigenvalues r exp(+-i a). */
static void turn(void *context, const double *x, double *y)
{
    (void)context;
    for (int i = 0; i < N; i += 2) {
        double r = 2.0 / (i + 2), a = 0.15 * (i + 2);
        y[i] = r * (cos(a) * x[i] - sin(a) * x[i + 1]);
        y[i + 1] = r * (sin(a) * x[i] + cos(a) * x[i + 1]);
    }
}

TEST(rotations_have_conjugate_pairs)
{
    enum { COUNT = 6 };
    double start[N], re[COUNT + 1], im[COUNT + 1], vectors[(COUNT + 1) * N];
    int found = 0;
    olo_error error = {0};
    scatter(N, start);
    check_ok(olo_arnoldi_general(N, COUNT, 30, start, turn, NULL, re, im, vectors, &found, &error),
             &error);
    check_equal(COUNT, found);
    for (int k = 1; k <= COUNT / 2; k++) {
        bool seen = false;
        for (int i = 0; i < found; i++)
            if (im[i] > 0 && fabs(hypot(re[i], im[i]) - 1.0 / k) < 1e-10) {
                seen = true;
                check_close(cos(0.3 * k) / k, re[i], 1e-11);
                check_close(fabs(sin(0.3 * k)) / k, im[i], 1e-11);
                check_close(-im[i], im[i + 1], 1e-14);
            }
        check_true(seen);
    }
}

/* One eigenvalue only: there is no space in which to search for others. */
TEST(what_cannot_be_found_is_an_error)
{
    double start[N], values[5], vectors[5 * N];
    olo_error error = {0};
    scatter(N, start);
    check_status(OLO_NOT_CONVERGED, olo_arnoldi_symmetric(N, 5, 20, start, mass_of_two, mass_of_two,
                                                          NULL, values, vectors, &error));
    check_contains("ARPACK", error.text);
}

TEST_MAIN(cmocka_unit_test(chain_of_masses_has_its_lowest_frequencies),
          cmocka_unit_test(rotations_have_conjugate_pairs),
          cmocka_unit_test(what_cannot_be_found_is_an_error))
