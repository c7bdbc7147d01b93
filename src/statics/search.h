/* The search for equilibria along a path of loads: what its ways (load steps, arc length, sliding down) share. */
#ifndef OLO_STATICS_SEARCH_H
#define OLO_STATICS_SEARCH_H

#include "oloid/statics.h"
#include "statics/rest.h"

typedef struct olo_search {
    const olo_system *system;
    const olo_statics *options;
    olo_rest *rest;
    olo_state *state;          /* moved in place */
    olo_state *before, *after; /* the last equilibrium; one to come back to */
    double *lambda;            /* multipliers of the last equilibrium */
    double *way;  /* of the arc: the direction of the step, like a change of olo_rest */
    double *last; /* of the arc: the direction of the step before */
    const olo_observer *observers;
    int observer_count;
    olo_statics_summary *summary;
    double load; /* of the last equilibrium */
} olo_search;

/* Newton at one load, from where the state is. */
olo_status olo_search_newton(olo_search *x, double load, olo_error *error);
/* After a factorisation: solves and moves, at most by `far` model lengths and radians; `size` is what it would have been. */
olo_status olo_search_move(olo_search *x, double far, double *size, olo_error *error);
/* The last increments: small enough, or no longer shrinking and small enough for rounding. */
bool olo_search_converged(const olo_search *x, double size, double before);
/* Keeps the state as an equilibrium to come back to; comes back to it. */
void olo_search_keep(olo_search *x);
void olo_search_return(olo_search *x);
/* The state is an equilibrium at `load`: judges its stability, tells observers. */
olo_status olo_search_accept(olo_search *x, double load, olo_error *error);
/* Adds a point where stability changed. */
void olo_search_add_critical(olo_search *x, double load, bool limit);

/* The ways. */
olo_status olo_search_by_load(olo_search *x, olo_error *error);
olo_status olo_search_by_arc(olo_search *x, olo_error *error);
olo_status olo_search_relax(olo_search *x, double load, olo_error *error);

#endif
