/* Functions shared by studies: running a variant of the study, and distances between states. */
#ifndef OLO_STUDY_STUDY_H
#define OLO_STUDY_STUDY_H

#include "oloid/study.h"

/* Whether study and run came from their default functions. */
olo_status olo_study_check(const olo_study *study, olo_error *error);

/* A run of the study: clones the start into `*state` (to be freed in any case) and simulates. */
olo_status olo_study_run(const olo_study *study, const char *what, const olo_run *run,
                         const olo_observer *observers, int observer_count, olo_state **state,
                         olo_run_summary *summary, olo_error *error);

/* True if a failure ends the whole study instead of being a row in it. */
bool olo_study_ends(olo_status status);

/* Errors that are all unknown (NaN). */
olo_errors olo_errors_unknown(void);

/* Relative distances of a state from (q, p, lambda); `p` and `work` have n numbers, lambda may be
 * NULL. */
olo_errors olo_errors_between(const olo_system *system, const olo_state *state, const double *q,
                              const double *p, const double *lambda, double *work);

/* |x - y| / |y| over `count` numbers: NaN where |y| is zero. */
double olo_distance(int count, const double *x, const double *y);

/* |x - y| / |y| from sums of squares: NaN where |y| is zero. */
double olo_relative(double difference, double size);

#endif
