/* Removes from a programme what a solver should not see: variables with equal bounds, rows without
 * bounds, and rows in which no other variable remains. A transcription can then have the same
 * layout at every node, and says by bounds what is given at the ends. */
#ifndef OLO_CONTROL_PRESOLVE_H
#define OLO_CONTROL_PRESOLVE_H

#include "control/nlp.h"
#include "oloid/status.h"

typedef struct olo_presolve olo_presolve;

/* `full` must outlive the presolve. */
olo_status olo_presolve_create(const olo_nlp *full, olo_presolve **presolve, olo_error *error);
void olo_presolve_free(olo_presolve *presolve);

/* The smaller programme. */
const olo_nlp *olo_presolve_nlp(const olo_presolve *presolve);
/* The removed row without variables that is violated most at the point `full`, by more than
 * rounding, and by how much; -1: there is none. */
int olo_presolve_violated_row(olo_presolve *presolve, const double *full, double *by);
/* Takes variables and multipliers of rows from the full programme to the smaller one and back;
 * multipliers of removed rows are zero. */
void olo_presolve_shrink(const olo_presolve *presolve, const double *full, double *x);
void olo_presolve_expand(const olo_presolve *presolve, const double *x, double *full);
void olo_presolve_expand_rows(const olo_presolve *presolve, const double *y, double *full);
/* The row of the full programme that row i is; and its variable. */
int olo_presolve_row(const olo_presolve *presolve, int i);
int olo_presolve_variable(const olo_presolve *presolve, int i);

#endif
