/* dT/dq1 as a sparse matrix: the entries of the mass and of the local matrices of all pieces,
 * followed by the rows, columns and entries of the treatment. Positions of entries are computed
 * once. */
#ifndef OLO_STEPPING_ASSEMBLY_H
#define OLO_STEPPING_ASSEMBLY_H

#include "linalg/sparse.h"
#include "stepping/step.h"

/* Positions of entries in the order in which values are added. */
typedef struct olo_pattern {
    int *row, *column; /* NULL while counting */
    int count;
} olo_pattern;
void olo_pattern_put(olo_pattern *pattern, int row, int column);
/* The entries of the mass matrix. */
void olo_pattern_put_mass(const olo_system *system, olo_pattern *pattern);
/* Analyses a matrix; `put` puts all entries and is called twice. */
olo_status olo_pattern_analyse(int size, void (*put)(void *context, olo_pattern *pattern),
                               void *context, olo_sparse **matrix, olo_error *error);

typedef struct olo_assembly {
    const olo_system *system;
    olo_sparse *matrix;
    int *piece_entry; /* first entry of each piece */
    int count;        /* number of entries of mass and pieces; those of the treatment follow */
    bool all_rows;    /* constraints without a Hessian have a local matrix, too */
    void (*more)(const olo_system *system, olo_pattern *pattern);
    double factor; /* of the sink */
} olo_assembly;

/* Analyses a matrix of size n + extra. `more` (may be NULL) adds the entries of the treatment; it
 * is called twice. With `all_rows` every constraint has a local matrix, else only those with a
 * Hessian. */
olo_status olo_assembly_create(olo_assembly *x, const olo_system *system, int extra, bool all_rows,
                               void (*more)(const olo_system *system, olo_pattern *pattern),
                               olo_error *error);
void olo_assembly_free(olo_assembly *x);

/* A sink that adds `factor` times the pieces it receives. */
olo_sink olo_assembly_sink(olo_assembly *x, double factor);
/* += factor K at the entries of a piece. */
void olo_assembly_add(olo_assembly *x, int piece, double factor, const double *K);

#endif
