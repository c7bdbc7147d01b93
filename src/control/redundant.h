/* The redundant transcription of a problem of optimal control: variables are the configurations of
 * all nodes, the multipliers of all constraint rows, the controls of all intervals, and the
 * duration if it is free. With h = T/N the rows are (Leyendecker 2011, 5.9 and 5.15)
 *
 *     node 0        p0 + D1 L_d(q0, q1) + f_0^-                        = h/2 G(q0)^T lambda_0
 *     node k        D2 L_d(q_k-1, q_k) + D1 L_d(q_k, q_k+1) + f_k-1^+ + f_k^- = h G(q_k)^T lambda_k
 *     node N        D2 L_d(q_N-1, q_N) + f_N-1^+                       = h/2 G(q_N)^T lambda_N
 *     every node    g(q_k) = 0
 *
 * and conditions. Everything is polynomial or a law of the model, sparse and local in time. All
 * numbers come from the interval kernel.
 *
 * With energy-momentum-2006 the momenta p = M v of a step, M (q_k+1 - q_k) = h (p_k + p_k+1)/2 and
 * p_k+1 - p_k = -h F_k with its force F_k = dV + G^T lambda_k - f_k between q_k and q_k+1, are
 *
 *     p_k = M (q_k+1 - q_k)/h + h/2 F_k,   p_k+1 = M (q_k+1 - q_k)/h - h/2 F_k,
 *
 * and equal at each node. So the rows are those above with other forces, and with multipliers of
 * intervals; only the last node has its own, h/2 G(q_N)^T lambda_N, which project p_N. Rolling rows
 * d(q_k-1, q_k).(q_k - q_k-1) = 0 stand for g at node k.
 *
 * Layout. All nodes have the same variables and rows, the last one has no controls:
 *
 *     variables of a node    q[n]  lambda[m]  u[controls]
 *     rows of a node         balance[n]  g[m]  conditions along the path  rates of controls
 *     after the last node    variables: velocity[n] at the end, at the start, duration
 *                            rows: conditions at the end, G(q_N) v_N = 0,
 *                            conditions at the start, G(q_0) v_0 = 0
 *
 * Conditions on velocities along the path belong to the interval that begins at the node, rates to
 * the controls before and after it. The velocity v_N is a variable only if something at the end
 * depends on it; then M v_N is subtracted from the balance of node N, so that M v_N is the momentum
 * p_N^+ projected to the constraints (5.14).
 *
 * The velocity v_0 is a variable if it is free; then p0 = M v_0.
 *
 * Redundant rows (redundant_rows.h) have no bounds, and their multipliers are fixed at zero.
 *
 * What is given is expressed by bounds: the first configuration and a given duration are fixed
 * variables; if the velocity at the end is free, the last balance has no bounds and its multipliers
 * are fixed at zero. Rows that conservation laws imply have no bounds, too (conserved.h).
 *
 * The matrices consist of blocks of intervals, nodes and the end. The positions in a block are
 * found once; they are the same in all intervals and nodes (entries.h). The block of a node is the
 * sum of its own and those of its two intervals. */
#ifndef OLO_CONTROL_REDUNDANT_H
#define OLO_CONTROL_REDUNDANT_H

#include "control/nlp.h"
#include "control/problem.h"
#include "system/state.h"

typedef struct olo_redundant olo_redundant;

/* The problem must outlive the transcription; the motion begins with the velocities of `state`.
 * `guess` are the configurations of all nodes, [(intervals + 1) n], the first one is given: their
 * angles say to which turn the joint angles of a node belong during the solution. With `closures`
 * only the constraint rows that close loops have multipliers and are rows g: m is their number in
 * the layout, and the other rows are satisfied by charts (reduced.h); the balances then omit the
 * forces of controls that are constant on charts, and the Jacobian the derivatives of M dq/h by
 * configurations. */
olo_status olo_redundant_create(const olo_control_problem *problem, const olo_state *state,
                                const double *guess, bool closures, olo_redundant **transcription,
                                olo_error *error);
void olo_redundant_free(olo_redundant *transcription);

const olo_nlp *olo_redundant_nlp(const olo_redundant *transcription);
/* The variables of the initial guess: the configurations above, multipliers zero. */
void olo_redundant_start(const olo_redundant *transcription, double *x);
/* Takes the turns of joint angles from the configurations of x instead of the initial guess. */
void olo_redundant_refer(olo_redundant *transcription, const double *x);
/* Evaluates from now on in another system of the same structure: that of `problem`, from the
 * initial state `state` (design.h). */
void olo_redundant_use(olo_redundant *transcription, const olo_control_problem *problem,
                       const olo_state *state);
/* The number of constraint rows of the system that no others imply, at the first node. */
int olo_redundant_independent_rows(const olo_redundant *transcription);
/* Marks a row of the last balance as implied by others. */
void olo_redundant_drop_end_row(olo_redundant *transcription, int coordinate);

/* The blocks of which Jacobian and Hessian consist: of an interval, of a node, of the rates between
 * interval k and the next one, and of the end, where k is the last node. */
typedef enum olo_block_kind {
    OLO_BLOCK_INTERVAL,
    OLO_BLOCK_NODE,
    OLO_BLOCK_RATE,
    OLO_BLOCK_START,
    OLO_BLOCK_END,
    OLO_BLOCKS
} olo_block_kind;

bool olo_redundant_has_block(const olo_redundant *transcription, olo_block_kind kind, int k);
/* Positions in a block: rows are counted from the first one of node k; columns (in a Hessian rows,
 * too) are the variables of node k, those of the next one, the duration, the velocities at the end
 * and at the start. Rows about the start are counted from the first one of the programme.
 */
const olo_positions *olo_redundant_block(const olo_redundant *transcription, olo_block_kind kind,
                                         bool hessian);
/* The variables at which the next functions evaluate; they must remain there. */
void olo_redundant_set_point(olo_redundant *transcription, const double *x);
void olo_redundant_block_jacobian(olo_redundant *transcription, olo_block_kind kind, int k,
                                  double *values);
void olo_redundant_block_hessian(olo_redundant *transcription, olo_block_kind kind, int k,
                                 double sigma, const double *y, double *values);

/* The rows of node k at that point, with those of replaced contributions of the balances or
 * without; k increases from 0. Rows that concern the next node are complete after the next call. */
void olo_redundant_evaluate_node(olo_redundant *transcription, int k, bool replaced, double *c);

/* Momenta of interval k at x: p^- = -D1 L_d - f^- at its start and p^+ = D2 L_d + f^+ at its end,
 * n numbers each. */
void olo_redundant_momenta(olo_redundant *transcription, const double *x, int k, double *minus,
                           double *plus);

/* The multipliers of all rows and nodes, [nodes x rows of the system], that balance x best in the
 * sense of least squares: lambda = (G G^T)^-1 G b/(w h) (Leyendecker 2011, 3.26), where b is the
 * balance without multipliers. Those of redundant rows are zero. */
olo_status olo_redundant_recover_multipliers(olo_redundant *transcription, const double *x,
                                             double *lambda, olo_error *error);

/* The largest violation of a constraint row at any node, redundant rows included. */
double olo_redundant_constraint_error(olo_redundant *transcription, const double *x);

/* Indices of variables. */
int olo_redundant_configuration(const olo_redundant *transcription, int node);
int olo_redundant_multipliers(const olo_redundant *transcription, int node);
int olo_redundant_controls(const olo_redundant *transcription, int interval);
int olo_redundant_end_velocity(const olo_redundant *transcription);
int olo_redundant_start_velocity(const olo_redundant *transcription);
int olo_redundant_duration(const olo_redundant *transcription);
/* Numbers of the layout. */
typedef struct olo_redundant_layout {
    int stride, row_stride; /* variables and rows of a node */
    int multipliers;        /* m */
    const int *rows;        /* [m] the constraint rows that have them */
    /* [unknowns x controls] the reduced forces of controls where they are constant, which the
     * balances do not contain then (constant_inputs.h); NULL: the balances are complete */
    const double *constant_force;
    int path_rows;  /* rows of a node after balance and g */
    int end_rows;   /* after the last node */
    int velocities; /* n of each velocity, at the end and at the start, that is a variable ... */
    int start_velocities; /* ... of these at the start, which are the last ones */
} olo_redundant_layout;
olo_redundant_layout olo_redundant_numbers(const olo_redundant *transcription);
/* Describes a row for messages: "balance of body 'arm' at t = 0.2". */
void olo_redundant_describe(const olo_redundant *transcription, int row, double duration,
                            char *text, size_t size);

#endif
