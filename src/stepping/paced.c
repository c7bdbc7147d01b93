/* An observer that is called now and then. The clock is read once per step, some 30 ns; and once
 * per question where several follow each other without a step. */
#include "base/progress.h"
#include "oloid/simulate.h"

static bool is_due(olo_paced *paced)
{
    const double now = olo_clock_seconds();
    paced->due = now - paced->last >= paced->seconds;
    if (paced->due)
        paced->last = now;
    return paced->due;
}

static olo_status step(void *context, const olo_system *system, const olo_state *state, long number,
                       const olo_step_report *report, olo_error *error)
{
    olo_paced *paced = context;
    paced->stepped = true;
    if (!is_due(paced))
        return OLO_OK;
    const olo_observer *observer = &paced->observer;
    return observer->step ? observer->step(observer->context, system, state, number, report, error)
                          : OLO_OK;
}

static bool stop(void *context)
{
    olo_paced *paced = context;
    const olo_observer *observer = &paced->observer;
    const bool due = paced->stepped ? paced->due : is_due(paced);
    paced->stepped = false;
    return due && observer->stop && observer->stop(observer->context);
}

static void warn(void *context, const char *text)
{
    const olo_observer *observer = &((olo_paced *)context)->observer;
    if (observer->warn)
        observer->warn(observer->context, text);
}

olo_observer olo_paced_observer(olo_paced *paced)
{
    paced->last = olo_clock_seconds();
    paced->due = paced->stepped = false;
    return (olo_observer){.context = paced, .step = step, .stop = stop, .warn = warn};
}
