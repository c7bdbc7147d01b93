/* A result file as a table: the source of each column, and reading of blocks of rows. */
#ifndef OLO_RESULTS_RESULT_PRIVATE_H
#define OLO_RESULTS_RESULT_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "oloid/results.h"
#include "results/hdf5_file.h"

/* Some neighbouring columns of a source, [rows][count] (result_lookup.h). */
typedef struct olo_result_window {
    size_t first, count, capacity;
    double *values;
} olo_result_window;

/* A dataset of numbers whose rows are those of the table. */
typedef struct olo_result_source {
    const char *path;
    const char *units; /* of the dataset */
    size_t width;
    double *block; /* rows read last, for sources of the CSV table */
    olo_result_window window;
} olo_result_source;

/* A column is one of a source; or, with `omega`, a component of the angular velocity of the body
 * whose directors start at this column of q and v. */
typedef struct olo_result_column_source {
    const char *name;
    const char *units;
    int source;
    size_t column;
    int omega; /* 0: no; 1, 2, 3: x, y, z */
} olo_result_column_source;

/* A node, its first column and their number: position, velocity, and of a body d1, d2, d3, angular
 * velocity, three columns each. A scalar has none: it is a joint coordinate. */
typedef struct olo_result_node {
    const char *name;
    bool body;
    size_t column, columns;
} olo_result_node;

struct olo_result {
    char *path;
    olo_hdf5 *file;
    olo_pool pool;
    size_t rows;
    olo_result_source *sources;
    size_t source_count, source_capacity;
    olo_result_column_source *columns;
    size_t column_count, column_capacity;
    size_t csv_columns, csv_sources; /* the first ones: those of the CSV table */
    olo_result_node *nodes;
    size_t node_count;
    int q, v;             /* sources */
    uint32_t *name_table; /* [name_slots] columns by name, from one; made at the first search */
    size_t name_slots;
};

/* omega = 1/2 sum_I d_I x d_I', component 0, 1 or 2, from the nine numbers of the directors. */
double olo_result_omega(const double *directors, const double *rates, int component);

/* Fills the list of sources and columns of an open file. */
olo_status olo_result_find_columns(olo_result *result, olo_error *error);

#endif
