/* The iteration matrix of the reduced treatment as one dense matrix (thesis B.8, B.10). */
#ifndef OLO_STEPPING_REDUCED_MATRIX_H
#define OLO_STEPPING_REDUCED_MATRIX_H

#include "stepping/step.h"

/* P^T S DF of a finished step in the joint increments of the tree; with closures, bordered by their
 * rows and columns, unscaled: [P^T S DF, h P^T G^T; G DF, 0]. */
olo_status olo_reduced_matrix(const olo_scheme *scheme, const olo_topology *topology,
                              olo_step *step, olo_square *K, olo_error *error);

#endif
