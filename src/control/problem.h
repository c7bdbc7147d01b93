/* A problem of optimal control with its names resolved in a system. */
#ifndef OLO_CONTROL_PROBLEM_H
#define OLO_CONTROL_PROBLEM_H

#include "control/trajectory.h"
#include "oloid/optimize.h"
#include "system/quantity.h"
#include "system/variants.h"

/* Where a condition or a cost applies. */
typedef enum olo_where { OLO_AT_START, OLO_AT_END, OLO_ALONG_PATH } olo_where;

typedef struct olo_control_condition {
    olo_quantity measure;
    const char *name; /* of the quantity, NULL: an orientation */
    olo_where where;
    double lower, upper;
    const double *rotation; /* [9] an orientation, and which of its three conditions this is */
    int component;
} olo_control_condition;

/* weight (m - target) or weight (m - target)^2 */
typedef struct olo_control_cost {
    olo_quantity measure;
    const char *name; /* of the quantity */
    olo_where where;
    double weight, target;
    olo_expression *target_over_time; /* of t, or NULL */
    olo_trajectory trajectory;        /* if it has points */
    bool square;
} olo_control_cost;

/* A parameter of the model that is a variable, and its costs weight (p - target) and
 * weight (p - target)^2 together: constant + linear p + square p^2. */
typedef struct olo_control_parameter {
    const char *name;
    double lower, upper, guess;
    double constant, linear, square;
} olo_control_parameter;

/* The initial guess of the motion, and the value of a measure in it. */
typedef enum olo_guess_kind {
    OLO_GUESS_INTERPOLATED,
    OLO_GUESS_REST,
    OLO_GUESS_RUN
} olo_guess_kind;

typedef struct olo_control_guess {
    olo_quantity measure;
    double at, value; /* part of the duration */
} olo_control_guess;

/* A motion as initial guess, and controls over the times between its states; of the caller, read
 * while the problem is solved. */
typedef struct olo_given_motion {
    int count;               /* states; 0: none is given */
    const double *q, *times; /* [count x n], [count] */
    int columns;
    const double *controls; /* [count - 1 x columns] */
    int *column;            /* [controls of the problem] the column of each, -1: none */
} olo_given_motion;

typedef struct olo_control_problem {
    const olo_system *system;
    /* Charts of initial guesses have the joints of this topology: that of the system or, with
     * rolling joints, which have no charts, one without them; and the other active rows */
    const olo_topology *topology;
    olo_topology *own;
    int open_count;
    int *open; /* [open_count] */
    olo_pool pool;
    int intervals;
    double *part; /* [intervals] of the duration */
    double *at;   /* [intervals + 1] the times of nodes over the duration, from 0 to 1 */
    int controls;
    const char **control_name;
    double *lower, *upper, *control_guess; /* [controls] */
    double *rate;                          /* [controls] bound of |du/dt| */
    double *effort;                        /* [controls] weight of the square */
    int input_count;                       /* driven elements: */
    const char **input_name;               /* [input_count] their names, */
    int *input_control;                    /* their controls, */
    double *input_factor;                  /* and their factors */
    int *control_of;                       /* [actions] the control of an action, or -1 */
    double *factor_of;                     /* [actions] input over control */
    int parameter_count;
    olo_control_parameter *parameters;
    const olo_variants *variants;
    int condition_count;
    olo_control_condition *conditions;
    int cost_count;
    olo_control_cost *costs;
    double
        start_time; /* of the initial state: forces, motions and targets over time depend on it */
    double duration, shortest, longest;
    bool free_duration;
    double duration_weight;
    bool rest;                         /* at the end */
    bool end_velocities;               /* a cost or condition at the end depends on velocities */
    bool free_start, start_velocities; /* configuration and velocity there are variables */
    bool reduced;                      /* transcription */
    const char *scheme;                /* the discrete mechanics */
    bool energy_momentum;              /* it is energy-momentum-2006, else variational */
    olo_guess_kind guess;
    bool inverse_dynamics;
    olo_given_motion given;
    int guess_count;
    olo_control_guess *guesses;
} olo_control_problem;

/* The entry of a problem that an error is about: "controls" and its index; NULL: the whole. */
typedef struct olo_problem_entry {
    const char *list;
    int index;
} olo_problem_entry;

olo_status olo_control_problem_create(const olo_system *system, const olo_problem *given,
                                      olo_control_problem **problem, olo_problem_entry *at,
                                      olo_error *error);
/* The part of it that is about parameters (problem_parameters.c), and a cost of one. */
olo_status olo_control_resolve_parameters(olo_control_problem *problem, const olo_problem *given,
                                          olo_problem_entry *at, olo_error *error);
olo_status olo_control_add_parameter_cost(olo_control_problem *problem,
                                          const olo_problem_cost *given, olo_error *error);
double olo_control_parameter_cost(const olo_control_problem *problem, int parameter, double p);
/* The same problem in another system of the same structure; shares memory with `problem`. Frees
 * with olo_control_problem_release. */
olo_status olo_control_problem_in(const olo_control_problem *problem, const olo_system *system,
                                  olo_control_problem **other, olo_error *error);
void olo_control_problem_release(olo_control_problem *other);
/* Checks whether a problem can have the constraint rows of the system, and finds those that charts
 * of initial guesses do not satisfy (problem_rows.c). */
olo_status olo_control_resolve_rows(olo_control_problem *problem, olo_error *error);
/* The part of it that is about the initial guess (problem_guess.c). */
olo_status olo_control_resolve_guess(olo_control_problem *problem, const olo_problem *given,
                                     olo_problem_entry *at, olo_error *error);
/* The part of the duration between the middles of both intervals of a node, or from the middle of
 * the only one. */
static inline double olo_control_share(const olo_control_problem *p, int node)
{
    return 0.5 * ((node > 0 ? p->part[node - 1] : 0) + (node < p->intervals ? p->part[node] : 0));
}
/* The time at a part of a duration. */
static inline double olo_control_time(const olo_control_problem *p, double part, double duration)
{
    return p->start_time + part * duration;
}
/* The interval that contains a part of the duration. */
int olo_control_interval_at(const olo_control_problem *problem, double part);
/* Resolves the grid of time (problem_grid.c). */
olo_status olo_control_resolve_grid(olo_control_problem *problem, const olo_problem *given,
                                    olo_error *error);
/* Whether the first configuration is a variable: also where it depends on parameters that are
 * (design.h). */
static inline bool olo_control_has_variable_start(const olo_control_problem *problem)
{
    return problem->free_start || (problem->parameter_count > 0 && !problem->reduced);
}
/* Whether the momentum at the end is zero or that of a variable: otherwise the last node has no
 * balance. */
static inline bool olo_control_has_end_balance(const olo_control_problem *problem)
{
    return problem->rest || problem->end_velocities;
}
/* The target of a cost at time t, with its first and second derivatives. */
void olo_control_target(const olo_control_cost *cost, double t, double target[3]);
/* The largest size of a measure. */
int olo_control_largest_measure(const olo_control_problem *problem);
/* The sizes of the problem by the rules of the source, with so many independent constraint rows. */
void olo_control_count(const olo_control_problem *problem, int rows, olo_certificate *certificate);
/* The control of this name, -1 if there is none. */
int olo_control_find(const olo_control_problem *problem, const char *name);
void olo_control_problem_free(olo_control_problem *problem);

#endif
