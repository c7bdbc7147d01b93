/* Clocks, and the estimated remaining time of a run. Nothing is printed. */
#ifndef OLO_BASE_PROGRESS_H
#define OLO_BASE_PROGRESS_H

/* Seconds of a monotonic clock; only differences are meaningful. */
double olo_clock_seconds(void);

/* Seconds of processor time that this process has used, all threads together. */
double olo_cpu_seconds(void);

/* The largest resident memory of this process so far, in bytes. */
double olo_peak_memory(void);

/* The recent rate of a job. `work` and `time` decay with a time constant of some seconds, so that
 * the estimate follows a run that becomes slower or faster. */
typedef struct olo_progress {
    double started;  /* clock at the start, s */
    double last;     /* clock at the last update, s */
    double fraction; /* fraction of the job done at the last update */
    double work;     /* weighted fraction done */
    double time;     /* weighted time, s */
} olo_progress;

/* Begins a job at clock time `now` with nothing done. */
void olo_progress_start(olo_progress *progress, double now);

/* Records that `fraction` of the job (0 to 1) is done at clock time `now`. A fraction or a time
 * that decreases, or is not finite, is ignored. */
void olo_progress_update(olo_progress *progress, double now, double fraction);

/* Recent fraction of the job done per second; 0 when unknown. */
double olo_progress_rate(const olo_progress *progress);

/* Remaining seconds from the last update on; 0 when done, infinity when unknown. */
double olo_progress_remaining_seconds(const olo_progress *progress);

#endif
