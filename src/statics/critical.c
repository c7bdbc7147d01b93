/* Points of the path where stability changes, between the ends of a step.
 *
 * At a limit point the load turns: its share of the tangent changes sign. At a bifurcation the
 * number of negative eigenvalues of the stiffness changes while the load goes on; the sign of one
 * that is zero to rounding does not count. Where the number changes without either, there is a
 * gap between two points however close they are: the path has been left for another branch. */
#include <math.h>
#include <string.h>

#include "statics/path.h"

/* Of the length of a step: how close the point is enclosed, and what is a gap in the path. */
static const double close = 1e-7;
static const double gap = 1e-3;

olo_path_event olo_path_passed(const olo_path *p)
{
    if (p->start.load * p->end.load < 0)
        return OLO_PATH_LIMIT;
    bool judged = p->start.judged && p->end.judged;
    return judged && p->start.unstable != p->end.unstable ? OLO_PATH_BIFURCATION : OLO_PATH_NOTHING;
}

/* Is the point at the end of the step beyond this event? Signs tell it: where an eigenvalue
 * changes from one side of rounding to the other they enclose its zero most closely. */
static bool is_beyond(const olo_path *p, olo_path_event event)
{
    bool turned = p->start.load * p->end.load < 0;
    return event == OLO_PATH_LIMIT ? turned : !turned && p->end.negative != p->start.unstable;
}

/* Distance of the points at lengths `low` and `high`; the state is at `low` then. */
static olo_status measure(olo_path *p, double low, double high, double *distance, olo_error *error)
{
    const int changes = p->search->rest->changes;
    olo_status status = olo_path_advance(p, &(olo_path_aim){.length = high}, error);
    if (status != OLO_OK)
        return status;
    memcpy(p->far, p->step, (size_t)changes * sizeof *p->far);
    status = olo_path_advance(p, &(olo_path_aim){.length = low}, error);
    if (status != OLO_OK)
        return status;
    for (int i = 0; i < changes; i++)
        p->far[i] -= p->step[i];
    *distance = sqrt(olo_path_dot(p, p->far, p->far));
    return OLO_OK;
}

olo_status olo_path_locate(olo_path *p, olo_path_event event, double length, bool *broken,
                           olo_error *error)
{
    double low = 0, high = length, distance = 0;
    while (high - low > close * length) {
        double middle = 0.5 * (low + high);
        olo_status status = olo_path_advance(p, &(olo_path_aim){.length = middle}, error);
        if (status == OLO_INTERRUPTED)
            return status;
        if (status != OLO_OK)
            break;
        *(is_beyond(p, event) ? &high : &low) = middle;
    }
    olo_status status = measure(p, low, high, &distance, error);
    *broken = length > p->least && fmax(distance, high - low) > gap * length;
    return status;
}
