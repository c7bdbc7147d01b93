/* The search for equilibria: what path following and sliding down share. */
#ifndef OLO_STATICS_SEARCH_H
#define OLO_STATICS_SEARCH_H

#include "oloid/statics.h"
#include "statics/static_balance.h"

typedef struct olo_search {
    const olo_system *system;
    const olo_equilibrium_options *options;
    olo_static_balance *rest;
    olo_state *state;  /* moved in place */
    olo_state *before; /* the last equilibrium, to come back to */
    double *lambda;    /* its multipliers */
    const olo_observer *observers;
    int observer_count;
    olo_equilibrium_summary *summary;
    double load; /* of the last equilibrium */
} olo_search;

/* OLO_INTERRUPTED if an observer wants to stop. Asked in every iteration: one of a large system
 * takes long, and sliding down needs many. */
olo_status olo_search_ask(const olo_search *x, olo_error *error);
/* Factors the tangent at the state. */
olo_status olo_search_factor(olo_search *x, double load, olo_error *error);
/* Newton at one load, from where the state is. */
olo_status olo_search_newton(olo_search *x, double load, olo_error *error);
/* After a factorisation: solves and moves, at most by `far` model lengths and radians; `size` is
 * what it would have been. */
olo_status olo_search_move(olo_search *x, double far, double *size, olo_error *error);
/* The last increments: small enough, or no longer shrinking and small enough for rounding. */
bool olo_search_converged(const olo_search *x, double size, double before);
/* Keeps the state as an equilibrium to come back to; comes back to it. */
void olo_search_keep(olo_search *x);
void olo_search_return(olo_search *x);
/* Stability of the equilibrium at `load`, with directions without stiffness, into the summary. */
olo_status olo_search_judge(olo_search *x, double load, olo_error *error);
/* The state is an equilibrium at `load`, and the summary has its stability: tells observers. */
olo_status olo_search_accept(olo_search *x, double load, olo_error *error);

/* Tells observers at the end of beams with too few elements. */
void olo_search_warn(const olo_search *x);
/* "neighbouring nodes of beam 'b' turn by 45 degrees against each other", or false where all
 * equilibria so far have less than that is too much. */
bool olo_search_is_coarse(const olo_search *x, char *text, size_t size);

/* Follows the path of equilibria from load 0 to the load of the options. */
olo_status olo_search_follow(olo_search *x, olo_error *error);
/* Slides down into a stable equilibrium at `load`. */
olo_status olo_search_relax(olo_search *x, double load, olo_error *error);

#endif
