/* The redundant transcription: data and functions that its files share. */
#ifndef OLO_CONTROL_REDUNDANT_PRIVATE_H
#define OLO_CONTROL_REDUNDANT_PRIVATE_H

#include "control/entries.h"
#include "control/redundant.h"
#include "system/interval.h"

/* What a piece contributes to the balances at both ends of an interval: side[0] alpha r at its
 * start and side[1] alpha r at its end, with alpha = h/2. */
typedef struct olo_contribution {
    int piece, size;
    int index[OLO_FORM_SIZE_MAX];
    olo_acting acting;
    double side[2];
    int control;            /* of its input, or -1 */
    double factor;          /* input over control */
    unsigned first, second; /* bits of the derivatives that differ from zero */
} olo_contribution;

/* Positions of the Jacobian and of the Hessian of a kind of block. */
typedef struct olo_control_block {
    olo_entries jacobian, hessian;
} olo_control_block;

struct olo_redundant {
    const olo_control_problem *problem;
    const olo_system *system;
    olo_evaluation how;
    olo_pool pool;
    olo_nlp nlp;
    int n, m, controls, intervals; /* m = 0: without multipliers */
    int stride, row_stride;        /* variables and rows of a node */
    int path_conditions, end_conditions;
    int contribution_count;
    olo_contribution *contributions;
    olo_control_block interval, node, end;
    const double *guess;
    double *angles;   /* [nodes x joint coordinates] with the turns of the guess */
    double *momentum; /* [n] at the start */
    /* one interval at a time */
    const double *x;       /* variables */
    double h, scale;       /* h and dh/dT = 1/N */
    double *inputs;        /* [actions] */
    double *qm, *dq, *Mdq; /* [n] */
};

/* Local indices of columns in a block: variables of a node, those of the next node after them, then
 * the duration. */
static inline int olo_block_duration(const olo_redundant *x)
{
    return 2 * x->stride;
}
/* The index of a variable of block k, and of a row. */
static inline int olo_block_variable(const olo_redundant *x, int k, int local)
{
    return local == olo_block_duration(x) ? olo_redundant_duration(x) : k * x->stride + local;
}
static inline const double *olo_node_angles(const olo_redundant *x, int k)
{
    return x->angles + (size_t)k * (size_t)x->system->joint_coordinate_count;
}
/* Multipliers and path costs of a node have this part of h. */
static inline double olo_node_weight(const olo_redundant *x, int k)
{
    return k == 0 || k == x->intervals ? 0.5 : 1.0;
}
static inline bool olo_has_free_duration(const olo_redundant *x)
{
    return x->problem->free_duration;
}

/* --- redundant_interval.c --- */

olo_status olo_redundant_list_contributions(olo_redundant *x, olo_error *error);
/* Adds interval k to the balances of its two nodes. */
void olo_interval_balances(olo_redundant *x, int k, double *start, double *end);
/* Visits the entries of the Jacobian, and of the Hessian of sigma f + y.c; y are the multipliers of
 * all rows, NULL while positions are recorded. */
void olo_interval_jacobian(olo_redundant *x, int k);
void olo_interval_hessian(olo_redundant *x, int k, double sigma, const double *y);

/* --- redundant_node.c --- */

void olo_node_rows(olo_redundant *x, int k, double *c);
void olo_node_jacobian(olo_redundant *x, int k);
void olo_node_hessian(olo_redundant *x, int k, double sigma, const double *y);
/* Conditions and costs at the end. */
void olo_end_rows(olo_redundant *x, double *c);
void olo_end_jacobian(olo_redundant *x);
void olo_end_hessian(olo_redundant *x, double sigma, const double *y);
/* Costs of node k along the path, of the end if `end`; adds to the gradient unless it is NULL. */
double olo_node_cost(olo_redundant *x, int k, bool end, double *gradient);

#endif
