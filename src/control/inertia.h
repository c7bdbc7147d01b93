/* The inertia of a sparse symmetric matrix: the numbers of its negative and zero eigenvalues, from
 * its factorisation L D L^T by MUMPS. inertia.c is the only file that includes it. */
#ifndef OLO_CONTROL_INERTIA_H
#define OLO_CONTROL_INERTIA_H

#include "control/nlp.h"
#include "oloid/status.h"

/* Entries of the lower triangle of a matrix of size n; those at equal positions are summed. Fails
 * with OLO_UNSUPPORTED if the library was built without MUMPS. */
olo_status olo_inertia(int n, const olo_positions *positions, const double *values, int *negative,
                       int *zero, olo_error *error);

#endif
