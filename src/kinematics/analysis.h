/* The kinematic analysis of a system: the topology with all constraint groups active, and the
 * redundancy of its closures. */
#ifndef OLO_KINEMATICS_ANALYSIS_H
#define OLO_KINEMATICS_ANALYSIS_H

#include "system/system.h"

/* Sets system->topology and system->redundancy at the end of compiling; olo_system_free frees both.
 * A system that shares the structure of another one shares its topology. */
olo_status olo_system_analyse(olo_system *system, olo_error *error);
/* The same with a topology of its own in which only some constraint groups are active, one entry
 * per group. */
olo_status olo_system_analyse_mode(olo_system *mode, const bool *active, olo_error *error);

/* All numbers of a system as one block, in an order that is the same for all systems of one
 * structure (system/coefficients.h): how many, and their values. */
size_t olo_system_numbers(const olo_system *system);
void olo_system_get_numbers(const olo_system *system, double *block);

/* Creates a system with another block of numbers. It shares structure, names, functions of time and
 * topology with `system`, whose memory is released when both are freed. Redundancy and scales are
 * computed for the new numbers. Fails with OLO_NO_MEMORY. */
olo_status olo_system_with(const olo_system *system, const double *block, olo_system **other,
                           olo_error *error);

#endif
