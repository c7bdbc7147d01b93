/* Sizes that the drifts of a run are judged against, and how far velocities are from their
 * constraints. They need more work than a ledger, change slowly, and are sampled some times in a
 * run, not at every step. */
#ifndef OLO_RESULTS_SIZES_H
#define OLO_RESULTS_SIZES_H

#include "system/system.h"

/* Of the system, or of one of its connected parts. */
typedef struct olo_sizes {
    double linear, angular; /* sums of the magnitudes of all momenta: sum |p|, sum |x| |p| */
    double virial;  /* sum |dV/dq_i| |q_i| over all terms: energy that rounding of q is a part of */
    double kinetic; /* kinetic energy */
    /* Largest rate |G v| of a constraint row, and the largest that velocities of this magnitude
     * could have, both over the size of the row: their ratio is the fraction of velocities that is
     * normal to the constraints. */
    double normal, speed;
} olo_sizes;

/* `part` has room for part_count sizes, or is NULL; `momentum` for n numbers. */
void olo_sizes_measure(const olo_system *system, const olo_state *state, double *momentum,
                       olo_sizes *whole, olo_sizes *part);

#endif
