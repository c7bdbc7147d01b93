/* Critical points, where stability changes along the path, located within a step by bisection.
 *
 * At a limit point the load has an extremum: the load component of the tangent changes sign. At a
 * bifurcation the number of negative eigenvalues of the stiffness changes while the load continues
 * to change in the same direction; an eigenvalue that is zero to rounding does not count. If the
 * number changes without such a point, the distance of two points on both sides does not go to
 * zero: Newton has converged to another branch. */
#include <math.h>
#include <string.h>

#include "statics/path.h"

/* Fractions of the step length: accuracy of the bisection, and the distance that counts as a
 * gap. */
static const double close = 1e-7;
static const double gap = 1e-3;

olo_path_event olo_path_find_event(const olo_path *p)
{
    if (p->start.load * p->end.load < 0)
        return OLO_PATH_LIMIT;
    bool judged = p->start.judged && p->end.judged;
    return judged && p->start.unstable != p->end.unstable ? OLO_PATH_BIFURCATION
                                                          : OLO_PATH_NO_EVENT;
}

/* True if the end of the step is beyond this event. The signs of eigenvalues decide, without the
 * tolerance for rounding: they enclose a zero most closely. */
static bool is_beyond(const olo_path *p, olo_path_event event)
{
    bool turned = p->start.load * p->end.load < 0;
    return event == OLO_PATH_LIMIT ? turned : !turned && p->end.negative != p->start.unstable;
}

/* Distance of the points at lengths `low` and `high`; afterwards the state is at `low`. */
static olo_status measure(olo_path *p, double low, double high, double *distance, olo_error *error)
{
    const int changes = p->search->balance->changes;
    olo_status status = olo_path_advance(p, &(olo_path_target){.length = high}, error);
    if (status != OLO_OK)
        return status;
    memcpy(p->other_step, p->step, (size_t)changes * sizeof *p->other_step);
    status = olo_path_advance(p, &(olo_path_target){.length = low}, error);
    if (status != OLO_OK)
        return status;
    for (int i = 0; i < changes; i++)
        p->other_step[i] -= p->step[i];
    *distance = sqrt(olo_path_dot(p, p->other_step, p->other_step));
    return OLO_OK;
}

olo_status olo_path_locate(olo_path *p, olo_path_event event, double length, bool *broken,
                           olo_error *error)
{
    /* bisection: the event is between the lengths low and high */
    double low = 0, high = length, distance = 0;
    while (high - low > close * length) {
        double middle = 0.5 * (low + high);
        olo_status status = olo_path_advance(p, &(olo_path_target){.length = middle}, error);
        if (status == OLO_INTERRUPTED)
            return status;
        if (status != OLO_OK)
            break;
        *(is_beyond(p, event) ? &high : &low) = middle;
    }
    /* a gap between both sides means another branch */
    olo_status status = measure(p, low, high, &distance, error);
    *broken = length > p->smallest && fmax(distance, high - low) > gap * length;
    return status;
}
