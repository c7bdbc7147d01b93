/* dT/dq1 as a sparse matrix: the entries of the mass and of the local matrices of all pieces,
 * followed by the rows, columns and entries of the treatment. Positions of entries are computed
 * once. */
#ifndef OLO_STEPPING_ASSEMBLY_H
#define OLO_STEPPING_ASSEMBLY_H

#include "linalg/sparse.h"
#include "stepping/step.h"

/* Puts the entries of `factor` times the mass matrix, the first of which is at (row, column). */
void olo_put_mass(const olo_system *system, int row, int column, double factor, olo_sparse *matrix);

typedef struct olo_assembly {
    const olo_system *system;
    olo_sparse *matrix;
    int *piece_entry; /* first entry of each piece */
    int count;        /* number of entries of mass and pieces; those of the treatment follow */
    bool all_rows;    /* constraints without a Hessian have a local matrix, too */
    void (*more)(void *context);
    void *context; /* of that */
    double factor; /* of the sink */
} olo_assembly;

/* Analyses a matrix of size n + extra. `more` (may be NULL) puts the entries of the treatment, as
 * in olo_sparse_create. With `all_rows` every constraint has a local matrix, else only those with a
 * Hessian. */
olo_status olo_assembly_create(olo_assembly *x, const olo_system *system, int extra, bool all_rows,
                               void (*more)(void *context), void *context, olo_error *error);
void olo_assembly_free(olo_assembly *x);

/* A sink that adds `factor` times the pieces it receives. */
olo_sink olo_assembly_sink(olo_assembly *x, double factor);
/* += factor K at the entries of a piece. */
void olo_assembly_add(olo_assembly *x, int piece, double factor, const double *K);

#endif
