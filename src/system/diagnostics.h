/* Numbers of a system that only the ledger, the verdict and reports on a model read: sizes of
 * constraint rows, lever arms, sums over four frames at once, symmetries. They cost more than all
 * other numbers of a system together. A system that is compiled has them from the start; one that
 * shares its structure (olo_system_copy) measures them when they are first asked for. */
#ifndef OLO_SYSTEM_DIAGNOSTICS_H
#define OLO_SYSTEM_DIAGNOSTICS_H

#include "system/system.h"

/* Room for what is measured, at creation; false: no memory. */
bool olo_system_reserve_diagnostics(olo_system *system);

/* Measures everything once, whichever thread comes first; the others wait. False: no memory. Then
 * the ledger adds up frame by frame, and no symmetries are known. */
bool olo_system_measure(const olo_system *system);

#endif
