/* A linearised step from within: what its files share. */
#ifndef OLO_STEPPING_LINEAR_STEP_PRIVATE_H
#define OLO_STEPPING_LINEAR_STEP_PRIVATE_H

#include "base/pool.h"
#include "linalg/elimination.h"
#include "stepping/linear_hinges.h"
#include "stepping/linear_rows.h"
#include "stepping/linear_step.h"

struct olo_linear_step {
    const olo_system *system;
    const olo_scheme *scheme;
    olo_pool pool;
    olo_state *state; /* the start, as a step wants it */
    olo_step step;
    const olo_step_record *record;
    void *reduced; /* tangent of the step ... */
    void *ending;  /* ... and matrix of the projection of velocities at its end */
    bool projects; /* the scheme does that */
    bool ended;    /* that is there */
    bool turned;   /* forces vary, too: the momentum comes from multipliers */
    bool rows;     /* rows change, too: their numbers at the end and K1 are wanted */
    bool at_start; /* `over` has rows at the start of the step that was gone back over last */
    const olo_topology *topology;
    olo_linear_hinges *hinges; /* the way back where all joints are hinges, or NULL */
    double scale;              /* of velocities in that */
    const double *v_end;       /* [n] the velocity there */
    olo_linear_rows over, end;
    int rolling_count; /* velocity rows: d(q0, q1).dq = 0 */
    int *rolling;
    double *gap;      /* [m] by how much rows change at the end, with velocity rows */
    int curved_count; /* rows whose gradient changes with q, none of them internal */
    int *curved;
    int pieces;            /* terms that are not constant, and actions with a tangent: */
    int *piece;            /* [pieces] */
    size_t *place;         /* [pieces] where its matrices are */
    double *K0, *K1;       /* h d(dV)/dq0 or -h df/dq0, and the same by q1 */
    double *twists;        /* [twists] */
    double *x, *y, *z, *w; /* [n] workspaces */
    double *F;             /* [n], */
    double *mu;            /* [m], */
    double *Lambda;        /* [9 nodes]: balance over the step and multipliers of a variation */
};

/* --- linear_step.c --- */

/* The step of a record, as kernels see it. */
void olo_linear_place(olo_linear_step *x, const olo_step_record *record);

/* Multipliers of all rows over the step: T of the treatment has those of closures in it. */
void olo_linear_balance_step(olo_linear_step *x);

/* out (local) = Hessian of row c at a configuration times w (local) */
void olo_linear_hessian_times(const olo_linear_step *x, const olo_constraint *row, const olo_at *at,
                              const double *w, double *out);

/* Of all coordinates those of a row. */
void olo_linear_take_local(const olo_constraint *row, const double *all, double *local);

/* Rows at q_end, with what keeps their rates at a velocity; of a step velocity rows with what keeps
 * d.dq, by both ends. */
void olo_linear_place_end_rows(olo_linear_step *x, const double *v1, bool step);

/* --- linear_products.c --- */

/* out += sum mu_i (Dd_i/Dq0) w, or the transpose; the gradient at q0 varies by its Hessian */
void olo_linear_add_start_rows(const olo_linear_step *x, bool transposed, const double *w,
                               double *out);

/* out -= sum mu_i Hess g_i(q1) w at the end */
void olo_linear_subtract_end_rows(const olo_linear_step *x, const double *w, double *out);

/* out += factor M w; uses z */
void olo_linear_add_mass(olo_linear_step *x, double factor, const double *w, double *out);

/* Right-hand sides of nodes from row[n] at q, times factor; those of closures zero. */
void olo_linear_fill_right(olo_linear_step *x, olo_elimination *el, const double *q, double factor,
                           const double *row);

/* out[n] = factor P_int(q) of the solution */
void olo_linear_take_solution(olo_linear_step *x, const olo_elimination *el, const double *q,
                              double factor, double *out);

/* rho += [DT/Dq0 + sum mu_i Dd_i/Dq0] w, or the transpose */
void olo_linear_add_start(olo_linear_step *x, bool transposed, const double *w, double *rho);

/* out += [DT/Dq1 + sum mu_i Dd_i/Dq1] w, or the transpose; gradients at q0 do not vary */
void olo_linear_add_end(olo_linear_step *x, bool transposed, const double *w, double *out);

/* --- linear_momentum.c --- */

/* eta (written), that of p1, given F (changed); dv becomes something else. */
void olo_linear_momentum_forward(olo_linear_step *x, const double *dq, const double *dq1,
                                 double *dv, double *F, const olo_step_variation *change,
                                 double *eta);

/* The transpose: adds what eta gives to gq and `start`; x->F is to come to y, and half of eta, too,
 * for what is beside forces. */
void olo_linear_momentum_adjoint(olo_linear_step *x, const double *eta, double *gq, double *start);

#endif
