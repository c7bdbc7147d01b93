/* The rate of a job from exponentially weighted sums of work and time,
 *
 *   W = sum_i exp(-(t - t_i)/T) dw_i,   S = sum_i exp(-(t - t_i)/T) dt_i,   rate = W/S,
 *
 * which is the plain average at first; contributions much older than T vanish. */
#include "base/progress.h"

#include <math.h>
#include <sys/resource.h>
#include <time.h>

/* T: long enough to smooth single slow steps, short enough to follow a change of rate. */
static const double FADING_SECONDS = 10.0;

static double seconds_of(clockid_t clock)
{
    struct timespec t = {0};
    if (clock_gettime(clock, &t) != 0)
        return 0.0;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double olo_clock_seconds(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double olo_cpu_seconds(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

double olo_peak_memory(void)
{
    struct rusage usage;
#ifdef __APPLE__
    const double unit = 1;
#else
    const double unit = 1024;
#endif
    return getrusage(RUSAGE_SELF, &usage) == 0 ? unit * (double)usage.ru_maxrss : 0;
}

void olo_progress_start(olo_progress *progress, double now)
{
    *progress = (olo_progress){.started = now, .last = now};
}

void olo_progress_update(olo_progress *progress, double now, double fraction)
{
    const double dt = now - progress->last;
    const double dw = fraction - progress->fraction;
    if (!isfinite(dt) || !isfinite(dw) || dt < 0.0 || dw < 0.0)
        return;
    const double decay = exp(-dt / FADING_SECONDS);
    progress->work = decay * progress->work + dw;
    progress->time = decay * progress->time + dt;
    progress->last = now;
    progress->fraction = fraction;
}

double olo_progress_rate(const olo_progress *progress)
{
    return progress->time > 0.0 ? progress->work / progress->time : 0.0;
}

double olo_progress_remaining_seconds(const olo_progress *progress)
{
    if (progress->fraction >= 1.0)
        return 0.0;
    const double rate = olo_progress_rate(progress);
    return rate > 0.0 ? (1.0 - progress->fraction) / rate : (double)INFINITY;
}
