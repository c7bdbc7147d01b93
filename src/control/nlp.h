/* A nonlinear programme with exact sparse derivatives, as transcriptions make it and solvers and
 * certificates read it:
 *
 *     minimise f(x)   with   lower <= x <= upper,   row_lower <= c(x) <= row_upper.
 *
 * Positions of the Jacobian dc/dx and of the lower triangle of the Hessian of the Lagrangian
 * sigma f + y.c are constant. A position may occur several times: its values are summed.
 *
 * The functions never fail; where something is not defined they write NaN. They are called by one
 * thread. */
#ifndef OLO_CONTROL_NLP_H
#define OLO_CONTROL_NLP_H

#include <stddef.h>

/* Positions of a sparse matrix. */
typedef struct olo_positions {
    int count;
    int *row, *column; /* [count] */
} olo_positions;

typedef struct olo_nlp {
    void *context;
    int variables, rows;
    double *lower, *upper;         /* [variables] */
    double *row_lower, *row_upper; /* [rows] */
    olo_positions jacobian, hessian;
    double (*objective)(void *context, const double *x);
    void (*gradient)(void *context, const double *x, double *gradient);
    void (*evaluate)(void *context, const double *x, double *c);
    void (*evaluate_jacobian)(void *context, const double *x, double *values);
    void (*evaluate_hessian)(void *context, const double *x, double sigma, const double *y,
                             double *values);
} olo_nlp;

/* A bound of this size or more is none. */
#define OLO_NO_BOUND 1e20

#endif
