/* Systems of one structure with numbers of their own, and all numbers of a system as one block.
 *
 * A copy has its own pieces and numbers, and shares names, index lists, couplings and functions of
 * time with the system it was copied from, which lives as long as its copies do. What follows from
 * the numbers (frames, scales, redundancy, diagnostics) is not copied: olo_system_finish_numbers,
 * and kinematics/analysis.h. */
#ifndef OLO_SYSTEM_COPY_H
#define OLO_SYSTEM_COPY_H

#include "system/system.h"

/* NULL: no memory. Without `numbers` room is all there is for masses, joints, pictures, initial
 * state and implied velocities: whoever asks writes them all. */
olo_system *olo_system_copy(const olo_system *base, bool numbers);

/* The length of the model, and frames with their masses; false: no memory. */
bool olo_system_finish_numbers(olo_system *system);

/* Visits all numbers in runs, in an order that is the same for systems of one structure: masses,
 * terms, actions, constraint rows, joint coordinates, joints, points, outputs, pictures, beams,
 * implied velocities, initial state, gravity. */
typedef void olo_number_visitor(void *context, double *numbers, int count);
void olo_system_visit_numbers(olo_system *system, olo_number_visitor *visit, void *context);

#endif
