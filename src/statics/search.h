/* The search for equilibria: functions shared by path following and descent. */
#ifndef OLO_STATICS_SEARCH_H
#define OLO_STATICS_SEARCH_H

#include "oloid/statics.h"
#include "statics/static_balance.h"

typedef struct olo_search {
    const olo_system *system;
    const olo_equilibrium_options *options;
    olo_static_balance *balance;
    olo_state *state;  /* moved in place */
    olo_state *before; /* the last equilibrium, to be restored after a failed step */
    double *lambda;    /* its multipliers */
    const olo_observer *observers;
    int observer_count;
    olo_equilibrium_summary *summary;
    double load; /* of the last equilibrium */
} olo_search;

/* OLO_INTERRUPTED if an observer requests a stop. Checked in every iteration: one of a large system
 * takes long, and a descent needs many. */
olo_status olo_search_check_interrupt(const olo_search *x, olo_error *error);
/* Factors the tangent at the state. */
olo_status olo_search_factor(olo_search *x, double load, olo_error *error);
/* After a factorisation: solves and moves the state, at most by `far` model lengths and radians;
 * `size` is the size of the full increment. */
olo_status olo_search_move(olo_search *x, double far, double *size, olo_error *error);
/* True if the last increment is below the tolerance, or no longer decreases and is of the size of
 * rounding. */
bool olo_search_converged(const olo_search *x, double size, double before);
/* Saves the state as the last equilibrium; restores it. */
void olo_search_save(olo_search *x);
void olo_search_restore(olo_search *x);
/* Stores the stability of the equilibrium at `load`, with directions without stiffness, in the
 * summary. */
olo_status olo_search_judge(olo_search *x, double load, olo_error *error);
/* Accepts the state as an equilibrium at `load`, whose stability is in the summary, and calls the
 * observers. */
olo_status olo_search_accept(olo_search *x, double load, olo_error *error);

/* Writes "neighbouring nodes of beam 'b' are rotated by 45 degrees relative to each other"; false
 * if no equilibrium so far exceeds the limit. */
bool olo_search_is_coarse(const olo_search *x, char *text, size_t size);

/* Follows the path of equilibria from load 0 to the load of the options. */
olo_status olo_search_follow(olo_search *x, olo_error *error);
/* Newton's iteration with a line search to an equilibrium at `load`, whose stability is judged. */
olo_status olo_search_newton(olo_search *x, double load, olo_error *error);
/* Descends to a stable equilibrium at `load`, and judges it; `descend` also accepts it. */
olo_status olo_search_relax(olo_search *x, double load, olo_error *error);
olo_status olo_search_descend(olo_search *x, double load, olo_error *error);

#endif
