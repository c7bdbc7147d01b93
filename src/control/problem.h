/* A problem of optimal control with its names resolved in a system. */
#ifndef OLO_CONTROL_PROBLEM_H
#define OLO_CONTROL_PROBLEM_H

#include "control/quantity.h"
#include "oloid/optimize.h"

/* Where a condition or a cost applies. */
typedef enum olo_where { OLO_AT_END, OLO_ALONG_PATH } olo_where;

typedef struct olo_control_condition {
    olo_quantity quantity;
    olo_where where;
    double lower, upper;
} olo_control_condition;

/* weight (m - target) or weight (m - target)^2 */
typedef struct olo_control_cost {
    olo_quantity quantity;
    olo_where where;
    double weight, target;
    bool square;
} olo_control_cost;

typedef struct olo_control_problem {
    const olo_system *system;
    olo_pool pool;
    int intervals;
    int controls;
    const char **control_name;
    double *lower, *upper, *control_guess; /* [controls] */
    double *effort;                        /* [controls] weight of the square */
    int input_count;                       /* driven elements: */
    const char **input_name;               /* [input_count] their names, */
    int *input_control;                    /* their controls, */
    double *input_factor;                  /* and their factors */
    int *control_of;                       /* [actions] the control of an action, or -1 */
    double *factor_of;                     /* [actions] input over control */
    int condition_count;
    olo_control_condition *conditions;
    int cost_count;
    olo_control_cost *costs;
    double duration, shortest, longest;
    bool free_duration;
    double duration_weight;
    bool rest;    /* at the end */
    bool reduced; /* transcription */
    int guess_count;
    olo_control_condition *guesses; /* quantities with a value at the end */
} olo_control_problem;

/* The entry of a problem that an error is about: "controls" and its index; NULL: the whole. */
typedef struct olo_problem_entry {
    const char *list;
    int index;
} olo_problem_entry;

olo_status olo_control_problem_create(const olo_system *system, const olo_problem *given,
                                      olo_control_problem **problem, olo_problem_entry *at,
                                      olo_error *error);
/* The control of this name, -1 if there is none. */
int olo_control_find(const olo_control_problem *problem, const char *name);
void olo_control_problem_free(olo_control_problem *problem);

#endif
