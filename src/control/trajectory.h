/* A trajectory from a file: a column of numbers over time, which costs track. The file has numbers
 * between commas, names in the first line, and times in the first column, ascending. */
#ifndef OLO_CONTROL_TRAJECTORY_H
#define OLO_CONTROL_TRAJECTORY_H

#include "base/pool.h"
#include "oloid/status.h"

typedef struct olo_trajectory {
    int count; /* 0: there is none */
    double *time, *value;
} olo_trajectory;

/* Reads a column into the pool. Fails with file and line, or if it does not cover the time from
 * `start` to `end`. */
olo_status olo_trajectory_read(const char *path, const char *column, double start, double end,
                               olo_pool *pool, olo_trajectory *trajectory, olo_error *error);
/* The value at time t, linear between rows and constant beyond both ends. */
double olo_trajectory_value(const olo_trajectory *trajectory, double t);

#endif
