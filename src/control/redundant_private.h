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
    bool over_intervals; /* energy-momentum-2006: multipliers and actions are those of intervals */
    olo_evaluation how;
    olo_pool pool;
    olo_nlp nlp;
    int n, m, controls, intervals;
    int *rows;              /* [m] constraint rows with multipliers */
    bool *redundant;        /* [nodes x rows of the system] */
    int stride, row_stride; /* variables and rows of a node */
    int path_conditions, end_conditions;
    int rates;      /* controls with a bound of their rate; their rows follow those of the path */
    int velocities; /* n if the velocity at the end is a variable, else 0; the same at the start: */
    int start_velocities, start_conditions;
    int contribution_count; /* in the programme first, then those that a reduced one replaces: */
    int replaced_count;
    bool on_charts;         /* the masses of the Jacobian are added there */
    bool *constant;         /* [actions] with a constant reduced force, or NULL */
    double *constant_force; /* [unknowns x controls], or NULL */
    olo_contribution *contributions;
    olo_control_block blocks[OLO_BLOCKS];
    const double *guess;
    double *angles;   /* [nodes x joint coordinates] with the turns of the guess */
    double *momentum; /* [n] at the start, if it is given */
    double *start;    /* [n] velocity at the start in the guess */
    /* one interval at a time */
    const double *x; /* variables */
    double T;
    double h, scale, part; /* h and dh/dT, and dt/dT at the start: of an interval or a node */
    bool rows_act;         /* whether multipliers of the node act there */
    double *inputs;        /* [actions] */
    double *qm, *dq, *Mdq; /* [n] */
    double *vm;            /* [n] dq/h */
    double *gq, *gv;       /* gradients of a measure */
};

/* Local indices of columns in a block: variables of a node, those of the next node after them, then
 * the duration and the velocities at the end and at the start. */
static inline int olo_block_duration(const olo_redundant *x)
{
    return 2 * x->stride;
}
static inline int olo_block_velocity(const olo_redundant *x)
{
    return 2 * x->stride + 1;
}
/* The index of a variable of block k, and of a row. */
static inline int olo_block_variable(const olo_redundant *x, int k, int local)
{
    if (local < olo_block_duration(x))
        return k * x->stride + local;
    return local == olo_block_duration(x)
               ? olo_redundant_duration(x)
               : olo_redundant_end_velocity(x) + local - olo_block_velocity(x);
}
static inline const double *olo_node_angles(const olo_redundant *x, int k)
{
    return x->angles + (size_t)k * (size_t)x->system->joint_coordinate_count;
}
/* Whether constraint row c is redundant at node k. */
static inline bool olo_is_redundant(const olo_redundant *x, int k, int c)
{
    return x->redundant[(size_t)k * (size_t)x->system->m + (size_t)c];
}
/* The times of interval k; those of node k, between the middles of its intervals, with which its
 * multipliers and costs along the path are weighted. */
static inline void olo_enter_interval(olo_redundant *x, int k)
{
    x->scale = x->problem->part[k];
    x->part = x->problem->at[k];
    x->h = x->scale * x->T;
}
static inline void olo_enter_node(olo_redundant *x, int k)
{
    x->scale = olo_control_share(x->problem, k);
    x->part = x->problem->at[k];
    x->h = x->scale * x->T;
    x->rows_act = !x->over_intervals || k == x->intervals;
}
static inline bool olo_has_free_duration(const olo_redundant *x)
{
    return x->problem->free_duration;
}

/* All rows at a point, with replaced contributions or without. */
void olo_redundant_evaluate(olo_redundant *x, const double *at, bool replaced, double *c);

/* --- redundant_blocks.c --- */

/* Finds the positions of all blocks and of the programme. Returns false if memory is exhausted. */
bool olo_redundant_record_blocks(olo_redundant *x);
void olo_redundant_jacobian(void *context, const double *at, double *values);
void olo_redundant_hessian(void *context, const double *at, double sigma, const double *y,
                           double *values);

/* --- redundant_interval.c --- */

olo_status olo_redundant_list_contributions(olo_redundant *x, olo_error *error);
/* Adds interval k to the balances of its two nodes, with replaced contributions or without. */
void olo_interval_balances(olo_redundant *x, int k, bool replaced, double *start, double *end);
/* Visits the entries of the Jacobian, and of the Hessian of sigma f + y.c; y are the multipliers of
 * all rows, NULL while positions are recorded. */
void olo_interval_jacobian(olo_redundant *x, int k);
void olo_interval_hessian(olo_redundant *x, int k, double sigma, const double *y);

/* --- redundant_mean_rows.c: constraint forces over an interval --- */

void olo_mean_row_balances(olo_redundant *x, const olo_interval *over, double *start, double *end);
void olo_mean_row_jacobian(olo_redundant *x, const olo_interval *over);
void olo_mean_row_hessian(olo_redundant *x, const olo_interval *over, int k, const double *y);

/* --- redundant_node.c --- */

void olo_node_rows(olo_redundant *x, int k, double *c);
void olo_node_jacobian(olo_redundant *x, int k);
void olo_node_hessian(olo_redundant *x, int k, double sigma, const double *y);
/* The second derivatives of row c at a configuration: its Hessian or, with `y`, d2(y.grad g)/dq2;
 * and whether the latter differ from zero. */
void olo_row_derivative(const olo_redundant *x, int c, const olo_at *at, const double *y,
                        double *matrix);
bool olo_row_has_third_derivative(const olo_redundant *x, int c);

/* --- redundant_end.c: velocities at the start and at the end, rates of controls --- */

void olo_end_rows(olo_redundant *x, bool start, double *c);
void olo_end_jacobian(olo_redundant *x, bool start);
void olo_end_hessian(olo_redundant *x, bool start, double sigma, const double *y);
/* The first row about the start. */
int olo_redundant_start_row(const olo_redundant *x);
/* Rates between the controls of interval k and the next one. */
void olo_rate_rows(olo_redundant *x, int k, double *c);
void olo_rate_jacobian(olo_redundant *x, int k);
void olo_rate_hessian(olo_redundant *x, int k, const double *y);

/* --- redundant_quantity.c: conditions and costs --- */

typedef enum olo_location {
    OLO_AT_NODE,
    OLO_OVER_INTERVAL,
    OLO_AT_FIRST_NODE,
    OLO_AT_LAST_NODE
} olo_location;
olo_location olo_location_of(olo_where where, const olo_quantity *m);
/* Conditions of a location in block k. Rows are counted over all conditions along the path, at the
 * end, or at the start; the first one is `first` in the block. `y` are their multipliers. */
void olo_condition_rows(olo_redundant *x, olo_location location, int k, double *rows);
void olo_condition_jacobian(olo_redundant *x, olo_location location, int k, int first,
                            olo_entries *to);
void olo_condition_hessian(olo_redundant *x, olo_location location, int k, const double *y,
                           olo_entries *to);
/* Costs of a location in block k; adds to the gradient unless it is NULL. */
double olo_cost_value(olo_redundant *x, olo_location location, int k, double *gradient);
void olo_cost_hessian(olo_redundant *x, olo_location location, int k, double sigma,
                      olo_entries *to);

#endif
