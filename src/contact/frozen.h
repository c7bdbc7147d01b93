/* Velocity jumps at a fixed configuration: impulses along contact rows, with the impulses of the
 * bilateral rows that they cause,
 *
 *     M (v' - v) = G^T s + W^T Lambda,     G (v' - v) = 0.
 *
 * Contacts see the projected Delassus matrix D = W K^-1 W^T, one solution per row. */
#ifndef OLO_CONTACT_FROZEN_H
#define OLO_CONTACT_FROZEN_H

#include "linalg/sparse.h"
#include "system/system.h"

typedef struct olo_frozen {
    const olo_system *system;
    int row_count;
    const int *row; /* [row_count] independent rows among the constraints */
    int capacity;   /* largest number of contact rows */
    int count;      /* contact rows now */
    const olo_constraint **contact_row;
    int entries, next; /* of the matrix */
    int *at_row, *at_column;
    olo_sparse *K;
    double *response; /* [capacity x (n + row_count)] v' - v and -s for a unit impulse */
    double *D;        /* [count x count] */
} olo_frozen;

/* `row` must live as long as the object. Must be freed also on failure. */
olo_status olo_frozen_create(olo_frozen *x, const olo_system *system, int row_count, const int *row,
                             int capacity, olo_error *error);
void olo_frozen_free(olo_frozen *x);

/* Factors the matrix at a configuration; no contact rows. */
olo_status olo_frozen_begin(olo_frozen *x, const olo_at *at, olo_error *error);
/* Adds a contact row; afterwards its responses to, and those of, all earlier rows are in D. */
void olo_frozen_add(olo_frozen *x, const olo_at *at, const olo_constraint *row);
/* Copies the square part of D, of the rows added so far, to matrix[count x count]. */
void olo_frozen_matrix(const olo_frozen *x, double *matrix);
/* W v of a contact row. */
double olo_frozen_rate(const olo_at *at, const olo_constraint *row, const double *v);
/* v += the jump of an impulse f[n] and of the bilateral rows, which then hold on velocities;
 * rows[row_count] += s. Overwrites f, which has n + row_count entries. */
void olo_frozen_push(olo_frozen *x, const olo_at *at, double *f, double *v, double *rows);
/* v += the jump of impulses Lambda[count]; rows[row_count] += s. */
void olo_frozen_jump(const olo_frozen *x, const double *Lambda, double *v, double *rows);

#endif
