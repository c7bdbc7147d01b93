/* An observer that is called at most once per given number of seconds. The clock is read once per
 * step (about 30 ns), and once per call of `stop` if several calls follow without a step. */
#include "base/fail.h"
#include "base/memory.h"
#include "base/progress.h"
#include "stepping/step.h"

struct olo_throttle {
    olo_observer observer; /* the observer that is called */
    double seconds, last;  /* time between two calls; time of the last call */
    bool due;              /* `stop` is to be called */
    bool stepped;          /* there was a step since the last call of `stop` */
};

static bool is_due(olo_throttle *x)
{
    const double now = olo_clock_seconds();
    x->due = now - x->last >= x->seconds;
    if (x->due)
        x->last = now;
    return x->due;
}

static olo_status step(void *context, const olo_system *system, const olo_state *state, long number,
                       const olo_step_report *report, olo_error *error)
{
    olo_throttle *x = context;
    x->stepped = true;
    if (!is_due(x))
        return OLO_OK;
    const olo_observer *observer = &x->observer;
    return observer->step ? observer->step(observer->context, system, state, number, report, error)
                          : OLO_OK;
}

static bool stop(void *context)
{
    olo_throttle *x = context;
    const olo_observer *observer = &x->observer;
    const bool due = x->stepped ? x->due : is_due(x);
    x->stepped = false;
    return due && observer->stop && observer->stop(observer->context);
}

static void warn(void *context, const char *text)
{
    const olo_observer *observer = &((olo_throttle *)context)->observer;
    if (observer->warn)
        observer->warn(observer->context, text);
}

static void event(void *context, const char *name, const olo_state *state)
{
    const olo_observer *observer = &((olo_throttle *)context)->observer;
    if (observer->event)
        observer->event(observer->context, name, state);
}

olo_status olo_throttle_create(const olo_observer *observer, double seconds,
                               olo_throttle **throttle, olo_error *error)
{
    *throttle = NULL;
    const olo_status status = olo_observers_check(observer, 1, error);
    if (status != OLO_OK)
        return status;
    olo_throttle *x = olo_alloc(1, sizeof *x);
    if (!x)
        return olo_fail(error, OLO_NO_MEMORY, "out of memory for an observer");
    *x = (olo_throttle){.observer = *observer, .seconds = seconds};
    *throttle = x;
    return OLO_OK;
}

void olo_throttle_free(olo_throttle *throttle)
{
    olo_free(throttle);
}

olo_observer olo_throttle_observer(olo_throttle *throttle)
{
    olo_observer observer = olo_observer_default();
    throttle->last = olo_clock_seconds();
    throttle->due = throttle->stepped = false;
    observer.context = throttle;
    observer.ignores_forces = !throttle->observer.step || throttle->observer.ignores_forces;
    observer.step = step;
    observer.stop = stop;
    observer.warn = warn;
    observer.event = event;
    return observer;
}
