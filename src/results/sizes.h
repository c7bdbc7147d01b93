/* Sizes that the drifts of a run are compared with, and how far velocities violate the constraints.
 * They cost more than a ledger and change slowly, so they are sampled several times per run, not at
 * every step. */
#ifndef OLO_RESULTS_SIZES_H
#define OLO_RESULTS_SIZES_H

#include "system/system.h"

/* Of the system, or of one of its connected parts. */
typedef struct olo_sizes {
    double linear, angular; /* sums of the magnitudes of all momenta: sum |p|, sum |x| |p| */
    double virial; /* sum |dV/dq_i| |q_i| over all terms: the scale of energy changes by rounding of
                      q */
    double kinetic; /* kinetic energy */
    double normal;  /* kinetic energy of the velocities normal to the constraints */
} olo_sizes;

/* `normal` is the part of the velocities normal to the constraints (stepping/normal_motion.h), or
 * NULL; `part` has part_count entries, or is NULL; `momentum` has n numbers of work space. */
void olo_sizes_measure(const olo_system *system, const olo_state *state, const double *normal,
                       double *momentum, olo_sizes *whole, olo_sizes *part);

#endif
