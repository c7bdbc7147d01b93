/* The reduced transcription: data and functions that its files share. */
#ifndef OLO_CONTROL_REDUCED_PRIVATE_H
#define OLO_CONTROL_REDUCED_PRIVATE_H

#include <string.h>

#include "control/entries.h"
#include "control/reduced.h"
#include "kinematics/chart.h"
#include "kinematics/null_space_form.h"

/* What a variable of the redundant programme is. All but configurations are variables of this
 * programme, too. */
typedef enum olo_variable_kind {
    OLO_CONFIGURATION,
    OLO_MULTIPLIER,
    OLO_CONTROL,
    OLO_VELOCITY,
    OLO_DURATION
} olo_variable_kind;

typedef struct olo_variable {
    olo_variable_kind kind;
    int node;    /* of a control the node at the start of its interval */
    int local;   /* number among those of the same kind at the node */
    int reduced; /* variable of this programme; of a configuration the first of its node */
} olo_variable;

/* A node at the present variables. Matrices have one row for each of the n coordinates. */
typedef struct olo_reduced_node {
    olo_chart *chart;
    olo_null_form *form;
    double *J, *P, *MJ; /* [n x dof] */
} olo_reduced_node;

/* The columns of the balance of a node are the variables of this programme on which it depends,
 * with the same numbers at all nodes:
 *
 *     w of the node, of the next node, of the node before,  multipliers,
 *     controls of the interval before and of that after,  duration,  velocities at both ends
 *
 * A first, an inner and a last node have some of them, in this order. */
typedef struct olo_reduced_shape {
    int count;     /* columns; those before `other` belong to w of the node and of the next one */
    int other;     /* they do not begin a pair of the Hessian */
    int *column;   /* [count] */
    int *position; /* [all columns] in the list above, or -1 */
} olo_reduced_shape;

/* A matrix of rows over columns that have entries; other columns are zero. It exists for a node and
 * the next one, to which the blocks that begin at the node are added. */
typedef struct olo_reduced_matrix {
    int width;      /* columns with entries */
    int *of;        /* [all columns] number among these, or -1 */
    bool filled[2]; /* of the node and of the next one: with numbers other than zero */
    double *values; /* [2 x n x width] */
} olo_reduced_matrix;

/* An entry of a block of the redundant programme in terms of this one: it is added to the numbers
 * of a matrix from `to` on, times the numbers of J from `from` on, counted from node k, unless that
 * is -1. While it is planned, `to` is the row: the width of the matrix is not known yet. */
typedef struct olo_reduced_entry {
    int entry, to, column, from;
} olo_reduced_entry;

/* Entries that are passed on: they do not belong to the columns of a node. Row and column are those
 * of this programme, from the first ones of node k on. */
typedef struct olo_passed_entry {
    int entry, row, column;
    bool row_is_absolute, column_is_absolute;
    int from; /* as above */
} olo_passed_entry;

/* An entry by a coordinate, for products of the Jacobian with multipliers. */
typedef struct olo_pulled_entry {
    int entry, row, column; /* of the redundant programme, from the first ones of node k on */
} olo_pulled_entry;

/* A kind of block: where its entries belong. */
typedef struct olo_reduced_block {
    int balance_count, passed_count, pulled_count; /* of the Jacobian */
    olo_reduced_entry *balances;
    olo_passed_entry *passed;
    olo_pulled_entry *pulled;
    int pair_count, direct_count; /* of the Hessian */
    olo_reduced_entry *pairs;
    olo_passed_entry *direct;
} olo_reduced_block;

struct olo_reduced_problem {
    const olo_control_problem *problem;
    olo_redundant *full;
    const olo_nlp *of; /* the redundant programme */
    olo_pool pool;
    olo_nlp nlp;
    int n, m, dof, controls, intervals;
    int stride, row_stride;     /* variables and rows of a node */
    olo_redundant_layout under; /* of the redundant programme */
    olo_reduced_node *nodes;
    double *reference; /* [nodes x n] of the charts */
    int columns;       /* of a balance */
    olo_reduced_shape shapes[3];
    olo_reduced_block blocks[OLO_BLOCKS];
    olo_reduced_matrix A, H;               /* of balances, and of the Hessian */
    olo_entries passed_rows, direct_pairs; /* where the values of passed entries are added */
    double *x, *b, *y, *g; /* of the redundant programme: variables, rows, multipliers, gradient, */
    double *balances;      /* P^T b, [nodes x dof] */
    double *jacobian;      /* Jacobian, */
    double *hessian;       /* and a block of the Hessian */
    double *dz, *Mdz;      /* [n] difference of two multipliers z, and M times it */
    double *S, *DJ;        /* [n x dof] of one node */
    double *PA;            /* [dof x columns] products ... */
    double *JH, *JS;       /* [dof x columns], [dof x dof] */
    double *Pb, *second;   /* [dof x dof] */
    double *unit;          /* [dof x dof] ones on the diagonal */
    double *row;           /* [n] */
    double *placed_at;     /* variables of the present point, and what is evaluated there: */
    bool placed;           /* configurations, charts */
    bool balanced;         /* b, P */
    bool linear;           /* J, Jacobian of the redundant programme */
    double turn;           /* largest angle from a reference at the last of these */
};

/* The last node has no controls. */
static inline int olo_reduced_velocity(const olo_reduced *x)
{
    return (x->intervals + 1) * x->stride - x->controls;
}
static inline int olo_reduced_duration(const olo_reduced *x)
{
    return olo_reduced_velocity(x) + x->under.velocities;
}
static inline bool olo_reduced_has_interval(const olo_reduced *x, int k)
{
    return k >= 0 && k < x->intervals;
}
static inline const double *olo_reduced_configuration(const olo_reduced *x, int k)
{
    return x->x + olo_redundant_configuration(x->full, k);
}
/* The balance of a node in the redundant programme. */
static inline const double *olo_reduced_full_balance(const olo_reduced *x, int k)
{
    return x->b + (size_t)(k * x->under.row_stride);
}
static inline const olo_reduced_shape *olo_reduced_shape_of(const olo_reduced *x, int k)
{
    return &x->shapes[k == 0 ? 0 : k < x->intervals ? 1 : 2];
}
/* The first column of w, of the controls of an interval, and of the duration; `node` is relative to
 * the node of the balance, of controls that at the start of their interval. */
static inline int olo_column_of_w(const olo_reduced *x, int node)
{
    return x->dof * (node < 0 ? 2 : node);
}
static inline int olo_column_of_controls(const olo_reduced *x, int node)
{
    return 3 * x->dof + x->m + (node < 0 ? 0 : x->controls);
}
static inline int olo_column_of_duration(const olo_reduced *x)
{
    return 3 * x->dof + x->m + 2 * x->controls;
}

/* Fetches the chart of a node that follows. */
static inline void olo_reduced_fetch(const olo_reduced *x, int k)
{
    if (k <= x->intervals)
        olo_chart_fetch(x->nodes[k].chart, x->nodes[0].chart);
}

static inline void olo_reduced_add_position(olo_positions *to, int row, int column)
{
    to->row[to->count] = row;
    to->column[to->count++] = column;
}

/* --- reduced_plan.c: variables, columns and entries of the redundant programme --- */

olo_variable olo_reduced_variable(const olo_reduced *x, int variable);
/* The row of this programme that a row of the redundant one is; -1: it is one of a balance. */
int olo_reduced_row(const olo_reduced *x, int row);
/* Columns of nodes, and where every entry belongs. Returns false if memory is exhausted. */
bool olo_reduced_plan(olo_reduced *x);
/* The variable of column c at node k. */
int olo_reduced_variable_of_column(const olo_reduced *x, int k, int c);
bool olo_reduced_allocate_positions(olo_reduced *x, int count, olo_positions *positions);

/* The duration. */
static inline double olo_reduced_time(const olo_reduced *x)
{
    return x->x[x->of->variables - 1];
}

/* --- reduced_jacobian.c, reduced_hessian.c --- */

/* Configurations at a point; balances and P there, evaluated once. */
void olo_reduced_set_point(olo_reduced *x, const double *at);
void olo_reduced_balance(olo_reduced *x);
/* C (h_k-1 u_k-1 + h_k u_k)/(2 T) of degree of freedom i */
double olo_reduced_constant_force(const olo_reduced *x, int k, int i);
/* product = L^T R with L[n x rows] and R[n x columns] */
void olo_reduced_multiply(int n, int rows, const double *L, int columns, const double *R,
                          double *product);
/* Continues with the next node, whose own next one is cleared. */
void olo_reduced_advance(const olo_reduced *x, olo_reduced_matrix *matrix);
/* Adds the values of a block k to the matrices of its nodes. */
void olo_reduced_add(const olo_reduced *x, int count, const olo_reduced_entry *entries, int k,
                     const double *values, olo_reduced_matrix *to);
/* M J of node k. Adds the masses to the matrix of node k, with M J of the next one at hand, and
 * those of interval k to the gradient of z.b. */
void olo_reduced_multiply_mass(olo_reduced *x, int k);
void olo_reduced_add_mass(olo_reduced *x, int k);
void olo_reduced_pull_mass(olo_reduced *x, int k);
/* Visits passed entries of a block k, whose rows begin at `row`; values are NULL while positions
 * are recorded. */
void olo_reduced_pass(olo_reduced *x, int count, const olo_passed_entry *entries, int k, int row,
                      const double *values, olo_entries *to);
/* Bases and Jacobian of the redundant programme at a point, and the Jacobian unless it is NULL. */
void olo_reduced_differentiate(olo_reduced *x, const double *at, double *values);
void olo_reduced_jacobian(void *context, const double *at, double *values);
void olo_reduced_hessian(void *context, const double *at, double sigma, const double *y,
                         double *values);
/* The positions, in the order of the values. Return false if memory is exhausted. */
bool olo_reduced_list_jacobian(olo_reduced *x);
bool olo_reduced_list_hessian(olo_reduced *x);

#endif
