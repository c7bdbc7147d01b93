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

/* A node at the present variables. The columns of its balance are the variables of this programme
 * on which the balance depends:
 *
 *     w of the node,  w of the next node,  other columns: w of the node before, multipliers,
 *     controls of the interval before and of that after, a free duration, the velocity at the end
 *
 * Matrices over the n coordinates are stored transposed, one row per degree of freedom or column.
 */
typedef struct olo_reduced_node {
    olo_chart *chart;
    olo_null_form *form;
    double *J, *P;    /* [dof x n] */
    int first_column; /* among those of all nodes */
    int columns;      /* of the balance ... */
    int other;        /* ... and the first of the other ones */
    int *variable;    /* [columns] */
    bool *in_A;       /* [columns] whether they have entries in A; other columns are zero ... */
    bool *in_H;       /* ... and in H */
    double *A, *H;    /* [columns x n] of the balance, and of the Hessian, by J of the columns */
    int first_pair;   /* of the Hessian: the first value of the node */
} olo_reduced_node;

/* An entry of a matrix of the redundant programme in terms of this one. It is added at `to` in the
 * columns of all nodes, times the rows of J from `from` on unless that is -1. */
typedef struct olo_reduced_entry {
    int entry, to, from;
} olo_reduced_entry;

/* Entries that are passed on: they do not belong to the columns of a node. */
typedef struct olo_passed_entry {
    int entry;
    int row;    /* of this programme */
    int column; /* its variable; of a configuration the first of its node */
    int from;   /* as above */
} olo_passed_entry;

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
    int balance_count, passed_count; /* entries of the redundant Jacobian */
    olo_reduced_entry *balances;
    olo_passed_entry *passed;
    int pair_count, direct_count; /* entries of the redundant Hessian */
    olo_reduced_entry *pairs;
    olo_passed_entry *direct;
    olo_entries passed_rows, direct_pairs; /* where their values are added */
    double *x, *b, *y, *g; /* of the redundant programme: variables, rows, multipliers, gradient, */
    double *A, *H;         /* Jacobian, Hessian */
    double *J, *P;         /* of all nodes, ... */
    double *A_columns, *H_columns; /* ... and their columns */
    double *S, *DJ, *Pb;           /* [dof x n], [dof x n], [dof x dof] of one node */
    double *unit, *product, *row;  /* [dof], [dof], [n] */
    double *placed_at; /* variables of the present point, and what is evaluated there: */
    bool placed;       /* configurations, charts */
    bool balanced;     /* b */
    bool linear;       /* bases, Jacobian and its products */
    double turn;       /* largest angle from a reference at the last of these */
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
static inline bool olo_reduced_has_node(const olo_reduced *x, int k)
{
    return k >= 0 && k <= x->intervals;
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
static inline double olo_reduced_dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Adds an entry of a matrix of the redundant programme to the columns of all nodes. */
static inline void olo_reduced_add(const olo_reduced *x, const olo_reduced_entry *of,
                                   const double *values, double *columns)
{
    const double value = values[of->entry];
    double *to = columns + of->to;
    if (of->from < 0) {
        *to += value;
        return;
    }
    const double *J = x->J + of->from;
    for (int d = 0; d < x->dof; d++)
        to[d * x->n] += value * J[d * x->n];
}

/* Clears the columns that have entries, before these are added. */
static inline void olo_reduced_clear(const olo_reduced *x, int columns, const bool *used,
                                     double *matrix)
{
    for (int c = 0; c < columns; c++)
        if (used[c])
            memset(matrix + (size_t)(c * x->n), 0, (size_t)x->n * sizeof *matrix);
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
/* Columns of all nodes, and where every entry belongs. Returns false if memory is exhausted. */
bool olo_reduced_plan(olo_reduced *x);
/* The column of a variable in the balance of a node; of a configuration the first one. */
int olo_reduced_column(const olo_reduced *x, int k, const olo_variable *variable);
bool olo_reduced_allocate_positions(olo_reduced *x, int count, olo_positions *positions);

/* The duration. */
static inline double olo_reduced_time(const olo_reduced *x)
{
    return x->x[x->of->variables - 1];
}

/* --- reduced_jacobian.c, reduced_hessian.c --- */

/* Configurations, balances, bases and products at a point, each evaluated once. */
void olo_reduced_set_point(olo_reduced *x, const double *at);
void olo_reduced_balance(olo_reduced *x);
/* C (h_k-1 u_k-1 + h_k u_k)/(2 T) of degree of freedom i */
double olo_reduced_constant_force(const olo_reduced *x, int k, int i);
void olo_reduced_bases(olo_reduced *x);
void olo_reduced_differentiate(olo_reduced *x, const double *at);
void olo_reduced_jacobian(void *context, const double *at, double *values);
void olo_reduced_hessian(void *context, const double *at, double sigma, const double *y,
                         double *values);
/* The positions, in the order of the values. Return false if memory is exhausted. */
bool olo_reduced_list_jacobian(olo_reduced *x);
bool olo_reduced_list_hessian(olo_reduced *x);

#endif
