/* Laws of the six strains of a beam, e = (Gamma, K), at one quadrature point (its weight is part of
 * the coefficients).
 *
 *     elastic          f = 1/2 sum_k c_k e_k^2           s_k = c_k (e0_k + e1_k)/2
 *     elastic-coupled  f = 1/2 e.C e                     s = C (e0 + e1)/2
 *     strain-rate      s = (c0/h + c1/2) C (e1 - e0)     s.(e1 - e0) >= 0, C positive semidefinite
 *
 * The stress of the elastic laws is the average of the stresses at both ends of the step, not that
 * of the averaged configuration. It is computed from the start and the increment. The last law is
 * dissipative: c0 is the relaxation time of the material (Kelvin and Voigt), c1 the coefficient of
 * algorithmic dissipation, which vanishes with h and damps motions that are fast compared with the
 * step (Armero and Romero). A matrix is stored as its upper triangle, row by row.
 */
#include "system/law.h"

#include <stddef.h>

#include "linalg/small.h"

enum { K = 6, PAIRS = K * (K + 1) / 2 };

/* Index of C_kl in the triangle. */
static int at_pair(int k, int l)
{
    const int i = k < l ? k : l, j = k < l ? l : k;
    return i * K - i * (i - 1) / 2 + j - i;
}

static void set_matrix(double factor, const double *C, double *matrix)
{
    for (int k = 0; k < K; k++)
        for (int l = 0; l < K; l++)
            matrix[k * K + l] = factor * C[at_pair(k, l)];
}

static void set_diagonal(double factor, const double *c, double *matrix)
{
    small_zero(K * K, matrix);
    for (int k = 0; k < K; k++)
        matrix[(K + 1) * k] = factor * c[k];
}

/* y = factor C x */
static void times(double factor, const double *C, const double *x, double *y)
{
    for (int k = 0; k < K; k++) {
        y[k] = 0.0;
        for (int l = 0; l < K; l++)
            y[k] += factor * C[at_pair(k, l)] * x[l];
    }
}

/* The derivative of C x with respect to the entries of C, from column `first` of a table with
 * `count` columns. */
static void by_entries(const double *x, int first, int count, double factor, double *table)
{
    for (int k = 0; k < K; k++)
        for (int l = 0; l < K; l++)
            table[k * count + first + at_pair(k, l)] = factor * x[l];
}

static void mean_of(const olo_law_input *x, double mean[K])
{
    for (int k = 0; k < K; k++)
        mean[k] = x->e0[k] + 0.5 * x->de[k];
}

static void no_second(olo_law_order order, olo_law_over *out)
{
    if (order >= OLO_LAW_SECOND) {
        small_zero(K * K * K, out->s00);
        small_zero(K * K * K, out->s01);
        small_zero(K * K * K, out->s11);
    }
}

// -- diagonal -------------------------------------------------------------------------------------

static void elastic_at(const olo_law_input *x, olo_law_order order, bool coefficients,
                       olo_law_at *out)
{
    const double *c = x->c, *e = x->e0;
    out->f = 0.0;
    for (int k = 0; k < K; k++) {
        out->f += 0.5 * c[k] * e[k] * e[k];
        out->g[k] = c[k] * e[k];
    }
    if (order >= OLO_LAW_FIRST)
        set_diagonal(1.0, c, out->gg);
    if (order >= OLO_LAW_SECOND)
        small_zero(K * K * K, out->ggg);
    if (coefficients) {
        set_diagonal(1.0, e, out->gc);
        for (int k = 0; k < K; k++)
            out->fc[k] = 0.5 * e[k] * e[k];
    }
}

static void elastic_over(const olo_law_input *x, olo_law_order order, bool coefficients,
                         olo_law_over *out)
{
    double mean[K];
    mean_of(x, mean);
    for (int k = 0; k < K; k++)
        out->s[k] = x->c[k] * mean[k];
    if (order >= OLO_LAW_FIRST) {
        set_diagonal(0.5, x->c, out->s1);
        set_diagonal(0.5, x->c, out->s0);
    }
    no_second(order, out);
    if (coefficients)
        set_diagonal(1.0, mean, out->sc);
}

const olo_law olo_law_elastic = {.name = "elastic",
                                 .invariants = K,
                                 .coefficients = K,
                                 .diagonal = true,
                                 .at = elastic_at,
                                 .over = elastic_over};

// -- coupled --------------------------------------------------------------------------------------

static void coupled_at(const olo_law_input *x, olo_law_order order, bool coefficients,
                       olo_law_at *out)
{
    const double *e = x->e0;
    times(1.0, x->c, e, out->g);
    out->f = 0.0;
    for (int k = 0; k < K; k++)
        out->f += 0.5 * e[k] * out->g[k];
    if (order >= OLO_LAW_FIRST)
        set_matrix(1.0, x->c, out->gg);
    if (order >= OLO_LAW_SECOND)
        small_zero(K * K * K, out->ggg);
    if (coefficients) {
        small_zero(K * PAIRS, out->gc);
        by_entries(e, 0, PAIRS, 1.0, out->gc);
        for (int k = 0; k < K; k++)
            for (int l = k; l < K; l++)
                out->fc[at_pair(k, l)] = (k == l ? 0.5 : 1.0) * e[k] * e[l];
    }
}

static void coupled_over(const olo_law_input *x, olo_law_order order, bool coefficients,
                         olo_law_over *out)
{
    double mean[K];
    mean_of(x, mean);
    times(1.0, x->c, mean, out->s);
    if (order >= OLO_LAW_FIRST) {
        set_matrix(0.5, x->c, out->s0);
        set_matrix(0.5, x->c, out->s1);
    }
    no_second(order, out);
    if (coefficients) {
        small_zero(K * PAIRS, out->sc);
        by_entries(mean, 0, PAIRS, 1.0, out->sc);
    }
}

const olo_law olo_law_elastic_coupled = {.name = "elastic-coupled",
                                         .invariants = K,
                                         .coefficients = PAIRS,
                                         .at = coupled_at,
                                         .over = coupled_over};

// -- dissipative ----------------------------------------------------------------------------------

enum { RATE_COEFFICIENTS = 2 + PAIRS };

static void rate_at(const olo_law_input *x, olo_law_order order, bool coefficients, olo_law_at *out)
{
    (void)x;
    out->f = 0.0;
    small_zero(K, out->g);
    if (order >= OLO_LAW_FIRST)
        small_zero(K * K, out->gg);
    if (order >= OLO_LAW_SECOND)
        small_zero(K * K * K, out->ggg);
    if (coefficients) {
        small_zero(RATE_COEFFICIENTS, out->fc);
        small_zero(K * RATE_COEFFICIENTS, out->gc);
    }
}

static void rate_over(const olo_law_input *x, olo_law_order order, bool coefficients,
                      olo_law_over *out)
{
    const double factor = x->c[0] / x->h + 0.5 * x->c[1], *C = x->c + 2;
    times(factor, C, x->de, out->s);
    if (order >= OLO_LAW_FIRST) {
        set_matrix(factor, C, out->s1);
        set_matrix(-factor, C, out->s0);
    }
    no_second(order, out);
    if (coefficients) {
        double rate[K];
        times(1.0, C, x->de, rate);
        small_zero(K * RATE_COEFFICIENTS, out->sc);
        by_entries(x->de, 2, RATE_COEFFICIENTS, factor, out->sc);
        for (int k = 0; k < K; k++) {
            out->sc[k * RATE_COEFFICIENTS] = rate[k] / x->h;
            out->sc[k * RATE_COEFFICIENTS + 1] = 0.5 * rate[k];
        }
    }
}

const olo_law olo_law_strain_rate = {.name = "strain-rate",
                                     .invariants = K,
                                     .coefficients = RATE_COEFFICIENTS,
                                     .dissipative = true,
                                     .damps = true,
                                     .at = rate_at,
                                     .over = rate_over};
