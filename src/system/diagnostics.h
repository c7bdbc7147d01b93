/* Diagnostics: numbers of a system that only the ledger, the verdict and reports on a model read
 * (sizes of constraint rows, lever arms, the ledger of four frames at once, symmetries). They cost
 * more than all other numbers of a system together. A compiled system has them at once. A system
 * that shares its structure (olo_system_copy) computes them at the first request. */
#ifndef OLO_SYSTEM_DIAGNOSTICS_H
#define OLO_SYSTEM_DIAGNOSTICS_H

#include "system/system.h"

/* Allocates memory for the diagnostics, at creation; false: no memory. */
bool olo_system_reserve_diagnostics(olo_system *system);

/* Computes the diagnostics once: the first thread computes, the others wait. False: no memory. In
 * that case the ledger sums frame by frame, and no symmetries are known. */
bool olo_system_measure(const olo_system *system);

#endif
