/* The verdict on a run: what it should conserve, how far it did, and whether that is ok, a warning
 * or broken. docs/verdict.md is the page for users; the rules and their numbers are in verdict.c
 * and nowhere else. */
#ifndef OLO_RESULTS_VERDICT_H
#define OLO_RESULTS_VERDICT_H

#include <stdbool.h>

#include "base/bytes.h"
#include "oloid/results.h"
#include "results/sizes.h"

/* What is followed of the system as a whole, or of one connected part: largest values over the run.
 */
typedef struct olo_conserved {
    double start[OLO_INVARIANTS_MAX];
    double drift[OLO_INVARIANTS_MAX]; /* |value - start| */
    double value[OLO_INVARIANTS_MAX]; /* |value| */
    double mass;
    double kinetic_start, strain_start;
    double potential_start; /* of gravity, springs, beams, penalties */
    double kinetic;         /* kinetic energy */
    double energy;          /* kinetic, strain and moved potential energy, work, dissipation */
    double released;        /* potential energy below that of the start */
    double work;            /* |work| */
    double linear, angular, virial; /* sizes.h */
    double normal, speed;           /* of velocities, while there was motion: sizes.h */
} olo_conserved;

/* Means of the energy over blocks of equally many states; when all are full, pairs of them become
 * one. */
enum { OLO_VERDICT_BLOCKS = 64 };
typedef struct olo_energy_blocks {
    long width, filled; /* states per block; states in the last one */
    int count;          /* full blocks */
    double mean[OLO_VERDICT_BLOCKS + 1];
} olo_energy_blocks;

/* What is followed during a run. The invariants must outlive it. */
typedef struct olo_verdict_record {
    int invariants;
    const olo_invariant *invariant[OLO_INVARIANTS_MAX];
    bool constraints;        /* there are constraints to judge */
    bool velocities;         /* and velocities to be judged with them */
    double constraint_bound; /* error that belongs to their treatment: 0 exact, infinity for a
                                penalty */
    bool energy_bounded;     /* by the scheme, not constant */
    int stages;              /* steps that a step is composed of */

    long states; /* seen so far */
    olo_conserved whole;
    int parts; /* connected parts that are followed by themselves; 0: there is one */
    olo_conserved *part;
    olo_energy_blocks blocks;
    double constraint_start, constraint_error, constraint_relative;
    double row_growth, remote; /* row_size.h */
    double reach;              /* largest distance from the origin: olo_system_reach */
    double measured_reach;     /* where row_growth was measured */
    long sampled;              /* states at the last sample of sizes */
    double sample_time;        /* its time */
    long halvings;
} olo_verdict_record;

/* Enters a state: its ledger, and how many steps were halved so far. */
void olo_verdict_add(olo_verdict_record *record, const olo_ledger *ledger, long halvings);

/* Enters the ledgers of all parts, at the first state and any other. */
void olo_verdict_add_parts(olo_verdict_record *record, const olo_ledger *ledgers);

/* Raises the sizes to those of a sample. */
void olo_verdict_raise(olo_conserved *conserved, const olo_sizes *sizes);

/* The verdicts so far: the invariants in order, then constraints and velocities; none before the
 * first state. Of a quantity that a part conserves worse than the whole, the verdict is that on the
 * part, which `system` names. */
int olo_verdict_list(const olo_verdict_record *record, const olo_system *system,
                     olo_verdict verdicts[OLO_VERDICTS_MAX]);

/* Saves or loads what has been entered. */
void olo_verdict_pass(olo_verdict_record *record, olo_bytes *bytes);

#endif
