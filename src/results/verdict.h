/* The verdict on a run: which quantities it should conserve, how far it conserves them, and whether
 * each is ok, a warning or broken. docs/verdict.md is the page for users; the rules and their
 * numbers are only in verdict.c. */
#ifndef OLO_RESULTS_VERDICT_H
#define OLO_RESULTS_VERDICT_H

#include <stdbool.h>

#include "base/bytes.h"
#include "oloid/results.h"
#include "results/sizes.h"

/* Largest values over the run, of the whole system or of one connected part. */
typedef struct olo_conserved {
    double start[OLO_INVARIANTS_MAX];
    double drift[OLO_INVARIANTS_MAX]; /* |value - initial value| */
    double value[OLO_INVARIANTS_MAX]; /* |value| */
    double mass;
    double initial_kinetic, initial_strain;
    double initial_potential; /* of gravity, springs, beams, penalties */
    double kinetic;           /* kinetic energy */
    double energy;            /* kinetic, strain and changed potential energy, work, dissipation */
    double released;          /* decrease of the potential energy since the start */
    double work;              /* |work| */
    double linear, angular, virial; /* sizes.h */
    double normal; /* share of the kinetic energy that is normal to the constraints */
} olo_conserved;

/* Means of the energy over blocks of equally many states; when all are full, pairs of blocks are
 * merged. */
enum { OLO_VERDICT_BLOCKS = 64 };
typedef struct olo_energy_blocks {
    long width, filled; /* states per block; states in the last one */
    int count;          /* full blocks */
    double mean[OLO_VERDICT_BLOCKS + 1];
} olo_energy_blocks;

/* Data collected during a run. The invariants must outlive it. */
typedef struct olo_verdict_record {
    int invariants;
    const olo_invariant *invariant[OLO_INVARIANTS_MAX];
    bool constraints;        /* there are constraints to judge */
    bool velocities;         /* and velocities to be judged with them */
    bool contacts;           /* there are contacts */
    double constraint_bound; /* error allowed by their treatment: 0 exact, infinity for a penalty */
    bool energy_bounded;     /* the scheme bounds the energy, it is not constant */
    int stages;              /* substeps per step */

    long states; /* states so far */
    olo_conserved whole;
    int parts; /* connected parts that are followed separately; 0: there is only one */
    olo_conserved *part;
    olo_energy_blocks blocks;
    double initial_constraint, constraint_error, constraint_relative;
    double row_growth, remote; /* row_size.h */
    double reach;              /* largest distance from the origin: olo_system_reach */
    double measured_reach;     /* where row_growth was measured */
    long sampled;              /* states at the last sample of sizes */
    double sample_time;        /* its time */
    long halvings;
    double impact, friction;          /* energy lost in contacts so far */
    double contact_gain;              /* largest energy that contacts added in a step */
    double penetration;               /* largest depth */
    double inclusion_residual;        /* largest error of impacts */
    long guarded;                     /* steps in which the energy guard reduced impulses ... */
    int guarded_first, guarded_count; /* ... in the first: a contact, number of contacts */
} olo_verdict_record;

/* Adds a state: its ledger, and how many steps were halved so far. */
void olo_verdict_add(olo_verdict_record *record, const olo_ledger *ledger, long halvings);

/* Adds what contacts did in the last step. */
void olo_verdict_add_contacts(olo_verdict_record *record, const olo_system *system,
                              const olo_state *state);

/* Adds the ledgers of all parts, at the first state and any other. */
void olo_verdict_add_parts(olo_verdict_record *record, const olo_ledger *ledgers);

/* Raises the sizes to at least those of a sample of the system or of a part; for a part `kinetic`
 * is the largest kinetic energy of the whole system, otherwise 0. */
void olo_verdict_raise(olo_conserved *conserved, const olo_sizes *sizes, double kinetic);

/* The verdicts so far: the invariants in order, then constraints, velocities and contacts; none
 * before the first state. If a part conserves a quantity worse than the whole system, the verdict
 * is that on the part, which is named with the help of `system`. */
int olo_verdict_list(const olo_verdict_record *record, const olo_system *system,
                     olo_verdict verdicts[OLO_VERDICTS_MAX]);

/* Saves or loads the collected data. */
void olo_verdict_pass(olo_verdict_record *record, olo_bytes *bytes);

#endif
