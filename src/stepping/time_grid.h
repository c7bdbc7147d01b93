/* When the steps of a run begin and how long they are: equal ones, sizes that are given, or those
 * that a tolerance has chosen before. */
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
    bool given;               /* sizes are, whatever the run says */
    bool listed;              /* by the list, else equal */
    olo_time_grid_step *list; /* [steps] */
    size_t room;              /* of the list */
} olo_time_grid;

void olo_time_grid_free(olo_time_grid *table);

/* Sizes of all runs from now on, copied; without any those of the run. */
olo_status olo_time_grid_give(olo_time_grid *table, const double *sizes, long count,
                              olo_error *error);
/* For a run that starts at a time: equal steps, those given, or none yet, where a tolerance chooses
 * them. */
olo_status olo_time_grid_begin(olo_time_grid *table, const olo_run *run, double start,
                               olo_error *error);
/* One more step, by its size and the time of its end. */
olo_status olo_time_grid_add(olo_time_grid *table, double size, double time, olo_error *error);

/* The end of a step, which are counted from 1; the start: 0. And how long it is. */
double olo_time_grid_time(const olo_time_grid *table, long step);
double olo_time_grid_size(const olo_time_grid *table, long step);

#endif
