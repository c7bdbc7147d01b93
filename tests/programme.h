/* Derivatives of a nonlinear programme against differences of fourth order, for tests. */
#ifndef OLO_TEST_PROGRAMME_H
#define OLO_TEST_PROGRAMME_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#include "control/nlp.h"

/* Relative to the largest number of a column, or one. */
#define PROGRAMME_TOLERANCE 1e-7

/* A programme at a point. A given duration is a fixed variable that has no derivatives: its number,
 * or -1. */
typedef struct programme {
    const olo_nlp *nlp;
    double *x;
    int given;
} programme;

/* Numbers between -1 and 1. */
static inline double programme_number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 23) - 1.0;
}

/* sigma f + y.c by x: the gradient of the Lagrangian. */
static inline void programme_lagrangian_gradient(const programme *b, double sigma, const double *y,
                                                 double *g)
{
    const olo_nlp *nlp = b->nlp;
    double *values = calloc((size_t)nlp->jacobian.count + 1, sizeof *values);
    nlp->gradient(nlp->context, b->x, g);
    for (int i = 0; i < nlp->variables; i++)
        g[i] *= sigma;
    nlp->evaluate_jacobian(nlp->context, b->x, values);
    for (int e = 0; e < nlp->jacobian.count; e++)
        g[nlp->jacobian.column[e]] += values[e] * y[nlp->jacobian.row[e]];
    free(values);
}

typedef void programme_function(const programme *b, const double *y, double *values);

static inline void programme_rows(const programme *b, const double *y, double *values)
{
    (void)y;
    b->nlp->evaluate(b->nlp->context, b->x, values);
    values[b->nlp->rows] = b->nlp->objective(b->nlp->context, b->x);
}

static inline void programme_lagrangian(const programme *b, const double *y, double *values)
{
    programme_lagrangian_gradient(b, 0.7, y, values);
}

/* d f/dx_i by differences of fourth order. */
static inline void programme_difference(const programme *b, programme_function *f, const double *y,
                                        int count, int i, double *by)
{
    const double h = 1e-3, at[4] = {-2, -1, 1, 2}, weight[4] = {1, -8, 8, -1}, x = b->x[i];
    double *values = calloc((size_t)count, sizeof *values);
    memset(by, 0, (size_t)count * sizeof *by);
    for (int k = 0; k < 4; k++) {
        b->x[i] = x + h * at[k];
        f(b, y, values);
        for (int j = 0; j < count; j++)
            by[j] += weight[k] * values[j] / (12 * h);
    }
    b->x[i] = x;
    free(values);
}

static inline void programme_compare(const char *what, int column, int count,
                                     const double *expected, const double *got)
{
    double largest = 1;
    for (int j = 0; j < count; j++)
        largest = larger(largest, fabs(expected[j]));
    for (int j = 0; j < count; j++)
        if (!(fabs(expected[j] - got[j]) <= PROGRAMME_TOLERANCE * largest)) {
            print_error("%s, row %d, column %d\n", what, j, column);
            check_close(expected[j], got[j], PROGRAMME_TOLERANCE * largest);
        }
}

static inline void programme_check_first(const programme *b)
{
    const olo_nlp *nlp = b->nlp;
    const int count = nlp->rows + 1;
    double *values = calloc((size_t)nlp->jacobian.count + 1, sizeof *values),
           *g = calloc((size_t)nlp->variables, sizeof *g), *by = calloc((size_t)count, sizeof *by),
           *own = calloc((size_t)count, sizeof *own);
    nlp->evaluate_jacobian(nlp->context, b->x, values);
    nlp->gradient(nlp->context, b->x, g);
    for (int i = 0; i < nlp->variables; i++) {
        if (i == b->given)
            continue;
        programme_difference(b, programme_rows, NULL, count, i, by);
        memset(own, 0, (size_t)count * sizeof *own);
        for (int e = 0; e < nlp->jacobian.count; e++)
            if (nlp->jacobian.column[e] == i)
                own[nlp->jacobian.row[e]] += values[e];
        own[nlp->rows] = g[i];
        programme_compare("Jacobian", i, count, by, own);
    }
    free(values);
    free(g);
    free(by);
    free(own);
}

static inline void programme_check_second(const programme *b)
{
    const olo_nlp *nlp = b->nlp;
    const int count = nlp->variables;
    double *values = calloc((size_t)nlp->hessian.count + 1, sizeof *values),
           *y = calloc((size_t)nlp->rows + 1, sizeof *y), *by = calloc((size_t)count, sizeof *by),
           *own = calloc((size_t)count, sizeof *own);
    unsigned seed = 3;
    for (int i = 0; i < nlp->rows; i++)
        y[i] = programme_number(&seed);
    nlp->evaluate_hessian(nlp->context, b->x, 0.7, y, values);
    for (int i = 0; i < count; i++) {
        if (i == b->given)
            continue;
        programme_difference(b, programme_lagrangian, y, count, i, by);
        memset(own, 0, (size_t)count * sizeof *own);
        for (int e = 0; e < nlp->hessian.count; e++) {
            const int r = nlp->hessian.row[e], c = nlp->hessian.column[e];
            check_true(r >= c);
            if (r == i)
                own[c] += values[e];
            else if (c == i)
                own[r] += values[e];
        }
        if (b->given >= 0)
            by[b->given] = own[b->given] = 0;
        programme_compare("Hessian", i, count, by, own);
    }
    free(values);
    free(y);
    free(by);
    free(own);
}

/* Gradient, Jacobian and Hessian of the Lagrangian; x is changed and restored. `duration` is the
 * variable of the duration. */
static inline void programme_check_derivatives_of(const olo_nlp *nlp, double *x, int duration)
{
    const bool given = nlp->lower[duration] == nlp->upper[duration];
    const programme p = {.nlp = nlp, .x = x, .given = given ? duration : -1};
    programme_check_first(&p);
    programme_check_second(&p);
}

/* The same where the duration is the last variable. */
static inline void programme_check_derivatives(const olo_nlp *nlp, double *x)
{
    programme_check_derivatives_of(nlp, x, nlp->variables - 1);
}

#endif
