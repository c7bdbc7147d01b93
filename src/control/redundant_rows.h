/* Redundant constraint rows in a transcription. With the rows G of the closures of a topology, and
 * of rolling, and the null space matrix P of its forest, a row of G P that is a combination of
 * others belongs to a constraint that the others imply. At every node of a transcription its
 * multiplier would be arbitrary and its equation without information: multiplier and row are left
 * out. Their number is assumed to be the same at all configurations, as in steps; the certificate
 * measures them. Which rows they are is decided at every node: along a motion that turns a linkage
 * inside out, no choice leaves independent rows everywhere. */
#ifndef OLO_CONTROL_REDUNDANT_ROWS_H
#define OLO_CONTROL_REDUNDANT_ROWS_H

#include <stdbool.h>

#include "control/problem.h"

/* Marks the redundant rows of each node among all rows of the system, `redundant`[nodes x m], from
 * the configurations q[nodes x n]: the rows that pivoting leaves or, where G P has less than its
 * largest rank, those of a neighbour. */
olo_status olo_redundant_rows_find(const olo_control_problem *problem, const double *q, int nodes,
                                   bool *redundant, olo_error *error);

#endif
