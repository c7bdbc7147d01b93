/* An optimum: the problem with its transcription, and the point at which the solver ended. Data
 * that the files share which solve, check and describe it. */
#ifndef OLO_CONTROL_OPTIMUM_H
#define OLO_CONTROL_OPTIMUM_H

#include "control/conserved.h"
#include "control/design.h"
#include "control/presolve.h"
#include "control/reduced.h"
#include "control/redundant.h"
#include "control/solver.h"

struct olo_optimum {
    olo_pool pool;
    const olo_control_problem *problem; /* the one below, or that at the parameters found */
    olo_control_problem *given;
    olo_redundant *transcription;
    olo_design *design;   /* NULL: no parameters of the model are variables */
    olo_reduced *reduced; /* NULL: the redundant transcription is solved */
    olo_presolve *presolve;
    olo_conserved conserved;
    olo_state *state;
    bool later;          /* the motion begins at a state that was given, not at that of the model */
    double shift;        /* of the motion of its start */
    double *x;           /* variables of the redundant transcription, then parameters */
    double *lambda;      /* [nodes x rows] multipliers, if not all of them are variables */
    double *solved;      /* variables of the reduced transcription, then parameters */
    olo_nlp_point point; /* the same after presolve, with multipliers */
    olo_solve_report report;
    bool warm;     /* the solver begins with the multipliers of the point */
    bool recentre; /* the solver was stopped because charts need other references */
    olo_optimize_progress *history; /* [iterations] what the solver reported */
    size_t history_count, history_capacity;
    olo_saddle *saddles; /* at which the solver ended */
    size_t saddle_count, saddle_capacity;
    olo_refinement_level *levels; /* of a refinement */
    int level_count;
    char explanation[256];
};

/* Solves the transcribed problem from point.x: Ipopt, departures from saddle points, and how it
 * ended. */
olo_status olo_optimum_solve(olo_optimum *optimum, const olo_problem *given,
                             const olo_optimize_observer *observer, olo_error *error);

/* The time at a node, from that of the initial state on. */
static inline double olo_optimum_clock(const olo_optimum *o, int node)
{
    return o->problem->start_time + olo_optimum_time(o, node);
}
static inline int olo_optimum_variables(const olo_optimum *o)
{
    return olo_redundant_nlp(o->transcription)->variables + o->problem->parameter_count;
}

/* The variables of the transcription that is solved, then parameters. */
static inline double *olo_optimum_solved(const olo_optimum *o)
{
    return o->reduced ? o->solved : o->x;
}
/* The parameters among the variables above: those of the redundant transcription, or of the one
 * that is solved. */
static inline double *olo_optimum_parameters(const olo_optimum *o, bool solved)
{
    return solved && o->reduced ? o->solved + olo_reduced_nlp(o->reduced)->variables
                                : o->x + olo_redundant_nlp(o->transcription)->variables;
}

/* Everything but the solution: the programme of a problem at its initial guess. */
olo_status olo_optimum_prepare(const olo_system *system, const olo_problem *problem,
                               olo_optimum **optimum, olo_error *error);
/* The part of the motion of `from`, the start of an optimum, that belongs to a part of its own. */
double olo_optimum_part(const olo_optimum *optimum, const olo_optimum *from, double part);
/* Copies the multipliers of `from` to the point (warm_start.c) if the programmes have the same
 * structure, for any numbers of intervals. */
olo_status olo_optimum_copy_multipliers(olo_optimum *optimum, const olo_optimum *from,
                                        olo_error *error);

/* What a row of the programme before presolve is, where and when, for messages. */
void olo_optimum_describe(const olo_optimum *optimum, int row, char *text, size_t size);
/* Whether a body is nearer to half a turn from the orientation of a condition than to that: its
 * equations are satisfied there, too. Then the condition and the node. */
bool olo_optimum_has_opposite(const olo_optimum *optimum, int *condition, int *node);

/* The momentum of conserved motion k at the start, given by the initial velocities; p and xi are
 * memory of n numbers. */
double olo_optimum_initial_momentum(const olo_optimum *optimum, int k, double *p, double *xi);

/* Visits the states of all nodes; ends with the first status that is not OLO_OK. */
typedef olo_status olo_visit_node(void *context, int node, const olo_state *state,
                                  olo_error *error);
olo_status olo_optimum_visit_states(const olo_optimum *optimum, olo_visit_node *visit,
                                    void *context, olo_error *error);

#endif
