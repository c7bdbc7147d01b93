/* Systems that share one structure but have their own numbers.
 *
 * A copy has its own pieces and numbers. It shares names, index lists, couplings and functions of
 * time with the original system, which lives as long as its copies do. Data that follow from the
 * numbers (frames, scales, redundancy, diagnostics) are not copied but computed again, by
 * olo_system_finish_numbers and kinematics/analysis.h. */
#ifndef OLO_SYSTEM_COPY_H
#define OLO_SYSTEM_COPY_H

#include "system/system.h"

/* Copies a system; NULL: no memory. Without `numbers` the masses, joints, drawables, initial state
 * and implied velocities are allocated but not copied; the caller has to write all of them. */
olo_system *olo_system_copy(const olo_system *base, bool numbers);

/* Computes the length scale of the model, and the frames with their masses; false: no memory. */
bool olo_system_finish_numbers(olo_system *system);

#endif
