/* When the steps of a run begin and how long they are: equal ones, sizes that are given, or those that a tolerance has
 * chosen before. */
#ifndef OLO_STEPPING_TIMETABLE_H
#define OLO_STEPPING_TIMETABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "oloid/simulate.h"

/* A step of a list. */
typedef struct olo_timetable_step {
    double size;
    double end; /* time */
} olo_timetable_step;

typedef struct olo_timetable {
    const olo_run *run;
    double start;
    long steps;
    bool given;               /* sizes are, whatever the run says */
    bool listed;              /* by the list, else equal */
    olo_timetable_step *list; /* [steps] */
    size_t room;              /* of the list */
} olo_timetable;

void olo_timetable_free(olo_timetable *table);

/* Sizes of all runs from now on, copied; without any those of the run. */
olo_status olo_timetable_give(olo_timetable *table, const double *sizes, long count,
                              olo_error *error);
/* For a run that starts at a time: equal steps, those given, or none yet, where a tolerance chooses them. */
olo_status olo_timetable_begin(olo_timetable *table, const olo_run *run, double start,
                               olo_error *error);
/* One more step, by its size and the time of its end. */
olo_status olo_timetable_add(olo_timetable *table, double size, double time, olo_error *error);

/* The end of a step, which are counted from 1; the start: 0. And how long it is. */
double olo_timetable_time(const olo_timetable *table, long step);
double olo_timetable_size(const olo_timetable *table, long step);

#endif
