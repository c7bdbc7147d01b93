/* Sizes that the drifts of a run are judged against, and how far velocities are from their constraints. They need more work than
 * a ledger, change slowly, and are taken at some looks in a run, not at every step. */
#ifndef OLO_RESULTS_SIZES_H
#define OLO_RESULTS_SIZES_H

#include "system/system.h"

/* Of the system, or of one of its connected parts. */
typedef struct olo_sizes {
    double linear, angular; /* sums of the magnitudes of all momenta: sum |p|, sum |x| |p| */
    double virial; /* sum |dV/dq_i| |q_i| over all terms: energy that rounding of q is a part of */
} olo_sizes;

/* `part` has room for part_count sizes, or is NULL; `momentum` for n numbers. */
void olo_sizes_measure(const olo_system *system, const olo_state *state, double *momentum,
                       olo_sizes *whole, olo_sizes *part);

/* Raises `normal` to the largest rate |G v| of a constraint row and `size` to the largest rate that velocities of this magnitude
 * could have, both over the size of the row: their ratio is the share of velocities that is normal to the constraints. */
void olo_sizes_velocities(const olo_system *system, const olo_state *state, double *normal,
                          double *size);

#endif
