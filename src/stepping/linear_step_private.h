/* The linearised step: data and functions that its files share. */
#ifndef OLO_STEPPING_LINEAR_STEP_PRIVATE_H
#define OLO_STEPPING_LINEAR_STEP_PRIVATE_H

#include "base/pool.h"
#include "linalg/elimination.h"
#include "stepping/linear_end.h"
#include "stepping/linear_packs.h"
#include "stepping/linear_rates.h"
#include "stepping/linear_rows.h"
#include "stepping/linear_step.h"

struct olo_linear_step {
    const olo_system *system;
    const olo_scheme *scheme;
    olo_pool pool;
    olo_state *state; /* initial state of the step */
    olo_step step;
    const olo_step_record *record;
    void *reduced;                    /* tangent of the step */
    bool projects;                    /* the scheme projects velocities */
    bool ended;                       /* `end` is factored */
    const olo_step_record *projected; /* and belongs to the end of this record; NULL: unknown */
    bool turned;   /* forces are not constant: the momentum is computed from multipliers */
    bool rows;     /* rows vary, too: their gradients at the end and K1 are needed */
    bool at_start; /* `over` has the rows at the start of the last step of the backward sweep */
    const olo_topology *topology;
    olo_linear_packs *packs; /* the transpose for packs of bodies, or NULL */
    olo_linear_rates *rates; /* of schemes with consistent velocities, or NULL */
    const double *gamma;     /* [m] multipliers of the rates of rows with these, else NULL */
    const double *v_end;     /* [n] velocity at the end */
    olo_linear_rows over;    /* rows over the step ... */
    olo_linear_end end;      /* ... and at its end */
    int point_count;         /* the rows that vary are these, if only such rows do; else 0 */
    olo_point_row *points;
    double *force, *end_force; /* [3 nodes] that they balance */
    int rolling_count;         /* velocity rows: d(q0, q1).dq = 0 */
    int *rolling;
    double *gap;      /* [m] variation of rows at the end, including velocity rows */
    int curved_count; /* rows whose gradient depends on q, without internal ones */
    int *curved;
    int term_count;         /* terms with a tangent: */
    int *term;              /* [term_count] */
    olo_term_linear *terms; /* [term_count] linearised over the step */
    int pieces;             /* actions with a tangent: */
    int *piece;             /* [pieces] */
    size_t *offset;         /* [pieces] of their matrices in K0 and K1 */
    double *K0, *K1;        /* -h df/dq0, and the same with respect to q1 */
    double *D0, *D1;        /* h/2 d(f^+ - f^-)/dq0 of actions at the nodes, and that to q1 */
    double *x, *y, *z, *w;  /* [n] workspaces */
    double *F;              /* [n] balance over the step ... */
    double *mu;             /* [m] ... and multipliers of a variation, */
    double *Lambda;         /* [9 nodes] and those of internal rows */
};

/* --- linear_step.c --- */

/* Sets the step to that of a record. */
void olo_linear_set_record(olo_linear_step *x, const olo_step_record *record);

/* Computes the multipliers of all rows over the step; T already contains those of closures. */
void olo_linear_balance_step(olo_linear_step *x);

/* Sets the rows at q_end, velocity rows with the derivatives of d.dq with respect to both ends. */
void olo_linear_set_end_rows(olo_linear_step *x);

/* --- linear_products.c --- */

/* out += sum mu_i (Dd_i/Dq0) w, or the transpose; the gradient at q0 varies by its Hessian */
void olo_linear_add_start_rows(const olo_linear_step *x, bool transposed, const double *w,
                               double *out);

/* out -= sum mu_i Hess g_i(q1) w at the end */
void olo_linear_subtract_end_rows(const olo_linear_step *x, const double *w, double *out);

/* out += factor M w; uses z */
void olo_linear_add_mass(olo_linear_step *x, double factor, const double *w, double *out);

/* rho += [DT/Dq0 + sum mu_i Dd_i/Dq0] w, or the transpose */
void olo_linear_add_start(olo_linear_step *x, bool transposed, const double *w, double *rho);

/* out += h/2 d(f^+ - f^-)/dq_a w of actions at the nodes, or the transpose */
void olo_linear_add_node_forces(const olo_linear_step *x, int a, bool transposed, const double *w,
                                double *out);

/* out += [DT/Dq1 + sum mu_i Dd_i/Dq1] w, or the transpose; gradients at q0 do not vary */
void olo_linear_add_end(olo_linear_step *x, bool transposed, const double *w, double *out);

/* --- linear_momentum.c --- */

/* Writes eta, the variation of p1, from F; overwrites F and dv. */
void olo_linear_momentum_forward(olo_linear_step *x, const double *dq, const double *dq1,
                                 double *dv, double *F, const olo_step_variation *change,
                                 double *eta);

/* The transpose: adds the products with eta to gq and `start`. The caller must add x->F to y, and
 * also half of eta (x->w) for variations of the balance other than forces. */
void olo_linear_momentum_adjoint(olo_linear_step *x, const double *eta, double *gq, double *start);

#endif
