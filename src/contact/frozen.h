/* Velocity jumps at a fixed configuration: impulses along contact rows, with the impulses of the
 * bilateral rows that they cause,
 *
 *     M (v' - v) = G^T s + W^T Lambda,     G (v' - v) = 0.
 *
 * Contacts see the projected Delassus matrix D = W K^-1 W^T, one solution per row. A form of the
 * equations, a table of functions, solves: with all multipliers s (frozen_multipliers.c), or with
 * those of closures alone (stepping/contact_reduced.c). */
#ifndef OLO_CONTACT_FROZEN_H
#define OLO_CONTACT_FROZEN_H

#include "base/pool.h"
#include "system/system.h"

typedef struct olo_frozen olo_frozen;

typedef struct olo_frozen_form {
    /* Factors the equations at a configuration. */
    olo_status (*begin)(olo_frozen *x, const olo_at *at, olo_error *error);
    /* v' - v for a unit impulse along a row, at least at the coordinates of contact rows; memory of
     * the form. */
    const double *(*respond)(olo_frozen *x, const olo_constraint *row, const double *gradient);
    /* v += the jump of an impulse f[n]; rows[row_count] += s */
    void (*jump)(olo_frozen *x, const double *f, double *v, double *rows);
    /* The same with G v' = 0 also if G v is not. NULL: not available. */
    void (*push)(olo_frozen *x, const olo_at *at, const double *f, double *v, double *rows);
} olo_frozen_form;

struct olo_frozen {
    olo_pool pool;
    const olo_system *system;
    const olo_frozen_form *form;
    void *data; /* of the form */
    int row_count;
    const int *row; /* [row_count] the constraint rows that have multipliers */
    olo_pool rows;
    int capacity; /* contact rows for which there is memory, which is in `rows` */
    int count;    /* contact rows now */
    const olo_constraint **contact_row;
    double *gradient; /* [capacity x OLO_FORM_SIZE_MAX] */
    double *impulse;  /* [n] */
    double *D;        /* [capacity x capacity] */
};

/* `row` must live as long as the object. Form and data are set by the caller. Must be freed also on
 * failure. */
olo_status olo_frozen_create(olo_frozen *x, const olo_system *system, int row_count, const int *row,
                             olo_error *error);
/* Memory for so many contact rows; those that were added are lost. */
olo_status olo_frozen_reserve(olo_frozen *x, int capacity, olo_error *error);
void olo_frozen_free(olo_frozen *x);

/* Factors the matrix at a configuration; no contact rows. */
olo_status olo_frozen_begin(olo_frozen *x, const olo_at *at, olo_error *error);
/* Adds a contact row; afterwards its responses to, and those of, all earlier rows are in D. */
void olo_frozen_add(olo_frozen *x, const olo_at *at, const olo_constraint *row);
/* Copies the square part of D, of the rows added so far, to matrix[count x count]. */
void olo_frozen_matrix(const olo_frozen *x, double *matrix);
/* W v of a contact row. */
double olo_frozen_rate(const olo_at *at, const olo_constraint *row, const double *v);
/* v += the jump of impulses Lambda[count]; rows[row_count] += s. */
void olo_frozen_jump(olo_frozen *x, const double *Lambda, double *v, double *rows);

/* The form with all multipliers. Sets form and data. */
olo_status olo_frozen_use_multipliers(olo_frozen *x, olo_error *error);
void olo_frozen_free_multipliers(olo_frozen *x);

#endif
