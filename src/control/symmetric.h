/* Sparse symmetric matrices: inertia, the numbers of negative and zero eigenvalues, and solutions
 * of linear systems, from the factorisation L D L^T by MUMPS. symmetric.c is the only file that
 * includes it. */
#ifndef OLO_CONTROL_SYMMETRIC_H
#define OLO_CONTROL_SYMMETRIC_H

#include "control/nlp.h"
#include "oloid/status.h"

typedef struct olo_symmetric olo_symmetric;

/* A matrix of size n by the positions in its lower triangle, which are copied; values at equal
 * positions are summed. Fails with OLO_UNSUPPORTED if the library was built without MUMPS. */
olo_status olo_symmetric_create(int n, const olo_positions *positions, olo_symmetric **matrix,
                                olo_error *error);
void olo_symmetric_free(olo_symmetric *matrix);
/* Factors the matrix with these values. */
olo_status olo_symmetric_factor(olo_symmetric *matrix, const double *values, int *negative,
                                int *zero, olo_error *error);
/* b[n] becomes the solution of the system that was factored last. */
olo_status olo_symmetric_solve(olo_symmetric *matrix, double *b, olo_error *error);

#endif
