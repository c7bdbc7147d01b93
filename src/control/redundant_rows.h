/* Redundant constraint rows in a transcription. With the rows G of the closures of a topology and
 * the null space matrix P of its forest, a row of G P that is a combination of others belongs to a
 * constraint that the others imply. At every node of a transcription its multiplier would be
 * arbitrary and its equation without information: multiplier and row are left out. They are assumed
 * to be redundant at all configurations, as in steps; the certificate measures them. */
#ifndef OLO_CONTROL_REDUNDANT_ROWS_H
#define OLO_CONTROL_REDUNDANT_ROWS_H

#include <stdbool.h>

#include "oloid/status.h"
#include "system/system.h"

/* Marks the redundant rows among all rows of the system, `redundant`[m], from the configurations of
 * `nodes` nodes, q[nodes x n]: where G P has its largest rank, the rows that pivoting leaves. */
olo_status olo_redundant_rows_find(const olo_system *system, const double *q, int nodes,
                                   bool *redundant, olo_error *error);

#endif
