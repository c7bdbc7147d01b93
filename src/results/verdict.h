/* The verdict on what a run should conserve: the largest drift of every invariant over all steps,
 * and the largest constraint error, measured with the scale that the quantity itself has in the run. */
#ifndef OLO_RESULTS_VERDICT_H
#define OLO_RESULTS_VERDICT_H

#include <stdbool.h>

#include "base/bytes.h"
#include "oloid/results.h"

/* What is followed during a run. Plain data, no ownership; the invariants must outlive it. */
typedef struct olo_verdict_book {
    int invariants;
    const olo_invariant *invariant[OLO_INVARIANTS_MAX];
    bool constraints;        /* there are constraints to judge */
    double constraint_bound; /* error that belongs to their treatment: 0 exact, infinity for a penalty */

    double energy_bound; /* the same of the scheme and the energy: infinity where it is not constant */

    long states; /* seen so far */
    double start[OLO_INVARIANTS_MAX];
    double drift[OLO_INVARIANTS_MAX]; /* largest |value - start| */
    double value[OLO_INVARIANTS_MAX]; /* largest |value| */
    double energy;                    /* scales, the largest seen: energy, |P|, |L| */
    double linear_momentum;
    double angular_momentum;
    double constraint_start, constraint_error, constraint_relative;
} olo_verdict_book;

/* Enters a state: its ledger and the value of every invariant in it. */
void olo_verdict_add(olo_verdict_book *book, const olo_ledger *ledger, const double *values);

/* Raises the scales of the momenta to the given magnitudes, for instance the sum of the magnitudes
 * of the momenta of all nodes: of a total that is zero, the drift has no other measure. */
void olo_verdict_scale(olo_verdict_book *book, double linear, double angular);

/* The verdicts so far: the invariants in order, then "constraints"; none before the first state. */
int olo_verdict_list(const olo_verdict_book *book, olo_verdict verdicts[OLO_VERDICTS_MAX]);

/* Saves or loads what has been entered. */
void olo_verdict_pass(olo_verdict_book *book, olo_bytes *bytes);

#endif
