/* Times and sizes of the steps of a run: equal steps, given sizes, or sizes that a tolerance has
 * chosen in advance. */
#ifndef OLO_STEPPING_TIME_GRID_H
#define OLO_STEPPING_TIME_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "oloid/simulate.h"

/* A step of a list. */
typedef struct olo_time_grid_step {
    double size;
    double end; /* time */
} olo_time_grid_step;

typedef struct olo_time_grid {
    const olo_run *run;
    double start;
    long steps;
    bool given;               /* sizes are given, independent of the run */
    bool listed;              /* sizes are in the list, else they are equal */
    olo_time_grid_step *list; /* [steps] */
    size_t capacity;          /* of the list */
} olo_time_grid;

void olo_time_grid_free(olo_time_grid *table);

/* Sets the sizes for all following runs, copied; with a count of 0 the sizes follow from the run.
 */
olo_status olo_time_grid_give(olo_time_grid *table, const double *sizes, long count,
                              olo_error *error);
/* Begins a run at a time: equal steps, given steps, or an empty list if a tolerance chooses them.
 */
olo_status olo_time_grid_begin(olo_time_grid *table, const olo_run *run, double start,
                               olo_error *error);
/* Appends a step, given by its size and the time of its end. */
olo_status olo_time_grid_add(olo_time_grid *table, double size, double time, olo_error *error);

/* The time of the end of a step, counted from 1 (0: the initial time); the size of a step. */
double olo_time_grid_time(const olo_time_grid *table, long step);
double olo_time_grid_size(const olo_time_grid *table, long step);

#endif
