/* Clocks, and how long a run will still take. Nothing here prints. */
#ifndef OLO_BASE_PROGRESS_H
#define OLO_BASE_PROGRESS_H

/* Seconds of a clock that never runs backwards; only differences mean something. */
double olo_clock_seconds(void);

/* Seconds of processor time that this process has used, all threads together. */
double olo_cpu_seconds(void);

/* The recent pace of a job. `work` and `time` fade with a time constant of some seconds, so that
 * the estimate follows a run that becomes slower or faster. */
typedef struct olo_progress {
    double started;  /* clock at the start, s */
    double last;     /* clock at the last update, s */
    double fraction; /* of the job, done at the last update */
    double work;     /* faded fraction done */
    double time;     /* faded time it took, s */
} olo_progress;

/* Begins a job at clock time `now` with nothing done. */
void olo_progress_start(olo_progress *progress, double now);

/* Notes that `fraction` of the job (0 to 1) is done at clock time `now`. A fraction or a time that
 * goes back, or is not finite, is ignored. */
void olo_progress_update(olo_progress *progress, double now, double fraction);

/* Recent fraction of the job done per second; 0 when not known yet. */
double olo_progress_rate(const olo_progress *progress);

/* Seconds left from the last update on; 0 when done, infinity when not known yet. */
double olo_progress_seconds_left(const olo_progress *progress);

#endif
