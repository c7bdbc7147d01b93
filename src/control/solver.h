/* Solution of nonlinear programmes by Ipopt; ipopt.c is the only file that includes it. Without
 * Ipopt at build time a solution fails with OLO_UNSUPPORTED and says what to install. Its linear
 * solver MUMPS is not thread-safe: one solution at a time per process. */
#ifndef OLO_CONTROL_SOLVER_H
#define OLO_CONTROL_SOLVER_H

#include <stdbool.h>

#include "control/nlp.h"
#include "oloid/status.h"

/* An iteration, for people who wait. */
typedef struct olo_iterate {
    int iteration;
    double objective, infeasibility, dual_infeasibility, barrier;
    bool restoring; /* the solver looks for a feasible point */
} olo_iterate;

typedef struct olo_solver_options {
    const char *linear_solver;
    double tolerance;
    int iterations;
    double seconds; /* limit of time; 0 or infinite: none */
    bool warm;      /* start from the given multipliers ... */
    double barrier; /* ... with this barrier parameter */
    double *best;   /* [variables] memory for a better point than the last one, or NULL */
    /* Called after every iteration; returns false to stop. May be NULL. */
    bool (*progress)(void *context, const olo_iterate *iterate);
    void *context;
} olo_solver_options;

/* How a solution ended. */
typedef enum olo_solved {
    OLO_SOLVED,        /* to the tolerance */
    OLO_SOLVED_NEARLY, /* the best that rounding permits */
    OLO_INFEASIBLE,    /* at a point where the violation of rows has a local minimum */
    OLO_UNBOUNDED,
    OLO_STOPPED, /* by the caller */
    OLO_LIMIT,   /* of iterations or time */
    OLO_FAILED   /* no further progress; numbers that are not finite */
} olo_solved;

/* The point: x is the initial guess before, the last point after. */
typedef struct olo_nlp_point {
    double *x;                 /* [variables] */
    double *y;                 /* [rows] multipliers of rows: grad f + A^T y + z = 0 */
    double *z_lower, *z_upper; /* [variables] of bounds, not negative: z = z_upper - z_lower */
} olo_nlp_point;

typedef struct olo_solve_report {
    olo_solved solved;
    bool overdetermined; /* it failed because there are more equations than variables */
    /* Without success: `best` of the options satisfies the rows at less cost than the last point
     * does, or than that which does not. */
    bool better;
    int iterations;
    double objective;
    double seconds;            /* in total */
    double cpu_seconds;        /* of the processor in total */
    double evaluation_seconds; /* of the processor in the functions of the programme */
} olo_solve_report;

bool olo_solver_available(void);
olo_status olo_solver_solve(const olo_nlp *nlp, const olo_solver_options *options,
                            olo_nlp_point *point, olo_solve_report *report, olo_error *error);

#endif
